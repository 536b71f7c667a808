"""Bootstrap intervals and paired tests of scores.

    value, low, high = measure(statistics, aggregate, directions, events)[AVERAGE]["share"]

Statistics of n items are named columns: `{"n": ones, "hits": zeros and ones}`. An aggregate maps their sums,
named alike, to measures by name: `lambda sums: {"share": sums["hits"] / sums["n"]}`. The sums may have any
shape, so one call serves all resamples. Metrics with columns of different names are joined with `{**first,
**second}`, their statistics as well as their measures.

Items may belong to strata (directions). A measure is computed in each stratum and then averaged over the
strata, without those in which its statistics are NaN.

Items may belong to events, which are the unit of resampling: both directions of a pair of articles are drawn
together. Drawn one by one they would pass for twice as much evidence as there is. An item without an event is
an event of its own.

Statistics of several runs of a system (trainings with other seeds) have a second axis, (n, runs). A measure
is the mean over the runs, and an interval is drawn over runs and events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # scipy.sparse and scipy.special are loaded when they are used
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: The event of each item, by its number or its id in a corpus.
EventIds = Ints | NDArray[np.str_]
Events = Sequence[int] | Sequence[str] | Sequence[int | str] | EventIds
#: Name of a column to its (n,) values of the items, its (n, runs) values where a system has several runs, or
#: its sums of any shape.
Statistics = Mapping[str, Floats]
#: From sums to measures of the same shape.
Aggregate = Callable[[Statistics], Mapping[str, Floats]]

#: Name of the mean over the strata.
AVERAGE = "average"
#: Number of events below which a bootstrap interval is too narrow. The interval of a share is then widened;
#: a page shows no interval of another measure.
LEAST_EVENTS = 5
#: Coverage of intervals and bounds.
LEVEL = 0.95
#: Decimals of a score that count: scores that are equal when rounded to them are equal.
DECIMALS = 12

#: Largest number of resamples times events that are held in memory at once.
_CELLS = 2_000_000


def log_odds(probabilities: Floats) -> Floats:
    """Return the natural log odds (n,) of probabilities (n,), which are cut to 1e-9 from 0 and 1.

    Examples:
        >>> log_odds(np.array([0.5, 0.9])).round(2).tolist()
        [0.0, 2.2]
    """
    p = np.clip(np.asarray(probabilities, np.float64), 1e-9, 1 - 1e-9)
    return np.asarray(np.log(p / (1 - p)), np.float64)


class Score(NamedTuple):
    """A measured value and its bootstrap interval.

    Attributes:
        value: NaN where the measure is undefined.
        low: lower end; NaN where it is undefined.
        high: upper end; NaN where it is undefined.
    """

    value: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """Return both ends."""
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
    """Measure a system, and draw an interval for each measure.

    A bootstrap interval of a share near 0 or 1 is too narrow. Where a share holds in fewer than 5 events
    (share times events), or fails in fewer than 5, its interval also covers the exact one (Clopper and
    Pearson). The exact one is that of the effective number of events.

    Args:
        statistics: column name to the (n,) or (n, runs) values of n items.
        aggregate: makes measures of the sums of these columns.
        strata: (n,) stratum of each item; None is one stratum.
        events: (n,) event of each item; None makes each item an event.
        shares: each measure that is a share of items (0 to 1), to the column that counts these items.
        resamples: number of bootstrap resamples.
        seed: seed of the resamples.

    Returns:
        Stratum to measure to score: the strata in order of first appearance, then `AVERAGE`, their mean.
    """
    values = estimate(statistics, aggregate, strata)
    ends = bootstrap_intervals(statistics, aggregate, strata, events, resamples=resamples, seed=seed)
    counted_shares = {name: counts for name, counts in (shares or {}).items() if name in values}
    if counted_shares:
        hits, misses = _shares_of_whole_items(statistics, aggregate, strata)
        for name, counts in counted_shares.items():
            number = _effective_number(np.asarray(statistics[counts], np.float64), strata, events)
            is_too_narrow = np.fmin(hits[name], misses[name]) * number < LEAST_EVENTS
            exact = _exact_ends(values[name], number, (1 - LEVEL) / 2)
            ends[name] = np.where(is_too_narrow[:, None], _covering(ends[name], exact), ends[name])
    rows = [*dict.fromkeys(strata or ()), AVERAGE]
    scores: dict[str, dict[str, Score]] = {}
    # Values have a row for each stratum, then one for their mean. Without strata the only stratum has a row
    # but no name in `rows`, so rows are counted from the last.
    for row, stratum in enumerate(rows, start=-len(rows)):
        scores[stratum] = {}
        for name, column in values.items():
            low, high = ends[name][row].tolist()
            scores[stratum][name] = Score(float(column[row]), low, high)
    return scores


def _shares_of_whole_items(
    statistics: Statistics, aggregate: Aggregate, strata: Sequence[str] | None
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return two shares of items by measure: those that hold at least in part, and those that fail in part.

    An item can hold in part, such as a mean over clauses. Each share has (s + 1,) values: one for each of s
    strata, then their mean.
    """
    # a value that misses 0 or 1 by a rounding error is 0 or 1
    rounded = {column: np.round(values, DECIMALS) for column, values in statistics.items()}
    with np.errstate(all="ignore"):
        any_part = estimate(
            {column: np.ceil(values) for column, values in rounded.items()}, aggregate, strata
        )
        whole = estimate({column: np.floor(values) for column, values in rounded.items()}, aggregate, strata)
    return any_part, {name: 1 - values for name, values in whole.items()}


