import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.hevas.baseline_systems import baseline
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

NOUNS = words("governo pesce mare voto legge treno piazza sindaco pioggia strada banca scuola notte festa")


def article(rng, length):
    """Sentences of nouns that are not equally frequent, with function words between them."""
    shares = np.arange(len(NOUNS), 0, -1) / sum(range(len(NOUNS) + 1))
    nouns = (rng.choice(NOUNS, rng.integers(2, 9), p=shares).tolist() for _ in range(length))
    return " ".join(" ".join(["Il", first, "della", *others]) + "." for first, *others in nouns)


def test_the_word_with_the_most_neighbours_comes_first_then_the_earlier():
    text = "Vento mare. Pane, mare! Mare, sole…"
    headlines = baseline("wtextrank", [text, "", text], n_words=3, language="it")
    assert headlines == ["mare vento pane", "", "mare vento pane"]


def test_common_words_of_short_sentences_weigh_more():
    """Every two share one word: weights 1 / ln 14, 1 / ln 28 and 1 / ln 8; the second has the most."""
    text = "A b c d e f x. X y. A y g h."
    assert baseline("stextrank", [text, text.replace("y", "z")], n_words=9) == ["X y.", "X z."]


def test_tfidf_words_are_scikit_learns_top_words():
    documents = [article(np.random.default_rng(seed), 5 + 3 * seed) for seed in range(12)]
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None, stop_words=sorted(stop_words("it")))
    rows = vectorizer.fit_transform(documents).toarray()
    for row, headline in zip(rows, baseline("tfidf", documents, language="it"), strict=True):
        weights = [row[vectorizer.vocabulary_[word]] for word in headline.split()]
        np.testing.assert_allclose(weights, sorted(row, reverse=True)[: len(weights)])
        assert len(weights) == min(9, (row > 0).sum())


def test_the_first_words_keep_their_writing_and_are_exactly_as_many():
    text = "«L'Italia non c'è», dice — sì — Rossi, ieri sera a Roma. Poi tace."
    assert baseline("first", [text]) == ["«L'Italia non c'è», dice — sì — Rossi, ieri"]
    assert baseline("first", [text], n_words=4) == ["«L'Italia non c"]
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


def test_function_words_alone_and_unlinked_words():
    assert baseline("stextrank", ["Il la e. Non si."], language="it") == ["Il la e."]
    assert baseline("wtextrank", ["Il la e. Non si.", "mare e vento e pane"], n_words=2, language="it") == [
        "",
        "mare vento",
    ]
