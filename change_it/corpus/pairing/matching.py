"""Alignment of two newspapers' articles by similarity inside a window of days (LREC 2020 §4.1), exactly.

Both sides are sorted by date, so what an article may be compared with is one interval of the other side. Neighbouring
articles are multiplied with the union of their intervals; what lies outside an article's own is dropped.
Cosines have nine decimals, so that the order of summation decides nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from change_it.corpus.pairing.engines import map_ordered
from change_it.corpus.pairing.groups import NONE
from change_it.corpus.reading.article import Article, Outlets
from change_it.corpus.reading.options import GUARD, BuildOptions
from change_it.errors import InputError
from change_it.stats import Bools, Floats, Ints

#: The day number of an article without a date.
UNDATED = -1
#: Share of one event that a threshold should reach, and the pairs that its estimate takes at least.
GOOD, LEAST_PAIRS = 0.9, 20
#: Days from which on two articles are two events nearly always.
APART = 2

#: Edges of the similarity bins that are counted in passing: .05, .055, … 1. A bin holds `edge < similarity <= next edge`.
EDGES: Floats = np.arange(10, 201) / 200

#: Alignment groups that the input can give, inside each of which pairs are found.
GROUPS = ("A1", "A2", "A3")
#: Articles of each side that are multiplied at a time, at most.
ROWS, COLUMNS = 512, 4096

LOWEST = float(EDGES[0])


class Block(NamedTuple):
    """Neighbouring articles of one side, and of the other what they may be compared with."""

    x: csr_matrix
    y: csr_matrix
    row: int  # position of the first article of x
    column: int  # and of y
    low: Ints  # each article of x may be compared with the positions from here
    high: Ints  # to before here

    def cosines(self, lowest: float) -> tuple[Ints, Ints, Floats]:
        """Positions of both articles and the cosine of each pair that may be compared and has a cosine above `lowest`."""
        product = self.x @ self.y.T.tocsr()
        above = np.flatnonzero(product.data > lowest)
        i = np.searchsorted(product.indptr, above, side="right") - 1
        j = product.indices[above].astype(np.int64) + self.column
        inside = (j >= self.low[i]) & (j < self.high[i])
        return i[inside] + self.row, j[inside], np.minimum(product.data[above[inside]].round(9), 1.0)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Aligned articles, sorted by (-similarity, a_index, b_index)."""

    a_index: Ints  # (pairs,) positions of the articles of outlet A
    b_index: Ints  # (pairs,) and of outlet B
    similarity: Floats  # (pairs,) cosines in (floor, 1]
    counts: Ints  # (len(EDGES) - 1,) number of all pairs compared, by cosine in the bins of `EDGES`

    def __len__(self) -> int:
        return len(self.similarity)

    @property
    def places(self) -> tuple[Ints, Ints]:
        """Positions of both articles."""
        return self.a_index, self.b_index

    def select(self, rows: Bools | Ints) -> "Pairs":
        """Those of these pairs, in this order; the counts stay."""
        return Pairs(self.a_index[rows], self.b_index[rows], self.similarity[rows], self.counts)

    def days_apart(self, days: Ints) -> Ints:
        """Days between the articles of each pair."""
        return np.abs(days[self.a_index] - days[self.b_index])


NO_PAIRS = Pairs(NONE, NONE, np.zeros(0), np.zeros(len(EDGES) - 1, dtype=np.int64))


def day_numbers(dates: Iterable[date | None]) -> Ints:
    """Days since 1 January of year 1; `UNDATED` where there is none."""
    return np.array([UNDATED if day is None else day.toordinal() for day in dates], dtype=np.int64)


def align(
    vectors: csr_matrix, days: Ints, sides: tuple[Ints, Ints], *, window_days: int | None, floor: float
) -> Pairs:
    """All pairs of an article of each side (positions) whose cosine is above a floor and whose days are close (many-to-many).

    A window of None compares undated articles too. Two sides that are the same articles give each two of them once.
    Counted are all pairs above .05; of articles of one side those above the floor alone.
    """
    rows, columns = (side[_by_day(days[side], undated=window_days is None)] for side in sides)
    once = np.array_equal(rows, columns)
    if window_days is None:
        low, high = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), len(columns))
    else:
        low, high = _window(days[rows], days[columns], window_days)
    if once:
        low = np.maximum(low, np.arange(1, len(rows) + 1))

    lowest = floor if once else min(floor, LOWEST)
    compared = partial(_pairs_of_block, lowest=lowest, floor=floor)
    parts = map_ordered(compared, _blocks(vectors[rows], vectors[columns], low, high))
    return _best_first(
        replace(part, a_index=rows[part.a_index], b_index=columns[part.b_index]) for part in parts
    )


