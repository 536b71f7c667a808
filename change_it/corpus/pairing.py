"""Which articles of a corpus are compared, and the result: candidate pairs and nearest wrong articles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix

from change_it.corpus.alignment import (
    EDGES,
    STEPS,
    Compared,
    Pairs,
    align,
    day_numbers,
    histogram,
    nearest_wrong,
    one_to_one,
)
from change_it.corpus.article import Article, Outlets
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.splits import Bools, Splits
from change_it.corpus.vectors import tfidf
from change_it.errors import InputError
from change_it.stats import Floats, Ints
from change_it.text.stopwords import stop_words

LOWEST = float(EDGES[0])
#: Where fewer pairs than this are above the thresholds, lower ones are counted too.
FEW = 300


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of articles above the loose threshold, best first."""

    a: Ints  # (pairs,) positions of articles of outlet A
    b: Ints  # (pairs,) positions of articles of outlet B
    similarity: Floats
    compared: Ints  # number of all pairs compared, by cosine in the bins of `alignment.EDGES`
    ranked: Floats  # cosines of the one-to-one pairs, best first; where they are few, down to .05
    events: tuple[Ints, Ints]  # each two articles with a cosine above the strict threshold inside the window
    # (articles,) highest cosine with an article of the other outlet in the window; 0 where none is above `loose`
    nearest: Floats
    # for each alignment group that the input gives: how its pairs were found, and how many
    partners: dict[str, dict[str, Any]] = field(default_factory=dict)
    # strict pairs of which one article at least is of a further outlet, best first, each such article in one: positions
    others: tuple[Ints, Ints, Floats] | None = None
    # positions and cosines of all pairs just below the loose threshold, where everything was compared
    close: tuple[Ints, Ints, Floats] | None = None


def article_vectors(articles: Sequence[Article], options: BuildOptions) -> csr_matrix:
    """Tf-idf vectors of the articles, (articles, words)."""
    return tfidf([article.article for article in articles], stop_words=stop_words(options.language))


def outlet_numbers(articles: Sequence[Article], outlets: Outlets) -> Ints:
    """(articles,) 0 for A, 1 for B, from 2 on for further outlets in alphabetical order."""
    names = [*outlets.names, *sorted({article.label for article in articles} - set(outlets.names))]
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[article.label] for article in articles], dtype=np.int64)


def find_pairs(
    articles: Sequence[Article],
    vectors: csr_matrix,
    outlets: Outlets,
    options: BuildOptions,
    wanted: int = 0,
) -> Candidates:
    """Compare the articles of the two outlets (LREC 2020 §4.1).

    Where the input gives the splits, partners come from a shared id or else from undated similarity inside each of A1,
    A2 and A3. Shared ids count only if they look like partners: their median cosine is above the loose threshold.
    Where the loose threshold leaves fewer than `wanted` pairs, those down to .05 are returned too.
    """
    of_a = np.array([article.label == outlets.a for article in articles])
    if any(article.alignment for article in articles):
        if options.other_outlets:
            raise InputError(
                "--other-outlets needs splits that are made here: leave the column out with --columns alignment="
            )
        return _given_pairs(articles, of_a, vectors, options)
    window, days = options.window, day_numbers(article.date for article in articles)
    labels = outlet_numbers(articles, outlets)
    a_rows, b_rows = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    if window is not None and not all((days[rows] >= 0).any() for rows in (a_rows, b_rows)):
        raise InputError(
            "an outlet has no dated article to align: give a date column, or use --window-days none"
        )

    def compared(floor: float) -> Pairs:
        return _align(vectors, days, (a_rows, b_rows), window=window, floor=floor)

    # Where everything is compared, that is done once; the pairs just below the threshold have the nearest wrong articles.
    undated = window is None and bool((labels < 2).all())
    near = min(options.strict, STEPS[0] * options.loose if undated else options.loose)
    lowest = min(LOWEST, options.loose)
    for floor in (options.loose, lowest):
        wide = compared(min(near, floor))
        every = _above(wide, floor)
        best = one_to_one(every)
        if len(best) >= wanted:
            break
    nearest = np.zeros(len(articles))
    for rows in (every.a_index, every.b_index):
        np.maximum.at(nearest, rows, every.similarity)
    events: list[tuple[Ints, Ints]] = []
    close: list[tuple[Ints, Ints, Floats]] = []
    wider: list[tuple[Ints, Ints, Floats]] = []
    for pairs in related(
        vectors,
        of_a,
        days,
        window_days=window,
        floor=near if undated else options.strict,
        across=wide if undated else None,
        without=(options.loose, options.strict) if undated else None,
    ):
        same, under = pairs.similarity > options.strict, pairs.similarity < options.loose
        events.append((pairs.a_index[same], pairs.b_index[same]))
        close.append((pairs.a_index[under], pairs.b_index[under], pairs.similarity[under]))
        foreign = same & (np.maximum(labels[pairs.a_index], labels[pairs.b_index]) > 1)
        wider.append((pairs.a_index[foreign], pairs.b_index[foreign], pairs.similarity[foreign]))
    first, second, cosine = (np.concatenate(column) for column in zip(*close, strict=True))
    return Candidates(
        best.a_index,
        best.b_index,
        best.similarity,
        every.counts,
        best.similarity if len(best) >= FEW else one_to_one(compared(lowest)).similarity,
        (np.concatenate([a for a, _ in events]), np.concatenate([b for _, b in events])),
        nearest,
        others=_of_other_outlets(wider, labels),
        close=(first, second, cosine) if undated else None,
    )


