import random

import numpy as np
import pytest
from corpus_fakes import random_texts
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.corpus.pairing import vectors
from change_it.corpus.pairing.vectors import near_duplicates, tfidf


def test_vectors_are_those_of_scikit_learn_for_words_of_two_texts():
    texts = [*random_texts(50), "w0 w1 once", "L'È w_1: già 1a", "l'è W_1 già, a 1a"]
    expected = TfidfVectorizer(stop_words=["w0"], min_df=2).fit_transform(texts)
    assert (tfidf(texts, stop_words=["w0"]) != expected).nnz == 0


def test_marks_and_scripts_without_spaces_are_compared_by():
    """Unrelated texts share no consonant that stands alone."""
    texts = ["बंदरगाह का पुल टूटा", "बंदरगाह का पुल टूटा है", "大橋が崩れた", "大橋は無事", "x 大"]
    matrix = tfidf(texts)
    assert matrix[:2].nnz == 8
    assert matrix[2:].nnz == 5


@pytest.mark.parametrize(("min_df", "block"), [(1, 2048), (2, 7)])
def test_near_duplicates_are_the_chains_of_cosines_above_the_threshold(min_df, block, monkeypatch):
    """Edited copies of long texts, from hardly to hardly alike; blocks change nothing."""
    monkeypatch.setattr(vectors, "TEXTS_A_BLOCK", block)
    chance = random.Random(1)
    texts = [[f"parola{chance.randrange(5000)}" for _ in range(200)] for _ in range(150)]
    for k in range(150):
        edited = list(texts[k])
        for place in chance.sample(range(200), k // 5):
            edited[place] = "altro"
        texts.append(edited)
    matrix = tfidf([" ".join(words) for words in texts], min_df=min_df)
    clusters = near_duplicates(matrix)
    alike = matrix[:150].multiply(matrix[150:]).sum(axis=1).A1 > 0.9
    assert 20 < alike.sum() < 145
    assert ((clusters[:150] == clusters[150:]) == alike).all()
    assert len(np.unique(clusters)) == 300 - alike.sum()


def test_copies_are_one_cluster_whatever_their_case_and_texts_without_words_none():
    text = "Errore: la pagina che cerchi non esiste più sul sito"
    texts = [text] * 500 + [text.upper() + " !", "un altro articolo breve", "…", ""]
    assert near_duplicates(tfidf(texts, min_df=1)).tolist() == [0] * 501 + [1, 2, 3]
