"""What the judges let through of systems that must fail, and which of them is to blame."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.audit.perturbations import PERTURBATIONS, Known, perturbed
from change_it.scoring.columns import GOLD
from change_it.scoring.compliancy import JUDGES, Progress, judge_items
from change_it.scoring.item import Item
from change_it.stats import AVERAGE, Floats, Ints, Statistics, measure

if TYPE_CHECKING:  # loads torch
    from change_it.judges.judge import Judges

#: The verdicts on a headline, in the order of tables; `passed`: all judges that there are.
MEASURES = ("passed", "compliancy", *JUDGES)
#: Those that must hold for a headline to pass.
PASSING = ("compliancy", "main_normalised", "fluency", "facts")
#: A system with fewer headlines tells nothing of a judge.
FEW = 20
#: Examples of each system that are shown.
EXAMPLES = 4


@dataclass(frozen=True)
class Example:
    """A headline of a degenerate system.

    Attributes:
        id: of the item.
        direction: of the item.
        source: the original headline.
        headline: the system's.
        verdicts: measure to whether it holds; None for a judge that is not there.
    """

    id: str
    direction: str
    source: str
    headline: str
    verdicts: dict[str, bool | None]


@dataclass(frozen=True)
class Result:
    """What the judges let through of one system.

    Attributes:
        system: its name.
        breaks: the criteria that it breaks; none for gold.
        description: what it does.
        n: headlines judged.
        values: measure to the share of headlines for which it holds, 0-1; None for a judge that is not there.
        intervals: measure to the ends of its 95% interval.
        allowed: share that may pass.
        guards: judges of which one at least ought to refuse.
        to_blame: judges that ought to have refused, with what more than the share allowed passed; empty where no more did.
        examples: some headlines, those that passed first.
    """

    system: str
    breaks: tuple[str, ...]
    description: str
    n: int
    values: dict[str, float | None]
    intervals: dict[str, tuple[float, float]]
    allowed: float
    guards: tuple[str, ...]
    to_blame: tuple[str, ...]
    examples: tuple[Example, ...]

    @property
    def passes(self) -> bool:
        """Whether it must fail and does not."""
        return bool(self.breaks) and self.n >= FEW and (self.values["passed"] or 0.0) > self.allowed

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return asdict(self) | {"passes": self.passes}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Result":
        """A result as `as_dict` gives it."""
        return cls(**{name: value for name, value in record.items() if name != "passes"})


def measure_systems(
    judges: "Judges",
    items: Sequence[Item],
    events: Ints,
    known: Known,
    *,
    at_most: int,
    resamples: int,
    seed: int,
    batch_size: int | None = None,
    progress: Progress = False,
) -> tuple[list[Result], pl.DataFrame]:
    """Judge gold and every degenerate system.

    Args:
        judges: that are audited.
        items: of the test set.
        events: (n,) of the items.
        known: of the corpus.
        at_most: headlines of each system; the first ones that it applies to, in one random order of events for all, both
            directions of an event together, so that systems share articles and events are whole.
        resamples: of the intervals.
        seed: of order, headlines and intervals.
        batch_size: texts a judge reads at once.
        progress: as `judge_items` takes it.

    Returns:
        Gold, then the systems in the order of `PERTURBATIONS`, without those that apply to no item; and the table of
        all headlines, one row each: `system`, `item` (place in `items`), its `event`, `headline` and the verdicts.
    """
    rank = np.random.default_rng(seed).permutation(int(events.max(initial=0)) + 1)[events]
    order = np.argsort(rank, kind="stable").tolist()
    ordered = [items[index] for index in order]
    made = {GOLD: [(index, item.reference) for index, item in enumerate(ordered) if item.reference][:at_most]}
    for system in PERTURBATIONS.values():
        if texts := perturbed(ordered, system, known, seed=seed, at_most=at_most):
            made[system.name] = texts
    headlines = [(name, order[index], text) for name, texts in made.items() for index, text in texts]
    asked = [replace(items[index], prediction=text) for _, index, text in headlines]
    table = pl.DataFrame(
        {
            "system": [name for name, _, _ in headlines],
            "item": [index for _, index, _ in headlines],
            "event": events[[index for _, index, _ in headlines]],
            "headline": [text for _, _, text in headlines],
        }
    ).hstack(judged(judges, asked, known, batch_size=batch_size, progress=progress))
    by_name = {system.name: system for system in PERTURBATIONS.values()}
    results = []
    for name in made:
        known_system = by_name.get(name)
        rows = table.filter(system=name)
        values, intervals = _measured(rows, items, resamples=resamples, seed=seed)
        result = Result(
            name,
            known_system.breaks if known_system else (),
            known_system.description
            if known_system
            else "The other newspaper's own headline, which should pass.",
            rows.height,
            values,
            intervals,
            known_system.allowed if known_system else 1.0,
            known_system.guards if known_system else (),
            (),
            _examples(rows, items),
        )
        if known_system and result.passes:
            guilty = tuple(
                judge
                for judge in known_system.guards
                if (share := values[judge]) is None or share > known_system.allowed
            )
            result = replace(result, to_blame=guilty)
        results.append(result)
    return results, table


def judged(
    judges: "Judges",
    items: Sequence[Item],
    known: Known,
    *,
    batch_size: int | None = None,
    progress: Progress = False,
) -> pl.DataFrame:
    """The verdicts on items with predictions, those of a judge that is not there null, and probabilities."""
    table = judge_items(
        judges if judges.casing else judges.with_casing(known.casing),
        items,
        language=known.language,
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
    present = [name for name in MEASURES if name in rows.columns and not rows[name].has_nulls()]
    columns: Statistics = {
        "n": np.ones(rows.height),
        **{name: rows[name].cast(pl.Float64).to_numpy() for name in present},
    }
    directions = [items[place].direction for place in rows["item"]]

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {name: sums[name] / np.maximum(sums["n"], 1) for name in present}

    events = rows["event"].to_numpy()
    scores = measure(columns, aggregate, directions, events, resamples=resamples, seed=seed)[AVERAGE]
    return (
        {name: scores[name].value if name in present else None for name in MEASURES},
        {name: scores[name].interval for name in present},
    )


def _examples(rows: pl.DataFrame, items: Sequence[Item]) -> tuple[Example, ...]:
    """Headlines that passed, the others after them."""
    shown = rows.sort("passed", descending=True, maintain_order=True).head(EXAMPLES)
    return tuple(
        Example(
            items[row["item"]].id,
            items[row["item"]].direction,
            items[row["item"]].source,
            row["headline"],
            {name: None if row.get(name) is None else bool(row[name]) for name in MEASURES},
        )
        for row in shown.iter_rows(named=True)
    )
