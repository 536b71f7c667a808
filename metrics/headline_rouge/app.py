"""A page to try the ROUGE measures on one headline."""

from pathlib import Path

import evaluate
import gradio as gr

#: By its file: on the Hub the folder has another name.
MODULE = str(Path(__file__).with_name("headline_rouge.py"))
NAMES = {
    "rouge1": "R-1: words of the reference",
    "rouge2": "R-2: neighbouring words",
    "rougeL": "R-L: words in the same order",
    "rougeSU": "R-SU: words, and pairs at any gap",
    "rougeWSU": "R-WSU: the same, near pairs count more",
}


def score(headline, references):
    """Score one headline against the references, one a line."""
    texts = [line.strip() for line in references.splitlines() if line.strip()]
    if not texts:
        raise gr.Error("Give at least one reference headline.")
    module = evaluate.load(MODULE)
    result = module.compute(predictions=[headline], references=[texts])
    return [[label, round(result[name], 3)] for name, label in NAMES.items()], module.signature


page = gr.Interface(
    score,
    [gr.Textbox(label="New headline"), gr.Textbox(label="Reference headlines, one a line", lines=3)],
    [gr.Dataframe(headers=["measure", "recall"], label="Scores"), gr.Textbox(label="Signature")],
    title="Headline ROUGE",
    description="How much of a reference headline does a new headline hold?",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
