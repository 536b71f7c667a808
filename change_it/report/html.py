"""The report as one HTML file: opens offline, follows light and dark, reads on a phone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from change_it.hevas.charts import save
from change_it.hevas.files import write_files
from change_it.hevas.page import Drawing, environment, explained, inline_svg
from change_it.papers import evalnlgeval2020
from change_it.report import charts
from change_it.report.context import CorpusInfo, Quality
from change_it.report.hevas import JUDGES, HevasResult
from change_it.scoring.score import AVERAGE, MEASURES, Scores

#: Words for the marks of an example: measure to (yes, no).
_MARKS = {
    "hh": ("same story as the original headline", "not the story of the original headline"),
    "ah": ("fits the article", "does not fit the article"),
    "main": ("style reversed", "style not reversed"),
}
#: Outcomes worth an example, as (hh, ah, main); None stands for either.
_KINDS: tuple[tuple[bool, bool, bool], ...] = (
    (True, True, True),
    (True, True, False),
    (False, True, True),
    (True, False, True),
    (False, False, True),
)


def report_charts(scores: Scores, corpus: CorpusInfo | None = None) -> list[Drawing]:
    """The charts of a report.

    Args:
        scores: the table.
        corpus: figures of the corpus; its similarities are drawn where known.

    Returns:
        Compliancy, judges, funnel and, where known, alignments.
    """
    drawn = [
        Drawing(
            "compliancy",
            "Compliancy",
            "Compliancy of each system with intervals",
            charts.compliancy_chart(scores),
        ),
        Drawing(
            "judges", "What each judge accepts", "Acceptance by HH, AH and main", charts.judges_chart(scores)
        ),
        Drawing(
            "funnel",
            "Where headlines fail",
            "Shares of headlines by failed judge",
            charts.funnel_chart(scores),
        ),
    ]
    if corpus and corpus.histogram:
        drawing = charts.alignment_chart(corpus.histogram)
        drawn.append(
            Drawing("alignment", "Alignments by threshold", "Number of alignments above a threshold", drawing)
        )
    return drawn


def write_report(
    out: Path,
    scores: Scores,
    corpus_info: CorpusInfo | None,
    judges_info: Sequence[Quality],
    hevas: HevasResult | None = None,
) -> None:
    """Write `report.html`, `systems.csv`, `scores.json` (paired tests too), `items/<system>.csv` and `charts/*.png`.

    Args:
        out: folder; made if it is not there, files of the same names are replaced.
        scores: the table.
        corpus_info: figures of the corpus, None where unknown.
        judges_info: judges and baselines, empty where unknown.
        hevas: the systems measured by HEvAS, which gets a section and the folder `hevas`.

    Raises:
        InputError: the folder `hevas` cannot be written.
    """
    import polars as pl

    drawn = report_charts(scores, corpus_info)
    for folder in ("items", "charts"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    pl.DataFrame([row.flat() for row in scores.rows]).write_csv(out / "systems.csv")
    table = json.dumps(as_dict(scores, hevas), indent=2, ensure_ascii=False)
    (out / "scores.json").write_text(table + "\n", encoding="utf-8")
    for system, items in scores.items.items():
        items.write_csv(out / "items" / f"{system}.csv")
    for chart in drawn:
        save(chart.figure, out / "charts" / f"{chart.name}.png")
    if hevas:
        write_files(out / "hevas", hevas.documents, hevas.systems, hevas.evaluation, hevas.analysis)
    page = render(scores, corpus_info, judges_info, drawn, hevas)
    (out / "report.html").write_text(page, encoding="utf-8")


def as_dict(scores: Scores, hevas: HevasResult | None = None) -> dict[str, Any]:
    """Everything but the items, ready for JSON.

    Args:
        scores: the table.
        hevas: the systems measured by HEvAS, under the key `hevas`.
    """
    return scores.as_dict() | ({"hevas": hevas.as_dict()} if hevas else {})


def render(
    scores: Scores,
    corpus_info: CorpusInfo | None,
    judges_info: Sequence[Quality],
    drawn: Sequence[Drawing],
    hevas: HevasResult | None = None,
) -> str:
    """The page.

    Args:
        scores: the table.
        corpus_info: figures of the corpus, None where unknown.
        judges_info: judges and baselines, empty where unknown.
        drawn: the charts to embed.
        hevas: the systems measured by HEvAS, None where they are not.

    Returns:
        HTML without any reference to another file.
    """
    published = _published_systems()
    directions = [name for name in scores.directions if name != AVERAGE]
    rerankers: dict[str, list[str]] = {}
    for system, reranker in scores.rerankers.items():
        rerankers.setdefault(reranker.short, []).append(system)
    return (
        environment("change_it.report")
        .get_template("report.html.jinja")
        .render(
            scores=scores,
            average=AVERAGE,
            measures=MEASURES,
            items=len(next(iter(scores.items.values()))),
            published=evalnlgeval2020,
            corpus=corpus_info,
            judges=judges_info,
            published_systems=published,
            published_alone={name: rows for name, rows in published.items() if name not in scores.directions},
            by_direction=[(name, published.get(name, [])) for name in directions],
            rerankers=rerankers,
            failed=any(row.errors for row in scores.rows),
            published_f1=_published_f1(),
            examples={system: _examples(scores, system) for system in scores.systems},
            charts=[(chart, Markup(inline_svg(chart.figure, chart.description))) for chart in drawn],
            hevas=hevas,
            explained=explained(hevas.evaluation.metrics) if hevas else {},
            judge_names=list(JUDGES),
        )
    )


def _published_systems() -> dict[str, list[evalnlgeval2020.PublishedRow]]:
    """Direction to the systems in the paper's order; the average of gold, which it does not print, is filled in."""
    directions: dict[str, list[evalnlgeval2020.PublishedRow]] = {}
    for row in evalnlgeval2020.SYSTEMS:
        directions.setdefault(row.direction, []).append(row)
    gold = [row for row in evalnlgeval2020.SYSTEMS if row.system == "gold"]
    mean = sum(row.compliancy for row in gold) / len(gold)
    directions[AVERAGE].insert(0, gold[0]._replace(direction=AVERAGE, compliancy=mean))
    return directions


def _published_f1() -> dict[str, float]:
    """Task to the mean of the published F1 of its two classes."""
    rows = evalnlgeval2020.JUDGES
    return {
        task: sum(row.f1 for row in rows if row.judge == task) / 2
        for task in dict.fromkeys(row.judge for row in rows)
    }


def _examples(scores: Scores, system: str) -> list[dict[str, Any]]:
    """For each kind of outcome that occurs the first headline, the directions taking turns."""
    found: list[dict[str, Any]] = []
    directions = [name for name in scores.directions if name != AVERAGE]
    rows = scores.items[system].to_dicts()
    for turn, kind in enumerate(_KINDS):
        fitting = [row for row in rows if (row["hh"], row["ah"], row["main"]) == kind]
        preferred = directions[turn % len(directions)]
        best = next(
            (row for row in fitting if row["direction"] == preferred), fitting[0] if fitting else None
        )
        if best:
            marks = [
                (bool(best[name]), words[0] if best[name] else words[1]) for name, words in _MARKS.items()
            ]
            found.append({**best, "marks": marks})
    return found