def _best_first(parts: Iterable[Pairs]) -> Pairs:
    parts = [NO_PAIRS, *parts]
    a, b = (np.concatenate([part.places[side] for part in parts]) for side in (0, 1))
    similarity = np.concatenate([part.similarity for part in parts])
    order = np.lexsort((b, a, -similarity))
    return Pairs(a, b, similarity, np.sum([part.counts for part in parts], axis=0)).select(order)


def _pairs_of_block(block: Block, lowest: float, floor: float) -> Pairs:
    """The pairs of a block above the floor, and the counts of those above `lowest`."""
    i, j, cosine = block.cosines(lowest)
    return Pairs(i, j, cosine, histogram(cosine)).select(cosine > floor)


def one_to_one(pairs: Pairs) -> Pairs:
    """The pairs whose articles are in no better pair, of pairs by position, best first: a greedy one-to-one matching (ours; LREC 2020 §4.1 ranks and cuts at thresholds alone)."""
    free = [True] * (1 + max(pairs.a_index.max(initial=-1), pairs.b_index.max(initial=-1)))
    matched = []
    for position, (a, b) in enumerate(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), strict=True)):
        if free[a] and free[b]:
            free[a] = free[b] = False
            matched.append(position)
    return pairs.select(np.array(matched, dtype=np.int64))


