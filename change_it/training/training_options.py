"""Options that every training run shares, and those of every command that asks judges."""

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from tyro.conf import UseAppendAction, arg

from change_it.errors import InputError

#: Arithmetic of a model: that of its matrix products.
Arithmetic = Literal["float32", "bf16"]
#: The option --device of commands that run judges.
Device = Annotated[str, arg(help="Where models run: auto, cpu, cuda, cuda:1, mps.")]
#: Their option --precision.
Precision = Annotated[
    Arithmetic,
    arg(
        help="Arithmetic of the judges, and of a pre-trained model that writes: bf16 takes half the time on "
        "a processor with bfloat16 units; almost no verdict changes, and the signature records it."
    ),
]
#: Arguments of transformers' TrainingArguments with which the papers train: a constant rate, no decay of
#: weights.
CONSTANT = {"lr_scheduler_type": "constant", "weight_decay": 0.0, "warmup_steps": 0}

#: The names that other libraries have for an arithmetic.
DTYPES: dict[str, Arithmetic] = {
    "auto": "float32",
    "float32": "float32",
    "bfloat16": "bf16",
    "bf16": "bf16",
}


def read_arithmetic(precision: str = "float32", dtype: object = None) -> Arithmetic:
    """Return the arithmetic that `precision` names, or transformers' `dtype` where it is given.

    Args:
        precision: float32 or bf16.
        dtype: a name of transformers, or a type of torch.

    Raises:
        InputError: there is no such arithmetic, or two are given.
    """
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
    """Passes over the training data. When not given those of the preset, raised until there are at least 300
    updates; for a judge's encoder on a processor at most as many as an hour allows."""
    batch_size: int | None = None
    """Examples a batch and process; the preset of the model when not given."""
    arg: Annotated[tuple[str, ...], UseAppendAction] = ()
    """NAME=VALUE of transformers' TrainingArguments, once for each: learning_rate=5e-5 max_steps=500
    bf16=true gradient_accumulation_steps=8 report_to=tensorboard; and early_stopping, evaluations without a
    better score.
    """
    resume: bool = False
    """Go on from the newest whole checkpoint in the output folder, also of a run that --max-minutes ended."""
    max_minutes: float | None = None
    """Stop after this many minutes, those of loading, of evaluations and of earlier parts among them;
    evaluate once more and keep the best weights. --resume with more minutes goes on.
    """
    checkpoint_minutes: float = 15.0
    """Minutes between checkpoints that --resume goes on from."""
    seed: int = 1
    """Seed of weights, order and dropout."""

    @property
    def preset(self) -> dict[str, Any]:
        """Return the arguments of the run, by the names of `trainer.RunArguments`.

        Options and `--arg` win over them.
        """
        return {}

    @property
    def given(self) -> dict[str, str]:
        """Return the values of `--arg` by name, as they are written."""
        values = {}
        for argument in self.arg:
            name, _, value = argument.partition("=")
            values[name] = value
        return values


def setting_of(given: str, option: str, kind: str) -> tuple[str, Any]:
    """Return the name and the value of a setting of transformers.

    Args:
        given: NAME=VALUE, with a value of JSON, of Python, or a word.
        option: the option that it was given by.
        kind: the class of transformers that has it.

    Raises:
        InputError: it has no equals sign.
    """
    name, equals, value = given.partition("=")
    if not equals:
        raise InputError(f"{option} {given}: give NAME=VALUE, with a name of transformers' {kind}")
    if value in ("True", "False"):
        return name, value == "True"
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def check_numbers(options: TrainingOptions) -> None:
    """Refuse numbers that nothing can be trained with."""
    for name in ("epochs", "batch_size", "max_minutes", "checkpoint_minutes"):
        value = getattr(options, name)
        if value is None or 0 < value < math.inf:
            continue
        may_be_0 = name.endswith("minutes")
        if not (may_be_0 and value == 0):
            raise InputError(f"--{name.replace('_', '-')} {value} is out of range: give a number above 0")
