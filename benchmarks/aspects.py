r"""Measure aspects of known headlines and of perturbed ones on a corpus.

It prints JSON for `tables.py --keep aspects` and `--keep attacks`.

    LABELS="'CNN (Web News):cnn,Fox Online News:fox'"
    READ="data/allsides.parquet --columns label=outlet --labels $LABELS --other-outlets --language en"
    python benchmarks/aspects.py --name "CNN, Fox" --out runs/cnnfox --seeds 1 2 3 --build "$READ --strict .5"
    python benchmarks/aspects.py --name sample --out runs/sample --seeds 1 2 3 \
        --build runs/quickstart/sample.csv

For each seed a corpus is built, judges of both folds are trained (linear ones, or `--encoder`), those of fold
0 choose the floor and those of fold 1 score. A figure is the mean over the seeds, its interval that of all
their events. What is finished in `--out` is kept.
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

from change_it.audit.measure import AuditSettings, measure_kinds, read_corpus
from change_it.audit.record import TriedKind
from change_it.cli import main as command
from change_it.corpus.test_set import read_test_set
from change_it.render.tables import figure
from change_it.scoring.aspects import compared_aspects, compliancy_measures
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.choosing import floor
from change_it.scoring.panel import Judges
from change_it.scoring.scores import score
from change_it.scoring.settings import ScoreSettings
from change_it.scoring.systems import on_same_items
from change_it.stats import AVERAGE, Floats, Statistics, measure

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
    tables, results, faults = [], [], 0
    for seed in seeds:
        judges, choosers, corpus = _prepare(out / str(seed), build, seed, encoder)
        test, _ = on_same_items(read_test_set(corpus), [])
        systems = [*built_in_systems(test, seed=seed), floor(test, choosers)]
        scores = score(test, judges, systems, ScoreSettings(seed=seed), progress=False)
        for system, rows in scores.items.items():
            values = rows.with_columns(pl.col(compliancy_measures()).cast(pl.Float64))
            means = values.group_by("id", "direction", "event", maintain_order=True).agg(
                pl.col(compliancy_measures()).mean()
            )
            tables.append(means.with_columns(system=pl.lit(system), seed=pl.lit(seed)))
        faults += bool(scores.style_fault)
        data = read_corpus(corpus, seed=seed)
        _, kinds = measure_kinds(judges, data, AuditSettings(at_most=items, seed=seed))
        results.append(kinds)
    return {
        "aspects": {name: _groups(pl.concat(tables)) | {"style n/a": f"{faults} of {len(seeds)} seeds"}},
        "attacks": _attacks(name, results),
    }


def _prepare(folder: Path, build: str, seed: int, encoder: str | None) -> tuple[Judges, Judges, str]:
    corpus = folder / "corpus"
    if not (corpus / "README.md").exists():
        given = [*shlex.split(build), "--test-articles", "0", "--out", str(corpus), "--seed", str(seed)]
        _run("corpus", "build", *given)
    for fold in ("1", "0"):
        for task in ("main", "hh", "ah", "fluency"):
            place = folder / f"judges-{fold}" / task
            if not (place / "metrics.json").exists():
                settings = ["--task", task, "--fold", fold, "--seed", str(seed)]
                settings += ["--encoder", encoder] if encoder and fold == "1" else []
                _run("train", "judge", "--corpus", str(corpus), "--out", str(place), *settings)
    judges, choosers = (Judges.from_pretrained(folder / f"judges-{fold}") for fold in ("1", "0"))
    return judges, choosers, str(corpus)


def _run(*arguments: str) -> None:
    if code := command(list(arguments)):
        raise SystemExit(code)


def _groups(headlines: pl.DataFrame) -> dict[str, Any]:
    """Of each known group, and of gold less a clause, the three aspects with their intervals."""
    by_system = {system: headlines.filter(system=system) for system in GROUPS}
    gold, seeds = by_system["gold"], headlines["seed"].n_unique()
    cells: dict[str, Any] = {"n, events": f"{gold.height // seeds}, {gold['event'].n_unique()}"}
    for system, rows in by_system.items():
        cells[f"`{system}`"] = [_interval(rows, aspect) for aspect in compared_aspects()]
    both = gold.join(by_system["clause"], on=["id", "seed"], suffix="_clause")
    gaps = both.with_columns(
        **{aspect: pl.col(aspect) - pl.col(f"{aspect}_clause") for aspect in compared_aspects()}
    )
    return cells | {"gold − clause": [_interval(gaps, aspect) for aspect in compared_aspects()]}


def _interval(rows: pl.DataFrame, column: str) -> list[float] | None:
    """Return the mean of a column over the directions with its interval, which draws events.

    None where a seed has none.
    """
    known = rows.filter(pl.col(column).is_not_null())
    if known.is_empty():
        return None

    def mean(sums: Statistics) -> dict[str, Floats]:
        return {"mean": sums["value"] / sums["n"]}

    columns = {"n": np.ones(known.height), "value": known[column].to_numpy()}
    means = measure(columns, mean, known["direction"].to_list(), known["event"].to_list())
    return [round(end, 4) for end in means[AVERAGE]["mean"]]


def _attacks(name: str, results: list[list[TriedKind]]) -> dict[str, dict[str, Any]]:
    """Return what each kind keeps of gold's acceptability, and its style: means over the seeds."""
    rows: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(result.name for seed in results for result in seed):
        found = [result for seed in results for result in seed if result.name == kind]
        styles = [result.values["style"] for result in found]
        shares = [result.shares["acceptability"] for result in found]
        kept = figure(float(np.mean([share.share or 0 for share in shares])))
        style = "n/a" if None in styles else figure(float(np.mean(styles)))
        rows[kind] = {name: f"{kept}, {style} ({shares[0].outcome})"}
    return rows


if __name__ == "__main__":
    with redirect_stdout(sys.stderr):
        result = tyro.cli(main, description=__doc__)
    print(json.dumps(result, indent=1))
