"""Load training and test data of each judge from the configs of a corpus; the test is always A2.

Fluency learns from headlines as printed, and from the same ones corrupted.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain

import numpy as np
import polars as pl

from change_it.corpus.folder import read_all_outlets, read_outlets, read_report, read_table
from change_it.corpus.pairing.groups import rng_for
from change_it.corpus.report import PAGE_ON_FEW_PAIRS, ways_to_more_pairs
from change_it.corpus.tasks.judges import VALIDATION_SHARE, balanced, held_out, select_fold
from change_it.errors import InputError
from change_it.files.texts import pluralise
from change_it.judges.options import Fold, TrainingSet
from change_it.judges.spec import JUDGES, LOADS_MAIN, LOADS_PAIRS, Task, resolve, trained_tasks
from change_it.stats import Ints
from change_it.text.corruptions import CORRUPTIONS, Lexicon, corrupt

#: Articles that vocabularies and document frequencies are taken from, at most.
MAX_COUNTED_ARTICLES = 20_000
#: Kinds of second texts that do not match the first one. Each is a test of HH and AH.
KINDS_OF_PARTNERS = ("random", "hard", "near", "facts")
#: Seed of the corruptions of test headlines, whatever the seed of a judge.
TEST_SEED = 1
#: Parts into which fluency's training events are divided. A headline is learnt from by counts of n-grams that
#: leave its own part out.
PARTS = 4
#: Characters of an article that words are counted in.
COUNTED_CHARACTERS = 1200
#: Headlines that are broken to learn from, at most.
MAX_BROKEN_HEADLINES = 6000
#: Times that each headline is broken.
TIMES_BROKEN = 2
#: Corruptions that a judge is tested on and does not learn from.
HELD_OUT = ("looped", "neighbours", "reversed_words", "keywords")
#: Corruptions that generators are tempted to.
TEMPTING = ("style_added", "style_exchanged", "cut_sentence")
#: How many times as often as others a tempting corruption comes first.
TEMPTING_WEIGHT = 2.0
#: Fluency's test of the corruptions that it learns from.
SEEN = "seen damage"
#: Fluency's test of the corruptions that it does not learn from.
UNSEEN = "unseen damage"
#: Share of the random split of LREC 2020 that is its test (Table 1).
RANDOM_TEST_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Examples:
    """Classified texts or pairs of texts.

    Attributes:
        texts: Headlines; of hh the first ones.
        pairs: Second headlines or articles; None for judges of single texts.
        labels: Classes, 0 or 1, (n,).
    """

    texts: list[str]
    pairs: list[str] | None
    labels: Ints

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def joined(cls, parts: Sequence["Examples"]) -> "Examples":
        """Join several sets of one task, one after the other."""
        texts = list(chain.from_iterable(part.texts for part in parts))
        pairs = None
        if parts[0].pairs is not None:
            pairs = list(chain.from_iterable(part.pairs or () for part in parts))
        return cls(texts, pairs, np.concatenate([part.labels for part in parts]))

    def select(self, rows: Sequence[int] | Ints) -> "Examples":
        """Return the examples at these positions, in this order."""
        texts = [self.texts[row] for row in rows]
        pairs = None
        if self.pairs is not None:
            pairs = [self.pairs[row] for row in rows]
        return Examples(texts, pairs, self.labels[np.asarray(rows, dtype=np.int64)])


@dataclass(frozen=True)
class TaskData:
    """Everything one judge needs.

    Attributes:
        outlets: Short names of A and B.
        train: Examples to learn from.
        validation: Examples held out of the training side, to choose weights.
        tests: Name of a test to its examples in A2: `gold` for main, kinds of wrong partners for hh and ah,
            kinds of damage for fluency.
        events: Name of a test to the event of each of its examples; of two headlines that of the first.
        headlines: Headlines of the training side that words are counted in.
        articles: Their articles, at most `MAX_COUNTED_ARTICLES`.
        parts: For fluency alone, the part of the training events of each training example, 1 to `PARTS`.
        counted_parts: For fluency alone, the part of each of `headlines`, and so of each of `articles`.
    """

    outlets: tuple[str, str]
    train: Examples
    validation: Examples
    tests: dict[str, Examples]
    events: dict[str, list[str]]
    headlines: list[str]
    articles: list[str]
    parts: Ints | None = None
    counted_parts: Ints | None = None

    @cached_property
    def train_and_validation(self) -> Examples:
        """Return the training examples, then those of validation."""
        return Examples.joined([self.train, self.validation])

    def without_validation(self) -> "TaskData":
        """Return the same with no validation example, so that what is fitted learns from training alone."""
        return replace(self, validation=self.validation.select([]))


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """What a judge learns from, besides its task.

    Attributes:
        fold: The fold that it learns from; the test is always all of A2.
        seed: Seed of everything that is drawn.
        train_on: The config that main learns from. random takes four fifths of all articles, as many of each
            outlet, whatever their alignment, and tests on the others.
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
    """Load headlines with the outlets that wrote them, from the config `train_on` or from a random split."""
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
    """Load pairs of texts that match or not, and a test for each kind of wrong partners."""
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
    """Make the data of a judge, after a check that each part of it has both classes.

    Args:
        task: The judge.
        corpus: Corpus folder, or its id on the Hub.
        options: What it learns from.
        outlets: Short names of A and B.
        sides: Rows for train, validation and test.
        tests: Name of a test to its rows.
    """
    _check_classes(task, corpus, options.fold, sides)
    train = _examples(select_fold(sides["train"], options.fold))
    validation = _examples(select_fold(sides["validation"], options.fold))
    every_article = read_all_outlets(corpus, "articles", ["headline", "article", "fold"])
    articles = select_fold(every_article, options.fold)
    count = min(MAX_COUNTED_ARTICLES, articles.height)
    sampled = articles.sample(count, shuffle=True, seed=options.seed)
    return TaskData(
        outlets=outlets,
        train=train,
        validation=validation,
        tests={name: _examples(rows) for name, rows in tests.items()},
        events={name: rows["event"].to_list() for name, rows in tests.items()},
        headlines=sampled["headline"].to_list(),
        articles=sampled["article"].to_list(),
    )


