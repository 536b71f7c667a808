"""A1, A2, A3 and R, the two folds, what must leave the corpus so that nothing of the test set is trained on, and the check.

The unit of all of it is the *event*: articles linked by near-duplicate clusters, by every cosine above the strict threshold,
in one outlet or across the two, and by kept pairs, transitively. It is stored with articles and pairs, and intervals draw it.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from change_it.corpus.article import Alignment
from change_it.corpus.vectors import near_duplicates, tfidf
from change_it.errors import InputError
from change_it.io import counted
from change_it.stats import Bools, Floats, Ints

NEAR_DUPLICATE = "near-duplicate of a test article"
OTHER_OUTLET = "another outlet's article of a test event"
REMOVED = ""  #: in `Splits.alignment`, of an article that left the corpus
_ORDER = ("R", "A3", "A1", "A2")  # weakest claim on an article first
NONE: Ints = np.zeros(0, dtype=np.int64)

#: Columns of the finished tables that the leak check reads.
_IDS = ("id", "a_id", "b_id")
_TEXTS = ("article", "source", "a_article", "b_article")
_HEADLINES = ("headline", "headline1", "headline2", "a_headline", "b_headline", "target")


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of every article and pair."""

    alignment: NDArray[np.str_]  # (articles,) `A1`, `A2`, `A3`, `R`, or `REMOVED`
    event: Ints  # (articles,) number of the event
    fold: Ints  # (articles,) 0 or 1, constant within an event
    pairs: Ints  # (kept pairs,) positions in the candidate pairs, best first
    pair_alignment: NDArray[np.str_]  # (kept pairs,) `A1`, `A2` or `A3`
    removed: dict[int, str]  # position of each article that left the corpus → why
    dropped: int  # pairs above the thresholds that would tie training to test or one fold to the other
    others: Ints  # (kept pairs of other outlets,) positions in those given


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A random generator of its own for each purpose, so that one choice never shifts another."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def components(clusters: Ints, a: Ints, b: Ints) -> Ints:
    """Number the connected components, (articles,), of articles linked by near-duplicate clusters and pairs."""
    count = len(clusters)
    _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
    rows = np.concatenate([np.arange(count), a])
    columns = np.concatenate([first[inverse], b])
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def events_of(articles: Sequence[str], partners: Sequence[str]) -> Ints:
    """Number the events of n articles, (n,): each with its partner, an article on the same event (empty for none), and near-duplicates.

    Examples:
        >>> events_of(["The bridge fell.", "A bridge is down.", "The rain goes on."], ["A bridge is down.", "", ""]).tolist()
        [0, 0, 1]
    """
    texts = {text: number for number, text in enumerate(dict.fromkeys([*articles, *filter(None, partners)]))}
    linked = [(texts[a], texts[b]) for a, b in zip(articles, partners, strict=True) if b]
    a, b = np.array(linked, dtype=np.int64).reshape(-1, 2).T
    clusters = np.arange(len(texts))
    with suppress(InputError):  # there is no word in them
        clusters = near_duplicates(tfidf(list(texts), min_df=1))
    return components(clusters, a, b)[[texts[text] for text in articles]]


