"""What the loopback Hub answers, route by route, and how it goes wrong on demand."""

import base64
import hashlib
import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hub_store import KINDS, File, Refused, Repo, card_errors

USER = "nina"
TOKEN = "hf_LoopbackTokenThatNobodyMaySee"
#: Entries of a folder that are told at once.
PAGE = 50


@dataclass
class Fault:
    """What goes wrong with requests to a route.

    Attributes:
        method: GET, POST, PUT, HEAD.
        pattern: regular expression that is searched for in the path.
        status: answer; 0 cuts the connection without one.
        times: so many requests.
        skip: after so many that go well.
        lost: do what is asked first, so that only the answer is missing.
    """

    method: str
    pattern: str
    status: int
    times: int = 1
    skip: int = 0
    lost: bool = False

    def strikes(self, method: str, path: str) -> bool:
        if self.times <= 0 or method != self.method or not re.search(self.pattern, path):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


@dataclass(frozen=True)
class Seen:
    """One request."""

    method: str
    path: str
    status: int
    token: str


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def log_message(self, *_):
        """Quiet."""

    def do_GET(self):
        self._handle()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_GET  # noqa: N815

    def _handle(self) -> None:
        hub, parts = self.server.hub, urlsplit(self.path)
        self.query = {
            name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()
        }
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with hub.lock:
            fault = next((fault for fault in hub.faults if fault.strikes(self.command, parts.path)), None)
        if fault and not fault.lost and fault.status == 0:
            hub.seen.append(Seen(self.command, parts.path, 0, token))
            return self._hang_up()  # with the body unread: the client may be in the middle of it
        self.body = self._read_body()
        with hub.lock:
            try:
                call, arguments = (
                    self._route(parts.path) if not fault or fault.lost else (self.broken, (fault,))
                )
                status, headers, content = call(*arguments)
            except Refused as refusal:
                status, headers, content = self._told(refusal)
            hub.seen.append(Seen(self.command, parts.path, 0 if fault and fault.lost else status, token))
        if fault and fault.lost:
            return self._hang_up()
        self._send(status, headers, content)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _told(self, refusal: Refused):
        headers = {"X-Error-Message": refusal.message, "Content-Type": "application/json"}
        if refusal.code:
            headers["X-Error-Code"] = refusal.code
        if "commit" in refusal.body:
            headers["X-Repo-Commit"] = refusal.body.pop("commit")
        return refusal.status, headers, json.dumps({"error": refusal.message, **refusal.body}).encode()

    def _route(self, path: str) -> tuple[Callable, tuple]:
        """What answers a path, and its arguments."""
        for methods, pattern, name in ROUTES:
            if self.command in methods and (found := re.fullmatch(pattern, path)):
                return getattr(self, name), tuple(unquote(part or "") for part in found.groups())
        self.server.hub.unknown.append(f"{self.command} {path}")
        raise Refused(404, "there is no such route")

    # --- who may do what

    def _signed_in(self) -> bool:
        given = self.headers.get("Authorization")
        if given not in (None, f"Bearer {TOKEN}"):
            raise Refused(401, "Invalid credentials in Authorization header")
        return given is not None

    def _must_write(self, id: str) -> None:
        if not self._signed_in():
            raise Refused(401, "Invalid username or password.")
        if id.partition("/")[0] not in (USER, "house"):
            raise Refused(403, f"You don't have the rights to create or change {id}")

    def _repo(self, kind: str, id: str) -> Repo:
        signed_in = self._signed_in()
        repo = self.server.hub.repos.get((kind, id))
        if repo is None or (repo.private and not signed_in):
            raise Refused(404 if signed_in else 401, "Repository not found", "RepoNotFound")
        return repo

    # --- answers: (status, headers, content)

    @staticmethod
    def _json(value, status: int = 200, **headers: str):
        return status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode()

    @staticmethod
    def broken(fault: Fault):
        """What the Hub refuses it tells in JSON; where it is busy, a server in front of it may answer with a page."""
        if fault.status < 429:
            raise Refused(fault.status, f"injected {fault.status}")
        return fault.status, {"Content-Type": "text/html"}, f"<html><h1>{fault.status}</h1></html>".encode()

    def nothing(self):
        return self._json({"standardEnvVars": [], "harnesses": {}})

    def whoami(self):
        if not self._signed_in():
            raise Refused(401, "Invalid username or password.")
        token = {"type": "access_token", "accessToken": {"displayName": "test", "role": "write"}}
        return self._json(
            {"type": "user", "id": "1", "name": USER, "fullname": "Nina", "orgs": [], "auth": token}
        )

    def create_repo(self):
        hub, asked = self.server.hub, json.loads(self.body)
        kind, id = asked.get("type") or "model", f"{asked.get('organization') or USER}/{asked['name']}"
        self._must_write(id)
        if kind == "space" and asked.get("sdk") not in ("gradio", "docker", "static"):
            raise Refused(400, "a Space needs an sdk")
        prefix = "" if kind == "model" else f"{kind}s/"
        if (kind, id) in hub.repos:
            raise Refused(409, "You already created this repo", url=f"{hub.url}/{prefix}{id}")
        private = asked.get("private", False) or asked.get("visibility") == "private"
        hub.add(kind, id, private=private, sdk=asked.get("sdk"))
        return self._json({"url": f"{hub.url}/{prefix}{id}", "name": id, "id": "1"})

    def validate_yaml(self):
        asked = json.loads(self.body)
        wrong = card_errors(asked["content"], asked.get("repoType") or "model")
        errors = [{"message": message} for message in wrong]
        return self._json({"errors": errors, "warnings": []}, 400 if wrong else 200)

    def preupload(self, kind: str, id: str, revision: str):
        self._must_write(id)
        repo = self._repo(kind, id)
        files, answers = repo.at(revision).files, []
        for file in json.loads(self.body)["files"]:
            mode = repo.takes(file["path"], file["size"], base64.b64decode(file["sample"]))
            there = files.get(file["path"])
            answers.append(
                {
                    "path": file["path"],
                    "uploadMode": mode,
                    "shouldIgnore": False,
                    "oid": there.etag if there else None,
                }
            )
        return self._json({"files": answers})

    def lfs_batch(self, kind: str, id: str):
        self._must_write(id)
        self._repo(_kind(kind), id)
        hub, objects = self.server.hub, []
        for asked in json.loads(self.body)["objects"]:
            about = {"oid": asked["oid"], "size": asked["size"]}
            if asked["oid"] not in hub.objects:
                about["actions"] = {
                    "upload": {"href": f"{hub.storage}/{asked['oid']}"},
                    "verify": {"href": f"{hub.url}/api/verify"},
                }
            objects.append(about)
        return self._json({"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str):
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise Refused(400, "the content is not what its name says")
        self.server.hub.objects[oid] = self.body
        return self._json({})

    def lfs_verify(self):
        asked = json.loads(self.body)
        if len(self.server.hub.objects.get(asked["oid"], b"")) != asked["size"]:
            raise Refused(404, "no such object")
        return self._json({})

    def commit(self, kind: str, id: str, revision: str):
        self._must_write(id)
        hub, repo = self.server.hub, self._repo(kind, id)
        lines = [json.loads(line) for line in self.body.splitlines() if line.strip()]
        inline = {
            f"inline {line['value']['path']}": base64.b64decode(line["value"]["content"])
            for line in lines
            if line["key"] == "file"
        }
        made, pull_request = repo.commit(revision, lines, hub.objects | inline, "create_pr" in self.query)
        url = f"{hub.url}/{repo.prefix}{id}"
        told = {
            "success": True,
            "commitOid": made.oid,
            "commitUrl": f"{url}/commit/{made.oid}",
            "hookOutput": "",
        }
        if pull_request:
            told["pullRequestUrl"] = f"{url}/discussions/{pull_request.rpartition('/')[2]}"
        return self._json(told)

    def info(self, kind: str, id: str, revision: str):
        repo = self._repo(kind, id)
        return self._json(repo.told(repo.at(revision or "main"), "blobs" in self.query))

    def tree(self, kind: str, id: str, revision: str, under: str):
        entries = (
            self._repo(kind, id).at(revision).entries(under, self.query.get("recursive") in ("true", "True"))
        )
        start = int(self.query.get("cursor", 0))
        headers = {}
        if start + PAGE < len(entries):
            recursive = self.query.get("recursive", "false")
            path = (
                f"{self.server.hub.url}{urlsplit(self.path).path}?recursive={recursive}&cursor={start + PAGE}"
            )
            headers["Link"] = f'<{path}>; rel="next"'
        return self._json(entries[start : start + PAGE], **headers)

    def paths_info(self, kind: str, id: str, revision: str):
        commit = self._repo(kind, id).at(revision)
        if "json" in self.headers.get("Content-Type", ""):
            paths = json.loads(self.body)["paths"]
        else:
            paths = parse_qs(self.body.decode())["paths"]
        known = {entry["path"]: entry for entry in commit.entries(recursive=True)}
        return self._json([known[path] for path in paths if path in known])

    def refs(self, kind: str, id: str):
        told = {"branches": [], "converts": [], "tags": [], "pullRequests": []}
        repo = self._repo(kind, id)
        for name, commit in repo.refs.items():
            where = (
                "pullRequests" if name.startswith("refs/pr/") else "tags" if name in repo.tags else "branches"
            )
            ref = name if where == "pullRequests" else f"refs/{'tags' if where == 'tags' else 'heads'}/{name}"
            told[where].append({"name": name, "ref": ref, "targetCommit": commit.oid})
        if "include_prs" not in self.query:
            del told["pullRequests"]
        return self._json(told)

    def commits(self, kind: str, id: str, revision: str):
        return self._json(
            [
                {
                    "id": commit.oid,
                    "title": commit.title,
                    "message": commit.message,
                    "authors": [{"user": USER}],
                    "date": "2025-01-02T03:04:05.000Z",
                }
                for commit in self._repo(kind, id).at(revision).history
            ]
        )

    def branch(self, kind: str, id: str, name: str):
        return self._new_ref(kind, id, name, json.loads(self.body or b"{}").get("startingPoint") or "main")

    def tag(self, kind: str, id: str, revision: str):
        asked = json.loads(self.body)
        answer = self._new_ref(kind, id, asked["tag"], revision)
        self.server.hub.repo(kind, id).tags.add(asked["tag"])
        return answer

    def _new_ref(self, kind: str, id: str, name: str, start: str):
        self._must_write(id)
        repo = self._repo(kind, id)
        if name in repo.refs:
            raise Refused(409, f"{name} exists already")
        repo.refs[name] = repo.at(start)
        return self._json({})

    def resolve(self, kind: str, id: str, revision: str, path: str):
        commit = self._repo(_kind(kind), id).at(revision)
        if path not in commit.files:
            raise Refused(404, f"{path} does not exist", "EntryNotFound", commit=commit.oid)
        file = commit.files[path]
        headers = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes", "ETag": f'"{file.etag}"'}
        if not file.lfs:
            return self._content(file, headers)
        headers |= {"X-Linked-ETag": f'"{file.etag}"', "X-Linked-Size": str(len(file.content))}
        self.server.hub.objects.setdefault(file.sha256, file.content)
        return 302, headers | {"Location": f"{self.server.hub.storage}/{file.sha256}"}, b""

    def lfs_get(self, oid: str):
        if oid not in self.server.hub.objects:
            raise Refused(404, "no such object")
        file = File(self.server.hub.objects[oid], lfs=True)
        return self._content(file, {"Accept-Ranges": "bytes", "ETag": f'"{file.etag}"'})

    def _content(self, file: File, headers: dict[str, str]):
        headers = {"Content-Type": "application/octet-stream", **headers}
        if self.headers.get("If-None-Match") == headers["ETag"]:
            return 304, headers, b""
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return 200, headers, file.content
        size = len(file.content)
        first = int(asked[1]) if asked[1] else max(0, size - int(asked[2]))
        last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
        if first > last:
            raise Refused(416, "the file is shorter")
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return 206, headers, file.content[first : last + 1]


def _kind(prefix: str) -> str:
    return prefix.rstrip("/").removesuffix("s") or "model"


_API = rf"/api/({'|'.join(KINDS)})s/([\w.-]+/[\w.-]+)"
_PAGE = r"/(datasets/|spaces/)?(?!api/)([\w.-]+/[\w.-]+)"
ROUTES = (
    ("GET", "/api/agent-harnesses", "nothing"),
    ("GET", "/api/whoami-v2", "whoami"),
    ("POST", "/api/repos/create", "create_repo"),
    ("POST", "/api/validate-yaml", "validate_yaml"),
    ("POST", "/api/verify", "lfs_verify"),
    ("POST", rf"{_API}/preupload/([^/]+)", "preupload"),
    ("POST", rf"{_API}/commit/([^/]+)", "commit"),
    ("POST", rf"{_API}/paths-info/([^/]+)", "paths_info"),
    ("POST", rf"{_API}/branch/([^/]+)", "branch"),
    ("POST", rf"{_API}/tag/([^/]+)", "tag"),
    ("POST", rf"{_PAGE}\.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT", r"/storage/(\w+)", "lfs_put"),
    (("GET", "HEAD"), r"/storage/(\w+)", "lfs_get"),
    ("GET", rf"{_API}(?:/revision/([^/]+))?", "info"),
    ("GET", rf"{_API}/tree/([^/]+)(?:/(.+))?", "tree"),
    ("GET", rf"{_API}/refs", "refs"),
    ("GET", rf"{_API}/commits/([^/]+)", "commits"),
    (("GET", "HEAD"), rf"{_PAGE}/resolve/([^/]+)/(.+)", "resolve"),
)
