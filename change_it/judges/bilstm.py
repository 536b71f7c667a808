"""The classifier of LREC 2020 (section 3.2): a Bi-LSTM over word embeddings beside character embeddings of a CNN.

`input_ids` are characters; `forward` puts words together, so a word that no vector is known of is still read by its letters.

Imports of ours are relative and stay in this folder, so that `register_for_auto_class` can send all of it to the Hub with the weights.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence
from transformers import PreTrainedConfig

from .layers import MODULUS, TwoClassModel, binary_loss, two_logits

#: Kinds of characters: of no word, of a word, a word of its own.
BETWEEN, LETTER, SIGN = range(3)
#: A word's number is a polynomial in its characters modulo a prime, two of them side by side.
BASES = (1_000_003, 92_821)


class BiLSTMJudgeConfig(PreTrainedConfig):
    """What a `BiLSTMJudgeForSequenceClassification` is made of.

    Attributes:
        characters: ids of the tokenizer, 0 is padding.
        words: words with an embedding of their own.
        word_size: dimensions of word embeddings.
        filters: filters of the CNN, dimensions of character embeddings.
        kernel_size: characters that a filter sees.
        word_length: characters of a word that are seen.
        hidden_size: cells of each direction of the LSTM.
        dropout: before and after the LSTM, 0 to 1.
    """

    model_type = "change_it_bilstm_judge"

    characters: int = 2
    words: int = 0
    word_size: int = 128
    filters: int = 50
    kernel_size: int = 3
    word_length: int = 20
    hidden_size: int = 128
    dropout: float = 0.3


def word_number(codes: list[int]) -> int:
    """Number of a word of character codes, the first one lowest.

    Examples:
        >>> word_number([1, 2]) == ((1 + 2 * BASES[0]) % MODULUS) * 2**31 + (1 + 2 * BASES[1]) % MODULUS
        True
    """
    first, second = (
        sum(code * pow(base, place, MODULUS) for place, code in enumerate(codes)) % MODULUS for base in BASES
    )
    return first * 2**31 + second


class BiLSTMJudgeForSequenceClassification(TwoClassModel):
    """Which of two outlets wrote a headline? One sigmoid, trained with binary cross-entropy."""

    config_class = BiLSTMJudgeConfig
    base_model_prefix = "lstm"

    #: uint8 (characters,): kind of each character.
    kinds: Tensor
    #: int64 (characters,): code of each character in the numbers of words; the same for both cases of a letter.
    codes: Tensor
    #: int64 (words,): numbers of the words with an embedding, rising.
    word_numbers: Tensor

    def __init__(self, config: BiLSTMJudgeConfig):
        super().__init__(config)
        self.words = nn.Embedding(config.words + 1, config.word_size)  # the first is of all other words
        self.convolution = nn.Conv1d(
            config.characters, config.filters, config.kernel_size, padding=config.kernel_size // 2
        )
        self.lstm = nn.LSTM(
            config.word_size + config.filters, config.hidden_size, batch_first=True, bidirectional=True
        )
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = nn.Linear(2 * config.hidden_size, 1)
        self.register_buffer("kinds", torch.zeros(config.characters, dtype=torch.uint8))
        self.register_buffer("codes", torch.zeros(config.characters, dtype=torch.int64))
        self.register_buffer("word_numbers", torch.zeros(config.words, dtype=torch.int64))
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Torch's own first weights; embeddings uniform in ±0.1."""
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -0.1, 0.1)
        elif isinstance(module, nn.Linear | nn.Conv1d | nn.LSTM):
            module.reset_parameters()

    def classify(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Logits, whose difference is the sigmoid's, and the mean binary cross-entropy; label 0 is the first outlet."""
        characters, numbers, lengths = self.split(input_ids * attention_mask)
        seen = torch.cat([self.embed_words(numbers), self.embed_characters(characters)], dim=-1)
        packed = pack_padded_sequence(
            self.dropout(seen), lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)
        logit = self.classifier(self.dropout(torch.cat([state[0], state[1]], dim=-1))).squeeze(-1)
        return two_logits(logit), binary_loss(logit, labels)

    def split(self, input_ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Characters to words.

        Args:
            input_ids: int64 (rows, characters), 0 where padded.

        Returns:
            Characters of each word, (rows, words, word_length), 0 after its end; numbers of the words (rows, words); how
            many words a row has, (rows,).
        """
        rows, kinds = len(input_ids), self.kinds[input_ids]
        before = functional.pad(kinds, (1, 0))[:, :-1]
        inside = kinds != BETWEEN
        starts = inside & ((kinds == SIGN) | (before != LETTER))
        word = (starts.cumsum(1) - 1).clamp(min=0)
        places = torch.arange(input_ids.shape[1], device=input_ids.device).expand_as(input_ids)
        place = places - torch.where(starts, places, 0).cummax(1).values
        lengths = starts.sum(1)
        most, longest = max(1, int(lengths.max())), self.config.word_length

        shown = inside & (place < longest)
        characters = input_ids.new_zeros(rows, most * longest)
        row = torch.arange(rows, device=input_ids.device)[:, None].expand_as(input_ids)
        characters[row[shown], (word * longest + place)[shown]] = input_ids[shown]

        numbers = input_ids.new_zeros(rows, most)
        for base in BASES:
            powers = [pow(base, exponent, MODULUS) for exponent in range(input_ids.shape[1])]
            power = torch.tensor(powers, device=input_ids.device)[place]
            terms = self.codes[input_ids] * power % MODULUS * inside
            part = torch.zeros_like(numbers).scatter_add_(1, word, terms) % MODULUS
            numbers = numbers * 2**31 + part
        return characters.view(rows, most, longest), numbers, lengths

    def embed_words(self, numbers: Tensor) -> Tensor:
        """Embeddings of words by their numbers, (rows, words, word_size)."""
        if not len(self.word_numbers):
            return self.words(torch.zeros_like(numbers))
        place = torch.searchsorted(self.word_numbers, numbers).clamp(max=len(self.word_numbers) - 1)
        known: Tensor = self.word_numbers[place] == numbers
        embedded: Tensor = self.words(torch.where(known, place + 1, 0))
        return embedded

    def embed_characters(self, characters: Tensor) -> Tensor:
        """A convolution over one-hot characters and its maximum over each word, (rows, words, filters)."""
        rows, words, length = characters.shape
        one_hot = functional.one_hot(characters, self.config.characters).to(self.convolution.weight.dtype)
        one_hot = one_hot * (characters > 0)[..., None]
        found = self.convolution(one_hot.view(rows * words, length, -1).transpose(1, 2)).relu()
        return found.amax(-1).view(rows, words, -1)
