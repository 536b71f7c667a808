"""Making a fluency judge to train: what it knows of the corpus before it has seen a broken headline.

Counts of n-grams of word pieces and of classes of pieces, embeddings and classes by the pieces' neighbours (after
Schütze 1995), and linear layers that start at the solution of a logistic regression.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from change_it.judges.fluency import (
    CLASS_OFFSETS,
    IGNORED,
    PIECE_OFFSETS,
    STEPS,
    FluencyJudgeForSequenceClassification,
    buckets,
)

#: Classes of each grouping.
GROUPINGS = (40, 160)
#: Frequent pieces that others are compared by, left and right of them.
CONTEXTS = 1000
#: A piece that stands more rarely takes the class of the nearest centre and is no part of its mean.
FREQUENT = 5
#: Buckets of the counts, at least and at most, as powers of two.
BUCKET_BITS = 16, 22
#: Buckets of the count that finds n-grams which stand once, as a power of two.
ONCE_BITS = 24

Ints = NDArray[np.int64]


def bucket_count(pieces: int) -> int:
    """Buckets for the n-grams of that many pieces, a power of two."""
    return 1 << int(np.clip(np.ceil(np.log2(max(1, pieces))), *BUCKET_BITS))


def learn_neighbours(
    rows: Sequence[Sequence[int]], vocabulary: int, dimensions: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Vectors and classes of pieces: alike are those that stand beside the same frequent pieces.

    Args:
        rows: pieces of texts.
        vocabulary: number of different pieces.
        dimensions: of the vectors.
        seed: of the clusters.

    Returns:
        Vectors of length 1 (vocabulary, dimensions), zeros for pieces without neighbours, and classes, int64
        (groupings, vocabulary).
    """
    flat = np.fromiter((piece for row in rows for piece in (*row, -1)), np.int64)
    left, right = flat[:-1], flat[1:]
    inside = (left >= 0) & (right >= 0)
    left, right = left[inside], right[inside]
    counts = np.bincount(flat[flat >= 0], minlength=vocabulary)
    contexts = np.argsort(-counts, kind="stable")[:CONTEXTS]
    column = np.full(vocabulary, -1)
    column[contexts] = np.arange(len(contexts))

    def associations(pieces: Ints, beside: Ints) -> csr_matrix:
        """Positive pointwise mutual information of pieces and the frequent ones beside them."""
        known = column[beside] >= 0
        table = csr_matrix(
            (np.ones(known.sum()), (pieces[known], column[beside[known]])), shape=(vocabulary, len(contexts))
        )
        table.sum_duplicates()
        of_piece, of_context = np.asarray(table.sum(1)).ravel(), np.asarray(table.sum(0)).ravel() ** 0.75
        at = np.repeat(np.arange(vocabulary), np.diff(table.indptr))
        expected = of_piece[at] * of_context[table.indices] / max(of_context.sum(), 1)
        table.data = np.maximum(np.log(table.data / np.maximum(expected, 1e-9)), 0)
        return table

    both = hstack([associations(left, right), associations(right, left)]).tocsr()
    size = min(dimensions, min(both.shape) - 1)
    vectors = TruncatedSVD(size, n_iter=3, random_state=seed).fit_transform(both)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    frequent = np.flatnonzero(counts >= FREQUENT)
    frequent = frequent if len(frequent) else np.arange(vocabulary)
    classes = [
        MiniBatchKMeans(min(number, len(frequent)), n_init=1, batch_size=2048, max_iter=60, random_state=seed)
        .fit(vectors[frequent], sample_weight=np.sqrt(counts[frequent]))
        .predict(vectors)
        for number in GROUPINGS
    ]
    padded = np.zeros((vocabulary, dimensions), dtype=np.float32)
    padded[:, :size] = vectors
    return torch.from_numpy(padded), torch.from_numpy(np.stack(classes).astype(np.int64))


