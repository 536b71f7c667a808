"""BLEU and ROUGE-L against the target outlet's aligned headline and against the original (SPEC 3, ours).

Both on a 0-1 scale over the words of `text.tokens`. Statistics per item first (n-gram counts by
sacrebleu), aggregates from their sums, so that intervals and paired tests need no recount.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU

from change_it.text.rouge import rouge_l_of_words
from change_it.text.tokens import words

Floats = NDArray[np.float64]

#: What `aggregate` returns, in this order.
MEASURES = ("bleu", "rougeL", "bleu_source", "rougeL_source")

_ORDER = 4
#: count, rougeL F1, words of the candidate and the reference, matching and all n-grams of orders 1-4
_WIDTH = 4 + 2 * _ORDER


def statistics(predictions: Sequence[str], golds: Sequence[str], sources: Sequence[str]) -> Floats:
    """Per-item statistics, whose sums `aggregate` understands.

    Args:
        predictions: n new headlines.
        golds: n headlines of the target outlet about the same event.
        sources: n original headlines.

    Returns:
        (n, 24), 12 columns for the golds and 12 for the sources.
    """
    new = [words(text) for text in predictions]
    return np.hstack([_against([words(text) for text in side], new) for side in (golds, sources)])


def _against(references: list[list[str]], candidates: list[list[str]]) -> Floats:
    """(n, 12) statistics of the candidates against one reference each."""
    bleu = BLEU(tokenize="none", force=True, effective_order=True)
    rows = np.ones((len(candidates), _WIDTH))
    for row, reference, candidate in zip(rows, references, candidates, strict=True):
        score = bleu.sentence_score(" ".join(candidate), [" ".join(reference)])
        row[1] = rouge_l_of_words(reference, candidate).f1
        row[2:] = [score.sys_len, score.ref_len, *score.counts, *score.totals]
    return rows


def aggregate(sums: Floats) -> Floats:
    """Corpus BLEU and mean ROUGE-L from summed statistics.

    Args:
        sums: (..., 24), rows of `statistics` added up.

    Returns:
        (..., 4) in the order of `MEASURES`, each in 0-1.
    """
    sides = [sums[..., :_WIDTH], sums[..., _WIDTH:]]
    columns = [
        column
        for side in sides
        for column in (corpus_bleu(side[..., 2:]), side[..., 1] / np.maximum(side[..., 0], 1))
    ]
    return np.stack(columns, axis=-1)


def rouge_columns(items: Floats) -> Floats:
    """ROUGE-L F1 of each item.

    Args:
        items: (n, 24) from `statistics`.

    Returns:
        (n, 2): against the gold headline, against the original.
    """
    return items[:, [1, _WIDTH + 1]]


def corpus_bleu(sums: Floats) -> Floats:
    """BLEU of many samples at once: sacrebleu's formula with its default (exponential) smoothing.

    Args:
        sums: (..., 10): words of the candidates, words of the references, matching n-grams of orders 1-4,
            n-grams of orders 1-4.

    Returns:
        (...,) BLEU in 0-1; 0 where nothing matches or no candidate has four words.
    """
    length, wanted = sums[..., 0], sums[..., 1]
    matching, possible = sums[..., 2 : 2 + _ORDER], sums[..., 2 + _ORDER :]
    halvings = np.cumsum(matching == 0, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(matching > 0, matching, 0.5**halvings) / possible
        brevity = np.where(length < wanted, np.exp(1 - wanted / length), 1.0)
        score = brevity * np.exp(np.log(precision).mean(axis=-1))
    return np.where((possible > 0).all(axis=-1) & (matching > 0).any(axis=-1), score, 0.0)
