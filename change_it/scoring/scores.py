"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, chain, combinations, compress, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.judges.judge_options import StyleScale
from change_it.progress import Progress
from change_it.scoring import compliancy, overlap
from change_it.scoring.accepted import Accepted
from change_it.scoring.columns import BUILT_IN, CLAUSE, FLOOR, GOLD
from change_it.scoring.compliancy import ASPECTS, Reversal
from change_it.scoring.floors_and_predictions import ScoredSystem
from change_it.scoring.item import Item, TestSet
from change_it.scoring.signature import Reranker, signature
from change_it.stats import AVERAGE, Floats, Score, Statistics, measure, paired_p_values
from change_it.text.folding import composed

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: The columns of a table of systems.
SCORE_MEASURES = (*compliancy.COMPLIANCY_MEASURES, "accepted", *overlap.OVERLAP_MEASURES)
#: Numbers of a row, in files.
COUNTS = ("n", "events", "runs", "references", "errors")
#: Those, and how headlines were chosen.
ABOUT = ("chosen", "candidates", *COUNTS)
#: Trials of a paired test, at least, for each comparison of two of the systems: no p-value is then too large for Holm's correction.
TRIALS = 100
#: Numbers of clauses that the curve of `floor` has.
CANDIDATES = (1, 2, 3, 4, 6, 8, 12)


