"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations, compress
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.judges.judge_options import StyleStep
from change_it.progress import Progress
from change_it.scoring import compliancy, overlap
from change_it.scoring.columns import CHOSEN, FLOORS, GOLD
from change_it.scoring.compliancy import Reversal, judge_items
from change_it.scoring.floors_and_predictions import ScoredSystem
from change_it.scoring.item import Item, TestSet
from change_it.scoring.signature import Reranker, signature
from change_it.stats import AVERAGE, Floats, Score, Statistics, measure, paired_p_values

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: The columns of a table of systems.
SCORE_MEASURES = (*compliancy.COMPLIANCY_MEASURES, *overlap.OVERLAP_MEASURES)
#: What the table is sorted by: joint, or compliancy where there is no joint score.
SORTED_BY = ("joint", "compliancy")
#: Numbers of a row, in files.
COUNTS = ("n", "events", "runs", "references", "errors")
#: Trials of a paired test, at least, for each comparison of two of the systems: no p-value is then too large for Holm's correction.
TRIALS = 100


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
    # measure to value in 0-1; those that are unknown are left out: what lacks a judge (see `judge_items`), `bleu` and
    # `rougeL` without references and of `gold`, which is its own
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]  # measure to the ends of its 95% interval
    signature: str  # what the numbers depend on
    runs: int = 1  # of which the values are means; 1 for a single system
    group: str = ""  # `CHOSEN` where judges chose the headlines, or those that the system learnt from

    def flat(self, measures: Sequence[str]) -> dict[str, Any]:
        """The row as columns: system, group, direction, `COUNTS`, each measure with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {
            name: getattr(self, name) for name in ("system", "group", "direction", *COUNTS)
        }
        for name in measures:
            low, high = self.intervals.get(name, (None, None))
            cells |= {name: self.values.get(name), f"{name}_low": low, f"{name}_high": high}
        return cells | {"signature": self.signature}


@dataclass(frozen=True, eq=False)
class Scores:
    """A table of systems."""

    # systems, and of several runs of one (`ScoredSystem.run_of`) also their mean, the best average of `SORTED_BY`
    # first, below them the `FLOORS`, below all these in the same order those of `CHOSEN`; for each the directions and then the
    # average
    rows: list[ScoreRow]
    # per system, a table with one row an item: its event, headlines, verdicts, probabilities, ROUGE-L
    items: dict[str, pl.DataFrame] = field(repr=False)
    # (m, m) paired tests of the average compliancy, in the order of `systems`; 1 on the diagonal
    p_values: Floats = field(repr=False)
    # the same of joint; None where it is unknown
    joint_p_values: Floats | None = field(repr=False)
    outlets: tuple[str, str]  # A and B
    reversal: Reversal  # as scored
    resamples: int  # of the intervals
    corpus: str  # as it was given
    # system to the judges that chose its headlines; systems that were not reranked are left out
    rerankers: dict[str, Reranker]
    trained: str = ""  # digest of the corpus of the judges, where that is another one (`Judges.check_corpus`)
    style_step: StyleStep | None = None  # main's, which style is measured by

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
        """Names of those of `names` that judges chose, which appear apart."""
        return list(dict.fromkeys(row.system for row in self.rows if row.group))

    @property
    def directions(self) -> list[str]:
        """The directions that occur, then `average`."""
        return list(dict.fromkeys(row.direction for row in self.rows))

    @property
    def sorted_by(self) -> str:
        """The measure that the table is sorted by."""
        return SORTED_BY[self.joint_p_values is None]

    @property
    def sorted_p_values(self) -> Floats:
        """The paired tests of the measure that the table is sorted by."""
        return self.p_values if self.joint_p_values is None else self.joint_p_values

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
        """Signature of the whole table."""
        return self.row(self.systems[0]).signature

    def row(self, system: str, direction: str = AVERAGE) -> ScoreRow:
        """The row of one system in one direction."""
        return next(row for row in self.rows if (row.system, row.direction) == (system, direction))

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
                        **{name: getattr(row, name) for name in ("group", *COUNTS)},
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
            "style_step": self.style_step and self.style_step._asdict(),
            "p_values": self._by_name(self.p_values),
            "joint_p_values": self._by_name(self.joint_p_values),
        }

    def _by_name(self, p_values: Floats | None) -> dict[str, dict[str, float]] | None:
        if p_values is None:
            return None
        return {
            name: {other: float(p_values[i, j]) for j, other in enumerate(self.systems) if i != j}
            for i, name in enumerate(self.systems)
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
    judged = judge_items(judges, list(chain(*every)), reversal=reversal, progress=progress)
    of_judges = partial(signature, judges, reversal=reversal, trained=trained)
    signed = partial(of_judges, resamples=resamples, seed=seed)
    strata = [item.direction for item in test.items]
    interval = partial(measure, strata=strata, events=test.events, resamples=resamples, seed=seed)
    tables: dict[str, pl.DataFrame] = {}
    several: dict[str, list[tuple[ScoredSystem, Statistics]]] = {}  # the runs of each row
    for system, items, verdicts in zip(systems, every, judged.iter_slices(len(test.items)), strict=True):
        texts = ([getattr(item, name) for item in items] for name in ("prediction", "reference", "source"))
        statistics = {**compliancy.statistics(verdicts), **overlap.statistics(*texts)}
        tables[system.name] = _item_table(items, verdicts, statistics)
        statistics["missing"] = np.array([not item.prediction.strip() for item in items], np.float64)
        for name in filter(None, (system.name, system.run_of)):
            several.setdefault(name, []).append((system, statistics))
    rows = {}
    for name, members in several.items():
        chosen = dict.fromkeys(system.reranker.short for system, _ in members if system.reranker)
        together = {
            key: np.stack([statistics[key] for _, statistics in members], axis=1) for key in members[0][1]
        }
        missing = together.pop("missing").sum(axis=1)
        rows[name] = _rows(
            test.items,
            interval(together, _aggregate, shares=compliancy.SHARES),
            missing,
            partial(signed, reranker="+".join(chosen)),
            system=name,
            group=CHOSEN if chosen else "",
            runs=len(members),
        )
    key = next(name for name in SORTED_BY if all(name in of[-1].values for of in rows.values()))
    averages = {name: of_system[-1].values[key] for name, of_system in rows.items()}
    names = sorted(rows, key=lambda name: (bool(rows[name][0].group), name in FLOORS, -averages[name]))
    items_of = {name: tables[name] for name in names if name in tables}
    p_values = partial(_p_values, list(items_of.values()), resamples=resamples, seed=seed)
    return Scores(
        rows=[row for name in names for row in rows[name]],
        items=items_of,
        p_values=p_values("compliant"),
        joint_p_values=p_values("joint") if key == "joint" else None,
        outlets=test.outlets,
        reversal=reversal,
        resamples=resamples,
        corpus=test.name,
        trained=trained,
        rerankers=rerankers,
        style_step=judges.main.style_step,
    )


def check_independent(judges: "Judges", rerankers: Mapping[str, Reranker]) -> None:
    """Refuse systems whose reranker is not independent of the judges."""
    shared = {
        name: common
        for name, reranker in rerankers.items()
        if (common := reranker.shared_with(Reranker.of(judges)))
    }
    if shared:
        overlaps = "; ".join(f"{name}: {', '.join(common)}" for name, common in shared.items())
        raise InputError(
            f"the judges that score are not independent of those that chose the headlines ({overlaps}): score with judges "
            "trained with the other --fold"
        )


def _aggregate(sums: Statistics) -> dict[str, Floats]:
    """`SCORE_MEASURES` from summed statistics."""
    return {**compliancy.aggregate(sums), **overlap.aggregate(sums)}


def _rows(
    items: Sequence[Item],
    scores: Mapping[str, Mapping[str, Score]],
    errors: Floats,
    signed: Callable[..., str],
    *,
    system: str,
    group: str,
    **count: int,
) -> list[ScoreRow]:
    """Rows of one system, the mean of its runs: its directions and the average."""
    rows = []
    unknown = overlap.OF_REFERENCE if system == GOLD else ()
    for direction, scored in scores.items():
        here = [direction in (item.direction, AVERAGE) for item in items]
        of_row = list(compress(items, here))
        measured = {
            name: score for name, score in scored.items() if name not in unknown and np.isfinite(score.value)
        }
        counts = count | {"n": len(of_row), "events": len({item.event for item in of_row})}
        partners = sum(bool(item.reference_article) for item in of_row)
        rows.append(
            ScoreRow(
                system=system,
                direction=direction,
                references=sum(bool(item.reference) for item in of_row),
                errors=int(errors[here].sum()),
                values={name: score.value for name, score in measured.items()},
                intervals={
                    name: score.interval for name, score in measured.items() if np.isfinite(score).all()
                },
                signature=signed(partners=partners, **counts),
                group=group,
                **counts,
            )
        )
    return rows


def _item_table(items: Sequence[Item], verdicts: pl.DataFrame, statistics: Statistics) -> pl.DataFrame:
    """One row an item, as in `items/<system>.csv`."""
    return pl.DataFrame(
        {
            "id": [item.id for item in items],
            "direction": [item.direction for item in items],
            "event": [item.event for item in items],
            "source": [item.source for item in items],
            "headline": [item.prediction for item in items],
            "gold": [item.reference for item in items],
            **verdicts.rename({"compliancy": "compliant"}).to_dict(),
            **{name: statistics[name] for name in ("rougeL", "rougeL_source")},
        }
    )


def trials(systems: int, resamples: int) -> int:
    """Trials of each paired test between any two of so many systems."""
    return max(resamples, TRIALS * comb(systems, 2))


def _p_values(items: Sequence[pl.DataFrame], verdict: str, *, resamples: int, seed: int) -> Floats:
    """(m, m) paired tests of the average of a verdict between any two systems; 1 on the diagonal."""

    def share(sums: Statistics) -> dict[str, Floats]:
        return {"share": sums["hits"] / sums["n"]}

    columns = [{"n": np.ones(of.height), "hits": of[verdict].cast(pl.Float64).to_numpy()} for of in items]
    strata, events = items[0]["direction"].to_list(), items[0]["event"].to_numpy()
    count = trials(len(items), resamples)
    table = np.ones((len(items), len(items)))
    for i, j in combinations(range(len(items)), 2):
        p = paired_p_values(columns[i], columns[j], share, strata, events, trials=count, seed=seed)
        table[i, j] = table[j, i] = p["share"][-1]
    return table
