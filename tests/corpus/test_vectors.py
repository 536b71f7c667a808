import numpy as np
import pytest
from corpus_fakes import random_texts
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from change_it.corpus import vectors
from change_it.corpus.vectors import tfidf, tokenise
from change_it.errors import InputError

TEXTS = [
    "Perché l'Italia dice «sì»? Il governo, il GOVERNO e ancora il governo_tecnico.",
    "“Curly” quotes — dashes… and x² plus ½ ٣٤ 日本語 naïve façade e\u0301te\u0301 İSTANBUL ΟΔΟΣ",
    "",
    "a b c !",
    "it's the end: isn't it? 1,000 10.5% A1 il governo",
    "Il governo d'Italia, perché? End of quotes and dashes",
]


def assert_same(texts, stop=(), min_df=2):
    ours = tfidf(tokenise(texts), stop_words=stop, min_df=min_df)
    theirs = TfidfVectorizer(stop_words=list(stop) or None, min_df=min_df)
    expected = theirs.fit_transform(texts)
    assert ours.words.to_list() == theirs.get_feature_names_out().tolist()
    assert ours.matrix.shape == expected.shape
    assert abs(ours.matrix - expected).max() < 1e-12
    assert ours.matrix.has_sorted_indices


@pytest.mark.parametrize("min_df", [1, 2])
@pytest.mark.parametrize("stop", [(), ("il", "the", "and")])
def test_equals_scikit_learn_on_difficult_text(stop, min_df):
    assert_same(TEXTS, stop, min_df)


def test_equals_scikit_learn_across_chunks(monkeypatch):
    monkeypatch.setattr(vectors, "CHUNK", 500)
    texts = random_texts(300)
    assert len(list(vectors._chunks(texts))) > 10
    assert_same(texts, ("w0", "w1"))


def test_codes_are_the_words_in_order():
    tokens = tokenise(TEXTS)
    analyse = CountVectorizer().build_analyzer()
    for index, text in enumerate(TEXTS):
        codes = tokens.codes[tokens.offsets[index] : tokens.offsets[index + 1]]
        assert tokens.vocabulary[codes.tolist()].to_list() == analyse(text)
    assert tokens.codes.dtype == np.int32
    assert len(tokens) == len(TEXTS)


@pytest.mark.parametrize("texts", [[], ["", "! ?"], ["each word", "only once"]])
def test_nothing_to_compare_by_is_an_input_error(texts):
    with pytest.raises(InputError, match="no word is left"):
        tfidf(tokenise(texts))
