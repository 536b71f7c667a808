"""Training and test data of each judge, from the configs of a corpus; the test is always A2."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from change_it.corpus.folder import read_all_outlets, read_outlets, read_table
from change_it.corpus.splits import rng_for
from change_it.corpus.training_sets import VALIDATION_SHARE, balanced, of_fold
from change_it.errors import InputError
from change_it.judges.judge_options import Fold, Task, TrainingSet
from change_it.stats import Ints

#: Articles that vocabularies and document frequencies are taken from.
TEXTS = 20_000
#: Kinds of wrong partners, each of which is a test of HH and AH.
TESTS = ("random", "hard", "near", "facts")
#: Share of the random split of LREC 2020 that is its test (Table 1).
RANDOM_TEST = 0.2


@dataclass(frozen=True)
class Examples:
    """Classified texts or text pairs."""

    texts: list[str]  # headlines (the first headline for hh)
    pairs: list[str] | None  # second headlines (hh) or articles (ah); None for main
    labels: Ints  # (n,) 0 or 1

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def joined(cls, parts: Sequence["Examples"]) -> "Examples":
        """Several sets of one task, one after the other."""
        pairs = None if parts[0].pairs is None else [text for part in parts for text in part.pairs or ()]
        texts = [text for part in parts for text in part.texts]
        return cls(texts, pairs, np.concatenate([part.labels for part in parts]))

    def select(self, rows: Sequence[int] | Ints) -> "Examples":
        """The examples at these positions, in this order."""
        texts = [self.texts[row] for row in rows]
        pairs = None if self.pairs is None else [self.pairs[row] for row in rows]
        return Examples(texts, pairs, self.labels[np.asarray(rows, dtype=np.int64)])


@dataclass(frozen=True)
class TaskData:
    """Everything one judge needs."""

    outlets: tuple[str, str]  # short names of A and B
    train: Examples  # examples to learn from
    validation: Examples  # examples held out of the training side, to choose weights
    tests: dict[str, Examples]  # A2: `gold` for main; kinds of negatives for hh and ah
    events: dict[str, list[str]]  # the event of each example of a test; of two headlines that of the first
    headlines: list[str]  # headlines of the training side
    # articles of the training side: at most `TEXTS` of both, for vocabularies and document frequencies
    articles: list[str]

    @property
    def known(self) -> Examples:
        """Training examples, then those of validation."""
        return Examples.joined([self.train, self.validation])

    @property
    def tested(self) -> Examples:
        """The examples of all tests, which share many, one test after the other."""
        return Examples.joined(list(self.tests.values()))


def load_task(
    task: Task,
    corpus: str,
    *,
    fold: Fold = "all",
    seed: int = 1,
    train_on: TrainingSet = "main",
    as_published: bool = False,
) -> TaskData:
    """Load the examples of one judge from the configs of a corpus; of one fold alone, but the test is all of A2 anyway.

    `train_on` is the config that main learns from; random takes four fifths of all articles, as many of each outlet, whatever their
    alignment, and tests on the others. HH and AH learn from `hh` and `ah`, as published from `hh_random` and `ah_random`.
    """
    outlets = read_outlets(corpus)
    config = train_on if task == "main" else f"{task}_random" if as_published else task
    split = random_split(corpus, outlets, seed) if config == "random" else {}

    def read(side: str, config: str, fold: Fold) -> pl.DataFrame:
        return of_fold(split[side].drop("article") if split else read_table(corpus, config, side), fold)

    train, validation = (_examples(read(side, config, fold)) for side in ("train", "validation"))
    tested = {"gold": read("test", task, "all")}
    parts = {
        "training": Examples.joined([train, validation]).labels,
        "test": tested["gold"]["label"].to_numpy(),
    }
    for part, labels in parts.items():
        check_classes(task, corpus, fold, part, labels)
    if task == "main" and not split:
        events = read_table(corpus, "articles", "test", ["id", "event"])
        tested = {"gold": tested["gold"].join(events, on="id", how="left", maintain_order="left")}
    elif task != "main":
        tested = _by_kind(tested["gold"], same="headline1" if task == "hh" else "article")
    articles = of_fold(read_all_outlets(corpus, "articles", ["headline", "article", "fold"]), fold)
    sampled = articles.sample(min(TEXTS, articles.height), shuffle=True, seed=seed)
    return TaskData(
        outlets,
        train,
        validation,
        {name: _examples(rows) for name, rows in tested.items()},
        {name: rows["event"].to_list() for name, rows in tested.items()},
        sampled["headline"].to_list(),
        sampled["article"].to_list(),
    )


def _by_kind(tested: pl.DataFrame, same: str) -> dict[str, pl.DataFrame]:
    """The wrong partners of each kind with the matching rows; with changed facts those alone that could be changed, which share the text `same`."""
    found = {}
    for kind in TESTS:
        right, wrong = tested.filter(kind="match"), tested.filter(kind=kind)
        if kind == "facts":
            right = right.filter(pl.col(same).is_in(wrong[same].implode()))
        if wrong.height:
            found[kind] = pl.concat([right, wrong])
    return found


def random_split(corpus: str, outlets: tuple[str, str], seed: int) -> dict[str, pl.DataFrame]:
    """LREC 2020's random split (Table 1), as many articles of each outlet: a fifth of them is the test, and a random tenth of the others validates."""
    rows = pl.concat(read_table(corpus, "articles", side) for side in ("train", "test"))
    even = balanced(rows, "random", seed=seed)
    mixed = even[rng_for(seed, "random split").permutation(even.height)]
    mixed = mixed.with_columns(label=(pl.col("label") == outlets[1]).cast(pl.Int64))
    tested = round(RANDOM_TEST * mixed.height)
    held = tested + round(VALIDATION_SHARE * (mixed.height - tested))
    return {"test": mixed[:tested], "validation": mixed[tested:held], "train": mixed[held:]}


def _examples(rows: pl.DataFrame) -> Examples:
    """Examples from rows of `headline`, `headline1, headline2` or `headline, article`, and `label`."""
    names = [name for name in ("headline", "headline1", "headline2", "article") if name in rows.columns]
    first, second, *_ = [*(rows[name].to_list() for name in names), None]
    return Examples(first or [], second, rows["label"].to_numpy())


def check_classes(task: Task, corpus: str, fold: Fold, part: str, labels: Ints) -> None:
    """Refuse a part that lacks a class."""
    if len(set(labels.tolist())) < 2:
        where = "" if fold == "all" else f" in fold {fold}"
        needs = "aligned pairs (A1, A2)" if task == "hh" else "articles of both outlets"
        raise InputError(
            f"the {part} part of {task}{where} lacks a class ({len(labels)} examples): {corpus} needs more {needs}"
        )
