"""Where a page is served: refused, before any work, where it cannot be."""

import socket
from importlib.util import find_spec

from change_it.errors import InputError


def check_serving(host: str, port: int) -> None:
    """Refuse, before any work, what cannot be served."""
    if not 0 <= port <= 65_535:
        raise InputError(f"--port {port} is no port: give a number from 0 to 65535")
    if find_spec("gradio") is None:
        raise InputError("the page needs Gradio: pip install gradio gensim pyphen")
    if port:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise InputError(taken(host, port)) from error


def taken(host: str, port: int) -> str:
    """Why an address is refused."""
    return f"--port {port} at {host} cannot be used: give another one, or --port 0 for a free one"
