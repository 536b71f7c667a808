r"""Aspects of the known groups of style, the floor's curve and the audit's perturbations on a corpus: JSON for `tables.py --keep aspects`, `floors`, `attacks` and `scales`.

    python benchmarks/aspects.py --name "CNN, Fox" --out runs/cnnfox --seeds 1 2 3 \
        --build "data/allsides.parquet --columns label=outlet --labels 'CNN (Web News):cnn,Fox Online News:fox' --other-outlets --language en --strict .5"
    python benchmarks/aspects.py --name sample --out runs/sample --seeds 1 2 3 --build runs/quickstart/sample.csv

For each seed a corpus is built, judges of both folds are trained (linear ones, or `--encoder`), those of fold 0 choose the floor
and those of fold 1 score. A figure is the mean over the seeds, its interval that of all their events. What is finished in `--out` is kept.
"""

import json
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro

from change_it.audit.measure import measure_systems, read_corpus
from change_it.cli import main as command
from change_it.generators.rerank import floor
from change_it.judges.judge_options import MARKS
from change_it.scoring.compliancy import ASPECTS, COMPLIANCY_MEASURES
from change_it.scoring.item import read_test_set
from change_it.scoring.judges import Judges
from change_it.scoring.scores import score
from change_it.scoring.systems import built_in_systems, on_same_items
from change_it.stats import AVERAGE, Floats, Statistics, measure
from change_it.tables import figure

GROUPS = ("gold", "floor", "clause", "copy")


def main(
    name: str,
    out: Path,
    build: str,
    seeds: tuple[int, ...] = (1, 2, 3),
    encoder: str | None = None,
    items: int = 400,
) -> dict[str, Any]:
    """Build, train, score and audit for every seed; summarise."""
    tables, kept, curves, scales = [], [], [], []
    for seed in seeds:
        judges, choosers, corpus = _prepare(out / str(seed), build, seed, encoder)
        test, _ = on_same_items(read_test_set(corpus), [])
        systems = [*built_in_systems(test, seed=seed), floor(test, choosers)]
        scores = score(test, judges, systems, resamples=1000, seed=seed, progress=False)
        for system, rows in scores.items.items():
            values = rows.with_columns(pl.col(COMPLIANCY_MEASURES).cast(pl.Float64))
            means = values.group_by("id", "direction", "event", maintain_order=True).agg(
                pl.col(COMPLIANCY_MEASURES).mean()
            )
            tables.append(means.with_columns(system=pl.lit(system), seed=pl.lit(seed)))
        curves.append(scores.curve)
        scales.append(scores.style and scores.style._asdict() | {"fault": scores.style_fault})
        kept.append(
            measure_systems(judges, read_corpus(corpus, seed=seed), at_most=items, resamples=1000, seed=seed)
        )
    every = pl.concat(tables)
    return {
        "aspects": _groups(name, every, scales),
        "floors": {name: {str(row["candidates"]): _mean(curves, at) for at, row in enumerate(curves[0])}},
        "attacks": _attacks(name, kept),
        "scales": {name: _scale(scales[0])},
    }


def _scale(scale: dict[str, Any]) -> dict[str, Any]:
    """What main stored of the first seed: median steps to gold and to a clause of the article, by direction from the first outlet."""
    cells: dict[str, Any] = {"pairs": scale["pairs"], "gold": f"{scale['gold']:.2f}"}
    ways = dict(enumerate(("first to second", "second to first")))
    cells |= {f"clause, {way}": f"{scale['clause'][at]:.2f}" for at, way in ways.items()}
    for at, way in ways.items():
        gap, ends = scale["gold"] - scale["clause"][at], (scale["low"][at], scale["high"][at])
        cells[f"gold − clause, {way}"] = f"{gap:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"
    low, high = scale["leads"][MARKS]
    return cells | {"main is right": scale["accuracy"], "main's lead over marks": f"{low:.2f} to {high:.2f}"}


