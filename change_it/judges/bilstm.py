"""Classify headlines as LREC 2020 does (section 3.2), by a Bi-LSTM over embeddings of words and characters.

`input_ids` are bytes. `forward` splits them into words, so a word that has no embedding is still read by its
letters.

Imports are relative, so that `register_for_auto_class` can send this file and `linear_features` to the Hub
with the weights.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from transformers import ByT5Tokenizer, PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from .linear_features import COMBINING, decode_texts

#: Characters and words that occur in fewer headlines are unknown.
LEAST_HEADLINES = 2
#: Id of the padding behind a word's characters.
PADDING = 0
#: Id of all unknown characters.
UNKNOWN = 1
#: Id of the first known character; the others follow.
KNOWN = 2
_WORD = re.compile(rf"[^\W_]+(?:[{COMBINING}]+[^\W_]*)*|\S")


class BiLSTMJudgeConfig(PreTrainedConfig):
    """Configuration of a `BiLSTMJudgeForSequenceClassification`.

    Attributes:
        characters: The known characters.
        words: Words with an embedding of their own, in lower case.
        word_size: Dimensions of word embeddings.
        filters: Filters of the CNN, which are the dimensions of character embeddings.
        kernel_size: Characters that a filter sees.
        word_length: Characters of a word that are seen.
        hidden_size: Cells of each direction of the LSTM.
        dropout: Dropout before and after the LSTM, 0-1.
    """

    model_type = "change_it_bilstm_judge"

    characters: list[str] | None = None
    words: list[str] | None = None
    word_size: int = 128
    filters: int = 50
    kernel_size: int = 3
    word_length: int = 20
    hidden_size: int = 128
    dropout: float = 0.3


class BiLSTMJudgeForSequenceClassification(PreTrainedModel):
    """Which of two outlets wrote a headline? One sigmoid, trained with binary cross-entropy."""

    config_class = BiLSTMJudgeConfig
    base_model_prefix = "lstm"

    def __init__(self, config: BiLSTMJudgeConfig):
        super().__init__(config)
        characters = config.characters or []
        words = config.words or []
        self.character_ids = {character: number for number, character in enumerate(characters, KNOWN)}
        # 0 is the id of all other words
        self.word_ids = {word: number for number, word in enumerate(words, 1)}
        self.words = nn.Embedding(1 + len(words), config.word_size)
        self.convolution = nn.Conv1d(
            KNOWN + len(characters), config.filters, config.kernel_size, padding=config.kernel_size // 2
        )
        self.lstm = nn.LSTM(
            config.word_size + config.filters, config.hidden_size, batch_first=True, bidirectional=True
        )
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = nn.Linear(2 * config.hidden_size, 1)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Draw the first weights as torch does, but for embeddings, which are uniform in ±0.1."""
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -0.1, 0.1)
        elif isinstance(module, nn.Linear | nn.Conv1d | nn.LSTM):
            module.reset_parameters()

    def forward(
        self, input_ids: Tensor, labels: Tensor | None = None, **_: object
    ) -> SequenceClassifierOutput:
        """Return logits of headlines, and with labels the mean binary cross-entropy.

        Args:
            input_ids: Bytes of headlines, as `ByT5Tokenizer` gives them, (rows, bytes).
            labels: Outlet of each headline, 0 or 1.

        Returns:
            Logits (rows, 2), whose difference is the log odds of outlet B.
        """
        headlines = [first for first, _ in decode_texts(input_ids)]
        ids, lengths = self.read(headlines)
        ids = ids.to(input_ids.device)
        by_words = self.words(ids[..., 0])
        by_characters = self.embed_characters(ids[..., 1:])
        embedded = self.dropout(torch.cat([by_words, by_characters], dim=-1))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, (state, _) = self.lstm(packed)
        both_directions = self.dropout(torch.cat([state[0], state[1]], dim=-1))
        logit = self.classifier(both_directions).squeeze(-1)
        loss = None
        if labels is not None:
            loss = functional.binary_cross_entropy_with_logits(logit.float(), labels.float())
        return SequenceClassifierOutput(loss=loss, logits=torch.stack([-logit / 2, logit / 2], dim=-1))

    def read(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Return the ids of the words of texts.

        Returns:
            The id of each word and then those of its characters, (texts, words, 1 + word_length), with zeros
            behind the last word of shorter texts; and the number of words of each text, (texts,), at least 1.
        """
        rows = []
        for text in texts:
            words = split_words(text) or [""]
            rows.append(torch.tensor([self._ids(word) for word in words]))
        lengths = torch.tensor([len(row) for row in rows])
        return pad_sequence(rows, batch_first=True), lengths

    def _ids(self, word: str) -> list[int]:
        """Return the id of a word and those of its characters, padded to `word_length`."""
        length = self.config.word_length
        characters = [self.character_ids.get(character, UNKNOWN) for character in word[:length]]
        padding = [PADDING] * (length - len(characters))
        return [self.word_ids.get(word.casefold(), 0), *characters, *padding]

    def embed_characters(self, characters: Tensor) -> Tensor:
        """Return the maximum of a convolution over each word's one-hot characters, (rows, words, filters).

        Args:
            characters: Ids of the characters of each word, (rows, words, word_length).
        """
        rows, words, length = characters.shape
        one_hot = functional.one_hot(characters, self.convolution.in_channels)
        is_character = (characters != PADDING)[..., None]
        inputs = one_hot.to(self.convolution.weight) * is_character
        by_word = inputs.view(rows * words, length, -1)
        filtered = self.convolution(by_word.transpose(1, 2)).relu()
        return filtered.amax(-1).view(rows, words, -1)


def build_bilstm(
    headlines: Sequence[str],
    *,
    max_tokens: int,
    vectors: Any = None,
    articles: Sequence[str] = (),
    **labels: Any,
) -> tuple[BiLSTMJudgeForSequenceClassification, ByT5Tokenizer]:
    """Make a Bi-LSTM judge before training, its weights random, and its tokenizer.

    Args:
        headlines: Headlines of the training side, whose frequent words and characters are known.
        max_tokens: Bytes that the judge reads.
        vectors: Vectors of words (gensim's `KeyedVectors`), which are not trained. With them the known words
            are the words of headlines and articles that have a vector, whatever their capitals.
        articles: Articles of the training side.
        labels: Settings of its configuration.
    """
    words_of_headlines = [split_words(text) for text in headlines]
    characters = _frequent(set("".join(words)) for words in words_of_headlines)
    if vectors is None:
        words = _frequent(_casefolded(words) for words in words_of_headlines)
        config = BiLSTMJudgeConfig(characters=characters, words=words, **labels)
        judge = BiLSTMJudgeForSequenceClassification(config)
    else:
        # Vectors are sorted by frequency. Reversed, the first of two writings of a word is kept.
        rows = {key.casefold(): row for key, row in reversed(vectors.key_to_index.items())}
        met: set[str] = set()
        for text in (*headlines, *articles):
            met |= _casefolded(split_words(text))
        words = sorted(rows.keys() & met)
        config = BiLSTMJudgeConfig(
            characters=characters, words=words, word_size=vectors.vector_size, **labels
        )
        judge = BiLSTMJudgeForSequenceClassification(config)
        judge.words.weight.requires_grad_(False)
        # words without a vector
        judge.words.weight[0] = 0
        judge.words.weight[1:] = torch.from_numpy(vectors.vectors[[rows[word] for word in words]])
    return judge, ByT5Tokenizer(model_max_length=max_tokens)


def _casefolded(words: Iterable[str]) -> set[str]:
    """Return words without their capitals."""
    return {word.casefold() for word in words}


def _frequent(rows: Iterable[set[str]]) -> list[str]:
    """Return the texts of which at least `LEAST_HEADLINES` rows have each, sorted."""
    counts = Counter(chain.from_iterable(rows))
    return sorted(text for text, count in counts.items() if count >= LEAST_HEADLINES)


def split_words(text: str) -> list[str]:
    """Split a text into words and marks, cased."""
    return _WORD.findall(unicodedata.normalize("NFC", text))
