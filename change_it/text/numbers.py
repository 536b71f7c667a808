"""Numbers of Italian and English texts, in digits or words, with what they may be worth and their unit."""

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple

#: One piece of a folded text: digits with separators, a word (U.S. and M5S are one), or a mark.
_PIECE = re.compile(
    r"(?P<digits>\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,:]\d+)*)"
    r"|(?P<word>(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?|[^\W\d_]\.[^\W\d_]\b|[^\W\d_][^\W_]*)|(?P<mark>[^\w\s]|_)"
)


class Piece(NamedTuple):
    """A word, a mark, or digits of a folded text."""

    text: str
    start: int  # offset in the folded text
    kind: str  # `digits`, `word` or `mark`

    @property
    def end(self) -> int:
        """Offset of what follows."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text."""

    start: int  # offset in the folded text
    end: int  # with the unit
    # what it may be worth; several where separators or years are ambiguous. Times are texts (`10:30`)
    values: frozenset[float | str]
    # what it may count: `%`, `points`, `$`, `€`, `£`, `ordinal`, or nothing known
    units: frozenset[str] = frozenset({""})
    # `least` and `most`: the range of an unspecified amount ("dozens", "migliaia"), which has no values
    least: float = 0
    most: float = 0
    # false for "one", "first", "secondo": articles, adverbs and prepositions as often as numbers
    claimed: bool = True


def pieces(folded: str) -> list[Piece]:
    """Split a text that was folded by `change_it.text.folding.fold`."""
    return [Piece(match[0], match.start(), match.lastgroup or "") for match in _PIECE.finditer(folded)]


ITALIAN_UNITS = [
    "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici",
    "dodici", "tredici", "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove",
]  # fmt: skip
_ITALIAN_TENS = ["venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"]
_ENGLISH_UNITS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_ENGLISH_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

#: Words that multiply what stands before them; without a number before them a singular is worth one of it.
_SCALES = {
    "it": {
        "mila": 1e3, "milione": 1e6, "milioni": 1e6, "mln": 1e6, "miliardo": 1e9, "miliardi": 1e9, "mld": 1e9,
        "bilione": 1e12, "bilioni": 1e12, "trilione": 1e18, "trilioni": 1e18, "dozzina": 12, "dozzine": 12,
        "decina": 10, "centinaio": 100, "centinaia": 100, "migliaio": 1e3, "migliaia": 1e3,
    },
    "en": {
        "hundred": 100, "thousand": 1e3, "million": 1e6, "mn": 1e6, "mln": 1e6, "billion": 1e9, "bn": 1e9,
        "trillion": 1e12, "tn": 1e12, "dozen": 12, "dozens": 12, "hundreds": 100, "thousands": 1e3, "millions": 1e6,
        "billions": 1e9, "trillions": 1e12,
    },
}  # fmt: skip
#: The same, written right behind digits: 10k, $3bn, 1.5M.
_SUFFIXES = {
    "k": 1e3, "m": 1e6, "mn": 1e6, "mln": 1e6, "b": 1e9, "bn": 1e9, "mld": 1e9, "t": 1e12, "tn": 1e12, "mila": 1e3,
}  # fmt: skip
#: Unspecified amounts: at least and less than this.
_VAGUE: dict[str, dict[str, tuple[float, float]]] = {
    "it": {
        "decine": (20, 1e3), "dozzine": (20, 1e3), "centinaia": (100, 1e4), "migliaia": (1e3, 1e6),
        "milioni": (1e6, 1e9), "miliardi": (1e9, 1e12),
    },
    "en": {
        "dozens": (20, 1e3), "tens": (20, 1e3), "hundreds": (100, 1e4), "thousands": (1e3, 1e6), "millions": (1e6, 1e9),
        "billions": (1e9, 1e12), "trillions": (1e12, 1e15),
    },
}  # fmt: skip
_HALF = {"it": {"mezzo", "mezza"}, "en": {"half"}}
_AND_A_HALF = {"it": ("e", "mezzo"), "en": ("and", "a", "half")}
_CURRENCIES: dict[str | tuple[str, str], str] = {
    "$": "$", "€": "€", "£": "£", "dollar": "$", "dollars": "$", "dollari": "$", "dollaro": "$", "euro": "€",
    "euros": "€", "sterline": "£", "sterlina": "£",
}  # fmt: skip
#: Units by the word or the two words behind a number.
_UNITS: dict[str | tuple[str, str], str] = {
    **dict.fromkeys(("%", "percent", "percento", "pct"), "%"),
    **dict.fromkeys((("per", "cent"), ("per", "cento"), ("-", "percent")), "%"),
    **dict.fromkeys(("punti", "punto", "points", "point", ("-", "point")), "points"),
    **dict.fromkeys(product(("percentage", "punti"), ("points", "point", "percentuali")), "points"),
    **_CURRENCIES,
}
#: Between two numbers that share the scale and the unit of the second: "5 to 10 percent", "2-3 milioni".
_BETWEEN = {"-", "to", "and", "or", "e", "o", "a", "ai", "al", ",", "/"}
#: Between two numbers that are one score, range or date: 3-1, 9/11, "three to one", "tre a uno".
_JOINTS = {"-", "/", ":", "to", "a"}


