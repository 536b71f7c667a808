"""Split texts into the words that the papers' generators read and write, and pad their ids to batches.

A token is a word, an elided word with its apostrophe (`dell'`), or a punctuation mark *with the spaces around
it* (`", "`, `" «"`); only the space between two words is left out. So a headline comes back exactly, while a
word is the same token wherever it appears and can be copied anywhere. Words outside the vocabulary get
temporary ids after its end, in order of first occurrence in their source (See et al. 2017, §2.2, with a fixed
number of such ids).

No module of the package is imported, so that `register_for_auto_class` can send it to the Hub with the
weights.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedTokenizerFast

#: Special tokens, by their ids.
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
#: Id of `<pad>`.
PADDING = 0
#: Id of `<unk>`.
UNKNOWN = 1
#: Id of `<s>`.
START = 2
#: Id of `</s>`, the last of the special tokens.
END = 3
#: A token: elided word, word (inner hyphens and numbers' marks included), one punctuation mark with its
#: spaces.
TOKEN = r"\w+['’](?=\w)|\w+(?:[-.,]\w+)*|\s?[^\w\s]\s?"
#: Padding of labels, which no loss counts.
IGNORED = -100

_IS_WORD = re.compile(r"\w")


class HeadlineTokenizer(PreTrainedTokenizerFast):
    """A tokenizer over words whose `headlines` restores texts exactly, white space and Unicode NFC aside.

    `sources` and `targets` give temporary ids. `headlines` has to be told their words, as
    `pipeline("headline-generation")` does.

    Examples:
        >>> tokenizer = train_tokenizer(["Il sindaco: «Non c'è»", "il sindaco dice no, anzi"], size=100)
        >>> rows, unknown = tokenizer.sources(["Il prefetto: «No»"], max_tokens=10)
        >>> unknown
        [['prefetto', 'No']]
        >>> tokenizer.headlines(tokenizer.targets(["Non c'è il prefetto"], unknown, max_tokens=9), unknown)
        ["Non c'è il prefetto"]
    """

    # No __init__: transformers 5 would then build the backend anew on loading, without our splitting of
    # words.

    @property
    def reserved(self) -> int:
        """Return the number of temporary ids, which follow the vocabulary from `len(tokenizer)` on."""
        return int(self.init_kwargs["reserved"])

    def sources(self, texts: Sequence[str], *, max_tokens: int) -> tuple[list[list[int]], list[list[str]]]:
        """Return the ids of each text, and its unknown words: word i has the id `len(self) + i`."""
        rows: list[list[int]] = []
        unknown: list[list[str]] = []
        for tokens, ids in self._read(texts, max_tokens):
            numbers: dict[str, int] = {}
            for position, id_ in enumerate(ids):
                if id_ == UNKNOWN:
                    number = numbers.setdefault(tokens[position], len(numbers))
                    if number < self.reserved:
                        ids[position] = len(self) + number
            rows.append(ids or [UNKNOWN])
            unknown.append(list(numbers)[: self.reserved])
        return rows, unknown

    def targets(
        self, texts: Sequence[str], unknown: Sequence[Sequence[str]] | None, *, max_tokens: int
    ) -> list[list[int]]:
        """Return the labels of each text, without the end token where it is cut.

        Args:
            texts: n headlines.
            unknown: the unknown words of each source, as `sources` returns them. The labels of these words
                are their temporary ids. Without it they are `<unk>`.
            max_tokens: tokens of a text, at most.
        """
        rows = []
        for index, (tokens, ids) in enumerate(self._read(texts, max_tokens)):
            copied: dict[str, int] = {}
            if unknown:
                copied = {word: len(self) + number for number, word in enumerate(unknown[index])}
            row: list[int] = []
            for token, id_ in zip(tokens, ids, strict=True):
                if id_ == UNKNOWN:
                    id_ = copied.get(token, UNKNOWN)
                row.append(id_)
            row.append(END)
            rows.append(row[:max_tokens])
        return rows

    def headlines(self, ids: Sequence[list[int]], unknown: Sequence[Sequence[str]]) -> list[str]:
        """Return the texts of ids, without special tokens and temporary ids that have no word."""
        texts = []
        vocabulary = len(self)
        for row, words in zip(ids, unknown, strict=True):
            end = row.index(END, 1) if END in row[1:] else len(row)
            tokens: list[str] = []
            for id_ in row[:end]:
                if END < id_ < vocabulary:
                    tokens.append(str(self.convert_ids_to_tokens(id_)))
                elif vocabulary <= id_ < vocabulary + len(words):
                    tokens.append(words[id_ - vocabulary])
            texts.append(_join_tokens(tokens))
        return texts

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuse a call, since an id of a copied word has no text without its source."""
        raise NotImplementedError(
            "the ids of copied words have a meaning in their source alone: "
            "use pipeline('headline-generation'), or `sources`, `targets` and `headlines`"
        )

    decode = batch_decode = __call__

    def _read(self, texts: Sequence[str], max_tokens: int) -> Iterable[tuple[list[str], list[int]]]:
        """Yield the tokens of each text as they are written, unknown ones too, and their ids, cut."""
        backend = self.backend_tokenizer
        backend.encode_special_tokens = True  # `</s>` in a text is text
        normalised = [backend.normalizer.normalize_str(text) for text in texts]
        encodings = backend.encode_batch(normalised, add_special_tokens=False)
        for text, encoding in zip(normalised, encodings, strict=True):
            tokens = [text[begin:end] for begin, end in encoding.offsets[:max_tokens]]
            yield tokens, encoding.ids[:max_tokens]