def learn_counts(
    judge: FluencyJudgeForSequenceClassification,
    rows: Sequence[Sequence[int]],
    part_of_row: Sequence[int],
    parts: int,
) -> None:
    """Fill the counts of a judge, of all texts and without each part.

    Args:
        judge: changed in place; its classes are known.
        rows: pieces of texts; headlines with the pieces that begin and end them.
        part_of_row: part of each text, from 1 to `parts`.
        parts: number of parts.
    """
    lengths = torch.tensor([len(row) for row in rows])
    flat = torch.tensor([piece for row in rows for piece in row])
    row_of = torch.repeat_interleave(torch.arange(len(rows)), lengths)
    part_of = torch.tensor(list(part_of_row))[row_of]
    tables = [(flat, offsets) for offsets in PIECE_OFFSETS]
    tables += [(classes[flat], offsets) for classes in judge.classes for offsets in CLASS_OFFSETS]
    size = judge.config.buckets
    judge.without = torch.zeros(parts, *judge.counts.shape, dtype=torch.uint8)
    for table, (ids, offsets) in enumerate(tables):
        last = offsets[-1]
        within = row_of[: len(row_of) - last] == row_of[last:]
        if len(offsets) > 2 and len(flat) > size // 2:  # n-grams that stand once would fill the buckets
            wide = buckets(ids, offsets, 1 << ONCE_BITS)
            within &= torch.bincount(wide[within], minlength=1 << ONCE_BITS)[wide] > 1
        found, part = buckets(ids, offsets, size)[within], part_of[: len(part_of) - last][within]
        counts = torch.bincount(found, minlength=size)
        judge.counts[table] = _logarithms(counts)
        for number in range(parts):
            own = torch.bincount(found[part == number + 1], minlength=size)
            judge.without[number, table] = _logarithms(counts - own)


def _logarithms(counts: Tensor) -> Tensor:
    return (STEPS * counts.float().log1p()).round().clamp(max=255).to(torch.uint8)


def junction_labels(
    rows: Sequence[Sequence[int]], sources: Sequence[Sequence[int] | None], width: int
) -> Tensor:
    """Which neighbours did not stand side by side in the text that a row was made of.

    Args:
        rows: pieces of each text.
        sources: pieces of the printed text; None if the row was not made of one.
        width: junctions of a padded row.

    Returns:
        int64 (rows, width): 1 for broken, `IGNORED` past the end and where there is no source.

    Examples:
        >>> junction_labels([[1, 7, 5, 2], [1, 5, 2]], [[1, 5, 7, 2], None], 3).tolist()
        [[1, 1, 1], [-100, -100, -100]]
    """
    labels = np.full((len(rows), width), IGNORED, dtype=np.int64)
    for place, (row, source) in enumerate(zip(rows, sources, strict=True)):
        if source is not None:
            known = set(itertools.pairwise(source))
            labels[place, : len(row) - 1] = [pair not in known for pair in itertools.pairwise(row)]
    return torch.from_numpy(labels)


@torch.no_grad()
def warm_start(judge: FluencyJudgeForSequenceClassification, batches: Sequence[dict[str, Any]]) -> None:
    """Start the linear layers at the solutions of two logistic regressions, and all above them at nothing.

    Args:
        judge: changed in place.
        batches: of printed and broken headlines with `labels`, `junction_labels` and `parts`.
    """
    for layers in (judge.junction, judge.headline):
        for parameter in layers[-1].parameters():
            torch.nn.init.zeros_(parameter)
    found = [judge.evidence_of(batch["input_ids"], batch.get("parts")) for batch in batches]
    asked = [batch["junction_labels"] != IGNORED for batch in batches]
    seen = torch.cat([evidence[kept] for evidence, kept in zip(found, asked, strict=True)])
    broken = torch.cat([batch["junction_labels"][kept] for batch, kept in zip(batches, asked, strict=True)])
    judge.feature_mean.copy_(seen.mean(0))
    judge.feature_scale.copy_(seen.std(0) + 0.1)
    _fit(judge.evidence, (seen - judge.feature_mean) / judge.feature_scale, broken)
    summaries = []
    for batch in batches:
        evidence = judge.evidence_of(batch["input_ids"], batch.get("parts"))
        junctions = judge.evidence(evidence).squeeze(-1)
        summaries.append(judge.summarise(batch["input_ids"], batch["attention_mask"], junctions))
    summary = torch.cat(summaries)
    judge.summary_mean.copy_(summary.mean(0))
    judge.summary_scale.copy_(summary.std(0) + 0.01)
    printed = torch.cat([batch["labels"] for batch in batches])
    known = printed != IGNORED
    scaled = (summary - judge.summary_mean) / judge.summary_scale
    _fit(judge.summary, scaled[known], printed[known])


def _fit(layer: torch.nn.Linear, inputs: Tensor, labels: Tensor) -> None:
    if len(labels.unique()) == 2:
        found = LogisticRegression(max_iter=500).fit(inputs.double().numpy(), labels.numpy())
        layer.weight.copy_(torch.tensor(found.coef_))
        layer.bias.copy_(torch.tensor(found.intercept_))
