"""Write records as JSON, and check them against their types when they are read.

A record is a dataclass or a named tuple.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from change_it.errors import InputError
from change_it.files.atomic import read_json

Record = TypeVar("Record")

#: What a JSON file may hold where its keys are another one's, such as the options of a command.
JsonObject = dict[str, object]

#: Metadata of a field that a file has only where it is known: of None no key is written.
IF_KNOWN = {"left out where it is None": True}

#: Metadata of a field, a dict or a record, whose keys stand beside the other fields in the file. A record has
#: one at most.
BESIDE = {"its keys stand beside the other fields": True}


class RecordError(ValueError):
    """A JSON value is not of the type of its record; the message says which part."""


class _FieldType(NamedTuple):
    """What a record says of one of its fields.

    Attributes:
        type_: type of its value.
        is_needed: whether a file must have it.
        is_beside: whether its keys stand beside the other fields, see `BESIDE`.
    """

    type_: Any
    is_needed: bool
    is_beside: bool = False


class CustomRecord(Protocol):
    """A record with a form of its own in JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that is written."""

    @classmethod
    def from_json(cls, value: Any) -> Any:
        """Return the record of a JSON object; a RecordError where it is none."""


def to_json(value: Any) -> Any:
    """Return a record, or a collection of records, as what `json` writes."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return record_to_json(value)
    if hasattr(value, "_asdict"):
        return to_json(value._asdict())
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def record_to_json(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as a JSON object, without those `IF_KNOWN` that are not known."""
    content: dict[str, Any] = {}
    for part in fields(record):
        value = getattr(record, part.name)
        if part.metadata == BESIDE:
            content |= to_json(value)
        elif value is not None or part.metadata != IF_KNOWN:
            content[part.name] = to_json(value)
    return content


def read_record(path: Path, kind: type[Record], mend: str) -> Record | None:
    """Read a record that this package wrote; None where there is no file.

    Args:
        path: the JSON file.
        kind: the class of the record.
        mend: what the user can do where the file is another version's, such as ``build the corpus again``.

    Raises:
        InputError: the file is no JSON object, lacks a key, or has a value of another type.
    """
    content = read_json(path)
    if content is None:
        return None
    try:
        return from_json(kind, content)
    except RecordError as error:
        raise InputError(f"{path} is not as this version writes it ({error}): {mend}") from error


def from_json(kind: type[Record], value: object) -> Record:
    """Return the record of a class that a JSON value holds; keys that it does not know are passed over.

    Raises:
        RecordError: the value lacks a key, or has a value of another type.
    """
    return cast(Record, _checked(kind, value, ""))


def _checked(kind: Any, value: Any, place: str) -> Any:
    """Return a JSON value as a value of the type `kind`; `place` says for messages where it stands."""
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _record(kind, value, place)
    origin = get_origin(kind)
    parts = get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, value, place)
    if origin is Literal and value in parts:
        return value
    if origin in (list, Sequence) and isinstance(value, list | tuple):
        return [_checked(parts[0], item, place) for item in value]
    if origin is tuple and isinstance(value, list | tuple):
        return _tuple(parts, value, place)
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _checked(parts[1], item, _inside(place, key)) for key, item in value.items()}
    if origin is None and _is_plain(kind, value):
        return value
    raise RecordError(f"{place or 'it'} is {value!r:.40}")


def _record(kind: Any, value: Any, place: str) -> Any:
    """Return the dataclass or named tuple of a JSON object."""
    if not isinstance(value, dict):
        raise RecordError(f"{place or 'it'} is {value!r:.40}")
    given = {}
    known = _fields_of(kind)
    for name, of_field in known.items():
        if of_field.is_beside:
            others = {key: item for key, item in value.items() if key not in known}
            given[name] = _checked(of_field.type_, others, place)
        elif name in value:
            given[name] = _checked(of_field.type_, value[name], _inside(place, name))
        elif of_field.is_needed:
            raise RecordError(f"it lacks {_inside(place, name)}")
    return kind(**given)


@cache
def _fields_of(kind: Any) -> dict[str, _FieldType]:
    """Return each field of a record by its name."""
    hints = get_type_hints(kind)
    found = {}
    if hasattr(kind, "_fields"):
        for name in kind._fields:
            found[name] = _FieldType(hints[name], is_needed=name not in kind._field_defaults)
        return found
    for part in fields(kind):
        is_beside = part.metadata == BESIDE
        found[part.name] = _FieldType(hints[part.name], _is_needed(part), is_beside)
    return found


def _is_needed(part: "Field[Any]") -> bool:
    """Tell whether a field has no default."""
    return part.default is MISSING and part.default_factory is MISSING


def _one_of(kinds: Sequence[Any], value: Any, place: str) -> Any:
    """Return a value as the first of several types that takes it."""
    if value is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    for kind in others[:-1]:
        try:
            return _checked(kind, value, place)
        except RecordError:
            continue
    return _checked(others[-1], value, place)


def _tuple(kinds: tuple[Any, ...], value: Sequence[Any], place: str) -> tuple[Any, ...]:
    """Return a JSON list as a tuple of so many values, or of any number of one type."""
    if kinds[-1] is Ellipsis:
        return tuple(_checked(kinds[0], item, place) for item in value)
    if len(kinds) != len(value):
        raise RecordError(f"{place} has {len(value)} values in the place of {len(kinds)}")
    return tuple(_checked(kind, item, place) for kind, item in zip(kinds, value, strict=True))


def _is_plain(kind: Any, value: object) -> bool:
    """Tell whether a value is of a plain type.

    A whole number also counts as a float, and a truth value is no number.
    """
    if kind in (Any, object):
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(kind, type) and isinstance(value, kind)


def _inside(place: str, key: str) -> str:
    """Return where a key stands, such as `pairs.kept`; the key alone at the top."""
    return f"{place}.{key}" if place else str(key)
