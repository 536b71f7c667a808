"""A Hub on loopback for the real clients: repositories, commits, large files, the rules for cards, and faults on demand.

    with Hub() as hub:
        subprocess.run(command, env=os.environ | hub.environment(home))
        assert hub.repo("model", "owner/name").paths() == {...}
        assert not hub.unknown

Writing needs the token, and so does reading a private repository. A route that is not known is remembered in
`unknown` and answered with 404; `fail` makes the next requests to a route go wrong.
"""

import base64
import hashlib
import json
import re
import socket
import sys
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import RLock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

USER = "nina"
TOKEN = "hf_LoopbackTokenThatNobodyMaySee"
#: Entries of a folder in one answer.
PAGE = 50
#: What `.gitattributes` of a new repository sends to large-file storage, as far as we push it.
LFS_SUFFIXES = (".bin", ".model", ".npz", ".parquet", ".safetensors", ".zip")
#: Larger files are never regular ones.
LARGEST_REGULAR = 10 * 2**20
DATE = "2025-01-02T03:04:05.000Z"


class RefusedError(Exception):
    """An answer that is not 2xx."""

    def __init__(self, status: int, message: str, code: str = "", **body):
        super().__init__(message)
        self.status, self.message, self.code, self.body = status, message, code, body


# --- repositories


@dataclass(frozen=True)
class File:
    content: bytes
    lfs: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def pointer(self) -> bytes:
        """What git stores of a large file."""
        text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(self.content)}\n"
        return text.encode()

    @property
    def blob(self) -> str:
        """What git calls it."""
        stored = self.pointer if self.lfs else self.content
        return hashlib.sha1(b"blob %d\0" % len(stored) + stored).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.lfs else self.blob

    def entry(self, path: str) -> dict:
        about = {"type": "file", "path": path, "size": len(self.content), "oid": self.blob}
        lfs = {"oid": self.sha256, "size": len(self.content), "pointerSize": len(self.pointer)}
        return about | ({"lfs": lfs} if self.lfs else {})


_numbers = count(1)


@dataclass(frozen=True)
class Commit:
    files: dict[str, File]
    parent: "Commit | None" = None
    oid: str = field(default_factory=lambda: hashlib.sha1(b"commit %d" % next(_numbers)).hexdigest())

    @property
    def history(self) -> "list[Commit]":
        """Newest first."""
        return [self, *(self.parent.history if self.parent else [])]

    def entries(self, under: str, recursive: bool) -> list[dict]:
        """Files and folders below a folder."""
        prefix = f"{under}/" if under else ""
        below = {path: file for path, file in self.files.items() if path.startswith(prefix)}
        if under and not below:
            raise RefusedError(404, f"{under} does not exist", "EntryNotFound")
        folders = set()
        for path in below:
            parts = path.removeprefix(prefix).split("/")[:-1]
            folders |= {prefix + "/".join(parts[: deep + 1]) for deep in range(len(parts))}
        found = [file.entry(path) for path, file in below.items()]
        found += [
            {"type": "directory", "path": path, "size": 0, "oid": hashlib.sha1(path.encode()).hexdigest()}
            for path in folders
        ]
        direct = [entry for entry in found if recursive or "/" not in entry["path"].removeprefix(prefix)]
        return sorted(direct, key=lambda entry: entry["path"])


