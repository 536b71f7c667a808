from itertools import pairwise
from math import log

import networkx
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it.hevas import baseline_systems as baselines
from change_it.hevas.baseline_systems import baseline
from change_it.text.sentences import sentences
from change_it.text.stopwords import stop_words
from change_it.text.tokens import words

NOUNS = words("governo pesce mare voto legge treno piazza sindaco pioggia strada banca scuola notte festa")
ITALIAN = stop_words("it")


def article(rng, length):
    """Sentences of nouns that are not equally frequent, with function words between them."""
    shares = np.arange(len(NOUNS), 0, -1) / sum(range(len(NOUNS) + 1))
    made = []
    for _ in range(length):
        parts = rng.choice(NOUNS, rng.integers(2, 9), p=shares).tolist()
        parts.insert(int(rng.integers(1, len(parts) + 1)), "della")
        made.append(" ".join(["Il", *parts]) + ".")
    return " ".join(made)


DOCUMENTS = [article(np.random.default_rng(seed), 5 + 3 * seed) for seed in range(12)]


def close(graph):
    return networkx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)


def word_scores(text):
    """TextRank of the content words that stand side by side, by networkx."""
    graph, found = networkx.Graph(), words(text)
    graph.add_nodes_from(word for word in found if word not in ITALIAN)
    for a, b in pairwise(found):
        if a in graph and b in graph and a != b:
            graph.add_edge(a, b)
    return close(graph)


def sentence_scores(text):
    """TextRank of the sentences, by networkx and a double loop."""
    found = [[word for word in words(sentence) if word not in ITALIAN] for sentence in sentences(text)]
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(found)))
    for i in range(len(found)):
        for j in range(i):
            common, sizes = len({*found[i]} & {*found[j]}), log(len(found[i])) + log(len(found[j]))
            if common and sizes:
                graph.add_edge(i, j, weight=common / sizes)
    return close(graph)


@pytest.mark.parametrize("slices", [500, 5])
def test_words_are_ranked_as_networkx_ranks_them(monkeypatch, slices):
    monkeypatch.setattr(baselines, "_DOCUMENTS", slices)
    for text, headline in zip(
        DOCUMENTS, baseline("wtextrank", DOCUMENTS, n_words=6, language="it"), strict=True
    ):
        scores = word_scores(text)
        given = headline.split()
        assert len(set(given)) == 6
        np.testing.assert_allclose(
            [scores[word] for word in given], sorted(scores.values(), reverse=True)[:6], atol=1e-6
        )


@pytest.mark.parametrize("slices", [500, 5])
def test_the_sentence_is_the_one_that_networkx_puts_first(monkeypatch, slices):
    monkeypatch.setattr(baselines, "_DOCUMENTS", slices)
    places = []
    for text, headline in zip(
        DOCUMENTS, baseline("stextrank", DOCUMENTS, n_words=99, language="it"), strict=True
    ):
        scores = sentence_scores(text)
        place = sentences(text).index(headline)
        assert scores[place] == pytest.approx(max(scores.values()), abs=1e-6)
        places.append(place)
    assert len(set(places)) > 2


def test_tfidf_words_are_scikit_learns_top_words():
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None, stop_words=sorted(ITALIAN))
    rows = vectorizer.fit_transform(DOCUMENTS).toarray()
    for row, headline in zip(rows, baseline("tfidf", DOCUMENTS, language="it"), strict=True):
        given = [row[vectorizer.vocabulary_[word]] for word in headline.split()]
        np.testing.assert_allclose(given, sorted(row, reverse=True)[: len(given)])
        assert len(given) == min(9, (row > 0).sum())


def test_the_first_words_keep_their_writing_and_are_exactly_as_many():
    text = "«L'Italia non c'è», dice — sì — Rossi, ieri sera a Roma. Poi tace."
    assert baseline("first", [text]) == ["«L'Italia non c'è», dice — sì — Rossi, ieri"]
    assert baseline("first", [text], n_words=5) == ["«L'Italia non c'è»"]
    assert baseline("first", [text], n_words=4) == ["«L'Italia non c"]
    for n_words in range(1, 16):
        assert words(baseline("first", [text], n_words=n_words)[0]) == words(text)[:n_words]


def test_random_takes_the_beginning_of_any_sentence_and_the_seed_decides():
    text = "Uno due tre. Quattro cinque sei! Sette otto nove? ..."
    drawn = baseline("random", [text] * 300, n_words=2, seed=4)
    counts = [drawn.count(start) for start in ("Uno due", "Quattro cinque", "Sette otto")]
    assert sum(counts) == 300
    assert min(counts) > 60
    assert drawn == baseline("random", [text] * 300, n_words=2, seed=4)
    assert drawn != baseline("random", [text] * 300, n_words=2, seed=5)
    assert drawn[1:] == baseline("random", ["", *[text] * 299], n_words=2, seed=4)[1:]


def test_function_words_alone_and_unlinked_words():
    assert baseline("stextrank", ["Il la e. Non si."], language="it") == ["Il la e."]
    assert baseline("wtextrank", ["Il la e. Non si."], language="it") == [""]
    assert baseline("wtextrank", ["mare e vento e pane"], n_words=2, language="it") == ["mare vento"]
