"""Headlines that say something else in nearly the same words: negatives for HH and AH.

The transformations are FactCC's (Kryscinski et al. 2020, section 3.1): numbers and names swapped, sentences negated;
to these comes who did what to whom. Each takes a headline and a random source and returns the changed text, or None
where it does not apply; the rest of the headline stays as it is, to the letter.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from random import Random

from change_it.files.texts import LONGEST
from change_it.text.folding import fold
from change_it.text.spans import name_runs, numbers_in
from change_it.text.tagging import load_tagger, tokens
from change_it.text.tokens import words

#: How often each change is tried anew: a headline has several names, and the other text may have one of them.
_TRIES = 4
#: Words between two names whose roles are exchanged, at most.
_BETWEEN = 4
#: One word of lower-case letters at least, and no mark but an apostrophe.
_PLAIN = re.compile(r"[\w'’ ]*\b[^\W\d_A-ZÀ-ÖØ-Þ]{2,}\b[\w'’ ]*")
_NEGATIONS = {
    "it": re.compile(r"\bnon\s+(?=\w)", re.IGNORECASE),
    "en": re.compile(r"\s+not\b|(?<=\bcan)['’]t\b|(?:(?<=\bdo)|(?<=[sde]))n['’]t\b", re.IGNORECASE),
}
#: English words that "not" follows, unless they open a headline.
_AUXILIARY = re.compile(
    r"(?<=\w )(?:is|are|was|were|will|can|could|may|might|must|should|would|has|have|had|does|do|did)\b(?!['’])",
    re.IGNORECASE,
)
#: Italian pronouns that come before a verb, and forms that no "non" is put before: infinitives, gerunds, participles.
_CLITICS = frozenset(["si", "lo", "la", "li", "le", "ci", "ne", "mi", "ti", "vi", "gli"])
_NOT_FINITE = re.compile(r"(?:[aei]r(?:e|[slmn][ioae])|[aei]ndo|[aiu]t[oaie])$")


def contradict(headline: str, other: str, rng: Random, names: Sequence[str], language: str) -> str | None:
    """Change one fact of a headline so that a matching text contradicts it; None if nothing applies.

    The changes below are tried in random order. A number or a name is swapped only where the other text has it too:
    what a headline says beyond the other text, nothing there can refute.
    """
    old, refutable = Counter(words(fold(headline))), {*words(fold(other))}
    swaps = [partial(swap_numbers, headline, rng), partial(swap_names, headline, rng, names)]
    rewordings = [partial(swap_roles, headline, rng), partial(negate, headline, rng, language)]
    for change in rng.sample(swaps + rewordings, 4):
        for _ in range(_TRIES):
            new = change()
            if new is None:
                break
            if change in rewordings or (old - Counter(words(fold(new)))).keys() & refutable:
                return new
    return None


def swap_numbers(text: str, rng: Random) -> str | None:
    """Replace one number in digits by another one of the same length, of which a year keeps its century; None without a number."""
    if not (numbers := numbers_in(text)):
        return None
    start, end = rng.choice(numbers)
    old = text[start:end]
    century = 2 if re.fullmatch(r"(?:1[89]|20)\d\d", old) else 0
    new = old
    while new == old or (new[0] == "0" and old[0] != "0"):
        new = old[:century] + "".join(
            rng.choice("0123456789") if digit.isdigit() else digit for digit in old[century:]
        )
    return text[:start] + new + text[end:]


def swap_names(text: str, rng: Random, names: Sequence[str]) -> str | None:
    """Replace one name inside a headline by one of a `name_pool` that shares no word with it; None if there is none to replace."""
    runs, present = _names_in(text), {*words(text)}
    drawn = rng.sample(names, min(20, len(names)))
    other = next((name for name in drawn if present.isdisjoint(words(name))), None)
    if not runs or other is None:
        return None
    start, end = rng.choice(runs)
    return text[:start] + other + text[end:]


@lru_cache(maxsize=4096)  # a headline is changed in several ways, and up to four times in each
def _names_in(headline: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each name inside a headline."""
    return tuple(name_runs(headline))


def name_pool(headlines: Iterable[str]) -> list[str]:
    """The different names inside headlines, sorted, for `swap_names`."""
    return sorted({text[start:end] for text in headlines for start, end in name_runs(text)})


def swap_roles(text: str, rng: Random) -> str | None:
    """Exchange two neighbouring names with words in lower case and no mark between them; None without such names."""
    possible = [
        (*first, *second)
        for first, second in pairwise(_names_in(text))
        if (between := text[first[1] : second[0]]) and _PLAIN.fullmatch(between)
        if len(between.split()) <= _BETWEEN
        and {*words(text[slice(*first)])}.isdisjoint(words(text[slice(*second)]))
    ]
    if not possible:
        return None
    a, b, c, d = rng.choice(possible)
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def negate(text: str, rng: Random, language: str) -> str | None:
    """Take a negation away, or put one before an Italian verb or behind an English auxiliary; None of any other language."""
    if language not in _NEGATIONS or len(text) > LONGEST["headline"]:
        return None
    negations = _NEGATIONS[language].finditer(text)
    changes = [(match.start(), match.end(), "") for match in negations]
    if not changes and language == "en":
        changes = [(match.end(),) * 2 + (" not",) for match in _AUXILIARY.finditer(text)]
    elif not changes:
        changes = [(start, start, "non ") for start in _finite_verbs(text)]
    if not changes:
        return None
    start, end, new = rng.choice(changes)
    new, rest = new.upper() if text.isupper() else new, text[end:]
    if start == 0 and not text.isupper():  # the capital goes to what comes first now
        change = str.lower if new else str.upper
        new, rest = new.capitalize(), change(rest[:1]) + rest[1:]
    return text[:start] + new + rest


@lru_cache(maxsize=4096)  # HH and AH change the same headlines
def _finite_verbs(text: str) -> tuple[int, ...]:
    """Where the finite verbs of an Italian headline start, with the pronouns before them."""
    text_tokens = tokens(text, "it")
    tags, starts, end = load_tagger("it").tag(text_tokens), [], 0
    for word in text_tokens:
        starts.append(text.index(word, end))
        end = starts[-1] + len(word)
    verbs = []
    for index, (word, tag) in enumerate(zip(text_tokens, tags, strict=True)):
        after_verb = index > 0 and tags[index - 1] in ("VERB", "AUX")
        if tag not in ("VERB", "AUX") or after_verb or _NOT_FINITE.search(word.lower()):
            continue
        while index and text_tokens[index - 1].lower() in _CLITICS and tags[index - 1] == "PRON":
            index -= 1
        verbs.append(starts[index])
    return tuple(verbs)
