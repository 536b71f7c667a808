"""Make the sets that judges and generators learn from, of the tables `articles` and `pairs`.

Who trains on what: EvalNLGEval 2020 §3; LREC 2020 §4.1 for train-D, train-M and the agnostic generator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.corpus.pairing.groups import components, rng_for
from change_it.corpus.reading.article import OTHER, Outlets
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.tasks.negatives import contradict, name_pool

#: Config → split → rows.
Tables = dict[str, dict[str, pl.DataFrame]]

#: Share of the training rows that validate.
VALIDATION_SHARE = 0.1
#: Share of changed facts among the negatives of HH and AH: more of them cost F1 on wrong partners
#: (docs/decisions.md).
FACTS_SHARE = 0.1
#: Share of hard negatives among the negatives of HH and AH.
_HARD_SHARE = 0.5
#: Training headlines that new names are taken from, at least.
_HEADLINES_WITH_NAMES = 2000


class DrawExamples(Protocol):
    """Make matching and mismatched examples: `headline_pairs` or `headline_articles`."""

    def __call__(
        self, rows: pl.DataFrame, nearest: pl.DataFrame, /, *, hard: float, seed: int
    ) -> pl.DataFrame:
        """Return the examples of rows, with a share of hard negatives.

        `nearest` has columns `id` and `near`, the headline of the nearest wrong article. `hard` is the share,
        0 to 1.
        """
        ...


@dataclass(frozen=True)
class MatchTask:
    """What the sets of HH or AH are made of.

    Attributes:
        name: `hh` or `ah`.
        draw: makes examples of rows.
        known: pairs or articles that are trained and validated on.
        nearest: `id` and the headline `near` of the nearest wrong article, of what is known.
        tested: pairs or articles that are tested.
        nearest_tested: the same as `nearest`, of what is tested.
    """

    name: str
    draw: DrawExamples
    known: pl.DataFrame
    nearest: pl.DataFrame
    tested: pl.DataFrame
    nearest_tested: pl.DataFrame


@dataclass(frozen=True)
class FactChanger:
    """Change facts in headlines, as in FactCC (Kryscinski et al. 2020).

    Attributes:
        names: put in the place of others, see `name_pool`.
        language: language of the headlines, or `none`.
        seed: seed of the choices.
    """

    names: Sequence[str]
    language: str
    seed: int

    def change(self, right: pl.DataFrame, count: int) -> pl.DataFrame:
        """Return up to `count` matching rows with one fact changed, so that they no longer match.

        It is changed in the headline, or in the second one of two.
        """
        text = "headline"
        other = "article"
        if "headline2" in right.columns:
            text = "headline2"
            other = "headline1"
        random = Random(f"{self.seed} facts")
        changed: dict[int, str] = {}
        for row in rng_for(self.seed, "changed facts").permutation(right.height).tolist():
            if len(changed) == count:
                break
            new = contradict(right[text][row], right[other][row], random, self.names, self.language)
            if new is not None:
                changed[row] = new
        texts = pl.Series(text, list(changed.values()), dtype=pl.String)
        return right[list(changed)].with_columns(texts, label=pl.lit(0, pl.Int64), kind=pl.lit("facts"))


def training_sets(
    base: Tables, neighbours: pl.DataFrame, outlets: Outlets, nearest: pl.DataFrame, options: BuildOptions
) -> Tables:
    """Make all configs that are learnt from.

    Args:
        base: the configs `articles` and `pairs`.
        neighbours: the wrong articles that `leak_check.find_neighbours` finds, with the column `id`.
        outlets: A and B.
        nearest: columns `id` and `nearest`, the highest cosine with an article of the other outlet.
        options: language, thresholds and seed.
    """
    articles = base["articles"]
    pairs = base["pairs"]
    seed = options.seed
    train = articles["train"]
    test = articles["test"]
    all_outlets = pl.concat([train, articles[OTHER]])
    a1 = pairs["train"].filter(alignment="A1")
    a3 = pairs["train"].filter(alignment="A3")
    strict = pl.concat([a1, pairs[OTHER]])
    is_held_out = pl.col("event").is_in(_validation_events(all_outlets, strict, seed).implode())
    sides = {"train": ~is_held_out, "validation": is_held_out}

    balanced_train = balanced(train, "main", seed=seed)
    tables: Tables = {"main": {}}
    for side, rule in sides.items():
        rows = _headlines(balanced_train.filter(rule), outlets)
        tables["main"][side] = _in_random_order(rows, "main", seed)
    tables["main"]["test"] = _headlines(test, outlets)

    facts = FactChanger(_names(all_outlets["headline"]), options.language or "none", seed)
    own_articles = pl.concat([balanced_train, articles[OTHER]])
    hh = MatchTask(
        name="hh",
        draw=headline_pairs,
        known=strict,
        nearest=_nearest_headlines(neighbours, "other_id", all_outlets),
        tested=pairs["test"],
        nearest_tested=_nearest_headlines(neighbours, "other_id", test),
    )
    ah = MatchTask(
        name="ah",
        draw=headline_articles,
        known=own_articles,
        nearest=_nearest_headlines(neighbours, "own_id", own_articles),
        tested=test,
        nearest_tested=_nearest_headlines(neighbours, "own_id", test),
    )
    for task in (hh, ah):
        tables[f"{task.name}_random"] = _random_sets(task, sides, seed)
        tables[task.name] = _mixed_sets(task, sides, facts, seed)
        tests = _tests(task, tables[f"{task.name}_random"]["test"], facts, seed)
        if task is hh:
            near = _nearest_headlines(neighbours, "near_id", test)
            tests.append(_hard_negatives(hh, near, seed).with_columns(kind=pl.lit("near")))
        tables[task.name]["test"] = _in_random_order(pl.concat(tests), task.name, seed)

    with_nearest = train.join(nearest, on="id", how="left", maintain_order="left")
    tables["sum"] = _summary_sets(train, pairs["test"], outlets, seed)
    tables |= _headline_to_headline_sets(a1, a3, pairs["test"], outlets, seed)
    tables |= _lrec_sets(with_nearest, test, outlets, options)
    return tables


def _validation_events(articles: pl.DataFrame, pairs: pl.DataFrame, seed: int) -> pl.Series:
    """Draw the events whose articles and pairs validate main, HH and AH.

    They are a tenth of each fold's events with a pair and a tenth of its other events, at least one of each.
    """
    paired = pl.col("event").is_in(pairs["event"].implode())
    events = articles.select("event", "fold", paired=paired).unique().sort("event")
    held: list[str] = []
    for number, part in enumerate(events.partition_by("fold", "paired")):
        order = rng_for(seed, f"validation {number}").permutation(part.height)
        held += held_out(part["event"], VALIDATION_SHARE, order)
    return pl.Series(held, dtype=pl.String)


def _names(headlines: pl.Series) -> list[str]:
    """Return the names of some headlines, taken at equal distances."""
    step = max(1, len(headlines) // _HEADLINES_WITH_NAMES)
    return name_pool(headlines.gather_every(step))


def _random_sets(task: MatchTask, sides: dict[str, pl.Expr], seed: int) -> dict[str, pl.DataFrame]:
    """Make the sets of HH or AH with random negatives alone, as the papers have them."""
    splits = {}
    for side, rule in sides.items():
        splits[side] = task.draw(task.known.filter(rule), task.nearest, hard=0, seed=seed)
    splits["test"] = task.draw(task.tested, task.nearest_tested, hard=0, seed=seed)
    return splits


def _mixed_sets(
    task: MatchTask, sides: dict[str, pl.Expr], facts: FactChanger, seed: int
) -> dict[str, pl.DataFrame]:
    """Make the training and validation sets of HH or AH.

    Half of the negatives are hard, and a tenth are changed facts.
    """
    splits = {}
    for side, rule in sides.items():
        examples = task.draw(task.known.filter(rule), task.nearest, hard=_HARD_SHARE, seed=seed)
        right = examples.filter(label=1)
        wrong = examples.filter(label=0)
        changed = facts.change(right, round(FACTS_SHARE * right.height))
        mixed = pl.concat([right, wrong[changed.height :], changed])
        splits[side] = _in_random_order(mixed, task.name, seed)
    return splits


def _tests(task: MatchTask, with_random: pl.DataFrame, facts: FactChanger, seed: int) -> list[pl.DataFrame]:
    """Return three tables that HH or AH is tested on: the given rows, hard negatives and changed facts.

    `with_random` holds matching rows and random negatives.
    """
    right = with_random.filter(label=1)
    hard = _hard_negatives(task, task.nearest_tested, seed)
    return [with_random, hard, facts.change(right, right.height)]


def _hard_negatives(task: MatchTask, nearest: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return a hard negative for each tested row that has one; `nearest` has columns `id` and `near`."""
    return task.draw(task.tested, nearest, hard=1, seed=seed).filter(kind="hard")


