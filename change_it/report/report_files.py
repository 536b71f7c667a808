"""Files of a report: tables, charts and a page, put in place all at once."""

import json
import os
import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from os.path import relpath
from pathlib import Path

import polars as pl

from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.test_set import BUILT_IN
from change_it.files.atomic import replace_folder, without_formula, write_json, write_table, write_text
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import NO_AUDIT, Summary, verdicts_table, within_event_table
from change_it.report import score_tables as tables
from change_it.report.charts import plane
from change_it.report.pages import (
    ACCEPTABILITY,
    COMPLIANCY,
    STYLE,
    environment,
    items_table,
)
from change_it.scoring.aspects import ASPECTS, VERDICT_NAMES
from change_it.scoring.overlap import OVERLAP_MEASURES
from change_it.scoring.scores import AVERAGE, Scores
from change_it.version import __version__

#: Libraries whose versions a report names.
LIBRARIES = ("torch", "transformers", "numpy", "scikit-learn", "polars")


def write_report(
    out: Path,
    scores: Scores,
    metrics: Mapping[str, JudgeMetrics],
    audit: Summary = NO_AUDIT,
    *,
    made: Mapping[str, str] | None = None,
    articles: Mapping[str, str] | None = None,
) -> None:
    """Write page, `systems.csv`, `scores.json`, `charts/plane.svg` and `items/<system>.csv`.

    `metrics` are of `read_metrics`, `made` is of `made`; `articles`, by the ids of items, are shown with them.
    """
    written, first, drawing = tables.examples_table(scores), tables.best_system(scores), plane(scores)
    main = metrics.get("main")
    single = tables.systems_table(scores, [AVERAGE], (*VERDICT_NAMES, *OVERLAP_MEASURES))
    parts = {"written": written, "judges": metrics or audit.verdicts, "tests": scores.systems[1:]}
    values: dict[str, object] = {
        "absent": [section for section, content in parts.items() if not content],
        "items": items_table(scores.items, first, articles),
        "chart": drawing,
        "validation": {"compliancy": COMPLIANCY, "style": STYLE, "acceptability": ACCEPTABILITY},
        "averaged": tables.averaged(scores),
        "few": tables.few_events(scores),
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
        "likeness": tables.likeness(scores),
        "by_direction": tables.systems_table(scores, scores.directions[:-1]),
        "within_event": within_event_table(main.within_event, main.style) if main else None,
        "tests": {name: tables.tests_table(scores, name) for name in scores.p_values},
    }
    page = environment().get_template("compliancy.html.jinja").render(values)
    cells = [row.flat(scores.measures) for row in scores.rows]
    with replace_folder(out, "scores.json") as folder:
        rows = [list(row.values()) for row in cells]
        write_table(folder / "systems.csv", list(cells[0]), rows, quote_formulas=True)
        write_json(folder / "scores.json", report_record(scores, audit) | ({"made": made} if made else {}))
        for name in ("charts", "items"):
            (folder / name).mkdir()
        (folder / "charts" / "plane.svg").write_bytes(drawing.svg)
        for system, items in scores.items.items():
            without_formulas(items).write_csv(folder / "items" / f"{system}.csv")
        write_text(folder / "report.html", page)


def report_record(scores: Scores, audit: Summary = NO_AUDIT) -> dict[str, object]:
    """The report without its items, as a JSON object."""
    sentences = filter(None, (tables.meaning(scores), tables.few_events(scores)))
    return scores.as_dict() | {"meaning": " ".join(sentences), "judges": audit.as_dict()}


def without_formulas(items: pl.DataFrame) -> pl.DataFrame:
    """Items for a spreadsheet: `unsupported` as JSON, an apostrophe before what would be taken for a formula."""
    parts = [json.dumps(texts, ensure_ascii=False) for texts in items["unsupported"].to_list()]
    items = items.with_columns(pl.Series("unsupported", parts, pl.String))
    return items.with_columns(
        pl.col(name).map_elements(without_formula, return_dtype=pl.String)
        for name, kind in items.schema.items()
        if kind == pl.String
    )


def made() -> dict[str, str]:
    """Date, version, machine and libraries of a report, for its page and `scores.json`."""
    import torch

    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processor = platform.processor() or platform.machine()
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if match := re.search(r"^model name\s*: (.*)", text, re.MULTILINE):
            processor = match[1]
    libraries = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": f"change_it {__version__}",
        "hardware": ", ".join((f"{cores} × {processor}", *gpus)),
        "libraries": ", ".join(libraries),
    }
