"""Scores systems on a test set: compliancy and overlap with intervals, per-item verdicts, paired tests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.scoring import compliancy, overlap
from change_it.scoring.compliancy import Reversal
from change_it.scoring.items import TestSet
from change_it.scoring.judging import Judgement, Panel, Transfer, check_outlets, judge_transfers
from change_it.scoring.signature import signature
from change_it.scoring.significance import bootstrap_intervals, estimate, paired_p_values
from change_it.scoring.systems import System

Floats = NDArray[np.float64]

#: The columns of a table of systems.
MEASURES = (*compliancy.MEASURES, *overlap.MEASURES)
#: Name of the row that is the mean over the directions.
AVERAGE = "average"

_SPLIT = 1 + len(compliancy.MEASURES)


@dataclass(frozen=True)
class Row:
    """One system in one direction, or on average.

    Attributes:
        system: name.
        direction: `rep2gio` and the like, or `average`.
        n: number of items.
        values: measure to value in 0-1.
        intervals: measure to the ends of its 95% interval.
        signature: what the numbers depend on.
    """

    system: str
    direction: str
    n: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    signature: str

    def flat(self) -> dict[str, Any]:
        """The row as columns: system, direction, n, each measure with `_low` and `_high`, signature."""
        cells: dict[str, Any] = {"system": self.system, "direction": self.direction, "n": self.n}
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
    """

    rows: list[Row]
    items: dict[str, pl.DataFrame] = field(repr=False)
    p_values: Floats = field(repr=False)
    outlets: tuple[str, str]
    reversal: Reversal
    resamples: int
    corpus: str

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
        """Signature of the whole table."""
        return next(row.signature for row in self.rows if row.direction == AVERAGE)

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
                        "intervals": {k: list(v) for k, v in row.intervals.items()},
                        "signature": row.signature,
                    }
                    for row in self.rows
                    if row.system == system
                }
                for system in self.systems
            },
            "p_values": {
                one: {other: float(self.p_values[i, j]) for j, other in enumerate(self.systems) if i != j}
                for i, one in enumerate(self.systems)
            },
        }


def score(
    test: TestSet,
    judges: Panel,
    systems: Sequence[System],
    *,
    reversal: Reversal = "relative",
    resamples: int = 1000,
    seed: int = 1,
    batch_size: int | None = None,
    progress: bool = True,
) -> Scores:
    """Score systems on the same items.

    Args:
        test: the items.
        judges: the three judges, `judges.predict.Judges` or anything like it.
        systems: new headlines for the items, each system in their order.
        reversal: when style counts as reversed, see `compliancy.verdicts`.
        resamples: bootstrap resamples, and trials of the paired tests.
        seed: seed of both.
        batch_size: texts a judge reads at once; its own choice when None.
        progress: show progress bars.

    Returns:
        The table of systems.

    Raises:
        InputError: judges of other outlets, fewer than one resample, or a system without a headline for each item.
    """
    check_outlets(judges, test.outlets, test.name)
    if resamples < 1:
        raise InputError(f"--resamples {resamples} is too few: give at least 1, better 1000")
    for system in systems:
        if len(system.headlines) != len(test.items):
            raise InputError(
                f"the system {system.name} has {len(system.headlines)} headlines for {len(test.items)} items: give one for each"
            )
    targets = np.array([test.outlets.index(item.target) for item in test.items], dtype=np.int64)
    sources, articles = [item.source for item in test.items], [item.article for item in test.items]
    judgements = judge_transfers(
        judges,
        [Transfer(sources, system.headlines, articles, targets) for system in systems],
        reversal=reversal,
        batch_size=batch_size,
        progress=progress,
    )
    golds, directions = [item.gold for item in test.items], test.directions
    rows, items, per_item = [], {}, []
    for system, judgement in zip(systems, judgements, strict=True):
        own = np.hstack(
            [compliancy.statistics(judgement.verdicts), overlap.statistics(system.headlines, golds, sources)]
        )
        rows += _rows(system.name, own, directions, judges.signature, reversal, resamples, seed)
        items[system.name] = _item_table(test, system, judgement, own)
        per_item.append(own)
    return Scores(
        rows=rows,
        items=items,
        p_values=_p_values(per_item, directions, trials=resamples, seed=seed),
        outlets=test.outlets,
        reversal=reversal,
        resamples=resamples,
        corpus=test.name,
    )


def _aggregate(sums: Floats) -> Floats:
    """(..., 8) in the order of `MEASURES`."""
    return np.concatenate(
        [compliancy.aggregate(sums[..., :_SPLIT]), overlap.aggregate(sums[..., _SPLIT:])], axis=-1
    )


def _rows(
    system: str,
    per_item: Floats,
    directions: list[str],
    judges: str,
    reversal: Reversal,
    resamples: int,
    seed: int,
) -> list[Row]:
    """Rows of one system: its directions and the average."""
    values = estimate(per_item, directions, _aggregate)
    ends = bootstrap_intervals(per_item, directions, _aggregate, resamples=resamples, seed=seed)
    names = [*dict.fromkeys(directions), AVERAGE]
    counts = [directions.count(name) for name in names[:-1]] + [len(directions)]
    return [
        Row(
            system=system,
            direction=name,
            n=n,
            values=dict(zip(MEASURES, row.tolist(), strict=True)),
            intervals={
                measure: (float(low), float(high)) for measure, (low, high) in zip(MEASURES, end, strict=True)
            },
            signature=signature(judges, reversal=reversal, n=n, seed=seed),
        )
        for name, n, row, end in zip(names, counts, values, ends, strict=True)
    ]


def _item_table(test: TestSet, system: System, judgement: Judgement, per_item: Floats) -> pl.DataFrame:
    """One row an item."""
    verdicts = judgement.verdicts
    rouge = overlap.rouge_columns(per_item[:, _SPLIT:])
    return pl.DataFrame(
        {
            "id": [item.id for item in test.items],
            "direction": test.directions,
            "source": [item.source for item in test.items],
            "headline": list(system.headlines),
            "gold": [item.gold for item in test.items],
            "compliant": verdicts.compliancy,
            "hh": verdicts.hh,
            "ah": verdicts.ah,
            "main": verdicts.main,
            "p_hh": judgement.hh,
            "p_ah": judgement.ah,
            "p_target": judgement.main,
            "p_target_source": judgement.main_source,
            "rougeL": rouge[:, 0],
            "rougeL_source": rouge[:, 1],
        }
    )


def _p_values(per_item: list[Floats], directions: list[str], *, trials: int, seed: int) -> Floats:
    """(m, m) paired tests of average compliancy between any two systems."""
    table = np.ones((len(per_item), len(per_item)))
    for i, j in combinations(range(len(per_item)), 2):
        first, second = (per_item[k][:, :_SPLIT] for k in (i, j))
        p = paired_p_values(first, second, directions, compliancy.aggregate, trials=trials, seed=seed)
        table[i, j] = table[j, i] = p[-1, 0]
    return table
