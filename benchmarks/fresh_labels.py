"""The five tests that were written down before labels/fresh.csv was read: JSON for `tables.py --keep fresh_labels` and `fresh_systems`.

    python benchmarks/fresh_labels.py

labels/fresh.csv has what two readings, and a third where they differ, say of headlines, beside the measures that `change-it audit --labels`
writes into labels.csv, without the texts, which are newspapers'. An answer is that of two readings; *supported* is yes alone.
"""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import tyro
from sklearn.metrics import roc_auc_score

LABELS = Path(__file__).with_name("labels") / "fresh.csv"
QUESTIONS = {"story": "same story", "supported": "supported", "printable": "printable", "accept": "accepted", "preferred": "preferred"}  # fmt: skip
#: Measures and what they are called; the judge of a question is tested on it.
MEASURES = {
    "p_hh": "HH", "p_ah": "AH", "p_fluency": "fluency", "acceptability": "acceptability", "rougeL_source": "ROUGE-L", "length": "words",
    "p_hh_minilm": "HH by MiniLM", "p_hh_e5": "HH by e5", "p_ah_minilm": "AH by MiniLM", "p_ah_e5": "AH by e5",
    "p_fluency_minilm": "fluency by MiniLM", "p_fluency_e5": "fluency by e5", "acceptability_minilm": "acceptability, fluency by MiniLM",
}  # fmt: skip
OWN = {"hh": "story", "ah": "supported", "fluency": "printable"}
SENTINELS = ("rougeL_source", "length")
Of = Callable[[pl.DataFrame], float]


def read() -> dict[str, pl.DataFrame]:
    """Corpus to its labels and measures."""
    rows = pl.read_csv(LABELS, infer_schema_length=None)
    for name in QUESTIONS:
        yes = [(pl.col(f"{name}{reading}") == "yes").cast(pl.Int8) for reading in (1, 2, 3)]
        said = pl.sum_horizontal(pl.col(f"{name}{reading}").is_not_null() for reading in (1, 2, 3))
        rows = rows.with_columns(
            pl.when(said >= 2).then((pl.sum_horizontal(yes) >= 2).cast(pl.Float64)).alias(name)
        )
    if "p_fluency_minilm" in rows.columns:
        rest = pl.col("p_hh") * pl.col("p_ah") * pl.col("evidence")
        rows = rows.with_columns(acceptability_minilm=rest * pl.col("p_fluency_minilm"))
    return {str(name): part for (name,), part in rows.group_by("corpus", maintain_order=True)}


def auc(measure: str, question: str) -> Of:
    """The AUC of a measure for a question."""

    def of(rows: pl.DataFrame) -> float:
        known = rows.filter(pl.col(question).is_not_null(), pl.col(measure).is_not_null())
        right = known[question].to_numpy() == 1
        return float(roc_auc_score(right, known[measure].to_numpy())) if 0 < right.sum() < len(right) else np.nan  # fmt: skip

    return of


def less(first: Of, second: Of) -> Of:
    """A difference."""
    return lambda rows: first(rows) - second(rows)


