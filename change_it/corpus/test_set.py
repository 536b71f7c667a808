"""Read the test items of a corpus: headlines that are to be rewritten for the other outlet."""

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
    import polars as pl

#: The system that is the other outlet's own headline, and so its own reference.
GOLD = "gold"
#: The system of the sentence or clause of the article that judges of the other fold choose.
FLOOR = "floor"
#: The system of all sentences and clauses of the article in turn.
CLAUSE = "clause"
#: The systems of every table, below those of prediction files; these cannot take their names.
BUILT_IN = (FLOOR, CLAUSE, GOLD, "lead", "copy", "random-target")
#: Those beside gold whose headlines a newspaper printed.
PRINTED = ("copy", "random-target")
#: What is read of an article.
_PARTS = ("id", "headline", "article")
#: What is read of a pair.
_PAIR_COLUMNS = [
    "similarity",
    "event",
    "a_id",
    "a_headline",
    "a_article",
    "b_id",
    "b_headline",
    "b_article",
]


@dataclass(frozen=True, slots=True)
class Item:
    """A headline that is to be rewritten, with its new headline once there is one.

    Attributes:
        id: id of the original article.
        label: outlet that the original comes from.
        target: outlet aimed at.
        source: the original headline.
        article: the original article.
        reference: the target outlet's headline about the same event; empty where there is none.
        reference_article: the target outlet's article about it; empty where there is none.
        prediction: the new headline, in composed Unicode; empty where there is none.
        error: why there is no new headline.
        event: id of the event in the corpus, which intervals and tests draw.
    """

    id: str
    label: str
    target: str
    source: str
    article: str
    reference: str = ""
    reference_article: str = ""
    prediction: str = ""
    error: str = ""
    event: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "prediction", composed(self.prediction))

    @property
    def direction(self) -> str:
        """Return `{from}2{to}`."""
        return f"{self.label}2{self.target}"


@dataclass(frozen=True)
class TestSet:
    """The items of a corpus, all of direction A to B first.

    Attributes:
        items: what is scored; those of `read_test_set` have an id of their own each.
        outlets: short names of A and B.
        training_headlines: outlet to the headlines of its articles outside A2.
        name: the corpus, as it was given.
        digest: tells the test articles of this corpus from those of another one; empty without a corpus.
    """

    # pytest takes it for a test class otherwise
    __test__ = False

    items: tuple[Item, ...]
    outlets: tuple[str, str]
    training_headlines: dict[str, tuple[str, ...]]
    name: str
    digest: str = ""

    @cached_property
    def events(self) -> NDArray[np.str_]:
        """Return the event of each item, (n,), as the corpus has it."""
        return np.array([item.event for item in self.items])

    @property
    def in_newspaper(self) -> "TestSet":
        """Return the same articles with their own outlet as the target (LREC 2020, settings 1 and 2).

        The original is the reference.
        """
        own = []
        for item in self.items:
            own.append(replace(item, target=item.label, reference=item.source, reference_article=""))
        return replace(self, items=tuple(own))

    def predicted(self, predictions: Sequence[str | None]) -> list[Item]:
        """Return the items with n new headlines, without the items that have None."""
        items = []
        for item, text in zip(self.items, predictions, strict=True):
            if text is not None:
                items.append(replace(item, prediction=text))
        return items


def directions_in_turn(items: Sequence[Item], seed: int) -> list[Item]:
    """Return the items in a random order in which the directions take turns."""
    of_direction: dict[str, list[Item]] = {}
    for index in np.random.default_rng(seed).permutation(len(items)).tolist():
        of_direction.setdefault(items[index].direction, []).append(items[index])
    directions = [of_direction[direction] for direction in sorted(of_direction)]
    in_turn = []
    for turn in zip_longest(*directions):
        in_turn += [item for item in turn if item is not None]
    return in_turn


def read_test_set(corpus: str) -> TestSet:
    """Read the test items of a corpus (folder or Hub id) with `read_items`, and its training headlines."""
    items, outlets = read_items(corpus)
    training = read_table(corpus, "articles", "train", ["label", "headline"])
    headlines = {name: tuple(training.filter(label=name)["headline"]) for name in outlets}
    digest = digest_of(hashes_of_test_articles(corpus))
    return TestSet(items, outlets, headlines, corpus, digest)


def read_items(corpus: str) -> tuple[tuple[Item, ...], tuple[str, str]]:
    """Read the test articles of a corpus (folder or Hub id) as items, and the names of its outlets.

    An article in several pairs keeps its most similar partner. Articles in no pair, those of the config
    `test_articles` among them, come last in their direction and have no reference.

    Raises:
        InputError: the corpus has no test pairs, or lacks their articles.
    """
    import polars as pl

    pairs = read_table(corpus, "pairs", "test", _PAIR_COLUMNS)
    articles = read_table(corpus, "articles", "test", ["label", "event", *_PARTS])
    alone = read_table(corpus, TEST_ARTICLES, "test", ["label", "event", *_PARTS])
    if pairs.is_empty():
        raise InputError(
            f"the corpus {corpus} has no A2 pairs to score: build it with lower thresholds or more articles"
        )
    labels = dict(articles.select("id", "label").iter_rows())
    first = pairs.row(0, named=True)
    if first["a_id"] not in labels or first["b_id"] not in labels:
        raise InputError(f"the corpus {corpus} lacks the articles of its A2 pairs: build it again")
    a = str(labels[first["a_id"]])
    b = str(labels[first["b_id"]])
    best_first = pairs.sort("similarity", descending=True, maintain_order=True)
    all_articles = pl.concat([articles, alone])
    items = [
        *_items_of(best_first, all_articles.filter(label=a), side="a", other="b", outlets=(a, b)),
        *_items_of(best_first, all_articles.filter(label=b), side="b", other="a", outlets=(b, a)),
    ]
    return tuple(items), (a, b)


def _items_of(
    pairs: "pl.DataFrame", articles: "pl.DataFrame", *, side: str, other: str, outlets: tuple[str, str]
) -> list[Item]:
    """Return the items of one outlet: those with a partner, then those without.

    Args:
        pairs: test pairs, best first.
        articles: test articles of the outlet.
        side: `a` or `b`, the originals' side of the pairs.
        other: the other side.
        outlets: the outlet of the originals and the one aimed at.
    """
    label, target = outlets
    paired = pairs.unique(f"{side}_id", keep="first", maintain_order=True)
    own_parts = [f"{side}_{part}" for part in _PARTS]
    parts = [*own_parts, f"{other}_headline", f"{other}_article"]
    single = articles.join(paired, left_on="id", right_on=f"{side}_id", how="anti", maintain_order="left")
    items = []
    for row in paired.select("event", *parts).iter_rows():
        event, id_, source, article, reference, reference_article = row
        item = Item(
            id=str(id_),
            label=label,
            target=target,
            source=source,
            article=article,
            reference=reference,
            reference_article=reference_article,
            event=str(event),
        )
        items.append(item)
    for event, id_, source, article in single.select("event", *_PARTS).iter_rows():
        item = Item(id=str(id_), label=label, target=target, source=source, article=article, event=str(event))
        items.append(item)
    return items
