"""What `metrics.json` of a judge holds: its tests, those of its baselines, and the record of its training."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from change_it.corpus.record import Thresholds
from change_it.files.records import BESIDE, IF_KNOWN, from_json, read_record
from change_it.judges.options import COMMAND, StyleScale
from change_it.stats import Score
from change_it.training.record import METRICS, TrainingRecord


@dataclass(frozen=True, kw_only=True)
class ClassScores:
    """Precision, recall and F1 of a class, 0 to 1, and its number of examples."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, kw_only=True)
class TestScores:
    """What a judge or a baseline gets right in a test; in the file the classes stand beside the other figures.

    Attributes:
        classes: class to its figures, class 0 first.
        macro_f1: mean of their F1, 0 to 1.
        accuracy: share of right answers, 0 to 1.
        lead: of a baseline, mean F1 of the judge less its own.
    """

    __test__ = False  # not a pytest class

    classes: dict[str, ClassScores] = field(metadata=BESIDE)
    macro_f1: float
    accuracy: float
    lead: Score | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class Leads:
    """How far the judge is ahead of a baseline, in each measure."""

    within_event: Score


@dataclass(frozen=True, kw_only=True)
class WithinEventShare:
    """Share of the events both headlines of which a system assigns to their outlets, with its interval; of a baseline the judge's lead, too."""

    value: float
    low: float
    high: float
    lead: Leads | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class WithinEvent:
    """Main and its baselines on the pairs of A2: numbers of pairs and events, and system to its share, the judge first."""

    pairs: int
    events: int
    systems: dict[str, WithinEventShare]


@dataclass(frozen=True, kw_only=True)
class BesideLinear:
    """A transformer beside the linear judge of the same training examples, on validation examples that neither learnt from.

    Attributes:
        judge: mean F1 of the judge, 0 to 1.
        linear: the same of the linear judge.
        lead: the first less the second, with its interval, drawn by first text.
    """

    judge: float
    linear: float
    lead: Score

    @property
    def is_no_better(self) -> bool:
        """Whether the judge may be ahead by nothing."""
        return self.lead.low <= 0


@dataclass(frozen=True, kw_only=True)
class JudgeResults:
    """What was measured on a judge.

    Attributes:
        task: what it decides.
        classes: names of classes 0 and 1.
        fold: the fold that it was trained on.
        precision: of its arithmetic.
        results: test to what it gets right.
        baselines: baseline to the same of it, with the judge's lead.
        sizes: part of the data to its number of examples.
        thresholds: of the corpus, where the judge reads pairs.
        within_event: of main, but for a random split.
        style: of main, the scale of style.
        validation: of a transformer, its F1 beside a linear judge's.
    """

    task: str
    classes: tuple[str, ...]
    fold: str
    precision: str
    results: dict[str, TestScores]
    baselines: dict[str, dict[str, TestScores]]
    sizes: dict[str, int]
    thresholds: Thresholds | None = field(default=None, metadata=IF_KNOWN)
    within_event: WithinEvent | None = field(default=None, metadata=IF_KNOWN)
    style: StyleScale | None = field(default=None, metadata=IF_KNOWN)
    validation: BesideLinear | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class JudgeMetrics(TrainingRecord, JudgeResults):
    """The content of `metrics.json`: what was measured, then how it was trained."""


def read_within_event(record: Mapping[str, object]) -> WithinEvent | None:
    """Read main within an event from a JSON object that has it under its name; None where it has not."""
    content = record.get("within_event")
    return None if content is None else from_json(WithinEvent, content)


def read_judge_metrics(folder: Path) -> JudgeMetrics | None:
    """Read `metrics.json` of a judge's folder; None where there is none."""
    return read_record(folder / METRICS, JudgeMetrics, f"train the judge again with {COMMAND}")