#: Words that are numbers, but as often something else: evidence for a number, never a claim.
_NOT_CLAIMED = frozenset({
    "uno", "first", "firsts", "one", "second", "seconds", "secondo", "seconda", "secondi", "seconde",
    "primo", "prima", "primi", "prime", "quinte", "quinti", "terzi", "none", "decade", "century", "couple",
    "both", "twice", "pair", "triple", "decennio", "secolo", "coppia", "entrambi", "entrambe", "doppio",
    "triplo",
})  # fmt: skip


def spelled(language: str, *, ordinal: bool) -> list[str]:
    """Number words of two to nineteen: cardinals or ordinals, those of "one" and "second" left out."""
    words = (_ordinals if ordinal else _cardinals)(language)
    plural = ("ths", "thirds") if language == "en" else ()
    small = [word for word, n in words.items() if 2 <= n < 20 and not word.endswith(plural)]
    return sorted({*small} - _NOT_CLAIMED, key=lambda word: (words[word], word))


@cache
def _words(language: str) -> dict[str, float]:
    """Cardinals below a hundred (English) or a thousand (Italian) and ordinals, in words."""
    return {**_cardinals(language), **_ordinals(language)}


@cache
def _cardinals(language: str) -> dict[str, float]:
    words: dict[str, float] = {}
    if language == "it":
        words |= {word: n for n, word in enumerate(ITALIAN_UNITS, 1)}
        for ten, tens in enumerate(_ITALIAN_TENS, 2):
            words[tens] = 10 * ten
            for n, unit in enumerate(ITALIAN_UNITS[:9], 1):
                words[(tens[:-1] if unit[0] in "uo" else tens) + unit] = 10 * ten + n
        below = dict(words)
        for n in range(1, 10):
            hundred = ("" if n == 1 else ITALIAN_UNITS[n - 1]) + "cento"
            words[hundred] = 100 * n
            for word, rest in below.items():
                words[hundred + word] = 100 * n + rest
                if word[0] == "o":
                    words[hundred[:-1] + word] = 100 * n + rest
        words |= {word[:-1]: n for word, n in words.items() if word.endswith("uno") and n > 20}
        words |= {tens[:-1] + "ina": 10 * ten for ten, tens in enumerate(_ITALIAN_TENS, 2)}
        return words | {"mille": 1000, "zero": 0, "quindicina": 15}
    words |= {word: n for n, word in enumerate(_ENGLISH_UNITS, 1)}
    words |= {word: 10 * n for n, word in enumerate(_ENGLISH_TENS, 2)}
    words |= {word[:-1] + "ies": n for word, n in words.items() if n >= 20}
    return {**words, "zero": 0}


