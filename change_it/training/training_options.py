"""Options that every training run shares, the settings that they are resolved to, and options of every command that asks judges; a command's own dataclasses inherit them."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal, TypeVar

from tyro.conf import Fixed, Suppress, UseAppendAction

from change_it.errors import InputError

Optimizer = Literal["adamw", "adam", "adagrad"]
Arithmetic = Literal["float32", "bf16"]
#: A setting that is no option of the command line.
Value = TypeVar("Value")
Hidden = Annotated[Value, Fixed, Suppress]


@dataclass(kw_only=True)
class InferenceOptions:
    """Options of every command that runs judges."""

    device: str = "auto"
    """Where models run: auto, cpu, cuda, cuda:1, mps."""
    precision: Arithmetic = "float32"
    """Arithmetic of the judges, and of a pre-trained model that writes: bf16 takes half the time on a processor with bfloat16 units; almost no verdict changes, and the signature records it."""

    @property
    def judging(self) -> dict[str, Any]:
        """The keyword arguments of `Judges.from_pretrained`."""
        return {name: getattr(self, name) for name in ("precision", "device")}


#: Arguments of transformers' TrainingArguments that presets and other programs set too, and what they are here.
OPTIONS = {
    "learning_rate": "learning_rate",
    "max_grad_norm": "max_grad_norm",
    "max_steps": "updates",
    "eval_steps": "evaluation_steps",
}


@dataclass(kw_only=True)
class TrainingOptions:
    """Options of training. None stands for the preset of the task and the model."""

    epochs: float | None = None
    """Passes over the training data; raised until there are at least 300 updates, but for a judge's pre-trained encoder."""
    batch_size: int | None = None
    """Examples a batch and process."""
    arg: Annotated[tuple[str, ...], UseAppendAction] = ()
    """NAME=VALUE of transformers' TrainingArguments, once for each: learning_rate=5e-5 max_steps=500 bf16=true gradient_accumulation_steps=8 report_to=tensorboard."""
    resume: bool = False
    """Go on from the newest checkpoint in the output folder."""
    max_minutes: float | None = None
    """Stop cleanly after this many minutes, those of loading and of evaluations among them, and keep the best weights; the learning rate falls with the time."""
    checkpoint_minutes: float = 15.0
    """Minutes between checkpoints that --resume goes on from."""
    seed: int = 1
    """Seed of weights, order and dropout."""

    # What presets and other programs set; of --arg, too.
    updates: Hidden[int | None] = None  # wins over epochs
    optimizer: Hidden[Optimizer | None] = None  # adam, adagrad (the papers'): constant rate, no decay
    learning_rate: Hidden[float | None] = None
    max_grad_norm: Hidden[float | None] = None  # 0 leaves gradients alone
    early_stopping: Hidden[int | None] = None  # evaluations without a better validation score; 0 never stops
    evaluation_steps: Hidden[int | None] = None  # updates between evaluations; ten in a run when None

    @property
    def arguments(self) -> dict[str, Any]:
        """The values of `--arg` by name."""
        return dict(setting_of(each, "--arg", "TrainingArguments") for each in self.arg)

    @property
    def bf16(self) -> bool:
        """Whether the forward pass is in bfloat16, by `--arg` or by `accelerate launch`."""
        launched = os.environ.get("ACCELERATE_MIXED_PRECISION") == "bf16"
        return str(self.arguments.get("bf16", launched)).lower() in ("true", "t", "yes", "y", "1")


@dataclass(kw_only=True)
class TrainingSettings(TrainingOptions):
    """Options once presets stand for what was not given; what may still be None has a meaning of its own."""

    batch_size: int = field()
    optimizer: Optimizer = "adamw"
    learning_rate: float = field()
    max_grad_norm: float = 1.0
    early_stopping: int = 0


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
    """Refuse numbers that nothing can be trained with; None is a preset's."""
    numbers = [("--batch-size ", options.batch_size, 1), ("--epochs ", options.epochs, 0)]
    numbers += [("--max-minutes ", options.max_minutes, 0)]
    numbers += [("--checkpoint-minutes ", options.checkpoint_minutes, 0), ("--seed ", options.seed, 0)]
    numbers += [
        (f"--arg {name}=", options.arguments.get(name), int(name.endswith("steps")))
        for name in (*OPTIONS, "gradient_accumulation_steps")
    ]
    for name, value, least in numbers:
        kind = (int, "whole number") if name.endswith("steps=") else (int | float, "number")
        if value is None or (isinstance(value, kind[0]) and value is not True and least <= value < math.inf):
            continue
        raise InputError(f"{name}{value} is out of range: give a {kind[1]} of at least {least}")
    if options.epochs == 0:
        raise InputError("--epochs must be above 0")


Settings = TypeVar("Settings", bound=TrainingSettings)


def resolve(options: TrainingOptions, preset: Mapping[str, Any], into: type[Settings]) -> Settings:
    """Fill what was not given from a preset, and from the defaults of the settings what the preset lacks; `--arg` wins."""
    check_numbers(options)
    names = [each.name for each in fields(into)]
    given = {name: getattr(options, name) for name in names}
    given |= {OPTIONS[name]: value for name, value in options.arguments.items() if name in OPTIONS}
    return into(
        **{name: preset[name] for name in names if name in preset}
        | {name: value for name, value in given.items() if value is not None}
    )
