"""ROUGE of headlines over the words of `text.tokens` (Lin 2004; HEvAS 2019, section 2.1): no stemming, any script."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import fsum
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist
from sacrebleu.metrics.helpers import extract_word_ngrams

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.references import Matched, Text

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
ROUGE_MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")
_SKIPS = ("rougeSU", "rougeWSU")
#: Words of a text of which pairs are counted, at most, more than a headline has: pairs are as many as their square.
_MOST = 500


def headline_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    measures: Sequence[str] = ROUGE_MEASURES,
    counts: Literal["set", "clipped"] = "set",
) -> dict[str, Floats]:
    """Several ROUGE measures at once, all recalls in 0-1: what share of the reference a candidate holds.

    ROUGE-N is the share of the reference's n-grams that the candidate has; ROUGE-SU that of its words and ordered word pairs, at
    any gap (of its first 500 words). In ROUGE-WSU near pairs count more: each common word or pair counts 2 / (distance in the reference + distance in the
    candidate), each of the reference 1 / distance in it. The distance is the difference of positions, the smallest over repeats; 1
    for single words. ROUGE-WSU is slightly above 1 where the candidate brings pairs nearer.

    Texts are strings, or lists of words; the best of several references counts, for each measure. A `measure` is `rougeSU`,
    `rougeWSU`, `rouge` with the length of an n-gram, or `rougeL` (recall of the longest common subsequence). Counts `set` are of
    different n-grams (HEvAS); `clipped` counts occurrences, each at most as often as the candidate has it (Lin 2004).

    Examples:
        >>> scores = headline_rouge(["a x c"], [["a b c", "c a"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [1.0], 'rouge2': [0.0], 'rougeSU': [0.667], 'rougeWSU': [0.667]}
    """
    if counts not in ("set", "clipped"):
        raise InputError(f"counts is {counts!r}: choose set or clipped")
    rows = Matched(candidates, references)
    scores: dict[str, Floats] = {}
    for name in measures:
        if name == "rougeL":
            scores[name] = rouge_l(rows.references, rows.candidates)[:, 1]
        elif name not in _SKIPS:
            scores[name] = _rouge_n(rows, _order(name), clipped=counts == "clipped")
        elif name not in scores:
            scores |= _skip_rouge(rows)
    return {name: rows.best(scores[name]) for name in measures}


def rouge_l(references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> Floats:
    """ROUGE-L, (n, 3): longest common subsequence of words over the length of either side: precision, recall and F1."""
    common = cpdist(references, candidates, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = [np.fromiter(map(len, side), np.int64, len(side)) for side in (candidates, references)]
    precision, recall = (common / np.maximum(length, 1) for length in lengths)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(common)), where=both > 0)
    return np.stack([precision, recall, f1], axis=1)


def _order(measure: str) -> int:
    """Length of a measure's n-grams."""
    number = measure.removeprefix("rouge")
    if not (number.isdecimal() and measure.startswith("rouge") and int(number)):
        raise InputError(f"no measure called {measure!r}: choose from {', '.join(ROUGE_MEASURES)}")
    return int(number)


def _rouge_n(rows: Matched, n: int, *, clipped: bool) -> Floats:
    """ROUGE-N of each row."""
    scores = np.zeros(len(rows))
    for row, texts in enumerate(zip(rows.references, rows.candidates, strict=True)):
        wanted, given = (extract_word_ngrams(list(text), n) for text in texts)
        if not clipped:
            wanted, given = Counter(wanted.keys()), Counter(given.keys())
        scores[row] = (wanted & given).total() / max(1, wanted.total())
    return scores


def _skip_rouge(rows: Matched) -> dict[str, Floats]:
    """ROUGE-SU and ROUGE-WSU of each row."""
    scores = np.zeros((2, len(rows)))
    for row, texts in enumerate(zip(rows.references, rows.candidates, strict=True)):
        reference, candidate = (text[:_MOST] for text in texts)
        wanted = set(reference)
        if not wanted:
            continue
        ours, theirs = _distances(reference, wanted), _distances(candidate, wanted)
        common = len(wanted.intersection(candidate))
        near = [2 / (distance + theirs[pair]) for pair, distance in ours.items() if pair in theirs]
        scores[0, row] = (common + len(near)) / (len(wanted) + len(ours))
        scores[1, row] = (common + fsum(near)) / (len(wanted) + fsum(1 / each for each in ours.values()))
    return dict(zip(_SKIPS, scores, strict=True))


def _distances(text: Sequence[str], wanted: set[str]) -> dict[tuple[str, str], int]:
    """Every ordered pair of the wanted words in a text with its smallest distance."""
    distances: dict[tuple[str, str], int] = {}
    for (i, first), (j, second) in combinations(
        [(i, word) for i, word in enumerate(text) if word in wanted], 2
    ):
        distances[first, second] = min(j - i, distances.get((first, second), j - i))
    return distances
