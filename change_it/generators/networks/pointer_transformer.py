"""A small Transformer that writes words or copies them, as one transformers model.

Encoder and decoder are Vaswani et al.'s (2017), normalised before each sublayer. What is written next is drawn from one
softmax over the words of the vocabulary and the places of the source (Gu et al. 2016). Training is parallel over the
words of a headline, where an LSTM goes word by word. Each place also sees the word before it, so that copying goes on
with the next word from the first layer on. Source words outside the vocabulary carry temporary ids
(`tokenizer.HeadlineTokenizer`), which have embeddings of their own: encoder and decoder distinguish such words.

Imports are relative and stay in this folder, all of which goes to the Hub with the weights.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import DynamicCache
from transformers.modeling_outputs import ModelOutput

from .word_generator import IGNORED, UNSET, WordConfig, WordGenerator

#: Keys and values.
Pairs = tuple[Tensor, Tensor]
#: Logit of what cannot be written; finite, so that no gradient is undefined.
IMPOSSIBLE = -1e4


class PointerTransformerConfig(WordConfig):
    """Configuration of a `PointerTransformerForConditionalGeneration`."""

    model_type = "change_it_pointer_transformer"

    vocab_size: int = 8_100
    hidden_size: int = 256  # of embeddings and states, even and a multiple of the heads
    encoder_layers: int = 2  # layers that read the source
    decoder_layers: int = 2  # layers that write
    num_attention_heads: int = 2  # of each attention but the one that copies, which has one
    intermediate_size: int = 512  # of what is between the two linear layers that end a layer
    dropout: float = 0.1  # of embeddings and sublayers, 0 to 1


class Sources(NamedTuple):
    """What the decoder needs of n sources."""

    states: Tensor  # (n, tokens, hidden)
    crossed: Tensor  # (n, layers, 2, heads, tokens, hidden / heads) keys and values
    copied: Tensor  # (n, tokens, hidden) keys of the attention that copies
    ids: Tensor  # (n, tokens) temporary ids included
    mask: Tensor  # (n, tokens) bool, True where there is a token


@dataclass
class EncodedSource(ModelOutput):
    """Encoder output; `generate` repeats tensors for the beams of a search, which here share a source, and no tuple."""

    sources: Sources = UNSET

    @property
    def last_hidden_state(self) -> Tensor:
        """(n, tokens, hidden)."""
        return self.sources.states


class DecoderState(DynamicCache):
    """Keys and values of the words so far: what `generate` keeps between steps."""

    is_compileable = is_croppable = False

    def __init__(self) -> None:
        super().__init__()
        # of each layer those of the sources, (sources, heads, tokens, hidden / heads)
        self.crossed: list[Pairs] = []
        self.last: Tensor | None = None  # (n, 1, hidden) embedding of the last word

    def reorder_cache(self, beam_idx: torch.LongTensor) -> None:
        """Follow the beams that survive."""
        super().reorder_cache(beam_idx)
        self.last = None if self.last is None else self.last.index_select(0, beam_idx)


class Embedding(nn.Module):
    """Words with their positions, and the word before each."""

    def __init__(self, config: PointerTransformerConfig):
        super().__init__()
        size = config.hidden_size
        self.words = nn.Embedding(config.vocab_size, size)
        self.before = nn.Linear(size, size, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.scale = math.sqrt(size)

    def forward(self, ids: Tensor, last: Tensor | None = None, start: int = 0) -> tuple[Tensor, Tensor]:
        """(n, t, hidden) states of (n, t) ids from position `start` on, and the (n, 1, hidden) embedding of the last."""
        words = self.words(ids) * self.scale
        first = torch.zeros_like(words[:, :1]) if last is None else last
        previous = torch.cat([first, words[:, :-1]], dim=1)
        positions = sinusoids(start, ids.shape[1], words.shape[-1], words.device)
        states = self.dropout(words + self.before(previous) + positions.to(words.dtype))
        if torch.is_autocast_enabled(ids.device.type):  # all that follows in half the bytes
            states = states.to(torch.get_autocast_dtype(ids.device.type))
        return states, words[:, -1:]


def sinusoids(start: int, count: int, size: int, device: torch.device) -> Tensor:
    """(count, size) encodings of the positions from `start` on (Vaswani et al. 2017, §3.5)."""
    positions = torch.arange(start, start + count, device=device, dtype=torch.float32)
    rates = torch.exp(torch.arange(0, size, 2, device=device) * (-math.log(10_000.0) / size))
    angles = positions[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Layer(nn.Module):
    """Self-attention, attention to the source in a decoder, two linear layers; normalised before each."""

    def __init__(self, config: PointerTransformerConfig, *, crossing: bool):
        super().__init__()
        size, between = config.hidden_size, config.intermediate_size
        self.heads = config.num_attention_heads
        self.norm = nn.LayerNorm(size)
        self.projected = nn.Linear(size, 3 * size)
        self.output = nn.Linear(size, size)
        if crossing:
            self.cross_norm = nn.LayerNorm(size)
            self.cross_query = nn.Linear(size, size)
            self.cross_output = nn.Linear(size, size)
        self.between_norm = nn.LayerNorm(size)
        self.between = nn.Sequential(nn.Linear(size, between), nn.ReLU(), nn.Linear(between, size))
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        states: Tensor,
        mask: Tensor | None,
        state: DecoderState | None = None,
        number: int = 0,
        cross_mask: Tensor | None = None,
    ) -> Tensor:
        """(n, t, hidden) states after the layer; masks are added to the logits. A decoder's has the `number` in its `state`."""
        query, keys, values = split_heads(self.projected(self.norm(states)), 3, self.heads).unbind(1)
        if state is not None:
            keys, values = state.update(keys, values, number)
        states = states + self.dropout(self.output(attend(query, keys, values, mask)))
        if state is not None:
            queries = by_source(self.cross_query(self.cross_norm(states)), state.crossed[number][0])
            context = attend(split_heads(queries, 1, self.heads)[:, 0], *state.crossed[number], cross_mask)
            states = states + self.dropout(self.cross_output(context.view_as(states)))
        return states + self.dropout(self.between(self.between_norm(states)))


