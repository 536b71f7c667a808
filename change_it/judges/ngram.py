"""The baseline that the fluency judge is printed beside: logistic regression on an n-gram model of words."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from change_it.stats import Floats, Ints
from change_it.text.tokens import words

#: What the regression sees of a headline.
FEATURES = (
    "mean surprise",  # log p(w | two words before) - log p(w)
    "least",
    "20th percentile",
    "first",
    "last",
    "share of known bigrams",
    "share of repeated words",
    "share of short words",
    "log length",
    "share of words never seen",
)
#: N-grams are hashed to this many counts of each order.
BUCKETS = 2**21
ORDERS = 3
#: Weights of the trigram, bigram and unigram estimates.
WEIGHTS = 0.6, 0.3, 0.1
#: A word with more letters is no short one.
SHORT = 3


@lru_cache(maxsize=200_000)
def _number(word: str) -> int:
    return zlib.crc32(word.encode()) + 2


def _coded(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Word numbers of all texts, each between two beginnings (0) and an end (1), and the text that each belongs to."""
    rows = [[0, 0, *map(_number, words(text)), 1] for text in texts]
    lengths = [len(row) for row in rows]
    return np.fromiter(chain.from_iterable(rows), np.int64), np.repeat(np.arange(len(rows)), lengths)


def _buckets(numbers: Ints, order: int) -> Ints:
    """Bucket of the n-gram that ends at each word; the first ones wrap around and mean nothing."""
    mixed = np.full(len(numbers), order, dtype=np.uint64)
    for back in range(order - 1, -1, -1):
        mixed = (mixed ^ np.roll(numbers, back).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(BUCKETS)).astype(np.int64)


@dataclass(frozen=True)
class NgramJudge:
    """Is this a printed headline? Logistic regression on what an n-gram model of the corpus says of it."""

    # uint16 (3, BUCKETS), how often the uni-, bi- and trigrams of each bucket occur
    counts: NDArray[np.uint16]
    total: int  # words that were counted
    mean: Floats  # of the standardised features and their products
    scale: Floats  # their standard deviations
    weights: Floats  # of the logistic regression, the constant last

    def probabilities(self, headlines: Sequence[str]) -> Floats:
        """(n,) probability that each headline was printed."""
        if not len(headlines):
            return np.empty(0)
        inputs = (_products(ngram_features(headlines, self.counts, self.total)) - self.mean) / self.scale
        return np.asarray(1 / (1 + np.exp(-np.clip(inputs @ self.weights[:-1] + self.weights[-1], -50, 50))))


def count_ngrams(headlines: Sequence[str], articles: Sequence[str]) -> tuple[NDArray[np.uint16], int]:
    """How often the words and n-grams of texts occur, uint16 (3, BUCKETS), and the number of words."""
    numbers, _ = _coded([*headlines, *articles])
    counts = [np.bincount(_buckets(numbers, order), minlength=BUCKETS) for order in range(1, ORDERS + 1)]
    return np.minimum(np.stack(counts), np.iinfo(np.uint16).max).astype(np.uint16), len(numbers)


def ngram_features(headlines: Sequence[str], counts: NDArray[np.uint16], total: int) -> Floats:
    """What the regression sees, (n, len(FEATURES)), of n headlines; zeros for a text without words."""
    numbers, rows = _coded(headlines)
    unigrams, bigrams, trigrams = (
        counts[order - 1][_buckets(numbers, order)].astype(np.float64) for order in (1, 2, 3)
    )
    before, pair = np.roll(unigrams, 1), np.roll(bigrams, 1)
    unigram = (unigrams + 0.5) / total
    trigram, bigram = trigrams / np.maximum(pair, 1), bigrams / np.maximum(before, 1)
    mixed = WEIGHTS[0] * trigram + WEIGHTS[1] * bigram + WEIGHTS[2] * unigram
    surprise = np.log(mixed) - np.log(unigram)
    features = np.zeros((len(headlines), len(FEATURES)))
    ends = np.flatnonzero(np.diff(rows, append=len(headlines)))
    begin = 0
    for row, end in enumerate((ends + 1).tolist()):
        here = slice(begin + 2, end)  # its words and its end
        values, inside = surprise[here], numbers[begin + 2 : end - 1]
        begin = end
        if not len(inside):
            continue
        listed = words(headlines[row])
        features[row] = (
            values.mean(),
            values.min(),
            np.percentile(values, 20),
            values[0],
            values[-1],
            (bigrams[here] > 0).mean(),
            1 - len(set(listed)) / len(listed),
            sum(len(word) <= SHORT for word in listed) / len(listed),
            np.log(len(listed)),
            (unigrams[here][:-1] == 0).mean(),
        )
    return features


def _products(features: Floats) -> Floats:
    """The features, their squares and products."""
    first, second = np.triu_indices(features.shape[1])
    return np.hstack([features, features[:, first] * features[:, second]])


def fit_ngram_judge(
    headlines: Sequence[str],
    articles: Sequence[str],
    broken: Callable[[int], str | None],
    *,
    seed: int,
    acceptance: float = 0.93,
) -> NgramJudge:
    """Fit the judge: a quarter of the headlines, not counted for it, against what `broken` makes of each; then count all.

    `articles` are theirs, one each. A share of the quarter, `acceptance`, gets more than a half.
    """
    apart = np.zeros(len(headlines), dtype=bool)
    apart[np.random.default_rng(seed).permutation(len(headlines))[: max(1, len(headlines) // 4)]] = True
    counted, judged = np.flatnonzero(~apart).tolist(), np.flatnonzero(apart).tolist()
    counts, total = count_ngrams([headlines[i] for i in counted], [articles[i] for i in counted])
    printed = [headlines[i] for i in judged]
    damaged = [text for i in judged if (text := broken(i))]
    inputs = _products(ngram_features([*printed, *damaged], counts, total))
    mean, scale = inputs.mean(0), inputs.std(0) + 1e-6
    labels = np.repeat([1, 0], [len(printed), len(damaged)])
    regression = LogisticRegression(max_iter=2000, C=0.3).fit((inputs - mean) / scale, labels)
    scores = ((inputs - mean) / scale) @ regression.coef_[0]
    constant = -np.quantile(scores[labels == 1], 1 - acceptance)
    weights = np.append(regression.coef_[0], constant)
    return NgramJudge(*count_ngrams(headlines, articles), mean, scale, weights)
