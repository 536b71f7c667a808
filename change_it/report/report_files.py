"""Write the files of a report, all at once: a page, tables, a chart and the items of every system."""

import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from os.path import relpath
from pathlib import Path
from typing import Any

import polars as pl

from change_it.audit.record import NO_AUDIT, Summary
from change_it.corpus.reading.sample import is_sample_corpus
from change_it.corpus.test_set import BUILT_IN
from change_it.files.atomic import replace_folder, without_formula, write_table, write_text
from change_it.files.texts import enumerated, join_truncated
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import within_event_table
from change_it.judges.spec import JUDGES, MAIN, acceptability_tasks
from change_it.render.tables import Table, to_latex
from change_it.report import score_tables as tables
from change_it.report.audit_tables import verdict_values
from change_it.report.charts import plotted_measures, style_plane
from change_it.report.pages import ACCEPTABILITY, COMPLIANCY, STYLE, environment, items_table
from change_it.report.ranking import (
    Ranking,
    best_system,
    headline,
    outcome,
    still_needed,
    systems_of_files,
)
from change_it.report.record import SCORES, ReportRecord, write_report_record
from change_it.scoring.aspects import ASPECTS, refusals
from change_it.scoring.overlap import OVERLAP_MEASURES
from change_it.scoring.scores import AVERAGE, Scores
from change_it.version import __version__

