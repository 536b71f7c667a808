"""Perturbations: kinds of headlines that are wrong on purpose, each made from a good headline or from the original (after Sai et al., EMNLP 2021)."""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from change_it.corpus.tasks.negatives import name_pool, negate, swap_names, swap_numbers, swap_roles
from change_it.corpus.test_set import Item, TestSet
from change_it.text.corruptions import Lexicon, corrupt
from change_it.text.folding import fold
from change_it.text.sentences import sentences
from change_it.text.spans import NO_CAPITALS, NOUNS, capital_share, name_runs, numbers_in
from change_it.text.tokens import words

T = TypeVar("T")
#: What a perturbation spoils: the other newspaper's headline, the original headline, or neither.
Spoils = Literal["gold", "original", ""]
Aspect = Literal["style", "acceptability"]
#: Characters of an article that other names and numbers are taken from.
BEGINNING = 3000
#: Draws before a perturbation is given up.
DRAWS = 12
#: Claims that hardly any article makes, around the headline.
CLAIMS: dict[str, tuple[str, ...]] = {
    "it": ("{}, si dimette il ministro", "{}: la procura indaga", "{}, rubati due camion", "Voci non confermate: {}", "Petizione contro il sindaco: {}"),
    "en": ("{}, minister resigns", "{}: prosecutors investigate", "{}, two trucks stolen", "Unconfirmed reports: {}", "Petition against the mayor: {}"),
}  # fmt: skip


@dataclass(frozen=True)
class Resources:
    """A corpus as the audit reads it."""

    test: TestSet
    lexicon: Lexicon  # the words of its headlines, for corruptions
    language: str  # `it`, `en`, the code of another one, or `none`

    @cached_property
    def capitals(self) -> float | None:
        """The share of words with a capital inside its articles."""
        return capital_share(self.lexicon.articles[:400])

    @property
    def has_capitals(self) -> bool:
        """Whether its script has capitals."""
        return self.capitals is None or self.capitals > NO_CAPITALS

    @property
    def has_names(self) -> bool:
        """Whether capitals show names: not in a script without them, nor where nouns have them."""
        return self.has_capitals and (self.capitals or 0) <= NOUNS


#: A function of an item with a reference, a random generator and the resources of the corpus; None where it does not apply.
Make = Callable[[Item, np.random.Generator, Resources], str | None]


class Perturbation(NamedTuple):
    """A kind of headlines that are wrong on purpose."""

    name: str
    description: str  # one sentence
    spoils: Spoils  # the headline that it changes
    aspect: Aspect  # that should notice: style of what keeps the original's, acceptability of what says something else, or nothing
    seen: str  # what judges are trained on that is made in the same way, a corruption or a function of `corpus.negatives`; or empty
    make: Make  # the headline of an item

    def true_headline(self, item: Item) -> str:
        """The headline of an item that is changed; empty where none is."""
        return {"gold": item.reference, "original": item.source, "": ""}[self.spoils]


def _any(several: Sequence[T], random: np.random.Generator) -> T:
    return several[int(random.integers(len(several)))]


def _python(random: np.random.Generator) -> Random:
    return Random(int(random.integers(2**63)))


