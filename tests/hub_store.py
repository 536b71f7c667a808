"""Repositories as the Hub keeps them: immutable commits, branches, pull requests, tags, and its rules for cards."""

import hashlib
import re
from dataclasses import dataclass, field, replace
from itertools import count

import yaml

KINDS = ("model", "dataset", "space")

#: What `.gitattributes` of a new repository sends to large-file storage.
LFS_SUFFIXES = (
    *(
        ".arrow",
        ".bin",
        ".bz2",
        ".ckpt",
        ".gz",
        ".h5",
        ".joblib",
        ".model",
        ".msgpack",
        ".npy",
        ".npz",
        ".onnx",
    ),
    *(
        ".parquet",
        ".pb",
        ".pickle",
        ".pkl",
        ".pt",
        ".pth",
        ".safetensors",
        ".tar",
        ".tgz",
        ".wasm",
        ".xz",
        ".zip",
    ),
)
#: Larger files are never regular ones.
LARGEST_REGULAR = 10 * 2**20


class Refused(Exception):  # noqa: N818
    """An answer that is not 2xx."""

    def __init__(self, status: int, message: str, code: str = "", **body):
        super().__init__(message)
        self.status, self.message, self.code, self.body = status, message, code, body


@dataclass(frozen=True)
class File:
    content: bytes
    lfs: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def pointer(self) -> bytes:
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(self.content)}\n"
        ).encode()

    @property
    def blob(self) -> str:
        """What git calls it."""
        stored = self.pointer if self.lfs else self.content
        return hashlib.sha1(b"blob %d\0" % len(stored) + stored).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.lfs else self.blob

    def told(self, path: str) -> dict:
        lfs = {"oid": self.sha256, "size": len(self.content), "pointerSize": len(self.pointer)}
        about = {"type": "file", "path": path, "size": len(self.content), "oid": self.blob}
        return about | ({"lfs": lfs} if self.lfs else {})


@dataclass(frozen=True)
class Commit:
    oid: str
    files: dict[str, File]
    title: str
    message: str = ""
    parent: "Commit | None" = None

    @property
    def history(self) -> "list[Commit]":
        """Newest first."""
        return [self, *(self.parent.history if self.parent else [])]

    def entries(self, under: str = "", recursive: bool = False) -> list[dict]:
        """Files and folders below a folder."""
        prefix = f"{under}/" if under else ""
        below = {path: file for path, file in self.files.items() if path.startswith(prefix)}
        if under and not below:
            raise Refused(404, f"{under} does not exist", "EntryNotFound")
        folders = set()
        for path in below:
            parts = path.removeprefix(prefix).split("/")[:-1]
            folders |= {prefix + "/".join(parts[: deep + 1]) for deep in range(len(parts))}
        found = [file.told(path) for path, file in below.items()]
        found += [
            {"type": "directory", "path": path, "size": 0, "oid": hashlib.sha1(path.encode()).hexdigest()}
            for path in folders
        ]
        direct = [entry for entry in found if recursive or "/" not in entry["path"].removeprefix(prefix)]
        return sorted(direct, key=lambda entry: entry["path"])


_numbers = count(1)


def _new_oid() -> str:
    return hashlib.sha1(b"commit %d" % next(_numbers)).hexdigest()


