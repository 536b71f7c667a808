"""The Compare tab: two systems item by item, on what the Score tab found or on tables of verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import polars as pl

from change_it.errors import InputError
from change_it.results import comparison as compare
from change_it.results.comparison import (
    OTHER,
    OUTCOMES,
    VERDICTS,
    Tables,
    chosen,
    counts_table,
    matched,
)
from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.scoring.facts import read_unsupported
from change_it.scoring.scores import Scores
from change_it.space.fragments import notice, render
from change_it.space.limits import LIMITS, friendly
from change_it.space.uploads import TABLES_QUEUE, read_upload, refuse_lines, uploaded
from change_it.translation import Message, Texts, localized, translate

#: Items that are shown at once.
PAGE = 10


@dataclass(frozen=True)
class Choices:
    """What a reader chooses: files of verdicts, two systems, whose verdict and which outcome to look at."""

    files: gr.File
    first: gr.Dropdown
    second: gr.Dropdown
    verdict: gr.Dropdown
    outcome: gr.Dropdown

    @property
    def chosen(self) -> list[Any]:
        """All but the files."""
        return [self.first, self.second, self.verdict, self.outcome]


@dataclass(frozen=True)
class Shown:
    """What is shown of a choice, and the buttons to other pages of it."""

    counts: gr.HTML
    items: gr.HTML
    pages: gr.Row
    previous: gr.Button
    following: gr.Button


def build(texts: Texts, scored: gr.State) -> None:
    """The tab's components and events, inside its `gr.Tab`; `scored` is what the Score tab found."""
    texts.add(gr.Markdown(), value="compare.intro")
    choices = _choices(texts)
    _wire(texts, scored, choices, _shown(texts))


def _choices(texts: Texts) -> Choices:
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            files = texts.add(
                gr.File(file_count="multiple", height=150, elem_id="compare-files"), label="compare.files"
            )
            texts.add(gr.Markdown(elem_classes="ci-label"), value="compare.files_info")
        with gr.Column(scale=6, min_width=300):
            with gr.Row():
                first, second = (
                    texts.add(
                        gr.Dropdown([], min_width=140, elem_id=f"compare-{name}"), label=f"compare.{name}"
                    )
                    for name in ("first", "second")
                )
            with gr.Row():
                verdict = texts.add(
                    gr.Dropdown(list(VERDICTS), value="compliant", min_width=230, elem_id="compare-judge"),
                    label="compare.judge",
                    choices={name: f"compare.judge_{name}" for name in VERDICTS},
                )
                outcome = texts.add(
                    gr.Dropdown(list(OUTCOMES), value="all", min_width=230, elem_id="compare-outcome"),
                    label="compare.outcome",
                    choices={name: f"compare.outcome_{name}" for name in OUTCOMES},
                )
    return Choices(files, first, second, verdict, outcome)


def _shown(texts: Texts) -> Shown:
    counts = gr.HTML(visible=False, elem_id="compare-counts", padding=False)
    items = gr.HTML(notice(texts("compare.start")), elem_id="compare-items", padding=False)
    with gr.Row(visible=False) as pages:
        previous = texts.add(gr.Button(size="sm", elem_id="compare-previous"), value="compare.previous")
        following = texts.add(gr.Button(size="sm", elem_id="compare-next"), value="compare.next")
    return Shown(counts, items, pages, previous, following)


def _wire(texts: Texts, scored: gr.State, choices: Choices, shown: Shown) -> None:
    """What happens when verdicts arrive, when a choice changes and when a button is pressed."""
    tables, page = gr.State({}, time_to_live=3600), gr.State(0)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    results = [tables, choices.first, choices.second, shown.counts, shown.items, shown.pages]
    items: dict[str, Any] = {
        "inputs": [tables, *choices.chosen, page, texts.language],
        "outputs": [shown.counts, shown.items, shown.pages, page],
        **quiet,
    }
    from_start = {"fn": partial(_listing, None), **items}
    choices.files.upload(
        _on_upload, [choices.files, texts.language], results, **quiet, **TABLES_QUEUE
    ).success(**from_start)
    scored.change(_on_scored, [scored, texts.language], results, **quiet).success(**from_start)
    gr.on([choice.input for choice in choices.chosen], **from_start)
    shown.previous.click(partial(_listing, -1), **items)
    shown.following.click(partial(_listing, 1), **items)
    texts.language.change(partial(_listing, 0), **items)


