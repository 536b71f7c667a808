"""The papers' generators as one transformers model: S2S with attention, PN with copying, PNC with coverage.

The network is See et al.'s (2017): bidirectional LSTM encoder, LSTM decoder that is fed the last context, MLP attention
(eq. 1-3), a switch between writing from the vocabulary and copying from the source (eq. 8-9), coverage (eq. 10-13). Source
words outside the vocabulary carry temporary ids after its end (`tokenizer.HeadlineTokenizer`), so that logits always have
the same width. Training never makes the distribution over them: its loss needs the probability of the right word alone.

Imports are relative and stay in this folder, all of which goes to the Hub with the weights.
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers.modeling_outputs import ModelOutput

from .word_generator import IGNORED, UNSET, WordConfig, WordGenerator

#: What padding takes from gate i and adds to gate f of an LSTM: i becomes 0 and f becomes 1.
GATE_BIAS = 1e4


class PointerGeneratorConfig(WordConfig):
    """Configuration of a `PointerGeneratorForConditionalGeneration`; `AS_PUBLISHED` has the papers' values."""

    model_type = "change_it_pointer_generator"

    embedding_size: int = 128  # size of the word embeddings, shared by encoder and decoder
    hidden_size: int = 256  # cells of the decoder, and of both directions of the encoder together (even)
    num_hidden_layers: int = 1
    copy: bool = True  # False: S2S; True: PN
    coverage: bool = False  # True: PNC
    coverage_weight: float = 1.0  # lambda, weight of the coverage loss
    # words are written with the embeddings that read them; False: a (words, hidden) matrix of its own
    tie_word_embeddings: bool = True
    # between encoder and decoder: tanh, over both directions together; relu, OpenNMT's, one layer for either direction; none
    bridge: Literal["tanh", "relu", "none"] = "tanh"
    # mean over headlines of their means (See et al. eq. 7); False: mean over all words
    loss_by_sequence: bool = False


#: What the organisers' files set differently from the defaults; those of S2S have no bridge.
AS_PUBLISHED: dict[str, Any] = {"tie_word_embeddings": False, "bridge": "relu", "loss_by_sequence": True}


@dataclass
class EncodedSource(ModelOutput):
    """Encoder output for n sources."""

    last_hidden_state: Tensor = UNSET  # (n, tokens, hidden)
    projected: Tensor = UNSET  # (n, tokens, hidden), the keys of the attention
    hidden: Tensor = UNSET  # (n, hidden) the decoder's first state
    cell: Tensor = UNSET  # (n, hidden)
    source_ids: Tensor = UNSET  # (n, tokens) temporary ids included
    source_mask: Tensor = UNSET  # (n, tokens) bool, True where there is a token


@dataclass
class DecoderState:
    """State of the decoder, which `generate` keeps between steps."""

    hidden: Tensor = UNSET  # (n, hidden)
    cell: Tensor = UNSET  # (n, hidden)
    context: Tensor = UNSET  # (n, hidden) last context vector
    coverage: Tensor = UNSET  # (n, tokens) sum of all attention so far
    steps: int = 0  # tokens read; what it holds else is of these

    is_compileable = is_croppable = False
    is_linear = (True,)  # `generate` from 5.24 on asks each layer; a recurrent state is one

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Tokens read."""
        return self.steps

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Follow the beams that survive."""
        for name in ("hidden", "cell", "context", "coverage") if self.steps else ():
            setattr(self, name, getattr(self, name).index_select(0, beam_idx))


