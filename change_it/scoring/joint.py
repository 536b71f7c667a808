"""The joint score (ours): a graded style times the verdicts on content, fluency and evidence, item by item.

It is the J score of Krishna et al. (EMNLP 2020), accuracy x similarity x fluency averaged over items, with a graded style:
the step that main's log odds of the outlet aimed at take from the original headline to the new one, over the median
step from one newspaper's headline to the other's on training pairs that main did not learn from. What both headlines share,
the topic of their event, cancels; a copy has 0, and so has the original with a few words or marks changed (`is_edited`).
"""

from collections.abc import Mapping
from functools import reduce

import numpy as np

from change_it.stats import Bools, Floats, log_odds
from change_it.text.folding import fold
from change_it.text.tokens import words

#: Of the definition, for signatures; frozen with the labels of the meta-evaluation.
VERSION = "v1"
#: The least median step with which main tells the outlets apart within an event.
LEAST_STEP = 0.1
#: Strictly aligned training pairs below which that median says nothing.
LEAST_STEP_PAIRS = 20
#: The least share of training pairs whose other headline has evidence: else articles are too short to be evidence.
LEAST_EVIDENCE = 0.5
#: A headline is the original, edited, if at most this share of its words are new.
MOST_NEW = 0.25
#: The verdicts that style is multiplied with.
FACTORS = ("hh", "ah", "fluency", "evidence")


def is_edited(headline: str, original: str) -> bool:
    """Whether at most a quarter of a headline's different words are not the original's: words added or exchanged, other marks, capitals.

    Examples:
        >>> is_edited("CROLLA IL PONTE: ecco tre feriti", "Crolla il ponte, tre feriti")
        True
        >>> is_edited("Ponte giù, tre persone in ospedale", "Crolla il ponte, tre feriti")
        False
    """
    of_headline = {*words(fold(headline))}
    return len(of_headline - {*words(fold(original))}) <= MOST_NEW * len(of_headline)


def style(new: Floats, source: Floats, step: float) -> Floats:
    """Style of new headlines, in 0-1.

    Args:
        new: (n,) main's probabilities that the new headlines are of the outlet aimed at.
        source: (n,) its probabilities that the originals are.
        step: the median step of main, above 0.

    Examples:
        >>> style(np.array([0.9, 0.6, 0.2]), np.array([0.1, 0.4, 0.2]), step=2.0).round(2).tolist()
        [1.0, 0.41, 0.0]
    """
    return np.clip((log_odds(new) - log_odds(source)) / step, 0.0, 1.0)


def joint(style: Floats, verdicts: Mapping[str, Bools]) -> Floats:
    """The product of style and each of the verdicts `FACTORS` that are given, (n,) in 0-1.

    Examples:
        >>> joint(np.array([1.0, 0.4, 0.4]), {"hh": np.array([True, True, False])}).tolist()
        [1.0, 0.4, 0.0]
    """
    factors = (np.asarray(verdicts[name], np.float64) for name in FACTORS if name in verdicts)
    return reduce(np.multiply, factors, np.asarray(style, np.float64))
