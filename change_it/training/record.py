"""What a training leaves in JSON: `metrics.json` of the finished model, and the files of an unfinished run."""

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
        planned: those of the whole run, which early stopping or --max-minutes may end sooner.
        epochs: passes over the data, fractional.
        seconds: since the start, earlier parts of a resumed run included.
        stopped: `updates` where all are done, `early` without a better score, `time` where it was out of time.
        best_score: validation score of the weights that it now has; None where nothing was evaluated.
        best_update: the update that these weights are of.
        history: of each evaluation `update`, `loss` (mean since the last one) and its numbers.
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
    """Seconds of a training, and of all that the command did."""

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
        options: those of the command, and what the Trainer was told besides.
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
    """What a run was begun with, and a resumed one has to have again.

    Attributes:
        options: those of the command, and what the Trainer was told besides.
        processes: how many processes train.
        files: JSON files that are saved with the model, by name.
    """

    options: JsonObject
    processes: int
    files: JsonObject


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A whole checkpoint: seconds of the run up to it, and the SHA-256 of each of its files by name."""

    seconds: float
    files: dict[str, str]
