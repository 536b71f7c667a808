"""Function words of Italian and English: what the alignment and the baselines leave out of a text.

The lists follow the grammar: articles, pronouns, prepositions with their contracted forms, conjunctions, the
auxiliaries in all their forms, and adverbs without a topic. Our tokenizers split at apostrophes, so the stumps of
elided words ("dell", "un", "don") are words here.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from change_it.errors import InputError
from change_it.text.tokens import words

#: One list a language, words between white space.
LISTS = Path(__file__).parents[1] / "data" / "stop_words"
#: The languages of these lists.
LISTED = ("it", "en")
#: Function words of a text of the language: Italian articles have .43 to .49, English ones .47; other languages up to .25, single
#: sentences of them up to .32.
LEAST, LEAD = 0.33, 2
#: Texts that a language is guessed from, at most.
GUESSED = 2000
#: Words of a text that can have few function words by chance or style, such as a telegram.
SHORT = 50


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the lower-case function words of `it`, `en`, `none` (no words), or in a UTF-8 file for another language."""
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
    counted = [word for text in texts[:GUESSED] for word in words(text)]
    return {name: sum(word in stop_words(name) for word in counted) / max(1, len(counted)) for name in LISTED}


def guess_language(texts: Sequence[str]) -> str:
    """Return `it` or `en`, whose function words are at least `LEAST` of the words and `LEAD` times those of the other; else `none`.

    Examples:
        >>> guess_language(["The mayor of Rome"]), guess_language(["Il sindaco di Roma"]), guess_language(["El alcalde de Roma"])
        ('en', 'it', 'none')
    """
    shares = function_word_shares(texts)
    *_, second, best = sorted(shares, key=shares.__getitem__)
    return best if shares[best] >= max(LEAST, LEAD * shares[second]) else "none"


def is_foreign(text: str, language: str | None) -> bool:
    """Return whether a text is in another language than `language`, that of a corpus; False where that is unknown, None or `none`.

    A short text with few function words may be of any language, and is no foreign one.

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
