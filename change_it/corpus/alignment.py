"""Alignment of two newspapers' articles by similarity inside a window of days (LREC 2020 §4.1), exactly.

Both sides are sorted by date, so what an article may be compared with is one interval of the other side. Blocks of
neighbouring articles are multiplied with the union of their intervals; what lies outside an article's own is dropped.
Cosines have nine decimals, so that the order of summation decides nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import product
from typing import Any, TypeVar

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix

from change_it.corpus.article import Article, Outlets
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.splits import NONE, Splits
from change_it.engines import map_ordered
from change_it.errors import InputError
from change_it.stats import Floats, Ints

Reduced = TypeVar("Reduced")

#: The day number of an article without a date.
UNDATED = -1

#: Edges of the similarity bins that are counted in passing: .05, .055, … 1. A bin holds `edge < similarity <= next edge`.
EDGES: Floats = np.arange(10, 201) / 200

#: At most this many similarities are held at a time by each thread.
BLOCK = 1 << 21

#: Columns of a block at most.
WIDTH = 2048

#: Blocks of a partition at most: what a task of a cluster does.
BLOCKS = 64

#: Without a window, a nearest wrong article is looked for above these shares of the cosine that it must stay below, one after the other.
STEPS = (0.95, 0.6, 0.0)

LOWEST = float(EDGES[0])
#: Where fewer pairs than this are above the thresholds, lower ones are counted too.
FEW = 300

Block = tuple[int, int, int, int]  # rows `start:stop`, columns `left:right`


@dataclass(frozen=True, slots=True)
class Pairs:
    """Aligned articles, sorted by (-similarity, a_index, b_index)."""

    a_index: Ints  # (pairs,) rows of outlet A
    b_index: Ints  # (pairs,) rows of outlet B
    similarity: Floats  # (pairs,) cosines in (floor, 1]
    # (len(EDGES) - 1,) pairs by similarity: of all compared from `align`, of those kept from `one_to_one`
    counts: Ints

    def __len__(self) -> int:
        return len(self.similarity)


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

    def above_floor(i: Ints, j: Ints, cosine: Floats) -> tuple[Ints, Ints, Floats, Ints]:
        inside = (j >= low[i]) & (j < high[i])
        kept = np.flatnonzero(inside & (cosine > floor))
        return rows[i[kept]], columns[j[kept]], cosine[kept], histogram(cosine[inside])

    lowest = floor if once else min(floor, LOWEST)
    parts = _over_blocks(vectors[rows], vectors[columns], low, high, lowest, above_floor)
    counts = np.sum([histogram(np.zeros(0)), *(part[3] for part in parts)], axis=0)
    a_index, b_index = (np.concatenate([NONE, *(part[side] for part in parts)]) for side in (0, 1))
    similarity = np.concatenate([np.zeros(0), *(part[2] for part in parts)])
    order = np.lexsort((b_index, a_index, -similarity))
    return Pairs(a_index[order], b_index[order], similarity[order], counts)


def one_to_one(pairs: Pairs) -> Pairs:
    """The pairs whose articles are in no better pair, of pairs by position, best first: a greedy one-to-one matching (ours; LREC 2020 §4.1 ranks and cuts at thresholds alone)."""
    free = [True] * (1 + max(pairs.a_index.max(initial=-1), pairs.b_index.max(initial=-1)))
    kept = []
    for start in range(0, len(pairs), BLOCK):
        part = (index[start : start + BLOCK].tolist() for index in (pairs.a_index, pairs.b_index))
        for position, (a, b) in enumerate(zip(*part, strict=True), start):
            if free[a] and free[b]:
                free[a] = free[b] = False
                kept.append(position)
    chosen = np.array(kept, dtype=np.int64)
    similarity = pairs.similarity[chosen]
    return Pairs(pairs.a_index[chosen], pairs.b_index[chosen], similarity, histogram(similarity))


def histogram(similarity: Floats) -> Ints:
    """Number of similarities in each bin of `EDGES`, int64 (len(EDGES) - 1,); those up to .05 are not counted."""
    bins = np.searchsorted(EDGES, similarity) - 1
    return np.bincount(bins[bins >= 0], minlength=len(EDGES) - 1)


def nearest_wrong(
    vectors: csr_matrix,
    days: Ints,
    groups: Ints,
    clusters: Ints,
    sides: tuple[Ints, Ints],
    *,
    window_days: int | None,
    ceiling: float,
    at_least: int = 25,
) -> tuple[Ints, Floats]:
    """For each article of the first side (positions) the most similar of the other that is surely not its partner, and their cosine: a hard negative; -1 and 0 where none shares a word.

    It is of the same group (side of the split, fold), of another cluster (event), and less similar than the ceiling. It is
    looked for in the window; where that holds fewer than `at_least` articles of the group, among the `at_least` nearest in
    time. An undated one looks through its whole group, and so does every one without a window, or of a group that has fewer
    than `at_least` dated ones.
    """
    x, y = sides
    index, nearest = np.full(len(x), -1, dtype=np.int64), np.zeros(len(x))
    steps = STEPS if window_days is None else STEPS[-1:]
    for group, step in product(np.intersect1d(groups[x], groups[y]), steps):
        places, columns = np.flatnonzero((groups[x] == group) & (index < 0)), y[groups[y] == group]
        places = places[_by_day(days[x[places]])]
        rows, columns = x[places], columns[_by_day(days[columns])]
        low, high = _widened(days[rows], days[columns], window_days, at_least)
        both = clusters[rows], clusters[columns]
        best = partial(_nearest_of_block, intervals=(low, high), clusters=both, ceiling=ceiling)
        parts = _over_blocks(vectors[rows], vectors[columns], low, high, step * ceiling, best)
        if parts:
            i, j, cosine = _highest(*(np.concatenate(column) for column in zip(*parts, strict=True)))
            index[places[i]], nearest[places[i]] = columns[j], cosine
    return index, nearest


def _nearest_of_block(
    i: Ints,
    j: Ints,
    cosine: Floats,
    *,
    intervals: tuple[Ints, Ints],
    clusters: tuple[Ints, Ints],
    ceiling: float,
) -> tuple[Ints, Ints, Floats]:
    """The nearest column of each row below the ceiling, in the row's interval and of another cluster."""
    (low, high), (x_clusters, y_clusters) = intervals, clusters
    inside = (cosine < ceiling) & (j >= low[i]) & (j < high[i])
    allowed = np.flatnonzero(inside & (x_clusters[i] != y_clusters[j]))
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