def split(
    clusters: Ints,
    pairs: tuple[Ints, Ints, Floats],
    labels: Ints,
    *,
    strict: float,
    loose: float,
    seed: int,
    sizes: dict[str, int] | None = None,
    given: Sequence[Alignment | None] | None = None,
    events: tuple[Ints, Ints] = (NONE, NONE),
    others: tuple[Ints, Ints] = (NONE, NONE),
) -> Splits:
    """Split articles into A1, A2, A3 and R, and into two folds.

    `pairs` are positions in A, positions in B and cosines of candidates, best first. Pairs above `strict` are dealt
    evenly at random to A1 and A2, event by event, and those in (loose, strict] make A3. Articles of an event of the test
    set that have no partner there are in A2 as well. With `sizes`, the best A1 + A2 pairs by rank are dealt and the next
    ones make A3. With `given`, the splits that the input brings decide (None counts as R), and pairs must be within one.

    `labels` (0 for A, 1 for B) only balance the folds; from 2 on they are of other outlets, whose articles are never in the
    test set: those of its events leave. `others` are pairs with one of them, kept where both stay.
    `events` are positions of two articles of one event each; with `given` they join only what is on one side.
    """
    a, b, similarity = pairs
    wanted, top, next_best = _ranked(similarity, len(clusters), strict, loose, sizes, given)
    first, second = events
    dealt = slice(0) if given is not None else slice(None)
    other_a, other_b = others
    component = components(clusters, np.r_[a[top], first[dealt]], np.r_[b[top], second[dealt]])
    if given is None:
        in_test = _deal_test(component[a[top]], len(clusters), sizes, seed, strict)
    else:
        in_test = np.isin(np.arange(len(clusters)), component[wanted == "A2"])
    free = ~in_test[component[a]] & ~in_test[component[b]]

    pair_alignment = np.full(len(a), REMOVED, dtype="<U2")
    if given is not None:
        pair_alignment = np.where(free, wanted[a], pair_alignment)
        pair_alignment[(wanted[a] == "A2") & (wanted[b] == "A2")] = "A2"
    else:
        pair_alignment[top] = np.where(free[top], "A1", "A2")
        pair_alignment[next_best & free] = "A3"
        if sizes is not None:  # lower ranks replace those that touched the test set
            missing = sizes["A3"] - int((pair_alignment == "A3").sum())
            pair_alignment[np.flatnonzero(free & ~next_best & ~top)[:missing]] = "A3"

    kept = pair_alignment != REMOVED
    alignment = wanted.copy()
    for name in _ORDER[1:]:
        alignment[a[pair_alignment == name]] = name
        alignment[b[pair_alignment == name]] = name
    removed = _complete_test(alignment, component, clusters, in_test, labels > 1)
    alignment[list(removed)] = REMOVED
    other_kept = (alignment[other_a] != REMOVED) & (alignment[other_b] != REMOVED)
    other_kept &= (alignment[other_a] != "A2") & (alignment[other_b] != "A2")

    side = in_test[component]
    joined = side[first] == side[second]
    linked = (
        np.r_[a[kept], other_a[other_kept], first[joined]],
        np.r_[b[kept], other_b[other_kept], second[joined]],
    )
    event = components(clusters, *linked)
    fold = _folds(event, alignment, np.minimum(labels, 2), generator(seed, "folds"))
    asked_for = int((top | next_best).sum())
    return Splits(
        alignment=alignment,
        event=event,
        fold=fold,
        pairs=np.flatnonzero(kept).astype(np.int64),
        pair_alignment=pair_alignment[kept],
        removed=removed,
        dropped=asked_for - int(kept.sum()),
        others=np.flatnonzero(other_kept).astype(np.int64),
    )


def _ranked(
    similarity: Floats,
    count: int,
    strict: float,
    loose: float,
    sizes: dict[str, int] | None,
    given: Sequence[Alignment | None] | None,
) -> tuple[NDArray[np.str_], Bools, Bools]:
    """The splits that the input wants for the articles; the pairs that are dealt to A1 and A2, and those that make A3."""
    wanted = np.full(count, "R", dtype="<U2")
    rank = np.arange(len(similarity))
    if given is not None:
        wanted = np.array([name or "R" for name in given], dtype="<U2")
        if "A2" not in wanted:
            raise InputError(
                "the alignment column names no A2 article: drop the column so that pairs are found, or add A2"
            )
        return wanted, rank < 0, rank >= 0
    if sizes is None:
        return wanted, similarity > strict, (similarity > loose) & (similarity <= strict)
    total, most = sum(sizes.values()), sizes["A1"] + sizes["A2"]
    if len(rank) < total:
        asked = ", ".join(f"{name}={number:,}" for name, number in sizes.items())
        raise InputError(
            f"--sizes asks for {total:,} pairs ({asked}), there are {len(rank):,}: ask for fewer"
        )
    return wanted, rank < most, (rank >= most) & (rank < total)


def _deal_test(component: Ints, count: int, sizes: dict[str, int] | None, seed: int, strict: float) -> Bools:
    """Deal the components of the top pairs to A1 and A2 (True) at random, each towards its number of pairs or to even halves."""
    members, sizes_of = np.unique(component, return_counts=True)
    if len(members) < 2:
        mend = "lower --strict, widen --window-days or give more articles"
        if len(component) > 1:
            mend = "raise --strict or narrow --window-days, which link everything, or give more articles"
        raise InputError(
            f"the pairs above {strict} ({len(component):,}) are of {counted(len(members), 'event')}, and A1 and A2 need one each: {mend}"
        )
    half = len(component) // 2
    targets = (len(component) - half, half) if sizes is None else (sizes["A1"], sizes["A2"])
    rng = generator(seed, "A1/A2")
    order = rng.permutation(len(members))
    # large components first, so that the last ones even out
    order = order[np.argsort(-sizes_of[order], kind="stable")]
    filled = [0, 0]
    in_test = np.zeros(count, dtype=bool)
    for position in order:
        open_share = [1 - filled[side] / targets[side] for side in (0, 1)]
        side = int(open_share[1] > open_share[0]) if open_share[0] != open_share[1] else int(rng.integers(2))
        filled[side] += int(sizes_of[position])
        in_test[members[position]] = side == 1
    return in_test


