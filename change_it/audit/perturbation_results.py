"""What the judges let through of systems that must fail, and which of them is to blame."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.audit.perturbations import PERTURBATIONS, Perturbation, perturbed
from change_it.audit.resources import Resources
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import VERDICT_NAMES, Progress, judge_items
from change_it.scoring.item import Item
from change_it.stats import AVERAGE, EventIds, Floats, Statistics, measure, upper_bound

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judges

#: The verdicts on a headline, in the order of tables; `passed`: all judges that there are.
AUDIT_MEASURES = ("passed", "compliancy", *VERDICT_NAMES)
#: Those that must hold for a headline to pass.
PASSING = ("compliancy", "main_normalised", "fluency", "facts")
#: A system with fewer headlines is no evidence about a judge, and counts neither as stopped nor as tried.
FEW = 20
#: Stopped is a system of whose headlines, where the judges accept gold, they accept so few: 95% one-sided upper bound.
STOPPED = 0.10
#: Examples of each system that are shown.
EXAMPLES = 4

_GOLD = Perturbation(
    GOLD,
    (),
    "The other newspaper's own headline, which should pass.",
    lambda item, random, resources: item.reference or None,
)
#: Gold of the items of which it is asked only because a system has a headline of theirs.
_FURTHER = "further gold"


@dataclass(frozen=True)
class JudgedExample:
    """A headline of a degenerate system."""

    id: str  # of the item
    direction: str  # of the item
    source: str  # the original headline
    headline: str  # the system's
    verdicts: dict[str, bool | None]  # measure to whether it holds; None for a judge that is not there


@dataclass(frozen=True)
class Result:
    """What the judges let through of one system."""

    system: str  # its name
    breaks: tuple[str, ...]  # the criteria that it breaks; none for gold
    description: str  # what it does
    n: int  # headlines judged
    # measure to the share of headlines for which it holds, 0-1; None for a judge that is not there
    values: dict[str, float | None]
    intervals: dict[str, tuple[float, float]]  # measure to the ends of its 95% interval
    given_gold: int  # headlines of items whose gold passes
    passed_given_gold: float | None  # share of them that passes; None without any
    upper_bound: float  # its 95% one-sided upper bound, events counted once; 1 without any
    guards: tuple[str, ...]  # judges of which one at least ought to refuse
    # judges that ought to have refused and accepted more than `STOPPED`; empty of a system that is stopped
    to_blame: tuple[str, ...]
    examples: tuple[JudgedExample, ...]  # some headlines, those that passed first

    @property
    def counts(self) -> bool:
        """Whether it must fail and has enough headlines to say that it does."""
        return bool(self.breaks) and self.n >= FEW

    @property
    def passes(self) -> bool:
        """Whether it must fail and is not shown to."""
        return self.counts and self.upper_bound > STOPPED

    def as_dict(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return asdict(self) | {"passes": self.passes}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Result":
        """A result as `as_dict` gives it."""
        return cls(**{name: value for name, value in record.items() if name != "passes"})


def measure_systems(
    judges: "Judges",
    items: Sequence[Item],
    events: EventIds,
    resources: Resources,
    *,
    at_most: int,
    resamples: int,
    seed: int,
    batch_size: int | None = None,
    progress: Progress = False,
) -> tuple[list[Result], pl.DataFrame]:
    """Judge gold and every degenerate system, in the order of `PERTURBATIONS`, without those that apply to no item.

    A system has at most `at_most` headlines, of the first items with a reference that it applies to, in one random order of
    events for all, both directions of an event together: so systems share articles, and events are whole. Gold is asked about
    every item that a system has a headline of: a spoilt headline can only pass where the item's own would. The table has all
    headlines, one row each: `system`, `item` (its index in `items`), its `event`, `headline` and the verdicts.
    """
    names, numbers = np.unique(events, return_inverse=True)
    rank = np.random.default_rng(seed).permutation(len(names))[numbers]
    order = [index for index in np.argsort(rank, kind="stable").tolist() if items[index].reference]
    ordered = [items[index] for index in order]
    systems = (_GOLD, *PERTURBATIONS.values())
    made = {
        system.name: perturbed(ordered, system, resources, seed=seed, at_most=at_most) for system in systems
    }
    asked = {place for headlines in made.values() for place, _ in headlines}
    further = sorted(asked - {place for place, _ in made[GOLD]})
    made[_FURTHER] = [(place, ordered[place].reference) for place in further]
    headlines = [(name, order[place], text) for name, some in made.items() for place, text in some]
    predicted = [replace(items[index], prediction=text) for _, index, text in headlines]
    table = pl.DataFrame(
        {
            "system": [name for name, _, _ in headlines],
            "item": [index for _, index, _ in headlines],
            "event": events[[index for _, index, _ in headlines]],
            "headline": [text for _, _, text in headlines],
        }
    ).hstack(judged(judges, predicted, resources, batch_size=batch_size, progress=progress))
    accepted = table.filter(pl.col("system").is_in([GOLD, _FURTHER]), "passed")["item"]
    results = []
    for system in systems:
        rows = table.filter(system=system.name)
        if rows.is_empty():
            continue
        values, intervals = _measured(rows, items, resamples=resamples, seed=seed)
        likely = rows.filter(pl.col("item").is_in(accepted.implode()))
        passed = likely["passed"].cast(pl.Float64).to_numpy()
        result = Result(
            system.name,
            system.breaks,
            system.description,
            rows.height,
            values,
            intervals,
            len(passed),
            float(passed.mean()) if len(passed) else None,
            upper_bound(passed, likely["event"].to_numpy()),
            system.guards,
            (),
            _examples(rows, items),
        )
        if result.passes:
            shares = {judge: values[judge] for judge in system.guards}
            guilty = [judge for judge, share in shares.items() if share is None or share > STOPPED]
            result = replace(result, to_blame=tuple(guilty))
        results.append(result)
    return results, table


def judged(
    judges: "Judges",
    items: Sequence[Item],
    resources: Resources,
    *,
    batch_size: int | None = None,
    progress: Progress = False,
) -> pl.DataFrame:
    """The verdicts on items with predictions, those of a judge that is not there null, and probabilities."""
    table = judge_items(
        judges if judges.casing else judges.with_casing(resources.casing),
        items,
        language=resources.language,
        batch_size=batch_size,
        progress=progress,
    )
    return table.with_columns(
        passed=pl.all_horizontal(name for name in PASSING if not table[name].has_nulls())
    )


def _measured(
    rows: pl.DataFrame, items: Sequence[Item], *, resamples: int, seed: int
) -> tuple[dict[str, float | None], dict[str, tuple[float, float]]]:
    """Shares and their intervals, averages of the directions."""
    present = [name for name in AUDIT_MEASURES if name in rows.columns and not rows[name].has_nulls()]
    columns: Statistics = {
        "n": np.ones(rows.height),
        **{name: rows[name].cast(pl.Float64).to_numpy() for name in present},
    }
    directions = [items[index].direction for index in rows["item"]]

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {name: sums[name] / np.maximum(sums["n"], 1) for name in present}

    events = rows["event"].to_numpy()
    scores = measure(columns, aggregate, directions, events, resamples=resamples, seed=seed)[AVERAGE]
    return (
        {name: scores[name].value if name in present else None for name in AUDIT_MEASURES},
        {name: scores[name].interval for name in present},
    )


def _examples(rows: pl.DataFrame, items: Sequence[Item]) -> tuple[JudgedExample, ...]:
    """Headlines that passed, the others after them."""
    shown = rows.sort("passed", descending=True, maintain_order=True).head(EXAMPLES)
    return tuple(
        JudgedExample(
            items[row["item"]].id,
            items[row["item"]].direction,
            items[row["item"]].source,
            row["headline"],
            {name: None if row.get(name) is None else bool(row[name]) for name in AUDIT_MEASURES},
        )
        for row in shown.iter_rows(named=True)
    )
