"""The Transfer tab, and the endpoints `/transfer` and `/judge`: new headlines with what the judges say of them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from importlib.resources import files
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.generators.formats import Candidate, Decoding
from change_it.generators.rerank import joint_probability, judge_candidates
from change_it.hevas.readability import readability
from change_it.scoring.compliancy import JUDGES
from change_it.scoring.item import Item
from change_it.space.html import notice, render
from change_it.space.limits import LIMITS, friendly, text_of
from change_it.space.models import Models
from change_it.space.translation import Texts, translate
from change_it.text.tokens import words

#: Candidates that are asked for at first.
CANDIDATES = 3
#: Width of the search, at least: wide enough for a choice, narrow enough for a busy page.
BEAMS = 4
#: System of a headline that the reader wrote.
OWN = "own"

_QUEUE: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": LIMITS.at_once}
#: On a phone the candidates are below the fold: a press of the button goes there.
_SHOW_CANDIDATES = """() => {
  if (window.innerWidth < 768) document.getElementById("candidates-found").scrollIntoView({ behavior: "smooth" });
}"""


@cache
def examples(language: str) -> list[dict[str, Any]]:
    """Invented headlines with `outlet` (0 or 1), `headline` and `article`; the Italian ones for a language that has none."""
    source = files("change_it.space") / "texts" / "examples.toml"
    found = tomllib.loads(source.read_text(encoding="utf-8"))
    return list(found.get(language, found["it"]))


def build(texts: Texts, models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`; without models the tab says how to get some."""
    if models is None:
        texts.add(gr.Markdown(), value="page.no_models")
        return
    directions = list(models.directions)
    with gr.Row(equal_height=False, elem_classes="ci-columns"):
        with gr.Column(scale=5, min_width=320):
            headline = texts.add(
                gr.Textbox(lines=2, max_lines=4, elem_id="headline"),
                label="transfer.headline",
                placeholder="transfer.headline_placeholder",
            )
            article = texts.add(
                gr.Textbox(lines=6, max_lines=12, elem_id="article"),
                label="transfer.article",
                placeholder="transfer.article_placeholder",
            )
            with gr.Row():
                choices = [(" → ".join(outlets), name) for name, outlets in models.directions.items()]
                direction = texts.add(
                    gr.Radio(choices, value=directions[0], elem_id="direction", min_width=150),
                    label="transfer.direction",
                )
                systems = list(models.systems)
                system = texts.add(
                    gr.Dropdown(systems, value=systems[0], elem_id="system", min_width=150),
                    label="transfer.system",
                )
            count = texts.add(
                gr.Slider(1, LIMITS.candidates, value=CANDIDATES, step=1, elem_id="candidates"),
                label="transfer.candidates",
            )
            own = texts.add(
                gr.Textbox(lines=1, max_lines=3, elem_id="own"),
                label="transfer.own",
                placeholder="transfer.own_placeholder",
            )
            button = texts.add(gr.Button(variant="primary", elem_id="transfer"), value="transfer.button")
            texts.add(gr.Markdown(elem_classes="ci-label"), value="transfer.examples")
            with gr.Column(elem_classes="ci-examples"):
                offered = [
                    gr.Button(one["headline"], size="sm", elem_classes="ci-example")
                    for one in examples(models.language)
                ]
        with gr.Column(scale=7, min_width=320):
            shown = gr.HTML(notice(texts("transfer.start")), elem_id="candidates-found")
    answer = gr.State(None)

    @friendly
    def on_request(*values: Any) -> tuple[Mapping[str, Any] | None, str]:
        headline, article, direction, system, count, own, language = values
        if not (headline or article or own):
            return None, candidates_html(None, language)
        try:
            found = transfer(models, headline, article, direction, system, count, language, own)
        except InputError as error:
            return None, notice(str(error))
        return found, candidates_html(found, language)

    inputs: list[Any] = [headline, article, direction, system, count, own]
    request: dict[str, Any] = {
        "inputs": [*inputs, texts.language],
        "outputs": [answer, shown],
        "show_progress": "minimal",
        "api_visibility": "private",
        **_QUEUE,
    }
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    # Not `input`: Gradio sends it for keys, but not for what is pasted.
    gr.on([one.change for one in inputs], on_request, trigger_mode="always_last", **request)
    pressed = gr.on([button.click, headline.submit, own.submit], on_request, trigger_mode="once", **request)
    pressed.then(None, js=_SHOW_CANDIDATES)
    for chosen, one in zip(offered, examples(models.language), strict=True):
        filled = [one["headline"], one["article"], directions[one["outlet"]], ""]
        chosen.click(
            lambda filled=filled: filled, outputs=[headline, article, direction, own], queue=False, **quiet
        ).then(None, js=_SHOW_CANDIDATES)
    texts.language.change(candidates_html, [answer, texts.language], shown, **quiet)
    _endpoints(texts.opening, models)


