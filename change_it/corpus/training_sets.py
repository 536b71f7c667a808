"""The sets that judges and generators learn from, made of the tables `articles`, `pairs` and `neighbours`.

Who trains on what: EvalNLGEval 2020 §3; LREC 2020 §4.1 for train-D, train-M and the agnostic generator.
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.corpus.article import Outlets
from change_it.corpus.corpus_options import BuildOptions, Negatives
from change_it.corpus.folder import OTHER
from change_it.corpus.splits import components, generator

#: Config → split → rows.
Tables = dict[str, dict[str, pl.DataFrame]]

VALIDATION_SHARE = 0.1
#: Share of all articles that the random split of LREC 2020 tests on (Table 1).
RANDOM_TEST = 0.2


def training_sets(base: Tables, outlets: Outlets, nearest: pl.DataFrame, options: BuildOptions) -> Tables:
    """All configs but `articles`, `pairs` and `neighbours`, which `base` has; `nearest` is `Candidates.nearest` as `id, nearest`."""
    articles, pairs, neighbours = (base[config] for config in ("articles", "pairs", "neighbours"))
    train, test = articles["train"], articles["test"]
    seed = options.seed
    every = pl.concat([train, articles[OTHER]])
    weak = train.filter(pl.col("alignment").is_in(["R", "A3"]))
    even, even_weak = (
        balanced(rows, purpose, seed=seed) if options.balance else rows
        for rows, purpose in ((train, "main"), (weak, "sum"))
    )
    a1, a3 = (pairs["train"].filter(pl.col("alignment") == name) for name in ("A1", "A3"))
    strict = pl.concat([a1, pairs[OTHER]])

    directions = dict(zip(outlets.names, outlets.directions[::-1], strict=True))  # to the outlet
    to_own = pl.col("label").replace_strict(directions, return_dtype=pl.String)

    def shuffled(purpose: str, rows: pl.DataFrame) -> pl.DataFrame:
        return _shuffled(rows, generator(seed, f"order of {purpose}"))

    tables: Tables = {
        "main": {"train": shuffled("main", _headlines(even, outlets)), "test": _headlines(test, outlets)},
        "hh": {
            "train": headline_pairs(strict, every, neighbours["train"], negatives="random", seed=seed),
            "test": headline_pairs(pairs["test"], test, neighbours["test"], negatives="random", seed=seed),
        },
        "ah": {
            "train": headline_articles(
                pl.concat([even, articles[OTHER]]), neighbours["train"], negatives="random", seed=seed
            ),
            "test": headline_articles(test, neighbours["test"], negatives="random", seed=seed),
        },
        "sum": {
            "train": shuffled("sum", _articles_to_headlines(even_weak, to_own)),
            "test": crossed(pairs["test"], outlets, source="article"),
        },
    }
    crossed_test = crossed(pairs["test"], outlets, source="headline")
    for name, rows in {"s2s1": a3, "s2s2": pl.concat([a1, a3]), "s2s3": a1}.items():
        tables[name] = {
            "train": shuffled(name, crossed(rows, outlets, source="headline")),
            "test": crossed_test,
        }
    near = train.join(nearest, on="id", how="left", maintain_order="left")
    return tables | _lrec_sets(near, test, outlets, options, shuffled)


def balanced(articles: pl.DataFrame, purpose: str, *, seed: int, by: str = "fold") -> pl.DataFrame:
    """As many articles of one outlet as of the other in each fold, or what `by` names, drawn from the larger outlet; order is kept."""
    drawn = pl.Series("drawn", generator(seed, f"balance {purpose}").permutation(articles.height))
    fewest = articles.group_by(by, "label").len().group_by(by).agg(fewest=pl.min("len"))
    return (
        articles.with_columns(drawn)
        .join(fewest, on=by, maintain_order="left")
        .filter(pl.col("drawn").rank("ordinal").over(by, "label") <= pl.col("fewest"))
        .drop("drawn", "fewest")
    )


def matched(articles: pl.DataFrame, purpose: str, *, seed: int) -> pl.DataFrame:
    """As many articles of one outlet as of the other from each event that both have and, of other articles, from each ISO week; undated ones of the latter have no place."""
    both = pl.col("label").n_unique() == 2
    from_ = pl.when(both.over("event")).then("event").otherwise(pl.col("date").dt.strftime("%G-W%V"))
    placed = articles.with_columns(place=from_).drop_nulls("place").filter(both.over("place"))
    return balanced(placed, purpose, seed=seed, by="place").drop("place")


def headline_pairs(
    pairs: pl.DataFrame, articles: pl.DataFrame, neighbours: pl.DataFrame, *, negatives: Negatives, seed: int
) -> pl.DataFrame:
    """Examples of the HH judge: the headlines of each pair, and as many of two different events.

    Outlet A comes first in half of them. A random negative takes the B headline of another pair; a hard one the headline of
    the nearest wrong article of the other outlet, seen from A in half of the rows (a random one where there is none, or it
    is taken). No negative crosses folds, joins two pairs that share an article or a headline, or occurs twice.
    """
    rng = generator(seed, "headline pairs")
    groups = _groups(pairs, "a_id", "b_id", "a_headline", "b_headline")
    wrong = _wrong_row(groups, pairs["fold"].to_numpy(), rng)
    right = pairs.select(headline1="a_headline", headline2="b_headline", fold="fold")
    seen = pairs.select(
        "a_headline",
        "b_headline",
        "fold",
        random=_headline_of(pairs, "b_headline", wrong),
        beside_a=_neighbour_headline(pairs["a_id"], "other_id", neighbours, articles),
        beside_b=_neighbour_headline(pairs["b_id"], "other_id", neighbours, articles),
        from_a=pl.Series(_half(pairs.height, rng)),
        wanted=pl.Series(_hard_rows(pairs.height, negatives, rng)),
    )
    see_a = (pl.col("from_a") & pl.col("beside_a").is_not_null()) | pl.col("beside_b").is_null()
    near = seen.with_columns(
        headline1=pl.when(see_a).then("a_headline").otherwise("beside_b"),
        headline2=pl.when(see_a).then("beside_a").otherwise("b_headline"),
    ).with_columns(
        hard=pl.col("wanted")
        & pl.coalesce("beside_a", "beside_b").is_not_null()
        & ((pl.col("headline1") != pl.col("a_headline")) | (pl.col("headline2") != pl.col("b_headline")))
    )
    hard = pl.col("hard") & pl.struct("hard", "headline1", "headline2").is_first_distinct()
    made = near.select(
        headline1=pl.when(hard).then("headline1").otherwise("a_headline"),
        headline2=pl.when(hard).then("headline2").otherwise("random"),
        fold="fold",
    ).drop_nulls()
    rows = [_swapped(right, rng).with_columns(label=pl.lit(1, pl.Int64))]
    rows.append(_swapped(made, rng).with_columns(label=pl.lit(0, pl.Int64)))
    return _shuffled(pl.concat(rows), rng)


def headline_articles(
    articles: pl.DataFrame, neighbours: pl.DataFrame, *, negatives: Negatives, seed: int
) -> pl.DataFrame:
    """Examples of the AH judge: each article with its headline, and with a wrong headline of the *same* outlet, so that style says nothing.

    A hard negative is the headline of the nearest wrong article (a random one where there is none). No negative crosses folds
    or repeats the right headline.
    """
    rng = generator(seed, "headline articles")
    strata = articles.select(pl.struct("label", "fold").rank("dense")).to_series().to_numpy()
    wrong = _wrong_row(_groups(articles, "headline"), strata, rng)
    chosen = articles.select(
        "headline",
        "article",
        "fold",
        random=_headline_of(articles, "headline", wrong),
        near=_neighbour_headline(articles["id"], "own_id", neighbours, articles),
        hard=pl.Series(_hard_rows(articles.height, negatives, rng)),
    )
    usable = pl.col("hard") & (pl.col("near").str.to_lowercase() != pl.col("headline").str.to_lowercase())
    made = chosen.select(
        headline=pl.when(usable).then("near").otherwise("random"), article="article", fold="fold"
    )
    rows = [
        articles.select("headline", "article", "fold").with_columns(label=pl.lit(1, pl.Int64)),
        made.drop_nulls().with_columns(label=pl.lit(0, pl.Int64)),
    ]
    return _shuffled(pl.concat(rows), rng)


def crossed(pairs: pl.DataFrame, outlets: Outlets, *, source: str) -> pl.DataFrame:
    """Both directions of pairs, best first: from each original to the other outlet's aligned headline; `id` is the original's.

    Of an article with several partners, A2 has the best alone, because a prediction has one gold headline.
    """
    forth, back = outlets.directions
    rows = pl.concat(
        pairs.select(
            "alignment",
            id=f"{here}_id",
            source=f"{here}_{source}",
            target=f"{there}_headline",
            direction=pl.lit(direction),
            fold="fold",
        )
        for here, there, direction in (("a", "b", forth), ("b", "a", back))
    )
    return rows.filter((pl.col("alignment") != "A2") | pl.col("id").is_first_distinct()).drop("alignment")


def of_fold(rows: pl.DataFrame, fold: str) -> pl.DataFrame:
    """The rows of fold 0 or 1; with `all` those of both."""
    return rows if fold == "all" else rows.filter(fold=int(fold))


def random_split(articles: pl.DataFrame, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """LREC 2020's random split (Table 1) of all articles, those of training first: four fifths, and the fifth that is the test."""
    order = generator(seed, "random split").permutation(articles.height)
    count = round(RANDOM_TEST * articles.height)
    return articles[np.sort(order[count:])], articles[np.sort(order[:count])]


