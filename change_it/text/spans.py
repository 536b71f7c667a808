"""Find the names and numbers of a text by its letters alone.

Numbers are read in digits, and in English and Italian words.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")
#: A word behind another one.
_LATER_WORD = re.compile(r"(?<=[\w,;] )[^\W\d_][^\W_]*")
#: Number of these words below which a text does not show how its language writes names.
_FEWEST_LATER_WORDS = 40
#: Share of words with a capital up to which a script has none.
NO_CAPITALS_SHARE = 0.01
#: Share of words with a capital above which it is that of nouns, as in German.
NOUN_CAPITALS_SHARE = 0.25
#: Marks behind which a capital says nothing: the end of a sentence, or the beginning of a quotation.
_OPENING = re.compile(r"(?:(?:\A|[:.!?;|؟«“\"(\[‘–—-])['\"“«‘ ]*|(?<!\w)[„‚»›¿¡「『])\Z")
#: Characters before a word in which these marks are looked for.
_OPENING_REACH = 40
#: Share of a headline's longer words with a capital from which its capitals say nothing.
_TITLE_CASE_SHARE = 0.8
#: Letters that a longer word has at least.
_LONG_WORD_LETTERS = 4


def capital_share(texts: Iterable[str]) -> float | None:
    """Return the share of words behind another one that have a capital; None of less than 40 words.

    Real texts have .02 to .14, German ones .29 to .36, those of scripts without capitals hardly any.
    """
    count = 0
    capitals = 0
    for text in texts:
        for word in _LATER_WORD.findall(text):
            count += 1
            if word[0].isupper():
                capitals += 1
    if count < _FEWEST_LATER_WORDS:
        return None
    return capitals / count


def in_title_case(text: str, fewest: int = 3) -> bool:
    """Return whether a headline capitalises nearly all longer words behind the first: capitals say nothing.

    Args:
        text: the headline.
        fewest: words that it has to capitalise at least.
    """
    count = 0
    capitals = 0
    for word in _WORD.findall(text)[1:]:
        if len(word) >= _LONG_WORD_LETTERS:
            count += 1
            if word[0].isupper():
                capitals += 1
    return capitals >= max(fewest, _TITLE_CASE_SHARE * count)


def name_runs(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each run of capitalised words that does not open a sentence.

    There are none where capitals say nothing.

    Examples:
        >>> text = "Ieri Aldo Moro ha visto l'Italia: Tutto bene"
        >>> [text[start:end] for start, end in name_runs(text)]
        ['Aldo Moro', 'Italia']
        >>> name_runs("Trump Meets Senate Leaders in Washington")
        []
    """
    if in_title_case(text, fewest=0):
        return []
    runs: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        start, end = word.span()
        is_capitalised = text[start].isupper() and end - start > 1
        if not is_capitalised or _OPENING.search(text, max(0, start - _OPENING_REACH), start):
            continue
        if runs:
            last_start, last_end = runs[-1]
            if text[last_end:start] == " ":
                runs[-1] = (last_start, end)
                continue
        runs.append((start, end))
    return runs