@dataclass(frozen=True)
class ScoreRow:
    """One system in one direction, or on average; of several runs of a system their mean."""

    system: str  # name
    direction: str  # `rep2gio` and the like, or `average`
    n: int  # number of items
    events: int  # that they are of; intervals and tests draw events
    references: int  # how many of them have a reference, which is what `bleu` and `rougeL` are of
    # how many of them the system has no headline for, of all runs together; they count as not compliant
    errors: int
    # measure to value in 0-1; those that are unknown are left out: what lacks a judge (see `Judges.judge`), `bleu` and
    # `rougeL` without references and of `gold`, which is its own
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]  # measure to the ends of its 95% interval
    signature: str  # what the numbers depend on
    runs: int = 1  # of which the values are means; 1 for a single system
    chosen: bool = False  # whether judges chose the headlines, or those that the system learnt from
    candidates: float | None = None  # mean number of headlines that one was chosen of, where it is known

    def flat(self, measures: Sequence[str]) -> dict[str, Any]:
        """The row as columns: system, chosen, candidates, direction, `COUNTS`, each measure with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {name: getattr(self, name) for name in ("system", "direction", *ABOUT)}
        for name in measures:
            low, high = self.intervals.get(name, (None, None))
            cells |= {name: self.values.get(name), f"{name}_low": low, f"{name}_high": high}
        return cells | {"signature": self.signature}


@dataclass(frozen=True, eq=False)
class Scores:
    """A table of systems."""

    # systems, and of several runs of one (`ScoredSystem.run_of`) also their mean: those of prediction files by their compliancy,
    # below these the ones that judges chose, then `BUILT_IN`; for each the directions and then the average
    rows: list[ScoreRow]
    # per system, a table with one row an item, of `clause` with one row a clause: its event, headlines, verdicts, probabilities, ROUGE-L
    items: dict[str, pl.DataFrame] = field(repr=False)
    # of those of `ASPECTS` that are known, (m, m) paired tests of the average, in the order of `systems`; 1 on the diagonal
    p_values: dict[str, Floats] = field(repr=False)
    # of `floor`, the score of the best of so many clauses, for rising numbers: `candidates`, and of each of `ASPECTS` its value and
    # `_interval`; empty without it
    curve: list[dict[str, Any]] = field(repr=False)
    outlets: tuple[str, str]  # A and B
    reversal: Reversal  # as scored
    resamples: int  # of the intervals
    corpus: str  # as it was given
    # system to the judges that chose its headlines; systems that were not reranked are left out
    rerankers: dict[str, Reranker]
    trained: str = ""  # digest of the corpus of the judges, where that is another one (`Judges.check_corpus`)
    style: StyleScale | None = None  # main's, which style is measured by
    style_fault: str = ""  # why style is n/a, if it is
    # of systems with labels, the share of headlines that readers accept; it is the measure `accepted` of their average
    accepted: Mapping[str, Accepted] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """Names in the order of the table, each run for itself."""
        return list(self.items)

    @property
    def trials(self) -> int:
        """Number of trials of each paired test."""
        return trials(len(self.items), self.resamples)

    @property
    def names(self) -> list[str]:
        """Names in the order of the table, the means of several runs among them."""
        return list(dict.fromkeys(row.system for row in self.rows))

    @property
    def chosen(self) -> list[str]:
        """Names of those of `names` that judges chose."""
        return list(dict.fromkeys(row.system for row in self.rows if row.chosen))

    @property
    def directions(self) -> list[str]:
        """The directions that occur, then `average`."""
        return list(dict.fromkeys(row.direction for row in self.rows))

    @property
    def known(self) -> set[str]:
        """Those of `SCORE_MEASURES` that a row has."""
        return {name for row in self.rows for name in row.values}

    @property
    def measures(self) -> list[str]:
        """Those of `SCORE_MEASURES` that the table has, compliancy first; `bleu` and `rougeL` only where there are references."""
        shown = self.known | {*compliancy.COMPLIANCY_MEASURES}
        return [name for name in SCORE_MEASURES if name in shown]

    @property
    def signature(self) -> str:
        """Signature of the whole table: of its last system, which no judge chose unless all were chosen."""
        return self.row(self.systems[-1]).signature

    def row(self, system: str, direction: str = AVERAGE) -> ScoreRow:
        """The row of one system in one direction."""
        return next(row for row in self.rows if (row.system, row.direction) == (system, direction))

    def with_accepted(self, accepted: Mapping[str, Accepted]) -> "Scores":
        """These scores with the share of headlines that readers accept of some systems."""
        rows = [
            replace(
                row,
                values=row.values | {"accepted": accepted[row.system].share},
                intervals=row.intervals | {"accepted": accepted[row.system].interval},
            )
            if row.direction == AVERAGE and row.system in accepted
            else row
            for row in self.rows
        ]
        return replace(self, rows=rows, accepted=accepted)

    def as_dict(self) -> dict[str, Any]:
        """The scores without their items, as a JSON object."""
        return {
            "corpus": self.corpus,
            "outlets": list(self.outlets),
            "signature": self.signature,
            "systems": {
                system: {
                    row.direction: {
                        **{name: row.values.get(name) for name in self.measures},
                        **{name: getattr(row, name) for name in ABOUT},
                        "intervals": {name: list(ends) for name, ends in row.intervals.items()},
                        "signature": row.signature,
                    }
                    for row in self.rows
                    if row.system == system
                }
                for system in self.names
            },
            "rerankers": {
                system: {"fold": reranker.fold, "hashes": dict(reranker.hashes)}
                for system, reranker in self.rerankers.items()
            },
            "style": self.style and self.style._asdict(),
            "style_fault": self.style_fault,
            "floor": self.curve,
            "accepted": {system: of._asdict() for system, of in self.accepted.items()},
            "p_values": {
                measure: {
                    name: {other: float(of[i, j]) for j, other in enumerate(self.systems) if i != j}
                    for i, name in enumerate(self.systems)
                }
                for measure, of in self.p_values.items()
            },
        }


def score(
    test: TestSet,
    judges: "Judges",
    systems: Sequence[ScoredSystem],
    *,
    reversal: Reversal = "relative",
    resamples: int = 1000,
    seed: int = 1,
    progress: Progress = True,
) -> Scores:
    """Score systems that have a headline for every item, see `on_same_items`; `resamples` and `seed` are of intervals and paired tests.

    Systems whose headlines judges of the same fold or weights have chosen are refused, and judges that have learnt from test articles.
    """
    trained = judges.check_corpus(test)
    rerankers = {system.name: system.reranker for system in systems if system.reranker}
    check_independent(judges, rerankers)
    every = [test.predicted(system.headlines) for system in systems]
    for at, system in enumerate(systems):
        if system.name == CLAUSE:  # an item for each cut
            cuts = zip(test.items, system.cuts, strict=True)
            every[at] = [replace(item, prediction=text) for item, texts in cuts for text in texts]
    table = judges.judge(list(chain(*every)), reversal=reversal, progress=progress)
    ends = accumulate(map(len, every), initial=0)
    judged = [table[start:end] for start, end in pairwise(ends)]
    signed = partial(signature, judges, reversal=reversal, trained=trained, resamples=resamples, seed=seed)
    strata = [item.direction for item in test.items]
    interval = partial(measure, strata=strata, events=test.events, resamples=resamples, seed=seed)
    tables: dict[str, pl.DataFrame] = {}
    of_system: dict[str, Statistics] = {}
    several: dict[str, list[ScoredSystem]] = {}  # the runs of each row
    for system, items, verdicts in zip(systems, every, judged, strict=True):
        new, gold, source = (
            [getattr(item, name) for item in items] for name in ("prediction", "reference", "source")
        )
        statistics = {**compliancy.statistics(verdicts), **overlap.statistics(new, gold, source)}
        about = {name: [getattr(item, name) for item in items] for name in ("id", "direction", "event")}
        likeness = {name: statistics[name] for name in ("rougeL", "rougeL_source")}
        texts = {"source": source, "headline": new, "gold": gold}
        tables[system.name] = pl.DataFrame({**about, **texts, **verdicts.to_dict(), **likeness})
        statistics["missing"] = np.array([not text.strip() for text in new], np.float64)
        if system.name == CLAUSE:  # the means over the cuts of each item
            counts = np.array([len(texts) for texts in system.cuts])
            starts = np.cumsum(counts) - counts
            statistics = {name: np.add.reduceat(of, starts) / counts for name, of in statistics.items()}
        of_system[system.name] = statistics
        for name in filter(None, (system.name, system.run_of)):
            several.setdefault(name, []).append(system)
    rows = {}
    for name, members in several.items():
        chosen = dict.fromkeys(system.reranker.short for system in members if system.reranker)
        runs = [of_system[system.name] for system in members]
        together = {key: np.stack([statistics[key] for statistics in runs], axis=1) for key in runs[0]}
        missing = together.pop("missing").sum(axis=1)
        measured = interval(
            together,
            lambda sums: {**compliancy.aggregate(sums), **overlap.aggregate(sums)},
            shares=compliancy.SHARES,
        )
        signs = partial(signed, reranker="+".join(chosen))
        about_row = {"chosen": bool(chosen), "candidates": members[0].candidates, "runs": len(members)}
        rows[name] = _rows(name, test.items, measured, missing, signs, **about_row)

    def place(name: str) -> tuple[int, bool, float]:
        at = BUILT_IN.index(name) + 1 if name in BUILT_IN else 0
        return at, rows[name][0].chosen, -rows[name][-1].values["compliancy"]

    names = sorted(rows, key=place)
    items_of = {name: tables[name] for name in names if name in tables}
    aims = {item.target for item in test.items}
    known = [name for name in ASPECTS if all(name in of for of in of_system.values())]
    p_values = {name: np.ones((len(items_of), len(items_of))) for name in known}
    columns = [{name: of_system[system][name] for name in ("n", *known)} for system in items_of]
    for i, j in combinations(range(len(columns)), 2):
        how = {"trials": trials(len(columns), resamples), "seed": seed}
        found = paired_p_values(columns[i], columns[j], compliancy.aggregate, strata, test.events, **how)
        for name, of in p_values.items():
            of[i, j] = of[j, i] = found[name][-1]
    floors = [system for system in systems if system.name == FLOOR and CLAUSE in tables]
    return Scores(
        rows=[row for name in names for row in rows[name]],
        items=items_of,
        p_values=p_values,
        curve=_curve(tables[CLAUSE], floors[0].cuts, known, interval) if floors else [],
        outlets=test.outlets,
        reversal=reversal,
        resamples=resamples,
        corpus=test.name,
        trained=trained,
        rerankers=rerankers,
        style=judges.main.style,
        style_fault="; ".join(dict.fromkeys(why for to, why in judges.style_faults.items() if to in aims)),
    )


def _curve(
    clause: pl.DataFrame,
    ranked: Sequence[Sequence[str]],
    measures: Sequence[str],
    interval: Callable[..., Mapping[str, Mapping[str, Score]]],
) -> list[dict[str, Any]]:
    """The score of the best of `CANDIDATES` clauses that are drawn at random, in expectation; `ranked` are the clauses of each item, the best first."""
    counts = [len(texts) for texts in ranked]
    ends = list(accumulate(counts, initial=0))
    values = {name: clause[name].cast(pl.Float64).to_numpy() for name in measures}
    headlines = clause["headline"].to_list()
    places = [
        start + np.array([headlines[start:end].index(composed(text)) for text in texts])
        for (start, end), texts in zip(pairwise(ends), ranked, strict=True)
    ]
    rows = []
    for number in (n for n in CANDIDATES if n == 1 or n <= max(counts)):
        statistics = {"n": np.ones(len(counts))}
        for name, of in values.items():
            statistics[name] = np.array([chances(number, len(at)) @ of[at] for at in places], np.float64)
        row: dict[str, Any] = {"candidates": number}
        for name, score in interval(statistics, compliancy.aggregate)[AVERAGE].items():
            row |= {name: score.value, f"{name}_interval": score.interval}
        rows.append(row)
    return rows


def chances(number: int, count: int) -> Floats:
    """(count,) how probably each of so many ranked texts, the best first, is the best of a number of them that are drawn at random.

    Examples:
        >>> chances(2, 3).round(2).tolist()
        [0.67, 0.33, 0.0]
    """
    number = min(number, count)
    return np.array([comb(count - 1 - rank, number - 1) / comb(count, number) for rank in range(count)])


def check_independent(judges: "Judges", rerankers: Mapping[str, Reranker]) -> None:
    """Refuse systems whose reranker is not independent of the judges."""
    shared = {name: reranker.shared_with(Reranker.of(judges)) for name, reranker in rerankers.items()}
    if overlaps := "; ".join(f"{name}: {', '.join(common)}" for name, common in shared.items() if common):
        raise InputError(
            f"the judges that score are not independent of those that chose the headlines ({overlaps}): score with judges "
            "trained with the other --fold"
        )


def _rows(
    system: str,
    items: Sequence[Item],
    scores: Mapping[str, Mapping[str, Score]],
    errors: Floats,
    signed: Callable[..., str],
    **about: Any,
) -> list[ScoreRow]:
    """Rows of one system, the mean of its runs: its directions and the average."""
    rows = []
    unknown = overlap.OF_REFERENCE if system == GOLD else ()
    for direction, scored in scores.items():
        here = [direction in (item.direction, AVERAGE) for item in items]
        of_row = list(compress(items, here))
        known = {
            name: score for name, score in scored.items() if name not in unknown and np.isfinite(score.value)
        }
        counts: dict[str, Any] = {"n": len(of_row), "events": len({item.event for item in of_row})}
        signs = {name: about[name] for name in ("runs", "candidates")}
        signs["partners"] = sum(bool(item.reference_article) for item in of_row)
        counts |= {"errors": int(errors[here].sum()), **about}
        counts["references"] = sum(bool(item.reference) for item in of_row)
        values = {name: score.value for name, score in known.items()}
        intervals = {name: score.interval for name, score in known.items() if np.isfinite(score).all()}
        signature = signed(n=counts["n"], events=counts["events"], **signs)
        rows.append(
            ScoreRow(system, direction, values=values, intervals=intervals, signature=signature, **counts)
        )
    return rows


def trials(systems: int, resamples: int) -> int:
    """Trials of each paired test between any two of so many systems."""
    return max(resamples, TRIALS * comb(systems, 2))
