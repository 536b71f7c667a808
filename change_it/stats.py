"""Bootstrap intervals and paired tests of scores.

Statistics of n items are named columns: `{"n": ones, "hits": zeros and ones}`. An aggregate maps their sums, named alike,
to measures by name: `lambda sums: {"share": sums["hits"] / sums["n"]}`; the sums may have any shape, so one call serves all
resamples. Items may belong to strata (directions): a measure is computed in each stratum and then averaged over the strata,
without those in which its statistics are NaN.
Metrics with columns of different names are joined with `{**first, **second}`, their statistics as well as their measures.

Items may also belong to events, which are the unit of resampling: both directions of a pair of articles are drawn
together. Drawn one by one they would pass for twice as much evidence as there is. An item without an event is one of its own.

    value, low, high = measure(statistics, aggregate, directions, events)[AVERAGE]["share"]

Statistics of several runs of a system (trainings with other seeds) have a second axis, (n, runs): a measure is the mean
over the runs, and an interval is drawn over runs and events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are used
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: The event of each item, by its number or its id in a corpus.
EventIds = Ints | NDArray[np.str_]
Events = Sequence[int] | Sequence[str] | Sequence[int | str] | EventIds
#: Names to (n,) values of the items, (n, runs) of several runs, or to sums of any shape.
Statistics = Mapping[str, Floats]
#: From sums to measures of the same shape.
Aggregate = Callable[[Statistics], Mapping[str, Floats]]

#: Name of the mean over the strata.
AVERAGE = "average"
#: Events below which a bootstrap interval is too narrow: that of a share is widened, and what is no share has none on a page.
LEAST_EVENTS = 5
#: Coverage of intervals and bounds.
LEVEL = 0.95
#: Scores that differ by less than this decimal are equal.
DECIMALS = 12

_CELLS = 2_000_000  # resamples x items held at once


def log_odds(probabilities: Floats) -> Floats:
    """Natural log odds (n,) of probabilities (n,), which are cut to 1e-9 from 0 and 1.

    Examples:
        >>> log_odds(np.array([0.5, 0.9])).round(2).tolist()
        [0.0, 2.2]
    """
    p = np.clip(np.asarray(probabilities, np.float64), 1e-9, 1 - 1e-9)
    return np.asarray(np.log(p / (1 - p)), np.float64)


class Score(NamedTuple):
    """A measured value and the ends of its bootstrap interval; NaN where they are undefined."""

    value: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high


def measure(
    statistics: Statistics,
    aggregate: Aggregate,
    strata: Sequence[str] | None = None,
    events: Events | None = None,
    *,
    shares: Mapping[str, str] | None = None,
    resamples: int = 1000,
    seed: int = 1,
) -> dict[str, dict[str, Score]]:
    """Stratum to measure to score (see `estimate` and `bootstrap_intervals`), the mean over the strata, `AVERAGE`, last.

    `shares` maps each measure that is a share of items, 0-1, to the column that counts these. Near 0 and 1 a bootstrap has
    nothing to draw from, so where fewer than 5 events hold or fewer than 5 do not (share times events), the interval of a
    share also covers Clopper and Pearson's of the effective number of events.
    """
    values = estimate(statistics, aggregate, strata)
    ends = bootstrap_intervals(statistics, aggregate, strata, events, resamples=resamples, seed=seed)
    rounded = {name: np.round(column, DECIMALS) for name, column in statistics.items()}
    with np.errstate(all="ignore"):
        up, down = ({name: end(column) for name, column in rounded.items()} for end in (np.ceil, np.floor))
        some, every = estimate(up, aggregate, strata), estimate(down, aggregate, strata)
    for name, counted in (shares or {}).items():
        if name in values:
            number = _effective(np.asarray(statistics[counted], np.float64), strata, events)
            low, high = _exact(values[name], number, (1 - LEVEL) / 2)
            wide = np.stack([np.fmin(ends[name][:, 0], low), np.fmax(ends[name][:, 1], high)], axis=1)
            few = np.fmin(some[name], 1 - every[name]) * number < LEAST_EVENTS  # 0 of 0 decides nothing
            ends[name] = np.where(few[:, None], wide, ends[name])
    rows = [*dict.fromkeys(strata or ()), AVERAGE]
    scores = {}
    for row, stratum in enumerate(rows, start=-len(rows)):
        scores[stratum] = {
            name: Score(float(column[row]), *ends[name][row].tolist()) for name, column in values.items()
        }
    return scores


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """Items that statistics are of, and how their intervals and tests are drawn.

    Attributes:
        strata: (n,) stratum of each item.
        events: (n,) event of each item.
        resamples: bootstrap resamples of an interval.
        seed: seed of intervals and tests.
    """

    strata: Sequence[str]
    events: Events
    resamples: int
    seed: int

    def measure(
        self, statistics: Statistics, aggregate: Aggregate, shares: Mapping[str, str] | None = None
    ) -> dict[str, dict[str, Score]]:
        """Measure statistics of these items, see `measure`."""
        return measure(
            statistics,
            aggregate,
            self.strata,
            self.events,
            shares=shares,
            resamples=self.resamples,
            seed=self.seed,
        )

    def p_values(
        self, first: Statistics, second: Statistics, aggregate: Aggregate, *, trials: int
    ) -> dict[str, Floats]:
        """Compare two systems on these items in so many trials, see `paired_p_values`."""
        return paired_p_values(
            first, second, aggregate, self.strata, self.events, trials=trials, seed=self.seed
        )


def estimate(
    statistics: Statistics, aggregate: Aggregate, strata: Sequence[str] | None = None
) -> dict[str, Floats]:
    """Measure to (s + 1,) values: each stratum in order of first appearance, then their mean."""
    measured = _measures(_stratum_sums(_rows(statistics), strata), statistics, aggregate)
    return {name: values.mean(axis=-1) for name, values in measured.items()}


def bootstrap_intervals(
    statistics: Statistics,
    aggregate: Aggregate,
    strata: Sequence[str] | None = None,
    events: Events | None = None,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> dict[str, Floats]:
    """Percentile bootstrap intervals; events are drawn with replacement among those with items in the same strata.

    The same seed draws the same events for every system. Of r runs r - 1 are drawn with replacement, which makes the
    variance between them unbiased (Rao and Wu 1988), and the events anew for all of them. Returns measure to (s + 1, 2)
    lower and upper ends, rows as in `estimate`.
    """
    random = np.random.default_rng(seed)
    rows = _rows(statistics)
    sums = np.zeros((resamples, *_stratum_sums(rows, strata).shape))
    for kind in _event_sums(rows, strata, events):
        sums += _resampled(kind, resamples, partial(_drawn, len(kind), draws=len(kind), random=random))
    measured = _measures(np.moveaxis(sums, 1, 0), statistics, aggregate)
    runs = rows.shape[1]
    weights = _drawn(runs, resamples, max(1, runs - 1), random)
    tail = (1 - LEVEL) / 2
    return {
        name: np.quantile((values * weights).sum(axis=-1) / weights.sum(axis=-1), [tail, 1 - tail], axis=1).T
        for name, values in measured.items()
    }


def paired_p_values(
    first: Statistics,
    second: Statistics,
    aggregate: Aggregate,
    strata: Sequence[str] | None = None,
    events: Events | None = None,
    *,
    trials: int = 1000,
    seed: int = 1,
) -> dict[str, Floats]:
    """Two-sided approximate randomisation test between two systems on the same items (Noreen 1989).

    In each trial a fair coin per event decides whether the two systems swap their outputs for all of its items; p is the share
    of trials whose difference is at least as large as the measured one, `(count + 1) / (trials + 1)`. Rows as in `estimate`.
    """
    random = np.random.default_rng(seed)
    left, right = _rows(first), _rows(second)
    gap = np.concatenate(_event_sums(right - left, strata, events))
    gap = gap[np.nan_to_num(gap).any(axis=(1, 2, 3))]

    def coins(count: int) -> Floats:
        return random.integers(0, 2, (count, len(gap)), np.int8).astype(np.float64)

    swapped = np.moveaxis(_resampled(gap, trials, coins), 1, 0)
    sums = [_stratum_sums(rows, strata) for rows in (left, right)]
    measured = [_measures(values, first, aggregate) for values in sums]
    drawn = [
        _measures(values[:, None] + by, first, aggregate)
        for values, by in zip(sums, (swapped, -swapped), strict=True)
    ]
    p_values = {}
    for name in measured[0]:
        difference, differences = (
            np.abs((one[name] - other[name]).mean(axis=-1)) for one, other in (measured, drawn)
        )
        p_values[name] = ((differences >= difference[:, None] - 1e-12).sum(axis=1) + 1) / (trials + 1)
    return p_values


def event_means(values: Floats, events: Events | None) -> Floats:
    """Means of (n, …) values over the items of each event, events in order of first appearance."""
    if events is None:
        return values
    numbers = _numbered(events)
    sums = _added(values.reshape(len(values), -1), numbers, int(numbers.max()) + 1)
    return (sums / np.bincount(numbers)[:, None]).reshape(-1, *values.shape[1:])


def _rows(statistics: Statistics) -> Floats:
    """(n, runs, k) statistics of the items."""
    return np.stack(
        [np.asarray(values, np.float64).reshape(len(values), -1) for values in statistics.values()], axis=-1
    )


def _stratum_sums(rows: Floats, strata: Sequence[str] | None) -> Floats:
    """(s, runs, k) sums of each stratum, in order of first appearance."""
    stratum = _numbered(strata if strata is not None else np.zeros(len(rows)))
    sums = _added(rows.reshape(len(rows), -1), stratum, int(stratum.max(initial=0)) + 1)
    return sums.reshape(-1, *rows.shape[1:])


def _event_sums(rows: Floats, strata: Sequence[str] | None, events: Events | None) -> list[Floats]:
    """(e, s, runs, k) sums of each event in each stratum, for each kind of event: those with items in the same strata.

    Drawn kind by kind, events leave no stratum empty.
    """
    event = np.arange(len(rows)) if events is None else _numbered(events)
    stratum = _numbered(strata if strata is not None else np.zeros(len(rows)))
    many, width = int(event.max(initial=-1)) + 1, int(stratum.max(initial=0)) + 1
    occurs = np.zeros((many, width), dtype=np.int64)
    occurs[event, stratum] = 1
    kind = _numbered(occurs @ (1 << np.arange(width)))
    sums = _added(rows.reshape(len(rows), -1), event * width + stratum, many * width)
    sums = sums.reshape(many, width, *rows.shape[1:])
    return [sums[kind == number] for number in range(int(kind.max(initial=-1)) + 1)]


def _numbered(values: Sequence[str] | Events | Floats) -> Ints:
    """(n,) numbers of the values, from 0 in order of first appearance."""
    _, first, inverse = np.unique(np.asarray(values), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _added(rows: Floats, to: Ints, count: int) -> Floats:
    """(count, k) sums of the (n, k) rows by the (n,) number that each belongs to."""
    places = to, np.arange(len(rows))
    return np.asarray(scipy.sparse.csr_array((np.ones(len(rows)), places), (count, len(rows))) @ rows)


def _measures(sums: Floats, statistics: Statistics, aggregate: Aggregate) -> dict[str, Floats]:
    """Measures of (s, ..., k) sums, with the mean over the strata, the first axis, as one more row."""
    measured = aggregate({name: sums[..., column] for column, name in enumerate(statistics)})
    whole = ~np.isnan(sums).any(axis=-1)
    means = {
        name: values.mean(axis=0, where=whole | ~np.isnan(values), keepdims=True)
        for name, values in measured.items()
    }
    return {name: np.concatenate([values, means[name]]) for name, values in measured.items()}


def _resampled(sums: Floats, resamples: int, draw: Callable[[int], Floats]) -> Floats:
    """(resamples, …) sums over the events, each as often as it is drawn; `draw` gives (count, events) times."""
    size = max(1, _CELLS // max(1, len(sums)))
    counts = [min(size, resamples - start) for start in range(0, resamples, size)]
    return np.concatenate([np.tensordot(draw(count), sums, 1) for count in counts])


def _drawn(count: int, resamples: int, draws: int, random: np.random.Generator) -> Floats:
    """(resamples, count): how often each of `count` is drawn in so many draws with replacement."""
    drawn = random.integers(0, count, (resamples, draws)) + np.arange(resamples)[:, None] * count
    times = np.bincount(drawn.ravel(), minlength=resamples * count)
    return times.reshape(resamples, count).astype(np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the smallest p-value times their number, the next times one less, never falling; at most 1."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return [float(value) for value in corrected]


def share_interval(share: float, number: float) -> tuple[float, float]:
    """95% interval of a share of so many independent events (Clopper and Pearson)."""
    low, high = _exact(np.array([share]), np.array([number], np.float64), (1 - LEVEL) / 2)
    return float(low[0]), float(high[0])


def _effective(counts: Floats, strata: Sequence[str] | None, events: Events | None) -> Floats:
    """(s + 1,) effective number of events (Kish) in each stratum and in their mean: as many of equal weight, items of one all alike."""
    rows = counts.reshape(len(counts), -1, 1)
    weights = np.concatenate(_event_sums(rows, strata, events)).mean(axis=(2, 3))
    with np.errstate(invalid="ignore"):
        weights /= weights.sum(axis=0)
    return 1 / np.square(np.column_stack([weights, weights.mean(axis=1)])).sum(axis=0)


def _exact(shares: Floats, number: Floats, tail: float) -> tuple[Floats, Floats]:
    """Ends of Clopper and Pearson's intervals of shares of so many events, with this probability beyond each."""
    hits, misses = shares * number, (1 - shares) * number
    low = scipy.special.betaincinv(hits, misses + 1, tail)
    high = scipy.special.betaincinv(hits + 1, misses, 1 - tail)
    return np.where(hits > 0, low, 0.0), np.where(misses > 0, high, 1.0)
