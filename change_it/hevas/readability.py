"""Readability of headlines (HEvAS 2019, section 3.2): PNR, NR, PR, Fog, AWL; (n,) values, 0 for a headline without words."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.tagging import PerceptronTagger, tokens
from change_it.text.tokens import words

#: A word or mark and its universal part-of-speech tag.
Tagged = tuple[str, str]

#: The shares of words with a tag: proper nouns, common nouns, pronouns.
RATIOS = {"PNR": "PROPN", "NR": "NOUN", "PR": "PRON"}

#: The metrics in which less is better: inverted before any average.
LOWER_IS_BETTER = frozenset({"KL-C", "KL-S", "NR", "PR", "Fog", "AWL"})

#: Syllables from which a word is complex.
COMPLEX = 3

#: pyphen's own choice for English is the British patterns, which break by origin ("policy", "fam-ily") and so lose
#: syllables; the American ones break by sound ("pol-i-cy", "fam-i-ly").
_PATTERNS = {"en": "en_US"}


def tag_headlines(headlines: Sequence[str], tagger: PerceptronTagger, language: str) -> list[list[Tagged]]:
    """Words and marks of each headline with their tags, each headline tagged as one sentence."""
    split = (tokens(headline, language) for headline in headlines)
    return [list(zip(each, tagger.tag(each), strict=True)) if each else [] for each in split]


def tag_ratio(tagged: Sequence[Sequence[Tagged]], tag: str) -> Floats:
    """PNR, NR or PR: share of a headline's words that carry a tag. Marks, without a letter or digit, are no words."""
    counts = [
        [given == tag for word, given in headline if any(map(str.isalnum, word))] for headline in tagged
    ]
    return np.array([sum(hits) / len(hits) if hits else 0.0 for hits in counts], dtype=np.float64)


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0] in "aeiouy"


@cache
def _breaks(language: str) -> Callable[[str], Sequence[int]]:
    """Where words of a language may break, to the letter: a line's margins do not count."""
    try:
        import pyphen
    except ImportError:
        raise InputError("Fog needs pyphen: pip install pyphen") from None
    name = _PATTERNS.get(language, language)
    if name not in pyphen.LANGUAGES:
        codes = ", ".join(sorted(code for code in pyphen.LANGUAGES if "_" not in code))
        raise InputError(f"no syllable patterns for language {language!r}: choose one of {codes}")
    positions: Callable[[str], Sequence[int]] = pyphen.Pyphen(lang=name, left=1, right=1).positions
    return positions


@lru_cache(maxsize=1 << 17)
def syllables(word: str, language: str) -> int:
    """Syllables of a lower-case word by the hyphenation patterns of its language: the pieces that have a vowel, at least 1."""
    ends = [*_breaks(language)(word), len(word)]
    pieces = (word[begin:end] for begin, end in zip([0, *ends], ends, strict=False))
    return max(1, sum(any(map(_is_vowel, piece)) for piece in pieces))


def fog(headlines: Sequence[str], language: str) -> Floats:
    """Gunning's fog index as HEvAS has it: 0.4·(#words + 8·#complex/#words), with the paper's 8 and not Gunning's 100; complex words have three syllables or more."""
    _breaks(language)  # an unknown language is refused even when there is no word
    scores = np.zeros(len(headlines), dtype=np.float64)
    for i, headline in enumerate(headlines):
        if split := words(headline):
            hard = sum(syllables(word, language) >= COMPLEX for word in split)
            scores[i] = 0.4 * (len(split) + 8 * hard / len(split))
    return scores


def average_word_length(headlines: Sequence[str]) -> Floats:
    """AWL: mean number of letters and digits in a word."""
    lengths = ([sum(map(str.isalnum, word)) for word in words(headline)] for headline in headlines)
    return np.array([sum(each) / len(each) if each else 0.0 for each in lengths], dtype=np.float64)