def _prepare(folder: Path, build: str, seed: int, encoder: str | None) -> tuple[Judges, Judges, str]:
    corpus = folder / "corpus"
    if not (corpus / "README.md").exists():
        _run("corpus", "build", *shlex.split(build), "--out", str(corpus), "--seed", str(seed))
    for fold in ("1", "0"):
        for task in ("main", "hh", "ah", "fluency"):
            place = folder / f"judges-{fold}" / task
            if not (place / "metrics.json").exists():
                chosen = ("--encoder", encoder) if encoder and fold == "1" else ()
                _run(
                    "train",
                    "judge",
                    "--task",
                    task,
                    "--corpus",
                    str(corpus),
                    "--fold",
                    fold,
                    "--seed",
                    str(seed),
                    "--out",
                    str(place),
                    *chosen,
                )
    judges, choosers = (Judges.from_pretrained(folder / f"judges-{fold}") for fold in ("1", "0"))
    return judges, choosers, str(corpus)


def _run(*arguments: str) -> None:
    if code := command(list(arguments)):
        raise SystemExit(code)


def _groups(name: str, every: pl.DataFrame, scales: list[Any]) -> dict[str, dict[str, Any]]:
    """A row for each known group: means with intervals, and how far gold is above a clause."""
    rows: dict[str, dict[str, Any]] = {}
    for system in GROUPS:
        of = every.filter(system=system)
        cells: dict[str, Any] = {"n, events": f"{of.height // len(scales)}, {of['event'].n_unique()}"}
        cells |= {measure_: _interval(of, measure_) for measure_ in (*ASPECTS, "edited")}
        rows[f"{name}: `{system}`"] = cells
    key = ["id", "seed"]
    both = every.filter(system="gold").join(every.filter(system="clause"), on=key, suffix="_clause")
    for aspect in ASPECTS:
        gap = both.with_columns((pl.col(aspect) - pl.col(f"{aspect}_clause")).alias("gap"))
        rows[f"{name}: `gold`"][f"gold − clause: {aspect}"] = _interval(gap, "gap")
    faults = [scale["fault"] for scale in scales if scale and scale["fault"]]
    rows[f"{name}: `gold`"]["style n/a in a direction"] = f"{len(faults)} of {len(scales)} seeds"
    return rows


def _interval(rows: pl.DataFrame, column: str) -> list[float] | None:
    """The mean of a column over the directions with its interval, which draws events; None where a seed has none."""
    known = rows.filter(pl.col(column).is_not_null())
    if known.is_empty():
        return None

    def mean(sums: Statistics) -> dict[str, Floats]:
        return {"mean": sums["value"] / sums["n"]}

    columns = {"n": np.ones(known.height), "value": known[column].to_numpy()}
    return [
        round(end, 4)
        for end in measure(columns, mean, known["direction"].to_list(), known["event"].to_list())[AVERAGE][
            "mean"
        ]
    ]


def _mean(curves: list[list[dict[str, Any]]], at: int) -> str:
    """Style and acceptability of the best of so many clauses, over the seeds."""
    points = [curve[at] for curve in curves if len(curve) > at]
    return ", ".join(
        figure(float(np.mean([of[key] for of in points]))) if all(key in of for of in points) else "n/a"
        for key in ("style", "acceptability")
    )


def _attacks(name: str, kept: list[list[Any]]) -> dict[str, dict[str, Any]]:
    """What each perturbation keeps of gold's acceptability, and its style: means over the seeds."""
    rows: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(result["system"] for of in kept for result in of[1:]):
        found = [result for of in kept for result in of if result["system"] == kind]
        styles = [result["values"]["style"] for result in found]
        shown = f"{figure(float(np.mean([result['kept'] or 0 for result in found])))}, "
        shown += "n/a" if None in styles else figure(float(np.mean(styles)))
        rows[kind] = {name: f"{shown} ({found[0]['outcome']})"}
    return rows


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1))
