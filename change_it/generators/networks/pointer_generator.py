"""The papers' generators as one transformers model: S2S with attention, PN with copying, PNC with coverage.

The network is See et al.'s (2017): bidirectional LSTM encoder, LSTM decoder that is fed the last context, MLP
attention (eq. 1-3), a switch between writing from the vocabulary and copying from the source (eq. 8-9),
coverage (eq. 10-13). Source words outside the vocabulary carry temporary ids after its end
(`tokenizer.HeadlineTokenizer`), so that logits always have the same width. Training never makes the
distribution over them: its loss needs the probability of the right word alone.

Imports are relative and stay in this folder, all of which goes to the Hub with the weights.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers.modeling_outputs import ModelOutput

from .word_generator import IGNORED, UNSET, WordConfig, WordGenerator

#: What padding takes from gate i and adds to gate f of an LSTM: i becomes 0 and f becomes 1.
GATE_BIAS = 1e4


class PointerGeneratorConfig(WordConfig):
    """Configuration of a `PointerGeneratorForConditionalGeneration`; `AS_PUBLISHED` has the papers' values.

    Attributes:
        embedding_size: size of the word embeddings, which encoder and decoder share.
        hidden_size: cells of the decoder, and of both directions of the encoder together; even.
        num_hidden_layers: layers of encoder and decoder; always 1.
        copy: whether words of the source can be copied: S2S cannot, PN and PNC can.
        coverage: whether attention is kept off what it covered before, as in PNC.
        coverage_weight: weight of the coverage loss, lambda.
        tie_word_embeddings: whether words are written with the embeddings that read them, not with a
            (words, hidden) matrix of their own.
        bridge: what stands between encoder and decoder: `tanh` over both directions together; `relu` as in
            OpenNMT, one layer for either direction; or `none`.
        loss_by_sequence: whether the loss is the mean over headlines of their means (See et al., eq. 7), not
            over all words.
    """

    model_type = "change_it_pointer_generator"

    embedding_size: int = 128
    hidden_size: int = 256
    num_hidden_layers: int = 1
    copy: bool = True
    coverage: bool = False
    coverage_weight: float = 1.0
    tie_word_embeddings: bool = True
    bridge: Literal["tanh", "relu", "none"] = "tanh"
    loss_by_sequence: bool = False


#: What the organisers' files set differently from the defaults; those of S2S have no bridge.
AS_PUBLISHED: dict[str, Any] = {"tie_word_embeddings": False, "bridge": "relu", "loss_by_sequence": True}


@dataclass
class EncodedSource(ModelOutput):
    """Encoder output for n sources.

    Attributes:
        last_hidden_state: states (n, tokens, hidden).
        projected: keys of the attention, (n, tokens, hidden).
        hidden: the decoder's first hidden state, (n, hidden).
        cell: the decoder's first cell, (n, hidden).
        source_ids: token ids (n, tokens), temporary ones included.
        source_mask: (n, tokens) booleans, True where there is a token.
    """

    last_hidden_state: Tensor = UNSET
    projected: Tensor = UNSET
    hidden: Tensor = UNSET
    cell: Tensor = UNSET
    source_ids: Tensor = UNSET
    source_mask: Tensor = UNSET


@dataclass
class DecoderState:
    """State of the decoder, which `generate` keeps between steps.

    Attributes:
        hidden: hidden state (n, hidden).
        cell: cell (n, hidden).
        context: last context vector (n, hidden).
        coverage: sum of all attention so far, (n, tokens).
        steps: number of words read; without any, nothing else is held.
        is_linear: whether the state of each layer is a recurrent one, as transformers 5.24 and later ask.
    """

    hidden: Tensor = UNSET
    cell: Tensor = UNSET
    context: Tensor = UNSET
    coverage: Tensor = UNSET
    steps: int = 0

    is_compileable = False
    is_croppable = False
    is_linear = (True,)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the number of words read."""
        return self.steps

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Follow the beams that survive."""
        if not self.steps:
            return
        for name in ("hidden", "cell", "context", "coverage"):
            setattr(self, name, getattr(self, name).index_select(0, beam_idx))


class DecoderSteps(NamedTuple):
    """What the decoder computed for (n, t) words.

    Attributes:
        embedded: embeddings of the words, (n, t, embedding).
        hidden: hidden states after them, (n, t, hidden).
        context: context vectors, (n, t, hidden).
        attention: attention to the source, (n, t, tokens).
        covered: coverage before each word, (n, t, tokens).
    """

    embedded: Tensor
    hidden: Tensor
    context: Tensor
    attention: Tensor
    covered: Tensor


class PointerEncoder(nn.Module):
    """Embeddings, a bidirectional LSTM, and the bridge to the decoder's first state."""

    main_input_name = "input_ids"

    def __init__(self, config: PointerGeneratorConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        size = config.hidden_size
        self.words = config.words
        self.unknown = config.unk_token_id
        self.embedding = embedding
        self.lstm = nn.LSTM(config.embedding_size, size // 2, bidirectional=True, batch_first=True)
        self.bridge = config.bridge
        bridge_size = size // 2 if self.bridge == "relu" else size
        if self.bridge != "none":
            self.bridge_hidden = nn.Linear(bridge_size, bridge_size)
            self.bridge_cell = nn.Linear(bridge_size, bridge_size)
        self.keys = nn.Linear(size, size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: object) -> EncodedSource:
        """Encode (n, tokens) ids, temporary ones too; padding on the right, one token or more a source."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        embedded = self.embedding(in_vocabulary(input_ids, self.words, self.unknown))
        with torch.autocast("cpu", enabled=False):  # not every processor's LSTM has bfloat16
            if embedded.is_cuda:
                states, hidden, cell = self._run_packed(embedded, mask)
            else:
                states, hidden, cell = self._run_padded(embedded, mask)
        if self.bridge == "relu":
            hidden = _apply_to_directions(self.bridge_hidden, hidden).relu().flatten(1)
            cell = _apply_to_directions(self.bridge_cell, cell).relu().flatten(1)
        elif self.bridge == "tanh":
            hidden = self.bridge_hidden(hidden).tanh()
            cell = self.bridge_cell(cell)
        return EncodedSource(
            last_hidden_state=states,
            projected=self.keys(states),
            hidden=hidden,
            cell=cell,
            source_ids=input_ids,
            source_mask=mask.bool(),
        )

    def _run_packed(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run the LSTM over packed sources, as a GPU does fast.

        Returns:
            States (n, tokens, hidden), last hidden states and last cells of both directions, (n, hidden).
        """
        lengths = mask.sum(1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_states, (hidden, cell) = self.lstm(packed)
        states = pad_packed_sequence(packed_states, batch_first=True, total_length=mask.shape[1])[0]
        return states, hidden.transpose(0, 1).flatten(1), cell.transpose(0, 1).flatten(1)

    def _run_padded(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run the LSTM over padded sources, and return what `_run_packed` returns.

        On a CPU the gradient of a packed call copies the batch at each token. Here one more input, 1 at
        padding, adds -`GATE_BIAS` to gate i and `GATE_BIAS` to gate f, so that the cell keeps its state
        exactly.
        """
        size = self.lstm.hidden_size
        gates = embedded.new_zeros(4 * size, 1)
        gates[:size] = -GATE_BIAS
        gates[size : 2 * size] = GATE_BIAS
        weights: list[Tensor] = []
        for name, weight in self.lstm.named_parameters():
            if name.startswith("weight_ih"):
                weights.append(torch.cat([weight, gates], dim=1))
            else:
                weights.append(weight)
        is_padding = (mask == 0).to(embedded.dtype).unsqueeze(-1)
        inputs = torch.cat([embedded, is_padding], dim=-1)
        zeros = embedded.new_zeros(2, len(embedded), size)
        has_gradients = self.training or torch.is_grad_enabled()
        states, _, cell = torch.lstm(
            inputs,
            (zeros, zeros),
            weights,
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=has_gradients,
            bidirectional=True,
            batch_first=True,
        )
        last_forward = states[torch.arange(len(states)), mask.sum(1) - 1, :size]
        last_backward = states[:, 0, size:]
        hidden = torch.cat([last_forward, last_backward], dim=1)
        return states, hidden, cell.transpose(0, 1).flatten(1)


def _apply_to_directions(layer: nn.Module, last: Tensor) -> Tensor:
    """Apply a layer to either direction of (n, hidden) states; returns (n, 2, hidden / 2)."""
    return layer(last.unflatten(1, (2, -1)))


def in_vocabulary(ids: Tensor, words: int, unknown: int) -> Tensor:
    """Return ids of the vocabulary: temporary ones become `unknown`."""
    return ids.masked_fill(ids >= words, unknown)


class PointerGeneratorForConditionalGeneration(WordGenerator):
    """S2S, PN or PNC, as the configuration says.

    It trains, generates, saves and loads like any encoder-decoder of transformers.
    """

    config_class = PointerGeneratorConfig
    config: PointerGeneratorConfig

    def __init__(self, config: PointerGeneratorConfig) -> None:
        super().__init__(config)
        size = config.hidden_size
        embedding_size = config.embedding_size
        self.embedding = nn.Embedding(config.words, embedding_size)
        self.encoder = PointerEncoder(config, self.embedding)
        self.cell = nn.LSTMCell(embedding_size + size, size)
        self.query = nn.Linear(size, size, bias=False)
        self.energy = nn.Parameter(torch.empty(size))
        self.coverage: nn.Parameter | None = None
        if config.coverage:
            self.coverage = nn.Parameter(torch.empty(size))
        self.output: nn.Linear | None = None
        if config.tie_word_embeddings:
            self.merge = nn.Linear(2 * size, embedding_size)
        else:
            self.merge = nn.Linear(2 * size, size)
            self.output = nn.Linear(size, config.words, bias=False)
        self.output_bias = nn.Parameter(torch.empty(config.words))
        self.switch: nn.Linear | None = None
        if config.copy:
            self.switch = nn.Linear(2 * size + embedding_size, 1)
        self.post_init()

    state_class = DecoderState
    _tied_weights_keys = {"encoder.embedding.weight": "embedding.weight"}  # noqa: RUF012 (as in transformers)

    def get_input_embeddings(self) -> nn.Module:
        """Return the word embeddings."""
        return self.embedding

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        """Draw weights uniformly in ±0.1 as the baseline's toolkit does; the forget gates' bias is 1."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.uniform_(module.weight, -0.1, 0.1)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.LSTM | nn.LSTMCell):
            for name, parameter in module.named_parameters():
                nn.init.uniform_(parameter, -0.1, 0.1)
                if name.startswith("bias_ih"):
                    # the gates are in the order i, f, g, o; f forgets
                    size = parameter.shape[0] // 4
                    parameter[size : 2 * size] = 1.0
        if module is self:
            nn.init.zeros_(self.output_bias)
            nn.init.uniform_(self.energy, -0.1, 0.1)
            if self.coverage is not None:
                nn.init.uniform_(self.coverage, -0.1, 0.1)

    def _first_state(self, encoded: EncodedSource) -> DecoderState:
        """Return the state before the first word."""
        coverage = encoded.projected.new_zeros(encoded.projected.shape[:2])
        return DecoderState(
            hidden=encoded.hidden,
            cell=encoded.cell,
            context=torch.zeros_like(encoded.hidden),
            coverage=coverage,
        )

    def _decode(
        self, ids: Tensor, encoded: EncodedSource, state: DecoderState | None
    ) -> tuple[DecoderSteps, DecoderState]:
        """Return what the decoder computes for (n, t) words, and the state after them.

        The words follow those that `state` has read; without a state they are the first.
        """
        embedded = self.embedding(in_vocabulary(ids, self.config.words, self.config.unk_token_id))
        if state is None or not state.steps:
            state = self._first_state(encoded)
        covered = state.coverage
        padding = ~encoded.source_mask
        steps: list[tuple[Tensor, ...]] = []
        with torch.autocast(ids.device.type, enabled=False):  # it would cast at each step
            single = torch.promote_types(self.energy.dtype, torch.float32)
            keys = encoded.projected.to(single)
            states = encoded.last_hidden_state.to(single)
            hidden = state.hidden.to(single)
            cell = state.cell.to(single)
            context = state.context.to(single)
            for word in embedded.to(single).unbind(1):
                hidden, cell = self.cell(torch.cat([word, context], dim=1), (hidden, cell))
                features = keys + self.query(hidden).unsqueeze(1)
                if self.coverage is not None:
                    features = features + covered.unsqueeze(2) * self.coverage
                energies = features.tanh() @ self.energy
                attention = energies.masked_fill(padding, -torch.inf).softmax(1)
                context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
                steps.append((hidden, context, attention, covered))
                covered = covered + attention
        stacked = [torch.stack(tensors, dim=1) for tensors in zip(*steps, strict=True)]
        after = DecoderState(
            hidden=hidden,
            cell=cell,
            context=context,
            coverage=covered,
            steps=state.steps + ids.shape[1],
        )
        return DecoderSteps(embedded, *stacked), after

    def _word_logits(self, hidden: Tensor, context: Tensor) -> Tensor:
        """Return the logits (..., words) of the vocabulary, of hidden states and contexts (..., hidden).

        Where the words have a matrix of their own, it is applied without tanh (See et al. 2017, eq. 4).
        """
        merged = self.merge(torch.cat([hidden, context], dim=-1))
        if self.output is None:
            return functional.linear(torch.tanh(merged), self.embedding.weight, self.output_bias)
        return functional.linear(merged, self.output.weight, self.output_bias)

    def _switch(self, hidden: Tensor, context: Tensor, embedded: Tensor) -> Tensor:
        """Return the logit (..., 1) of p_gen (eq. 8)."""
        assert self.switch is not None
        return self.switch(torch.cat([context, hidden, embedded], dim=-1))

    def _loss(self, steps: DecoderSteps, encoded: EncodedSource, labels: Tensor) -> Tensor:
        """Return the mean loss over the labels' words, or over headlines of their means (eq. 6, 7, 9, 13)."""
        lengths = (labels != IGNORED).sum(1)
        places = torch.nonzero(labels.flatten() != IGNORED).squeeze(1)
        rows = places // labels.shape[1]
        wanted = labels.flatten().index_select(0, places)
        # One selection for all tensors is faster, forwards and backwards.
        widths = [tensor.shape[2] for tensor in steps]
        learnt = torch.cat(steps, dim=2).flatten(0, 1).index_select(0, places)
        embedded, hidden, context, attention, covered = learnt.split(widths, 1)
        in_words = wanted < self.config.words
        words = in_vocabulary(wanted, self.config.words, self.config.unk_token_id)
        logits = self._word_logits(hidden, context)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        losses = functional.cross_entropy(logits, words, reduction="none")
        if self.switch is not None:
            is_wanted = encoded.source_ids.index_select(0, rows) == wanted.unsqueeze(1)
            copied = (attention * is_wanted).sum(1)
            p_gen = self._switch(hidden, context, embedded).squeeze(1).to(losses.dtype).sigmoid()
            probability = p_gen * in_words * torch.exp(-losses) + (1 - p_gen) * copied
            losses = -torch.log(probability + torch.finfo(probability.dtype).tiny)
        if self.coverage is not None:
            covered_again = torch.minimum(attention, covered).sum(1)
            losses = losses + self.config.coverage_weight * covered_again
        if not self.config.loss_by_sequence:
            return losses.mean()
        return (losses / lengths[rows]).sum() / (lengths > 0).sum()

    def _log_probabilities(self, steps: DecoderSteps, encoded: EncodedSource) -> Tensor:
        """Return log-probabilities (n, t, vocab_size) of the next word.

        What `<unk>` has goes to the most attended word of the source.
        """
        config = self.config
        attention = steps.attention
        written = torch.softmax(self._word_logits(steps.hidden, steps.context), dim=-1)
        sources = encoded.source_ids.unsqueeze(1).expand_as(attention)
        if self.switch is None:
            extended = functional.pad(written, (0, config.reserved))
        else:
            p_gen = self._switch(steps.hidden, steps.context, steps.embedded).sigmoid()
            extended = functional.pad(written * p_gen, (0, config.reserved))
            extended = extended.scatter_add(-1, sources, attention * (1 - p_gen))
        unknown = extended[..., config.unk_token_id].clone()
        extended[..., [config.pad_token_id, config.unk_token_id, config.decoder_start_token_id]] = 0.0
        most_attended = sources.gather(-1, attention.argmax(-1, keepdim=True))
        extended = extended.scatter_add(-1, most_attended, unknown.unsqueeze(-1))
        return torch.log(extended + torch.finfo(extended.dtype).tiny)
