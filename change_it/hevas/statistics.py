"""Which system is better, and is it chance: tests, effect sizes, intervals and correlations of metric scores.

HEvAS tests with Tukey's HSD where all systems look normal and with Wilcoxon elsewhere (SPEC 6). Systems that wrote
headlines for the same documents are paired, so every comparison also holds what such data call for: Friedman's test,
then Wilcoxon's signed-rank test of each pair with Holm's correction (Demšar 2006).
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.integrate import IntegrationWarning

from change_it.errors import InputError
from change_it.hevas.paired import DECIMALS, holm, rank_biserial, wilcoxon
from change_it.text.ngrams import Floats

_SHAPIRO_MOST = 5000  # its p-value is not accurate for more
_CELLS = 2_000_000  # resamples x documents held at once


@dataclass(frozen=True)
class SystemSummary:
    """Scores of one system by one metric."""

    system: str
    """Its name."""
    mean: float
    """Mean over the documents."""
    deviation: float | None
    """Standard deviation (n - 1); None for one document."""
    interval: tuple[float, float]
    """Percentile bootstrap interval of the mean."""
    shapiro_w: float | None
    """Statistic of the normality test; None for fewer than three documents and for constant scores."""
    shapiro_p: float | None
    """Its p-value; None as above."""


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: do the systems differ at all, by their ranks on each document."""

    statistic: float
    """Chi-squared, corrected for ties; 0 where the systems tie on every document."""
    p: float
    """Its p-value."""
    kendall_w: float
    """Effect size in 0-1: 1 if every document ranks the systems alike."""


@dataclass(frozen=True)
class Pair:
    """Two systems compared by one metric."""

    first: str
    """Name of a system."""
    second: str
    """Name of another one."""
    difference: float
    """Mean of the first less mean of the second."""
    published_p: float
    """p-value of the published test: Tukey's (corrected for the number of pairs) or Wilcoxon's (not corrected)."""
    wilcoxon: float
    """Wilcoxon's signed-rank statistic, the smaller sum of ranks; documents with equal scores are dropped."""
    p: float
    """Its p-value, two-sided; 1 where all documents have equal scores."""
    p_holm: float
    """The same with Holm's correction over all pairs of this metric."""
    rank_biserial: float
    """Effect size: matched-pairs rank-biserial correlation in -1 to 1, positive where the first scores higher."""


@dataclass(frozen=True)
class Comparison:
    """All systems by one metric."""

    documents: int
    """Number of documents."""
    level: float
    """Coverage of the intervals."""
    systems: tuple[SystemSummary, ...]
    """One a system, in the order given."""
    published_test: Literal["tukey", "wilcoxon"]
    """Test that HEvAS takes for these scores."""
    pairs: tuple[Pair, ...]
    """One for each two systems; none for a single system."""
    friedman: Friedman | None
    """Paired test of all systems at once; None for fewer than three."""

    def as_dict(self) -> dict[str, Any]:
        """The comparison ready for JSON.

        Returns:
            Nested dictionaries of numbers, names and None.
        """
        return asdict(self)


@dataclass(frozen=True)
class Correlations:
    """Correlation between all metrics (HEvAS 2019, Table 3)."""

    metrics: tuple[str, ...]
    """Names of rows and columns."""
    n: int
    """Number of scores of each metric: documents times systems."""
    pearson: tuple[tuple[float | None, ...], ...]
    """Linear correlation; None where a metric is constant and where n is below three."""
    spearman: tuple[tuple[float | None, ...], ...]
    """Correlation of ranks; None as above."""

    def as_dict(self) -> dict[str, Any]:
        """The matrices ready for JSON.

        Returns:
            `metrics`, `n` and both matrices as rows of numbers and None.
        """
        return asdict(self)


