"""Plain baselines that every judge is printed beside, and the scores of both: a judge must beat them to mean anything.

main: logistic regression on character n-grams. HH and AH: a threshold on the cosine of two texts, by tf-idf or by the
mean-pooled vectors of a frozen encoder. That of fluency is `judges.ngram`. All learn from the judge's own training and
validation examples.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_fscore_support
from sklearn.pipeline import make_pipeline
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from change_it.judges.data import Examples
from change_it.judges.judge import encode
from change_it.progress import bar
from change_it.stats import AVERAGE, Floats, Ints, Statistics, measure

Predict = Callable[[Examples], Ints]
Cosines = Callable[[Sequence[str], Sequence[str]], Floats]

#: Examples that the frozen encoder's threshold is chosen on, at most.
THRESHOLD_EXAMPLES = 2000
#: Tokens of an article that the frozen encoder reads.
FROZEN_TOKENS = 256


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


def lead(labels: Ints, judge: Ints, baseline: Ints, events: Sequence[str]) -> dict[str, float]:
    """Mean F1 of a judge less that of a baseline on the same (n,) examples: `value`, and `low` and `high` of its 95% interval, drawn by event.

    Examples:
        >>> lead(np.array([0, 1]), np.array([0, 1]), np.array([1, 0]), ["x", "x"])
        {'value': 1.0, 'low': 1.0, 'high': 1.0}
    """
    columns: dict[str, Floats] = {}
    for name, given in (("judge", judge), ("baseline", baseline)):
        for label in (0, 1):
            columns[f"{name} hits {label}"] = ((given == label) & (labels == label)).astype(np.float64)
            columns[f"{name} said {label}"] = (given == label) + (labels == label).astype(np.float64)

    def mean_f1(sums: Statistics, name: str) -> Floats:
        f1 = [2 * sums[f"{name} hits {i}"] / np.maximum(sums[f"{name} said {i}"], 1) for i in (0, 1)]
        return (f1[0] + f1[1]) / 2

    scored = measure(
        columns, lambda sums: {"lead": mean_f1(sums, "judge") - mean_f1(sums, "baseline")}, events=events
    )
    return scored[AVERAGE]["lead"]._asdict()


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
        row_of = {text: row for row, text in enumerate(dict.fromkeys([*first, *second]))}
        matrix = vectors.transform(row_of)
        left, right = (matrix[[row_of[text] for text in texts]] for texts in (first, second))
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()

    return cosines


def frozen_cosine(encoder: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Cosines:
    """Cosine of the mean of an encoder's last states; each distinct text is read once."""
    limit = min(FROZEN_TOKENS, tokenizer.model_max_length)
    vectors: dict[str, Floats] = {}

    @torch.no_grad()
    def read(texts: Sequence[str]) -> None:
        encoder.eval()
        new = sorted({text for text in texts if text not in vectors}, key=lambda text: (-len(text), text))
        for start in bar("frozen encoder", items=range(0, len(new), 32)):
            some = new[start : start + 32]
            batch = encode(tokenizer, some, max_tokens=limit).to(encoder.device)
            mask = batch["attention_mask"]
            states = encoder(input_ids=batch["input_ids"], attention_mask=mask).last_hidden_state
            mean = (states * mask.unsqueeze(-1)).sum(dim=1) / mask.unsqueeze(-1).sum(dim=1)
            unit = torch.nn.functional.normalize(mean, dim=-1).double().cpu().numpy()
            vectors.update(zip(some, unit, strict=True))

    def cosines(first: Sequence[str], second: Sequence[str]) -> Floats:
        read([*first, *second])
        return np.array([vectors[a] @ vectors[b] for a, b in zip(first, second, strict=True)])

    return cosines


def some_of(examples: Examples, *, seed: int, at_most: int = THRESHOLD_EXAMPLES) -> Examples:
    """A random part of the examples; themselves if they are few."""
    if len(examples) <= at_most:
        return examples
    return examples.select(some_rows(len(examples), seed=seed, at_most=at_most))


def some_rows(count: int, *, seed: int, at_most: int) -> Ints:
    """Positions of a random part of `count` examples, rising."""
    if count <= at_most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).permutation(count)[:at_most])