def check_enough_pairs(corpus: str, folds: Sequence[Fold]) -> None:
    """Refuse a corpus of which a judge of a newspaper or of a match lacks examples, before any is trained.

    Raises:
        InputError: main, HH or AH has no training or validation examples in a fold, or none of a class.
    """
    report = read_report(corpus)
    for task in trained_tasks():
        if JUDGES[task].load not in (LOADS_MAIN, LOADS_PAIRS):
            continue
        sides = {}
        for side in ("train", "validation", "test"):
            columns = ["label"] if side == "test" else ["label", "fold"]
            if report is not None and side not in report.rows_by_config.get(task, {}):
                sides[side] = pl.DataFrame(schema=dict.fromkeys(columns, pl.Int64))
            else:
                sides[side] = read_table(corpus, task, side, columns)
        for fold in folds:
            _check_classes(task, corpus, fold, sides)


def _check_classes(task: Task, corpus: str, fold: Fold, sides: Mapping[str, pl.DataFrame]) -> None:
    """Refuse the data of a judge of which a part is empty or lacks a class.

    Training and validation must each have examples, and together both classes.

    Args:
        task: The judge.
        corpus: Corpus folder, or its id on the Hub.
        fold: The fold that is learnt from.
        sides: Rows for train, validation and test, each with its `label`.
    """
    train = select_fold(sides["train"], fold)["label"].to_list()
    validation = select_fold(sides["validation"], fold)["label"].to_list()
    test = sides["test"]["label"].to_list()
    learnt = {*train, *validation}
    parts = (("training", train, learnt), ("validation", validation, learnt), ("test", test, {*test}))
    for part, labels, classes in parts:
        if not labels or len(classes) < 2:
            where = "" if fold == "all" or part == "test" else f" in fold {fold}"
            examples = f"{part} examples of one class alone" if labels else f"no {part} example"
            raise _too_few(corpus, f"{JUDGES[task].short} has {examples}{where}", task)


