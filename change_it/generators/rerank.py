"""Chooses among candidates by the probability that all judges are satisfied: three (compliancy), or fluency and facts too."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from change_it.errors import InputError
from change_it.judges.judge import Judges
from change_it.scoring.compliancy import Reversal
from change_it.scoring.facts import check_all_facts
from change_it.stats import Floats, Ints
from change_it.text.stopwords import guess_language

#: What candidates are chosen for: `strict` multiplies by the fluency judge's probability and refuses a candidate with a number
#: or name that neither the original nor its article has, unless all of the item's have one.
Objective = Literal["compliancy", "strict"]


def choose(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    articles: Sequence[str],
    targets: Sequence[int] | Ints,
    *,
    reversal: Reversal = "relative",
    objective: Objective = "compliancy",
    language: str | None = None,
) -> Ints:
    """(n,) place of each item's candidate with the highest joint probability, the earlier of equal ones; -1 for none."""
    aims = np.asarray(targets, dtype=np.int64)
    if not len(candidates) == len(sources) == len(articles) == len(aims):
        raise ValueError(
            "candidates, sources, articles and targets differ in length: give one of each an item"
        )
    if not np.isin(aims, (0, 1)).all():
        raise ValueError("targets are 0 for outlet A and 1 for outlet B")
    # AH, which reads whole articles, is asked last and only while it can change the choice: what HH and main say is an
    # upper bound of the joint probability, so an item is settled once its best candidate is above the bounds of the rest.
    bounds = _bounds(judges, candidates, sources, aims, reversal)
    if objective == "strict":
        factors = _strict(judges, candidates, sources, articles, language)
        bounds = [bound * factor for bound, factor in zip(bounds, factors, strict=True)]
    # candidates still to be asked about
    order = [np.argsort(-some, kind="stable").tolist() for some in bounds]
    index = np.array([0 if some else -1 for some in candidates], dtype=np.int64)
    joint = np.zeros(len(candidates))
    while rows := [row for row, rest in enumerate(order) if rest and bounds[row][rest[0]] > 0]:
        asked = [(row, order[row].pop(0)) for row in rows]
        fits = judges.ah.probabilities(
            [candidates[row][place] for row, place in asked],
            [articles[row] for row, _ in asked],
            progress=False,
        )[:, 1]
        for (row, place), fit in zip(asked, fits, strict=True):
            found = bounds[row][place] * fit
            if (found, -place) > (joint[row], -index[row]):
                index[row], joint[row] = place, found
            order[row] = [rest for rest in order[row] if bounds[row][rest] >= joint[row]]
    return index


def _bounds(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    aims: Ints,
    reversal: Reversal,
) -> list[Floats]:
    """For each item the probability of HH and style for its candidates; 0 for an empty one."""
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some if text.strip()]
    texts = [text for _, text in pairs]
    style = judges.main.probabilities([*sources, *texts], progress=False)
    old, new = style[: len(sources)], style[len(sources) :]
    match = judges.hh.probabilities([sources[row] for row, _ in pairs], texts, progress=False)
    owner = np.array([row for row, _ in pairs], dtype=np.int64)
    aim = aims[owner]
    given = joint_probability(
        match[:, 1], 1.0, new[np.arange(len(new)), aim], old[owner, aim], reversal=reversal
    )
    rest = iter(given.tolist())
    return [np.array([next(rest) if text.strip() else 0.0 for text in some]) for some in candidates]


def _strict(
    judges: Judges,
    candidates: Sequence[Sequence[str]],
    sources: Sequence[str],
    articles: Sequence[str],
    language: str | None,
) -> list[Floats]:
    """For each item the probabilities that its candidates were printed; 0 for unsupported ones where another is supported."""
    if judges.fluency is None:
        raise InputError(
            "the objective strict needs a fluency judge beside the others: change-it train judge --task fluency"
        )
    pairs = [(row, text) for row, some in enumerate(candidates) for text in some]
    texts = [text for _, text in pairs]
    printed = iter(judges.fluency.probabilities(texts, progress=False)[:, 1])
    facts = check_all_facts(
        texts,
        sources=[sources[row] for row, _ in pairs],
        articles=[articles[row] for row, _ in pairs],
        language=language or guess_language(articles),
        casing=judges.casing,
    )
    supported = (bool(text.strip()) and found.supported for text, found in zip(texts, facts, strict=True))
    factors = []
    for some in candidates:
        fluent = np.array([next(printed) for _ in some])
        kept = np.array([next(supported) for _ in some], dtype=bool)
        factors.append(np.where(kept | ~kept.any(), fluent, 0.0))
    return factors


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
