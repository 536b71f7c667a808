"""The sets that judges and generators learn from, made of the tables `articles` and `pairs`.

Who trains on what: EvalNLGEval 2020 §3; LREC 2020 §4.1 for train-D, train-M and the agnostic generator.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.corpus.pairing.groups import components, rng_for
from change_it.corpus.reading.article import OTHER, Outlets
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.tasks.negatives import contradict, name_pool

#: Config → split → rows.
Tables = dict[str, dict[str, pl.DataFrame]]

VALIDATION_SHARE = 0.1
#: Share of changed facts among the negatives of HH and AH: more of them cost F1 on wrong partners (docs/decisions.md).
FACTS = 0.1
#: Training headlines that new names are taken from.
NAMED = 2000


def training_sets(
    base: Tables, neighbours: pl.DataFrame, outlets: Outlets, nearest: pl.DataFrame, options: BuildOptions
) -> Tables:
    """All configs but `articles` and `pairs`, which `base` has.

    `neighbours` is `alignment.find_neighbours` with the column `id`; `nearest` is `Candidates.nearest` as `id, nearest`.
    """
    articles, pairs, seed = base["articles"], base["pairs"], options.seed
    train, test = articles["train"], articles["test"]
    all_outlets = pl.concat([train, articles[OTHER]])
    weak = train.filter(pl.col("alignment").is_in(["R", "A3"]))
    balanced_train, balanced_weak = balanced(train, "main", seed=seed), balanced(weak, "sum", seed=seed)
    a1, a3 = (pairs["train"].filter(alignment=name) for name in ("A1", "A3"))
    strict = pl.concat([a1, pairs[OTHER]])
    is_held_out = pl.col("event").is_in(_validation_events(all_outlets, strict, seed).implode())
    sides = {"train": ~is_held_out, "validation": is_held_out}
    directions = dict(zip(outlets.names, outlets.directions[::-1], strict=True))  # to the outlet
    to_own = pl.col("label").replace_strict(directions, return_dtype=pl.String)

    def shuffled(purpose: str, rows: pl.DataFrame) -> pl.DataFrame:
        return _shuffled(rows, rng_for(seed, f"order of {purpose}"))

    main = {
        side: shuffled("main", _headlines(balanced_train.filter(rule), outlets))
        for side, rule in sides.items()
    }
    tables: Tables = {"main": main | {"test": _headlines(test, outlets)}}
    tables["sum"] = {
        "train": shuffled("sum", _articles_to_headlines(balanced_weak, to_own)),
        "test": crossed(pairs["test"], outlets, source="article"),
    }
    language = options.language or "none"
    headlines = all_outlets["headline"]
    names = name_pool(headlines.gather_every(max(1, len(headlines) // NAMED)))
    facts = partial(_changed_facts, names=names, language=language, seed=seed)
    pool = pl.concat([balanced_train, articles[OTHER]])
    for task, make, which, rows, known, tested in (
        ("hh", headline_pairs, "other_id", strict, all_outlets, pairs["test"]),
        ("ah", headline_articles, "own_id", pool, pool, test),
    ):
        published, mixed = dict[str, pl.DataFrame](), dict[str, pl.DataFrame]()
        nearest_headlines = _nearest_headlines(neighbours, which, known)
        for side, rule in sides.items():
            draw = partial(make, rows.filter(rule), nearest_headlines, seed=seed)
            published[side], both = draw(hard=0), draw(hard=0.5)
            right, wrong = both.filter(label=1), both.filter(label=0)
            changed = facts(right, count=round(FACTS * right.height))
            mixed[side] = shuffled(task, pl.concat([right, wrong[changed.height :], changed]))
        draw = partial(make, tested, seed=seed)
        nearest_headlines = _nearest_headlines(neighbours, which, test)
        published["test"] = draw(nearest_headlines, hard=0)
        right = published["test"].filter(label=1)
        parts = [
            published["test"],
            draw(nearest_headlines, hard=1).filter(kind="hard"),
            facts(right, count=right.height),
        ]
        if task == "hh":
            near = draw(_nearest_headlines(neighbours, "near_id", test), hard=1).filter(kind="hard")
            parts.append(near.with_columns(kind=pl.lit("near")))
        tables |= {task: mixed | {"test": shuffled(task, pl.concat(parts))}, f"{task}_random": published}
    crossed_test = crossed(pairs["test"], outlets, source="headline")
    for name, rows in {"s2s1": a3, "s2s2": pl.concat([a1, a3]), "s2s3": a1}.items():
        training = shuffled(name, crossed(rows, outlets, source="headline"))
        tables[name] = {"train": training, "test": crossed_test}
    with_nearest = train.join(nearest, on="id", how="left", maintain_order="left")
    return tables | _lrec_sets(with_nearest, test, outlets, options, shuffled)


def _validation_events(articles: pl.DataFrame, pairs: pl.DataFrame, seed: int) -> pl.Series:
    """Events that validate main, HH and AH: of each fold a tenth of those with a pair and of the others, at least one."""
    paired = pl.col("event").is_in(pairs["event"].implode())
    events = articles.select("event", "fold", paired=paired).unique().sort("event")
    parts = events.partition_by("fold", "paired")
    held: list[str] = []
    for number, part in enumerate(parts):
        order = rng_for(seed, f"validation {number}").permutation(part.height)
        held += held_out(part["event"], VALIDATION_SHARE, order)
    return pl.Series(held, dtype=pl.String)


def _changed_facts(
    right: pl.DataFrame, *, count: int, names: Sequence[str], language: str, seed: int
) -> pl.DataFrame:
    """Up to so many matching rows with one fact changed in their headline, of two in the second; no longer matching.

    `names` are put in the place of others, see `name_pool`.
    """
    random = Random(f"{seed} facts")
    text, other = ("headline2", "headline1") if "headline2" in right.columns else ("headline", "article")
    changed: dict[int, str] = {}
    for row in rng_for(seed, "changed facts").permutation(right.height).tolist():
        if len(changed) == count:
            break
        new = contradict(right[text][row], right[other][row], random, names, language)
        if new is not None:
            changed[row] = new
    texts = pl.Series(text, list(changed.values()), dtype=pl.String)
    return right[list(changed)].with_columns(texts, label=pl.lit(0, pl.Int64), kind=pl.lit("facts"))


def balanced(articles: pl.DataFrame, purpose: str, *, seed: int) -> pl.DataFrame:
    """As many articles of one outlet as of the other in each fold, drawn from the larger outlet, as in all experiments of LREC 2020; order is kept."""
    drawn = pl.Series("drawn", rng_for(seed, f"balance {purpose}").permutation(articles.height))
    fewest = articles.group_by("fold", "label").len().group_by("fold").agg(fewest=pl.min("len"))
    return (
        articles.with_columns(drawn)
        .join(fewest, on="fold", maintain_order="left")
        .filter(pl.col("drawn").rank("ordinal").over("fold", "label") <= pl.col("fewest"))
        .drop("drawn", "fewest")
    )


def headline_pairs(pairs: pl.DataFrame, nearest: pl.DataFrame, *, hard: float, seed: int) -> pl.DataFrame:
    """Examples of the HH judge: the headlines of each pair, and as many of two different events, a share of them `hard`.

    Outlet A comes first in half of them. A random negative takes the B headline of another pair; a hard one the headline of
    the nearest wrong article of the other outlet (`_nearest_headlines`), seen from A in half of the rows (a random one where there is
    none, or it is taken). No negative crosses folds, joins two pairs that share an article or a headline, or occurs twice.
    """
    rng = rng_for(seed, "headline pairs")
    groups = _groups(pairs, "a_id", "b_id", "a_headline", "b_headline")
    wrong = _wrong_row(groups, pairs["fold"].to_numpy(), rng)
    right = pairs.select(
        "fold", "event", headline1="a_headline", headline2="b_headline", kind=pl.lit("match")
    )
    see_a = (pl.col("from_a") & pl.col("beside_a").is_not_null()) | pl.col("beside_b").is_null()
    is_other = (pl.col("hard1") != pl.col("a_headline")) | (pl.col("hard2") != pl.col("b_headline"))
    drawn = pairs.with_columns(
        random=_headline_of(pairs, "b_headline", wrong),
        beside_a=_of_ids(nearest, pairs["a_id"]),
        beside_b=_of_ids(nearest, pairs["b_id"]),
        from_a=pl.Series(_share(0.5, pairs.height, rng)),
        wanted=pl.Series(_share(hard, pairs.height, rng)),
    ).with_columns(
        hard1=pl.when(see_a).then("a_headline").otherwise("beside_b"),
        hard2=pl.when(see_a).then("beside_a").otherwise("b_headline"),
    )
    drawn = drawn.with_columns(
        hard=pl.col("wanted") & pl.coalesce("beside_a", "beside_b").is_not_null() & is_other
    )
    is_hard = pl.col("hard") & pl.struct("hard", "hard1", "hard2").is_first_distinct()
    made = drawn.select(
        "fold",
        "event",
        headline1=pl.when(is_hard).then("hard1").otherwise("a_headline"),
        headline2=pl.when(is_hard).then("hard2").otherwise("random"),
        kind=_kind(is_hard),
    ).drop_nulls()
    return _shuffled(_labelled(_swapped(right, rng), _swapped(made, rng)), rng)


def headline_articles(rows: pl.DataFrame, nearest: pl.DataFrame, *, hard: float, seed: int) -> pl.DataFrame:
    """Examples of the AH judge: each article with its headline, and with a wrong headline of the *same* outlet, so that style says nothing.

    A hard negative (a share of `hard`) is the headline of the nearest wrong article (a random one where there is none). No negative crosses folds
    or repeats the right headline.
    """
    rng = rng_for(seed, "headline articles")
    strata = rows.select(pl.struct("label", "fold").rank("dense")).to_series().to_numpy()
    wrong = _wrong_row(_groups(rows, "headline"), strata, rng)
    drawn = rows.with_columns(
        random=_headline_of(rows, "headline", wrong),
        near=_of_ids(nearest, rows["id"]),
        hard=pl.Series(_share(hard, rows.height, rng)),
    )
    differs = pl.col("near").str.to_lowercase() != pl.col("headline").str.to_lowercase()
    usable = (pl.col("hard") & differs).fill_null(False)
    made = drawn.select(
        "fold",
        "event",
        "article",
        headline=pl.when(usable).then("near").otherwise("random"),
        kind=_kind(usable),
    ).drop_nulls()
    right = rows.select("fold", "event", "headline", "article", kind=pl.lit("match"))
    return _shuffled(_labelled(right, made), rng)


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
    return rows if fold == "all" else rows.filter(pl.col("fold").cast(pl.String) == fold)


def held_out(keys: pl.Series, share: float, order: NDArray[np.int64]) -> list[str]:
    """A share of (n,) distinct keys, at least one: the first in an order of their positions."""
    return keys.gather(order[: max(1, round(share * len(keys)))]).to_list()


def _headlines(articles: pl.DataFrame, outlets: Outlets) -> pl.DataFrame:
    return articles.select("id", "headline", label=(pl.col("label") == outlets.b).cast(pl.Int64), fold="fold")


def _articles_to_headlines(articles: pl.DataFrame, direction: pl.Expr) -> pl.DataFrame:
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
        return rows[np.sort(rng_for(seed, purpose).permutation(rows.height)[:count])]

    parts: dict[str, dict[str, list[pl.DataFrame]]] = {
        name: {"train": [], "validation": []} for name in ("train_d", "train_m")
    }
    for outlet in outlets.names:
        rest, weak = (train.filter(alignment=alignment, label=outlet) for alignment in ("R", "A3"))
        weak = sample(f"train_m A3 {outlet}", weak, size)
        rows_by_set = {
            "train_d": sample(f"train_d {outlet}", unaligned.filter(label=outlet), size),
            "train_m": pl.concat([weak, sample(f"train_m R {outlet}", rest, size - weak.height)]),
        }
        for name, rows in rows_by_set.items():
            order = rng_for(seed, f"validation {name} {outlet}").permutation(rows.height)
            count = round(rows.height * VALIDATION_SHARE)
            parts[name]["train"].append(shuffled(f"{name} {outlet}", rows[np.sort(order[count:])]))
            parts[name]["validation"].append(rows[np.sort(order[:count])])
    tables: Tables = {"agnostic": {}}
    for name, sides in parts.items():
        tables[name] = {
            side: shuffled(f"{name} {side}", _headlines(pl.concat(by_outlet), outlets))
            for side, by_outlet in sides.items()
        }
        tables[name]["test"] = _headlines(test, outlets)
    for side, by_outlet in parts["train_m"].items():
        half = pl.concat(rows.head(rows.height // 2) for rows in by_outlet)
        tables["agnostic"][side] = shuffled(
            f"agnostic {side}", _articles_to_headlines(half, pl.lit("agnostic"))
        )
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


def _nearest_headlines(neighbours: pl.DataFrame, which: str, articles: pl.DataFrame) -> pl.DataFrame:
    """The headline `near` of the neighbour (a column of `find_neighbours`) of each `id` that has one among the articles."""
    headlines = articles.select(pl.col("id").alias(which), near="headline")
    return neighbours.select("id", which).join(headlines, on=which)


def _of_ids(nearest: pl.DataFrame, ids: pl.Series) -> pl.Series:
    return pl.DataFrame({"id": ids}).join(nearest, on="id", how="left", maintain_order="left")["near"]


def _share(share: float, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw a share of so many rows."""
    return rng.permutation(count) < int(share * count)


def _swapped(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The rows, a random half of them with their two headlines swapped."""
    swap = pl.when(pl.Series(_share(0.5, rows.height, rng)))
    return rows.with_columns(
        headline1=swap.then("headline2").otherwise("headline1"),
        headline2=swap.then("headline1").otherwise("headline2"),
    )


def _kind(hard: pl.Expr) -> pl.Expr:
    return pl.when(hard).then(pl.lit("hard")).otherwise(pl.lit("random"))


def _labelled(right: pl.DataFrame, wrong: pl.DataFrame) -> pl.DataFrame:
    labels = ((rows, pl.lit(label, pl.Int64)) for rows, label in ((right, 1), (wrong, 0)))
    return pl.concat(
        rows.with_columns(label=label).select(sorted([*rows.columns, "label"])) for rows, label in labels
    )


def _shuffled(rows: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The rows in random order; texts are not copied, as they would be from a table in several chunks."""
    return rows.rechunk()[rng.permutation(rows.height)]
