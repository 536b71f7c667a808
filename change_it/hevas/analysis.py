"""The statistics of an evaluation: systems compared by every metric, and the metrics with each other.

HEvAS 2019 tests with "Tukey" where all systems look normal and with "Wilcoxon" elsewhere. It cites Bergmann et al. 2000,
on the Wilcoxon-Mann-Whitney test, so the second is the rank-sum test; the first is here Tukey's HSD, though it cites Jones
and Tukey 2000, on what a test of two means may conclude. As systems wrote headlines for the same documents, every comparison
also holds what paired data call for: the signed-rank test of each pair with Holm's correction. Documents of one event are no
independent evidence: tests are of the means over each event, and intervals draw events.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from change_it.hevas.evaluation import Evaluation
from change_it.stats import (
    AVERAGE,
    LEVEL,
    Correlations,
    Events,
    Floats,
    correlations,
    event_means,
    holm,
    measure,
    rank_biserial,
    rank_sum,
    shapiro,
    tukey,
    wilcoxon,
)

#: Name of the average over all metrics in tables of metrics.
OVERALL = "average"
#: Least p-value of scores that are called normal.
NORMAL = 0.05


@dataclass(frozen=True)
class SystemSummary:
    """Scores of one system by one metric."""

    system: str
    mean: float
    deviation: float | None  # n - 1; None for one document
    interval: tuple[float, float]  # percentile bootstrap
    shapiro_w: float | None  # None for fewer than three documents and for constant scores
    shapiro_p: float | None


@dataclass(frozen=True)
class Pair:
    """Two systems compared by one metric."""

    first: str
    second: str
    difference: float  # mean of the first less mean of the second
    # Tukey's, corrected for the number of pairs, or the rank-sum test's, not corrected; both ignore that the
    # documents are the same
    published_p: float
    wilcoxon: float  # signed-rank statistic, the smaller sum of ranks
    p: float  # its p-value, two-sided; 1 where all documents have equal scores
    p_holm: float  # the same with Holm's correction over all pairs of this metric
    rank_biserial: float  # effect size in -1 to 1, positive where the first scores higher


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
    correlations: Correlations  # between all metrics


def analyse(evaluation: Evaluation, *, resamples: int = 1000, seed: int = 1) -> Analysis:
    """Compare the systems by every metric, and by the average of all after normalisation."""
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    correlated = correlations(scores)  # refuses what is not finite
    overall = {OVERALL: evaluation.overall_items} if evaluation.averaged else {}
    comparisons = {
        name: compare(values, evaluation.systems, evaluation.events, resamples=resamples, seed=seed)
        for name, values in {**overall, **scores}.items()
    }
    return Analysis(drawn_signature(evaluation, resamples), comparisons, correlated)


def drawn_signature(evaluation: Evaluation, resamples: int) -> str:
    """Signature of an evaluation with the events and resamples of its intervals."""
    events = len(set(evaluation.events or evaluation.ids))
    return evaluation.signature.replace("|seed:", f"|events:{events}|resamples:{resamples}|seed:")


def compare(
    scores: Floats,
    systems: Sequence[str],
    events: Events | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare systems by one metric: (n, m) scores, one row a document, one column a system; (n,) events of the documents.

    A system is not normal where Shapiro and Wilk's test has a p-value below .05.
    """
    intervals = mean_intervals(scores, systems, events, resamples=resamples, seed=seed)
    tested = event_means(scores, events)
    summaries = []
    for name, column, means in zip(systems, scores.T, tested.T, strict=True):
        w, p = shapiro(means, seed=seed) or (None, None)
        deviation = float(column.std(ddof=1)) if len(column) > 1 else None
        summaries.append(SystemSummary(name, float(column.mean()), deviation, intervals[name], w, p))
    normal = all(summary.shapiro_p is not None and summary.shapiro_p >= NORMAL for summary in summaries)
    pairs = tuple(_pairs(scores, tested, systems, normal))
    test: Literal["tukey", "rank-sum"] = "tukey" if normal else "rank-sum"
    return Comparison(len(scores), len(tested), LEVEL, tuple(summaries), test, pairs)


def mean_intervals(
    scores: Floats,
    systems: Sequence[str],
    events: Events | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap intervals of the means of (n, m) scores; every system gets the same events drawn."""
    columns = dict(zip(systems, scores.T, strict=True))
    means = measure(
        {"": np.ones(len(scores)), **columns},
        lambda sums: {name: sums[name] / sums[""] for name in columns},
        events=events,
        resamples=resamples,
        seed=seed,
    )[AVERAGE]
    intervals = {}
    for name, column in columns.items():
        low, high = np.clip(means[name].interval, column.min(), column.max()).tolist()
        intervals[name] = low, high
    return intervals


def _pairs(scores: Floats, tested: Floats, systems: Sequence[str], normal: bool) -> Iterator[Pair]:
    """Every two systems: the difference of their means, and tests of the means over each event."""
    pairs = list(combinations(range(len(systems)), 2))
    if not pairs:
        return
    tests = [wilcoxon(tested[:, i], tested[:, j]) for i, j in pairs]
    p_holm = holm([p for _, p in tests])
    p_tukey = tukey(tested) if normal else None
    for (i, j), (statistic, p), corrected in zip(pairs, tests, p_holm, strict=True):
        first, second = tested[:, i], tested[:, j]
        yield Pair(
            first=systems[i],
            second=systems[j],
            difference=float(scores[:, i].mean() - scores[:, j].mean()),
            published_p=rank_sum(first, second) if p_tukey is None else float(p_tukey[i, j]),
            wilcoxon=statistic,
            p=p,
            p_holm=corrected,
            rank_biserial=rank_biserial(first, second),
        )
