"""Files of a report: tables, charts and a page, put in place all at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import relpath
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.verdicts import NO_AUDIT, Summary
from change_it.corpus.sample import is_sample_corpus
from change_it.drawing import save
from change_it.hevas.analysis import Analysis
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.io import replace_folder, without_formula, write_json, write_table, write_text
from change_it.judges.judge_options import within_event_table
from change_it.published_figures import CITATIONS
from change_it.results import score_tables as tables
from change_it.results.audit_tables import verdicts_table
from change_it.results.charts import hevas_drawings, plane
from change_it.results.items_table import OTHERS, items_table, refusals
from change_it.results.pages import environment
from change_it.results.validation import ACCEPTABILITY, COMPLIANCY, STYLE
from change_it.scoring.compliancy import ASPECTS, VERDICT_NAMES
from change_it.scoring.overlap import OVERLAP_MEASURES
from change_it.scoring.scores import AVERAGE, Scores
from change_it.scoring.systems import BUILT_IN
from change_it.tables import records, to_latex


def write_report(
    out: Path,
    scores: Scores,
    metrics: Mapping[str, Mapping[str, Any]],
    audit: Summary = NO_AUDIT,
    *,
    made: Mapping[str, str] | None = None,
    articles: Mapping[str, str] | None = None,
) -> None:
    """Write page, `systems.csv`, `systems.tex`, `scores.json`, `charts/plane.svg` and `items/<system>.csv`.

    `metrics` are of `read_metrics`, `made` is of `provenance.made`; `articles`, by the ids of items, are shown with them.
    """
    written, first, drawing = tables.examples_table(scores), tables.best_system(scores), plane(scores)
    single = tables.systems_table(scores, [AVERAGE], (*VERDICT_NAMES, *OVERLAP_MEASURES))
    parts = {"written": written, "judges": metrics or audit.verdicts, "tests": scores.systems[1:]}
    values: dict[str, object] = {
        "absent": [section for section, found in parts.items() if not found],
        "items": items_table(scores.items, first, articles),
        "refusals": refusals(scores.items, first),
        "chart": drawing,
        "others": OTHERS,
        "validation": {"compliancy": COMPLIANCY, "style": STYLE, "acceptability": ACCEPTABILITY},
        "few": tables.few_events(scores).strip(),
        "ours": len([name for name in scores.systems if name not in BUILT_IN]),
        "outlets": " and ".join(scores.outlets),
        "invented": is_sample_corpus(scores.outlets),
        "made": made,
        "scores": scores,
        "audit": audit,
        "audit_page": relpath(audit.page, out.resolve()).replace("\\", "/") if audit.page else "",
        "verdicts": verdicts_table(audit.verdicts),
        "count": len(next(iter(scores.items.values()))),
        "written": written,
        "meaning": tables.meaning(scores),
        "average": tables.systems_table(scores, [AVERAGE], (*ASPECTS, "edited", "accepted")),
        "single": replace(single, notes=()),  # they stand at the first
        "by_direction": tables.systems_table(scores, scores.directions[:-1]),
        "within_event": within_event_table(metrics.get("main", {})),
        "tests": {name: tables.tests_table(scores, name) for name in scores.p_values},
    }
    page = environment().get_template("compliancy.html.jinja").render(values)
    latex = to_latex(tables.paper_table(scores), label="tab:compliancy")
    cells = [row.flat(scores.measures) for row in scores.rows]
    with replace_folder(out, "scores.json") as folder:
        rows = [list(row.values()) for row in cells]
        write_table(folder / "systems.csv", list(cells[0]), rows, quote_formulas=True)
        cited = CITATIONS["evalnlgeval2020"]
        write_text(folder / "systems.tex", f"% {scores.signature}\n% {cited}\n{latex}")
        write_json(folder / "scores.json", report_record(scores, audit) | ({"made": made} if made else {}))
        for name in ("charts", "items"):
            (folder / name).mkdir()
        (folder / "charts" / "plane.svg").write_bytes(drawing.svg)
        for system, items in scores.items.items():
            without_formulas(items).write_csv(folder / "items" / f"{system}.csv")
        write_text(folder / "report.html", page)


def report_record(scores: Scores, audit: Summary = NO_AUDIT) -> dict[str, object]:
    """The report without its items, as a JSON object."""
    return scores.as_dict() | {"meaning": tables.meaning(scores), "judges": audit.as_dict()}


def write_hevas(
    out: Path,
    documents: Documents,
    systems: Sequence[System],
    evaluation: Evaluation,
    analysis: Analysis,
    charts: Sequence[str] = ("interval", "box", "scatter"),
) -> None:
    """Write the page, `summary.csv`, `summary.json` and `charts`, and `items/<system>.csv`."""
    drawings = hevas_drawings(evaluation, analysis, charts)
    values = {
        "charts": drawings,
        "documents": documents,
        "evaluation": evaluation,
        "analysis": analysis,
        "comparisons": [
            (tables.metric_heading(name), tables.comparison_tables(each))
            for name, each in analysis.comparisons.items()
        ],
        "correlations": tables.correlations_table(analysis.correlations),
        "lower": [name for name in evaluation.metrics if name in LOWER_IS_BETTER],
        "means": tables.means_table(evaluation),
        "remarks": tables.hevas_remarks(evaluation),
    }
    page = environment().get_template("hevas.html.jinja").render(values)
    with replace_folder(out, "summary.json") as folder:
        for system in systems:
            rows = zip(documents.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True)
            cells = [[id_, headline, *of_item] for id_, headline, of_item in rows]
            header = ["id", "headline", *evaluation.metrics]
            write_table(folder / "items" / f"{system.name}.csv", header, cells, quote_formulas=True)
        write_table(folder / "summary.csv", *records(tables.hevas_table(evaluation)), quote_formulas=True)
        write_json(folder / "summary.json", tables.hevas_record(evaluation, analysis))
        (folder / "charts").mkdir()
        for drawing in drawings:
            save(drawing.figure, folder / "charts" / f"{drawing.name}.png")
        write_text(folder / "report.html", page)


def without_formulas(items: pl.DataFrame) -> pl.DataFrame:
    """Items for a spreadsheet: `unsupported` as JSON, an apostrophe before what would be taken for a formula."""
    parts = [json.dumps(of, ensure_ascii=False) for of in items["unsupported"].to_list()]
    items = items.with_columns(pl.Series("unsupported", parts, pl.String))
    return items.with_columns(
        pl.col(name).map_elements(without_formula, return_dtype=pl.String)
        for name, kind in items.schema.items()
        if kind == pl.String
    )
