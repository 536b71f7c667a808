"""Compute compliancy (EvalNLGEval 2020, section 4) and the aspects beside it, which are ours.

A new headline is compliant when HH says that it matches the original headline, AH says that it matches the
article, and main's decision is reversed. The aspects style, acceptability and edited are shown each by itself
(Mir et al., NAACL 2019): no product of them was found to order headlines as readers do. What chooses among
candidates does multiply, see `choosing`.

A new aspect is a new entry of `ASPECTS`, with a function that computes it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from change_it.errors import InputError
from change_it.judges.options import StyleScale
from change_it.judges.spec import (
    EVIDENCE,
    JUDGES,
    MAIN,
    Task,
    acceptability_tasks,
    compliancy_tasks,
    short_names,
)
from change_it.stats import Bools, Floats, Ints, Statistics, log_odds
from change_it.text.folding import fold
from change_it.text.tokens import words

if TYPE_CHECKING:
    import polars as pl

    from change_it.corpus.test_set import Item

#: When style counts as reversed, see `verdicts`.
Reversal = Literal["relative", "target"]

#: What no judge checks; it stands wherever their verdicts do.
NO_CHECK = "no judge reads who did what, or who said it: read the headline"
#: Name of the probability that main takes the original headline for one of the outlet aimed at.
SOURCE = "source"
#: Column of this probability in the table of verdicts.
P_SOURCE = "p_target_source"
#: The least and the greatest style of a headline.
STYLE_RANGE = (-1.0, 2.0)
#: The least and the greatest value of what is a share of headlines on average: a verdict, or a figure like
#: acceptability.
SHARE = (0.0, 1.0)
#: The least share of training pairs whose other headline has evidence: else articles are too short to be
#: evidence.
LEAST_EVIDENCE = 0.5
#: A headline is the original, edited, if at most this share of its words are new.
MOST_NEW = 0.25


class Reason(NamedTuple):
    """A reason against a headline.

    Attributes:
        name: The judge that refuses it, an aspect such as `edited`, or `no headline`.
        detail: What it refuses, such as the names without evidence; empty where there is nothing to add.
    """

    name: str
    detail: str = ""


def refusals(reasons: Iterable[Reason | Mapping[str, str]], headings: Mapping[str, str] | None = None) -> str:
    """Join the reasons against a headline into one text; it is empty where there are none.

    Args:
        reasons: `Reason` records, or mappings with the keys `name` and `detail`.
        headings: Name of a reason to the heading that is shown for it. Other names stay as they are.

    Examples:
        >>> refusals([Reason("main"), Reason("evidence", "Verdi")])
        'main; evidence: Verdi'
    """
    parts = []
    for reason in reasons:
        record = reason._asdict() if isinstance(reason, Reason) else reason
        part = (headings or {}).get(record["name"], record["name"])
        if record["detail"]:
            part += f": {record['detail']}"
        parts.append(part)
    return "; ".join(parts)


def compliancy_measures() -> tuple[str, ...]:
    """Return the measures of a headline or system: the aspects, and the verdicts of all judges."""
    return (*ASPECTS, *JUDGES)


def compared_aspects() -> tuple[str, ...]:
    """Return the aspects by which systems are compared."""
    return tuple(name for name, aspect in ASPECTS.items() if aspect.compared)


def graded_aspects() -> tuple[str, ...]:
    """Return the aspects that give a headline a figure, and no verdict."""
    return tuple(name for name, aspect in ASPECTS.items() if not aspect.is_verdict)


def share_measures() -> dict[str, str]:
    """Return the measures whose means are shares of the items, each to `n`, the column that counts items.

    They are all but style, which can be below 0. `stats.measure` takes them as `shares`.
    """
    shares = [name for name, aspect in ASPECTS.items() if aspect.range == SHARE]
    return dict.fromkeys((*shares, *JUDGES), "n")


def judge_headings() -> dict[str, str]:
    """Return what the judges are called on every screen."""
    return {name: spec.heading for name, spec in JUDGES.items()}


def probability_columns() -> dict[str, str]:
    """Return each trained judge to the column of its probabilities in the table of verdicts.

    The key `source` leads to main's probability that the original is of the outlet aimed at.
    """
    columns = {}
    for name, spec in JUDGES.items():
        if spec.is_trained:
            columns[name] = spec.column or f"p_{name}"
        if name == MAIN:
            columns[SOURCE] = P_SOURCE
    return columns


def verdict_schema() -> "dict[str, pl.DataType | type[pl.DataType]]":
    """Return the columns of the table of verdicts and their types.

    The table has one row for each headline. `Judges.judge` makes it, scores and reports read it.
    """
    import polars as pl  # which a command that only names predictions has no use for

    schema: dict[str, pl.DataType | type[pl.DataType]] = {}
    for name in compliancy_measures():
        schema[name] = pl.Boolean
    for name in (*graded_aspects(), "choosing"):
        schema[name] = pl.Float64
    passage = {"text": pl.String, "start": pl.Int64, "end": pl.Int64, "kind": pl.String}
    reason = {"name": pl.String, "detail": pl.String}
    schema["unsupported"] = pl.List(pl.Struct(passage))
    schema["refused_by"] = pl.List(pl.Struct(reason))
    for column in probability_columns().values():
        schema[column] = pl.Float64
    return schema


def split_by_counts(table: "pl.DataFrame", counts: Iterable[int]) -> "list[pl.DataFrame]":
    """Cut a table into consecutive parts of so many rows each.

    Examples:
        >>> import polars as pl
        >>> [part["n"].to_list() for part in split_by_counts(pl.DataFrame({"n": [1, 2, 3]}), [2, 0, 1])]
        [[1, 2], [], [3]]
    """
    parts = []
    start = 0
    for count in counts:
        parts.append(table[start : start + count])
        start += count
    return parts


def decide(probabilities: Floats) -> Ints:
    """Return the (n,) classes that a judge decides for by (n, 2) probabilities; a tie goes to class 0."""
    return (probabilities[:, 1] > probabilities[:, 0]).astype(np.int64)


def check_reversal(reversal: str) -> None:
    """Refuse what is no `Reversal`."""
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")


def verdicts(
    answers: Mapping[Task, Floats],
    of_sources: Mapping[Task, Floats],
    target: Sequence[int] | Ints,
    *,
    reversal: Reversal = "relative",
) -> dict[str, Bools]:
    """Decide whether each judge accepts the headlines, and whether all do that compliancy asks.

    Args:
        answers: Each judge's probabilities, (n, 2), of the new headlines.
        of_sources: Probabilities, (n, 2), of the original headlines, by each judge whose classes are the two
            outlets (main).
        target: (n,) the outlets aimed at, 0 for A and 1 for B.
        reversal: When such a judge accepts a headline. With `relative`, the paper's rule, it decides for
            another outlet than on the original. With `target`, ours, it decides for the outlet aimed at.

    Returns:
        `compliancy` and each judge to its verdicts, (n,) each.
    """
    check_reversal(reversal)
    columns: dict[str, Bools] = {}
    for task, probabilities in answers.items():
        decision = decide(probabilities)
        if task not in of_sources:
            # class 1 of a judge that does not tell the outlets apart is the good one
            columns[task] = decision == 1
        elif reversal == "relative":
            columns[task] = decision != decide(of_sources[task])
        else:
            columns[task] = decision == np.asarray(target)
    required = [columns[task] for task in compliancy_tasks()]
    return {"compliancy": np.logical_and.reduce(required), **columns}


def style(new: Floats, source: Floats, scale: StyleScale, from_b: Bools) -> Floats:
    """Return the style of n new headlines, -1 to 2.

    A headline's step is how far it raises main's log odds of the outlet aimed at above the original's. Style
    is the step on a scale: 0 is the median step of a clause of the original's article, 1 that of the other
    newspaper's own headline.

    Args:
        new: (n,) main's probabilities that the new headlines are of the outlet aimed at.
        source: (n,) main's probabilities that the originals are of the outlet aimed at.
        scale: the two median steps, as main measured them.
        from_b: (n,) whether the original is outlet B's.

    Examples:
        >>> scale = StyleScale(90, 80, 4.0, (2.0, 1.0), (1.5, 2.5), (2.5, 3.5), 0.9, {}, 0.9)
        >>> p_new, p_original = np.array([0.5, 0.5, 0.018]), np.array([0.018] * 3)
        >>> style(p_new, p_original, scale, np.array([False, True, False])).round(1).tolist()
        [1.0, 1.0, -1.0]
    """
    of_a, of_b = scale.clause
    clause = np.where(from_b, of_b, of_a)
    steps = log_odds(new) - log_odds(source)
    least, greatest = STYLE_RANGE
    return np.clip((steps - clause) / (scale.gold - clause), least, greatest)


def acceptability(probabilities: Mapping[str, Floats], evidence: Bools | None) -> Floats:
    """Return the (n,) acceptability of headlines, in 0-1.

    Args:
        probabilities: each of `acceptability_tasks` to its probabilities, (n,) in 0-1; others are ignored.
        evidence: (n,) whether all numbers, names and quotations have a source, a factor 0 or 1; None where
            this cannot be known.

    Examples:
        >>> p = {"hh": np.array([0.9, 0.9]), "ah": np.array([0.8, 0.8]), "fluency": np.array([0.5, 0.5])}
        >>> acceptability(p, np.array([True, False])).round(2).tolist()
        [0.36, 0.0]
    """
    factors = [probabilities[task] for task in acceptability_tasks()]
    product = reduce(np.multiply, factors)
    if evidence is None:
        return product
    return product * evidence


def new_words(headline: str, original: str) -> tuple[int, int]:
    """Count a headline's different words that the original does not have, and all its different words."""
    different = set(words(fold(headline)))
    of_original = set(words(fold(original)))
    return len(different - of_original), len(different)