def by_source(states: Tensor, sources: Tensor) -> Tensor:
    """(sources, t * beams, hidden) of (n, t, hidden): the n = sources * beams headlines of a search, its source's together."""
    return states.reshape(len(sources), -1, states.shape[-1])


def split_heads(projected: Tensor, parts: int, heads: int) -> Tensor:
    """(n, parts, heads, t, hidden / heads) of (n, t, parts * hidden)."""
    return projected.unflatten(-1, (parts, heads, -1)).permute(0, 2, 3, 1, 4)


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """(n, t, hidden) of (n, heads, t, hidden / heads) queries; a mask is added to the logits."""
    mask = None if mask is None else mask.to(query.dtype)
    return functional.scaled_dot_product_attention(query, keys, values, mask).transpose(1, 2).flatten(2)


class TransformerEncoder(nn.Module):
    """The source's states, and what of them each step of the decoder needs."""

    main_input_name = "input_ids"

    def __init__(self, config: PointerTransformerConfig, embedding: Embedding):
        super().__init__()
        self.embedding = embedding
        self.layers = nn.ModuleList(Layer(config, crossing=False) for _ in range(config.encoder_layers))
        self.norm = nn.LayerNorm(config.hidden_size)
        self.copy = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.pairs = nn.Linear(config.hidden_size, 2 * config.decoder_layers * config.hidden_size)
        self.shape = (config.decoder_layers, 2, config.num_attention_heads, -1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: object) -> EncodedSource:
        """Encode (n, tokens) ids, temporary ones too; padding on the right, one token or more a source."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        seen = attended(mask)
        states, _ = self.embedding(input_ids)
        for layer in self.layers:
            states = layer(states, seen)
        states = self.norm(states)
        crossed = self.pairs(states).unflatten(-1, self.shape).permute(0, 2, 3, 4, 1, 5)
        return EncodedSource(Sources(states, crossed, self.copy(states), input_ids, mask.bool()))


def attended(mask: Tensor) -> Tensor | None:
    """(n, 1, 1, tokens) to add to the logits of the attention to a source; None where there is no padding."""
    return None if bool(mask.all()) else (mask == 0)[:, None, None] * IMPOSSIBLE


def at_least_single(logits: Tensor) -> Tensor:
    """Logits in the precision that a softmax over thousands of words needs."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