def balanced(articles: pl.DataFrame, purpose: str, *, seed: int) -> pl.DataFrame:
    """Return as many articles of one outlet as of the other in each fold, in their order.

    They are drawn from the larger outlet, as in all experiments of LREC 2020.
    """
    drawn = pl.Series("drawn", rng_for(seed, f"balance {purpose}").permutation(articles.height))
    fewest = articles.group_by("fold", "label").len().group_by("fold").agg(fewest=pl.min("len"))
    rank = pl.col("drawn").rank("ordinal").over("fold", "label")
    return (
        articles.with_columns(drawn)
        .join(fewest, on="fold", maintain_order="left")
        .filter(rank <= pl.col("fewest"))
        .drop("drawn", "fewest")
    )


def headline_pairs(pairs: pl.DataFrame, nearest: pl.DataFrame, *, hard: float, seed: int) -> pl.DataFrame:
    """Make examples of the HH judge: headlines of each pair, and as many of two different events.

    Outlet A comes first in half of them. A random negative takes the B headline of another pair. A hard one
    takes the headline of the nearest wrong article of the other outlet, seen from A in half of the rows; it
    becomes a random one where there is none, or where it is taken. No negative crosses folds, joins two pairs
    that share an article or a headline, or occurs twice.

    Args:
        pairs: rows of the config `pairs`.
        nearest: `id` and the headline `near` of the nearest wrong article.
        hard: share of hard negatives that is wanted, 0 to 1.
        seed: seed of the draws.
    """
    rng = rng_for(seed, "headline pairs")
    groups = _groups(pairs, "a_id", "b_id", "a_headline", "b_headline")
    wrong = _wrong_row(groups, pairs["fold"].to_numpy(), rng)
    right = pairs.select(
        "fold", "event", headline1="a_headline", headline2="b_headline", kind=pl.lit("match")
    )
    # `beside_a` is the headline of the nearest wrong article of B, which would stand beside A's own
    drawn = pairs.with_columns(
        random=_value_at(pairs["b_headline"], wrong),
        beside_a=_of_ids(nearest, pairs["a_id"]),
        beside_b=_of_ids(nearest, pairs["b_id"]),
        from_a=pl.Series(_share(0.5, pairs.height, rng)),
        wanted=pl.Series(_share(hard, pairs.height, rng)),
    )
    has_a = pl.col("beside_a").is_not_null()
    has_b = pl.col("beside_b").is_not_null()
    see_a = (pl.col("from_a") & has_a) | ~has_b
    drawn = drawn.with_columns(
        hard1=pl.when(see_a).then("a_headline").otherwise("beside_b"),
        hard2=pl.when(see_a).then("beside_a").otherwise("b_headline"),
    )
    # a wrong article may have the very headline of the right one
    is_other = (pl.col("hard1") != pl.col("a_headline")) | (pl.col("hard2") != pl.col("b_headline"))
    drawn = drawn.with_columns(hard=pl.col("wanted") & (has_a | has_b) & is_other)
    is_hard = pl.col("hard") & pl.struct("hard", "hard1", "hard2").is_first_distinct()
    mismatched = drawn.select(
        "fold",
        "event",
        headline1=pl.when(is_hard).then("hard1").otherwise("a_headline"),
        headline2=pl.when(is_hard).then("hard2").otherwise("random"),
        kind=_kind(is_hard),
    ).drop_nulls()
    right = _half_swapped(right, rng)
    mismatched = _half_swapped(mismatched, rng)
    return _shuffled(_labelled(right, mismatched), rng)


