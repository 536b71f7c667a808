"""Texts from whatever a program holds them in: lists, columns of data sets, series and frames."""

from collections.abc import Iterable, Sequence
from typing import Any

from change_it.errors import InputError


def column_of(name: str, values: Any) -> Iterable[Any]:
    """The texts of an iterable: a list, a column of a data set, a series; `name` is that of the argument."""
    if isinstance(values, str):
        raise InputError(f"{name} is one text: give a list of texts")
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        raise InputError(f"{name} is a table: give one of its columns")
    if not isinstance(values, Iterable):
        raise InputError(f"{name} is {values!r}: give a list of texts")
    return values


def texts_of(name: str, values: object) -> list[str]:
    """The texts of `column_of`, empty where a value is missing; a value that is no text is refused."""
    texts = []
    for number, value in enumerate(column_of(name, values)):
        missing = value is None or value != value
        if not missing and not isinstance(value, str):
            raise InputError(f"{name} has {value!r} at {number}: give a text for every item")
        texts.append("" if missing else str(value))
    return texts


def texts_by_name(**given: object) -> dict[str, list[str]]:
    """The texts of several arguments by their names; none is empty, and all are as many."""
    texts = {name: texts_of(name, values) for name, values in given.items()}
    refuse_lengths(**texts)
    for name, several in texts.items():
        refuse_empty(name, several)
    return texts


def refuse_lengths(**given: Sequence[object]) -> None:
    """Refuse arguments of different lengths."""
    if len({len(values) for values in given.values()}) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in given.items())
        raise InputError(f"there are {counts}: give one of each for every item")


def refuse_empty(name: str, texts: Sequence[str]) -> None:
    """Refuse empty texts of an argument."""
    if empty := [str(number) for number, text in enumerate(texts) if not text.strip()]:
        raise InputError(f"empty texts in {name} at {listed(empty)}: give a text for every item")


def listed(names: Sequence[str], most: int = 10) -> str:
    """The first of many names, each on one line and not too long, and how many more there are."""
    more = len(names) - most
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = ", ".join(line if len(line) <= 80 else line[:79] + "…" for line in lines)
    return shown + (f" and {more} more" if more > 0 else "")
