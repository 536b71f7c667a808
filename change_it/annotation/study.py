"""What a study found: annotators against the key, with each other, and beside the judges on the same headlines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy
from numpy.typing import NDArray

from change_it import __version__
from change_it.annotation.agreement import alpha, coincidences
from change_it.annotation.sheets import GOLD, QUESTIONS, RATINGS, Annotator, KeyRow
from change_it.errors import InputError
from change_it.stats import AVERAGE, Aggregate, Floats, Statistics, correlations, measure

#: Who is compared with the key, beside each annotator: their mean, what most of them answered, and the judge main.
PEOPLE, MAJORITY, JUDGE = "people", "majority", "judge main"
#: Of each rater, as in LREC 2020's Tables 1, 4 and 5; F1 of the first and the second outlet and their mean.
MEASURES = ("accuracy", "f1_1", "f1_2", "f1")
_TAKEN = (
    *(PEOPLE, MAJORITY, JUDGE, "difference"),
    *("item", "condition", "headline", "outlet", "votes", "judge", "p", "n", "accuracy", "alpha"),
)
_CELLS = tuple(f"{truth}{answer}" for truth in "12" for answer in "12")

Interval = tuple[float, float]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Estimate:
    """A value and its 95% bootstrap interval over the items; both None where they are not defined."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Correlation:
    """How far a metric and the mean rating of an item go together."""

    metric: str
    question: str
    n: int
    pearson: Estimate
    spearman: Estimate


@dataclass(frozen=True)
class Judged:
    """What judges and metrics say of the n items of a key."""

    answers: NDArray[np.int64]  # main's decision, 1 or 2
    p_first: Floats  # its probability of the first outlet
    metrics: dict[str, Floats]  # P(HH), P(AH), P(fluency) and, where measured, HEvAS; nan where unknown
    signature: str  # of the judges, and of HEvAS where measured


