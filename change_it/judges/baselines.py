"""Plain baselines that every judge is printed beside, and the scores of both: a judge must beat them to mean anything.

main: logistic regression on character n-grams. HH and AH: a threshold on the cosine of two texts, by tf-idf or by the
mean-pooled vectors of a frozen encoder. Fluency: logistic regression on an n-gram model of words. All learn from the
judge's own training and validation examples.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_fscore_support
from sklearn.pipeline import make_pipeline
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from change_it.judges.data import Examples
from change_it.judges.judge import encode
from change_it.progress import tracked
from change_it.text.tokens import words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Predict = Callable[[Examples], Ints]
Cosines = Callable[[Sequence[str], Sequence[str]], Floats]

#: Examples that the frozen encoder's threshold is chosen on, at most.
THRESHOLD_EXAMPLES = 2000
#: Tokens of an article that the frozen encoder reads.
FROZEN_TOKENS = 256
#: What the n-gram judge of fluency sees of a headline.
NGRAM_FEATURES = (
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
#: Its n-grams are hashed to this many counts of each order.
BUCKETS = 2**21
ORDERS = 3
#: Weights of the trigram, bigram and unigram estimates.
WEIGHTS = 0.6, 0.3, 0.1
#: A word with more letters is no short one to it.
SHORT = 3


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of classes 0 and 1 (EvalNLGEval 2020, Table 1) by their names, their mean, and accuracy.

    Examples:
        >>> scores(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0]), ("rep", "gio"))["gio"]["recall"]
        0.6666666666666666
    """
    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {
        name: dict(zip(("precision", "recall", "f1"), map(float, row[:3]), strict=True))
        | {"support": int(row[3])}
        for name, row in zip(classes, zip(*columns, strict=True), strict=True)
    }
    return {**table, "macro_f1": float(np.mean(columns[2])), "accuracy": float((labels == predicted).mean())}


def character_ngrams(train: Examples, *, seed: int) -> Predict:
    """Logistic regression on tf-idf of character 1- to 4-grams, cased."""
    vectors = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(1, 4), lowercase=False, min_df=2, sublinear_tf=True, dtype=np.float32
    )
    model = make_pipeline(vectors, LogisticRegression(C=5.0, max_iter=300, random_state=seed))
    model.fit(train.texts, train.labels)
    return lambda examples: np.asarray(model.predict(examples.texts), dtype=np.int64)


def best_threshold(scores: Floats, labels: Ints) -> float:
    """The cut with the highest macro F1 when scores above it are class 1; midway between two neighbouring scores.

    Examples:
        >>> best_threshold(np.array([0.25, 0.9, 0.0, 0.75]), np.array([0, 1, 0, 1]))
        0.5
    """
    order = np.argsort(scores, kind="stable")
    ranked, truth = scores[order], labels[order]
    below = np.arange(len(truth) + 1)
    misses = np.concatenate([[0], np.cumsum(truth)])  # class 1 at or below the cut
    ones, zeros = truth.sum(), len(truth) - truth.sum()
    hits = ones - misses
    f1_one = 2 * hits / np.maximum(ones + len(truth) - below, 1)
    f1_zero = 2 * (below - misses) / np.maximum(zeros + below, 1)
    cuts = np.concatenate([[ranked[0] - 1], (ranked[1:] + ranked[:-1]) / 2, [ranked[-1]]])
    distinct = np.concatenate([[True], ranked[1:] > ranked[:-1], [True]])
    return float(cuts[np.argmax(np.where(distinct, f1_one + f1_zero, -1.0))])


def threshold(train: Examples, cosines: Cosines) -> Predict:
    """Match where the cosine is above a threshold chosen on the training pairs."""
    cut = best_threshold(cosines(train.texts, train.pairs or []), train.labels)
    return lambda examples: (cosines(examples.texts, examples.pairs or []) > cut).astype(np.int64)


def tfidf_cosine(texts: Sequence[str]) -> Cosines:
    """Cosine of tf-idf vectors over words of any script, with the document frequencies of some texts."""
    vectors = TfidfVectorizer(token_pattern=r"[^\W_]+")
    vectors.fit(texts)

    def cosines(first: Sequence[str], second: Sequence[str]) -> Floats:
        place = {text: row for row, text in enumerate(dict.fromkeys([*first, *second]))}
        matrix = vectors.transform(place)
        one, other = (matrix[[place[text] for text in texts]] for texts in (first, second))
        return np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64).ravel()

    return cosines


