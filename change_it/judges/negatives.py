"""Headlines that say something else in nearly the same words: negatives for HH and AH.

The transformations are FactCC's (Kryscinski et al. 2020, section 3.1): numbers and names swapped, sentences negated;
to these comes who did what to whom. Each takes a headline and a random source and gives the changed text, or None
where it does not apply; the rest of the headline stays as it is, to the letter.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from random import Random

from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.negation import insertions, like, removals
from change_it.text.numbers import Number, find_numbers, spelled

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
#: How often each change is tried anew: a headline has several names, and the other text may have one of them.
_TRIES = 4


def contradict(
    headline: Headline, other: str, rng: Random, names: Sequence[str], casing: Casing | None = None
) -> str | None:
    """Change one fact of a headline so that a matching text contradicts it; None if nothing applies.

    The changes below are tried in random order. A number or a name is swapped only where the other text has it too:
    what a headline says beyond the other text, nothing there can refute.
    """
    words, refutable = Counter(_words(headline.text)), set(_words(other))
    swaps = [partial(swap_numbers, headline, rng), partial(swap_names, headline, rng, names, casing)]
    rewordings = [partial(swap_roles, headline, rng, casing), partial(negate, headline, rng)]
    for change in rng.sample(swaps + rewordings, 4):
        for _ in range(_TRIES):
            new = change()
            if new is None:
                break
            if change in rewordings or (words - Counter(_words(new))).keys() & refutable:
                return new
    return None


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).lower())


def swap_numbers(headline: Headline, rng: Random) -> str | None:
    """Change one number, in Italian or English: another digit of it, or another number word; None without one that can be changed."""
    numbers = [number for number in headline.numbers() if number.claimed and number.values]
    rng.shuffle(numbers)
    for number in numbers:
        start, end = headline.span(number.start, number.end)
        for _ in range(10):
            new = _other_number(headline.text[start:end], number, headline.language, rng)
            if new is None:
                break
            values = {value for other in find_numbers(fold(new), headline.language) for value in other.values}
            if values and not values & number.values:
                return headline.replaced(start, end, new)
    return None


def _other_number(text: str, number: Number, language: str, rng: Random) -> str | None:
    """The text of a number with one digit or word changed; None where neither is known."""
    digits = [match.start() for match in _DIGIT.finditer(text)]
    if digits:
        # Of a year the century stays.
        four = len(digits) == 4 and text[digits[0] : digits[-1] + 1].isdecimal() and text[digits[0]] in "12"
        at = rng.choice(digits[2:] if four else digits)
        others = [digit for digit in "0123456789" if digit != text[at] and (digit != "0" or at != digits[0])]
        return text[:at] + rng.choice(others) + text[at + 1 :]
    word = re.match(r"[^\W\d_]+", text)
    if not word:
        return None
    ordinal = "ordinal" in number.units
    number_words = spelled(language, ordinal=ordinal)
    if ordinal and language == "it":  # it agrees in gender and number
        number_words = [each for each in number_words if each[-1] == word[0][-1].lower()] or number_words
    elif fold(word[0]).lower() not in number_words:
        return None
    return like(word[0], rng.choice(number_words)) + text[word.end() :]


def swap_names(
    headline: Headline, rng: Random, names: Sequence[str], casing: Casing | None = None
) -> str | None:
    """Replace one name by one of a `name_pool` that shares no word with the headline; None if there is no such name, or none to replace."""
    full_names = headline.full_names(casing)
    if not full_names or not names:
        return None
    first, last = rng.choice(full_names)
    present = set(headline.keys)
    for _ in range(20):
        new = rng.choice(names)
        if present.isdisjoint(fold(new).lower().split()):
            old = headline.words(first, last)
            capitals = old.isupper() and len(old) > 5  # no acronym
            return headline.replaced(*headline.span_of(first, last), new.upper() if capitals else new)
    return None


def name_pool(headlines: Sequence[Headline], casing: Casing | None = None) -> list[str]:
    """The different names of headlines, sorted, for `swap_names`; those of headlines in one case are left out."""
    return sorted(
        {
            headline.words(first, last)
            for headline in headlines
            if headline.case in ("sentence", "title")
            for first, last in headline.full_names(casing)
        }
    )


def swap_roles(headline: Headline, rng: Random, casing: Casing | None = None) -> str | None:
    """Exchange two names that have a verb between them, in Italian or English: who did what to whom.

    None without two different names with a verb between them in one clause, or where an article in front would no longer agree.
    """
    full_names = headline.full_names(casing)
    possible = [
        (first, second)
        for first, second in pairwise(full_names)
        if _has_verb(headline, first[1], second[0])
        and set(headline.keys[slice(*first)]).isdisjoint(headline.keys[slice(*second)])
        and _before(headline, first[0]) == _before(headline, second[0])
    ]
    if not possible:
        return None
    (a, b), (c, d) = (headline.span_of(*name) for name in rng.choice(possible))
    text = headline.text
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


_FUNCTIONS = frozenset({"ADP", "CCONJ", "SCONJ", "DET", "PRON", "PART", "PUNCT"})


def _has_verb(headline: Headline, start: int, end: int) -> bool:
    """Whether a verb, or a single word that may be an unknown one, and no mark stands between two names."""
    if any(headline.pieces[index].kind != "word" for index in range(start, end)):
        return False
    tags = [headline.tag(index) for index in range(start, end)]
    return "VERB" in tags or "AUX" in tags or (len(tags) == 1 and tags[0] not in _FUNCTIONS)


def _before(headline: Headline, index: int) -> str:
    """The article or preposition in front of a name, in lower case; empty without one."""
    while index and headline.pieces[index - 1].text == "'":
        index -= 1
    return headline.keys[index - 1] if index and headline.tag(index - 1) in ("DET", "ADP") else ""


def negate(headline: Headline, rng: Random) -> str | None:
    """Take a negation away, or put one in front of a verb; None but in Italian and English, or without a verb whose negation is known."""
    if not (changes := removals(headline) or insertions(headline)):
        return None
    return headline.replaced(*rng.choice(changes))
