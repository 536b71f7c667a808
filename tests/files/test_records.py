"""Records are written as JSON, and checked against their types when they are read."""

import json
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import pytest

from change_it.errors import InputError
from change_it.files.records import BESIDE, IF_KNOWN, RecordError, from_json, read_record, to_json


class Ends(NamedTuple):
    low: float
    high: float = 1.0


@dataclass
class Part:
    name: Literal["a", "b"]
    ends: Ends
    size: tuple[int, int] = (0, 0)


@dataclass
class Whole:
    parts: list[Part]
    counts: dict[str, int]
    days: int | Literal["none"]
    note: str | None
    share: float | None = field(default=None, metadata=IF_KNOWN)
    names: tuple[str, ...] = ()


WHOLE = Whole([Part("b", Ends(0.25), (1, 2))], {"x": 3}, "none", None, names=("y",))
WRITTEN = {
    "parts": [{"name": "b", "ends": {"low": 0.25, "high": 1.0}, "size": [1, 2]}],
    "counts": {"x": 3},
    "days": "none",
    "note": None,
    "names": ["y"],
}


@dataclass
class Counted:
    name: str
    counts: dict[str, int] = field(metadata=BESIDE)
    total: int


@dataclass
class Framed:
    part: Counted = field(metadata=BESIDE)
    note: str


def test_the_keys_of_a_field_stand_beside_the_others():
    framed = Framed(Counted("a", {"x": 1, "y": 2}, 3), "b")
    written = {"name": "a", "x": 1, "y": 2, "total": 3, "note": "b"}
    assert list(to_json(framed).items()) == list(written.items())
    assert from_json(Framed, written) == framed
    with pytest.raises(RecordError, match=r"^y is 'many'$"):
        from_json(Framed, written | {"y": "many"})
    with pytest.raises(RecordError, match=r"^it lacks total$"):
        from_json(Framed, {"name": "a", "note": "b"})


def test_what_is_written_comes_back():
    assert to_json(WHOLE) == WRITTEN
    assert from_json(Whole, json.loads(json.dumps(WRITTEN))) == WHOLE
    assert from_json(Whole, WRITTEN | {"days": 3, "share": 1, "later": 0}).share == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"days": "all"}, "days is 'all'"),
        ({"days": True}, "days is True"),
        ({"counts": {"x": 0.5}}, "counts.x is 0.5"),
        ({"counts": []}, "counts is \\[\\]"),
        ({"note": 1}, "note is 1"),
        ({"parts": [{"name": "c", "ends": {"low": 0}}]}, "parts.name is 'c'"),
        ({"parts": [{"name": "a", "ends": {}}]}, "it lacks parts.ends.low"),
        ({"parts": [{"name": "a", "ends": {"low": 0}, "size": [1]}]}, "parts.size has 1 values"),
        ({"parts": None}, "parts is None"),
    ],
)
def test_what_is_not_as_it_is_written_is_named(change, says):
    with pytest.raises(RecordError, match=f"^{says}"):
        from_json(Whole, WRITTEN | change)


def test_a_file_of_another_version_is_refused_with_its_remedy(tmp_path):
    path = tmp_path / "x.json"
    assert read_record(path, Whole, "make it again") is None
    path.write_text('{"parts": []}')
    with pytest.raises(
        InputError, match=r"x.json is not as this version writes it \(it lacks counts\): make it"
    ):
        read_record(path, Whole, "make it again")