def _too_few(corpus: str, fault: str, task: Task) -> InputError:
    """Return the error of a corpus on which judges cannot be trained, with what to do."""
    report = read_report(corpus)
    if report is None:
        return InputError(f"{fault}: {corpus} needs more {JUDGES[task].needs}")
    pairs = report.pairs.kept
    found = f"{pluralise(pairs['A1'], 'training pair')} and {pluralise(pairs['A2'], 'test pair')}"
    ways = ways_to_more_pairs(report)
    give = f"give, in this order, {', '.join(ways)}" if len(ways) > 1 else f"give {ways[0]}"
    return InputError(f"{found} are too few to train judges ({fault}): {give} ({PAGE_ON_FEW_PAIRS})")


def _by_kind(tested: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return for each kind of wrong partners its rows behind the matching ones.

    Not every headline has a fact that can be changed. Beside changed facts stand the matching rows of those
    headlines that have one.
    """
    tests = {}
    # the text that a headline with changed facts shares with the right one
    same = "headline1" if "headline1" in tested.columns else "article"
    for kind in KINDS_OF_PARTNERS:
        right = tested.filter(kind="match")
        wrong = tested.filter(kind=kind)
        if kind == "facts":
            right = right.filter(pl.col(same).is_in(wrong[same].implode()))
        if wrong.height:
            tests[kind] = pl.concat([right, wrong])
    return tests


def random_split(corpus: str, outlets: tuple[str, str], seed: int) -> dict[str, pl.DataFrame]:
    """Split all articles at random, as many of each outlet, as LREC 2020 does (Table 1).

    Returns:
        test, a fifth of the articles; validation, a tenth of the others; and train. `label` is 0 or 1.
    """
    rows = pl.concat(read_table(corpus, "articles", side) for side in ("train", "test"))
    even = balanced(rows, "random", seed=seed)
    order = rng_for(seed, "random split").permutation(even.height)
    is_of_b = pl.col("label") == outlets[1]
    mixed = even[order].with_columns(label=is_of_b.cast(pl.Int64))
    test_size = round(RANDOM_TEST_SHARE * mixed.height)
    known = mixed[test_size:]
    validation_size = round(VALIDATION_SHARE * known.height)
    return {
        "test": mixed[:test_size],
        "validation": known[:validation_size],
        "train": known[validation_size:],
    }


def _examples(rows: pl.DataFrame) -> Examples:
    """Return examples of rows of `headline`, `headline1, headline2` or `headline, article`, and `label`."""
    texts = []
    for name in ("headline", "headline1", "headline2", "article"):
        if name in rows.columns:
            texts.append(rows[name].to_list())
    pairs = texts[1] if len(texts) == 2 else None
    return Examples(texts[0], pairs, rows["label"].to_numpy())


def load_fluency(
    corpus: str, *, fold: Fold, seed: int, validation_share: float = VALIDATION_SHARE
) -> TaskData:
    """Load the headlines of one fold of a corpus (class 1), and the same ones broken (class 0).

    Headlines of further outlets are added up to `MAX_BROKEN_HEADLINES`. Words are counted in headlines and in
    the openings of their articles. Validation events are not counted.
    """
    outlets = read_outlets(corpus)
    columns = ["id", "label", "headline", "article", "fold", "event"]
    articles = select_fold(read_all_outlets(corpus, "articles", columns), fold)
    test = read_table(corpus, "articles", "test", columns)
    random = np.random.default_rng((seed, 11))
    articles = _with_parts(articles, validation_share, random)
    counted = articles.filter(~pl.col("is_held"))
    validation = articles.filter(pl.col("is_held") & pl.col("label").is_in(outlets))
    learnt = _headlines_to_break(counted, outlets)
    has_both = {*outlets} <= {*test["label"]}
    if not has_both or learnt.height < 2 * PARTS or validation.is_empty():
        raise InputError(
            f"{corpus} has {articles.height} training and {test.height} test headlines: fluency requires more"
        )
    openings = [article[:COUNTED_CHARACTERS] for article in counted["article"]]
    headlines = counted["headline"].to_list()
    lexicon = Lexicon(headlines, counted["label"].to_list(), openings)
    seen = [name for name in CORRUPTIONS if name not in HELD_OUT]
    train_examples, train_rows = _with_broken(learnt["headline"], seen, random, lexicon, times=TIMES_BROKEN)
    validation_examples, _ = _with_broken(validation["headline"], seen, random, lexicon)
    tests = {}
    events = {}
    corruptions_of_tests = {SEEN: seen, UNSEEN: HELD_OUT}
    for name, corruptions in corruptions_of_tests.items():
        test_random = np.random.default_rng(TEST_SEED)
        tests[name], test_rows = _with_broken(test["headline"], corruptions, test_random, lexicon)
        events[name] = test["event"][test_rows].to_list()
    return TaskData(
        outlets=outlets,
        train=train_examples,
        validation=validation_examples,
        tests=tests,
        events=events,
        headlines=headlines,
        articles=openings,
        parts=learnt["part"].to_numpy()[train_rows],
        counted_parts=counted["part"].to_numpy(),
    )


def _with_parts(articles: pl.DataFrame, validation_share: float, random: np.random.Generator) -> pl.DataFrame:
    """Draw for each article its part, whether it is for validation, and its turn.

    Returns:
        The articles with three more columns. `part`, 1 to `PARTS`, and `is_held`, whether it is for
        validation, are the same for all articles of an event. `turn` is the place in a random order.
    """
    events = articles["event"].unique().sort()
    ranks = random.permutation(len(events))
    part_of_event = {}
    for event, rank in zip(events, ranks.tolist(), strict=True):
        part_of_event[event] = rank % PARTS + 1
    held_events = held_out(events, validation_share, np.argsort(ranks))
    turns = random.permutation(articles.height)
    column = pl.col("event")
    return articles.with_columns(
        part=column.replace_strict(part_of_event, return_dtype=pl.Int64),
        is_held=column.is_in(held_events),
        turn=pl.Series(turns),
    )


def _headlines_to_break(articles: pl.DataFrame, outlets: tuple[str, str]) -> pl.DataFrame:
    """Return articles to learn from, at most `MAX_BROKEN_HEADLINES`.

    First come as many of outlet A as of B, then those of further outlets. Both are in the order of `turn`.
    """
    is_own = pl.col("label").is_in(outlets)
    fewest = min(articles.filter(label=outlet).height for outlet in outlets)
    place = pl.col("turn").rank("ordinal").over("label")
    chosen = articles.filter((place <= fewest) | ~is_own)
    return chosen.sort(~is_own, "turn").head(MAX_BROKEN_HEADLINES)


def _weighted_order(weights: Sequence[float], random: np.random.Generator) -> list[int]:
    """Draw places in an order in which greater weights tend to come first.

    The draws and the order are those of `random.choice(…, replace=False, p=…)`, which checks and sorts arrays
    for each headline.
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
    """Break headlines.

    Args:
        headlines: What was printed.
        corruptions: What may be done to it; tempting corruptions come first more often.
        random: What the corruptions are drawn by.
        lexicon: Words that corruptions put in.
        times: How often each headline is broken.

    Returns:
        Each headline (1), followed by itself broken (0) where a corruption applies; and for each example the
        position of its headline.
    """
    weights = [TEMPTING_WEIGHT if name in TEMPTING else 1.0 for name in corruptions]
    texts: list[str] = []
    labels: list[int] = []
    rows: list[int] = []
    for row, headline in enumerate(headlines):
        texts.append(headline)
        labels.append(1)
        rows.append(row)
        for _ in range(times):
            broken = _broken(headline, corruptions, weights, random, lexicon)
            if broken:
                texts.append(broken)
                labels.append(0)
                rows.append(row)
    return Examples(texts, None, np.array(labels, np.int64)), np.array(rows, np.int64)


def _broken(
    headline: str,
    corruptions: Sequence[str],
    weights: Sequence[float],
    random: np.random.Generator,
    lexicon: Lexicon,
) -> str | None:
    """Break a headline by the first corruption in a random order that applies; none does to a word or two."""
    for place in _weighted_order(weights, random):
        broken = corrupt(headline, corruptions[place], random, lexicon)
        if broken:
            return broken
    return None
