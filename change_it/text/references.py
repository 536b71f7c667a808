"""Pairs of candidate and reference, as words: what every comparison of texts starts from."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats
from change_it.text.tokens import words

#: A text, or its words where they have been taken already.
Text = str | Sequence[str]


def words_of(texts: Sequence[Text]) -> list[Sequence[str]]:
    """Words of each text; lists of words stay as they are."""
    return [words(text) if isinstance(text, str) else text for text in texts]


class Matched:
    """Pairs of candidate and reference, as words: one row for each candidate and reference of it. Each candidate has a reference at least."""

    def __init__(self, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> None:
        if any(isinstance(several, str) for several in references):
            raise InputError("a text stands for its references: give a list of references for each candidate")
        numbers = np.fromiter(map(len, references), np.int64, len(references))
        self.owners = np.repeat(np.arange(len(candidates)), numbers)  # candidate of each row
        self.starts = np.cumsum(numbers) - numbers  # first row of each candidate
        self.references = words_of(list(chain.from_iterable(references)))
        given = words_of(candidates)
        self.candidates = [given[owner] for owner in self.owners.tolist()]

    def __len__(self) -> int:
        return len(self.references)

    def best(self, scores: Floats) -> Floats:
        """(n,) the highest score of each candidate over its references, of one score a row."""
        return np.maximum.reduceat(scores, self.starts) if len(scores) else scores
