"""A small Transformer that writes words or copies them, as one transformers model.

Encoder and decoder are Vaswani et al.'s (2017), normalised before each sublayer. What is written next is
drawn from one softmax over the words of the vocabulary and the places of the source (Gu et al. 2016).
Training is parallel over the words of a headline, where an LSTM goes word by word. Each place also sees the
word before it, so that copying goes on with the next word from the first layer on. Source words outside the
vocabulary carry temporary ids (`tokenizer.HeadlineTokenizer`), which have embeddings of their own: encoder
and decoder distinguish such words.

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

#: Keys and values of an attention.
KeysAndValues = tuple[Tensor, Tensor]
#: Logit of what cannot be written; finite, so that no gradient is undefined.
IMPOSSIBLE = -1e4


class PointerTransformerConfig(WordConfig):
    """Configuration of a `PointerTransformerForConditionalGeneration`.

    Attributes:
        hidden_size: size of embeddings and states; even, and a multiple of the heads.
        encoder_layers: layers that read the source.
        decoder_layers: layers that write.
        num_attention_heads: heads of each attention but the one that copies, which has one.
        intermediate_size: size between the two linear layers that end a layer.
        dropout: share of embeddings and sublayers that is dropped in training, 0 to 1.
    """

    model_type = "change_it_pointer_transformer"

    vocab_size: int = 8_100
    hidden_size: int = 256
    encoder_layers: int = 2
    decoder_layers: int = 2
    num_attention_heads: int = 2
    intermediate_size: int = 512
    dropout: float = 0.1


class Sources(NamedTuple):
    """What the decoder needs of n sources.

    Attributes:
        states: (n, tokens, hidden).
        crossed: keys and values of each layer, (n, layers, 2, heads, tokens, hidden / heads).
        copied: keys of the attention that copies, (n, tokens, hidden).
        ids: token ids (n, tokens), temporary ones included.
        mask: (n, tokens) booleans, True where there is a token.
    """

    states: Tensor
    crossed: Tensor
    copied: Tensor
    ids: Tensor
    mask: Tensor


@dataclass
class EncodedSource(ModelOutput):
    """Encoder output.

    `generate` repeats tensors for the beams of a search, but no tuple. So the beams of a search share a
    source.
    """

    sources: Sources = UNSET

    @property
    def last_hidden_state(self) -> Tensor:
        """Return the states (n, tokens, hidden)."""
        return self.sources.states


class DecoderState(DynamicCache):
    """Keys and values of the words so far, which `generate` keeps between steps.

    Attributes:
        crossed: keys and values of the sources in each layer, (sources, heads, tokens, hidden / heads).
        last: embedding of the last word, (n, 1, hidden); None before the first.
    """

    is_compileable = False
    is_croppable = False

    def __init__(self) -> None:
        super().__init__()
        self.crossed: list[KeysAndValues] = []
        self.last: Tensor | None = None

    def reorder_cache(self, beam_idx: torch.LongTensor) -> None:
        """Follow the beams that survive."""
        super().reorder_cache(beam_idx)
        if self.last is not None:
            self.last = self.last.index_select(0, beam_idx)


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
        """Return the states of words, and the embedding of the last one.

        Args:
            ids: (n, t) words.
            last: embedding (n, 1, hidden) of the word before them; None at the beginning of a text.
            start: position of the first one.

        Returns:
            States (n, t, hidden), and an embedding (n, 1, hidden).
        """
        words = self.words(ids) * self.scale
        first = torch.zeros_like(words[:, :1]) if last is None else last
        previous = torch.cat([first, words[:, :-1]], dim=1)
        positions = sinusoids(start, ids.shape[1], words.shape[-1], words.device)
        states = self.dropout(words + self.before(previous) + positions.to(words.dtype))
        if torch.is_autocast_enabled(ids.device.type):
            # All that follows then takes half the bytes.
            states = states.to(torch.get_autocast_dtype(ids.device.type))
        return states, words[:, -1:]


def sinusoids(start: int, count: int, size: int, device: torch.device) -> Tensor:
    """Return encodings (count, size) of the positions from `start` on (Vaswani et al. 2017, §3.5)."""
    positions = torch.arange(start, start + count, device=device, dtype=torch.float32)
    rates = torch.exp(torch.arange(0, size, 2, device=device) * (-math.log(10_000.0) / size))
    angles = positions[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Layer(nn.Module):
    """Self-attention, attention to the source in a decoder, two linear layers; normalised before each."""

    def __init__(self, config: PointerTransformerConfig, *, crossing: bool):
        super().__init__()
        size = config.hidden_size
        between = config.intermediate_size
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
        """Return the states after the layer, (n, t, hidden).

        Args:
            states: (n, t, hidden) states before it.
            mask: what is added to the logits of the self-attention; None adds nothing.
            state: keys and values of the words before, in a decoder; None in an encoder.
            number: number of the layer, by which `state` keeps them.
            cross_mask: what is added to the logits of the attention to the source.
        """
        projected = self.projected(self.norm(states))
        query, keys, values = split_heads(projected, 3, self.heads).unbind(1)
        if state is not None:
            keys, values = state.update(keys, values, number)
        states = states + self.dropout(self.output(attend(query, keys, values, mask)))
        if state is not None:
            source_keys, source_values = state.crossed[number]
            queries = by_source(self.cross_query(self.cross_norm(states)), source_keys)
            query = split_heads(queries, 1, self.heads)[:, 0]
            context = attend(query, source_keys, source_values, cross_mask)
            states = states + self.dropout(self.cross_output(context.view_as(states)))
        return states + self.dropout(self.between(self.between_norm(states)))


def by_source(states: Tensor, sources: Tensor) -> Tensor:
    """Return the states of each source's headlines together, (sources, t * beams, hidden).

    Args:
        states: (n, t, hidden) states of the n = sources * beams headlines of a search.
        sources: any tensor with a row for each source.
    """
    return states.reshape(len(sources), -1, states.shape[-1])


def split_heads(projected: Tensor, parts: int, heads: int) -> Tensor:
    """Return (n, t, parts * hidden) values as (n, parts, heads, t, hidden / heads)."""
    return projected.unflatten(-1, (parts, heads, -1)).permute(0, 2, 3, 1, 4)


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """Return the context vectors (n, t, hidden) of (n, heads, t, hidden / heads) queries.

    A mask is added to the logits.
    """
    if mask is not None:
        mask = mask.to(query.dtype)
    contexts = functional.scaled_dot_product_attention(query, keys, values, mask)
    return contexts.transpose(1, 2).flatten(2)


class TransformerEncoder(nn.Module):
    """Reads sources, and prepares what each step of the decoder needs of them."""

    main_input_name = "input_ids"

    def __init__(self, config: PointerTransformerConfig, embedding: Embedding):
        super().__init__()
        self.embedding = embedding
        self.layers = nn.ModuleList(Layer(config, crossing=False) for _ in range(config.encoder_layers))
        self.norm = nn.LayerNorm(config.hidden_size)
        self.copy = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.pairs = nn.Linear(config.hidden_size, 2 * config.decoder_layers * config.hidden_size)
        self.pairs_shape = (config.decoder_layers, 2, config.num_attention_heads, -1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: object) -> EncodedSource:
        """Encode (n, tokens) ids, temporary ones too; padding on the right, one token or more a source."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        added = padding_logits(mask)
        states, _ = self.embedding(input_ids)
        for layer in self.layers:
            states = layer(states, added)
        states = self.norm(states)
        # (n, tokens, layers, 2, heads, hidden / heads) to the order of `Sources.crossed`
        crossed = self.pairs(states).unflatten(-1, self.pairs_shape).permute(0, 2, 3, 4, 1, 5)
        sources = Sources(
            states=states,
            crossed=crossed,
            copied=self.copy(states),
            ids=input_ids,
            mask=mask.bool(),
        )
        return EncodedSource(sources)