#: Libraries whose versions a report names.
LIBRARIES = ("torch", "transformers", "numpy", "scikit-learn", "polars")
#: What files and a folder of the scores on all test articles are called.
ALL_ARTICLES = "all-articles"


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

    With `all_articles` there are `all-articles.csv`, and `all-articles/<system>.csv` of one's own systems.

    Args:
        out: the folder; a report that is there is replaced as a whole.
        scores: the scores of the systems on items with an aligned headline.
        metrics: what training measured of the judges, of `read_metrics`.
        audit: what is known of the judges.
        made: date, version, machine and libraries, of `provenance`; None where they are not told.
        articles: the articles by the ids of items, which are shown with them.
        all_articles: the scores on all test articles, with those without a partner; they have a table of
            their own.
    """
    drawing = style_plane(scores)
    values = {
        **_page_values(scores, audit, all_articles),
        **_judge_values(metrics, audit),
        "absent": _absent_sections(scores, metrics, audit),
        "audit_page": _relative_address(audit.page, out),
        "chart": drawing,
        "items": items_table(_items_of_page(scores, all_articles), best_system(scores), articles),
        "all_headlines": _say_all_headlines(scores, all_articles),
        "made": made,
    }
    page = environment().get_template("compliancy.html.jinja").render(values)
    record = report_record(scores, audit, all_articles)
    if made:
        record = replace(record, made=dict(made))
    with replace_folder(out, SCORES) as folder:
        _write_systems(folder / "systems.csv", scores, Ranking.from_scores(scores, audit))
        if all_articles:
            ranking_of_all = Ranking.from_pairs(all_articles, scores, audit)
            _write_systems(folder / f"{ALL_ARTICLES}.csv", all_articles, ranking_of_all)
        write_report_record(folder, record)
        for name in ("charts", "items"):
            (folder / name).mkdir()
        (folder / "charts" / "plane.svg").write_bytes(drawing.svg)
        for system, items in scores.items.items():
            without_formulas(items).write_csv(folder / "items" / f"{system}.csv")
        if all_articles:
            (folder / ALL_ARTICLES).mkdir()
            for system in systems_of_files(all_articles):
                items = without_formulas(all_articles.items[system])
                items.write_csv(folder / ALL_ARTICLES / f"{system}.csv")
        write_text(folder / "report.html", page)


def _page_values(scores: Scores, audit: Summary, all_articles: Scores | None) -> dict[str, Any]:
    """Return what the page shows of the scores, as the variables of its template."""
    ranking = Ranking.from_scores(scores, audit)
    compared = all_articles or scores
    own = systems_of_files(compared)
    outlets = " and ".join(scores.outlets)
    validation = {"compliancy": COMPLIANCY, "style": STYLE, "acceptability": ACCEPTABILITY}
    single = tables.systems_table(scores, [AVERAGE], (*JUDGES, *OVERLAP_MEASURES))
    table_of_all = None
    if all_articles:
        table_of_all = _table_of_all(all_articles, scores, audit)
    differences = None
    if len(own) > 1:
        differences = tables.differences_table(compared, own[0], ranking)
    average = tables.systems_table(scores, [AVERAGE], (*ASPECTS, "accepted"), ranking)
    tests = [_tests_of(scores, ranking, "test articles with a partner" if all_articles else "")]
    if all_articles:
        average = replace(average, signatures=[scores.signature])
        tests.insert(0, _tests_of(all_articles, ranking, "all test articles"))
    return {
        "scores": scores,
        "outlets": outlets,
        "invented": is_sample_corpus(scores.outlets),
        "ours": len(own),
        "headline": headline(scores),
        "few": tables.few_events(scores),
        "outcome": outcome(scores, ranking),
        "needed": still_needed(ranking),
        "averaged": tables.name_average(scores),
        "written": tables.examples_table(scores),
        "ranked": tables.ranked_table(scores, ranking),
        "average": average,
        "all_articles": table_of_all,
        "differences": differences,
        "latex": to_latex(tables.paper_table({"with a partner": scores}, ranking)),
        # Its notes stand at the table of averages.
        "single": replace(single, notes=()),
        "likeness": tables.overlap_correlations(scores),
        "by_direction": tables.systems_table(scores, scores.directions[:-1], ranking=ranking),
        "has_stars": any(row.marks.keys() - {"system"} for row in average.rows),
        "tests": tests,
        "signatures": [compared.signature, scores.signature] if all_articles else [scores.signature],
        "validation": validation,
        "other_aspects": [name for name in ASPECTS if name not in validation],
        "factors": _factors(outlets),
        "not_ranking": [name for name in plotted_measures(scores) if name not in ranking.measures],
    }


def _tests_of(scores: Scores, ranking: Ranking, articles: str) -> dict[str, Any]:
    """Return what the page shows of the paired tests of a table, whose articles are named beside others."""
    return {
        "articles": articles,
        "are_of": tables.tests_are_of(scores),
        "tables": {name: tables.tests_table(scores, name, ranking) for name in scores.p_values},
    }


def _judge_values(metrics: Mapping[str, JudgeMetrics], audit: Summary) -> dict[str, Any]:
    """Return what the page shows of the judges and of their audit, as the variables of its template."""
    within_event = None
    if MAIN in metrics:
        within_event = within_event_table(metrics[MAIN].within_event, metrics[MAIN].style)
    return {
        **verdict_values(audit),
        "audit": audit,
        "judges": JUDGES,
        "within_event": within_event,
    }


def _items_of_page(scores: Scores, all_articles: Scores | None) -> dict[str, pl.DataFrame]:
    """Return the items that the page lists: those with a partner, and all others of one's own systems."""
    listed = dict(scores.items)
    if all_articles is None:
        return listed
    for system in systems_of_files(all_articles):
        items = listed[system]
        others = all_articles.items[system].filter(~pl.col("id").is_in(items["id"].to_list()))
        listed[system] = pl.concat([items, others], how="vertical_relaxed")
    return listed


def _say_all_headlines(scores: Scores, all_articles: Scores | None) -> str:
    """Say which headlines the page lists, and which files have them; empty where it lists all of them."""
    if all_articles is None:
        return ""
    of_all = all_articles.row(all_articles.systems[0]).n
    with_partner = scores.row(scores.systems[0]).n
    alone = f"{of_all - with_partner:,} of them without a headline of the other newspaper to compare"
    return (
        f"Of your systems all {of_all:,} headlines are here, {alone}. "
        f"Of the baselines there are those of the {with_partner:,} articles with a partner. "
        f"The folder {ALL_ARTICLES} next to this page has the headlines of your systems as CSV."
    )


def _absent_sections(scores: Scores, metrics: Mapping[str, JudgeMetrics], audit: Summary) -> list[str]:
    """Return the sections of the page that have no content."""
    absent = []
    if best_system(scores) in BUILT_IN:
        absent.append("written")
    if not metrics and not audit.judges and not audit.kinds:
        absent.append("judges")
    if len(scores.systems) < 2:
        absent.append("tests")
    return absent


