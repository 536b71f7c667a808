"""Describe an article of one of two outlets, and name the two: the records of the whole package."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from change_it.errors import InputError
from change_it.files.texts import column_of

#: A part of a corpus: training pairs (A1), test pairs (A2), weak pairs (A3), articles without a partner (R).
Alignment = Literal["A1", "A2", "A3", "R"]

#: Short names of the shared task's labels (directions are written `rep2gio` and `gio2rep`).
KNOWN_LABELS = {"R": "rep", "G": "gio"}
#: The split of `articles` and `pairs` that has the articles of further outlets, and pairs with one of them.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Article:
    """One article with its headline, both cleaned and never empty.

    Attributes:
        id: unique in the corpus.
        label: short name of its outlet.
        headline: its headline.
        article: its text.
        date: day of publication; None where it is not known.
        alignment: the split that the input gives; None where the package decides.
    """

    id: str
    label: str
    headline: str
    article: str
    date: datetime.date | None = None
    alignment: Alignment | None = None


@dataclass(frozen=True, slots=True)
class Outlets:
    """The two outlets A and B.

    Attributes:
        a: short name of A.
        b: short name of B.
        a_label: label of A in the input.
        b_label: label of B in the input.
    """

    a: str
    b: str
    a_label: str
    b_label: str

    @classmethod
    def parse(cls, spec: str) -> "Outlets":
        """Read `left,right` or `R:rep,G:gio`, A first."""
        labels = []
        names = []
        for part in spec.split(","):
            label, _, name = part.partition(":")
            labels.append(label.strip())
            names.append(name.strip() or label.strip())
        if len(labels) != 2 or not all(labels) or len(set(labels)) != 2 or len(set(names)) != 2:
            raise InputError(
                f"--labels {spec!r} does not name two different outlets: write --labels R:rep,G:gio"
            )
        return cls(a=names[0], b=names[1], a_label=labels[0], b_label=labels[1])

    @property
    def names(self) -> tuple[str, str]:
        """Return the short names, A first."""
        return self.a, self.b

    @property
    def directions(self) -> tuple[str, str]:
        """Return the two transfer directions, from A first: `("rep2gio", "gio2rep")`."""
        return f"{self.a}2{self.b}", f"{self.b}2{self.a}"

    def other(self, name: str) -> str:
        """Return the outlet that is not `name`."""
        return self.b if name == self.a else self.a

    def name_of(self, label: str) -> str | None:
        """Return the short name for a label of the input or a short name; None if it is neither."""
        return {self.a_label: self.a, self.b_label: self.b, self.a: self.a, self.b: self.b}.get(label)


def outlet_names(name: str, labels: object, outlets: Sequence[str], count: int) -> list[str]:
    """Return the short names of the outlets of `count` items.

    Args:
        name: the argument that has the labels, for messages.
        labels: one label for all items, or one each: short names, CHANGE-IT's labels, or the classes 0 (A)
            and 1 (B).
        outlets: short names of A and B.
        count: number of items.

    Raises:
        InputError: there are more or fewer labels than items, or one is of no outlet.
    """
    if isinstance(labels, str | int):
        label_of_item: list[object] = [labels] * count
    else:
        label_of_item = list(column_of(name, labels))
    if len(label_of_item) != count:
        raise InputError(
            f"{name} has {len(label_of_item)} outlets for {count} headlines: "
            "give one for all, or one for each"
        )
    short_names = {str(number): outlet for number, outlet in enumerate(outlets)}
    short_names |= {label: short for label, short in KNOWN_LABELS.items() if short in outlets}
    short_names |= {outlet: outlet for outlet in outlets}
    names = []
    for label in label_of_item:
        if str(label) not in short_names:
            raise InputError(f"{name}: {label!r} is no outlet: give {' or '.join(outlets)}")
        names.append(short_names[str(label)])
    return names