def _listing(step: int | None, *values: Any) -> list[Any]:
    """The first items, or those some pages further."""
    *choice, at, language = values
    return friendly(shown_items)(*choice, 0 if step is None else at + step, language)


@friendly
def _on_upload(files: object, language: str) -> list[Any]:
    try:
        return _systems_chosen(read_uploaded_verdicts(uploaded(files)))
    except InputError as error:
        return _nothing_chosen(localized(language, error))


@friendly
def _on_scored(scores: Scores | None, language: str) -> list[Any]:
    if scores is None:
        return _nothing_chosen(translate(language, "compare.start"))
    return _systems_chosen(scores.items)


def _systems_chosen(tables: Tables) -> list[Any]:
    names = list(tables)
    return [
        tables,
        gr.update(choices=names, value=names[0]),
        gr.update(choices=names, value=names[min(1, len(names) - 1)]),
        *[gr.skip()] * 3,
    ]


def _nothing_chosen(message: str) -> list[Any]:
    empty, hidden = gr.update(choices=[], value=None), gr.update(visible=False)
    return [{}, empty, empty, hidden, notice(message), hidden]


def shown_items(
    tables: Tables, first: str, second: str, verdict: str, outcome: str, at: int, language: str
) -> list[Any]:
    """Updates of what is shown of a choice: counts, items, the buttons to other pages, the page."""
    hidden = gr.update(visible=False)
    if not tables:
        return [hidden, gr.skip(), hidden, 0]
    try:
        items = matched(tables, first, second)
    except InputError as error:
        return [hidden, notice(localized(language, error)), hidden, 0]
    table = counts_table(items, first, second)
    counts = gr.update(value=render("counts.html.jinja", language, counts=table), visible=True)
    rows = chosen(items, verdict, outcome)
    if not len(rows):
        return [counts, notice(translate(language, "compare.nothing")), hidden, 0]
    last = (len(rows) - 1) // PAGE
    at = max(0, min(at, last))
    part = rows[at * PAGE : (at + 1) * PAGE]
    start = at * PAGE + 1
    summary = Message("compare.shown", start=start, end=start + len(part) - 1, count=len(rows))
    shown = pairs_html(part, first, second, language, summary)
    return [counts, shown, gr.update(visible=last > 0), at]


def read_uploaded_verdicts(paths: Sequence[Path]) -> dict[str, pl.DataFrame]:
    """Uploaded tables of verdicts, see `comparison.read_verdicts`; a system is called like its file."""
    systems = compare.read_verdicts(
        {path: path.stem for path in paths},
        read_upload,
        refuse_lines,
        longest=LIMITS.headline,
        longest_name=LIMITS.name,
    )
    if len(systems) > LIMITS.systems:
        raise InputError(Message("uploads.systems", most=LIMITS.systems, found=len(systems)))
    return systems


def pairs_html(items: pl.DataFrame, first: str, second: str, language: str, summary: str) -> str:
    """Items as HTML, both headlines with words that are not the original's marked and every verdict in words."""
    rows = items.to_dicts()
    for row in rows:
        row |= {f"unsupported{end}": read_unsupported(row[f"unsupported{end}"]) for end in ("", OTHER)}
    return render(
        "pairs.html.jinja",
        language,
        rows=rows,
        first=first,
        second=second,
        other=OTHER,
        judges=VERDICT_NAMES,
        summary=summary,
    )
