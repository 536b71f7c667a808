"""Candidates as HTML: marks in words, changed words highlighted, figures. Every text is escaped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from change_it.space.transferring import OWN
from change_it.space.words import say

#: The judges in the order in which they are told.
JUDGES = ("hh", "ah", "main")
FIGURES = ("words", "PNR", "NR", "PR", "Fog", "AWL")
_MARKS = {True: "✓", False: "✗"}


def changed_words(source: str, new: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """Which words are new, and which are gone, wherever they stand.

    Args:
        source: the original headline.
        new: the new one.

    Returns:
        The new headline in pieces, each with whether it is a word that the original does not have (so often); and
        the words of the original that are not in the new one, in order.

    Example:
        >>> changed_words("Crolla il ponte", "Ponte, che crollo")
        ([('Ponte', False), (', ', False), ('che', True), (' ', False), ('crollo', True)], ['Crolla', 'il'])
    """

    def pieces(text: str) -> list[tuple[str, bool]]:
        return [("".join(run), is_word) for is_word, run in groupby(text, str.isalnum)]

    def beyond(text: list[tuple[str, bool]], other: list[tuple[str, bool]]) -> list[bool]:
        left = Counter(piece.lower() for piece, is_word in other if is_word)
        found = []
        for piece, is_word in text:
            found.append(is_word and left[piece.lower()] == 0)
            left[piece.lower()] -= is_word
        return found

    old, now = pieces(source), pieces(new)
    gone = [piece for (piece, _), lost in zip(old, beyond(old, now), strict=True) if lost]
    return [(piece, added) for (piece, _), added in zip(now, beyond(now, old), strict=True)], gone


def notice(message: str) -> str:
    """A sentence in the place of the candidates.

    Args:
        message: plain text.
    """
    return f'<div class="ci-notice" role="status">{escape(message)}</div>'


def candidates(answer: Mapping[str, Any], language: str) -> str:
    """The answer of `transferring.transfer` as HTML.

    Args:
        answer: what it returned.
        language: of the labels.

    Returns:
        HTML in which headlines are text and nothing else.
    """
    found = answer["candidates"]
    good = sum(one["verdicts"]["compliancy"] for one in found)
    summary = say(language, "transfer.summary", good=good, all=len(found), to=answer["to"])
    cards = "".join(
        f"<li>{_card(answer, one, place, language)}</li>" for place, one in enumerate(found, start=1)
    )
    note = say(language, "transfer.order_note", signature=answer["signature"])
    legend = _legend(answer["original"]["readability"], language)
    return (
        f'<div class="ci-answer"><p class="ci-summary" role="status">{escape(summary)}</p>'
        f'<ol class="ci-cards">{cards}</ol><p class="ci-note">{escape(note)}</p>{legend}</div>'
    )


def _card(answer: Mapping[str, Any], one: Mapping[str, Any], place: int, language: str) -> str:
    """One candidate."""
    compliant = one["verdicts"]["compliancy"]
    badge = say(language, "transfer.compliant" if compliant else "transfer.not_compliant")
    new = say(language, "transfer.new_word")
    marked, gone = changed_words(answer["original"]["headline"], one["headline"])
    text = "".join(
        f'<mark title="{escape(new)}">{escape(piece)}</mark>' if added else escape(piece)
        for piece, added in _joined(marked)
    )
    dropped = (
        f'<p class="ci-gone">{escape(say(language, "transfer.gone"))} '
        + " ".join(f"<del>{escape(word)}</del>" for word in gone)
        + "</p>"
        if gone
        else ""
    )
    who = say(language, "transfer.by_you") if one["system"] == OWN else one["system"]
    joint = say(language, "transfer.joint", value=_percent(one["joint"]))
    return (
        f'<article class="ci-card {_class(compliant)}"><header>'
        f'<span class="ci-badge">{_MARKS[compliant]} {escape(badge)}</span>'
        f'<span class="ci-meta">{place} · {escape(who)} · {escape(joint)}</span></header>'
        f'<h3 class="ci-headline" dir="auto">{text}</h3>{dropped}'
        f'<ul class="ci-verdicts">{"".join(_verdict(one, judge, language) for judge in JUDGES)}</ul>'
        f"{_figures(answer['original'], one, language)}</article>"
    )


def _joined(pieces: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Neighbouring new words as one piece, with what stands between them."""
    joined: list[tuple[str, bool]] = []
    for piece, added in pieces:
        if added and len(joined) > 1 and joined[-2][1]:
            between, before = joined.pop()[0], joined.pop()[0]
            joined.append((before + between + piece, True))
        else:
            joined.append((piece, added))
    return joined


def _verdict(one: Mapping[str, Any], judge: str, language: str) -> str:
    """One judge's mark, in words, with its probability as a bar."""
    holds = one["verdicts"][judge]
    told = say(language, f"transfer.{judge}_{'yes' if holds else 'no'}", **one["looks_like"])
    value = _percent(one["probabilities"][judge])
    name = say(language, f"transfer.{judge}")
    return (
        f'<li class="{_class(holds)}"><span class="ci-mark" aria-hidden="true">{_MARKS[holds]}</span>'
        f"<span><b>{escape(name)}</b> {escape(told)}</span>"
        f'<span class="ci-value"><span class="ci-bar" aria-hidden="true"><span style="width:{value}"></span></span>'
        f"<span>{value}</span></span></li>"
    )


def _figures(original: Mapping[str, Any], one: Mapping[str, Any], language: str) -> str:
    """Readability of the candidate, with the original's beside it."""
    cells = "".join(
        f"<div><dt>{escape(say(language, f'transfer.{name}'))}</dt>"
        f"<dd>{_figure(name, one)} <small>({_figure(name, original)})</small></dd></div>"
        for name in FIGURES
        if name in one["readability"]
    )
    return f'<dl class="ci-figures">{cells}</dl>'


def _legend(names: Mapping[str, float], language: str) -> str:
    """What the readability figures are, to unfold."""
    lines = "".join(
        f"<div><dt>{escape(say(language, f'transfer.{name}'))}</dt><dd>{escape(say(language, f'transfer.{name}_long'))}</dd></div>"
        for name in FIGURES
        if name in names
    )
    return (
        f'<details class="ci-legend"><summary>{escape(say(language, "transfer.figures"))}</summary>'
        f"<dl>{lines}</dl></details>"
    )


def _figure(name: str, one: Mapping[str, Any]) -> str:
    value = one["readability"][name]
    return str(value) if isinstance(value, int) else f"{value:.2f}"


def _class(good: bool) -> str:
    return "ci-yes" if good else "ci-no"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"
