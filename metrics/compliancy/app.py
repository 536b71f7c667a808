"""A page to try compliancy on one headline.

The variable CHANGE_IT_JUDGES names its judges, a Hub id or a folder.
"""

import os
from functools import cache
from pathlib import Path

import gradio as gr

from change_it import InputError, Judges
from change_it.evaluate_module import page
from change_it.judges.spec import JUDGES, short_names

LABELS = {
    "compliancy": "compliant",
    **{task: spec.wording.label for task, spec in JUDGES.items()},
    "style": "style: 0 neither newspaper's, 1 the other's",
    "acceptability": f"acceptability: p of {short_names('acceptability')} multiplied, 0 without evidence",
    "edited": "edited: the original, or hardly another",
    "refused_by": "refused by",
    "unsupported": "without support",
}
#: The judges of the page, a Hub id or a folder.
PLACE = os.environ.get("CHANGE_IT_JUDGES", "")


@cache
def judges():
    """Load the judges of the page; no visitor names others."""
    if not PLACE:
        raise InputError("this page has no judges yet: set its variable CHANGE_IT_JUDGES, then restart it")
    return Judges.from_pretrained(PLACE)


def outlets():
    """Return the outlets of the judges; none where there are no judges."""
    try:
        return judges().outlets
    except InputError:
        return ()


def arguments(source, headline, article, outlet):
    """Return the arguments of `compute`."""
    return {
        "predictions": [headline],
        "sources": [source],
        "articles": [article],
        "labels": [outlet or ""],
        "judges": judges(),
        "resamples": 1,
    }


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
