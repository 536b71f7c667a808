"""What readers accept, beside every measure: JSON for `tables.py --keep readers` and `reader_systems`.

    python benchmarks/readers.py

labels/readers.csv has ids, labels and measures of headlines that two readers judged by their sources, without the texts, which are
newspapers'. Accepted is what both accept: supported, the same story, printable.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.agreement import MEASURES, acceptance

LABELS = Path(__file__).with_name("labels") / "readers.csv"
#: Further columns, what their rows are called, and the measures that are also given of the same headlines, where it is of some alone.
FURTHER = {
    "p_fluency_before": ("fluency that has learnt no cut sentences", ("p_fluency",)),
    "strict_v5": ("strict v5", ("joint", "compliancy")),
    "joint_minilm": ("joint by MiniLM", ()),
    "joint_e5": ("joint by e5", ()),
    "p_hh_minilm": ("HH by MiniLM", ()),
    "p_hh_e5": ("HH by e5", ()),
    "p_fluency_minilm": ("fluency by MiniLM", ()),
    "log_p_gemma": ("mean log p a token by Gemma", ()),
}
QUESTIONS = ("supported", "story", "printable", "accept")


def read() -> pl.DataFrame:
    """The labels, without headlines that are the original: a question is answered with yes where both readers say so."""
    both = {
        name: (pl.col(f"{name}1") == "yes") & (pl.col(f"{name}2") == "yes") for name in ("same", *QUESTIONS)
    }
    of_model, copies = pl.col("base").is_not_null(), pl.col("rougeL_source") > 0.999
    labels = pl.read_csv(LABELS, infer_schema_length=None)
    return labels.with_columns(event="event_id", written=of_model, **both).filter(~copies)


def measures_of(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Measure to its figures."""
    found = {row["measure"]: row for row in acceptance(rows)}
    for column, (title, others) in FURTHER.items():
        same = {other: f"{MEASURES[other]}, of the headlines of {title}" for other in others}
        known = rows.filter(pl.col(column).is_not_null())
        found |= {row["measure"]: row for row in acceptance(known, {column: title, **same})}
    return found


def main() -> dict[str, Any]:
    """The two tables."""
    measures: dict[str, dict[str, Any]] = {}
    systems: dict[str, dict[str, Any]] = {}
    for (corpus,), rows in read().group_by("corpus", maintain_order=True):
        for title, found in measures_of(rows).items():
            cells = measures.setdefault(title, {})
            for name, column in (
                ("AUC", "auc"),
                ("AUC without gold", "auc without gold"),
                ("AUC written", "auc of written"),
            ):
                if column in found:
                    cells[f"{corpus}: {name}"] = [found[column], *(found[f"{column}_interval"] or ())]
            shares = [found.get(name) for name in ("accepted", "refused")]
            cells[f"{corpus}: accepted, refused"] = shares if shares[0] is not None else None
            cells[f"{corpus}: systems in order"] = [found["in order"], found["pairs"]]
        named = [(str(name), of) for (name,), of in rows.group_by("system", maintain_order=True)]
        for system, of in [*named, ("gold of one event", rows.filter("same", system="gold"))]:
            shares = {name: [int(of[name].sum()), of.height] for name in QUESTIONS}
            scores = {name: float(of[name].mean()) for name in ("joint", "compliancy", "style")}  # type: ignore[arg-type]  # numbers
            systems[f"{corpus}: `{system}`"] = shares | scores
    return {"readers": measures, "reader_systems": systems}


if __name__ == "__main__":
    print(json.dumps(main(), indent=1))
