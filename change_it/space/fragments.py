"""HTML of results: templates that escape every value, changed words and marks."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import escape

from change_it.results.pages import environment
from change_it.translation import known_language

_TOKENS = re.compile(r"\d+(?:[.,:]\d+)+|\w+|\s+|[^\w\s]")


def render(template: str, language: str, **values: Any) -> str:
    """A template of `templates`, filled, in a language."""
    return _environment(language).get_template(template).render(**values)


def notice(message: str) -> str:
    """A sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(message)}</div>'


def changed_words(source: str, new: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """Which words and marks are new, and which are gone, wherever they stand; letters' case does not count.

    Args:
        source: the original headline.
        new: the new one.

    Returns:
        The new headline in pieces, each with whether the original does not have it (so often); and the pieces of the
        original that are not in the new one, in order. Neighbours are one piece.

    Examples:
        >>> changed_words("Crolla il ponte", "Ponte, che crollo")
        ([('Ponte', False), (', che crollo', True)], ['Crolla il'])
    """

    def missing(tokens: list[str], others: list[str]) -> list[bool]:
        left = Counter(token.lower() for token in others)
        flags = []
        for token in tokens:
            flags.append(not token.isspace() and left[token.lower()] <= 0)
            left[token.lower()] -= 1
        return flags

    def pieces(tokens: list[str], others: list[str]) -> list[tuple[str, bool]]:
        flags = missing(tokens, others)
        joined = [  # a space between two of them
            flag or (token.isspace() and flags[index - 1 : index] == flags[index + 1 : index + 2] == [True])
            for index, (token, flag) in enumerate(zip(tokens, flags, strict=True))
        ]
        runs = groupby(zip(tokens, joined, strict=True), key=lambda each: each[1])
        return [("".join(token for token, _ in run), flag) for flag, run in runs]

    old, now = _TOKENS.findall(source), _TOKENS.findall(new)
    return pieces(now, old), [text for text, lost in pieces(old, now) if lost]


def headline_pieces(
    source: str, new: str, unsupported: Sequence[Mapping[str, Any]] = ()
) -> list[tuple[str, bool, bool]]:
    """A new headline in pieces: text, whether the original lacks it, and whether no text supports it."""
    added = [flag for piece, flag in changed_words(source, new)[0] for _ in piece]
    wrong = [False] * len(new)
    for part in unsupported:
        wrong[part["start"] : part["end"]] = [True] * len(wrong[part["start"] : part["end"]])
    runs = groupby(zip(new, added, wrong, strict=True), key=lambda each: each[1:])
    return [("".join(letter for letter, _, _ in run), *flags) for flags, run in runs]


@cache
def _environment(language: str) -> Environment:
    """The templates of the page beside those of the reports, which they share tables and texts with."""
    reports = environment(known_language(language))
    ours = PackageLoader("change_it.space")
    with_ours = reports.overlay(loader=ChoiceLoader([ours, *([reports.loader] if reports.loader else [])]))
    with_ours.globals = reports.globals | {
        "changed_words": changed_words,
        "headline_pieces": headline_pieces,
    }
    with_ours.filters = reports.filters | {"percent": lambda value: f"{100 * value:.0f}%"}
    return with_ours
