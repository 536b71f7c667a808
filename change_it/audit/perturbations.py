"""Perturbations, one entry each: kinds of headlines that are wrong on purpose (after Sai et al., EMNLP 2021).

A new perturbation is a new entry of `PERTURBATIONS`, with a function that makes its headlines; nothing else names
perturbations.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal, TypeVar

import numpy as np

from change_it.audit.verdict import Group, Kind
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
#: Characters of an article that other names and numbers are taken from.
BEGINNING = 3000
#: Draws before a perturbation is given up.
DRAWS = 12
#: Times that one word is repeated, and its letters at least, where the headline has such a word.
REPEATED = 5
REPEATED_LETTERS = 4
#: Claims that hardly any article makes, around the headline.
CLAIMS: dict[str, tuple[str, ...]] = {
    "it": ("{}, si dimette il ministro", "{}: la procura indaga", "{}, rubati due camion", "Voci non confermate: {}", "Petizione contro il sindaco: {}"),
    "en": ("{}, minister resigns", "{}: prosecutors investigate", "{}, two trucks stolen", "Unconfirmed reports: {}", "Petition against the mayor: {}"),
}  # fmt: skip


@dataclass(frozen=True)
class Resources:
    """A corpus as the audit reads it.

    Attributes:
        test: its test set.
        lexicon: the words of its headlines, for corruptions, and beginnings of its articles.
        language: `it`, `en`, the code of another one, or `none`.
        count: articles of the two outlets; None where it does not say.
    """

    test: TestSet
    lexicon: Lexicon
    language: str
    count: int | None = None

    @cached_property
    def capitals(self) -> float | None:
        """The share of words with a capital inside its articles."""
        return capital_share(self.lexicon.articles[:400])

    @cached_property
    def article_counts(self) -> Counter[str]:
        """The number of its articles that have each word, folded."""
        counts: Counter[str] = Counter()
        for article in self.lexicon.articles:
            counts.update({*words(fold(article))})
        return counts

    def weight(self, word: str, times: int) -> float:
        """Return the tf-idf of a folded word that an article has so many times."""
        return times * math.log((1 + len(self.lexicon.articles)) / (1 + self.article_counts[word]))

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


@dataclass(frozen=True, kw_only=True)
class Perturbation:
    """A kind of headlines that are wrong on purpose.

    Attributes:
        name: its name in files and tables.
        groups: the groups that it belongs to, which say which measures should notice it.
        words: what people read, a noun phrase.
        plural: whether `words` is a plural.
        description: one sentence.
        spoils: the headline that it changes.
        seen: what judges are trained on that is made in the same way, a corruption or a function of
            `corpus.tasks.negatives`; or empty.
        needs_names: whether it is left out where capitals do not show names, as in German.
        make: makes the headline of an item.
    """

    name: str
    groups: tuple[Group, ...]
    words: str
    plural: bool = False
    description: str
    spoils: Spoils = ""
    seen: str = ""
    needs_names: bool = False
    make: Make

    @property
    def kind(self) -> Kind:
        """Return it as the verdicts on measures name it."""
        return Kind(self.name, self.groups, self.words, self.plural)

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


def _shuffled(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Return the words of the other newspaper's headline in another order; None where all orders are alike."""
    parts = item.reference.split()
    if len({*parts}) < 2:
        return None
    shuffled = parts
    while shuffled == parts:
        shuffled = [parts[place] for place in random.permutation(len(parts))]
    return " ".join(shuffled)


