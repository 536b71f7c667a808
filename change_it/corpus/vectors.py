"""Texts to word codes, and word codes to the tf-idf vectors that the alignment compares (LREC 2020 §4.1).

The numbers are those of scikit-learn's `TfidfVectorizer(stop_words=…, min_df=…)` with its defaults: lower-cased
words of two and more letters, digits or underscores, raw counts, smoothed idf, unit length. Only the way there
is another: polars finds the words, Arrow numbers them, and counting is one transposition of a sparse matrix.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.preprocessing import normalize

from change_it.engines import map_ordered
from change_it.errors import InputError

#: A word: a maximal run of two and more of Python's `\w`, which is what scikit-learn's `\b\w\w+\b` finds.
WORD = r"[\p{L}\p{N}_]{2,}"

#: Characters of text that a thread holds as separate words at a time (about 100 MB of memory).
CHUNK = 1 << 23


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of many texts as one flat array of numbers."""

    codes: NDArray[np.int32]  # (words in all,) positions in `vocabulary`
    offsets: NDArray[np.int64]  # (texts + 1,) text `i` is `codes[offsets[i]:offsets[i + 1]]`
    vocabulary: pl.Series  # the distinct words, sorted by code point

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class Vectors:
    """Tf-idf vectors of unit length, so that a product of two rows is their cosine."""

    matrix: csr_matrix  # (texts, words kept), column indices sorted; a text without any kept word is a row of zeros
    words: pl.Series  # the word of each column, sorted by code point


def tokenise(texts: Sequence[str]) -> Tokens:
    """Split texts into lower-cased words of two and more characters, in chunks, so that only 4 bytes a word are held."""
    parts = list(map_ordered(_words_of, ((chunk,) for chunk in _chunks(texts))))
    vocabulary = pl.concat([words for _, words, _ in parts] or [pl.Series(dtype=pl.String)]).unique().sort()
    codes = np.empty(sum(len(numbers) for numbers, _, _ in parts), dtype=np.int32)
    start = 0
    for numbers, words, _ in parts:
        positions = vocabulary.search_sorted(words).to_numpy().astype(np.int32)
        np.take(positions, numbers, out=codes[start : start + len(numbers)])
        start += len(numbers)
    lengths = [np.zeros(1, dtype=np.int64), *(lengths for _, _, lengths in parts)]
    return Tokens(codes, np.concatenate(lengths).cumsum(dtype=np.int64), vocabulary)


def tfidf(tokens: Tokens, *, stop_words: Collection[str] = (), min_df: int = 2) -> Vectors:
    """Weigh the words of texts as `TfidfVectorizer(stop_words=stop_words, min_df=min_df)` does.

    A word that occurs `tf` times in a text and in `df` of `n` texts weighs `tf · (ln((1 + n) / (1 + df)) + 1)`;
    each row is then divided by its Euclidean length.

    Examples:
        >>> vectors = tfidf(tokenise(["il governo cade", "il governo", "vince la Roma"]), stop_words=["il"], min_df=1)
        >>> vectors.words.to_list(), (vectors.matrix @ vectors.matrix.T).toarray().round(3).tolist()
        (['cade', 'governo', 'la', 'roma', 'vince'], [[1.0, 0.605, 0.0], [0.605, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """
    counts = _counts(tokens)
    df = np.diff(counts.indptr)
    stop = tokens.vocabulary.is_in(list(stop_words)).to_numpy()
    kept = np.flatnonzero((df >= min_df) & ~stop)
    if len(kept) == 0:
        raise InputError(
            "no word is left to compare the articles by: give more articles, or fewer stop words"
        )
    idf = np.log((1 + len(tokens)) / (1 + df[kept])) + 1
    matrix = counts[:, kept].tocsr().astype(np.float64)
    matrix.data *= idf[matrix.indices]
    return Vectors(normalize(matrix, copy=False), tokens.vocabulary[kept])


def _chunks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Consecutive texts of about `CHUNK` characters together."""
    start = size = 0
    for index, text in enumerate(texts):
        size += len(text)
        if size >= CHUNK:
            yield texts[start : index + 1]
            start, size = index + 1, 0
    if start < len(texts):
        yield texts[start:]


def _words_of(texts: Sequence[str]) -> tuple[NDArray[np.int32], pl.Series, NDArray[np.int64]]:
    """Words of a chunk as positions in its own list of distinct words; that list; words a text."""
    words = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.extract_all(WORD)
    lengths = words.list.len().to_numpy().astype(np.int64)
    coded = words.list.explode().drop_nulls().to_arrow().dictionary_encode()
    return coded.indices.to_numpy(), pl.Series(coded.dictionary), lengths


def _counts(tokens: Tokens) -> csc_matrix:
    """How often each word occurs in each text: int32 (texts, vocabulary), by column, zeros not stored."""
    shape = (len(tokens), len(tokens.vocabulary))
    ones = np.ones(len(tokens.codes), dtype=np.int8)
    by_word = csr_matrix((ones, tokens.codes, tokens.offsets), shape=shape).tocsc()
    first = np.ones(len(by_word.indices), dtype=bool)
    np.not_equal(by_word.indices[1:], by_word.indices[:-1], out=first[1:])
    first[by_word.indptr[:-1]] = True  # every word of the vocabulary occurs, so each column starts somewhere
    runs = np.flatnonzero(first)
    counts = np.diff(runs, append=len(first)).astype(np.int32)
    return csc_matrix((counts, by_word.indices[runs], np.searchsorted(runs, by_word.indptr)), shape=shape)
