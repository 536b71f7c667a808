"""Names and numbers of a text: their places, by its letters alone, and the values of numbers in digits and in English and Italian words."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")
#: A word behind another one; of these so many say how a language writes names.
_LATER, _FEW = re.compile(r"(?<=[\w,;] )[^\W\d_][^\W_]*"), 40
#: Shares of words with a capital up to which a script has none, and above which it is that of nouns.
NO_CAPITALS, NOUNS = 0.01, 0.25
#: A capital after these marks, in so many characters before a word, says nothing.
_OPENING = re.compile(r"(?:(?:\A|[:.!?;|؟«“\"(\[‘–—-])['\"“«‘ ]*|(?<!\w)[„‚»›¿¡「『])\Z")
_REACH = 40
#: Where this share of the longer words has a capital, capitals say nothing; the letters of a longer word, at least.
_TITLE, _LONG = 0.8, 4


def capital_share(texts: Iterable[str]) -> float | None:
    """Return the share of words behind another one that have a capital; None of less than 40 words.

    Real texts have .02 to .14, German ones .29 to .36, those of scripts without capitals hardly any.
    """
    later = [word[0].isupper() for text in texts for word in _LATER.findall(text)]
    return sum(later) / len(later) if len(later) >= _FEW else None


def in_title_case(text: str, fewest: int = 3) -> bool:
    """Return whether a headline capitalises nearly all longer words behind the first, `fewest` at least, so that capitals mean nothing."""
    long = [word[0].isupper() for word in _WORD.findall(text)[1:] if len(word) >= _LONG]
    return sum(long) >= max(fewest, _TITLE * len(long))


def name_runs(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each run of capitalised words that does not open a sentence; none where capitals say nothing.

    Examples:
        >>> text = "Ieri Aldo Moro ha visto l'Italia: Tutto bene"
        >>> [text[start:end] for start, end in name_runs(text)]
        ['Aldo Moro', 'Italia']
        >>> name_runs("Trump Meets Senate Leaders in Washington")
        []
    """
    runs: list[tuple[int, int]] = []
    for word in () if in_title_case(text, fewest=0) else _WORD.finditer(text):
        start, end = word.span()
        if not word[0][0].isupper() or end - start == 1:
            continue
        if not _OPENING.search(text, max(0, start - _REACH), start):
            if runs and text[runs[-1][1] : start] == " ":
                start = runs.pop()[0]
            runs.append((start, end))
    return runs


def numbers_in(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each number in digits, with the separators inside it.

    Examples:
        >>> numbers_in("M5S, spesi 1.500 euro nel 2016: più 5%")
        [(11, 16), (26, 30), (36, 37)]
    """
    return [match.span() for match in re.finditer(r"(?<!\w)\d+(?:[.,:]\d+)*", text)]


#: A number alone, with groups of thousands (1.200, 1 200, 1'200, 1,00,000) or a decimal part; a preposition of Semitic scripts may be joined to it.
NUMBER = (
    r"(?<![^\W\u0590-\u08ff])(?:\d{1,3}(?:(?:[.,' ]\d{3}){1,9}|(?:,\d{2}){1,9},\d{3})(?!\d)|\d+)(?:[.,]\d+)?"
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{2,3})*[.,' ]\d{3}(?!\d)|\d+")
_SMALL = """one un uno una|two due|three tre|four quattro|five cinque|six sei|seven sette|eight otto|nine nove|ten dieci
|eleven undici|twelve dodici|thirteen tredici|fourteen quattordici|fifteen quindici|sixteen sedici|seventeen diciassette
|eighteen diciotto|nineteen diciannove"""
_TENS = """twenty venti vent|thirty trenta trent|forty quaranta quarant|fifty cinquanta cinquant|sixty sessanta sessant
|seventy settanta settant|eighty ottanta ottant|ninety novanta novant"""
_TIMES = {
    word: value
    for value, group in {
        10: "decina decine",
        12: "dozen dozens",
        100: "hundred hundreds cento centinaio centinaia",
        1000: "thousand thousands mille mila migliaio migliaia",
        10**6: "million millions milione milioni mln",
        10**9: "billion billions miliardo miliardi bn mld",
        10**12: "trillion trillions",
    }.items()
    for word in group.split()
}
_ADDED = {word: value for value, group in enumerate(_SMALL.split("|"), 1) for word in group.split()} | {
    word: 10 * tens for tens, group in enumerate(_TENS.split("|"), 2) for word in group.split()
}
#: Alone, these are a number of some size.
_SIZE = re.compile(
    r"decine|centinaia|migliaia|mili(?:on|ard)i|dozens|hundreds|thousands|[mbtr]+illions", re.IGNORECASE
)
#: Words that mean something else too (due to, venti forti, Polish ten), and the language in which they count.
_AMBIGUOUS = {"ten": "en"} | dict.fromkeys(
    ("due", "tre", "sei", "sette", "otto", "nove", "venti", "mille"), "it"
)


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the pattern of numbers in words in a language, and that of their parts, both of texts in lower case."""
    known = [word for word in (*_ADDED, *_TIMES) if _AMBIGUOUS.get(word, language) == language]
    part, times = ("|".join(sorted(several, key=len, reverse=True)) for several in (known, _TIMES))
    number = (
        rf"(?:(?P<digits>{NUMBER})[ -]?(?:{times})|(?<!\w)(?<!per )(?:{part})+)"
        rf"(?:(?:[ -]|(?<=hundred|housand) and )(?:{part})+)*(?!\w)"
    )
    return re.compile(number), re.compile(part)


class Numeral(NamedTuple):
    """A number of which at least a part is a word."""

    start: int
    end: int
    key: str  # its value; of `millions` 1000000s
    digits: str  # the key of those that it begins with
    sizes: list[str]  # what it multiplies by, 1000000s


def key_of(number: str) -> str:
    """Return the digits of a number, with a point before decimals."""
    whole = _GROUPED.match(number)[0]  # type: ignore[index]  # it begins with digits
    decimals = number[len(whole) + 1 :]
    return re.sub(r"\D", "", whole) + (f".{decimals}" if decimals else "")


def numerals(folded: str, language: str) -> Iterator[Numeral]:
    """Yield the numbers in words of a folded text, from two up; ambiguous words are numbers in a text of their language."""
    numbers, parts = _patterns(language)
    # No letter of a folded text is longer in lower case, so places stay. Searches without IGNORECASE are faster.
    for match in numbers.finditer(folded.lower()):
        digits = key_of(match["digits"]) if match["digits"] else ""
        total, current, sizes = 0.0, float(digits or 0), []
        for part in parts.findall(match[0]):
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
