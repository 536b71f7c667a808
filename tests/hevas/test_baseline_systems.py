import numpy as np
import pytest
from drawn import texts
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.hevas.baseline_systems import baseline
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words


@pytest.mark.parametrize(
    ("name", "text", "headline"),
    [
        ("wtextrank", "Vento mare. Pane, mare! Mare, sole…", "mare vento pane"),  # most neighbours, then the earlier
        ("wtextrank", "mare e vento e pane", "mare vento pane"),
        ("wtextrank", "Il la e. Non si.", ""),
        ("stextrank", "Il la e. Non si.", "Il la e."),
        # every two share one word, weights 1 / ln 14, 1 / ln 28 and 1 / ln 8: the second has the most
        ("stextrank", "A b c d e f x. X y. A y g h.", "X y."),
        ("first", "«L'Italia non c'è», dice — sì — Rossi, ieri sera a Roma. Poi tace.", "«L'Italia non c"),
        ("first", "", ""),
    ],
)  # fmt: skip
def test_headlines_by_hand(name, text, headline):
    n_words = 4 if name == "first" else 3
    assert baseline(name, [text, "", text], n_words=n_words, language="it") == [headline, "", headline]


def test_tfidf_words_are_scikit_learns_top_words():
    documents = texts(12, 1, shortest=5, longest=40)
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None, stop_words=sorted(stop_words("it")))
    rows = vectorizer.fit_transform(documents).toarray()
    for row, headline in zip(rows, baseline("tfidf", documents, language="it"), strict=True):
        weights = [row[vectorizer.vocabulary_[word]] for word in headline.split()]
        np.testing.assert_allclose(weights, sorted(row, reverse=True)[: len(weights)])
        assert len(weights) == min(9, (row > 0).sum())


def test_the_first_words_are_exactly_as_many():
    text = "«L'Italia non c'è», dice — sì — Rossi, ieri sera a Roma. Poi tace."
    for n_words in range(1, 16):
        assert words(baseline("first", [text], n_words=n_words)[0]) == words(text)[:n_words]


def test_random_takes_the_beginning_of_any_sentence_and_the_seed_decides():
    text = "Uno due tre. Quattro cinque sei! Sette otto nove? ..."
    drawn, other = (baseline("random", [text] * 300, n_words=2, seed=seed) for seed in (4, 5))
    counts = [drawn.count(start) for start in ("Uno due", "Quattro cinque", "Sette otto")]
    assert sum(counts) == 300
    assert min(counts) > 60
    assert drawn != other
    assert drawn[1:] == baseline("random", ["", *[text] * 299], n_words=2, seed=4)[1:]