@cache
def _ordinals(language: str) -> dict[str, float]:
    cardinals = {
        word: n
        for word, n in _cardinals(language).items()
        if word not in _NOT_CLAIMED and not word.endswith(("ies", "ina"))
    }
    if language == "it":
        stems: dict[str, float] = {"prim": 1, "second": 2, "millesim": 1000}
        third_to_tenth = ["terz", "quart", "quint", "sest", "settim", "ottav", "non", "decim"]
        stems |= {word: n for n, word in enumerate(third_to_tenth, 3)}
        for word, n in cardinals.items():
            if 10 < n < 1000:
                stems[(word if word.endswith(("tre", "sei")) else word.rstrip("aeio")) + "esim"] = n
        forms = {stem + end: n for stem, n in stems.items() for end in "oaie"}
        del forms["none"], forms["noni"]
        return forms
    words = ["first", "second", "third", "fifth", "eighth", "ninth", "twelfth"]
    ordinals: dict[str, float] = dict(zip(words, (1, 2, 3, 5, 8, 9, 12), strict=True))
    for word, n in cardinals.items():
        if n not in (0, 1, 2, 3, 5, 8, 9, 12):
            ordinals[(word[:-1] + "ie" if word.endswith("y") else word) + "th"] = n
    ordinals |= {f"{word}s": n for word, n in ordinals.items() if n > 2}
    return {**ordinals, "hundredth": 100, "thousandth": 1000, "millionth": 1e6}


#: Also prepositions, adverbs, forms of "to be": numbers only where the tagger says so.
AMBIGUOUS = frozenset({"sei"})


def _italian_thousands(word: str) -> float | None:
    """Milleduecento, trentaseimila, diecimilaquattrocento."""
    words = _words("it")
    if word.startswith("mille") and word[5:] in words:
        return 1000 + words[word[5:]]
    if "mila" in word:
        many, _, rest = word.partition("mila")
        if many in words and (not rest or rest in words):
            return 1000 * words[many] + (words[rest] if rest else 0)
    return None


def _worth(word: str, language: str) -> float | None:
    """The value of a number word."""
    value = _words(language).get(word)
    return _italian_thousands(word) if value is None and language == "it" and "mil" in word else value


#: Right behind digits: 2nd, 3º.
_ORDINAL_MARKS = ("st", "nd", "rd", "th", "o", "a")
_GROUPS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_TIME = re.compile(r"([01]?\d|2[0-4])[.:,]([0-5]\d)")


def _readings(text: str, language: str) -> set[float | str]:
    """The values that digits with separators may have."""
    decimal = "," if language == "it" else "."
    if (whole := text.replace(" ", "")).isdecimal():
        return {float(whole)}
    values: set[float | str] = set()
    if time := _TIME.fullmatch(text):
        values.add(f"{int(time[1])}:{time[2]}")
        if time[2] == "00" and ":" in text:
            values.add(float(time[1]))
    if ":" in text:
        return values or {text}
    marks = [mark for mark in text if mark in ".,"]
    if _GROUPS.fullmatch(text) and len(set(marks)) == 1:
        values.add(float(text.replace(marks[0], "")))
        if len(marks) == 1 and marks[0] == decimal:
            values.add(float(text.replace(decimal, ".")))
    elif len(marks) == 1:
        values.add(float(text.replace(",", ".")))
    elif len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
        values.add(float(text.replace(marks[0], "").replace(marks[-1], ".")))
    else:
        values.add(text)  # a date or a version
    return values


@cache
def number_words(language: str) -> frozenset[str]:
    """Words that a number may begin with; none of a language but `it` and `en`."""
    if language not in _SCALES:
        return frozenset()
    return frozenset({*_words(language), *_SCALES[language], *_VAGUE[language]})


class _Read(NamedTuple):
    """A number that was read, with its pieces from `start` to the one before `end`."""

    number: Number
    start: int
    end: int
    scale: float = 1.0  # what its last word multiplies by


