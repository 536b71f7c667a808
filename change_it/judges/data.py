"""Training and test data of each judge: the training sets of EvalNLGEval 2020; the test is always A2.

Where the corpus has further outlets, HH and AH learn from their pairs and articles too, main never.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np
import polars as pl

from change_it.corpus.corpus_options import Negatives as DrawnNegatives
from change_it.corpus.folder import read_all_outlets, read_outlets, read_table
from change_it.corpus.splits import generator
from change_it.corpus.training_sets import (
    VALIDATION_SHARE,
    headline_articles,
    headline_pairs,
    held_out,
    matched,
    of_fold,
    random_split,
)
from change_it.errors import InputError
from change_it.judges.judge_options import Fold, Match, Negatives, Task, TrainingSet
from change_it.judges.negatives import contradict, name_pool
from change_it.stats import Ints
from change_it.text.stopwords import guess_language

#: Test negatives, and the corruptions of validation and test headlines, do not depend on the seed of a judge.
TEST_SEED = 1
#: Articles that vocabularies and document frequencies are taken from.
TEXTS = 20_000
#: What is drawn from the corpus for each kind of negatives; of `facts` what no changed fact could replace.
DRAWN: dict[Negatives, DrawnNegatives] = {
    "random": "random",
    "hard": "hard",
    "facts": "random",
    "mixed": "mixed",
}
#: Share of changed facts among negatives: more of them among mixed ones cost F1 on wrong partners (docs/decisions.md).
FACTS: dict[Negatives, float] = {"random": 0.0, "hard": 0.0, "facts": 1.0, "mixed": 0.1}
TESTS: tuple[Negatives, ...] = ("random", "hard", "facts")
#: Training headlines that new names are taken from.
NAMED = 2000


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
    fold: Fold,
    negatives: Negatives,
    seed: int,
    validation_share: float = VALIDATION_SHARE,
    train_on: TrainingSet = "main",
    match: Match | None = None,
) -> TaskData:
    """Load the corpus and make the examples of one judge; of one fold alone, but the test is all of A2 anyway.

    Validation examples are a share of the articles (main, ah) or pairs (hh) of the training side: an article and its partner are on
    one side. `train_on` is the config that main learns from: train_d and train_m have a validation part of their own, a tenth;
    random takes four fifths of all articles, whatever their alignment, and tests on the others. `match` evens out what main
    learns from, and validates with, event by event and week by week (`training_sets.matched`).
    """
    outlets = read_outlets(corpus)
    articles, pairs, neighbours = (
        {side: read_table(corpus, config, side) for side in ("train", "test")}
        for config in ("articles", "pairs", "neighbours")
    )
    if task != "main":
        articles["train"], pairs["train"] = (read_all_outlets(corpus, name) for name in ("articles", "pairs"))
    facts = ChangedFacts(articles["train"])
    articles["train"], pairs["train"] = (of_fold(rows["train"], fold) for rows in (articles, pairs))
    # balanced, unless the corpus was built otherwise
    even = read_table(corpus, "main" if train_on == "random" else train_on, "train", ["id"])
    others = articles["train"].filter(~pl.col("label").is_in(outlets))
    pool = pl.concat([articles["train"].join(even, on="id", how="semi", maintain_order="left"), others])
    if match:
        pool = articles["train"]
    if train_on == "random":
        pool, articles["test"] = random_split(pl.concat([articles["train"], articles["test"]]), seed)
    if task == "hh":
        pool = pairs["train"].filter(alignment="A1")
    distinct = pool["event"].unique().sort()
    order = generator(seed, "validation").permutation(len(distinct))
    held = pl.col("event").is_in(held_out(distinct, validation_share, order))
    apart = pool.filter(held)
    if train_on in ("train_d", "train_m"):  # LREC 2020 has a validation part of its own
        ids = read_table(corpus, train_on, "validation", ["id"])
        apart = articles["train"].join(ids, on="id", how="semi", maintain_order="left")

    def classified(rows: pl.DataFrame, side: str, kind: Negatives, seed: int) -> pl.DataFrame:
        """Examples of pairs (hh) or articles (ah), with negatives of a kind."""
        drawn = DRAWN[kind]
        if task == "hh":
            examples = headline_pairs(rows, articles[side], neighbours[side], negatives=drawn, seed=seed)
        else:
            examples = headline_articles(rows, neighbours[side], negatives=drawn, seed=seed)
        return facts.replace(examples, FACTS[kind], seed=seed, fill=side == "train")

    if task == "main":
        parts = [pool.join(apart, on="id", how="anti", maintain_order="left"), apart]
        if match:
            parts = [matched(rows, f"match {side}", seed=seed) for side, rows in enumerate(parts)]
        train, validation = (_style_examples(rows, outlets[1]) for rows in parts)
        tests = {"gold": _style_examples(articles["test"], outlets[1])}
        events = {"gold": articles["test"]["event"].to_list()}
    else:
        if task == "hh":
            parts = [classified(rows, "train", negatives, seed) for rows in (pool.filter(~held), apart)]
        else:
            rows = classified(pool, "train", negatives, seed)
            chosen = rows["article"].is_in(apart["article"].to_list())
            parts = [rows.filter(~chosen), rows.filter(chosen)]
        train, validation = map(_pair_examples, parts)
        tested = pairs["test"] if task == "hh" else articles["test"]
        found = {kind: classified(tested, "test", kind, TEST_SEED) for kind in TESTS}
        if found["facts"].is_empty():
            del found["facts"]
        tests = {kind: _pair_examples(rows) for kind, rows in found.items()}
        text, key = ("headline", "headline1") if task == "hh" else ("article", "article")
        event_of = dict(zip(articles["test"][text], articles["test"]["event"], strict=True))
        events = {kind: [event_of[each] for each in rows[key]] for kind, rows in found.items()}
    _check(task, corpus, fold, {"train": train, "validation": validation, **tests})
    sampled = articles["train"].sample(min(TEXTS, articles["train"].height), shuffle=True, seed=seed)
    headlines, texts = sampled["headline"].to_list(), sampled["article"].to_list()
    return TaskData(outlets, train, validation, tests, events, headlines, texts)


class ChangedFacts:
    """Changes facts in headlines; the names are those of training headlines, which are read when they are needed."""

    def __init__(self, train: pl.DataFrame) -> None:
        self.train = train

    @cached_property
    def known(self) -> tuple[str, list[str]]:
        """The language, and names to choose from."""
        headlines = self.train["headline"].gather_every(max(1, self.train.height // NAMED)).to_list()
        return guess_language(headlines), name_pool(headlines)

    def replace(self, rows: pl.DataFrame, share: float, *, seed: int, fill: bool) -> pl.DataFrame:
        """Replace a share of the negatives by positives with one fact changed in their headline, of two in the second; the rows are shuffled anew.

        With `fill` other negatives stay, so that there are as many as before; without, only the positives that could be changed do.
        """
        if not share:
            return rows
        language, names = self.known
        random, shuffle = Random(f"{seed} facts"), generator(seed, "changed facts")
        right, wrong = rows.filter(label=1), rows.filter(label=0)
        pair = ("headline2", "headline1") if "headline2" in rows.columns else ("headline", "article")
        changed: dict[int, str] = {}
        for row in shuffle.permutation(right.height).tolist():
            if len(changed) == round(share * right.height):
                break
            headline, other = (right[name][row] for name in pair)
            text = contradict(headline, other, random, names, language)
            if text is not None:
                changed[row] = text
        chosen, texts = list(changed), pl.Series(pair[0], list(changed.values()), dtype=pl.String)
        new = right[chosen].with_columns(texts, label=pl.lit(0, pl.Int64))
        kept = wrong[np.sort(shuffle.permutation(wrong.height)[: max(0, wrong.height - len(changed))])]
        every = pl.concat([right, kept, new] if fill else [right[chosen], new])
        return every[shuffle.permutation(every.height)]


def _style_examples(articles: pl.DataFrame, second: str) -> Examples:
    labels = (articles["label"] == second).cast(pl.Int64)
    return Examples(articles["headline"].to_list(), None, labels.to_numpy())


def _pair_examples(rows: pl.DataFrame) -> Examples:
    """Examples from rows of `headline1, headline2` or `headline, article`, and `label`."""
    first, second = rows.columns[:2]
    return Examples(rows[first].to_list(), rows[second].to_list(), rows["label"].to_numpy())


def _check(task: Task, corpus: str, fold: Fold, parts: dict[str, Examples]) -> None:
    """Refuse parts that lack a class."""
    for name, examples in parts.items():
        if len(set(examples.labels.tolist())) < 2:
            where = "" if fold == "all" else f" in fold {fold}"
            needs = "aligned pairs (A1, A2)" if task == "hh" else "articles of both outlets"
            raise InputError(
                f"the {name} part of {task}{where} lacks a class ({len(examples)} examples): {corpus} needs more {needs}"
            )
