"""Spaces of vectors, in which texts are compared by their cosine (HEvAS 2019, section 3.1)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from change_it.errors import InputError
from change_it.stats import Floats, Ints
from change_it.text.references import Matched, Text, words_of


class TextSpace(ABC):
    """A space that was fitted on n documents, whose (n, dimensions) vectors are `documents`; zeros for one without a known word."""

    documents: Floats

    @abstractmethod
    def vectors(self, texts: Sequence[Text], of: Ints | None = None) -> Floats:
        """(m, dimensions) vectors; text i belongs to document `of[i]`, or to document i."""

    def coverage(self, headlines: Sequence[Text]) -> Floats:
        """Cosine of each headline with its document (LSA-C, TM-C, WE-C), -1 to 1; 0 where a side has no known word."""
        return cosines(self.vectors(headlines), self.documents)

    def to_references(self, headlines: Sequence[Text], references: Sequence[Sequence[Text]]) -> Floats:
        """Cosine of each headline with its reference, the best of several (LSA-S, TM-S, WE-S), in the same range."""
        matched = Matched(headlines, references)
        ours, theirs = self.vectors(headlines), self.vectors(matched.references, matched.owners)
        return matched.best(cosines(ours[matched.owners], theirs))


def cosines(a: Floats, b: Floats) -> Floats:
    """Cosine of each row of one matrix with the same row of the other, -1 to 1; 0 where a row is zeros."""
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = np.einsum("ij,ij->i", a, b)
    return np.clip(np.divide(products, lengths, out=np.zeros(len(a)), where=lengths > 0), -1, 1)


def document_words(documents: Sequence[Text], leave_out: frozenset[str] = frozenset()) -> list[list[str]]:
    """Words of the documents that a space is fitted on; some may have none, not all."""
    kept = [[word for word in text if word not in leave_out] for text in words_of(documents)]
    if not any(kept):
        raise InputError(
            f"none of the {len(kept)} documents has a word{' that is no stop word' if leave_out else ''}: "
            "name the column or file that holds the articles"
        )
    return kept
