"""The smallest edits that make a headline say something else: what a reader of its sources compares it with.

A headline is believed when none of them fits the sources better (see `judges.reader`). Each changes one fact: a name for
another one of the sources, two names for each other, a number or a unit for another, a verb for its negation or contrary.
Quotations that the sources have to the letter stay as they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations
from typing import Literal

import numpy as np

from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.negation import contraries, negations
from change_it.text.numbers import Number, number_words
from change_it.text.quotations import Words, quotations
from change_it.text.stopwords import function_words
from change_it.text.tokens import words as words_of

FactKind = Literal["name", "number", "negation", "quotation", "word"]

#: Characters of a text that other names and numbers are taken from.
BEGINNING = 3000
#: Other names, and other numbers, that each one of a headline is exchanged for, at most.
OTHERS = 6
#: Edits of a headline, at most.
MOST = 40
#: Letters of a word that says something, at least; and of those behind which forms of one word differ.
LETTERS, ENDING = 4, 2
#: Measures that are mistaken for each other.
OTHER_MEASURES = {
    language: dict(pair.split() for pair in pairs.split(","))
    for language, pairs in {
        "it": "anni mesi,anno mese,mesi anni,mese anno,settimane mesi,settimana mese,giorni settimane,giorno settimana,ore giorni,"
        "ora giorno,minuti ore,minuto ora,secondi minuti,metri chilometri,chilometri metri,chili tonnellate,tonnellate chili,"
        "ettari chilometri,milioni miliardi,miliardi milioni,mila milioni,euro dollari,dollari euro",
        "en": "years months,year month,months years,month year,weeks months,week month,days weeks,day week,hours days,hour day,"
        "minutes hours,minute hour,seconds minutes,miles feet,feet miles,pounds tons,tons pounds,million billion,billion million,"
        "thousand million",
    }.items()
}


@dataclass(frozen=True)
class Edit:
    """A headline with one fact changed."""

    text: str  # the edited headline
    kind: FactKind  # of the fact
    start: int  # offset in the headline of what is changed
    end: int  # where it ends
    new: str  # what stands there instead


@dataclass(frozen=True)
class Mentions:
    """Names and numbers of the sources, as they write them, in the order in which they first occur."""

    names: tuple[str, ...]  # of their beginnings
    numbers: tuple[tuple[str, Number], ...]  # of their beginnings
    texts: tuple[str, ...] = ()  # the sources, whole

    @cached_property
    def words(self) -> list[Words]:
        """The words of the sources."""
        return [Words(text) for text in self.texts]

    @cached_property
    def beginnings(self) -> set[str]:
        """What the words of the sources begin with, whole words too."""
        words = {word for text in self.words for word in text.words}
        return {word[:length] for word in words for length in range(LETTERS, len(word) + 1)}

    @classmethod
    def of(cls, texts: Iterable[str], language: str, casing: Casing | None = None) -> "Mentions":
        """Read the beginnings of texts."""
        names: dict[str, None] = {}
        numbers: dict[str, Number] = {}
        texts = tuple(texts)
        for text in texts:
            beginning = Headline(text[:BEGINNING], language)
            if beginning.case not in ("upper", "lower"):
                names |= dict.fromkeys(beginning.words(*span) for span in beginning.full_names(casing))
            for number in beginning.numbers():
                if number.values and number.claimed:
                    start, end = beginning.span(number.start, number.end)
                    numbers.setdefault(beginning.text[start:end], number)
        return cls(tuple(names), tuple(numbers.items()), texts)


def edits(headline: Headline, mentions: Mentions, casing: Casing | None = None) -> list[Edit]:
    """Edits of a headline, no text twice, at most `MOST`; but in Italian and English names and numbers are exchanged alone."""
    quoted = _supported_quotations(headline, mentions)
    by_text: dict[str, Edit] = {}
    for edit in chain(
        _reworded(headline),
        _roles(headline, casing),
        _numbers(headline, mentions),
        _measures(headline),
        _names(headline, mentions, casing),
    ):
        if edit.text != headline.text and all(quotation in edit.text for quotation in quoted):
            by_text.setdefault(edit.text, edit)
    return list(by_text.values())[:MOST]


def content_words(headline: Headline, casing: Casing | None = None) -> list[tuple[int, int]]:
    """Where the words of a headline stand that are neither names nor numbers nor function words."""
    names = {index for name in headline.full_names(casing) for index in range(*name)}
    left_out = _function_words(headline.language)
    return [
        headline.span_of(index)
        for index, piece in enumerate(headline.pieces)
        if piece.kind == "word" and index not in names
        if len(piece.text) >= LETTERS and piece.text.lower() not in left_out
    ]


@cache
def _function_words(language: str) -> frozenset[str]:
    """Folded, those that numbers are written with among them."""
    return frozenset(map(fold, function_words(language) | number_words(language)))


def new_words(headline: Headline, mentions: Mentions, casing: Casing | None = None) -> list[tuple[int, int]]:
    """Where the content words stand of which no source has a form."""
    return [
        span
        for span in content_words(headline, casing)
        if not all(_stem(word) in mentions.beginnings for word in words_of(fold(headline.text[slice(*span)])))
    ]


def with_a_foreign_word(
    headline: Headline,
    mentions: Mentions,
    words: Mapping[str, Sequence[str]],
    random: np.random.Generator,
    casing: Casing | None = None,
) -> str | None:
    """The headline with one of its content words exchanged for a word with the same ending that no source has; `words` are by their endings."""
    spans = content_words(headline, casing)
    for index in random.permutation(len(spans)):
        start, end = spans[index]
        old = headline.text[start:end]
        others = [
            word
            for word in words.get(old[-ENDING:], ())
            if word not in headline.text and _stem(fold(word)) not in mentions.beginnings
        ]
        if others and old.islower():
            return headline.replaced(start, end, others[int(random.integers(len(others)))])
    return None


def by_ending(headlines: Iterable[Headline], casing: Casing | None = None) -> dict[str, list[str]]:
    """The content words of headlines in small letters, by their endings."""
    words: dict[str, dict[str, None]] = {}
    for headline in headlines:
        for start, end in content_words(headline, casing):
            if (word := headline.text[start:end]).islower():
                words.setdefault(word[-ENDING:], {})[word] = None
    return {ending: list(some) for ending, some in words.items()}


def _stem(word: str) -> str:
    return word[: max(LETTERS, len(word) - ENDING)]


def _supported_quotations(headline: Headline, mentions: Mentions) -> list[str]:
    """The quotations that stand in the sources to the letter, with their marks."""
    return [
        headline.text[quotation.start - 1 : quotation.end + 1]
        for quotation in quotations(headline.text, headline.language)
        if quotation.stands_in(mentions.words, to_the_letter=True)
    ]


def _with(headline: Headline, kind: FactKind, start: int, end: int, new: str) -> Edit:
    return Edit(headline.replaced(start, end, new), kind, start, end, new)


def _reworded(headline: Headline) -> Iterable[Edit]:
    for start, end, new in (*negations(headline), *contraries(headline)):
        yield _with(headline, "negation", start, end, new)


def _spans(headline: Headline, casing: Casing | None) -> list[tuple[int, int]]:
    return [headline.span_of(*name) for name in headline.full_names(casing)]


def _roles(headline: Headline, casing: Casing | None) -> Iterable[Edit]:
    """Two names exchanged for each other."""
    text = headline.text
    for (a, b), (c, d) in combinations(_spans(headline, casing), 2):
        if fold(text[a:b]).lower() != fold(text[c:d]).lower():
            yield _with(headline, "name", a, d, text[c:d] + text[b:c] + text[a:b])


def _names(headline: Headline, mentions: Mentions, casing: Casing | None) -> Iterable[Edit]:
    """Each name exchanged for others of the sources, those of as many words first."""
    present = set(headline.keys)
    for start, end in _spans(headline, casing):
        name = headline.text[start:end]
        words = set(fold(name).lower().split())
        others = [
            other
            for other in mentions.names
            if (words_of_other := set(fold(other).lower().split())) != words
            and not words_of_other <= words
            and not (words_of_other - words) & present
        ]
        others.sort(key=lambda other: len(other.split()) != len(name.split()))
        for other in others[:OTHERS]:
            yield _with(
                headline, "name", start, end, other.upper() if name.isupper() and len(name) > 5 else other
            )


def _numbers(headline: Headline, mentions: Mentions) -> Iterable[Edit]:
    """Each number exchanged for others of the sources."""
    for number in headline.numbers():
        if not number.values or not number.claimed:
            continue
        start, end = headline.span(number.start, number.end)
        others = [
            text
            for text, other in mentions.numbers
            if not other.values & number.values and other.units == number.units
        ]
        for other in others[:OTHERS]:
            yield _with(
                headline, "number", start, end, other[:1].upper() + other[1:] if start == 0 else other
            )


def _measures(headline: Headline) -> Iterable[Edit]:
    """What a number measures, and thousands, millions and the like, exchanged for another measure."""
    numbers = headline.numbers()
    for index, piece in enumerate(headline.pieces):
        other = OTHER_MEASURES.get(headline.language, {}).get(piece.text.lower())
        before = headline.pieces[index - 1].end if index else -1
        if other and any(
            number.end == before or number.start < piece.start < number.end for number in numbers
        ):
            yield _with(headline, "number", *headline.span_of(index), other)
