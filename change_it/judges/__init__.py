"""Judges: classifiers of style (main) and content (HH, AH), their training, and their verdicts.

Everything but the options loads torch, so the names are handed on lazily.
"""

from typing import TYPE_CHECKING

from change_it.judges.judge_options import JudgeOptions, Task
from change_it.lazy import lazy_attributes

if TYPE_CHECKING:
    from change_it.judges.judge import Judge, Judges
    from change_it.judges.train import train_judge

__all__ = ["Judge", "JudgeOptions", "Judges", "Task", "train_judge"]

__getattr__ = lazy_attributes(__name__, {"Judge": "judge", "Judges": "judge", "train_judge": "train"})
