"""HTML of results: templates that escape every value, changed words and marks, charts that follow light and dark."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import escape

from change_it.results.charts import Drawing
from change_it.results.pages import inline_svg, word
from change_it.tables import Column, Table
from change_it.templates import template_environment
from change_it.translation import number

#: Held while charts are drawn: matplotlib's style is one for all threads.
CHARTS_LOCK = threading.Lock()

_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")


def render(template: str, **values: Any) -> str:
    """A template of `templates`, filled."""
    return _environment().get_template(template).render(**values)


def notice(message: str) -> str:
    """A sentence in the place of results."""
    return f'<div class="ci-notice" role="status">{escape(message)}</div>'


def notes(sentences: Sequence[str], signature: str = "") -> str:
    """Remarks, one below the other, and the signature of the numbers."""
    lines = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return (
        f'<div class="notes">{lines}{f"<p><code>{escape(signature)}</code></p>" if signature else ""}</div>'
    )


def chart_figures(
    drawings: Sequence[Drawing], language: str, title: Callable[[str], str], *, wide: bool = False
) -> str:
    """Charts as a `<figure>` each, whose ink is the page's text colour; hold `CHARTS_LOCK`.

    `title` gives the title of a chart by its name; `wide` charts keep their letters readable on a phone and scroll.
    """
    shown = [
        (title(drawing.name), inline_svg(drawing.figure, title(drawing.name), language))
        for drawing in drawings
    ]
    return render("charts.html.jinja", charts=shown, wide=wide)


def grid(table: Table, language: str, **headings: str) -> dict[str, Any]:
    """A table as a `gr.Dataframe` takes it, numbers as in a language, with an asterisk at the best of a column.

    `headings` are by name of a column.
    """

    def shown(text: str, column: Column) -> str:
        return text if column.format == "text" else number(language, text)

    rows = [
        [
            f"{shown(text, column)} *" if column.name in row.best else shown(text, column)
            for text, column in zip(texts, table.columns, strict=True)
        ]
        for texts, row in zip(table.texts, table.rows, strict=True)
    ]
    known = {column.name: word(language, column.heading) for column in table.columns} | headings
    return {"headers": [known[column.name] for column in table.columns], "data": rows}


def changed_words(source: str, new: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """Which words and marks are new, and which are gone, wherever they stand; letters' case does not count.

    Args:
        source: the original headline.
        new: the new one.

    Returns:
        The new headline in pieces, each with whether the original does not have it (so often), neighbouring ones as one
        piece; and the words and marks of the original that are not in the new one, in order.

    Examples:
        >>> changed_words("Crolla il ponte", "Ponte, che crollo")
        ([('Ponte', False), (', che crollo', True)], ['Crolla', 'il'])
    """

    def missing(tokens: list[str], others: list[str]) -> list[bool]:
        left = Counter(token.lower() for token in others)
        found = []
        for token in tokens:
            found.append(not token.isspace() and left[token.lower()] <= 0)
            left[token.lower()] -= 1
        return found

    old, now = _TOKENS.findall(source), _TOKENS.findall(new)
    gone = [token for token, lost in zip(old, missing(old, now), strict=True) if lost]
    added = missing(now, old)
    # a space between two new ones
    joined = [
        flag or (token.isspace() and added[place - 1 : place] == added[place + 1 : place + 2] == [True])
        for place, (token, flag) in enumerate(zip(now, added, strict=True))
    ]
    runs = groupby(zip(now, joined, strict=True), key=lambda each: each[1])
    return [("".join(token for token, _ in run), flag) for flag, run in runs], gone


def headline_pieces(
    source: str, new: str, unsupported: Sequence[Mapping[str, Any]] = ()
) -> list[tuple[str, bool, bool]]:
    """A new headline in pieces: text, whether the original lacks it, and whether no text supports it."""
    added = [flag for piece, flag in changed_words(source, new)[0] for _ in piece]
    wrong = [False] * len(new)
    for one in unsupported:
        wrong[one["start"] : one["end"]] = [True] * len(wrong[one["start"] : one["end"]])
    runs = groupby(zip(new, added, wrong, strict=True), key=lambda each: each[1:])
    return [("".join(letter for letter, _, _ in run), *flags) for flags, run in runs]


@cache
def _environment() -> Environment:
    found = template_environment(PackageLoader("change_it.space"), autoescape=True)
    found.globals |= {"changed_words": changed_words, "headline_pieces": headline_pieces}
    found.filters |= {"percent": lambda value: f"{100 * value:.0f}%"}
    return found