def _over_blocks(
    x: csr_matrix,
    y: csr_matrix,
    low: Ints,
    high: Ints,
    lowest: float,
    reduce: Callable[[Ints, Ints, Floats], Reduced],
) -> list[Reduced]:
    """Results of `reduce` on the rows, columns and cosines above `lowest` of each block; the blocks hold the rows `low[i]:high[i]` of y for each row i of x, and others."""
    work = partial(_multiply, lowest=lowest, reduce=reduce)
    parts = map_ordered(work, _partitions(x, y, low, high))
    return [part for group in parts for part in group]


def _multiply(
    x: csr_matrix,
    y: csr_matrix,
    corner: tuple[int, int],
    blocks: list[Block],
    *,
    lowest: float,
    reduce: Callable[[Ints, Ints, Floats], Reduced],
) -> list[Reduced]:
    """Multiply the blocks of a partition; `x` and `y` are its articles alone, of which the first are at `corner`."""
    row, column = corner
    done, held = [], (0, 0)
    for start, stop, left, right in blocks:
        if held != (left, right):
            held, columns = (left, right), y[left - column : right - column].T.tocsr()
        product = x[start - row : stop - row] @ columns
        above = np.flatnonzero(product.data > lowest)
        i = np.searchsorted(product.indptr, above, side="right") - 1
        j, cosine = product.indices[above].astype(np.int64), product.data[above]
        done.append(reduce(i + start, j + left, np.minimum(cosine.round(9), 1.0)))
    return done


def _partitions(
    x: csr_matrix, y: csr_matrix, low: Ints, high: Ints
) -> Iterator[tuple[csr_matrix, csr_matrix, tuple[int, int], list[Block]]]:
    """Neighbouring blocks, with the articles that they compare: those of some days, and of the other side those inside the window."""
    blocks = sorted(_blocks(low.tolist(), high.tolist()), key=lambda block: block[2:])
    held = (0, 0)
    for first in range(0, len(blocks), BLOCKS):
        group = blocks[first : first + BLOCKS]
        starts, stops, lefts, rights = zip(*group, strict=True)
        start, stop, left, right = min(starts), max(stops), min(lefts), max(rights)
        if held != (start, stop):
            held, rows = (start, stop), x[start:stop]
        yield rows, y[left:right], (start, left), group


