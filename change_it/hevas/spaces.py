"""Compare texts by their words: vector spaces (LSI, LDA topics, word embeddings) and divergences of weights.

HEvAS 2019, sections 2.2 to 2.5 and 3.1. Where the paper is silent: tf-idf is scikit-learn's (smoothed idf,
unit length). A *ratio* of eigenvalues is a share of their number. Topics come from online variational Bayes,
where the paper's came from Mallet. All documents are equally probable.

The published averaged divergence is 0 for identical and for disjoint texts, so it ranks nothing. The
Jensen-Shannon similarity is 1 for identical and 0 for disjoint ones.
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

#: LSI leaves out eigenvalues below this share of the largest, which are zeros but for rounding.
_ZERO_EIGENVALUE = 1e-6
#: Lanczos' method finds a quarter of the eigenvalues, or fewer, faster than a full decomposition finds all.
_LANCZOS_DIVISOR = 4
#: Passes over the documents in which topics are found.
_TOPIC_PASSES = 5
#: Documents in a batch of these passes, at least.
_LEAST_BATCH = 16
#: Documents in a batch of these passes, at most.
_MOST_BATCH = 256


class TextSpace:
    """A vector space that was fitted on n documents.

    Attributes:
        documents: (n, dimensions) vectors of the documents; zeros for one without a known word.
    """

    documents: Floats

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return the (m, dimensions) vectors of texts.

        Text i belongs to document `owners[i]`, or to document i where these are None.
        """
        raise NotImplementedError

    def coverage(self, headlines: Sequence[Text]) -> Floats:
        """Return the cosine of each headline with its document (LSA-C, TM-C, WE-C), -1 to 1.

        It is 0 where a side has no known word.
        """
        return cosines(self.vectors(headlines), self.documents)

    def to_references(self, headlines: Sequence[Text], references: Sequence[Sequence[Text]]) -> Floats:
        """Return the cosine of each headline with its reference (LSA-S, TM-S, WE-S), -1 to 1.

        Of several references the best counts. It is 0 where a side has no known word.
        """
        matched = Matched(headlines, references)
        reference_vectors = self.vectors(matched.references, matched.owners)
        headline_vectors = self.vectors(headlines)[matched.owners]
        return matched.best(cosines(headline_vectors, reference_vectors))


def cosines(a: Floats, b: Floats) -> Floats:
    """Return (n,) the cosine of each row of one matrix with the same row of the other, -1 to 1.

    It is 0 where a row is zeros.
    """
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = np.einsum("ij,ij->i", a, b)
    quotients = np.divide(products, lengths, out=np.zeros(len(a)), where=lengths > 0)
    return np.clip(quotients, -1, 1)


def _document_words(documents: Sequence[Text], language: str = "none") -> list[list[str]]:
    """Return the words of the documents without the stop words of a language.

    Raises:
        InputError: no document has a word left. Some may have none.
    """
    stop = stop_words(language)
    texts = []
    for text in words_of(documents):
        texts.append([word for word in text if word not in stop])
    if not any(texts):
        which = " that is no stop word" if stop else ""
        raise InputError(
            f"none of the {len(texts)} documents has a word{which}: name the column or file that holds the "
            "articles"
        )
    return texts


