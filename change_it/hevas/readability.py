"""Readability of headlines (HEvAS 2019, section 3.2): PNR, NR, PR, Fog, AWL; (n,) values, 0 for a headline without words."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np
import pyphen

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.tagging import PerceptronTagger, languages, tokens
from change_it.text.tokens import Text, words_of

#: Tags of which PNR, NR and PR are the shares.
_TAGS = ("PROPN", "NOUN", "PRON")
_VOWELS = frozenset("aeiouy")
#: Syllables from which a word is complex.
COMPLEX = 3
#: pyphen's own choice for English is the British patterns, which break by origin ("policy", "fam-ily") and so lose
#: syllables; the American ones break by sound ("pol-i-cy", "fam-i-ly").
_PATTERNS = {"en": "en_US"}


def tag_ratios(headlines: Sequence[str], tagger: PerceptronTagger, language: str) -> Floats:
    """Return PNR, NR and PR, (3, n): shares of proper nouns, common nouns and pronouns among a headline's words (marks are none), each tagged as one sentence."""
    ratios = np.zeros((len(_TAGS), len(headlines)))
    for column, headline in enumerate(headlines):
        pieces = tokens(headline, language)
        tagged = zip(pieces, tagger.tag(pieces), strict=True)
        tags = [tag for word, tag in tagged if any(map(str.isalnum, word))]
        ratios[:, column] = [tags.count(tag) / max(1, len(tags)) for tag in _TAGS]
    return ratios


@cache
def _breaks(language: str) -> Callable[[str], Sequence[int]]:
    """Return where words of a language may break, to the letter: a line's margins do not count."""
    name = _PATTERNS.get(language, language)
    if name not in pyphen.LANGUAGES:
        codes = ", ".join(sorted(code for code in pyphen.LANGUAGES if "_" not in code))
        raise InputError(f"no syllable patterns for language {language!r}: choose one of {codes}")
    positions: Callable[[str], Sequence[int]] = pyphen.Pyphen(lang=name, left=1, right=1).positions
    return positions


def has_tagger(language: str) -> bool:
    """Return whether there is a tagger of a language."""
    return language in languages()


def has_syllables(language: str) -> bool:
    """Return whether there are syllable patterns of a language."""
    return _PATTERNS.get(language, language) in pyphen.LANGUAGES


@lru_cache(maxsize=1 << 17)
def syllables(word: str, language: str) -> int:
    """Count the syllables of a lower-case word by the hyphenation patterns of its language: the pieces that have a vowel, at least 1."""
    ends = [*_breaks(language)(word), len(word)]
    pieces = (word[begin:end] for begin, end in zip([0, *ends], ends, strict=False))
    return max(1, sum(bool(_VOWELS.intersection(unicodedata.normalize("NFD", piece))) for piece in pieces))


def fog(headlines: Sequence[Text], language: str) -> Floats:
    """Return Gunning's fog index as HEvAS has it: 0.4·(#words + 8·#complex/#words), with the paper's 8 and not Gunning's 100."""
    _breaks(language)  # an unknown language is refused even when there is no word
    texts = words_of(headlines)
    hard = np.array([sum(syllables(word, language) >= COMPLEX for word in text) for text in texts])
    lengths = np.array([*map(len, texts)])
    return 0.4 * (lengths + 8 * hard / lengths.clip(1))


def average_word_length(headlines: Sequence[Text]) -> Floats:
    """Return AWL: the mean number of letters and digits in a word."""
    lengths = ([sum(map(str.isalnum, word)) for word in text] for text in words_of(headlines))
    return np.array([sum(several) / max(1, len(several)) for several in lengths])
