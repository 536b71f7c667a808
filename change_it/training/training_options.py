"""Options that every training run shares, and those of every command that asks judges."""

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from tyro.conf import UseAppendAction, arg

from change_it.errors import InputError

Arithmetic = Literal["float32", "bf16"]
#: The options --device and --precision of commands that run judges.
Device = Annotated[str, arg(help="Where models run: auto, cpu, cuda, cuda:1, mps.")]
Precision = Annotated[
    Arithmetic,
    arg(
        help="Arithmetic of the judges, and of a pre-trained model that writes: bf16 takes half the time on a processor with bfloat16 units; almost no verdict changes, and the signature records it."
    ),
]
#: Arguments of transformers' TrainingArguments with which the papers train: a constant rate, no decay of weights.
CONSTANT = {"lr_scheduler_type": "constant", "weight_decay": 0.0, "warmup_steps": 0}


#: The names that other libraries have for an arithmetic.
DTYPES: dict[str, Arithmetic] = {
    "auto": "float32",
    "float32": "float32",
    "bfloat16": "bf16",
    "bf16": "bf16",
}


def read_arithmetic(precision: str = "float32", dtype: object = None) -> Arithmetic:
    """Return the arithmetic that `precision` names, or transformers' `dtype` (a name, or one of torch) where it is given."""
    if dtype is None:
        if precision not in get_args(Arithmetic):
            raise InputError(f"precision {precision!r} is none: choose {' or '.join(get_args(Arithmetic))}")
        return DTYPES[precision]
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise InputError(f"dtype {name} is none that these models compute in: choose float32 or bfloat16")
    if precision not in ("float32", DTYPES[name]):
        raise InputError(f"dtype {name} and precision {precision} are both given: give one of them")
    return DTYPES[name]


@dataclass(kw_only=True)
class TrainingOptions:
    """Options of training."""

    epochs: float | None = None
    """Passes over the training data. When not given those of the preset, raised until there are at least 300 updates; for a judge's encoder on a processor at most as many as an hour allows."""
    batch_size: int | None = None
    """Examples a batch and process; the preset of the model when not given."""
    arg: Annotated[tuple[str, ...], UseAppendAction] = ()
    """NAME=VALUE of transformers' TrainingArguments, once for each: learning_rate=5e-5 max_steps=500 bf16=true gradient_accumulation_steps=8 report_to=tensorboard; and early_stopping, evaluations without a better score."""
    resume: bool = False
    """Go on from the newest whole checkpoint in the output folder, also of a run that --max-minutes ended."""
    max_minutes: float | None = None
    """Stop after this many minutes, those of loading, of evaluations and of earlier parts among them; evaluate once more and keep the best weights. --resume with more minutes goes on."""
    checkpoint_minutes: float = 15.0
    """Minutes between checkpoints that --resume goes on from."""
    seed: int = 1
    """Seed of weights, order and dropout."""

    @property
    def preset(self) -> dict[str, Any]:
        """Arguments of the run where neither an option nor `--arg` says another one, by the names of `trainer.RunArguments`."""
        return {}

    @property
    def given(self) -> dict[str, str]:
        """The values of `--arg` by name, as they are written."""
        return {name: value for name, _, value in (argument.partition("=") for argument in self.arg)}


def setting_of(given: str, option: str, kind: str) -> tuple[str, Any]:
    """Name and value of a NAME=VALUE of an option, a setting of a class of transformers."""
    name, equals, value = given.partition("=")
    if not equals:
        raise InputError(f"{option} {given}: give NAME=VALUE, with a name of transformers' {kind}")
    try:
        return name, json.loads(value.lower() if value in ("True", "False", "None") else value)
    except ValueError:
        return name, value


def check_numbers(options: TrainingOptions) -> None:
    """Refuse numbers that nothing can be trained with."""
    for name in ("epochs", "batch_size", "max_minutes", "checkpoint_minutes"):
        value, may_be_0 = getattr(options, name), name.endswith("minutes")
        if value is not None and not (0 < value < math.inf or (may_be_0 and value == 0)):
            raise InputError(f"--{name.replace('_', '-')} {value} is out of range: give a number above 0")