def histogram(similarity: Floats) -> Ints:
    """Number of similarities in each bin of `EDGES`, int64 (len(EDGES) - 1,); those up to .05 are not counted."""
    bins = np.searchsorted(EDGES, similarity) - 1
    return np.bincount(bins[bins >= 0], minlength=len(EDGES) - 1)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a wrong article may be to the one that it stands in for.

    Attributes:
        ceiling: its cosine is below this.
        floor: its cosine is above this.
        days_apart: it is at least so many days away.
    """

    ceiling: float
    floor: float = 0.0
    days_apart: int = 0


def nearest_wrong(
    vectors: csr_matrix,
    days: Ints,
    groups: Ints,
    clusters: Ints,
    sides: tuple[Ints, Ints],
    *,
    window_days: int | None,
    likeness: Likeness,
    at_least: int = 25,
) -> Ints:
    """Find for each article of the first side (positions) the most similar wrong one of the other: a hard negative; -1 where none shares a word.

    It is of the same group (side of the split, fold), of another cluster (event), and as like as `likeness` allows; in the
    window, or among the `at_least` nearest in time where that holds fewer, or in the whole group without dates or window.
    """
    x, y = sides
    index = np.full(len(x), -1, dtype=np.int64)
    for group in np.intersect1d(groups[x], groups[y]):
        places, columns = np.flatnonzero(groups[x] == group), y[groups[y] == group]
        places = places[_by_day(days[x[places]])]
        rows, columns = x[places], columns[_by_day(days[columns])]
        low, high = _widened(days[rows], days[columns], window_days, at_least)
        both = [(values[rows], values[columns]) for values in (clusters, days)]
        nearest = partial(_nearest_of_block, both=both, likeness=likeness)
        parts = map_ordered(nearest, _blocks(vectors[rows], vectors[columns], low, high))
        i, j, _ = _highest(*map(np.concatenate, zip(*parts, strict=True)))
        index[places[i]] = columns[j]
    return index


def _nearest_of_block(
    block: Block, both: list[tuple[Ints, Ints]], likeness: Likeness
) -> tuple[Ints, Ints, Floats]:
    """Find the nearest column of each row of a block that is as like as allowed, and of another cluster."""
    i, j, cosine = block.cosines(likeness.floor)
    (x_clusters, y_clusters), (x_days, y_days) = both
    allowed = (cosine < likeness.ceiling) & (x_clusters[i] != y_clusters[j])
    allowed &= np.abs(x_days[i] - y_days[j]) >= likeness.days_apart
    return _highest(i[allowed], j[allowed], cosine[allowed])


def _highest(i: Ints, j: Ints, cosine: Floats) -> tuple[Ints, Ints, Floats]:
    """For each row its highest cosine, the first among equals."""
    highest = np.zeros(i.max(initial=-1) + 1)
    np.maximum.at(highest, i, cosine)
    ties = np.flatnonzero(cosine == highest[i])
    ties = ties[np.lexsort((j[ties], i[ties]))]
    ties = ties[np.diff(i[ties], prepend=-1) > 0]
    return i[ties], j[ties], cosine[ties]


def _by_day(days: Ints, *, undated: bool = True) -> Ints:
    """Positions in order of day; the undated ones last, or left out."""
    order = np.argsort(np.where(days == UNDATED, np.iinfo(np.int64).max, days), kind="stable")
    return order if undated else order[: np.count_nonzero(days != UNDATED)]


def _window(days: Ints, among: Ints, window_days: int) -> tuple[Ints, Ints]:
    """For each day the interval of sorted `among` that is at most `window_days` away."""
    first = np.searchsorted(among, days - window_days)
    return first, np.searchsorted(among, days + window_days, side="right")


def _widened(days: Ints, among: Ints, window_days: int | None, at_least: int) -> tuple[Ints, Ints]:
    """The window, or the `at_least` nearest in time where it holds fewer; all for undated days (which come last)."""
    low, high = np.zeros(len(days), dtype=np.int64), np.full(len(days), len(among))
    dated, among_dated = days[days != UNDATED], among[among != UNDATED]
    if window_days is None or len(among_dated) < at_least:
        return low, high
    left, right = _window(dated, among_dated, window_days)
    narrow = np.flatnonzero(right - left < at_least)
    # The nearest `at_least` are an interval too: its start is the first from which going right would not come closer.
    start = np.searchsorted(among_dated[:-at_least] + among_dated[at_least:], 2 * dated[narrow])
    left[narrow], right[narrow] = start, start + at_least
    low[: len(dated)], high[: len(dated)] = left, right
    return low, high


def _blocks(x: csr_matrix, y: csr_matrix, low: Ints, high: Ints) -> Iterator[Block]:
    """Blocks with every row i of x and the rows `low[i]:high[i]` of y.

    The intervals of a block together are little wider than that of its first row alone.
    """
    row = 0
    while row < len(low):
        left, right = int(low[row]), int(high[row])
        rows = slice(row, row + ROWS)
        is_near = (low[rows] >= left) & (high[rows] <= left + max(64, 2 * (right - left)))
        rows = slice(row, row + (len(is_near) if is_near.all() else int(is_near.argmin())))
        right = int(high[rows].max())
        for column in range(left, right, COLUMNS):
            stop = min(column + COLUMNS, right)
            yield Block(x[rows], y[column:stop], row, column, low[rows], high[rows])
        row = rows.stop


@dataclass(frozen=True, slots=True)
class Lag:
    """Pairs of articles that are so many days apart.

    Attributes:
        days: days between the two articles.
        compared: number of the pairs of articles that are compared.
        matched: (pairs,) cosines of the pairs that are matched one-to-one inside the guard.
        alone: (pairs,) cosines of the pairs that are matched one-to-one on this lag alone.
    """

    days: int
    compared: int
    matched: Floats
    alone: Floats

    def alone_between(self, low: float, high: float = 1.0) -> int:
        """Count the pairs of `alone` with a cosine in (low, high]."""
        return int(((self.alone > low) & (self.alone <= high)).sum())

    def matched_between(self, low: float, high: float = 1.0) -> int:
        """Count the pairs of `matched` with a cosine in (low, high]."""
        return int(((self.matched > low) & (self.matched <= high)).sum())


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of articles above the loose threshold, best first."""

    pairs: Pairs
    close: Pairs  # each two articles with a cosine above the strict threshold inside the guard
    nearest: Floats  # (articles,) highest cosine with the other outlet inside the guard; 0 where none is above `loose`
    lags: list[Lag] = field(default_factory=list)  # 0 to `GUARD` days apart; none without dates or window
    others: Pairs = NO_PAIRS  # strict pairs with an article of a further outlet, each such article in one


def outlet_numbers(articles: Sequence[Article], outlets: Outlets) -> Ints:
    """(articles,) 0 for A, 1 for B, from 2 on for further outlets in alphabetical order."""
    names = [*outlets.names, *sorted({article.label for article in articles} - set(outlets.names))]
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[article.label] for article in articles], dtype=np.int64)


