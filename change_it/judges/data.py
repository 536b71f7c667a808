"""Training and test data of each judge, from the configs of a corpus; the test is always A2. Fluency learns headlines as printed, and the same ones corrupted."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
import polars as pl

from change_it.corpus.folder import read_all_outlets, read_outlets, read_table
from change_it.corpus.pairing.groups import rng_for
from change_it.corpus.tasks.judges import VALIDATION_SHARE, balanced, held_out, select_fold
from change_it.errors import InputError
from change_it.judges.options import Fold, TrainingSet
from change_it.judges.spec import JUDGES, Task, resolve
from change_it.stats import Ints
from change_it.text.corruptions import CORRUPTIONS, Lexicon, corrupt

#: Articles that vocabularies and document frequencies are taken from.
TEXTS = 20_000
#: Kinds of wrong partners, each of which is a test of HH and AH.
TESTS = ("random", "hard", "near", "facts")
#: The corruptions of test headlines do not depend on the seed of a judge.
TEST_SEED = 1
#: Parts of the training events: the counts that judge a headline leave its own part out.
PARTS = 4
#: Characters of an article that words are counted in.
OPENING = 1200
#: Headlines that are broken to learn from, at most, and how often each.
BROKEN, TIMES = 6000, 2
#: Corruptions that a judge is tested on and does not learn from.
HELD_OUT = ("looped", "neighbours", "reversed_words", "keywords")
#: Corruptions that generators are tempted to, and how many times as often they come first.
TEMPTING, OFTENER = ("style_added", "style_exchanged", "cut_sentence"), 2.0
SEEN, UNSEEN = "seen damage", "unseen damage"
#: Share of the random split of LREC 2020 that is its test (Table 1).
RANDOM_TEST = 0.2


@dataclass(frozen=True, eq=False)
class Examples:
    """Classified texts or pairs of texts."""

    texts: list[str]  # headlines; of hh the first ones
    pairs: list[str] | None  # second headlines or articles; None for judges of single texts
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
    articles: list[str]  # and articles, at most `TEXTS` of both, for vocabularies and document frequencies
    # of fluency alone the part of the training events, 1 to `PARTS`, of each training example; and of each of `headlines` and `articles`
    parts: Ints | None = None
    counted_parts: Ints | None = None

    @cached_property
    def known(self) -> Examples:
        """Training examples, then those of validation."""
        return Examples.joined([self.train, self.validation])

    def without_validation(self) -> "TaskData":
        """Return the same with no validation example, so that what is fitted learns from those of training alone."""
        return replace(self, validation=self.validation.select([]))


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What a judge learns from, besides its task.

    Attributes:
        fold: The fold that it learns from; the test is always all of A2.
        seed: Seed of everything that is drawn.
        train_on: The config that main learns from. random takes four fifths of all articles, as many of each outlet, whatever
            their alignment, and tests on the others.
        as_published: Whether HH and AH learn from `hh_random` and `ah_random`, not from `hh` and `ah`.
    """

    fold: Fold = "all"
    seed: int = 1
    train_on: TrainingSet = "main"
    as_published: bool = False


def load_task(
    task: Task,
    corpus: str,
    *,
    fold: Fold = "all",
    seed: int = 1,
    train_on: TrainingSet = "main",
    as_published: bool = False,
) -> TaskData:
    """Load the examples of a judge from a corpus, by the function of its entry; see `DataOptions`."""
    options = DataOptions(fold=fold, seed=seed, train_on=train_on, as_published=as_published)
    data: TaskData = resolve(JUDGES[task].load)(task, corpus, options)
    return data