class PointerEncoder(nn.Module):
    """Embeddings, bidirectional LSTM in one call, the bridge to the decoder's first state."""

    main_input_name = "input_ids"

    def __init__(self, config: PointerGeneratorConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        size = config.hidden_size
        self.words, self.unknown = config.words, config.unk_token_id
        self.embedding = embedding
        self.lstm = nn.LSTM(config.embedding_size, size // 2, bidirectional=True, batch_first=True)
        self.bridge = config.bridge
        between = size // 2 if self.bridge == "relu" else size
        if self.bridge != "none":
            self.bridge_hidden, self.bridge_cell = nn.Linear(between, between), nn.Linear(between, between)
        self.keys = nn.Linear(size, size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: object) -> EncodedSource:
        """Encode (n, tokens) ids, temporary ones too; padding on the right, one token or more a source."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        embedded = self.embedding(in_vocabulary(input_ids, self.words, self.unknown))
        with torch.autocast("cpu", enabled=False):  # not every processor's LSTM has bfloat16
            states, hidden, cell = self._run(embedded, mask)
        if self.bridge == "relu":
            layers = (self.bridge_hidden, hidden), (self.bridge_cell, cell)
            hidden, cell = (layer(last.unflatten(1, (2, -1))).relu().flatten(1) for layer, last in layers)
        elif self.bridge == "tanh":
            hidden, cell = self.bridge_hidden(hidden).tanh(), self.bridge_cell(cell)
        return EncodedSource(
            last_hidden_state=states,
            projected=self.keys(states),
            hidden=hidden,
            cell=cell,
            source_ids=input_ids,
            source_mask=mask.bool(),
        )

    def _run(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """States (n, tokens, hidden), last hidden states and cells of both directions, (n, hidden).

        On a CPU the gradient of a packed call copies the batch at each token. There one more input, 1 at padding, adds
        -`GATE_BIAS` to gate i and `GATE_BIAS` to gate f, so that the cell keeps its state exactly.
        """
        if embedded.is_cuda:
            lengths = mask.sum(1).cpu()
            packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
            packed_states, (hidden, cell) = self.lstm(packed)
            states = pad_packed_sequence(packed_states, batch_first=True, total_length=mask.shape[1])[0]
            return states, hidden.transpose(0, 1).flatten(1), cell.transpose(0, 1).flatten(1)
        size = self.lstm.hidden_size
        column = embedded.new_zeros(4 * size, 1)
        column[:size], column[size : 2 * size] = -GATE_BIAS, GATE_BIAS
        weights = [
            torch.cat([weight, column], dim=1) if name.startswith("weight_ih") else weight
            for name, weight in self.lstm.named_parameters()
        ]
        inputs = torch.cat([embedded, (mask == 0).to(embedded.dtype).unsqueeze(-1)], dim=-1)
        zeros = embedded.new_zeros(2, len(embedded), size)
        train = self.training or torch.is_grad_enabled()
        states, _, cell = torch.lstm(inputs, (zeros, zeros), weights, True, 1, 0.0, train, True, True)
        last = states[torch.arange(len(states)), mask.sum(1) - 1, :size]
        return states, torch.cat([last, states[:, 0, size:]], dim=1), cell.transpose(0, 1).flatten(1)


def in_vocabulary(ids: Tensor, words: int, unknown: int) -> Tensor:
    """Ids of the vocabulary: temporary ones become `unknown`."""
    return ids.masked_fill(ids >= words, unknown)


class PointerGeneratorForConditionalGeneration(WordGenerator):
    """S2S, PN or PNC, as the configuration says; trains, generates, saves and loads like any encoder-decoder."""

    config_class = PointerGeneratorConfig
    config: PointerGeneratorConfig

    def __init__(self, config: PointerGeneratorConfig) -> None:
        super().__init__(config)
        size, embedding_size = config.hidden_size, config.embedding_size
        self.embedding = nn.Embedding(config.words, embedding_size)
        self.encoder = PointerEncoder(config, self.embedding)
        self.cell = nn.LSTMCell(embedding_size + size, size)
        self.query = nn.Linear(size, size, bias=False)
        self.energy = nn.Parameter(torch.empty(size))
        self.coverage = nn.Parameter(torch.empty(size)) if config.coverage else None
        self.merge = nn.Linear(2 * size, embedding_size if config.tie_word_embeddings else size)
        self.output = None if config.tie_word_embeddings else nn.Linear(size, config.words, bias=False)
        self.output_bias = nn.Parameter(torch.empty(config.words))
        self.switch = nn.Linear(2 * size + embedding_size, 1) if config.copy else None
        self.post_init()

    state_class = DecoderState
    _tied_weights_keys = {"encoder.embedding.weight": "embedding.weight"}  # noqa: RUF012 (as in transformers)

    def get_input_embeddings(self) -> nn.Module:
        """The word embeddings."""
        return self.embedding

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        """Uniform in ±0.1 as the baseline's toolkit does; the forget gates' bias is 1."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.uniform_(module.weight, -0.1, 0.1)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.LSTM | nn.LSTMCell):
            for name, parameter in module.named_parameters():
                nn.init.uniform_(parameter, -0.1, 0.1)
                if name.startswith("bias_ih"):
                    size = parameter.shape[0] // 4
                    parameter[size : 2 * size] = 1.0
        if module is self:
            nn.init.zeros_(self.output_bias)
            nn.init.uniform_(self.energy, -0.1, 0.1)
            if self.coverage is not None:
                nn.init.uniform_(self.coverage, -0.1, 0.1)

    def _first_state(self, encoded: EncodedSource) -> DecoderState:
        coverage = encoded.projected.new_zeros(encoded.projected.shape[:2])
        return DecoderState(encoded.hidden, encoded.cell, torch.zeros_like(encoded.hidden), coverage)

    def _decode(
        self, ids: Tensor, encoded: EncodedSource, state: DecoderState | None
    ) -> tuple[tuple[Tensor, ...], DecoderState]:
        """Of t steps, each (n, t, ...): embedded words, states, contexts, attention, coverage before it; and the state after them."""
        embedded = self.embedding(in_vocabulary(ids, self.config.words, self.config.unk_token_id))
        state = state if state and state.steps else self._first_state(encoded)
        hidden, cell, context, covered = state.hidden, state.cell, state.context, state.coverage
        padding = ~encoded.source_mask
        steps: list[tuple[Tensor, ...]] = []
        with torch.autocast(ids.device.type, enabled=False):  # whose casts would be of each step
            single = torch.promote_types(self.energy.dtype, torch.float32)
            keys, states = encoded.projected.to(single), encoded.last_hidden_state.to(single)
            hidden, cell, context = hidden.to(single), cell.to(single), context.to(single)
            for word in embedded.to(single).unbind(1):
                hidden, cell = self.cell(torch.cat([word, context], dim=1), (hidden, cell))
                inner = keys + self.query(hidden).unsqueeze(1)
                if self.coverage is not None:
                    inner = inner + covered.unsqueeze(2) * self.coverage
                attention = (inner.tanh() @ self.energy).masked_fill(padding, -torch.inf).softmax(1)
                context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
                steps.append((hidden, context, attention, covered))
                covered = covered + attention
        parts = tuple(torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        after = DecoderState(hidden, cell, context, covered, state.steps + ids.shape[1])
        return (embedded, *parts), after

    def _merged(self, hidden: Tensor, context: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Factors of the logits of words: (..., size) states, the (words, size) matrix and the bias."""
        merged = self.merge(torch.cat([hidden, context], dim=-1))
        if self.output is None:
            return torch.tanh(merged), self.embedding.weight, self.output_bias
        return merged, self.output.weight, self.output_bias  # linear (See et al. eq. 4)

    def _switch(self, hidden: Tensor, context: Tensor, embedded: Tensor) -> Tensor:
        """(..., 1) logit of p_gen (eq. 8)."""
        assert self.switch is not None
        return self.switch(torch.cat([context, hidden, embedded], dim=-1))

    def _loss(self, steps: tuple[Tensor, ...], encoded: EncodedSource, labels: Tensor) -> Tensor:
        """Mean over the labels' words, or over headlines of theirs (eq. 6, 7, 9, 13)."""
        lengths = (labels != IGNORED).sum(1)
        places = torch.nonzero(labels.flatten() != IGNORED).squeeze(1)
        rows, wanted = places // labels.shape[1], labels.flatten().index_select(0, places)
        # of all steps in one call, there and back
        learnt = torch.cat(steps, dim=2).flatten(0, 1).index_select(0, places)
        embedded, hidden, context, attention, covered = learnt.split([part.shape[2] for part in steps], 1)
        inside = wanted < self.config.words
        words = in_vocabulary(wanted, self.config.words, self.config.unk_token_id)
        logits = functional.linear(*self._merged(hidden, context))
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        nll = functional.cross_entropy(logits, words, reduction="none")
        losses = nll
        if self.switch is not None:
            copied = (attention * (encoded.source_ids.index_select(0, rows) == wanted.unsqueeze(1))).sum(1)
            switch = self._switch(hidden, context, embedded).squeeze(1).to(nll.dtype).sigmoid()
            probability = switch * inside * torch.exp(-nll) + (1 - switch) * copied
            losses = -torch.log(probability + torch.finfo(probability.dtype).tiny)
        if self.coverage is not None:
            losses = losses + self.config.coverage_weight * torch.minimum(attention, covered).sum(1)
        if not self.config.loss_by_sequence:
            return losses.mean()
        return (losses / lengths[rows]).sum() / (lengths > 0).sum()

    def _log_probabilities(self, steps: tuple[Tensor, ...], encoded: EncodedSource) -> Tensor:
        """(n, t, vocab_size), `<unk>` given to the most attended source word."""
        config = self.config
        embedded, hidden, context, attention, _ = steps
        written = torch.softmax(functional.linear(*self._merged(hidden, context)), dim=-1)
        sources = encoded.source_ids.unsqueeze(1).expand_as(attention)
        if self.switch is None:
            extended = functional.pad(written, (0, config.reserved))
        else:
            switch = self._switch(hidden, context, embedded).sigmoid()
            extended = functional.pad(written * switch, (0, config.reserved))
            extended = extended.scatter_add(-1, sources, attention * (1 - switch))
        unknown = extended[..., config.unk_token_id].clone()
        extended[..., [config.pad_token_id, config.unk_token_id, config.decoder_start_token_id]] = 0.0
        most_attended = sources.gather(-1, attention.argmax(-1, keepdim=True))
        extended = extended.scatter_add(-1, most_attended, unknown.unsqueeze(-1))
        return torch.log(extended + torch.finfo(extended.dtype).tiny)
