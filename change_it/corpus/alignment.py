"""Alignment of two newspapers' articles by similarity inside a window of days (LREC 2020, §2), exactly.

Both sides are sorted by date, so what an article may be compared with is one interval of the other side.
Blocks of neighbouring articles are multiplied with the union of their intervals; what lies outside an
article's own interval is dropped. Nothing is approximated: the pairs are those of the full product of the two
tf-idf matrices under a mask of dates, at the cost of the window.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from os import cpu_count
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Reduced = TypeVar("Reduced")

#: The day number of an article without a date.
UNDATED = -1

#: Edges of the similarity bins that are counted in passing: .05, .055, … 1. A bin holds `edge < similarity <= next edge`.
EDGES: Floats = np.arange(10, 201) / 200

#: At most this many similarities are held at a time by each thread (a block of full rows always fits).
BLOCK = 1 << 21

THREADS = min(4, cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Aligned articles, best first.

    Attributes:
        a_index: int64 (pairs,), rows of outlet A.
        b_index: int64 (pairs,), rows of outlet B.
        similarity: float64 (pairs,), cosines in (floor, 1], sorted by (-similarity, a_index, b_index).
        counts: int64 (len(EDGES) - 1,), number of pairs in each bin of similarity; of everything
            compared in the result of `align`, of the pairs kept in that of `one_to_one`.
    """

    a_index: Ints
    b_index: Ints
    similarity: Floats
    counts: Ints

    def __len__(self) -> int:
        return len(self.similarity)


def day_numbers(dates: Iterable[date | None]) -> Ints:
    """Days since 1 January of year 1; `UNDATED` where there is none.

    Args:
        dates: dates of publication.

    Returns:
        int64, one number a date.

    Example:
        >>> day_numbers([date(1, 1, 2), None]).tolist()
        [2, -1]
    """
    return np.array([UNDATED if day is None else day.toordinal() for day in dates], dtype=np.int64)


def align(
    x: csr_matrix, y: csr_matrix, x_days: Ints, y_days: Ints, *, window_days: int | None, floor: float
) -> Pairs:
    """All pairs of articles inside the window whose cosine is above a floor (many-to-many).

    Args:
        x: unit-length rows of outlet A, (articles of A, words).
        y: the same of outlet B.
        x_days: day numbers of A, `UNDATED` where unknown.
        y_days: the same of B.
        window_days: articles further apart than this many days are not compared, nor are undated ones; None
            compares everything with everything, dates or not.
        floor: pairs at or below this cosine are counted (above .05) but not returned.

    Returns:
        The pairs, and the counts of every pair compared. Memory is bounded by `BLOCK` and the number of pairs.

    Example:
        >>> x, y = csr_matrix([[1.0, 0.0], [0.6, 0.8]]), csr_matrix([[1.0, 0.0], [1.0, 0.0]])
        >>> pairs = align(x, y, np.array([5, 9]), np.array([6, 7]), window_days=2, floor=0.1)
        >>> list(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), pairs.similarity.tolist()))
        [(0, 0, 1.0), (0, 1, 1.0), (1, 1, 0.6)]
    """
    rows, columns = _by_day(x_days, undated=window_days is None), _by_day(y_days, undated=window_days is None)
    if window_days is None:
        low, high = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), len(columns), dtype=np.int64)
    else:
        low, high = _window(x_days[rows], y_days[columns], window_days)

    def above_floor(block: "_Block") -> tuple[Ints, Ints, Floats, Ints]:
        i, j, similarity = block.entries(min(floor, float(EDGES[0])), 2.0)
        inside = (j >= low[i]) & (j < high[i])
        i, j, similarity = i[inside], j[inside], np.minimum(similarity[inside], 1.0)
        kept = similarity > floor
        return rows[i[kept]], columns[j[kept]], similarity[kept], histogram(similarity)

    parts = _over_blocks(x[rows], y[columns], low, high, above_floor)
    a_index, b_index = (np.concatenate([np.zeros(0, dtype=np.int64), *(part[k] for part in parts)]) for k in (0, 1))
    similarity = np.concatenate([np.zeros(0), *(part[2] for part in parts)])
    order = np.lexsort((b_index, a_index, -similarity))
    counts = np.sum([histogram(similarity[:0]), *(part[3] for part in parts)], axis=0)
    return Pairs(a_index[order], b_index[order], similarity[order], counts)


