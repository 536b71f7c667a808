"""Test the systems of an evaluation against each other, and correlate its metrics.

HEvAS 2019 tests with "Tukey" where all systems look normal and with "Wilcoxon" elsewhere. It cites Bergmann
et al. 2000, on the Wilcoxon-Mann-Whitney test, so the second is the rank-sum test. The first is here Tukey's
HSD, though it cites Jones and Tukey 2000, on what a test of two means may conclude.

Systems wrote headlines for the same documents. Every comparison therefore also holds what paired data call
for: the signed-rank test of each pair with Holm's correction. Documents of one event are not independent
evidence: tests are of the means over each event, and intervals draw events.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import scipy  # scipy.stats and scipy.integrate are loaded when they are used
from numpy.typing import NDArray

from change_it.hevas.evaluation import Evaluation
from change_it.render.tables import figure, p_value
from change_it.stats import AVERAGE, DECIMALS, LEVEL, Events, Floats, Score, event_means, holm, measure

#: Name of the average over all metrics in tables of metrics.
OVERALL = "average"
#: Least p-value of Shapiro and Wilk's test for which scores are called normal.
LEAST_NORMAL_P = 0.05
#: Least p-value for which a difference of two systems may be chance.
LEAST_CHANCE_P = 0.05

#: Differences of which the p-value is exact even where some are equal. More would take seconds.
_MOST_EXACT_DIFFERENCES = 13
#: Scores for which the p-value of Shapiro and Wilk's test is accurate, at most.
_MOST_SHAPIRO_SCORES = 5000


@dataclass(frozen=True)
class SystemSummary:
    """The scores of one system by one metric, over its headlines that have words.

    Attributes:
        system: its name.
        mean: 0 where no headline has words.
        interval: ends of the bootstrap interval of the mean.
        shapiro_p: p-value of Shapiro and Wilk's test of normality. None for fewer than three documents and
            for constant scores.
        empty: number of headlines without words, which are left out.
    """

    system: str
    mean: float
    interval: tuple[float, float]
    shapiro_p: float | None
    empty: int = 0


@dataclass(frozen=True)
class Pair:
    """Two systems compared by one metric, over all documents.

    Attributes:
        first: name of a system.
        second: name of the other system.
        difference: mean of the first less mean of the second.
        published_p: p-value of Tukey's test, corrected for the number of pairs, or of the rank-sum test, not
            corrected. Both ignore that the documents are the same.
        wilcoxon: statistic of the signed-rank test, the smaller sum of ranks.
        p: two-sided p-value of the signed-rank test. 1 where all documents have equal scores.
        p_holm: this p-value with Holm's correction over all pairs of this metric.
    """

    first: str
    second: str
    difference: float
    published_p: float
    wilcoxon: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Comparison:
    """All systems compared by one metric.

    Attributes:
        documents: number of documents.
        events: number of events that the documents belong to. Tests are of the means over each.
        level: coverage of the intervals, 0 to 1.
        systems: one summary a system.
        published_test: the test that HEvAS chooses for these scores.
        pairs: every two systems.
    """

    documents: int
    events: int
    level: float
    systems: tuple[SystemSummary, ...]
    published_test: Literal["tukey", "rank-sum"]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Analysis:
    """The statistics of an evaluation.

    Attributes:
        signature: the signature of the evaluation, with the numbers of events and resamples.
        comparisons: the comparison by each metric. `OVERALL`, over all metrics after normalisation, comes
            first.
        correlations: (k, k) Pearson's correlation of every two of k metrics; None where it is undefined.
        outcome: a sentence that says which system is best. Empty where nothing is averaged.
    """

    signature: str
    comparisons: dict[str, Comparison]
    correlations: list[list[float | None]]
    outcome: str


class SignedRankTest(NamedTuple):
    """Wilcoxon's signed-rank test of two systems.

    Attributes:
        statistic: the smaller sum of ranks.
        p: two-sided p-value.
    """

    statistic: float
    p: float


def analyse(evaluation: Evaluation, *, resamples: int = 1000, seed: int = 1) -> Analysis:
    """Compare the systems of an evaluation by every metric, and by the average of all after normalisation.

    In the average an empty headline has 0; means of a single metric leave it out.
    """
    comparisons: dict[str, Comparison] = {}
    outcome = ""
    if evaluation.normalised:
        comparisons[OVERALL] = compare(
            evaluation.overall_items, evaluation.systems, evaluation.events, resamples=resamples, seed=seed
        )
        outcome = _outcome(evaluation, comparisons[OVERALL].pairs)
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    for name, values in scores.items():
        comparisons[name] = compare(
            values,
            evaluation.systems,
            evaluation.events,
            evaluation.written,
            resamples=resamples,
            seed=seed,
        )
    number_of_events = len(set(evaluation.events or evaluation.ids))
    notes = f"|events:{number_of_events}|resamples:{resamples}"
    signature = evaluation.signature.replace("|seed:", f"{notes}|seed:")
    return Analysis(
        signature=signature,
        comparisons=comparisons,
        correlations=correlations(scores),
        outcome=outcome,
    )


def _outcome(evaluation: Evaluation, pairs: Sequence[Pair]) -> str:
    """Say which system has the best average, and whether the next one's may be as good by chance."""
    means = evaluation.overall
    best, *others = means
    if not others:
        return f"{best} has an average, {figure(means[best])}."
    second = others[0]
    p = next(pair.p_holm for pair in pairs if {pair.first, pair.second} == {best, second})
    verdict = "which may be chance" if p >= LEAST_CHANCE_P else "not by chance"
    return (
        f"{best} has the best average, {figure(means[best])}; {second} follows with {figure(means[second])}, "
        f"{verdict} (signed-rank test, Holm: p {p_value(p)})."
    )


