"""The Score tab, and the endpoint `/judge`: one headline judged as it is written."""

import gradio as gr

from change_it.space.labels import LABELS
from change_it.space.models import Models
from change_it.space.parts import notice, refused
from change_it.space.transfer_tab import (
    QUEUE,
    answer,
    answer_live,
    cards,
    direction_of,
    inputs,
    judge_question,
    originals,
)


def build(models: Models) -> None:
    """Make the tab's components and events, inside its `gr.Tab`; the headline is judged whenever a field changes."""
    written = [one for one in models.examples if one.prediction]
    offered = [[one.prediction, one.source, one.article, one.direction] for one in written]
    first = offered[0] if offered else ["", "", "", next(iter(models.directions))]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            fields = [
                gr.Textbox(first[0], label=LABELS["new"], info=LABELS["new_info"], elem_id="own"),
                *originals(first[1], first[2], "own-original", "own-article"),
                direction_of(models, first[3]),
            ]
        with gr.Column(scale=7, min_width=320):
            start = notice(
                "Write a new headline, the original one and its article: the verdicts appear here."
            )
            shown = cards(models, judge_question, *first) if offered else start
            found = gr.HTML(shown, elem_id="own-found", padding=False)
    answer_live(models, judge_question, fields, found)
    if offered:
        labels = [f"{one.id}: {one.prediction}" for one in written]
        gr.Examples(
            offered,
            fields,
            label=LABELS["examples_of_corpus"],
            example_labels=labels,
            elem_id="own-examples",
            api_visibility="private",
        )
    _endpoint(models)


def _endpoint(models: Models) -> None:
    """Make the endpoint, documented by what is written here."""
    aim = next(iter(models.directions))

    @refused
    def judge_endpoint(headline: str, original: str, article: str, direction: str = aim) -> dict:
        return answer(models, judge_question, headline, original, article, direction)

    gr.api(
        judge_endpoint,
        api_name="judge",
        api_description=(
            "What the judges say of a headline that you wrote: does it tell the story of the original (hh) and of the "
            f"article (ah), and is the style reversed (main). {inputs(models)}; original: the original headline."
        ),
        **QUEUE,
    )