def load_main(task: Task, corpus: str, options: DataOptions) -> TaskData:
    """Load headlines with the outlets that wrote them, from the config `train_on` of a corpus or from a random split."""
    outlets = read_outlets(corpus)
    if options.train_on == "random":
        split = random_split(corpus, outlets, options.seed)
        sides = {side: rows.drop("article") for side, rows in split.items()}
        return _task_data(task, corpus, options, outlets, sides, {"gold": sides["test"]})
    sides = {side: read_table(corpus, options.train_on, side) for side in ("train", "validation")}
    sides["test"] = read_table(corpus, task, "test")
    events = read_table(corpus, "articles", "test", ["id", "event"])
    gold = sides["test"].join(events, on="id", how="left", maintain_order="left")
    return _task_data(task, corpus, options, outlets, sides, {"gold": gold})


def load_pairs(task: Task, corpus: str, options: DataOptions) -> TaskData:
    """Load pairs of texts that match or not, from the config of the task; a test for each kind of wrong partners."""
    outlets = read_outlets(corpus)
    config = f"{task}_random" if options.as_published else task
    sides = {side: read_table(corpus, config, side) for side in ("train", "validation")}
    sides["test"] = read_table(corpus, task, "test")
    return _task_data(task, corpus, options, outlets, sides, _by_kind(sides["test"]))


def load_printed(task: Task, corpus: str, options: DataOptions) -> TaskData:
    """Load headlines as printed and broken ones, see `load_fluency`."""
    return load_fluency(corpus, fold=options.fold, seed=options.seed)


def _task_data(
    task: Task,
    corpus: str,
    options: DataOptions,
    outlets: tuple[str, str],
    sides: Mapping[str, pl.DataFrame],
    tests: Mapping[str, pl.DataFrame],
) -> TaskData:
    """Make the data of a judge of its rows for training, validation and test, which need both classes each, and of its tests."""
    train = _examples(select_fold(sides["train"], options.fold))
    validation = _examples(select_fold(sides["validation"], options.fold))
    test = sides["test"]["label"].to_numpy()
    learnt = {*train.labels.tolist(), *validation.labels.tolist()}
    _check_classes(task, corpus, options.fold, "training", train.labels, learnt)
    _check_classes(task, corpus, options.fold, "validation", validation.labels, learnt)
    _check_classes(task, corpus, options.fold, "test", test, {*test.tolist()})
    articles = select_fold(
        read_all_outlets(corpus, "articles", ["headline", "article", "fold"]), options.fold
    )
    sampled = articles.sample(min(TEXTS, articles.height), shuffle=True, seed=options.seed)
    return TaskData(
        outlets,
        train,
        validation,
        tests={name: _examples(rows) for name, rows in tests.items()},
        events={name: rows["event"].to_list() for name, rows in tests.items()},
        headlines=sampled["headline"].to_list(),
        articles=sampled["article"].to_list(),
    )


def _check_classes(task: Task, corpus: str, fold: Fold, part: str, labels: Ints, classes: set[int]) -> None:
    """Refuse a part of a judge's data that is empty, or one of fewer than two classes."""
    if len(labels) and len(classes) >= 2:
        return
    where = "" if fold == "all" else f" in fold {fold}"
    fault = f"the {part} part of {task}{where} lacks a class ({len(labels)} examples)"
    raise InputError(f"{fault}: {corpus} needs more {JUDGES[task].needs}")