def _one_word_repeated(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    parts = [part.strip(".,:;!?\"'«»“”") for part in item.reference.split()]
    long = [part for part in parts if len(part) >= REPEATED_LETTERS]
    return " ".join([_any(long or parts, random)] * REPEATED) if parts else None


def _key_words_of_article(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Return the words of the article with the highest tf-idf, as many as the other newspaper's headline has."""
    spelled: dict[str, str] = {}
    for spelling in dict.fromkeys(re.findall(r"\w+", item.article)):
        parts = words(fold(spelling))
        for part in parts:
            spelled.setdefault(part, spelling if len(parts) == 1 else part)
    counts = Counter(words(fold(item.article)))
    known = [word for word in counts if word in spelled]
    known.sort(key=lambda word: -corpus.weight(word, counts[word]))
    return " ".join(spelled[word] for word in known[: len(words(item.reference))]) or None


_NO_SENTENCE: tuple[Group, ...] = ("no sentence",)
_NOT_WRITTEN: tuple[Group, ...] = ("not written for this",)
_WRONG: tuple[Group, ...] = ("wrong content",)
_UNCHANGED: tuple[Group, ...] = ("unchanged style",)

_ENTRIES = (
    # no sentence
    Perturbation(
        name="shuffled",
        groups=_NO_SENTENCE,
        words="gold's words in random order",
        plural=True,
        description="The words of the other newspaper's headline in random order.",
        spoils="gold",
        seen="shuffled",
        make=_shuffled,
    ),
    Perturbation(
        name="key words",
        groups=_NO_SENTENCE,
        words="gold's content words by the alphabet or between marks",
        plural=True,
        description="The content words of the other newspaper's headline, by the alphabet or between marks.",
        spoils="gold",
        make=lambda item, random, corpus: corrupt(item.reference, "keywords", random, corpus.lexicon),
    ),
    Perturbation(
        name="article's key words",
        groups=_NO_SENTENCE,
        words="the article's key words",
        plural=True,
        description="The words of the article with the highest tf-idf, as many as the other newspaper's headline has.",
        make=_key_words_of_article,
    ),
    Perturbation(
        name="one word repeated",
        groups=_NO_SENTENCE,
        words="one word five times",
        description="One word of the other newspaper's headline, five times.",
        spoils="gold",
        make=_one_word_repeated,
    ),
    Perturbation(
        name="looped",
        groups=_NO_SENTENCE,
        words="headlines whose end repeats",
        plural=True,
        description="The other newspaper's headline, whose end repeats one to five words again and again.",
        spoils="gold",
        make=lambda item, random, corpus: corrupt(item.reference, "looped", random, corpus.lexicon),
    ),
    Perturbation(
        name="names spliced in",
        groups=_NO_SENTENCE,
        words="other headlines with the original's names",
        plural=True,
        description="Any training headline of the other newspaper, with the original's names for its own.",
        make=_names_spliced_in,
    ),
    # a headline of the other newspaper that says something else
    Perturbation(
        name="negated",
        groups=_WRONG,
        words="a negated headline",
        description="The other newspaper's headline with a verb negated, or no more.",
        spoils="gold",
        seen="negate",
        make=lambda item, random, corpus: negate(item.reference, _python(random), corpus.language),
    ),
    Perturbation(
        name="names swapped",
        groups=_WRONG,
        words="two names in each other's place",
        plural=True,
        description="The other newspaper's headline with two neighbouring names in each other's place.",
        spoils="gold",
        seen="swap_roles",
        make=lambda item, random, corpus: swap_roles(item.reference, _python(random)),
    ),
    Perturbation(
        name="number changed",
        groups=_WRONG,
        words="a number replaced by another one",
        description="The other newspaper's headline with a number in digits changed to another.",
        spoils="gold",
        seen="swap_numbers",
        make=lambda item, random, corpus: swap_numbers(item.reference, _python(random)),
    ),
    Perturbation(
        name="number mistaken",
        groups=_WRONG,
        words="a number replaced by another one of the article",
        description="The other newspaper's headline with a number exchanged for another one of the article, of as many digits.",
        spoils="gold",
        seen="swap_numbers",
        make=_number_mistaken,
    ),
    Perturbation(
        name="name mistaken",
        groups=_WRONG,
        words="a name replaced by another one of the article",
        description="The other newspaper's headline with a name exchanged for another one that the article has twice or more, a person's or a place's.",
        spoils="gold",
        seen="swap_names",
        needs_names=True,
        make=_name_mistaken,
    ),
    Perturbation(
        name="claim added",
        groups=_WRONG,
        words="a claim that no text makes",
        description="The other newspaper's headline with a claim behind it or before it of which no text says anything.",
        spoils="gold",
        make=_claim_added,
    ),
    Perturbation(
        name="half and half",
        groups=_WRONG,
        words="half of the original and half of gold",
        description="The first half of the original and the second half of the other newspaper's headline.",
        spoils="gold",
        seen="spliced",
        make=_half_and_half,
    ),
    # the original, hardly changed
    Perturbation(
        name="capitals",
        groups=_UNCHANGED,
        words="the original in capitals",
        description="The original in capitals.",
        spoils="original",
        make=lambda item, random, corpus: item.source.upper(),
    ),
    Perturbation(
        name="style words added",
        groups=_UNCHANGED,
        words="the original with typical words added",
        description="The original and two to six words that are typical of the other newspaper, anywhere or behind it.",
        spoils="original",
        seen="style_added",
        make=lambda item, random, corpus: corrupt(
            item.source, "style_added", random, corpus.lexicon, item.target
        ),
    ),
    Perturbation(
        name="style words exchanged",
        groups=_UNCHANGED,
        words="the original with typical words exchanged",
        description="The original with two to six words exchanged for others that are typical of the other newspaper.",
        spoils="original",
        seen="style_exchanged",
        make=lambda item, random, corpus: corrupt(
            item.source, "style_exchanged", random, corpus.lexicon, item.target
        ),
    ),
    Perturbation(
        name="first sentence",
        groups=_UNCHANGED,
        words="the article's first sentence",
        description="The first sentence of the original's article.",
        make=lambda item, random, corpus: next(iter(sentences(item.article)), None),
    ),
)
#: The baselines that are no headlines for this item, by their names in tables; each has all items, and is made by scoring.
BASELINES = (
    Kind("lead", _NOT_WRITTEN, "the article's first words", plural=True),
    Kind("clause", _NOT_WRITTEN, "a random clause of the article"),
    Kind("random-target", _NOT_WRITTEN, "any headline of the other newspaper"),
    Kind("copy", (*_NOT_WRITTEN, *_UNCHANGED), "the unchanged original"),
)
#: What judges chose among clauses: it decides no verdict, since how many they chose among decides what it scores.
FLOOR_KIND = Kind("floor", (), "the clause that other judges like best")
#: By their names, in the order of `audit.json`.
PERTURBATIONS = {kind.name: kind for kind in _ENTRIES}


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
