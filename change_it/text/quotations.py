"""Quotations of a headline, and the check that a text has them.

The words must stand in the text in the same order; marks, case and accents do not matter, nor does what the headline
marks as left out. A third as many other words may stand between them, as newspapers shorten what people say, but no
negation. Figures of AllSides, which chose this, are in docs/decisions.md.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from change_it.text.folding import fold
from change_it.text.stopwords import function_words
from change_it.text.tokens import words

#: Words of the shortest quotation: two or less are a term, a title or irony as often as speech.
LEAST = 3
#: Words of the longest phrase in capitals that is a title of a work.
LONGEST_TITLE = 4

_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟〝〞＂", '"') | dict.fromkeys("‘’‚‛`´ʼ′", "'"))
#: In straight marks; an apostrophe opens nothing before a year or where letters are left out, and closes nothing in po'.
_QUOTED = re.compile(
    r"«([^«»]+)»|»([^«»]+)«|‹([^‹›]+)›"
    r'|(?<!\w)"(?=\S)([^"]+)"'
    r"|(?<![\w'])''(?=[^\s'])(.+?)''"
    r"|(?<![\w'])'(?!\d\ds?\b|ndrang|n'|em\b|til\b|cause\b)(?=[^\s'])((?:[^']|(?<=\w)'(?=\w))*?)(?<=\S)(?<!\b[pm]o)'(?!\w)",
    re.IGNORECASE,
)
#: Marks that pair, around text without any; a straight one behind a figure may stand for inches.
_MARKS = '"＂«»“”„‟'
_PAIR = re.compile(r"«[^M]*»|»[^M]*«|(?<!\w)[\"＂][^M]*[\"＂](?!\w)|[“”„‟][^M]*[“”‟]".replace("M", _MARKS))
_INCHES = re.compile(r'(?<=\d)"')
_WORD = re.compile(r"[^\W\d_]+")
_LEFT_OUT = re.compile(r"\.{2,}|…|\[[^\]]*\]|\(\W*\)")
_NEGATIONS = frozenset(
    ["non", "mai", "senza", "not", "t", "never", "without", "cannot", "no", "nor", "neither"]
)


class Quotation(NamedTuple):
    """Words between quotation marks."""

    start: int  # offset of the first character behind the mark that opens it
    end: int  # offset of the mark that closes it
    parts: tuple[tuple[str, ...], ...]  # its words as `Words` has them, in the parts between what is left out

    def stands_in(self, texts: "Sequence[Words]") -> bool:
        """Whether each part stands in one of the texts."""
        return all(any(text.says(part) for text in texts) for part in self.parts)


class Words:
    """The words of a text, for quotations that it may say."""

    def __init__(self, text: str) -> None:
        self.words = words(fold(text))
        self._running = f" {' '.join(self.words)} "

    def says(self, part: tuple[str, ...]) -> bool:
        """Whether the words of a part stand here."""
        if f" {' '.join(part)} " in self._running:
            return True
        if len(part) < LEAST or f" {part[0]} " not in self._running:
            return False
        return any(self._from(index, part) for index, word in enumerate(self.words) if word == part[0])

    def _from(self, index: int, part: tuple[str, ...]) -> bool:
        """Whether a part stands here from its first word's place on, with some words between."""
        others = len(part) // 3
        for word in part[1:]:
            index += 1
            while self.words[index : index + 1] != [word]:
                if index >= len(self.words) or others == 0 or self.words[index] in _NEGATIONS:
                    return False
                index, others = index + 1, others - 1
        return True


def has_paired_marks(text: str) -> bool:
    """Whether each quotation mark has its other one; not asked of single ones, which are apostrophes, too."""
    return any(map(_all_pair, (text, _INCHES.sub("", text))))


def _all_pair(text: str) -> bool:
    """Whether no mark is left once the pairs are gone, from the innermost outwards, of three inside each other at most."""
    for _ in range(3):
        text = _PAIR.sub("", text)
    return not any(mark in text for mark in _MARKS)


def quotations(text: str, language: str) -> list[Quotation]:
    """The quotations of a headline: three words or more between marks, but for titles of works."""
    return [
        Quotation(start, end, parts)
        for start, end in (m.span(m.lastindex or 0) for m in _QUOTED.finditer(text.translate(_STRAIGHT)))
        if len([word for word in text[start:end].split() if any(map(str.isalnum, word))]) >= LEAST
        if not _is_title(text, start, end, language)
        if (parts := _parts(text[start:end]))
    ]


def _parts(quoted: str) -> tuple[tuple[str, ...], ...]:
    """The parts between what is left out; all words where a part would be one word, which any text has."""
    parts = [tuple(words(fold(part))) for part in _LEFT_OUT.split(quoted)]
    if any(len(part) == 1 for part in parts):
        parts = [tuple(word for part in parts for word in part)]
    return tuple(part for part in parts if part)


def _is_title(text: str, start: int, end: int, language: str) -> bool:
    """Whether all words of a short phrase have a capital, function words aside, as the rest of the headline has not."""
    quoted, functions = text[start:end].split(), function_words(language)
    content = [word for word in quoted if word[0].isalpha() and word.lower() not in functions]
    if len(quoted) > LONGEST_TITLE or len(content) < 2 or not all(map(str.istitle, content)):
        return False
    return any(
        word.islower() and word not in functions for word in _WORD.findall(f"{text[:start]} {text[end:]}")
    )
