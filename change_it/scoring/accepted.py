"""Estimate the share of headlines that readers accept, from labels of some and predictions for all.

This is prediction-powered inference: PPI++ of Angelopoulos, Duchi and Zrnic (2023). The estimate is the mean
of the predictions of what nobody has read, times λ, and the mean of what labels add to them. It is unbiased
whatever the predictions are; these only make its interval narrower. As in the paper, λ takes the variance of
the predictions from read and unread headlines together; ours are sums of events.
"""

from typing import NamedTuple

import numpy as np
import scipy  # scipy.special is loaded when it is used

from change_it.errors import InputError
from change_it.stats import LEVEL, Bools, EventIds, Floats, Ints, share_interval

#: With fewer labels of one kind (accepted, or not accepted) an interval is at least as wide as the exact one.
_FEW = 5


class Accepted(NamedTuple):
    """Shares that readers accept and their intervals, 0-1.

    Attributes:
        labels: the number of labelled headlines.
        share: the share by labels and predictions.
        interval: both ends of the interval of `share`.
        plain: the share of the labelled headlines alone.
        plain_interval: both ends of the interval of `plain`.
        saved: the share of the labels that predictions save; 0 where they are of no use.
    """

    labels: int
    share: float
    interval: tuple[float, float]
    plain: float
    plain_interval: tuple[float, float]
    saved: float


def accepted(labels: Floats, predicted: Floats, events: EventIds) -> Accepted:
    """Estimate the share of n headlines that readers accept.

    Headlines of different events are taken as independent, headlines of one event are not.

    Args:
        labels: (n,) 1 where readers accept a headline, 0 where they do not, NaN where nobody has read it.
        predicted: (n,) what rises with acceptance: acceptability, or the labels of a model.
        events: (n,) the event of each headline.

    Raises:
        InputError: labels of fewer than two events.
    """
    is_read = np.isfinite(labels)
    event = np.unique(events, return_inverse=True)[1]
    n = int(is_read.sum())
    groups = len(np.unique(event[is_read]))
    if groups < 2:
        raise InputError("labels of one event have no interval: label headlines of two or more")
    plain = float(labels[is_read].mean())
    # what each event adds to the error of the labels' mean
    deviations = np.where(is_read, np.nan_to_num(labels) - plain, 0.0)
    errors = np.bincount(event, deviations / n)
    variance = float(errors @ errors)
    share = plain
    variance_left = variance
    if n < len(labels):
        gap = _gap_of_predictions(predicted, event, is_read)
        # The λ of least variance. Where each headline is an event of its own, it is
        # cov(labels, predictions) / ((1 + n / N) var(predictions)).
        shared = float(errors @ gap.errors)
        weight = 0.0
        if gap.variance > 0:
            weight = max(shared / gap.variance, 0.0)
        saved = weight * (2 * shared - weight * gap.variance)
        variance_left = max(variance - saved, 0.0)
        share = plain + weight * gap.difference
    saved_share = 0.0
    if variance:
        saved_share = max(1 - variance_left / variance, 0.0)
    has_few = min(plain, 1 - plain) * n < _FEW
    correction = groups / (groups - 1)
    return Accepted(
        labels=n,
        share=min(max(share, 0.0), 1.0),
        interval=_interval(share, variance_left * correction, groups, few=has_few),
        plain=plain,
        plain_interval=_interval(plain, variance * correction, groups, few=has_few),
        saved=saved_share,
    )


class _Gap(NamedTuple):
    """The mean prediction of the unread headlines less that of the read ones.

    Attributes:
        difference: the gap itself.
        errors: what each event adds to its error.
        variance: its variance.
    """

    difference: float
    errors: Floats
    variance: float


def _gap_of_predictions(predicted: Floats, event: Ints, is_read: Bools) -> _Gap:
    """Return how much higher the predictions of unread headlines are, on average, and how sure that is.

    Args:
        predicted: (n,) predictions of all headlines.
        event: (n,) number of each headline's event.
        is_read: (n,) whether it has a label.
    """
    read = int(is_read.sum())
    unread = len(predicted) - read
    deviations = predicted - predicted.mean()
    of_read = np.bincount(event, np.where(is_read, deviations / read, 0.0))
    of_unread = np.bincount(event, np.where(is_read, 0.0, -deviations / unread))
    # the variance of the read headlines' mean, and twice its covariance with that of the unread ones
    variance_of_read = float(of_read @ of_read + 2 * of_read @ of_unread)
    difference = predicted[~is_read].mean() - predicted[is_read].mean()
    return _Gap(
        difference=float(difference),
        errors=np.asarray(of_read + of_unread, np.float64),
        variance=variance_of_read + _spread_of_mean(deviations, event, ~is_read),
    )


def _interval(share: float, variance: float, groups: int, *, few: bool) -> tuple[float, float]:
    """Return the ends of a share's interval by Student's t, cut to 0-1.

    Args:
        share: the estimated share.
        variance: its variance.
        groups: number of events that have labels.
        few: whether few labels are of one kind. The interval is then at least as wide as the exact one.
    """
    quantile = float(scipy.special.stdtrit(groups - 1, (1 + LEVEL) / 2))
    width = quantile * variance**0.5
    low = share - width
    high = share + width
    if few:
        possible = min(max(share, 0.0), 1.0)
        exact_low, exact_high = share_interval(possible, groups)
        low = min(low, exact_low)
        high = max(high, exact_high)
    return max(low, 0.0), min(high, 1.0)


def _spread_of_mean(deviations: Floats, event: Ints, unread: Bools) -> float:
    """Return the variance of the mean prediction of the unread headlines.

    It is computed from the deviations of all headlines. One unread event, or two, would say next to nothing
    of how much such a mean varies.

    Args:
        deviations: (n,) each prediction less the mean of all.
        event: (n,) number of each headline's event.
        unread: (n,) whether it has no label.
    """
    sums = np.bincount(event, deviations)
    sizes = np.bincount(event)
    squares = float(deviations @ deviations)
    variance = squares / len(deviations)
    # ordered pairs of different headlines
    pairs_of_one_event = int(sizes @ (sizes - 1))
    covariance = 0.0
    if pairs_of_one_event:
        covariance = (float(sums @ sums) - squares) / pairs_of_one_event
    counts = np.bincount(event, unread)
    number = counts.sum()
    unread_pairs = float(counts @ (counts - 1))
    total = number * variance + unread_pairs * covariance
    return max(total, 0.0) / float(number) ** 2
