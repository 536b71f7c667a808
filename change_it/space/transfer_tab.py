"""The Transfer tab, and the endpoints `/transfer` and `/judge`: new headlines with what the judges say of them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from change_it.errors import InputError
from change_it.generators.rerank import JudgedCandidate
from change_it.hevas.readability import readability
from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.scoring.item import Item
from change_it.space.fragments import notice, render
from change_it.space.limits import LIMITS, friendly, text_of
from change_it.space.models import OWN, STYLE_WEIGHT, Models, Question
from change_it.text.tokens import words
from change_it.translation import LANGUAGES, Message, Texts, localized, translate

#: Candidates that are asked for at first.
CANDIDATES = 3
#: The fields of the tab, as links name them.
FIELDS = ("headline", "article", "direction", "system", "candidates", "style", "own")

_LONGEST_LINK = 8_000  # letters that every server on the way takes

_QUEUE: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": LIMITS.at_once}
#: On a phone the candidates are below the fold: a press of the button goes there.
_SHOW_CANDIDATES = """() => {
  if (window.innerWidth < 768) document.getElementById("candidates-found").scrollIntoView({ behavior: "smooth" });
}"""


@dataclass(frozen=True)
class Fields:
    """What a reader fills in, in the order of `FIELDS`."""

    headline: gr.Textbox
    article: gr.Textbox
    direction: gr.Radio
    system: gr.Dropdown
    count: gr.Slider
    weight: gr.Slider
    own: gr.Textbox

    @property
    def all(self) -> list[Any]:
        """All components, in the order of `FIELDS`."""
        return [getattr(self, field.name) for field in fields(self)]


def build(texts: Texts, models: Models | None) -> None:
    """The tab's components and events, inside its `gr.Tab`; without models the tab says how to get some."""
    if models is None:
        texts.add(gr.Markdown(), value="page.no_models")
        return
    answer = opening(models, texts.opening)
    texts.add(gr.HTML(elem_classes="ci-jump", padding=False), value="transfer.jump")
    with gr.Row(equal_height=False, elem_classes="ci-columns"):
        with gr.Column(scale=5, min_width=320):
            asked = _fields(texts, models, answer["asked"] if answer else None)
            button = texts.add(gr.Button(variant="primary", elem_id="transfer"), value="transfer.button")
            offered = texts.add(
                gr.Dataset(
                    components=["textbox"],
                    samples=[[example.own or example.headline] for example in models.examples],
                    type="index",
                    elem_id="examples",
                ),
                label="transfer.examples_of_corpus" if models.of_corpus else "transfer.examples",
                sample_labels=partial(_labels, models),
            )
        with gr.Column(scale=7, min_width=320):
            shown = gr.HTML(candidates_html(answer, texts.opening), elem_id="candidates-found")
    _wire(texts, models, asked, button, offered, shown)
    _endpoints(texts.opening, models)


def _fields(texts: Texts, models: Models, asked: Sequence[Any] | None) -> Fields:
    """The fields, filled with what was asked, if anything was."""
    directions, systems = models.directions, list(models.systems)
    values = asked or ["", "", next(iter(directions)), systems[0], CANDIDATES, STYLE_WEIGHT, ""]
    headline = texts.add(
        gr.Textbox(values[0], lines=2, max_lines=4, elem_id="headline"),
        label="transfer.headline",
        placeholder="transfer.headline_placeholder",
    )
    article = texts.add(
        gr.Textbox(values[1], lines=6, max_lines=12, elem_id="article"),
        label="transfer.article",
        placeholder="transfer.article_placeholder",
    )
    with gr.Row():
        choices = [(" → ".join(outlets), name) for name, outlets in directions.items()]
        direction = texts.add(
            gr.Radio(choices, value=values[2], elem_id="direction", min_width=150),
            label="transfer.direction",
        )
        system = texts.add(
            gr.Dropdown(systems, value=values[3], elem_id="system", min_width=150),
            label="transfer.system",
        )
    weight = texts.add(
        gr.Slider(0, 1, value=values[5], step=0.1, elem_id="weight"),
        label="transfer.weight",
        info="transfer.weight_info",
    )
    count = texts.add(
        gr.Slider(1, LIMITS.candidates, value=values[4], step=1, elem_id="candidates"),
        label="transfer.candidates",
    )
    own = texts.add(
        gr.Textbox(lines=1, max_lines=3, elem_id="own"),
        label="transfer.own",
        placeholder="transfer.own_placeholder",
    )
    return Fields(headline, article, direction, system, count, weight, own)