class LatentSemantic(TextSpace):
    """Latent semantic indexing: texts are projected with V S⁻¹ of the documents' tf-idf matrix U S Vᵀ.

    Attributes:
        eigenvalues: (dimensions,) the eigenvalues that are kept, the largest first.
    """

    def __init__(self, documents: Sequence[Text], *, keep: tuple[str, float], language: str = "none"):
        """Fit the space.

        Args:
            documents: n texts.
            keep: which eigenvalues are kept: `number` and how many, `ratio` and which share of all
                min(n, words), or `threshold` and the least value. Zeros are never kept.
            language: language of the stop words that are left out.
        """
        texts = _document_words(documents, language)
        self._vectorizer = TfidfVectorizer(analyzer=list)
        matrix = self._vectorizer.fit_transform(texts)
        full = min(_count_filled(texts), matrix.shape[1])
        name, value = keep
        left, eigenvalues = _largest(matrix, _wanted_number(name, value, full), full)
        if name == "threshold":
            is_kept = eigenvalues >= value
            left = left[:, is_kept]
            eigenvalues = eigenvalues[is_kept]
        if not len(eigenvalues):
            raise InputError(f"no LSI eigenvalue reaches the threshold {value}: choose a lower one")
        self.documents = left
        self.eigenvalues = eigenvalues
        # V S⁻¹ = Mᵀ U S⁻²
        self._projection = matrix.T @ (left / eigenvalues**2)

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, dimensions) tf-idf of texts times V S⁻¹; zeros without a word of the documents."""
        return np.asarray(self._vectorizer.transform(words_of(texts)) @ self._projection)


def _count_filled(texts: Sequence[Sequence[str]]) -> int:
    """Count the texts that have words."""
    return sum(1 for text in texts if text)


def _wanted_number(name: str, value: float, full: int) -> int:
    """Return how many of the largest eigenvalues LSI computes.

    Args:
        name: how they are chosen: `number`, `ratio` or `threshold`, for which all are computed.
        value: the number, the share of all, or the least value.
        full: number of all eigenvalues.
    """
    if name == "ratio":
        return ceil(value * full)
    if name == "threshold":
        return full
    if value > full:
        raise InputError(
            f"{full} documents or different words are fewer than {value:g} LSI dimensions: choose at most "
            f"{full} dimensions"
        )
    return int(value)


def _largest(matrix: csr_matrix, number: int, full: int) -> tuple[Floats, Floats]:
    """Return the left vectors (n, k) of the largest eigenvalues, and these (k,); zeros are left out.

    They are exact. Lanczos' method finds them where a small share of all is wanted; otherwise they come from
    M Mᵀ, which has n² numbers.

    Args:
        matrix: (n, words) the matrix M.
        number: number of eigenvalues that are wanted.
        full: number of all eigenvalues.
    """
    if number <= full // _LANCZOS_DIVISOR:
        start = np.random.default_rng(0).random(min(matrix.shape))
        left, values, _ = svds(matrix, number, v0=start, return_singular_vectors="u")
    else:
        n = matrix.shape[0]
        products = (matrix @ matrix.T).toarray()
        squares, left = eigh(products, subset_by_index=(n - number, n - 1))
        values = np.sqrt(np.maximum(squares, 0))
    largest_first = np.argsort(-values)
    left = left[:, largest_first]
    values = values[largest_first]
    is_kept = values > _ZERO_EIGENVALUE * values.max()
    return left[:, is_kept], values[is_kept]


class TopicModel(TextSpace):
    """LDA topics: topic i of a text weighs the sum of P(w|P_i) · P(P_i|d) · P(d|P_i) over its words w.

    The document d is the one that the text belongs to. A headline and its references belong to a document,
    and the vectors of all three carry its topics. A word counts as often as it occurs. A vector is divided by
    its sum.

    Attributes:
        words_given_topic: (K, words) P(w|P_i).
        topics_given_document: (n, K) P(P_i|d).
        document_given_topic: (n, K) P(d|P_i).
    """

    def __init__(self, documents: Sequence[Text], *, topics: int, seed: int = 1, language: str = "none"):
        """Find topics.

        Args:
            documents: n texts.
            topics: number of topics K.
            seed: seed of the search.
            language: language of the stop words that are left out.
        """
        texts = _document_words(documents, language)
        filled = _count_filled(texts)
        if not 1 <= topics <= filled:
            raise InputError(
                f"LDA with {topics} topics of {filled} documents with words: choose 1 to {filled} topics"
            )
        self._vectorizer = CountVectorizer(analyzer=list)
        counts = self._vectorizer.fit_transform(texts)
        model = LatentDirichletAllocation(
            topics,
            learning_method="online",
            max_iter=_TOPIC_PASSES,
            batch_size=min(max(len(texts) // 20, _LEAST_BATCH), _MOST_BATCH),
            random_state=seed,
        ).fit(counts)
        self.words_given_topic = model.components_ / model.components_.sum(axis=1, keepdims=True)
        self.topics_given_document = model.transform(counts)
        self.document_given_topic = self.topics_given_document / self.topics_given_document.sum(axis=0)
        self.documents = self.vectors(texts)

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, K) topic weights, which add up to 1 for each text.

        They are zeros for a text without a word of the documents.
        """
        counts = self._vectorizer.transform(words_of(texts))
        importance = self.topics_given_document * self.document_given_topic
        if owners is not None:
            importance = importance[owners]
        weights = (counts @ self.words_given_topic.T) * importance
        sums = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


class WordEmbeddings(TextSpace):
    """Texts as means over the vectors of their words (any gensim `KeyedVectors`).

    Words without a vector are left out. Our words are lower-case: one that the vectors do not have as it is
    takes the vector of its first other writing, which in word2vec files is the most frequent one ("Roma" for
    "roma").
    """

    def __init__(self, documents: Sequence[Text], vectors: "KeyedVectors"):
        known = vectors.key_to_index
        # Reversed, so that the first writing of a word overwrites the later ones.
        self._rows = {key.lower(): row for key, row in reversed(known.items())}
        self._rows.update(known)
        self._vectors = vectors.vectors
        self.documents = self.vectors(_document_words(documents))
        if not self.documents.any():
            raise InputError("no word of the documents has a word vector: name vectors of their language")

    def vectors(self, texts: Sequence[Text], owners: Ints | None = None) -> Floats:
        """Return (m, dimensions) mean vectors of texts; zeros for a text without a word that has a vector."""
        means = np.zeros((len(texts), self._vectors.shape[1]))
        for number, text in enumerate(words_of(texts)):
            rows = [self._rows[word] for word in text if word in self._rows]
            if rows:
                means[number] = self._vectors[rows].mean(axis=0, dtype=np.float64)
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
    except Exception as error:
        # whatever a damaged gzip or vector file brings up
        raise InputError(
            f"{path} is no word2vec file: give what model.wv.save_word2vec_format writes, with .bin in the "
            "name of a binary one and .gz at the end of a compressed one"
        ) from error
    return vectors


