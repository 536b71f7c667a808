"""Evidence of a text: its numbers with what they count and measure, its names and words."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from change_it.text.folding import fold
from change_it.text.names import key
from change_it.text.numbers import Number, Piece, find_numbers, pieces
from change_it.text.quotations import Words
from change_it.text.stopwords import function_words

#: What is measured: forms of one measure by its first. A number of one is no number of another.
_MEASURES = {
    form: forms[0]
    for forms in (
        ("seconds", "second", "secondi", "secondo"),
        ("minutes", "minute", "mins", "minuti", "minuto"),
        ("hours", "hour", "hrs", "ore", "ora"),
        ("days", "day", "nights", "night", "giorni", "giorno", "notti", "notte"),
        ("weeks", "week", "settimane", "settimana"),
        ("months", "month", "mesi", "mese"),
        ("years", "year", "yr", "yrs", "anni", "anno", "anniversario", "anniversary"),
        ("miles", "mile", "miglia"),
        ("km", "kilometers", "kilometres", "chilometri", "chilometro", "chilometrici"),
        ("feet", "foot", "ft", "piedi"),
        ("meters", "metres", "meter", "metri", "metro", "mt"),
        ("centimeters", "cm", "centimetri", "centimetro"),
        ("acres", "acre"), ("hectares", "ettari", "ettaro"),
        ("pounds", "lbs"), ("kg", "kilos", "chili", "chilo", "chilogrammi"), ("tons", "tonnes", "tonnellate"),
        ("degrees", "degree", "gradi", "grado"), ("liters", "litri", "litro"), ("gallons", "gallon"),
    )
    for form in forms
}  # fmt: skip
#: Two words with capitals, one space between.
_TWO = re.compile(r"\b(?=([A-Z][^\W\d_]+) ([A-Z][^\W\d_]+)\b)")


def is_countable(value: float | str) -> bool:
    """Whether a value is no year, time or sum that a text would round."""
    return isinstance(value, float) and 0 <= value < 1000


def _behind(pieces: Sequence[Piece], number: Number) -> Sequence[Piece]:
    """The piece right behind a number and the next one, of those that there are."""
    index = bisect_left(pieces, number.end, key=lambda piece: piece.start)
    return pieces[index : index + 2]


def counted_noun(pieces: Sequence[Piece], number: Number) -> str:
    """Stem of the word of four letters or more right behind a number: what it counts; empty without one."""
    word = "".join(piece.text.lower() for piece in _behind(pieces, number)[:1] if piece.kind == "word")
    return word[:-1].rstrip("e")[:7] if len(word) > 3 else ""


def measure_of(pieces: Sequence[Piece], number: Number) -> str:
    """The unit of measure of a number, perhaps behind a hyphen; empty without one."""
    words = [piece.text.lower() for piece in _behind(pieces, number)]
    return next((_MEASURES.get(word, "") for word in words[words[:1] == ["-"] :]), "")


class Evidence:
    """The evidence of a text."""

    def __init__(self, text: str, language: str) -> None:
        self.folded, self.language = fold(text), language
        self.pieces = pieces(self.folded)
        self.keys = [key(piece) for piece in self.pieces if piece.kind == "word"]
        self.words = frozenset(self.keys)
        self.values: dict[float | str, set[str]] = {}
        self.vague: list[Number] = []
        #: Values by the noun that they count.
        self.counted: dict[str, set[float | str]] = {}
        #: What each value measures.
        self.measured: dict[float | str, set[str]] = {}
        for number in find_numbers(self.folded, language, self.pieces):
            for value in number.values:
                self.values.setdefault(value, set()).update(number.units)
                if number.claimed:
                    self.measured.setdefault(value, set()).add(measure_of(self.pieces, number))
            if not number.values:
                self.vague.append(number)
            if counted := counted_noun(self.pieces, number):
                self.counted.setdefault(counted, set()).update(
                    value for value in number.values if value != 1 and is_countable(value)
                )

    @cached_property
    def small(self) -> frozenset[str]:
        """Words that occur in lower case."""
        return frozenset(piece.text for piece in self.pieces if piece.kind == "word" and piece.text.islower())

    @cached_property
    def full_names(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Words with a capital to those right behind them, and to those right before them; function words left out."""
        behind: dict[str, set[str]] = {}
        before: dict[str, set[str]] = {}
        functions = function_words(self.language)
        for first, last in _TWO.findall(self.folded):
            first, last = first.lower(), last.lower()
            if first not in functions and last not in functions:
                behind.setdefault(first, set()).add(last)
                before.setdefault(last, set()).add(first)
        return behind, before

    @cached_property
    def spoken(self) -> Words:
        """The words that it may say of a quotation."""
        return Words(self.folded)

    @cached_property
    def running(self) -> str:
        """The words, each between spaces."""
        return f" {' '.join(self.keys)} "

    @cached_property
    def squeezed(self) -> str:
        """The letters and digits alone."""
        return "".join(filter(str.isalnum, self.folded.lower()))

    @cached_property
    def abbreviations(self) -> frozenset[str]:
        """Words that may be an acronym: capitals, in Italian also a capital first (Pd, Cgil)."""
        return frozenset(
            key(piece)
            for piece in self.pieces
            if piece.kind == "word"
            and (piece.text.isupper() or (self.language == "it" and piece.text[0].isupper()))
        )

    @cached_property
    def initials(self) -> frozenset[str]:
        """First letters of two to six words in a row that may be a name, with and without function words."""
        functions = function_words(self.language)
        words = [piece for piece in self.pieces if piece.kind != "mark"]
        initials = set()
        for skip in (True, False):
            row = [piece.text for piece in words if not (skip and piece.text in functions)]
            for i, first in enumerate(row):
                if not first[0].isupper():
                    continue
                name = first[0]
                for other in row[i + 1 : i + 6]:
                    small = other[0].islower()
                    if not other[0].isalpha() or (small and skip and self.language != "it"):
                        break
                    name += other[0]
                    if not small or self.language == "it":
                        initials.add(name.lower())
        return frozenset(initials)


def supports(text: Evidence, number: Number, about: bool) -> bool:
    """Whether a text has a number."""
    if not number.values:
        return any(
            number.least <= value < 10 * number.most and not 1900 <= value < 2100
            for value in text.values
            if isinstance(value, float)
        ) or any(number.least == other.least for other in text.vague)
    for value in number.values:
        if value in text.values and _same_unit(number.units, text.values[value]):
            return True
        if isinstance(value, float) and (about or value >= 1e6):
            share = 0.1 if about else 0.05
            for other, units in text.values.items():
                if (
                    isinstance(other, float)
                    and abs(other - value) <= share * abs(value)
                    and (about or _rounded(other, value))
                    and _same_unit(number.units, units)
                ):
                    return True
    return False


def _rounded(exact: float, value: float) -> bool:
    """Whether a value, 1 or more, is the exact one with fewer digits."""
    behind_the_first = len(f"{value:.0f}".rstrip("0")) - 1
    return f"{exact:.{behind_the_first}e}" == f"{value:.{behind_the_first}e}"


def _same_unit(claimed: frozenset[str], units: set[str]) -> bool:
    """Whether one of the units claimed is among those of a text: none matches all but an ordinal, money and points match none."""
    return any(
        unit in units or ("" in units and unit not in ("%", "ordinal")) or (not unit and units != {"ordinal"})
        for unit in claimed
    )
