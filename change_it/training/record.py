"""Records that a training leaves in JSON: `metrics.json` of a model, and the files of an unfinished run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from change_it.files.records import IF_KNOWN, JsonObject

#: In the folder of a model: the record of its training and tests.
METRICS = "metrics.json"
#: In the folder of an unfinished run: what it was begun with.
BEGUN = "options.json"
#: Epochs of a preset rise until there are this many updates (small corpora).
MIN_UPDATES = 300
#: Written into a checkpoint last, with its files' digests.
#: A checkpoint without it was being written when the run died.
COMPLETE = "complete"


@dataclass
class TrainingResult:
    """The end of a run.

    Attributes:
        updates: optimizer steps.
        planned: optimizer steps that were planned. Early stopping or --max-minutes may end the run sooner.
        epochs: passes over the data, fractional.
        seconds: since the start, earlier parts of a resumed run included.
        stopped: why the run ended: `updates`, all are done; `early`, the score no longer rose; `time`,
            --max-minutes were over.
        best_score: validation score of the weights that the model now has; None where nothing was evaluated.
        best_update: the update after which it had these weights.
        history: for each evaluation its `update`, `loss` (the mean since the last one) and figures.
    """

    updates: int = 0
    planned: int = 0
    epochs: float = 0.0
    seconds: float = 0.0
    stopped: str = "updates"
    best_score: float | None = None
    best_update: int = 0
    history: Sequence[dict[str, float]] = ()


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """How long a command took.

    Attributes:
        training: seconds of the training.
        all: seconds of the whole command.
    """

    training: float
    all: float


@dataclass(frozen=True, kw_only=True)
class TrainingRecord:
    """What `metrics.json` says of every model.

    Attributes:
        weights_hash: SHA-256 of its weights, hexadecimal.
        model_hash: SHA-256 of weights and configuration, hexadecimal.
        seconds: how long it took.
        training: the end of its run.
        processes: how many processes trained it.
        options: options of the command, and arguments that the Trainer was given besides.
        versions: library to its version.
        files: what was written into the folder; known once it is there.
    """

    weights_hash: str
    model_hash: str
    seconds: Seconds
    training: TrainingResult
    processes: int
    options: JsonObject
    versions: dict[str, str]
    files: list[str] | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class BegunRun:
    """What a run was begun with. A run that is resumed must have the same.

    Attributes:
        options: options of the command, and arguments that the Trainer was given besides.
        processes: how many processes train.
        files: JSON files that are saved with the model, by name.
    """

    options: JsonObject
    processes: int
    files: JsonObject


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A whole checkpoint.

    Attributes:
        seconds: how long the run had taken when it was written.
        files: SHA-256 of each of its files by name, hexadecimal.
    """

    seconds: float
    files: dict[str, str]
