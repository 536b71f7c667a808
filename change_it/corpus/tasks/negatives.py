"""Change what a headline says in nearly the same words: negatives for HH and AH.

The transformations are FactCC's (Kryscinski et al. 2020, section 3.1): numbers and names are swapped, and
sentences negated; to these comes who did what to whom. Each takes a headline and a random source and returns
the changed text, or None where it does not apply. The rest of the headline stays as it is, to the letter.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from random import Random
from typing import NamedTuple

from change_it.files.texts import MOST_CHARACTERS
from change_it.text.folding import fold
from change_it.text.spans import name_runs, numbers_in
from change_it.text.tagging import load_tagger, tokens
from change_it.text.tokens import words

#: How often each change is tried: a headline has several names, and the other text may have one of them.
_TRIES = 4
#: Names that are drawn in search of one that shares no word with a headline.
_DRAWN_NAMES = 20
#: Words between two names whose roles are exchanged, at most.
_WORDS_BETWEEN = 4
#: Text between them: at least one word of lower-case letters, and no mark but an apostrophe.
_PLAIN = re.compile(r"[\w'’ ]*\b[^\W\d_A-ZÀ-ÖØ-Þ]{2,}\b[\w'’ ]*")
#: Negations that are taken away, by language.
_NEGATIONS = {
    "it": re.compile(r"\bnon\s+(?=\w)", re.IGNORECASE),
    "en": re.compile(r"\s+not\b|(?<=\bcan)['’]t\b|(?:(?<=\bdo)|(?<=[sde]))n['’]t\b", re.IGNORECASE),
}
#: English words that "not" follows, unless they open a headline.
_AUXILIARY = re.compile(
    r"(?<=\w )(?:is|are|was|were|will|can|could|may|might|must|should|would|has|have|had|does|do|did)\b"
    r"(?!['’])",
    re.IGNORECASE,
)
#: Italian pronouns that come before a verb.
_CLITICS = frozenset(["si", "lo", "la", "li", "le", "ci", "ne", "mi", "ti", "vi", "gli"])
#: Italian forms that no "non" is put before: infinitives, gerunds and participles.
_NOT_FINITE = re.compile(r"(?:[aei]r(?:e|[slmn][ioae])|[aei]ndo|[aiu]t[oaie])$")
_VERBS = ("VERB", "AUX")


def contradict(headline: str, other: str, rng: Random, names: Sequence[str], language: str) -> str | None:
    """Change one fact of a headline so that a matching text contradicts it; None if nothing applies.

    The four changes of this module are tried in random order. A number or a name is swapped only where the
    other text has it too: what a headline says beyond the other text, nothing there can refute.

    Args:
        headline: what is changed.
        other: the matching text, which the new headline contradicts.
        rng: source of the choices.
        names: put in the place of others, see `name_pool`.
        language: language of the headline; only `it` and `en` are negated.
    """
    old = Counter(words(fold(headline)))
    refutable = set(words(fold(other)))
    swaps = [partial(swap_numbers, headline, rng), partial(swap_names, headline, rng, names)]
    rewordings = [partial(swap_roles, headline, rng), partial(negate, headline, rng, language)]
    # all four, in random order
    for change in rng.sample(swaps + rewordings, 4):
        for _ in range(_TRIES):
            new = change()
            if new is None:
                break
            # a swap counts where the headline lost a word that the other text has
            lost = old - Counter(words(fold(new)))
            if change in rewordings or lost.keys() & refutable:
                return new
    return None


def swap_numbers(text: str, rng: Random) -> str | None:
    """Replace one number in digits by another one of the same length; None without a number.

    A year keeps its century.
    """
    numbers = numbers_in(text)
    if not numbers:
        return None
    start, end = rng.choice(numbers)
    old = text[start:end]
    century = 2 if re.fullmatch(r"(?:1[89]|20)\d\d", old) else 0
    new = old
    # until the number is another one, without a zero in front that the old one has not
    while new == old or (new[0] == "0" and old[0] != "0"):
        new = old[:century] + _with_random_digits(old[century:], rng)
    return text[:start] + new + text[end:]


def _with_random_digits(number: str, rng: Random) -> str:
    """Replace each digit of a number by a random one, and keep points and commas."""
    marks = []
    for mark in number:
        if mark.isdigit():
            mark = rng.choice("0123456789")
        marks.append(mark)
    return "".join(marks)


def swap_names(text: str, rng: Random, names: Sequence[str]) -> str | None:
    """Replace one name inside a headline by another one; None if there is none to replace.

    The other one is of a `name_pool` and shares no word with the headline.
    """
    own_names = _names_in(text)
    own_words = set(words(text))
    drawn = rng.sample(names, min(_DRAWN_NAMES, len(names)))
    other = next((name for name in drawn if own_words.isdisjoint(words(name))), None)
    if not own_names or other is None:
        return None
    start, end = rng.choice(own_names)
    return text[:start] + other + text[end:]


# A headline is changed in several ways, and up to four times in each.
@lru_cache(maxsize=4096)
def _names_in(headline: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each name inside a headline."""
    return tuple(name_runs(headline))


