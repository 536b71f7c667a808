"""Find what a headline says without evidence: does every number, name and quotation occur in its sources?

The check is literal: who did or claimed something is not checked. Case, accents, kinds of marks, spaces and
thousands separators do not matter. Number words are read in English and Italian alone, from two up. Where the
sources are in neither, words may be declined or compounds, so that a name that is akin to one of their words
is supported; scripts without capitals show no names.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from change_it.files.texts import MOST_CHARACTERS
from change_it.text.folding import fold, fold_with_offsets
from change_it.text.spans import NOUN_CAPITALS_SHARE, NUMBER, capital_share, in_title_case, key_of, numerals
from change_it.text.stopwords import guess_language

Kind = Literal["number", "name", "quotation"]

#: A number alone; U.S. as US; a word, maybe with digits.
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER}(?!\w))"
    r"|(?P<word>[\u0590-\u08ff]+(?=\d)|(?:(?<!\w)[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?|[^\W_]+)"
)
#: Quotations in folded marks: a double mark that is not closed, and a single one behind a colon or comma, run
#: to the end.
_QUOTED = re.compile(
    r"""\"(?P<double>[^"]*)(?:\"|$)"""
    r"""|(?<!\w)'(?P<single>(?=\w)(?:[^']|'(?=\w))*)'(?!\w)"""
    r"""|(?<=[:,]\s)'(?P<open>(?=\w)[^']*)$"""
)
#: A mark of an omission inside a quotation, which parts it.
_OMISSION = re.compile(r"\[[^\]]*\]|\(\s*\.[^)]*\)|\.\s*\.\s*\.|(?<!\.\w)\.\s(?=\S)")
#: Behind these a capital only shows that something begins.
_OPENING = re.compile(r"""[.:!?"¿¡؟।]|(?:^|\s)'""")
#: Characters of a source that its language is guessed from.
_GUESSED_CHARACTERS = 1000
#: Letters at the beginning of a name that a word of the source must share, at least.
_FEWEST_STEM_LETTERS = 4
#: Letters at the beginning of a name that are compared, at most.
_MOST_STEM_LETTERS = 6


@dataclass(frozen=True)
class Unsupported:
    """A number, name or quotation that no source has.

    Attributes:
        text: as the headline writes it.
        start: its offset in the headline.
        end: where it ends.
        kind: number, name or quotation.
    """

    text: str
    start: int
    end: int
    kind: Kind


class _Source(NamedTuple):
    """What is looked up in a source.

    Attributes:
        keys: its words in lower case and its numbers in digits, each with a space before and behind it.
        language: `it`, `en` or `none`.
        has_noun_capitals: whether its language writes nouns with a capital, as German does; many words have
            one then.
    """

    keys: str
    language: str
    has_noun_capitals: bool


def unsupported(headline: str, sources: Iterable[str]) -> tuple[Unsupported, ...]:
    """Find what no source has: numbers, capitalised words and quotations.

    A capitalised word is checked unless it begins the headline, a sentence or a quotation, where any word has
    a capital; in headlines that capitalise nearly all words none is. Of a quotation that is not supported its
    numbers and names are left out. Nothing supports a text that is too long for a headline.

    Args:
        headline: the new headline.
        sources: the original headline and the articles about the event; empty ones are left out.

    Returns:
        What is not supported, in the order of the headline.

    Examples:
        >>> headline = "Rossi: «È finita», 1.200 in piazza con Marco Verdi"
        >>> found = unsupported(headline, ["Piazza, in 1200 con Rossi: è finita"])
        >>> [(part.kind, part.text) for part in found]
        [('name', 'Marco'), ('name', 'Verdi')]
    """
    if len(headline) > MOST_CHARACTERS["headline"]:
        return (Unsupported(headline, 0, len(headline), "quotation"),)
    check = _Check(fold(headline), [_read(source) for source in sources if source.strip()])
    check.check_quotations()
    check.check_numerals()
    check.check_words()
    if not check.lacking:
        return ()
    _, offsets = fold_with_offsets(headline)
    found = []
    for start_folded, end_folded, kind in sorted(check.lacking):
        start = offsets[start_folded]
        end = offsets[end_folded]
        found.append(Unsupported(headline[start:end], start, end, kind))
    return tuple(found)


