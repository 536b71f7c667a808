"""The Compare tab: two systems item by item, on what the Score tab found or on tables of verdicts."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.space import compared, view
from change_it.space.limits import friendly
from change_it.space.results import TURN, chosen_paths
from change_it.space.words import Words, say

_OUTCOME_KEYS = {name: f"compare.{name}" for name in compared.OUTCOMES} | {
    "first": "compare.first_failed",
    "second": "compare.second_failed",
}


def build(words: Words, scored: gr.State) -> None:
    """The tab's components and events, inside its `gr.Tab`.

    Args:
        words: the page's texts.
        scored: system to its table of verdicts, of the Score tab.
    """
    tables = gr.State({}, time_to_live=3600)
    page = gr.State(0)
    words.tell(gr.Markdown(), value="compare.intro")
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            files = words.tell(
                gr.File(file_count="multiple", height=150, elem_id="compare-files"), label="compare.files"
            )
            words.tell(gr.Markdown(elem_classes="ci-label"), value="compare.files_info")
        with gr.Column(scale=6, min_width=300):
            with gr.Row():
                first = words.tell(
                    gr.Dropdown([], min_width=140, elem_id="compare-first"), label="compare.first"
                )
                second = words.tell(
                    gr.Dropdown([], min_width=140, elem_id="compare-second"), label="compare.second"
                )
            with gr.Row():
                judge = words.tell(
                    gr.Dropdown(
                        list(compared.JUDGES), value="compliant", min_width=230, elem_id="compare-judge"
                    ),
                    label="compare.judge",
                    choices={name: f"compare.judge_{name}" for name in compared.JUDGES},
                )
                outcome = words.tell(
                    gr.Dropdown(
                        list(compared.OUTCOMES), value="all", min_width=230, elem_id="compare-outcome"
                    ),
                    label="compare.outcome",
                    choices=_OUTCOME_KEYS,
                )
    counts = words.tell(
        gr.Dataframe(interactive=False, visible=False, elem_id="compare-counts"), label="compare.counts"
    )
    shown = gr.HTML(view.notice(words("compare.start")), elem_id="compare-items", padding=False)
    with gr.Row(visible=False) as turning:
        back = words.tell(gr.Button(size="sm", elem_id="compare-previous"), value="compare.previous")
        on = words.tell(gr.Button(size="sm", elem_id="compare-next"), value="compare.next")

    choice = [tables, first, second, judge, outcome]
    outputs = [counts, shown, turning, page]

    def listing(step: int | None) -> Callable[..., Any]:
        """A handler that shows the items from the first one, or turns pages."""

        @friendly
        def handler(*values: Any) -> list[Any]:
            tables, first, second, judge, outcome, at, language = values
            page = 0 if step is None else at + step
            return _listed(tables, first, second, judge, outcome, page, language)

        return handler

    @friendly
    def uploaded(files: Any, language: str) -> list[Any]:
        try:
            return taken(compared.read_verdicts(chosen_paths(files), say=partial(say, language)))
        except InputError as error:
            return none_taken(str(error))

    @friendly
    def arrived(found: compared.Tables, language: str) -> list[Any]:
        return taken(found) if found else none_taken(say(language, "compare.start"))

    def taken(found: compared.Tables) -> list[Any]:
        names = list(found)
        return [
            found,
            gr.update(choices=names, value=names[0]),
            gr.update(choices=names, value=names[min(1, len(names) - 1)]),
            *[gr.skip()] * 3,
        ]

    def none_taken(message: str) -> list[Any]:
        nothing = gr.update(choices=[], value=None)
        return [
            {},
            nothing,
            nothing,
            gr.update(visible=False),
            view.notice(message),
            gr.update(visible=False),
        ]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    arriving = [tables, first, second, counts, shown, turning]
    asking: dict[str, Any] = {"inputs": [*choice, page, words.language], "outputs": outputs} | quiet
    anew = {"fn": listing(None)} | asking
    files.upload(uploaded, [files, words.language], arriving, **quiet, **TURN).success(**anew)
    scored.change(arrived, [scored, words.language], arriving, **quiet).success(**anew)
    gr.on([one.input for one in (first, second, judge, outcome)], **anew)
    back.click(listing(-1), **asking)
    on.click(listing(1), **asking)
    words.language.change(listing(0), **asking)


def _listed(
    tables: compared.Tables, first: str, second: str, judge: str, outcome: str, at: int, language: str
) -> list[Any]:
    """What is shown of a choice: counts, items, the buttons that turn pages, the page."""
    tell = partial(say, language)
    hidden = gr.update(visible=False)
    if not tables:
        return [hidden, gr.skip(), hidden, 0]
    try:
        pairs = compared.matched(tables, first, second, say=tell)
    except InputError as error:
        return [hidden, view.notice(str(error)), hidden, 0]
    header, rows = compared.count_rows(pairs, first, second, tell)
    counts = gr.update(value={"headers": header, "data": rows}, visible=True)
    found = compared.chosen(pairs, judge, outcome)
    if not found:
        return [counts, view.notice(tell("compare.nothing")), hidden, 0]
    last = (len(found) - 1) // compared.PAGE
    at = max(0, min(at, last))
    start = at * compared.PAGE
    part = found[start : start + compared.PAGE]
    told = tell("compare.shown", start=start + 1, end=start + len(part), count=len(found))
    cards = compared.cards(part, first, second, tell)
    return [
        counts,
        f'<div class="ci-answer"><p class="ci-summary" role="status">{told}</p>{cards}</div>',
        gr.update(visible=last > 0),
        at,
    ]
