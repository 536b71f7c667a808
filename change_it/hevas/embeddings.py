"""Word embeddings: a text is the mean vector of its words (WE-C, WE-S; HEvAS 2019, sections 2.5 and 3.1)."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from change_it.errors import InputError
from change_it.hevas.text_space import TextSpace, document_words
from change_it.stats import Floats, Ints
from change_it.text.references import Text, words_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_WINDOW = 5  # words on each side that count as context
#: Times that the training reads all documents.
_PASSES = 3
#: gensim leaves out what follows in a longer sequence.
_LONGEST = 10_000


class WordEmbeddings(TextSpace):
    """Texts as means over the vectors of their words; words without a vector are left out.

    Our words are lower-case: one that the vectors do not have as it is takes the vector of its first other writing,
    which in word2vec files is the most frequent one ("Roma" for "roma").
    """

    def __init__(self, documents: Sequence[Text], vectors: "KeyedVectors"):
        """The space of the vectors (any gensim `KeyedVectors`), with the means of n documents in it."""
        self._vectors = vectors
        self.documents = self.vectors(document_words(documents))
        if not self.documents.any():
            raise InputError("no word of the documents has a word vector: name vectors of their language")

    def vectors(self, texts: Sequence[Text], of: Ints | None = None) -> Floats:
        """(m, dimensions) mean vectors of texts; zeros for a text without a word that has a vector."""
        known = self._vectors.key_to_index
        means = np.zeros((len(texts), self._vectors.vector_size))
        for mean, text in zip(means, words_of(texts), strict=True):
            rows = [known[key] for word in text if (key := self._other_writings.get(word, word)) in known]
            if rows:
                mean[:] = self._vectors.vectors[rows].mean(axis=0, dtype=np.float64)
        return means

    @cached_property
    def _other_writings(self) -> dict[str, str]:
        """Lower-case word without a vector to its first writing with capitals."""
        known = self._vectors.key_to_index
        return {low: key for key in reversed(known) if (low := str(key).lower()) not in known}


def load_vectors(path: Path) -> "KeyedVectors":
    """Read a word2vec file, binary if its name has .bin; a pickle, which can run code, is never opened."""
    keyed_vectors = _gensim().KeyedVectors
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no word-vector file {path}: name a file in word2vec format")
    try:
        vectors = keyed_vectors.load_word2vec_format(
            str(path), binary=".bin" in path.suffixes, unicode_errors="replace"
        )
        if not vectors.vectors.size:
            raise ValueError(path)
    except Exception as error:  # whatever a damaged gzip or vector file brings up
        raise InputError(
            f"{path} is no word2vec file: give what model.wv.save_word2vec_format writes, with .bin in the name of a binary "
            "one and .gz at the end of a compressed one"
        ) from error
    return vectors


def train_vectors(documents: Sequence[Text], *, dimensions: int = 100, seed: int = 1) -> "KeyedVectors":
    """Train word vectors on the documents: word2vec, CBOW, words that occur once included; the same on every run."""
    texts = document_words(documents)
    pieces = [text[start : start + _LONGEST] for text in texts for start in range(0, len(text), _LONGEST)]
    model = _gensim().Word2Vec(
        pieces, vector_size=dimensions, window=_WINDOW, min_count=1, epochs=_PASSES, seed=seed, workers=1
    )
    return model.wv


def _gensim() -> Any:
    try:
        from gensim import models
    except ImportError as error:
        raise InputError("word embeddings need gensim: pip install gensim") from error
    return models