def half(measure: str) -> Of:
    """The share accepted of the better half by a measure less that of the other."""

    def of(rows: pl.DataFrame) -> float:
        accepted = (
            rows.filter(pl.col("accept").is_not_null()).sort(measure, descending=True)["accept"].to_numpy()
        )
        return float(accepted[: len(accepted) // 2].mean() - accepted[len(accepted) // 2 :].mean())

    return of


def mean_of(name: str, system: str) -> Of:
    """The mean of a column over the headlines of a system."""

    def of(rows: pl.DataFrame) -> float:
        value = rows.filter(pl.col("system") == system)[name].mean()
        return float(value) if value is not None else np.nan  # type: ignore[arg-type]  # a number

    return of


def drawn(rows: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
    """Events drawn with replacement."""
    events = rows["event"].unique(maintain_order=True).to_numpy()
    picked = pl.DataFrame({"event": random.choice(events, len(events))})
    return picked.join(rows, on="event")


def figures(parts: dict[str, pl.DataFrame], value: Of, resamples: int, seed: int) -> dict[str, list[float]]:
    """Corpus to a value and its interval over events; and their mean, with the events of each corpus drawn apart."""
    random, cells, draws = np.random.default_rng(seed), {}, []
    for name, rows in parts.items():
        values = np.array([value(drawn(rows, random)) for _ in range(resamples)])
        whole = value(rows)
        if np.isfinite(whole):
            cells[name] = [whole, *np.nanquantile(values, (0.025, 0.975)).tolist()]
            draws.append(values)
    if len(draws) > 1:
        means = np.mean(draws, axis=0)
        mean = float(np.mean([cell[0] for cell in cells.values()]))
        cells["mean"] = [mean, *np.nanquantile(means, (0.025, 0.975)).tolist()]
    return cells


def order(rows: pl.DataFrame, resamples: int, seed: int) -> list[int]:
    """Of the pairs of systems whose shares accepted surely differ: how many acceptability has in that order, of how many."""
    right = pairs = 0
    for one, other in combinations(rows["system"].unique(maintain_order=True).to_list(), 2):
        cells = figures({"": rows}, less(mean_of("accept", one), mean_of("accept", other)), resamples, seed)
        if cells and cells[""][1] * cells[""][2] > 0:
            by_measure = less(mean_of("acceptability", one), mean_of("acceptability", other))(rows)
            pairs, right = pairs + 1, right + (by_measure * cells[""][0] > 0)
    return [right, pairs]


def main(resamples: int = 1000, seed: int = 1) -> dict[str, Any]:
    """The tables."""
    corpora = read()
    columns = next(iter(corpora.values())).columns
    written = {name: rows.filter(pl.col("written") & ~pl.col("copy")) for name, rows in corpora.items()}
    no_copies = {name: rows.filter(~pl.col("copy")) for name, rows in corpora.items()}
    tests: dict[str, tuple[dict[str, pl.DataFrame], Of]] = {}
    for measure in (name for name in MEASURES if name in columns and name not in SENTINELS):
        task = measure.split("_")[1] if measure.startswith("p_") else ""
        for question in (OWN[task], "accept") if task else ("accept", "preferred"):
            tests[f"{MEASURES[measure]}, {QUESTIONS[question]}, written"] = (written, auc(measure, question))
    for sentinel in SENTINELS:
        tests[f"{MEASURES[sentinel]}, accepted, written"] = (written, auc(sentinel, "accept"))
        for question in ("accept", "preferred"):
            for label, part in (("without copies", no_copies), ("written", written)):
                name = f"acceptability − {MEASURES[sentinel]}, {QUESTIONS[question]}, {label}"
                tests[name] = (part, less(auc("acceptability", question), auc(sentinel, question)))
    tests["better half − other half by acceptability, written"] = (written, half("acceptability"))
    tests["better half − other half by ROUGE-L, written"] = (written, half("rougeL_source"))
    tests["acceptability, gold − clause"] = (corpora, less(mean_of("acceptability", "gold"), mean_of("acceptability", "clause")))  # fmt: skip
    for better, worse in (("gold", "clause"), ("clause", "copy")):
        tests[f"style, {better} − {worse}"] = (
            corpora,
            less(mean_of("style", better), mean_of("style", worse)),
        )
    table = {name: figures(parts, value, resamples, seed) for name, (parts, value) in tests.items()}
    table["pairs of systems in the readers' order"] = {name: order(rows, resamples, seed) for name, rows in corpora.items()}  # type: ignore[misc]  # fmt: skip
    systems: dict[str, dict[str, Any]] = {}
    for name, rows in corpora.items():
        for (system,), part in rows.group_by("system", maintain_order=True):
            counts = ", ".join(str(int(part[question].sum())) for question in QUESTIONS)
            value = float(part["acceptability"].mean())  # type: ignore[arg-type]  # a number
            systems.setdefault(f"`{system}`", {})[name] = f"{counts} of {part.height}; {value:.3f}"
    return {"fresh_labels": {name: cells for name, cells in table.items() if cells}, "fresh_systems": systems}


if __name__ == "__main__":
    print(json.dumps(tyro.cli(main, description=__doc__), indent=1))
