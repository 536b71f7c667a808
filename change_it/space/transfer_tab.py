"""The Transfer tab, its endpoint, and what both tabs share: new headlines with what the judges say of them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import gradio as gr

from change_it.errors import InputError
from change_it.generators.rerank import JudgedCandidate
from change_it.scoring.compliancy import JUDGE_NAMES, NO_CHECK, VERDICT_NAMES
from change_it.scoring.item import Item
from change_it.space.labels import LABELS
from change_it.space.models import OWN, Models, Question
from change_it.space.parts import ARTICLE, CANDIDATES, HEADLINE, PRIVATE, notice, refused, render, text_of
from change_it.tables import UnderlinedText, figure
from change_it.text.folding import fold
from change_it.text.stopwords import guess_language
from change_it.text.tokens import words

#: Candidates that are shown at first.
SHOWN = 3

QUEUE: dict[str, Any] = {"concurrency_id": "models", "concurrency_limit": 1}


def build(models: Models) -> None:
    """Make the tab's components and events, inside its `gr.Tab`."""
    first, shown = opening(models)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            headline, article = originals(*first[:2], "headline", "article")
            with gr.Row():
                direction = direction_of(models, first[2])
                system = gr.Dropdown(list(models.systems), value=first[3], label=LABELS["system"])
            count = gr.Slider(1, CANDIDATES, value=SHOWN, step=1, label=LABELS["candidates"])
            button = gr.Button(LABELS["transfer"], variant="primary", elem_id="transfer")
        with gr.Column(scale=7, min_width=320):
            found = gr.HTML(shown, elem_id="candidates-found", padding=False)
    fields = [headline, article, direction, system, count]
    answer_live(models, transfer_question, fields, found, [button.click])
    filled = {(one.source, one.article, one.direction): one.source for one in models.examples}
    gr.Examples(
        list(map(list, filled)),
        fields[:3],
        label=LABELS["examples_of_corpus" if models.corpus_examples else "examples"],
        example_labels=list(filled.values()),
        elem_id="examples",
        api_visibility="private",
    )
    _endpoint(models)


def originals(headline: str, article: str, *ids: str) -> tuple[gr.Textbox, gr.Textbox]:
    """Make the fields of the original headline and its article, with these ids."""
    return (
        gr.Textbox(
            headline,
            label=LABELS["original"],
            placeholder=LABELS["write"],
            lines=2,
            max_lines=4,
            elem_id=ids[0],
        ),
        gr.Textbox(
            article,
            label=LABELS["article"],
            placeholder=LABELS["paste"],
            lines=6,
            max_lines=12,
            elem_id=ids[1],
        ),
    )


def direction_of(models: Models, value: str) -> gr.Radio:
    """Make the choice of the direction."""
    choices = [(" → ".join(outlets), name) for name, outlets in models.directions.items()]
    return gr.Radio(choices, value=value, label=LABELS["direction"])


def answer_live(
    models: Models,
    ask: Callable[..., Question],
    fields: Sequence[Any],
    found: gr.HTML,
    presses: Sequence[Any] = (),
) -> None:
    """Show what `ask` makes of the fields whenever one changes."""
    gr.on(  # not `input`: Gradio sends it for keys, but not for what is pasted
        [*presses, *(field.change for field in fields)],
        partial(cards, models, ask),
        list(fields),
        found,
        trigger_mode="always_last",
        show_progress="minimal",
        **QUEUE,
        **PRIVATE,
    )


def cards(models: Models, ask: Callable[..., Question], *fields: Any) -> str:
    """Answer what `ask` makes of the fields, as HTML, or with the sentence that refuses it."""
    try:
        return cards_html(answer(models, ask, *fields))
    except InputError as error:
        return notice(error)