def headline_articles(rows: pl.DataFrame, nearest: pl.DataFrame, *, hard: float, seed: int) -> pl.DataFrame:
    """Make examples of the AH judge: each article with its headline and with a wrong one of the same outlet.

    Both are of one outlet, so style says nothing. A hard negative is the headline of the nearest wrong
    article, or a random one where there is none. No negative crosses folds or repeats the right headline.

    Args:
        rows: rows of the config `articles`.
        nearest: `id` and the headline `near` of the nearest wrong article.
        hard: share of hard negatives that is wanted, 0 to 1.
        seed: seed of the draws.
    """
    rng = rng_for(seed, "headline articles")
    strata = rows.select(pl.struct("label", "fold").rank("dense")).to_series().to_numpy()
    wrong = _wrong_row(_groups(rows, "headline"), strata, rng)
    drawn = rows.with_columns(
        random=_value_at(rows["headline"], wrong),
        near=_of_ids(nearest, rows["id"]),
        hard=pl.Series(_share(hard, rows.height, rng)),
    )
    differs = pl.col("near").str.to_lowercase() != pl.col("headline").str.to_lowercase()
    is_hard = (pl.col("hard") & differs).fill_null(False)
    mismatched = drawn.select(
        "fold",
        "event",
        "article",
        headline=pl.when(is_hard).then("near").otherwise("random"),
        kind=_kind(is_hard),
    ).drop_nulls()
    right = rows.select("fold", "event", "headline", "article", kind=pl.lit("match"))
    return _shuffled(_labelled(right, mismatched), rng)


