"""The classifier of LREC 2020 (section 3.2): a Bi-LSTM over word embeddings and character embeddings of a CNN.

`input_ids` are characters; `forward` puts words together, so a word that no vector is known of is still read by its letters.

Nothing of the package is imported, so that `register_for_auto_class` can send this file to the Hub with the weights.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
from transformers.modeling_outputs import SequenceClassifierOutput

#: A prime: numbers of words are polynomials modulo it.
MODULUS = 2**31 - 1
#: Kinds of characters: of no word, of a word, a word of its own.
BETWEEN, LETTER, SIGN = range(3)
#: A word's number is a polynomial in its characters modulo a prime, two of them side by side.
BASES = (1_000_003, 92_821)


class BiLSTMJudgeConfig(PreTrainedConfig):
    """Configuration of a `BiLSTMJudgeForSequenceClassification`."""

    model_type = "change_it_bilstm_judge"

    characters: int = 2  # ids of the tokenizer, 0 is padding
    words: int = 0  # with an embedding of their own
    word_size: int = 128  # dimensions of word embeddings
    filters: int = 50  # of the CNN, dimensions of character embeddings
    kernel_size: int = 3  # characters that a filter sees
    word_length: int = 20  # characters of a word that are seen
    hidden_size: int = 128  # cells of each direction of the LSTM
    dropout: float = 0.3  # before and after the LSTM


def word_number(codes: list[int]) -> int:
    """Number of a word of character codes, the first one lowest."""
    first, second = (
        sum(code * pow(base, place, MODULUS) for place, code in enumerate(codes)) % MODULUS for base in BASES
    )
    return first * 2**31 + second


class BiLSTMJudgeForSequenceClassification(PreTrainedModel):
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

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        **_: object,
    ) -> SequenceClassifierOutput:
        """Logits (rows, 2) of headlines, whose difference is the sigmoid's, and with labels (0 is the first outlet) the mean binary cross-entropy."""
        if attention_mask is not None:
            input_ids = input_ids * attention_mask
        characters, numbers, lengths = self.split(input_ids)
        seen = torch.cat([self.embed_words(numbers), self.embed_characters(characters)], dim=-1)
        packed = pack_padded_sequence(
            self.dropout(seen), lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.lstm(packed)
        logit = self.classifier(self.dropout(torch.cat([state[0], state[1]], dim=-1))).squeeze(-1)
        loss = None
        if labels is not None:
            loss = functional.binary_cross_entropy_with_logits(logit.float(), labels.float())
        return SequenceClassifierOutput(loss=loss, logits=torch.stack([-logit / 2, logit / 2], dim=-1))

    def split(self, input_ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of (rows, characters) ids, 0 where padded, the characters of each word (rows, words, word_length), numbers of the words (rows, words), and how many words a row has."""
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


#: Tokens other than characters.
PADDING, UNKNOWN = "[PAD]", "[UNK]"
#: Characters that occur in fewer headlines are unknown, and so are words.
LEAST = 2


def build_bilstm(
    headlines: Sequence[str], *, max_tokens: int, **labels: Any
) -> tuple[BiLSTMJudgeForSequenceClassification, PreTrainedTokenizerFast]:
    """A Bi-LSTM judge before training, its weights random, and its tokenizer; `labels` are settings of its configuration."""
    tokenizer = character_tokenizer(headlines, max_tokens)
    words = Counter(word for text in headlines for word in set(_split(text)))
    known_words = [word for word, count in words.items() if count >= LEAST]
    codes = {character: id_ + 1 for character, id_ in tokenizer.get_vocab().items()}
    lower = {character: codes.get(character.casefold(), codes[character]) for character in codes}
    unknown = lower[UNKNOWN]
    numbers = sorted(word_number([lower.get(sign, unknown) for sign in word]) for word in known_words)
    settings: dict[str, Any] = {"pad_token_id": 0, **labels}
    config = BiLSTMJudgeConfig(characters=len(tokenizer), words=len(numbers), **settings)
    judge = BiLSTMJudgeForSequenceClassification(config)
    judge.word_numbers.copy_(torch.tensor(numbers, dtype=torch.int64))
    for character, id_ in tokenizer.get_vocab().items():
        judge.codes[id_] = lower[character]
        judge.kinds[id_] = _kind(character)
    return judge, tokenizer


def character_tokenizer(headlines: Sequence[str], max_tokens: int) -> PreTrainedTokenizerFast:
    """A tokenizer whose tokens are characters, cased; those of fewer than `LEAST` headlines are unknown."""
    counts = Counter(sign for text in headlines for sign in {*text, *text.casefold()})
    alphabet = sorted(sign for sign, count in counts.items() if count >= LEAST and not sign.isspace())
    names = [PADDING, UNKNOWN, " ", *alphabet]
    vocabulary = {name: id_ for id_, name in enumerate(names)}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " ")])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token=PADDING,
        unk_token=UNKNOWN,
        model_max_length=max_tokens,
        padding_side="right",
        truncation_side="right",
    )


def _kind(character: str) -> int:
    """Class of a character: part of a word (also an unknown one), mark or space."""
    if character in (PADDING, " "):
        return BETWEEN
    return LETTER if character == UNKNOWN or _is_letter(character) else SIGN


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _split(text: str) -> list[str]:
    """Words of a text as the judge sees them, in lower case."""
    words: list[str] = []
    inside = False
    for sign in unicodedata.normalize("NFC", text).casefold():
        letter = _is_letter(sign)
        if letter and inside:
            words[-1] += sign
        elif not sign.isspace():
            words.append(sign)
        inside = letter
    return words