def cards_html(found: Mapping[str, Any]) -> str:
    """Render an answer as HTML."""
    shown = [
        UnderlinedText(one["headline"], tuple((wrong["start"], wrong["end"]) for wrong in one["unsupported"]))
        for one in found["candidates"]
    ]
    return render(
        "candidates.html.jinja",
        answer=found,
        own=OWN,
        headlines=shown,
        names=JUDGE_NAMES,
        no_check=NO_CHECK,
        signed=signed,
    )


def signed(style: float) -> str:
    """A style with its sign and two decimals.

    Examples:
        >>> signed(0.824), signed(-1.0), signed(0.0)
        ('+.82', '-1.00', '+.00')
    """
    return f"{style:+.2f}".replace("0.", ".", 1) if abs(style) < 0.995 else f"{style:+.2f}"


def opening(models: Models) -> tuple[tuple[str, str, str, str], str]:
    """Choose the initial fields and show their answer.

    They are of the first example with a headline that passes and one that does not, and these two are shown; without such
    an example, of the first one with a headline that passes, and without that of the first one that is answered at all.
    """
    answers = []
    for example in models.examples:
        for system in models.systems:
            asked = (example.source, example.article, example.direction, system)
            with suppress(InputError):  # it does not write for that outlet, or finds nothing to write
                found = answer(models, transfer_question, *asked, CANDIDATES)
                if not found["wrong_direction"]:
                    answers.append((asked, found))
    if not answers:
        first = ("", "", next(iter(models.directions)), next(iter(models.systems)))
        return first, notice("Write a headline and paste its article: the candidates appear here.")
    passing = [each for each in answers if not all(one["refused_by"] for one in each[1]["candidates"])]
    for asked, found in passing:
        sides = {not one["refused_by"]: one for one in reversed(found["candidates"])}  # the best of each
        if len(sides) == 2:
            return asked, cards_html(found | {"candidates": [sides[True], sides[False]]})
    asked, found = (passing or answers)[0]
    return asked, cards_html(found | {"candidates": found["candidates"][:SHOWN]})


def answer(models: Models, ask: Callable[..., Question], *fields: Any) -> dict[str, Any]:
    """Answer what `ask` makes of the fields; see `answer_of`."""
    question = ask(models, *fields)
    return answer_of(models, question, *models.answer(question))


def transfer_question(
    models: Models, headline: str, article: str, direction: str, system: str, candidates: float = SHOWN
) -> Question:
    """Make the question for new headlines of an original."""
    item = _item(models, headline, article, direction)
    if system not in models.systems:
        raise InputError(f"There is no such system: choose one of {', '.join(models.systems)}.")
    if not isinstance(candidates, int | float) or not 1 <= candidates <= CANDIDATES:
        raise InputError(f"The number of candidates goes from 1 to {CANDIDATES}.")
    if item.target not in models.systems[system].targets:
        raise InputError(
            f"{system} does not write for {item.target}: choose the other direction or another system."
        )
    return Question(item, system, int(candidates))


def judge_question(models: Models, headline: str, original: str, article: str, direction: str) -> Question:
    """Make the question for a headline that somebody wrote."""
    item = _item(models, original, article, direction)
    new = " ".join(text_of(headline, HEADLINE, "new headline").split())
    if not words(new):
        raise InputError("Write the new headline that is to be judged.")
    return Question(replace(item, prediction=new))


def _item(models: Models, headline: str, article: str, direction: str) -> Item:
    """Check the fields and make the item to transfer."""
    source = " ".join(text_of(headline, HEADLINE, "original headline").split())
    text = text_of(article, ARTICLE, "article")
    if not words(source):
        raise InputError("Write the original headline: the judges compare the new one with it.")
    if not words(text):
        raise InputError("Paste the article too: the judges read it, and some systems write from it.")
    if direction not in models.directions:
        raise InputError(f"There is no such direction: choose one of {', '.join(models.directions)}.")
    return Item("", *models.directions[direction], source, text)


