"""A page to try compliancy on one headline; judges come from the Hub or from a folder."""

import os
from pathlib import Path

import evaluate
import gradio as gr

from change_it import InputError

#: By its file: on the Hub the folder has another name.
MODULE = str(Path(__file__).with_name("compliancy.py"))
QUESTIONS = {
    "compliancy": "compliant",
    "hh": "HH: same story as the original headline",
    "ah": "AH: fits the article",
    "main": "main: style reversed",
    "fluency": "fluency: like headlines of these newspapers",
    "evidence": "evidence: every number, name and quotation stands in the sources",
    "style": "style: step towards the other newspaper, 0-1",
    "joint": "joint: style times the verdicts but main's, 0-1",
}


def said(value):
    """A verdict or score in words."""
    if value is None:
        return "n/a"
    return f"{value:.2f}" if isinstance(value, float) else "yes" if value else "no"


def judge(source, headline, article, label, judges):
    """Score one new headline and say in words what each judge found."""
    given = {"predictions": [headline], "sources": [source], "articles": [article], "labels": [label.strip()]}
    try:
        module = evaluate.load(MODULE)
        module.compute(**given, judges=judges.strip(), resamples=1)
    except InputError as error:
        raise gr.Error(str(error)) from error
    [verdict] = module.verdicts
    table = [[question, said(verdict[name])] for name, question in QUESTIONS.items()]
    return [*table, ["without support", ", ".join(verdict["unsupported"])]], module.signature


page = gr.Interface(
    judge,
    [
        gr.Textbox(label="Original headline"),
        gr.Textbox(label="New headline"),
        gr.Textbox(label="Article", lines=8),
        gr.Textbox(label="Outlet of the original", value="rep"),
        gr.Textbox(label="Judges: Hub id or folder", value=os.environ.get("CHANGE_IT_JUDGES", "")),
    ],
    [gr.Dataframe(headers=["question", "answer"], label="Verdicts"), gr.Textbox(label="Signature")],
    title="Compliancy",
    description="Did the style of the headline change, and did its story stay? Trained judges say.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
