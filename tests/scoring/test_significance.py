import numpy as np
import pytest
from scipy import stats

from change_it.scoring.significance import bootstrap_intervals, estimate, paired_p_values


def share(sums):
    return sums[..., 1:] / sums[..., :1]


def binary(rate, count, seed):
    hits = np.random.default_rng(seed).random(count) < rate
    return np.column_stack([np.ones(count), hits])


def test_intervals_agree_with_scipy():
    data = binary(0.3, 400, 1)
    ours = bootstrap_intervals(data, ["x"] * 400, share, resamples=4000)
    theirs = stats.bootstrap(
        (data[:, 1],), np.mean, method="percentile", n_resamples=4000, rng=1
    ).confidence_interval
    assert ours[0, 0] == pytest.approx([theirs.low, theirs.high], abs=0.01)
    assert ours[1] == pytest.approx(ours[0])  # one stratum is its own mean


def test_mean_over_strata_is_narrower_than_a_stratum_and_holds_the_estimate():
    data = np.concatenate([binary(0.3, 300, 1), binary(0.7, 100, 2)])
    strata = ["x"] * 300 + ["y"] * 100
    values = estimate(data, strata, share)[:, 0]
    low, high = bootstrap_intervals(data, strata, share)[:, 0].T
    assert values[2] == pytest.approx(values[:2].mean())
    assert ((low < values) & (values < high)).all()
    assert high[2] - low[2] < high[1] - low[1]


def test_strata_are_resampled_apart():
    """A stratum without any spread keeps an interval of width 0."""
    data = np.concatenate([binary(1.0, 20, 1), binary(0.5, 20, 1)])
    intervals = bootstrap_intervals(data, ["x"] * 20 + ["y"] * 20, share)
    assert intervals[0, 0].tolist() == [1, 1]
    assert intervals[1, 0, 0] < intervals[1, 0, 1]


def test_the_seed_decides():
    data = binary(0.3, 200, 1)
    first, again, other = (
        bootstrap_intervals(data, ["x"] * 200, share, resamples=50, seed=seed) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_chunks_do_not_change_the_shape(monkeypatch):
    monkeypatch.setattr("change_it.scoring.significance._CHUNK", 700)
    data = binary(0.3, 300, 1)
    assert bootstrap_intervals(data, ["x"] * 300, share, resamples=101).shape == (2, 1, 2)
    assert paired_p_values(data, binary(0.3, 300, 2), ["x"] * 300, share, trials=101).shape == (2, 1)


def test_identical_systems_have_p_1():
    data = binary(0.3, 200, 1)
    assert (paired_p_values(data, data, ["x"] * 200, share) == 1).all()


def test_clearly_different_systems_have_the_smallest_p():
    p = paired_p_values(binary(0.2, 300, 1), binary(0.6, 300, 2), ["x"] * 300, share, trials=999)
    assert (p == 1 / 1000).all()


def test_equal_rates_are_rarely_significant():
    p = [
        paired_p_values(binary(0.4, 200, 2 * k), binary(0.4, 200, 2 * k + 1), ["x"] * 200, share, trials=199)[
            -1, 0
        ]
        for k in range(60)
    ]
    assert np.mean(np.array(p) < 0.05) < 0.15


def test_p_equals_the_exact_sign_test():
    """With 0/1 outcomes the paired randomisation test is the sign test on the items that differ."""
    first, second = np.zeros((12, 2)), np.zeros((12, 2))
    first[:, 0] = second[:, 0] = 1
    first[:8, 1], second[8:10, 1] = 1, 1
    exact = stats.binomtest(8, 10).pvalue
    p = paired_p_values(first, second, ["x"] * 12, share, trials=20_000)
    assert p[0, 0] == pytest.approx(exact, abs=0.01)


def test_the_order_of_the_systems_does_not_matter():
    one, other = binary(0.3, 150, 1), binary(0.4, 150, 2)
    assert paired_p_values(one, other, ["x"] * 150, share) == pytest.approx(
        paired_p_values(other, one, ["x"] * 150, share)
    )
