"""Answers of the page: new headlines with the verdicts of the judges, as JSON and as HTML."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
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
from change_it.space.models import MAX_ARTICLE_CHARACTERS, MAX_HEADLINE_CHARACTERS, Models
from change_it.text.folding import composed, fold
from change_it.text.stopwords import is_foreign
from change_it.text.tokens import words

#: Headlines that a system offers for one original.
MAX_CANDIDATES = 8
#: Headlines of these that are shown at first.
SHOWN_CANDIDATES = 3
#: A headline is a near copy of a better one if they share more than this of the words of the shorter.
NEAR_COPY_SHARE = 0.75
#: System of a headline that the person wrote.
OWN = "own"


def transfer(
    models: Models,
    headline: str,
    article: str,
    direction: str,
    system: str,
    candidates: float = SHOWN_CANDIDATES,
) -> dict[str, Any]:
    """Answer with new headlines for an original; see `_answer`.

    Raises:
        InputError: a field cannot be used, or the system finds nothing to write.
    """
    item = _item(models, headline, article, direction)
    if not isinstance(system, str) or system not in models.systems:
        names = ", ".join(models.systems)
        raise InputError(f"There is no such system: choose one of {names}.")
    is_number = isinstance(candidates, int | float)
    if not is_number or candidates not in range(1, MAX_CANDIDATES + 1):
        raise InputError(f"The number of candidates goes from 1 to {MAX_CANDIDATES}.")
    writer = models.systems[system]
    if item.target not in writer.targets:
        raise InputError(f"{system} does not write for {item.target}: choose the other direction or system.")
    from change_it.generators.transfer import Search  # loads torch, as the systems have done

    [proposed] = writer.propose([item], Search(candidates=MAX_CANDIDATES))
    texts: list[str] = []
    for candidate in proposed:
        text = _on_one_line(candidate.text)
        if words(text) and text not in texts:
            texts.append(text)
    if not texts:
        raise InputError(f"{system} finds nothing to write: try a longer article or another system.")
    return _answer(models, item, system, texts, int(candidates))


def judge(models: Models, headline: str, original: str, article: str, direction: str) -> dict[str, Any]:
    """Answer with the verdicts on a headline that somebody wrote; see `_answer`.

    Raises:
        InputError: a field cannot be used.
    """
    item = _item(models, original, article, direction)
    request = "Write the new headline that is to be judged."
    new = _on_one_line(_text(headline, MAX_HEADLINE_CHARACTERS, "new headline", request))
    if not words(new):
        raise InputError(request)
    return _answer(models, item, OWN, [composed(new)])


def _on_one_line(text: str) -> str:
    """Return a text with single spaces in the place of line breaks and runs of spaces."""
    return " ".join(text.split())


def _text(value: object, limit: int, field: str, request: str) -> str:
    """Return a text that was sent, normalized (NFC), with `?` for what is no Unicode.

    Args:
        value: what was sent.
        limit: characters that the text has at most.
        field: its name, for the message.
        request: the sentence that asks for it.

    Raises:
        InputError: it is a list or a number, or too long.
    """
    if not isinstance(value, str | None):
        raise InputError(request)
    text = value or ""
    if len(text) > limit:
        raise InputError(f"{field}: {len(text):,} characters are too many, at most {limit:,} fit: shorten it")
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()).strip()


def _item(models: Models, headline: str, article: str, direction: str) -> Item:
    """Make the item of the fields.

    Raises:
        InputError: a field cannot be used.
    """
    request_headline = "Write the original headline: the judges compare the new one with it."
    request_article = "Paste the article too: the judges read it, and some systems write from it."
    source = _on_one_line(_text(headline, MAX_HEADLINE_CHARACTERS, "original headline", request_headline))
    text = _text(article, MAX_ARTICLE_CHARACTERS, "article", request_article)
    if not words(source):
        raise InputError(request_headline)
    if not words(text):
        raise InputError(request_article)
    if not isinstance(direction, str) or direction not in models.directions:
        names = ", ".join(models.directions)
        raise InputError(f"There is no such direction: choose one of {names}.")
    label, target = models.directions[direction]
    return Item(id="", label=label, target=target, source=source, article=text)


def _answer(
    models: Models, item: Item, system: str, headlines: Sequence[str], count: int = 1
) -> dict[str, Any]:
    """Describe the `count` best of the new headlines for an item, without near copies of a better one.

    Near copies are often the same headline, cut elsewhere.

    Returns:
        A JSON object:
            `candidates`, the best first, as `change-it judge --json` writes them;
            `near_copies`, how many are hidden;
            `wrong_direction`, a sentence where main takes the original for the outlet aimed at, so that there
                is no verdict on a reversal;
            `foreign`, whether the text is in another language than the judges' corpus, so that there is no
                verdict at all;
            `caveat`, why a headline that no judge refuses may still be bad;
            `reliability` of each judge, and what it `sees` and misses.
    """
    [judged] = judge_candidates(models.judges, [headlines], [item])
    distinct = _without_near_copies(judged)
    is_foreign_text = is_foreign(f"{item.source}. {item.article}", models.language)
    # main's probability that the original is of the outlet aimed at
    probability = judged[0].probabilities["source"] or 0.0
    unknown: tuple[str, ...] = ()
    warning = ""
    if is_foreign_text:
        unknown = tuple(JUDGES)
    elif probability > 0.5:
        unknown = (MAIN,)
        warning = _warning_of_direction(item, probability)
    return {
        "system": system,
        "from": item.label,
        "to": item.target,
        "wrong_direction": warning,
        "candidates": [_without_unknown(candidate, unknown) for candidate in distinct[:count]],
        "near_copies": len(judged) - len(distinct),
        "foreign": is_foreign_text,
        "caveat": models.audit.caveat,
        "reliability": {verdict.judge: verdict.level for verdict in models.audit.judges},
        "sees": {verdict.judge: verdict.words for verdict in models.audit.judges if verdict.words},
        "signature": models.judges.signature,
    }


def _without_near_copies(judged: Sequence[JudgedHeadline]) -> list[JudgedHeadline]:
    """Return the judged headlines, the best first, without near copies of a better one."""
    distinct: list[JudgedHeadline] = []
    bags_of_words: list[frozenset[str]] = []
    for candidate in judged:
        bag = frozenset(words(fold(candidate.text).lower()))
        if not any(_is_near_copy(bag, other) for other in bags_of_words):
            bags_of_words.append(bag)
            distinct.append(candidate)
    return distinct


def _is_near_copy(bag: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two bags of words share more than `NEAR_COPY_SHARE` of the smaller one."""
    return len(bag & other) > NEAR_COPY_SHARE * min(len(bag), len(other))


