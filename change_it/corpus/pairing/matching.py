"""Align two newspapers' articles by similarity inside a window of days (LREC 2020 §4.1), exactly.

Both sides are sorted by date, so what an article may be compared with is one interval of the other side.
Neighbouring articles are multiplied with the union of their intervals; what lies outside an article's own
interval is dropped. Cosines have nine decimals, so that the order of summation decides nothing.

Pairs of articles are *close* where their cosine is above the strict threshold and they are at most so many
days apart as the *guard* says (`BuildOptions.guard`: three days, or the window where that is wider).
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
from change_it.corpus.pairing.groups import NO_POSITIONS
from change_it.corpus.reading.article import Article, Outlets
from change_it.corpus.reading.options import GUARD, LEAST_PAIRS, BuildOptions
from change_it.errors import InputError
from change_it.stats import Bools, Floats, Ints

#: The day number of an article without a date.
UNDATED = -1
#: Share of the pairs above a threshold that should report one event.
WANTED_ONE_EVENT = 0.9
#: Days from which on two articles nearly always report two events.
DAYS_OF_TWO_EVENTS = 2

#: Edges of the similarity bins that are counted in passing: .05, .055, … 1.
#: A bin holds `edge < similarity <= next edge`.
EDGES: Floats = np.arange(10, 201) / 200
LOWEST_EDGE = float(EDGES[0])

#: Splits that the input can give; pairs are found inside each of them.
GIVEN_SPLITS = ("A1", "A2", "A3")
#: Articles of the first side that are multiplied at a time, at most.
ROWS_A_BLOCK = 512
#: Articles of the second side that are multiplied at a time, at most.
COLUMNS_A_BLOCK = 4096


class Cosines(NamedTuple):
    """Cosines of some articles of one side, the rows, with some of the other, the columns.

    Attributes:
        rows: (pairs,) positions of the articles of the first side.
        columns: (pairs,) positions of the articles of the second side.
        values: (pairs,) cosines, 0 to 1.
    """

    rows: Ints
    columns: Ints
    values: Floats

    def select(self, which: Bools | Ints) -> "Cosines":
        """Return the selected pairs in the given order."""
        return Cosines(self.rows[which], self.columns[which], self.values[which])


class Block(NamedTuple):
    """Neighbouring articles of one side, and the articles of the other that they may be compared with.

    Attributes:
        x: vectors of the articles of the first side.
        y: vectors of the articles of the second side.
        row: position of the first article of `x` on its side.
        column: position of the first article of `y` on its side.
        low: (rows of x,) first position of the second side that each article of `x` may be compared with.
        high: (rows of x,) the position behind the last one that it may be compared with.
    """

    x: csr_matrix
    y: csr_matrix
    row: int
    column: int
    low: Ints
    high: Ints

    def cosines(self, lowest: float) -> Cosines:
        """Return the cosines above `lowest` of the pairs that may be compared."""
        product = self.x @ self.y.T.tocsr()
        above = np.flatnonzero(product.data > lowest)
        row = np.searchsorted(product.indptr, above, side="right") - 1
        column = product.indices[above].astype(np.int64) + self.column
        rounded = product.data[above].round(9)
        cosines = Cosines(row + self.row, column, np.minimum(rounded, 1.0))
        is_inside = (column >= self.low[row]) & (column < self.high[row])
        return cosines.select(is_inside)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Aligned articles, sorted by (-similarity, a_index, b_index).

    Attributes:
        a_index: (pairs,) positions of the articles of outlet A.
        b_index: (pairs,) positions of the articles of outlet B.
        similarity: (pairs,) cosines, above the floor of `align` and at most 1.
        counts: (len(EDGES) - 1,) numbers of all compared pairs by cosine, in the bins of `EDGES`.
    """

    a_index: Ints
    b_index: Ints
    similarity: Floats
    counts: Ints

    def __len__(self) -> int:
        return len(self.similarity)

    @property
    def positions(self) -> tuple[Ints, Ints]:
        """Return the positions of the articles of A and of B."""
        return self.a_index, self.b_index

    def select(self, rows: Bools | Ints) -> "Pairs":
        """Return the selected pairs in the given order; `counts` still describes all compared pairs."""
        return Pairs(self.a_index[rows], self.b_index[rows], self.similarity[rows], self.counts)

    def days_apart(self, days: Ints) -> Ints:
        """Return the days between the two articles of each pair, (pairs,)."""
        return np.abs(days[self.a_index] - days[self.b_index])