@dataclass
class Repo:
    """One repository; `refs` are `main`, other branches, `refs/pr/1` and tags."""

    kind: str
    id: str
    private: bool = False
    sdk: str | None = None
    refs: dict[str, Commit] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)

    def __post_init__(self):
        attributes = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES)
        first = {".gitattributes": File(attributes.encode(), lfs=False)}
        self.refs.setdefault("main", Commit(_new_oid(), first, "initial commit"))

    @property
    def prefix(self) -> str:
        return "" if self.kind == "model" else f"{self.kind}s/"

    @property
    def head(self) -> Commit:
        return self.refs["main"]

    def paths(self, revision: str = "main") -> set[str]:
        """Files, but the one that every repository has."""
        return set(self.at(revision).files) - {".gitattributes"}

    def read(self, path: str, revision: str = "main") -> str:
        return self.at(revision).files[path].content.decode("utf-8")

    def at(self, revision: str) -> Commit:
        """The commit that a branch, a tag, a pull request or a hash means."""
        if revision in self.refs:
            return self.refs[revision]
        known = [commit for ref in self.refs.values() for commit in ref.history]
        for commit in known:
            if len(revision) >= 7 and commit.oid.startswith(revision):
                return commit
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def takes(self, path: str, size: int, sample: bytes) -> str:
        """How a file of that name is uploaded."""
        large = path.endswith(LFS_SUFFIXES) or size > LARGEST_REGULAR or b"\0" in sample
        return "lfs" if large else "regular"

    def commit(
        self, revision: str, lines: list[dict], stored: dict[str, bytes], create_pr: bool
    ) -> tuple[Commit, str | None]:
        """All lines of a commit, or nothing.

        Returns:
            The commit, and the pull request's name if it was asked for.
        """
        parent = self.at(revision)
        if not create_pr and revision not in self.refs:
            raise Refused(404, f"{revision} is no branch", "RevisionNotFound")
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in (None, parent.oid) and not create_pr:
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        files = dict(parent.files)
        for line in lines:
            value, path = line["value"], line["value"].get("path", "")
            if line["key"] == "file":
                files[path] = File(stored[f"inline {path}"], lfs=False)
                if self.takes(path, len(files[path].content), files[path].content[:512]) == "lfs":
                    raise Refused(400, f"{path} must go through large-file storage")
            elif line["key"] == "lfsFile":
                if value["oid"] not in stored:
                    raise Refused(400, f"the object {value['oid']} of {path} was never uploaded")
                files[path] = File(stored[value["oid"]], lfs=True)
            elif line["key"] == "deletedFile":
                if files.pop(path, None) is None:
                    raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
            elif line["key"] == "deletedFolder":
                files = {
                    name: file for name, file in files.items() if not name.startswith(path.rstrip("/") + "/")
                }
            elif line["key"] != "header":
                raise Refused(400, f"unknown operation {line['key']}")
        if "README.md" in files and (wrong := card_errors(files["README.md"].content.decode(), self.kind)):
            raise Refused(400, "; ".join(wrong))
        made = Commit(_new_oid(), files, header["summary"], header.get("description", ""), parent)
        name = None
        if create_pr:
            name = f"refs/pr/{1 + sum(ref.startswith('refs/pr/') for ref in self.refs)}"
        self.refs[name or revision] = made
        return made, name

    def told(self, commit: Commit, blobs: bool) -> dict:
        """What `/api/models/{id}` answers."""
        header = (
            card_header(commit.files["README.md"].content.decode()) if "README.md" in commit.files else {}
        )
        siblings = []
        for path, file in sorted(commit.files.items()):
            about = {"rfilename": path}
            if blobs:
                about |= {"size": len(file.content), "blobId": file.blob}
                if file.lfs:
                    about["lfs"] = {"sha256": file.sha256, "size": len(file.content), "pointerSize": 130}
            siblings.append(about)
        told = {
            "_id": hashlib.md5(self.id.encode()).hexdigest()[:24],
            "id": self.id,
            "author": self.id.partition("/")[0],
            "sha": commit.oid,
            "lastModified": "2025-01-02T03:04:05.000Z",
            "createdAt": "2025-01-02T03:04:05.000Z",
            "private": self.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": header.get("tags") or [],
            "cardData": header,
            "siblings": siblings,
        }
        if self.kind == "model":
            told |= {"modelId": self.id} | {
                name: header[name] for name in ("pipeline_tag", "library_name") if name in header
            }
        return told | ({"sdk": self.sdk} if self.kind == "space" else {})

    def copy(self, **changes) -> "Repo":
        return replace(self, refs=dict(self.refs), tags=set(self.tags), **changes)


LICENCES = {
    "apache-2.0",
    "mit",
    "cc-by-4.0",
    "cc-by-sa-4.0",
    "cc-by-nc-4.0",
    "cc-by-nc-sa-4.0",
    "cc0-1.0",
    "other",
}
LICENCES |= {"unknown", "bsd-3-clause", "gpl-3.0", "openrail"}
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
SDKS = {"gradio", "docker", "static"}
REPO_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?")


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
    wrong = []

    def listed(name: str) -> list:
        value = header.get(name)
        return value if isinstance(value, list) else [] if value is None else [value]

    if any(licence not in LICENCES for licence in listed("license")):
        wrong.append('"license" must be one of the known ones')
    for name in ("language", "tags", "metrics", "datasets"):
        if any(not isinstance(value, str) for value in listed(name)):
            wrong.append(f'"{name}" must be strings')
    for name in ("base_model", "datasets", "models"):
        wrong += [
            f'"{name}" with value "{value}" is not valid'
            for value in listed(name)
            if not REPO_ID.fullmatch(str(value))
        ]
    if any(not re.fullmatch(r"[a-z]{2,3}|code|multilingual", str(value)) for value in listed("language")):
        wrong.append('"language" must be ISO 639-1, 639-2 or 639-3 codes')
    if kind == "space":
        if header.get("sdk") not in SDKS:
            wrong.append('"sdk" must be gradio, docker or static')
        for name in ("colorFrom", "colorTo"):
            if header.get(name, "red") not in COLOURS:
                wrong.append(f'"{name}" must be one of {", ".join(sorted(COLOURS))}')
        if len(str(header.get("short_description", ""))) > 60:
            wrong.append('"short_description" must be at most 60 characters')
        if "sdk_version" in header and not isinstance(header["sdk_version"], str):
            wrong.append('"sdk_version" must be a string')
    if kind == "dataset":
        for config in listed("configs"):
            if not isinstance(config, dict) or not {"config_name", "data_files"} <= set(config):
                wrong.append('"configs" need "config_name" and "data_files"')
    if kind == "model" and "model-index" in header:
        wrong += _index_errors(header["model-index"])
    return wrong


def _index_errors(index: object) -> list[str]:
    """The older form of evaluation results; huggingface_hub's own reader says whether it is right."""
    from huggingface_hub.repocard_data import model_index_to_eval_results

    try:
        name, results = model_index_to_eval_results(index)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [f'"model-index" cannot be read: {error!r}']
    if not name or not results:
        return ['"model-index" needs a name and results']
    return (
        []
        if all(isinstance(result.metric_value, int | float) for result in results)
        else ['"model-index" values']
    )
