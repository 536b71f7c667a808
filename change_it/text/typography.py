"""Typography of headlines, without their words: quotes, dashes, dots, apostrophes, capitals; the marks of all scripts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from change_it.text.spans import in_title_case

#: Quotation marks of one kind each: the first half opens, the second closes. What closes in one language opens in another.
QUOTES = ("„“", "„”", "»«", "›‹", "«  »", "«»", "“”", "””", '""', "‚‘", "‘’", "''", "‹›", "「」", "『』")
#: Marks before the first word of a sentence, and behind its last one.
OPENING, CLOSING = "\"'“”„‘’‚«»‹›「『([¿¡–—-", "\"'”“’‘»«›‹」』)]）"
#: What ends a sentence where a space follows, and what does in any case.
ENDS, WIDE_ENDS = ".!?…؟۔।॥", "。！？｡"
#: What joins clauses, where a space follows, and in any case.
JOINTS, WIDE_JOINTS = ":;,،؛", "，、；："
#: Combining marks, which are no letters to `re`.
COMBINING = "".join(
    chr(code)
    for code in range(0x300, 0x10000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and not 0xFE00 <= code < 0xFE10
)
#: What opens only where a word follows and none comes before, since it closes elsewhere or is an apostrophe.
_GUARDED = ("»«", "””", "''", "›‹")


def _quoted(marks: str) -> re.Pattern[str]:
    half = len(marks) // 2
    before, after = marks[:half], marks[half:]
    inner = f"([^{before.strip()}{after.strip()}]*{'?' * (half - 1)})"
    before = rf"(?<!\w){before}(?=\S)" if marks in _GUARDED else before
    return re.compile(before + inner + after + (r"(?!\w)" if marks in (*_GUARDED, "‘’") else ""))


#: A quoted stretch, by the marks around it.
QUOTED = {marks: _quoted(marks) for marks in QUOTES}
#: The same and brackets; and the marks of these that are no apostrophes.
BRACKETED = (*QUOTED.values(), re.compile(r"\(([^()]*)\)"), re.compile(r"\[([^\[\]]*)\]"))
PAIRED = '„“”«»‹›‚「」『』"()[]'

#: An abbreviation at the end, whose stop is its own: U.S., S.p.A.
ABBREVIATED = re.compile(r"(?<!\w)(?:[^\W\d_]{1,3}\.){2,}\Z")
_DASH, _DOTS, _APOSTROPHE = map(re.compile, (r" ([-–—]) ", r"\.\.\.|…", r"(?<=\w)['’](?=\w)"))
_AFTER_COLON = re.compile(r"(?<=: )[^\W\d_]")
#: Those that have a capital in a Title Like This.
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


def _quotes_of(headlines: Sequence[str]) -> str:
    """Return the most frequent quotation marks, one of `QUOTES`; the straight ones where there are none."""
    counts: dict[str, int] = {}
    for marks, pattern in QUOTED.items():
        opening = marks[: len(marks) // 2]
        counts[marks] = sum(len(pattern.findall(headline)) for headline in headlines if opening in headline)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else '""'


@dataclass(frozen=True)
class Typography:
    """The typography of most headlines of an outlet."""

    quotes: str = '""'  # one of `QUOTES`
    dash: str = "-"  # between words with spaces around it
    dots: str = "..."  # that show an omission
    apostrophe: str = "'"  # inside a word
    stop: bool = False  # whether a full stop ends the headline
    capital: bool = False  # whether the word after a colon has a capital
    titles: bool = False  # whether All Long Words Have Capitals

    @classmethod
    def of(cls, headlines: Sequence[str]) -> "Typography":
        """Return the most frequent typography of these headlines.

        Examples:
            >>> Typography.of(["«Sì» di Roma – subito", "Dice «no»: ecco perché."]).quotes
            '«»'
        """

        def most(marks: Iterable[str], default: str) -> str:
            counts = Counter(marks)
            return max(counts, key=counts.__getitem__, default=default)

        def usual(flags: Sequence[bool]) -> bool:
            return 2 * sum(flags) > len(flags)

        text = "\n".join(headlines)
        return cls(
            _quotes_of(headlines),
            most(_DASH.findall(text), "-"),
            most(_DOTS.findall(text), "..."),
            most(_APOSTROPHE.findall(text), "'"),
            usual([headline.endswith(".") and not headline.endswith("..") for headline in headlines]),
            usual([letter.isupper() for letter in _AFTER_COLON.findall(text)]),
            usual([in_title_case(headline) for headline in headlines]),
        )

    def apply(self, headline: str) -> str:
        """Return a headline set like this, to the letter the same words.

        Examples:
            >>> Typography(quotes="«»", stop=True).apply('"Sì" di Roma')
            '«Sì» di Roma.'
        """
        text = headline.strip()
        for pattern in QUOTED.values():
            text = pattern.sub("\0\\1\1", text)
        half = len(self.quotes) // 2
        text = text.replace("\0", self.quotes[:half]).replace("\1", self.quotes[half:])
        text = _APOSTROPHE.sub(self.apostrophe, _DOTS.sub(self.dots, _DASH.sub(f" {self.dash} ", text)))
        if (self.titles or self.capital) and not in_title_case(text):
            capitalised = _LONG_WORD if self.titles else _AFTER_COLON
            text = capitalised.sub(lambda word: word[0].capitalize() if word[0].islower() else word[0], text)
        bare = text if text.endswith(("..", "…")) or ABBREVIATED.search(text) else text.removesuffix(".")
        return f"{bare}." if self.stop and bare[-1:].isalnum() else bare