def compare(
    scores: Floats,
    systems: Sequence[str],
    *,
    alpha: float = 0.05,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> Comparison:
    """Compare systems by one metric.

    Args:
        scores: (n, m) one row a document, one column a system.
        systems: m names.
        alpha: a system is not normal where Shapiro and Wilk's test has a p-value below it.
        resamples: bootstrap resamples of the intervals, at least 1.
        level: coverage of the intervals in 0-1.
        seed: seed of the resamples; the same seed draws the same documents for every metric.

    Returns:
        Means with intervals, and the tests.

    Raises:
        InputError: there are no documents, no systems, or a score is not a number.

    Example:
        >>> found = compare(np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.2], [0.9, 0.5]]), ["good", "bad"])
        >>> pair = found.pairs[0]
        >>> round(pair.difference, 2), pair.wilcoxon, pair.p, pair.rank_biserial
        (0.55, 0.0, 0.125, 1.0)
    """
    scores = _checked(scores, systems)
    ends = bootstrap_intervals(scores, resamples=resamples, level=level, seed=seed).tolist()
    summaries = tuple(
        _summary(name, column, (low, high), seed)
        for name, column, (low, high) in zip(systems, scores.T, ends, strict=True)
    )
    normal = all(summary.shapiro_p is not None and summary.shapiro_p >= alpha for summary in summaries)
    pairs = tuple(_pairs(scores, systems, normal))
    return Comparison(
        len(scores), level, summaries, "tukey" if normal else "wilcoxon", pairs, friedman(scores)
    )


def friedman(scores: Floats) -> Friedman | None:
    """Friedman's test.

    Args:
        scores: (n, m) one row a document, one column a system.

    Returns:
        The test; None for fewer than three systems, which it is not made for.

    Example:
        >>> found = friedman(np.array([[1.0, 2.0, 3.0]] * 4))
        >>> found.statistic, round(found.p, 4), found.kendall_w
        (8.0, 0.0183, 1.0)
        >>> friedman(np.ones((4, 3)))
        Friedman(statistic=0.0, p=1.0, kendall_w=0.0)
    """
    documents, count = scores.shape
    if count < 3:
        return None
    scores = np.round(scores, DECIMALS)
    if (scores == scores[:, :1]).all():
        return Friedman(0.0, 1.0, 0.0)
    found = stats.friedmanchisquare(*scores.T)
    statistic = max(float(found.statistic), 0.0)
    return Friedman(statistic, float(found.pvalue), min(statistic / (documents * (count - 1)), 1.0))


def bootstrap_intervals(
    scores: Floats, *, resamples: int = 1000, level: float = 0.95, seed: int = 1
) -> Floats:
    """Percentile bootstrap intervals of means; every system gets the same documents drawn.

    Args:
        scores: (n, m) one row a document.
        resamples: number of resamples, at least 1.
        level: coverage in 0-1.
        seed: seed of the resamples.

    Returns:
        (m, 2) lower and upper ends; both are the mean where scores are constant.

    Example:
        >>> bootstrap_intervals(np.array([[0.0, 0.5], [1.0, 0.5]] * 50)).round(2).tolist()
        [[0.4, 0.6], [0.5, 0.5]]
    """
    random = np.random.default_rng(seed)
    documents = len(scores)
    step = max(_CELLS // documents, 1)
    means = []
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        drawn = random.integers(0, documents, (count, documents)) + np.arange(count)[:, None] * documents
        times = np.bincount(drawn.ravel(), minlength=count * documents).reshape(count, documents)
        means.append(times.astype(np.float64) @ scores / documents)
    tail = (1 - level) / 2
    ends = np.quantile(np.concatenate(means), [tail, 1 - tail], axis=0).T
    return np.clip(ends, scores.min(axis=0)[:, None], scores.max(axis=0)[:, None])


def correlations(scores: Mapping[str, Floats]) -> Correlations:
    """Pearson's and Spearman's correlation between all metrics, over all documents of all systems.

    Args:
        scores: metric → scores of one shape, as (n, m) with one row a document and one column a system.

    Returns:
        Both matrices.

    Raises:
        InputError: there is no metric, shapes differ, or a score is not a number.

    Example:
        >>> found = correlations({"a": np.array([1.0, 2, 3, 4]), "b": np.array([1.0, 2, 3, 9]), "c": np.ones(4)})
        >>> round(found.pearson[0][1], 4), found.spearman[0][1], found.pearson[0][2]
        (0.898, 1.0, None)
    """
    shapes = {np.shape(values) for values in scores.values()}
    if len(shapes) != 1:
        found = ", ".join(f"{name} {np.shape(values)}" for name, values in scores.items())
        raise InputError(
            f"Correlations need metrics with the same documents and systems; found {found or 'none'}."
        )
    columns = np.array([np.ravel(values) for values in scores.values()], np.float64)
    for name, column in zip(scores, columns, strict=True):
        _finite(name, column)
    columns = np.round(columns, DECIMALS)
    ranks = stats.rankdata(columns, axis=1)
    return Correlations(tuple(scores), columns.shape[1], _matrix(columns), _matrix(ranks))


def _checked(scores: Floats, systems: Sequence[str]) -> Floats:
    """Scores as an array that the tests accept."""
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 2 or not scores.size or scores.shape[1] != len(systems):
        raise InputError(
            f"A comparison needs one row a document and one column for each of {len(systems)} systems; "
            f"found scores of shape {scores.shape}."
        )
    for name, column in zip(systems, scores.T, strict=True):
        _finite(name, column)
    return scores


def _finite(name: str, values: Floats) -> None:
    """Refuse missing and infinite scores."""
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise InputError(
            f"{name} has {bad} scores that are not numbers; score such headlines 0 or leave them out."
        )


def _summary(name: str, scores: Floats, interval: tuple[float, float], seed: int) -> SystemSummary:
    """Mean, deviation and normality of one system."""
    w = p = None
    if len(scores) >= 3 and np.ptp(np.round(scores, DECIMALS)):
        tested = np.random.default_rng(seed).permutation(scores)[:_SHAPIRO_MOST]
        w, p = (float(value) for value in stats.shapiro(tested))
    deviation = float(scores.std(ddof=1)) if len(scores) > 1 else None
    return SystemSummary(name, float(scores.mean()), deviation, interval, w, p)


def _pairs(scores: Floats, systems: Sequence[str], normal: bool) -> Iterator[Pair]:
    """The comparison of each two systems."""
    places = list(combinations(range(len(systems)), 2))
    if not places:
        return
    tests = [wilcoxon(scores[:, i], scores[:, j]) for i, j in places]
    raw = [p for _, p in tests]
    published = [float(p) for p in _tukey(scores)[tuple(zip(*places, strict=True))]] if normal else raw
    for (i, j), (statistic, p), told, corrected in zip(places, tests, published, holm(raw), strict=True):
        yield Pair(
            first=systems[i],
            second=systems[j],
            difference=float(scores[:, i].mean() - scores[:, j].mean()),
            published_p=told,
            wilcoxon=statistic,
            p=p,
            p_holm=corrected,
            rank_biserial=rank_biserial(scores[:, i], scores[:, j]),
        )


def _tukey(scores: Floats) -> Floats:
    """p-values of Tukey's HSD, a square of systems."""
    with warnings.catch_warnings():
        # scipy complains of its integral where p is 1 and there are thousands of documents; the value is right
        warnings.simplefilter("ignore", IntegrationWarning)
        return np.clip(stats.tukey_hsd(*scores.T).pvalue, 0, 1)


def _matrix(columns: Floats) -> tuple[tuple[float | None, ...], ...]:
    """Pearson's correlation of rows; None where it is not defined."""
    varies = np.ptp(columns, axis=1) > 0
    if columns.shape[1] < 3:
        varies[:] = False
    found = np.full((len(columns), len(columns)), np.nan)
    if varies.any():
        found[np.ix_(varies, varies)] = np.clip(np.corrcoef(columns[varies]), -1, 1)
    return tuple(tuple(None if np.isnan(value) else float(value) for value in row) for row in found)