NO_PAIRS = Pairs(
    a_index=NO_POSITIONS,
    b_index=NO_POSITIONS,
    similarity=np.zeros(0),
    counts=np.zeros(len(EDGES) - 1, dtype=np.int64),
)


def day_numbers(dates: Iterable[date | None]) -> Ints:
    """Return the days since 1 January of year 1; `UNDATED` where there is no date."""
    numbers = []
    for day in dates:
        numbers.append(UNDATED if day is None else day.toordinal())
    return np.array(numbers, dtype=np.int64)


def align(
    vectors: csr_matrix, days: Ints, sides: tuple[Ints, Ints], *, window_days: int | None, floor: float
) -> Pairs:
    """Return all pairs of similar articles of two sides that are close in time; an article may be in many.

    Args:
        vectors: (articles, words) of unit length.
        days: (articles,) day numbers.
        sides: positions of the articles of each side. Where both are the same articles, each two of them are
            compared once.
        window_days: days between the two articles of a pair, at most; None compares undated articles too.
        floor: cosine above which two articles are a pair.

    Returns:
        The pairs, best first. All compared pairs above .05 are counted; of two sides that are the same
        articles only those above the floor.
    """
    has_undated = window_days is None
    rows = sides[0][_by_day(days[sides[0]], undated=has_undated)]
    columns = sides[1][_by_day(days[sides[1]], undated=has_undated)]
    if window_days is None:
        low = np.zeros(len(rows), dtype=np.int64)
        high = np.full(len(rows), len(columns))
    else:
        low, high = _window(days[rows], days[columns], window_days)
    lowest = min(floor, LOWEST_EDGE)
    if np.array_equal(rows, columns):
        # an article is compared only with those behind it
        low = np.maximum(low, np.arange(1, len(rows) + 1))
        lowest = floor

    pairs_of_block = partial(_pairs_of_block, lowest=lowest, floor=floor)
    blocks = _blocks(vectors[rows], vectors[columns], low, high)
    parts = []
    for part in map_ordered(pairs_of_block, blocks):
        parts.append(replace(part, a_index=rows[part.a_index], b_index=columns[part.b_index]))
    return _best_first(parts)


def _best_first(parts: Iterable[Pairs]) -> Pairs:
    """Join pairs in order of similarity, and add up their counts."""
    parts = [NO_PAIRS, *parts]
    a = np.concatenate([part.a_index for part in parts])
    b = np.concatenate([part.b_index for part in parts])
    similarity = np.concatenate([part.similarity for part in parts])
    counts = np.sum([part.counts for part in parts], axis=0)
    joined = Pairs(a_index=a, b_index=b, similarity=similarity, counts=counts)
    return joined.select(np.lexsort((b, a, -similarity)))


def _pairs_of_block(block: Block, lowest: float, floor: float) -> Pairs:
    """Return the pairs of a block above the floor, and the counts of those above `lowest`."""
    i, j, cosine = block.cosines(lowest)
    return Pairs(i, j, cosine, histogram(cosine)).select(cosine > floor)


def one_to_one(pairs: Pairs) -> Pairs:
    """Match each article once: return the pairs whose articles are in no better matched pair.

    The pairs given are sorted best first, and so are those returned. This greedy one-to-one matching is ours;
    LREC 2020 §4.1 only ranks pairs and cuts them at thresholds.
    """
    count = 1 + max(pairs.a_index.max(initial=-1), pairs.b_index.max(initial=-1))
    is_free = [True] * count
    matched = []
    for position, (a, b) in enumerate(zip(pairs.a_index.tolist(), pairs.b_index.tolist(), strict=True)):
        if is_free[a] and is_free[b]:
            is_free[a] = False
            is_free[b] = False
            matched.append(position)
    return pairs.select(np.array(matched, dtype=np.int64))


def histogram(similarity: Floats) -> Ints:
    """Count the similarities in each bin of `EDGES`, (len(EDGES) - 1,); those up to .05 are not counted."""
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
    """Find for each article of the first side the most similar wrong one of the other: a hard negative.

    The wrong article is of the same group, of another cluster, and as like as `likeness` allows.

    Args:
        vectors: (articles, words) of unit length.
        days: (articles,) day numbers.
        groups: (articles,) numbers of what is kept apart: the side of the split and the fold.
        clusters: (articles,) numbers of the events.
        sides: positions of the articles of each side.
        window_days: days to a wrong article, at most; None compares the whole group, as articles without
            dates are.
        likeness: how like the wrong article may be.
        at_least: number of articles that each is compared with; where the window holds fewer, they are those
            nearest in time.

    Returns:
        (articles of the first side,) position of the wrong article of each; -1 where there is none, as no
        allowed article shares a word with it.
    """
    x, y = sides
    index = np.full(len(x), -1, dtype=np.int64)
    for group in np.intersect1d(groups[x], groups[y]):
        places = np.flatnonzero(groups[x] == group)
        places = places[_by_day(days[x[places]])]
        rows = x[places]
        columns = y[groups[y] == group]
        columns = columns[_by_day(days[columns])]
        low, high = _widened(days[rows], days[columns], window_days, at_least)
        nearest = partial(
            _nearest_of_block,
            clusters=(clusters[rows], clusters[columns]),
            days=(days[rows], days[columns]),
            likeness=likeness,
        )
        parts = map_ordered(nearest, _blocks(vectors[rows], vectors[columns], low, high))
        highest = _highest(_joined(parts))
        index[places[highest.rows]] = columns[highest.columns]
    return index


