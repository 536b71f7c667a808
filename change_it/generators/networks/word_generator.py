"""Base classes of the word-level encoder-decoders: configuration and call.

Imports are relative and stay in this folder, all of which goes to the Hub with the weights.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import Seq2SeqLMOutput

from .tokenizer import IGNORED

if TYPE_CHECKING:  # `save_pretrained` looks for such lines, and saves these files too
    from .headline_pipeline import HeadlinePipeline  # noqa: F401 (saved with this file)


class WordConfig(PreTrainedConfig):
    """Configuration of networks over the words of a `HeadlineTokenizer`."""

    is_encoder_decoder: bool = True

    vocab_size: int = 40_100  # width of the logits: words of the vocabulary and temporary ids
    reserved: int = 100  # temporary ids, the last of `vocab_size`
    pad_token_id: int | None = 0
    unk_token_id: int = 1
    bos_token_id: int | None = 2
    eos_token_id: int | list[int] | None = 3
    decoder_start_token_id: int | None = 2

    @property
    def words(self) -> int:
        """Size of the vocabulary without temporary ids."""
        return self.vocab_size - self.reserved


UNSET: Any = None  # fields of a `ModelOutput` have defaults
#: What transformers calls the state of `generate`: `cache` from 5.24 on, `past_key_values` before.
STATE_NAMES = ("cache", "past_key_values")
STATE = next(name for name in STATE_NAMES if name in {field.name for field in fields(Seq2SeqLMOutput)})


class WordGenerator(PreTrainedModel, GenerationMixin):
    """Base of the word-level encoder-decoders: the call, the state of decoding, and words without `<unk>`."""

    base_model_prefix = "model"
    main_input_name = "input_ids"
    encoder: nn.Module
    state_class: type  # of the state that `generate` keeps between steps
    # output of the decoder for (n, t) words after those of a state, and the state after them; mean over the labels' words;
    # (n, t, vocab_size) log-probabilities of the next word
    _decode: Any
    _loss: Any
    _log_probabilities: Any

    def generate(self, *args: Any, **options: Any) -> Any:
        """Run transformers' `generate` with a state of this network in place of a cache."""
        if not any(name in options for name in STATE_NAMES):
            options[STATE] = self.state_class()
        return super().generate(*args, **options)  # it types self by a protocol

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        labels: Tensor | None = None,
        encoder_outputs: Any = None,
        past_key_values: Any = None,
        use_cache: bool | None = None,
        cache: Any = None,
        **kwargs: Any,
    ) -> Seq2SeqLMOutput:
        """Loss of the labels, or (n, t, vocab_size) log-probabilities of the next word, none for `<unk>`.

        Sources (n, tokens) have temporary ids and padding on the right; `decoder_input_ids` (n, t) are the words so far, `<s>`
        first, from the labels when not given; `labels` (n, t) end with `</s>` and are padded with -100. The loss is the mean over
        their words (with `loss_by_sequence` over headlines) of -log P(word), for PNC of the weighted coverage loss (eq. 13) too.
        """
        encoded = self.encoder(input_ids, attention_mask) if encoder_outputs is None else encoder_outputs
        if decoder_input_ids is None:
            decoder_input_ids = self.prepare_decoder_input_ids_from_labels(labels)
        before = past_key_values if cache is None else cache
        steps, state = self._decode(decoder_input_ids, encoded, before)
        if labels is not None:
            return Seq2SeqLMOutput(loss=self._loss(steps, encoded, labels))
        return Seq2SeqLMOutput(
            logits=self._log_probabilities(steps, encoded),
            encoder_last_hidden_state=encoded.last_hidden_state,
            **{STATE: state if use_cache else None},
        )

    def prepare_decoder_input_ids_from_labels(self, labels: Any) -> Tensor:
        """`<s>` and all labels but the last."""
        shifted: Tensor = labels.roll(1, dims=1)
        shifted = shifted.masked_fill(shifted == IGNORED, self.config.pad_token_id or 0)
        shifted[:, 0] = self.config.decoder_start_token_id or 0
        return shifted

    def prepare_inputs_for_generation(  # transformers passes names
        self,
        input_ids: Tensor,
        past_key_values: Any = None,
        encoder_outputs: Any = None,
        use_cache: bool | None = None,
        cache: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return the inputs of one step of `generate`: only the words after those of the state."""
        given = past_key_values if cache is None else cache
        state = given if use_cache else None
        return {
            "decoder_input_ids": input_ids if state is None else input_ids[:, state.get_seq_length() :],
            STATE: state,
            "encoder_outputs": encoder_outputs,
            "use_cache": use_cache,
        }
