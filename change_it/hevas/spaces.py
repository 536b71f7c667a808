"""Comparison of texts by their words: vector spaces (LSI, LDA topics, word embeddings) and divergences of word weights.

HEvAS 2019, sections 2.2 to 2.5 and 3.1. Where the paper is silent: tf-idf is scikit-learn's (smoothed idf, unit length); a
*ratio* of eigenvalues is a share of their number; topics come from online variational Bayes, where the paper's came from
Mallet; all documents are equally probable. The published averaged divergence is 0 for identical and for disjoint texts, so it
ranks nothing; the Jensen-Shannon similarity is 1 for identical and 0 for disjoint ones.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from change_it.errors import InputError
from change_it.files.rows import check_file
from change_it.stats import Floats, Ints
from change_it.text.rouge import Matched
from change_it.text.stopwords import stop_words
from change_it.text.tokens import Text, words_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class TextSpace:
    """A space that was fitted on n documents, whose (n, dimensions) vectors are `documents`; zeros for one without a known word."""

    documents: Floats

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return the (m, dimensions) vectors of texts; text i belongs to document `owners[i]`, or to document i."""
        raise NotImplementedError

    def coverage(self, headlines: Sequence[Text]) -> Floats:
        """Return the cosine of each headline with its document (LSA-C, TM-C, WE-C), -1 to 1; 0 where a side has no known word."""
        return cosines(self.vectors(headlines), self.documents)

    def to_references(self, headlines: Sequence[Text], references: Sequence[Sequence[Text]]) -> Floats:
        """Return the cosine of each headline with its reference, the best of several (LSA-S, TM-S, WE-S), in the same range."""
        matched = Matched(headlines, references)
        vectors = self.vectors(matched.references, matched.owners)
        return matched.best(cosines(self.vectors(headlines)[matched.owners], vectors))


def cosines(a: Floats, b: Floats) -> Floats:
    """Return the cosine of each row of one matrix with the same row of the other, -1 to 1; 0 where a row is zeros."""
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = np.einsum("ij,ij->i", a, b)
    return np.clip(np.divide(products, lengths, out=np.zeros(len(a)), where=lengths > 0), -1, 1)


def _document_words(documents: Sequence[Text], language: str = "none") -> list[list[str]]:
    """Return the words of the documents without the stop words of a language; some documents may have none, not all."""
    stop = stop_words(language)
    texts = [[word for word in text if word not in stop] for text in words_of(documents)]
    if not any(texts):
        which = " that is no stop word" if stop else ""
        raise InputError(
            f"none of the {len(texts)} documents has a word{which}: name the column or file that holds the articles"
        )
    return texts


class LatentSemantic(TextSpace):
    """Latent semantic indexing: texts are projected with V S⁻¹ of the documents' tf-idf matrix U S Vᵀ.

    Of the eigenvalues `keep` leaves a `number`, a `ratio` of all min(n, words), or those of at least a `threshold`, never zeros: `eigenvalues`, (dimensions,), the largest first. `language` is that of the stop words.
    """

    def __init__(self, documents: Sequence[Text], *, keep: tuple[str, float], language: str = "none"):
        texts = _document_words(documents, language)
        self._vectorizer = TfidfVectorizer(analyzer=list)
        matrix = self._vectorizer.fit_transform(texts)
        full = min(sum(map(bool, texts)), matrix.shape[1])
        name, value = keep
        if name == "number" and value > full:
            raise InputError(
                f"{full} documents or different words are fewer than {value:g} LSI dimensions: choose at most {full} dimensions"
            )
        number = {"number": int(value), "ratio": ceil(value * full), "threshold": full}[name]
        left, values = _largest(matrix, number, full)
        if name == "threshold":
            left, values = left[:, values >= value], values[values >= value]
        if not len(values):
            raise InputError(f"no LSI eigenvalue reaches the threshold {value}: choose a lower one")
        self.documents, self.eigenvalues = left, values
        self._projection = matrix.T @ (left / values**2)  # V S⁻¹ = Mᵀ U S⁻²

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, dimensions) tf-idf of texts times V S⁻¹; zeros without a word of the documents."""
        return np.asarray(self._vectorizer.transform(words_of(texts)) @ self._projection)


def _largest(matrix: csr_matrix, number: int, full: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues but those that are zero, and their left vectors; exact, by Lanczos for a small share of them, else by M Mᵀ, n² numbers."""
    if number <= full // 4:
        start = np.random.default_rng(0).random(min(matrix.shape))
        left, values, _ = svds(matrix, number, v0=start, return_singular_vectors="u")
    else:
        n = matrix.shape[0]
        squares, left = eigh((matrix @ matrix.T).toarray(), subset_by_index=(n - number, n - 1))
        values = np.sqrt(np.maximum(squares, 0))
    order = np.argsort(-values)
    order = order[values[order] > 1e-6 * values.max()]
    return left[:, order], values[order]


