"""Where a page is served: refused, before any work, where it cannot be."""

import socket
from dataclasses import dataclass
from importlib.util import find_spec

from change_it.errors import InputError


@dataclass(kw_only=True)
class AddressOptions:
    """Where a page is served, for every command that serves one."""

    host: str = "127.0.0.1"
    """Address to listen at; 0.0.0.0 lets other machines in."""
    port: int = 7860
    """Port to listen at; 0 takes a free one."""
    hosts: tuple[str, ...] = ()
    """With a local --host: host names under which a proxy before the page is reached; all others are refused."""
    share: bool = False
    """Open a public address through Gradio's servers."""

    def check_address(self) -> None:
        """Refuse, before any work, what cannot be served."""
        if not 0 <= self.port <= 65_535:
            raise InputError(f"--port {self.port} is no port: give a number from 0 to 65535")
        if find_spec("gradio") is None:
            raise InputError("the page needs Gradio: pip install gradio gensim pyphen")
        if self.port:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((self.host, self.port))
                except OSError as error:
                    raise InputError(taken(self.host, self.port)) from error


def taken(host: str, port: int) -> str:
    """Why an address is refused."""
    return f"--port {port} at {host} cannot be used: give another one, or --port 0 for a free one"
