"""A run of training as judges and generators describe it, its result, and the processes that it runs in; transformers' Trainer is not loaded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, parse_flag_from_env
from torch import Tensor, nn

from change_it.errors import InputError

#: Epochs rise until there are this many updates (small corpora).
MIN_UPDATES = 300
#: Examples of a run in memory, by the names of their token ids; `tokenized` makes them.
TokenIds = list[dict[str, Any]]
#: Examples that are tokenized at once.
AT_ONCE = 2000


@dataclass
class TrainingResult:
    """The end of a run."""

    updates: int  # optimizer steps
    epochs: float  # passes over the data, fractional
    seconds: float  # training time, earlier parts of a resumed run included
    stopped: str  # all updates done, no better score (`early`), or out of time
    best_score: float | None  # validation score of the weights that it now has; None without an evaluation
    best_update: int
    # for each evaluation `update`, `loss` (mean since the last one) and its numbers
    history: list[dict[str, float]]


@dataclass(frozen=True)
class TrainingRun:
    """A model and all that its training needs."""

    model: Any  # a model of transformers or PEFT, whose output has the loss of a batch
    examples: TokenIds | None  # None: it is fitted, and not trained
    # pads examples to a batch of what the model reads; can be pickled, for workers
    collate: Callable[[list[Any]], Any]
    # in the main process the validation `score` of the model (higher is better) and further numbers; None keeps the last weights
    evaluate: Callable[[nn.Module], Mapping[str, float]] | None
    name: str
    save: Callable[[Path], None]  # saves the trained model in a folder
    describe: Callable[[TrainingResult], dict[str, Any]]  # metrics of the model, with the sizes of the data
    min_updates: int = MIN_UPDATES
    loss: Callable[[nn.Module, Any], Tensor] | None = None  # of the model and a batch; None: the model's own


def tokenized(encode: Callable[[range], Mapping[str, Any]], n: int) -> TokenIds:
    """The examples of a run: `encode` gives the columns of those with these numbers, of n."""
    rows: TokenIds = []
    for start in range(0, n, AT_ONCE):
        columns = encode(range(start, min(start + AT_ONCE, n)))
        ids = zip(*columns.values(), strict=True)
        rows += [dict(zip(columns, (np.asarray(each, np.int32) for each in row), strict=True)) for row in ids]
    return rows


def process_state() -> PartialState:
    """The process group that `torchrun` or `accelerate launch` set up; one process on its own otherwise."""
    return PartialState(cpu=not torch.accelerator.is_available())


def of_main_process(value: Any) -> Any:
    """The object of the main process, broadcast to all."""
    return value if PartialState().num_processes == 1 else broadcast_object_list([value])[0]


def check_launch() -> None:
    """Refuse a launch by FSDP or DeepSpeed, which shard the model: the main process validates and saves it whole."""
    for name in ("FSDP", "DeepSpeed"):
        if parse_flag_from_env(f"ACCELERATE_USE_{name.upper()}"):
            raise InputError(
                f"{name} shards the model, which is validated and saved whole: launch without it"
                " (a large model trains with --lora)"
            )
