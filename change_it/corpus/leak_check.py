"""Check on the finished tables that nothing of the test set is learnt from."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix

from change_it.corpus.folder import TEST_ARTICLES
from change_it.corpus.pairing.matching import DAYS_OF_TWO_EVENTS, Likeness, align, day_numbers, nearest_wrong
from change_it.corpus.reading.article import Article
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.record import LeakCheck, Neighbours
from change_it.corpus.splits import Splits
from change_it.stats import Bools, Ints

#: Columns of the finished tables with ids of articles.
_ID_COLUMNS = ("id", "a_id", "b_id")
#: Columns with texts of articles.
_TEXT_COLUMNS = ("article", "source", "a_article", "b_article")
#: Columns with headlines.
_HEADLINE_COLUMNS = ("headline", "headline1", "headline2", "a_headline", "b_headline", "target")


def leak_check(
    tables: Mapping[str, Mapping[str, pl.DataFrame]],
    clusters: pl.DataFrame,
    neighbours: Neighbours,
) -> LeakCheck:
    """Compare every training and validation table with the test articles.

    Only the finished tables and the clusters are known here. In all sets the check looks for the ids of test
    articles, of their near-duplicates and of their partners, and for texts of test articles. It also looks
    for headlines that belong to no training article; those with a changed fact, in HH and AH, are left out.

    Args:
        tables: config to split to rows.
        clusters: columns `id` and `cluster` of near-duplicates.
        neighbours: what `count_close_test_articles` counted; it is only reported with the result.

    Raises:
        RuntimeError: something was found.
    """
    articles = tables["articles"]
    test = pl.concat(tested_articles(tables))
    forbidden_ids = _forbidden_ids(test, tables["pairs"].values(), clusters)
    test_texts = _hashes(test["article"]).unique().implode()
    training_headlines = [part["headline"] for part in _training(articles)]
    known_headlines = _hashes(pl.concat(training_headlines)).unique().implode()
    leaks = dict.fromkeys([*forbidden_ids, "texts", "foreign_headlines"], 0)
    rows = {}
    for config, splits in tables.items():
        training = _training(splits)
        rows[config] = sum(part.height for part in training)
        ids = _values(training, _ID_COLUMNS)
        for name, forbidden in forbidden_ids.items():
            leaks[name] += int(ids.is_in(forbidden.unique().implode()).sum())
        texts = _hashes(_values(training, _TEXT_COLUMNS))
        leaks["texts"] += int(texts.is_in(test_texts).sum())
        printed = [_without_changed_facts(part) for part in training]
        is_known = _hashes(_values(printed, _HEADLINE_COLUMNS)).is_in(known_headlines)
        leaks["foreign_headlines"] += int((~is_known).sum())
    if any(leaks.values()):
        raise RuntimeError(f"the leak check found test material in training sets: {leaks}")
    return LeakCheck(test_articles=test.height, rows=rows, found=leaks, neighbours=neighbours)


def _forbidden_ids(
    test: pl.DataFrame, pairs: Iterable[pl.DataFrame], clusters: pl.DataFrame
) -> dict[str, pl.Series]:
    """Return the ids that no training row may have: of test articles, near-duplicates and partners."""
    is_tested = pl.col("id").is_in(test["id"].implode())
    tested_clusters = clusters.filter(is_tested)["cluster"]
    near = clusters.filter(pl.col("cluster").is_in(tested_clusters.implode()))
    sides = []
    for part in pairs:
        sides.append(part.select(id="a_id", partner="b_id"))
        sides.append(part.select(id="b_id", partner="a_id"))
    partners = pl.concat(sides).filter(is_tested)["partner"]
    return {"ids": test["id"], "near_duplicates": near["id"], "partners": partners}


def _training(splits: Mapping[str, pl.DataFrame]) -> list[pl.DataFrame]:
    """Return the tables of all splits but the test."""
    return [part for split, part in splits.items() if split != "test"]


def _without_changed_facts(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows without those of HH and AH in whose headline a fact was changed on purpose."""
    if "kind" not in rows.columns:
        return rows
    return rows.filter(pl.col("kind") != "facts")


def tested_articles(tables: Mapping[str, Mapping[str, pl.DataFrame]]) -> list[pl.DataFrame]:
    """Return the tables of the test articles: A2, and those without a partner where there are any."""
    tested = [tables["articles"]["test"]]
    if "test" in tables.get(TEST_ARTICLES, {}):
        tested.append(tables[TEST_ARTICLES]["test"])
    return tested


