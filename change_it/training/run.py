"""What a training consists of, and what it leaves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from torch import Tensor, nn

#: Examples of a run in memory, by the names of their token ids; `tokenized` makes them, so many at once.
TokenIds = list[dict[str, Any]]


@dataclass
class TrainingResult:
    """The end of a run."""

    updates: int = 0  # optimizer steps
    planned: int = 0  # those of the whole run, which early stopping or --max-minutes may end sooner
    epochs: float = 0.0  # passes over the data, fractional
    seconds: float = 0.0  # since the start, earlier parts of a resumed run included
    stopped: str = "updates"  # all updates done, no better score (`early`), or out of time
    best_score: float | None = None  # validation score of the weights that it now has
    best_update: int = 0
    # for each evaluation `update`, `loss` (mean since the last one) and its numbers
    history: Sequence[dict[str, float]] = ()


#: Epochs rise until there are this many updates (small corpora).
MIN_UPDATES = 300


@dataclass(frozen=True)
class TrainingRun:
    """A model and all that its training needs."""

    model: Any  # a model of transformers or PEFT, whose output has the loss of a batch
    examples: TokenIds | None  # None: it is fitted, and not trained
    collate: Callable[[list[Any]], Any]  # pads examples to a batch; can be pickled, for workers
    # in the main process the validation `score` of the model (higher is better) and further numbers; None keeps the last weights
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    save: Callable[[Path], None]  # saves the trained model in a folder
    describe: Callable[[TrainingResult], dict[str, Any]]  # metrics of the model, with the sizes of the data
    min_updates: int = MIN_UPDATES
    loss: Callable[[nn.Module, Any], Tensor] | None = None  # of the model and a batch; None: the model's own


#: Written into a checkpoint last, with its files' digests.
#: A checkpoint without it was being written when the run died.
COMPLETE = "complete"


def process_state() -> PartialState:
    """The process group that `torchrun` or `accelerate launch` set up; one process on its own otherwise."""
    return PartialState(cpu=not torch.accelerator.is_available())
