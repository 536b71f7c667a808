"""Answers of the page: new headlines with the verdicts of the judges, as JSON and as HTML."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import escape

from change_it.errors import InputError
from change_it.generators.headline_transfer import Search
from change_it.generators.rerank import judge_candidates
from change_it.results.pages import environment
from change_it.scoring.compliancy import JUDGE_NAMES, VERDICT_NAMES
from change_it.scoring.item import Item
from change_it.scoring.judges import JudgedHeadline
from change_it.space.models import ARTICLE, HEADLINE, Models
from change_it.tables import UnderlinedText, figure
from change_it.text.folding import fold
from change_it.text.stopwords import guess_language
from change_it.text.tokens import words

#: Headlines that are offered for one original, and those that are shown at first.
CANDIDATES, SHOWN = 8, 3
#: Two headlines are nearly the same if they share more than this share of the shorter one's words.
NEAR = 0.75
#: System of a headline that the reader wrote.
OWN = "own"


def transfer(
    models: Models, headline: str, article: str, direction: str, system: str, candidates: float = SHOWN
) -> dict[str, Any]:
    """Answer with new headlines for an original; see `_answer`."""
    item = _item(models, headline, article, direction)
    if system not in models.systems:
        raise InputError(f"There is no such system: choose one of {', '.join(models.systems)}.")
    if candidates not in range(1, CANDIDATES + 1):
        raise InputError(f"The number of candidates goes from 1 to {CANDIDATES}.")
    if item.target not in models.systems[system].targets:
        raise InputError(f"{system} does not write for {item.target}: choose the other direction or system.")
    [proposed] = models.systems[system].propose([item], Search(candidates=CANDIDATES))
    texts = dict.fromkeys(" ".join(one.text.split()) for one in proposed if words(one.text))
    if not texts:
        raise InputError(f"{system} finds nothing to write: try a longer article or another system.")
    return _answer(models, item, system, list(texts), int(candidates))


def judge(models: Models, headline: str, original: str, article: str, direction: str) -> dict[str, Any]:
    """Answer with the verdicts on a headline that somebody wrote; see `_answer`."""
    item = _item(models, original, article, direction)
    new = " ".join(_text(headline, HEADLINE, "new headline").split())
    if not words(new):
        raise InputError("Write the new headline that is to be judged.")
    return _answer(models, item, OWN, [replace(item, prediction=new).prediction])


def _text(value: str | None, most: int, part: str) -> str:
    """A text that was sent, without what is no Unicode; one of more characters is refused."""
    text = value or ""
    if len(text) > most:
        raise InputError(f"{part}: {len(text):,} characters are too many, at most {most:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


def _item(models: Models, headline: str, article: str, direction: str) -> Item:
    """The item of the fields."""
    source = " ".join(_text(headline, HEADLINE, "original headline").split())
    text = _text(article, ARTICLE, "article")
    if not words(source):
        raise InputError("Write the original headline: the judges compare the new one with it.")
    if not words(text):
        raise InputError("Paste the article too: the judges read it, and some systems write from it.")
    if direction not in models.directions:
        raise InputError(f"There is no such direction: choose one of {', '.join(models.directions)}.")
    return Item("", *models.directions[direction], source, text)


def _answer(
    models: Models, item: Item, system: str, headlines: Sequence[str], count: int = 1
) -> dict[str, Any]:
    """Describe the best of the new headlines for an item, without near copies of a better one: often the same, cut elsewhere.

    Returns:
        A JSON object: `candidates`, the best first; `near_copies`, how many are hidden; `wrong_direction`, a sentence where main takes
        the original for the outlet aimed at, so that there is no verdict on a reversal; `foreign`, whether the text is in another
        language than the judges' corpus, so that there is no verdict at all; `reliability` of each judge. Of a candidate `verdicts`
        are None where nothing is known, and `unsupported` has places in the headline.
    """
    [judged] = judge_candidates(models.judges, [headlines], [item])
    distinct: dict[frozenset[str], JudgedHeadline] = {}
    for one in judged:
        bag = frozenset(words(fold(one.text).lower()))
        if all(len(bag & other) <= NEAR * min(len(bag), len(other)) for other in distinct):
            distinct[bag] = one
    guessed = guess_language([f"{item.source}. {item.article}"])
    foreign = guessed != models.language and "none" not in (guessed, models.language)
    source = judged[0].probabilities["source"] or 0.0  # that main takes the original for the outlet aimed at
    wrong = source > 0.5
    before, after = (item.label, item.target)[:: -1 if wrong else 1]
    unknown = ("compliancy", *VERDICT_NAMES) if foreign else ("compliancy", "main") if wrong else ()

    def known(value: float | None) -> float | None:
        return None if foreign or value is None else round(value, 4)

    candidates = [
        {
            "headline": one.text,
            "system": system,
            "style": known(one.style),
            "acceptability": known(one.acceptability),
            "edited": one.edited,
            "probabilities": {name: known(p) for name, p in one.probabilities.items() if name in VERDICT_NAMES},
            "verdicts": {"compliancy": one.compliant, **one.marks} | dict.fromkeys(unknown),
            "refused_by": [why for why in one.refused_by.split("; ") if why and why.partition(":")[0] not in unknown],
            "unsupported": [] if foreign else [asdict(part) for part in one.unsupported],
            "looks_like": {"original": before, "new": after if one.marks["main"] else before},
        }
        for one in [*distinct.values()][:count]
    ]  # fmt: skip
    warning = (
        f"Wrong direction? {JUDGE_NAMES['main']} takes the original for a headline of {item.target} already ({figure(source)}), so "
        f"there is no verdict on rewriting it from {item.label} to {item.target}. Choose {item.target} → {item.label}."
    )
    return {
        "system": system,
        "from": item.label,
        "to": item.target,
        "original": {"headline": item.source, "looks_like_target": round(source, 4)},
        "wrong_direction": warning if wrong and not foreign else "",
        "candidates": candidates,
        "near_copies": len(judged) - len(distinct),
        "foreign": foreign,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.verdicts},
        "signature": models.judges.signature,
    }


def opening(models: Models) -> tuple[tuple[str, str, str, str], str]:
    """The fields that the page opens with, and their answer: the first example with a headline that passes, or else that is answered."""
    opened = None
    for example, system in product(models.examples, models.systems):
        with suppress(InputError):  # it does not write for that outlet, or finds nothing to write
            fields = (example.source, example.article, example.direction, system)
            answer = transfer(models, *fields)
            passes = not all(one["refused_by"] for one in answer["candidates"])
            if not answer["wrong_direction"] and (passes or not opened):
                opened = fields, cards_html(answer)
                if passes:
                    break
    first = ("", "", next(iter(models.directions)), next(iter(models.systems)))
    return opened or (first, notice("Write a headline and paste its article: the candidates appear here."))


def cards(models: Models, ask: Callable[..., dict[str, Any]], *fields: Any) -> str:
    """The answer of `transfer` or `judge` to the fields as HTML, or the sentence that refuses them."""
    try:
        return cards_html(ask(models, *fields))
    except InputError as error:
        return notice(error)


def cards_html(answer: Mapping[str, Any]) -> str:
    """An answer as HTML."""
    headlines = [
        UnderlinedText(one["headline"], tuple((part["start"], part["end"]) for part in one["unsupported"]))
        for one in answer["candidates"]
    ]
    return render("candidates.html.jinja", answer=answer, own=OWN, headlines=headlines)


def notice(sentence: object) -> str:
    """A sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(sentence)}</div>'


@cache
def _templates() -> Environment:
    """The templates of the page, and those of the reports for their tables."""
    reports = environment()
    loaders = [PackageLoader("change_it.space"), *([reports.loader] if reports.loader else [])]
    return reports.overlay(loader=ChoiceLoader(loaders))


def render(template: str, **values: Any) -> str:
    """Fill a template of `templates`; every value is escaped."""
    return _templates().get_template(template).render(**values)
