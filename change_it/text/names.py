"""Names in headlines: what the tagger, the capitals of the headline and those of a corpus say of each word."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Self

from change_it.io import read_json, record_errors, write_json
from change_it.text.folding import fold, fold_with_offsets
from change_it.text.numbers import Number, Piece, find_numbers, number_words, pieces
from change_it.text.stopwords import function_words
from change_it.text.tagging import Case, languages, load_tagger, sentence_case, tokens
from change_it.text.tokens import words

#: A capital after these says nothing.
_OPENING = frozenset(':.!?"-/;|()[]*>+…•') | {"'"}
_LOWER = re.compile(r"\b[a-z][^\W\d_]+")
_UPPER = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+|(?<=[a-z]')[A-Z][^\W\d_]+")
_FULL_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]+) ([A-Z][^\W\d_]+)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
#: English possessives and what is left of contractions.
_ENDINGS = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})
#: Titles and abbreviations that say nothing of who is meant.
_TITLES = frozenset(
    ["mr", "mrs", "ms", "dr", "rep", "reps", "sen", "sens", "gov", "gen", "capt", "sgt", "lt", "col", "prof", "st", "dept", "bros", "jr", "sr", "inc", "ltd", "corp", "co", "rev", "hon", "sig", "sigg", "dott", "prof", "on", "avv", "ing", "mons", "san", "santa"]
)  # fmt: skip
_READ = 2500  # characters of an article
#: Of articles that a judge did not learn from, one in a hundred has less than .97 of its words known on a real corpus, none on the sample.
KNOWN = 0.92
CASING = "casing.json"
#: What stands for a name or a number that is masked.
MASK = "_"


@dataclass
class Casing:
    """Casing statistics (a truecaser): counts of a corpus's words, folded, in lower case and with a capital."""

    lower: Counter[str] = field(default_factory=Counter)
    upper: Counter[str] = field(default_factory=Counter)  # after a small letter or a comma
    full: dict[str, Counter[str]] = field(default_factory=dict)  # surname to its first names

    @classmethod
    def from_texts(cls, texts: Iterable[str], headlines: Iterable[str] = ()) -> Self:
        """Count the words of articles' beginnings, and of headlines those in lower case."""
        casing = cls()
        for text in texts:
            folded = fold(text[:_READ])
            casing.lower.update(_LOWER.findall(folded))
            casing.upper.update(map(str.lower, _UPPER.findall(folded)))
            for first, last in _FULL_NAME.findall(folded):
                casing.full.setdefault(last.lower(), Counter())[first.lower()] += 1
        for headline in headlines:
            casing.lower.update(_LOWER.findall(fold(headline)))
        return casing

    def save(self, folder: Path) -> None:
        """Write `casing.json`."""
        write_json(folder / CASING, vars(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The statistics that `save` wrote; None without the file."""
        if (record := read_json(folder / CASING)) is None:
            return None
        with record_errors(folder / CASING):
            full = {last: Counter(dict(firsts)) for last, firsts in record["full"].items()}
            casing = cls(Counter(dict(record["lower"])), Counter(dict(record["upper"])), full)
            counters = (casing.lower, casing.upper, *full.values())
            counts = [count for counter in counters for count in counter.values()]
            if not all(isinstance(count, int) and count >= 0 for count in counts):
                raise ValueError
        return casing

    def is_first_name(self, first: str, last: str) -> bool:
        """Whether most people of a surname that are called by their full name have this first name: Donald, Trump."""
        names = self.full.get(last, Counter())
        most = names[first] >= 3 and 2 * names[first] > names.total()
        return most and (self.share(last) or 0) >= 0.9

    def share(self, word: str) -> float | None:
        """Share of the occurrences that have a capital; None for a word that never occurs."""
        upper, lower = self.upper[word], self.lower[word]
        return upper / (upper + lower) if upper + lower else None

    def is_foreign(self, text: str, language: str) -> bool:
        """Whether too few of a text's words occur in the corpus for its judges to be believed."""
        return self.known_share(text, language) < KNOWN

    def spells(self, headline: str, texts: Collection[str], language: str) -> bool:
        """Whether the corpus or the texts have each longer word of a headline but the first, in some form.

        True where forms are unknown (all but Italian and English) and of texts that are foreign to the corpus.
        """
        longer = [word for word in words(fold(headline))[1:] if len(word) > 3 and word.isalpha()]
        unknown = [word for word in longer if self.share(word) is None]
        forms = [{word, *inflections(word, language)} for word in unknown]
        strange = [some for some in forms if all(self.share(form) is None for form in some)]
        if not strange or language not in _SUFFIXES or self.is_foreign(" ".join(texts), language):
            return True
        known = words(fold(" ".join(texts)))
        return not any(some.isdisjoint(known) for some in strange)

    def known_share(self, text: str, language: str) -> float:
        """Share of a text's distinct content words in lower case that occur in the corpus, 0-1; 1 where it has none."""
        words = set(_LOWER.findall(fold(text))) - function_words(language)
        return sum(self.lower[word] > 0 for word in words) / len(words) if words else 1.0


@cache
def _common_words(language: str) -> frozenset[str]:
    """Function words and number words, which are no names."""
    return frozenset(function_words(language) | number_words(language))


class Headline:
    """A headline's pieces, numbers and names, with their offsets in the text as given."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        folded, self._offsets = fold_with_offsets(text)
        self.folded = _ADDRESS.sub(lambda match: " " * len(match[0]), folded)
        self.pieces = pieces(self.folded)
        self.keys = [key(piece) for piece in self.pieces]
        words = [piece.text for piece in self.pieces if piece.kind == "word"]
        self.case: Case = sentence_case(words, language)
        if self.case == "title" and language != "en":
            self.case = "sentence"  # no other language has titles like this: they are names in a row
        self._common = _common_words(language)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text as given of a stretch of the folded text."""
        return self._offsets[start], self._offsets[end - 1] + 1

    def span_of(self, first: int, last: int | None = None) -> tuple[int, int]:
        """Offsets in the text as given of the piece `first`, or of all pieces from there to the one before `last`."""
        return self.span(self.pieces[first].start, self.pieces[first if last is None else last - 1].end)

    def replaced(self, start: int, end: int, new: str) -> str:
        """The text as given with something else from `start` to `end`."""
        return self.text[:start] + new + self.text[end:]

    def numbers(self) -> list[Number]:
        """The numbers, offsets in the folded text."""
        return find_numbers(self.folded, self.language, self.pieces)

    def tag(self, index: int) -> str:
        """The universal tag of a piece; empty in a language without a tagger."""
        return self._tags[index]

    @cached_property
    def _tags(self) -> list[str]:
        if self.language not in languages():
            return [""] * len(self.pieces)
        words = tokens(self.text, self.language)
        tags = load_tagger(self.language).tag(words)
        by_offset: dict[int, str] = {}
        offset = 0
        for word, tag in zip(words, tags, strict=True):
            offset = self.text.index(word, offset)
            by_offset |= dict.fromkeys(range(offset, offset + len(word)), tag)
            offset += len(word)
        return [by_offset.get(self._offsets[piece.start], "X") for piece in self.pieces]

    def begins(self, index: int) -> bool:
        """Whether a piece stands where any word has a capital: first, or after a mark that may open a sentence."""
        if index == 0:
            return True
        before = self.pieces[index - 1]
        if before.text == "'" and before.start and self.folded[before.start - 1].isalpha():
            return False  # L'Inter, not 'Inter
        if before.text == "-" and before.end == self.pieces[index].start:
            return index >= 2 and self.pieces[index - 2].kind != "mark" and self.begins(index - 2)
        return before.text in _OPENING

    def is_name(self, index: int, casing: Casing | None = None, known: Collection[str] = ()) -> bool:
        """Whether a piece is a name or a part of one; `known` are words whose other forms are no names."""
        piece, word = self.pieces[index], self.keys[index]
        if piece.kind != "word" or len(word) < 2 or word in _TITLES or word in self._common:
            return False
        capital = piece.text[0].isupper()
        if any(map(str.isdigit, word)) or (not word.isascii() and self.language in languages()):
            return True
        before = self.pieces[index - 1] if index else None
        if before and before.kind == "digits" and before.end == piece.start:
            return False  # 51enne, 1980s
        if before and before.text == "'" and before.end == piece.start and word in _ENDINGS:
            return False
        plain = self.case == "sentence" and not self.begins(index)
        share = casing.share(word) if casing else None
        if casing is not None and share is not None:
            if not capital:
                return share >= (0.5 if self.case == "lower" else 0.95) and casing.upper[word] >= 3
            if plain:
                return share >= 0.1
            return share >= 0.8 or (share >= 0.5 and self.tag(index) in ("PROPN", "NOUN", "ADJ", "X", ""))
        if self._relative(word, casing, known):
            return capital and plain and self.tag(index) == "PROPN"
        if self.case == "sentence":
            if capital and plain:
                return True
            return (capital or casing is not None) and self.tag(index) == "PROPN"
        # A word that no text of the corpus has, in a headline whose capitals say nothing.
        return casing is not None or self.tag(index) == "PROPN"

    def _relative(self, word: str, casing: Casing | None, known_words: Collection[str]) -> bool:
        """Whether another form of the word occurs in lower case."""
        return any(
            form in known_words or (casing is not None and casing.lower[form] > casing.upper[form])
            for form in inflections(word, self.language)
        )

    def names(self, casing: Casing | None = None) -> list[int]:
        """Indices of the pieces that are names or parts of them."""
        return [index for index in range(len(self.pieces)) if self.is_name(index, casing)]

    def full_names(self, casing: Casing | None = None) -> list[tuple[int, int]]:
        """Names of one piece or several in a row: index of the first piece, and of the one after the last."""
        names: list[tuple[int, int]] = []
        for index in self.names(casing):
            goes_on = names and names[-1][1] == index
            first = names.pop()[0] if goes_on else index
            names.append((first, index + 1))
        return names

    def masked(self, casing: Casing | None = None) -> str:
        """The text as given with `MASK` in the place of each name and number; "one" and "first" stay."""
        spans = [self.span_of(*name) for name in self.full_names(casing)]
        spans += [self.span(number.start, number.end) for number in self.numbers() if number.claimed]
        parts, place = [], 0
        for start, end in sorted(spans):
            if start >= place:
                parts += [self.text[place:start], MASK]
            place = max(place, end)
        return "".join([*parts, self.text[place:]])

    def words(self, first: int, last: int) -> str:
        """The text as given of the pieces from `first` to the one before `last`."""
        return self.text[slice(*self.span_of(first, last))]


def mask_names(text: str, language: str, casing: Casing | None = None) -> str:
    """`Headline.masked` of a text.

    Examples:
        >>> mask_names("Obama meets 3 senators in Rome", "en")
        '_ meets _ senators in _'
    """
    return Headline(text, language).masked(casing)


def key(piece: Piece) -> str:
    """A piece in lower case, without the dots of an abbreviation."""
    text = piece.text.lower()
    return text.replace(".", "") if piece.kind == "word" else text


_SUFFIXES = {
    "it": ("mente", "issimo", "issima", "ando", "endo", "are", "ere", "ire", "ato", "ata", "ati", "ate", "ito", "ita",
           "iti", "ite", "uto", "uta", "uti", "ute", "ano", "ono", "hi", "he", "a", "e", "i", "o", "zioni", "zione",
           "ore", "ori", "va", "ra", "ranno", "isce", "iscono"),
    "en": ("ing", "ed", "es", "s", "er", "ers", "ly", "d", "e", "y", "ies", "ied", "ier", "iest", "est", "r", "ness",
           "ment", "ments", "tion", "tions", "al", "ally", "ist", "ists", "able", "ful", "less", "ish", "like", "gate"),
}  # fmt: skip


def inflections(word: str, language: str) -> set[str]:
    """Other forms that a word may have by its language's endings, right and wrong ones."""
    suffixes = _SUFFIXES.get(language, ())
    stems = {word[: -len(end)] for end in suffixes if word.endswith(end)}
    if language == "en":
        stems |= {stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]} | {word}
    stems = {stem for stem in stems if len(stem) >= 3}
    return {stem + end for stem in stems for end in ("", *suffixes)} - {word}
