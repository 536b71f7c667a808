"""Compare systems that are scored on the same items, by their differences."""

from dataclasses import dataclass

import numpy as np

from change_it.scoring import aspects
from change_it.scoring.scores import Scores
from change_it.scoring.systems import check_against
from change_it.stats import AVERAGE, LEAST_EVENTS, Floats, Score, Statistics, holm

#: Beginning of the names of the first system's statistics in a table of two systems' statistics.
FIRST = "first "
#: Beginning of the names of the second system's statistics there.
SECOND = "second "
#: A difference is sure below this p, corrected after Holm.
SURE = 0.05


@dataclass(frozen=True)
class Difference:
    """One system less another one, in one measure, on average over the directions.

    Attributes:
        system: Name of the system.
        measure: One of `aspects.compared_aspects`.
        value: Its score less that of the other system.
        interval: Ends of the paired 95% bootstrap interval over events; None below five events.
        p: p-value of the paired test, after Holm's correction for the systems that are compared in this
            measure.
        is_least: Whether `p` is the least that so many trials can give.
    """

    system: str
    measure: str
    value: float
    interval: tuple[float, float] | None
    p: float
    is_least: bool

    @property
    def is_contradictory(self) -> bool:
        """Tell whether interval and test disagree: only one of them finds the difference sure.

        Examples:
            >>> Difference("mine", "style", -0.7, (-1.0, -0.2), p=0.19, is_least=False).is_contradictory
            True
            >>> Difference("mine", "style", -0.7, (-1.0, -0.2), p=0.01, is_least=False).is_contradictory
            False
        """
        if self.interval is None:
            return False
        low, high = self.interval
        excludes_zero = low > 0 or high < 0
        return excludes_zero != (self.p < SURE)


def least_p(comparisons: int, events: int) -> float:
    """Return the least p that paired tests on so many events can give, after Holm's correction.

    A test swaps the systems' outputs event by event. Of all `2 ** events` ways to swap, the measured one and
    its mirror image always count as at least as large.

    Args:
        comparisons: number of comparisons that Holm corrects for.
        events: number of events of the items.

    Examples:
        >>> least_p(6, 7), least_p(1, 7), least_p(28, 4)
        (0.09375, 0.015625, 1.0)
    """
    return float(min(1.0, comparisons * 2.0 ** (1 - events)))


def differences(scores: Scores, against: str) -> list[Difference]:
    """Compare each system with one of them, measure by measure.

    Args:
        scores: the table of systems.
        against: the system that all others are compared with.

    Raises:
        InputError: the table has no such system. Of several runs each is a system, their mean is none.
    """
    check_against(against, scores.systems)
    others = [system for system in scores.systems if system != against]
    place_of_other = scores.systems.index(against)
    places = [scores.systems.index(system) for system in others]
    has_events = len(set(scores.draws.events)) >= LEAST_EVENTS
    # A test gives at least 1 / (trials + 1), which Holm multiplies by the number of comparisons. The
    # tolerance takes in what the multiplication rounds.
    least_of_trials = len(others) / (scores.trials + 1) * 1.001
    compared = []
    for name, p_values in scores.p_values.items():
        corrected = holm(p_values[places, place_of_other].tolist())
        for system, p in zip(others, corrected, strict=True):
            score = _difference(scores, name, system, against)
            interval = None
            if has_events and np.isfinite(score).all():
                interval = score.interval
            difference = Difference(
                system=system,
                measure=name,
                value=score.value,
                interval=interval,
                p=p,
                is_least=p <= least_of_trials,
            )
            compared.append(difference)
    return compared


def _difference(scores: Scores, measure_: str, system: str, against: str) -> Score:
    """Return one system's average in a measure less the other's, with its interval.

    Each resample draws the same events for both systems.
    """
    statistics: dict[str, Floats] = {}
    for column in ("n", measure_):
        statistics[FIRST + column] = scores.statistics[system][column]
        statistics[SECOND + column] = scores.statistics[against][column]

    def difference(sums: Statistics) -> dict[str, Floats]:
        first = aspects.aggregate(_statistics_of(FIRST, sums))
        second = aspects.aggregate(_statistics_of(SECOND, sums))
        return {measure_: first[measure_] - second[measure_]}

    measured = scores.draws.measure(statistics, difference)
    return measured[AVERAGE][measure_]


def _statistics_of(prefix: str, sums: Statistics) -> dict[str, Floats]:
    """Return the statistics whose names begin with the prefix, by their names without it."""
    found = {}
    for name, column in sums.items():
        if name.startswith(prefix):
            found[name.removeprefix(prefix)] = column
    return found
