"""Systems scored by several seeds as one table: trainings of other judges and generators, each with a report of its own; as JSON.

    python benchmarks/seeds.py runs/seed1/report runs/seed2/report runs/seed3/report
    python benchmarks/seeds.py runs/sides/scratch-*/report --judges runs/sides/scratch-*/judges --markdown

A value is the mean of both directions and of the seeds; its interval is drawn over seeds and events, and `seeds` has the
value of each. Items that several test sets hold are drawn together.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro

from change_it.stats import AVERAGE, estimate, measure
from change_it.tables import Column, Row, Table, figure, to_markdown

MEASURES = ["strict_compliancy", "compliant", "hh", "ah", "main", "main_normalised", "fluency", "facts"]
TITLES = {"strict_compliancy": "strict", "compliant": "compliancy", "main_normalised": "main normalised"}
Systems = dict[str, dict[str, dict[str, Any]]]


@dataclass(kw_only=True)
class Options:
    """Put reports of several seeds together."""

    reports: tyro.conf.Positional[tuple[Path, ...]]
    """Folders that `change-it score --out` wrote, one a seed."""
    judges: tuple[Path, ...] = ()
    """Folders of their judges, for the F1 of each on its test sets."""
    markdown: bool = False
    """Print tables instead of JSON."""
    resamples: int = 2000
    """Of the bootstrap."""
    seed: int = 1
    """Of the bootstrap."""


def shares(sums):
    """Measures of the items that have them."""
    with np.errstate(invalid="ignore"):
        return {name: sums[name] / sums[f"n {name}"] for name in MEASURES if name in sums}


def systems_of(options: Options) -> Systems:
    """System to measure to its mean, interval and values of the seeds."""
    systems: Systems = {}
    for file in sorted((options.reports[0] / "items").glob("*.csv")):
        items = pl.concat(
            pl.read_csv(report / "items" / file.name, infer_schema_length=None).select(
                "id", "direction", *MEASURES, event=pl.format("{} {}", pl.lit(run), "event"), run=run
            )
            for run, report in enumerate(options.reports)
        )
        rows = items.group_by("id", "direction", maintain_order=True).agg(pl.col("event").first())
        items = items.join(rows.select("id", "direction").with_row_index("row"), on=["id", "direction"])
        statistics = {}
        for name in MEASURES:
            known = items.drop_nulls(name)
            if known.is_empty():
                continue
            for column, values in ((name, known[name].cast(pl.Float64)), (f"n {name}", 1.0)):
                statistics[column] = np.zeros((len(rows), len(options.reports)))
                statistics[column][known["row"], known["run"]] = values
        directions, events = rows["direction"].to_list(), rows["event"].rank("dense").to_list()
        scores = measure(
            statistics, shares, directions, events, resamples=options.resamples, seed=options.seed
        )[AVERAGE]
        alone = [
            estimate({name: values[:, [run]] for name, values in statistics.items()}, shares, directions)
            for run in range(len(options.reports))
        ]
        systems[file.stem] = {
            name: {
                "value": score.value,
                "interval": list(score.interval),
                "seeds": [float(one[name][-1]) for one in alone],
            }
            for name, score in scores.items()
        }
    return systems


def judges_of(folders: tuple[Path, ...]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Judge to test set to the mean F1 of each seed's judge, and of its baselines."""
    f1: dict[str, dict[str, dict[str, list[float]]]] = {}
    for folder in folders:
        for file in sorted(folder.glob("*/metrics.json")):
            metrics = json.loads(file.read_text(encoding="utf-8"))
            results = {"judge": metrics.get("results", {}), **metrics.get("baselines", {})}
            for name, tests in results.items_table():
                for test, values in tests.items():
                    if isinstance(values, dict) and "macro_f1" in values:
                        row = f1.setdefault(f"{file.parent.name}, {test}", {}).setdefault(name, [])
                        row.append(values["macro_f1"])
    return f1


def judges_table(f1) -> Table:
    """F1 of judges and their baselines, with the value of each seed."""
    columns = (
        Column("judge", "text", "judge, test"),
        Column("f1", "text", "mean F1 (seeds)"),
        Column("baselines", "text"),
    )
    rows = []
    for test, results in f1.items():
        cells = {
            name: f"{figure(float(np.mean(values)))} ({', '.join(map(figure, values))})"
            for name, values in results.items_table()
        }
        judge = cells.pop("judge")
        baselines = "; ".join(f"{name} {cell}" for name, cell in cells.items())
        rows.append(Row({"judge": test, "f1": judge, "baselines": baselines}))
    return Table(columns, tuple(rows))


def systems_table(systems: Systems) -> Table:
    """Means of the systems, the first two measures with intervals."""
    names = [name for name in MEASURES if any(name in row for row in systems.values())]
    columns = Column("system", "text"), *(Column(name, "text", TITLES.get(name, "")) for name in names)
    rows = []
    for system, scores in sorted(systems.items(), key=lambda row: -row[1]["compliant"]["value"]):
        cells = {name: figure(score["value"]) for name, score in scores.items()}
        for name in names[:2]:
            if name in scores:
                cells[name] += f" ({'-'.join(map(figure, scores[name]['interval']))})"
        rows.append(Row({"system": f"`{system}`", **cells}))
    return Table(columns, tuple(rows))


def main(options: Options) -> None:
    systems, f1 = systems_of(options), judges_of(options.judges)
    if options.markdown:
        print(to_markdown(judges_table(f1)), to_markdown(systems_table(systems)), sep="\n\n")
    else:
        print(json.dumps({"judges": f1, "systems": systems}, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
