"""Typography of headlines, without their words: quotes, dashes, dots, apostrophes, capitals."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from change_it.text.marks import QUOTED
from change_it.text.spans import in_title_case

#: What models write before a headline.
BULLET = re.compile(r"\A(?:[-•>]|#{1,6}|1[.)]) +")
LABEL = re.compile(
    r"\A(?:(?:sure|certainly|certo|certamente)[,.!]* *)?"
    r"(?:(?:here(?:'s|’s| is)|ecco)\b[^:«“\"]{0,40}\b(?:headline|title|titolo)\b[^:«“\"]{0,40}"
    r"|(?:new |nuovo |rewritten |final )?(?:headline|title|titolo|article|articolo|opzione 1|option 1)(?: riscritto| nuovo| finale)?"
    r"(?: (?:in|for|su|per)\b[^:«“\"]{1,40}| \([^:«“\"()]{1,40}\))?)[*_ ]*:[*_ ]+",
    re.IGNORECASE,
)
_DASH = re.compile(r" ([-–—]) ")
_DOTS = re.compile(r"\.\.\.|…")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_AFTER_COLON = re.compile(r"(?<=: )[^\W\d_]")
#: Those that have a capital in a Title Like This.
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


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
        """The most frequent typography of these headlines.

        Examples:
            >>> Typography.of(["«Sì» di Roma – subito", "Dice «no»: ecco perché."]).quotes
            '«»'
        """
        quotes = Counter({marks: sum(len(p.findall(h)) for h in headlines) for marks, p in QUOTED.items()})
        after_colon = [letter[0].isupper() for h in headlines for letter in _AFTER_COLON.findall(h)]
        return cls(
            _most(quotes, '""'),
            _most(Counter(mark for h in headlines for mark in _DASH.findall(h)), "-"),
            _most(Counter(mark for h in headlines for mark in _DOTS.findall(h)), "..."),
            _most(Counter(mark for h in headlines for mark in _APOSTROPHE.findall(h)), "'"),
            _usual([h.endswith(".") and not h.endswith("..") for h in headlines]),
            _usual(after_colon),
            _usual([in_title_case(h) for h in headlines]),
        )

    def apply(self, headline: str) -> str:
        """A headline set like this, to the letter the same words.

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
        if not in_title_case(text):
            if self.titles:
                text = _LONG_WORD.sub(
                    lambda word: word[0].capitalize() if word[0].islower() else word[0], text
                )
            elif self.capital:
                text = _AFTER_COLON.sub(lambda letter: letter[0].upper(), text)
        bare = text if text.endswith(("..", "…")) else text.removesuffix(".")
        return f"{bare}." if self.stop and bare[-1:].isalnum() else bare


def _most(counts: Counter[str], otherwise: str) -> str:
    best = max(counts, key=lambda key: counts[key], default=otherwise)
    return best if counts[best] else otherwise


def _usual(flags: Sequence[bool]) -> bool:
    return 2 * sum(flags) > len(flags)
