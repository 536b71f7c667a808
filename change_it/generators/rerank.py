"""Chooses among candidates by the probability that all three judges are satisfied (compliancy)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from change_it.errors import InputError
from change_it.judges.judge import Judges
from change_it.scoring.compliancy import Reversal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """What was chosen for n items.

    Attributes:
        index: (n,) place of the best candidate of each item, -1 where an item has none.
        joint: (n,) joint probability of that candidate, in 0-1; 0 where there is none.
    """

    index: NDArray[np.int64]
    joint: Floats


def choose(
    judges: Judges,
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

    AH, which reads whole articles, is asked last and only while it can change the choice: what HH and main say is an
    upper bound of the joint probability, so an item is settled once its best candidate is above the bounds of the rest.

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
        The choices. A judge reads every distinct text or pair at most once in a round.

    Raises:
        InputError: an unknown reversal.
        ValueError: lists of different lengths, or a target that is neither 0 nor 1.
    """
    aims = np.asarray(targets, dtype=np.int64)
    if not len(candidates) == len(sources) == len(articles) == len(aims):
        raise ValueError(
            "candidates, sources, articles and targets differ in length: give one of each an item"
        )
    if not np.isin(aims, (0, 1)).all():
        raise ValueError("targets are 0 for outlet A and 1 for outlet B")
    bounds = _bounds(judges, candidates, sources, aims, reversal, batch_size, progress)
    order = [
        np.argsort(-some, kind="stable").tolist() for some in bounds
    ]  # candidates still to be asked about
    index = np.array([0 if some else -1 for some in candidates], dtype=np.int64)
    joint = np.zeros(len(candidates))
    while rows := [row for row, rest in enumerate(order) if rest and bounds[row][rest[0]] > 0]:
        asked = [(row, order[row].pop(0)) for row in rows]
        fits = judges.ah.probabilities(
            [candidates[row][place] for row, place in asked],
            [articles[row] for row, _ in asked],
            batch_size=batch_size,
            progress=progress,
        )[:, 1]
        for (row, place), fit in zip(asked, fits, strict=True):
            found = bounds[row][place] * fit
            if (found, -place) > (joint[row], -index[row]):
                index[row], joint[row] = place, found
            order[row] = [rest for rest in order[row] if bounds[row][rest] >= joint[row]]
    return Choice(index, joint)


def _bounds(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    aims: NDArray[np.int64],
    reversal: Reversal,
    batch_size: int | None,
    progress: bool,
) -> list[Floats]:
    """For each item the probability of HH and style for its candidates; 0 for an empty one."""
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some if text.strip()]
    texts = [text for _, text in pairs]
    style = judges.main.probabilities([*sources, *texts], batch_size=batch_size, progress=progress)
    old, new = style[: len(sources)], style[len(sources) :]
    match = judges.hh.probabilities(
        [sources[row] for row, _ in pairs], texts, batch_size=batch_size, progress=progress
    )
    owner = np.array([row for row, _ in pairs], dtype=np.int64)
    aim = aims[owner]
    given = joint_probability(
        match[:, 1], 1.0, new[np.arange(len(new)), aim], old[owner, aim], reversal=reversal
    )
    rest = iter(given.tolist())
    return [np.array([next(rest) if text.strip() else 0.0 for text in some]) for some in candidates]


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