def _blocks(low: list[int], high: list[int]) -> Iterator[Block]:
    """Neighbouring rows `start:stop` whose intervals together are little wider than one alone, and a part `left:right` of them."""
    start, n = 0, len(low)
    while start < n:
        left, right, stop = low[start], high[start], start + 1
        widest = left + max(64, 2 * (right - left))
        while stop < n and low[stop] >= left and high[stop] <= widest:
            if (stop + 1 - start) * min(max(right, high[stop]) - left, WIDTH) > BLOCK:
                break
            right, stop = max(right, high[stop]), stop + 1
        for part in range(left, right, WIDTH):
            yield start, stop, part, min(part + WIDTH, right)
        start = stop


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of articles above the loose threshold, best first."""

    a: Ints  # (pairs,) positions of articles of outlet A
    b: Ints  # (pairs,) positions of articles of outlet B
    similarity: Floats
    compared: Ints  # number of all pairs compared, by cosine in the bins of `EDGES`
    ranked: Floats  # cosines of the one-to-one pairs, best first; where they are few, down to .05
    events: tuple[Ints, Ints]  # each two articles with a cosine above the strict threshold inside the window
    # (articles,) highest cosine with an article of the other outlet in the window; 0 where none is above `loose`
    nearest: Floats
    # for each alignment group that the input gives: how its pairs were found, and how many
    partners: dict[str, dict[str, Any]] = field(default_factory=dict)
    # strict pairs of which one article at least is of a further outlet, best first, each such article in one: positions
    others: tuple[Ints, Ints, Floats] = (NONE, NONE, np.zeros(0))


def outlet_numbers(articles: Sequence[Article], outlets: Outlets) -> Ints:
    """(articles,) 0 for A, 1 for B, from 2 on for further outlets in alphabetical order."""
    names = [*outlets.names, *sorted({article.label for article in articles} - set(outlets.names))]
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[article.label] for article in articles], dtype=np.int64)


def find_pairs(
    articles: Sequence[Article], vectors: csr_matrix, outlets: Outlets, options: BuildOptions, wanted: int = 0
) -> Candidates:
    """Compare the articles of the two outlets (LREC 2020 §4.1).

    Where the input gives the splits, partners come from a shared id or else from undated similarity inside each of A1,
    A2 and A3. Shared ids count only if they look like partners: their median cosine is above the loose threshold.
    Where the loose threshold leaves fewer than `wanted` pairs, those down to .05 are returned too.
    """
    if any(article.alignment for article in articles):
        if options.other_outlets:
            raise InputError(
                "--other-outlets and a column alignment exclude each other: give --columns alignment="
            )
        return _given_pairs(articles, outlets, vectors, options)
    window, days = options.window, day_numbers(article.date for article in articles)
    labels = outlet_numbers(articles, outlets)
    a_rows, b_rows = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    if window is not None and not all((days[rows] >= 0).any() for rows in (a_rows, b_rows)):
        raise InputError(
            "an outlet has no dated article to align: give a date column, or use --window-days none"
        )
    if window is not None and not _share_days(days[a_rows], days[b_rows], window):
        spans = (
            f"{name} has {min(of)} to {max(of)}"
            for name in outlets.names
            if (of := [article.date for article in articles if article.label == name and article.date])
        )
        raise InputError(
            f"no two articles of the outlets are within {window} days ({', '.join(spans)}): give articles of the same days, or "
            "a wider --window-days"
        )

    compared = partial(align, vectors, days, (a_rows, b_rows), window_days=window)
    lowest = min(LOWEST, options.loose)
    for floor in (options.loose, lowest):
        every = compared(floor=floor)
        best = one_to_one(every)
        if len(best) >= wanted:
            break
    nearest = np.zeros(len(articles))
    for rows in (every.a_index, every.b_index):
        np.maximum.at(nearest, rows, every.similarity)
    strict = align(vectors, days, (np.arange(len(articles)),) * 2, window_days=window, floor=options.strict)
    return Candidates(
        best.a_index,
        best.b_index,
        best.similarity,
        every.counts,
        best.similarity if len(best) >= FEW else one_to_one(compared(floor=lowest)).similarity,
        (strict.a_index, strict.b_index),
        nearest,
        others=_of_other_outlets(strict, labels),
    )


def find_neighbours(
    articles: Sequence[Article], vectors: csr_matrix, labels: Ints, splits: Splits, options: BuildOptions
) -> pl.DataFrame:
    """The ids of the nearest wrong article of the own and of the other outlet, of the same side and fold; one row an article, null where there is none."""
    days = day_numbers(article.date for article in articles)
    groups = (splits.alignment == "A2") * 2 + splits.fold
    present = splits.alignment != ""
    columns: dict[str, pl.Series] = {}
    for which in ("own", "other"):
        index = np.full(len(articles), -1, dtype=np.int64)
        for outlet in np.unique(labels).tolist():
            x = np.flatnonzero(present & (labels == outlet))
            others = (labels == 1 - outlet) if outlet < 2 else (labels != outlet)
            y = x if which == "own" else np.flatnonzero(present & others)
            index[x], _ = nearest_wrong(
                vectors, days, groups, splits.event, (x, y), window_days=options.window, ceiling=options.loose
            )
        names = [articles[place].id if place >= 0 else None for place in index.tolist()]
        columns[f"{which}_id"] = pl.Series(names, dtype=pl.String)
    return pl.DataFrame(columns)


def _of_other_outlets(pairs: Pairs, labels: Ints) -> tuple[Ints, Ints, Floats]:
    """Those across two outlets of which one is a further one, best first, each article in its best pair alone."""
    first, second = pairs.a_index, pairs.b_index
    a, b = np.where(labels[first] < labels[second], (first, second), (second, first))
    order = np.lexsort((b, a, -pairs.similarity))
    order = order[((labels[a] != labels[b]) & (labels[b] > 1))[order]]
    best = one_to_one(Pairs(a[order], b[order], pairs.similarity[order], pairs.counts))
    return best.a_index, best.b_index, best.similarity


def _share_days(a: Ints, b: Ints, window: int) -> bool:
    """Whether a day of each side is close to one of the other."""
    a, b = (np.unique(days[days != UNDATED]) for days in (a, b))
    return bool((np.searchsorted(b, a - window) < np.searchsorted(b, a + window, "right")).any())


def _given_pairs(
    articles: Sequence[Article], outlets: Outlets, vectors: csr_matrix, options: BuildOptions
) -> Candidates:
    """Pairs inside each alignment group that the input gives."""
    of_a = np.array([article.label == outlets.a for article in articles])
    days = day_numbers(article.date for article in articles)
    parts, partners, compared = [], {}, histogram(np.zeros(0))
    for group in ("A1", "A2", "A3"):
        inside = np.array([article.alignment == group for article in articles])
        a_rows, b_rows = np.flatnonzero(inside & of_a), np.flatnonzero(inside & ~of_a)
        shared = _shared(articles, a_rows, b_rows)
        cosine = np.minimum(vectors[shared[0]].multiply(vectors[shared[1]]).sum(axis=1).A1, 1.0)
        by_id = len(cosine) > 0 and float(np.median(cosine)) > options.loose
        if by_id:
            part = (*shared, cosine)
        else:
            every = align(vectors, days, (a_rows, b_rows), window_days=None, floor=options.loose)
            compared = compared + every.counts
            best = one_to_one(every)
            part = (best.a_index, best.b_index, best.similarity)
        parts.append(part)
        partners[group] = {
            "by": "shared id" if by_id else "similarity",
            "pairs": len(part[0]),
            "alone": int(inside.sum()) - 2 * len(part[0]),
        }
    a, b, similarity = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((b, a, -similarity))
    # Events of the test set; training articles are not compared with each other, there can be very many.
    test = np.flatnonzero([article.alignment == "A2" for article in articles])
    window = options.window if (days >= 0).any() else None
    everything = np.arange(len(articles))
    close = align(vectors, days, (test, everything), window_days=window, floor=options.strict)
    return Candidates(
        a[order],
        b[order],
        similarity[order],
        compared,
        similarity[order],
        (close.a_index, close.b_index),
        np.zeros(len(articles)),
        partners,
    )


def _shared(articles: Sequence[Article], a_rows: Ints, b_rows: Ints) -> tuple[Ints, Ints]:
    """Positions of the articles of A and B that share an id of the input."""
    of_b = {articles[row].shared_id: row for row in b_rows.tolist() if articles[row].shared_id is not None}
    pairs = [
        (row, of_b[articles[row].shared_id]) for row in a_rows.tolist() if articles[row].shared_id in of_b
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