def _nearest_of_block(
    block: Block, clusters: tuple[Ints, Ints], days: tuple[Ints, Ints], likeness: Likeness
) -> Cosines:
    """Find for each row of a block the most similar column that is as like as allowed, of another cluster.

    `clusters` and `days` are those of the articles of the rows, then those of the columns.
    """
    cosines = block.cosines(likeness.floor)
    row_clusters, column_clusters = clusters
    row_days, column_days = days
    is_wrong = row_clusters[cosines.rows] != column_clusters[cosines.columns]
    is_below = cosines.values < likeness.ceiling
    days_apart = np.abs(row_days[cosines.rows] - column_days[cosines.columns])
    return _highest(cosines.select(is_wrong & is_below & (days_apart >= likeness.days_apart)))


def _joined(parts: Sequence[Cosines]) -> Cosines:
    """Return the cosines of all parts, in their order."""
    return Cosines(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def _highest(cosines: Cosines) -> Cosines:
    """Return the highest cosine of each row, with the first column among equals."""
    rows, columns, values = cosines
    highest = np.zeros(rows.max(initial=-1) + 1)
    np.maximum.at(highest, rows, values)
    ties = np.flatnonzero(values == highest[rows])
    ties = ties[np.lexsort((columns[ties], rows[ties]))]
    # sorted by row, the first of a row is where the row changes
    is_first_of_row = np.diff(rows[ties], prepend=-1) > 0
    return cosines.select(ties[is_first_of_row])


def _by_day(days: Ints, *, undated: bool = True) -> Ints:
    """Return the positions of (n,) days in order of day; undated ones come last, or are left out."""
    order = np.argsort(np.where(days == UNDATED, np.iinfo(np.int64).max, days), kind="stable")
    if undated:
        return order
    return order[: np.count_nonzero(days != UNDATED)]


def _window(days: Ints, among: Ints, window_days: int) -> tuple[Ints, Ints]:
    """Return for each day the interval of sorted `among` that is at most `window_days` away.

    It is two arrays (days,): the position of its first day in `among`, and the one behind its last.
    """
    first = np.searchsorted(among, days - window_days)
    end = np.searchsorted(among, days + window_days, side="right")
    return first, end


def _widened(days: Ints, among: Ints, window_days: int | None, at_least: int) -> tuple[Ints, Ints]:
    """Return for each day the interval of sorted `among` that is compared with it, as `_window` returns it.

    It is the window, or the `at_least` nearest in time where the window holds fewer. Undated days, which come
    last on both sides, are compared with all.
    """
    low = np.zeros(len(days), dtype=np.int64)
    high = np.full(len(days), len(among))
    dated = days[days != UNDATED]
    among_dated = among[among != UNDATED]
    if window_days is None or len(among_dated) < at_least:
        return low, high
    left, right = _window(dated, among_dated, window_days)
    narrow = np.flatnonzero(right - left < at_least)
    # The nearest `at_least` are an interval too. Its start is the first one at which a step to the right
    # brings it no closer: twice the day is at most the day that is left plus the day that is reached.
    twice_the_middles = among_dated[:-at_least] + among_dated[at_least:]
    start = np.searchsorted(twice_the_middles, 2 * dated[narrow])
    left[narrow] = start
    right[narrow] = start + at_least
    low[: len(dated)] = left
    high[: len(dated)] = right
    return low, high


def _blocks(x: csr_matrix, y: csr_matrix, low: Ints, high: Ints) -> Iterator[Block]:
    """Cut a comparison into blocks that together hold every row i of x with the rows `low[i]:high[i]` of y.

    The intervals of a block together are at most twice as wide as that of its first row, or 64 wide. So a
    block also compares pairs outside the intervals of its rows; its `low` and `high` say which are inside.
    """
    row = 0
    while row < len(low):
        left = int(low[row])
        width = int(high[row]) - left
        widest_end = left + max(64, 2 * width)
        following = slice(row, row + ROWS_A_BLOCK)
        is_near = (low[following] >= left) & (high[following] <= widest_end)
        count = len(is_near)
        if not is_near.all():
            count = int(is_near.argmin())
        rows = slice(row, row + count)
        right = int(high[rows].max())
        for column in range(left, right, COLUMNS_A_BLOCK):
            stop = min(column + COLUMNS_A_BLOCK, right)
            yield Block(x=x[rows], y=y[column:stop], row=row, column=column, low=low[rows], high=high[rows])
        row += count


@dataclass(frozen=True, slots=True)
class Lag:
    """Pairs of articles that are so many days apart.

    Attributes:
        days: days between the two articles.
        compared: number of the pairs of articles that are compared.
        matched: (pairs,) cosines of the pairs of this lag, where each article is matched once over all lags.
        alone: (pairs,) cosines of the pairs of this lag, where each article is matched once on this lag.
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
    """Pairs of articles above the loose threshold, best first.

    Attributes:
        pairs: the one-to-one pairs of an article of A and one of B.
        close: each two articles, of any outlets, with a cosine above the strict threshold inside the guard.
        nearest: (articles,) highest cosine with an article of the other outlet inside the guard; 0 where
            none is above the loose threshold.
        lags: pairs by days apart, from 0 to `GUARD`; none without dates or window.
        others: strict pairs with an article of a further outlet, each article in one pair at most.
    """

    pairs: Pairs
    close: Pairs
    nearest: Floats
    lags: list[Lag] = field(default_factory=list)
    others: Pairs = NO_PAIRS


def outlet_numbers(articles: Sequence[Article], outlets: Outlets) -> Ints:
    """Return 0 for articles of A, 1 for B, and from 2 on for further outlets in alphabetical order."""
    further = {article.label for article in articles} - set(outlets.names)
    numbers = {name: number for number, name in enumerate([*outlets.names, *sorted(further)])}
    return np.array([numbers[article.label] for article in articles], dtype=np.int64)


def find_pairs(
    articles: Sequence[Article], vectors: csr_matrix, outlets: Outlets, options: BuildOptions, wanted: int = 0
) -> Candidates:
    """Compare the articles of the two outlets (LREC 2020 §4.1).

    Pairs are matched one-to-one at most `options.guard` days apart, and those at most `options.window` days
    apart are kept. So an article whose best partner is outside the window is in no pair. Where the input
    gives the splits, pairs are found inside each of A1, A2 and A3, whatever their dates. Where the loose
    threshold leaves fewer than `wanted` pairs, those down to .05 are returned too.

    Raises:
        InputError: an outlet has no dated article; or the input gives the splits and has further outlets.
    """
    days = day_numbers(article.date for article in articles)
    labels = outlet_numbers(articles, outlets)
    sides = (np.flatnonzero(labels == 0), np.flatnonzero(labels == 1))
    if any(article.alignment for article in articles):
        return _pairs_in_given_splits(articles, vectors, days, sides, options)
    window = options.window
    for rows in sides:
        if window is not None and not (days[rows] >= 0).any():
            raise InputError("an outlet has no dated article: give a date column, or use --window-days none")
    for floor in (options.loose, min(LOWEST_EDGE, options.loose)):
        in_window = align(vectors, days, sides, window_days=window, floor=floor)
        in_guard = in_window
        if window != options.guard:
            in_guard = align(vectors, days, sides, window_days=options.guard, floor=floor)
        matched = one_to_one(in_guard)
        kept_pairs = _inside_window(matched, days, window)
        if len(kept_pairs) >= wanted:
            break
    nearest = np.zeros(len(articles))
    for rows in in_guard.positions:
        np.maximum.at(nearest, rows, in_guard.similarity)
    everything = np.arange(len(articles))
    close = align(vectors, days, (everything, everything), window_days=options.guard, floor=options.strict)
    others = one_to_one(_of_further_outlets(close, labels))
    lags: list[Lag] = []
    if window is not None:
        lags = pairs_by_lag(in_guard, matched, days, sides)
    return Candidates(
        pairs=replace(kept_pairs, counts=in_window.counts),
        close=close,
        nearest=nearest,
        lags=lags,
        others=_inside_window(others, days, window),
    )


def _pairs_in_given_splits(
    articles: Sequence[Article],
    vectors: csr_matrix,
    days: Ints,
    sides: tuple[Ints, Ints],
    options: BuildOptions,
) -> Candidates:
    """Match the articles of A and B inside each split that the input gives, whatever their dates."""
    if options.other_outlets:
        fault = "--other-outlets and a column alignment exclude each other"
        raise InputError(f"{fault}: give --columns alignment=")
    a_rows, b_rows = sides
    splits = np.array([article.alignment or "R" for article in articles])
    parts = []
    for name in GIVEN_SPLITS:
        sides_of_split = (a_rows[splits[a_rows] == name], b_rows[splits[b_rows] == name])
        parts.append(align(vectors, days, sides_of_split, window_days=None, floor=options.loose))
    pairs = one_to_one(_best_first(parts))
    return Candidates(pairs=pairs, close=NO_PAIRS, nearest=np.zeros(len(articles)))


def _inside_window(pairs: Pairs, days: Ints, window: int | None) -> Pairs:
    """Return the pairs whose articles are at most `window` days apart; all pairs without a window."""
    if window is None:
        return pairs
    return pairs.select(pairs.days_apart(days) <= window)


def _of_further_outlets(pairs: Pairs, labels: Ints) -> Pairs:
    """Return the pairs of two outlets of which one is a further outlet, whose article comes second."""
    first, second = pairs.positions
    is_in_order = labels[first] < labels[second]
    a = np.where(is_in_order, first, second)
    b = np.where(is_in_order, second, first)
    has_further_outlet = (labels[a] != labels[b]) & (labels[b] > 1)
    return replace(pairs, a_index=a, b_index=b).select(has_further_outlet)


def pairs_by_lag(pairs: Pairs, matched: Pairs, days: Ints, sides: tuple[Ints, Ints]) -> list[Lag]:
    """Return a `Lag` for each number of days from 0 to `GUARD`.

    Args:
        pairs: pairs above the loose threshold inside the guard, best first.
        matched: those of them that are matched one-to-one over all lags.
        days: (articles,) day numbers.
        sides: positions of the articles of each outlet.
    """
    first = _articles_by_day(days[sides[0]])
    second = _articles_by_day(days[sides[1]])
    lags = []
    for lag in range(GUARD + 1):
        matched_on_it = matched.select(matched.days_apart(days) == lag)
        alone = one_to_one(pairs.select(pairs.days_apart(days) == lag))
        compared = _count_compared(first, second, lag)
        matched_cosines = matched_on_it.similarity
        lags.append(Lag(days=lag, compared=compared, matched=matched_cosines, alone=alone.similarity))
    return lags


def _articles_by_day(days: Ints) -> Counter[int]:
    """Count articles by their day, without the undated ones."""
    return Counter(days[days != UNDATED].tolist())


def _count_compared(first: Counter[int], second: Counter[int], lag: int) -> int:
    """Count the pairs of articles so many days apart, from the numbers of articles by day of two sides."""
    compared = 0
    for day, count in first.items():
        compared += count * second[day + lag]
        if lag:
            compared += count * second[day - lag]
    return compared


def share_of_one_event(lags: Sequence[Lag], days: int, low: float, high: float = 1.0) -> float:
    """Estimate the share of the pairs so many days apart that report one event; NaN without any.

    The pairs are those with a cosine in (low, high] that are matched on their lag alone. Pairs `GUARD` days
    apart nearly always report two events. Their rate among all compared pairs says how many such pairs to
    expect here; the pairs found beyond that report one event. Among the pairs that are kept the share is
    somewhat higher (benchmarks/README.md).
    """
    count = lags[days].alone_between(low, high)
    reference = lags[GUARD]
    if not count or not reference.compared:
        return float("nan")
    expected = reference.alone_between(low, high) / reference.compared * lags[days].compared
    return max(0.0, 1 - expected / count)


def lowest_strict(lags: Sequence[Lag], window: int | None, loose: float) -> float | None:
    """Return the lowest strict threshold at which nine of ten pairs report one event, by the estimate.

    It is one of `EDGES` from the loose threshold on. The pairs are those at most `window` days apart. None is
    returned where no threshold reaches nine of ten, or there are no pairs `GUARD` days apart.
    """
    if window is None or not lags or not len(lags[GUARD].alone):
        return None
    lowest = None
    for edge in EDGES[loose <= EDGES][::-1].tolist():
        total = 0
        of_one_event = 0.0
        for days, lag in enumerate(lags[: window + 1]):
            count = lag.alone_between(edge)
            if count:
                total += count
                of_one_event += count * share_of_one_event(lags, days, edge)
        if total >= LEAST_PAIRS:
            if of_one_event / total < WANTED_ONE_EVENT:
                break
            lowest = edge
    return lowest
