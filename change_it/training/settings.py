"""Options that every training run shares, the settings that they are resolved to, and options of every command that asks judges; a command's own dataclasses inherit them."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from tyro.conf import Fixed

from change_it.errors import InputError

Optimizer = Literal["adamw", "adam", "adagrad"]
Precision = Literal["no", "fp16", "bf16"]
Arithmetic = Literal["float32", "bf16"]
#: Names that torch has for devices, with a number where a machine may have several.
DEVICE = r"auto|(cpu|cuda|mps|xpu|npu|hpu|mlu|musa|xla)(:\d+)?"


def arithmetic_of(precision: Precision) -> Arithmetic:
    """What a judge that trains in a precision answers in."""
    return "bf16" if precision == "bf16" else "float32"


@dataclass(kw_only=True)
class DeviceOptions:
    """Where models run."""

    device: str = "auto"
    """Where models run: auto, cpu, cuda, cuda:1, mps."""

    def __post_init__(self) -> None:
        """Refuse a name of no device at once; whether the machine has it is known when torch is loaded."""
        if not re.fullmatch(DEVICE, self.device):
            raise InputError(f"--device {self.device}: choose auto, cpu, cuda, cuda:1 or mps")


@dataclass(kw_only=True)
class InferenceOptions(DeviceOptions):
    """How judges run, for every command that asks them."""

    precision: Arithmetic = "float32"
    """Arithmetic of the judges, and of a pre-trained model that writes: bf16 takes half the time where the processor multiplies bfloat16 matrices, nearly all verdicts stay, and signatures say it."""


@dataclass(kw_only=True)
class TrainingOptions:
    """How to train. A value of None means: the preset of the task and the model. What is `Fixed` is of presets and callers, not of the command line."""

    epochs: float | None = None
    """Passes over the training data; raised until there are at least 300 updates, but for a judge's pre-trained encoder."""
    updates: int | None = None
    """Total updates; overrides --epochs."""
    batch_size: int | None = None
    """Examples a batch and process; an update takes --gradient-accumulation batches."""
    optimizer: Fixed[Optimizer | None] = None
    """adamw: the learning rate rises, then falls to 0; adam (LREC 2020) and adagrad (See et al. 2017): constant, without decay."""
    learning_rate: float | None = None
    """Peak learning rate."""
    gradient_accumulation: int = 1
    """Batches an update."""
    max_grad_norm: Fixed[float | None] = None
    """Gradients are clipped to this norm; 0 leaves them alone."""
    mixed_precision: Precision = "no"
    """Arithmetic of the forward pass."""
    early_stopping: Fixed[int | None] = None
    """Stop after this many evaluations without a better validation score; 0 never stops."""
    evaluation_steps: Fixed[int | None] = None
    """Updates between evaluations; ten in a run when not given."""
    checkpoint_steps: Fixed[int] = 200
    """Updates between checkpoints; 0 writes none."""
    resume: bool = False
    """Go on from the newest checkpoint in the output folder."""
    max_minutes: float | None = None
    """Stop cleanly after this many minutes, those of loading and of evaluations among them, and keep the best weights; the learning rate falls with the time."""
    seed: int = 1
    """Seed of weights, order and dropout."""


@dataclass(kw_only=True)
class TrainingSettings(TrainingOptions):
    """Options once presets stand for what was not given; what may still be None has a meaning of its own."""

    batch_size: int = field()
    optimizer: Optimizer = "adamw"
    learning_rate: float = field()
    max_grad_norm: float = 1.0
    early_stopping: int = 0


#: The least that numbers may be; passes and steps of nothing train nothing.
_LEAST: dict[str, float] = {
    **dict.fromkeys(("updates", "batch_size", "gradient_accumulation", "evaluation_steps"), 1),
    **dict.fromkeys(("epochs", "learning_rate", "max_grad_norm"), 0),
    **dict.fromkeys(("early_stopping", "checkpoint_steps", "max_minutes"), 0),
}


def check_numbers(options: TrainingOptions) -> None:
    """Refuse numbers that nothing can be trained with; None is a preset's."""
    for name, least in _LEAST.items():
        value = getattr(options, name)
        if value is not None and not least <= value < math.inf:
            raise InputError(
                f"--{name.replace('_', '-')} {value} is out of range: give a number of at least {least}"
            )
    if options.epochs == 0:
        raise InputError("--epochs 0 trains nothing: give more, a part of one such as 0.5 will do")


#: What a preset without them leaves to the settings.
DEFAULTS = {name: getattr(TrainingSettings, name) for name in ("optimizer", "max_grad_norm")}
Settings = TypeVar("Settings", bound=TrainingSettings)


def resolve(options: TrainingOptions, preset: Mapping[str, Any], into: type[Settings]) -> Settings:
    """Fill what was not given from a preset, and from the defaults of the settings what the preset lacks.

    Examples:
        >>> settings = resolve(TrainingOptions(epochs=2), {"epochs": 6, "batch_size": 8, "learning_rate": 0.1}, TrainingSettings)
        >>> settings.epochs, settings.batch_size, settings.optimizer
        (2, 8, 'adamw')
    """
    names = [each.name for each in fields(into)]
    given = {name: getattr(options, name) for name in names}
    return into(
        **{name: preset[name] for name in names if name in preset}
        | {name: value for name, value in given.items() if value is not None}
    )
