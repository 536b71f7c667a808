"""Evidence: does every number, name and quotation of a headline occur in its sources?

The check is literal: who did or claimed something is not checked. Case, accents, kinds of marks, spaces and thousands
separators do not matter. Number words are read in English and Italian alone, from two up.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from change_it.io import LONGEST
from change_it.text.folding import fold, fold_with_offsets
from change_it.text.numerals import NUMBER, key_of, numerals
from change_it.text.stopwords import guess_language

Kind = Literal["number", "name", "quotation"]

#: A number alone; U.S. as US; a word, maybe with digits.
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER}(?!\w))"
    r"|(?P<word>(?:(?<!\w)[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?|[^\W_]+)"
)
#: Quotations in folded marks: a double mark that is not closed, and a single one behind a colon or comma, run to the end.
_QUOTED = re.compile(
    r"""\"(?P<double>[^"]*)(?:\"|$)|(?<!\w)'(?P<single>(?=\w)(?:[^']|'(?=\w))*)'(?!\w)|(?<=[:,]\s)'(?P<open>(?=\w)[^']*)$"""
)
#: What is left out of a quotation parts it.
_OMISSION = re.compile(r"\[[^\]]*\]|\(\s*\.[^)]*\)|\.\s*\.\s*\.|(?<!\.\w)\.\s(?=\S)")
#: Behind these a capital only shows that something begins.
_OPENS = re.compile(r"""[.:!?"]|(?:^|\s)'""")
#: Characters of a source that its language is guessed from.
OPENING = 1000
#: A headline capitalises nearly all if it capitalises this share of its long words, of three at least.
_TITLE_SHARE, _TITLE_WORDS, _LONG = 0.8, 3, 4


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


class _Token(NamedTuple):
    """A word or number of a folded text."""

    key: str  # in lower case; of a number its digits, with a point before decimals
    start: int
    end: int
    is_number: bool
    has_capital: bool


def unsupported(headline: str, sources: Iterable[str]) -> tuple[Unsupported, ...]:
    """Find what no source has: numbers, capitalised words and quotations.

    A capitalised word is checked unless it begins the headline, a sentence or a quotation, where any word has a
    capital; in headlines that capitalise nearly all words none is. Of a quotation that is not supported its numbers and
    names are left out. Nothing supports a text that is too long for a headline.

    Args:
        headline: the new headline.
        sources: the original headline and the articles about the event; empty ones are left out.

    Returns:
        What is not supported, in the order of the headline.

    Examples:
        >>> [(part.kind, part.text) for part in unsupported("Rossi: «È finita», 1.200 in piazza con Marco Verdi", ["Piazza, in 1200 con Rossi: è finita"])]
        [('name', 'Marco'), ('name', 'Verdi')]
    """
    if len(headline) > LONGEST["headline"]:
        return (Unsupported(headline, 0, len(headline), "quotation"),)
    sources = [source for source in sources if source.strip()]
    texts = [_words_of(source) for source in sources]
    language = next((name for source in sources if (name := _language(source)) != "none"), "none")
    folded, offsets = fold_with_offsets(headline)
    tokens = _tokens(folded)
    found: list[tuple[int, int, Kind]] = []
    for match in _QUOTED.finditer(folded):
        parts = [_phrase(part) for part in _OMISSION.split(match[match.lastgroup or 0])]
        if not all(any(part in text for text in texts) for part in parts if part.strip()):
            found.append((*match.span(), "quotation"))
    taken = [(start, end) for start, end, _ in found]
    for number in numerals(folded, language):
        if any(start <= number.start < end for start, end in taken):
            continue
        taken.append((number.start, number.end))
        forms = (
            _phrase(folded[number.start : number.end]),
            f" {number.key} ",
            f" {number.digits or number.key} ",
        )
        if not any(form in text for text in texts for form in forms):
            found.append((number.start, number.end, "number"))
    names = _names(folded, tokens)
    for at, token in enumerate(tokens):
        checked = token.is_number or at in names or any(map(str.isdigit, token.key))
        if not checked or any(f" {token.key} " in text for text in texts):
            continue
        if not any(start <= token.start < end for start, end in taken):
            found.append((token.start, token.end, "number" if token.key[0].isdigit() else "name"))
    spans = sorted((offsets[start], offsets[end], kind) for start, end, kind in found)
    return tuple(Unsupported(headline[start:end], start, end, kind) for start, end, kind in spans)


def _tokens(folded: str) -> list[_Token]:
    return [
        _Token(_key(match), *match.span(), match.lastgroup == "number", match[0][0].isupper())
        for match in _TOKEN.finditer(folded)
    ]


def _key(match: re.Match[str]) -> str:
    if match.lastgroup != "number":
        return match[0].lower().replace(".", "")
    return key_of(match[0])


def _phrase(text: str) -> str:
    """The keys of a text between spaces, as `in` finds them in `_words_of`."""
    return f" {' '.join(map(_key, _TOKEN.finditer(text)))} "


@lru_cache(maxsize=4096)
def _language(source: str) -> str:
    """The language of the beginning of a source."""
    return guess_language([source[:OPENING]])


@lru_cache(maxsize=4096)
def _words_of(source: str) -> str:
    """The keys of a source, then the parts of numbers that a space joins, which may be two, and the values of numbers in words."""
    folded = fold(source)
    parts = [match[0] for match in _TOKEN.finditer(folded) if match.lastgroup == "number" and " " in match[0]]
    for number in numerals(folded, _language(source)):
        parts += [number.key, *number.sizes]
    return _phrase(folded) + "".join(f"| {part} " for part in " ".join(parts).split())


def _names(folded: str, tokens: list[_Token]) -> set[int]:
    """Positions of the capitalised words that are taken for names."""
    words = [token for token in tokens[1:] if not token.is_number and len(token.key) >= _LONG]
    capitals = sum(token.has_capital for token in words)
    if capitals >= _TITLE_WORDS and capitals >= _TITLE_SHARE * len(words):
        return set()
    return {
        at
        for at, token in enumerate(tokens)
        if at and token.has_capital and not _OPENS.search(folded[tokens[at - 1].end : token.start])
    }
