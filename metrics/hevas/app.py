"""A page to try those metrics of HEvAS that one headline and its article suffice for."""

import os

import evaluate
import gradio as gr

#: By its file: on the Hub the folder has another name.
MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hevas.py")
METRICS = ["R-1", "R-2", "R-SU", "R-WSU", "JS-C", "JS-S", "PNR", "NR", "PR", "Fog", "AWL"]


def score(headline, references, document, language):
    """Measure one headline against its article and the references, one a line."""
    from change_it import InputError

    texts = [line.strip() for line in references.splitlines() if line.strip()]
    metric = evaluate.load(MODULE)
    try:
        result = metric.compute(
            predictions=[headline],
            references=[texts],
            documents=[document],
            metrics=METRICS,
            language=language,
        )
    except InputError as error:
        raise gr.Error(str(error)) from error
    return [[name, round(result[name], 3)] for name in METRICS], result["signature"]


def build():
    """The page."""
    with gr.Blocks(title="HEvAS") as page:
        gr.Markdown("# HEvAS\nHow informative and how readable is a headline?")
        with gr.Row():
            with gr.Column():
                headline = gr.Textbox(label="New headline")
                references = gr.Textbox(label="Reference headlines, one a line", lines=3)
                document = gr.Textbox(label="Article", lines=8)
                language = gr.Radio(["it", "en"], value="it", label="Language")
                button = gr.Button("Measure", variant="primary")
            with gr.Column():
                scores = gr.Dataframe(headers=["metric", "value"], label="Values", interactive=False)
                signature = gr.Textbox(label="Signature", interactive=False)
        button.click(score, [headline, references, document, language], [scores, signature], api_name="score")
    return page


if __name__ == "__main__":
    build().launch()
