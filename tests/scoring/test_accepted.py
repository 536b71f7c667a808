"""The share that readers accept, on headlines whose share is known."""

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.scoring.accepted import accepted

nan = np.nan


def simulated(seed, events, labelled, right=0.9):
    """Two headlines of each event, .3 of them accepted; a judge that is right so often, and says .25 too
    much; labels of some events.
    """
    random = np.random.default_rng(seed)
    event = np.repeat(np.arange(events), 2)
    of_event = random.random(events)[event]
    truth = (np.where(random.random(len(event)) < 0.5, of_event, random.random(len(event))) < 0.3) * 1.0
    judge = np.where(random.random(len(event)) < right, truth, 1 - truth) + 0.25
    return np.where(event < labelled, truth, nan), judge, event, truth


def test_a_biased_judge_biases_nothing_and_intervals_hold_what_they_say():
    found = [accepted(*simulated(seed, 400, 100)[:3]) for seed in range(1000)]
    assert np.mean([each.share for each in found]) == pytest.approx(0.3, abs=0.005)
    for interval in ("interval", "plain_interval"):
        covered = np.mean([low <= 0.3 <= high for low, high in (getattr(each, interval) for each in found)])
        assert 0.925 < covered < 0.975
    spread = np.std([each.share for each in found]) / np.std([each.plain for each in found])
    assert np.mean([each.saved for each in found]) == pytest.approx(1 - spread**2, abs=0.08)
    assert spread < 0.8


def test_predictions_that_say_nothing_change_nothing():
    labels, _, event, _ = simulated(1, 400, 50)
    for useless in (np.full(800, 0.7), np.zeros(800)):
        found = accepted(labels, useless, event)
        assert (found.share, found.interval, found.saved) == (found.plain, found.plain_interval, 0)
    backwards = accepted(labels, -simulated(1, 400, 50)[1], event)
    assert (backwards.share, backwards.saved) == (backwards.plain, 0)


def test_what_is_saved_is_the_squared_correlation_where_nearly_all_is_unread():
    labels, judge, _, truth = simulated(2, 20_000, 1000)
    one_by_one = np.arange(len(labels))
    rho = np.corrcoef(judge, truth)[0, 1]
    assert accepted(labels, judge, one_by_one).saved == pytest.approx(rho**2 * 0.95, abs=0.03)


def test_by_hand():
    """Eight events of one headline each, four of them read; the mean of all predictions is 3/8, their
    variance 15/64.
    """
    labels = np.array([1, 1, 0, 0, nan, nan, nan, nan])
    judge = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    found = accepted(labels, judge, np.arange(8))
    errors = np.array([1, 1, -1, -1]) / 8
    gaps = np.array([5, -3, -3, -3]) / 32
    spread = gaps @ gaps + 15 / 64 / 4
    weight = errors @ gaps / spread
    assert found.share == pytest.approx(0.5 + weight * (0.5 - 0.25))
    assert found.saved == pytest.approx((errors @ gaps) ** 2 / spread / (errors @ errors))
    assert (found.labels, found.plain) == (4, 0.5)


def test_two_unread_headlines_of_one_event_vary_together():
    """As four headlines of two events do whose predictions are alike in each: as one headline would."""
    labels = np.array([1, 1, 0, 0, nan, nan])
    judge = np.array([1.0, 1, 0, 0, 1, 1])
    pairs = accepted(labels, judge, np.array([0, 0, 1, 1, 2, 2]))
    single = accepted(labels[::2], judge[::2], np.arange(3))
    assert pairs.share == pytest.approx(single.share)
    assert pairs.interval == pytest.approx(single.interval)
    assert pairs.share > pairs.plain


@pytest.mark.parametrize(("events", "unread"), [(12, 1), (40, 1), (100, 2), (250, 1)])
def test_a_blank_label_or_two_move_the_share_by_less_than_its_error(events, unread):
    found = [accepted(*simulated(seed, events, events - unread)[:3]) for seed in range(300)]
    moved = max(abs(each.share - each.plain) for each in found)
    assert moved < np.std([each.plain for each in found])
    covered = np.mean([low <= 0.3 <= high for low, high in (each.interval for each in found)])
    assert covered > 0.93


def test_where_each_headline_is_an_event_lambda_is_that_of_the_paper():
    """Of PPI++, for a mean: the covariance over (1 + n / N) times the variance of all predictions."""
    labels, judge, _, _ = simulated(3, 20_000, 2000)
    read = np.isfinite(labels)
    weight = np.cov(labels[read], judge[read])[0, 1] / ((1 + 2000 / 18_000) * judge.var())
    found = accepted(labels, judge, np.arange(len(labels)))
    difference = judge[~read].mean() - judge[read].mean()
    assert (found.share - found.plain) / difference == pytest.approx(weight, rel=0.05)


def test_all_alike_has_an_interval_and_all_read_is_the_plain_share():
    all_yes = accepted(np.array([1.0, 1, 1, nan]), np.array([1.0, 1, 0, 0]), np.arange(4))
    assert (all_yes.share, all_yes.interval[1], all_yes.saved) == (1, 1, 0)
    assert all_yes.interval[0] == pytest.approx(0.025 ** (1 / 3))
    labels = np.array([1.0, 0, 1, 1, 0, 1])
    found = accepted(labels, labels, np.arange(6))
    assert (found.share, found.interval, found.saved) == (found.plain, found.plain_interval, 0)
    with pytest.raises(InputError, match="labels of one event have no interval"):
        accepted(np.array([1.0, 0, nan]), np.ones(3), np.array([1, 1, 2]))