def related(
    vectors: csr_matrix,
    of_a: Bools,
    days: Ints,
    *,
    window_days: int | None,
    floor: float,
    across: Pairs | None = None,
    without: tuple[float, float] | None = None,
) -> Iterator[Pairs]:
    """Pairs of articles with a cosine above `floor` inside the window, as positions: across the outlets, then within each.

    `across` are the first part, where it is known. Of one outlet, cosines in the range `without` are left out: millions.
    """
    sides = np.flatnonzero(of_a), np.flatnonzero(~of_a)
    if across is None:
        across = _align(vectors, days, sides, window=window_days, floor=floor)
    yield across
    for side in sides:
        yield _align(vectors, days, (side, side), window=window_days, floor=floor, once=True, without=without)


def find_neighbours(
    articles: Sequence[Article],
    vectors: csr_matrix,
    labels: Ints,
    splits: Splits,
    candidates: Candidates,
    options: BuildOptions,
) -> pl.DataFrame:
    """The nearest wrong article of the own and of the other outlet, one row an article, null where there is none.

    It is of another component (no partner, no near-duplicate), below the loose threshold, and of the same side and fold.
    """
    ids = np.array([article.id for article in articles], dtype=object)
    days = day_numbers(article.date for article in articles)
    groups = (splits.alignment == "A2") * 2 + splits.fold
    compared = Compared(vectors, days, groups, splits.event)
    present = splits.alignment != ""
    columns: dict[str, pl.Series] = {}
    for which in ("own", "other"):
        names = np.full(len(articles), None, dtype=object)
        cosines = np.full(len(articles), np.nan)
        for outlet in np.unique(labels).tolist():
            x = np.flatnonzero(present & (labels == outlet))
            others = (labels == 1 - outlet) if outlet < 2 else (labels != outlet)
            y = x if which == "own" else np.flatnonzero(present & others)
            close = None if candidates.close is None else _inside(candidates.close, x, y)
            index, cosine = nearest_wrong(
                compared.of(x), compared.of(y), window_days=options.window, ceiling=options.loose, close=close
            )
            has = index >= 0
            names[x[has]] = ids[y[index[has]]]
            cosines[x[has]] = cosine[has]
        columns[f"{which}_id"] = pl.Series(names.tolist(), dtype=pl.String)
        columns[f"{which}_similarity"] = pl.Series(cosines, nan_to_null=True)
    return pl.DataFrame(columns)


