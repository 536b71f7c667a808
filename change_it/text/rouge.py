"""ROUGE-L between headlines, over the words of `text.tokens` (Lin 2004; no stemming, any script)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist


def rouge_l(references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """ROUGE-L: longest common subsequence of words over the length of either side.

    Args:
        references: words of n headlines to compare with.
        candidates: words of n headlines that are scored.

    Returns:
        (n, 3) precision, recall and F1, each in 0-1; zeros where either side has no words.

    Examples:
        >>> rouge_l([["a", "b", "c", "d"], []], [["a", "c"], ["a"]]).round(3).tolist()
        [[1.0, 0.5, 0.667], [0.0, 0.0, 0.0]]
    """
    common = cpdist(references, candidates, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = [np.fromiter(map(len, side), np.int64, len(side)) for side in (candidates, references)]
    precision, recall = (common / np.maximum(length, 1) for length in lengths)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(common)), where=both > 0)
    return np.stack([precision, recall, f1], axis=1)
