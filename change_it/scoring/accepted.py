"""The share of headlines that readers accept, from labels of some and predictions of all: prediction-powered inference.

Angelopoulos, Duchi and Zrnic (2023), PPI++: the mean of the predictions of what nobody has read, times λ, and the mean of what labels add
to them. It is unbiased whatever the predictions are; these only make its interval narrower.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are used

from change_it.errors import InputError
from change_it.stats import LEVEL, EventIds, Floats, share_interval

#: Of fewer labels of one kind a share's interval is at least as wide as the exact one.
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
    """Estimate the share of n headlines that readers accept; events are independent, headlines of one event are not.

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
    # of each headline, its part in the error of the labels' mean, and in that of the difference between both means of predictions
    error = np.where(read, np.nan_to_num(labels) - plain, 0.0) / n
    gap = np.zeros(len(labels))
    difference = 0.0
    if n < len(labels):
        # from the mean of all predictions: from their own mean, those of one unread event would not vary at all
        deviations = predicted - predicted.mean()
        gap = np.where(read, deviations / n, -deviations / (len(labels) - n))
        difference = float(predicted[~read].mean() - predicted[read].mean())
    a = np.bincount(event, error)
    b = np.bincount(event, gap)
    # the λ of least variance: cov(labels, predictions) / ((1 + n / N) var(predictions)) where each headline is an event of its own
    weight = max(float(a @ b / (b @ b)), 0.0) if b.any() else 0.0
    shares = plain, plain + weight * difference
    variances = [float(rest @ rest) * groups / (groups - 1) for rest in (a, a - weight * b)]
    width = scipy.special.stdtrit(groups - 1, (1 + LEVEL) / 2)
    ends = []
    for value, variance in zip(shares, variances, strict=True):
        low, high = value - width * variance**0.5, value + width * variance**0.5
        if min(plain, 1 - plain) * n < _FEW:
            exact = share_interval(min(max(value, 0.0), 1.0), groups)
            low, high = min(low, exact[0]), max(high, exact[1])
        ends.append((max(float(low), 0.0), min(float(high), 1.0)))
    saved = max(1 - variances[1] / variances[0], 0.0) if variances[0] else 0.0
    return Accepted(n, min(max(shares[1], 0.0), 1.0), ends[1], plain, ends[0], saved)
