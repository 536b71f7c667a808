"""What readers accept, beside every measure: JSON for `tables.py --keep readers` and `reader_systems`.

    python benchmarks/readers.py

labels/readers.csv has ids, labels and measures of headlines that two readers judged by their sources, without the texts, which are
newspapers'. Accepted is what both accept: supported, the same story, printable.
"""

import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from change_it.judges.metrics import reader_agreement

LABELS = Path(__file__).with_name("labels") / "readers.csv"
#: Column of a score, or of a verdict as 0 and 1, to the row of the table.
MEASURES = {
    "joint": "joint",
    "compliancy": "compliancy",
    "style": "style",
    "p_hh": "HH",
    "p_ah": "AH",
    "p_fluency": "fluency",
    "p_fluency_same": "fluency, of the headlines of the next row",
    "p_fluency_before": "fluency that has learnt no cut sentences",
    "evidence": "evidence",
    "rougeL_source": "ROUGE-L to the original",
    "length": "words",
}
QUESTIONS = ("supported", "story", "printable", "accept")


def read() -> pl.DataFrame:
    """The labels; a question is answered with yes where both readers say so."""
    rows = pl.read_csv(LABELS)
    rows = rows.with_columns(
        p_fluency_same=pl.when(pl.col("p_fluency_before").is_not_null()).then("p_fluency")
    )
    both = {
        name: (pl.col(f"{name}1") == "yes") & (pl.col(f"{name}2") == "yes") for name in ("same", *QUESTIONS)
    }
    return rows.with_columns(pl.col(MEASURES).cast(pl.Float64), **both)


def auc(rows: pl.DataFrame, column: str) -> list[float] | None:
    """AUC of a column for what is accepted, with its interval over events."""
    known = rows.filter(pl.col(column).is_not_null())
    right, p = known["accept"].to_numpy(), known[column].to_numpy()
    found = reader_agreement(right, None, known["event_id"].to_numpy(), p)
    return found["auc"] and [found["auc"], *(found["auc_interval"] or ())]


def in_order(rows: pl.DataFrame, column: str) -> list[int]:
    """How many pairs of systems a measure orders as readers do, of those that readers tell apart."""
    means = rows.group_by("system").agg(pl.col("accept", column).mean())
    pairs = [(a, b) for a, b in combinations(means.select("accept", column).rows(), 2) if a[0] != b[0]]
    return [sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs), len(pairs)]


def main() -> dict[str, Any]:
    """The two tables."""
    measures: dict[str, dict[str, Any]] = {title: {} for title in MEASURES.values()}
    systems: dict[str, dict[str, Any]] = {}
    labels = read()
    for (corpus,), rows in labels.group_by("corpus", maintain_order=True):
        for column, title in MEASURES.items():
            cells = measures[title]
            cells[f"{corpus}: AUC"] = auc(rows, column)
            cells[f"{corpus}: AUC without gold"] = auc(rows.filter(pl.col("system") != "gold"), column)
            cells[f"{corpus}: systems in order"] = in_order(rows, column)
        named = [(str(name), of) for (name,), of in rows.group_by("system", maintain_order=True)]
        for system, of in [*named, ("gold of one event", rows.filter("same", system="gold"))]:
            shares = {name: [int(of[name].sum()), of.height] for name in QUESTIONS}
            scores = {name: float(of[name].mean()) for name in ("joint", "compliancy", "style")}  # type: ignore[arg-type]  # numbers
            systems[f"{corpus}: `{system}`"] = shares | scores
        gold = rows.filter(system="gold").sort("similarity")
        for low, high in pairwise(np.quantile(gold["similarity"], (0, 0.5, 1))):
            band = gold.filter(pl.col("similarity").is_between(low, high))
            systems[f"{corpus}: pairs of {low:.2f} to {high:.2f}"] = {
                "same event": [int(band["same"].sum()), band.height],
                "accept": [int(band["accept"].sum()), band.height],
            }
    return {"readers": measures, "reader_systems": systems}


if __name__ == "__main__":
    print(json.dumps(main(), indent=1))
