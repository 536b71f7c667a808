"""A page to try those metrics of HEvAS that one headline and its article suffice for."""

from pathlib import Path

import gradio as gr

from change_it.evaluate_module import page
from change_it.hevas.metrics import METRICS

#: Metrics of the page.
SHOWN = [name for name, metric in METRICS.items() if metric.says_something_alone]
INPUTS = (
    gr.Textbox(label="New headline"),
    gr.Textbox(label="Reference headlines, one a line", lines=3),
    gr.Textbox(label="Article", lines=8),
    gr.Radio(["it", "en"], value="it", label="Language"),
)


def arguments(headline, references, document, language):
    """Return the arguments of `compute`."""
    return {
        "predictions": [headline],
        "references": [references.splitlines()],
        "documents": [document],
        "metrics": SHOWN,
        "language": language,
    }


demo = page(
    Path(__file__).with_name("hevas.py"),
    arguments,
    INPUTS,
    {name: name for name in SHOWN},
    "How informative and how readable is a headline?",
)

if __name__ == "__main__":
    demo.launch()
