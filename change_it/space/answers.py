"""Answers of the page: new headlines with the verdicts of the judges, as JSON and as HTML."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from markupsafe import escape

from change_it.corpus.test_set import Item
from change_it.errors import InputError
from change_it.judges.spec import JUDGES, MAIN
from change_it.render.tables import UnderlinedText, figure
from change_it.report.pages import environment
from change_it.report.ranking import QUESTION, verdict_answers
from change_it.scoring.choosing import judge_candidates
from change_it.scoring.panel import JudgedHeadline
from change_it.space.models import ARTICLE, HEADLINE, Models
from change_it.text.folding import fold
from change_it.text.stopwords import is_foreign
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
    if not isinstance(system, str) or system not in models.systems:
        raise InputError(f"There is no such system: choose one of {', '.join(models.systems)}.")
    if not isinstance(candidates, int | float) or candidates not in range(1, CANDIDATES + 1):
        raise InputError(f"The number of candidates goes from 1 to {CANDIDATES}.")
    if item.target not in models.systems[system].targets:
        raise InputError(f"{system} does not write for {item.target}: choose the other direction or system.")
    from change_it.generators.transfer import Search  # loads torch, as the systems have done

    [proposed] = models.systems[system].propose([item], Search(candidates=CANDIDATES))
    texts = dict.fromkeys(" ".join(candidate.text.split()) for candidate in proposed if words(candidate.text))
    if not texts:
        raise InputError(f"{system} finds nothing to write: try a longer article or another system.")
    return _answer(models, item, system, list(texts), int(candidates))


def judge(models: Models, headline: str, original: str, article: str, direction: str) -> dict[str, Any]:
    """Answer with the verdicts on a headline that somebody wrote; see `_answer`."""
    item = _item(models, original, article, direction)
    wanted = "Write the new headline that is to be judged."
    new = " ".join(_text(headline, HEADLINE, "new headline", wanted).split())
    if not words(new):
        raise InputError(wanted)
    return _answer(models, item, OWN, [replace(item, prediction=new).prediction])


def _text(value: object, most: int, part: str, wanted: str) -> str:
    """Return a text that was sent, without what is no Unicode; a list or number, or a text of more characters, is refused."""
    if not isinstance(value, str | None):
        raise InputError(wanted)
    text = value or ""
    if len(text) > most:
        raise InputError(f"{part}: {len(text):,} characters are too many, at most {most:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


def _item(models: Models, headline: str, article: str, direction: str) -> Item:
    """The item of the fields."""
    original = "Write the original headline: the judges compare the new one with it."
    pasted = "Paste the article too: the judges read it, and some systems write from it."
    source = " ".join(_text(headline, HEADLINE, "original headline", original).split())
    text = _text(article, ARTICLE, "article", pasted)
    if not words(source):
        raise InputError(original)
    if not words(text):
        raise InputError(pasted)
    if not isinstance(direction, str) or direction not in models.directions:
        raise InputError(f"There is no such direction: choose one of {', '.join(models.directions)}.")
    return Item("", *models.directions[direction], source, text)


def _answer(
    models: Models, item: Item, system: str, headlines: Sequence[str], count: int = 1
) -> dict[str, Any]:
    """Describe the best of the new headlines for an item, without near copies of a better one: often the same, cut elsewhere.

    Returns:
        A JSON object: `candidates`, the best first, as `change-it judge --json` writes them; `near_copies`, how many are hidden;
        `wrong_direction`, a sentence where main takes the original for the outlet aimed at, so that there is no verdict on a reversal;
        `foreign`, whether the text is in another language than the judges' corpus, so that there is no verdict at all; `caveat`, why a headline
        that no judge refuses may still be bad; `reliability` of each judge, and what it `sees` and misses.
    """
    [judged] = judge_candidates(models.judges, [headlines], [item])
    distinct: dict[frozenset[str], JudgedHeadline] = {}
    for candidate in judged:
        bag = frozenset(words(fold(candidate.text).lower()))
        if all(len(bag & other) <= NEAR * min(len(bag), len(other)) for other in distinct):
            distinct[bag] = candidate
    foreign = is_foreign(f"{item.source}. {item.article}", models.language)
    source = judged[0].probabilities["source"] or 0.0  # that main takes the original for the outlet aimed at
    warning = (
        f"Wrong direction? {JUDGES[MAIN].heading} takes the original for a headline of {item.target} already ({figure(source)}), so "
        f"there is no verdict on rewriting it from {item.label} to {item.target}. Choose {item.target} → {item.label}."
    )
    unknown = tuple(JUDGES) if foreign else (MAIN,) if source > 0.5 else ()
    return {
        "system": system,
        "from": item.label,
        "to": item.target,
        "wrong_direction": warning if source > 0.5 and not foreign else "",
        "candidates": [_without(candidate, unknown) for candidate in [*distinct.values()][:count]],
        "near_copies": len(judged) - len(distinct),
        "foreign": foreign,
        "caveat": models.audit.caveat,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.judges},
        "sees": {verdict.judge: verdict.words for verdict in models.audit.judges if verdict.words},
        "signature": models.judges.signature,
    }


def _without(judged: JudgedHeadline, unknown: Sequence[str]) -> dict[str, Any]:
    """A judged headline as a JSON object, without what judges say of which nothing is known; without all verdicts also without figures."""
    reasons = tuple(reason for reason in judged.reasons if reason.name not in unknown)
    candidate = replace(judged, reasons=reasons).as_dict()
    candidate["marks"] |= dict.fromkeys(unknown)
    if unknown:
        candidate["compliant"] = None
    if len(unknown) == len(judged.marks):
        nothing = dict.fromkeys(judged.probabilities)
        candidate |= {"style": None, "acceptability": None, "probabilities": nothing, "unsupported": []}
    return candidate


def opening(models: Models, rows: list[list[str]], system: str) -> tuple[list[str], str]:
    """The fields and the HTML of the first example with a headline of the system that passes every judge, or else of the first one."""
    for headline, article, direction in rows:
        with suppress(InputError):  # it finds nothing to write
            answer = transfer(models, headline, article, direction, system)
            if any(one["compliant"] and not one["refused_by"] for one in answer["candidates"]):
                return [headline, article, direction], cards_html(answer)
    first = rows[0] if rows else ["", "", next(iter(models.directions))]
    return first, cards(models, transfer, *first, system)


def cards(models: Models, ask: Callable[..., dict[str, Any]], *fields: Any) -> str:
    """The answer of `transfer` or `judge` to the fields as HTML, or the sentence that refuses them."""
    try:
        return cards_html(ask(models, *fields))
    except InputError as error:
        return f'<div class="ci-notice" role="status">{escape(error)}</div>'


def cards_html(answer: Mapping[str, Any]) -> str:
    """An answer as HTML."""
    headlines = [
        UnderlinedText(
            candidate["text"], tuple((part["start"], part["end"]) for part in candidate["unsupported"])
        )
        for candidate in answer["candidates"]
    ]
    return render("candidates.html.jinja", answer=answer, own=OWN, headlines=headlines)


def about_html(models: Models) -> str:
    """Return what stands above the tabs: whether the measures can rank here, and what each judge sees and misses."""
    answers = verdict_answers(models.audit.verdicts)
    return render("about.html.jinja", models=models, question=QUESTION, answers=answers)


def render(template: str, **values: Any) -> str:
    """Fill a template of the pages; every value is escaped."""
    return environment().get_template(template).render(**values)