def is_edited(headline: str, original: str) -> bool:
    """Tell whether at most a quarter of a headline's different words are not the original's.

    Such a headline is a copy, has other punctuation or capitals, or has a few words added or exchanged.

    Examples:
        >>> is_edited("CROLLA IL PONTE: ecco tre feriti", "Crolla il ponte, tre feriti")
        True
        >>> is_edited("Ponte giù, tre persone in ospedale", "Crolla il ponte, tre feriti")
        False
    """
    new, total = new_words(headline, original)
    return total > 0 and new <= MOST_NEW * total


def choosing(
    probabilities: Mapping[str, Floats], evidence: Bools | None, style: Floats | None, edited: Bools
) -> Floats:
    """Return the (n,) figures that judges choose candidates by, in -1 to 1.

    A figure is acceptability times style, which is cut to 0-1; what is not known counts as 1. Edited
    headlines lose 1, so that none of them stands above a headline that is not edited.

    Args:
        probabilities: each judge that is there to its probabilities, (n,) in 0-1.
        evidence: (n,) whether all numbers, names and quotations have a source; None where this cannot be
            known.
        style: (n,) style; None where it cannot be measured.
        edited: (n,) whether each is edited.
    """
    known = dict.fromkeys(acceptability_tasks(), np.ones(len(edited)))
    known |= probabilities
    figures = acceptability(known, evidence)
    if style is not None:
        figures = figures * np.clip(style, 0, 1)
    return figures - np.asarray(edited, np.float64)