@dataclass
class Repo:
    """One repository; `refs` are `main`, other branches and pull requests such as `refs/pr/1`."""

    kind: str
    id: str
    private: bool = False
    sdk: str | None = None
    refs: dict[str, Commit] = field(default_factory=dict)

    def __post_init__(self):
        attributes = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES)
        self.refs.setdefault("main", Commit({".gitattributes": File(attributes.encode(), lfs=False)}))

    @property
    def url(self) -> str:
        return f"/{'' if self.kind == 'model' else self.kind + 's/'}{self.id}"

    @property
    def head(self) -> Commit:
        return self.refs["main"]

    def paths(self, revision: str = "main") -> set[str]:
        """Files, but the one that every repository has."""
        return set(self.at(revision).files) - {".gitattributes"}

    def read(self, path: str) -> str:
        return self.head.files[path].content.decode("utf-8")

    def at(self, revision: str) -> Commit:
        """The commit that a branch, a pull request or a hash means."""
        if revision in self.refs:
            return self.refs[revision]
        for commit in (commit for ref in self.refs.values() for commit in ref.history):
            if len(revision) >= 7 and commit.oid.startswith(revision):
                return commit
        raise RefusedError(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def is_large(self, path: str, size: int, sample: bytes) -> bool:
        return path.endswith(LFS_SUFFIXES) or size > LARGEST_REGULAR or b"\0" in sample

    def commit(self, revision: str, lines: list[dict], objects: dict[str, bytes], create_pr: bool):
        """All lines of a commit, or nothing.

        Returns:
            The commit, and the pull request's name if it was asked for.
        """
        parent = self.at(revision)
        if not create_pr and revision not in self.refs:
            raise RefusedError(404, f"{revision} is no branch", "RevisionNotFound")
        files = dict(parent.files)
        for key, value in ((line["key"], line["value"]) for line in lines):
            path = value.get("path", "")
            if key == "file":
                content = base64.b64decode(value["content"])
                if self.is_large(path, len(content), content[:512]):
                    raise RefusedError(400, f"{path} must go through large-file storage")
                files[path] = File(content, lfs=False)
            elif key == "lfsFile":
                if value["oid"] not in objects:
                    raise RefusedError(400, f"the object {value['oid']} of {path} was never uploaded")
                files[path] = File(objects[value["oid"]], lfs=True)
            elif key == "deletedFile":
                if files.pop(path, None) is None:
                    raise RefusedError(404, "A file with this name doesn't exist", "EntryNotFound")
            elif key != "header":
                raise RefusedError(400, f"unknown operation {key}")
            elif value.get("parentCommit") not in (None, parent.oid) and not create_pr:
                raise RefusedError(412, "A commit has happened since. Please refresh and try again.")
        if "README.md" in files and (wrong := card_errors(files["README.md"].content.decode(), self.kind)):
            raise RefusedError(400, "; ".join(wrong))
        name = f"refs/pr/{1 + sum(ref.startswith('refs/pr/') for ref in self.refs)}" if create_pr else None
        made = self.refs[name or revision] = Commit(files, parent)
        return made, name

    def info(self, commit: Commit) -> dict:
        """What `/api/models/{id}` answers."""
        card = commit.files.get("README.md")
        header = card_header(card.content.decode()) if card else {}
        about = {"_id": hashlib.md5(self.id.encode()).hexdigest()[:24], "id": self.id, "sha": commit.oid}
        about |= {"author": self.id.partition("/")[0], "lastModified": DATE, "createdAt": DATE}
        about |= {"private": self.private, "gated": False, "disabled": False, "downloads": 0, "likes": 0}
        about |= {"tags": header.get("tags") or [], "cardData": header}
        about["siblings"] = [{"rfilename": path} for path in sorted(commit.files)]
        return about | ({"sdk": self.sdk} if self.kind == "space" else {})


# --- the rules for cards

_WORDS = {
    "license": {"apache-2.0", "mit", "cc-by-4.0", "cc-by-nc-sa-4.0", "other", "unknown"},
    "sdk": {"gradio", "docker", "static"},
    "colorFrom": (_COLOURS := {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}),
    "colorTo": _COLOURS,
}
_PATTERNS = {
    "language": r"[a-z]{2,3}|code|multilingual",
    **dict.fromkeys(("base_model", "datasets", "models"), r"[\w.-]{1,96}(/[\w.-]{1,96})?"),
    **dict.fromkeys(("tags", "metrics"), r".+"),
    "short_description": r".{0,60}",
    "sdk_version": r"\d+\.\d+\.\d+",
}


def card_header(text: str) -> dict:
    """YAML between the first two lines of three dashes."""
    parts = re.match(r"\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(\r?\n|$)", text, re.DOTALL)
    return (yaml.safe_load(parts[1]) or {}) if parts else {}


def card_errors(text: str, kind: str) -> list[str]:
    """What the Hub refuses in a README's header.

    Example:
        >>> card_errors("---\\nlicense: nonesuch\\nbase_model: /home/me/bert\\n---\\n", "model")
        ['"license" must be one of the known ones', '"base_model" with value "/home/me/bert" is not valid']
    """
    try:
        header = card_header(text)
    except yaml.YAMLError as error:
        return [f"invalid YAML: {str(error).splitlines()[0]}"]
    if not isinstance(header, dict):
        return ["the header must be a mapping"]
    wrong = [
        f'"{name}" must be one of the known ones'
        for name, words in _WORDS.items()
        if name in header and header[name] not in words
    ]
    for name, pattern in _PATTERNS.items():
        value = header.get(name) or []
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str) or not re.fullmatch(pattern, item):
                wrong.append(f'"{name}" with value "{item}" is not valid')
    if kind == "space" and "sdk" not in header:
        wrong.append('"sdk" is missing')
    for config in header.get("configs") or [] if kind == "dataset" else []:
        if not isinstance(config, dict) or not {"config_name", "data_files"} <= set(config):
            wrong.append('"configs" need "config_name" and "data_files"')
    if kind == "model" and "model-index" in header:
        from huggingface_hub.repocard_data import model_index_to_eval_results

        try:
            name, results = model_index_to_eval_results(header["model-index"])
            if not (name and all(isinstance(result.metric_value, int | float) for result in results)):
                wrong.append('"model-index" needs a name and numbers')
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            wrong.append(f'"model-index" cannot be read: {error!r}')
    return wrong


