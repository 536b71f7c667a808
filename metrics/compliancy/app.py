"""A page to try compliancy on one headline. The variable CHANGE_IT_JUDGES names its judges, a Hub id or a folder."""

import os
from functools import cache
from pathlib import Path

import gradio as gr

from change_it import InputError, Judges
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
JUDGES = os.environ.get("CHANGE_IT_JUDGES", "")


@cache
def judges():
    """Load the judges of the page; no visitor names others."""
    if not JUDGES:
        raise InputError("this page has no judges yet: set its variable CHANGE_IT_JUDGES, then restart it")
    return Judges.from_pretrained(JUDGES)


def outlets():
    """Return the outlets of the judges; none where there are no judges."""
    try:
        return judges().outlets
    except InputError:
        return ()


def arguments(source, headline, article, outlet):
    """Return the arguments of `compute`."""
    item = {"predictions": [headline], "sources": [source], "articles": [article], "labels": [outlet or ""]}
    return {**item, "judges": judges(), "resamples": 1}


names = outlets()
inputs = (
    gr.Textbox(label="Original headline"),
    gr.Textbox(label="New headline"),
    gr.Textbox(label="Article", lines=8),
    gr.Dropdown(names, value=next(iter(names), None), label="Outlet of the original"),
)
demo = page(
    Path(__file__).with_name("compliancy.py"),
    arguments,
    inputs,
    LABELS,
    "Did the style of the headline change, and did its story stay? Trained judges say.",
)

if __name__ == "__main__":
    demo.launch()
