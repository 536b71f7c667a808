"""A judge of fluency before training, which knows the words of its corpus.

What it knows: counts of n-grams of word pieces and of classes of pieces, embeddings and classes by the pieces' neighbours
(after Schütze 1995), and linear layers that start at the solution of a logistic regression.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix, hstack
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from change_it.judges.encoders import class_labels, load_encoder, load_encoder_weights, train_wordpiece
from change_it.judges.fluency import (
    CLASS_OFFSETS,
    IGNORED,
    PIECE_OFFSETS,
    STEPS,
    FluencyJudgeConfig,
    FluencyJudgeForSequenceClassification,
    buckets,
)
from change_it.judges.fluency_data import PARTS, FluencyData, FluencyExamples
from change_it.judges.judge_options import SCRATCH, VOCABULARY, JudgeSettings
from change_it.stats import Ints

#: A judge and its tokenizer.
Started = tuple[FluencyJudgeForSequenceClassification, PreTrainedTokenizerBase]

LABELS = ("broken", "printed")
#: Examples that the linear layers start from.
WARM = 4000
#: Cells of one direction and size of the embeddings of a scratch encoder.
SIZES = {"tiny": (96, 64), "small": (192, 96), "base": (384, 192)}
#: Characters of a text that word pieces are learnt from.
PIECED = 600
#: Tokens of an article's opening that words are counted in.
OPENING_TOKENS = 400
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


def build(settings: JudgeSettings, data: FluencyData, families: Sequence[str]) -> Started:
    """A fluency judge that knows the corpus's words and has seen a few broken headlines, and its tokenizer."""
    scratch = settings.encoder == SCRATCH
    cells, dimensions = SIZES[settings.size]
    config: Any = None
    if scratch:
        texts = [text[:PIECED] for text in data.counted]
        tokenizer = train_wordpiece(texts, VOCABULARY[settings.size], lowercase=True)
    else:
        tokenizer, config = load_encoder(settings.encoder)
    options = {"truncation": True, "max_length": settings.max_tokens}
    rows = tokenizer(data.counted[: data.titles], **options)["input_ids"]
    options |= {"max_length": OPENING_TOKENS, "add_special_tokens": False}
    rows += tokenizer(data.counted[data.titles :], **options)["input_ids"]
    vocabulary = len(tokenizer) if scratch else config.vocab_size
    vectors, classes = learn_neighbours(rows, vocabulary, dimensions, settings.seed)
    model = FluencyJudgeForSequenceClassification(
        FluencyJudgeConfig(
            encoder=None if scratch else config.to_dict(),
            vocab_size=vocabulary,
            embedding_size=dimensions,
            hidden_size=cells if scratch else config.hidden_size,
            buckets=bucket_count(sum(map(len, rows))),
            groupings=len(GROUPINGS),
            **class_labels(LABELS),
        )
    )
    model.classes.copy_(classes)
    learn_counts(model, rows, data.counted_parts, PARTS)
    if scratch:
        with torch.no_grad():
            model.encoder.embeddings.weight.copy_(vectors + 0.1 * torch.randn_like(vectors))
    else:
        loaded = load_encoder_weights(settings.encoder, config)
        model.encoder.load_state_dict(loaded.state_dict(), strict=False)  # without the pooler
    examples = FluencyExamples(data, tokenizer, families, max_tokens=settings.max_tokens, seed=settings.seed)
    chosen = np.random.default_rng(settings.seed).permutation(len(examples))[:WARM].tolist()
    parts = (chosen[start : start + 64] for start in range(0, len(chosen), 64))
    warm_start(model, [examples.collate([examples[row] for row in part]) for part in parts])
    return model, tokenizer


def bucket_count(pieces: int) -> int:
    """Buckets for the n-grams of that many pieces, a power of two."""
    return 1 << int(np.clip(np.ceil(np.log2(max(1, pieces))), *BUCKET_BITS))


def learn_neighbours(
    rows: Sequence[Sequence[int]], vocabulary: int, dimensions: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Vectors (vocabulary, dimensions) of length 1 or 0, and classes (groupings, vocabulary), of pieces: alike are those that stand beside the same frequent pieces."""
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
        kept = column[beside] >= 0
        entries = np.ones(kept.sum()), (pieces[kept], column[beside[kept]])
        table = csr_matrix(entries, shape=(vocabulary, len(contexts)))
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
    """Fill the counts of a judge, whose classes are known, from the pieces of texts: of all, and without each part (from 1)."""
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
        numbers, part = buckets(ids, offsets, size)[within], part_of[: len(part_of) - last][within]
        counts = torch.bincount(numbers, minlength=size)
        judge.counts[table] = _logarithms(counts)
        for number in range(parts):
            of_part = torch.bincount(numbers[part == number + 1], minlength=size)
            judge.without[number, table] = _logarithms(counts - of_part)


def _logarithms(counts: Tensor) -> Tensor:
    return (STEPS * counts.float().log1p()).round().clamp(max=255).to(torch.uint8)


@torch.no_grad()
def warm_start(judge: FluencyJudgeForSequenceClassification, batches: Sequence[dict[str, Tensor]]) -> None:
    """Start the linear layers at the solutions of two logistic regressions on these batches, and all above them at nothing."""
    for layers in (judge.junction, judge.headline):
        for parameter in layers[-1].parameters():
            torch.nn.init.zeros_(parameter)
    evidence = [judge.evidence_of(batch["input_ids"], batch.get("parts")) for batch in batches]
    asked = [batch["junction_labels"] != IGNORED for batch in batches]
    seen = torch.cat([of_batch[kept] for of_batch, kept in zip(evidence, asked, strict=True)])
    broken = torch.cat([batch["junction_labels"][kept] for batch, kept in zip(batches, asked, strict=True)])
    judge.feature_mean.copy_(seen.mean(0))
    judge.feature_scale.copy_(seen.std(0) + 0.1)
    _fit(judge.evidence, (seen - judge.feature_mean) / judge.feature_scale, broken)
    summaries = []
    for batch in batches:
        of_batch = judge.evidence_of(batch["input_ids"], batch.get("parts"))
        junctions = judge.evidence(of_batch).squeeze(-1)
        summaries.append(judge.summarise(batch["input_ids"], batch["attention_mask"], junctions))
    summary = torch.cat(summaries)
    judge.summary_mean.copy_(summary.mean(0))
    judge.summary_scale.copy_(summary.std(0) + 0.01)
    printed = torch.cat([batch["labels"] for batch in batches])
    asked_for = printed != IGNORED
    scaled = (summary - judge.summary_mean) / judge.summary_scale
    _fit(judge.summary, scaled[asked_for], printed[asked_for])


def _fit(layer: torch.nn.Linear, inputs: Tensor, labels: Tensor) -> None:
    if len(labels.unique()) == 2:
        regression = LogisticRegression(max_iter=500).fit(inputs.double().numpy(), labels.numpy())
        layer.weight.copy_(torch.tensor(regression.coef_))
        layer.bias.copy_(torch.tensor(regression.intercept_))
