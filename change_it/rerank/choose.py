"""Chooses among candidates by the probability that all three judges are satisfied (compliancy, SPEC 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from change_it.errors import InputError
from change_it.scoring.compliancy import Reversal
from change_it.scoring.judging import Panel, Transfer, judge_transfers

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """What was chosen for n items.

    Attributes:
        index: (n,) place of the best candidate of each item, -1 where an item has none.
        joint: for each item the joint probability of its candidates, in their order, in 0-1.
    """

    index: NDArray[np.int64]
    joint: list[Floats]


def choose(
    judges: Panel,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    articles: Sequence[str],
    targets: Sequence[int] | NDArray[np.int64],
    *,
    reversal: Reversal = "relative",
    batch_size: int | None = None,
    progress: bool = False,
) -> Choice:
    """Choose the candidate with the highest joint probability; of equal ones the earlier.

    Args:
        judges: the judges that choose; others than those that will score.
        candidates: for each of n items its new headlines, best first; an empty one has probability 0.
        sources: n original headlines.
        articles: n original articles.
        targets: (n,) the outlet aimed at, 0 for A and 1 for B.
        reversal: when style counts as reversed, see `joint_probability`.
        batch_size: texts a judge reads at once; its own choice when None.
        progress: show progress bars.

    Returns:
        The choices. Every distinct question is put to a judge once, also across items.

    Raises:
        InputError: an unknown reversal.
        ValueError: lists of different lengths, or a target that is neither 0 nor 1.
    """
    counts = [len(some) for some in candidates]
    aims = np.asarray(targets, dtype=np.int64)
    if not len(counts) == len(sources) == len(articles) == len(aims):
        raise ValueError(
            "candidates, sources, articles and targets differ in length: give one of each an item"
        )
    if not np.isin(aims, (0, 1)).all():
        raise ValueError("targets are 0 for outlet A and 1 for outlet B")
    owner = [item for item, count in enumerate(counts) for _ in range(count)]
    transfer = Transfer(
        sources=[sources[item] for item in owner],
        headlines=[text for some in candidates for text in some],
        articles=[articles[item] for item in owner],
        targets=aims[owner],
    )
    answer = judge_transfers(judges, [transfer], reversal=reversal, batch_size=batch_size, progress=progress)[
        0
    ]
    flat = joint_probability(answer.hh, answer.ah, answer.main, answer.main_source, reversal=reversal)
    joint = np.split(flat, np.cumsum(counts)[:-1]) if counts else []
    index = np.array([int(np.argmax(some)) if len(some) else -1 for some in joint], dtype=np.int64)
    return Choice(index, joint)


def joint_probability(
    hh: ArrayLike, ah: ArrayLike, new: ArrayLike, source: ArrayLike, *, reversal: Reversal = "relative"
) -> Floats:
    """Probability that a headline satisfies all three judges, taken for independent.

    Args:
        hh: (n,) probability that the new headline matches the original.
        ah: (n,) probability that it matches the article.
        new: (n,) probability that main takes it for the target outlet's.
        source: (n,) probability that main takes the original for the target outlet's.
        reversal: `relative`, that main decides otherwise than on the original, for either decision;
            `target`, that it decides for the target outlet.

    Returns:
        (n,) in 0-1.

    Raises:
        InputError: an unknown reversal.

    Example:
        >>> joint_probability([0.5], [0.8], [0.9], [0.2]).round(3).tolist()
        [0.296]
        >>> joint_probability([0.5], [0.8], [0.9], [0.2], reversal="target").round(3).tolist()
        [0.36]
    """
    if reversal not in get_args(Reversal):
        raise InputError(f"reversal {reversal!r} is unknown: choose relative or target")
    match, fits, p_new, p_source = (np.asarray(values, dtype=np.float64) for values in (hh, ah, new, source))
    style = p_source * (1 - p_new) + (1 - p_source) * p_new if reversal == "relative" else p_new
    return match * fits * style
