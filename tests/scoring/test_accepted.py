"""The share that readers accept, on headlines whose share is known."""

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.scoring.accepted import accepted

nan = np.nan


#: The share of headlines that readers would accept, if they read all.
TRUE_SHARE = 0.3


def simulated(seed, events, labelled):
    """Draw two headlines of each event, and return labels, a judge's predictions, events and the truth.

    Half of the headlines are accepted or not with their event, the others by themselves. The judge is right
    nine times of ten, and says .25 too much. Labels are known of the first `labelled` events.
    """
    random = np.random.default_rng(seed)
    event = np.repeat(np.arange(events), 2)
    draw_of_event = random.random(events)[event]
    goes_with_event = random.random(len(event)) < 0.5
    draw = np.where(goes_with_event, draw_of_event, random.random(len(event)))
    truth = (draw < TRUE_SHARE).astype(float)
    is_right = random.random(len(event)) < 0.9
    judge = np.where(is_right, truth, 1 - truth) + 0.25
    labels = np.where(event < labelled, truth, nan)
    return labels, judge, event, truth


def share_of_intervals_that_hold(intervals):
    return np.mean([low <= TRUE_SHARE <= high for low, high in intervals])


def test_a_biased_judge_biases_nothing_and_intervals_hold_what_they_say():
    found = []
    for seed in range(1000):
        labels, judge, event, _ = simulated(seed, events=400, labelled=100)
        found.append(accepted(labels, judge, event))
    assert np.mean([each.share for each in found]) == pytest.approx(TRUE_SHARE, abs=0.005)
    assert 0.925 < share_of_intervals_that_hold([each.interval for each in found]) < 0.975
    assert 0.925 < share_of_intervals_that_hold([each.plain_interval for each in found]) < 0.975
    spread = np.std([each.share for each in found]) / np.std([each.plain for each in found])
    assert np.mean([each.saved for each in found]) == pytest.approx(1 - spread**2, abs=0.08)
    assert spread < 0.8


def test_predictions_that_say_nothing_change_nothing():
    labels, judge, event, _ = simulated(1, events=400, labelled=50)
    for useless in (np.full(800, 0.7), np.zeros(800)):
        found = accepted(labels, useless, event)
        assert (found.share, found.interval, found.saved) == (found.plain, found.plain_interval, 0)
    backwards = accepted(labels, -judge, event)
    assert (backwards.share, backwards.saved) == (backwards.plain, 0)


def test_what_is_saved_is_the_squared_correlation_where_nearly_all_is_unread():
    labels, judge, _, truth = simulated(2, events=20_000, labelled=1000)
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
    found = []
    for seed in range(300):
        labels, judge, event, _ = simulated(seed, events, labelled=events - unread)
        found.append(accepted(labels, judge, event))
    moved = max(abs(each.share - each.plain) for each in found)
    assert moved < np.std([each.plain for each in found])
    assert share_of_intervals_that_hold([each.interval for each in found]) > 0.93


def test_where_each_headline_is_an_event_lambda_is_that_of_the_paper():
    """Of PPI++, for a mean: the covariance over (1 + n / N) times the variance of all predictions."""
    labels, judge, _, _ = simulated(3, events=20_000, labelled=2000)
    read = np.isfinite(labels)
    weight = np.cov(labels[read], judge[read])[0, 1] / ((1 + 2000 / 18_000) * judge.var())
    found = accepted(labels, judge, np.arange(len(labels)))
    difference = judge[~read].mean() - judge[read].mean()
    assert (found.share - found.plain) / difference == pytest.approx(weight, rel=0.05)


def test_labels_that_are_all_alike_have_an_exact_interval():
    labels = np.array([1.0, 1, 1, nan])
    judge = np.array([1.0, 1, 0, 0])
    found = accepted(labels, judge, np.arange(4))
    assert (found.share, found.interval[1], found.saved) == (1, 1, 0)
    assert found.interval[0] == pytest.approx(0.025 ** (1 / 3))


def test_where_all_is_read_the_share_is_the_plain_one():
    labels = np.array([1.0, 0, 1, 1, 0, 1])
    found = accepted(labels, labels, np.arange(6))
    assert (found.share, found.interval, found.saved) == (found.plain, found.plain_interval, 0)


def test_labels_of_one_event_are_refused():
    with pytest.raises(InputError, match="labels of one event have no interval"):
        accepted(np.array([1.0, 0, nan]), np.ones(3), np.array([1, 1, 2]))
