"""Register perturbations: kinds of headlines that are wrong on purpose (after Sai et al., EMNLP 2021).

A new perturbation is a new entry of `PERTURBATIONS`, with a function that makes its headlines; nothing else
names perturbations.
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
from change_it.text.sentences import iterate_sentences
from change_it.text.spans import NO_CAPITALS_SHARE, NOUN_CAPITALS_SHARE, capital_share, name_runs, numbers_in
from change_it.text.tokens import words

T = TypeVar("T")
#: What a perturbation spoils: the other newspaper's headline, the original headline, or neither.
Spoils = Literal["gold", "original", ""]
#: Characters at the beginning of an article that other names and numbers are taken from.
BEGINNING_CHARACTERS = 3000
#: Number of draws before a perturbation is given up.
MAX_DRAWS = 12
#: Times that one word is repeated.
REPETITIONS = 5
#: Letters of a word that is repeated, at least, where the headline has such a word.
REPEATED_LETTERS = 4
#: Letters of a word, at least, that a claim may not share with the texts of an item.
CLAIM_LETTERS = 5
#: Number of articles that tell whether a script has capitals.
CAPITAL_ARTICLES = 400
#: Claims that hardly any article makes, by language; the headline is in the place of `{}`.
CLAIMS: dict[str, tuple[str, ...]] = {
    "it": (
        "{}, si dimette il ministro",
        "{}: la procura indaga",
        "{}, rubati due camion",
        "Voci non confermate: {}",
        "Petizione contro il sindaco: {}",
    ),
    "en": (
        "{}, minister resigns",
        "{}: prosecutors investigate",
        "{}, two trucks stolen",
        "Unconfirmed reports: {}",
        "Petition against the mayor: {}",
    ),
}


@dataclass(frozen=True)
class Resources:
    """Hold what an audit reads of a corpus.

    Attributes:
        test: the test set.
        lexicon: the words of the training headlines, for corruptions, and beginnings of training articles.
        language: the code of the language, such as `it` or `en`, or `none`.
        count: the number of articles of the two outlets; None where it does not say.
    """

    test: TestSet
    lexicon: Lexicon
    language: str
    count: int | None = None

    @cached_property
    def capitals(self) -> float | None:
        """Return the share of words with a capital, of those that follow another word; None of too few."""
        return capital_share(self.lexicon.articles[:CAPITAL_ARTICLES])

    @cached_property
    def article_counts(self) -> Counter[str]:
        """Return each folded word to the number of articles that have it."""
        counts: Counter[str] = Counter()
        for article in self.lexicon.articles:
            counts.update(set(words(fold(article))))
        return counts

    def weight(self, word: str, times: int) -> float:
        """Return the tf-idf of a folded word that an article has so many times."""
        rarity = (1 + len(self.lexicon.articles)) / (1 + self.article_counts[word])
        return times * math.log(rarity)

    @property
    def has_capitals(self) -> bool:
        """Tell whether the script has capitals."""
        return self.capitals is None or self.capitals > NO_CAPITALS_SHARE

    @property
    def has_names(self) -> bool:
        """Tell whether capitals show names: not in a script without them, nor where all nouns have them."""
        return self.has_capitals and (self.capitals or 0) <= NOUN_CAPITALS_SHARE


#: A function that makes the wrong headline of an item with a reference, from a random generator and the
#: resources of the corpus. It returns None where it does not apply.
Make = Callable[[Item, np.random.Generator, Resources], str | None]


@dataclass(frozen=True, kw_only=True)
class Perturbation:
    """A kind of headlines that are wrong on purpose.

    Attributes:
        name: its name in files and tables.
        groups: the groups that it belongs to, which say which measures should notice it.
        words: the noun phrase that people read for it.
        plural: whether `words` is a plural.
        description: one sentence that says how the headlines are made.
        spoils: the headline that is changed.
        seen: what judges are trained on that is made in the same way, a corruption or a function of
            `corpus.tasks.negatives`; empty where there is no such thing.
        needs_names: whether it is left out where capitals do not show names, as in German.
        make: the function that makes the headline of an item.
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
        """Return the kind as verdicts on measures use it."""
        return Kind(name=self.name, groups=self.groups, words=self.words, plural=self.plural)

    def true_headline(self, item: Item) -> str:
        """Return the headline of an item that is changed; empty where none is."""
        if self.spoils == "gold":
            return item.reference
        if self.spoils == "original":
            return item.source
        return ""


