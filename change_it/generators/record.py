"""Records of `metrics.json` of a generator: what it is, what was measured, and how it was trained."""

from dataclasses import dataclass
from pathlib import Path

from change_it.files.records import JsonObject, read_record
from change_it.generators.folder import COMMAND
from change_it.training.record import METRICS, TrainingRecord


@dataclass(frozen=True, kw_only=True)
class GeneratorSizes:
    """Sizes of a training.

    Attributes:
        train: training examples.
        validation: validation examples.
        evaluated: validation examples that an evaluation reads.
        vocabulary: tokens of the tokenizer.
        parameters: parameters of the model.
        trained: parameters that are trained.
    """

    train: int
    validation: int
    evaluated: int
    vocabulary: int
    parameters: int
    trained: int


@dataclass(frozen=True, kw_only=True)
class GeneratorResults:
    """What was measured on a generator.

    Attributes:
        card: the content of its `generator.json`.
        validation_loss: validation loss of its best weights, in nats a token.
        sizes: sizes of data and model.
        precision: its arithmetic in training, bf16 or float32.
        unknown_signs: each sign that the tokenizer has no token for, to the number of headlines that have it.
    """

    card: JsonObject
    validation_loss: float
    sizes: GeneratorSizes
    precision: str
    unknown_signs: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class GeneratorMetrics(TrainingRecord, GeneratorResults):
    """The content of `metrics.json`: what was measured, then how it was trained."""


def read_generator_metrics(folder: Path) -> GeneratorMetrics | None:
    """Read `metrics.json` of a generator's folder; None where there is none."""
    return read_record(folder / METRICS, GeneratorMetrics, f"train the generator again with {COMMAND}")