def numbers_in(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each number in digits, with the separators inside it.

    Examples:
        >>> numbers_in("M5S, spesi 1.500 euro nel 2016: più 5%")
        [(11, 16), (26, 30), (36, 37)]
    """
    return [match.span() for match in re.finditer(r"(?<!\w)\d+(?:[.,:]\d+)*", text)]


#: A number alone, with groups of thousands (1.200, 1 200, 1'200, 1,00,000) or a decimal part. A preposition
#: of Semitic scripts may be joined to it.
NUMBER = (
    r"(?<![^\W\u0590-\u08ff])(?:\d{1,3}(?:(?:[.,' ]\d{3}){1,9}|(?:,\d{2}){1,9},\d{3})(?!\d)|\d+)(?:[.,]\d+)?"
)
#: The part of a number before its decimals.
_WHOLE_PART = re.compile(r"\d{1,3}(?:[.,' ]\d{2,3})*[.,' ]\d{3}(?!\d)|\d+")
#: Value to the English and Italian words and parts of words that add it.
_ADDED_VALUES = {
    1: "one un uno una",
    2: "two due",
    3: "three tre",
    4: "four quattro",
    5: "five cinque",
    6: "six sei",
    7: "seven sette",
    8: "eight otto",
    9: "nine nove",
    10: "ten dieci",
    11: "eleven undici",
    12: "twelve dodici",
    13: "thirteen tredici",
    14: "fourteen quattordici",
    15: "fifteen quindici",
    16: "sixteen sedici",
    17: "seventeen diciassette",
    18: "eighteen diciotto",
    19: "nineteen diciannove",
    20: "twenty venti vent",
    30: "thirty trenta trent",
    40: "forty quaranta quarant",
    50: "fifty cinquanta cinquant",
    60: "sixty sessanta sessant",
    70: "seventy settanta settant",
    80: "eighty ottanta ottant",
    90: "ninety novanta novant",
}
#: Value to the words that multiply what stands before them by it.
_MULTIPLIERS = {
    10: "decina decine",
    12: "dozen dozens",
    100: "hundred hundreds cento centinaio centinaia",
    1000: "thousand thousands mille mila migliaio migliaia",
    10**6: "million millions milione milioni mln",
    10**9: "billion billions miliardo miliardi bn mld",
    10**12: "trillion trillions",
}


def _by_word(words_by_value: dict[int, str]) -> dict[str, int]:
    """Map each word to its value."""
    values = {}
    for value, words in words_by_value.items():
        for word in words.split():
            values[word] = value
    return values


#: Word to the value that it adds.
_ADDED = _by_word(_ADDED_VALUES)
#: Word to the value that it multiplies by.
_TIMES = _by_word(_MULTIPLIERS)
#: Words that are a number of some size where they stand alone.
_SIZE = re.compile(
    r"decine|centinaia|migliaia|mili(?:on|ard)i|dozens|hundreds|thousands|[mbtr]+illions", re.IGNORECASE
)
#: Words that mean something else too (due to, venti forti, Polish ten), and the language in which they count.
_AMBIGUOUS = {
    "ten": "en",
    "due": "it",
    "tre": "it",
    "sei": "it",
    "sette": "it",
    "otto": "it",
    "nove": "it",
    "venti": "it",
    "mille": "it",
}


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern of words, longer ones first, so that none hides a longer one."""
    return "|".join(sorted(words, key=len, reverse=True))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of numbers in words in a language and of their parts, for texts in lower case."""
    known = [word for word in (*_ADDED, *_TIMES) if _AMBIGUOUS.get(word, language) == language]
    part = _alternatives(known)
    times = _alternatives(_TIMES)
    # `housand` is the end of thousand: what Python looks back at has one length.
    number = (
        rf"(?:(?P<digits>{NUMBER})[ -]?(?:{times})|(?<!\w)(?<!per )(?:{part})+)"
        rf"(?:(?:[ -]|(?<=hundred|housand) and )(?:{part})+)*(?!\w)"
    )
    return re.compile(number), re.compile(part)


class Numeral(NamedTuple):
    """A number of which at least a part is a word.

    Attributes:
        start: its offset in the text.
        end: where it ends.
        key: its value in digits, as `3000000`; for a size alone, as `millions`, it is `1000000s`.
        digits: the digits that it begins with, as `3` of `3 million`; empty without such.
        sizes: the sizes in it, as `1000000s`; a headline may name one alone.
    """

    start: int
    end: int
    key: str
    digits: str
    sizes: list[str]


def key_of(number: str) -> str:
    """Return a number as it is compared with others: its digits, with a point before decimals.

    Raises:
        ValueError: it does not begin with a digit.
    """
    match = _WHOLE_PART.match(number)
    if match is None:
        raise ValueError(f"{number!r} does not begin with a digit")
    digits = re.sub(r"\D", "", match[0])
    decimals = number[match.end() + 1 :]
    return f"{digits}.{decimals}" if decimals else digits


def numerals(folded: str, language: str) -> Iterator[Numeral]:
    """Yield the numbers in words of a folded text, from two up.

    Ambiguous words, such as the Italian `sei`, are numbers only in a text of their language.
    """
    number_pattern, part_pattern = _patterns(language)
    # No letter of a folded text is longer in lower case, so places stay; IGNORECASE would take longer.
    for match in number_pattern.finditer(folded.lower()):
        digits = key_of(match["digits"]) if match["digits"] else ""
        # Thousands and more are added to the total; what is below them may still be multiplied.
        total = 0.0
        below = float(digits or 0)
        sizes = []
        for part in part_pattern.findall(match[0]):
            if part in _ADDED:
                below += _ADDED[part]
                continue
            sizes.append(f"{_TIMES[part]}s")
            below = (below or 1) * _TIMES[part]
            if below >= 1000:
                total += below
                below = 0.0
        value = total + below
        if value > 1:
            key = sizes[0] if _SIZE.fullmatch(match[0]) else f"{value:.0f}"
            yield Numeral(match.start(), match.end(), key, digits, sizes)
