"""Training: one Accelerate loop for judges, masked language models and generators, and its options.

The loop loads torch, so its names are handed on lazily.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from change_it.training.options import TrainingOptions

if TYPE_CHECKING:
    from change_it.training.loop import TrainingResult, train

__all__ = ["TrainingOptions", "TrainingResult", "train"]


def __getattr__(name: str) -> Any:
    if name in ("TrainingResult", "train"):
        return getattr(import_module("change_it.training.loop"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
