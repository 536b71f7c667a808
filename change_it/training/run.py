"""What a training consists of: a model, its examples, and what is done with them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from torch import Tensor, nn

from change_it.training.record import MIN_UPDATES, TrainingResult

#: Examples of a run in memory, by the names of their token ids, as `tokenized` makes them.
TokenIds = list[dict[str, Any]]


@dataclass(frozen=True)
class TrainingRun:
    """A model and all that its training needs.

    Attributes:
        model: a model of transformers or PEFT, whose output has the loss of a batch.
        examples: what it is trained on; None where it is fitted, and not trained.
        collate: pads examples to a batch; it can be pickled, for workers.
        evaluate: returns in the main process the validation `score` of the model, higher is better, and
            further numbers; None keeps the last weights.
        save: saves the trained model in a folder.
        describe: returns a record of what was measured on the model.
        min_updates: updates, at least, unless the user says how many epochs or updates there are.
        minutes_on_cpu: minutes that a preset's updates may take on a processor, by the measured time of one.
            None measures nothing and sets no limit.
        evaluated: number of examples that an evaluation reads.
        loss: returns the loss of the model on a batch; None takes the model's own.
    """

    model: Any
    examples: TokenIds | None
    collate: Callable[[list[Any]], Any]
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    save: Callable[[Path], None]
    describe: Callable[[TrainingResult], object]
    min_updates: int = MIN_UPDATES
    minutes_on_cpu: float | None = None
    evaluated: int = 0
    loss: Callable[[nn.Module, Any], Tensor] | None = None


def process_state() -> PartialState:
    """Return the process group that `torchrun` or `accelerate launch` set up; else one process on its own."""
    return PartialState(cpu=not torch.accelerator.is_available())
