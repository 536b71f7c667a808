"""ROUGE-L between two headlines, over the words of `text.tokens` (Lin 2004; no stemming, any script)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from change_it.text.tokens import words


class Rouge(NamedTuple):
    """Precision, recall and F1, each in 0-1."""

    precision: float
    recall: float
    f1: float


def rouge_l(reference: str, candidate: str) -> Rouge:
    """ROUGE-L of one headline: longest common subsequence of words over the length of either side.

    Args:
        reference: the headline to compare with.
        candidate: the headline that is scored.

    Returns:
        Precision, recall and F1; zeros where either side has no words.

    Example:
        >>> rouge_l("Il governo cade a Roma", "A Roma il governo cade")
        Rouge(precision=0.6, recall=0.6, f1=0.6)
    """
    return rouge_l_of_words(words(reference), words(candidate))


def rouge_l_of_words(reference: Sequence[str], candidate: Sequence[str]) -> Rouge:
    """`rouge_l` of texts that are words already.

    Args:
        reference: words of the headline to compare with.
        candidate: words of the headline that is scored.

    Returns:
        Precision, recall and F1; zeros where either side has no words.
    """
    common = LCSseq.similarity(reference, candidate)
    if not common:
        return Rouge(0.0, 0.0, 0.0)
    precision, recall = common / len(candidate), common / len(reference)
    return Rouge(precision, recall, 2 * precision * recall / (precision + recall))


def rouge_l_of_many(
    references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    """`rouge_l_of_words` of many pairs at once, several times as fast.

    Args:
        references: words of n headlines to compare with.
        candidates: words of n headlines that are scored.

    Returns:
        (n, 3) precision, recall and F1; zeros where either side has no words.

    Example:
        >>> rouge_l_of_many([["a", "b", "c", "d"], []], [["a", "c"], ["a"]]).round(3).tolist()
        [[1.0, 0.5, 0.667], [0.0, 0.0, 0.0]]
    """
    common = cpdist(references, candidates, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = [np.fromiter(map(len, side), np.int64, len(side)) for side in (candidates, references)]
    precision, recall = (common / np.maximum(length, 1) for length in lengths)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(common)), where=both > 0)
    return np.stack([precision, recall, f1], axis=1)
