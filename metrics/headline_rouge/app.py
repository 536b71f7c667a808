"""A page to try headline ROUGE on one headline and its references."""

from pathlib import Path

import gradio as gr

from change_it.evaluate_module import page

#: Results and what the page calls them.
LABELS = {
    "rouge1": "R-1: words of the reference",
    "rouge2": "R-2: neighbouring words",
    "rougeL": "R-L: words in the same order",
    "rougeSU": "R-SU: words, and pairs at any gap",
    "rougeWSU": "R-WSU: the same, near pairs count more",
}
INPUTS = (
    gr.Textbox(label="New headline"),
    gr.Textbox(label="Reference headlines, one a line", lines=3),
)


def arguments(headline, references):
    """Return the arguments of `compute`."""
    return {"predictions": [headline], "references": [references.splitlines()]}


demo = page(
    Path(__file__).with_name("headline_rouge.py"),
    arguments,
    INPUTS,
    LABELS,
    "How much of a reference headline does a new headline hold?",
)

if __name__ == "__main__":
    demo.launch()
