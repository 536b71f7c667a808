"""Answers of the page: new headlines with what the judges say of them, as JSON and as HTML."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
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


def text_of(value: str | None, most: int, part: str) -> str:
    r"""Strip a text that was sent, and bring it to Unicode NFC; None becomes an empty text.

    Raises:
        InputError: it has more characters than `most`.

    Examples:
        >>> text_of(" a\ud800b ", 300, "headline")
        'a?b'
    """
    text = value or ""
    if len(text) > most:
        raise InputError(f"{part}: {len(text):,} characters are too many, at most {most:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


def transfer(
    models: Models, headline: str, article: str, direction: str, system: str, candidates: float = SHOWN
) -> dict[str, Any]:
    """Answer with new headlines for an original; see `_answer`."""
    item = _item(models, headline, article, direction)
    if system not in models.systems:
        raise InputError(f"There is no such system: choose one of {', '.join(models.systems)}.")
    if not isinstance(candidates, int | float) or not 1 <= candidates <= CANDIDATES:
        raise InputError(f"The number of candidates goes from 1 to {CANDIDATES}.")
    if item.target not in models.systems[system].targets:
        raise InputError(
            f"{system} does not write for {item.target}: choose the other direction or another system."
        )
    [proposed] = models.systems[system].propose([item], Search(candidates=CANDIDATES))
    texts = [" ".join(one.text.split()) for one in proposed if words(one.text)]
    return _answer(models, item, system, list(dict.fromkeys(texts)), int(candidates))


def judge(models: Models, headline: str, original: str, article: str, direction: str) -> dict[str, Any]:
    """Answer what the judges say of a headline that somebody wrote; see `_answer`."""
    item = _item(models, original, article, direction)
    new = " ".join(text_of(headline, HEADLINE, "new headline").split())
    if not words(new):
        raise InputError("Write the new headline that is to be judged.")
    return _answer(models, item, OWN, [replace(item, prediction=new).prediction])


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


def _answer(
    models: Models, item: Item, system: str, headlines: Sequence[str], count: int = 1
) -> dict[str, Any]:
    """Describe the best of the new headlines for an item, without near copies of a better one: often the same, cut elsewhere.

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
    if not headlines:
        raise InputError(
            f"{system} finds nothing to write about this text: try a longer article or another system."
        )
    [judged] = judge_candidates(models.judges, [headlines], [item])
    kept: dict[frozenset[str], JudgedHeadline] = {}
    for one in judged:
        own = frozenset(words(fold(one.text).lower()))
        if all(len(own & other) <= NEAR * min(len(own), len(other)) for other in kept):
            kept[own] = one
    guessed = guess_language([f"{item.source}. {item.article}"])
    foreign = guessed != models.language and "none" not in (guessed, models.language)
    source = judged[0].probabilities["source"] or 0.0  # how main reads the original
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
            "probabilities": {
                name: known(p) for name, p in one.probabilities.items() if name in VERDICT_NAMES
            },
            "verdicts": {"compliancy": one.compliant, **one.marks} | dict.fromkeys(unknown),
            "refused_by": [
                why for why in one.refused_by.split("; ") if why and why.partition(":")[0] not in unknown
            ],
            "open_quotation": fold(one.text).count('"') % 2 == 1,
            "unsupported": [] if foreign else [asdict(part) for part in one.unsupported],
            "looks_like": {"original": before, "new": after if one.marks["main"] else before},
        }
        for one in list(kept.values())[:count]
    ]
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
        "near_copies": len(judged) - len(kept),
        "foreign": foreign,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.verdicts},
        "signature": models.judges.signature,
    }


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
                found = transfer(models, *asked, CANDIDATES)
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


def cards(models: Models, ask: Callable[..., dict[str, Any]], *fields: Any) -> str:
    """Answer what `ask`, `transfer` or `judge`, is asked by the fields, as HTML, or with the sentence that refuses it."""
    try:
        return cards_html(ask(models, *fields))
    except InputError as error:
        return notice(error)


def cards_html(found: Mapping[str, Any]) -> str:
    """Render an answer as HTML."""
    shown = [
        UnderlinedText(one["headline"], tuple((wrong["start"], wrong["end"]) for wrong in one["unsupported"]))
        for one in found["candidates"]
    ]
    return render("candidates.html.jinja", answer=found, own=OWN, headlines=shown, signed=signed)


def signed(style: float) -> str:
    """A style with its sign and two decimals.

    Examples:
        >>> signed(0.824), signed(-1.0), signed(0.0)
        ('+.82', '-1.00', '+.00')
    """
    return f"{style:+.2f}".replace("0.", ".", 1) if abs(style) < 0.995 else f"{style:+.2f}"


def notice(sentence: object) -> str:
    """Show a sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(sentence)}</div>'


@cache
def _templates() -> Environment:
    """Load the templates of the page, and those of the reports for their tables."""
    reports = environment()
    loaders = [PackageLoader("change_it.space"), *([reports.loader] if reports.loader else [])]
    ours = reports.overlay(loader=ChoiceLoader(loaders))
    ours.filters = reports.filters
    return ours


def render(template: str, **values: Any) -> str:
    """Fill a template of `templates`; every value is escaped."""
    return _templates().get_template(template).render(**values)
