"""Open a linear judge from its folder, without torch and transformers: its configuration and its arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from change_it.errors import InputError
from change_it.files.atomic import read_json
from change_it.files.model_folders import weight_files
from change_it.judges.linear_features import Array, Arrays, decision, probabilities
from change_it.judges.options import COMMAND
from change_it.models.saved import refuse_strange_weights

#: What `config.json` calls a linear judge, as `linear.LinearJudgeConfig` does.
MODEL_TYPE = "change_it_linear_judge"
#: Name of the one weight that is no array of the configuration.
CONSTANT = "constant"
#: What the features read of a configuration, where an earlier version did not write it.
DEFAULTS: dict[str, Any] = {"judges": "main", "arrays": None, "negations": None, "frequent": None}


def is_linear_judge(folder: Path) -> bool:
    """Return whether a folder holds a linear judge."""
    record = read_json(folder / "config.json") or {}
    return record.get("model_type") == MODEL_TYPE


@dataclass(eq=False)
class SavedLinearJudge:
    """A linear judge that answers as `LinearJudgeForSequenceClassification` does.

    Attributes:
        config: The entries of `config.json`.
        arrays: Name to array of weights, for each array that the configuration describes.
        constant: What is added to the log odds of class 1.
    """

    config: SimpleNamespace
    arrays: Arrays
    constant: float

    @classmethod
    def load(cls, folder: Path) -> "SavedLinearJudge":
        """Read a linear judge, and refuse weights that do not fit its configuration or are not finite."""
        record = read_json(folder / "config.json") or {}
        config = SimpleNamespace(**{**DEFAULTS, **record})
        arrays: Arrays = {}
        for path in weight_files(folder, command=COMMAND):
            arrays.update(_read_arrays(path))
        kinds: dict[str, str] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        for name, (kind, *shape) in (config.arrays or {}).items():
            kinds[name] = kind
            shapes[name] = tuple(shape)
        shapes[CONSTANT] = (1,)
        strange = shapes.keys() ^ arrays.keys()
        for name in shapes.keys() & arrays.keys():
            if arrays[name].shape != shapes[name]:
                strange.add(name)
        refuse_strange_weights(folder, strange)
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                fault = f"{folder} has weights that are not finite numbers ({name})"
                raise InputError(f"{fault}: train it again")
        constant = float(arrays.pop(CONSTANT)[0])
        # Weights that somebody saved in half precision are computed with in their own, as transformers does.
        arrays = {name: array.astype(kinds[name], copy=False) for name, array in arrays.items()}
        return cls(config, arrays, constant)

    def predict_proba(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> Array:
        """Return class probabilities, float64 (n, 2), of n texts, or of n texts and their n second ones."""
        return probabilities(decision(texts, pairs, self.config, self.arrays, self.constant))

    def save_pretrained(self, folder: Path) -> None:
        """Save the judge as the model of transformers that it is, with its code."""
        import torch

        from change_it.judges.linear import LinearJudgeConfig, LinearJudgeForSequenceClassification
        from change_it.judges.registration import register_judges  # these load torch

        register_judges()
        model = LinearJudgeForSequenceClassification(LinearJudgeConfig.from_dict(vars(self.config)))
        for name, array in self.arrays.items():
            model.get_buffer(name).copy_(torch.from_numpy(array))
        model.constant.fill_(self.constant)
        model.save_pretrained(folder)


def _read_arrays(path: Path) -> Arrays:
    """Read a file of weights; those in bfloat16, which numpy lacks, by torch."""
    try:
        arrays: Arrays = load_file(path)
        return arrays
    except TypeError:
        from safetensors.torch import load_file as load_tensors  # loads torch

    arrays = {}
    for name, tensor in load_tensors(path).items():
        if tensor.is_floating_point():
            tensor = tensor.float()
        arrays[name] = tensor.numpy()
    return arrays
