"""Folders of models that judges and generators share: where they are, what their weights hash to, where they run."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from change_it.errors import InputError
from change_it.io import PICKLE, check_model, weight_files


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the progress bars that transformers shows for the seconds of loading and saving weights."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def pick_device(device: str) -> torch.device:
    """The device of that name (auto, cpu, cuda, cuda:1, mps); `auto` is the machine's accelerator, or its processor."""
    if device == "auto":
        accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return accelerator or torch.device("cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"this machine has no device {device!r}: use --device cpu or auto") from error
    return torch.device(device)


def native_bf16() -> bool:
    """Whether the processor has units for products of bfloat16 matrices: elsewhere they are slower than those of float32."""
    return hasattr(torch.cpu, "get_capabilities") and bool(torch.cpu.get_capabilities().get("amx_bf16"))


def local_folder(name: str | Path, *, command: str) -> Path:
    """A folder of models: itself, or the download of a Hub id; `command` writes such folders."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    check_model(str(name), command=command)
    try:
        return Path(snapshot_download(str(name)))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise InputError(f"{name} is neither a folder nor a model on the Hub that can be reached") from error


def load_weights(auto: Any, name: str | Path, **options: Any) -> Any:
    """A model in float32 with the safetensors of a folder or Hub id; weights in a pickle, which can run code, are refused."""
    try:
        return auto.from_pretrained(name, dtype=torch.float32, use_safetensors=True, **options)
    except OSError as error:
        if "safetensors" not in str(error):
            raise
        raise InputError(f"{name} {PICKLE}") from error


def hash_of_weights(folder: Path, *, command: str) -> str:
    """SHA-256 of the weights of a saved model or adapter, hexadecimal: of the one file, or of the shards one after the other."""
    files = weight_files(folder, command=command)
    if len(files) == 1:
        with files[0].open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    together = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            together.update(hashlib.file_digest(file, "sha256").digest())
    return together.hexdigest()
