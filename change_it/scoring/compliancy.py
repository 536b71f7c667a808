"""Compliancy (EvalNLGEval 2020, section 4; SPEC 3): probabilities of three judges in, verdicts out.

A transferred headline is compliant when HH says that it matches the original headline, AH says that it
matches the article, and main's decision is reversed. Verdicts come per item, aggregates from their sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from change_it.errors import InputError
from change_it.stats import Floats, Statistics, estimate

Reversal = Literal["relative", "target"]
Bools = NDArray[np.bool_]

#: What `aggregate` returns, in this order.
MEASURES = ("compliancy", "hh", "ah", "main")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The judges' decisions on n transferred headlines.

    Attributes:
        hh: (n,) the new headline matches the original one.
        ah: (n,) the new headline matches the article.
        main: (n,) the style is reversed.
    """

    hh: Bools
    ah: Bools
    main: Bools

    @property
    def compliancy(self) -> Bools:
        """(n,) all three hold."""
        return self.hh & self.ah & self.main

    def __len__(self) -> int:
        return len(self.hh)


def decide(probabilities: Floats) -> NDArray[np.int64]:
    """The class that a two-class judge decides for; a tie goes to class 0.

    Args:
        probabilities: (n, 2).

    Returns:
        (n,) zeros and ones.

    Example:
        >>> decide(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
        [1, 0]
    """
    probabilities = np.asarray(probabilities, dtype=np.float64)
    return (probabilities[:, 1] > probabilities[:, 0]).astype(np.int64)


def verdicts(
    hh: Floats,
    ah: Floats,
    main: Floats,
    main_source: Floats,
    target: Sequence[int] | NDArray[np.int64],
    *,
    reversal: Reversal = "relative",
) -> Verdicts:
    """Turn the judges' probabilities into verdicts.

    Args:
        hh: (n, 2) of original headline with new headline: no match, match.
        ah: (n, 2) of new headline with article: no match, match.
        main: (n, 2) of the new headline: outlet A, outlet B.
        main_source: (n, 2) of the original headline: outlet A, outlet B.
        target: (n,) the outlet aimed at, 0 for A and 1 for B.
        reversal: `relative`, the paper's: main decides otherwise than on the original; `target`, ours: main
            decides for the outlet aimed at.

    Returns:
        The verdicts, in the items' order.

    Raises:
        InputError: an unknown reversal.

    Example:
        >>> yes, style_a, style_b = np.array([[0.1, 0.9]]), np.array([[0.7, 0.3]]), np.array([[0.4, 0.6]])
        >>> verdicts(yes, yes, style_b, style_a, [1]).compliancy.tolist()
        [True]
        >>> verdicts(yes, yes, style_b, style_b, [1]).main.tolist()
        [False]
        >>> verdicts(yes, yes, style_b, style_b, [1], reversal="target").main.tolist()
        [True]
    """
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    decision = decide(main)
    reversed_ = decision != decide(main_source) if reversal == "relative" else decision == np.asarray(target)
    return Verdicts(decide(hh) == 1, decide(ah) == 1, reversed_)


def statistics(items: Verdicts) -> dict[str, Floats]:
    """Per-item statistics, whose sums `aggregate` understands (see `change_it.stats`).

    Args:
        items: n verdicts.

    Returns:
        `n`, ones, and `MEASURES`, zeros and ones; (n,) each.
    """
    verdicts = {name: np.asarray(getattr(items, name), np.float64) for name in MEASURES}
    return {"n": np.ones(len(items)), **verdicts}


def aggregate(sums: Statistics) -> dict[str, Floats]:
    """Proportions from summed statistics.

    Args:
        sums: `statistics` added up.

    Returns:
        `MEASURES`, each in 0-1.
    """
    return {name: sums[name] / np.maximum(sums["n"], 1) for name in MEASURES}


def proportions(items: Verdicts, directions: Sequence[str]) -> dict[str, dict[str, float]]:
    """The proportions of each direction that occurs, and their mean over directions (SPEC 3).

    Args:
        items: n verdicts.
        directions: (n,) direction of each item.

    Returns:
        Direction to measure to value; the key `average` holds the mean of the directions (not of the items).

    Example:
        >>> yes, no = np.array([True]), np.array([False])
        >>> items = Verdicts(np.r_[yes, yes, no], np.r_[yes, yes, yes], np.r_[yes, no, yes])
        >>> table = proportions(items, ["a2b", "a2b", "b2a"])
        >>> table["a2b"]["compliancy"], table["b2a"]["compliancy"], table["average"]["compliancy"]
        (0.5, 0.0, 0.25)
    """
    values = estimate(statistics(items), aggregate, directions)
    return {
        name: {measure: float(values[measure][row]) for measure in MEASURES}
        for row, name in enumerate([*dict.fromkeys(directions), "average"])
    }