class _NumberReader:
    """Reads the numbers of one text from left to right."""

    def __init__(self, pieces: list[Piece], language: str) -> None:
        self.pieces = pieces
        self.low = [piece.text.lower() for piece in pieces]
        self.language = language
        self.scales = _SCALES[language]

    def _joined(self, i: int) -> bool:
        """Whether piece i stands right behind the one before it."""
        return 0 < i < len(self.pieces) and self.pieces[i - 1].end == self.pieces[i].start

    def _word(self, i: int) -> str:
        return self.low[i] if 0 <= i < len(self.low) else ""

    def read(self) -> list[Number]:
        """The numbers, in order."""
        found: list[_Read] = []
        starts, free = number_words(self.language), 0
        for i, word in enumerate(self.low):
            if i < free:
                continue
            if word in starts or word[0].isdecimal() or _worth(word, self.language) is not None:
                found.append(self._vague(i) or self._exact(i))
            elif not word.isalpha() and (inside := frozenset(map(float, re.findall(r"\d+", word)))):
                # The digits of M5S, G20 are evidence.
                piece, units = self.pieces[i], frozenset({"", "ordinal"})
                found.append(_Read(Number(piece.start, piece.end, inside, units, claimed=False), i, i + 1))
            else:
                continue
            free = found[-1].end
        return self._connected(found)

    def _vague(self, i: int) -> _Read | None:
        """The unspecified amount that begins at piece i."""
        vague, end = _VAGUE[self.language], i + 1
        if self.low[i] not in vague:
            return None
        least, most = vague[self.low[i]]
        while self._word(end) in ("of", "di") and self._word(end + 1) in vague:
            more = vague[self._word(end + 1)]
            least, most, end = least * more[0], more[1], end + 2
        unit, after = self._unit(i, end)
        first, last = self.pieces[i].start, self.pieces[after - 1].end
        return _Read(Number(first, last, frozenset(), frozenset({unit}), least, most), i, after)

    def _exact(self, i: int) -> _Read:
        """The number that begins at piece i."""
        values, end, scale = self._digits(i) if self.pieces[i].kind == "digits" else self._words(i)
        unit, after = self._unit(i, end)
        units = {unit}
        if self.low[end - 1] in _ordinals(self.language):
            units = {"ordinal"}
        elif self.low[end - 1] in _ORDINAL_MARKS and end > i + 1:
            units = {"", "ordinal"}
        elif self._word(after) == "°":
            units, after = {"", "ordinal"}, after + 1
        values |= self._years(i, end, values)
        start = i
        if self._negative(i):
            values = {-value if isinstance(value, float) else value for value in values}
            start = i - 1
        first, last = self.pieces[start].start, self.pieces[after - 1].end
        claimed = self.low[i] not in _NOT_CLAIMED or end > i + 1
        number = Number(first, last, frozenset(values), frozenset(units), claimed=claimed)
        return _Read(number, i, after, scale)

    def _negative(self, i: int) -> bool:
        if i == 0:
            return False
        if self.low[i - 1] in ("minus", "meno"):
            return True
        apart = i == 1 or (
            self.pieces[i - 2].end < self.pieces[i - 1].start or self.low[i - 2] in ("(", '"', "'")
        )
        return self.low[i - 1] == "-" and self._joined(i) and apart and self.pieces[i].kind == "digits"

    def _digits(self, i: int) -> tuple[set[float | str], int, float]:
        """Values of the number of digits at piece i, the piece after it, and its scale."""
        values, end, scale = _readings(self.pieces[i].text, self.language), i + 1, 1.0
        while True:
            word = self._word(end)
            apart = end + (word == "-" and self._word(end + 1) in self.scales)  # 20-million
            factor = (
                _SUFFIXES.get(word) if self._joined(end) and end == i + 1 else self.scales.get(word)
            ) or self.scales.get(self._word(apart))
            if factor is None:
                break
            scaled = {round(value * factor, 6) for value in values if isinstance(value, float)}
            values = values | scaled if word == "m" else {*scaled}
            scale *= factor
            end = apart + 1
        if self._joined(end) and end == i + 1 and self._word(end) in ("s", *_ORDINAL_MARKS):
            end += 1
        return (*self._and_a_half(values, end, scale), scale) if scale > 1 else (values, end, scale)

    def _words(self, i: int) -> tuple[set[float | str], int, float]:
        """The same of the number in words that begins at piece i."""
        before, half, english = self._word(i - 1), _HALF[self.language], self.language == "en"
        one = 0.5 if before in half or (before in ("a", "un") and self._word(i - 2) in half) else 1
        total, current, scale, end = 0.0, -1.0, 1.0, i
        while end < len(self.low):
            word, step = self.low[end], 1
            if (word == "-" and end > i and self._joined(end) and self._joined(end + 1)) or (
                word == "and" and english and current >= 100 and end > i
            ):
                word, step = self._word(end + 1), 2
            factor, value = self.scales.get(word), _worth(word, self.language)
            rest = current % 100
            if factor is not None and (
                end == i or word not in _VAGUE[self.language] or current >= 0 or total
            ):
                if factor == 100 and english:
                    if current >= 100:
                        break
                    current = (current if current >= 0 else 1) * 100
                elif total and current < 0:  # a thousand billion
                    total *= factor
                else:
                    total += (current if current >= 0 else one) * factor
                    current = -1.0
                scale *= factor
            elif value is not None and current < 0 and (end == i or (total and english)):
                current = value
            elif (value and english and current >= 20) and (
                (rest in range(20, 100, 10) and value < 10) or (rest == 0 and value < 100)
            ):
                current += value
            else:
                break
            end += step
        end = max(end, i + 1)
        return (*self._and_a_half({round(total + max(current, 0.0), 6)}, end, scale), scale)

    def _and_a_half(self, values: set[float | str], end: int, scale: float) -> tuple[set[float | str], int]:
        words = _AND_A_HALF[self.language]
        if tuple(self.low[end : end + len(words)]) == words:
            return {v + scale / 2 if isinstance(v, float) else v for v in values}, end + len(words)
        return values, end

    def _years(self, i: int, end: int, values: set[float | str]) -> set[float | str]:
        """Years that two digits stand for: '17, anni '80, the 80s, gli anni ottanta, the eighties."""
        whole = {value for value in values if isinstance(value, float) and value == int(value)}
        two = {value for value in whole if 0 <= value < 100}
        piece, before = self.pieces[i], self._word(i - 1) if i else ""
        short = before == "'" and len(piece.text) == 2 and piece.kind == "digits" and self._joined(i)
        decade = (self._word(end - 1) == "s" and end > i + 1) or piece.text.lower().endswith("ties")
        if not (short or decade or before == "anni" or (before == "'" and self._word(i - 2) == "anni")):
            return set()
        return {century + value for value in two for century in (1900, 2000)}

    def _unit(self, i: int, end: int) -> tuple[str, int]:
        """The unit of the number of pieces i to end, and the piece after it."""
        word, following = self._word(end), self._word(end + 1)
        if unit := _UNITS.get((word, following)) or (word in ("di", "-") and _CURRENCIES.get(following)):
            return unit, end + 2
        if unit := _UNITS.get(word):
            return unit, end + 1
        return (self.low[i - 1] if i > 0 and self.low[i - 1] in ("$", "€", "£") else ""), end

    def _connected(self, found: list[_Read]) -> list[Number]:
        """Share scale and unit with the number before, and the century of a season's first year."""
        numbers = [each.number for each in found]
        for k in range(len(found) - 2, -1, -1):
            first, second = numbers[k : k + 2]
            joint = "".join(
                word for word in self.low[found[k].end : found[k + 1].start] if word not in ("$", "€", "£")
            )
            if joint.strip("-") in ("to", "a"):
                joint = joint.strip("-")
            if joint not in _BETWEEN | _JOINTS or not first.values or not second.values:
                continue
            values, units = first.values, first.units
            if found[k + 1].scale > 1 and found[k].scale == 1:
                values |= {round(v * found[k + 1].scale, 6) for v in values if isinstance(v, float)}
            if units == {""}:
                units |= second.units
            if joint in _JOINTS:
                a, b = (
                    min((v for v in each if isinstance(v, float)), default=-1.0)
                    for each in (first.values, second.values)
                )
                if 1000 < a < 2100 and 0 <= b < 100:  # 2015-16
                    numbers[k + 1] = replace(second, values=second.values | {a // 100 * 100 + b})
            numbers[k] = replace(first, values=values, units=units)
        return numbers


def find_numbers(folded: str, language: str, of_text: list[Piece] | None = None) -> list[Number]:
    """The numbers of a folded text, in order; of languages other than `it` and `en` only digits are read."""
    of_text = pieces(folded) if of_text is None else of_text
    if language not in _SCALES:
        of_text = [piece for piece in of_text if piece.kind != "word"]
        language = "it"
    return _NumberReader(of_text, language).read()