def candidates_html(answer: Mapping[str, Any] | None, language: str) -> str:
    """The answer of `transfer` as HTML; what to do where there is none."""
    if answer is None:
        return notice(translate(language, "transfer.start"))
    in_language = partial(translate, language)
    return render("candidates.html.jinja", answer=answer, translate=in_language, judges=JUDGES, own=OWN)


def transfer(
    models: Models,
    headline: Any,
    article: Any,
    direction: Any,
    system: Any,
    candidates: Any,
    language: str,
    own: Any = "",
) -> dict[str, Any]:
    """New headlines for one original, each with what the judges say; `own` is one that the reader wrote.

    Returns:
        What can be written as JSON: `system`, `from`, `to`, `original` (headline and readability), `signature`, and
        `candidates`, the best by `strict_joint` first, each with `headline`, `system`, `joint` (probability that
        HH, AH and main are satisfied), `strict_joint` (times that of fluency, 0 without supported facts),
        `probabilities` (hh, ah, fluency; main, that it is of the outlet aimed at; style, that main's decision is
        reversed), `verdicts` (those of `scoring`), `unsupported` (numbers and names, with their places in the headline),
        `looks_like` (the outlet that main takes the original and the new headline for) and `readability`;
        `wrong_direction`, whether main takes the original for the outlet aimed at, so that there is no verdict on style
        and compliancy; `known_words`, the share of the original's and the article's words that the judges' corpus has,
        and `foreign`, whether that is too few to believe them. What needs a fluency judge is None where there is none.

    Raises:
        InputError: something is missing, unknown or too long.
    """
    item = _checked(models, headline, article, direction, language)
    if not isinstance(system, str) or system not in models.systems:
        raise InputError(translate(language, "limits.system", known=", ".join(models.systems)))
    whole = isinstance(candidates, int | float) and candidates == candidates // 1
    if not whole or not 1 <= candidates <= LIMITS.candidates:
        raise InputError(translate(language, "limits.candidates", most=LIMITS.candidates))
    count, chosen = int(candidates), models.systems[system]
    if item.target not in chosen.targets:
        raise InputError(translate(language, "limits.target", system=system, to=item.target))
    written = " ".join(text_of(own, LIMITS.headline, "transfer.own", language).split())
    search = Decoding(candidates=count, beams=max(BEAMS, count))
    [found] = chosen.propose([item.source], [item.article], item.target, search)
    new = dict.fromkeys((" ".join(one.text.split()) for one in found), system) | {written: OWN}
    judged = {text: name for text, name in new.items() if words(text)}
    if not judged:
        raise InputError(translate(language, "limits.nothing", system=system))
    return {"system": system, **_answer(models, item, judged)}


def judge(
    models: Models, headline: Any, article: Any, new_headline: Any, direction: Any, language: str
) -> dict[str, Any]:
    """What the judges say of a headline that somebody wrote; see `transfer`, with one candidate."""
    item = _checked(models, headline, article, direction, language)
    new = " ".join(text_of(new_headline, LIMITS.headline, "transfer.own", language).split())
    if not words(new):
        raise InputError(translate(language, "limits.no_own"))
    return {"system": OWN, **_answer(models, item, {new: OWN})}


def _checked(models: Models, headline: Any, article: Any, direction: Any, language: str) -> Item:
    """The item to transfer."""
    source = " ".join(text_of(headline, LIMITS.headline, "transfer.headline", language).split())
    text = text_of(article, LIMITS.article, "transfer.article", language)
    if not words(source):
        raise InputError(translate(language, "limits.no_headline"))
    if not words(text):
        raise InputError(translate(language, "limits.no_article"))
    if not isinstance(direction, str) or direction not in models.directions:
        raise InputError(translate(language, "limits.direction", known=", ".join(models.directions)))
    return Item("", *models.directions[direction], source, text)