def compare(
    scores: Floats,
    systems: Sequence[str],
    events: Events | None = None,
    written: NDArray[np.bool_] | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare systems by one metric.

    HEvAS chooses the test: Tukey's where the scores of every system are normal (Shapiro and Wilk's test with
    a p-value of .05 at least), the rank-sum test elsewhere.

    Args:
        scores: (n, m) scores, rows documents, columns systems.
        systems: names of the m systems.
        events: (n,) event of each document; None makes each document an event.
        written: (n, m) whether a headline has words; all when None. Means and intervals are of these
            headlines alone, tests of all.
        resamples: resamples of the percentile bootstrap intervals. Every system gets the same events drawn.
        seed: seed of the intervals.
    """
    if written is None:
        written = np.ones(scores.shape, bool)
    drawn = _mean_intervals(scores, systems, events, written, resamples=resamples, seed=seed)
    tested = event_means(scores, events)
    summaries = []
    for column, system in enumerate(systems):
        has_words = written[:, column]
        shown = scores[has_words, column] if has_words.any() else np.zeros(1)
        # a resample without any headline with words has the mean 0, which may lie outside the scores
        low, high = np.clip(drawn[system].interval, shown.min(), shown.max()).tolist()
        summary = SystemSummary(
            system=system,
            mean=float(shown.mean()),
            interval=(low, high),
            shapiro_p=_shapiro(tested[:, column], seed),
            empty=int((~has_words).sum()),
        )
        summaries.append(summary)
    is_normal = all(
        summary.shapiro_p is not None and summary.shapiro_p >= LEAST_NORMAL_P for summary in summaries
    )
    return Comparison(
        documents=len(scores),
        events=len(tested),
        level=LEVEL,
        systems=tuple(summaries),
        published_test="tukey" if is_normal else "rank-sum",
        pairs=_pairs(scores, tested, systems, is_normal=is_normal),
    )


def _mean_intervals(
    scores: Floats,
    systems: Sequence[str],
    events: Events | None,
    written: NDArray[np.bool_],
    *,
    resamples: int,
    seed: int,
) -> dict[str, Score]:
    """Return the mean of each system over its headlines that have words, with its bootstrap interval."""
    statistics: dict[str, Floats] = {}
    for column in range(len(systems)):
        statistics[f"written {column}"] = written[:, column].astype(np.float64)
        statistics[f"total {column}"] = np.where(written[:, column], scores[:, column], 0.0)

    def means(sums: Mapping[str, Floats]) -> dict[str, Floats]:
        found = {}
        for column, system in enumerate(systems):
            found[system] = sums[f"total {column}"] / np.maximum(sums[f"written {column}"], 1)
        return found

    return measure(statistics, means, events=events, resamples=resamples, seed=seed)[AVERAGE]


def _pairs(scores: Floats, tested: Floats, systems: Sequence[str], *, is_normal: bool) -> tuple[Pair, ...]:
    """Compare every two of m systems.

    Args:
        scores: (n, m) scores of the documents, whose means give the differences.
        tested: (e, m) means of the scores over each event, which are tested.
        systems: names of the systems.
        is_normal: whether the published test is Tukey's; else it is the rank-sum test.
    """
    columns = list(combinations(range(len(systems)), 2))
    published = _tukey(tested, columns) if is_normal else _rank_sums(tested, columns)
    tests = [wilcoxon(tested[:, first], tested[:, second]) for first, second in columns]
    corrected = holm([test.p for test in tests])
    pairs = []
    for number, (first, second) in enumerate(columns):
        pair = Pair(
            first=systems[first],
            second=systems[second],
            difference=float(scores[:, first].mean() - scores[:, second].mean()),
            published_p=published[number],
            wilcoxon=tests[number].statistic,
            p=tests[number].p,
            p_holm=corrected[number],
        )
        pairs.append(pair)
    return tuple(pairs)


def _tukey(scores: Floats, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the p-value of Tukey's HSD for each pair of columns, corrected for their number.

    The test assumes independent groups.
    """
    if not pairs:
        return []
    with warnings.catch_warnings():
        # scipy complains of its integral where p is 1 and there are thousands of items; the value is right
        warnings.simplefilter("ignore", scipy.integrate.IntegrationWarning)
        p_values = np.clip(scipy.stats.tukey_hsd(*scores.T).pvalue, 0, 1)
    return [float(p_values[pair]) for pair in pairs]