def _by_kind(tested: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the wrong partners of each kind with the matching rows; with changed facts those alone that could be changed."""
    tests = {}
    # the text that a headline with changed facts shares with the right one
    same = "headline1" if "headline1" in tested.columns else "article"
    for kind in TESTS:
        right, wrong = tested.filter(kind="match"), tested.filter(kind=kind)
        if kind == "facts":
            right = right.filter(pl.col(same).is_in(wrong[same].implode()))
        if wrong.height:
            tests[kind] = pl.concat([right, wrong])
    return tests


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


def load_fluency(
    corpus: str, *, fold: Fold, seed: int, validation_share: float = VALIDATION_SHARE
) -> TaskData:
    """Load the headlines of a corpus (1) and broken ones (0), of one fold alone; further outlets fill up what is learnt from, up to `BROKEN`.

    Words are counted in `headlines` and `articles`, openings of the same articles, without validation events.
    """
    outlets = read_outlets(corpus)
    columns = ["id", "label", "headline", "article", "fold", "event"]
    train = select_fold(read_all_outlets(corpus, "articles", columns), fold)
    test = read_table(corpus, "articles", "test", columns)
    random = np.random.default_rng((seed, 11))
    events = train["event"].unique().sort()
    ranks = random.permutation(len(events))
    part = {name: int(rank) % PARTS + 1 for name, rank in zip(events, ranks, strict=True)}
    apart = held_out(events, validation_share, np.argsort(ranks))
    train = train.with_columns(
        part=pl.col("event").replace_strict(part, return_dtype=pl.Int64),
        held=pl.col("event").is_in(apart),
        turn=pl.Series(random.permutation(train.height)),
    )
    own = pl.col("label").is_in(outlets)
    counted, validation = train.filter(~pl.col("held")), train.filter(pl.col("held") & own)
    fewest = min(counted.filter(label=name).height for name in outlets)
    alike = (pl.col("turn").rank("ordinal").over("label") <= fewest) | ~own
    learnt = counted.filter(alike).sort(~own, "turn").head(BROKEN)
    if not {*outlets} <= {*test["label"]} or len(learnt) < 2 * PARTS or not len(validation):
        raise InputError(
            f"{corpus} has {train.height} training and {test.height} test headlines: fluency requires more"
        )
    openings = [article[:OPENING] for article in counted["article"]]
    headlines = counted["headline"].to_list()
    lexicon = Lexicon(headlines, counted["label"].to_list(), openings)
    corruptions = [name for name in CORRUPTIONS if name not in HELD_OUT]
    train_rows, rows_of_train = _with_broken(learnt["headline"], corruptions, random, lexicon, times=TIMES)
    validation_rows, _ = _with_broken(validation["headline"], corruptions, random, lexicon)
    tests, events_of = {}, {}
    for name, kinds in ((SEEN, corruptions), (UNSEEN, HELD_OUT)):
        order = np.random.default_rng(TEST_SEED)
        tests[name], rows = _with_broken(test["headline"], kinds, order, lexicon)
        events_of[name] = test["event"][rows].to_list()
    return TaskData(
        outlets,
        train_rows,
        validation_rows,
        tests,
        events_of,
        headlines,
        openings,
        parts=learnt["part"].to_numpy()[rows_of_train],
        counted_parts=counted["part"].to_numpy(),
    )


def _weighted_order(weights: Sequence[float], random: np.random.Generator) -> list[int]:
    """Draw places in an order in which greater weights tend to come first.

    The draws and the order are those of `random.choice(…, replace=False, p=…)`, which checks and sorts arrays for each headline.
    """
    order: list[int] = []
    total = sum(weights)
    shares = [weight / total for weight in weights]
    while len(order) < len(weights):
        ends = list(accumulate(shares))
        ends = [end / ends[-1] for end in ends]
        for drawn in random.random(len(weights) - len(order)).tolist():
            place = bisect_right(ends, drawn)
            if place not in order:
                order.append(place)
        for place in order:
            shares[place] = 0.0
    return order


def _with_broken(
    headlines: Iterable[str],
    corruptions: Sequence[str],
    random: np.random.Generator,
    lexicon: Lexicon,
    times: int = 1,
) -> tuple[Examples, Ints]:
    """Headlines, each followed by itself broken, and the row that each is of."""
    texts, labels, rows = [], [], []
    weights = [OFTENER if name in TEMPTING else 1.0 for name in corruptions]
    for row, headline in enumerate(headlines):
        versions = [headline]
        for _ in range(times):  # by the first corruption in random order that applies; none to a word or two
            order = _weighted_order(weights, random)
            broken = (corrupt(headline, corruptions[place], random, lexicon) for place in order)
            versions += filter(None, [next(filter(None, broken), None)])
        texts += versions
        labels += [1] + [0] * (len(versions) - 1)
        rows += [row] * len(versions)
    return Examples(texts, None, np.array(labels, np.int64)), np.array(rows, np.int64)
