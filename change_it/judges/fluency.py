"""The fluency judge: an encoder that sees how often a corpus joins two words as this headline does.

Mir et al. (NAACL 2019) call it naturalness: would a newspaper print this? Between each two neighbouring word pieces
is a junction, which is broken if they did not stand side by side in a printed text. The judge weighs every junction,
by what its encoder makes of the words and by the counts of the n-grams around it, and the headline by its junctions:
damage that it was never shown breaks junctions too.

Imports of ours are relative and stay in this folder, so that `register_for_auto_class` can send all of it to the Hub with the weights.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, SequenceClassifierOutput

from .layers import MODULUS, encoder_of, two_logits

#: Counts of word pieces: unigrams to fourgrams, and pairs with one piece between them.
PIECE_TABLES = 5
#: Counts of each grouping of the pieces into classes: trigrams to fivegrams.
CLASS_TABLES = 3
#: What a junction sees of the pieces, and of each grouping.
PIECE_FEATURES, CLASS_FEATURES = 15, 5
#: What the headline's linear layer sees of its junctions.
SUMMARY = (
    "worst junction",
    "log of the sum of exponentials",
    "mean softplus",
    "sum of softplus",
    "log of the junctions",
    "share of repeated pieces",
    "share of repeated neighbours",
)
#: Counts are kept as logarithms in steps of 1 / STEPS, one byte each.
STEPS = 16
#: Pieces from a word or phrase to the same one again, at most; and of phrases that may have others between.
LONGEST_REPEAT, LONG_REPEAT = 32, 4
#: Label of a junction that is not asked for.
IGNORED = -100
#: A logit that is as good as certain.
CERTAIN = 30.0


class FluencyJudgeConfig(PreTrainedConfig):
    """What a `FluencyJudgeForSequenceClassification` is made of."""

    model_type = "change_it_fluency_judge"

    # configuration of a pre-trained transformer, as `to_dict` gives it; None for embeddings and an LSTM of its own
    encoder: dict[str, Any] | None = None
    vocab_size: int = 12_000  # word pieces
    embedding_size: int = 64  # of an encoder of its own
    hidden_size: int = 96  # cells of one direction of an encoder of its own
    buckets: int = 2**20  # numbers that n-grams are hashed to
    groupings: int = 2  # ways in which the pieces are grouped into classes
    head_dropout: float = 0.1  # dropout before the linear layers, 0 to 1


def buckets(ids: Tensor, offsets: tuple[int, ...], size: int) -> Tensor:
    """int64 (..., tokens - last offset) buckets of the n-grams that pieces at these offsets make; empty for shorter rows.

    Examples:
        >>> one, other = buckets(torch.tensor([[5, 7, 5, 7]]), (0, 1), 1000)[0, [0, 2]]
        >>> bool(one == other)
        True
    """
    count = max(0, ids.shape[-1] - offsets[-1])
    number = torch.full_like(ids[..., :count], 7919 * len(offsets) + 104_729 * offsets[-1])
    for offset in offsets:
        number = (number * 1_000_003 + (ids[..., offset : offset + count] + 1) * 19_349_663) % MODULUS
    return number % size


#: Offsets of the tables in the order of the buffer: those of the pieces, then those of each grouping.
PIECE_OFFSETS: tuple[tuple[int, ...], ...] = ((0,), (0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 2))
CLASS_OFFSETS: tuple[tuple[int, ...], ...] = ((0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4))


class FluencyJudgeForSequenceClassification(PreTrainedModel):
    """Would a newspaper print this headline? Class 0 is broken, class 1 printed."""

    config_class = FluencyJudgeConfig
    base_model_prefix = "encoder"

    #: uint8 (tables, buckets): logarithms of counts.
    counts: Tensor
    #: uint8 (parts, tables, buckets): the same without the texts of each part, for training alone; not saved.
    without: Tensor | None
    #: int64 (groupings, vocabulary): class of each piece.
    classes: Tensor
    #: Mean and standard deviation of what a junction sees, and of the summary.
    feature_mean: Tensor
    feature_scale: Tensor
    summary_mean: Tensor
    summary_scale: Tensor
    #: Subtracted from the logit: the printed headlines' quantile that is to get a half.
    threshold: Tensor

    def __init__(self, config: FluencyJudgeConfig):
        super().__init__(config)
        if config.encoder is None:
            self.encoder = WordEncoder(config)
            width = 2 * config.hidden_size
        else:
            self.encoder, settings = encoder_of(config.encoder)
            width = settings.hidden_size
        seen = PIECE_FEATURES + CLASS_FEATURES * config.groupings
        self.dropout = nn.Dropout(config.head_dropout)
        self.evidence = nn.Linear(seen, 1)
        self.junction = nn.Sequential(nn.Linear(2 * width + seen, 96), nn.GELU(), nn.Linear(96, 1))
        self.summary = nn.Linear(len(SUMMARY), 1)
        self.headline = nn.Sequential(nn.Linear(2 * width + len(SUMMARY), 64), nn.GELU(), nn.Linear(64, 1))
        tables = PIECE_TABLES + CLASS_TABLES * config.groupings
        self.register_buffer("counts", torch.zeros(tables, config.buckets, dtype=torch.uint8))
        self.register_buffer("without", None, persistent=False)
        self.register_buffer("classes", torch.zeros(config.groupings, config.vocab_size, dtype=torch.int64))
        self.register_buffer("feature_mean", torch.zeros(seen))
        self.register_buffer("feature_scale", torch.ones(seen))
        self.register_buffer("summary_mean", torch.zeros(len(SUMMARY)))
        self.register_buffer("summary_scale", torch.ones(len(SUMMARY)))
        self.register_buffer("threshold", torch.zeros(()))
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
        junction_labels: Tensor | None = None,
        parts: Tensor | None = None,
        **_: object,
    ) -> SequenceClassifierOutput:
        """Judge headlines: `logits` (rows, 2) and, with labels, the mean cross-entropy of headlines and of junctions as `loss`.

        `labels` (rows,) are 1 for printed, `junction_labels` (rows, tokens - 1) 1 for broken; both are `IGNORED` where that is not
        known. `parts` (rows,), from 1, are those whose texts the counts leave out. Tokenizers give `token_type_ids`, which are not used.
        """
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        # Padding behind every row, as far as n-grams reach: a headline is judged alike in any batch.
        reach, padding = CLASS_OFFSETS[-1][-1], (self.config.encoder or {}).get("pad_token_id") or 0
        input_ids = functional.pad(input_ids, (0, reach), value=padding)
        mask = functional.pad(mask, (0, reach))
        evidence = self.evidence_of(input_ids, parts)
        printed, junctions = self.judge(input_ids, mask, evidence)
        printed = printed if self.training else printed - self.threshold
        logits = two_logits(printed)
        loss = None
        if labels is not None:
            loss = _binary(printed, labels)
            if junction_labels is not None:
                loss = loss + _binary(junctions[:, : junction_labels.shape[1]], junction_labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)

    def evidence_of(self, input_ids: Tensor, parts: Tensor | None = None) -> Tensor:
        """(rows, tokens - 1, features), standardised: what the counts say of each junction.

        Logarithms of the counts of both pieces, of the two together, of the n-grams that the junction is inside of; whether what ends
        at the junction begins again after it, and whether a piece or the two stood in the row before; and the n-grams of the
        pieces' classes.
        """
        junctions = input_ids.shape[1] - 1

        def look(ids: Tensor, table: int, offsets: tuple[int, ...]) -> Tensor:
            numbers = buckets(ids, offsets, self.config.buckets)
            if parts is None or self.without is None:
                counts = self.counts[table, numbers]
            else:
                counts = self.without[parts[:, None] - 1, table, numbers]
            return counts.to(self.feature_mean.dtype) / STEPS

        def at(values: Tensor, before: int) -> Tensor:
            """n-grams that begin `before` pieces before the junction's left one; 0 where there is none."""
            return functional.pad(values, (before, junctions))[:, :junctions]

        single, two, three, four, apart = (
            look(input_ids, n, offsets) for n, offsets in enumerate(PIECE_OFFSETS)
        )
        left, right = single[:, :-1], single[:, 1:]
        features = [left, right, two, two - (left + right) / 2, at(three, 1), at(three, 0), at(four, 1)]
        features += [at(apart, 1), at(apart, 0), (two > 0).to(two), (at(three, 1) > 0).to(two)]
        features += [(at(three, 0) > 0).to(two)]
        again = _doubled(input_ids), _earlier(input_ids)[:, 1:], _earlier(self.pairs(input_ids))
        features += [repeated.to(two) for repeated in again]
        for grouping, classes in enumerate(self.classes):
            table = PIECE_TABLES + CLASS_TABLES * grouping
            grouped = classes[input_ids]
            three, four, five = (look(grouped, table + n, offsets) for n, offsets in enumerate(CLASS_OFFSETS))
            features += [at(three, 1), at(three, 0), at(four, 1), at(five, 1), at(five, 2)]
        return (torch.stack(features, dim=-1) - self.feature_mean) / self.feature_scale

    def judge(self, input_ids: Tensor, mask: Tensor, evidence: Tensor) -> tuple[Tensor, Tensor]:
        """Logits that a headline was printed (rows,), and that a junction is broken (rows, tokens - 1)."""
        inputs = {"input_ids": input_ids, "attention_mask": mask}
        inputs |= {} if self.config.encoder else {"evidence": evidence}
        states = self.dropout(self.encoder(**inputs).last_hidden_state)
        sides = torch.cat([states[:, :-1], states[:, 1:], evidence], dim=-1)
        junctions = (self.evidence(evidence) + self.junction(sides)).squeeze(-1)
        summary = self.summarise(input_ids, mask, junctions)
        here = mask[..., None].to(states.dtype)
        mean = (states * here).sum(1) / here.sum(1)
        most = states.masked_fill(here == 0, -CERTAIN).amax(1)
        printed = self.summary(summary) + self.headline(torch.cat([mean, most, summary], dim=-1))
        return printed.squeeze(-1), junctions

    def pairs(self, input_ids: Tensor) -> Tensor:
        """A number for each two neighbouring pieces (rows, tokens - 1)."""
        return input_ids[:, :-1] * self.config.vocab_size + input_ids[:, 1:]

    def summarise(self, input_ids: Tensor, mask: Tensor, junctions: Tensor) -> Tensor:
        """The standardised `SUMMARY` (rows, features) of the junctions' logits."""
        inside = mask[:, 1:] > 0
        count = inside.sum(1).clamp(min=1).to(junctions.dtype)
        bare = junctions.masked_fill(~inside, -CERTAIN)
        soft = functional.softplus(bare)
        features = [bare.amax(1), bare.logsumexp(1), soft.sum(1) / count, soft.sum(1), count.log()]
        repeated = _earlier(input_ids) & (mask > 0), _earlier(self.pairs(input_ids)) & inside
        features += [of_row.sum(1) / mask.sum(1).clamp(min=1) for of_row in repeated]
        summary = torch.stack(features, dim=-1).to(self.summary_mean.dtype)
        return (summary - self.summary_mean) / self.summary_scale