def train_tokenizer(texts: Iterable[str], *, size: int, reserved: int = 100) -> HeadlineTokenizer:
    """Learn the vocabulary: the `size` most frequent words, special tokens included, ties by alphabet."""
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    backend = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNKNOWN]))
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), spaces, normalizers.Strip()])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(TOKEN), behavior="removed", invert=True)
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIAL), show_progress=False)
    backend.train_from_iterator(texts, trainer)
    return HeadlineTokenizer(
        tokenizer_object=backend,
        reserved=reserved,
        pad_token=SPECIAL[PADDING],
        unk_token=SPECIAL[UNKNOWN],
        bos_token=SPECIAL[START],
        eos_token=SPECIAL[END],
    )


def _join_tokens(tokens: Sequence[str]) -> str:
    """Join tokens to a text, with a space between two words.

    There is none where a token brings its own, or after an apostrophe.
    """
    if not tokens:
        return ""
    parts = [tokens[0]]
    for left, right in pairwise(tokens):
        are_words = _IS_WORD.match(left) and _IS_WORD.match(right)
        is_elided = left[-1] in "'’"
        if are_words and not is_elided:
            parts.append(" ")
        parts.append(right)
    return "".join(parts).strip()


def padded(rows: Sequence[Sequence[int]], value: int, *, left: bool = False) -> Tensor:
    """Return rows as an (n, longest) tensor of int64, shorter ones filled with `value` behind or before."""
    tensors = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    side = "left" if left else "right"
    return pad_sequence(tensors, batch_first=True, padding_value=value, padding_side=side)


def padded_inputs(rows: Sequence[Sequence[int]], padding: int, *, left: bool = False) -> dict[str, Tensor]:
    """Return `input_ids` and `attention_mask`, both (n, longest), of rows of token ids."""
    present = [[1] * len(row) for row in rows]
    return {
        "input_ids": padded(rows, padding, left=left),
        "attention_mask": padded(present, 0, left=left),
    }


@dataclass(frozen=True)
class Padding:
    """Pads examples to a batch; it can be sent to the workers of a DataLoader.

    Attributes:
        values: what each kind of token ids is filled with; 0 where it is not given.
        left: whether rows are filled on the left.
    """

    values: Mapping[str, int]
    left: bool = False

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        """Return the columns of n examples as tensors: (n, longest) of token ids, (n,) of numbers."""
        batch: dict[str, Tensor] = {}
        for name in rows[0]:
            column = [row[name] for row in rows]
            if np.ndim(column[0]):
                batch[name] = padded(column, self.values.get(name, 0), left=self.left)
            else:
                batch[name] = torch.as_tensor(np.stack(column), dtype=torch.long)
        return batch
