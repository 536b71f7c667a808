"""Texts from whatever holds them: a cell of a table, lists, columns of data sets, series and frames."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from numbers import Number
from typing import Any
from uuid import UUID

from change_it.errors import InputError

#: Characters of a text that is read, at most, by its column.
LONGEST = {"headline": 1_000, "article": 200_000}


def length_fault(column: str, text: str) -> str:
    """Why a text is refused by its length; empty where it is not."""
    most = LONGEST.get(column, len(text))
    return f"{column} of more than {most:,} characters" if len(text) > most else ""


def is_missing(value: object) -> bool:
    """Whether there is no value: None, NaN, and what pandas writes for them."""
    if value is None or isinstance(value, str):
        return value is None
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA; an array
        return type(value).__name__ == "NAType"


def cell_text(value: object, name: str = "a cell") -> str:
    """A cell as text: nothing for a missing one, bytes as UTF-8, a line for each item of a list; what is no text is refused."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Number | date | time | timedelta | UUID):
        return str(value)
    if isinstance(value, list):
        return "\n".join(cell_text(item, name) for item in value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is no text: bytes that are not UTF-8") from error
    names = listed(list(map(str, value)), 5) if isinstance(value, Mapping) else ""
    fields = f" with the fields {names}" if names else ""
    raise InputError(f"{name} is no text: a {type(value).__name__}{fields}")


def column_of(name: str, values: Any) -> Iterable[Any]:
    """The texts of an iterable: a list, a column of a data set, a series; `name` is that of the argument."""
    is_table = hasattr(values, "columns") or hasattr(values, "column_names")
    if isinstance(values, str) or is_table or not isinstance(values, Iterable):
        kind = "one text" if isinstance(values, str) else "a table" if is_table else repr(values)
        raise InputError(f"{name} is {kind}: give a list of texts, or a column")
    return values


def texts_of(name: str, values: object, *, complete: bool = False) -> list[str]:
    """Return the texts of `column_of`, empty where a value is missing; a value that is no text is refused.

    Where they must be `complete`, a missing value is refused, too: an empty text is a text.
    """
    texts = []
    for number, value in enumerate(column_of(name, values)):
        missing = is_missing(value)
        if missing and complete:
            fault = f"{name} has no text at {number}"
            raise InputError(
                f"{fault}: leave the item out, or give an empty text for a system that wrote none"
            )
        if not missing and not isinstance(value, str):
            raise InputError(f"{name} has {value!r} at {number}: give a text for every item")
        texts.append("" if missing else str(value))
    return texts


def references_of(name: str, values: object) -> list[list[str]]:
    """The references of each item: one text, or several; an item without any is refused."""
    several = [
        texts_of(f"{name}[{number}]", [value] if isinstance(value, str) or is_missing(value) else value)
        for number, value in enumerate(column_of(name, values))
    ]
    if none := [str(number) for number, texts in enumerate(several) if not any(map(str.strip, texts))]:
        raise InputError(f"{name} has none for {listed(none)}: leave these items out, or give a reference")
    return [list(filter(str.strip, texts)) for texts in several]


def texts_by_name(**arguments: object) -> dict[str, list[str]]:
    """The texts of several arguments by their names; none is empty, and all are as many."""
    texts = {name: texts_of(name, values) for name, values in arguments.items()}
    refuse_lengths(**texts)
    for name, several in texts.items():
        refuse_empty(name, several)
    return texts


def refuse_lengths(**arguments: Sequence[object]) -> None:
    """Refuse arguments of different lengths."""
    if len({len(values) for values in arguments.values()}) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in arguments.items())
        raise InputError(f"there are {counts}: give one of each for every item")


def refuse_empty(name: str, texts: Sequence[str]) -> None:
    """Refuse empty texts of an argument."""
    if empty := [str(number) for number, text in enumerate(texts) if not text.strip()]:
        raise InputError(f"empty texts in {name} at {listed(empty)}: give a text for every item")


def listed(names: Sequence[str], shown_at_most: int = 10) -> str:
    """The first of many names, each on one line and not too long, and how many more there are."""
    hidden = len(names) - shown_at_most
    lines = [" ".join(name.split()) for name in names[:shown_at_most]]
    shown = ", ".join(line if len(line) <= 80 else line[:79] + "…" for line in lines)
    return shown + (f" and {hidden} more" if hidden > 0 else "")


def enumerated(names: Sequence[str]) -> str:
    """Return names as a sentence has them: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def counted(count: int, noun: str) -> str:
    """A count and its noun: 1 id, 2 ids."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
