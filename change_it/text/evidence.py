"""Evidence: does every number, name and quotation of a headline occur in its sources?

The check is literal: who did or claimed something is not checked. Case, accents, kinds of marks, spaces and thousands
separators do not matter. Number words are read in English and Italian alone, from two up. Where the sources are in neither, words
may be declined or compounds, so that a name that is akin to one of their words is supported; scripts without capitals show no names.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from change_it.files.texts import MOST_CHARACTERS
from change_it.text.folding import fold, fold_with_offsets
from change_it.text.spans import NOUNS, NUMBER, capital_share, in_title_case, key_of, numerals
from change_it.text.stopwords import guess_language

Kind = Literal["number", "name", "quotation"]

#: A number alone; U.S. as US; a word, maybe with digits.
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER}(?!\w))"
    r"|(?P<word>[\u0590-\u08ff]+(?=\d)|(?:(?<!\w)[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?|[^\W_]+)"
)
#: Quotations in folded marks: a double mark that is not closed, and a single one behind a colon or comma, run to the end.
_QUOTED = re.compile(
    r"""\"(?P<double>[^"]*)(?:\"|$)|(?<!\w)'(?P<single>(?=\w)(?:[^']|'(?=\w))*)'(?!\w)|(?<=[:,]\s)'(?P<open>(?=\w)[^']*)$"""
)
#: What is left out of a quotation parts it.
_OMISSION = re.compile(r"\[[^\]]*\]|\(\s*\.[^)]*\)|\.\s*\.\s*\.|(?<!\.\w)\.\s(?=\S)")
#: Behind these a capital only shows that something begins.
_OPENS = re.compile(r"""[.:!?"¿¡؟।]|(?:^|\s)'""")
#: Characters of a source that its language is guessed from.
OPENING = 1000
#: Letters of a stem, at least.
_LONG = 4


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
    """What is looked up in a source."""

    keys: str  # words and numbers between spaces
    language: str  # `it`, `en` or `none`
    has_nouns: bool  # whether so many words have capitals that they are nouns, as in German


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
    if len(headline) > MOST_CHARACTERS["headline"]:
        return (Unsupported(headline, 0, len(headline), "quotation"),)
    texts = [_read(source) for source in sources if source.strip()]
    language = next((text.language for text in texts if text.language != "none"), "none")
    keys = "|".join(text.keys for text in texts)  # no form has this mark
    folded = fold(headline)
    lacking: list[tuple[int, int, Kind]] = []
    read: list[tuple[int, int]] = []  # quotations that lack support, and numerals

    def stands(form: str) -> bool:
        return form in keys

    def is_read(place: int) -> bool:
        return any(start <= place < end for start, end in read)

    for match in _QUOTED.finditer(folded):
        parts = filter(str.strip, map(_phrase, _OMISSION.split(match[match.lastgroup or 0])))
        if not all(map(stands, parts)):
            lacking.append((*match.span(), "quotation"))
            read.append(match.span())
    for start, end, key, digits, _ in numerals(folded, language):
        if not is_read(start):
            read.append((start, end))
            if not any(map(stands, (_phrase(folded[start:end]), f" {key} ", f" {digits or key} "))):
                lacking.append((start, end, "number"))
    capitals_are_names = not in_title_case(folded.replace("-", " ")) or any(text.has_nouns for text in texts)
    before = len(folded)  # where the word before ends; nothing is before the first
    for match in _TOKEN.finditer(folded):
        start, end = match.span()
        behind, before = before, end
        is_name = capitals_are_names and match[0][0].isupper()
        is_name = is_name and behind <= start and not _OPENS.search(folded, behind, start)
        if not is_name and not any(map(str.isdigit, match[0])):
            continue
        key = _key(match)
        if is_read(start) or stands(f" {key} "):
            continue
        if not (is_name and language == "none" and any(_is_akin(key, text.keys) for text in texts)):
            lacking.append((start, end, "number" if match[0][0].isdigit() else "name"))
    if not lacking:
        return ()
    _, offsets = fold_with_offsets(headline)
    spans = sorted((offsets[start], offsets[end], kind) for start, end, kind in lacking)
    return tuple(Unsupported(headline[start:end], start, end, kind) for start, end, kind in spans)


def _key(match: re.Match[str]) -> str:
    return key_of(match[0]) if match.lastgroup == "number" else match[0].lower().replace(".", "")


def _phrase(text: str) -> str:
    """Return the keys of a text between spaces, as `in` finds them in a `_Source`."""
    return _joined(_TOKEN.finditer(text))


def _joined(found: Iterable[re.Match[str]]) -> str:
    """Return the keys of some words and numbers between spaces."""
    return f" {' '.join(map(_key, found))} "


@lru_cache(maxsize=4096)
def _read(source: str) -> _Source:
    """Return the keys of a source, then the parts of numbers that a space joins, which may be two, and the values of numbers in words."""
    folded, language = fold(source), guess_language([source[:OPENING]])
    found = list(_TOKEN.finditer(folded))
    parts = [match[0] for match in found if match.lastgroup == "number" and " " in match[0]]
    for number in numerals(folded, language):
        parts += [number.key, *number.sizes]
    keys = _joined(found) + "".join(f"| {part} " for part in " ".join(parts).split())
    return _Source(keys, language, language == "none" and (capital_share([folded]) or 0) > NOUNS)


def _is_akin(name: str, keys: str) -> bool:
    """Return whether a name begins as a word does (Putin, Putinom), or one is part of the other (Maske, Schutzmaske)."""
    if len(name) < _LONG:
        return False
    stem, words = name[: min(6, max(_LONG, len(name) - 2))], keys.split()
    if f" {stem}" in keys or name in keys or any(len(word) > _LONG and word in name for word in words):
        return True
    return any(word in words for word in (name[:-1], name[:-2], name[:-3]) if len(word) >= _LONG)
