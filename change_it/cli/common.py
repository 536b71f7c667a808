"""Check, print and set what several commands have in common."""

import gc
import json
from dataclasses import fields
from typing import Any

from change_it.errors import InputError, escaped

#: Objects that are made before Python looks for circles of references among them; its own default is 700.
OBJECTS_UNTIL_COLLECTION = 100_000


def collect_garbage_seldom() -> None:
    """Have Python look for circles of references seldom.

    To look takes a twentieth of a command's time, and there are hardly any.
    """
    gc.set_threshold(OBJECTS_UNTIL_COLLECTION)


def check_counts(**counts: int | None) -> None:
    """Refuse numbers below 1, by the names of their options; None is a default."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"{_flag(name)} {count} is too few: give at least 1")


def require(options: Any, name: str, other: str) -> None:
    """Refuse an option that is given without the one that it needs."""
    if _is_given(options, name) and not _is_given(options, other):
        raise InputError(f"{_flag(name)} requires {_flag(other)}: give both, or neither")


def exclude(options: Any, name: str, other: str) -> None:
    """Refuse an option that is given with one that has no use for it."""
    if _is_given(options, name) and _is_given(options, other):
        raise InputError(f"{_flag(name)} and {_flag(other)} exclude each other: leave one out")


def _is_given(options: Any, name: str) -> bool:
    """Return whether an option has another value than its default."""
    defaults = {field.name: field.default for field in fields(options)}
    return bool(getattr(options, name) != defaults[name])


def _flag(name: str) -> str:
    """Return an option as it is typed."""
    return f"--{name.replace('_', '-')}"


def print_json(value: object, *, allow_nan: bool = True) -> None:
    """Print a value as indented JSON."""
    print(escaped(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=allow_nan)))
