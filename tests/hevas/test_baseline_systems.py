import numpy as np
import pytest
from drawn import texts
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.hevas.baseline_systems import baseline
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

STOP_WORDS = "Il la e. Non si."
QUOTED = "«L'Italia non c'è», dice — sì — Rossi, ieri sera a Roma. Poi tace."


@pytest.mark.parametrize(
    ("name", "text", "headline"),
    [
        # the word with most neighbours is the first, of equal ones the earlier
        ("wtextrank", "Vento mare. Pane, mare! Mare, sole…", "mare vento pane"),
        ("wtextrank", "mare e vento e pane", "mare vento pane"),
        ("wtextrank", STOP_WORDS, ""),
        ("stextrank", STOP_WORDS, "Il la e."),
        # every two share one word, weights 1 / ln 14, 1 / ln 28 and 1 / ln 8: the second has the most
        ("stextrank", "A b c d e f x. X y. A y g h.", "X y."),
        # "c'è" holds one word too many and is cut
        ("first", "«Ma non c'è», dice Rossi.", "«Ma non c"),
        ("first", QUOTED, "«L'Italia non"),
        ("first", "", ""),
    ],
)
def test_headlines_by_hand(name, text, headline):
    headlines = baseline(name, [text, "", text], n_words=3, language="it")
    assert headlines == [headline, "", headline]


def test_tfidf_words_are_scikit_learns_top_words():
    documents = texts(12, 1, shortest=5, longest=40)
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None, stop_words=sorted(stop_words("it")))
    rows = vectorizer.fit_transform(documents).toarray()
    for row, headline in zip(rows, baseline("tfidf", documents, language="it"), strict=True):
        weights = [row[vectorizer.vocabulary_[word]] for word in headline.split()]
        np.testing.assert_allclose(weights, sorted(row, reverse=True)[: len(weights)])
        assert len(weights) == min(9, (row > 0).sum())


def test_the_first_words_are_exactly_as_many():
    for n_words in range(1, 16):
        [headline] = baseline("first", [QUOTED], n_words=n_words)
        assert words(headline) == words(QUOTED)[:n_words]


def test_random_takes_the_beginning_of_any_sentence_and_the_seed_decides():
    text = "Uno due tre. Quattro cinque sei! Sette otto nove? ..."
    drawn = baseline("random", [text] * 300, n_words=2, seed=4)
    other = baseline("random", [text] * 300, n_words=2, seed=5)
    counts = [drawn.count(start) for start in ("Uno due", "Quattro cinque", "Sette otto")]
    assert sum(counts) == 300
    assert min(counts) > 60
    assert drawn != other
    assert drawn[1:] == baseline("random", ["", *[text] * 299], n_words=2, seed=4)[1:]
