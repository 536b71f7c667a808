"""A page to try compliancy on one headline; judges come from the Hub or from a folder."""

import os

import evaluate
import gradio as gr

#: By its file: on the Hub the folder has another name.
MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compliancy.py")
JUDGES = os.environ.get("CHANGE_IT_JUDGES", "")


def judge(source, headline, article, label, judges):
    """Score one new headline and say in words what each judge found."""
    from change_it import InputError

    try:
        result = evaluate.load(MODULE).compute(
            predictions=[headline],
            sources=[source],
            articles=[article],
            labels=[label.strip()],
            judges=judges.strip(),
            resamples=1,
        )
    except InputError as error:
        raise gr.Error(str(error)) from error
    verdict = result["verdicts"][0]
    rows = [
        ["compliant", verdict["compliancy"]],
        ["HH: same story as the original headline", verdict["hh"]],
        ["AH: fits the article", verdict["ah"]],
        ["main: style reversed", verdict["main"]],
        ["main normalised: reversed without its typography, too", verdict["main_normalised"]],
        ["fluency: a newspaper would print it", verdict["fluency"]],
        ["facts: numbers, names and quotations supported", verdict["facts"]],
        ["strictly compliant: all of it", verdict["strict_compliancy"]],
    ]
    answers = {True: "yes", False: "no", None: "n/a, there is no fluency judge"}
    table = [[name, answers[found]] for name, found in rows]
    if verdict["unsupported"]:
        table.append(["without support", ", ".join(verdict["unsupported"])])
    return table, result["signature"]


def build():
    """The page."""
    with gr.Blocks(title="Compliancy") as page:
        gr.Markdown(
            "# Compliancy\nDid the style of the headline change, and did its story stay? Trained judges say."
        )
        with gr.Row():
            with gr.Column():
                source = gr.Textbox(label="Original headline")
                headline = gr.Textbox(label="New headline")
                article = gr.Textbox(label="Article", lines=8)
                label = gr.Textbox(label="Outlet of the original", value="rep")
                judges = gr.Textbox(label="Judges: Hub id or folder", value=JUDGES)
                button = gr.Button("Judge", variant="primary")
            with gr.Column():
                verdicts = gr.Dataframe(headers=["question", "answer"], label="Verdicts", interactive=False)
                signature = gr.Textbox(label="Signature", interactive=False)
        button.click(
            judge, [source, headline, article, label, judges], [verdicts, signature], api_name="judge"
        )
    return page


if __name__ == "__main__":
    build().launch()