def _wire(
    texts: Texts,
    models: Models,
    asked: Fields,
    button: gr.Button,
    offered: gr.Dataset,
    shown: gr.HTML,
) -> None:
    """What happens when a field changes, the button is pressed, an example is chosen or a link is opened."""

    @friendly
    def on_request(*values: Any) -> str:
        *asked, language = values
        headline, article, *_, own = asked
        if not (headline or article or own):
            return candidates_html(None, language)
        try:
            return candidates_html(transfer_inputs(models, asked, language), language)
        except InputError as error:
            return notice(localized(language, error))

    def on_load(request: gr.Request) -> list[Any]:
        return linked(models, dict(request.query_params))

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    presses = [button.click, asked.headline.submit, asked.own.submit]
    gr.on(presses, None, js=_SHOW_CANDIDATES)
    # One event for all, one after the other: of two at once the one that was asked first might be shown last.
    # Not `input`: Gradio sends it for keys, but not for what is pasted.
    gr.on(
        [*presses, *(field.change for field in asked.all), texts.language.change],
        on_request,
        [*asked.all, texts.language],
        shown,
        trigger_mode="always_last",
        show_progress="minimal",
        api_visibility="private",
        **_QUEUE,
    )
    filled = [
        [example.headline, example.article, example.direction, example.own] for example in models.examples
    ]
    offered.click(
        filled.__getitem__,
        offered,
        [asked.headline, asked.article, asked.direction, asked.own],
        queue=False,
        **quiet,
    ).then(None, js=_SHOW_CANDIDATES)
    gr.on(None, on_load, None, [*asked.all, texts.language], queue=False, **quiet)


def opening(models: Models, language: str) -> dict[str, Any] | None:
    """What the page shows before anybody asks: the first example that a system writes for; None without one.

    Whatever the judges say of what is written; an original that main takes for the other outlet's is passed over.
    """
    for example in models.examples:
        for system in models.systems:
            asked = [example.headline, example.article, example.direction, system]
            with suppress(InputError):  # it does not write for that outlet, or finds nothing to write
                answer = transfer_inputs(models, [*asked, CANDIDATES, STYLE_WEIGHT, example.own], language)
                if not answer["wrong_direction"]:
                    return answer
    return None


def _labels(models: Models, language: str) -> list[str]:
    """What the page's examples show, and their headlines."""
    return [
        f"{localized(language, example.label)} · {example.own}" if example.label else example.headline
        for example in models.examples
    ]


def transfer_inputs(models: Models, asked: Sequence[Any], language: str) -> dict[str, Any]:
    """The answer of `transfer` to what stands in the fields (`FIELDS`), with `asked`, `link` and `about`.

    `link` is a query that asks it again, `about` what there is to say of it where it is one of the page's examples.
    """
    headline, article, direction, system, count, weight, own = asked
    answer = transfer(models, headline, article, direction, system, count, own, weight)
    link = "?" + urlencode({**dict(zip(FIELDS, asked, strict=True)), "language": language})
    filled = [headline, article, direction, own]
    about = next(
        (
            example.about
            for example in models.examples
            if filled == [example.headline, example.article, example.direction, example.own]
        ),
        "",
    )
    return {
        **answer,
        "asked": [*asked],
        "link": link if len(link) <= _LONGEST_LINK else None,
        "about": about,
    }


def linked(models: Models, query: Mapping[str, str]) -> list[Any]:
    """The fields (`FIELDS`) and the language as a link names them; nothing changes where it names no headline or article."""
    unchanged: list[Any] = [gr.skip()] * (len(FIELDS) + 1)
    if not (query.get("headline") or query.get("article")):
        return unchanged
    choices = {"direction": models.directions, "system": models.systems, "language": LANGUAGES}
    values = dict(zip((*FIELDS, "language"), unchanged, strict=True))
    values |= {name: query.get(name, "") for name in ("headline", "article", "own")}
    values |= {name: query[name] for name, allowed in choices.items() if query.get(name) in allowed}
    with suppress(KeyError, ValueError):
        values["candidates"] = min(max(int(query["candidates"]), 1), LIMITS.candidates)
    with suppress(KeyError, ValueError):
        values["style"] = min(max(float(query["style"]), 0.0), 1.0)
    return list(values.values())


