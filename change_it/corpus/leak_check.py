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
from change_it.stats import Ints

#: Columns of the finished tables that the leak check reads.
_IDS = ("id", "a_id", "b_id")

_TEXTS = ("article", "source", "a_article", "b_article")

_HEADLINES = ("headline", "headline1", "headline2", "a_headline", "b_headline", "target")


def leak_check(
    tables: Mapping[str, Mapping[str, pl.DataFrame]],
    clusters: pl.DataFrame,
    neighbours: Neighbours,
) -> LeakCheck:
    """Compare every training and validation table with the test articles; it knows only the finished tables and the clusters (`id, cluster`).

    Counted over all sets, a RuntimeError where not 0: ids of test articles, of their near-duplicates and partners; texts of test
    articles; and headlines, but changed ones of HH and AH, that belong to no training article. `neighbours` are those of
    `test_neighbours`, which are reported with them.
    """
    articles, pairs = tables["articles"], tables["pairs"]
    test = pl.concat(tested_articles(tables))
    test_ids = test["id"]
    is_tested = pl.col("id").is_in(test_ids.implode())
    near = clusters.filter(pl.col("cluster").is_in(clusters.filter(is_tested)["cluster"].implode()))
    partners = pl.concat(
        part.select(id=side, partner=other)
        for part in pairs.values()
        for side, other in (("a_id", "b_id"), ("b_id", "a_id"))
    )
    forbidden = {
        "ids": ("ids", test_ids),
        "near_duplicates": ("ids", near["id"]),
        "partners": ("ids", partners.filter(is_tested)["partner"]),
        "texts": ("texts", _hashes(test["article"])),
    }
    training_headlines = [part["headline"] for split, part in articles.items() if split != "test"]
    headlines = _hashes(pl.concat(training_headlines)).unique().implode()
    leaks = dict.fromkeys([*forbidden, "foreign_headlines"], 0)
    rows = {}
    for config, splits in tables.items():
        training = [part for split, part in splits.items() if split != "test"]
        rows[config] = sum(part.height for part in training)
        values = {"ids": _values(training, _IDS), "texts": _hashes(_values(training, _TEXTS))}
        for name, (kind, series) in forbidden.items():
            leaks[name] += int(values[kind].is_in(series.unique().implode()).sum())
        unchanged = [
            part.filter(pl.col("kind") != "facts") if "kind" in part.columns else part for part in training
        ]
        is_known = _hashes(_values(unchanged, _HEADLINES)).is_in(headlines)
        leaks["foreign_headlines"] += int((~is_known).sum())
    if any(leaks.values()):
        raise RuntimeError(f"the leak check found test material in training sets: {leaks}")
    return LeakCheck(test_articles=test.height, rows=rows, found=leaks, neighbours=neighbours)


def tested_articles(tables: Mapping[str, Mapping[str, pl.DataFrame]]) -> list[pl.DataFrame]:
    """Return the tables of the test articles: those of A2, and those without a partner where there are any."""
    tested = [tables["articles"]["test"]]
    if "test" in tables.get(TEST_ARTICLES, {}):
        tested.append(tables[TEST_ARTICLES]["test"])
    return tested


def _values(tables: Iterable[pl.DataFrame], columns: tuple[str, ...]) -> pl.Series:
    parts = [table[name] for table in tables for name in columns if name in table.columns]
    none = pl.Series("value", [], pl.String)
    return pl.concat([none, *(part.alias("value") for part in parts)]).drop_nulls()


def _hashes(texts: pl.Series) -> pl.Series:
    """64-bit hashes, because a set of whole articles would double the memory."""
    return texts.hash(seed=0)


def find_neighbours(
    articles: Sequence[Article],
    vectors: csr_matrix,
    labels: Ints,
    splits: Splits,
    paired: Ints,
    options: BuildOptions,
) -> pl.DataFrame:
    """The ids of wrong articles of the same side and fold, one row an article, null where there is none.

    `own_id` is of the nearest of the own outlet below the loose threshold. Of `paired` articles (positions) `other_id` is of
    such a one of the other outlet, and `near_id` of its nearest between the thresholds, at least `DAYS_OF_TWO_EVENTS` days away.
    """
    days = day_numbers(article.date for article in articles)
    groups = (splits.alignment == "A2") * 2 + splits.fold
    present = (splits.alignment != "") & ~splits.alone
    has_pair = np.isin(np.arange(len(articles)), paired)
    below = Likeness(ceiling=options.loose)
    between = Likeness(ceiling=options.strict, floor=options.loose, days_apart=DAYS_OF_TWO_EVENTS)
    columns: dict[str, pl.Series] = {}
    for which, likeness in {"own": below, "other": below, "near": between}.items():
        index = np.full(len(articles), -1, dtype=np.int64)
        for outlet in np.unique(labels).tolist():
            own, other = labels == outlet, (labels == 1 - outlet) if outlet < 2 else (labels != outlet)
            x = np.flatnonzero(present & own & (True if which == "own" else has_pair))
            y = np.flatnonzero(present & (own if which == "own" else other))
            compared = vectors, days, groups, splits.event, (x, y)
            index[x] = nearest_wrong(*compared, window_days=options.guard, likeness=likeness)
        names = [articles[place].id if place >= 0 else None for place in index.tolist()]
        columns[f"{which}_id"] = pl.Series(names, dtype=pl.String)
    return pl.DataFrame(columns)


def test_neighbours(
    tables: Mapping[str, Mapping[str, pl.DataFrame]],
    ids: Sequence[str],
    vectors: csr_matrix,
    options: BuildOptions,
) -> Neighbours:
    """Count the test articles that have a training article above the strict cosine inside the guard; `ids` are those of `vectors`."""
    row = {id_: number for number, id_ in enumerate(ids)}
    tested = pl.concat(tested_articles(tables))
    training_articles = pl.concat(part for split, part in tables["articles"].items() if split != "test")
    all_articles = pl.concat([tested, training_articles])
    guard = options.guard if all_articles["date"].is_not_null().any() else None
    test, training = np.split(np.arange(all_articles.height), [tested.height])
    rows, days = vectors[[row[id_] for id_ in all_articles["id"]]], day_numbers(all_articles["date"])
    close = align(rows, days, (test, training), window_days=guard, floor=options.strict)
    labels = all_articles["label"].to_numpy()
    foreign = labels[close.a_index] != labels[close.b_index]
    return Neighbours(
        articles=len(np.unique(close.a_index)), other_outlet=len(np.unique(close.a_index[foreign]))
    )
