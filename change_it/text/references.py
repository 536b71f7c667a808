"""Candidates beside their references, as words: what every comparison of texts starts from."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats, Ints
from change_it.text.tokens import words

#: A text, or its words where they have been taken already.
Text = str | Sequence[str]
_BUDGET = 1 << 18  # words, or pairs of words, that are held at once


def words_of(texts: Sequence[Text]) -> list[Sequence[str]]:
    """Words of each text; lists of words stay as they are."""
    return [words(text) if isinstance(text, str) else text for text in texts]


class Matched:
    """Candidates beside their references: one row for each candidate and reference of it."""

    def __init__(self, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> None:
        if len(candidates) != len(references):
            raise InputError(
                f"{len(candidates)} headlines but references for {len(references)}: give a list of references "
                "for each headline"
            )
        for index, several in enumerate(references):
            if isinstance(several, str):
                raise InputError(
                    f"the references of headline {index} are a text: give a list of texts, [[text], …] for one each"
                )
        numbers = np.fromiter(map(len, references), np.int64, len(references))
        if (numbers == 0).any():
            raise InputError(f"headline {numbers.argmin()} has no reference: give at least one")
        self.references = list(chain.from_iterable(references))
        self.owners = np.repeat(np.arange(len(candidates)), numbers)  # candidate of each row
        self.starts = np.cumsum(numbers) - numbers  # first row of each candidate
        self._candidates = candidates

    def __len__(self) -> int:
        return len(self.references)

    def slices(self, power: int = 1) -> Iterator[tuple[slice, list[Sequence[str]], list[Sequence[str]]]]:
        """Rows, words of their references (which count with their length to `power`), words of their candidates."""
        given = _lengths(self._candidates)
        wanted = _lengths(self.references)
        for part in _chunks(wanted**power + given[self.owners], _BUDGET):
            owners = self.owners[part]
            first = int(owners[0])
            candidates = words_of(self._candidates[first : int(owners[-1]) + 1])
            yield part, words_of(self.references[part]), [candidates[i] for i in (owners - first).tolist()]

    def best(self, scores: Floats) -> Floats:
        """(n,) the highest score of each candidate over its references, of one score a row."""
        return np.maximum.reduceat(scores, self.starts) if len(scores) else scores


def _lengths(texts: Sequence[Text]) -> Ints:
    """Words of each text; where the first is a string, an estimate from the number of characters."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return lengths // 5 if len(texts) and isinstance(texts[0], str) else lengths


def _chunks(costs: Ints, budget: int) -> Iterator[slice]:
    """Slices of rows, in order, whose costs add up to about the budget; a single row may cost more.

    Examples:
        >>> list(_chunks(np.array([1, 1, 5, 1, 1]), 3))
        [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    ends = np.flatnonzero(np.diff(np.cumsum(costs) // budget, append=-1)) + 1
    start = 0
    for end in ends.tolist():
        yield slice(start, end)
        start = end