def _answer(models: Models, item: Item, new: Mapping[str, str]) -> dict[str, Any]:
    """The answer for new headlines (text to system), all of them in one batch a judge."""
    figures = readability_figures([item.source, *new], models.language)
    readable = dict(zip(new, figures[1:], strict=True))
    [judged] = judge_candidates(
        models.judges,
        [[Candidate(text, 0.0) for text in new]],
        [item.source],
        [item.article],
        [item.target],
        language=models.language,
    )
    casing, text = models.judges.casing, f"{item.source}. {item.article}"
    # How main reads the original.
    source = judged[0].probabilities["source"] or 0.0
    wrong = source > 0.5
    original, other = (item.label, item.target)[:: -1 if wrong else 1]
    unknown = dict.fromkeys(("compliancy", "strict_compliancy", "main")) if wrong else {}
    candidates = [
        {
            "headline": one.text,
            "system": new[one.text],
            "joint": round(one.joint, 4),
            "strict_joint": round(one.strict_joint, 4),
            "probabilities": {
                name: None if value is None else round(value, 4)
                for name, value in one.probabilities.items()
                if name in JUDGES
            }
            | {"style": round(float(joint_probability(1, 1, one.probabilities["main"] or 0.0, source)), 4)},
            "verdicts": {
                "compliancy": one.compliant,
                "strict_compliancy": one.strict,
                **one.marks,
                **unknown,
            },
            "unsupported": [asdict(wrong) for wrong in one.unsupported],
            "looks_like": {"original": original, "new": other if one.marks["main"] else original},
            "readability": readable[one.text],
        }
        for one in judged
    ]
    return {
        "from": item.label,
        "to": item.target,
        "original": {
            "headline": item.source,
            "readability": figures[0],
            "looks_like_target": round(source, 4),
        },
        "wrong_direction": wrong,
        "candidates": candidates,
        "known_words": None if casing is None else round(casing.known_share(text, models.language), 4),
        "foreign": casing is not None and casing.is_foreign(text, models.language),
        "signature": models.judges.signature,
    }


def readability_figures(headlines: Sequence[str], language: str) -> list[dict[str, float]]:
    """For each of n headlines `words`, `PNR`, `NR`, `PR`, `Fog` and `AWL`.

    Of a language without a tagger, or without what counts syllables, the words alone.
    """
    try:
        figures = readability(headlines, language)
    except InputError:
        figures = {}
    return [
        {
            "words": len(words(headline)),
            **{name: round(float(values[row]), 4) for name, values in figures.items()},
        }
        for row, headline in enumerate(headlines)
    ]


def _endpoints(opening: str, models: Models) -> None:
    """The named endpoints, documented by what is written here."""
    directions, systems = list(models.directions), list(models.systems)

    @friendly
    def transfer_endpoint(
        headline: str,
        article: str,
        direction: str = directions[0],
        system: str = systems[0],
        candidates: int = CANDIDATES,
        language: str = opening,
    ) -> dict:
        return transfer(models, headline, article, direction, system, candidates, language)

    @friendly
    def judge_endpoint(
        headline: str,
        article: str,
        new_headline: str,
        direction: str = directions[0],
        language: str = opening,
    ) -> dict:
        return judge(models, headline, article, new_headline, direction, language)

    lengths = f"headline: at most {LIMITS.headline} characters; article: at most {LIMITS.article} characters"
    aims = f"direction: {' or '.join(directions)}; language of messages: it or en"
    gr.api(
        transfer_endpoint,
        api_name="transfer",
        api_description=(
            f"New headlines for one original, with the judges' probabilities and verdicts and with readability. {lengths}; "
            f"{aims}; system: {' or '.join(systems)}; candidates: 1 to {LIMITS.candidates}."
        ),
        **_QUEUE,
    )
    gr.api(
        judge_endpoint,
        api_name="judge",
        api_description=(
            "What the judges say of a headline that you wrote: does it tell the story of the original (hh) and of the "
            f"article (ah), and is the style reversed (main). {lengths}; new_headline like headline; {aims}."
        ),
        **_QUEUE,
    )
