"""A small Hub on loopback for one push and one load through the real clients: repositories, commits, large files."""

import base64
import hashlib
import json
import re
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from processes import Handler, listening

TOKEN = "hf_LoopbackTokenThatNobodyMaySee"
NAME = r"((?:(?:datasets|spaces)/)?[\w.-]+/[\w.-]+)"
ROUTES = {
    r"/api/repos/create": "create",
    r"/api/validate-yaml": "validate",
    rf"/api/{NAME}/preupload/main": "preupload",
    rf"/api/{NAME}/commit/main": "commit",
    rf"/{NAME}\.git/info/lfs/objects/batch": "batch",
    r"/storage/(\w+)": "store",
    rf"/api/{NAME}(?:/revision/(?:\w+))?": "info",
    rf"/api/{NAME}/tree/(?:\w+)(?:/(.+))?": "tree",
    rf"/api/{NAME}/paths-info/(?:\w+)": "paths",
    rf"/(?!api/){NAME}/resolve/(?:[\w.]+)/(.+)": "resolve",
}


class Hub:
    """What the server holds; `commits` are the contents of a repository after each commit, the first one empty.

    A model is called `owner/name`, others `datasets/owner/name` and `spaces/owner/name`.
    """

    def __init__(self):
        self.commits: dict[str, list[dict[str, bytes]]] = {}
        self.large: dict[str, bytes] = {}

    def environment(self, home):
        """Variables that send the clients of a process here, with a cache of its own."""
        variables = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_TOKEN": TOKEN, "HF_HUB_OFFLINE": "0"}
        return variables | {f"HF_HUB_DISABLE_{name}": "1" for name in ("XET", "TELEMETRY", "UPDATE_CHECK")}


@contextmanager
def serve():
    """A server on loopback and what it holds."""
    hub = Hub()

    class Answers(Handler):
        def do_GET(self):  # noqa: N802 (a name that http.server looks for)
            path = unquote(urlsplit(self.path).path).replace("/api/models/", "/api/")
            self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            for pattern, name in ROUTES.items():
                if match := re.fullmatch(pattern, path):
                    writes = self.command == "POST" and name != "validate"
                    if writes and self.headers["Authorization"] != f"Bearer {TOKEN}":
                        return self.answer({"error": "Invalid username or password."}, 401)
                    return getattr(self, name)(*match.groups())
            return self.answer({"error": "there is no such route"}, 404)

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815 (names that http.server looks for)

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
            self.answer({"url": f"{hub.url}/{name}", "name": name, "id": "1"})

        def validate(self):
            self.answer({"errors": [], "warnings": []})

        def preupload(self, name):
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

        def commit(self, name):
            files = dict(hub.commits[name][-1])
            for line in map(json.loads, self.body.splitlines()):
                if line["key"] == "file":
                    files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                elif line["key"] == "lfsFile":
                    files[line["value"]["path"]] = hub.large[line["value"]["oid"]]
                elif line["key"] == "deletedFile":
                    del files[line["value"]["path"]]
            hub.commits[name].append(files)
            url = f"{hub.url}/{name}/commit/{self.oid(name)}"
            self.answer({"commitOid": self.oid(name), "commitUrl": url, "success": True})

        def oid(self, name):
            return hashlib.sha1(f"{name} {len(hub.commits[name])}".encode()).hexdigest()

        def info(self, name):
            files = [{"rfilename": path} for path in hub.commits[name][-1]]
            self.answer({"id": name, "sha": self.oid(name), "private": False, "siblings": files, "tags": []})

        def tree(self, name, under):
            self.entries(name, lambda path: path.startswith(under or ""))

        def paths(self, name):
            self.entries(name, json.loads(self.body)["paths"].__contains__)

        def entries(self, name, wanted):
            files = {path: text for path, text in hub.commits[name][-1].items() if wanted(path)}
            shas = {path: hashlib.sha1(text).hexdigest() for path, text in files.items()}
            self.answer(
                [
                    {"type": "file", "path": path, "size": len(files[path]), "oid": shas[path]}
                    for path in files
                ]
            )

        def resolve(self, name, path):
            if (content := hub.commits.get(name, [{}])[-1].get(path)) is None:
                return self.answer({}, 404, **{"X-Error-Code": "EntryNotFound"})
            headers = {"X-Repo-Commit": self.oid(name), "ETag": f'"{hashlib.sha256(content).hexdigest()}"'}
            if span := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, last = int(span[1]), min(int(span[2] or len(content)), len(content) - 1)
                headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
                return self.answer(content[first : last + 1], 206, **headers)
            return self.answer(content, **headers)

    with listening(Answers) as hub.url:
        yield hub