class WordEncoder(nn.Module):
    """Embeddings and what the counts say of the junction after each piece, through a bidirectional LSTM."""

    def __init__(self, config: FluencyJudgeConfig):
        super().__init__()
        seen = PIECE_FEATURES + CLASS_FEATURES * config.groupings
        self.embeddings = nn.Embedding(config.vocab_size, config.embedding_size)
        self.evidence = nn.Sequential(nn.Linear(seen, 48), nn.GELU(), nn.Linear(48, 48))
        self.dropout = nn.Dropout(config.head_dropout)
        self.lstm = nn.LSTM(
            config.embedding_size + 48, config.hidden_size, bidirectional=True, batch_first=True
        )

    def forward(self, input_ids: Tensor, attention_mask: Tensor, evidence: Tensor) -> BaseModelOutput:
        """Read the pieces: `last_hidden_state` (rows, tokens, 2 * hidden)."""
        after = functional.pad(self.evidence(evidence), (0, 0, 0, 1))
        inputs = self.dropout(torch.cat([self.embeddings(input_ids), after], dim=-1))
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        lengths = attention_mask.sum(1, keepdim=True)
        mirrored = torch.where(positions < lengths, lengths - 1 - positions, positions)[..., None]
        with torch.autocast("cpu", enabled=False):  # not every processor's LSTM has bfloat16
            on = self._direction(inputs, "")
            back = self._direction(inputs.gather(1, mirrored.expand_as(inputs)), "_reverse")
        states = torch.cat([on, back.gather(1, mirrored.expand_as(back))], dim=-1)
        return BaseModelOutput(last_hidden_state=states * attention_mask[..., None].to(states.dtype))

    def _direction(self, inputs: Tensor, suffix: str) -> Tensor:
        """States of one direction of the LSTM; packed sequences would take twice the time on CPU."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        weights = [getattr(self.lstm, f"{name}_l0{suffix}") for name in names]
        start = inputs.new_zeros(1, len(inputs), self.lstm.hidden_size)
        states, _, _ = torch.lstm(inputs, (start, start), weights, True, 1, 0.0, self.training, False, True)
        return states


def _binary(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy over the labels that are not `IGNORED`; 0 if all are."""
    asked = labels != IGNORED
    losses = functional.binary_cross_entropy_with_logits(
        logits.float(), labels.clamp(min=0).float(), reduction="none"
    )
    return (losses * asked).sum() / asked.sum().clamp(min=1)


def _doubled(values: Tensor) -> Tensor:
    """Whether the values (rows, places) before a junction come again after it (rows, places - 1).

    At once; or, where they are `LONG_REPEAT` and more, after one or two others, as a full stop is.
    """
    rows, places = values.shape
    doubled = torch.zeros(rows, places - 1, dtype=torch.bool, device=values.device)
    for shift in range(1, min(LONGEST_REPEAT, places - 1) + 1):
        same = values[:, :-shift] == values[:, shift:]
        count = same.cumsum(1)
        run = count - count.masked_fill(same, 0).cummax(1).values
        doubled[:, : places - shift] |= run >= max(min(shift, LONG_REPEAT), shift - 2)
    return doubled


def _earlier(values: Tensor) -> Tensor:
    """Whether each value (rows, places) has stood in its row before."""
    return (values[:, :, None] == values[:, None, :]).tril(-1).any(2)