def held_out(keys: pl.Series, share: float, order: NDArray[np.int64]) -> list[str]:
    """A share of (n,) distinct keys, at least one: the first in an order of their positions."""
    return keys.gather(order[: max(1, round(share * len(keys)))]).to_list()


def _headlines(articles: pl.DataFrame, outlets: Outlets) -> pl.DataFrame:
    """`id, headline, label (0 = A, 1 = B), fold`."""
    return articles.select("id", "headline", label=(pl.col("label") == outlets.b).cast(pl.Int64), fold="fold")


def _articles_to_headlines(articles: pl.DataFrame, direction: pl.Expr) -> pl.DataFrame:
    """Article → its own headline."""
    return articles.select("id", source="article", target="headline", direction=direction, fold="fold")


def _lrec_sets(
    train: pl.DataFrame,
    test: pl.DataFrame,
    outlets: Outlets,
    options: BuildOptions,
    shuffled: Callable[[str, pl.DataFrame], pl.DataFrame],
) -> Tables:
    """`train_d`, `train_m` (all of A3, filled up with R) and `agnostic` (half of each newspaper's train-M).

    `train_d` is of articles that have no partner above the loose threshold, taken or not; nothing in `train_m` has one above
    the strict threshold (LREC 2020 §4.1). Both are balanced and of the same size: the articles of the outlet that has fewer
    unaligned ones. A random tenth validates.
    """
    seed = options.seed
    train = train.filter(pl.col("nearest") <= options.strict)
    unaligned = train.filter((pl.col("alignment") == "R") & (pl.col("nearest") <= options.loose))
    size = min(unaligned.filter(label=name).height for name in outlets.names)

    def sample(purpose: str, rows: pl.DataFrame, count: int) -> pl.DataFrame:
        return rows[np.sort(generator(seed, purpose).permutation(rows.height)[:count])]

    sets: dict[str, list[pl.DataFrame]] = {"train_d": [], "train_m": []}
    for name in outlets.names:
        rest, weak = (train.filter(alignment=alignment, label=name) for alignment in ("R", "A3"))
        weak = sample(f"train_m A3 {name}", weak, size)
        sets["train_d"].append(sample(f"train_d {name}", unaligned.filter(label=name), size))
        sets["train_m"].append(pl.concat([weak, sample(f"train_m R {name}", rest, size - weak.height)]))

    tables: Tables = {"train_d": {}, "train_m": {}, "agnostic": {}}
    for name, by_outlet in sets.items():
        halves: dict[str, list[pl.DataFrame]] = {"train": [], "validation": []}
        for outlet, rows in zip(outlets.names, by_outlet, strict=True):
            order = generator(seed, f"validation {name} {outlet}").permutation(rows.height)
            count = round(rows.height * VALIDATION_SHARE)
            halves["train"].append(shuffled(f"{name} {outlet}", rows[np.sort(order[count:])]))
            halves["validation"].append(rows[np.sort(order[:count])])
        for part, of_outlets in halves.items():
            tables[name][part] = shuffled(f"{name} {part}", _headlines(pl.concat(of_outlets), outlets))
            if name == "train_m":
                half = pl.concat(rows.head(rows.height // 2) for rows in of_outlets)
                pairs = _articles_to_headlines(half, pl.lit("agnostic"))
                tables["agnostic"][part] = shuffled(f"agnostic {part}", pairs)
        tables[name]["test"] = _headlines(test, outlets)
    tables["agnostic"]["test"] = _articles_to_headlines(test, pl.lit("agnostic"))
    return tables


def _groups(rows: pl.DataFrame, *columns: str) -> NDArray[np.int64]:
    """Number rows so that two which share a value (case aside) in any of `columns` have the same number."""
    values = pl.concat(rows.select(value=pl.col(name).str.to_lowercase()).to_series() for name in columns)
    _, first, inverse = np.unique(values.rank("dense").to_numpy(), return_index=True, return_inverse=True)
    row = np.arange(rows.height)
    return components(row, np.tile(row, len(columns)), first[inverse] % max(rows.height, 1))


def _wrong_row(
    groups: NDArray[np.int64], strata: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """For each row another of its stratum and of a different group; each serves once; -1 where there is none."""
    wrong = np.full(len(groups), -1, dtype=np.int64)
    shuffled = rng.permutation(int(groups.max(initial=-1)) + 1)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        rows = rows[np.argsort(shuffled[groups[rows]], kind="stable")]
        # groups are whole and in random order: a shift by the largest meets another one
        largest = int(np.unique(groups[rows], return_counts=True)[1].max())
        partner = np.roll(rows, -largest)
        differs = groups[partner] != groups[rows]
        wrong[rows[differs]] = partner[differs]
    return wrong


def _headline_of(rows: pl.DataFrame, column: str, positions: NDArray[np.int64]) -> pl.Series:
    """`column` at each position; null for -1."""
    return rows[column].gather(pl.Series(positions).replace(-1, None)).alias("random")


def _neighbour_headline(
    ids: pl.Series, which: str, neighbours: pl.DataFrame, articles: pl.DataFrame
) -> pl.Series:
    """Headline of the neighbour (`own_id` or `other_id`) of each id; null where there is none."""
    headlines = articles.select(pl.col("id").alias(which), near="headline")
    return (
        pl.DataFrame({"id": ids})
        .join(neighbours.select("id", which), on="id", how="left", maintain_order="left")
        .join(headlines, on=which, how="left", maintain_order="left")
        .get_column("near")
    )


def _half(count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True in a random half."""
    return rng.permutation(count) < count // 2


def _hard_rows(count: int, negatives: Negatives, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows take a hard negative."""
    mixed = _half(count, rng)
    return mixed if negatives == "mixed" else np.full(count, negatives == "hard")


def _swapped(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Swap the two headlines in a random half of the rows."""
    swap = pl.Series(_half(rows.height, rng))
    return rows.select(
        headline1=pl.when(swap).then("headline2").otherwise("headline1"),
        headline2=pl.when(swap).then("headline1").otherwise("headline2"),
        fold="fold",
    )


def _shuffled(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The rows in random order; texts are not copied, as they would be from a table in several chunks."""
    return rows.rechunk()[rng.permutation(rows.height)]
