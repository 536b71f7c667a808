"""A small Hub on loopback for one push and one load through the real clients: repositories, commits, large files."""

import base64
import hashlib
import json
import re
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from processes import Handler, listening

TOKEN = "hf_LoopbackTokenThatNobodyMaySee"
LARGE = (".npz", ".parquet", ".safetensors")


class Hub:
    """What the server holds; `commits` are the contents of a repository after each commit, the first one empty.

    A model is called `owner/name`, others `datasets/owner/name` and `spaces/owner/name`.
    """

    def __init__(self):
        self.commits: dict[str, list[dict[str, bytes]]] = {}
        self.objects: dict[str, bytes] = {}

    def environment(self, home, token=TOKEN):
        """Variables that send the clients of a process here, with a cache of its own."""
        about = {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_TOKEN": token, "HF_HUB_OFFLINE": "0"}
        return about | {f"HF_HUB_DISABLE_{name}": "1" for name in ("XET", "TELEMETRY", "UPDATE_CHECK")}


@contextmanager
def serve():
    """A server on loopback and what it holds."""
    hub = Hub()

    class Answers(Handler):
        def do_GET(self):  # noqa: N802 (a name that http.server looks for)
            path = unquote(urlsplit(self.path).path).replace("/api/models/", "/api/")
            self.body = b""
            if self.headers.get("Transfer-Encoding") == "chunked":
                while size := int(self.rfile.readline(), 16):
                    self.body += self.rfile.read(size + 2)[:-2]
                self.rfile.readline()
            self.body += self.rfile.read(int(self.headers.get("Content-Length") or 0))
            for method, pattern, name in ROUTES:
                if self.command in method and (found := re.fullmatch(pattern, path)):
                    writes = self.command == "POST" and name != "card"
                    if writes and self.headers["Authorization"] != f"Bearer {TOKEN}":
                        return self.answer({"error": "Invalid username or password."}, 401)
                    return getattr(self, name)(*found.groups())
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
            asked = json.loads(self.body)
            kind = {"dataset": "datasets/", "space": "spaces/"}.get(asked.get("type"), "")
            name = f"{kind}{asked['organization']}/{asked['name']}"
            hub.commits.setdefault(name, [{}])
            self.answer({"url": f"{hub.url}/{name}", "name": name, "id": "1"})

        def card(self):
            self.answer({"errors": [], "warnings": []})

        def preupload(self, name):
            files = json.loads(self.body)["files"]
            for file in files:
                large = file["path"].endswith(LARGE)
                file |= {"uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            self.answer({"files": files})

        def batch(self, name):
            objects = json.loads(self.body)["objects"]
            for one in objects:
                one["actions"] = {"upload": {"href": f"{hub.url}/storage/{one['oid']}"}}
            self.answer({"transfer": "basic", "objects": objects})

        def store(self, oid):
            hub.objects[oid] = self.body
            self.answer({})

        def commit(self, name):
            files = dict(hub.commits[name][-1])
            for line in map(json.loads, self.body.splitlines()):
                value = line["value"]
                if line["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    files[value["path"]] = hub.objects[value["oid"]]
                elif line["key"] == "deletedFile":
                    del files[value["path"]]
            hub.commits[name].append(files)
            oid = self.oid(name)
            self.answer({"commitOid": oid, "commitUrl": f"{hub.url}/{name}/commit/{oid}", "success": True})

        def oid(self, name):
            return hashlib.sha1(f"{name} {len(hub.commits[name])}".encode()).hexdigest()

        def info(self, name, revision):
            files = [{"rfilename": path} for path in hub.commits[name][-1]]
            self.answer({"id": name, "sha": self.oid(name), "private": False, "siblings": files, "tags": []})

        def tree(self, name, revision, under):
            self.answer(self.entries(name, lambda path: path.startswith(under or "")))

        def paths(self, name, revision):
            wanted = json.loads(self.body)["paths"]
            self.answer(self.entries(name, wanted.__contains__))

        def entries(self, name, wanted):
            return [
                {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for path, content in hub.commits[name][-1].items()
                if wanted(path)
            ]

        def resolve(self, name, revision, path):
            if (content := hub.commits.get(name, [{}])[-1].get(path)) is None:
                return self.answer({}, 404, **{"X-Error-Code": "EntryNotFound"})
            about = {"X-Repo-Commit": self.oid(name), "ETag": f'"{hashlib.sha256(content).hexdigest()}"'}
            if found := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, last = int(found[1]), min(int(found[2] or len(content)), len(content) - 1)
                about["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
                return self.answer(content[first : last + 1], 206, **about)
            return self.answer(content, **about)

    with listening(Answers) as hub.url:
        yield hub


_NAME = r"((?:(?:datasets|spaces)/)?[\w.-]+/[\w.-]+)"
ROUTES = (
    ("POST", "/api/repos/create", "create"),
    ("POST", "/api/validate-yaml", "card"),
    ("POST", rf"/api/{_NAME}/preupload/main", "preupload"),
    ("POST", rf"/api/{_NAME}/commit/main", "commit"),
    ("POST", rf"/{_NAME}\.git/info/lfs/objects/batch", "batch"),
    ("PUT", r"/storage/(\w+)", "store"),
    ("GET", rf"/api/{_NAME}(?:/revision/(\w+))?", "info"),
    ("GET", rf"/api/{_NAME}/tree/(\w+)(?:/(.+))?", "tree"),
    ("POST", rf"/api/{_NAME}/paths-info/(\w+)", "paths"),
    ("GET HEAD", rf"/(?!api/){_NAME}/resolve/([\w.]+)/(.+)", "resolve"),
)
