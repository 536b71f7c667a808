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
#: Texts that a language is guessed from, at most.
GUESSED = 2000


@cache
def stop_words(language: str) -> frozenset[str]:
    """The lower-case function words of `it`, `en`, `none` (no words), or in a UTF-8 file for another language."""
    if language == "none":
        return frozenset()
    for file in (LISTS / f"{language}.txt", Path(language)):
        if file.is_file():
            return frozenset(words(file.read_text(encoding="utf-8")))
    raise InputError(
        f"no stop words for language {language!r}: choose one of it, en, none, or give a file of words"
    )


def function_words(language: str) -> frozenset[str]:
    """The stop words of `it` or `en`; none of any other language."""
    return stop_words(language if language in ("it", "en") else "none")


def guess_language(texts: Sequence[str]) -> str:
    """`it` or `en`, whichever has more function words among the words; `none` if neither's are a tenth of them.

    Examples:
        >>> guess_language(["The mayor of Rome"]), guess_language(["Il sindaco di Roma"]), guess_language(["Roma"])
        ('en', 'it', 'none')
    """
    every = [word for text in texts[:GUESSED] for word in words(text)]
    counts = {name: sum(word in stop_words(name) for word in every) for name in ("it", "en")}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] / max(1, len(every)) > 0.1 else "none"
