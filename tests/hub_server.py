"""A Hub on loopback for the real clients: repositories, commits, large files, and faults on demand.

    with Hub() as hub:
        subprocess.run(command, env=os.environ | hub.environment(home))
        assert hub.repo("model", "owner/name").paths() == {...}
        assert not hub.unknown

Writing needs the token, and so does reading a private repository. A route that is not known is remembered in
`unknown` and answered with 404; `fail` makes the next requests to a route go wrong.
"""

import re
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import RLock, Thread

from hub_routes import TOKEN, Fault, Handler, Seen
from hub_store import Repo


class Hub:
    """The server and what it holds; a context manager."""

    def __init__(self):
        self.repos: dict[tuple[str, str], Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.unknown: list[str] = []
        self.lock = RLock()
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.hub = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        #: Large files have a host of their own, as the Hub's have: clients must not send their token there.
        self.storage = f"http://localhost:{self._server.server_port}/storage"

    def __enter__(self) -> "Hub":
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def environment(self, home: Path, token: str | None = TOKEN) -> dict[str, str]:
        """Variables that send the clients of a process here, with a cache of its own."""
        variables = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_EVALUATE_OFFLINE": "0",
            "TOKENIZERS_PARALLELISM": "false",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }
        return variables | {"HF_TOKEN": token or ""}

    def repo(self, kind: str, id: str) -> Repo:
        """A repository that is there."""
        return self.repos[kind, id]

    def add(self, kind: str, id: str, **options) -> Repo:
        """A new repository with nothing in it."""
        self.repos[kind, id] = Repo(kind, id, **options)
        return self.repos[kind, id]

    def fail(self, method: str, pattern: str, status: int = 0, **options) -> None:
        """Let the next requests to a route fail, see `Fault`."""
        self.faults.append(Fault(method, pattern, status, **options))

    def asked(self, method: str, pattern: str) -> list[Seen]:
        """Requests to a route."""
        return [seen for seen in self.seen if seen.method == method and re.search(pattern, seen.path)]

    def forget(self) -> None:
        """Between tests: no faults, no requests; the repositories stay."""
        self.faults, self.seen, self.unknown = [], [], []


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    hub: Hub

    def handle_error(self, request, client_address):
        """Clients that hang up are no news; everything else fails the test that looks at `unknown`."""
        import sys

        if not isinstance(sys.exception(), ConnectionError):
            self.hub.unknown.append(f"the server failed: {sys.exception()!r}")
