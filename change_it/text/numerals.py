"""Numbers of a text, in digits and in English and Italian words."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

#: A number alone, with groups of thousands (1.200, 1 200, 1'200, 1,00,000) or a decimal part; a preposition of Semitic scripts may be joined to it.
NUMBER = (
    r"(?<![^\W\u0590-\u08ff])(?:\d{1,3}(?:(?:[.,' ]\d{3}){1,9}|(?:,\d{2}){1,9},\d{3})(?!\d)|\d+)(?:[.,]\d+)?"
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{2,3})*[.,' ]\d{3}(?!\d)")

_SMALL = """one un uno una|two due|three tre|four quattro|five cinque|six sei|seven sette|eight otto|nine nove|ten dieci
|eleven undici|twelve dodici|thirteen tredici|fourteen quattordici|fifteen quindici|sixteen sedici|seventeen diciassette
|eighteen diciotto|nineteen diciannove"""
_TENS = """twenty venti vent|thirty trenta trent|forty quaranta quarant|fifty cinquanta cinquant|sixty sessanta sessant
|seventy settanta settant|eighty ottanta ottant|ninety novanta novant"""
_TIMES = {
    word: value
    for value, words in {
        10: "decina decine",
        12: "dozen dozens",
        100: "hundred hundreds cento centinaio centinaia",
        1000: "thousand thousands mille mila migliaio migliaia",
        10**6: "million millions milione milioni mln",
        10**9: "billion billions miliardo miliardi bn mld",
        10**12: "trillion trillions",
    }.items()
    for word in words.split()
}
_ADDED = {word: at for at, words in enumerate(_SMALL.split("|"), 1) for word in words.split()} | {
    word: 10 * at for at, words in enumerate(_TENS.split("|"), 2) for word in words.split()
}
#: Alone, these are a number of some size.
_SIZE = re.compile(
    r"decine|centinaia|migliaia|mili(?:on|ard)i|dozens|hundreds|thousands|[mbtr]+illions", re.IGNORECASE
)
#: Words that mean something else too (due to, venti forti, Polish ten), and the language in which they count.
_AMBIGUOUS = {
    "ten": "en",
    **dict.fromkeys(["due", "tre", "sei", "sette", "otto", "nove", "venti", "mille"], "it"),
}


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Numbers in words, and the parts of them, in a text of a language."""
    words = [word for word in (*_ADDED, *_TIMES) if _AMBIGUOUS.get(word, language) == language]
    part, times = ("|".join(sorted(several, key=len, reverse=True)) for several in (words, _TIMES))
    number = (
        rf"(?:(?P<digits>{NUMBER})[ -]?(?:{times})|(?<!\w)(?<!per )(?:{part})+)"
        rf"(?:(?:[ -]|(?<=hundred|housand) and )(?:{part})+)*(?!\w)"
    )
    return re.compile(number, re.IGNORECASE), re.compile(part)


class Numeral(NamedTuple):
    """A number of which at least a part is a word."""

    start: int
    end: int
    key: str  # its value; of `millions` 1000000s
    digits: str  # the key of those that it begins with
    sizes: list[str]  # what it multiplies by, 1000000s


def key_of(number: str) -> str:
    """The digits of a number, with a point before decimals."""
    grouped = _GROUPED.match(number)
    whole = grouped[0] if grouped else re.match(r"\d+", number)[0]  # type: ignore[index]  # it begins with digits
    decimals = number[len(whole) + 1 :]
    return re.sub(r"\D", "", whole) + (f".{decimals}" if decimals else "")


def numerals(folded: str, language: str) -> Iterator[Numeral]:
    """The numbers in words of a folded text, from two up; ambiguous words are numbers in a text of their language."""
    numbers, parts = _patterns(language)
    for match in numbers.finditer(folded):
        digits = key_of(match["digits"]) if match["digits"] else ""
        total, current, sizes = 0.0, float(digits or 0), []
        for part in parts.findall(match[0].lower()):
            if part in _ADDED:
                current += _ADDED[part]
                continue
            sizes.append(f"{_TIMES[part]}s")
            current = (current or 1) * _TIMES[part]
            if current >= 1000:
                total, current = total + current, 0.0
        if (value := total + current) > 1:
            key = sizes[0] if _SIZE.fullmatch(match[0]) else f"{value:.0f}"
            yield Numeral(*match.span(), key, digits, sizes)
