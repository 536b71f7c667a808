from math import log, log2

import numpy as np
import pytest
from drawn import texts

from change_it.hevas.spaces import divergences, inverse_frequencies


def test_by_hand():
    # weights of a, b, c: 1/2, 1/2, 0 and 1/4, 0, 3/4
    candidates = ["a b"]
    references = [["a c c c"]]
    [kl], [js] = divergences(candidates, references)
    first, second, middle = 2 / 3, 1 / 3, 5 / 12
    assert kl == pytest.approx(first / 2 * log(0.5 / middle) + second / 4 * log(0.25 / middle))
    assert js == pytest.approx(1 - (log2(4 / 3) / 2 + 0.5 + log2(2 / 3) / 4 + 0.75) / 2)
    # with these frequencies 1/4, 3/4, 0 and 1/10, 0, 9/10
    _, weighed = divergences(candidates, references, idf={"a": 1.0, "b": 3.0, "c": 3.0})
    parts = log2(0.25 / 0.175) / 4 + 0.75 + log2(0.1 / 0.175) / 10 + 0.9
    assert weighed == pytest.approx([1 - parts / 2])


@pytest.mark.parametrize("idf", [None, inverse_frequencies(texts(40, 9))])
def test_identical_disjoint_and_empty_texts(idf):
    drawn = texts(50, 3)
    for references, similarity in ([[text] for text in drawn], 1), ([["niente di questo"]] * 50, 0):
        kl, js = divergences(drawn, references, idf=idf)
        assert kl == pytest.approx(np.zeros(50), abs=1e-12)
        assert js == pytest.approx(np.full(50, similarity), abs=1e-12)
    assert not np.any(divergences(["", "a", "…"], [["a"], [""], [""]], idf=idf))
    assert np.shape(divergences([], [], idf=idf)) == (2, 0)


def test_of_several_references_the_most_similar_counts():
    near, far, disjoint = "il governo cade oggi", "il voto in aula", "niente altro"
    kl, js = divergences(["il governo cade", "boh"], [[far, near, disjoint], [disjoint, far]])
    assert (kl[:1], js[:1]) == divergences(["il governo cade"], [[near]])
    assert kl[0] > 0 == kl[1]
