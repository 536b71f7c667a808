"""What a study found: annotators against the key, with each other, and beside the judges on the same headlines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from change_it import __version__
from change_it.annotation.agreement import alpha, coincidences
from change_it.annotation.sheets import GOLDS, QUESTIONS, RATINGS, Annotator, KeyRow
from change_it.errors import InputError
from change_it.scoring.columns import GOLD
from change_it.stats import (
    AVERAGE,
    Aggregate,
    Floats,
    Ints,
    Score,
    Statistics,
    correlations,
    drawn_events,
    measure,
)

#: Who is compared with the key, beside each annotator: their mean, what most of them answered, and the judge main.
PEOPLE, MAJORITY, JUDGE = "people", "majority", "judge main"
#: Of each rater, as in LREC 2020's Tables 1, 4 and 5; F1 of the first and the second outlet and their mean.
RATER_MEASURES = ("accuracy", "f1_1", "f1_2", "f1")
_TAKEN = (
    *(PEOPLE, MAJORITY, JUDGE, "difference"),
    *("item", "condition", "headline", "outlet", "votes", "judge", "p", "n", "accuracy", "alpha"),
)
_CELLS = tuple(f"{truth}{answer}" for truth in "12" for answer in "12")

#: What is not defined.
UNDEFINED = Score(np.nan, np.nan, np.nan)


class Correlation(NamedTuple):
    """How far a metric and the mean rating of an item go together."""

    metric: str
    question: str
    n: int
    pearson: Score
    spearman: Score


@dataclass(frozen=True)
class Judged:
    """What judges and metrics say of the n items of a key."""

    answers: Ints  # main's decision, 1 or 2
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

    @cached_property
    def events(self) -> Ints:
        """(n,) the number of the event of each headline; a key without events has one an article."""
        return np.unique([row.event or row.id for row in self.key], return_inverse=True)[1]

    @cached_property
    def answers(self) -> dict[str, list[int | None]]:
        """Rater to (n,) answers, None where there is none: the annotators, most of them, the judge."""
        answers = {
            annotator.name: [annotator.value(row.item, "answer") for row in self.key]
            for annotator in self.annotators
        }
        if len(self.annotators) > 1:
            leads = (votes.count(1) - votes.count(2) for votes in zip(*answers.values(), strict=True))
            answers[MAJORITY] = [None if not lead else 1 if lead > 0 else 2 for lead in leads]
        if self.judged:
            answers[JUDGE] = [int(answer) for answer in self.judged.answers]
        return answers

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
        judges = f"{self.judged.signature}|" if self.judged else ""
        return (
            f"annotation|annotators:{len(self.annotators)}|items:{len(self.key)}|events:{len(np.unique(self.events))}|{judges}"
            f"resamples:{self.resamples}|seed:{self.seed}|v:{__version__}"
        )

    def _rows(self, condition: str) -> list[int]:
        """Positions of the headlines of a condition."""
        return [at for at, row in enumerate(self.key) if row.condition == condition]

    def raters(self, condition: str) -> dict[str, dict[str, Score]]:
        """Rater to `RATER_MEASURES` on the headlines of a condition; also of `people`, their mean, and of the judge less people.

        The mean of the annotators is what LREC 2020's Table 5 prints. `people` has their `alpha`, too.
        """
        rows = self._rows(condition)
        columns: dict[str, Floats] = {}
        for name, answers in self.answers.items():
            cells = [f"{self.key[at].truth}{answers[at]}" for at in rows]
            for cell in _CELLS:
                columns[f"{name} {cell}"] = np.array([each == cell for each in cells], np.float64)
            columns[f"{name} n"] = np.array([answers[at] is not None for at in rows], np.float64)
        rated = self.rated("answer")
        columns |= coincidences([rated[at] for at in rows], (1, 2))
        people = [annotator.name for annotator in self.annotators]

        def aggregate(sums: Statistics) -> dict[str, Floats]:
            measures: dict[str, Floats] = {}
            for name in self.answers:
                measures |= {f"{name} {key}": value for key, value in _scores(sums, name).items()}
            for key in RATER_MEASURES:
                mean = np.nanmean([measures[f"{name} {key}"] for name in people], axis=0)
                measures[f"{PEOPLE} {key}"] = mean
                if self.judged:
                    measures[f"difference {key}"] = measures[f"{JUDGE} {key}"] - mean
            return measures | {f"{PEOPLE} alpha": alpha(sums, (1, 2), "nominal")}

        with np.errstate(invalid="ignore", divide="ignore"):
            shares = {f"{name} accuracy": f"{name} n" for name in self.answers}
            return _nested(self._measure(columns, aggregate, rows, shares))

    def counts(self, condition: str) -> dict[str, int]:
        """Headlines of a condition that each rater has an answer for."""
        rows = self._rows(condition)
        return {name: sum(answers[at] is not None for at in rows) for name, answers in self.answers.items()}

    def rating(self, condition: str | None, question: str) -> dict[str, Score]:
        """Mean rating and ordinal alpha of a condition, of all headlines when None."""
        rows = [at for at, row in enumerate(self.key) if condition in (None, row.condition)]
        rated = self.rated(question)
        several = [rated[at] for at in rows]
        means = _means(several)
        values = tuple(range(1, QUESTIONS[question] + 1))
        columns = {
            "n": np.isfinite(means).astype(np.float64),
            "sum": np.nan_to_num(means),
            **coincidences(several, values),
        }
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._measure(
                columns,
                lambda sums: {"mean": sums["sum"] / sums["n"], "alpha": alpha(sums, values, "ordinal")},
                rows,
            )

    def correlations(self) -> list[Correlation]:
        """Correlations of mean ratings with what judges and metrics say, over the systems' headlines; gold is its own reference."""
        if not self.judged:
            return []
        rows = []
        system = np.array([row.condition not in GOLDS for row in self.key])
        for question in self.ratings:
            means = _means(self.rated(question))
            for metric, values in self.judged.metrics.items():
                kept = system & np.isfinite(means) & np.isfinite(values)
                pair = partial(self._correlate, values[kept], means[kept], self.events[kept])
                rows.append(Correlation(metric, question, int(kept.sum()), pair(0), pair(1)))
        return rows

    def _correlate(self, first: Floats, second: Floats, events: Ints, which: int) -> Score:
        """Pearson (0) or Spearman (1) with a bootstrap interval over events."""
        count = len(first)
        if count < 3:
            return UNDEFINED
        both = correlations({"first": first, "second": second})
        value = (both.pearson, both.spearman)[which][0][1]
        if value is None:
            return UNDEFINED
        of = np.unique(events, return_inverse=True)[1]
        weights = drawn_events(int(of.max()) + 1, self.resamples, self.seed)[:, of]
        if which:
            first, second = (_weighted_ranks(values, weights) for values in (first, second))
        first, second = (
            values - np.average(np.broadcast_to(values, weights.shape), axis=1, weights=weights)[:, None]
            for values in (first, second)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            product, *squares = (
                (weights * one * other).sum(axis=1)
                for one, other in ((first, second), (first, first), (second, second))
            )
            resampled = product / np.sqrt(squares[0] * squares[1])
        return Score(value, *np.nanquantile(resampled, [0.025, 0.975]).tolist())

    def _measure(
        self,
        columns: Statistics,
        aggregate: Aggregate,
        rows: Sequence[int],
        shares: Mapping[str, str] | None = None,
    ) -> dict[str, Score]:
        """Measures of some rows of the key with their intervals over events."""
        events = self.events[rows]
        scores = measure(
            columns, aggregate, events=events, shares=shares, resamples=self.resamples, seed=self.seed
        )
        return scores[AVERAGE]


def _weighted_ranks(values: Floats, weights: Ints) -> Floats:
    """(n,) values to their (resamples, n) mean ranks, but for a constant, where each stands as often as (resamples, n) weights say."""
    of = np.unique(values, return_inverse=True)[1]
    each = weights @ np.eye(int(of.max()) + 1)[of]
    return np.asarray((each.cumsum(axis=1) - each / 2)[:, of])


def _means(ratings: Sequence[Sequence[int | None]]) -> Floats:
    """(n,) mean rating of each item; nan without one."""
    given = [[value for value in values if value is not None] for values in ratings]
    return np.array([np.mean(values) if values else np.nan for values in given], np.float64)


def _scores(sums: Statistics, name: str) -> dict[str, Floats]:
    """Accuracy and F1 of a rater from the sums of its right and wrong answers; nan without an answer."""
    cells = {cell: np.asarray(sums[f"{name} {cell}"]) for cell in _CELLS}
    number = sum(cells.values())
    wrong = cells["12"] + cells["21"]
    first, second = (2 * cells[c] / np.maximum(2 * cells[c] + wrong, 1) for c in ("11", "22"))
    accuracy = (cells["11"] + cells["22"]) / np.asarray(number)
    defined = np.where(np.asarray(number) > 0, 1.0, np.nan)
    return {
        "accuracy": accuracy,
        "f1_1": first * defined,
        "f1_2": second * defined,
        "f1": (first + second) / 2 * defined,
    }


def _nested(scores: Mapping[str, Score]) -> dict[str, dict[str, Score]]:
    """`rater measure` to rater → measure."""
    raters: dict[str, dict[str, Score]] = {}
    for name, score in scores.items():
        rater, _, measure = name.rpartition(" ")
        raters.setdefault(rater, {})[measure] = score
    return raters


def check_names(annotators: Sequence[Annotator]) -> None:
    """Refuse annotators whose names are those of other raters or columns."""
    taken = {*_TAKEN, *(f"{each.name} {question}" for each in annotators for question in QUESTIONS)}
    for annotator in annotators:
        if annotator.name in taken:
            raise InputError(f"an annotator cannot be called {annotator.name}: rename the file")