def train_vectors(documents: Sequence[Text], *, seed: int = 1) -> "KeyedVectors":
    """Train word vectors on the documents: word2vec, CBOW, words that occur once included.

    They are the same on every run.
    """
    texts = _document_words(documents)
    word2vec = _gensim("Word2Vec")
    return word2vec(texts, min_count=1, epochs=3, seed=seed, workers=1).wv


def _gensim(name: str) -> Any:
    """Return a class of `gensim.models`, which is an optional dependency."""
    try:
        return getattr(import_module("gensim.models"), name)
    except ImportError as error:
        raise InputError("word vectors need gensim: pip install '.[hevas]'") from error


def inverse_frequencies(documents: Sequence[Text]) -> Mapping[str, float]:
    """Return scikit-learn's inverse document frequencies of any word, those that no document has included.

    They are ln((1 + documents) / (1 + documents with the word)) + 1.
    """
    fitted = TfidfVectorizer(analyzer=list).fit(words_of(documents))
    of_unknown_word = float(np.log(1 + len(documents)) + 1)
    known_words = fitted.get_feature_names_out().tolist()
    frequencies: defaultdict[str, float] = defaultdict(lambda: of_unknown_word)
    frequencies.update(zip(known_words, fitted.idf_.tolist(), strict=True))
    return frequencies


def divergences(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    idf: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Compare the words of candidates and references by Kullback-Leibler and Jensen-Shannon divergence.

    Args:
        candidates: n texts.
        references: for each candidate one text or more, of which the most similar one by JS counts.
        idf: inverse document frequencies of words. The weights of words are tf-idf with them, term
            frequencies without.

    Returns:
        KL, (n,) averaged Kullback-Leibler divergences (natural logarithm), and JS, (n,) similarities: 1 less
        the Jensen-Shannon divergence to base 2. KL is 0 for identical, for disjoint and for empty texts; JS
        is 0 for disjoint and empty ones.
    """
    rows = Matched(candidates, references)
    divergence = np.zeros(len(rows.references))
    similarity = np.zeros(len(rows.references))
    for row, (candidate, reference) in enumerate(zip(rows.candidates, rows.references, strict=True)):
        if candidate and reference:
            a, b = _word_weights(candidate, reference, idf)
            divergence[row] = _averaged_divergence(a, b)
            similarity[row] = 1 - jensenshannon(a, b, base=2) ** 2
    divergence = divergence.clip(0)
    similarity = similarity.clip(0, 1)
    best = rows.best(similarity)
    # of equally similar references the first counts
    is_nearest = similarity == best[rows.owners]
    _, first_nearest = np.unique(rows.owners[is_nearest], return_index=True)
    return divergence[is_nearest][first_nearest], best


def _word_weights(
    candidate: Sequence[str], reference: Sequence[str], idf: Mapping[str, float] | None
) -> tuple[Floats, Floats]:
    """Return two arrays (words,): the weights of all words of two texts, in the one and in the other.

    The words are those of either text. The weights of each text add up to 1.
    """
    in_candidate = Counter(candidate)
    in_reference = Counter(reference)
    words = list(in_candidate | in_reference)
    a = np.array([in_candidate[word] for word in words], np.float64)
    b = np.array([in_reference[word] for word in words], np.float64)
    if idf:
        frequencies = np.array([idf[word] for word in words])
        a *= frequencies
        b *= frequencies
    return a / a.sum(), b / b.sum()


def _averaged_divergence(a: Floats, b: Floats) -> float:
    """Return the published divergence of two texts by the weights of their words.

    It is the sum over words of π1·D(a‖w) + π2·D(b‖w) with a, b the weights of the word in the two texts,
    π1 = a / (a + b), π2 = b / (a + b), w = π1·a + π2·b and D(p‖q) = p·ln(p/q). Words of one text alone add
    nothing.
    """
    middle = (a * a + b * b) / (a + b)
    by_word = (a * rel_entr(a, middle) + b * rel_entr(b, middle)) / (a + b)
    return float(by_word.sum())