def candidates_html(answer: Mapping[str, object] | None, language: str) -> str:
    """The answer of `transfer` as HTML; what to do where there is none."""
    if answer is None:
        return notice(translate(language, "transfer.start"))
    return render("candidates.html.jinja", language, answer=answer, judges=VERDICT_NAMES, own=OWN)


def transfer(
    models: Models,
    headline: object,
    article: object,
    direction: object,
    system: Any,
    candidates: Any,
    own: object = "",
    style_weight: Any = STYLE_WEIGHT,
) -> dict[str, Any]:
    """New headlines for one original, each with what the judges say; `own` is one that the reader wrote.

    The system is asked for as many as `LIMITS` allows, and the best of them are shown; `style_weight`, 0-1, is how much style
    counts for that beside story and article.

    Returns:
        What can be written as JSON: `system`, `from`, `to`, `original` (headline and readability), `signature`, and
        `candidates`, `own` and then the best by `strict_joint`, weighted, each with `headline`, `system`, `joint` (probability that
        HH, AH and main are satisfied), `strict_joint` (times that of fluency, 0 without supported facts or where the style is typography alone),
        `probabilities` (hh, ah, fluency; main, that it is of the outlet aimed at; style, that main's decision is
        reversed), `verdicts` (those of `scoring`), `unsupported` (numbers, names and quotations, with their places in the headline),
        `looks_like` (the outlet that main takes the original and the new headline for) and `readability`;
        `wrong_direction`, why there is no verdict on style and compliancy, where main takes the original for the outlet
        aimed at, else empty; `known_words`, the share of the original's and the article's words that the judges' corpus has,
        and `foreign`, whether that is too few to believe them; `reader`, whether facts ask one; `reliability`, how far to rely on each judge. What needs a fluency judge is None where there is none.

    Raises:
        InputError: something is missing, unknown or too long.
    """
    item = _checked(models, headline, article, direction)
    if not isinstance(system, str) or system not in models.systems:
        raise InputError(Message("limits.system", known=", ".join(models.systems)))
    is_whole = isinstance(candidates, int | float) and candidates == candidates // 1
    if not is_whole or not 1 <= candidates <= LIMITS.candidates:
        raise InputError(Message("limits.candidates", most=LIMITS.candidates))
    if not isinstance(style_weight, int | float) or not 0 <= style_weight <= 1:
        raise InputError(Message("limits.weight"))
    chosen = models.systems[system]
    if item.target not in chosen.targets:
        raise InputError(Message("limits.target", system=system, to=item.target))
    own_text = " ".join(text_of(own, LIMITS.headline, "transfer.own").split())
    judged = models.answer(Question(item, system, own_text if words(own_text) else "", style_weight))
    if not judged:
        raise InputError(Message("limits.nothing", system=system))
    best = [judged_headline for name, judged_headline in judged if name == system][: int(candidates)]
    pairs = [pair for pair in judged if pair[0] == OWN]
    pairs += [
        (name, judged_headline) for name, judged_headline in judged if name != OWN and judged_headline in best
    ]
    return {"system": system, **_answer(models, item, pairs)}


def judge(
    models: Models, headline: object, original: object, article: object, direction: object
) -> dict[str, Any]:
    """What the judges say of a headline that somebody wrote; see `transfer`, with one candidate."""
    item = _checked(models, original, article, direction)
    new = " ".join(text_of(headline, LIMITS.headline, "transfer.own").split())
    if not words(new):
        raise InputError(Message("limits.no_own"))
    return {"system": OWN, **_answer(models, item, models.answer(Question(item, own=new)))}


def _checked(models: Models, headline: object, article: object, direction: object) -> Item:
    """The item to transfer."""
    source = " ".join(text_of(headline, LIMITS.headline, "transfer.headline").split())
    text = text_of(article, LIMITS.article, "transfer.article")
    if not words(source):
        raise InputError(Message("limits.no_headline"))
    if not words(text):
        raise InputError(Message("limits.no_article"))
    if not isinstance(direction, str) or direction not in models.directions:
        raise InputError(Message("limits.direction", known=", ".join(models.directions)))
    return Item("", *models.directions[direction], source, text)


