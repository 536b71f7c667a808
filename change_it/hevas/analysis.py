"""The statistics of an evaluation: systems compared by every metric, and the metrics with each other.

HEvAS 2019 tests with "Tukey" where all systems look normal and with "Wilcoxon" elsewhere. It cites Bergmann et al. 2000,
on the Wilcoxon-Mann-Whitney test, so the second is the rank-sum test; the first is here Tukey's HSD, though it cites Jones
and Tukey 2000, on what a test of two means may conclude. As systems wrote headlines for the same documents, every comparison
also holds what paired data call for: the signed-rank test of each pair with Holm's correction. Documents of one event are not
independent evidence: tests are of the means over each event, and intervals draw events.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

from change_it.hevas.evaluation import Evaluation
from change_it.render.tables import figure, p_value
from change_it.stats import AVERAGE, DECIMALS, LEVEL, Events, Floats, event_means, holm, measure

#: Name of the average over all metrics in tables of metrics.
OVERALL = "average"
#: Least p-value of scores that are called normal, and of a difference that may be chance.
NORMAL = CHANCE = 0.05

_EXACT_MOST = 13  # differences with ties, for which the p-value is exact


@dataclass(frozen=True)
class SystemSummary:
    """Scores of one system by one metric, of its headlines that have words."""

    system: str
    mean: float  # 0 where it has none
    interval: tuple[float, float]  # percentile bootstrap
    shapiro_p: float | None  # None for fewer than three documents and for constant scores
    empty: int = 0  # headlines that are left out


@dataclass(frozen=True)
class Pair:
    """Two systems compared by one metric, over all documents."""

    first: str
    second: str
    difference: float  # mean of the first less mean of the second
    # Tukey's, corrected for the number of pairs, or the rank-sum test's, not corrected; both ignore that the
    # documents are the same
    published_p: float
    wilcoxon: float  # signed-rank statistic, the smaller sum of ranks
    p: float  # its p-value, two-sided; 1 where all documents have equal scores
    p_holm: float  # the same with Holm's correction over all pairs of this metric


@dataclass(frozen=True)
class Comparison:
    """All systems by one metric."""

    documents: int
    events: int  # that the documents are of; tests are of their means
    level: float  # coverage of the intervals
    systems: tuple[SystemSummary, ...]
    published_test: Literal["tukey", "rank-sum"]  # what HEvAS takes for these scores
    pairs: tuple[Pair, ...]  # every two systems


@dataclass(frozen=True)
class Analysis:
    """The statistics of an evaluation."""

    signature: str  # of the evaluation, and the numbers of events and resamples
    comparisons: dict[str, Comparison]  # by metric, `average` (over all after normalisation) first
    correlations: list[list[float | None]]  # of every two metrics
    outcome: str  # which system is best, in one sentence


def analyse(evaluation: Evaluation, *, resamples: int = 1000, seed: int = 1) -> Analysis:
    """Compare the systems by every metric, and by the average of all after normalisation, in which an empty headline has 0."""
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    compared = {OVERALL: evaluation.overall_items} if evaluation.normalised else {}
    comparisons = {
        name: compare(
            values,
            evaluation.systems,
            evaluation.events,
            None if name == OVERALL else evaluation.written,
            resamples=resamples,
            seed=seed,
        )
        for name, values in (compared | scores).items()
    }
    outcome = _outcome(evaluation, comparisons[OVERALL].pairs) if compared else ""
    count = len(set(evaluation.events or evaluation.ids))
    signature = evaluation.signature.replace("|seed:", f"|events:{count}|resamples:{resamples}|seed:")
    return Analysis(signature, comparisons, correlations(scores), outcome)


def _outcome(evaluation: Evaluation, pairs: Sequence[Pair]) -> str:
    """Say which system has the best average, and whether the next one's may be as good by chance."""
    means = evaluation.overall
    best, *others = means
    text = f"{best} has {'the best' if others else 'an'} average, {figure(means[best])}"
    for second in others[:1]:
        p = next(pair.p_holm for pair in pairs if {pair.first, pair.second} == {best, second})
        verdict = "which may be chance" if p >= CHANCE else "not by chance"
        text += f"; {second} follows with {figure(means[second])}, {verdict} (signed-rank test, Holm: p {p_value(p)})"
    return f"{text}."


