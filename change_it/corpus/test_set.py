"""Items to score, the test articles of a corpus, each headline to be transferred to the other outlet; and systems that did."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from change_it.corpus.folder import TEST_ARTICLES, digest_of, hashes_of_test_articles, read_table
from change_it.errors import InputError
from change_it.text.folding import composed

if TYPE_CHECKING:
    pass

#: The system that is the other outlet's own headline, and so its own reference.
GOLD = "gold"
#: Sentences and clauses of the article: the one that judges of the other fold choose, and all in turn.
FLOOR, CLAUSE = "floor", "clause"
#: The systems of every table, below those of prediction files; these cannot take their names.
BUILT_IN = (FLOOR, CLAUSE, GOLD, "lead", "copy", "random-target")
_PARTS = ("id", "headline", "article")


@dataclass(frozen=True, slots=True)
class Item:
    """A headline to transfer, with its new headline once there is one."""

    id: str  # of the original article
    label: str  # outlet that the original comes from
    target: str  # outlet aimed at
    source: str  # the original headline
    article: str  # the original article
    reference: str = ""  # the target outlet's headline about the same event, empty where there is none
    reference_article: str = ""  # the target outlet's article about it, empty where there is none
    prediction: str = ""  # the new headline, composed; empty where there is none
    error: str = ""  # why there is no new headline
    event: str = ""  # id of the event in the corpus, which intervals and tests draw

    def __post_init__(self) -> None:
        object.__setattr__(self, "prediction", composed(self.prediction))

    @property
    def direction(self) -> str:
        """`{from}2{to}`."""
        return f"{self.label}2{self.target}"


@dataclass(frozen=True)
class TestSet:
    """The items of a corpus, all of direction A to B first."""

    __test__ = False  # not a pytest class

    items: tuple[Item, ...]  # what is scored; in `read_test_set` each has an id of its own
    outlets: tuple[str, str]  # short names of A and B
    training_headlines: dict[str, tuple[str, ...]]  # per outlet, the headlines outside A2
    name: str  # the corpus, as it was given
    digest: str = ""  # of the corpus (`corpus.folder.digest_of`); empty without one

    @cached_property
    def events(self) -> NDArray[np.str_]:
        """(n,) the event of each item, as the corpus has it."""
        return np.array([item.event for item in self.items])

    @property
    def in_newspaper(self) -> "TestSet":
        """The same articles with headlines of their own outlet as the aim (LREC 2020, settings 1 and 2): the original is the reference."""
        own = [replace(item, target=item.label, reference=item.source) for item in self.items]
        return replace(self, items=tuple(replace(item, reference_article="") for item in own))

    def predicted(self, predictions: Sequence[str | None]) -> list[Item]:
        """The items with these n new headlines, without those that have None."""
        new = zip(self.items, predictions, strict=True)
        return [replace(item, prediction=text) for item, text in new if text is not None]


def directions_in_turn(items: Sequence[Item], seed: int) -> list[Item]:
    """The items in a random order, the directions in turn."""
    of_direction: dict[str, list[Item]] = {}
    for index in np.random.default_rng(seed).permutation(len(items)).tolist():
        of_direction.setdefault(items[index].direction, []).append(items[index])
    turns = zip_longest(*(of_direction[direction] for direction in sorted(of_direction)))
    return [item for turn in turns for item in turn if item is not None]


def read_test_set(corpus: str) -> TestSet:
    """Read the test articles, with their partners where they have one, and the training headlines of a corpus (folder or Hub id).

    For the items see `read_items`.
    """
    items, outlets = read_items(corpus)
    training = read_table(corpus, "articles", "train", ["label", "headline"])
    headlines = {name: tuple(training.filter(label=name)["headline"]) for name in outlets}
    digest = digest_of(hashes_of_test_articles(corpus))
    return TestSet(items, outlets, headlines, corpus, digest)


def read_items(corpus: str) -> tuple[tuple[Item, ...], tuple[str, str]]:
    """Read the test articles of a corpus (folder or Hub id), with their partners where they have one, and the names of its outlets.

    An article in several pairs keeps its most similar partner. Articles in no pair, those of the config `test_articles`
    among them, come last in their direction and have no reference.
    """
    columns = ["similarity", "event", *(f"{side}_{part}" for side in "ab" for part in _PARTS)]
    import polars as pl

    pairs = read_table(corpus, "pairs", "test", columns)
    columns = ["label", "event", *_PARTS]
    articles = read_table(corpus, "articles", "test", columns)
    alone = read_table(corpus, TEST_ARTICLES, "test", columns)
    if pairs.is_empty():
        raise InputError(
            f"the corpus {corpus} has no A2 pairs to score: build it with lower thresholds or more articles"
        )
    labels = dict(articles.select("id", "label").iter_rows())
    first = pairs.row(0, named=True)
    if first["a_id"] not in labels or first["b_id"] not in labels:
        raise InputError(f"the corpus {corpus} lacks the articles of its A2 pairs: build it again")
    outlets = str(labels[first["a_id"]]), str(labels[first["b_id"]])
    best = pairs.sort("similarity", descending=True, maintain_order=True)
    items = []
    for side, other, (label, target) in (("a", "b", outlets), ("b", "a", outlets[::-1])):
        paired = best.unique(f"{side}_id", keep="first", maintain_order=True)
        parts = [f"{side}_{part}" for part in _PARTS] + [f"{other}_{part}" for part in _PARTS[1:]]
        in_test = pl.concat([articles, alone]).filter(label=label).select("event", *_PARTS)
        single = in_test.join(paired, left_on="id", right_on=f"{side}_id", how="anti", maintain_order="left")
        for event, id_, *texts in (*paired.select("event", *parts).iter_rows(), *single.iter_rows()):
            items.append(replace(Item(str(id_), label, target, *texts), event=str(event)))
    return tuple(items), outlets
