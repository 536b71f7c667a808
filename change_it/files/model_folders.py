"""Find models by their names, which are folders or ids of the Hub, fetch them, and list their weights."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from change_it.errors import InputError
from change_it.files.atomic import read_json, record_errors, refuse_pointer

#: Why weights in another format are refused.
PICKLE = (
    "has no safetensors, and weights in a pickle such as pytorch_model.bin are not read, "
    "since they can run code: save the model again with save_pretrained"
)

#: Files of a saved model that are no code: those that are fetched from the Hub.
MODEL_FILES = [
    "*.safetensors",
    "*.safetensors.index.json",
    "*.model",
    "config.json",
    "generation_config.json",
    "adapter_config.json",
    "generator.json",
    "metrics.json",
    "corpus.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "added_tokens.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "README.md",
]
#: Bytes that are fetched from the Hub at a time, at most.
LARGEST_DOWNLOAD = 20_000_000_000
#: File in a generator's folder that says what it was made for and of.
GENERATOR_FILE = "generator.json"


@dataclass(frozen=True, kw_only=True)
class HubSource:
    """Which version of a repository is read, and how it is fetched, by the names of the Hub's own libraries.

    Attributes:
        revision: branch, tag or commit; None for the main branch.
        token: token of the Hub; None or True for the one that is logged in, False for none.
        cache_dir: folder of downloads; None for the usual one.
        local_files_only: whether only what has been downloaded before is read.
        subfolder: folder inside the repository, or inside a folder of this machine, that holds the model.
    """

    revision: str | None = None
    token: str | bool | None = field(default=None, repr=False)
    cache_dir: str | Path | None = None
    local_files_only: bool = False
    subfolder: str = ""

    def __post_init__(self) -> None:
        """Refuse a subfolder that leads out of the repository."""
        path = PurePosixPath(self.subfolder)
        if path.is_absolute() or ".." in path.parts:
            raise InputError(f"subfolder {self.subfolder} leads out of the repository: name a folder in it")

    @property
    def download(self) -> dict[str, Any]:
        """Return the arguments of a download."""
        return {
            "revision": self.revision,
            "token": self.token,
            "cache_dir": self.cache_dir,
            "local_files_only": self.local_files_only,
        }


def commit_of(folder: Path) -> str:
    """Return the commit that a downloaded folder is of; empty for any other folder."""
    for path in (folder, *folder.parents):
        if path.parent.name == "snapshots" and re.fullmatch("[0-9a-f]{40}", path.name):
            return path.name
    return ""


def is_hub_id(name: str) -> bool:
    """Tell whether a name can be a Hub id; a path that exists cannot."""
    looks_like_path = name.startswith((".", "/", "~"))
    return name.count("/") == 1 and not looks_like_path and not Path(name).exists()


def is_missing_path(name: str) -> bool:
    """Tell whether a name can only be a path, of something that is not there.

    `bert-base-cased` and `owner/name` may be on the Hub.
    """
    looks_like_path = name.startswith((".", "/", "~"))
    return (looks_like_path or name.count("/") > 1) and not Path(name).exists()


def suggest_folder(folder: Path, wanted: str) -> str:
    """Suggest what to give instead of a folder that lacks what is wanted; empty where nothing is known of it.

    Args:
        folder: what was given.
        wanted: `corpus`, `judges` or `generators`.
    """
    if (folder / wanted).is_dir():
        return f"did you mean {folder / wanted}?"
    if wanted == "judges" and (folder / "config.json").is_file() and (folder.parent / "hh").is_dir():
        return f"it is one judge, give all of them: {folder.parent}"
    signs = {"corpus": "alignment.json", "judges": "main/config.json", "generators": GENERATOR_FILE}
    for kind, file in signs.items():
        if (folder / file).is_file():
            return f"it is {kind}, not {wanted}: are two options swapped?"
    return ""


def check_model(name: str, *, command: str) -> None:
    """Refuse the name of a model that is neither a folder nor a Hub id; `command` writes such folders."""
    if not Path(name).is_dir() and not is_hub_id(name):
        raise InputError(f"there is no folder {name}: make it with {command}, or give a Hub id")


def weight_files(folder: Path, *, command: str) -> list[Path]:
    """Return the safetensors that transformers or PEFT would load of a folder, in one file or in shards.

    Args:
        folder: the folder of a model.
        command: what writes such folders, for messages.

    Raises:
        InputError: there are none, or some of them are missing or pointers of git-lfs.
    """
    for name in ("model.safetensors", "adapter_model.safetensors"):
        if (folder / name).is_file():
            refuse_pointer(folder / name)
            return [folder / name]
    index = folder / "model.safetensors.index.json"
    record = read_json(index)
    if record is None:
        if any(folder.glob("*.bin")):
            raise InputError(f"{folder} {PICKLE}")
        raise InputError(f"{folder} holds no model.safetensors: train one with {command}")
    with record_errors(index):
        shards = [folder / name for name in sorted(set(record["weight_map"].values()))]
    for shard in shards:
        if shard.parent != folder or not shard.is_file():
            fault = f"{index} names {shard.name}, which is missing in its folder"
            raise InputError(f"{fault}: copy the whole model again")
        refuse_pointer(shard)
    return shards


def fetch(
    name: str,
    patterns: Sequence[str],
    *,
    kind: Literal["model", "dataset"] = "model",
    source: HubSource | None = None,
) -> Path:
    """Fetch the files of a Hub repository whose names match, and return their folder.

    Raises:
        InputError: the repository cannot be read, or has more than `LARGEST_DOWNLOAD` bytes of such files.
    """
    from huggingface_hub import is_offline_mode, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    # the parent of the Hub's error, which a proxy between raises
    http_error: type[Exception] = HfHubHTTPError.__mro__[1]
    source = source or HubSource()
    wanted: dict[str, Any] = {"repo_type": kind, "allow_patterns": list(patterns), **source.download}
    try:
        if kind == "model" and not is_offline_mode() and not source.local_files_only:
            planned = snapshot_download(name, dry_run=True, **wanted)
            size = sum(file.file_size or 0 for file in planned if file.will_download)
            if size > LARGEST_DOWNLOAD:
                mend = "fetch it by hf download, and give the folder"
                raise InputError(f"{name} has {size / 1e9:,.0f} GB: {mend}")
        return Path(snapshot_download(name, **wanted))
    except (http_error, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(hub_fault(name, error)) from error


def hub_fault(name: str, error: BaseException) -> str:
    """Return why what a Hub id names cannot be had."""
    reason = type(error).__name__
    return (
        f"{name} is no folder here, and the Hub cannot be reached or has none that can be read ({reason}): "
        "check the name and the connection, or log in with hf auth login"
    )