def name_pool(headlines: Iterable[str]) -> list[str]:
    """Return the different names inside headlines, sorted, for `swap_names`."""
    names: set[str] = set()
    for text in headlines:
        names.update(text[start:end] for start, end in name_runs(text))
    return sorted(names)


def swap_roles(text: str, rng: Random) -> str | None:
    """Exchange two neighbouring names; None without such names.

    Only words in lower case and no mark stand between the names, and the two share no word.
    """
    possible = []
    for (start, end), (other_start, other_end) in pairwise(_names_in(text)):
        between = text[end:other_start]
        if not _PLAIN.fullmatch(between) or len(between.split()) > _WORDS_BETWEEN:
            continue
        own_words = set(words(text[start:end]))
        if own_words.isdisjoint(words(text[other_start:other_end])):
            possible.append((start, end, other_start, other_end))
    if not possible:
        return None
    start, end, other_start, other_end = rng.choice(possible)
    first = text[start:end]
    second = text[other_start:other_end]
    return text[:start] + second + text[end:other_start] + first + text[other_end:]


class _Edit(NamedTuple):
    """A part of a text and what it becomes.

    Attributes:
        start: where the part starts.
        end: where it ends.
        new: what takes its place.
    """

    start: int
    end: int
    new: str


def negate(text: str, rng: Random, language: str) -> str | None:
    """Take a negation away, or add one; None where neither is possible.

    A new one is put before an Italian verb or behind an English auxiliary. Texts in other languages are not
    changed.
    """
    if language not in _NEGATIONS or len(text) > MOST_CHARACTERS["headline"]:
        return None
    edits = _negating_edits(text, language)
    if not edits:
        return None
    start, end, new = rng.choice(edits)
    rest = text[end:]
    if text.isupper():
        new = new.upper()
    elif start == 0 and new:
        # the capital goes to what comes first now
        new = new.capitalize()
        rest = rest[:1].lower() + rest[1:]
    elif start == 0:
        rest = rest[:1].upper() + rest[1:]
    return text[:start] + new + rest


def _negating_edits(text: str, language: str) -> list[_Edit]:
    """Return the edits that take a negation away, or those that add one where there is none."""
    removals = [_Edit(match.start(), match.end(), "") for match in _NEGATIONS[language].finditer(text)]
    if removals:
        return removals
    if language == "en":
        return [_Edit(match.end(), match.end(), " not") for match in _AUXILIARY.finditer(text)]
    return [_Edit(start, start, "non ") for start in _finite_verbs(text)]


# The sets of HH and AH change the same headlines.
@lru_cache(maxsize=4096)
def _finite_verbs(text: str) -> tuple[int, ...]:
    """Return where the finite verbs of an Italian headline start, with the pronouns before them."""
    text_tokens = tokens(text, "it")
    tags = load_tagger("it").tag(text_tokens)
    starts = []
    end = 0
    for word in text_tokens:
        start = text.index(word, end)
        starts.append(start)
        end = start + len(word)
    verbs = []
    for index, (word, tag) in enumerate(zip(text_tokens, tags, strict=True)):
        is_after_verb = index > 0 and tags[index - 1] in _VERBS
        if tag not in _VERBS or is_after_verb or _NOT_FINITE.search(word.lower()):
            continue
        first = index
        while first and text_tokens[first - 1].lower() in _CLITICS and tags[first - 1] == "PRON":
            first -= 1
        verbs.append(starts[first])
    return tuple(verbs)