def padding_logits(mask: Tensor) -> Tensor | None:
    """Return what is added to the logits of an attention to a source, so that padding has no part in it.

    Args:
        mask: (n, tokens), 0 at padding.

    Returns:
        Values (n, 1, 1, tokens); None where there is no padding.
    """
    if bool(mask.all()):
        return None
    return (mask == 0)[:, None, None] * IMPOSSIBLE


def at_least_single(logits: Tensor) -> Tensor:
    """Return logits in the precision that a softmax over thousands of words needs, float32 or more."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


class PointerTransformerForConditionalGeneration(WordGenerator):
    """The Transformer that copies.

    It trains, generates, saves and loads like any encoder-decoder of transformers.
    """

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
        """Draw weights so that copying is as likely as writing.

        Embeddings have length 1, and linear layers are drawn as Glorot and Bengio (2010) do.
        """
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
            # a source has some hundred places, which together then weigh as much as all words
            nn.init.constant_(self.copy_bias, math.log(max(self.config.words, 2) / 100))

    def get_input_embeddings(self) -> nn.Module:
        """Return the word embeddings."""
        return self.embedding.words

    def _decode(
        self, ids: Tensor, encoded: EncodedSource, state: DecoderState | None
    ) -> tuple[Tensor, DecoderState]:
        """Return states (n, t, hidden) of (n, t) words after those of `state`, which is carried on."""
        if state is None:
            state = DecoderState()
        before = state.get_seq_length()
        steps = ids.shape[1]
        states, state.last = self.embedding(ids, state.last, before)
        mask = padding_logits(encoded.sources.mask)
        # a word sees itself and the words before it
        causal = torch.full((steps, before + steps), IMPOSSIBLE, device=ids.device).triu(before + 1)
        if not state.crossed:
            for keys_and_values in encoded.sources.crossed.unbind(1):
                keys, values = keys_and_values.unbind(1)
                # Made contiguous once, so that no step copies them.
                state.crossed.append((keys.contiguous(), values.contiguous()))
        for number, layer in enumerate(self.layers):
            states = layer(states, causal, state, number, mask)
        return self.norm(states), state

    def _word_logits(self, states: Tensor) -> Tensor:
        """Return the logits (..., words) of the vocabulary, float32 or more."""
        weight = self.embedding.words.weight[: self.config.words]
        return at_least_single(functional.linear(states, weight, self.bias))

    def _place_logits(self, states: Tensor, encoded: EncodedSource) -> Tensor:
        """Return the logits (n, t, tokens) of the places of the source, float32 or more."""
        keys = encoded.sources.copied
        queries = by_source(self.copy(states), keys)
        logits = at_least_single(torch.bmm(queries, keys.transpose(1, 2)))
        logits = logits * states.shape[-1] ** -0.5 + self.copy_bias
        logits = logits.masked_fill(~encoded.sources.mask.unsqueeze(1), IMPOSSIBLE)
        return logits.view(*states.shape[:2], -1)

    def _loss(self, states: Tensor, encoded: EncodedSource, labels: Tensor) -> Tensor:
        """Return the mean of -log P(word) over the labels' words."""
        rows, times = torch.nonzero(labels != IGNORED, as_tuple=True)
        wanted = labels[rows, times]
        word_logits = self._word_logits(states[rows, times])
        place_logits = self._place_logits(states, encoded)[rows, times]
        in_words = wanted < self.config.words
        words = wanted * in_words
        written = word_logits.gather(1, words.unsqueeze(1)).squeeze(1)
        # The logarithm of the sum by way of the cross-entropy, whose kernels are several times faster.
        of_words = functional.cross_entropy(word_logits, words, reduction="none") + written
        total = torch.logaddexp(of_words, place_logits.logsumexp(-1))
        is_elsewhere = encoded.sources.ids[rows] != wanted.unsqueeze(1)
        copied = place_logits.masked_fill(is_elsewhere, IMPOSSIBLE).logsumexp(-1)
        of_wanted = torch.logaddexp(written.masked_fill(~in_words, IMPOSSIBLE), copied)
        return (total - of_wanted).mean()

    def _log_probabilities(self, states: Tensor, encoded: EncodedSource) -> Tensor:
        """Return log-probabilities (n, t, vocab_size); padding, `<unk>` and `<s>` are never written."""
        config = self.config
        word_logits = self._word_logits(states)
        place_logits = self._place_logits(states, encoded)
        together = torch.cat([word_logits, place_logits], dim=-1).softmax(-1)
        written = together[..., : config.words]
        copied = together[..., config.words :]
        ids = encoded.sources.ids
        beams = len(place_logits) // len(ids)
        sources = ids.repeat_interleave(beams, dim=0).unsqueeze(1).expand_as(place_logits)
        # in place: a tensor of all words of all beams is made and given back in a millisecond
        extended = functional.pad(written, (0, config.reserved)).scatter_add_(-1, sources, copied)
        extended[..., [config.pad_token_id, config.unk_token_id, config.decoder_start_token_id]] = 0.0
        return extended.add_(torch.finfo(extended.dtype).tiny).log_()
