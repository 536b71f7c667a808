"""Find and hash saved models, and say why one cannot be loaded, without the libraries that compute."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from change_it.errors import InputError
from change_it.files.atomic import read_json
from change_it.files.model_folders import MODEL_FILES, HubSource, check_model, fetch, weight_files
from change_it.files.texts import join_truncated

if TYPE_CHECKING:
    import torch

#: Entries of a configuration that say where and with what a model was made: no answer depends on them.
_ORIGIN_ENTRIES = frozenset({"_name_or_path", "architectures", "auto_map", "transformers_version"})
#: Such entries in the entry `change_it` of a judge's configuration.
_TRAINING_ENTRIES = frozenset({"corpus", "encoder", "seed"})
#: Files of a judge besides its weights and its configuration that its answers depend on.
_TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)


def read_device(device: "str | torch.device", device_map: object = None) -> str:
    """Return the name of the device that `device` names, or transformers' `device_map` where it is given.

    Raises:
        InputError: both are given, or a map spreads a model over several devices.
    """
    if device_map is None:
        return str(device)
    if str(device) != "auto":
        raise InputError("device and device_map are both given: give one of them")
    devices = set(device_map.values()) if isinstance(device_map, Mapping) else {device_map}
    if len(devices) > 1:
        raise InputError("device_map spreads one model over several devices: name one device")
    if not devices:
        return "auto"
    [name] = devices
    if isinstance(name, int):
        return f"cuda:{name}"
    return str(name)


def local_folder(name: str | Path, *, command: str, source: HubSource | None = None) -> Path:
    """Return a folder of models: itself, or the download of a Hub id.

    Args:
        name: the folder or the Hub id.
        command: what writes such folders, for messages.
        source: the revision and subfolder of a Hub id, and how it is fetched.

    Raises:
        InputError: there is no such folder or repository, or it has no such revision or subfolder.
    """
    source = source or HubSource()
    root = Path(name)
    if not root.is_dir():
        check_model(str(name), command=command)
        inside = f"{source.subfolder}/" if source.subfolder else ""
        patterns = []
        for file in MODEL_FILES:
            patterns += [f"{inside}{file}", f"{inside}*/{file}"]
        root = fetch(str(name), patterns, source=source)
    elif source.revision:
        raise InputError(f"{name} is a folder here, which has no revision {source.revision}: give a Hub id")
    folder = root / source.subfolder
    if source.subfolder and not folder.is_dir():
        raise InputError(f"{name} has no folder {source.subfolder}: check the name of subfolder")
    return folder


@contextmanager
def load_errors(refusal: str) -> Iterator[None]:
    """Turn whatever a library raises over the files of a model into an InputError.

    Its sentence is `refusal` and the reason.
    """
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # tokenizers' PanicException is no Exception
        reason = str(error).strip().partition("\n")[0][:300]
        if not isinstance(error, OSError | ValueError) or not reason:
            reason = f"{type(error).__name__}: {reason}".removesuffix(": ")
        raise InputError(f"{refusal} ({reason})") from error


def refuse_strange_weights(name: str | Path, strange: Collection[str]) -> None:
    """Refuse a model where a weight is missing, unknown, or of another shape than its configuration says.

    Args:
        name: the model, for the message.
        strange: the names of such weights.

    Raises:
        InputError: there are some.
    """
    if strange:
        fault = f"{name} was saved by another version of change-it or has been damaged"
        raise InputError(
            f"{fault}: its weights do not fit its config.json ({join_truncated(sorted(strange), 3)});"
            " train or save it again"
        )


def hash_of_weights(folder: Path, *, command: str) -> str:
    """Return the SHA-256 of the weights of a saved model or adapter, hexadecimal.

    It is the hash of the one file, or of the joined hashes of all shards. `command` is what writes such
    folders, for messages.
    """
    digests = [_digest(path) for path in weight_files(folder, command=command)]
    if len(digests) == 1:
        return digests[0].hex()
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _digest(path: Path) -> bytes:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def hash_of_model(folder: Path, weights_hash: str) -> str:
    """Return the SHA-256 of all that the answers of a saved judge depend on: weights, settings and tokenizer.

    It is hexadecimal, and stays what it is in another folder, or where the judge is pushed to the Hub and
    loaded from there.

    Args:
        folder: the judge.
        weights_hash: what `hash_of_weights` returns for it.
    """
    record = _without(read_json(folder / "config.json") or {}, _ORIGIN_ENTRIES)
    if "change_it" in record:
        record["change_it"] = _without(record["change_it"], _TRAINING_ENTRIES)
    parts = [weights_hash, json.dumps(record, sort_keys=True)]
    for name in _TOKENIZER_FILES:
        path = folder / name
        if path.is_file():
            parts.append(f"{name} {_digest(path).hex()}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _without(record: Any, names: frozenset[str]) -> Any:
    """Return a configuration without the entries of these names, nor those of the configurations in it."""
    if not isinstance(record, Mapping):
        return record
    return {name: _without(value, names) for name, value in record.items() if name not in names}
