"""What a page answers: to which hosts, in whose frames, with which scripts, and what may be uploaded."""

import base64
import hashlib
import ipaddress
import re
import stat
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from change_it.space.limits import LIMITS

#: Where Gradio and its pages find everything: with the server that serves them. It compiles the functions of `js=`, and
#: styles elements by attributes. What it writes into the page itself is allowed by its hash.
_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "media-src": "'self' blob:",
    "worker-src": "'self' blob:",
    "manifest-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
#: Pages of the Hub, which shows a Space in a frame.
_HUB = "https://huggingface.co https://*.huggingface.co https://*.hf.space"
#: Parts of Gradio that write files or ask the Hub, and that no page of ours uses; and those of uploads.
_UNUSED = ("process_recording", "deep_link", "run-history", "runs")
_UPLOADS = ("upload", "upload_progress")
_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
#: Bytes of a request: the documents and systems of the tab on quality at once.
_LARGEST = LIMITS.bytes * (LIMITS.systems + 1)
_BLOCK = 4096  # bytes that the smallest file takes


class Guard:
    """The middleware of a page.

    Args:
        app: what answers.
        hosts: that are served beside this machine's own names; None serves all.
        on_hub: whether the page is a Space, which the Hub shows in a frame.
        uploads: folder of what is uploaded; None where the page has no place to upload anything.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str] | None, on_hub: bool, uploads: Path | None
    ) -> None:
        self._app = app
        self._hosts = None if hosts is None or "*" in hosts else {host.lower() for host in hosts}
        self._on_hub, self._uploads = on_hub, uploads
        self._uploading = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        _, of_gradio, rest = scope["path"].partition("/gradio_api/")
        asked = rest.partition("/")[0]
        send = self._with_headers(send, is_page=not of_gradio)
        if refusal := self._refusal(asked, Headers(scope=scope)):
            await PlainTextResponse(refusal[1], refusal[0])(scope, receive, send)
        elif asked == "upload" and self._uploads:
            await to_thread.run_sync(make_room, self._uploads, LIMITS.uploads)
            self._uploading += 1
            try:
                await self._app(scope, _limited(receive), send)
            except ClientDisconnect:
                pass  # somebody gave up, or sent too much
            finally:
                self._uploading -= 1
                if not self._uploading:
                    _remove_unfinished(self._uploads)
        else:
            await self._app(scope, _limited(receive), send)

    def _refusal(self, asked: str, headers: Headers) -> tuple[int, str] | None:
        """Status and text where a request is not answered."""
        addresses = [f"//{headers.get('host', '')}", *headers.getlist("origin")]
        if not all(map(self._is_ours, addresses)):
            return 403, "This page is for this machine alone; --hosts names the hosts of a proxy before it."
        if asked in _UNUSED or (self._uploads is None and asked in _UPLOADS):
            return 404, "Not found"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _LARGEST:
            return 413, f"A request has at most {_LARGEST:,} bytes."
        return None

    def _is_ours(self, address: str) -> bool:
        """Whether the host of an address is served: the name of another site may have been pointed at this machine."""
        if self._hosts is None:
            return True
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:
            return False
        return host in self._hosts or is_loopback(host)

    def _with_headers(self, send: Send, *, is_page: bool) -> Send:
        """What sends an answer with its headers; those of a page are known when its text is whole."""
        start: Message = {}
        body = bytearray()

        async def send_more(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                headers = MutableHeaders(scope=start)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                headers["Content-Security-Policy"] = self._policy(b"")
                if not self._on_hub:
                    headers["X-Frame-Options"] = "SAMEORIGIN"
                if is_page and headers.get("content-type", "").startswith("text/html"):
                    return
            elif start and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                MutableHeaders(scope=start)["Content-Security-Policy"] = self._policy(bytes(body))
                await send(start)
                message = {**message, "body": bytes(body)}
            start = {}
            await send(message)

        return send_more

    def _policy(self, page: bytes) -> str:
        """The content security policy of an answer; scripts that stand in a page are allowed by their hashes."""
        sources = _SOURCES | {"frame-ancestors": f"'self' {_HUB}" if self._on_hub else "'self'"}
        for script in dict.fromkeys(_SCRIPT.findall(page)):
            sources["script-src"] += f" 'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        if self._on_hub:
            sources["connect-src"] += " https://huggingface.co"
        return "; ".join(f"{name} {where}" for name, where in sources.items())


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's, for itself alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def make_room(folder: Path, most: int) -> None:
    """Remove the oldest files of a folder until the others take at most so many bytes."""
    files = []
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            state = file.lstat()
            if stat.S_ISREG(state.st_mode):
                files.append((state.st_mtime, max(state.st_size, _BLOCK), file))
    used = 0
    for _, size, file in sorted(files, reverse=True):
        used += size
        if used > most:
            file.unlink(missing_ok=True)


def _remove_unfinished(folder: Path) -> None:
    """Remove what uploads that ended have left; a file that is complete stands in a folder of its own."""
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.is_file():
            file.unlink(missing_ok=True)


def _limited(receive: Receive) -> Receive:
    """A request that ends, as if its sender had gone, where it gets larger than any may be."""
    received = 0

    async def receive_more() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        return message if received <= _LARGEST else {"type": "http.disconnect"}

    return receive_more
