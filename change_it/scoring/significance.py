"""Bootstrap intervals and paired tests on any per-item statistics with an aggregate over their sums.

A measure is a matrix of statistics (items x columns) and a function from summed rows to values. Items
belong to strata (directions); a value is computed in each stratum and then averaged over the strata.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Aggregate = Callable[[Floats], Floats]

_CHUNK = 2_000_000  # cells of a matrix of resamples x items held at once


def estimate(statistics: Floats, strata: Sequence[str], aggregate: Aggregate) -> Floats:
    """The measured values.

    Args:
        statistics: (n, k) per-item statistics.
        strata: (n,) stratum of each item.
        aggregate: from sums (..., k) to values (..., m).

    Returns:
        (s + 1, m): each stratum in order of first appearance, then their mean.

    Example:
        >>> share = lambda sums: sums[..., 1:] / sums[..., :1]
        >>> estimate(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]]), ["x", "x", "y"], share).tolist()
        [[0.5], [0.0], [0.25]]
    """
    sums = np.stack([rows.sum(axis=0) for rows in _by_stratum(statistics, strata)])
    return _with_mean(aggregate(sums))


def bootstrap_intervals(
    statistics: Floats,
    strata: Sequence[str],
    aggregate: Aggregate,
    *,
    resamples: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Floats:
    """Percentile bootstrap intervals; items are drawn with replacement inside their stratum.

    Args:
        statistics: (n, k) per-item statistics.
        strata: (n,) stratum of each item.
        aggregate: from sums (..., k) to values (..., m).
        resamples: number of resamples, at least 1.
        seed: the same seed draws the same items for every system.
        level: coverage in 0-1.

    Returns:
        (s + 1, m, 2): lower and upper end, each stratum in order of first appearance, then their mean.
    """
    random = np.random.default_rng(seed)
    sums = [
        np.concatenate([_drawn(len(rows), count, random) @ rows for count in _chunks(resamples, len(rows))])
        for rows in _by_stratum(statistics, strata)
    ]
    values = _with_mean(aggregate(np.stack(sums)))
    tail = (1 - level) / 2
    return np.moveaxis(np.quantile(values, [tail, 1 - tail], axis=1), 0, -1)


def paired_p_values(
    first: Floats,
    second: Floats,
    strata: Sequence[str],
    aggregate: Aggregate,
    *,
    trials: int = 1000,
    seed: int = 1,
) -> Floats:
    """Two-sided approximate randomisation test between two systems on the same items (Noreen 1989).

    In each trial a fair coin per item decides whether the two systems swap their outputs; p is the share of
    trials whose difference is at least as large as the measured one, `(count + 1) / (trials + 1)`.

    Args:
        first: (n, k) per-item statistics of one system.
        second: (n, k) of the other, the same items in the same order.
        strata: (n,) stratum of each item.
        aggregate: from sums (..., k) to values (..., m).
        trials: number of trials, at least 1.
        seed: seed of the coins.

    Returns:
        (s + 1, m) p-values in (0, 1], each stratum in order of first appearance, then their mean.
    """
    random = np.random.default_rng(seed)
    measured = np.abs(estimate(first, strata, aggregate) - estimate(second, strata, aggregate))
    ones, others = [], []
    for one, other in zip(_by_stratum(first, strata), _by_stratum(second, strata), strict=True):
        gap = (other - one)[(one != other).any(axis=1)]
        moved = np.concatenate(
            [
                random.integers(0, 2, (count, len(gap))).astype(np.float64) @ gap
                for count in _chunks(trials, len(gap))
            ]
        )
        ones.append(one.sum(axis=0) + moved)
        others.append(other.sum(axis=0) - moved)
    gaps = _with_mean(aggregate(np.stack(ones))) - _with_mean(aggregate(np.stack(others)))
    count = (np.abs(gaps) >= measured[:, None] - 1e-12).sum(axis=1)
    return (count + 1) / (trials + 1)


def _by_stratum(statistics: Floats, strata: Sequence[str]) -> list[Floats]:
    """The rows of each stratum, in order of first appearance."""
    of = np.asarray(strata)
    return [statistics[of == name] for name in dict.fromkeys(strata)]


def _with_mean(values: Floats) -> Floats:
    """Append the mean over the strata, the first axis, as one more row."""
    return np.concatenate([values, values.mean(axis=0, keepdims=True)])


def _chunks(total: int, width: int) -> Iterator[int]:
    """Sizes that add up to `total`, each small enough for a matrix of that many rows."""
    size = max(1, _CHUNK // max(1, width))
    for start in range(0, total, size):
        yield min(size, total - start)


def _drawn(items: int, resamples: int, random: np.random.Generator) -> Floats:
    """(resamples, items): how often each item is drawn when `items` are drawn with replacement."""
    drawn = random.integers(0, items, (resamples, items)) + np.arange(resamples)[:, None] * items
    return (
        np.bincount(drawn.ravel(), minlength=resamples * items).reshape(resamples, items).astype(np.float64)
    )
