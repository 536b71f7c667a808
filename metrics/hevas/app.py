"""A page to try those metrics of HEvAS that one headline and its article suffice for."""

from pathlib import Path

import gradio as gr

from change_it.evaluate_module import page

METRICS = ["R-1", "R-2", "R-SU", "R-WSU", "JS-C", "JS-S", "PNR", "NR", "PR", "Fog", "AWL"]
INPUTS = (
    gr.Textbox(label="New headline"),
    gr.Textbox(label="Reference headlines, one a line", lines=3),
    gr.Textbox(label="Article", lines=8),
    gr.Radio(["it", "en"], value="it", label="Language"),
)


def arguments(headline, references, document, language):
    """The arguments of `compute`."""
    items = {"predictions": [headline], "references": [references.splitlines()], "documents": [document]}
    return {**items, "metrics": METRICS, "language": language}


demo = page(
    Path(__file__).with_name("hevas.py"),
    arguments,
    INPUTS,
    {name: name for name in METRICS},
    "How informative and how readable is a headline?",
)

if __name__ == "__main__":
    demo.launch()