def crossed(pairs: pl.DataFrame, outlets: Outlets, *, source: str) -> pl.DataFrame:
    """Return both directions of pairs, best first: each original with the other outlet's headline.

    Of an article with several partners A2 has only the best, because a prediction has one gold headline.

    Args:
        pairs: rows of the config `pairs`.
        outlets: A and B.
        source: `headline` or `article`, the part of the original that is the source.

    Returns:
        The columns of a generator's config; `id` is the original's.
    """
    forth, back = outlets.directions
    rows = pl.concat(
        [
            _one_direction(pairs, "a", "b", source, forth),
            _one_direction(pairs, "b", "a", source, back),
        ]
    )
    is_kept = (pl.col("alignment") != "A2") | pl.col("id").is_first_distinct()
    return rows.filter(is_kept).drop("alignment")


def _one_direction(pairs: pl.DataFrame, here: str, there: str, source: str, direction: str) -> pl.DataFrame:
    """Return the pairs as originals of the side `here` (a or b) with headlines of the side `there`."""
    return pairs.select(
        "alignment",
        id=f"{here}_id",
        source=f"{here}_{source}",
        target=f"{there}_headline",
        direction=pl.lit(direction),
        fold="fold",
    )


def select_fold(rows: pl.DataFrame, fold: str) -> pl.DataFrame:
    """Return the rows of fold `0` or `1`, or those of both for `all`."""
    if fold == "all":
        return rows
    return rows.filter(pl.col("fold").cast(pl.String) == fold)


def held_out(keys: pl.Series, share: float, order: NDArray[np.int64]) -> list[str]:
    """Return a share (0 to 1) of n distinct keys, at least one: those first in (n,) `order` of positions."""
    count = max(1, round(share * len(keys)))
    return keys.gather(order[:count]).to_list()


def _headlines(articles: pl.DataFrame, outlets: Outlets) -> pl.DataFrame:
    """Return headlines with the number of their outlet, as main learns them."""
    label = (pl.col("label") == outlets.b).cast(pl.Int64)
    return articles.select("id", "headline", label=label, fold="fold")


def _articles_to_headlines(articles: pl.DataFrame, direction: pl.Expr) -> pl.DataFrame:
    """Return articles as sources and their own headlines as targets."""
    return articles.select("id", source="article", target="headline", direction=direction, fold="fold")


def _summary_sets(
    train: pl.DataFrame, test_pairs: pl.DataFrame, outlets: Outlets, seed: int
) -> dict[str, pl.DataFrame]:
    """Make the sets of `sum`: articles of R and A3 with their own headlines, tested on pairs."""
    weak = train.filter(pl.col("alignment").is_in(["R", "A3"]))
    a_to_b, b_to_a = outlets.directions
    direction_to = {outlets.a: b_to_a, outlets.b: a_to_b}
    direction = pl.col("label").replace_strict(direction_to, return_dtype=pl.String)
    rows = _articles_to_headlines(balanced(weak, "sum", seed=seed), direction)
    return {
        "train": _in_random_order(rows, "sum", seed),
        "test": crossed(test_pairs, outlets, source="article"),
    }


