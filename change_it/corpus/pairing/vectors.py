"""Make tf-idf vectors of articles for the alignment (LREC 2020 §4.1), and find near-duplicates by them."""

from collections.abc import Collection, Sequence

import numpy as np
from scipy.sparse import coo_array, csr_matrix, triu
from scipy.sparse.csgraph import connected_components

from change_it.errors import InputError
from change_it.stats import Ints
from change_it.text.tokens import is_unspaced, words

#: Cosine above which two texts are near-duplicates.
NEAR_DUPLICATE_COSINE = 0.9
#: Two texts are compared only if they share half of this number of their rarest words.
RAREST_WORDS = 4
#: Texts that are compared with all others at a time.
TEXTS_A_BLOCK = 2048


def tfidf(texts: Sequence[str], *, stop_words: Collection[str] = (), min_df: int = 2) -> csr_matrix:
    """Return tf-idf vectors of unit length, (texts, words kept): a product of two rows is their cosine.

    Words are those of `text.tokens` of two characters or more, of scripts without spaces of one; an
    underscore is a letter.

    Args:
        texts: what the vectors are made of.
        stop_words: words that are left out.
        min_df: number of texts that a word must be in.

    Raises:
        InputError: no word is left.
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
    """Return a cluster number from 0 for each text, (texts,); a chain of cosines above .9 makes a cluster.

    Days do not matter. Only texts that share at least half of their four rarest words are compared; words
    that one text alone has do not count. A product of two matrices with four words a row finds these texts. A
    text without words is nobody's duplicate.

    Args:
        vectors: (texts, words) of unit length, from `tfidf`.
    """
    count = vectors.shape[0]
    rarest = _rarest_words(vectors)
    columns = rarest.T.tocsr()
    rarest_counts = np.diff(rarest.indptr)
    first = [np.zeros(0, dtype=np.int64)]
    second = [np.zeros(0, dtype=np.int64)]
    for start in range(0, count, TEXTS_A_BLOCK):
        # `k` leaves each two texts once, and none with itself
        shared = triu(rarest[start : start + TEXTS_A_BLOCK] @ columns, k=start + 1, format="coo")
        shares_half = 2 * shared.data >= rarest_counts[start + shared.row]
        i = start + shared.row[shares_half]
        j = shared.col[shares_half]
        is_alike = vectors[i].multiply(vectors[j]).sum(axis=1).A1 > NEAR_DUPLICATE_COSINE
        first.append(i[is_alike])
        second.append(j[is_alike])
    a = np.concatenate(first)
    b = np.concatenate(second)
    edges = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(count, count))
    _, clusters = connected_components(edges, directed=False)
    return clusters.astype(np.int64)


def _rarest_words(vectors: csr_matrix) -> csr_matrix:
    """Mark the rarest words of each text by 1, at most `RAREST_WORDS`, of the words that two texts have.

    Return a (texts, words) matrix; its columns are in an order of their own.
    """
    texts_having = np.bincount(vectors.indices, minlength=vectors.shape[1])
    # the columns are sorted by rarity, so the first ones of a text are its rarest words
    order = np.argsort(texts_having, kind="stable")
    rarest = vectors[:, order[texts_having[order] > 1]]
    rarest.sort_indices()
    # (stored words,) the place of each stored word among those of its text
    rank_in_text = np.arange(rarest.nnz) - np.repeat(rarest.indptr[:-1], np.diff(rarest.indptr))
    rarest.data = (rank_in_text < RAREST_WORDS).astype(np.int32)
    rarest.eliminate_zeros()
    return rarest
