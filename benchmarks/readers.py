"""What readers say, beside every measure, question by question: JSON for `tables.py --keep readers` and `reader_systems`.

    python benchmarks/readers.py
    python benchmarks/readers.py --audits "sample=runs/sample/audit" "AllSides, 0.5B=runs/allsides/audit"

labels/readers.csv has ids, labels and measures of headlines that two readers judged by their sources, without the texts, which are
newspapers'. What readers say is what both say. Other label files are measured by `change-it audit --labels`, which writes `labels.csv`
into the folder of an audit.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl
import tyro

from change_it.audit.agreement import ASKED, MEASURES, by_question
from change_it.tables import figure

LABELS = Path(__file__).with_name("labels") / "readers.csv"
#: Measures of labels/readers.csv besides: judges by encoders.
FURTHER = {
    "p_hh_minilm": "Story (HH) by MiniLM",
    "p_hh_e5": "Story (HH) by e5",
    "p_fluency_minilm": "Fluency by MiniLM",
    "acceptability_minilm": "acceptability, Fluency by MiniLM",
}
#: What columns add for headlines of `by_question`'s parts; with copies, *accepted* alone is shown.
PARTS = {"all": ", with copies", "without copies": "", "written, without copies": ", written"}


def read() -> dict[str, pl.DataFrame]:
    """Corpus to the labels of readers.csv; a question is answered with yes where both readers say so."""
    both = {
        name: ((pl.col(f"{name}1") == "yes") & (pl.col(f"{name}2") == "yes")).cast(pl.Float64)
        for name in ASKED
    }
    rows = pl.read_csv(LABELS, infer_schema_length=None).with_columns(
        event="event_id", written=pl.col("base").is_not_null(), copy=pl.col("rougeL_source") > 0.999, **both
    )
    shared = pl.col("p_hh") * pl.col("p_ah") * pl.col("evidence")
    rows = rows.with_columns(
        acceptability=shared * pl.col("p_fluency"), acceptability_minilm=shared * pl.col("p_fluency_minilm")
    )
    return {str(corpus): of for (corpus,), of in rows.group_by("corpus", maintain_order=True)}


def main(audits: tuple[str, ...] = ()) -> dict[str, Any]:
    """The tables."""
    corpora = read()
    for name, _, folder in (text.partition("=") for text in audits):
        corpora[name] = pl.read_csv(Path(folder) / "labels.csv", infer_schema_length=None, null_values="NaN")
    measures: dict[str, dict[str, Any]] = {}
    systems: dict[str, dict[str, Any]] = {}
    for corpus, rows in corpora.items():
        known = rows.with_columns(pl.col(ASKED).cast(pl.Float64).fill_null(float("nan")))
        for found in by_question(known, (*MEASURES, *FURTHER)):
            cells = measures.setdefault(f"{corpus}: {({**MEASURES, **FURTHER})[found['measure']]}", {})
            part = PARTS[found["part"]]
            cells[f"n{part}"] = found["n"]
            for question, asked in ASKED.items():
                if found.get(question) is not None and (found["part"] != "all" or question == "accept"):
                    cells[f"{asked}{part}"] = [found[question], *(found[f"{question}_interval"] or ())]
        for (system,), of in rows.group_by("system", maintain_order=True):
            said = (of[question].drop_nulls().drop_nans() for question in ASKED if question in of.columns)
            counts = [str(int(answers.sum())) for answers in said if len(answers)]
            copies = f", {of['copy'].sum()} copies" if of["copy"].any() else ""
            value = figure(float(of["acceptability"].mean()))  # type: ignore[arg-type]  # a number
            cells = {corpus: f"{', '.join(counts)} of {of.height}{copies}; {value}"}
            systems.setdefault(f"`{system}`", {}).update(cells)
    return {"readers": measures, "reader_systems": systems}


if __name__ == "__main__":
    print(json.dumps(tyro.cli(main, description=__doc__), indent=1))