def _answer(models: Models, item: Item, judged: Sequence[tuple[str, JudgedCandidate]]) -> dict[str, Any]:
    """The answer for new headlines, one or more, each with its system."""
    original, *figures = readability_figures(
        [item.source, *(candidate.text for _, candidate in judged)], models.language
    )
    casing, text = models.judges.casing, f"{item.source}. {item.article}"
    # How main reads the original.
    source = judged[0][1].probabilities["source"] or 0.0
    wrong = source > 0.5
    before, after = (item.label, item.target)[:: -1 if wrong else 1]
    unknown = dict.fromkeys(("compliancy", "strict_compliancy", "main", "main_normalised")) if wrong else {}
    candidates = [
        {
            "headline": candidate.text,
            "system": system,
            "joint": round(candidate.joint, 4),
            "strict_joint": round(candidate.strict_joint, 4),
            "probabilities": {
                name: None if value is None else round(value, 4)
                for name, value in candidate.probabilities.items()
                if name in VERDICT_NAMES
            }
            | {"style": round(candidate.style, 4)},
            "verdicts": {
                "compliancy": candidate.compliant,
                "strict_compliancy": candidate.strict,
                **candidate.marks,
                **unknown,
            },
            "unsupported": [asdict(wrong) | {"words": wrong.words} for wrong in candidate.unsupported],
            "looks_like": {"original": before, "new": after if candidate.marks["main"] else before},
            "readability": readable,
        }
        for (system, candidate), readable in zip(judged, figures, strict=True)
    ]
    return {
        "from": item.label,
        "to": item.target,
        "original": {
            "headline": item.source,
            "readability": original,
            "looks_like_target": round(source, 4),
        },
        "wrong_direction": Message(
            "transfer.wrong_direction", a=item.label, b=item.target, share=f"{source:.0%}"
        )
        if wrong
        else "",
        "candidates": candidates,
        "known_words": None if casing is None else round(casing.known_share(text, models.language), 4),
        "foreign": casing is not None and casing.is_foreign(text, models.language),
        "reader": models.judges.reader is not None,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.verdicts},
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


def _localized(answer: dict[str, Any], language: str) -> dict[str, Any]:
    """An answer with its sentence in a language."""
    return {**answer, "wrong_direction": localized(language, answer["wrong_direction"])}


def _endpoints(language_at_first: str, models: Models) -> None:
    """The named endpoints, documented by what is written here."""
    directions, systems = list(models.directions), list(models.systems)

    @friendly
    def transfer_endpoint(
        headline: str,
        article: str,
        direction: str = directions[0],
        system: str = systems[0],
        candidates: int = CANDIDATES,
        language: str = language_at_first,
        style_weight: float = STYLE_WEIGHT,
    ) -> dict:
        answer = transfer(models, headline, article, direction, system, candidates, style_weight=style_weight)
        return _localized(answer, language)

    @friendly
    def judge_endpoint(
        headline: str,
        original: str,
        article: str,
        direction: str = directions[0],
        language: str = language_at_first,
    ) -> dict:
        return _localized(judge(models, headline, original, article, direction), language)

    lengths = f"headline: at most {LIMITS.headline} characters; article: at most {LIMITS.article} characters"
    aims = f"direction: {' or '.join(directions)}; language of messages: it or en"
    gr.api(
        transfer_endpoint,
        api_name="transfer",
        api_description=(
            f"New headlines for one original, with the judges' probabilities and verdicts and with readability. {lengths}; "
            f"{aims}; system: {' or '.join(systems)}; candidates: 1 to {LIMITS.candidates}; style_weight: 0, near the original, to 1."
        ),
        **_QUEUE,
    )
    gr.api(
        judge_endpoint,
        api_name="judge",
        api_description=(
            "What the judges say of a headline that you wrote: does it tell the story of the original (hh) and of the "
            f"article (ah), and is the style reversed (main). {lengths}; original: the original headline; {aims}."
        ),
        **_QUEUE,
    )