def _rank_sums(scores: Floats, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the two-sided p-value of the rank-sum test (Mann and Whitney's U) for each pair of columns.

    The test assumes independent systems. It is corrected for ties; 1 where all scores are equal.
    """
    p_values = []
    for first, second in pairs:
        one = np.round(scores[:, first], DECIMALS)
        other = np.round(scores[:, second], DECIMALS)
        if not np.ptp([one, other]):
            p_values.append(1.0)
            continue
        p_values.append(float(scipy.stats.mannwhitneyu(one, other).pvalue))
    return p_values


def wilcoxon(first: Floats, second: Floats) -> SignedRankTest:
    """Test the (n,) scores of two systems for the same items by Wilcoxon's signed ranks, two-sided.

    The p-value is exact up to 50 items without ties, and up to 13 with ties. Where all scores are equal the
    statistic is 0 and the p-value 1.
    """
    # noise of floating point would break ties
    differences = np.round(first - second, DECIMALS)
    differences = differences[differences != 0]
    if not len(differences):
        return SignedRankTest(statistic=0.0, p=1.0)
    ranks = np.sign(differences) * scipy.stats.rankdata(np.abs(differences))
    is_small = len(ranks) <= _MOST_EXACT_DIFFERENCES
    has_ties = len(np.unique(np.abs(ranks))) < len(ranks)
    test = scipy.stats.wilcoxon(ranks, method="exact" if is_small else "auto")
    p = test.pvalue
    if is_small and has_ties:
        # scipy's own way with ties takes seconds
        permutations = scipy.stats.permutation_test(
            (ranks,), np.sum, permutation_type="samples", vectorized=True, n_resamples=np.inf
        )
        p = permutations.pvalue
    return SignedRankTest(statistic=float(test.statistic), p=float(p))


def _shapiro(scores: Floats, seed: int) -> float | None:
    """Return the p-value of Shapiro and Wilk's test of normality, of 5,000 scores drawn at random at most.

    None for fewer than three scores and for constant ones.
    """
    if len(scores) < 3 or not np.ptp(np.round(scores, DECIMALS)):
        return None
    drawn = np.random.default_rng(seed).permutation(scores)[:_MOST_SHAPIRO_SCORES]
    return float(scipy.stats.shapiro(drawn).pvalue)


def correlations(scores: Mapping[str, Floats]) -> list[list[float | None]]:
    """Return Pearson's correlation of every two of k metrics over all items of all systems, (k, k).

    It is None where a metric is constant, and for fewer than three scores.
    """
    import pandas as pd

    columns = {name: np.ravel(values) for name, values in scores.items()}
    coefficients = pd.DataFrame(columns).round(DECIMALS).corr(min_periods=3).to_numpy()
    known = coefficients.astype(object)
    known[np.isnan(coefficients)] = None
    rows: list[list[float | None]] = known.tolist()
    return rows
