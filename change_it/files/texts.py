"""Read texts from whatever holds them: a cell of a table, a list, a column of a data set, a series."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from numbers import Number
from typing import Any
from uuid import UUID

from change_it.errors import InputError

#: Characters of a text that is read, at most, by the name of its column.
MOST_CHARACTERS = {"headline": 1_000, "article": 200_000}


def length_fault(column: str, text: str) -> str:
    """Return why a text of a column is refused by its length; empty where it is not."""
    if column in MOST_CHARACTERS and len(text) > MOST_CHARACTERS[column]:
        return f"{column} of more than {MOST_CHARACTERS[column]:,} characters"
    return ""


def is_missing(value: object) -> bool:
    """Tell whether there is no value: None, NaN, and what pandas writes for them."""
    if value is None:
        return True
    if isinstance(value, str):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA; an array
        return type(value).__name__ == "NAType"


def cell_text(value: object, name: str = "a cell") -> str:
    """Return a cell as text: nothing for a missing one, bytes as UTF-8, a line for each item of a list.

    Raises:
        InputError: the cell is no text, such as a record or bytes that are not UTF-8; `name` is what it is
            called.
    """
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
    kind = type(value).__name__
    if isinstance(value, Mapping) and value:
        names = [str(field) for field in value]
        kind += f" with the fields {join_truncated(names, 5)}"
    raise InputError(f"{name} is no text: a {kind}")


def column_of(name: str, values: Any) -> Iterable[Any]:
    """Return a list, a column of a data set or a series, as something that can be iterated.

    Raises:
        InputError: the argument `name` is one text, a table or no collection.
    """
    if isinstance(values, str):
        fault = "one text"
    elif hasattr(values, "columns") or hasattr(values, "column_names"):
        fault = "a table"
    elif isinstance(values, Iterable):
        return values
    else:
        fault = repr(values)
    raise InputError(f"{name} is {fault}: give a list of texts, or a column")


def texts_of(name: str, values: object, *, complete: bool = False) -> list[str]:
    """Return the texts of a list, a column of a data set or a series; empty where a value is missing.

    Args:
        name: the argument that has the values, for messages.
        values: the list, column or series.
        complete: whether a missing value is refused; an empty text is not missing.

    Raises:
        InputError: a value is no text, or is missing where that is refused.
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
        text = "" if missing else str(value)
        texts.append(text)
    return texts


def references_of(name: str, values: object) -> list[list[str]]:
    """Return the references of each item, given as one text or several; an item without any is refused."""
    references = []
    without_any = []
    for number, value in enumerate(column_of(name, values)):
        several = value
        if isinstance(value, str) or is_missing(value):
            several = [value]
        texts = texts_of(f"{name}[{number}]", several)
        references.append([text for text in texts if text.strip()])
        if not references[-1]:
            without_any.append(str(number))
    if without_any:
        items = join_truncated(without_any)
        raise InputError(f"{name} has none for {items}: leave these items out, or give a reference")
    return references


def texts_by_name(**arguments: object) -> dict[str, list[str]]:
    """Return the texts of several arguments by their names.

    Raises:
        InputError: the arguments have different numbers of texts, or a text is empty.
    """
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
    empty = [str(number) for number, text in enumerate(texts) if not text.strip()]
    if empty:
        raise InputError(f"empty texts in {name} at {join_truncated(empty)}: give a text for every item")


def join_truncated(names: Sequence[str], shown_at_most: int = 10) -> str:
    """Join the first of many names by commas, and say how many more there are.

    Each is shown on one line, and cut after 80 characters.
    """
    shown = []
    for name in names[:shown_at_most]:
        line = " ".join(name.split())
        if len(line) > 80:
            line = line[:79] + "…"
        shown.append(line)
    joined = ", ".join(shown)
    hidden = len(names) - shown_at_most
    return f"{joined} and {hidden} more" if hidden > 0 else joined


def enumerated(names: Sequence[str]) -> str:
    """Return names as a sentence has them: a, b and c."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def pluralise(count: int, noun: str) -> str:
    """Return a count and its noun: 1 id, 2 ids."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}s"
