"""A page to try compliancy on one headline; judges come from the Hub or from a folder."""

import os
from pathlib import Path

import gradio as gr

from change_it.evaluate_module import page

LABELS = {
    "compliancy": "compliant",
    "hh": "HH: same story as the original headline",
    "ah": "AH: fits the article",
    "main": "main: style reversed",
    "fluency": "fluency: like headlines of these newspapers",
    "evidence": "evidence: every number, name and quotation stands in the sources",
    "style": "style: 0 neither newspaper's, 1 the other's",
    "acceptability": "acceptability: p of HH, AH and fluency multiplied, 0 without evidence",
    "edited": "edited: the original, or hardly another",
    "refused_by": "refused by",
    "unsupported": "without support",
}
INPUTS = (
    gr.Textbox(label="Original headline"),
    gr.Textbox(label="New headline"),
    gr.Textbox(label="Article", lines=8),
    gr.Textbox(label="Outlet of the original", value="rep"),
    gr.Textbox(label="Judges: Hub id or folder", value=os.environ.get("CHANGE_IT_JUDGES", "")),
)


def arguments(source, headline, article, label, judges):
    """The arguments of `compute`."""
    item = {"predictions": [headline], "sources": [source], "articles": [article], "labels": [label.strip()]}
    return {**item, "judges": judges.strip(), "resamples": 1}


demo = page(
    Path(__file__).with_name("compliancy.py"),
    arguments,
    INPUTS,
    LABELS,
    "Did the style of the headline change, and did its story stay? Trained judges say.",
)

if __name__ == "__main__":
    demo.launch()
