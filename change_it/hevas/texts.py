"""Texts and their references as lists of words: the input that every informativeness metric shares."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats, Ints
from change_it.text.ngrams import chunks
from change_it.text.tokens import words

#: A text, or its words where they have been taken already.
Text = str | Sequence[str]
_BUDGET = 1 << 18  # words, or pairs of words, that are held at once


def words_of(texts: Sequence[Text]) -> list[Sequence[str]]:
    """Words of each text; lists of words stay as they are."""
    kinds = set(map(type, texts))
    if not any(issubclass(kind, str) for kind in kinds):
        return list(texts)
    return [words(text) if isinstance(text, str) else text for text in texts]


class Matched:
    """Candidates beside their references: one row for each candidate and reference of it."""

    def __init__(self, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> None:
        if len(candidates) != len(references):
            raise InputError(
                f"{len(candidates)} headlines but references for {len(references)}: give a list of references "
                "for each headline"
            )
        for kind in set(map(type, references)):
            if issubclass(kind, str):
                index = list(map(type, references)).index(kind)
                raise InputError(
                    f"the references of headline {index} are a text: give a list of texts, [[text], …] for one each"
                )
        numbers = np.fromiter(map(len, references), np.int64, len(references))
        if (numbers == 0).any():
            raise InputError(f"headline {numbers.argmin()} has no reference: give at least one")
        self.candidates = candidates
        self.references = list(chain.from_iterable(references))
        self.owners = np.repeat(np.arange(len(candidates)), numbers)  # candidate of each row
        self.starts = np.cumsum(numbers) - numbers  # first row of each candidate

    def __len__(self) -> int:
        return len(self.references)

    def slices(self, power: int = 1) -> Iterator[tuple[slice, list[Sequence[str]], list[Sequence[str]]]]:
        """Rows, words of their references (which count with their length to `power`), words of their candidates."""
        given = _lengths(self.candidates)
        wanted = _lengths(self.references)
        for part in chunks(wanted**power + given[self.owners] + 1, _BUDGET):
            owners = self.owners[part]
            first = int(owners[0])
            candidates = words_of(self.candidates[first : int(owners[-1]) + 1])
            yield part, words_of(self.references[part]), [candidates[i] for i in (owners - first).tolist()]

    def best(self, scores: Floats) -> Floats:
        """(n,) the highest score of each candidate over its references, of one score a row."""
        return np.maximum.reduceat(scores, self.starts) if len(scores) else scores


def _lengths(texts: Sequence[Text]) -> Ints:
    """Words of each text; where the first is a string, an estimate from the number of characters."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return lengths // 5 + 1 if len(texts) and isinstance(texts[0], str) else lengths