def _headline_to_headline_sets(
    a1: pl.DataFrame, a3: pl.DataFrame, test_pairs: pl.DataFrame, outlets: Outlets, seed: int
) -> Tables:
    """Make `s2s1` of weak pairs, `s2s3` of strict ones and `s2s2` of both."""
    test = crossed(test_pairs, outlets, source="headline")
    tables = {}
    for name, rows in {"s2s1": a3, "s2s2": pl.concat([a1, a3]), "s2s3": a1}.items():
        training = crossed(rows, outlets, source="headline")
        tables[name] = {"train": _in_random_order(training, name, seed), "test": test}
    return tables


class _Parts(NamedTuple):
    """Articles of one outlet that train, and a random tenth of them that validates."""

    train: pl.DataFrame
    validation: pl.DataFrame


def _lrec_sets(train: pl.DataFrame, test: pl.DataFrame, outlets: Outlets, options: BuildOptions) -> Tables:
    """Make `train_d`, `train_m` and `agnostic` (LREC 2020 §4.1).

    `train_d` is of articles that are like none of the other outlet: no cosine is above the loose threshold.
    `train_m` is A3, filled up with R; no cosine in it is above the strict threshold. Both have the same
    number of articles of each outlet, that of the outlet with fewer articles for `train_d`. `agnostic` is
    half of each newspaper's `train_m`. A random tenth validates.

    Args:
        train: training articles, with the column `nearest`, the highest cosine with an article of the other
            outlet.
        test: test articles.
        outlets: A and B.
        options: thresholds and seed.
    """
    seed = options.seed
    train = train.filter(pl.col("nearest") <= options.strict)
    unaligned = train.filter((pl.col("alignment") == "R") & (pl.col("nearest") <= options.loose))
    size = min(unaligned.filter(label=name).height for name in outlets.names)

    parts: dict[str, list[_Parts]] = {"train_d": [], "train_m": []}
    for outlet in outlets.names:
        of_outlet = unaligned.filter(label=outlet)
        rest = train.filter(alignment="R", label=outlet)
        weak = train.filter(alignment="A3", label=outlet)
        weak = _sample(weak, size, rng_for(seed, f"train_m A3 {outlet}"))
        rest = _sample(rest, size - weak.height, rng_for(seed, f"train_m R {outlet}"))
        train_d = _sample(of_outlet, size, rng_for(seed, f"train_d {outlet}"))
        parts["train_d"].append(_with_validation(train_d, f"train_d {outlet}", seed))
        parts["train_m"].append(_with_validation(pl.concat([weak, rest]), f"train_m {outlet}", seed))

    tables: Tables = {}
    for name, by_outlet in parts.items():
        training = _headlines(pl.concat([part.train for part in by_outlet]), outlets)
        validation = _headlines(pl.concat([part.validation for part in by_outlet]), outlets)
        tables[name] = {
            "train": _in_random_order(training, f"{name} train", seed),
            "validation": _in_random_order(validation, f"{name} validation", seed),
            "test": _headlines(test, outlets),
        }
    agnostic = pl.lit("agnostic")
    halves_of_train = pl.concat([_first_half(part.train) for part in parts["train_m"]])
    halves_of_validation = pl.concat([_first_half(part.validation) for part in parts["train_m"]])
    training = _articles_to_headlines(halves_of_train, agnostic)
    validation = _articles_to_headlines(halves_of_validation, agnostic)
    tables["agnostic"] = {
        "train": _in_random_order(training, "agnostic train", seed),
        "validation": _in_random_order(validation, "agnostic validation", seed),
        "test": _articles_to_headlines(test, agnostic),
    }
    return tables


def _sample(rows: pl.DataFrame, count: int, rng: np.random.Generator) -> pl.DataFrame:
    """Draw rows, at most `count` of them, and keep their order."""
    return rows[np.sort(rng.permutation(rows.height)[:count])]


