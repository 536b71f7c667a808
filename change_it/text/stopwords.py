"""Read function words of Italian and English, and guess languages by them.

Alignment and baselines leave these words out of a text. The lists follow the grammar: articles, pronouns,
prepositions with their contracted forms, conjunctions, the auxiliaries in all their forms, and adverbs
without a topic. Our tokenizers split at apostrophes, so the stumps of elided words ("dell", "un", "don") are
words here.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from change_it.errors import InputError
from change_it.text.tokens import words

#: Folder of the lists, one a language, words between white space.
LISTS = Path(__file__).parents[1] / "data" / "stop_words"
#: The languages of these lists.
LISTED = ("it", "en")
#: Share of function words that a text of the language has at least. Italian articles have .43 to .49, English
#: ones .47. Texts in other languages have up to .25 of these words, single sentences up to .32.
LEAST = 0.33
#: A text has at least so many times as many function words of its own language as of the other one.
LEAD = 2
#: Texts that a language is guessed from, at most.
GUESSED = 2000
#: Number of words up to which a text can have few function words by chance or style, as a telegram has.
SHORT = 50


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the lower-case function words of `it`, `en` or `none` (no words), or those of a UTF-8 file.

    Raises:
        InputError: there is no such list or file.
    """
    if language == "none":
        return frozenset()
    for file in (LISTS / f"{language}.txt", Path(language)):
        if file.is_file():
            return frozenset(words(file.read_text(encoding="utf-8")))
    raise InputError(
        f"no stop words for language {language!r}: choose one of it, en, none, or give a file of words"
    )


def function_words(language: str) -> frozenset[str]:
    """Return the stop words of a language that has a list; none of any other."""
    return stop_words(language if language in LISTED else "none")


def function_word_shares(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the words of some texts that are function words of `it`, and of `en`."""
    counted: list[str] = []
    for text in texts[:GUESSED]:
        counted += words(text)
    shares = {}
    for language in LISTED:
        functions = stop_words(language)
        shares[language] = sum(map(functions.__contains__, counted)) / max(1, len(counted))
    return shares


def guess_language(texts: Sequence[str]) -> str:
    """Return the language of some texts, `it` or `en`; `none` where it is neither.

    Its function words are at least the share `LEAST` of the words, and `LEAD` times those of the other
    language.

    Examples:
        >>> guess_language(["The mayor of Rome"]), guess_language(["Il sindaco di Roma"])
        ('en', 'it')
        >>> guess_language(["El alcalde de Roma"])
        'none'
    """
    shares = function_word_shares(texts)
    *_, second, best = sorted(shares, key=shares.__getitem__)
    return best if shares[best] >= max(LEAST, LEAD * shares[second]) else "none"


def is_foreign(text: str, language: str | None) -> bool:
    """Tell whether a text is in another language than that of a corpus.

    A short text with few function words may be in any language, and does not count as foreign. No text is
    foreign where the corpus's language is not known (None or `none`).

    Examples:
        >>> is_foreign("Il sindaco di Roma", "en"), is_foreign("Crolla ponte statale: quattro feriti", "it")
        (True, False)
    """
    if language in (None, "", "none"):
        return False
    guessed = guess_language([text])
    if guessed in LISTED:
        return guessed != language
    return language in LISTED and len(words(text)) > SHORT
