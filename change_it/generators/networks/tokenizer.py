"""Words as the papers' generators read and write them, with temporary ids for those outside the vocabulary.

A token is a word, an elided word with its apostrophe (`dell'`), or a punctuation mark *with the spaces around it*
(`", "`, `" «"`); only the space between two words is left out. So a headline comes back exactly, while a word is the
same token wherever it appears and can be copied anywhere. Words outside the vocabulary get ids after its end, in
order of first occurrence in their source (See et al. 2017, §2.2, with a fixed number of such ids).

No module of the package is imported, so that `register_for_auto_class` can send it to the Hub with the weights.
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

SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
PADDING, UNKNOWN, START, END = range(4)
#: A token: elided word, word (inner hyphens and numbers' marks included), one punctuation mark with its spaces.
TOKEN = r"\w+['’](?=\w)|\w+(?:[-.,]\w+)*|\s?[^\w\s]\s?"
#: Padding of labels, which no loss counts.
IGNORED = -100

_IS_WORD = re.compile(r"\w")


class HeadlineTokenizer(PreTrainedTokenizerFast):
    """A word-level tokenizer whose `headlines` undoes it exactly, white space and Unicode NFC aside.

    `sources` and `targets` give temporary ids, whose words `headlines` is told; `pipeline("headline-generation")` does so.

    Examples:
        >>> tokenizer = train_tokenizer(["Il sindaco: «Non c'è»", "il sindaco dice no, anzi"], size=100)
        >>> rows, unknown = tokenizer.sources(["Il prefetto: «No»"], max_tokens=10)
        >>> unknown
        [['prefetto', 'No']]
        >>> tokenizer.headlines(tokenizer.targets(["Non c'è il prefetto"], unknown, max_tokens=9), unknown)
        ["Non c'è il prefetto"]
    """

    # No __init__: transformers 5 would then build the backend anew on loading, without our splitting of words.

    @property
    def reserved(self) -> int:
        """Temporary ids after the vocabulary: `len(tokenizer)` to `len(tokenizer) + reserved - 1`."""
        return int(self.init_kwargs["reserved"])

    def sources(self, texts: Sequence[str], *, max_tokens: int) -> tuple[list[list[int]], list[list[str]]]:
        """Ids of each text, and its unknown words: word i has the id `len(self) + i`."""
        rows: list[list[int]] = []
        unknown: list[list[str]] = []
        for tokens, ids in self._read(texts, max_tokens):
            numbers: dict[str, int] = {}
            for position, id_ in enumerate(ids):
                if id_ == UNKNOWN:
                    number = numbers.setdefault(tokens[position], len(numbers))
                    ids[position] = len(self) + number if number < self.reserved else UNKNOWN
            rows.append(ids or [UNKNOWN])
            unknown.append(list(numbers)[: self.reserved])
        return rows, unknown

    def targets(
        self, texts: Sequence[str], unknown: Sequence[Sequence[str]] | None, *, max_tokens: int
    ) -> list[list[int]]:
        """Labels of each text, without the end where it is cut; `unknown` words of the sources are copied, if given."""
        rows = []
        for index, (tokens, ids) in enumerate(self._read(texts, max_tokens)):
            numbers = {word: number for number, word in enumerate(unknown[index])} if unknown else {}
            row = [
                len(self) + numbers[token] if id_ == UNKNOWN and token in numbers else id_
                for token, id_ in zip(tokens, ids, strict=True)
            ]
            rows.append([*row, END][:max_tokens])
        return rows

    def headlines(self, ids: Sequence[list[int]], unknown: Sequence[Sequence[str]]) -> list[str]:
        """The texts of ids, without special tokens and temporary ids that have no word."""
        texts = []
        for row, words in zip(ids, unknown, strict=True):
            end = row.index(END, 1) if END in row[1:] else len(row)
            known = (id_ for id_ in row[:end] if END < id_ < len(self) + len(words))
            tokens = (
                words[id_ - len(self)] if id_ >= len(self) else str(self.convert_ids_to_tokens(id_))
                for id_ in known
            )
            texts.append(_joined([*tokens]))
        return texts

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuse a call, since an id of a copied word has no text without its source."""
        raise NotImplementedError(
            "words that are copied have ids of their source alone: take the pipeline headline-generation, or `sources`, `targets` and `headlines`"
        )

    decode = batch_decode = __call__

    def _read(self, texts: Sequence[str], max_tokens: int) -> Iterable[tuple[list[str], list[int]]]:
        """Tokens (as written, unknown ones too) and ids of each text, cut."""
        backend = self.backend_tokenizer
        backend.encode_special_tokens = True  # `</s>` in a text is text
        normalised = [backend.normalizer.normalize_str(text) for text in texts]
        for text, encoded in zip(
            normalised, backend.encode_batch(normalised, add_special_tokens=False), strict=True
        ):
            offsets = encoded.offsets[:max_tokens]
            yield [text[begin:end] for begin, end in offsets], encoded.ids[:max_tokens]


def train_tokenizer(texts: Iterable[str], *, size: int, reserved: int = 100) -> HeadlineTokenizer:
    """Learn the vocabulary: the `size` most frequent words, special tokens included, ties by alphabet."""
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    backend = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNKNOWN]))
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), spaces, normalizers.Strip()])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(TOKEN), behavior="removed", invert=True)
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIAL), show_progress=False)
    backend.train_from_iterator(texts, trainer)
    special = dict(zip(("pad_token", "unk_token", "bos_token", "eos_token"), SPECIAL, strict=True))
    return HeadlineTokenizer(tokenizer_object=backend, reserved=reserved, **special)


def _joined(tokens: Sequence[str]) -> str:
    """The text: a space between two words, nothing where a token brings its own or ends in an apostrophe."""
    if not tokens:
        return ""
    parts = [tokens[0]]
    for left, right in pairwise(tokens):
        words = _IS_WORD.match(left) and _IS_WORD.match(right)
        parts.append(f" {right}" if words and left[-1] not in "'’" else right)
    return "".join(parts).strip()


def padded(rows: Sequence[Sequence[int]], value: int, *, left: bool = False) -> Tensor:
    """(n, longest) int64, shorter rows filled behind or before."""
    tensors = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(tensors, True, value, padding_side="left" if left else "right")


def padded_inputs(rows: Sequence[Sequence[int]], padding: int, *, left: bool = False) -> dict[str, Tensor]:
    """`input_ids` and `attention_mask`, (n, longest)."""
    mask = padded([[1] * len(row) for row in rows], 0, left=left)
    return {"input_ids": padded(rows, padding, left=left), "attention_mask": mask}


@dataclass(frozen=True)
class Padding:
    """Pads token ids to a batch; can be sent to the workers of a DataLoader."""

    values: Mapping[str, int]  # of each kind of ids; 0 where not given
    left: bool = False

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        """Tensors (n, longest) of examples with the same kinds of ids, (n,) of numbers."""
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return {
            name: padded(column, self.values.get(name, 0), left=self.left)
            if np.ndim(column[0])
            else torch.as_tensor(np.stack(column), dtype=torch.long)
            for name, column in columns.items()
        }
