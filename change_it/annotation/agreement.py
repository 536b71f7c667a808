"""Krippendorff's alpha: statistics per item first, `change_it.stats` gives the value and its bootstrap interval."""

from collections.abc import Sequence
from itertools import product
from typing import Literal

import numpy as np

from change_it.stats import Floats, Statistics

#: Nominal values differ or not; ordinal ones differ by the ranks between them.
Level = Literal["nominal", "ordinal"]


def coincidences(ratings: Sequence[Sequence[int | None]], values: Sequence[int]) -> dict[str, Floats]:
    """How often each two values coincide within each of n items, to be summed for `alpha` (Krippendorff 2011); None is no rating.

    Items with fewer than two ratings have no coincidences.

    Examples:
        >>> {name: ns.tolist() for name, ns in coincidences([[1, 2, 1], [1, None, None]], [1, 2]).items()}
        {'1,1': [1.0, 0.0], '1,2': [1.0, 0.0], '2,1': [1.0, 0.0], '2,2': [0.0, 0.0]}
    """
    counts = np.array([[list(item).count(value) for value in values] for item in ratings], np.float64)
    pairs = np.maximum(counts.sum(axis=1) - 1, 1)
    pairs[counts.sum(axis=1) < 2] = np.inf
    return {
        f"{first},{second}": counts[:, i] * (counts[:, j] - (i == j)) / pairs + 0.0
        for (i, first), (j, second) in product(enumerate(values), repeat=2)
    }


def alpha(sums: Statistics, values: Sequence[int], level: Level) -> Floats:
    """Krippendorff's alpha of summed `coincidences`: 1 for perfect agreement, 0 for that of chance, nan where fewer than two values occur.

    Examples:
        Two raters, four items, one of them apart: 1 - (8 - 1) * 2 / (2 * 3 * 5).

        >>> columns = coincidences([[1, 1], [1, 1], [2, 2], [1, 2]], [1, 2])
        >>> float(alpha({name: column.sum() for name, column in columns.items()}, [1, 2], "nominal").round(4))
        0.5333
    """
    observed = np.stack([np.stack([sums[f"{row},{column}"] for column in values]) for row in values])
    totals = observed.sum(axis=1)
    number = totals.sum(axis=0)
    disagreement, expected = np.zeros(number.shape), np.zeros(number.shape)
    for i, j in product(range(len(values)), repeat=2):
        if i == j:
            continue
        first, last = min(i, j), max(i, j)
        distance = 1.0 if level == "nominal" else totals[first : last + 1].sum(axis=0)
        if level == "ordinal":
            distance = (distance - (totals[i] + totals[j]) / 2) ** 2
        disagreement += observed[i, j] * distance
        expected += totals[i] * totals[j] * distance
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - (number - 1) * disagreement / expected, np.nan))
