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
    return {"share": sums["hits"] / sums["n"]}


def binary(rate, count, seed):
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
    assert intervals(data, None, events=[7, 7, 8, 8])[0].tolist() == [
        0,
        1,
    ]  # an event is in or out as a whole


def test_p_equals_the_exact_sign_test():
    """With 0/1 outcomes the paired randomisation test is the sign test on the items that differ."""
    first, second = binary(0, 12, 1), binary(0, 12, 1)
    first["hits"][:8], second["hits"][8:10] = 1, 1
    exact = scipy.stats.binomtest(8, 10).pvalue
    p = p_values(first, second, ["x"] * 12, trials=20_000)
    assert p[0] == pytest.approx(exact, abs=0.01)


def alike(data):
    """Both directions of each item's event, which fare alike: data, strata, events."""
    count = len(data["n"])
    return joined(data, data), ["x"] * count + ["y"] * count, [*range(count)] * 2


def test_an_item_that_stands_twice_is_no_more_evidence():
    data = binary(0.3, 200, 1)
    twice, strata, events = alike(data)
    by_event, by_item = (intervals(twice, strata, events=each) for each in (events, None))
    assert (by_event == intervals(data, None)[0]).all()
    widths = np.ptp(by_event, axis=1)[2], np.ptp(by_item, axis=1)[2]
    assert widths[0] / widths[1] == pytest.approx(2**0.5, rel=0.15)
    other = binary(0.4, 200, 2)
    p_by_event = p_values(twice, alike(other)[0], strata, events=events)
    assert (p_by_event == p_values(data, other, None)[0]).all()
    assert p_values(twice, alike(other)[0], strata)[2] < p_by_event[2]


def test_of_several_runs_the_mean_is_drawn_over_runs_and_events():
    one, other = binary(0.3, 400, 1), binary(0.5, 400, 2)
    runs = {name: np.stack([one[name], other[name], one[name]], axis=1) for name in one}
    value = estimate(runs, share)["share"][0]
    assert value == pytest.approx((2 * one["hits"].mean() + other["hits"].mean()) / 3)
    low, high = intervals(runs, None, resamples=2000)[0]
    assert low < one["hits"].mean() - 0.01  # both drawn runs are the first
    assert high > (one["hits"].mean() + other["hits"].mean()) / 2 + 0.01
    alike = {name: np.stack([one[name]] * 3, axis=1) for name in one}
    assert intervals(alike, None)[0] == pytest.approx(intervals(one, None)[0], abs=0.01)


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


def shares(sums):
    return {"hits": sums["hits"] / sums["n"], "mean": sums["hits"] / sums["n"]}


def of_shares(hits, strata=None, events=None, **options):
    data = {"n": np.ones(len(hits)), "hits": np.asarray(hits, float)}
    return measure(data, shares, strata, events, shares={"hits": "n"}, **options)


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
    once = of_shares([0] * 30)[AVERAGE]["hits"].high
    assert of_shares([0] * 90, events=[*range(30)] * 3)[AVERAGE]["hits"].high == pytest.approx(once)
    strata = ["x"] * 30 + ["y"] * 30
    same = of_shares([0] * 60, strata, [*range(30)] * 2)
    assert [same[row]["hits"].high for row in ("x", "y", AVERAGE)] == pytest.approx([once] * 3)
    other = of_shares([0] * 60, strata, range(60))
    assert other["x"]["hits"].high == pytest.approx(once)
    assert other[AVERAGE]["hits"].high == pytest.approx(of_shares([0] * 60)[AVERAGE]["hits"].high)
