"""The content judge: any pre-trained encoder that also sees which words the two texts share (SPEC §3, HH and AH).

BERT and a linear layer (EvalNLGEval 2020, §3) must learn from scratch what a tf-idf cosine knows: that two texts
with the same rare words speak of the same event. Here `forward` computes it from `input_ids` and adds it in two
places: to the word embeddings, as a class of match for each token, and to the linear layer, as a few features. A long
article is read in full for the words, while the transformer gets only the passages that the headline points to.

One file without an import of ours, so that `register_for_auto_class` can send it to the Hub with the weights.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoConfig, AutoModel, PreTrainedConfig, PreTrainedModel
from transformers.configuration_utils import SubConfigSpec
from transformers.modeling_outputs import SequenceClassifierOutput

#: A word's number is a polynomial in its characters, modulo this prime: it does not depend on how the word was cut.
MODULUS = 2**31 - 1
BASE = 1_000_003
#: Characters of a word that count.
LONGEST_WORD = 48
#: Classes of a token: its word is not in the other text, or is and is common, middling, rare.
MATCH_CLASSES = 4
#: Lexical features, then features of the encoder.
FEATURES = (
    "cosine",
    "coverage_a",
    "coverage_b",
    "rarest_match",
    "rarest_miss",
    "matches",
    "densest",
    "pooled_cosine",
    "late_a",
    "late_b",
)


class PairJudgeConfig(PreTrainedConfig):
    """What a `PairJudgeForSequenceClassification` is made of.

    Attributes:
        encoder: configuration of the transformer.
        separator_token_id: the token between the two texts (once or twice) and at the end.
        word_buckets: numbers that words are hashed to.
        passage_tokens: tokens of the second text that the transformer reads, at most; the lexical part reads all.
        block_tokens: passages are made of blocks of this many tokens.
        match_idf: two values of idf, which part common, middling and rare words.
        head_dropout: dropout before the linear layer, 0 to 1.
    """

    model_type = "change_it_pair_judge"
    sub_configs_defaults = {"encoder": SubConfigSpec(config_class=AutoConfig, model_type="bert")}  # noqa: RUF012

    encoder: PreTrainedConfig | dict[str, Any] | None = None
    separator_token_id: int = 102
    word_buckets: int = 2**17
    passage_tokens: int = 128
    block_tokens: int = 32
    match_idf: tuple[float, float] | list[float] = (4.0, 7.0)
    head_dropout: float = 0.3
    siamese: bool = True
    cross: bool = True


def piece_number(text: str) -> int:
    """Number of a piece of a word: a polynomial in its characters, the first one lowest.

    Args:
        text: characters of the piece, already lower-cased.

    Example:
        >>> whole, first, second = map(piece_number, ("governo", "gov", "erno"))
        >>> whole == (first + second * pow(BASE, 3, MODULUS)) % MODULUS
        True
    """
    return sum(ord(c) * pow(BASE, i, MODULUS) for i, c in enumerate(text)) % MODULUS


def compact(keep: Tensor) -> tuple[Tensor, Tensor]:
    """Where to gather from so that the kept tokens of each row stand together on the left.

    Args:
        keep: bool (rows, tokens).

    Returns:
        Positions, int64 (rows, longest kept), and the mask of those that are kept tokens.

    Example:
        >>> positions, mask = compact(torch.tensor([[True, False, True], [False, True, False]]))
        >>> positions.tolist(), mask.long().tolist()
        ([[0, 2], [1, 0]], [[1, 1], [1, 0]])
    """
    longest = max(1, int(keep.sum(1).max()))
    positions = (~keep).to(torch.int8).argsort(dim=1, stable=True)[:, :longest]
    return positions, keep.gather(1, positions)


class PairJudgeForSequenceClassification(PreTrainedModel):
    """Do two texts (headline and headline, headline and article) speak of the same event?

    Everything is computed from `input_ids`; the two texts are told apart by the separator token, so tokenizers with
    and without token types will do. Logits are those of a linear layer over the pooled pair, plus those of a linear
    layer over `FEATURES`.
    """

    config_class = PairJudgeConfig
    base_model_prefix = "encoder"

    #: Per token of the vocabulary: number of its lower-cased characters, how many they are, and whether it begins a
    #: word (1), goes on with one (2) or is no part of one (0).
    piece_numbers: Tensor
    piece_lengths: Tensor
    piece_kinds: Tensor
    #: Inverse document frequency of each bucket of words.
    idf: Tensor

    def __init__(self, config: PairJudgeConfig):
        super().__init__(config)
        self.encoder = AutoModel.from_config(config.encoder)
        width, vocabulary = config.encoder.hidden_size, config.encoder.vocab_size
        self.match = nn.Embedding(MATCH_CLASSES, width)
        self.dropout = nn.Dropout(config.head_dropout)
        self.classifier = nn.Linear(2 * width, config.num_labels)
        self.features = nn.Linear(len(FEATURES), config.num_labels)
        self.register_buffer("piece_numbers", torch.zeros(vocabulary, dtype=torch.int64))
        self.register_buffer("piece_lengths", torch.zeros(vocabulary, dtype=torch.int64))
        self.register_buffer("piece_kinds", torch.zeros(vocabulary, dtype=torch.int64))
        self.register_buffer("idf", torch.ones(config.word_buckets))
        self.post_init()

    def get_input_embeddings(self) -> nn.Module:
        """Word embeddings of the transformer."""
        return self.encoder.get_input_embeddings()

    def words(self, input_ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The words that the tokens are pieces of.

        Args:
            input_ids: (rows, tokens).

        Returns:
            Three tensors (rows, tokens): the bucket of each token's word (int64), whether the token begins a word,
            whether it is part of one (bool).
        """
        kinds = self.piece_kinds[input_ids]
        inside = kinds > 0
        starts = inside & ((kinds == 1) | ~functional.pad(inside, (1, 0))[:, :-1])
        lengths = self.piece_lengths[input_ids] * inside
        before = lengths.cumsum(1) - lengths
        place = before - torch.where(starts, before, 0).cummax(1).values
        powers = [pow(BASE, i, MODULUS) for i in range(LONGEST_WORD)] + [0]
        power = torch.tensor(powers, device=input_ids.device)[place.clamp(max=LONGEST_WORD)]
        terms = self.piece_numbers[input_ids] * power % MODULUS * inside
        index = (starts.cumsum(1) - 1).clamp(min=0)
        sums = torch.zeros_like(terms).scatter_add_(1, index, terms) % MODULUS
        return sums.gather(1, index) % self.config.word_buckets, starts, inside

    def texts(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Which tokens are the first text, which the second, which are special (three bool tensors (rows, tokens))."""
        separator = (input_ids == self.config.separator_token_id) & (attention_mask > 0)
        after = separator.cumsum(1) > 0
        special = separator.clone()
        special[:, 0] = True
        body = (attention_mask > 0) & ~special
        return body & ~after, body & after, special

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
        **_: Any,
    ) -> SequenceClassifierOutput:
        """Judge a batch of pairs.

        Args:
            input_ids: int64 (rows, tokens), padded on the right.
            attention_mask: (rows, tokens), 0 where padded; all ones if not given.
            token_type_ids: not needed, taken because tokenizers give it.
            labels: int64 (rows,), 1 for a match.

        Returns:
            `logits` (rows, 2) and, with labels, the mean cross-entropy `loss`.
        """
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        features, pooled = self.describe(input_ids, mask)
        logits = self.features(features) + self.classifier(self.dropout(pooled))
        loss = None if labels is None else functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)

    def describe(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Features (rows, len(FEATURES)) and the pooled pair (rows, 2 * width)."""
        first, second, special = self.texts(input_ids, attention_mask)
        buckets, starts, inside = self.words(input_ids)
        weights = self.idf[buckets] * inside
        lexical, shared = self.lexical(buckets, starts & first, starts & second, weights)
        classes = (shared & (first | second)) * (
            1 + (weights > self.config.match_idf[0]).long() + (weights > self.config.match_idf[1]).long()
        )
        keep, densest = self.passages(second, weights * shared * starts)
        semantic = []
        separators = (input_ids == self.config.separator_token_id) & special
        ordinal = separators.cumsum(1)
        cls = special & ~separators
        if self.config.siamese:
            sides = []
            for body, end in ((first, separators & (ordinal == 1)), (keep, separators & (ordinal == ordinal[:, -1:]))):
                positions, mask = compact(cls | body | end)
                hidden = self.encode(input_ids, positions, mask)
                sides.append((hidden, mask, (weights * body).gather(1, positions) * mask))
            semantic = late_interaction(*sides)
        else:
            semantic = lexical.new_zeros(len(lexical), 3)
        if self.config.cross:
            positions, mask = compact(first | special | keep)
            pair = self.encode(input_ids, positions, mask, classes, (second | separators) & (ordinal > 0))
            pooled = torch.cat([pair[:, 0], mean(pair, mask)], dim=1)
        else:
            pooled = lexical.new_zeros(len(lexical), 2 * self.config.encoder.hidden_size)
        return torch.cat([lexical, densest, semantic], dim=1), pooled

    def lexical(self, buckets, a, b, weights):
        counts_a = torch.zeros(len(buckets), self.config.word_buckets, device=buckets.device).scatter_add_(1, buckets, a.float())
        counts_b = torch.zeros(len(buckets), self.config.word_buckets, device=buckets.device).scatter_add_(1, buckets, b.float())
        in_a, in_b = counts_a.gather(1, buckets), counts_b.gather(1, buckets)
        square = weights**2
        dot = (square * in_b * a).sum(1)
        norms = (square * in_a * a).sum(1) * (square * in_b * b).sum(1)
        shared = (in_a > 0) & (in_b > 0)
        wa, wb = weights * a, weights * b
        f = [
            dot / norms.sqrt().clamp(min=1e-6),
            (wa * shared).sum(1) / wa.sum(1).clamp(min=1e-6),
            (wb * shared).sum(1) / wb.sum(1).clamp(min=1e-6),
            (wa * shared).amax(1),
            (wa * ~shared).amax(1),
            (wa * shared).sum(1).log1p(),
        ]
        return torch.stack(f, 1), shared

    def passages(self, second, scores):
        size = self.config.block_tokens
        n = self.config.passage_tokens // size
        block = (second.cumsum(1) - 1).clamp(min=0) // size
        count = int(block.max()) + 1
        totals = torch.zeros(len(second), max(count, n), device=second.device).scatter_add_(1, block, scores * second)
        densest = totals.amax(1, keepdim=True).log1p()
        if count <= n:
            return second, densest
        order = totals - 1e-3 * torch.arange(totals.shape[1], device=second.device)
        order[:, 0] = torch.inf
        chosen = torch.zeros_like(order, dtype=torch.bool).scatter_(1, order.topk(n, dim=1).indices, True)
        return second & chosen.gather(1, block), densest

    def encode(self, input_ids, positions, mask, classes=None, types=None):
        embeddings = self.get_input_embeddings()(input_ids.gather(1, positions))
        if classes is not None:
            embeddings = embeddings + self.match(classes.gather(1, positions))
        kw = {}
        if getattr(self.config.encoder, "type_vocab_size", 0) > 1:
            kw["token_type_ids"] = (types.gather(1, positions) & mask).long() if types is not None else torch.zeros_like(positions)
        return self.encoder(inputs_embeds=embeddings, attention_mask=mask.long(), **kw).last_hidden_state


def mean(hidden, mask):
    w = mask[..., None].float()
    return (hidden * w).sum(1) / w.sum(1)


def late_interaction(a, b):
    (ha, ma, wa), (hb, mb, wb) = a, b
    pooled = functional.cosine_similarity(mean(ha, ma), mean(hb, mb))
    na, nb = functional.normalize(ha, dim=-1), functional.normalize(hb, dim=-1)
    sim = na @ nb.transpose(1, 2)
    sa = sim.masked_fill(wb[:, None] <= 0, -1).amax(2)
    sb = sim.masked_fill(wa[:, :, None] <= 0, -1).amax(1)
    la = (sa * wa).sum(1) / wa.sum(1).clamp(min=1e-6)
    lb = (sb * wb).sum(1) / wb.sum(1).clamp(min=1e-6)
    return torch.stack([pooled, la, lb], 1)
