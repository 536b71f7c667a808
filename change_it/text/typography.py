"""Typography of headlines, without their words: quotes, dashes, dots, apostrophes, capitals."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: A quoted stretch, by the marks around it.
QUOTED = {
    "«»": re.compile(r"«([^«»]*)»"),
    "“”": re.compile(r"“([^“”]*)”"),
    '""': re.compile(r'"([^"]*)"'),
    "‘’": re.compile(r"‘([^‘’]*)’(?!\w)"),
    "''": re.compile(r"(?<!\w)'([^']*)'(?!\w)"),
}
#: What models write before a headline.
BULLET = re.compile(r"\A(?:[-•>]|#{1,6}|1[.)]) +")
LABEL = re.compile(
    r"\A(?:(?:sure|certainly|certo|certamente)[,.!]* *)?"
    r"(?:(?:here(?:'s|’s| is)|ecco)\b[^:«“\"]{0,40}\b(?:headline|title|titolo)\b[^:«“\"]{0,40}"
    r"|(?:new |nuovo |rewritten )?(?:headline|title|titolo|article|articolo)(?: riscritto| nuovo)?"
    r"(?: (?:in|for|su|per)\b[^:«“\"]{1,40}| \([^:«“\"()]{1,40}\))?)[*_ ]*:[*_ ]+",
    re.IGNORECASE,
)
_DASH = re.compile(r" ([-–—]) ")
_DOTS = re.compile(r"\.\.\.|…")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_AFTER_COLON = re.compile(r"(?<=: )[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
#: A word with more letters has a capital in a Title Like This.
_SMALL = 3


@dataclass(frozen=True)
class Typography:
    """The typography of most headlines of an outlet."""

    quotes: str = '""'  # the mark before a quotation and the one after it
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
            _usual([_is_title(h) for h in headlines]),
        )

    def apply(self, headline: str, is_name: Callable[[str], bool] = lambda word: True) -> str:
        """A headline set like this, to the letter the same words; `is_name` says which keep their capital where a title loses them.

        Examples:
            >>> Typography(quotes="«»", stop=True).apply('"Sì" di Roma')
            '«Sì» di Roma.'
        """
        text = headline.strip()
        for pattern in QUOTED.values():
            text = pattern.sub(lambda match: f"\0{match[1]}\1", text)
        text = text.replace("\0", self.quotes[0]).replace("\1", self.quotes[1])
        text = _APOSTROPHE.sub(self.apostrophe, _DOTS.sub(self.dots, _DASH.sub(f" {self.dash} ", text)))
        if self.titles != _is_title(text):
            text = _titled(text) if self.titles else _untitled(text, is_name)
        elif not self.titles:
            change = str.upper if self.capital else str.lower
            text = _AFTER_COLON.sub(
                lambda match: (
                    match[0]
                    if not self.capital and is_name(_WORD.match(text, match.start())[0].lower())  # type: ignore[index]  # a letter
                    else change(match[0])
                ),
                text,
            )
        bare = text if text.endswith(("..", "…")) else text.removesuffix(".")
        return f"{bare}." if self.stop and bare[-1:].isalnum() else bare


def _most(counts: Counter[str], otherwise: str) -> str:
    best = max(counts, key=lambda key: counts[key], default=otherwise)
    return best if counts[best] else otherwise


def _usual(flags: Sequence[bool]) -> bool:
    return 2 * sum(flags) > len(flags)


def _is_title(headline: str) -> bool:
    """Whether all long words after the first have capitals, of three at least."""
    long = [word for word in _WORD.findall(headline)[1:] if len(word) > _SMALL]
    return len(long) > 2 and sum(word[0].isupper() for word in long) >= 0.8 * len(long)


def _titled(headline: str) -> str:
    return _WORD.sub(
        lambda word: word[0].capitalize() if len(word[0]) > _SMALL and word[0].islower() else word[0],
        headline,
    )


def _untitled(headline: str, is_name: Callable[[str], bool]) -> str:
    first = _WORD.search(headline)
    return _WORD.sub(
        lambda word: (
            word[0]
            if word.start() == (first.start() if first else 0)
            or is_name(word[0].lower())
            or word[0].isupper()
            else word[0].lower()
        ),
        headline,
    )
