"""Damage saved models."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file


def edit(file, change):
    """Let `change` alter the object of a JSON file."""
    record = json.loads(file.read_text(encoding="utf-8"))
    change(record)
    file.write_text(json.dumps(record), encoding="utf-8")


def edit_weights(folder, change):
    """Let `change` alter the tensors of a saved model."""
    [file] = [*folder.glob("model.safetensors"), *folder.glob("adapter_model.safetensors")]
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, metadata={"format": "pt"})


def spoil(tensors, name="", number=np.nan):
    """Put a number into the first tensor of that name."""
    key = next(key for key in sorted(tensors) if name in key and tensors[key].dtype == np.float32)
    tensors[key] = tensors[key].copy()
    tensors[key].flat[0] = number


def in_shards(folder, *, elsewhere=False):
    """Split the weights into two files with an index; the second may lie in another folder."""
    whole = folder / "model.safetensors"
    tensors = load_file(whole)
    whole.unlink()
    other = folder.parent / f"{folder.name}-other" if elsewhere else folder
    other.mkdir(exist_ok=True)
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    places = [names[number % 2] for number in range(len(tensors))]
    for name, place in zip(names, (folder, other), strict=True):
        part = {key: tensors[key] for key, held in zip(tensors, places, strict=True) if held == name}
        save_file(part, place / name, metadata={"format": "pt"})
    shown = {names[0]: names[0], names[1]: f"../{other.name}/{names[1]}" if elsewhere else names[1]}
    index = {
        "metadata": {},
        "weight_map": {key: shown[held] for key, held in zip(tensors, places, strict=True)},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


class Malicious:
    """An object that makes a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)