class PointerTransformerForConditionalGeneration(WordGenerator):
    """The Transformer that copies; trains, generates, saves and loads like any encoder-decoder."""

    config_class = PointerTransformerConfig
    config: PointerTransformerConfig

    def __init__(self, config: PointerTransformerConfig) -> None:
        super().__init__(config)
        self.embedding = Embedding(config)
        self.layers = nn.ModuleList(Layer(config, crossing=True) for _ in range(config.decoder_layers))
        self.encoder = TransformerEncoder(config, self.embedding)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.copy = nn.Linear(config.hidden_size, config.hidden_size)
        self.bias = nn.Parameter(torch.empty(config.words))
        self.copy_bias = nn.Parameter(torch.empty(()))
        self.post_init()

    state_class = DecoderState
    _tied_weights_keys = {  # noqa: RUF012 (as in transformers)
        "encoder.embedding.words.weight": "embedding.words.weight",
        "encoder.embedding.before.weight": "embedding.before.weight",
    }

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        """Embeddings of length 1, linear layers as Glorot and Bengio (2010); copying as likely as writing."""
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)
        if module is self:
            nn.init.zeros_(self.bias)
            nn.init.constant_(self.copy_bias, math.log(max(self.config.words, 2) / 100))

    def get_input_embeddings(self) -> nn.Module:
        """The word embeddings."""
        return self.embedding.words

    def _decode(
        self, ids: Tensor, encoded: EncodedSource, state: DecoderState | None
    ) -> tuple[Tensor, DecoderState]:
        """(n, t, hidden) states of (n, t) words after those of `state`, which is carried on."""
        state = DecoderState() if state is None else state
        before, steps = state.get_seq_length(), ids.shape[1]
        states, state.last = self.embedding(ids, state.last, before)
        mask = attended(encoded.sources.mask)
        causal = torch.full((steps, before + steps), IMPOSSIBLE, device=ids.device).triu(before + 1)
        if not state.crossed:  # contiguous, so that no step copies them
            pairs = (layer.unbind(1) for layer in encoded.sources.crossed.unbind(1))
            state.crossed = [(keys.contiguous(), values.contiguous()) for keys, values in pairs]
        for number, layer in enumerate(self.layers):
            states = layer(states, causal, state, number, mask)
        return self.norm(states), state

    def _scores(self, states: Tensor) -> Tensor:
        """(..., words) logits of the vocabulary, float32 or more."""
        weight = self.embedding.words.weight[: self.config.words]
        return at_least_single(functional.linear(states, weight, self.bias))

    def _places(self, states: Tensor, encoded: EncodedSource) -> Tensor:
        """(n, t, tokens) logits of the places of the source, float32 or more."""
        queries = by_source(self.copy(states), encoded.sources.copied)
        scores = at_least_single(torch.bmm(queries, encoded.sources.copied.transpose(1, 2)))
        scores = scores * states.shape[-1] ** -0.5 + self.copy_bias
        scores = scores.masked_fill(~encoded.sources.mask.unsqueeze(1), IMPOSSIBLE)
        return scores.view(*states.shape[:2], -1)

    def _loss(self, states: Tensor, encoded: EncodedSource, labels: Tensor) -> Tensor:
        """Mean of -log P(word) over the labels' words."""
        rows, times = torch.nonzero(labels != IGNORED, as_tuple=True)
        wanted = labels[rows, times]
        written = self._scores(states[rows, times])
        places = self._places(states, encoded)[rows, times]
        inside = wanted < self.config.words
        word = wanted * inside
        logit = written.gather(1, word.unsqueeze(1)).squeeze(1)
        # The logarithm of the sum by way of the cross-entropy, whose kernels are several times faster.
        of_words = functional.cross_entropy(written, word, reduction="none") + logit
        total = torch.logaddexp(of_words, places.logsumexp(-1))
        read = encoded.sources.ids[rows]
        copied = places.masked_fill(read != wanted.unsqueeze(1), IMPOSSIBLE).logsumexp(-1)
        return (total - torch.logaddexp(logit.masked_fill(~inside, IMPOSSIBLE), copied)).mean()

    def _log_probabilities(self, states: Tensor, encoded: EncodedSource) -> Tensor:
        """(n, t, vocab_size), nothing for padding, `<unk>` and `<s>`."""
        config = self.config
        written, places = self._scores(states), self._places(states, encoded)
        together = torch.cat([written, places], dim=-1).softmax(-1)
        beams = len(places) // len(encoded.sources.ids)
        sources = encoded.sources.ids.repeat_interleave(beams, dim=0).unsqueeze(1).expand_as(places)
        extended = functional.pad(together[..., : config.words], (0, config.reserved))
        extended = extended.scatter_add(-1, sources, together[..., config.words :])
        extended[..., [config.pad_token_id, config.unk_token_id, config.decoder_start_token_id]] = 0.0
        return torch.log(extended + torch.finfo(extended.dtype).tiny)
