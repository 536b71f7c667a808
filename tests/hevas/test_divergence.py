from math import log, log2

import numpy as np
import pytest
from drawn import texts

from change_it.hevas.divergence import averaged_kl, inverse_frequencies, js_similarity


@pytest.fixture(params=[None, "tf-idf"])
def idf(request):
    return inverse_frequencies(texts(40, 9)) if request.param else None


def test_by_hand():
    """Weights 1/2, 1/2, 0 and 1/4, 0, 3/4 of a, b, c; with idf 1, 3, 3 they are 1/4, 3/4, 0 and 1/10, 0, 9/10."""
    pairs = ["a b"], [["a c c c"]]
    first, second, middle = 2 / 3, 1 / 3, 5 / 12
    expected = first / 2 * log(0.5 / middle) + second / 4 * log(0.25 / middle)
    assert averaged_kl(*pairs) == pytest.approx([expected])
    assert js_similarity(*pairs) == pytest.approx([1 - (log2(4 / 3) / 2 + 0.5 + log2(2 / 3) / 4 + 0.75) / 2])
    weighed = js_similarity(*pairs, idf={"a": 1.0, "b": 3.0, "c": 3.0})
    one, other = log2(0.25 / 0.175) / 4, log2(0.1 / 0.175) / 10
    assert weighed == pytest.approx([1 - (one + 0.75 + other + 0.9) / 2])


def test_divergence_is_zero_for_identical_and_for_disjoint_texts(idf):
    ours = texts(50, 3)
    same, other = [[text] for text in ours], [["niente di questo"]] * 50
    assert averaged_kl(ours, same, idf=idf) == pytest.approx(np.zeros(50), abs=1e-15)
    assert averaged_kl(ours, other, idf=idf) == pytest.approx(np.zeros(50), abs=1e-12)
    assert js_similarity(ours, same, idf=idf) == pytest.approx(np.ones(50), abs=1e-12)
    assert js_similarity(ours, other, idf=idf) == pytest.approx(np.zeros(50), abs=1e-12)


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
