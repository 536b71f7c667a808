"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.scoring import compliancy, overlap
from change_it.scoring.compliancy import Progress, Reversal, judge_items
from change_it.scoring.item import Item, TestSet
from change_it.scoring.signature import SAME, Reranker, signature
from change_it.scoring.systems import System
from change_it.stats import Floats, Statistics, bootstrap_intervals, estimate, paired_p_values

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judges

#: The columns of a table of systems.
MEASURES = (*compliancy.MEASURES, *overlap.MEASURES)
#: Name of the row that is the mean over the directions.
AVERAGE = "average"


@dataclass(frozen=True)
class Row:
    """One system in one direction, or on average.

    Attributes:
        system: name.
        direction: `rep2gio` and the like, or `average`.
        n: number of items.
        errors: how many of them the system has no headline for; they count as not compliant.
        values: measure to value in 0-1.
        intervals: measure to the ends of its 95% interval.
        signature: what the numbers depend on.
    """

    system: str
    direction: str
    n: int
    errors: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    signature: str

    def flat(self) -> dict[str, Any]:
        """The row as columns: system, direction, n, errors, each measure with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {
            "system": self.system,
            "direction": self.direction,
            "n": self.n,
            "errors": self.errors,
        }
        for name, value in self.values.items():
            low, high = self.intervals[name]
            cells |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return cells | {"signature": self.signature}


@dataclass(frozen=True)
class Scores:
    """A table of systems.

    Attributes:
        rows: systems in order, for each the directions and then the average.
        items: per system, a table with one row an item: headlines, verdicts, probabilities, ROUGE-L.
        p_values: (m, m) paired tests of the average compliancy, in the order of `systems`; 1 on the diagonal.
        outlets: A and B.
        reversal: as scored.
        resamples: of the intervals, and trials of the tests.
        corpus: as it was given.
        rerankers: system to the judges that chose its headlines; systems that were not reranked are left out.
        same_judges: the systems that judges of the scoring judges' fold or weights have chosen.
    """

    rows: list[Row]
    items: dict[str, pl.DataFrame] = field(repr=False)
    p_values: Floats = field(repr=False)
    outlets: tuple[str, str]
    reversal: Reversal
    resamples: int
    corpus: str
    rerankers: dict[str, Reranker]
    same_judges: tuple[str, ...]

    @property
    def systems(self) -> list[str]:
        """Names in the order of the table."""
        return list(self.items)

    @property
    def directions(self) -> list[str]:
        """The directions that occur, then `average`."""
        return list(dict.fromkeys(row.direction for row in self.rows))

    @property
    def signature(self) -> str:
        """Signature of the whole table, which says so where the judges score what they have chosen themselves."""
        return self.row((*self.same_judges, *self.systems)[0]).signature

    def row(self, system: str, direction: str = AVERAGE) -> Row:
        """The row of one system in one direction."""
        return next(row for row in self.rows if (row.system, row.direction) == (system, direction))

    def as_dict(self) -> dict[str, Any]:
        """Everything but the items, ready for JSON."""
        return {
            "corpus": self.corpus,
            "outlets": list(self.outlets),
            "signature": self.signature,
            "systems": {
                system: {
                    row.direction: {
                        **row.values,
                        "n": row.n,
                        "errors": row.errors,
                        "intervals": {k: list(v) for k, v in row.intervals.items()},
                        "signature": row.signature,
                    }
                    for row in self.rows
                    if row.system == system
                }
                for system in self.systems
            },
            "rerankers": {
                system: {
                    "fold": reranker.fold,
                    "hashes": dict(reranker.hashes),
                    "same_judges": system in self.same_judges,
                }
                for system, reranker in self.rerankers.items()
            },
            "p_values": {
                one: {other: float(self.p_values[i, j]) for j, other in enumerate(self.systems) if i != j}
                for i, one in enumerate(self.systems)
            },
        }


def score(
    test: TestSet,
    judges: "Judges",
    systems: Sequence[System],
    *,
    reversal: Reversal = "relative",
    allow_same_judges: bool = False,
    resamples: int = 1000,
    seed: int = 1,
    batch_size: int | None = None,
    progress: Progress = True,
) -> Scores:
    """Score systems on the same items.

    Args:
        test: the items.
        judges: the judges.
        systems: new headlines for the items, each system in their order.
        reversal: when style counts as reversed, see `compliancy.verdicts`.
        allow_same_judges: score also systems whose headlines judges of the same fold or weights have chosen.
        resamples: bootstrap resamples, and trials of the paired tests.
        seed: seed of both.
        batch_size: texts a judge reads at once; its own choice when None.
        progress: as `compliancy.judge_items` takes it.

    Returns:
        The table of systems.

    Raises:
        InputError: judges of other outlets, judges of the fold or weights of those that chose a system's headlines,
            fewer than one resample, or a system without a headline for each item.
    """
    judges.check_outlets(test.outlets, test.name)
    rerankers = {system.name: system.reranker for system in systems if system.reranker}
    same_judges = _same_judges(judges, rerankers, allowed=allow_same_judges)
    if resamples < 1:
        raise InputError(f"--resamples {resamples} is too few: give at least 1, better 1000")
    for system in systems:
        if len(system.headlines) != len(test.items):
            raise InputError(
                f"the system {system.name} has {len(system.headlines)} headlines for {len(test.items)} items: give one for each"
            )
    directions = test.directions
    references, sources = ([getattr(item, name) for item in test.items] for name in ("reference", "source"))
    every = [test.predicted(system.headlines) for system in systems]
    judged = judge_items(
        judges, list(chain(*every)), reversal=reversal, batch_size=batch_size, progress=progress
    )
    rows, tables, per_item = [], {}, []
    for system, items, verdicts in zip(systems, every, judged.iter_slices(len(test.items)), strict=True):
        statistics = {
            **compliancy.statistics(verdicts),
            **overlap.statistics(system.headlines, references, sources),
        }
        independent = system.reranker.short if system.reranker else ""
        chosen = SAME if system.name in same_judges else independent
        signed = partial(
            signature,
            judges.signature,
            reversal=reversal,
            resamples=resamples,
            seed=seed,
            reranker=chosen,
        )
        rows += _rows(system, statistics, directions, signed, resamples, seed)
        tables[system.name] = _item_table(items, verdicts, statistics)
        per_item.append(statistics)
    return Scores(
        rows=rows,
        items=tables,
        p_values=_p_values(per_item, directions, trials=resamples, seed=seed),
        outlets=test.outlets,
        reversal=reversal,
        resamples=resamples,
        corpus=test.name,
        rerankers=rerankers,
        same_judges=same_judges,
    )


def _same_judges(judges: "Judges", rerankers: Mapping[str, Reranker], *, allowed: bool) -> tuple[str, ...]:
    """The systems whose reranker is not independent of the judges; refused unless that is allowed."""
    shared = {
        name: common
        for name, reranker in rerankers.items()
        if (common := reranker.shared_with(Reranker.of(judges)))
    }
    if shared and not allowed:
        overlaps = "; ".join(f"{name}: {', '.join(common)}" for name, common in shared.items())
        raise InputError(
            f"the judges that score are not independent of those that chose the headlines ({overlaps}): score with judges "
            "trained with the other --fold, or add --allow-same-judges and the signature will say so"
        )
    return tuple(shared)


def _aggregate(sums: Statistics) -> dict[str, Floats]:
    """`MEASURES` from summed statistics."""
    return {**compliancy.aggregate(sums), **overlap.aggregate(sums)}


def _rows(
    system: System,
    per_item: Statistics,
    directions: list[str],
    signed: Callable[..., str],
    resamples: int,
    seed: int,
) -> list[Row]:
    """Rows of one system: its directions and the average."""
    values = estimate(per_item, _aggregate, directions)
    ends = bootstrap_intervals(per_item, _aggregate, directions, resamples=resamples, seed=seed)
    names = [*dict.fromkeys(directions), AVERAGE]
    counts = Counter([*directions, *([AVERAGE] * len(directions))])
    failed = [way for way, text in zip(directions, system.headlines, strict=True) if not text.strip()]
    errors = Counter([*failed, *([AVERAGE] * len(failed))])
    return [
        Row(
            system=system.name,
            direction=name,
            n=counts[name],
            errors=errors[name],
            values={measure: float(values[measure][row]) for measure in MEASURES},
            intervals={
                measure: (float(ends[measure][row, 0]), float(ends[measure][row, 1])) for measure in MEASURES
            },
            signature=signed(n=counts[name]),
        )
        for row, name in enumerate(names)
    ]


def _item_table(items: Sequence[Item], verdicts: pl.DataFrame, statistics: Statistics) -> pl.DataFrame:
    """One row an item, as in `items/<system>.csv`."""
    return pl.DataFrame(
        {
            "id": [item.id for item in items],
            "direction": [item.direction for item in items],
            "source": [item.source for item in items],
            "headline": [item.prediction for item in items],
            "gold": [item.reference for item in items],
            **verdicts.rename({"compliancy": "compliant"}).to_dict(),
            **{name: statistics[name] for name in ("rougeL", "rougeL_source")},
        }
    )


def _p_values(per_item: Sequence[Statistics], directions: list[str], *, trials: int, seed: int) -> Floats:
    """(m, m) paired tests of average compliancy between any two systems."""
    table = np.ones((len(per_item), len(per_item)))
    verdicts = [{name: own[name] for name in ("n", *compliancy.MEASURES)} for own in per_item]
    for i, j in combinations(range(len(per_item)), 2):
        p = paired_p_values(
            verdicts[i], verdicts[j], compliancy.aggregate, directions, trials=trials, seed=seed
        )
        table[i, j] = table[j, i] = p["compliancy"][-1]
    return table
