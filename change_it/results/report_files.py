"""Files of a report: tables, charts and a page, put in place all at once."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.hevas.analysis import Analysis
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation
from change_it.io import FORMULA, write_json, write_table, write_text
from change_it.published_figures import CITATIONS
from change_it.results.charts import Drawing, compliancy_drawings, hevas_drawings, save
from change_it.results.pages import compliancy_page, hevas_page
from change_it.results.report_folder import HEVAS_FILES, REPORT_FILES, replaced_report
from change_it.results.score_tables import hevas_record, hevas_table, paper_table
from change_it.scoring.scores import Scores
from change_it.tables import records, to_latex

_FORMULA = f"^[{re.escape(''.join(FORMULA))}]"


def write_report(
    out: Path,
    scores: Scores,
    metrics: Mapping[str, Mapping[str, Any]],
    audit: Summary = NO_AUDIT,
    *,
    made: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write page, `systems.csv`, `systems.tex`, `scores.json` and charts, and `items/<system>.csv`.

    `metrics` are of `read_metrics`, `made` is of `provenance.made`.
    """
    drawings = compliancy_drawings(scores)
    page = compliancy_page(scores, metrics, drawings, audit, made=made)
    with replaced_report(out, REPORT_FILES) as folder:
        cells = [row.flat(scores.measures) for row in scores.rows]
        write_table(
            folder / "systems.csv", list(cells[0]), [list(row.values()) for row in cells], quote_formulas=True
        )
        write_text(folder / "systems.tex", latex(scores))
        write_json(
            folder / "scores.json",
            report_record(scores, audit) | ({"made": dict(made)} if made else {}),
        )
        (folder / "items").mkdir()
        for system, items in scores.items.items():
            without_formulas(scores.draws.get(system, items)).write_csv(folder / "items" / f"{system}.csv")
        _write_charts(folder, drawings)
        write_text(folder / "report.html", page)


def latex(scores: Scores) -> str:
    """The averages as a table for a paper, with the signature as a comment."""
    cited = CITATIONS["evalnlgeval2020"]
    return "\n".join(
        [f"% {scores.signature}", f"% {cited}", to_latex(paper_table(scores), label="tab:compliancy")]
    )


def report_record(scores: Scores, audit: Summary = NO_AUDIT) -> dict[str, object]:
    """The report without its items, as a JSON object."""
    return scores.as_dict() | {"judges": audit.as_dict()}


def write_hevas(
    out: Path,
    documents: Documents,
    systems: Sequence[System],
    evaluation: Evaluation,
    analysis: Analysis,
) -> None:
    """Write the page, `summary.csv`, `summary.json` and charts, and `items/<system>.csv`."""
    drawings = hevas_drawings(evaluation, analysis)
    page = hevas_page(documents, evaluation, analysis, drawings)
    with replaced_report(out, HEVAS_FILES) as folder:
        for system in systems:
            rows = zip(documents.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True)
            write_table(
                folder / "items" / f"{system.name}.csv",
                ["id", "headline", *evaluation.metrics],
                ([id_, headline, *values] for id_, headline, values in rows),
                quote_formulas=True,
            )
        write_table(folder / "summary.csv", *records(hevas_table(evaluation)), quote_formulas=True)
        write_json(folder / "summary.json", hevas_record(evaluation, analysis))
        (folder / "charts").mkdir()
        _write_charts(folder, drawings)
        write_text(folder / "report.html", page)


def without_formulas(items: pl.DataFrame) -> pl.DataFrame:
    """A table with an apostrophe before each text that a spreadsheet would take for a formula."""
    return items.with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA))
        .then("'" + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name, kind in items.schema.items()
        if kind == pl.String
    )


def _write_charts(folder: Path, drawings: Sequence[Drawing]) -> None:
    for drawing in drawings:
        save(drawing.figure, folder / "charts" / f"{drawing.name}.png")
