"""The Compare tab: two systems item by item, on what the Score tab found or on tables of verdicts."""

from collections.abc import Callable, Sequence
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
    unsupported,
)
from change_it.scoring.compliancy import JUDGES
from change_it.scoring.scores import Scores
from change_it.space.fragments import grid, notice, render
from change_it.space.limits import LIMITS, friendly
from change_it.space.translation import Texts
from change_it.space.uploads import TABLES_QUEUE, read_upload, refuse_lines, uploaded
from change_it.translation import Translate, translate

#: Items that are shown at once.
PAGE = 10


def build(texts: Texts, scored: gr.State) -> None:
    """The tab's components and events, inside its `gr.Tab`; `scored` is what the Score tab found."""
    tables = gr.State({}, time_to_live=3600)
    page = gr.State(0)
    texts.add(gr.Markdown(), value="compare.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            files = texts.add(
                gr.File(file_count="multiple", height=150, elem_id="compare-files"), label="compare.files"
            )
            texts.add(gr.Markdown(elem_classes="ci-label"), value="compare.files_info")
        with gr.Column(scale=6, min_width=300):
            with gr.Row():
                first = texts.add(
                    gr.Dropdown([], min_width=140, elem_id="compare-first"), label="compare.first"
                )
                second = texts.add(
                    gr.Dropdown([], min_width=140, elem_id="compare-second"), label="compare.second"
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
    counts = texts.add(
        gr.Dataframe(interactive=False, visible=False, elem_id="compare-counts"), label="compare.counts"
    )
    shown = gr.HTML(notice(texts("compare.start")), elem_id="compare-items", padding=False)
    with gr.Row(visible=False) as pages:
        previous = texts.add(gr.Button(size="sm", elem_id="compare-previous"), value="compare.previous")
        following = texts.add(gr.Button(size="sm", elem_id="compare-next"), value="compare.next")

    def listing(step: int | None) -> Callable[..., Any]:
        """A handler that shows the first items, or those some pages further."""

        @friendly
        def handler(*values: Any) -> list[Any]:
            tables, first, second, verdict, outcome, at, language = values
            at = 0 if step is None else at + step
            return shown_items(tables, first, second, verdict, outcome, at, language)

        return handler

    @friendly
    def on_upload(files: Any, language: str) -> list[Any]:
        try:
            return systems_chosen(read_verdicts(uploaded(files), translate=partial(translate, language)))
        except InputError as error:
            return nothing_chosen(str(error))

    @friendly
    def on_scored(found: Scores | None, language: str) -> list[Any]:
        return systems_chosen(found.items) if found else nothing_chosen(translate(language, "compare.start"))

    def systems_chosen(found: Tables) -> list[Any]:
        names = list(found)
        return [
            found,
            gr.update(choices=names, value=names[0]),
            gr.update(choices=names, value=names[min(1, len(names) - 1)]),
            *[gr.skip()] * 3,
        ]

    def nothing_chosen(message: str) -> list[Any]:
        empty, hidden = gr.update(choices=[], value=None), gr.update(visible=False)
        return [{}, empty, empty, hidden, notice(message), hidden]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    results = [tables, first, second, counts, shown, pages]
    items: dict[str, Any] = {
        "inputs": [tables, first, second, verdict, outcome, page, texts.language],
        "outputs": [counts, shown, pages, page],
        **quiet,
    }
    from_start = {"fn": listing(None), **items}
    files.upload(on_upload, [files, texts.language], results, **quiet, **TABLES_QUEUE).success(**from_start)
    scored.change(on_scored, [scored, texts.language], results, **quiet).success(**from_start)
    gr.on([one.input for one in (first, second, verdict, outcome)], **from_start)
    previous.click(listing(-1), **items)
    following.click(listing(1), **items)
    texts.language.change(listing(0), **items)


def shown_items(
    tables: Tables, first: str, second: str, verdict: str, outcome: str, at: int, language: str
) -> list[Any]:
    """Updates of what is shown of a choice: counts, items, the buttons to other pages, the page."""
    in_language = partial(translate, language)
    hidden = gr.update(visible=False)
    if not tables:
        return [hidden, gr.skip(), hidden, 0]
    try:
        items = matched(tables, first, second, translate=in_language)
    except InputError as error:
        return [hidden, notice(str(error)), hidden, 0]
    table = grid(counts_table(items, first, second, in_language), language)
    counts = gr.update(value=table, visible=True)
    found = chosen(items, verdict, outcome)
    if not len(found):
        return [counts, notice(in_language("compare.nothing")), hidden, 0]
    last = (len(found) - 1) // PAGE
    at = max(0, min(at, last))
    part = found[at * PAGE : (at + 1) * PAGE]
    start = at * PAGE + 1
    summary = in_language("compare.shown", start=start, end=start + len(part) - 1, count=len(found))
    shown = pairs_html(part, first, second, in_language, summary)
    return [counts, shown, gr.update(visible=last > 0), at]


def read_verdicts(paths: Sequence[Path], *, translate: Translate) -> dict[str, pl.DataFrame]:
    """Uploaded tables of verdicts, see `report.compare.read_verdicts`; a system is called like its file."""
    systems = compare.read_verdicts(
        {path: path.stem for path in paths},
        partial(read_upload, translate=translate),
        partial(refuse_lines, translate=translate),
        translate=translate,
        longest=LIMITS.headline,
        longest_name=LIMITS.name,
    )
    if len(systems) > LIMITS.systems:
        raise InputError(translate("compare.systems", most=LIMITS.systems, found=len(systems)))
    return systems


def pairs_html(items: pl.DataFrame, first: str, second: str, translate: Translate, summary: str) -> str:
    """Items as HTML, both headlines with words that are not the original's marked and every verdict in words."""
    rows = items.to_dicts()
    for row in rows:
        row |= {f"unsupported{end}": unsupported(row[f"unsupported{end}"]) for end in ("", OTHER)}
    return render(
        "pairs.html.jinja",
        rows=rows,
        first=first,
        second=second,
        other=OTHER,
        judges=JUDGES,
        summary=summary,
        translate=translate,
    )
