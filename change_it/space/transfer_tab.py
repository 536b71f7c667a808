"""The Transfer tab, and the endpoints `/transfer` and `/judge`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.space import transferring, view
from change_it.space.limits import LIMITS, friendly
from change_it.space.models import Models
from change_it.space.words import Words, say

#: Candidates that are asked for at first.
CANDIDATES = 3
#: Requests to the models share a queue.
QUEUE = "models"
#: On a phone the candidates are below the fold: a press of the button goes there.
_REVEAL = """() => {
  if (window.innerWidth < 768) document.getElementById("candidates-found").scrollIntoView({ behavior: "smooth" });
}"""


@cache
def examples(language: str) -> list[dict[str, Any]]:
    """Invented headlines with their articles.

    Args:
        language: of the headlines.

    Returns:
        Each with `outlet` (0 or 1), `headline` and `article`; the Italian ones for a language that has none.
    """
    source = files("change_it.space") / "texts" / "examples.toml"
    found = tomllib.loads(source.read_text(encoding="utf-8"))
    return list(found.get(language, found["it"]))


def build(words: Words, models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`.

    Args:
        words: the page's texts.
        models: judges and systems; without them the tab says how to get some.
    """
    if models is None:
        words.tell(gr.Markdown(), value="page.no_models")
        return
    known = transferring.directions(models)
    with gr.Row(equal_height=False, elem_classes="ci-columns"):
        with gr.Column(scale=5, min_width=320):
            headline = words.tell(
                gr.Textbox(lines=2, max_lines=4, elem_id="headline"),
                label="transfer.headline",
                placeholder="transfer.headline_placeholder",
            )
            article = words.tell(
                gr.Textbox(lines=6, max_lines=12, elem_id="article"),
                label="transfer.article",
                placeholder="transfer.article_placeholder",
            )
            with gr.Row():
                direction = words.tell(
                    gr.Radio(
                        [(one.replace("2", " → ", 1), one) for one in known],
                        value=known[0],
                        elem_id="direction",
                        min_width=150,
                    ),
                    label="transfer.direction",
                )
                system = words.tell(
                    gr.Dropdown(
                        list(models.systems),
                        value=next(iter(models.systems)),
                        elem_id="system",
                        min_width=150,
                    ),
                    label="transfer.system",
                )
            count = words.tell(
                gr.Slider(1, LIMITS.candidates, value=CANDIDATES, step=1, elem_id="candidates"),
                label="transfer.candidates",
            )
            own = words.tell(
                gr.Textbox(lines=1, max_lines=3, elem_id="own"),
                label="transfer.own",
                placeholder="transfer.own_placeholder",
            )
            button = words.tell(gr.Button(variant="primary", elem_id="transfer"), value="transfer.button")
            words.tell(gr.Markdown(elem_classes="ci-label"), value="transfer.examples")
            with gr.Column(elem_classes="ci-examples"):
                offered = [
                    gr.Button(one["headline"], size="sm", elem_classes="ci-example")
                    for one in examples(models.language)
                ]
        with gr.Column(scale=7, min_width=320):
            shown = gr.HTML(view.notice(words("transfer.start")), elem_id="candidates-found")
    answer = gr.State(None)
    inputs = [headline, article, direction, system, count, own, words.language]
    outputs = [answer, shown]

    @friendly
    def asked(*values: Any) -> tuple[Mapping[str, Any] | None, str]:
        language = values[-1]
        headline, article, direction, system, count, own = values[:-1]
        if not (headline or article or own):
            return None, view.notice(say(language, "transfer.start"))
        try:
            found = transferring.transfer(models, headline, article, direction, system, count, language, own)
        except InputError as error:
            return None, view.notice(str(error))
        return found, view.candidates(found, language)

    def told_again(found: Mapping[str, Any] | None, language: str) -> str:
        return view.candidates(found, language) if found else view.notice(say(language, "transfer.start"))

    listening: dict[str, Any] = {
        "inputs": inputs,
        "outputs": outputs,
        "show_progress": "minimal",
        "concurrency_id": QUEUE,
        "concurrency_limit": LIMITS.at_once,
        "api_visibility": "private",
    }
    # Not `input`: Gradio tells of keys with it, but not of what is pasted.
    typed = [one.change for one in (headline, article, direction, system, count, own)]
    gr.on(typed, asked, trigger_mode="always_last", **listening)
    pressed = gr.on([button.click, headline.submit, own.submit], asked, trigger_mode="once", **listening)
    pressed.then(None, js=_REVEAL)
    for chosen, one in zip(offered, examples(models.language), strict=True):
        filled = [one["headline"], one["article"], known[one["outlet"]], ""]
        chosen.click(
            lambda filled=filled: filled,
            outputs=[headline, article, direction, own],
            queue=False,
            show_progress="hidden",
            api_visibility="private",
        ).then(None, js=_REVEAL)
    words.language.change(
        told_again, [answer, words.language], shown, show_progress="hidden", api_visibility="private"
    )
    _endpoints(words, models, known)


def _endpoints(words: Words, models: Models, known: list[str]) -> None:
    """The named endpoints, documented by what is written here."""
    opening, first = words.opening, next(iter(models.systems))

    @friendly
    def transfer(
        headline: str,
        article: str,
        direction: str = known[0],
        system: str = first,
        candidates: int = CANDIDATES,
        language: str = opening,
    ) -> dict:
        return transferring.transfer(models, headline, article, direction, system, candidates, language)

    @friendly
    def judge(
        headline: str,
        article: str,
        new_headline: str,
        direction: str = known[0],
        language: str = opening,
    ) -> dict:
        return transferring.judge(models, headline, article, new_headline, direction, language)

    shared: dict[str, Any] = {"concurrency_id": QUEUE, "concurrency_limit": LIMITS.at_once}
    texts = f"headline: at most {LIMITS.headline} characters; article: at most {LIMITS.article} characters"
    aims = f"direction: {' or '.join(known)}; language of messages: it or en"
    gr.api(
        transfer,
        api_name="transfer",
        api_description=(
            f"New headlines for one original, with the judges' probabilities and verdicts and with readability. {texts}; "
            f"{aims}; system: {' or '.join(models.systems)}; candidates: 1 to {LIMITS.candidates}."
        ),
        **shared,
    )
    gr.api(
        judge,
        api_name="judge",
        api_description=(
            "What the judges say of a headline that you wrote: does it tell the story of the original (hh) and of the "
            f"article (ah), and is the style reversed (main). {texts}; new_headline like headline; {aims}."
        ),
        **shared,
    )