# --- requests


@dataclass
class Fault:
    """What goes wrong with requests to a route."""

    method: str
    pattern: str
    status: int  # 0 cuts the connection without an answer
    times: int = 1  # so many requests
    lost: bool = False  # do what is asked first, so that only the answer is missing

    def strikes(self, method: str, path: str) -> bool:
        if self.times <= 0 or method != self.method or not re.search(self.pattern, path):
            return False
        self.times -= 1
        return True


@dataclass(frozen=True)
class Seen:
    """One request."""

    method: str
    path: str
    token: str


class Hub:
    """The server and what it holds; a context manager."""

    def __init__(self):
        self.repos: dict[tuple[str, str], Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.lock = RLock()
        self.forget()
        self._server = _Server(("127.0.0.1", 0), _Handler)
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

    def environment(self, home, token: str | None = TOKEN) -> dict[str, str]:
        """Variables that send the clients of a process here, with a cache of its own."""
        off = ("XET", "TELEMETRY", "UPDATE_CHECK", "PROGRESS_BARS")
        return {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_TOKEN": token or "",
            "HF_HUB_OFFLINE": "0",
            "HF_EVALUATE_OFFLINE": "0",
            **{f"HF_HUB_DISABLE_{name}": "1" for name in off},
            "TOKENIZERS_PARALLELISM": "false",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

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
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.unknown: list[str] = []


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    hub: Hub

    def handle_error(self, request, client_address):
        """Clients that hang up are no news; everything else fails the test that looks at `unknown`."""
        if not isinstance(sys.exception(), ConnectionError):
            self.hub.unknown.append(f"the server failed: {sys.exception()!r}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body of an answer waits 40 ms for its headers' receipt
    server: Any

    def log_message(self, *_):
        """Quiet."""

    def do_GET(self):
        hub, parts = self.server.hub, urlsplit(self.path)
        self.query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        self.token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with hub.lock:
            hub.seen.append(Seen(self.command, parts.path, self.token))
            fault = next((fault for fault in hub.faults if fault.strikes(self.command, parts.path)), None)
        if fault and fault.status == 0 and not fault.lost:
            return self._hang_up()  # with the body unread: the client may be in the middle of it
        self.body = self._read_body()
        with hub.lock:
            try:
                if fault and fault.status:
                    status, headers, content = _failure(fault.status)
                else:
                    status, headers, content = self._answer(parts.path)
            except RefusedError as refusal:
                status, headers, content = _json(
                    {"error": refusal.message, **refusal.body},
                    refusal.status,
                    **{"X-Error-Message": refusal.message, "X-Error-Code": refusal.code},
                )
        if fault and fault.lost:
            return self._hang_up()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815 (names that http.server looks for)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
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

    def _answer(self, path: str):
        """Status, headers and content."""
        for methods, pattern, name in _ROUTES:
            if self.command in methods.split() and (found := re.fullmatch(pattern, path)):
                return getattr(self, name)(*(unquote(part or "") for part in found.groups()))
        self.server.hub.unknown.append(f"{self.command} {path}")
        raise RefusedError(404, "there is no such route")

    def _may_write(self, id: str) -> None:
        if self.token != TOKEN:
            raise RefusedError(401, "Invalid username or password.")
        if id.partition("/")[0] != USER:
            raise RefusedError(403, f"You don't have the rights to create or change {id}")

    def _repo(self, kind: str, id: str) -> Repo:
        if self.token not in ("", TOKEN):
            raise RefusedError(401, "Invalid credentials in Authorization header")
        repo = self.server.hub.repos.get((kind, id))
        if repo is None or (repo.private and not self.token):
            raise RefusedError(404 if self.token else 401, "Repository not found", "RepoNotFound")
        return repo

    def nothing(self):
        return _json({"standardEnvVars": [], "harnesses": {}})

    def create_repo(self):
        hub, asked = self.server.hub, json.loads(self.body)
        kind, id = asked.get("type") or "model", f"{asked.get('organization') or USER}/{asked['name']}"
        self._may_write(id)
        if kind == "space" and asked.get("sdk") is None:
            raise RefusedError(400, "a Space needs an sdk")
        if repo := hub.repos.get((kind, id)):
            raise RefusedError(409, "You already created this repo", url=f"{hub.url}{repo.url}")
        private = asked.get("private", False) or asked.get("visibility") == "private"
        repo = hub.add(kind, id, private=private, sdk=asked.get("sdk"))
        return _json({"url": f"{hub.url}{repo.url}", "name": id, "id": "1"})

    def validate_yaml(self):
        asked = json.loads(self.body)
        wrong = card_errors(asked["content"], asked.get("repoType") or "model")
        errors = [{"message": message} for message in wrong]
        return _json({"errors": errors, "warnings": []}, 400 if wrong else 200)

    def preupload(self, kind: str, id: str, revision: str):
        self._may_write(id)
        repo = self._repo(kind, id)
        known, answers = repo.at(revision).files, []
        for file in json.loads(self.body)["files"]:
            path = file["path"]
            large = repo.is_large(path, file["size"], base64.b64decode(file["sample"]))
            about = {"path": path, "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            answers.append(about | {"oid": known[path].etag if path in known else None})
        return _json({"files": answers})

    def lfs_batch(self, _, id: str):
        self._may_write(id)
        hub, objects = self.server.hub, []
        for asked in json.loads(self.body)["objects"]:
            oid = asked["oid"]
            upload = {"upload": {"href": f"{hub.storage}/{oid}"}, "verify": {"href": f"{hub.url}/api/verify"}}
            actions = {} if oid in hub.objects else {"actions": upload}
            objects.append({"oid": oid, "size": asked["size"], **actions})
        return _json({"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str):
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise RefusedError(400, "the content is not what its name says")
        self.server.hub.objects[oid] = self.body
        return _json({})

    def lfs_verify(self):
        asked = json.loads(self.body)
        if len(self.server.hub.objects.get(asked["oid"], b"")) != asked["size"]:
            raise RefusedError(404, "no such object")
        return _json({})

    def commit(self, kind: str, id: str, revision: str):
        self._may_write(id)
        hub, repo = self.server.hub, self._repo(kind, id)
        lines = [json.loads(line) for line in self.body.splitlines() if line.strip()]
        made, pull_request = repo.commit(revision, lines, hub.objects, "create_pr" in self.query)
        url = f"{hub.url}{repo.url}"
        about = {"success": True, "commitOid": made.oid, "commitUrl": f"{url}/commit/{made.oid}"}
        if pull_request:
            about["pullRequestUrl"] = f"{url}/discussions/{pull_request.rpartition('/')[2]}"
        return _json(about)

    def info(self, kind: str, id: str, revision: str):
        repo = self._repo(kind, id)
        return _json(repo.info(repo.at(revision or "main")))

    def tree(self, kind: str, id: str, revision: str, under: str):
        recursive = self.query.get("recursive") == "true"
        entries = self._repo(kind, id).at(revision).entries(under, recursive)
        start, headers = int(self.query.get("cursor", 0)), {}
        if (end := start + PAGE) < len(entries):
            page = f"{self.server.hub.url}{urlsplit(self.path).path}?recursive={str(recursive).lower()}&cursor={end}"
            headers["Link"] = f'<{page}>; rel="next"'
        return _json(entries[start:end], **headers)

    def branch(self, kind: str, id: str, name: str):
        self._may_write(id)
        repo = self._repo(kind, id)
        if name in repo.refs:
            raise RefusedError(409, f"{name} exists already")
        repo.refs[name] = repo.at(json.loads(self.body or b"{}").get("startingPoint") or "main")
        return _json({})

    def resolve(self, prefix: str, id: str, revision: str, path: str):
        hub, kind = self.server.hub, prefix.removesuffix("s/") or "model"
        commit = self._repo(kind, id).at(revision)
        if path not in commit.files:
            raise RefusedError(404, f"{path} does not exist", "EntryNotFound")
        file = commit.files[path]
        headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{file.etag}"'}
        if not file.lfs:
            return 200, headers, file.content
        headers |= {"X-Linked-ETag": f'"{file.etag}"', "X-Linked-Size": str(len(file.content))}
        return 302, headers | {"Location": f"{hub.storage}/{file.sha256}"}, b""

    def lfs_get(self, oid: str):
        if self.token:
            self.server.hub.unknown.append("a token was sent to the storage's host")
        return 200, {"ETag": f'"{oid}"'}, self.server.hub.objects[oid]


def _json(value, status: int = 200, **headers: str):
    return status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode()


def _failure(status: int):
    """The Hub refuses in JSON; where it is busy, a server in front of it may answer with a page."""
    if status < 429:
        raise RefusedError(status, f"injected {status}")
    return status, {"Content-Type": "text/html"}, f"<html><h1>{status}</h1></html>".encode()


_API = r"/api/(model|dataset|space)s/([\w.-]+/[\w.-]+)"
_REPO = r"/(datasets/|spaces/)?(?!api/)([\w.-]+/[\w.-]+)"
_ROUTES = (
    ("GET", "/api/agent-harnesses", "nothing"),
    ("POST", "/api/repos/create", "create_repo"),
    ("POST", "/api/validate-yaml", "validate_yaml"),
    ("POST", "/api/verify", "lfs_verify"),
    ("POST", rf"{_API}/preupload/([^/]+)", "preupload"),
    ("POST", rf"{_API}/commit/([^/]+)", "commit"),
    ("POST", rf"{_API}/branch/([^/]+)", "branch"),
    ("POST", rf"{_REPO}\.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT", r"/storage/(\w+)", "lfs_put"),
    ("GET HEAD", r"/storage/(\w+)", "lfs_get"),
    ("GET", rf"{_API}(?:/revision/([^/]+))?", "info"),
    ("GET", rf"{_API}/tree/([^/]+)(?:/(.+))?", "tree"),
    ("GET HEAD", rf"{_REPO}/resolve/([^/]+)/(.+)", "resolve"),
)