class _Check:
    """Look up the parts of a folded headline in its sources.

    Attributes:
        lacking: start, end and kind of each part that no source has, in the folded headline.
    """

    def __init__(self, folded: str, sources: Sequence[_Source]):
        self.lacking: list[tuple[int, int, Kind]] = []
        self._folded = folded
        self._sources = sources
        # the language of the first source that has a known one
        self._language = "none"
        for source in reversed(sources):
            if source.language != "none":
                self._language = source.language
        # No key has this mark, so none is found across two sources.
        self._keys = "|".join(source.keys for source in sources)
        #: Quotations that lack support, and numerals: what is in them is not checked again.
        self._checked: list[tuple[int, int]] = []

    def check_quotations(self) -> None:
        """Look up each quotation; the parts between its omissions are looked up one by one."""
        for match in _QUOTED.finditer(self._folded):
            # the only group that matched is what the marks quote
            for part in _OMISSION.split(match[match.lastgroup or 0]):
                phrase = _phrase(part)
                if phrase.strip() and phrase not in self._keys:
                    self.lacking.append((match.start(), match.end(), "quotation"))
                    self._checked.append(match.span())
                    break

    def check_numerals(self) -> None:
        """Look up each number in words: as it is written, its value, or the digits that it begins with."""
        for start, end, key, digits, _ in numerals(self._folded, self._language):
            if self._is_checked(start):
                continue
            self._checked.append((start, end))
            forms = (_phrase(self._folded[start:end]), f" {key} ", f" {digits or key} ")
            if not any(form in self._keys for form in forms):
                self.lacking.append((start, end, "number"))

    def check_words(self) -> None:
        """Look up each word with a digit and each name."""
        has_noun_capitals = any(source.has_noun_capitals for source in self._sources)
        has_names = has_noun_capitals or not in_title_case(self._folded.replace("-", " "))
        # The first word follows none, and its capital does not make it a name: no word starts behind the end.
        previous_end = len(self._folded)
        for match in _TOKEN.finditer(self._folded):
            start, end = match.span()
            is_name = has_names and match[0][0].isupper() and self._is_inside_sentence(previous_end, start)
            previous_end = end
            if not is_name and not any(map(str.isdigit, match[0])):
                continue
            key = _key(match["number"], match["word"])
            if self._is_checked(start) or f" {key} " in self._keys:
                continue
            if is_name and self._language == "none" and self._is_akin(key):
                continue
            self.lacking.append((start, end, "number" if match[0][0].isdigit() else "name"))

    def _is_inside_sentence(self, previous_end: int, start: int) -> bool:
        """Return whether a word follows one of its sentence or quotation: a capital then shows a name."""
        return previous_end <= start and not _OPENING.search(self._folded, previous_end, start)

    def _is_checked(self, place: int) -> bool:
        """Return whether a place is in a part that has been checked as a whole."""
        return any(start <= place < end for start, end in self._checked)

    def _is_akin(self, name: str) -> bool:
        """Return whether a name is akin to a word of any source."""
        return any(_is_akin_to_word(name, source.keys) for source in self._sources)


def _key(number: str | None, word: str) -> str:
    """Return what `_TOKEN` has found as it is looked up: digits, or a word in lower case without stops."""
    if number:
        return key_of(number)
    return word.lower().replace(".", "")


def _phrase(text: str) -> str:
    """Return the words and numbers of a text between spaces, as `in` finds them in `_Source.keys`."""
    return _joined(_TOKEN.findall(text))


def _joined(found: Iterable[tuple[str, str]]) -> str:
    """Return numbers and words of `_TOKEN` as they are looked up, in one text with spaces around them."""
    keys = [_key(number, word) for number, word in found]
    return f" {' '.join(keys)} "


@lru_cache(maxsize=4096)
def _read(source: str) -> _Source:
    """Return what is looked up in a source.

    Behind the words and numbers of the source its keys have further numbers, each alone. They are the parts
    of a number with a space in it, which may be two numbers, and the value and sizes of a number in words.
    """
    folded = fold(source)
    language = guess_language([source[:_GUESSED_CHARACTERS]])
    tokens = _TOKEN.findall(folded)
    numbers: list[str] = []
    for number, _ in tokens:
        if " " in number:
            numbers += number.split()
    for numeral in numerals(folded, language):
        numbers += [numeral.key, *numeral.sizes]
    keys = _joined(tokens) + "".join(f"| {number} " for number in numbers)
    has_noun_capitals = False
    if language == "none":
        has_noun_capitals = (capital_share([folded]) or 0) > NOUN_CAPITALS_SHARE
    return _Source(keys, language, has_noun_capitals)


def _is_akin_to_word(name: str, keys: str) -> bool:
    """Return whether a name begins as a word of a source does (Putinom, Putin), or contains it.

    A name inside a word is akin as well (Maske in Schutzmaske).

    Args:
        name: in lower case.
        keys: `_Source.keys` of the source.
    """
    if len(name) < _FEWEST_STEM_LETTERS:
        return False
    stem_letters = max(_FEWEST_STEM_LETTERS, len(name) - 2)
    stem = name[: min(_MOST_STEM_LETTERS, stem_letters)]
    if f" {stem}" in keys or name in keys:
        return True
    words = keys.split()
    if any(len(word) > _FEWEST_STEM_LETTERS and word in name for word in words):
        return True
    for ending in (1, 2, 3):
        word = name[:-ending]
        if len(word) >= _FEWEST_STEM_LETTERS and word in words:
            return True
    return False
