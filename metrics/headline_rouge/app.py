"""A page to try the ROUGE measures on one headline."""

import os

import evaluate
import gradio as gr

#: By its file: on the Hub the folder has another name.
MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "headline_rouge.py")
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
    metric = evaluate.load(MODULE)
    result = metric.compute(predictions=[headline], references=[texts])
    return [[label, round(result[name], 3)] for name, label in NAMES.items()], result["signature"]


def build():
    """The page."""
    with gr.Blocks(title="Headline ROUGE") as page:
        gr.Markdown("# Headline ROUGE\nHow much of a reference headline does a new headline hold?")
        with gr.Row():
            with gr.Column():
                headline = gr.Textbox(label="New headline")
                references = gr.Textbox(label="Reference headlines, one a line", lines=3)
                button = gr.Button("Score", variant="primary")
            with gr.Column():
                scores = gr.Dataframe(headers=["measure", "recall"], label="Scores", interactive=False)
                signature = gr.Textbox(label="Signature", interactive=False)
        button.click(score, [headline, references], [scores, signature], api_name="score")
    return page


if __name__ == "__main__":
    build().launch()
