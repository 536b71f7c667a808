"""The Score tab: one headline judged as it is written."""

import gradio as gr

from change_it.space.labels import LABELS
from change_it.space.models import Models
from change_it.space.parts import notice
from change_it.space.transfer_tab import answer_live, cards, direction_of, judge_question


def build(models: Models) -> None:
    """Make the tab's components and events, inside its `gr.Tab`; the headline is judged whenever a field changes."""
    written = [one for one in models.examples if one.prediction]
    offered = [[one.prediction, one.source, one.article, one.direction] for one in written]
    first = offered[0] if offered else ["", "", "", next(iter(models.directions))]
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            fields = [
                gr.Textbox(first[0], label=LABELS["new"], info=LABELS["new_info"], elem_id="own"),
                gr.Textbox(first[1], label=LABELS["original"], elem_id="own-original"),
                gr.Textbox(first[2], label=LABELS["article"], lines=4, max_lines=12, elem_id="own-article"),
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
            api_visibility="private",
        )
