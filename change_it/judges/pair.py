"""The content judge: any pre-trained encoder that also sees which words two texts share (HH and AH, EvalNLGEval 2020, section 4).

A plain BERT with a linear layer, as in the paper, has to find out from a few thousand pairs what a tf-idf cosine
knows at once: texts with the same rare words speak of the same event. Here `forward` computes that, and how alike the
encoder finds the two texts, from `input_ids` alone. A long article is searched for shared words in full, while the
encoder reads only its beginning and the passages that the headline points to.

Imports of ours are relative and stay in this folder, so that `register_for_auto_class` can send all of it to the Hub with the weights.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedConfig

from .layers import MODULUS, TwoClassModel, compact, encoder_of, mean

#: What the linear layer sees of a pair: seven lexical features, eight of facts, three of the encoder.
FEATURES = (
    "tf-idf cosine",
    "coverage of the first text",  # share of its idf that the other text has too
    "coverage of the second text",
    "rarest shared word",  # largest idf
    "rarest word missed",  # largest idf of the first text's words that the second has not
    "shared words",  # log of their idf in all
    "densest passage",  # the same in the best block of the second text
    "numbers missed of the first text",  # log of their count
    "numbers missed of the second text",
    "contradicted numbers",  # before a word that has another number before it in the second text
    "names missed of the first text",  # log of the idf in all of words that have a capital and are never without
    "names missed of the second text",
    "contradicted names",  # largest idf of a word that stands beside a name of each text, but not the same one
    "negation in one text",
    "negated words",  # log of the idf in all of shared words that are negated in one text alone
    "pooled cosine",
    "late interaction of the first text",  # mean over its words of the best cosine in the other text
    "late interaction of the second text",
)

#: A word's number is a polynomial in its characters modulo a prime, so it does not depend on how the word was cut.
BASE = 1_000_003
#: Characters of a word that count.
LONGEST_WORD = 48
#: Marks of a piece: it has a digit, it begins with a capital.
DIGIT, CAPITAL = 1, 2
#: Kinds of a word.
NUMBER_WORD, NEGATION, COMMON = 1, 2, 3
#: Words after a negation that it may negate.
NEGATED = 3
#: Texts of like length that the encoder reads at once when it does not learn.
READ_AT_ONCE = 32


class PairJudgeConfig(PreTrainedConfig):
    """What a `PairJudgeForSequenceClassification` is made of.

    Attributes:
        encoder: configuration of the transformer, as `to_dict` gives it; BERT's if None.
        separator_token_id: the token after each text (once or twice between them).
        word_buckets: numbers that words are hashed to.
        passage_tokens: tokens of each text that the encoder reads, at most; the words of all are compared.
        block_tokens: a passage is a block of this many tokens.
        head_dropout: dropout before the linear layer over the pooled pair, 0 to 1.
    """

    model_type = "change_it_pair_judge"

    encoder: dict[str, Any] | None = None
    separator_token_id: int = 102
    word_buckets: int = 2**17
    passage_tokens: int = 128
    block_tokens: int = 32
    head_dropout: float = 0.3


def piece_number(piece: str) -> int:
    """Number of a piece of a word: a polynomial in its characters, the first one lowest.

    Args:
        piece: characters, lower-cased.

    Examples:
        >>> whole, first, second = map(piece_number, ("governo", "gov", "erno"))
        >>> whole == (first + second * pow(BASE, 3, MODULUS)) % MODULUS
        True
    """
    return sum(ord(character) * pow(BASE, place, MODULUS) for place, character in enumerate(piece)) % MODULUS


def equal(first: Tensor, second: Tensor) -> Tensor:
    """Which numbers of two rows are the same, (rows, n) and (rows, m) to bool (rows, n, m); negative ones are not."""
    return (first[:, :, None] == second[:, None]) & (first >= 0)[:, :, None]


def occurrences(numbers: Tensor, others: Tensor) -> Tensor:
    """How often each number of a row, int64 (rows, n), stands in the same row of others (rows, m): int64 (rows, n)."""
    ordered = others.sort(1).values
    return torch.searchsorted(ordered, numbers, right=True) - torch.searchsorted(ordered, numbers)


class PairJudgeForSequenceClassification(TwoClassModel):
    """Do two texts (headline and headline, headline and article) speak of the same event?

    The separator token divides the texts, so tokenizers with and without token types will do; padding is
    on the right. The encoder reads each text on its own. Logits are those of a linear layer over the standardised
    `FEATURES`, plus those of one over `[u, v, |u - v|, u * v]` of the two pooled texts.
    """

    config_class = PairJudgeConfig
    base_model_prefix = "encoder"

    #: For each token of the vocabulary: the number of its characters, how many they are, and whether it begins a
    #: word (1), goes on with one (2) or belongs to none (0).
    piece_numbers: Tensor
    piece_lengths: Tensor
    piece_kinds: Tensor
    #: Whether each token has a digit (1) and begins with a capital (2), or both (3).
    piece_marks: Tensor
    #: Whether the words of each bucket are number words (1), negations (2) or also stand in small letters (3).
    word_kinds: Tensor
    #: Inverse document frequency of the words of each bucket.
    idf: Tensor
    #: Mean and standard deviation of each feature.
    feature_mean: Tensor
    feature_scale: Tensor

    def __init__(self, config: PairJudgeConfig):
        super().__init__(config)
        self.encoder, encoder = encoder_of(config.encoder)
        self.dropout = nn.Dropout(config.head_dropout)
        self.classifier = nn.Linear(4 * encoder.hidden_size, 2)
        self.features = nn.Linear(len(FEATURES), 2)
        for name in ("piece_numbers", "piece_lengths", "piece_kinds", "piece_marks"):
            self.register_buffer(name, torch.zeros(encoder.vocab_size, dtype=torch.int64))
        self.register_buffer("word_kinds", torch.zeros(config.word_buckets, dtype=torch.int64))
        self.register_buffer("idf", torch.ones(config.word_buckets))
        self.register_buffer("feature_mean", torch.zeros(len(FEATURES)))
        self.register_buffer("feature_scale", torch.ones(len(FEATURES)))
        self.post_init()

    def classify(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Logits and the mean cross-entropy; label 1 is a match."""
        features, pooled = self.describe(input_ids, attention_mask)
        logits = self.features((features - self.feature_mean) / self.feature_scale)
        logits = logits + self.classifier(self.dropout(pooled))
        return logits, None if labels is None else functional.cross_entropy(logits.float(), labels)

    def describe(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """What the two linear layers see.

        Args:
            input_ids: int64 (rows, tokens).
            attention_mask: (rows, tokens).

        Returns:
            Features as they are, (rows, len(FEATURES)), and the pooled pair (rows, 4 * width).
        """
        separators = (input_ids == self.config.separator_token_id) & (attention_mask > 0)
        ended = separators.cumsum(1)
        begin = torch.arange(input_ids.shape[1], device=input_ids.device).expand_as(input_ids) == 0
        body = (attention_mask > 0) & ~separators & ~begin
        first, second = body & (ended == 0), body & (ended > 0)

        buckets, starts = self.words(input_ids, body)
        idf = self.idf[buckets] * (self.piece_kinds[input_ids] > 0)
        lexical, shared = self.compare_words(buckets, idf, starts & first, starts & second)
        facts = self.compare_facts(input_ids, buckets, idf, starts & first, starts & second)
        densest, passages = self.find_passages(second, idf * shared * starts)

        opening = first & (first.cumsum(1) <= self.config.passage_tokens)
        one = self.read(input_ids, begin | opening | (separators & (ended == 1)), idf * opening)
        two = self.read(input_ids, begin | passages | (separators & (ended == ended[:, -1:])), idf * passages)
        semantic, pooled = compare_states(*one, *two)
        return torch.cat([lexical, densest, facts, semantic], dim=1), pooled

    def words(self, input_ids: Tensor, body: Tensor) -> tuple[Tensor, Tensor]:
        """The words that tokens are pieces of, whatever their case and wherever they were cut.

        Args:
            input_ids: int64 (rows, tokens).
            body: bool (rows, tokens), the tokens that are text.

        Returns:
            The bucket of each token's word, int64 (rows, tokens), and whether the token begins a word, bool.
        """
        kinds = self.piece_kinds[input_ids]
        inside = (kinds > 0) & body
        starts = inside & ((kinds == 1) | ~functional.pad(inside, (1, 0))[:, :-1])
        lengths = self.piece_lengths[input_ids] * inside
        before = lengths.cumsum(1) - lengths
        place = before - torch.where(starts, before, 0).cummax(1).values
        powers = [pow(BASE, exponent, MODULUS) for exponent in range(LONGEST_WORD)] + [0]
        power = torch.tensor(powers, device=input_ids.device)[place.clamp(0, LONGEST_WORD)]
        terms = self.piece_numbers[input_ids] * power % MODULUS * inside
        word = (starts.cumsum(1) - 1).clamp(min=0)
        numbers = torch.zeros_like(terms).scatter_add_(1, word, terms) % MODULUS
        return numbers.gather(1, word) % self.config.word_buckets, starts

    def compare_words(
        self, buckets: Tensor, idf: Tensor, first: Tensor, second: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The first six features.

        Args:
            buckets: int64 (rows, tokens).
            idf: (rows, tokens).
            first: bool (rows, tokens), the first pieces of the first text's words.
            second: the same of the second text.

        Returns:
            Features (rows, 6), and which tokens' words both texts have, bool (rows, tokens).
        """
        in_first, in_second = (
            occurrences(buckets, buckets.masked_fill(~text, -1)) for text in (first, second)
        )
        shared = (in_first > 0) & (in_second > 0)
        one, two = idf * first, idf * second
        squares = (idf * one * in_first).sum(1) * (idf * two * in_second).sum(1)
        features = [
            (idf * one * in_second).sum(1) / squares.sqrt().clamp(min=1e-6),
            (one * shared).sum(1) / one.sum(1).clamp(min=1e-6),
            (two * shared).sum(1) / two.sum(1).clamp(min=1e-6),
            (one * shared).amax(1),
            (one * ~shared).amax(1),
            (one * shared).sum(1).log1p(),
        ]
        return torch.stack(features, dim=1), shared

    def compare_facts(
        self, input_ids: Tensor, buckets: Tensor, idf: Tensor, first: Tensor, second: Tensor
    ) -> Tensor:
        """The features of numbers, names and negations.

        Args:
            input_ids: int64 (rows, tokens).
            buckets: int64 (rows, tokens).
            idf: (rows, tokens).
            first: bool (rows, tokens), the first pieces of the first text's words.
            second: the same of the second text.

        Returns:
            Features (rows, 8).
        """
        one, two = (self.words_of(input_ids, buckets, idf, starts) for starts in (first, second))
        same = equal(one["bucket"], two["bucket"])  # of the first text's words and the second's
        missed_one = (one["bucket"] >= 0) & ~same.any(2)
        missed_two = (two["bucket"] >= 0) & ~same.any(1)
        number_one, number_two = one["number"] & missed_one, two["number"] & missed_two
        name_one, name_two = one["name"] & missed_one, two["name"] & missed_two
        counted = equal(one["after"], two["after"]) & number_one[:, :, None] & two["number"][:, None]
        beside = torch.maximum(
            equal(one["before"], two["before"]) * one["idf_before"][:, :, None],
            equal(one["after"], two["after"]) * one["idf_after"][:, :, None],
        )
        beside = beside * (name_one[:, :, None] & name_two[:, None])
        differs = same & (one["negated"][:, :, None] != two["negated"][:, None])
        negated = same.any(2) & (differs == same).all(2)
        features = [
            number_one.sum(1).to(idf.dtype).log1p(),
            number_two.sum(1).to(idf.dtype).log1p(),
            counted.any(2).sum(1).to(idf.dtype).log1p(),
            (one["idf"] * name_one).sum(1).log1p(),
            (two["idf"] * name_two).sum(1).log1p(),
            beside.amax((1, 2)),
            (one["negation"].any(1) != two["negation"].any(1)).to(idf.dtype),
            (one["idf"] * negated).sum(1).log1p(),
        ]
        return torch.stack(features, dim=1)

    def words_of(self, input_ids: Tensor, buckets: Tensor, idf: Tensor, starts: Tensor) -> dict[str, Tensor]:
        """What is known of each word of a text, (rows, words); the bucket of no word is -1."""
        positions, mask = compact(starts)
        bucket = buckets.gather(1, positions).masked_fill(~mask, -1)
        weights = idf.gather(1, positions) * mask
        marks = self.piece_marks[input_ids.gather(1, positions)] * mask
        kinds = self.word_kinds[bucket.clamp(min=0)] * mask
        negation, number = kinds == NEGATION, ((marks & DIGIT) > 0) | (kinds == NUMBER_WORD)
        padded = functional.pad(negation, (NEGATED, 0))
        negated = torch.stack([padded[:, n : n + mask.shape[1]] for n in range(NEGATED)]).any(0)
        return {
            "bucket": bucket,
            "before": functional.pad(bucket, (1, 0), value=-1)[:, :-1],
            "after": functional.pad(bucket, (0, 1), value=-1)[:, 1:],
            "idf": weights,
            "idf_before": functional.pad(weights, (1, 0))[:, :-1],
            "idf_after": functional.pad(weights, (0, 1))[:, 1:],
            "number": number,
            "name": ((marks & CAPITAL) > 0) & (kinds != COMMON) & ~number,
            "negation": negation,
            "negated": negated & mask,
        }

    def find_passages(self, second: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Choose what the encoder reads of the second text: its beginning and the blocks with most shared words.

        Args:
            second: bool (rows, tokens), the second text.
            scores: (rows, tokens), idf of the shared words at their first pieces.

        Returns:
            The feature "densest passage" (rows, 1), and the chosen tokens, bool (rows, tokens).
        """
        block = (second.cumsum(1) - 1).clamp(min=0) // self.config.block_tokens
        blocks = int(block.max()) + 1
        wanted = max(1, self.config.passage_tokens // self.config.block_tokens)
        totals = scores.new_zeros(len(second), blocks).scatter_add_(1, block, scores * second)
        densest = totals.amax(1, keepdim=True).log1p()
        if blocks <= wanted:
            return densest, second
        ranks = totals - 1e-3 * torch.arange(blocks, device=totals.device)  # the earlier of two equals
        ranks[:, 0] = torch.inf
        best = torch.zeros_like(ranks, dtype=torch.bool)
        best = best.scatter(1, ranks.topk(wanted, dim=1).indices, True)
        return densest, second & best.gather(1, block)

    def read(self, input_ids: Tensor, keep: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run the encoder over the kept tokens.

        Args:
            input_ids: int64 (rows, tokens).
            keep: bool (rows, tokens).
            weights: (rows, tokens), what each token counts in the late interaction.

        Returns:
            States (rows, kept, width), their mask (rows, kept) and their weights (rows, kept).
        """
        positions, mask = compact(keep)
        ids = input_ids.gather(1, positions).masked_fill(~mask, -1)
        states = self.encode(ids) if self.training else self.encode_distinct(ids)
        return states, mask, weights.gather(1, positions) * mask

    def encode(self, ids: Tensor) -> Tensor:
        """States (rows, tokens, width) of tokens, int64 (rows, tokens); negative ones are padding."""
        states: Tensor = self.encoder(
            input_ids=ids.clamp(min=0), attention_mask=(ids >= 0).long()
        ).last_hidden_state
        return states

    def encode_distinct(self, ids: Tensor) -> Tensor:
        """The same without gradients: a text that is held against several others is read once, and short ones are not padded to the longest."""
        distinct, rows = ids.unique(dim=0, return_inverse=True)
        lengths = (distinct >= 0).sum(1)
        parts = lengths.argsort().split(READ_AT_ONCE)
        states = [self.encode(distinct[part, : int(lengths[part[-1]])]) for part in parts]
        padded = [functional.pad(each, (0, 0, 0, ids.shape[1] - each.shape[1])) for each in states]
        return torch.cat(padded)[torch.cat(parts).argsort()[rows]]


def compare_states(
    first: Tensor,
    first_mask: Tensor,
    first_weights: Tensor,
    second: Tensor,
    second_mask: Tensor,
    second_weights: Tensor,
) -> tuple[Tensor, Tensor]:
    """The encoder's features of two texts.

    Args:
        first: states of the first text (rows, tokens, width).
        first_mask: bool (rows, tokens).
        first_weights: (rows, tokens); tokens of weight 0 take no part in the late interaction.
        second: states of the second text, whose number of tokens may differ.
        second_mask: its mask.
        second_weights: its weights.

    Returns:
        Pooled cosine and both late interactions (rows, 3), and the pooled pair (rows, 4 * width).
    """
    one, two = mean(first, first_mask), mean(second, second_mask)
    cosines = functional.normalize(first, dim=-1) @ functional.normalize(second, dim=-1).transpose(1, 2)
    late_first = cosines.masked_fill(second_weights[:, None] <= 0, 0.0).amax(2)
    late_second = cosines.masked_fill(first_weights[:, :, None] <= 0, 0.0).amax(1)
    semantic = [
        functional.cosine_similarity(one, two),
        mean(late_first, first_weights),
        mean(late_second, second_weights),
    ]
    return torch.stack(semantic, dim=1), torch.cat([one, two, (one - two).abs(), one * two], dim=1)
