"""The record of the whole package: an article of one of two outlets, and the names of the two."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from change_it.errors import InputError
from change_it.files.texts import column_of

Alignment = Literal["A1", "A2", "A3", "R"]

#: Short names of the shared task's labels (directions are written `rep2gio` and `gio2rep`).
KNOWN_LABELS = {"R": "rep", "G": "gio"}
#: Splits of `articles` and `pairs` with the articles of further outlets, and pairs that have one of them.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Article:
    """One article with its headline, both cleaned and never empty."""

    id: str  # unique in the corpus
    label: str  # short name of its outlet
    headline: str
    article: str
    date: datetime.date | None = None
    alignment: Alignment | None = None  # the split that the input gives; None where the package decides


@dataclass(frozen=True, slots=True)
class Outlets:
    """The two outlets A and B: short names, and the labels that they carry in the input."""

    a: str
    b: str
    a_label: str
    b_label: str

    @classmethod
    def parse(cls, spec: str) -> "Outlets":
        """Read `left,right` or `R:rep,G:gio`, A first."""
        parts = [part.strip().partition(":") for part in spec.split(",")]
        labels = [label.strip() for label, _, _ in parts]
        names = [name.strip() or label for label, (_, _, name) in zip(labels, parts, strict=True)]
        if len(parts) != 2 or not all(labels) or len(set(labels)) != 2 or len(set(names)) != 2:
            raise InputError(
                f"--labels {spec!r} does not name two different outlets: write --labels R:rep,G:gio"
            )
        return cls(names[0], names[1], labels[0], labels[1])

    @property
    def names(self) -> tuple[str, str]:
        """Short names, A first."""
        return self.a, self.b

    @property
    def directions(self) -> tuple[str, str]:
        """The two transfer directions, from A first: `("rep2gio", "gio2rep")`."""
        return f"{self.a}2{self.b}", f"{self.b}2{self.a}"

    def other(self, name: str) -> str:
        """The outlet that is not `name`."""
        return self.b if name == self.a else self.a

    def name_of(self, label: str) -> str | None:
        """Short name for a label of the input (or for a short name itself); None if it is neither."""
        return {self.a_label: self.a, self.b_label: self.b, self.a: self.a, self.b: self.b}.get(label)


def outlet_names(name: str, labels: object, outlets: Sequence[str], count: int) -> list[str]:
    """The outlets of `count` items of the argument `name`: one label for all, or one each; short names, CHANGE-IT's labels, or the classes 0 (A) and 1 (B)."""
    every = [labels] * count if isinstance(labels, str | int) else list(column_of(name, labels))
    if len(every) != count:
        raise InputError(
            f"{name} has {len(every)} outlets for {count} headlines: give one for all, or one for each"
        )
    short_names = {str(number): outlet for number, outlet in enumerate(outlets)}
    short_names |= {label: short for label, short in KNOWN_LABELS.items() if short in outlets}
    short_names |= {outlet: outlet for outlet in outlets}
    if foreign := [label for label in every if str(label) not in short_names]:
        raise InputError(f"{name}: {foreign[0]!r} is no outlet: give {' or '.join(outlets)}")
    return [short_names[str(label)] for label in every]
