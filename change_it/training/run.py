"""What a training consists of, and what it leaves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from torch import Tensor, nn

from change_it.training.record import MIN_UPDATES, TrainingResult

#: Examples of a run in memory, by the names of their token ids; `tokenized` makes them, so many at once.
TokenIds = list[dict[str, Any]]


@dataclass(frozen=True)
class TrainingRun:
    """A model and all that its training needs."""

    model: Any  # a model of transformers or PEFT, whose output has the loss of a batch
    examples: TokenIds | None  # None: it is fitted, and not trained
    collate: Callable[[list[Any]], Any]  # pads examples to a batch; can be pickled, for workers
    # in the main process the validation `score` of the model (higher is better) and further numbers; None keeps the last weights
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    save: Callable[[Path], None]  # saves the trained model in a folder
    describe: Callable[[TrainingResult], object]  # a record of what was measured on the model
    min_updates: int = MIN_UPDATES  # unless the user says how many epochs or updates there are
    # minutes that a preset's updates may take on a processor, by measured ones; None measures none
    minutes_on_cpu: float | None = None
    evaluated: int = 0  # examples that an evaluation reads
    loss: Callable[[nn.Module, Any], Tensor] | None = None  # of the model and a batch; None: the model's own


def process_state() -> PartialState:
    """The process group that `torchrun` or `accelerate launch` set up; one process on its own otherwise."""
    return PartialState(cpu=not torch.accelerator.is_available())
