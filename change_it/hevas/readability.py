"""Measure how readable headlines are (HEvAS 2019, section 3.2): PNR, NR, PR, Fog and AWL.

Values are (n,), 0 for a headline without words.
"""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

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
COMPLEX_SYLLABLES = 3
#: pyphen's own choice for English is the British patterns, which break by origin ("policy", "fam-ily") and so
#: lose syllables; the American ones break by sound ("pol-i-cy", "fam-i-ly").
_PATTERNS = {"en": "en_US"}
#: Words of which the syllables are remembered.
_REMEMBERED_WORDS = 1 << 17


def tag_ratios(headlines: Sequence[str], tagger: PerceptronTagger, language: str) -> Floats:
    """Return PNR, NR and PR, (3, n): the shares of proper nouns, common nouns and pronouns among words.

    Each headline is tagged as one sentence. Its marks are no words.
    """
    ratios = np.zeros((len(_TAGS), len(headlines)))
    for column, headline in enumerate(headlines):
        pieces = tokens(headline, language)
        tags = []
        for piece, tag in zip(pieces, tagger.tag(pieces), strict=True):
            is_word = any(character.isalnum() for character in piece)
            if is_word:
                tags.append(tag)
        number_of_words = max(1, len(tags))
        ratios[:, column] = [tags.count(tag) / number_of_words for tag in _TAGS]
    return ratios


@cache
def _breaks(language: str) -> Callable[[str], Sequence[int]]:
    """Return a function that finds where a word of a language may break, as positions of letters.

    A break may follow the first letter and precede the last: the margins of a line do not count.
    """
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


@lru_cache(maxsize=_REMEMBERED_WORDS)
def syllables(word: str, language: str) -> int:
    """Count the syllables of a lower-case word, at least 1.

    A syllable is a piece with a vowel between two hyphens that the language's patterns allow.
    """
    count = 0
    for begin, end in pairwise([0, *_breaks(language)(word), len(word)]):
        letters = unicodedata.normalize("NFD", word[begin:end])
        if not _VOWELS.isdisjoint(letters):
            count += 1
    return max(1, count)


def fog(headlines: Sequence[Text], language: str) -> Floats:
    """Return Gunning's fog index as HEvAS has it: 0.4·(words + 8·complex words / words).

    A complex word has at least three syllables. The paper has 8 where Gunning has 100.
    """
    # an unknown language is refused even when there is no word
    _breaks(language)
    texts = words_of(headlines)
    lengths = np.array([len(text) for text in texts])
    complex_words = np.array([_complex_words(text, language) for text in texts])
    return 0.4 * (lengths + 8 * complex_words / lengths.clip(1))


def _complex_words(text: Sequence[str], language: str) -> int:
    """Count the words of a text that have at least three syllables."""
    return sum(syllables(word, language) >= COMPLEX_SYLLABLES for word in text)


def average_word_length(headlines: Sequence[Text]) -> Floats:
    """Return AWL: the mean number of letters and digits in a word."""
    return np.array([_mean_length(text) for text in words_of(headlines)])


def _mean_length(text: Sequence[str]) -> float:
    """Return the mean number of letters and digits in the words of a text; 0 for a text without words."""
    characters = "".join(text)
    return sum(map(str.isalnum, characters)) / max(1, len(text))
