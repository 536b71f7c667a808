"""Measure ROUGE of headlines over the words of `text.tokens` (Lin 2004; HEvAS 2019, section 2.1).

Words are not stemmed, and may be of any script.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations
from math import fsum
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.tokens import Text, words_of

#: The measures of HEvAS, under the names that `headline_rouge` gives them.
ROUGE_MEASURES = ("rouge1", "rouge2", "rougeSU", "rougeWSU")
#: Words of a text of which pairs are counted, at most: more than a headline has, and pairs are as many as
#: their square.
_MOST = 500


class Matched:
    """Pairs of a candidate and a reference, as words: a row for each reference of each candidate.

    Attributes:
        owners: the number of each row's candidate.
        starts: the first row of each candidate.
        references: the reference of each row, as words.
        candidates: the candidate of each row, as words.
    """

    def __init__(self, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> None:
        if any(isinstance(several, str) for several in references):
            raise InputError("a text stands for its references: give a list of references for each candidate")
        numbers = np.array([len(several) for several in references], np.int64)
        if not numbers.all():
            raise InputError("a candidate has no reference: give each at least one")
        self.owners = np.repeat(np.arange(len(candidates)), numbers)
        self.starts = np.cumsum(numbers) - numbers
        self.references = words_of(list(chain.from_iterable(references)))
        texts = words_of(candidates)
        self.candidates = [texts[owner] for owner in self.owners.tolist()]

    def best(self, scores: Floats) -> Floats:
        """Return the (n,) highest scores of n candidates over their references, from (rows,) scores."""
        return np.maximum.reduceat(scores, self.starts) if len(scores) else scores


def headline_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    measures: Sequence[str] = ROUGE_MEASURES,
    counts: Literal["set", "clipped"] = "set",
) -> dict[str, Floats]:
    """Compute several ROUGE measures at once.

    All are recalls in 0-1: what share of the reference a candidate holds. ROUGE-N is the share of the
    reference's n-grams that the candidate has. ROUGE-SU is that of its words and ordered word pairs, at any
    gap, of its first 500 words.

    In ROUGE-WSU near pairs count more: each common word or pair counts 2 / (distance in the reference +
    distance in the candidate), each of the reference 1 / distance in it. The distance is the difference of
    positions, the smallest over repeats; 1 for single words. ROUGE-WSU is slightly above 1 where the
    candidate brings pairs nearer.

    Args:
        candidates: n texts, strings or lists of words.
        references: of each candidate one or several; for each measure the best one counts.
        measures: `rougeSU`, `rougeWSU`, `rouge` with the length of an n-gram, or `rougeL` (recall of the
            longest common subsequence).
        counts: `set` counts different n-grams (HEvAS), `clipped` occurrences, each at most as often as the
            candidate has it (Lin 2004).

    Returns:
        Measure to (n,) scores.

    Raises:
        InputError: a candidate has no reference, or a measure is not known.

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
            known = f"{', '.join(ROUGE_MEASURES)}, rougeL, or rouge and a number"
            raise InputError(f"no measure called {name!r}: choose from {known}")
    return {name: rows.best(scores[name]) for name in measures}


def rouge_l(references: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> Floats:
    """Return the (n, 3) precision, recall and F1 of ROUGE-L for n pairs of texts, as words.

    Precision is the longest common subsequence over the length of the candidate, recall that over the length
    of the reference.
    """
    common = cpdist(references, candidates, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    precision = common / np.maximum([len(words) for words in candidates], 1)
    recall = common / np.maximum([len(words) for words in references], 1)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(common)), where=both > 0)
    return np.stack([precision, recall, f1], axis=1)


def _rouge_n(reference: Sequence[str], candidate: Sequence[str], *, n: int, clipped: bool) -> float:
    """Return ROUGE-N of a pair of texts, over different n-grams, or over clipped counts of them."""
    from sacrebleu.metrics.helpers import extract_word_ngrams  # takes a twentieth of `change-it judge`

    wanted = extract_word_ngrams(list(reference), n)
    offered = extract_word_ngrams(list(candidate), n)
    if not clipped:
        wanted = Counter(wanted.keys())
        offered = Counter(offered.keys())
    return (wanted & offered).total() / max(1, wanted.total())


def _skip_rouge(reference: Sequence[str], candidate: Sequence[str]) -> tuple[float, float]:
    """Return ROUGE-SU and ROUGE-WSU of a pair of texts; 0 for a reference without a word."""
    reference = reference[:_MOST]
    candidate = candidate[:_MOST]
    wanted = set(reference)
    if not wanted:
        return 0.0, 0.0
    own = _distances(reference, wanted)
    other = _distances(candidate, wanted)
    common_words = len(wanted.intersection(candidate))
    weights = [2 / (distance + other[pair]) for pair, distance in own.items() if pair in other]
    all_weights = len(wanted) + fsum(1 / distance for distance in own.values())
    rouge_su = (common_words + len(weights)) / (len(wanted) + len(own))
    rouge_wsu = (common_words + fsum(weights)) / all_weights
    return rouge_su, rouge_wsu


def _distances(text: Sequence[str], wanted: set[str]) -> dict[tuple[str, str], int]:
    """Return every ordered pair of the wanted words in a text with its smallest distance."""
    distances: dict[tuple[str, str], int] = {}
    places = [(place, word) for place, word in enumerate(text) if word in wanted]
    for (i, first), (j, second) in combinations(places, 2):
        distances[first, second] = min(j - i, distances.get((first, second), j - i))
    return distances