def _covering(ends: Floats, others: Floats) -> Floats:
    """Return the (k, 2) ends of intervals that cover both of two (k, 2) intervals; NaN ends are ignored."""
    return np.stack([np.fmin(ends[:, 0], others[:, 0]), np.fmax(ends[:, 1], others[:, 1])], axis=1)


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The strata and events of n scored items, and how intervals and tests are drawn from them.

    Attributes:
        strata: (n,) stratum of each item.
        events: (n,) event of each item.
        resamples: number of bootstrap resamples of an interval.
        seed: seed of intervals and tests.
    """

    strata: Sequence[str]
    events: Events
    resamples: int
    seed: int

    def measure(
        self, statistics: Statistics, aggregate: Aggregate, shares: Mapping[str, str] | None = None
    ) -> dict[str, dict[str, Score]]:
        """Return stratum to measure to score for statistics of these items.

        The arguments are those of the function `measure`.
        """
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
        """Test whether two systems differ on these items, in so many trials of `paired_p_values`.

        Return measure to (s + 1,) p-values: one for each of s strata, then one for their mean.
        """
        return paired_p_values(
            first, second, aggregate, self.strata, self.events, trials=trials, seed=self.seed
        )


def estimate(
    statistics: Statistics, aggregate: Aggregate, strata: Sequence[str] | None = None
) -> dict[str, Floats]:
    """Return measure to (s + 1,) values: one for each of s strata, then their mean.

    Strata are in order of first appearance. A value is the mean over the runs of the system.
    """
    measured = _measures(_stratum_sums(_as_rows(statistics), strata), statistics, aggregate)
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
    """Draw percentile bootstrap intervals.

    Events are drawn with replacement among those with items in the same strata. The same seed draws the same
    events for every system. Of r runs r - 1 are drawn with replacement, which makes the variance between them
    unbiased (Rao and Wu 1988). All runs of a resample have the same events.

    Args:
        statistics: column name to the (n,) or (n, runs) values of n items.
        aggregate: makes measures of the sums of these columns.
        strata: (n,) stratum of each item, such as its direction; one stratum when None.
        events: (n,) event of each item: items of one event are drawn together. When None each is an event.
        resamples: number of resamples.
        seed: seed of what is drawn.

    Returns:
        Measure to (s + 1, 2) lower and upper ends: of each of s strata in order of first appearance, then of
        their mean.
    """
    random = np.random.default_rng(seed)
    rows = _as_rows(statistics)
    sums = np.zeros((resamples, *_stratum_sums(rows, strata).shape))
    for events_of_kind in _event_sums(rows, strata, events):
        sums += _bootstrap_sums(events_of_kind, resamples, random)
    # strata come first for `_measures`, which gives (s + 1, resamples, runs) values of each measure
    measured = _measures(np.moveaxis(sums, 1, 0), statistics, aggregate)
    runs = rows.shape[1]
    # (resamples, runs)
    weights = _times_drawn(runs, resamples, max(1, runs - 1), random)
    tail = (1 - LEVEL) / 2
    ends = {}
    for name, values in measured.items():
        means = (values * weights).sum(axis=-1) / weights.sum(axis=-1)
        ends[name] = np.quantile(means, [tail, 1 - tail], axis=1).T
    return ends


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
    """Test whether two systems differ on the same items, by approximate randomisation (Noreen 1989).

    The test is two-sided. In each trial a fair coin per event decides whether the two systems swap their
    outputs for all of its items. p is the share of trials whose difference is at least as large as the
    measured one, `(count + 1) / (trials + 1)`.

    Args:
        first: column name to the (n,) or (n, runs) values of the first system.
        second: the same columns of the second system.
        aggregate: makes measures of the sums of these columns.
        strata: (n,) stratum of each item; None is one stratum.
        events: (n,) event of each item; None makes each item an event.
        trials: number of trials.
        seed: seed of the coins.

    Returns:
        Measure to (s + 1,) p-values: one for each of s strata in order of first appearance, then one for
        their mean.
    """
    random = np.random.default_rng(seed)
    first_rows = _as_rows(first)
    second_rows = _as_rows(second)
    # (e, s, runs, k): what the first system gains in an event that is swapped, and the second loses
    gaps = np.concatenate(_event_sums(second_rows - first_rows, strata, events))
    # events in which the systems do not differ change nothing
    gaps = gaps[np.nan_to_num(gaps).any(axis=(1, 2, 3))]

    def coins(count: int) -> Floats:
        return random.integers(0, 2, (count, len(gaps)), np.int8).astype(np.float64)

    # strata first: (s, trials, runs, k)
    swapped = np.moveaxis(_sums_by_draws(gaps, trials, coins), 1, 0)
    first_sums = _stratum_sums(first_rows, strata)
    second_sums = _stratum_sums(second_rows, strata)
    measured_first = _measures(first_sums, first, aggregate)
    measured_second = _measures(second_sums, first, aggregate)
    drawn_first = _measures(first_sums[:, None] + swapped, first, aggregate)
    drawn_second = _measures(second_sums[:, None] - swapped, first, aggregate)
    p_values = {}
    for name in measured_first:
        difference = np.abs((measured_first[name] - measured_second[name]).mean(axis=-1))
        differences = np.abs((drawn_first[name] - drawn_second[name]).mean(axis=-1))
        # equal differences may miss each other by a rounding error
        is_as_large = differences >= difference[:, None] - 1e-12
        p_values[name] = (is_as_large.sum(axis=1) + 1) / (trials + 1)
    return p_values


def event_means(values: Floats, events: Events | None) -> Floats:
    """Return the means of (n, …) values over the items of each event, in order of first appearance."""
    if events is None:
        return values
    numbers = _numbered(events)
    sums = _sums_by_number(values.reshape(len(values), -1), numbers, int(numbers.max()) + 1)
    return (sums / np.bincount(numbers)[:, None]).reshape(-1, *values.shape[1:])


def _as_rows(statistics: Statistics) -> Floats:
    """Return the k columns of statistics as one (n, runs, k) array; an (n,) column is of one run."""
    columns = [np.asarray(values, np.float64).reshape(len(values), -1) for values in statistics.values()]
    return np.stack(columns, axis=-1)


def _stratum_sums(rows: Floats, strata: Sequence[str] | None) -> Floats:
    """Return (s, runs, k) sums of (n, runs, k) rows over each stratum, in order of first appearance."""
    stratum = _numbered(strata if strata is not None else np.zeros(len(rows)))
    sums = _sums_by_number(rows.reshape(len(rows), -1), stratum, int(stratum.max(initial=0)) + 1)
    return sums.reshape(-1, *rows.shape[1:])


def _event_sums(rows: Floats, strata: Sequence[str] | None, events: Events | None) -> list[Floats]:
    """Return an (e, s, runs, k) array for each kind of event: the sums of its e events in each of s strata.

    Events of a kind have items in the same strata. Drawn kind by kind, events leave no stratum empty.

    Args:
        rows: (n, runs, k) statistics of the items.
        strata: (n,) stratum of each item; None is one stratum.
        events: (n,) event of each item; None makes each item an event.
    """
    event_of_item = np.arange(len(rows)) if events is None else _numbered(events)
    stratum_of_item = _numbered(np.zeros(len(rows)) if strata is None else strata)
    n_events = int(event_of_item.max(initial=-1)) + 1
    n_strata = int(stratum_of_item.max(initial=0)) + 1
    place_of_item = event_of_item * n_strata + stratum_of_item
    sums = _sums_by_number(rows.reshape(len(rows), -1), place_of_item, n_events * n_strata)
    sums = sums.reshape(n_events, n_strata, *rows.shape[1:])
    has_items = np.zeros((n_events, n_strata), dtype=np.int64)
    has_items[event_of_item, stratum_of_item] = 1
    # The strata of an event are written as the bits of a number, which stands for its kind.
    kind_of_event = _numbered(has_items @ (1 << np.arange(n_strata)))
    n_kinds = int(kind_of_event.max(initial=-1)) + 1
    return [sums[kind_of_event == kind] for kind in range(n_kinds)]


def _numbered(values: Sequence[str] | Events | Floats) -> Ints:
    """Return the (n,) numbers of the values, from 0 in order of first appearance."""
    _, first, inverse = np.unique(np.asarray(values), return_index=True, return_inverse=True)
    # np.unique sorts the distinct values; the rank of a value's first place is its number
    return np.argsort(np.argsort(first))[inverse]


def _sums_by_number(rows: Floats, numbers: Ints, count: int) -> Floats:
    """Return (count, k) sums of the (n, k) rows by the (n,) number that each belongs to."""
    ones = np.ones(len(rows))
    belongs = scipy.sparse.csr_array((ones, (numbers, np.arange(len(rows)))), (count, len(rows)))
    return np.asarray(belongs @ rows)


def _measures(sums: Floats, statistics: Statistics, aggregate: Aggregate) -> dict[str, Floats]:
    """Return measure to its (s + 1, …) values: those of the (s, …, k) sums of s strata, then their mean.

    Args:
        sums: (s, …, k) sums of k columns.
        statistics: gives the names of the k columns, in order; its values are not read.
        aggregate: makes measures of the sums.
    """
    measured = aggregate({name: sums[..., column] for column, name in enumerate(statistics)})
    # A stratum whose sums are NaN was not measured, and the mean leaves it out. A measure that is NaN
    # although its sums are not, as 0/0 is, makes the mean NaN.
    is_whole = ~np.isnan(sums).any(axis=-1)
    with_means = {}
    for name, values in measured.items():
        means = values.mean(axis=0, where=is_whole | ~np.isnan(values), keepdims=True)
        with_means[name] = np.concatenate([values, means])
    return with_means


def _bootstrap_sums(sums: Floats, resamples: int, random: np.random.Generator) -> Floats:
    """Return (resamples, …) sums of the (e, …) sums of e events, drawn with replacement, e each time."""
    events = len(sums)

    def times(count: int) -> Floats:
        return _times_drawn(events, count, events, random)

    return _sums_by_draws(sums, resamples, times)


def _sums_by_draws(sums: Floats, resamples: int, draw: Callable[[int], Floats]) -> Floats:
    """Return (resamples, …) sums of (e, …) sums over the events, each counted as often as it is drawn.

    `draw(count)` returns a (count, e) array for the next `count` resamples: how often each event is drawn. It
    is called several times, for all resamples at once might not fit into memory.
    """
    size = max(1, _CELLS // max(1, len(sums)))
    parts = []
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        parts.append(np.tensordot(draw(count), sums, 1))
    return np.concatenate(parts)


def _times_drawn(count: int, resamples: int, draws: int, random: np.random.Generator) -> Floats:
    """Return a (resamples, count) array: how often each of `count` things is drawn with replacement.

    Each resample makes `draws` draws.
    """
    # resample r numbers its things from r * count on, so that one count serves all resamples
    drawn = random.integers(0, count, (resamples, draws)) + np.arange(resamples)[:, None] * count
    times = np.bincount(drawn.ravel(), minlength=resamples * count)
    return times.reshape(resamples, count).astype(np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values, in their order, corrected for their number (Holm).

    The smallest of n is multiplied by n, the next by n - 1, and so on. A corrected p-value is at most 1, and
    never below the corrected one of a smaller p-value.
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return [float(value) for value in corrected]


def share_interval(share: float, number: float) -> tuple[float, float]:
    """Return the 95% interval of a share of so many independent events (Clopper and Pearson)."""
    low, high = _exact_ends(np.array([share]), np.array([number], np.float64), (1 - LEVEL) / 2)[0]
    return float(low), float(high)


def _effective_number(counts: Floats, strata: Sequence[str] | None, events: Events | None) -> Floats:
    """Return the (s + 1,) effective numbers of events (Kish): of each of s strata, then of their mean.

    So many events of equal weight would tell as much. All items of an event are taken to be alike.

    Args:
        counts: (n,) or (n, runs) how much each item counts.
        strata: (n,) stratum of each item; None is one stratum.
        events: (n,) event of each item; None makes each item an event.
    """
    rows = counts.reshape(len(counts), -1, 1)
    # what each event counts in each stratum, (events, s), the mean of its runs
    weights = np.concatenate(_event_sums(rows, strata, events)).mean(axis=(2, 3))
    with np.errstate(invalid="ignore"):
        weights /= weights.sum(axis=0)
    with_mean = np.column_stack([weights, weights.mean(axis=1)])
    return 1 / np.square(with_mean).sum(axis=0)


def _exact_ends(shares: Floats, number: Floats, tail: float) -> Floats:
    """Return the (k, 2) ends of the exact intervals (Clopper and Pearson) of k shares of events.

    Args:
        shares: (k,) shares, 0 to 1.
        number: (k,) number of independent events of each share; not always whole.
        tail: probability beyond each end, .025 for a 95% interval.
    """
    hits = shares * number
    misses = (1 - shares) * number
    low = scipy.special.betaincinv(hits, misses + 1, tail)
    high = scipy.special.betaincinv(hits + 1, misses, 1 - tail)
    return np.stack([np.where(hits > 0, low, 0.0), np.where(misses > 0, high, 1.0)], axis=1)