def compare(
    scores: Floats,
    systems: Sequence[str],
    events: Events | None = None,
    written: NDArray[np.bool_] | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare systems by one metric: (n, m) scores, one row a document, one column a system; (n,) events of the documents.

    Intervals are percentile bootstrap ones, and every system gets the same events drawn; means and intervals are of the headlines
    that are `written` (all when None), tests of all. A system is not normal where Shapiro and Wilk's test has a p-value below .05.
    """
    written = np.ones(scores.shape, bool) if written is None else written
    counts = {f"n {name}": column.astype(np.float64) for name, column in zip(systems, written.T, strict=True)}
    drawn = measure(
        {**counts, **dict(zip(systems, (scores * written).T, strict=True))},
        lambda sums: {name: sums[name] / np.maximum(sums[f"n {name}"], 1) for name in systems},
        events=events,
        resamples=resamples,
        seed=seed,
    )[AVERAGE]
    tested = event_means(scores, events)
    summaries = []
    for name, column, has_words, means in zip(systems, scores.T, written.T, tested.T, strict=True):
        shown = column[has_words] if has_words.any() else np.zeros(1)
        low, high = np.clip(drawn[name].interval, shown.min(), shown.max()).tolist()
        empty = int((~has_words).sum())
        summaries.append(SystemSummary(name, float(shown.mean()), (low, high), _shapiro(means, seed), empty))
    normal = all(summary.shapiro_p is not None and summary.shapiro_p >= NORMAL for summary in summaries)
    indices = list(combinations(range(len(systems)), 2))
    published = (_tukey if normal else _rank_sums)(tested, indices)
    tests = [wilcoxon(tested[:, i], tested[:, j]) for i, j in indices]
    corrected = holm([p for _, p in tests])
    pairs = tuple(
        Pair(systems[i], systems[j], float(scores[:, i].mean() - scores[:, j].mean()), theirs, *ranks, p_holm)
        for (i, j), theirs, ranks, p_holm in zip(indices, published, tests, corrected, strict=True)
    )
    test: Literal["tukey", "rank-sum"] = "tukey" if normal else "rank-sum"
    return Comparison(len(scores), len(tested), LEVEL, tuple(summaries), test, pairs)


def _tukey(scores: Floats, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the corrected p-values of Tukey's HSD, which assumes independent groups, of pairs of the columns of scores."""
    if not pairs:
        return []
    with warnings.catch_warnings():
        # scipy complains of its integral where p is 1 and there are thousands of items; the value is right
        warnings.simplefilter("ignore", scipy.integrate.IntegrationWarning)
        p_values = np.clip(scipy.stats.tukey_hsd(*scores.T).pvalue, 0, 1)
    return [float(p_values[pair]) for pair in pairs]


def _rank_sums(scores: Floats, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the p-values of Wilcoxon's rank-sum test (Mann and Whitney's U), two-sided, of independent systems, corrected for ties; 1 where all scores are equal."""
    both = [np.round(scores[:, pair].T, DECIMALS) for pair in pairs]
    return [float(scipy.stats.mannwhitneyu(*two).pvalue) if np.ptp(two) else 1.0 for two in both]


def wilcoxon(first: Floats, second: Floats) -> tuple[float, float]:
    """Test the scores of two systems for the same items by Wilcoxon's signed ranks, two-sided; exact up to 50 items without ties.

    Returns the smaller sum of ranks and the p-value; 0 and 1 where all scores are equal.
    """
    differences = np.round(first - second, DECIMALS)  # noise of floating point would break ties
    differences = differences[differences != 0]
    if not len(differences):
        return 0.0, 1.0
    ranks = np.sign(differences) * scipy.stats.rankdata(np.abs(differences))
    few = len(ranks) <= _EXACT_MOST
    test = exact = scipy.stats.wilcoxon(ranks, method="exact" if few else "auto")
    if few and len(np.unique(np.abs(ranks))) < len(ranks):  # scipy's own way with ties takes seconds
        exact = scipy.stats.permutation_test(
            (ranks,), np.sum, permutation_type="samples", vectorized=True, n_resamples=np.inf
        )
    return float(test.statistic), float(exact.pvalue)


def _shapiro(scores: Floats, seed: int) -> float | None:
    """Return the p-value of Shapiro and Wilk's test of normality, of 5,000 scores at most, for which it is accurate; None for fewer than three and for constant ones."""
    if len(scores) < 3 or not np.ptp(np.round(scores, DECIMALS)):
        return None
    return float(scipy.stats.shapiro(np.random.default_rng(seed).permutation(scores)[:5000]).pvalue)


def correlations(scores: Mapping[str, Floats]) -> list[list[float | None]]:
    """Return Pearson's correlation of every two metrics over all items of all systems; None where one is constant, and of less than three scores."""
    import pandas as pd

    table = pd.DataFrame({name: np.ravel(values) for name, values in scores.items()}).round(DECIMALS)
    rows = table.corr(min_periods=3).to_numpy().tolist()
    return [[None if np.isnan(value) else value for value in row] for row in rows]
