"""What readers say, beside every measure, question by question: JSON for `tables.py --keep readers`.

    python benchmarks/readers.py

labels/readers.csv has ids, labels and measures of headlines that two readers judged by their sources, without
the texts, which are newspapers'. What readers say is what both say. Other label files are measured by
`change-it audit --labels`.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl

from change_it.readers.labels import ASKED, by_question, compared_measures

LABELS = Path(__file__).with_name("labels") / "readers.csv"
#: Measures and what they are called; the last ones are judges by encoders.
NAMES = {
    **compared_measures(),
    "p_hh_minilm": "Story (HH) by MiniLM",
    "p_hh_e5": "Story (HH) by e5",
    "p_fluency_minilm": "Fluency by MiniLM",
    "acceptability_minilm": "acceptability, Fluency by MiniLM",
}


def read_labels() -> pl.DataFrame:
    """The labels; a question is answered with yes where both readers say so."""
    answers = {
        name: ((pl.col(f"{name}1") == "yes") & (pl.col(f"{name}2") == "yes")).cast(pl.Float64)
        for name in ASKED
    }
    written, copy = pl.col("base").is_not_null(), pl.col("rougeL_source") > 0.999
    rest = pl.col("p_hh") * pl.col("p_ah") * pl.col("evidence")
    products = {"": pl.col("p_fluency"), "_minilm": pl.col("p_fluency_minilm")}
    acceptability = {f"acceptability{name}": rest * fluency for name, fluency in products.items()}
    labels = pl.read_csv(LABELS, infer_schema_length=None)
    return labels.with_columns(event="event_id", written=written, copy=copy, **answers, **acceptability)


def main() -> dict[str, Any]:
    """The table: the AUC of a measure is given without copies, and of these for written headlines."""
    aucs: dict[str, dict[str, Any]] = {}
    for (corpus,), rows in read_labels().group_by("corpus", maintain_order=True):
        for row in by_question(rows, tuple(NAMES)):
            cells = aucs.setdefault(NAMES[row["measure"]], {})
            for question, asked in ASKED.items():
                if row["part"] != "all" and row.get(question) is not None:
                    value = [row[question], *(row[f"{question}_interval"] or ())]
                    cells.setdefault(f"{corpus}: {asked}", []).append(value)
    return {"readers": aucs}


if __name__ == "__main__":
    print(json.dumps(main(), indent=1))
