"""The n-gram judge of fluency: its estimates, and what it refuses."""

import numpy as np
import pytest

from change_it.judges.ngram import FEATURES, NgramJudge, count_ngrams, fit_ngram_judge, ngram_features

PLACES = ("Molana", "Bosello", "Vignera", "Belvola", "Fontuno", "Trevate", "Caldello", "Nocino")
THINGS = ("il tetto", "il nido", "il parco", "la scuola", "la piscina", "il teatro")
HEADLINES = [
    text
    for place in PLACES
    for thing in THINGS
    for text in (
        f"Il sindaco di {place} vuole chiudere {thing} per tre giorni",
        f"A {place} riapre {thing} dopo la protesta dei genitori",
    )
]


def reverse(text: str) -> str:
    return " ".join(reversed(text.split()))


@pytest.fixture(scope="module")
def judge() -> NgramJudge:
    return fit_ngram_judge(HEADLINES, [""] * len(HEADLINES), lambda row: reverse(HEADLINES[row]), seed=1)


def test_it_accepts_headlines_and_refuses_reversed_ones(judge):
    new = [
        "Il sindaco di Nocino vuole chiudere il parco per tre giorni",
        "A Belvola riapre il tetto dopo la protesta dei genitori",
    ]
    assert (judge.probabilities(new) > 0.5).all()
    assert (judge.probabilities([reverse(text) for text in new]) < 0.5).all()
    assert (judge.probabilities(["", "!", "vite vite vite"]) < 0.5).all()
    assert judge.probabilities([]).shape == (0,)


def test_the_surprise_is_that_of_the_interpolated_trigram():
    counts, total = count_ngrams(["a b c", "a b d"], [])
    found = dict(zip(FEATURES, ngram_features(["a b c"], counts, total)[0], strict=True))
    # c after a b: trigram 1 of 2, bigram 1 of 2, unigram (1 + .5) of 12 (two beginnings and one end a text)
    unigram = 1.5 / total
    assert total == 12
    rows = {"c": np.log(0.6 / 2 + 0.3 / 2 + 0.1 * unigram) - np.log(unigram)}
    b = np.log(0.6 * 1 + 0.3 * 1 + 0.1 * 2.5 / total) - np.log(2.5 / total)
    assert found["mean surprise"] * 4 - found["first"] - found["last"] == pytest.approx(rows["c"] + b)
    assert found["share of known bigrams"] == 1
    assert found["log length"] == pytest.approx(np.log(3))
