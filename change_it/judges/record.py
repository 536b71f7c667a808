"""Read `metrics.json` of a judge: its tests, those of its baselines, and the record of its training."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from change_it.corpus.record import Thresholds
from change_it.files.records import BESIDE, IF_KNOWN, from_json, read_record
from change_it.judges.options import COMMAND, StyleScale
from change_it.judges.spec import JUDGES, Task
from change_it.stats import Score
from change_it.training.record import METRICS, TrainingRecord


def learnt_from_few(task: Task, matches: int) -> str:
    """Say that a judge learnt from few matches: `learnt from 2 matches, fewer than 200`."""
    noun = "match" if matches == 1 else "matches"
    return f"learnt from {matches:,} {noun}, fewer than {JUDGES[task].few_matches}"


@dataclass(frozen=True, kw_only=True)
class ClassScores:
    """What a judge gets right of one class.

    Attributes:
        precision: Share of right answers among the examples that it puts into the class, 0 to 1.
        recall: Share of right answers among the examples of the class, 0 to 1.
        f1: Harmonic mean of both.
        support: Number of examples of the class.
    """

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, kw_only=True)
class TestScores:
    """What a judge or a baseline gets right in a test.

    In the file the classes stand beside the other figures.

    Attributes:
        classes: Class to its figures, class 0 first.
        macro_f1: Mean of their F1, 0 to 1.
        accuracy: Share of right answers, 0 to 1.
        lead: Of a baseline, mean F1 of the judge less its own.
    """

    __test__ = False  # not a pytest class

    classes: dict[str, ClassScores] = field(metadata=BESIDE)
    macro_f1: float
    accuracy: float
    lead: Score | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class Leads:
    """How far the judge is ahead of a baseline, in each measure.

    Attributes:
        within_event: Share of pairs within an event that the judge gets right, less the baseline's.
    """

    within_event: Score


@dataclass(frozen=True, kw_only=True)
class WithinEventShare:
    """How often a system assigns the two headlines of a pair to their outlets.

    Attributes:
        value: Share of the pairs, 0 to 1.
        low: Lower end of its 95% interval.
        high: Its upper end.
        lead: Of a baseline, the judge's lead.
    """

    value: float
    low: float
    high: float
    lead: Leads | None = field(default=None, metadata=IF_KNOWN)


@dataclass(frozen=True, kw_only=True)
class WithinEvent:
    """Main and its baselines on the pairs of A2.

    Attributes:
        pairs: Number of pairs.
        events: Number of their events.
        systems: System to its share, the judge first.
    """

    pairs: int
    events: int
    systems: dict[str, WithinEventShare]


@dataclass(frozen=True, kw_only=True)
class BesideLinear:
    """A transformer beside the linear judge of the same training examples.

    Both are asked about validation examples that neither has learnt from.

    Attributes:
        judge: Mean F1 of the judge, 0 to 1.
        linear: Mean F1 of the linear judge.
        lead: The first less the second, with its interval, drawn by first text.
    """

    judge: float
    linear: float
    lead: Score

    @property
    def is_no_better(self) -> bool:
        """Return whether the judge may be ahead by nothing."""
        return self.lead.low <= 0


@dataclass(frozen=True, kw_only=True)
class JudgeResults:
    """What was measured on a judge.

    Attributes:
        task: What it decides.
        classes: Names of classes 0 and 1.
        fold: The fold that it was trained on.
        precision: Its arithmetic.
        results: Test to what the judge gets right.
        baselines: Baseline to what it gets right in each test, with the judge's lead.
        sizes: Part of the data to its number of examples.
        thresholds: Thresholds of the corpus, where the judge reads pairs.
        within_event: Of main, how often it is right within an event; None after a random split.
        style: Of main, the scale of style.
        validation: Of a transformer, its F1 beside a linear judge's.
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

    @property
    def few_matches(self) -> int | None:
        """Return the matches that it learnt from, half of its examples; None where they are enough for it."""
        if "train" not in self.sizes or self.task not in JUDGES:
            return None
        matches = self.sizes["train"] // 2
        return matches if matches < JUDGES[self.task].few_matches else None


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
