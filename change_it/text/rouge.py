"""ROUGE of headlines over the words of `text.tokens` (Lin 2004; HEvAS 2019, section 2.1): no stemming, any script."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain, combinations, compress
from operator import add
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.references import Matched, Text

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
ROUGE_MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")
_SKIPS = ("rougeSU", "rougeWSU")


def headline_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    measures: Sequence[str] = ROUGE_MEASURES,
    counts: Literal["set", "clipped"] = "set",
) -> dict[str, Floats]:
    """Several ROUGE measures at once, all recalls in 0-1: what share of the reference a candidate holds.

    ROUGE-N is the share of the reference's n-grams that the candidate has; ROUGE-SU that of its words and ordered word pairs, at
    any gap. In ROUGE-WSU near pairs count more: each common word or pair counts 2 / (distance in the reference + distance in the
    candidate), each of the reference 1 / distance in it. The distance is the difference of positions, the smallest over repeats; 1
    for single words. ROUGE-WSU is slightly above 1 where the candidate brings pairs nearer.

    Texts are strings, or lists of words; the best of several references counts, for each measure. A `measure` is `rougeSU`,
    `rougeWSU`, `rouge` with the length of an n-gram, or `rougeL` (recall of the longest common subsequence). Counts `set` are of
    different n-grams (HEvAS); `clipped` counts occurrences, each at most as often as the candidate has it (Lin 2004).

    Examples:
        The reference has a, b, c, a-b, a-c and b-c; the candidate has a, c and a-c of them. For WSU a and c count 1 each and
        a-c, two apart on both sides, 1/2; the reference sums to 3 + 1 + 1 + 1/2.

        >>> scores = headline_rouge(["a x c"], [["a b c"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [0.667], 'rouge2': [0.0], 'rougeSU': [0.5], 'rougeWSU': [0.455]}

        Of several references the best counts, for each measure.

        >>> scores = headline_rouge(["a x c"], [["a b c", "c a"]])
        >>> {name: values.round(3).tolist() for name, values in scores.items()}
        {'rouge1': [1.0], 'rouge2': [0.0], 'rougeSU': [0.667], 'rougeWSU': [0.667]}
    """
    if counts not in ("set", "clipped"):
        raise InputError(f"counts is {counts!r}: choose set or clipped")
    rows = Matched(candidates, references)
    orders = {name: _order(name) for name in measures if name not in (*_SKIPS, "rougeL")}
    skips = not {*_SKIPS}.isdisjoint(measures)
    scores = {name: np.zeros(len(rows)) for name in measures}
    for part, wanted, given in rows.slices(2 if skips else 1):
        of_part = _skip_rouge(wanted, given) if skips else {}
        if "rougeL" in scores:
            of_part["rougeL"] = rouge_l(wanted, given)[:, 1]
        for name, n in orders.items():
            of_part[name] = _rouge_n(wanted, given, n, clipped=counts == "clipped")
        for name in scores:
            scores[name][part] = of_part[name]
    return {name: rows.best(values) for name, values in scores.items()}


def rouge_l(references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> Floats:
    """ROUGE-L, (n, 3): longest common subsequence of words over the length of either side: precision, recall and F1.

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


def _order(measure: str) -> int:
    """Length of a measure's n-grams."""
    number = measure.removeprefix("rouge")
    if not (number.isdecimal() and measure.startswith("rouge") and int(number)):
        raise InputError(f"no measure called {measure!r}: choose from {', '.join(ROUGE_MEASURES)}")
    return int(number)


def _rouge_n(
    references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]], n: int, *, clipped: bool
) -> Floats:
    """(n,) ROUGE-N of each candidate against one reference."""
    scores = np.zeros(len(references))
    for row, (reference, candidate) in enumerate(zip(references, candidates, strict=True)):
        if clipped:
            counts = Counter(_ngrams(candidate, n))
            wanted = Counter(_ngrams(reference, n))
            common, total = sum(min(number, counts[gram]) for gram, number in wanted.items()), wanted.total()
        else:
            different = set(_ngrams(reference, n))
            common, total = len(different.intersection(_ngrams(candidate, n))), len(different)
        scores[row] = common / total if total else 0.0
    return scores


def _ngrams(text: Sequence[str], n: int) -> Iterable[tuple[str, ...]]:
    """The n-grams of a text, in order."""
    return zip(*(text[start:] for start in range(n)), strict=False)


def _skip_rouge(
    references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]
) -> dict[str, Floats]:
    """(n,) ROUGE-SU and ROUGE-WSU of each candidate against one reference."""
    repeated = list(map(_repeats, references, candidates))
    vocabulary = dict.fromkeys(chain.from_iterable(compress(references, repeated)))
    numbers = {word: number for number, word in enumerate(vocabulary)}
    scores = np.zeros((2, len(references)))
    for row, (reference, candidate) in enumerate(zip(references, candidates, strict=True)):
        wanted = set(reference)
        if not wanted:
            continue
        ours, theirs = _distances(reference, wanted), _distances(candidate, wanted)
        if repeated[row]:  # this order and that of `_sum` decide the last digits, which files show
            ours = dict(sorted(ours.items(), key=lambda item: [numbers[word] for word in item[0]]))
        common = len(wanted.intersection(candidate))
        near = [2 / (distance + theirs[pair]) for pair, distance in ours.items() if pair in theirs]
        weights = [1 / distance for distance in ours.values()]
        scores[0, row] = (common + len(near)) / (len(wanted) + len(ours))
        scores[1, row] = _sum(common, near, repeated[row]) / _sum(len(wanted), weights, repeated[row])
    return dict(zip(_SKIPS, scores, strict=True))


def _repeats(reference: Sequence[str], candidate: Sequence[str]) -> bool:
    """Whether a word of the reference stands twice on a side."""
    wanted = set(reference)
    common = [word for word in candidate if word in wanted]
    return len(wanted) < len(reference) or len(set(common)) < len(common)


def _sum(words: int, pairs: Sequence[float], words_first: bool) -> float:
    """Words, which count 1 each, and pairs, one after the other: `sum` corrects its rounding since Python 3.12."""
    return reduce(add, pairs, words) if words_first else words + reduce(add, pairs, 0)


def _distances(text: Sequence[str], wanted: set[str]) -> dict[tuple[str, str], int]:
    """Every ordered pair of the wanted words in a text with its smallest distance."""
    distances: dict[tuple[str, str], int] = {}
    for (i, first), (j, second) in combinations(
        [(i, word) for i, word in enumerate(text) if word in wanted], 2
    ):
        distances[first, second] = min(j - i, distances.get((first, second), j - i))
    return distances
