"""A page to try those metrics of HEvAS that one headline and its article suffice for."""

from pathlib import Path

import evaluate
import gradio as gr

from change_it import InputError

#: By its file: on the Hub the folder has another name.
MODULE = str(Path(__file__).with_name("hevas.py"))
METRICS = ["R-1", "R-2", "R-SU", "R-WSU", "JS-C", "JS-S", "PNR", "NR", "PR", "Fog", "AWL"]


def score(headline, references, document, language):
    """Measure one headline against its article and the references, one a line."""
    texts = [line.strip() for line in references.splitlines() if line.strip()]
    given = {"predictions": [headline], "references": [texts], "documents": [document]}
    try:
        module = evaluate.load(MODULE)
        result = module.compute(**given, metrics=METRICS, language=language)
    except InputError as error:
        raise gr.Error(str(error)) from error
    return [[name, round(result[name], 3)] for name in METRICS], module.signature


page = gr.Interface(
    score,
    [
        gr.Textbox(label="New headline"),
        gr.Textbox(label="Reference headlines, one a line", lines=3),
        gr.Textbox(label="Article", lines=8),
        gr.Radio(["it", "en"], value="it", label="Language"),
    ],
    [gr.Dataframe(headers=["metric", "value"], label="Values"), gr.Textbox(label="Signature")],
    title="HEvAS",
    description="How informative and how readable is a headline?",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
