"""Serve a small Hub on loopback: repositories, commits, large files.

It is enough for one push and one load through the real clients.
"""

import base64
import hashlib
import json
import re
from contextlib import contextmanager
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from huggingface_hub import RepoCard
from processes import Handler, listening

TOKEN = "hf_LoopbackTokenThatNobodyMaySee"
NAME = r"((?:(?:datasets|spaces)/)?[\w.-]+/[\w.-]+)"
REVISION = r"([\w.-]+)"
ROUTES = {
    r"/api/repos/create": "create",
    r"/api/validate-yaml": "validate",
    rf"/api/{NAME}/preupload/{REVISION}": "preupload",
    rf"/api/{NAME}/commit/{REVISION}": "commit",
    rf"/api/{NAME}/branch/{REVISION}": "branch",
    rf"/api/{NAME}/tag/{REVISION}": "tag",
    rf"/api/{NAME}/refs": "refs",
    rf"/api/{NAME}/variables": "variable",
    rf"/{NAME}\.git/info/lfs/objects/batch": "batch",
    r"/storage/(\w+)": "store",
    rf"/api/{NAME}(?:/revision/{REVISION})?": "info",
    rf"/api/{NAME}/tree/{REVISION}(?:/(.+))?": "tree",
    rf"/api/{NAME}/paths-info/{REVISION}": "paths",
    rf"/(?!api/){NAME}/resolve/{REVISION}/(.+)": "resolve",
}


def oid_of(files):
    """Return the name of a commit, by its contents."""
    return _oid_of(tuple(sorted(files.items())))


@lru_cache
def _oid_of(files):
    """Return the name of a commit of these pairs of name and content."""
    return hashlib.sha1(repr(files).encode()).hexdigest()


class Hub:
    """What the server holds.

    A model is called `owner/name`, others `datasets/owner/name` and `spaces/owner/name`; another branch than
    the main one has `@` and its name behind it, a pull request `@refs/pr/1`.

    Attributes:
        commits: repository to its files after each commit, the first one empty.
        large: large files by their digest.
        messages: repository to the message of its last commit.
        tags: repository to the commit of each tag.
        variables: Space to its variables.
        private: the private repositories.
    """

    def __init__(self):
        self.commits: dict[str, list[dict[str, bytes]]] = {}
        self.large: dict[str, bytes] = {}
        self.messages: dict[str, str] = {}
        self.tags: dict[str, dict[str, str]] = {}
        self.variables: dict[str, dict[str, str]] = {}
        self.private: set[str] = set()

    def put(self, name, files):
        """Make a repository with files that somebody put there."""
        self.commits[name] = [files]

    def files(self, name):
        """Return the files of a repository now."""
        return self.commits[name][-1]

    def at(self, name, revision):
        """Return the name of a commit and its files; None where there is none."""
        revision = self.tags.get(name, {}).get(revision, revision)
        branch = name if revision in (None, "main") else f"{name}@{revision}"
        if branch in self.commits:
            return oid_of(self.files(branch)), self.files(branch)
        for branch, commits in self.commits.items():
            for files in commits:
                if branch.partition("@")[0] == name and oid_of(files) == revision:
                    return revision, files
        return None

    def environment(self, home):
        """Return variables that send the clients of a process here, with a cache of its own."""
        variables = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_TOKEN": TOKEN, "HF_HUB_OFFLINE": "0"}
        return variables | {f"HF_HUB_DISABLE_{name}": "1" for name in ("XET", "TELEMETRY", "UPDATE_CHECK")}