def answer_of(
    models: Models, question: Question, judged: Sequence[JudgedCandidate], near_copies: int
) -> dict[str, Any]:
    """Describe the judged new headlines of a question, the best first.

    Returns:
        What can be written as JSON: `system`, `from`, `to`, `original`, `signature`; `candidates`, the best first;
        `near_copies`, how many more were near copies of a better one; `wrong_direction`, why there is no verdict on a reversal
        and compliancy, where main takes the original for the outlet aimed at, else empty; `foreign`, whether the texts seem to be
        in another language than the judges' corpus, so that there is no verdict at all; `reliability`, how far to rely on each
        judge. A candidate has `headline`, `system`, `style`, `acceptability`, `edited`, `probabilities`, `verdicts` (those of
        `scoring`; all None where nothing is known), `refused_by`, the reasons against it, `unsupported` (with places in the
        headline), `looks_like`, the outlet that main takes it and the original for, and `open_quotation`, whether a quotation is not closed.

    Raises:
        InputError: there is no headline.
    """
    item, system = question.item, question.system or OWN
    if not judged:
        raise InputError(
            f"{system} finds nothing to write about this text: try a longer article or another system."
        )
    judged = judged[: question.count]
    guessed = guess_language([f"{item.source}. {item.article}"])
    foreign = guessed != models.language and "none" not in (guessed, models.language)
    # How main reads the original.
    source = judged[0].probabilities["source"] or 0.0
    wrong = source > 0.5
    before, after = (item.label, item.target)[:: -1 if wrong else 1]
    unknown = ("compliancy", *VERDICT_NAMES) if foreign else ("compliancy", "main") if wrong else ()
    candidates = [
        {
            "headline": candidate.text,
            "system": system,
            "style": None if foreign else _rounded(candidate.style),
            "acceptability": None if foreign else _rounded(candidate.acceptability),
            "edited": candidate.edited,
            "probabilities": {
                name: None if foreign else _rounded(value)
                for name, value in candidate.probabilities.items()
                if name in VERDICT_NAMES
            },
            "verdicts": {"compliancy": candidate.compliant, **candidate.marks} | dict.fromkeys(unknown),
            "refused_by": [
                each
                for each in candidate.refused_by.split("; ")
                if each and each.partition(":")[0] not in unknown
            ],
            "open_quotation": fold(candidate.text).count('"') % 2 == 1,
            "unsupported": [] if foreign else [asdict(part) for part in candidate.unsupported],
            "looks_like": {"original": before, "new": after if candidate.marks["main"] else before},
        }
        for candidate in judged
    ]
    return {
        "system": system,
        "from": item.label,
        "to": item.target,
        "original": {"headline": item.source, "looks_like_target": round(source, 4)},
        "wrong_direction": (
            f"Wrong direction? {JUDGE_NAMES['main']} takes the original for a headline of {item.target} already ({figure(source)}), so "
            f"there is no verdict on rewriting it from {item.label} to {item.target}. Choose {item.target} → {item.label}."
        )
        if wrong and not foreign
        else "",
        "candidates": candidates,
        "near_copies": near_copies,
        "foreign": foreign,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.verdicts},
        "signature": models.judges.signature,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _endpoint(models: Models) -> None:
    """Make the endpoint `/transfer`, documented by what is written here."""
    directions, systems = list(models.directions), list(models.systems)

    @refused
    def transfer_endpoint(
        headline: str,
        article: str,
        direction: str = directions[0],
        system: str = systems[0],
        candidates: int = SHOWN,
    ) -> dict:
        return answer(models, transfer_question, headline, article, direction, system, candidates)

    gr.api(
        transfer_endpoint,
        api_name="transfer",
        api_description=(
            f"New headlines for one original, with the judges' probabilities and verdicts. {inputs(models)}; "
            f"system: {' or '.join(systems)}; candidates: 1 to {CANDIDATES}."
        ),
        **QUEUE,
    )


def inputs(models: Models) -> str:
    """What the endpoints say of the inputs that both have."""
    lengths = f"headline: at most {HEADLINE} characters; article: at most {ARTICLE} characters"
    return f"{lengths}; direction: {' or '.join(models.directions)}"