def _of_other_outlets(parts: Sequence[tuple[Ints, Ints, Floats]], labels: Ints) -> tuple[Ints, Ints, Floats]:
    """Strict pairs across two outlets of which one is a further one, best first, each article in its best pair alone."""
    first, second, cosine = (np.concatenate(column) for column in zip(*parts, strict=True))
    a, b = np.where(labels[first] < labels[second], (first, second), (second, first))
    kept = labels[a] != labels[b]
    a, b, cosine = a[kept], b[kept], cosine[kept]
    order = np.lexsort((b, a, -cosine))
    free, chosen = np.ones(len(labels), dtype=bool), []
    for row in order.tolist():
        if free[a[row]] and free[b[row]]:
            free[a[row]] = free[b[row]] = False
            chosen.append(row)
    return a[chosen], b[chosen], cosine[chosen]


def _given_pairs(
    articles: Sequence[Article], of_a: Bools, vectors: csr_matrix, options: BuildOptions
) -> Candidates:
    """Pairs inside each alignment group that the input gives."""
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
            days = np.zeros(len(articles), dtype=np.int64)
            every = _align(vectors, days, (a_rows, b_rows), window=None, floor=options.loose)
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
    test = np.array([article.alignment == "A2" for article in articles])
    return Candidates(
        a[order],
        b[order],
        similarity[order],
        compared,
        similarity[order],
        _events_of_test(articles, test, vectors, options),
        np.zeros(len(articles)),
        partners,
    )


def _events_of_test(
    articles: Sequence[Article], test: Bools, vectors: csr_matrix, options: BuildOptions
) -> tuple[Ints, Ints]:
    """Links between given test articles and all articles; training articles are not compared, there can be very many."""
    days = day_numbers(article.date for article in articles)
    sides = np.flatnonzero(test), np.arange(len(articles))
    window = options.window if (days >= 0).any() else None
    close = _align(vectors, days, sides, window=window, floor=options.strict)
    return close.a_index, close.b_index


def _align(
    vectors: csr_matrix,
    days: Ints,
    sides: tuple[Ints, Ints],
    *,
    window: int | None,
    floor: float,
    once: bool = False,
    without: tuple[float, float] | None = None,
) -> Pairs:
    """Pairs of the articles at these positions, as positions."""
    a, b = sides
    pairs = align(
        vectors[a], vectors[b], days[a], days[b], window_days=window, floor=floor, once=once, without=without
    )
    return replace(pairs, a_index=a[pairs.a_index], b_index=b[pairs.b_index])


def _above(pairs: Pairs, floor: float) -> Pairs:
    """The pairs above a floor."""
    n = int(np.count_nonzero(pairs.similarity > floor))
    a, b = pairs.a_index[:n], pairs.b_index[:n]
    return replace(pairs, a_index=a, b_index=b, similarity=pairs.similarity[:n])


def _inside(pairs: tuple[Ints, Ints, Floats], x: Ints, y: Ints) -> tuple[Ints, Ints, Floats]:
    """The pairs of an article in x and one in y, in either order, as positions in x and y."""
    first, second, cosine = pairs
    positions = np.full((2, 1 + max(part.max(initial=-1) for part in (first, second, x, y))), -1)
    parts = []
    positions[0, x], positions[1, y] = np.arange(len(x)), np.arange(len(y))
    for left, right in ((first, second), (second, first)):
        i, j = positions[0, left], positions[1, right]
        inside = (i >= 0) & (j >= 0)
        parts.append((i[inside], j[inside], cosine[inside]))
    i, j, cosine = (np.concatenate(column) for column in zip(*parts, strict=True))
    return i, j, cosine


def _shared(articles: Sequence[Article], a_rows: Ints, b_rows: Ints) -> tuple[Ints, Ints]:
    """Positions of the articles of A and B that share an id of the input."""
    of_b = {articles[row].shared_id: row for row in b_rows.tolist() if articles[row].shared_id is not None}
    pairs = [
        (row, of_b[articles[row].shared_id]) for row in a_rows.tolist() if articles[row].shared_id in of_b
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
