"""The Compare tab without its components: two systems' verdicts side by side, item by item."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup, escape

from change_it.errors import InputError
from change_it.space.limits import LIMITS
from change_it.space.uploads import Say, read_rows, refuse_lines
from change_it.space.view import changed_words

#: Columns of a table of verdicts, as the Score tab and `change-it score --out` write it.
COLUMNS = ("id", "direction", "source", "headline", "hh", "ah", "main")
#: Whose verdict to look at: all three together, or one judge's.
JUDGES = ("compliant", "hh", "ah", "main")
#: Which items to show, by who failed.
OUTCOMES = ("all", "any", "differ", "first", "second", "both", "none")
#: Items that are shown at once.
PAGE = 10

_YES_NO = {"true": True, "1": True, "false": False, "0": False}
_SYSTEM = 60  # letters of a system's name

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Side:
    """What one system made of an item.

    Attributes:
        headline: new headline; empty where there is none.
        passed: verdict of `JUDGES`.
    """

    headline: str
    passed: dict[str, bool]


@dataclass(frozen=True)
class Pair:
    """One item and both systems.

    Attributes:
        id: of the item.
        direction: `rep2gio` and the like.
        source: the original headline.
        first: one system.
        second: the other one.
    """

    id: str
    direction: str
    source: str
    first: Side
    second: Side


def read_verdicts(paths: Sequence[Path], *, say: Say) -> dict[str, pl.DataFrame]:
    """Read tables of verdicts.

    Args:
        paths: CSV files with the columns `COLUMNS`, and `system` where one holds several; else a system is called like its file.
        say: words of the reader's language.

    Returns:
        System to its table.

    Raises:
        InputError: a file that cannot be read, a verdict that is neither true nor false, an id that a system has twice, fewer
            than two systems or too many.
    """
    systems: dict[str, dict[str, dict[str, object]]] = {}
    for path in paths:
        rows = read_rows(path, COLUMNS, ["system"], say=say)
        unclear, double, long = [], [], []
        for line, cells in rows:
            if any(cells[name].lower() not in _YES_NO for name in JUDGES[1:]):
                unclear.append(line)
                continue
            if max(len(cells[name]) for name in COLUMNS) > LIMITS.headline:
                long.append(line)
            items = systems.setdefault((cells.get("system") or path.stem)[:_SYSTEM], {})
            if cells["id"] in items:
                double.append(line)
            verdicts = {name: _YES_NO[cells[name].lower()] for name in JUDGES[1:]}
            items[cells["id"]] = {
                **{name: cells[name] for name in COLUMNS},
                **verdicts,
                "compliant": all(verdicts.values()),
            }
        faults = (
            (say("compare.fault_verdict"), unclear),
            (say("compare.fault_double"), double),
            (say("compare.fault_long", most=f"{LIMITS.headline:,}"), long),
        )
        refuse_lines(path, faults, say)
    if len(systems) < 2:
        raise InputError(say("compare.one_system"))
    if len(systems) > LIMITS.systems:
        raise InputError(say("compare.systems", most=LIMITS.systems, found=len(systems)))
    return {name: pl.DataFrame(list(items.values())) for name, items in systems.items()}


def matched(tables: Tables, first: str, second: str, *, say: Say) -> list[Pair]:
    """The items that two systems have both.

    Args:
        tables: system to its table.
        first: name of a system.
        second: name of another one, or the same.
        say: words of the reader's language.

    Returns:
        One for each common id, in the order of the first system's table.

    Raises:
        InputError: no such system, or no item in common.
    """
    if first not in tables or second not in tables:
        raise InputError(say("compare.choose"))
    others = {row["id"]: row for row in tables[second].iter_rows(named=True)}
    pairs = [
        Pair(row["id"], row["direction"], row["source"], _side(row), _side(others[row["id"]]))
        for row in tables[first].iter_rows(named=True)
        if row["id"] in others
    ]
    if not pairs:
        raise InputError(say("compare.nothing_common", first=first, second=second))
    return pairs


def chosen(pairs: Sequence[Pair], judge: str, outcome: str) -> list[Pair]:
    """The items of an outcome.

    Args:
        pairs: from `matched`.
        judge: of `JUDGES`; `compliant` fails where any judge does.
        outcome: of `OUTCOMES`: `any` one or both systems failed, `differ` one of them did, `first` the first alone, `second` the
            second alone, `both`, `none`; `all` whatever they did.

    Returns:
        Those of the pairs.
    """
    wanted: dict[str, Callable[[bool, bool], bool]] = {
        "all": lambda one, other: True,
        "any": lambda one, other: not (one and other),
        "differ": lambda one, other: one != other,
        "first": lambda one, other: other and not one,
        "second": lambda one, other: one and not other,
        "both": lambda one, other: not (one or other),
        "none": lambda one, other: one and other,
    }
    return [pair for pair in pairs if wanted[outcome](pair.first.passed[judge], pair.second.passed[judge])]


def count_rows(pairs: Sequence[Pair], first: str, second: str, say: Say) -> tuple[list[str], list[list[str]]]:
    """How often the systems passed, judge by judge, as it is shown.

    Args:
        pairs: from `matched`.
        first: name of the first system.
        second: name of the second one.
        say: words of the reader's language.

    Returns:
        Header and a row for all judges together and for each.
    """
    header = [
        say("compare.verdict"),
        say("compare.both_passed"),
        say("compare.only", system=first),
        say("compare.only", system=second),
        say("compare.neither"),
    ]
    rows = []
    for judge in JUDGES:
        counts = [len(chosen(pairs, judge, outcome)) for outcome in ("none", "second", "first", "both")]
        rows.append([say(f"compare.judge_{judge}"), *map(str, counts)])
    return header, rows


def cards(pairs: Sequence[Pair], first: str, second: str, say: Say) -> str:
    """Items as HTML, both headlines with words that are not the original's marked and every verdict in words.

    Args:
        pairs: those to show.
        first: name of the first system.
        second: name of the second one.
        say: words of the reader's language.

    Returns:
        An article for each item, every text of it escaped.
    """
    shown = [
        Markup(
            '<article class="ci-pair"><header><span class="ci-meta">{about}</span><h3>{source}</h3></header>'
            '<div class="ci-sides">{first}{second}</div></article>'
        ).format(
            about=f"{pair.id} · {pair.direction}",
            source=pair.source,
            first=_half(pair.source, pair.first, first, say),
            second=_half(pair.source, pair.second, second, say),
        )
        for pair in pairs
    ]
    return str(Markup('<div class="ci-pairs">{}</div>').format(Markup("").join(shown)))


def _half(source: str, side: Side, system: str, say: Say) -> Markup:
    """One system's half of an item."""
    pieces, _ = changed_words(source, side.headline)
    text = Markup("").join(
        Markup("<mark>{}</mark>").format(piece) if added else escape(piece) for piece, added in pieces
    )
    verdicts = Markup("").join(
        Markup(
            '<li class="{}"><span class="ci-mark" aria-hidden="true">{}</span><span>{}</span></li>'
        ).format(
            "ci-yes" if passed else "ci-no",
            "✓" if passed else "✗",
            say(f"compare.{judge}_{'yes' if passed else 'no'}"),
        )
        for judge, passed in side.passed.items()
        if judge != "compliant"
    )
    compliant = side.passed["compliant"]
    return Markup(
        '<section class="ci-side {}"><h4>{}</h4><p class="ci-headline">{}</p><ul class="ci-verdicts">{}</ul></section>'
    ).format(
        "ci-yes" if compliant else "ci-no",
        system,
        text if side.headline else say("compare.no_headline"),
        verdicts,
    )


def _side(row: Mapping[str, Any]) -> Side:
    """One system's part of a row."""
    return Side(row["headline"] or "", {name: bool(row[name]) for name in JUDGES})
