"""The proof that nothing of the test set is trained on."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from change_it.corpus.training_sets import Tables

_IDS = ("id", "a_id", "b_id", "own_id", "other_id")
_TEXTS = ("article", "source", "a_article", "b_article")
_HEADLINES = ("headline", "headline1", "headline2", "a_headline", "b_headline", "target")


def leak_check(tables: Tables, clusters: pl.DataFrame) -> dict[str, Any]:
    """Compare every training and validation table with A2; it knows only the finished tables and the clusters.

    Counted over all sets: values that are the id of an A2 article, of a near-duplicate of one, or of a partner of
    one; articles whose cleaned text is that of an A2 article; and headlines that belong to no training article.
    A count that is not 0 is a RuntimeError. `clusters` has `id, cluster` of every article that was read.
    """
    articles, pairs = tables["articles"], tables["pairs"]
    test = articles["test"]
    test_ids = test["id"]
    near = clusters.filter(
        pl.col("cluster").is_in(clusters.filter(pl.col("id").is_in(test_ids.implode()))["cluster"].implode())
    )
    sides = pl.concat(
        part.select(one=one, other=other)
        for part in pairs.values()
        for one, other in (("a_id", "b_id"), ("b_id", "a_id"))
    )
    forbidden = {
        "ids": ("ids", test_ids),
        "near_duplicates": ("ids", near["id"]),
        "partners": ("ids", sides.filter(pl.col("one").is_in(test_ids.implode()))["other"]),
        "texts": ("texts", _hashes(test["article"])),
    }
    known = _hashes(articles["train"]["headline"])
    found = dict.fromkeys([*forbidden, "foreign_headlines"], 0)
    rows = {}
    for config, splits in tables.items():
        training = [part for split, part in splits.items() if split != "test"]
        rows[config] = sum(part.height for part in training)
        values = {
            "ids": _values(training, _IDS),
            "texts": _hashes(_values(training, _TEXTS)),
        }
        for name, (kind, series) in forbidden.items():
            found[name] += int(values[kind].is_in(series.unique().implode()).sum())
        found["foreign_headlines"] += int(
            (~_hashes(_values(training, _HEADLINES)).is_in(known.unique().implode())).sum()
        )
    if any(found.values()):
        raise RuntimeError(f"the leak check found test material in training sets: {found}")
    return {"test_articles": test.height, "rows": rows, "found": found}


def test_neighbours(
    alignment: NDArray[np.str_],
    labels: NDArray[np.int64],
    events: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> dict[str, int]:
    """Count test articles with a training article of the same event (cosine above the strict threshold, in the window)."""
    one, other = (np.concatenate(sides) for sides in (events, events[::-1]))
    crosses = (alignment[one] == "A2") & (alignment[other] != "A2") & (alignment[other] != "")
    foreign = crosses & (labels[one] != labels[other])
    return {"articles": len(np.unique(one[crosses])), "other_outlet": len(np.unique(one[foreign]))}


def _values(tables: Iterable[pl.DataFrame], columns: tuple[str, ...]) -> pl.Series:
    """All values of these columns where the tables have them, nulls left out."""
    parts = [table[name] for table in tables for name in columns if name in table.columns]
    return (
        pl.concat([part.alias("value") for part in parts]).drop_nulls()
        if parts
        else pl.Series("value", [], pl.String)
    )


def _hashes(texts: pl.Series) -> pl.Series:
    """64-bit hashes, because a set of whole articles would double the memory."""
    return texts.hash(seed=0)