def _names_spliced_in(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    names = [item.source[start:end] for start, end in name_runs(item.source)]
    for _ in range(DRAWS if names else 0):
        text = _any(corpus.test.training_headlines[item.target], random)
        runs = name_runs(text)[: len(names)]
        for name, (start, end) in reversed(list(zip(names, runs, strict=False))):
            text = text[:start] + name + text[end:]
        if runs:
            return text
    return None


def _number_mistaken(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    text, article = item.reference, item.article[:BEGINNING]
    numbers = numbers_in(text)
    others = {article[start:end] for start, end in numbers_in(article)}
    others -= {text[start:end] for start, end in numbers}
    changes = [
        text[:start] + other + text[end:]
        for start, end in numbers
        for other in sorted(others)
        if re.sub(r"\d", "0", other) == re.sub(r"\d", "0", text[start:end])
    ]
    return _any(changes, random) if changes else None


def _name_mistaken(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    article = item.article[:BEGINNING]
    names = [name for name in name_pool([article]) if article.count(name) > 1]
    return swap_names(item.reference, _python(random), names)


def _claim_added(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    present = set(words(fold(" ".join((item.source, item.article, item.reference_article)))))
    claims = CLAIMS.get(corpus.language, ())
    new = [claim for claim in claims if all(word not in present or len(word) < 5 for word in words(claim))]
    return _any(new, random).format(item.reference.rstrip(" .…?!")) if new else None


def _half_and_half(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    source, reference = item.source.split(), item.reference.split()
    if min(len(source), len(reference)) < 4:
        return None
    return " ".join([*source[: len(source) // 2], *reference[len(reference) // 2 :]])


_KINDS = (
    # the original, hardly changed
    Perturbation("capitals", "The original in capitals.", "original", "style", "",
        lambda item, random, corpus: item.source.upper()),
    Perturbation("style words added", "The original and two to six words that are typical of the other newspaper, anywhere or behind it.", "original", "style", "style_added",
        lambda item, random, corpus: corrupt(item.source, "style_added", random, corpus.lexicon, item.target)),
    Perturbation("style words exchanged", "The original with two to six words exchanged for others that are typical of the other newspaper.", "original", "style", "style_exchanged",
        lambda item, random, corpus: corrupt(item.source, "style_exchanged", random, corpus.lexicon, item.target)),
    Perturbation("first sentence", "The first sentence of the original's article.", "", "style", "",
        lambda item, random, corpus: next(iter(sentences(item.article)), None)),
    # a headline of the other newspaper that says something else
    Perturbation("names spliced in", "Any training headline of the other newspaper, with the original's names for its own.", "", "acceptability", "", _names_spliced_in),
    Perturbation("negated", "The other newspaper's headline with a verb negated, or no more.", "gold", "acceptability", "negate",
        lambda item, random, corpus: negate(item.reference, _python(random), corpus.language)),
    Perturbation("names swapped", "The other newspaper's headline with two neighbouring names in each other's place.", "gold", "acceptability", "swap_roles",
        lambda item, random, corpus: swap_roles(item.reference, _python(random))),
    Perturbation("number changed", "The other newspaper's headline with a number in digits changed to another.", "gold", "acceptability", "swap_numbers",
        lambda item, random, corpus: swap_numbers(item.reference, _python(random))),
    Perturbation("number mistaken", "The other newspaper's headline with a number exchanged for another one of the article, of as many digits.", "gold", "acceptability", "swap_numbers", _number_mistaken),
    Perturbation("name mistaken", "The other newspaper's headline with a name exchanged for another one that the article has twice or more, a person's or a place's.", "gold", "acceptability", "swap_names", _name_mistaken),
    Perturbation("claim added", "The other newspaper's headline with a claim behind it or before it of which no text says anything.", "gold", "acceptability", "", _claim_added),
    # no headline
    Perturbation("half and half", "The first half of the original and the second half of the other newspaper's headline.", "gold", "acceptability", "spliced", _half_and_half),
    Perturbation("looped", "The other newspaper's headline, whose end repeats one to five words again and again.", "gold", "acceptability", "",
        lambda item, random, corpus: corrupt(item.reference, "looped", random, corpus.lexicon)),
    Perturbation("key words", "The content words of the other newspaper's headline, by the alphabet or between marks.", "gold", "acceptability", "",
        lambda item, random, corpus: corrupt(item.reference, "keywords", random, corpus.lexicon)),
)  # fmt: skip
#: By their names with underscores. Seen are those that a judge is trained on: damage of fluency, changed facts of HH and AH.
PERTURBATIONS = {kind.name.replace(" ", "_"): kind for kind in _KINDS}


def perturbed(
    items: Sequence[Item], kind: Perturbation, resources: Resources, *, seed: int, at_most: int
) -> list[tuple[int, str]]:
    """The headlines of a kind for the first items with a reference that it applies to, with their indices; seed, kind and item decide every draw."""
    headlines: list[tuple[int, str]] = []
    for index, item in enumerate(items):
        if len(headlines) == at_most:
            break
        random = np.random.default_rng((seed, zlib.crc32(kind.name.encode()), zlib.crc32(item.id.encode())))
        text = kind.make(item, random, resources) if item.reference else None
        if text and text not in (item.reference, item.source):
            headlines.append((index, text))
    return headlines
