"""The style judge: any pre-trained encoder beside a logistic regression on n-grams (main, EvalNLGEval 2020, section 4).

House style lives in typography and set phrases, which n-grams of characters and of words see at once and a small
encoder learns with difficulty. Here `forward` counts them from `input_ids` alone, weighs them as tf-idf and a logistic
regression would, and adds what the encoder makes of the headline. The encoder is trained on a loss of its own: n-grams are
too sure of the headlines they were fitted on to leave it anything.

Imports of ours are relative and stay in this folder, so that `register_for_auto_class` can send all of it to the Hub with the weights.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedConfig

from .layers import MODULUS, TwoClassModel, binary_loss, compact, encoder_of, mean, two_logits

#: Kinds of pieces: of no text, beginning a word, going on with one, and saying what case the next one has.
NONE, BEGINS, GOES_ON, MARKER = range(4)
#: Characters of a piece that are seen.
LONGEST_PIECE = 24
SPACE = ord(" ")
#: Around each headline, so that n-grams know its beginning and its end.
START, END = 2, 3
BASE = 1_000_003


class StyleJudgeConfig(PreTrainedConfig):
    """What a `StyleJudgeForSequenceClassification` is made of.

    Attributes:
        encoder: configuration of the transformer, as `to_dict` gives it; BERT's if None.
        pieces: number of ids of the tokenizer, markers included.
        buckets: numbers that n-grams are hashed to.
        character_ngrams: longest n-gram of characters.
        piece_ngrams: longest n-gram of pieces.
        class_ngrams: longest n-gram of words of which only the frequent ones are seen as they are; 0 without.
        head_dropout: dropout before the linear layer, 0 to 1.
    """

    model_type = "change_it_style_judge"

    encoder: dict[str, Any] | None = None
    pieces: int = 30522
    buckets: int = 2**20
    character_ngrams: int = 5
    piece_ngrams: int = 3
    class_ngrams: int = 0
    head_dropout: float = 0.3


def kept_values(values: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
    """The kept values of each row side by side on the left.

    Args:
        values: (rows, tokens).
        keep: bool (rows, tokens).

    Returns:
        Values (rows, most kept), 0 where there are none left, and which of them are kept ones, bool.

    Examples:
        >>> keep = torch.tensor([[True, False, True], [False, True, False]])
        >>> kept_values(torch.tensor([[5, 6, 7], [5, 6, 7]]), keep)[0]
        tensor([[5, 7],
                [6, 0]])
    """
    positions, kept = compact(keep)
    return values.gather(1, positions) * kept, kept


def ngram_numbers(units: Tensor, lengths: Tensor, longest: int, salt: int) -> list[tuple[Tensor, Tensor]]:
    """Numbers of the n-grams of each row, for n from 1 to `longest`.

    Args:
        units: int64 (rows, units), below 2**31.
        lengths: int64 (rows,), units of each row; the others are padding.
        longest: largest n.
        salt: tells units of one kind from those of another.

    Returns:
        For each n that fits: numbers, int64 (rows, units - n + 1), and which are inside the row, bool.
    """
    found = []
    numbers = torch.full_like(units, salt)
    for n in range(1, min(longest, units.shape[1]) + 1):
        # The units are spread first: sums of neighbouring code points would meet.
        last = (units[:, n - 1 :] + 1) * 48_271 % MODULUS
        numbers = (numbers[:, : last.shape[1]] * BASE + last + n) % MODULUS
        positions = torch.arange(numbers.shape[1], device=units.device)
        found.append((numbers, positions < (lengths - n + 1)[:, None]))
    return found


class StyleJudgeForSequenceClassification(TwoClassModel):
    """Which of two outlets wrote a headline?

    The logit of the second outlet against the first is `mix[0]` times that of the n-grams, plus `mix[1]` times that of
    the encoder, plus `mix[2]`.
    """

    config_class = StyleJudgeConfig
    base_model_prefix = "encoder"

    #: int32 (pieces, LONGEST_PIECE): characters of each piece, 0 after its end.
    piece_characters: Tensor
    #: uint8 (pieces,): kind of each piece.
    piece_kinds: Tensor
    #: int64 (2, pieces): class of a word that is this piece, and of one that begins with it; see `class_ngrams`.
    piece_classes: Tensor
    #: Inverse document frequency and weight of the n-grams of each bucket.
    idf: Tensor
    weights: Tensor
    intercept: Tensor
    mix: Tensor

    def __init__(self, config: StyleJudgeConfig):
        super().__init__(config)
        self.encoder, encoder = encoder_of(config.encoder)
        self.dropout = nn.Dropout(config.head_dropout)
        self.classifier = nn.Linear(encoder.hidden_size, 1)
        shape = (config.pieces, LONGEST_PIECE)
        self.register_buffer("piece_characters", torch.zeros(shape, dtype=torch.int32))
        self.register_buffer("piece_kinds", torch.zeros(config.pieces, dtype=torch.uint8))
        if config.class_ngrams:
            self.register_buffer("piece_classes", torch.zeros(2, config.pieces, dtype=torch.int64))
        self.register_buffer("idf", torch.zeros(config.buckets))
        self.register_buffer("weights", torch.zeros(config.buckets))
        self.register_buffer("intercept", torch.zeros(()))
        self.register_buffer("mix", torch.tensor([1.0, 0.0, 0.0]))
        self.post_init()

    def classify(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Logits, those of the encoder alone in training, and the encoder's mean cross-entropy; label 0 is the first outlet."""
        asked = self.training or labels is not None or bool(self.mix[1])
        encoder = self.read(input_ids, attention_mask) if asked else self.mix.new_zeros(len(input_ids))
        logit = encoder
        if not self.training:
            ngrams = self.count(input_ids, attention_mask)
            logit = self.mix[0] * ngrams + self.mix[1] * encoder + self.mix[2]
        return two_logits(logit), binary_loss(encoder, labels)

    def read(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The encoder's logit of the second outlet, (rows,); it does not see the markers of case."""
        ids, mask = kept_values(input_ids, (attention_mask > 0) & (self.piece_kinds[input_ids] != MARKER))
        states = self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        logit: Tensor = self.classifier(self.dropout(mean(states, mask))).squeeze(-1)
        return logit

    def count(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The n-grams' logit of the second outlet, (rows,)."""
        rows, buckets, values = self.weigh(input_ids, attention_mask)
        logit = values.new_zeros(len(input_ids)).index_add(0, rows, values * self.weights[buckets])
        return logit + self.intercept

    def weigh(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The tf-idf vectors of a batch, of length 1: (1 + ln count) * idf.

        Args:
            input_ids: int64 (rows, tokens).
            attention_mask: (rows, tokens).

        Returns:
            Row, bucket and value of each entry, sorted by row and bucket.
        """
        rows, buckets, counts = self.ngrams(input_ids, attention_mask)
        values = (1 + counts.to(self.idf.dtype).log()) * self.idf[buckets]
        squares = values.new_zeros(len(input_ids)).index_add(0, rows, values * values)
        return rows, buckets, values / squares.sqrt().clamp(min=1e-6)[rows]

    def ngrams(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """How often each row has n-grams of each bucket: row, bucket and count of each entry, sorted."""
        kinds = self.piece_kinds[input_ids]
        inside = (attention_mask > 0) & (kinds != NONE)
        ids, inside = kept_values(input_ids, inside)
        kinds = self.piece_kinds[ids] * inside
        marked = functional.pad(kinds == MARKER, (1, 0))[:, :-1]

        characters = self.piece_characters[ids].long() * inside[..., None]
        apart = inside & (kinds != GOES_ON) & ~marked
        apart[:, :1] = False
        edge = torch.full_like(ids[:, :1], START)
        text = torch.cat([(apart * SPACE)[..., None], characters], dim=-1).flatten(1)
        text, kept = kept_values(torch.cat([edge, text], dim=1), torch.cat([edge, text], dim=1) > 0)
        length = kept.sum(1)
        text = functional.pad(text, (0, 1)).scatter(1, length[:, None], END)

        # A piece and the marker before it are one unit.
        before = functional.pad(ids, (1, 0))[:, :-1] * marked
        units, kept = kept_values(ids + self.config.pieces * before, inside & (kinds != MARKER))
        hashed = ngram_numbers(text, length + 1, self.config.character_ngrams, salt=11)
        hashed += ngram_numbers(units % MODULUS, kept.sum(1), self.config.piece_ngrams, salt=29)
        if self.config.class_ngrams:
            longer = functional.pad(kinds == GOES_ON, (0, 1))[:, 1:].long()
            units = self.piece_classes[longer, ids] + self.config.pieces * before
            units, kept = kept_values(units, inside & (kinds == BEGINS))
            hashed += ngram_numbers(units % MODULUS, kept.sum(1), self.config.class_ngrams, salt=43)
        size = self.config.buckets
        row = torch.arange(len(ids), device=ids.device)[:, None] * size
        keys = torch.cat([(row + numbers % size)[valid] for numbers, valid in hashed])
        keys, counts = torch.unique(keys, return_counts=True)
        return keys // size, keys % size, counts