@dataclass(frozen=True)
class Study:
    """The answers of annotators to the headlines of a key."""

    key: Sequence[KeyRow]
    annotators: Sequence[Annotator]  # who answered, in any part
    judged: Judged | None = None  # the judges on the same headlines
    resamples: int = 1000
    seed: int = 1

    @property
    def conditions(self) -> list[str]:
        """Gold first, then the systems."""
        names = list(dict.fromkeys(row.condition for row in self.key))
        return sorted(names, key=lambda name: (name != GOLD, name))

    @property
    def outlets(self) -> tuple[str, str]:
        """Short names, in the order of the answers 1 and 2."""
        return self.key[0].choice1, self.key[0].choice2

    @property
    def truth(self) -> list[int]:
        """(n,) right answers."""
        return [row.truth for row in self.key]

    @cached_property
    def answers(self) -> dict[str, list[int | None]]:
        """Rater to (n,) answers, None where there is none: the annotators, most of them, the judge."""
        found = {
            annotator.name: [annotator.value(row.item, "answer") for row in self.key]
            for annotator in self.annotators
        }
        most: list[int | None] = []
        for given in zip(*found.values(), strict=True):
            difference = given.count(1) - given.count(2)
            most.append(None if not difference else 1 if difference > 0 else 2)
        if len(self.annotators) > 1:
            found[MAJORITY] = most
        if self.judged:
            found[JUDGE] = [int(answer) for answer in self.judged.answers]
        return found

    @property
    def ratings(self) -> list[str]:
        """The questions that somebody answered beside that for the outlet."""
        return [
            name for name in RATINGS if any(value is not None for row in self.rated(name) for value in row)
        ]

    def rated(self, question: str) -> list[list[int | None]]:
        """(n, annotators) answers to a question."""
        return [[annotator.value(row.item, question) for annotator in self.annotators] for row in self.key]

    @property
    def signature(self) -> str:
        """What the numbers depend on."""
        parts = [
            f"annotators:{len(self.annotators)}",
            f"items:{len(self.key)}",
            *([self.judged.signature] if self.judged else []),
            f"resamples:{self.resamples}",
            f"seed:{self.seed}",
            f"v:{__version__}",
        ]
        return "|".join(["annotation", *parts])

    def raters(self, condition: str) -> dict[str, dict[str, Estimate]]:
        """Each rater's `MEASURES` on the headlines of a condition, those of `people` and of the judge less people.

        The mean of the annotators is what LREC 2020's Table 5 prints. `people` has their `alpha`, too.
        """
        rows = [at for at, row in enumerate(self.key) if row.condition == condition]
        truth = [self.truth[at] for at in rows]
        columns: dict[str, Floats] = {}
        for name, answers in self.answers.items():
            own = [answers[at] for at in rows]
            for cell in _CELLS:
                hits = [f"{right}{answer}" == cell for right, answer in zip(truth, own, strict=True)]
                columns[f"{name} {cell}"] = np.array(hits, np.float64)
        several = [self.rated("answer")[at] for at in rows]
        columns |= coincidences(several, (1, 2))
        people = [annotator.name for annotator in self.annotators]

        def aggregate(sums: Statistics) -> dict[str, Floats]:
            found: dict[str, Floats] = {}
            for name in self.answers:
                found |= {f"{name} {key}": value for key, value in _scores(sums, name).items()}
            for key in MEASURES:
                found[f"{PEOPLE} {key}"] = np.nanmean([found[f"{name} {key}"] for name in people], axis=0)
                if self.judged:
                    found[f"difference {key}"] = found[f"{JUDGE} {key}"] - found[f"{PEOPLE} {key}"]
            return found | {f"{PEOPLE} alpha": alpha(sums, (1, 2), "nominal")}

        with np.errstate(invalid="ignore", divide="ignore"):
            return _nested(self._estimates(columns, aggregate))

    def counts(self, condition: str) -> dict[str, int]:
        """Headlines of a condition that each rater has an answer for."""
        rows = [at for at, row in enumerate(self.key) if row.condition == condition]
        return {name: sum(answers[at] is not None for at in rows) for name, answers in self.answers.items()}

    def rating(self, condition: str | None, question: str) -> dict[str, Estimate]:
        """Mean rating and ordinal alpha of a condition, of all headlines when None."""
        several = [
            values
            for row, values in zip(self.key, self.rated(question), strict=True)
            if condition in (None, row.condition)
        ]
        known = [[value for value in values if value is not None] for values in several]
        values = tuple(range(1, QUESTIONS[question] + 1))
        columns = {
            "n": np.array([len(some) > 0 for some in known], np.float64),
            "sum": np.array([np.mean(some) if some else 0.0 for some in known], np.float64),
            **coincidences(several, values),
        }
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._estimates(
                columns,
                lambda sums: {
                    "mean": sums["sum"] / sums["n"],
                    "alpha": alpha(sums, values, "ordinal"),
                },
            )

    def correlations(self) -> list[Correlation]:
        """Of mean ratings with what judges and metrics say, over the systems' headlines; gold is its own reference."""
        if not self.judged:
            return []
        found = []
        system = np.array([row.condition != GOLD for row in self.key])
        for question in self.ratings:
            means = np.array(
                [
                    np.mean([float(value) for value in values if value is not None] or [float("nan")])
                    for values in self.rated(question)
                ]
            )
            for metric, values in self.judged.metrics.items():
                kept = system & np.isfinite(means) & np.isfinite(values)
                pair = partial(self._correlate, values[kept], means[kept])
                found.append(Correlation(metric, question, int(kept.sum()), pair(0), pair(1)))
        return found

    def _correlate(self, one: Floats, other: Floats, which: int) -> Estimate:
        """Pearson (0) or Spearman (1) with a bootstrap interval."""
        if len(one) < 3:
            return Estimate(None, None)
        both = correlations({"one": one, "other": other})
        value = (both.pearson, both.spearman)[which][0][1]
        if value is None:
            return Estimate(None, None)
        drawn = np.random.default_rng(self.seed).integers(0, len(one), (self.resamples, len(one)))
        first, second = one[drawn], other[drawn]
        if which:
            first, second = (scipy.stats.rankdata(values, axis=1) for values in (first, second))
        first, second = (values - values.mean(axis=1, keepdims=True) for values in (first, second))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (first * second).sum(1) / np.sqrt((first**2).sum(1) * (second**2).sum(1))
        low, high = np.nanquantile(found, [0.025, 0.975]).tolist()
        return Estimate(value, (low, high))

    def _estimates(self, columns: Statistics, aggregate: Aggregate) -> dict[str, Estimate]:
        """Measures with their intervals over the items."""
        scores = measure(columns, aggregate, resamples=self.resamples, seed=self.seed)[AVERAGE]
        return {
            name: Estimate(
                score.value if np.isfinite(score.value) else None,
                score.interval if np.isfinite(score.interval).all() else None,
            )
            for name, score in scores.items()
        }


def _scores(sums: Statistics, name: str) -> dict[str, Floats]:
    """Accuracy and F1 of a rater from the sums of its right and wrong answers; nan without an answer."""
    cells = {cell: np.asarray(sums[f"{name} {cell}"]) for cell in _CELLS}
    number = sum(cells.values())
    wrong = cells["12"] + cells["21"]
    first, second = (2 * cells[c] / np.maximum(2 * cells[c] + wrong, 1) for c in ("11", "22"))
    accuracy = (cells["11"] + cells["22"]) / np.asarray(number)
    known = np.where(np.asarray(number) > 0, 1.0, np.nan)
    return {
        "accuracy": accuracy,
        "f1_1": first * known,
        "f1_2": second * known,
        "f1": (first + second) / 2 * known,
    }


def _nested(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, Estimate]]:
    """`rater measure` to rater → measure."""
    found: dict[str, dict[str, Estimate]] = {}
    for name, value in estimates.items():
        rater, _, measure = name.rpartition(" ")
        found.setdefault(rater, {})[measure] = value
    return found


def check_names(annotators: Sequence[Annotator]) -> None:
    """Refuse annotators whose names are those of other raters or columns."""
    taken = {*_TAKEN, *(f"{one.name} {question}" for one in annotators for question in QUESTIONS)}
    for annotator in annotators:
        if annotator.name in taken:
            raise InputError(f"an annotator cannot be called {annotator.name}: rename the file")
