from itertools import combinations

import numpy as np
import pytest
from drawn import normal_scores, tied_scores
from scipy import stats

from change_it.hevas.analysis import compare, correlations, wilcoxon
from change_it.stats import holm

#: What earlier tests in the process left open is not ours.
LEFT_OPEN = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
pytestmark = pytest.mark.filterwarnings("error", *LEFT_OPEN)
SYSTEMS = ["one", "two", "three", "four"]


def test_normal_scores_get_tukey():
    data = normal_scores()
    comparison = compare(data, SYSTEMS)
    expected = stats.tukey_hsd(*data.T)
    assert comparison.published_test == "tukey"
    for pair, indices in zip(comparison.pairs, combinations(range(4), 2), strict=True):
        assert pair.published_p == pytest.approx(expected.pvalue[indices], abs=1e-12)
        assert pair.difference == pytest.approx(expected.statistic[indices])
    for summary, column in zip(comparison.systems, data.T, strict=True):
        assert summary.shapiro_p == pytest.approx(stats.shapiro(column).pvalue)


def test_one_system_without_normal_scores_makes_all_tests_rank_sum():
    """The second system has one score everywhere, the third skewed ones."""
    data = normal_scores()
    data[:, 1] = 0.1
    data[:, 2] = np.exp(3 * data[:, 2])

    comparison = compare(data, SYSTEMS)

    assert comparison.published_test == "rank-sum"
    assert comparison.systems[1].shapiro_p is None
    assert comparison.systems[1].interval == (0.1, 0.1)
    for pair, (i, j) in zip(comparison.pairs, combinations(range(4), 2), strict=True):
        assert pair.published_p == pytest.approx(stats.mannwhitneyu(data[:, i], data[:, j]).pvalue)
        assert pair.published_p != pytest.approx(pair.p)


def test_documents_of_one_event_are_no_more_evidence():
    once = tied_scores(40)
    twice = np.concatenate([once, once])

    of_once = compare(once, SYSTEMS)
    by_event = compare(twice, SYSTEMS, [*range(40)] * 2)
    by_document = compare(twice, SYSTEMS)

    assert (by_event.documents, by_event.events) == (80, 40)
    assert by_document.events == 80
    assert [pair.p for pair in by_event.pairs] == [pair.p for pair in of_once.pairs]
    for system, same in zip(of_once.systems, by_event.systems, strict=True):
        assert same.interval == pytest.approx(system.interval)
    assert min(pair.p for pair in by_document.pairs) < min(pair.p for pair in by_event.pairs)


@pytest.mark.parametrize("n", [8, 200])
@pytest.mark.parametrize("make", [normal_scores, tied_scores])
def test_paired_tests_equal_scipy(make, n):
    data = make(n)
    pairs = compare(data, SYSTEMS).pairs
    assert [(pair.first, pair.second) for pair in pairs] == list(combinations(SYSTEMS, 2))
    for pair, (i, j) in zip(pairs, combinations(range(4), 2), strict=True):
        difference = np.round(data[:, i] - data[:, j], 9)
        expected = stats.wilcoxon(difference[difference != 0])
        assert (pair.wilcoxon, pair.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
    assert [pair.p_holm for pair in pairs] == holm([pair.p for pair in pairs])


def test_ties_survive_floating_point():
    first = np.array([0.3, 0.7, 0.2, 0.9, 0.6, 0.1])
    second = first[::-1] / 2
    assert wilcoxon(first + 1e-15 * np.arange(6), second - 1e-15) == wilcoxon(first, second)
    assert wilcoxon(first, 0.1 + 0.2 + first - 0.3) == (0.0, 1.0)


def test_correlation_with_a_constant_metric_is_not_defined():
    a, b = normal_scores(), normal_scores(seed=2)
    table = correlations({"a": a, "b": b, "flat": np.full((60, 4), 0.1) + 1e-15 * tied_scores()})
    r = pytest.approx(stats.pearsonr(a.ravel(), b.ravel())[0])
    assert table == [[1, r, None], [r, 1, None], [None, None, None]]
    assert correlations({"a": a[:2, 0], "b": a[:2, 1]}) == [[None, None]] * 2


def test_no_name_of_a_system_stands_for_the_counts_of_another():
    data = tied_scores(30)
    named = compare(data, ["a", "written 0", "n a", "total 1"])
    plain = compare(data, SYSTEMS)
    assert [summary.interval for summary in named.systems] == [summary.interval for summary in plain.systems]


def test_empty_headlines_are_left_out_of_means_and_intervals_but_not_of_tests():
    """The first system has written 20 of 60 headlines, the second none; what is written scores 1 or more."""
    written = np.ones((60, 4), bool)
    written[:40, 0] = False
    written[:, 1] = False
    data = np.where(written, tied_scores(60) + 1, 0)

    without_empty = compare(data, SYSTEMS, written=written)
    with_empty = compare(data, SYSTEMS)

    first, second, third, _ = without_empty.systems
    assert (first.empty, first.mean) == (40, pytest.approx(data[40:, 0].mean()))
    assert first.interval[0] > 1
    assert with_empty.systems[0].interval[1] < 1
    assert (second.empty, second.mean, second.interval) == (60, 0, (0, 0))
    assert third == with_empty.systems[2]
    assert without_empty.pairs == with_empty.pairs
