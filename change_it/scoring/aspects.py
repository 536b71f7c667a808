"""The aspects of a new headline beside compliancy (ours): style, acceptability and edited, each shown by itself (Mir et al., NAACL 2019).

They are not multiplied into one score: no product of them was found to order headlines as readers do. What chooses among
candidates does multiply, see `choosing`; it has no name in tables.
"""

from collections.abc import Mapping
from functools import reduce

import numpy as np

from change_it.judges.judge_options import StyleScale
from change_it.stats import Bools, Floats, log_odds
from change_it.text.folding import fold
from change_it.text.tokens import words

#: The least and the greatest style of a headline.
STYLE_RANGE = (-1.0, 2.0)
#: The least share of training pairs whose other headline has evidence: else articles are too short to be evidence.
LEAST_EVIDENCE = 0.5
#: A headline is the original, edited, if at most this share of its words are new.
MOST_NEW = 0.25


def style(new: Floats, source: Floats, scale: StyleScale, from_b: Bools) -> Floats:
    """Style of n new headlines, -1 to 2: 0 has what a clause of the original's article has, 1 the other newspaper's own headline.

    Args:
        new: (n,) main's probabilities that the new headlines are of the outlet aimed at.
        source: (n,) its probabilities that the originals are.
        scale: main's.
        from_b: (n,) whether the original is outlet B's.

    Examples:
        >>> scale = StyleScale(90, 80, 4.0, (2.0, 1.0), (1.5, 2.5), (2.5, 3.5), 0.9, {}, 0.9)
        >>> style(np.array([0.5, 0.5, 0.018]), np.array([0.018] * 3), scale, np.array([False, True, False])).round(1).tolist()
        [1.0, 1.0, -1.0]
    """
    clause = np.where(from_b, scale.clause[1], scale.clause[0])
    steps = log_odds(new) - log_odds(source)
    return np.clip((steps - clause) / (scale.gold - clause), *STYLE_RANGE)


def acceptability(probabilities: Mapping[str, Floats], evidence: Bools | None) -> Floats:
    """The product of the probabilities of hh, ah and fluency, (n,) each, and of evidence, 0 or 1, where it can be had: (n,) in 0-1.

    Examples:
        >>> p = {"hh": np.array([0.9, 0.9]), "ah": np.array([0.8, 0.8]), "fluency": np.array([0.5, 0.5])}
        >>> acceptability(p, np.array([True, False])).round(2).tolist()
        [0.36, 0.0]
    """
    product = reduce(np.multiply, (probabilities[name] for name in ("hh", "ah", "fluency")))
    return product if evidence is None else product * evidence


def new_words(headline: str, original: str) -> tuple[int, int]:
    """How many of a headline's different words the original does not have, and how many there are."""
    of_headline = {*words(fold(headline))}
    return len(of_headline - {*words(fold(original))}), len(of_headline)


def is_edited(headline: str, original: str) -> bool:
    """Whether at most a quarter of a headline's different words are not the original's: a copy, words added or exchanged, other marks, capitals.

    Examples:
        >>> is_edited("CROLLA IL PONTE: ecco tre feriti", "Crolla il ponte, tre feriti")
        True
        >>> is_edited("Ponte giù, tre persone in ospedale", "Crolla il ponte, tre feriti")
        False
    """
    new, total = new_words(headline, original)
    return new <= MOST_NEW * total


def choosing(
    probabilities: Mapping[str, Floats], evidence: Bools | None, style: Floats | None, edited: Bools
) -> Floats:
    """What judges choose candidates by: acceptability times style cut to 0-1, as far as they are known, and below all others what is edited.

    Returns:
        (n,) in 0-1, of edited headlines less 1.
    """
    known = {"fluency": np.ones(len(edited)), **probabilities}
    graded = np.clip(style, 0, 1) if style is not None else 1.0
    return acceptability(known, evidence) * graded - np.asarray(edited, np.float64)