@contextmanager
def serve():
    """Serve on loopback, and provide what the server holds."""
    hub = Hub()

    class Answers(Handler):
        def do_GET(self):
            """Call the method of the first route that fits the path."""
            path = unquote(urlsplit(self.path).path).replace("/api/models/", "/api/")
            self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            for pattern, name in ROUTES.items():
                match = re.fullmatch(pattern, path)
                if match:
                    writes = self.command == "POST" and name != "validate"
                    if writes and self.headers["Authorization"] != f"Bearer {TOKEN}":
                        return self.answer({"error": "Invalid username or password."}, 401)
                    return getattr(self, name)(*match.groups())
            return self.answer({"error": "there is no such route"}, 404)

        do_HEAD = do_POST = do_PUT = do_GET

        def answer(self, content, status=200, **headers):
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def create(self):
            repo = json.loads(self.body)
            kind = {"dataset": "datasets/", "space": "spaces/"}.get(repo.get("type"), "")
            name = f"{kind}{repo['organization']}/{repo['name']}"
            hub.commits.setdefault(name, [{}])
            hub.variables[name] = {entry["key"]: entry["value"] for entry in repo.get("variables", [])}
            if repo.get("visibility") == "private" or repo.get("private"):
                hub.private.add(name)
            self.answer({"url": f"{hub.url}/{name}", "name": name, "id": "1"})

        def validate(self):
            self.answer({"errors": [], "warnings": []})

        def branch(self, name, branch):
            hub.commits.setdefault(f"{name}@{branch}", [hub.files(name)])
            self.answer({})

        def tag(self, name, revision):
            hub.tags.setdefault(name, {})[json.loads(self.body)["tag"]] = revision
            self.answer({})

        def refs(self, name):
            tags = []
            for tag, oid in hub.tags.get(name, {}).items():
                tags.append({"name": tag, "ref": tag, "targetCommit": oid})
            self.answer({"branches": [], "converts": [], "tags": tags})

        def variable(self, name):
            given = json.loads(self.body)
            hub.variables[name][given["key"]] = given["value"]
            self.answer({})

        def preupload(self, name, _):
            files = json.loads(self.body)["files"]
            for file in files:
                large = file["path"].endswith((".parquet", ".safetensors"))
                file |= {"uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            self.answer({"files": files})

        def batch(self, name):
            objects = json.loads(self.body)["objects"]
            for file in objects:
                file["actions"] = {"upload": {"href": f"{hub.url}/storage/{file['oid']}"}}
            self.answer({"transfer": "basic", "objects": objects})

        def store(self, oid):
            hub.large[oid] = self.body
            self.answer({})

        def commit(self, name, revision):
            branch = name if revision == "main" else f"{name}@{revision}"
            files = dict(hub.files(branch))
            for line in map(json.loads, self.body.splitlines()):
                if line["key"] == "header":
                    if line["value"].get("parentCommit") != hub.at(name, revision)[0]:
                        return self.answer(
                            {"error": "A commit has happened since. Please refresh and try again."}, 412
                        )
                    hub.messages[name] = line["value"]["summary"]
                elif line["key"] == "file":
                    files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                elif line["key"] == "lfsFile":
                    files[line["value"]["path"]] = hub.large[line["value"]["oid"]]
                elif line["key"] == "deletedFile":
                    del files[line["value"]["path"]]
            is_request = "create_pr=1" in self.path
            branch = f"{name}@refs/pr/1" if is_request else branch
            hub.commits.setdefault(branch, []).append(files)
            oid = oid_of(files)
            answer = {"commitOid": oid, "commitUrl": f"{hub.url}/{name}/commit/{oid}", "success": True}
            request = {"pullRequestUrl": f"{hub.url}/{name}/discussions/1"} if is_request else {}
            return self.answer(answer | request)

        def info(self, name, revision):
            if name not in hub.commits:
                return self.answer({}, 404, **{"X-Error-Code": "RepoNotFound"})
            if (found := hub.at(name, revision)) is None:
                return self.answer({}, 404, **{"X-Error-Code": "RevisionNotFound"})
            files = [{"rfilename": path} for path in found[1]]
            about = {"id": name, "sha": found[0], "private": name in hub.private, "tags": []}
            if card := found[1].get("README.md"):
                about["cardData"] = RepoCard(card.decode(), ignore_metadata_errors=True).data.to_dict()
            return self.answer(about | {"siblings": files})

        def tree(self, name, revision, under):
            self.entries(name, revision, lambda path: path.startswith(under or ""))

        def paths(self, name, revision):
            self.entries(name, revision, json.loads(self.body)["paths"].__contains__)

        def entries(self, name, revision, wanted):
            _, files = hub.at(name, revision)
            entries = []
            for path, content in files.items():
                if wanted(path):
                    oid = hashlib.sha1(content).hexdigest()
                    entries.append({"type": "file", "path": path, "size": len(content), "oid": oid})
            self.answer(entries)

        def resolve(self, name, revision, path):
            oid, files = hub.at(name, revision) or ("", {})
            if path not in files:
                return self.answer({}, 404, **{"X-Error-Code": "EntryNotFound"})
            content = files[path]
            headers = {"X-Repo-Commit": oid, "ETag": f'"{hashlib.sha256(content).hexdigest()}"'}
            span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if span:
                first = int(span[1])
                last = min(int(span[2] or len(content)), len(content) - 1)
                headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
                return self.answer(content[first : last + 1], 206, **headers)
            return self.answer(content, **headers)

    with listening(Answers) as hub.url:
        yield hub
