import numpy as np
import pytest
import scipy.stats

from change_it.stats import (
    AVERAGE,
    bootstrap_intervals,
    estimate,
    event_means,
    holm,
    measure,
    paired_p_values,
)


def share(sums):
    """A measure: hits among the items that count."""
    return {"share": sums["hits"] / sums["n"]}


def binary(rate, count, seed):
    """Draw the statistics of items that are right or wrong."""
    hits = np.random.default_rng(seed).random(count) < rate
    return {"n": np.ones(count), "hits": hits.astype(float)}


def intervals(data, strata, **options):
    return bootstrap_intervals(data, share, strata, **options)["share"]


def p_values(first, second, strata, **options):
    return paired_p_values(first, second, share, strata, **options)["share"]


def joined(one, other):
    return {name: np.concatenate([one[name], other[name]]) for name in one}


def test_intervals_agree_with_scipy():
    data = binary(0.3, 400, 1)
    ours = intervals(data, ["x"] * 400, resamples=4000)
    how = {"method": "percentile", "n_resamples": 4000, "rng": 1}
    theirs = scipy.stats.bootstrap((data["hits"],), np.mean, **how).confidence_interval
    assert ours[0] == pytest.approx([theirs.low, theirs.high], abs=0.01)
    assert ours[1] == pytest.approx(ours[0])  # one stratum is its own mean


def test_strata_and_events_by_hand():
    data = {"n": np.ones(4), "hits": np.array([1.0, 1, 0, 0])}
    assert estimate(data, share, ["x", "x", "x", "y"])["share"] == pytest.approx([2 / 3, 0, 1 / 3])
    # An event is in or out as a whole.
    assert intervals(data, None, events=[7, 7, 8, 8])[0].tolist() == [0, 1]


def test_p_equals_the_exact_sign_test():
    """With 0/1 outcomes the paired randomisation test is the sign test on the items that differ."""
    first, second = binary(0, 12, 1), binary(0, 12, 1)
    first["hits"][:8], second["hits"][8:10] = 1, 1
    exact = scipy.stats.binomtest(8, 10).pvalue
    p = p_values(first, second, ["x"] * 12, trials=20_000)
    assert p[0] == pytest.approx(exact, abs=0.01)


#: Strata and events of 200 items in each of two directions; the n-th of both are of one event.
DIRECTIONS = ["x"] * 200 + ["y"] * 200
EVENTS_OF_BOTH = [*range(200), *range(200)]


def test_an_item_that_stands_twice_is_no_more_evidence_for_an_interval():
    """Both directions fare alike: by event the interval is that of one, by item narrower by the root of 2."""
    once = binary(0.3, 200, 1)
    twice = joined(once, once)

    by_event = intervals(twice, DIRECTIONS, events=EVENTS_OF_BOTH)
    by_item = intervals(twice, DIRECTIONS, events=None)

    assert (by_event == intervals(once, None)[0]).all()
    average = 2
    wide = np.ptp(by_event[average])
    narrow = np.ptp(by_item[average])
    assert wide / narrow == pytest.approx(2**0.5, rel=0.15)


def test_an_item_that_stands_twice_is_no_more_evidence_for_a_difference():
    once = binary(0.3, 200, 1)
    other_once = binary(0.4, 200, 2)
    twice = joined(once, once)
    other_twice = joined(other_once, other_once)

    by_event = p_values(twice, other_twice, DIRECTIONS, events=EVENTS_OF_BOTH)
    by_item = p_values(twice, other_twice, DIRECTIONS)

    assert (by_event == p_values(once, other_once, None)[0]).all()
    average = 2
    assert by_item[average] < by_event[average]


def of_runs(*runs):
    """Return the statistics of several runs on the same items, a column for each run."""
    return {name: np.stack([run[name] for run in runs], axis=1) for name in runs[0]}


def test_of_several_runs_the_mean_is_drawn_over_runs_and_events():
    low_run = binary(0.3, 400, 1)
    high_run = binary(0.5, 400, 2)
    low_share = low_run["hits"].mean()
    high_share = high_run["hits"].mean()
    runs = of_runs(low_run, high_run, low_run)

    value = estimate(runs, share)["share"][0]
    low, high = intervals(runs, None, resamples=2000)[0]

    assert value == pytest.approx((2 * low_share + high_share) / 3)
    assert low < low_share - 0.01  # only low runs are drawn
    assert high > (low_share + high_share) / 2 + 0.01  # more than one high run is


def test_runs_that_are_alike_have_the_interval_of_one():
    run = binary(0.3, 400, 1)
    three = intervals(of_runs(run, run, run), None)[0]
    assert three == pytest.approx(intervals(run, None)[0], abs=0.01)


def test_event_means_by_hand():
    values = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 8.0]])
    assert event_means(values, [9, 3, 9]).tolist() == [[3, 5], [3, 4]]
    assert event_means(values, None) is values


def test_holm_by_hand():
    # sorted .005·4, .01·3, .03·2, .04·1 = .02, .03, .06, .04: the last may not fall below .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.2, 0.2, 0.2]) == pytest.approx([0.6] * 3)
    assert holm([]) == []


def hits_and_mean(sums):
    """Two measures of one value; `of_shares` says of `hits` alone that it is a share."""
    value = sums["hits"] / sums["n"]
    return {"hits": value, "mean": value}


def of_shares(hits, strata=None, events=None):
    data = {"n": np.ones(len(hits)), "hits": np.asarray(hits, float)}
    return measure(data, hits_and_mean, strata, events, shares={"hits": "n"})


def test_a_share_of_none_or_all_has_an_interval():
    """That of Clopper and Pearson; a measure that is no share keeps the bootstrap's."""
    for hits in (0, 3, 100):
        found = of_shares([1] * hits + [0] * (100 - hits))[AVERAGE]
        exact = scipy.stats.binomtest(hits, 100).proportion_ci()
        assert found["hits"].low == pytest.approx(min(exact.low, found["mean"].low))
        assert found["hits"].high == pytest.approx(max(exact.high, found["mean"].high))
    assert found["mean"].interval == (1, 1)
    half = of_shares([1] * 50 + [0] * 50)[AVERAGE]
    assert half["hits"] == half["mean"]


def test_the_interval_of_none_is_of_events():
    """Headlines of one event count once, whether of one direction or of both; those of other events count."""

    def upper_end(count, strata=None, events=None, row=AVERAGE):
        return of_shares([0] * count, strata, events)[row]["hits"].high

    thirty = pytest.approx(upper_end(30))
    sixty = pytest.approx(upper_end(60))
    assert upper_end(90, events=[*range(30)] * 3) == thirty
    strata = ["x"] * 30 + ["y"] * 30
    same_events = [*range(30)] * 2
    for row in ("x", "y", AVERAGE):
        assert upper_end(60, strata, same_events, row) == thirty
    other_events = range(60)
    assert upper_end(60, strata, other_events, "x") == thirty
    assert upper_end(60, strata, other_events) == sixty
