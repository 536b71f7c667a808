"""Plain baselines that every judge is printed beside: a judge must beat them to mean anything.

main: logistic regression on character n-grams. HH and AH: a threshold on the cosine of two texts, by tf-idf or by the
mean-pooled vectors of a frozen encoder. All learn from the judge's own training and validation examples.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from change_it.judges.data import Examples
from change_it.judges.judge import encode
from change_it.progress import tracked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Predict = Callable[[Examples], Ints]
Cosines = Callable[[Sequence[str], Sequence[str]], Floats]

#: Examples that the frozen encoder's threshold is chosen on, at most.
THRESHOLD_EXAMPLES = 2000
#: Tokens of an article that the frozen encoder reads.
FROZEN_TOKENS = 256


def character_ngrams(train: Examples, *, seed: int) -> Predict:
    """Logistic regression on tf-idf of character 1- to 4-grams, cased.

    Args:
        train: headlines and outlets.
        seed: of the solver.

    Returns:
        A function from examples to (n,) classes.
    """
    vectors = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(1, 4), lowercase=False, min_df=2, sublinear_tf=True, dtype=np.float32
    )
    model = make_pipeline(vectors, LogisticRegression(C=5.0, max_iter=300, random_state=seed))
    model.fit(train.texts, train.labels)
    return lambda examples: np.asarray(model.predict(examples.texts), dtype=np.int64)


def best_threshold(scores: Floats, labels: Ints) -> float:
    """The cut with the highest macro F1 when scores above it are class 1.

    Args:
        scores: (n,) any order.
        labels: (n,) 0 or 1.

    Returns:
        Midway between two neighbouring scores.

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
    """Match where the cosine is above a threshold chosen on the training examples.

    Args:
        train: pairs.
        cosines: cosine of each pair of texts.
    """
    cut = best_threshold(cosines(train.texts, train.pairs or []), train.labels)
    return lambda examples: (cosines(examples.texts, examples.pairs or []) > cut).astype(np.int64)


def tfidf_cosine(texts: Sequence[str]) -> Cosines:
    """Cosine of tf-idf vectors over words of any script.

    Args:
        texts: what document frequencies are taken from.
    """
    vectors = TfidfVectorizer(token_pattern=r"[^\W_]+")
    vectors.fit(texts)

    def cosines(first: Sequence[str], second: Sequence[str]) -> Floats:
        place = {text: row for row, text in enumerate(dict.fromkeys([*first, *second]))}
        matrix = vectors.transform(place)
        one, other = (matrix[[place[text] for text in texts]] for texts in (first, second))
        return np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64).ravel()

    return cosines


def frozen_cosine(encoder: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Cosines:
    """Cosine of the mean of the last layer's vectors; each distinct text is read once.

    Args:
        encoder: returns `.last_hidden_state`; used on its own device.
        tokenizer: its tokenizer.
    """
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