def _values(tables: Iterable[pl.DataFrame], columns: tuple[str, ...]) -> pl.Series:
    """Return the values of some columns of all tables in one series, without nulls; a table may lack them."""
    parts = [pl.Series("value", [], pl.String)]
    for table in tables:
        parts += [table[name].alias("value") for name in columns if name in table.columns]
    return pl.concat(parts).drop_nulls()


def _hashes(texts: pl.Series) -> pl.Series:
    """Return 64-bit hashes of texts: a set of whole articles would double the memory."""
    return texts.hash(seed=0)


def find_neighbours(
    articles: Sequence[Article],
    vectors: csr_matrix,
    labels: Ints,
    splits: Splits,
    paired: Ints,
    options: BuildOptions,
) -> pl.DataFrame:
    """Find for each article its nearest wrong ones, for hard negatives.

    A wrong article is of another event, of the same fold, and of the test set only if the article is.

    Args:
        articles: all articles.
        vectors: (articles, words) of unit length.
        labels: (articles,) 0 for A, 1 for B, from 2 on for further outlets.
        splits: the splits of the articles.
        paired: positions of the articles that are in a pair.
        options: thresholds and guard.

    Returns:
        One row an article with ids, null where there is none. `own_id` is the nearest article of the same
        outlet below the loose threshold. `other_id` is that of the other outlet, for paired articles.
        `near_id` is the nearest of the other outlet between the thresholds, at least `DAYS_OF_TWO_EVENTS`
        days away, for paired articles.
    """
    days = day_numbers(article.date for article in articles)
    # the four groups that are kept apart: test and training of each fold
    groups = np.where(splits.alignment == "A2", 2, 0) + splits.fold
    is_present = (splits.alignment != "") & ~splits.alone
    is_paired = np.isin(np.arange(len(articles)), paired)
    below = Likeness(ceiling=options.loose)
    between = Likeness(ceiling=options.strict, floor=options.loose, days_apart=DAYS_OF_TWO_EVENTS)
    columns: dict[str, pl.Series] = {}
    for which, likeness in {"own": below, "other": below, "near": between}.items():
        index = np.full(len(articles), -1, dtype=np.int64)
        for outlet in np.unique(labels).tolist():
            is_own = labels == outlet
            if which == "own":
                x = np.flatnonzero(is_present & is_own)
                y = x
            else:
                x = np.flatnonzero(is_present & is_own & is_paired)
                y = np.flatnonzero(is_present & _is_opposite(labels, outlet))
            index[x] = nearest_wrong(
                vectors,
                days,
                groups,
                splits.event,
                (x, y),
                window_days=options.guard,
                likeness=likeness,
            )
        ids: list[str | None] = []
        for place in index.tolist():
            ids.append(articles[place].id if place >= 0 else None)
        columns[f"{which}_id"] = pl.Series(ids, dtype=pl.String)
    return pl.DataFrame(columns)


def _is_opposite(labels: Ints, outlet: int) -> Bools:
    """Mark the articles, (articles,), that are of the other outlet; for a further one, of any other."""
    if outlet < 2:
        return labels == 1 - outlet
    return labels != outlet


def count_close_test_articles(
    tables: Mapping[str, Mapping[str, pl.DataFrame]],
    ids: Sequence[str],
    vectors: csr_matrix,
    options: BuildOptions,
) -> Neighbours:
    """Count the test articles that have a training article above the strict cosine inside the guard.

    Those are counted apart that have one of the other outlet.

    Args:
        tables: config to split to rows.
        ids: (articles,) ids of the rows of `vectors`.
        vectors: (articles, words) of unit length.
        options: strict threshold and guard.
    """
    row_of_id = {id_: number for number, id_ in enumerate(ids)}
    tested = pl.concat(tested_articles(tables))
    all_articles = pl.concat([tested, *_training(tables["articles"])])
    guard = options.guard if all_articles["date"].is_not_null().any() else None
    test, training = np.split(np.arange(all_articles.height), [tested.height])
    rows = vectors[[row_of_id[id_] for id_ in all_articles["id"]]]
    days = day_numbers(all_articles["date"])
    close = align(rows, days, (test, training), window_days=guard, floor=options.strict)
    labels = all_articles["label"].to_numpy()
    is_other_outlet = labels[close.a_index] != labels[close.b_index]
    with_other_outlet = close.a_index[is_other_outlet]
    return Neighbours(articles=len(np.unique(close.a_index)), other_outlet=len(np.unique(with_other_outlet)))
