"""Latent concepts of a corpus: LSI (LSA-C, LSA-S) and LDA topics (TM-C, TM-S) (HEvAS 2019, sections 2.3, 2.4, 3.1).

Where the paper is silent: tf-idf is scikit-learn's (smoothed idf, unit length); a *ratio* of eigenvalues is a share of
their number; topics come from online variational Bayes, where the paper's came from Mallet; all documents are equally probable.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from change_it.errors import InputError
from change_it.hevas.metric_options import parse_lsi
from change_it.hevas.text_space import TextSpace, document_words
from change_it.stats import Floats, Ints
from change_it.text.references import Text, words_of
from change_it.text.stopwords import stop_words

#: Dimensions of LSI where no filter is given, if there are as many documents.
DIMENSIONS = 100
#: Rows that are multiplied at a time.
_ROWS = 500
#: Times that LDA reads all documents.
_PASSES = 5
#: Documents between two updates of the topics: a twentieth of all, within these bounds.
_FEWEST, _MOST = 16, 256


class LatentSemantic(TextSpace):
    """Latent semantic indexing: texts are projected with V S⁻¹ of the documents' tf-idf matrix U S Vᵀ.

    `eigenvalues` are the (dimensions,) values in S that were kept, the largest first.
    """

    def __init__(self, vectorizer: TfidfVectorizer, matrix: csr_matrix, left: Floats, eigenvalues: Floats):
        self.documents, self.eigenvalues = left, eigenvalues
        self._vectorizer, self._matrix = vectorizer, matrix
        self._scaled = left / eigenvalues**2  # V S⁻¹ = Mᵀ U S⁻², whose product may be too large to keep

    @classmethod
    def fit(cls, documents: Sequence[Text], *, keep: str = "", language: str = "none") -> "LatentSemantic":
        """Decompose the documents' tf-idf matrix.

        Of the eigenvalues `keep` leaves so many (`20`), this share of all min(n, words) (`ratio:0.5`), or those of at least
        this value (`threshold:0.1`); else the 100 largest. Zeros never stay. `language` is that of the stop words.
        """
        texts = document_words(documents, stop_words(language))
        vectorizer = TfidfVectorizer(analyzer=list)
        matrix = vectorizer.fit_transform(texts)
        full = min(sum(map(bool, texts)), matrix.shape[1])
        name, value = parse_lsi(keep)
        if name == "number" and value > full:
            raise InputError(
                f"{full} documents or different words are fewer than {value:g} LSI dimensions: choose at most {full} dimensions"
            )
        number = int(value) or min(DIMENSIONS, full)
        number = {"number": number, "ratio": ceil(value * full), "threshold": full}[name]
        left, values = _largest(matrix, number, full)
        if name == "threshold":
            left, values = left[:, values >= value], values[values >= value]
        if not len(values):
            raise InputError(f"no LSI eigenvalue reaches the threshold {value}: choose a lower one")
        return cls(vectorizer, matrix, left, values)

    def vectors(self, texts: Sequence[Text], of: Ints | None = None) -> Floats:
        """(m, dimensions) tf-idf of texts times V S⁻¹; zeros without a word of the documents."""
        tfidf = self._vectorizer.transform(words_of(texts))
        parts = [
            tfidf[start : start + _ROWS] @ self._matrix.T @ self._scaled
            for start in range(0, tfidf.shape[0], _ROWS)
        ]
        return np.vstack([np.zeros((0, len(self.eigenvalues))), *parts])


class TopicModel(TextSpace):
    """LDA topics: topic i of a text weighs Σ P(w|P_i) · P(P_i|d) · P(d|P_i) over the text's words w, d its document.

    A headline and its references thus belong to a document, and the vectors of all three carry its topics. A word counts
    as often as it occurs; a vector is divided by its sum. `words_given_topic` is (K, words), the other two are (n, K).
    """

    def __init__(self, vectorizer: CountVectorizer, words_given_topic: Floats, topics_given_document: Floats):
        self._vectorizer = vectorizer
        self.words_given_topic, self.topics_given_document = words_given_topic, topics_given_document
        self.document_given_topic = topics_given_document / topics_given_document.sum(axis=0)
        self._importance = self.topics_given_document * self.document_given_topic

    @classmethod
    def fit(
        cls, documents: Sequence[Text], *, topics: int = 10, seed: int = 1, language: str = "none"
    ) -> "TopicModel":
        """Find the topics of the documents (online variational Bayes, batches of 16 to 256 documents); options as in `LatentSemantic.fit`."""
        if topics < 1:
            raise InputError(f"LDA with {topics} topics: choose 1 or more")
        texts = document_words(documents, stop_words(language))
        filled = sum(map(bool, texts))
        if filled < topics:
            raise InputError(
                f"{filled} documents with words are fewer than {topics} LDA topics: choose at most {filled} topics"
            )
        vectorizer = CountVectorizer(analyzer=list)
        counts = vectorizer.fit_transform(texts)
        batch = min(max(len(texts) // 20, _FEWEST), _MOST)
        model = LatentDirichletAllocation(
            topics, learning_method="online", max_iter=_PASSES, batch_size=batch, random_state=seed
        ).fit(counts)
        space = cls(
            vectorizer,
            model.components_ / model.components_.sum(axis=1, keepdims=True),
            model.transform(counts),
        )
        space.documents = space._weigh(counts, np.arange(len(texts)))
        return space

    def vectors(self, texts: Sequence[Text], of: Ints | None = None) -> Floats:
        """(m, K) topic weights, each row sums to 1; zeros for a text without a word of the documents."""
        return self._weigh(
            self._vectorizer.transform(words_of(texts)), np.arange(len(texts)) if of is None else of
        )

    def _weigh(self, counts: csr_matrix, of: Ints) -> Floats:
        """Normalised topic weights of counted words."""
        weights = (counts @ self.words_given_topic.T) * self._importance[of]
        sums = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def _largest(matrix: csr_matrix, number: int, full: int) -> tuple[Floats, Floats]:
    """The left vectors of the largest eigenvalues and these, without those that are zero.

    Exact in both branches: Lanczos for a small share of the eigenvalues, else the eigenvectors of M Mᵀ, n² numbers.
    """
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
