"""Two systems on the same documents: Wilcoxon's test, Holm's correction for many pairs, the size of the difference."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from change_it.text.ngrams import Floats

DECIMALS = 12  #: Scores are rounded to so many: those that differ by less are equal.
_EXACT_MOST = 13  # differences with ties, for which scipy's p-value is exact


def wilcoxon(first: Floats, second: Floats) -> tuple[float, float]:
    """Wilcoxon's signed-rank test, two-sided; exact up to 50 documents without ties.

    Args:
        first: (n,) scores of a system.
        second: (n,) scores of another one for the same documents. Documents with equal scores are dropped.

    Returns:
        The smaller sum of ranks and the p-value; 0 and 1 where all scores are equal.

    Example:
        >>> wilcoxon(np.array([3.0, 4.0, 7.0]), np.array([1.0, 1.0, 1.0]))
        (0.0, 0.25)
    """
    differences = _differences(first, second)
    if not len(differences):
        return 0.0, 1.0
    if len(differences) <= _EXACT_MOST and len(np.unique(np.abs(differences))) < len(differences):
        return _exact_with_ties(differences)
    found = stats.wilcoxon(differences)
    return float(found.statistic), float(found.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the smallest p-value times their number, the next times one less, never falling.

    Args:
        p_values: of tests made together.

    Returns:
        Corrected p-values in 0-1, in the order given.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return [float(value) for value in corrected]


def rank_biserial(first: Floats, second: Floats) -> float:
    """Matched-pairs rank-biserial correlation (Kerby 2014).

    Args:
        first: (n,) scores of a system.
        second: (n,) scores of another one for the same documents. Documents with equal scores are dropped.

    Returns:
        Share of the ranks of differences in favour of the first less the share against it, -1 to 1; 0 where all
        scores are equal.

    Example:
        Differences 3, -1, 2 have ranks 3, 1, 2: (5 - 1) / 6.

        >>> round(rank_biserial(np.array([4.0, 1.0, 3.0]), np.array([1.0, 2.0, 1.0])), 4)
        0.6667
    """
    differences = _differences(first, second)
    if not len(differences):
        return 0.0
    ranks = stats.rankdata(np.abs(differences))
    return float((np.sign(differences) * ranks).sum() / ranks.sum())


def _exact_with_ties(differences: Floats) -> tuple[float, float]:
    """The signed-rank test by the sums of ranks of all choices of signs, counted; scipy tries each, which takes seconds.

    Example:
        >>> _exact_with_ties(np.array([1.0, 1.0, 2.0]))
        (0.0, 0.25)
    """
    ranks = stats.rankdata(np.abs(differences))
    doubled = (2 * ranks).astype(np.int64)  # mean ranks end in a half
    counts = np.ones(1)
    for rank in doubled.tolist():
        counts = np.pad(counts, (0, rank)) + np.pad(counts, (rank, 0))
    sums = int(doubled[differences > 0].sum()), int(doubled[differences < 0].sum())
    p = 2 * counts[: min(sums) + 1].sum() / counts.sum()
    return min(sums) / 2, min(float(p), 1.0)


def _differences(first: Floats, second: Floats) -> Floats:
    """Differences that are not zero, without the noise of floating point that would break ties."""
    differences = np.round(first - second, DECIMALS)
    return differences[differences != 0]