class TopicModel(TextSpace):
    """LDA topics: topic i of a text weighs Σ P(w|P_i) · P(P_i|d) · P(d|P_i) over the text's words w, d its document.

    A headline and its references thus belong to a document, and the vectors of all three carry its topics. A word counts
    as often as it occurs; a vector is divided by its sum. `words_given_topic` is (K, words), the other two are (n, K). Topics are
    found in five passes in batches of 16 to 256 documents; `language` is that of the stop words.
    """

    def __init__(self, documents: Sequence[Text], *, topics: int, seed: int = 1, language: str = "none"):
        texts = _document_words(documents, language)
        filled = sum(map(bool, texts))
        if not 1 <= topics <= filled:
            raise InputError(
                f"LDA with {topics} topics of {filled} documents with words: choose 1 to {filled} topics"
            )
        self._vectorizer = CountVectorizer(analyzer=list)
        counts = self._vectorizer.fit_transform(texts)
        batch = min(max(len(texts) // 20, 16), 256)
        model = LatentDirichletAllocation(
            topics, learning_method="online", max_iter=5, batch_size=batch, random_state=seed
        ).fit(counts)
        self.words_given_topic = model.components_ / model.components_.sum(axis=1, keepdims=True)
        self.topics_given_document = model.transform(counts)
        self.document_given_topic = self.topics_given_document / self.topics_given_document.sum(axis=0)
        self.documents = self.vectors(texts)

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, K) topic weights, each row sums to 1; zeros for a text without a word of the documents."""
        counts = self._vectorizer.transform(words_of(texts))
        importance = self.topics_given_document * self.document_given_topic
        weights = (counts @ self.words_given_topic.T) * (importance if owners is None else importance[owners])
        sums = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


class WordEmbeddings(TextSpace):
    """Texts as means over the vectors of their words (any gensim `KeyedVectors`); words without a vector are left out.

    Our words are lower-case: one that the vectors do not have as it is takes the vector of its first other writing,
    which in word2vec files is the most frequent one ("Roma" for "roma").
    """

    def __init__(self, documents: Sequence[Text], vectors: "KeyedVectors"):
        known = vectors.key_to_index
        self._rows = {key.lower(): row for key, row in reversed(known.items())} | known
        self._vectors = vectors.vectors
        self.documents = self.vectors(_document_words(documents))
        if not self.documents.any():
            raise InputError("no word of the documents has a word vector: name vectors of their language")

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, dimensions) mean vectors of texts; zeros for a text without a word that has a vector."""
        means = np.zeros((len(texts), self._vectors.shape[1]))
        for mean, text in zip(means, words_of(texts), strict=True):
            if rows := [self._rows[word] for word in text if word in self._rows]:
                mean[:] = self._vectors[rows].mean(axis=0, dtype=np.float64)
        return means


def load_vectors(path: Path) -> "KeyedVectors":
    """Read a word2vec file, binary if its name has .bin; a pickle, which can run code, is never opened."""
    check_file(path)
    keyed_vectors = _gensim("KeyedVectors")
    try:
        vectors = keyed_vectors.load_word2vec_format(
            str(path), binary=".bin" in path.suffixes, unicode_errors="replace"
        )
        if not vectors.vectors.size or not np.isfinite(vectors.vectors).all():
            raise ValueError(path)
    except Exception as error:  # whatever a damaged gzip or vector file brings up
        raise InputError(
            f"{path} is no word2vec file: give what model.wv.save_word2vec_format writes, with .bin in the name of a binary "
            "one and .gz at the end of a compressed one"
        ) from error
    return vectors


def train_vectors(documents: Sequence[Text], *, seed: int = 1) -> "KeyedVectors":
    """Train word vectors on the documents: word2vec, CBOW, words that occur once included; the same on every run."""
    texts = _document_words(documents)
    return _gensim("Word2Vec")(texts, min_count=1, epochs=3, seed=seed, workers=1).wv


def _gensim(name: str) -> Any:
    try:
        return getattr(import_module("gensim.models"), name)
    except ImportError as error:
        raise InputError("word vectors need gensim: pip install '.[hevas]'") from error


def inverse_frequencies(documents: Sequence[Text]) -> Mapping[str, float]:
    """Return scikit-learn's inverse document frequencies of any word: ln((1 + documents) / (1 + documents with the word)) + 1."""
    fitted = TfidfVectorizer(analyzer=list).fit(words_of(documents))
    known = zip(fitted.get_feature_names_out().tolist(), fitted.idf_.tolist(), strict=True)
    return defaultdict(lambda: float(np.log(1 + len(documents)) + 1), known)


def divergences(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    idf: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Return averaged Kullback-Leibler divergence (KL, natural logarithm) and 1 - Jensen-Shannon divergence to base 2 (JS), (n,) each.

    KL is the published sum over words of π1·D(a‖w) + π2·D(b‖w) with a, b the weights of the word in the two texts,
    π1 = a / (a + b), π2 = b / (a + b), w = π1·a + π2·b and D(p‖q) = p·ln(p/q). Words of one text alone add nothing: it is 0 for
    identical, for disjoint and for empty texts; JS is 0 for the latter two. Of several references the most similar one by JS
    counts. Weights, which add up to 1, are tf-idf with `idf`, term frequencies without.
    """
    rows = Matched(candidates, references)
    divergence, similarity = np.zeros((2, len(rows.references)))
    for row, texts in enumerate(zip(rows.candidates, rows.references, strict=True)):
        if not all(texts):
            continue
        counts = [Counter(text) for text in texts]
        words = [*(counts[0] | counts[1])]
        weights = np.array([[count[word] for word in words] for count in counts])
        weights = weights * ([idf[word] for word in words] if idf else 1.0)
        a, b = weights / weights.sum(axis=1, keepdims=True)
        middle = (a * a + b * b) / (a + b)
        divergence[row] = ((a * rel_entr(a, middle) + b * rel_entr(b, middle)) / (a + b)).sum()
        similarity[row] = 1 - jensenshannon(a, b, base=2) ** 2
    divergence, similarity = divergence.clip(0), similarity.clip(0, 1)
    best = rows.best(similarity)
    nearest = similarity == best[rows.owners]
    _, first = np.unique(rows.owners[nearest], return_index=True)
    return divergence[nearest][first], best
