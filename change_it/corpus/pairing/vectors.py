"""Tf-idf vectors of articles, by which the alignment (LREC 2020 §4.1) and the near-duplicates go."""

from collections.abc import Collection, Sequence

import numpy as np
from scipy.sparse import coo_array, csr_matrix, triu
from scipy.sparse.csgraph import connected_components

from change_it.errors import InputError
from change_it.stats import Ints
from change_it.text.tokens import is_unspaced, words

#: Cosine above which two texts are near-duplicates.
ALIKE = 0.9
#: Of so many of their rarest words two texts have to share half to be compared at all.
RAREST = 4
TEXTS_A_BLOCK = 2048


def tfidf(texts: Sequence[str], *, stop_words: Collection[str] = (), min_df: int = 2) -> csr_matrix:
    """Tf-idf vectors of unit length, (texts, words kept), so that a product of two rows is their cosine.

    Words are those of `text.tokens` of two characters or more, of scripts without spaces of one; an underscore is a letter.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # loads pandas

    stop = frozenset(stop_words)

    def split(text: str) -> list[str]:
        all_words = words(text, underscores=True)
        return [word for word in all_words if word not in stop and (len(word) > 1 or is_unspaced(word))]

    vectorizer = TfidfVectorizer(analyzer=split, min_df=min_df)
    try:
        return csr_matrix(vectorizer.fit_transform(texts))
    except ValueError as error:
        raise InputError(
            "no word is left to compare the articles by: give more articles, or fewer stop words"
        ) from error


def near_duplicates(vectors: csr_matrix) -> Ints:
    """Cluster ids, (texts,), from 0, of texts that a chain of cosines above .9 connects, whatever their days.

    Compared are texts that share at least half of their four rarest words, those that one text alone has left out:
    a product of two matrices with four words a row. A text without words is nobody's duplicate.
    """
    count = vectors.shape[0]
    having = np.bincount(vectors.indices, minlength=vectors.shape[1])
    order = np.argsort(having, kind="stable")
    rarest = vectors[:, order[having[order] > 1]]
    rarest.sort_indices()
    place = np.arange(rarest.nnz) - np.repeat(rarest.indptr[:-1], np.diff(rarest.indptr))
    rarest.data = (place < RAREST).astype(np.int32)
    rarest.eliminate_zeros()
    columns, words = rarest.T.tocsr(), np.diff(rarest.indptr)
    first, second = [], []
    for start in range(0, count, TEXTS_A_BLOCK):
        shared = triu(rarest[start : start + TEXTS_A_BLOCK] @ columns, k=start + 1, format="coo")
        likely = 2 * shared.data >= words[start + shared.row]
        i, j = start + shared.row[likely], shared.col[likely]
        alike = vectors[i].multiply(vectors[j]).sum(axis=1).A1 > ALIKE
        first.append(i[alike])
        second.append(j[alike])
    a, b = (np.concatenate([np.zeros(0, dtype=np.int64), *part]) for part in (first, second))
    edges = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(count, count))
    return connected_components(edges, directed=False)[1].astype(np.int64)
