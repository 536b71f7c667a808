"""Files of a report: tables, charts and a page, put in place all at once."""

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

from change_it.audit.record import NO_AUDIT, Summary
from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.test_set import BUILT_IN
from change_it.files.atomic import replace_folder, without_formula, write_json, write_table, write_text
from change_it.files.texts import enumerated
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import within_event_table
from change_it.judges.spec import JUDGES, MAIN, acceptability_tasks
from change_it.render.tables import Table, to_latex
from change_it.report import score_tables as tables
from change_it.report.audit_tables import verdict_values
from change_it.report.charts import plane, plotted_measures
from change_it.report.pages import (
    ACCEPTABILITY,
    COMPLIANCY,
    STYLE,
    environment,
    items_table,
)
from change_it.report.ranking import Ranking, best_system, headline, outcome, still_needed
from change_it.scoring.aspects import ASPECTS, refusals
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
    all_articles: Scores | None = None,
) -> None:
    """Write page, `systems.csv`, `scores.json`, `charts/plane.svg` and `items/<system>.csv`.

    `metrics` are of `read_metrics`, `made` is of `made`; `articles`, by the ids of items, are shown with them. `all_articles`
    are the scores on the test articles without a partner, too: they have a table of their own, and `all-articles.csv`.
    """
    ranking = Ranking.of(scores, audit)
    main = metrics.get(MAIN)
    written = tables.examples_table(scores)
    drawing = plane(scores)
    single = tables.systems_table(scores, [AVERAGE], (*JUDGES, *OVERLAP_MEASURES))
    compared = all_articles or scores
    own = [name for name in compared.systems if name not in BUILT_IN]
    parts = {
        "written": written,
        "judges": metrics or audit.judges or audit.kinds,
        "tests": scores.systems[1:],
    }
    values: dict[str, object] = {
        "absent": [section for section, content in parts.items() if not content],
        "items": items_table(scores.items, best_system(scores), articles),
        "chart": drawing,
        "not_ranking": [name for name in plotted_measures(scores) if name not in ranking.measures],
        "validation": {"compliancy": COMPLIANCY, "style": STYLE, "acceptability": ACCEPTABILITY},
        "averaged": tables.averaged(scores),
        "few": tables.few_events(scores),
        "ours": len(own),
        "outlets": " and ".join(scores.outlets),
        "factors": _factors(" and ".join(scores.outlets)),
        "invented": is_sample_corpus(scores.outlets),
        "made": made,
        "scores": scores,
        "audit": audit,
        "audit_page": relpath(audit.page, out.resolve()).replace("\\", "/") if audit.page else "",
        **verdict_values(audit),
        "judges": JUDGES,
        "headline": headline(scores),
        "ranked": tables.ranked_table(scores, ranking),
        "count": len(next(iter(scores.items.values()))),
        "written": written,
        "outcome": outcome(scores, ranking),
        "needed": still_needed(ranking),
        "average": tables.systems_table(scores, [AVERAGE], (*ASPECTS, "edited", "accepted"), ranking),
        "all_articles": _table_of_all(all_articles, scores, audit) if all_articles else None,
        "differences": tables.differences_table(compared, own[0]) if len(own) > 1 else None,
        "latex": to_latex(tables.paper_table({"with a partner": scores}, ranking.measures)),
        "single": replace(single, notes=()),  # they stand at the first
        "likeness": tables.likeness(scores),
        "by_direction": tables.systems_table(scores, scores.directions[:-1], ranking=ranking),
        "within_event": within_event_table(main.within_event, main.style) if main else None,
        "tests": {name: tables.tests_table(scores, name) for name in scores.p_values},
    }
    page = environment().get_template("compliancy.html.jinja").render(values)
    record = report_record(scores, audit, all_articles) | ({"made": made} if made else {})
    with replace_folder(out, "scores.json") as folder:
        _write_systems(folder / "systems.csv", scores)
        if all_articles:
            _write_systems(folder / "all-articles.csv", all_articles)
        write_json(folder / "scores.json", record)
        for name in ("charts", "items"):
            (folder / name).mkdir()
        (folder / "charts" / "plane.svg").write_bytes(drawing.svg)
        for system, items in scores.items.items():
            without_formulas(items).write_csv(folder / "items" / f"{system}.csv")
        write_text(folder / "report.html", page)


def _write_systems(path: Path, scores: Scores) -> None:
    """Write the rows of a table of systems."""
    cells = [row.flat(scores.measures) for row in scores.rows]
    rows = [list(row.values()) for row in cells]
    write_table(path, list(cells[0]), rows, quote_formulas=True)


def _factors(outlets: str) -> str:
    """Return the judges that acceptability multiplies, each with what is to be known of it."""
    specs = [JUDGES[task] for task in acceptability_tasks()]
    return enumerated([spec.heading + spec.wording.remark.format(outlets=outlets) for spec in specs])


def _table_of_all(all_articles: Scores, pairs: Scores, audit: Summary) -> Table:
    """Return the averages on all test articles, those without a partner among them."""
    ranking = Ranking.of_all(all_articles, pairs, audit)
    table = tables.systems_table(all_articles, [AVERAGE], (*ASPECTS, "edited"), ranking)
    return replace(table, notes=())


def report_record(
    scores: Scores, audit: Summary = NO_AUDIT, all_articles: Scores | None = None
) -> dict[str, object]:
    """Return the report without its items, as a JSON object, the verdicts of the audit first.

    `all_articles` is a key of it where they are given.
    """
    ranking = Ranking.of(scores, audit)
    grey = {system: ranking.grey(system) for system in scores.names}
    more = {"meaning": tables.meaning(scores, ranking), "grey": grey}
    record = audit.as_dict() | scores.as_dict() | more
    return record | ({"all_articles": all_articles.as_dict()} if all_articles else {})


def without_formulas(items: pl.DataFrame) -> pl.DataFrame:
    """Items for a spreadsheet: lists as texts, an apostrophe before what would be taken for a formula.

    `unsupported` has the texts alone, each on a line of its cell; their places are those where they stand in the headline.
    """
    parts = ["\n".join(part["text"] for part in parts) for parts in items["unsupported"].to_list()]
    reasons = [refusals(reasons) for reasons in items["refused_by"].to_list()]
    items = items.with_columns(
        pl.Series("unsupported", parts, pl.String), pl.Series("refused_by", reasons, pl.String)
    )
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
