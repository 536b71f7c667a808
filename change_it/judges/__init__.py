"""Judges: classifiers of style (main) and content (HH, AH), their training, and their verdicts.

Everything but the options loads torch, so the names are handed on lazily.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from change_it.judges.options import JudgeOptions, Task

if TYPE_CHECKING:
    from change_it.judges.judge import Judge, Judges
    from change_it.judges.train import train_judge

__all__ = ["Judge", "JudgeOptions", "Judges", "Task", "train_judge"]

_HOMES = {"Judge": "judge", "Judges": "judge", "train_judge": "train"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"change_it.judges.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
