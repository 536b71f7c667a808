"""What the Transfer tab and the endpoints `/transfer` and `/judge` answer: plain values, no interface."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from change_it.errors import InputError
from change_it.generators.rerank import joint_probability
from change_it.scoring.compliancy import MEASURES, judge_items
from change_it.scoring.item import Item
from change_it.space.limits import LIMITS, text_of
from change_it.space.models import Models
from change_it.space.words import say
from change_it.text.tokens import words

#: Width of the search, at least: wide enough for a choice, narrow enough for a busy page.
BEAMS = 4
#: Name under which a headline is shown that the reader wrote.
OWN = "own"


def directions(models: Models) -> list[str]:
    """The two directions, `colle2faro`.

    Args:
        models: of the page.
    """
    first, second = models.outlets
    return [f"{first}2{second}", f"{second}2{first}"]


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
    """New headlines for one original, each with what the judges say.

    Args:
        models: of the page.
        headline: the original headline.
        article: its article.
        direction: one of `directions`.
        system: one of `models.systems`.
        candidates: headlines wanted, at most `LIMITS.candidates`.
        language: of messages.
        own: a headline that the reader wrote, judged with the others; may be empty.

    Returns:
        What can be written as JSON: `system`, `from`, `to`, `original` (headline and readability), `signature`, and
        `candidates`, those with the highest joint probability first, each with `headline`, `system`, `joint`,
        `probabilities` (hh, ah, main), `verdicts` (compliancy, hh, ah, main), `looks_like` (the outlet that main takes
        the original and the new headline for) and `readability`.

    Raises:
        InputError: something is missing, unknown or too long.
    """
    old, text, aim = _checked(models, headline, article, direction, language)
    if not isinstance(system, str) or system not in models.systems:
        raise InputError(say(language, "limits.system", known=", ".join(models.systems)))
    count = _count(candidates, language)
    chosen, to = models.systems[system], models.outlets[aim]
    if to not in chosen.targets:
        raise InputError(say(language, "limits.target", system=system, to=to))
    written = " ".join(text_of(own, LIMITS.headline, "transfer.own", language).split())
    from change_it.generators.formats import Decoding

    search = Decoding(candidates=count, beams=max(BEAMS, count))
    found = [(" ".join(one.text.split()), system) for one in chosen.propose([old], [text], to, search)[0]]
    texts = {new: name for new, name in [*found, (written, OWN)] if words(new)}
    if not texts:
        raise InputError(say(language, "limits.nothing", system=system))
    return {
        "system": system,
        **_judged(models, old, text, aim, list(texts.items())[: LIMITS.candidates + 1]),
    }


def judge(
    models: Models, headline: Any, article: Any, new_headline: Any, direction: Any, language: str
) -> dict[str, Any]:
    """What the judges say of a headline that somebody wrote.

    Args:
        models: of the page.
        headline: the original headline.
        article: its article.
        new_headline: what is judged.
        direction: one of `directions`.
        language: of messages.

    Returns:
        As `transfer`, with one candidate.

    Raises:
        InputError: something is missing, unknown or too long.
    """
    old, text, aim = _checked(models, headline, article, direction, language)
    new = " ".join(text_of(new_headline, LIMITS.headline, "transfer.own", language).split())
    if not words(new):
        raise InputError(say(language, "limits.no_own"))
    return {"system": OWN, **_judged(models, old, text, aim, [(new, OWN)])}


def _checked(
    models: Models, headline: Any, article: Any, direction: Any, language: str
) -> tuple[str, str, int]:
    """Original headline, article and the number of the outlet aimed at."""
    old = " ".join(text_of(headline, LIMITS.headline, "transfer.headline", language).split())
    text = text_of(article, LIMITS.article, "transfer.article", language)
    if not words(old):
        raise InputError(say(language, "limits.no_headline"))
    if not words(text):
        raise InputError(say(language, "limits.no_article"))
    known = directions(models)
    if direction not in known:
        raise InputError(say(language, "limits.direction", known=", ".join(known)))
    return old, text, 1 - known.index(direction)


def _count(candidates: Any, language: str) -> int:
    whole = isinstance(candidates, int | float) and candidates == candidates // 1
    if not whole or not 1 <= candidates <= LIMITS.candidates:
        raise InputError(say(language, "limits.candidates", most=LIMITS.candidates))
    return int(candidates)


def _judged(
    models: Models, old: str, article: str, aim: int, texts: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """The answer for new headlines (text, system), all of them in one batch a judge."""
    new = [text for text, _ in texts]
    outlets = models.outlets
    items = [Item("", outlets[1 - aim], outlets[aim], old, article, prediction=text) for text in new]
    judged = judge_items(models.judges, items, progress=False)
    p_hh, p_ah, p_target, p_source = (
        judged[name].to_numpy() for name in ("p_hh", "p_ah", "p_target", "p_target_source")
    )
    joint = joint_probability(p_hh, p_ah, p_target, p_source)
    figures = readable([old, *new], models.language)
    original_like = outlets[aim if p_source[0] > 0.5 else 1 - aim]
    candidates = [
        {
            "headline": new[row],
            "system": texts[row][1],
            "joint": round(float(joint[row]), 4),
            "probabilities": {
                name: round(float(values[row]), 4)
                for name, values in (("hh", p_hh), ("ah", p_ah), ("main", p_target))
            },
            "verdicts": {name: bool(judged[name][row]) for name in MEASURES},
            "looks_like": {
                "original": original_like,
                "new": outlets[1 - outlets.index(original_like)] if judged["main"][row] else original_like,
            },
            "readability": figures[row + 1],
        }
        for row in np.argsort(-joint, kind="stable").tolist()
    ]
    return {
        "from": outlets[1 - aim],
        "to": outlets[aim],
        "original": {"headline": old, "readability": figures[0]},
        "candidates": candidates,
        "signature": models.judges.signature,
    }


def readable(headlines: Sequence[str], language: str) -> list[dict[str, float]]:
    """Readability figures of headlines.

    Args:
        headlines: n texts.
        language: of the headlines.

    Returns:
        For each `words`, `PNR`, `NR`, `PR`, `Fog` and `AWL`; of a language without a tagger, or without what
        counts syllables, the words alone.
    """
    from change_it.hevas.readability import readability

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