def frozen_cosine(encoder: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Cosines:
    """Cosine of the mean of an encoder's last states; each distinct text is read once."""
    limit = min(FROZEN_TOKENS, tokenizer.model_max_length)
    known: dict[str, Floats] = {}

    @torch.no_grad()
    def read(texts: Sequence[str]) -> None:
        encoder.eval()
        new = sorted({text for text in texts if text not in known}, key=lambda text: (-len(text), text))
        for start in tracked(range(0, len(new), 32), "frozen encoder"):
            some = new[start : start + 32]
            batch = encode(tokenizer, some, max_tokens=limit).to(encoder.device)
            states = encoder(
                input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
            ).last_hidden_state
            mask = batch["attention_mask"].unsqueeze(-1)
            mean = (states * mask).sum(dim=1) / mask.sum(dim=1)
            known.update(
                zip(some, torch.nn.functional.normalize(mean, dim=-1).double().cpu().numpy(), strict=True)
            )

    def cosines(first: Sequence[str], second: Sequence[str]) -> Floats:
        read([*first, *second])
        return np.array([known[a] @ known[b] for a, b in zip(first, second, strict=True)])

    return cosines


def some_of(examples: Examples, *, seed: int, at_most: int = THRESHOLD_EXAMPLES) -> Examples:
    """A random part of the examples, all of them if they are few."""
    if len(examples) <= at_most:
        return examples
    return examples.select(some_rows(len(examples), seed=seed, at_most=at_most))


def some_rows(count: int, *, seed: int, at_most: int) -> Ints:
    """Positions of a random part of `count` examples, rising."""
    if count <= at_most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).permutation(count)[:at_most])


@lru_cache(maxsize=200_000)
def _number(word: str) -> int:
    return zlib.crc32(word.encode()) + 2


def _coded(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Word numbers of all texts, each between two beginnings (0) and an end (1), and the text that each belongs to."""
    rows = [[0, 0, *map(_number, words(text)), 1] for text in texts]
    lengths = [len(row) for row in rows]
    return np.fromiter((n for row in rows for n in row), np.int64, sum(lengths)), np.repeat(
        np.arange(len(rows)), lengths
    )


def _buckets(numbers: Ints, order: int) -> Ints:
    """Bucket of the n-gram that ends at each word; the first ones wrap around and mean nothing."""
    mixed = np.full(len(numbers), order, dtype=np.uint64)
    for back in range(order - 1, -1, -1):
        mixed = (mixed ^ np.roll(numbers, back).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(BUCKETS)).astype(np.int64)


@dataclass(frozen=True)
class NgramJudge:
    """Is this a printed headline? Logistic regression on what an n-gram model of the corpus says of it.

    Attributes:
        counts: uint16 (3, BUCKETS), how often the uni-, bi- and trigrams of each bucket occur.
        total: words that were counted.
        mean: of the standardised features and their products.
        scale: their standard deviations.
        weights: of the logistic regression, the constant last.
    """

    counts: NDArray[np.uint16]
    total: int
    mean: Floats
    scale: Floats
    weights: Floats

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
    """What the regression sees, (n, len(NGRAM_FEATURES)), of n headlines; zeros for a text without words."""
    numbers, rows = _coded(headlines)
    one, two, three = (counts[order - 1][_buckets(numbers, order)].astype(np.float64) for order in (1, 2, 3))
    before, pair = np.roll(one, 1), np.roll(two, 1)
    unigram = (one + 0.5) / total
    trigram, bigram = three / np.maximum(pair, 1), two / np.maximum(before, 1)
    mixed = WEIGHTS[0] * trigram + WEIGHTS[1] * bigram + WEIGHTS[2] * unigram
    surprise = np.log(mixed) - np.log(unigram)
    found = np.zeros((len(headlines), len(NGRAM_FEATURES)))
    ends = np.flatnonzero(np.diff(rows, append=len(headlines)))
    begin = 0
    for row, end in enumerate((ends + 1).tolist()):
        here = slice(begin + 2, end)  # its words and its end
        values, inside = surprise[here], numbers[begin + 2 : end - 1]
        begin = end
        if not len(inside):
            continue
        listed = words(headlines[row])
        found[row] = (
            values.mean(),
            values.min(),
            np.percentile(values, 20),
            values[0],
            values[-1],
            (two[here] > 0).mean(),
            1 - len(set(listed)) / len(listed),
            sum(len(word) <= SHORT for word in listed) / len(listed),
            np.log(len(listed)),
            (one[here][:-1] == 0).mean(),
        )
    return found


def _products(found: Floats) -> Floats:
    """The features, their squares and products."""
    first, second = np.triu_indices(found.shape[1])
    return np.hstack([found, found[:, first] * found[:, second]])


def fit_ngram_judge(
    headlines: Sequence[str],
    articles: Sequence[str],
    broken: Callable[[int], str | None],
    *,
    seed: int,
    acceptance: float = 0.93,
) -> NgramJudge:
    """Fit the judge: a quarter of the headlines, not counted for it, against the same ones broken.

    `articles` are theirs, one each; `broken` gives the damaged headline of an index, None where it cannot be damaged. A share of
    the quarter, `acceptance`, gets more than a half. The judge has counted all headlines and articles.
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
    return NgramJudge(
        *count_ngrams(headlines, articles), mean, scale, np.append(regression.coef_[0], constant)
    )