def _any(several: Sequence[T], random: np.random.Generator) -> T:
    """Draw one of several."""
    return several[int(random.integers(len(several)))]


def _python(random: np.random.Generator) -> Random:
    """Draw a generator of the standard library, which the functions of `negatives` take."""
    return Random(int(random.integers(2**63)))


def _names_spliced_in(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Put the original's names into a random training headline of the other newspaper, in place of its names.

    None is returned where the original has no names, or where none of `MAX_DRAWS` drawn headlines has any.
    """
    names = [item.source[start:end] for start, end in name_runs(item.source)]
    if not names:
        return None
    for _ in range(MAX_DRAWS):
        text = _any(corpus.test.training_headlines[item.target], random)
        places = name_runs(text)[: len(names)]
        if places:
            return _with_parts(text, places, names[: len(places)])
    return None


def _with_parts(text: str, places: Sequence[tuple[int, int]], parts: Sequence[str]) -> str:
    """Return the text with each part in the place of what stands there.

    Args:
        text: the text.
        places: start and end of what is replaced, in the order of the text, without overlaps.
        parts: what is put there, one for each place.
    """
    changes = list(zip(places, parts, strict=True))
    # From the end on: what is replaced does not move the places before it.
    for (start, end), part in reversed(changes):
        text = text[:start] + part + text[end:]
    return text


def _number_mistaken(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Exchange a number of gold for another one of the article of as many digits, written in the same way."""
    text = item.reference
    article = item.article[:BEGINNING_CHARACTERS]
    numbers = numbers_in(text)
    own = {text[start:end] for start, end in numbers}
    others = {article[start:end] for start, end in numbers_in(article)} - own
    changes = []
    for start, end in numbers:
        for other in sorted(others):
            if _without_digits(other) == _without_digits(text[start:end]):
                changes.append(text[:start] + other + text[end:])
    if not changes:
        return None
    return _any(changes, random)


def _without_digits(number: str) -> str:
    """Return how a number is written, with 0 for each digit."""
    return re.sub(r"\d", "0", number)


def _name_mistaken(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Exchange a name of gold for another one that the article has twice or more."""
    article = item.article[:BEGINNING_CHARACTERS]
    names = [name for name in name_pool([article]) if article.count(name) > 1]
    return swap_names(item.reference, _python(random), names)


def _claim_added(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Put a claim around gold that shares no long word with the item's texts; None without such a claim."""
    texts = " ".join((item.source, item.article, item.reference_article))
    present = set(words(fold(texts)))
    new = []
    for claim in CLAIMS.get(corpus.language, ()):
        long_words = {word for word in words(claim) if len(word) >= CLAIM_LETTERS}
        if not long_words & present:
            new.append(claim)
    if not new:
        return None
    return _any(new, random).format(item.reference.rstrip(" .…?!"))


def _half_and_half(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Join the first half of the original and the second half of gold; None where one is too short."""
    source = item.source.split()
    reference = item.reference.split()
    if min(len(source), len(reference)) < 4:
        return None
    return " ".join([*source[: len(source) // 2], *reference[len(reference) // 2 :]])


def _shuffled(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Return the words of gold in another order; None where all orders are alike."""
    parts = item.reference.split()
    if len(set(parts)) < 2:
        return None
    shuffled = parts
    while shuffled == parts:
        shuffled = [parts[place] for place in random.permutation(len(parts))]
    return " ".join(shuffled)


def _one_word_repeated(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Return one word of gold five times, a long one where there is one; None where gold has no words."""
    parts = [part.strip(".,:;!?\"'«»“”") for part in item.reference.split()]
    if not parts:
        return None
    long = [part for part in parts if len(part) >= REPEATED_LETTERS]
    return " ".join([_any(long or parts, random)] * REPETITIONS)


def _key_words_of_article(item: Item, random: np.random.Generator, corpus: Resources) -> str | None:
    """Return the words of the article with the highest tf-idf, as many as gold has."""
    spellings = _spellings(item.article)
    counts = Counter(words(fold(item.article)))
    known = [word for word in counts if word in spellings]
    known.sort(key=lambda word: -corpus.weight(word, counts[word]))
    chosen = known[: len(words(item.reference))]
    return " ".join(spellings[word] for word in chosen) or None


def _spellings(text: str) -> dict[str, str]:
    """Return each folded word of a text to its first spelling.

    Where folding splits a word, as in a compound, its parts are spelled as they are folded.
    """
    spellings: dict[str, str] = {}
    for spelling in dict.fromkeys(re.findall(r"\w+", text)):
        parts = words(fold(spelling))
        if len(parts) == 1:
            spellings.setdefault(parts[0], spelling)
        else:
            for part in parts:
                spellings.setdefault(part, part)
    return spellings


_NO_SENTENCE: tuple[Group, ...] = ("no sentence",)
_NOT_WRITTEN: tuple[Group, ...] = ("not written for this",)
_WRONG: tuple[Group, ...] = ("wrong content",)
_UNCHANGED: tuple[Group, ...] = ("unchanged style",)

_ENTRIES = (
    # These are no sentence.
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
        description=(
            "The words of the article with the highest tf-idf, as many as the other newspaper's headline has."
        ),
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
        words="names copied into another headline",
        plural=True,
        description="Any training headline of the other newspaper, with the original's names for its own.",
        make=_names_spliced_in,
    ),
    # These are gold, but say something else.
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
        description=(
            "The other newspaper's headline with a number exchanged for another one of the article, "
            "of as many digits."
        ),
        spoils="gold",
        seen="swap_numbers",
        make=_number_mistaken,
    ),
    Perturbation(
        name="name mistaken",
        groups=_WRONG,
        words="a name replaced by another one of the article",
        description=(
            "The other newspaper's headline with a name exchanged for another one that the article has "
            "twice or more, a person's or a place's."
        ),
        spoils="gold",
        seen="swap_names",
        needs_names=True,
        make=_name_mistaken,
    ),
    Perturbation(
        name="claim added",
        groups=_WRONG,
        words="a claim that no text makes",
        description=(
            "The other newspaper's headline with a claim behind it or before it "
            "of which no text says anything."
        ),
        spoils="gold",
        make=_claim_added,
    ),
    Perturbation(
        name="half and half",
        groups=_WRONG,
        words="half original, half gold",
        description="The first half of the original and the second half of the other newspaper's headline.",
        spoils="gold",
        seen="spliced",
        make=_half_and_half,
    ),
    # These are the original, hardly changed.
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
        description=(
            "The original and two to six words that are typical of the other newspaper, "
            "anywhere or behind it."
        ),
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
        description=(
            "The original with two to six words exchanged for others that are typical of the other newspaper."
        ),
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
        make=lambda item, random, corpus: next(iterate_sentences(item.article), None),
    ),
)
#: The baselines that nobody wrote for an item. Scoring makes them, and each has a headline for every item.
BASELINES = (
    Kind("lead", groups=_NOT_WRITTEN, words="the article's first words", plural=True),
    Kind("clause", groups=_NOT_WRITTEN, words="a random clause of the article"),
    Kind("random-target", groups=_NOT_WRITTEN, words="any headline of the other newspaper"),
    Kind("copy", groups=(*_NOT_WRITTEN, *_UNCHANGED), words="the unchanged original"),
)
#: The clauses that judges chose. They decide no verdict: what they score depends on how many there were.
FLOOR_KIND = Kind("floor", groups=(), words="the clause that other judges like best")
#: The perturbations by their names, in the order of `audit.json`.
PERTURBATIONS = {kind.name: kind for kind in _ENTRIES}


def perturb(
    items: Sequence[Item], kind: Perturbation, resources: Resources, *, seed: int, at_most: int
) -> list[tuple[int, str]]:
    """Return the headlines of a kind for the first items that it applies to, each with the place of its item.

    Items without a reference are passed over, as are headlines that equal gold or the original. Each item has
    its own random generator, from seed, kind and id, so that no item depends on another.

    Args:
        items: the items, in the order in which they are tried.
        kind: how headlines are made wrong.
        resources: what was read of the corpus.
        seed: the seed of the draws.
        at_most: the most headlines that are made.
    """
    headlines: list[tuple[int, str]] = []
    for place, item in enumerate(items):
        if len(headlines) == at_most:
            break
        if not item.reference:
            continue
        random = np.random.default_rng((seed, zlib.crc32(kind.name.encode()), zlib.crc32(item.id.encode())))
        text = kind.make(item, random, resources)
        if text and text not in (item.reference, item.source):
            headlines.append((place, text))
    return headlines
