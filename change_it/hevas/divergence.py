"""Averaged Kullback-Leibler divergence and Jensen-Shannon similarity of word weights (HEvAS 2019, section 2.2).

A text is a distribution over its words: term frequencies, or term frequencies times inverse document frequencies,
scaled to add up to 1. The published averaged divergence is 0 for identical and for disjoint texts, so it ranks nothing; the
Jensen-Shannon similarity is 1 for identical and 0 for disjoint ones.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.stats import Floats
from change_it.text.references import Matched, Text, words_of


def inverse_frequencies(documents: Sequence[Text]) -> Mapping[str, float]:
    """scikit-learn's inverse document frequencies of any word: ln((1 + documents) / (1 + documents with the word)) + 1."""
    learned = TfidfVectorizer(analyzer=list).fit(words_of(documents))
    known = zip(learned.get_feature_names_out().tolist(), learned.idf_.tolist(), strict=True)
    return defaultdict(lambda: float(np.log(1 + len(documents)) + 1), known)


def divergences(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    idf: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Averaged Kullback-Leibler divergence (KL, natural logarithm) and 1 - Jensen-Shannon divergence to base 2 (JS), (n,) each.

    KL is the published sum over words of π1·D(a‖w) + π2·D(b‖w) with a, b the weights of the word in the two texts,
    π1 = a / (a + b), π2 = b / (a + b), w = π1·a + π2·b and D(p‖q) = p·ln(p/q). Words of one text alone add nothing: it is 0 for
    identical, for disjoint and for empty texts; JS is 0 for the latter two. Of several references the most similar one by JS
    counts. Weights are tf-idf with `idf`, term frequencies without.
    """
    rows = Matched(candidates, references)
    divergence, similarity = np.zeros(len(rows)), np.zeros(len(rows))
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
