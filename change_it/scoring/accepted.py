"""Estimate the share of headlines that readers accept from labels of some and predictions of all.

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

#: Labels of one kind below which the interval of a share is at least as wide as the exact one.
_FEW = 5


class Accepted(NamedTuple):
    """Shares that readers accept and their intervals, 0-1.

    Attributes:
        labels: the number of labelled headlines.
        share: by labels and predictions.
        interval: of `share`.
        plain: of the labelled headlines alone.
        plain_interval: of `plain`.
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

    Events are independent, headlines of one event are not.

    Args:
        labels: (n,) 1 accepted, 0 not, nan where nobody has read it.
        predicted: (n,) what rises with acceptance: acceptability, or the labels of a model.
        events: (n,) the event of each.

    Raises:
        InputError: labels of fewer than two events.
    """
    read = np.isfinite(labels)
    event = np.unique(events, return_inverse=True)[1]
    n = int(read.sum())
    groups = len(np.unique(event[read]))
    if groups < 2:
        raise InputError("labels of one event have no interval: label headlines of two or more")
    plain = float(labels[read].mean())
    # What each event adds to the error of the labels' mean, and to that of the difference between both means
    # of predictions.
    errors = np.bincount(event, np.where(read, np.nan_to_num(labels) - plain, 0.0) / n)
    variance = float(errors @ errors)
    gaps: Floats = np.zeros(len(errors))
    spread = difference = 0.0
    if n < len(labels):
        deviations = predicted - predicted.mean()
        of_read = np.bincount(event, np.where(read, deviations / n, 0.0))
        of_unread = np.bincount(event, np.where(read, 0.0, -deviations / (len(labels) - n)))
        gaps = np.asarray(of_read + of_unread, np.float64)
        spread_of_read = float(of_read @ of_read + 2 * of_read @ of_unread)
        spread = spread_of_read + _spread_of_mean(deviations, event, ~read)
        difference = float(predicted[~read].mean() - predicted[read].mean())
    # The λ of least variance. Where each headline is an event of its own, it is
    # cov(labels, predictions) / ((1 + n / N) var(predictions)).
    shared = float(errors @ gaps)
    weight = max(shared / spread, 0.0) if spread > 0 else 0.0
    left = max(variance - weight * (2 * shared - weight * spread), 0.0)
    share = plain + weight * difference
    few = min(plain, 1 - plain) * n < _FEW
    correction = groups / (groups - 1)
    return Accepted(
        labels=n,
        share=min(max(share, 0.0), 1.0),
        interval=_interval(share, left * correction, groups, few=few),
        plain=plain,
        plain_interval=_interval(plain, variance * correction, groups, few=few),
        saved=max(1 - left / variance, 0.0) if variance else 0.0,
    )


def _interval(share: float, variance: float, groups: int, *, few: bool) -> tuple[float, float]:
    """Return the interval of a share by Student's t of so many events.

    Where few labels are of one kind, it is at least as wide as the exact one.
    """
    width = float(scipy.special.stdtrit(groups - 1, (1 + LEVEL) / 2)) * variance**0.5
    low = share - width
    high = share + width
    if few:
        exact_low, exact_high = share_interval(min(max(share, 0.0), 1.0), groups)
        low = min(low, exact_low)
        high = max(high, exact_high)
    return max(low, 0.0), min(high, 1.0)


def _spread_of_mean(deviations: Floats, event: Ints, unread: Bools) -> float:
    """Return the variance of the mean prediction of the unread headlines, from the (n,) deviations of all.

    Of one unread event, or two, its own deviations say next to nothing of how much such a mean varies.
    """
    sums = np.bincount(event, deviations)
    sizes = np.bincount(event)
    alone = float(deviations @ deviations)
    pairs = int(sizes @ (sizes - 1))
    of_headline = alone / len(deviations)
    of_pair = (float(sums @ sums) - alone) / pairs if pairs else 0.0  # two headlines of one event
    counts = np.bincount(event, unread)
    total = counts.sum() * of_headline + float(counts @ (counts - 1)) * of_pair
    return max(total, 0.0) / float(counts.sum()) ** 2