def _complete_test(
    alignment: NDArray[np.str_], component: Ints, clusters: Ints, in_test: Bools, other: Bools
) -> dict[int, str]:
    """Put the rest of the test set's events into A2, in place; near-duplicates in it and articles of `other` outlets leave, with the reason."""
    paired = alignment == "A2"
    rest = np.flatnonzero(in_test[component] & ~paired & ~other)
    repeats = np.isin(clusters[rest], clusters[paired])
    new = np.flatnonzero(~repeats)
    repeats[np.delete(new, np.unique(clusters[rest[new]], return_index=True)[1])] = True
    alignment[rest] = "A2"
    foreign = np.flatnonzero(in_test[component] & other)
    return {int(row): NEAR_DUPLICATE for row in rest[repeats]} | {int(row): OTHER_OUTLET for row in foreign}


def _folds(event: Ints, alignment: NDArray[np.str_], labels: Ints, rng: np.random.Generator) -> Ints:
    """Fold of each article: events of a kind (best split, outlets) are shuffled and dealt 0, 1, 1, 0, largest first."""
    count = int(event.max(initial=-1)) + 1
    strength = np.zeros(count, dtype=np.int64)
    np.maximum.at(strength, event, np.select([alignment == name for name in _ORDER], [0, 1, 2, 3], 0))
    outlets = np.zeros(count, dtype=np.int64)
    np.bitwise_or.at(outlets, event, 1 << labels)
    size = np.bincount(event, minlength=count)
    kind = strength * 8 + outlets
    order = np.lexsort((rng.permutation(count), -size, kind))
    starts = np.flatnonzero(np.r_[True, np.diff(kind[order]) != 0]) if count else np.zeros(0, dtype=np.int64)
    rank = np.arange(count) - np.repeat(starts, np.diff(np.r_[starts, count]))
    fold = np.zeros(count, dtype=np.int64)
    fold[order] = np.array([0, 1, 1, 0])[rank % 4]
    return fold[event]


def leak_check(tables: Mapping[str, Mapping[str, pl.DataFrame]], clusters: pl.DataFrame) -> dict[str, Any]:
    """Compare every training and validation table with A2; it knows only the finished tables and the clusters.

    Counted over all sets: values that are the id of an A2 article, of a near-duplicate of one, or of a partner of
    one; articles whose cleaned text is that of an A2 article; and headlines, but changed ones of HH and AH, that belong
    to no training article.
    A count that is not 0 is a RuntimeError. `clusters` has `id, cluster` of every article that was read.
    """
    articles, pairs = tables["articles"], tables["pairs"]
    test = articles["test"]
    test_ids = test["id"]
    of_test = pl.col("id").is_in(test_ids.implode())
    near = clusters.filter(pl.col("cluster").is_in(clusters.filter(of_test)["cluster"].implode()))
    partners = pl.concat(
        part.select(id=side, partner=other)
        for part in pairs.values()
        for side, other in (("a_id", "b_id"), ("b_id", "a_id"))
    )
    forbidden = {
        "ids": ("ids", test_ids),
        "near_duplicates": ("ids", near["id"]),
        "partners": ("ids", partners.filter(of_test)["partner"]),
        "texts": ("texts", _hashes(test["article"])),
    }
    learnt = [part["headline"] for split, part in articles.items() if split != "test"]
    headlines = _hashes(pl.concat(learnt)).unique().implode()
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
        printed = _hashes(_values(unchanged, _HEADLINES)).is_in(headlines)
        leaks["foreign_headlines"] += int((~printed).sum())
    if any(leaks.values()):
        raise RuntimeError(f"the leak check found test material in training sets: {leaks}")
    return {"test_articles": test.height, "rows": rows, "found": leaks}


def test_neighbours(alignment: NDArray[np.str_], labels: Ints, events: tuple[Ints, Ints]) -> dict[str, int]:
    """Count test articles with a training article of the same event (cosine above the strict threshold, in the window)."""
    rows, others = (np.concatenate(sides) for sides in (events, events[::-1]))
    crosses = (alignment[rows] == "A2") & (alignment[others] != "A2") & (alignment[others] != "")
    foreign = crosses & (labels[rows] != labels[others])
    return {"articles": len(np.unique(rows[crosses])), "other_outlet": len(np.unique(rows[foreign]))}


def _values(tables: Iterable[pl.DataFrame], columns: tuple[str, ...]) -> pl.Series:
    """All values of these columns where the tables have them, nulls left out."""
    parts = [table[name] for table in tables for name in columns if name in table.columns]
    none = pl.Series("value", [], pl.String)
    return pl.concat([none, *(part.alias("value") for part in parts)]).drop_nulls()


def _hashes(texts: pl.Series) -> pl.Series:
    """64-bit hashes, because a set of whole articles would double the memory."""
    return texts.hash(seed=0)
