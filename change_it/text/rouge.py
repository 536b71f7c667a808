"""ROUGE of headlines over the words of `text.tokens` (Lin 2004; HEvAS 2019, section 2.1): no stemming, any script."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations
from math import fsum
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist
from sacrebleu.metrics.helpers import extract_word_ngrams

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.tokens import Text, words_of

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
ROUGE_MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")
#: Words of a text of which pairs are counted, at most, more than a headline has: pairs are as many as their square.
_MOST = 500


class Matched:
    """Pairs of candidate and reference, as words: one row for each candidate and reference of it. Each candidate has a reference at least."""

    def __init__(self, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> None:
        if any(isinstance(several, str) for several in references):
            raise InputError("a text stands for its references: give a list of references for each candidate")
        numbers = np.fromiter(map(len, references), np.int64, len(references))
        if not numbers.all():
            raise InputError("a candidate has no reference: give each at least one")
        self.owners = np.repeat(np.arange(len(candidates)), numbers)  # candidate of each row
        self.starts = np.cumsum(numbers) - numbers  # first row of each candidate
        self.references = words_of(list(chain.from_iterable(references)))
        texts = words_of(candidates)
        self.candidates = [texts[owner] for owner in self.owners.tolist()]

    def best(self, scores: Floats) -> Floats:
        """Return (n,) the highest score of each candidate over its references, of one score a row."""
        return np.maximum.reduceat(scores, self.starts) if len(scores) else scores


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
    pairs = list(zip(rows.references, rows.candidates, strict=True))
    scores: dict[str, Floats] = {}
    for name in measures:
        number = name.removeprefix("rouge")
        if name == "rougeL":
            scores[name] = rouge_l(rows.references, rows.candidates)[:, 1]
        elif name in ("rougeSU", "rougeWSU"):
            if name not in scores:
                skips = np.array([_skip_rouge(*pair) for pair in pairs]).reshape(-1, 2)
                scores |= {"rougeSU": skips[:, 0], "rougeWSU": skips[:, 1]}
        elif name.startswith("rouge") and number.isdecimal() and int(number):
            values = [_rouge_n(*pair, n=int(number), clipped=counts == "clipped") for pair in pairs]
            scores[name] = np.array(values, np.float64)
        else:
            raise InputError(
                f"no measure called {name!r}: choose from {', '.join(ROUGE_MEASURES)}, rougeL, or rouge and a number"
            )
    return {name: rows.best(scores[name]) for name in measures}


def rouge_l(references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> Floats:
    """Return ROUGE-L, (n, 3): longest common subsequence of words over the length of either side: precision, recall and F1."""
    common = cpdist(references, candidates, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = [np.fromiter(map(len, side), np.int64, len(side)) for side in (candidates, references)]
    precision, recall = (common / np.maximum(length, 1) for length in lengths)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(common)), where=both > 0)
    return np.stack([precision, recall, f1], axis=1)


def _rouge_n(reference: Sequence[str], candidate: Sequence[str], *, n: int, clipped: bool) -> float:
    wanted, offered = (extract_word_ngrams(list(text), n) for text in (reference, candidate))
    if not clipped:
        wanted, offered = Counter(wanted.keys()), Counter(offered.keys())
    return (wanted & offered).total() / max(1, wanted.total())


def _skip_rouge(reference: Sequence[str], candidate: Sequence[str]) -> tuple[float, float]:
    """ROUGE-SU and ROUGE-WSU of a pair."""
    wanted = {*reference[:_MOST]}
    if not wanted:
        return 0.0, 0.0
    own, other = (_distances(text[:_MOST], wanted) for text in (reference, candidate))
    common = len(wanted.intersection(candidate[:_MOST]))
    near = [2 / (distance + other[pair]) for pair, distance in own.items() if pair in other]
    whole = len(wanted) + fsum(1 / distance for distance in own.values())
    return (common + len(near)) / (len(wanted) + len(own)), (common + fsum(near)) / whole


def _distances(text: Sequence[str], wanted: set[str]) -> dict[tuple[str, str], int]:
    """Return every ordered pair of the wanted words in a text with its smallest distance."""
    distances: dict[tuple[str, str], int] = {}
    places = [(place, word) for place, word in enumerate(text) if word in wanted]
    for (i, first), (j, second) in combinations(places, 2):
        distances[first, second] = min(j - i, distances.get((first, second), j - i))
    return distances