def one_to_one(pairs: Pairs) -> Pairs:
    """Greedily from the top, each article in at most one pair (SPEC §2).

    Args:
        pairs: the result of `align`.

    Returns:
        The pairs kept, in the same order; its `counts` are complete above the floor that `align` was given.

    Example:
        >>> many = Pairs(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0.9, 0.8, 0.7, 0.2]), histogram(np.zeros(0)))
        >>> one_to_one(many).similarity.tolist()
        [0.9, 0.2]
    """
    a_free = np.ones(pairs.a_index.max(initial=-1) + 1, dtype=bool).tolist()
    b_free = np.ones(pairs.b_index.max(initial=-1) + 1, dtype=bool).tolist()
    kept = []
    for position, (a, b) in enumerate(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), strict=True)):
        if a_free[a] and b_free[b]:
            a_free[a] = b_free[b] = False
            kept.append(position)
    chosen = np.array(kept, dtype=np.int64)
    similarity = pairs.similarity[chosen]
    return Pairs(pairs.a_index[chosen], pairs.b_index[chosen], similarity, histogram(similarity))


def histogram(similarity: Floats) -> Ints:
    """Number of similarities in each bin of `EDGES`.

    Args:
        similarity: cosines of at most 1; those up to .05 are not counted.

    Returns:
        int64 (len(EDGES) - 1,).
    """
    steps = np.ceil(similarity * 200).astype(np.int64) - 11
    return np.bincount(steps[steps >= 0], minlength=len(EDGES) - 1)


def number_above(counts: Ints) -> Ints:
    """The curve of LREC 2020's Figure 2: how many pairs are above each threshold.

    Args:
        counts: `Pairs.counts`.

    Returns:
        int64 (len(EDGES) - 1,): the number of pairs above `EDGES[k]`, for every edge but the last.

    Example:
        >>> number_above(histogram(np.array([0.3, 0.3, 0.7])))[[0, 50, 189]].tolist()
        [3, 1, 0]
    """
    return counts[::-1].cumsum()[::-1]


def nearest_wrong(
    x: csr_matrix,
    y: csr_matrix,
    x_days: Ints,
    y_days: Ints,
    *,
    x_groups: Ints,
    y_groups: Ints,
    x_clusters: Ints,
    y_clusters: Ints,
    window_days: int | None,
    ceiling: float,
    at_least: int = 25,
) -> tuple[Ints, Floats]:
    """For each row of x the most similar row of y that is surely not its partner: a hard negative.

    A candidate is of the same group, of another cluster, and less similar than the ceiling (above it, it may
    tell of the same event). Candidates are looked for in the window; where that holds fewer than
    `at_least` rows of the group, among the `at_least` nearest in time. An undated row looks through its whole group.

    Args:
        x: unit-length rows, (n, words).
        y: unit-length rows, (m, words); may be x itself.
        x_days: int64 (n,), day numbers, `UNDATED` where unknown.
        y_days: int64 (m,).
        x_groups: int64 (n,); only rows of one group are compared (train/test side and fold).
        y_groups: int64 (m,).
        x_clusters: int64 (n,); rows with the same number belong together: the row itself, its partner, their
            near-duplicates.
        y_clusters: int64 (m,).
        window_days: half-width of the window; None looks through the whole group.
        ceiling: cosine that a candidate must stay below.
        at_least: number of rows that the search looks at, where the group has so many.

    Returns:
        int64 (n,) rows of y, -1 where no candidate shares a word with the row; float64 (n,) cosines, 0 there. The
        earliest wins among equals.

    Example:
        >>> x = csr_matrix([[1.0, 0.0], [0.6, 0.8], [0.28, 0.96]])
        >>> zeros, alone = np.zeros(3, dtype=int), np.arange(3)
        >>> index, cosine = nearest_wrong(x, x, zeros, zeros, x_groups=zeros, y_groups=zeros, x_clusters=alone,
        ...     y_clusters=alone, window_days=3, ceiling=0.9)
        >>> index.tolist(), cosine.tolist()
        ([1, 0, 0], [0.6, 0.6, 0.28])
    """
    index, cosine = np.full(x.shape[0], -1, dtype=np.int64), np.zeros(x.shape[0])
    for group in np.intersect1d(x_groups, y_groups):
        rows, columns = (_by_day(np.where(of == group, days, UNDATED - 1), undated=True) for of, days in (
            (x_groups, x_days), (y_groups, y_days)))
        low, high = _widened(x_days[rows], y_days[columns], window_days, at_least)
        forbidden_x, forbidden_y = x_clusters[rows], y_clusters[columns]

        def best(block: "_Block", low: Ints = low, high: Ints = high) -> tuple[Ints, Ints, Floats]:
            raise NotImplementedError

    return index, cosine
