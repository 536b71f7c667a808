from collections import Counter
from math import log

import numpy as np
import pytest
from drawn import texts
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.hevas.divergence import InverseFrequencies, averaged_kl, js_similarity
from change_it.text import references as text_references
from change_it.text.tokens import words


def distributions(one, other, idf=None):
    """Both texts over their joint vocabulary."""
    counts = [Counter(words(text)) for text in (one, other)]
    vocabulary = sorted(set().union(*counts))
    rows = np.array([[count[word] * (idf[word] if idf else 1.0) for word in vocabulary] for count in counts])
    return rows / rows.sum(axis=1, keepdims=True)


def published(a, b):
    """The averaged divergence, term by term, each term by scipy's relative entropy."""
    total = 0.0
    for one, other in zip(a, b, strict=True):
        first, second = one / (one + other), other / (one + other)
        middle = first * one + second * other
        total += first * rel_entr(one, middle) + second * rel_entr(other, middle)
    return total


@pytest.fixture(params=[1 << 20, 30], ids=["one slice", "many slices"])
def sliced(request, monkeypatch):
    monkeypatch.setattr(text_references, "_BUDGET", request.param)


@pytest.fixture(params=[None, "tf-idf"])
def idf(request):
    return InverseFrequencies.learn(texts(40, 9)) if request.param else None


@pytest.mark.usefixtures("sliced")
def test_equal_scipy(idf):
    ours, theirs = texts(100, 1), texts(100, 2)
    pairs = [distributions(one, other, idf) for one, other in zip(ours, theirs, strict=True)]
    references = [[text] for text in theirs]
    expected = [published(*pair) for pair in pairs]
    assert np.mean(expected) > 0.01
    assert averaged_kl(ours, references, idf=idf) == pytest.approx(expected, abs=1e-12)
    expected = [1 - jensenshannon(*pair, base=2) ** 2 for pair in pairs]
    assert js_similarity(ours, references, idf=idf) == pytest.approx(expected, abs=1e-9)


def test_divergence_is_zero_for_identical_and_for_disjoint_texts(idf):
    ours = texts(50, 3)
    same, other = [[text] for text in ours], [["niente di questo"]] * 50
    assert averaged_kl(ours, same, idf=idf) == pytest.approx(np.zeros(50), abs=1e-15)
    assert (averaged_kl(ours, other, idf=idf) == 0).all()
    assert js_similarity(ours, same, idf=idf) == pytest.approx(np.ones(50), abs=1e-12)
    assert (js_similarity(ours, other, idf=idf) == 0).all()


def test_of_several_references_the_most_similar_counts():
    near, far, disjoint = "il governo cade oggi", "il voto in aula", "niente altro"
    texts = [far, near, disjoint]
    assert js_similarity(["il governo cade"], [texts]) == js_similarity(["il governo cade"], [[near]])
    kl = averaged_kl(["il governo cade", "boh"], [texts, [disjoint, far]])
    assert kl[0] == averaged_kl(["il governo cade"], [[near]])[0] > 0
    assert kl[1] == 0


def test_no_words_score_zero_and_no_input_gives_no_scores(idf):
    for metric in (averaged_kl, js_similarity):
        assert metric(["", "a", "…"], [["a"], [""], [""]], idf=idf).tolist() == [0, 0, 0]
        assert metric([], [], idf=idf).shape == (0,)


def test_inverse_frequencies_equal_scikit_learn_s():
    documents = texts(60, 6)
    known = InverseFrequencies.learn(documents)
    vectorizer = TfidfVectorizer(analyzer=words).fit(documents)
    for word, index in vectorizer.vocabulary_.items():
        assert known[word] == pytest.approx(vectorizer.idf_[index], abs=1e-12)
    assert known["mai"] == pytest.approx(log(61) + 1)