def _relative_address(page: Path | None, out: Path) -> str:
    """Return the address of a page as seen from the folder of the report; empty without a page."""
    if page is None:
        return ""
    return relpath(page, out.resolve()).replace("\\", "/")


def _write_systems(path: Path, scores: Scores, ranking: Ranking) -> None:
    """Write the scores of all systems as CSV, a line for each system and direction, its verdict last."""
    cells = []
    for row in scores.rows:
        verdict = tables.verdict_of_row(ranking, scores.p_values, [row.system])
        cells.append({**row.flat(scores.measures), "verdict": verdict})
    rows = [list(row.values()) for row in cells]
    write_table(path, list(cells[0]), rows, quote_formulas=True)


def _factors(outlets: str) -> str:
    """Return the judges that acceptability multiplies, as a sentence has them, each with its remark."""
    specs = [JUDGES[task] for task in acceptability_tasks()]
    return enumerated([spec.heading + spec.wording.remark.format(outlets=outlets) for spec in specs])


def _table_of_all(all_articles: Scores, pairs: Scores, audit: Summary) -> Table:
    """Return the averages on all test articles with their signature; their other notes stand elsewhere."""
    ranking = Ranking.from_pairs(all_articles, pairs, audit)
    table = tables.systems_table(all_articles, [AVERAGE], ASPECTS, ranking)
    notes = tables.cautions(ranking, all_articles.p_values, all_articles.names)
    return replace(table, notes=notes, signatures=[all_articles.signature])


def report_record(
    scores: Scores, audit: Summary = NO_AUDIT, all_articles: Scores | None = None
) -> ReportRecord:
    """Return the report without its items, as `scores.json` has it."""
    ranking = Ranking.from_scores(scores, audit)
    return ReportRecord(
        verdicts=dict(audit.verdicts),
        judges=audit.judges,
        scores=scores.record,
        meaning=tables.meaning(scores, ranking),
        grey={system: ranking.grey(system) for system in scores.names},
        all_articles=all_articles.record if all_articles else None,
    )


def without_formulas(items: pl.DataFrame) -> pl.DataFrame:
    """Return items for a spreadsheet, with an apostrophe before what it would take for a formula.

    Lists become texts. `unsupported` has the parts of the headline alone, each on a line of its cell.
    """
    unsupported = []
    for parts in items["unsupported"].to_list():
        texts = [part["text"] for part in parts]
        unsupported.append("\n".join(texts))
    reasons = [refusals(reasons) for reasons in items["refused_by"].to_list()]
    items = items.with_columns(
        pl.Series("unsupported", unsupported, pl.String),
        pl.Series("refused_by", reasons, pl.String),
    )
    all_texts = pl.col(pl.String)
    return items.with_columns(all_texts.map_elements(without_formula, return_dtype=pl.String))


def provenance(commits: Iterable[str] = ()) -> dict[str, str]:
    """Return date, version, machine and libraries of a report, for its page and `scores.json`.

    Args:
        commits: the commits on the Hub that the judges were loaded from; an empty text for each judge of this
            machine.
    """
    libraries = [f"Python {platform.python_version()}"]
    libraries += [f"{name} {version(name)}" for name in LIBRARIES]
    made = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": f"change_it {__version__}",
        "hardware": ", ".join([_processors(), *_gpus()]),
        "libraries": ", ".join(libraries),
    }
    on_hub = sorted({commit for commit in commits if commit})
    if on_hub:
        made["judges"] = f"of the Hub, commit {join_truncated(on_hub)}"
    return made


def _processors() -> str:
    """Return the number of cores that may be used, and the name of the processor."""
    cores = os.cpu_count()
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    processor = platform.processor() or platform.machine()
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        model = re.search(r"^model name\s*: (.*)", text, re.MULTILINE)
        if model:
            processor = model[1]
    return f"{cores} × {processor}"


def _gpus() -> list[str]:
    """Return the names of the GPUs if torch is loaded.

    Nothing else computes on them, and torch is not loaded for their names.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    return [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
