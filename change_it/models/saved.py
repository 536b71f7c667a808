"""Saved models, without the libraries that compute with them: where they are, what they hash to, why they cannot be loaded."""

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

#: What a configuration also says, where and with what a model was made, on which no answer depends.
ORIGIN = frozenset({"_name_or_path", "architectures", "auto_map", "transformers_version"})
TRAINED_ON = frozenset({"corpus", "encoder", "seed"})
#: Files of a judge besides its weights and its configuration that its answers depend on.
ANSWERING = ("tokenizer.json", "vocab.txt", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model")


def read_device(device: "str | torch.device", device_map: object = None) -> str:
    """Return the name of the device that `device` names, or transformers' `device_map` where it is given.

    Raises:
        InputError: both are given, or a map spreads a model over several devices.
    """
    if device_map is None:
        return str(device)
    if str(device) != "auto":
        raise InputError("device and device_map are both given: give one of them")
    places = {*device_map.values()} if isinstance(device_map, Mapping) else {device_map}
    if len(places) > 1:
        raise InputError("device_map spreads one model over several devices: name one device")
    place = places.pop() if places else "auto"
    return f"cuda:{place}" if isinstance(place, int) else str(place)


def local_folder(name: str | Path, *, command: str, source: HubSource | None = None) -> Path:
    """Return a folder of models: itself, or the download of a Hub id; `command` writes such folders."""
    source = source or HubSource()
    root = Path(name)
    if not root.is_dir():
        check_model(str(name), command=command)
        patterns = [pattern for file in MODEL_FILES for pattern in (file, f"*/{file}")]
        if source.subfolder:
            patterns = [f"{source.subfolder}/{pattern}" for pattern in patterns]
        root = fetch(str(name), patterns, source=source)
    elif source.revision:
        raise InputError(f"{name} is a folder here, which has no revision {source.revision}: give a Hub id")
    folder = root / source.subfolder
    if source.subfolder and not folder.is_dir():
        raise InputError(f"{name} has no folder {source.subfolder}: check the name of subfolder")
    return folder


@contextmanager
def load_errors(refusal: str) -> Iterator[None]:
    """Turn whatever a library raises over the files of a model into one sentence: `refusal` and the reason."""
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
    """Refuse a model whose weights of these names are missing, unknown, or of another shape than its configuration says."""
    if strange:
        raise InputError(
            f"{name} was saved by another version of change-it or has been damaged: its weights do not fit its config.json "
            f"({join_truncated(sorted(strange), 3)}); train or save it again"
        )


def hash_of_weights(folder: Path, *, command: str) -> str:
    """SHA-256 of the weights of a saved model or adapter, hexadecimal: of the one file, or of the shards one after the other."""
    first, *more = map(_digest, weight_files(folder, command=command))
    return hashlib.sha256(b"".join([first, *more])).hexdigest() if more else first.hex()


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def hash_of_model(folder: Path, weights_hash: str) -> str:
    """SHA-256 of all that the answers of a saved judge depend on, hexadecimal: weights, settings and tokenizer.

    It stays what it is in another folder, or where the judge is pushed to the Hub and loaded from there.
    """
    record = _without(read_json(folder / "config.json") or {}, ORIGIN)
    if "change_it" in record:
        record["change_it"] = _without(record["change_it"], TRAINED_ON)
    parts = [weights_hash, json.dumps(record, sort_keys=True)]
    for path in map(folder.joinpath, ANSWERING):
        if path.is_file():
            parts.append(f"{path.name} {_digest(path).hex()}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _without(record: Any, names: frozenset[str]) -> Any:
    """A configuration and those in it without some entries."""
    if not isinstance(record, Mapping):
        return record
    return {name: _without(value, names) for name, value in record.items() if name not in names}
