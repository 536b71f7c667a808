"""Perturbations: kinds of headlines that are wrong on purpose, each made from a good headline or from the original (after Sai et al., EMNLP 2021).

A perturbation is a function of an item with a reference, a random generator and the resources of the corpus; it returns a
headline, or None where it does not apply. Its docstring is its description. It is *seen* where a judge is trained on
headlines that are made in the same way: a corruption of fluency, or a changed fact of HH and AH.
"""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import getdoc
from random import Random
from typing import Literal, TypeVar

import numpy as np

from change_it.corpus.negatives import name_pool, negate, swap_names, swap_numbers, swap_roles
from change_it.scoring.item import Item, TestSet
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


#: A function of an item, a random generator and the resources of the corpus.
Make = Callable[[Item, np.random.Generator, Resources], str | None]


@dataclass(frozen=True)
class Perturbation:
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


PERTURBATIONS: dict[str, Perturbation] = {}


def perturbation(
    spoils: Spoils, *, aspect: Aspect = "acceptability", seen: str = ""
) -> Callable[[Make], Make]:
    """Register a function under its name, with its docstring; see `Perturbation`."""

    def register(make: Make) -> Make:
        name, description = make.__name__.replace("_", " "), (getdoc(make) or "").partition("\n")[0]
        PERTURBATIONS[make.__name__] = Perturbation(name, description, spoils, aspect, seen, make)
        return make

    return register


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


# The original, hardly changed


@perturbation("original", aspect="style")
def capitals(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original in capitals."""
    return item.source.upper()


@perturbation("original", aspect="style", seen="style_added")
def style_words_added(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original and two to six words that are typical of the other newspaper, anywhere or behind it."""
    return corrupt(item.source, "style_added", random, resources.lexicon, item.target)


@perturbation("original", aspect="style", seen="style_exchanged")
def style_words_exchanged(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The original with two to six words exchanged for others that are typical of the other newspaper."""
    return corrupt(item.source, "style_exchanged", random, resources.lexicon, item.target)


@perturbation("", aspect="style")
def first_sentence(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The first sentence of the original's article."""
    return next(iter(sentences(item.article)), None)


# A headline of the other newspaper that says something else


@perturbation("")
def names_spliced_in(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """Any training headline of the other newspaper, with the original's names for its own."""
    names = [item.source[start:end] for start, end in name_runs(item.source)]
    for _ in range(DRAWS if names else 0):
        text = _any(resources.test.training_headlines[item.target], random)
        runs = name_runs(text)[: len(names)]
        for name, (start, end) in reversed(list(zip(names, runs, strict=False))):
            text = text[:start] + name + text[end:]
        if runs:
            return text
    return None


@perturbation("gold", seen="negate")
def negated(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a verb negated, or no more."""
    return negate(item.reference, _python(random), resources.language)


@perturbation("gold", seen="swap_roles")
def names_swapped(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with two neighbouring names in each other's place."""
    return swap_roles(item.reference, _python(random))


@perturbation("gold", seen="swap_numbers")
def number_changed(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a number in digits changed to another."""
    return swap_numbers(item.reference, _python(random))


@perturbation("gold", seen="swap_numbers")
def number_mistaken(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a number exchanged for another one of the article, of as many digits."""
    text, article = item.reference, item.article[:BEGINNING]
    numbers = numbers_in(text)
    others = sorted(
        {article[slice(*span)] for span in numbers_in(article)} - {text[slice(*span)] for span in numbers}
    )
    changes = [
        text[:start] + other + text[end:]
        for start, end in numbers
        for other in others
        if re.sub(r"\d", "0", other) == re.sub(r"\d", "0", text[start:end])
    ]
    return _any(changes, random) if changes else None


@perturbation("gold", seen="swap_names")
def name_mistaken(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a name exchanged for another one that the article has twice or more, a person's or a place's."""
    article = item.article[:BEGINNING]
    names = [name for name in name_pool([article]) if article.count(name) > 1]
    return swap_names(item.reference, _python(random), names)


@perturbation("gold")
def claim_added(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline with a claim behind it or before it of which no text says anything."""
    present = set(words(fold(" ".join((item.source, item.article, item.reference_article)))))
    claims = CLAIMS.get(resources.language, ())
    new = [claim for claim in claims if all(word not in present or len(word) < 5 for word in words(claim))]
    return _any(new, random).format(item.reference.rstrip(" .…?!")) if new else None


# No headline


@perturbation("gold", seen="spliced")
def half_and_half(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The first half of the original and the second half of the other newspaper's headline."""
    source, reference = item.source.split(), item.reference.split()
    if min(len(source), len(reference)) < 4:
        return None
    return " ".join([*source[: len(source) // 2], *reference[len(reference) // 2 :]])


@perturbation("gold")
def looped(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The other newspaper's headline, whose end repeats one to five words again and again."""
    return corrupt(item.reference, "looped", random, resources.lexicon)


@perturbation("gold")
def key_words(item: Item, random: np.random.Generator, resources: Resources) -> str | None:
    """The content words of the other newspaper's headline, by the alphabet or between marks."""
    return corrupt(item.reference, "keywords", random, resources.lexicon)


def _any(several: Sequence[T], random: np.random.Generator) -> T:
    return several[int(random.integers(len(several)))]


def _python(random: np.random.Generator) -> Random:
    return Random(int(random.integers(2**63)))
