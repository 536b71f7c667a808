"""Averaged Kullback-Leibler divergence and Jensen-Shannon similarity of word weights (HEvAS 2019, section 2.2).

A text is a distribution over its words: term frequencies, or term frequencies times inverse document frequencies,
scaled to add up to 1. The published averaged divergence is 0 for identical and for disjoint texts, so it ranks nothing; the
Jensen-Shannon similarity is 1 for identical and 0 for disjoint ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add

import numpy as np

from change_it.stats import Floats
from change_it.text.references import Matched, Text, words_of


@dataclass(frozen=True)
class InverseFrequencies:
    """Inverse document frequencies of a collection: ln((1 + documents) / (1 + documents with the word)) + 1."""

    documents: int
    frequencies: Mapping[str, int]  # documents with each word

    @classmethod
    def learn(cls, documents: Iterable[Text]) -> "InverseFrequencies":
        """Count the documents of each word.

        Examples:
            >>> idf = InverseFrequencies.learn(["a b", "a c c"])
            >>> idf["a"], round(idf["c"], 3), round(idf["unseen"], 3)
            (1.0, 1.405, 2.099)
        """
        texts = words_of(list(documents))
        return cls(len(texts), Counter(word for text in texts for word in set(text)))

    def __getitem__(self, word: str) -> float:
        return float(np.log((1 + self.documents) / (1 + self.frequencies.get(word, 0))) + 1)


def averaged_kl(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    idf: InverseFrequencies | None = None,
) -> Floats:
    """Averaged Kullback-Leibler divergence, natural logarithm: the published KL-S, or KL-C against documents.

    The sum over words of π1·D(a‖w) + π2·D(b‖w) with a, b the weights of the word in the two texts, π1 = a / (a + b),
    π2 = b / (a + b), w = π1·a + π2·b and D(p‖q) = p·ln(p/q). Words of one text alone add nothing: it is 0 for identical,
    for disjoint and for empty texts. Of several references the most similar one by `js_similarity` counts. Weights are
    tf-idf with `idf`, term frequencies without.

    Examples:
        The common word weighs 1 and 1/2: π1 = 2/3, π2 = 1/3, w = 5/6; 2/3·ln(6/5) + 1/3·1/2·ln(3/5).

        >>> averaged_kl(["a"], [["a b"]]).round(5).tolist()
        [0.03641]
        >>> averaged_kl(["a b", "a b"], [["b a"], ["c d"]]).tolist()
        [0.0, 0.0]
    """
    rows = Matched(candidates, references)
    divergence, similarity = _compared(rows, idf)
    ends = np.append(rows.starts, len(rows))[1:]
    nearest = [
        start + int(similarity[start:end].argmax()) for start, end in zip(rows.starts, ends, strict=True)
    ]
    return divergence[np.array(nearest, np.int64)]


def js_similarity(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    idf: InverseFrequencies | None = None,
) -> Floats:
    """1 - Jensen-Shannon divergence to base 2: JS-S, or JS-C against documents; the best of several references counts.

    1 for the same distribution of words, 0 for disjoint and for empty texts. Weights as in `averaged_kl`.

    Examples:
        Against the mean (3/4, 1/4): the divergence is (1·log2(4/3) + 1/2·log2(2/3) + 1/2·log2(2)) / 2 = 0.311.

        >>> js_similarity(["a", "b a", "a"], [["a b"], ["a b"], ["c"]]).round(3).tolist()
        [0.689, 1.0, 0.0]
    """
    rows = Matched(candidates, references)
    return rows.best(_compared(rows, idf)[1])


def _compared(rows: Matched, idf: InverseFrequencies | None) -> tuple[Floats, Floats]:
    """Divergence and similarity of every row, summed over the common words in the order of the vocabulary."""
    divergence, similarity = np.zeros(len(rows)), np.zeros(len(rows))
    for part, wanted, given in rows.slices():
        vocabulary = dict.fromkeys(chain.from_iterable(chain(given, wanted)))
        numbers = {word: number for number, word in enumerate(vocabulary)}
        scale = {word: idf[word] for word in vocabulary} if idf else None
        pairs: list[tuple[float, float]] = []
        owners: list[int] = []
        for row, (reference, candidate) in enumerate(zip(wanted, given, strict=True)):
            ours, theirs = (_distribution(text, scale, numbers) for text in (candidate, reference))
            common = [(weight, theirs[word]) for word, weight in ours.items() if word in theirs]
            pairs += common
            owners += [row] * len(common)
        a, b = np.array(pairs, np.float64).reshape(-1, 2).T
        middle = (a * a + b * b) / (a + b)
        terms = (a * a * np.log(a / middle) + b * b * np.log(b / middle)) / (a + b)
        shared = (a + b - a * np.log2(2 * a / (a + b)) - b * np.log2(2 * b / (a + b))) / 2
        of = np.array(owners, np.int64)
        divergence[part] = np.maximum(np.bincount(of, terms, minlength=len(wanted)), 0)
        similarity[part] = np.minimum(np.bincount(of, shared, minlength=len(wanted)), 1)
    return divergence, similarity


def _distribution(
    text: Sequence[str], scale: Mapping[str, float] | None, numbers: Mapping[str, int]
) -> dict[str, float]:
    """Words of a text, in the order of the vocabulary, with weights that add up to 1."""
    counts = Counter(text)
    weights = {
        word: counts[word] * (scale[word] if scale else 1.0)
        for word in sorted(counts, key=numbers.__getitem__)
    }
    total = reduce(add, weights.values(), 0.0)  # `sum` rounds otherwise since Python 3.12
    return {word: weight / total for word, weight in weights.items()}
