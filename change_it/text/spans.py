"""Places of names and numbers in a headline, by its letters alone: what negatives and perturbations exchange."""

import re
from collections.abc import Iterable

#: Digits with the separators between them, not inside a word.
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")
#: A word behind another one; of these so many say how a language writes names.
_LATER, _FEW = re.compile(r"(?<=[\w,;] )[^\W\d_][^\W_]*"), 40
#: Shares of words with a capital up to which a script has none, and above which it is that of nouns.
NO_CAPITALS, NOUNS = 0.01, 0.25
#: A capital after these marks says nothing.
_OPENING = re.compile(r"(?:(?:\A|[:.!?;|؟«“\"(\[‘–—-])['\"“«‘ ]*|(?<!\w)[„‚»›¿¡「『])\Z")
#: Characters before a word that are looked at for them.
_REACH = 40
#: Where this share of the longer words has a capital, capitals say nothing; the letters of a longer word, at least.
_TITLE, _LONG = 0.8, 4


def capital_share(texts: Iterable[str]) -> float | None:
    """The share of words behind another one that have a capital; None of less than 40 words.

    Real texts have .02 to .14, German ones .29 to .36, those of scripts without capitals hardly any.
    """
    later = [word[0].isupper() for text in texts for word in _LATER.findall(text)]
    return sum(later) / len(later) if len(later) >= _FEW else None


def in_title_case(text: str, fewest: int = 3) -> bool:
    """Whether a headline capitalises nearly all longer words behind the first, so that capitals mean nothing; of these `fewest` at least."""
    long = [word[0].isupper() for word in _WORD.findall(text)[1:] if len(word) >= _LONG]
    return sum(long) >= max(fewest, _TITLE * len(long))


def name_runs(text: str) -> list[tuple[int, int]]:
    """The start and end of each run of capitalised words that does not open a sentence; none where capitals say nothing.

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
        near = max(0, start - _REACH)
        if not word[0][0].isupper() or end - start < 2 or _OPENING.search(text, near, start):
            continue
        if runs and text[runs[-1][1] : start] == " ":
            start = runs.pop()[0]
        runs.append((start, end))
    return runs


def numbers_in(text: str) -> list[tuple[int, int]]:
    """The start and end of each number in digits, with the separators inside it.

    Examples:
        >>> numbers_in("M5S, spesi 1.500 euro nel 2016: più 5%")
        [(11, 16), (26, 30), (36, 37)]
    """
    return [match.span() for match in _NUMBER.finditer(text)]