def _with_validation(rows: pl.DataFrame, purpose: str, seed: int) -> _Parts:
    """Take a random tenth out of the rows; the other rows are in random order."""
    order = rng_for(seed, f"validation {purpose}").permutation(rows.height)
    count = round(rows.height * VALIDATION_SHARE)
    training = rows[np.sort(order[count:])]
    return _Parts(_in_random_order(training, purpose, seed), rows[np.sort(order[:count])])


def _first_half(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the first half of the rows."""
    return rows.head(rows.height // 2)


def _groups(rows: pl.DataFrame, *columns: str) -> NDArray[np.int64]:
    """Number rows; those that share a value, case aside, in any of the columns have the same number."""
    values = pl.concat([rows[name].str.to_lowercase().alias("value") for name in columns])
    numbers = values.rank("dense").to_numpy()
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    row = np.arange(rows.height)
    row_of_value = np.tile(row, len(columns))
    # the columns are stacked, so the row of a place is the rest of its division by their height
    first_row_with_value = first[inverse] % max(rows.height, 1)
    return components(row, row_of_value, first_row_with_value)


def _wrong_row(
    groups: NDArray[np.int64], strata: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Find for each row the position of another one of its stratum and of a different group, (rows,).

    Each row serves once; -1 where there is none.

    Args:
        groups: (rows,) numbers of the rows that share an article or headline.
        strata: (rows,) numbers of what is kept apart, such as folds.
        rng: source of the draws.
    """
    wrong = np.full(len(groups), -1, dtype=np.int64)
    random_rank = rng.permutation(int(groups.max(initial=-1)) + 1)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        rows = rows[np.argsort(random_rank[groups[rows]], kind="stable")]
        # groups are whole and in random order: a shift by the largest meets another one
        _, sizes = np.unique(groups[rows], return_counts=True)
        partner = np.roll(rows, -int(sizes.max()))
        differs = groups[partner] != groups[rows]
        wrong[rows[differs]] = partner[differs]
    return wrong


def _value_at(values: pl.Series, positions: NDArray[np.int64]) -> pl.Series:
    """Return the value at each position; null for -1."""
    return values.gather(pl.Series(positions).replace(-1, None))


def _nearest_headlines(neighbours: pl.DataFrame, which: str, articles: pl.DataFrame) -> pl.DataFrame:
    """Return a table of each article's `id` and the headline `near` of its nearest wrong article.

    Those without one among `articles` are left out. `which` is the column of `neighbours` with its id.
    """
    headlines = articles.select(pl.col("id").alias(which), near="headline")
    return neighbours.select("id", which).join(headlines, on=which)


def _of_ids(nearest: pl.DataFrame, ids: pl.Series) -> pl.Series:
    """Return the headline `near` of each id; null where there is none."""
    return pl.DataFrame({"id": ids}).join(nearest, on="id", how="left", maintain_order="left")["near"]


def _share(share: float, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark a random share (0 to 1) of `count` rows, (count,)."""
    return rng.permutation(count) < int(share * count)


def _half_swapped(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return the rows, a random half of them with their two headlines swapped."""
    swap = pl.when(pl.Series(_share(0.5, rows.height, rng)))
    return rows.with_columns(
        headline1=swap.then("headline2").otherwise("headline1"),
        headline2=swap.then("headline1").otherwise("headline2"),
    )


def _kind(hard: pl.Expr) -> pl.Expr:
    """Return the kind of a negative, `hard` or `random`, by whether it is hard."""
    return pl.when(hard).then(pl.lit("hard")).otherwise(pl.lit("random"))


def _labelled(right: pl.DataFrame, wrong: pl.DataFrame) -> pl.DataFrame:
    """Join matching rows, labelled 1, and mismatched ones, labelled 0; columns are sorted by name."""
    right = right.with_columns(label=pl.lit(1, pl.Int64))
    wrong = wrong.with_columns(label=pl.lit(0, pl.Int64))
    columns = sorted(right.columns)
    return pl.concat([right.select(columns), wrong.select(columns)])


def _in_random_order(rows: pl.DataFrame, purpose: str, seed: int) -> pl.DataFrame:
    """Return the rows in the random order of a purpose."""
    return _shuffled(rows, rng_for(seed, f"order of {purpose}"))


def _shuffled(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Return the rows in random order; no text is copied, as it would be of a table in several chunks."""
    return rows.rechunk()[rng.permutation(rows.height)]