def find_pairs(
    articles: Sequence[Article], vectors: csr_matrix, outlets: Outlets, options: BuildOptions, wanted: int = 0
) -> Candidates:
    """Compare the articles of the two outlets (LREC 2020 §4.1).

    Pairs are matched one-to-one inside the guard, and those inside the window are kept: an article whose best partner is of
    another day is in no pair. Where the input gives the splits, partners come from undated similarity inside each of A1, A2
    and A3. Where the loose threshold leaves fewer than `wanted` pairs, those down to .05 are returned too.
    """
    window, days = options.window, day_numbers(article.date for article in articles)
    labels, everything = outlet_numbers(articles, outlets), np.arange(len(articles))
    a_rows, b_rows = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    if any(article.alignment for article in articles):
        if options.other_outlets:
            fault = "--other-outlets and a column alignment exclude each other"
            raise InputError(f"{fault}: give --columns alignment=")
        parts, groups = [], np.array([article.alignment or "R" for article in articles])
        for group in GROUPS:
            sides = a_rows[groups[a_rows] == group], b_rows[groups[b_rows] == group]
            parts.append(align(vectors, days, sides, window_days=None, floor=options.loose))
        return Candidates(one_to_one(_best_first(parts)), NO_PAIRS, np.zeros(len(articles)))
    if window is not None and not all((days[rows] >= 0).any() for rows in (a_rows, b_rows)):
        raise InputError("an outlet has no dated article: give a date column, or use --window-days none")
    for floor in (options.loose, min(LOWEST, options.loose)):
        in_window = align(vectors, days, (a_rows, b_rows), window_days=window, floor=floor)
        in_guard = in_window
        if window != options.guard:
            in_guard = align(vectors, days, (a_rows, b_rows), window_days=options.guard, floor=floor)
        matched = one_to_one(in_guard)
        kept_pairs = matched if window is None else matched.select(matched.days_apart(days) <= window)
        if len(kept_pairs) >= wanted:
            break
    nearest = np.zeros(len(articles))
    for rows in in_guard.places:
        np.maximum.at(nearest, rows, in_guard.similarity)
    close = align(vectors, days, (everything, everything), window_days=options.guard, floor=options.strict)
    lags = pairs_by_lag(in_guard, matched, days, (a_rows, b_rows)) if window is not None else []
    others = one_to_one(_of_further_outlets(close, labels))
    if window is not None:
        others = others.select(others.days_apart(days) <= window)
    return Candidates(replace(kept_pairs, counts=in_window.counts), close, nearest, lags, others=others)


def _of_further_outlets(pairs: Pairs, labels: Ints) -> Pairs:
    """The pairs of two outlets of which one is a further one, whose article comes second, best first."""
    first, second = pairs.places
    a, b = np.where(labels[first] < labels[second], (first, second), (second, first))
    return replace(pairs, a_index=a, b_index=b).select((labels[a] != labels[b]) & (labels[b] > 1))


def pairs_by_lag(pairs: Pairs, matched: Pairs, days: Ints, sides: tuple[Ints, Ints]) -> list[Lag]:
    """Sort pairs, and those of them that are `matched`, by days apart: one entry each from 0 to `GUARD`."""
    first, second = (Counter(days[side][days[side] != UNDATED].tolist()) for side in sides)
    lags = []
    for lag in range(GUARD + 1):
        compared = sum(n * second[day + gap] for day, n in first.items() for gap in {lag, -lag})
        matched_on_it = matched.similarity[matched.days_apart(days) == lag]
        alone = one_to_one(pairs.select(pairs.days_apart(days) == lag)).similarity
        lags.append(Lag(lag, compared, matched_on_it, alone))
    return lags


def share_of_one_event(lags: Sequence[Lag], days: int, low: float, high: float = 1.0) -> float:
    """Estimate the share of the pairs so many days apart, with a cosine in (low, high], that report one event; NaN without any.

    Pairs `GUARD` days apart are two events nearly always: what there is more for each comparison is of one event. Pairs are those
    matched on each lag alone; of those that are kept somewhat more are one event (benchmarks/README.md).
    """
    count, reference = lags[days].alone_between(low, high), lags[GUARD]
    if not count or not reference.compared:
        return float("nan")
    expected = reference.alone_between(low, high) / reference.compared * lags[days].compared
    return max(0.0, 1 - expected / count)


def lowest_strict(lags: Sequence[Lag], window: int | None, loose: float) -> float | None:
    """Return the lowest of `EDGES` from the loose threshold whose pairs inside the window are one event in nine of ten, by the estimate; None without one, or without pairs `GUARD` days apart."""
    if window is None or not lags or not len(lags[GUARD].alone):
        return None
    lowest = None
    for edge in EDGES[loose <= EDGES][::-1].tolist():
        counts = [lag.alone_between(edge) for lag in lags[: window + 1]]
        of_one_event = sum(n * share_of_one_event(lags, days, edge) for days, n in enumerate(counts) if n)
        if sum(counts) >= LEAST_PAIRS:
            if of_one_event / sum(counts) < GOOD:
                break
            lowest = edge
    return lowest