def _warning_of_direction(item: Item, probability: float) -> str:
    """Return the sentences that warn of an original that main takes for the outlet aimed at."""
    return (
        f"Wrong direction? {JUDGES[MAIN].heading} takes the original for a headline of {item.target} already"
        f" ({figure(probability)}), so there is no verdict on rewriting it from {item.label} to"
        f" {item.target}. Choose {item.target} → {item.label}."
    )


def _without_unknown(judged: JudgedHeadline, unknown: Sequence[str]) -> dict[str, Any]:
    """Return a judged headline as a JSON object, without what the judges `unknown` say of it.

    Where all judges are unknown, its figures and its marked words are left out, too.
    """
    reasons = tuple(reason for reason in judged.reasons if reason.name not in unknown)
    candidate = replace(judged, reasons=reasons).as_dict()
    for name in unknown:
        candidate["marks"][name] = None
    if unknown:
        candidate["compliant"] = None
    if len(unknown) == len(judged.marks):
        candidate["style"] = None
        candidate["acceptability"] = None
        candidate["probabilities"] = dict.fromkeys(judged.probabilities)
        candidate["unsupported"] = []
    return candidate


def choose_opening(models: Models, examples: list[list[str]], system: str) -> tuple[list[str], str]:
    """Return the fields that the page opens with, and the HTML of their answer.

    They are of the first example for which the system writes a headline that passes every judge, or else of
    the first one.
    """
    for fields in examples:
        headline, article, direction = fields
        try:
            answer = transfer(models, headline, article, direction, system)
        except InputError:
            continue  # the system finds nothing to write
        for candidate in answer["candidates"]:
            if candidate["compliant"] and not candidate["refused_by"]:
                return fields, cards_html(answer)
    first = ["", "", next(iter(models.directions))]
    if examples:
        first = examples[0]
    return first, cards(models, transfer, *first, system)


def cards(models: Models, ask: Callable[..., dict[str, Any]], *fields: Any) -> str:
    """Return the answer of `transfer` or `judge` to the fields as HTML, or the sentence that refuses them."""
    try:
        return cards_html(ask(models, *fields))
    except InputError as error:
        return f'<div class="ci-notice" role="status">{escape(error)}</div>'


def cards_html(answer: Mapping[str, Any]) -> str:
    """Return an answer as HTML; words without evidence are underlined."""
    headlines = []
    for candidate in answer["candidates"]:
        places = tuple((part["start"], part["end"]) for part in candidate["unsupported"])
        headlines.append(UnderlinedText(candidate["text"], places))
    return render("candidates.html.jinja", answer=answer, own=OWN, headlines=headlines)


def about_html(models: Models) -> str:
    """Return what stands above the tabs: whether measures can rank, and what each judge sees and misses."""
    answers = verdict_answers(models.audit.verdicts)
    return render("about.html.jinja", models=models, question=QUESTION, answers=answers)


def render(template: str, **values: Any) -> str:
    """Fill a template of the pages; every value is escaped."""
    return environment().get_template(template).render(**values)
