"""The classifier of LREC 2020 (section 3.2): a Bi-LSTM over word embeddings and character embeddings of a CNN.

`input_ids` are bytes; `forward` splits them into words, so a word that has no embedding is still read by its letters.

Imports are relative, so that `register_for_auto_class` can send this file and `linear_features` to the Hub with the weights.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from transformers import ByT5Tokenizer, PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from .linear_features import COMBINING, decode_texts

#: Characters and words that occur in fewer headlines are unknown.
LEAST = 2
#: Ids of characters: padding, the unknown ones, and the first one that is known.
PADDING, UNKNOWN, KNOWN = range(3)
_WORD = re.compile(rf"[^\W_]+(?:[{COMBINING}]+[^\W_]*)*|\S")


class BiLSTMJudgeConfig(PreTrainedConfig):
    """Configuration of a `BiLSTMJudgeForSequenceClassification`."""

    model_type = "change_it_bilstm_judge"

    characters: list[str] | None = None  # that are known
    words: list[str] | None = None  # with an embedding of their own, in lower case
    word_size: int = 128  # dimensions of word embeddings
    filters: int = 50  # of the CNN, dimensions of character embeddings
    kernel_size: int = 3  # characters that a filter sees
    word_length: int = 20  # characters of a word that are seen
    hidden_size: int = 128  # cells of each direction of the LSTM
    dropout: float = 0.3  # before and after the LSTM


class BiLSTMJudgeForSequenceClassification(PreTrainedModel):
    """Which of two outlets wrote a headline? One sigmoid, trained with binary cross-entropy."""

    config_class = BiLSTMJudgeConfig
    base_model_prefix = "lstm"

    def __init__(self, config: BiLSTMJudgeConfig):
        super().__init__(config)
        characters, words = config.characters or [], config.words or []
        self.character_ids = {character: KNOWN + place for place, character in enumerate(characters)}
        self.word_ids = {word: 1 + place for place, word in enumerate(words)}  # 0 is of all other words
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
        """Torch's own first weights; embeddings uniform in ±0.1."""
        if isinstance(module, nn.Embedding):
            nn.init.uniform_(module.weight, -0.1, 0.1)
        elif isinstance(module, nn.Linear | nn.Conv1d | nn.LSTM):
            module.reset_parameters()

    def forward(
        self, input_ids: Tensor, labels: Tensor | None = None, **_: object
    ) -> SequenceClassifierOutput:
        """Logits (rows, 2) of headlines, whose difference is the sigmoid's, and with labels (0 is the first outlet) the mean binary cross-entropy."""
        ids, lengths = self.read([first for first, _ in decode_texts(input_ids)])
        ids = ids.to(input_ids.device)
        embedded = torch.cat([self.words(ids[..., 0]), self.embed_characters(ids[..., 1:])], dim=-1)
        packed = pack_padded_sequence(self.dropout(embedded), lengths, batch_first=True, enforce_sorted=False)
        _, (state, _) = self.lstm(packed)
        logit = self.classifier(self.dropout(torch.cat([state[0], state[1]], dim=-1))).squeeze(-1)
        loss = None
        if labels is not None:
            loss = functional.binary_cross_entropy_with_logits(logit.float(), labels.float())
        return SequenceClassifierOutput(loss=loss, logits=torch.stack([-logit / 2, logit / 2], dim=-1))

    def read(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Ids of the words and of their characters, (texts, words, 1 + word_length), and the number of words of each text, at least 1."""
        rows = [torch.tensor([self._ids(word) for word in split(text) or [""]]) for text in texts]
        return pad_sequence(rows, batch_first=True), torch.tensor([*map(len, rows)])

    def _ids(self, word: str) -> list[int]:
        length = self.config.word_length
        characters = [self.character_ids.get(character, UNKNOWN) for character in word[:length]]
        return [self.word_ids.get(word.casefold(), 0), *characters, *[PADDING] * (length - len(characters))]

    def embed_characters(self, characters: Tensor) -> Tensor:
        """A convolution over one-hot characters and its maximum over each word, (rows, words, filters)."""
        rows, words, length = characters.shape
        one_hot = functional.one_hot(characters, self.convolution.in_channels).to(self.convolution.weight)
        one_hot = one_hot * (characters != PADDING)[..., None]
        filtered = self.convolution(one_hot.view(rows * words, length, -1).transpose(1, 2)).relu()
        return filtered.amax(-1).view(rows, words, -1)


def build_bilstm(
    headlines: Sequence[str],
    *,
    max_tokens: int,
    vectors: Any = None,
    articles: Sequence[str] = (),
    **labels: Any,
) -> tuple[BiLSTMJudgeForSequenceClassification, ByT5Tokenizer]:
    """A Bi-LSTM judge before training, its weights random, and its tokenizer; `labels` are settings of its configuration.

    With `vectors` (gensim's `KeyedVectors`) words have theirs, which are not trained: those of the headlines and `articles` that
    they have in any case, in their most frequent writing.
    """
    words = [split(text) for text in headlines]
    known = _frequent({word.casefold() for word in headline} for headline in words)
    if vectors is not None:
        rows = {key.casefold(): row for key, row in reversed(vectors.key_to_index.items())}
        known = sorted(
            rows.keys() & {word.casefold() for text in (*headlines, *articles) for word in split(text)}
        )
        labels["word_size"] = vectors.vector_size
    characters = _frequent({*"".join(headline)} for headline in words)
    judge = BiLSTMJudgeForSequenceClassification(
        BiLSTMJudgeConfig(characters=characters, words=known, **labels)
    )
    if vectors is not None:
        table = vectors.vectors[[rows[word] for word in known]]
        judge.words.weight.requires_grad_(False)
        judge.words.weight[1:] = torch.from_numpy(table)
        judge.words.weight[0] = 0
    return judge, ByT5Tokenizer(model_max_length=max_tokens)


def _frequent(rows: Iterable[set[str]]) -> list[str]:
    counts = Counter(text for row in rows for text in row)
    return sorted(text for text, count in counts.items() if count >= LEAST)


def split(text: str) -> list[str]:
    """Words and marks of a text, cased."""
    return _WORD.findall(unicodedata.normalize("NFC", text))