def statistics(verdicts: "pl.DataFrame | Mapping[str, Bools | Floats]") -> dict[str, Floats]:
    """Return statistics of n items, (n,) each, whose sums `aggregate` understands (see `change_it.stats`).

    They are `n`, which is 1 for each item, and those of `compliancy_measures` that are known. Values are in
    0-1; style is in -1 to 2, and NaN in a direction in which it cannot be measured.

    Args:
        verdicts: the table of verdicts, n rows, or its columns.
    """
    statistics = {"n": np.ones(len(verdicts["compliancy"]))}
    for name in compliancy_measures():
        if name in verdicts:
            values = np.asarray(verdicts[name], np.float64)
            if not np.isnan(values).all():
                statistics[name] = values
    return statistics


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Return the means of those `compliancy_measures` whose sums are given, in the shape of the sums.

    All are in 0-1 but style, which is in -1 to 2.
    """
    # no items have sums of 0, and a mean of 0
    n = np.maximum(sums["n"], 1)
    known = [name for name in compliancy_measures() if name in sums]
    return {name: sums[name] / n for name in known}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """New headlines and what the judges answered: what aspects are computed from.

    Attributes:
        items: The n items, each with its new headline, which may be empty.
        verdicts: `compliancy` and each judge that could be asked to its verdicts, (n,) each.
        probabilities: Each trained judge that is there to its probabilities, (n,) each, in 0-1.
        style: Style of the headlines, (n,), NaN in a direction without a scale; None where no item has a
            scale.
        has_acceptability: Whether all judges are there that acceptability multiplies.
    """

    items: "Sequence[Item]"
    verdicts: Mapping[str, Bools]
    probabilities: Mapping[Task, Floats]
    style: Floats | None
    has_acceptability: bool

    @property
    def evidence(self) -> Bools | None:
        """Return the (n,) answers whether everything has a source; None where articles are too short."""
        return self.verdicts.get(EVIDENCE)


@dataclass(frozen=True, kw_only=True)
class Aspect:
    """An aspect of headlines: what it is called, how it is computed and shown.

    Attributes:
        name: Heading of its columns in tables and files.
        range: Least and greatest value of a headline. On average it is a share of headlines where this is
            `SHARE`.
        better: Whether more or less of it is better; a missing headline has the worst value.
        explanation: One or two sentences below the head of its column. `{compliancy}` and `{acceptability}`
            stand for the judges that these require.
        compute: Returns the n values, NaN where a headline has none; None where no headline can have one.
        is_verdict: Whether a headline has yes or no, and no figure.
        compared: Whether systems are compared by it: paired tests, stars, differences, the curve of `floor`.
        brief: Whether the terminal shows its value without the interval.
        reason: Says of an item whose headline has this verdict why it speaks against the headline; None where
            it does not.
    """

    name: str
    range: tuple[float, float] = SHARE
    better: Literal["more", "less"] = "more"
    explanation: str
    compute: Callable[[Judged], Bools | Floats | None]
    is_verdict: bool = False
    compared: bool = False
    brief: bool = False
    reason: "Callable[[Item], str] | None" = None

    @property
    def worst(self) -> float:
        """Return the value of a missing headline."""
        least, greatest = self.range
        return least if self.better == "more" else greatest

    @property
    def about(self) -> str:
        """Return the explanation with the names of the judges."""
        names = {"compliancy": short_names("compliancy"), "acceptability": short_names("acceptability")}
        return self.explanation.format(**names)


def _acceptability_of(judged: Judged) -> Floats | None:
    """Return acceptability; None without one of the judges that it multiplies."""
    if not judged.has_acceptability:
        return None
    return acceptability(judged.probabilities, judged.evidence)


def _edited_of(judged: Judged) -> Bools:
    """Return whether each headline is the original, or hardly another one."""
    return np.array([is_edited(item.prediction, item.source) for item in judged.items], dtype=bool)


def _new_words_of(item: "Item") -> str:
    """Say how many words of a headline are new, such as `2 of 9 words new`."""
    new, total = new_words(item.prediction, item.source)
    return f"{new} of {total} words new"


_ENTRIES = (
    Aspect(
        name="compliancy",
        explanation="Share of headlines that {compliancy} accept: the papers' score. "
        "It looks neither at fluency nor at evidence, and does not see the order of words.",
        compute=lambda judged: judged.verdicts["compliancy"],
        is_verdict=True,
        compared=True,
    ),
    Aspect(
        name="style",
        range=STYLE_RANGE,
        explanation="How far main moves from the original to the new headline: "
        "a clause of the article has 0, the other newspaper's own headline 1, a copy less than 0.",
        compute=lambda judged: judged.style,
        compared=True,
    ),
    Aspect(
        name="acceptability",
        explanation="Product of the probabilities of {acceptability}, 0 without evidence. "
        "It orders headlines and is no share of good ones.",
        compute=_acceptability_of,
        compared=True,
    ),
    Aspect(
        name="edited",
        better="less",
        explanation="Share of headlines of which at most a quarter of the words are not the original's.",
        compute=_edited_of,
        is_verdict=True,
        brief=True,
        reason=_new_words_of,
    ),
)
#: The aspects by name, in the order in which they are shown.
ASPECTS: dict[str, Aspect] = {aspect.name: aspect for aspect in _ENTRIES}
