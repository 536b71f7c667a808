"""Compare systems that are scored on the same items, by their differences."""

from dataclasses import dataclass

import numpy as np

from change_it.scoring import aspects
from change_it.scoring.scores import Scores
from change_it.scoring.systems import check_against
from change_it.stats import AVERAGE, LEAST_EVENTS, Floats, Score, Statistics, holm

#: How the names of the first system's statistics begin where those of two systems are together.
FIRST = "first "
#: And how those of the second system begin.
SECOND = "second "


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


def differences(scores: Scores, against: str) -> list[Difference]:
    """Compare each system with one of them, measure by measure.

    Raises:
        InputError: there is no system of this name, of several runs each has its own.
    """
    check_against(against, scores.systems)
    others = [system for system in scores.systems if system != against]
    place = scores.systems.index(against)
    compared = []
    for name, p_values in scores.p_values.items():
        raw = [float(p_values[scores.systems.index(system), place]) for system in others]
        least = len(others) / (scores.trials + 1)
        for system, p in zip(others, holm(raw), strict=True):
            score = _difference(scores, name, system, against)
            is_known = len(set(scores.draws.events)) >= LEAST_EVENTS and np.isfinite(score).all()
            interval = score.interval if is_known else None
            compared.append(Difference(system, name, score.value, interval, p, p <= least * 1.001))
    return compared


def _difference(scores: Scores, measure_: str, system: str, against: str) -> Score:
    """Return the difference in one measure, with its interval: the same events are drawn for both systems."""
    statistics: dict[str, Floats] = {}
    for prefix, name in ((FIRST, system), (SECOND, against)):
        for column in ("n", measure_):
            statistics[prefix + column] = scores.statistics[name][column]

    def difference(sums: Statistics) -> dict[str, Floats]:
        first = aspects.aggregate(_of(sums, FIRST))
        second = aspects.aggregate(_of(sums, SECOND))
        return {measure_: first[measure_] - second[measure_]}

    return scores.draws.measure(statistics, difference)[AVERAGE][measure_]


def _of(sums: Statistics, prefix: str) -> dict[str, Floats]:
    """Return the statistics of one of the two systems by their own names."""
    return {name.removeprefix(prefix): column for name, column in sums.items() if name.startswith(prefix)}
