"""Headlines that say something else in nearly the same words: negatives for HH and AH.

The transformations are FactCC's (Kryscinski et al. 2020, section 3.1): numbers and names swapped, sentences negated;
to these comes who did what to whom. Each takes a headline and a random source and gives the changed text, or None
where it does not apply; the rest of the headline stays as it is, to the letter.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

from change_it.text.folding import fold
from change_it.text.names import Casing, Headline
from change_it.text.numbers import Number, find_numbers, spelled

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
#: How often each change is tried anew: a headline has several names, and the other text may have one of them.
_TRIES = 4


def contradict(
    headline: Headline, other: str, rng: Random, names: Sequence[str], casing: Casing | None = None
) -> str | None:
    """Change one fact of a headline so that a matching text contradicts it.

    The changes below are tried in random order. A number or a name is swapped only where the other text has it too:
    what a headline says beyond the other text, nothing there can refute.

    Args:
        headline: Italian or English; of another language numbers and names are swapped.
        other: the matching headline or article.
        rng: chooses the change.
        names: to choose new names from; see `name_pool`.
        casing: of the corpus; see `Headline.is_name`.

    Returns:
        The changed text, or None if nothing applies.

    Examples:
        >>> contradict(Headline("Due feriti a Roma", "it"), "Roma, scontro fra auto", Random(1), ["Bari"])
        'Due feriti a Bari'
    """
    words, known = Counter(_words(headline.text)), set(_words(other))
    swaps: list[Callable[[], str | None]] = [
        lambda: swap_numbers(headline, rng),
        lambda: swap_names(headline, rng, names, casing),
    ]
    rewordings: list[Callable[[], str | None]] = [
        lambda: swap_roles(headline, rng, casing),
        lambda: negate(headline, rng),
    ]
    for change in rng.sample(swaps + rewordings, 4):
        for _ in range(_TRIES):
            new = change()
            if new is None:
                break
            if change in rewordings or (words - Counter(_words(new))).keys() & known:
                return new
    return None


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).lower())


def swap_numbers(headline: Headline, rng: Random) -> str | None:
    """Change one number: another digit of it, or another number word.

    Args:
        headline: Italian or English.
        rng: chooses the number and its new value.

    Returns:
        The text with another number, or None if it has none that can be changed.

    Examples:
        >>> swap_numbers(Headline("Due feriti", "it"), Random(1)) in ("Due feriti", None)
        False
    """
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
                return headline.text[:start] + new + headline.text[end:]
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
    if ordinal and language == "it":
        return (
            _like(word[0], rng.choice(_same_ending(word[0], spelled("it", ordinal=True))))
            + text[word.end() :]
        )
    known = spelled(language, ordinal=ordinal)
    if fold(word[0]).lower() not in known:
        return None
    return _like(word[0], rng.choice(known)) + text[word.end() :]


def _same_ending(word: str, words: Sequence[str]) -> list[str]:
    """Words that agree in gender and number."""
    return [other for other in words if other[-1] == word[-1].lower()] or list(words)


def _like(word: str, new: str) -> str:
    """A new word with the capitals of the one it replaces."""
    if len(word) > 1 and word.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if word[0].isupper() else new


def swap_names(
    headline: Headline, rng: Random, names: Sequence[str], casing: Casing | None = None
) -> str | None:
    """Replace one name by another.

    Args:
        headline: any language.
        rng: chooses both names.
        names: to choose from; see `name_pool`. Those that share a word with the headline are passed over.
        casing: of the corpus; see `Headline.is_name`.

    Returns:
        The text with another name, or None if it has none or the pool has no other.

    Examples:
        >>> swap_names(Headline("Il premier vola a Washington", "it"), Random(1), ["Mosca"])
        'Il premier vola a Mosca'
    """
    found = headline.full_names(casing)
    if not found or not names:
        return None
    first, last = rng.choice(found)
    present = set(headline.keys)
    for _ in range(20):
        new = rng.choice(names)
        if present.isdisjoint(fold(new).lower().split()):
            old = headline.words(first, last)
            start, end = headline.span(headline.pieces[first].start, headline.pieces[last - 1].end)
            capitals = old.isupper() and len(old) > 5  # no acronym
            return headline.text[:start] + (new.upper() if capitals else new) + headline.text[end:]
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
    """Exchange two names that have a verb between them: who did what to whom.

    Args:
        headline: Italian or English.
        rng: chooses where several exchanges are possible.
        casing: of the corpus; see `Headline.is_name`.

    Returns:
        The text with the names exchanged; None without two different names with a verb between them in one clause, or
        where an article in front would no longer agree.

    Examples:
        >>> swap_roles(Headline("Il premier Conte attacca Salvini", "it"), Random(1))
        'Il premier Salvini attacca Conte'
    """
    found = headline.full_names(casing)
    possible = [
        (one, other)
        for one, other in pairwise(found)
        if _has_verb(headline, one[1], other[0])
        and set(headline.keys[slice(*one)]).isdisjoint(headline.keys[slice(*other)])
        and _before(headline, one[0]) == _before(headline, other[0])
    ]
    if not possible:
        return None
    one, other = rng.choice(possible)
    (a, b), (c, d) = (
        headline.span(headline.pieces[first].start, headline.pieces[last - 1].end)
        for first, last in (one, other)
    )
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
    """The article or preposition in front of a name, in small letters; empty without one."""
    while index and headline.pieces[index - 1].text == "'":
        index -= 1
    return headline.keys[index - 1] if index and headline.tag(index - 1) in ("DET", "ADP") else ""


_NEGATIONS = {
    "it": re.compile(r"\bnon\s+", re.IGNORECASE),
    "en": re.compile(r"\s+not\b|(?<=\bcan)['’]t\b|(?<=[seoduh])n['’]t\b", re.IGNORECASE),
}
_CLITICS = frozenset(["si", "lo", "la", "li", "le", "ci", "ne", "mi", "ti", "vi", "gli"])
_AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "will",
        "can",
        "could",
        "may",
        "might",
        "must",
        "should",
        "would",
        "has",
        "have",
        "had",
        "am",
        "does",
        "do",
        "did",
    ]
)


def negate(headline: Headline, rng: Random) -> str | None:
    """Take a negation away, or put one in front of a verb.

    Args:
        headline: Italian or English.
        rng: chooses the verb where there are several.

    Returns:
        The text that says the contrary; None in another language, or without a verb whose negation is known.

    Examples:
        >>> negate(Headline("Il governo non cade", "it"), Random(1))
        'Il governo cade'
        >>> negate(Headline("Senate will vote on Monday", "en"), Random(1))
        'Senate will not vote on Monday'
    """
    language, text = headline.language, headline.text
    if language not in _NEGATIONS:
        return None
    if negations := list(_NEGATIONS[language].finditer(text)):
        gone = rng.choice(negations)
        new = text[: gone.start()] + text[gone.end() :]
        return _recapitalised(text, new, gone.start())
    changed = _negated_italian(headline) if language == "it" else _negated_english(headline)
    return rng.choice(changed) if changed else None


def _recapitalised(old: str, new: str, at: int) -> str:
    """A capital for the word that now stands where one stood."""
    return new[:at] + new[at : at + 1].upper() + new[at + 1 :] if old[at : at + 1].isupper() else new


def _verbs(headline: Headline) -> list[int]:
    return [
        index
        for index, piece in enumerate(headline.pieces)
        if (piece.kind == "word" and len(piece.text) > 1) or piece.text.lower() in ("è", "e", "ha")
        if headline.tag(index) in ("VERB", "AUX")
    ]


def _negated_italian(headline: Headline) -> list[str]:
    """With "non" before each verb that may be finite."""
    changed = []
    verbs = _verbs(headline)
    for index in verbs:
        if index - 1 in verbs or re.search(
            r"(?:[aei]re|[aei]ndo|[aiu]t[oaie]|[aeo]r[slmn][ioae])$", headline.keys[index]
        ):
            continue  # a participle after its auxiliary, an infinitive, a gerund
        first = index
        while first and headline.keys[first - 1] in _CLITICS and headline.tag(first - 1) == "PRON":
            first -= 1
        start = headline.span(headline.pieces[first].start, headline.pieces[first].end)[0]
        rest = headline.text[start:]
        if first == 0 and rest[:1].isupper() and not rest.split()[0].isupper():
            changed.append("Non " + rest[:1].lower() + rest[1:])
        else:
            word = "NON " if headline.case == "upper" else "non "
            changed.append(headline.text[:start] + word + rest)
    return changed


def _negated_english(headline: Headline) -> list[str]:
    """With "not" after each auxiliary; without one with "does not" before each regular verb in the third person."""
    simple, with_auxiliary = [], []
    for index in _verbs(headline) or _nouns_like_verbs(headline):
        word = headline.pieces[index].text
        start, end = headline.span(headline.pieces[index].start, headline.pieces[index].end)
        before, after = headline.text[:start], headline.text[end:]
        if headline.keys[index] in _AUXILIARIES:
            if index == 0:
                continue  # a question
            with_auxiliary.append(f"{before}{word} {_like(word, 'not')}{after}")
            continue
        infinitive = _infinitive(headline.keys[index])
        if infinitive:
            words = [_like(word, each) for each in ("does", "not", infinitive)]
            simple.append(f"{before}{' '.join(words)}{after}")
    return with_auxiliary or simple


def _nouns_like_verbs(headline: Headline) -> list[int]:
    """Words between a name and what may be an object: "Trump attacks Clinton"."""
    tags = [headline.tag(index) for index in range(len(headline.pieces))]
    return [
        index
        for index in range(1, len(tags) - 1)
        if tags[index] == "NOUN"
        and tags[index - 1] == "PROPN"
        and tags[index + 1] in ("PROPN", "DET", "PRON", "ADP")
    ]


def _infinitive(verb: str) -> str | None:
    """The infinitive of a regular verb in the third person."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "goes")):
        return verb[:-2]
    if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3:
        return verb[:-1]
    return None
