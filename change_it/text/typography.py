"""Set headlines as an outlet does: quotes, dashes, dots, apostrophes, capitals. List marks of all scripts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from change_it.text.spans import in_title_case

#: Quotation marks of one kind each: the first half opens, the second closes. What closes in one language
#: opens in another.
QUOTES = ("„“", "„”", "»«", "›‹", "«  »", "«»", "“”", "””", '""', "‚‘", "‘’", "''", "‹›", "「」", "『』")
#: Marks before the first word of a sentence.
OPENING_MARKS = "\"'“”„‘’‚«»‹›「『([¿¡–—-"
#: Marks behind the last word of a sentence.
CLOSING_MARKS = "\"'”“’‘»«›‹」』)]）"
#: What ends a sentence where a space follows.
ENDS = ".!?…؟۔।॥"
#: What ends a sentence in any case.
WIDE_ENDS = "。！？｡"
#: What joins clauses where a space follows.
JOINTS = ":;,،؛"
#: What joins clauses in any case.
WIDE_JOINTS = "，、；："


def _combining_marks() -> str:
    """Return the combining marks of the basic plane but for variation selectors."""
    marks = []
    for code in range(0x300, 0x10000):
        is_selector = 0xFE00 <= code < 0xFE10
        if not is_selector and unicodedata.category(chr(code)) in ("Mn", "Mc"):
            marks.append(chr(code))
    return "".join(marks)


#: Combining marks, which are no letters to `re`.
COMBINING = _combining_marks()
#: Quotation marks of `QUOTES` that close in another language or are an apostrophe. They open only where a
#: word follows and none comes before, and close only where no word follows.
_GUARDED = ("»«", "””", "''", "›‹")


def _quoted_pattern(marks: str) -> re.Pattern[str]:
    """Return the pattern of a stretch between quotation marks; its group is what they quote."""
    half = len(marks) // 2
    opening = marks[:half]
    closing = marks[half:]
    inner = f"[^{opening.strip()}{closing.strip()}]*"
    if half == 2:
        inner += "?"  # the space before the mark belongs to it
    if marks in _GUARDED:
        return re.compile(rf"(?<!\w){opening}(?=\S)({inner}){closing}(?!\w)")
    if marks == "‘’":
        return re.compile(rf"{opening}({inner}){closing}(?!\w)")
    return re.compile(f"{opening}({inner}){closing}")


#: Quotation marks to the pattern of a stretch between them.
QUOTED = {marks: _quoted_pattern(marks) for marks in QUOTES}
#: The patterns of stretches between quotation marks and in brackets.
BRACKETED = (*QUOTED.values(), re.compile(r"\(([^()]*)\)"), re.compile(r"\[([^\[\]]*)\]"))
#: Quotation marks and brackets that are no apostrophes.
PAIRED = '„“”«»‹›‚「」『』"()[]'

#: An abbreviation at the end, whose stop is its own: U.S., S.p.A.
ABBREVIATED = re.compile(r"(?<!\w)(?:[^\W\d_]{1,3}\.){2,}\Z")
_DASH = re.compile(r" ([-–—]) ")
_DOTS = re.compile(r"\.\.\.|…")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
#: The first letter behind a colon.
_AFTER_COLON = re.compile(r"(?<=: )[^\W\d_]")
#: Words that have a capital in a Title Like This.
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True)
class Typography:
    """The typography of most headlines of an outlet.

    Attributes:
        quotes: its quotation marks, one of `QUOTES`.
        dash: the dash between words with spaces around it.
        dots: the dots that show an omission.
        apostrophe: the apostrophe inside a word.
        stop: whether a full stop ends the headline.
        capital: whether the word after a colon has a capital.
        titles: whether All Long Words Have Capitals.
    """

    quotes: str = '""'
    dash: str = "-"
    dots: str = "..."
    apostrophe: str = "'"
    stop: bool = False
    capital: bool = False
    titles: bool = False

    @classmethod
    def from_headlines(cls, headlines: Sequence[str]) -> "Typography":
        """Return the most frequent typography of these headlines.

        Examples:
            >>> Typography.from_headlines(["«Sì» di Roma – subito", "Dice «no»: ecco perché."]).quotes
            '«»'
        """
        text = "\n".join(headlines)
        return cls(
            quotes=_most_frequent_quotes(headlines),
            dash=_most_frequent(_DASH.findall(text), "-"),
            dots=_most_frequent(_DOTS.findall(text), "..."),
            apostrophe=_most_frequent(_APOSTROPHE.findall(text), "'"),
            stop=_is_usual([_has_stop(headline) for headline in headlines]),
            capital=_is_usual([letter.isupper() for letter in _AFTER_COLON.findall(text)]),
            titles=_is_usual([in_title_case(headline) for headline in headlines]),
        )

    def apply(self, headline: str) -> str:
        """Return a headline in this typography; its words stay the same, but for capitals.

        Examples:
            >>> Typography(quotes="«»", stop=True).apply('"Sì" di Roma')
            '«Sì» di Roma.'
        """
        text = self._with_quotes(headline.strip())
        text = _DASH.sub(f" {self.dash} ", text)
        text = _DOTS.sub(self.dots, text)
        text = _APOSTROPHE.sub(self.apostrophe, text)
        text = self._with_capitals(text)
        return self._with_stop(text)

    def _with_quotes(self, text: str) -> str:
        """Return a text with these quotation marks in the place of all others."""
        # Quotation marks become placeholders first: what closes in one kind may open in the next.
        for pattern in QUOTED.values():
            text = pattern.sub("\0\\1\1", text)
        half = len(self.quotes) // 2
        return text.replace("\0", self.quotes[:half]).replace("\1", self.quotes[half:])

    def _with_capitals(self, text: str) -> str:
        """Return a text with a capital in long words, or behind colons, where this typography has them."""
        if not (self.titles or self.capital) or in_title_case(text):
            return text
        pattern = _LONG_WORD if self.titles else _AFTER_COLON
        return pattern.sub(_capitalised, text)

    def _with_stop(self, text: str) -> str:
        """Return a text with or without a full stop at its end; dots and an abbreviation keep theirs."""
        if not text.endswith(("..", "…")) and not ABBREVIATED.search(text):
            text = text.removesuffix(".")
        if self.stop and text[-1:].isalnum():
            return f"{text}."
        return text


def _capitalised(word: re.Match[str]) -> str:
    """Return a word with a capital; one that has a capital already stays as it is."""
    text = word[0]
    return text.capitalize() if text.islower() else text


def _has_stop(headline: str) -> bool:
    """Return whether a full stop ends a headline; dots are none."""
    return headline.endswith(".") and not headline.endswith("..")


def _is_usual(flags: Sequence[bool]) -> bool:
    """Return whether more than half of the flags are set."""
    return 2 * sum(flags) > len(flags)


def _most_frequent(marks: Iterable[str], default: str) -> str:
    """Return the most frequent mark, the first of several; the default where there is none."""
    counts = Counter(marks)
    return max(counts, key=counts.__getitem__, default=default)


def _most_frequent_quotes(headlines: Sequence[str]) -> str:
    """Return the most frequent quotation marks, one of `QUOTES`; the straight ones where there are none."""
    counts: dict[str, int] = {}
    for marks, pattern in QUOTED.items():
        opening = marks[: len(marks) // 2]
        counts[marks] = sum(len(pattern.findall(headline)) for headline in headlines if opening in headline)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else '""'
