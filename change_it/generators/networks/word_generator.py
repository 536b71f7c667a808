"""Base classes of the encoder-decoders over words: configuration, call and steps of `generate`.

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
    """Configuration of networks over the words of a `HeadlineTokenizer`.

    Attributes:
        vocab_size: width of the logits: words of the vocabulary and temporary ids.
        reserved: number of temporary ids, which are the last of `vocab_size`.
    """

    is_encoder_decoder: bool = True

    vocab_size: int = 40_100
    reserved: int = 100
    pad_token_id: int | None = 0
    unk_token_id: int = 1
    bos_token_id: int | None = 2
    eos_token_id: int | list[int] | None = 3
    decoder_start_token_id: int | None = 2

    @property
    def words(self) -> int:
        """Return the size of the vocabulary without temporary ids."""
        return self.vocab_size - self.reserved


#: Default of the fields of a `ModelOutput`, which transformers wants to have one.
UNSET: Any = None
#: What transformers calls the state of `generate`: `cache` from 5.24 on, `past_key_values` before.
STATE_NAMES = ("cache", "past_key_values")


def _state_name() -> str:
    """Return the name of the state in the installed version of transformers."""
    known = {field.name for field in fields(Seq2SeqLMOutput)}
    return next(name for name in STATE_NAMES if name in known)


#: Its name in the installed version.
STATE = _state_name()


class WordGenerator(PreTrainedModel, GenerationMixin):
    """Base of the encoder-decoders over words: the call, the state of decoding, and words without `<unk>`.

    Attributes:
        encoder: network that reads the sources.
        state_class: class of the state that `generate` keeps between steps.
        _decode: method of subclasses for (n, t) words that follow those of a state. It returns the decoder's
            output and the state after these words.
        _loss: method of subclasses. It returns the mean loss over the labels' words.
        _log_probabilities: method of subclasses. It returns (n, t, vocab_size) values of the next word.
    """

    base_model_prefix = "model"
    main_input_name = "input_ids"
    encoder: nn.Module
    state_class: type
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
        """Return the loss of the labels, or log-probabilities (n, t, vocab_size) of the next word.

        The loss is the mean of -log P(word) over words, or with `loss_by_sequence` over headlines. PNC adds
        the weighted coverage loss (See et al. 2017, eq. 13). `<unk>` is never written.

        Args:
            input_ids: (n, tokens) sources with temporary ids, padded on the right.
            attention_mask: (n, tokens), 0 at padding; without it there is no padding.
            decoder_input_ids: (n, t) words so far, `<s>` first; made from the labels when not given.
            labels: (n, t) headlines that end with `</s>`, padded with -100.
            encoder_outputs: what the encoder returned for the sources, where they were read before.
            past_key_values: state after the words before, by the name that it has until transformers 5.23.
            use_cache: whether the state after these words is returned.
            cache: the same state by the name that it has from transformers 5.24 on.
            kwargs: other arguments of transformers, which are not used.
        """
        encoded = encoder_outputs
        if encoded is None:
            encoded = self.encoder(input_ids, attention_mask)
        if decoder_input_ids is None:
            decoder_input_ids = self.prepare_decoder_input_ids_from_labels(labels)
        before = cache
        if before is None:
            before = past_key_values
        steps, state = self._decode(decoder_input_ids, encoded, before)
        if labels is not None:
            return Seq2SeqLMOutput(loss=self._loss(steps, encoded, labels))
        if not use_cache:
            state = None
        return Seq2SeqLMOutput(
            logits=self._log_probabilities(steps, encoded),
            encoder_last_hidden_state=encoded.last_hidden_state,
            **{STATE: state},
        )

    def prepare_decoder_input_ids_from_labels(self, labels: Any) -> Tensor:
        """Return `<s>` and all labels but the last, (n, t)."""
        shifted: Tensor = labels.roll(1, dims=1)
        shifted = shifted.masked_fill(shifted == IGNORED, self.config.pad_token_id or 0)
        shifted[:, 0] = self.config.decoder_start_token_id or 0
        return shifted

    def prepare_inputs_for_generation(
        self,
        input_ids: Tensor,
        past_key_values: Any = None,
        encoder_outputs: Any = None,
        use_cache: bool | None = None,
        cache: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return the inputs of one step of `generate`: only the words after those of the state.

        transformers passes its arguments by name; see `forward`.
        """
        state = cache
        if state is None:
            state = past_key_values
        if not use_cache:
            state = None
        words = input_ids
        if state is not None:
            words = input_ids[:, state.get_seq_length() :]
        return {
            "decoder_input_ids": words,
            STATE: state,
            "encoder_outputs": encoder_outputs,
            "use_cache": use_cache,
        }
