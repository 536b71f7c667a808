import os
import pickle

import numpy as np
import pytest
from drawn import cosine
from gensim.models import KeyedVectors
from malformed import Malicious
from processes import run_python
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it import InputError
from change_it.hevas.spaces import LatentSemantic, TopicModel, WordEmbeddings, load_vectors, train_vectors
from change_it.text.tokens import words

WORDS = [f"w{number}" for number in range(60)]


def texts(number, length, seed):
    """Invented texts of three overlapping subjects."""
    rng = np.random.default_rng(seed)
    return [
        " ".join([*rng.choice(WORDS[20 * (row % 3) :][:30], length), WORDS[row % 60]])
        for row in range(number)
    ]


DOCUMENTS = texts(40, 50, 1)
HEADLINES = [*texts(38, 6, 2), "", "unknown words only"]
REFERENCES = texts(40, 6, 3)


def by_hand(number):
    """LSI of HEvAS 2019, section 2.2, with numpy's dense decomposition: a function of texts."""
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None)
    _, s, vt = np.linalg.svd(vectorizer.fit_transform(DOCUMENTS).toarray(), full_matrices=False)
    return s, lambda given: vectorizer.transform(given).toarray() @ vt[:number].T / s[:number]


@pytest.mark.parametrize("number", [1, 10, 40])
def test_lsi_is_the_cosine_after_projecting_with_v_over_s(number):
    space = LatentSemantic(DOCUMENTS, keep=("number", number))
    _, project = by_hand(number)
    rows = [project(given) for given in (DOCUMENTS, HEADLINES, REFERENCES)]
    coverage = [cosine(h, d) for h, d in zip(rows[1], rows[0], strict=True)]
    similarity = [cosine(h, r) for h, r in zip(rows[1], rows[2], strict=True)]
    np.testing.assert_allclose(space.coverage(HEADLINES), coverage, atol=1e-8)
    found = space.to_references(HEADLINES, [[r] for r in REFERENCES])
    np.testing.assert_allclose(found, similarity, atol=1e-8)
    assert coverage[-2:] == [0, 0]


def test_lsi_filters_by_number_ratio_and_threshold():
    values, _ = by_hand(40)
    np.testing.assert_allclose(LatentSemantic(DOCUMENTS, keep=("number", 7)).eigenvalues, values[:7])
    np.testing.assert_allclose(LatentSemantic(DOCUMENTS, keep=("ratio", 0.3)).eigenvalues, values[:12])
    threshold = (values[8] + values[9]) / 2
    above = LatentSemantic(DOCUMENTS, keep=("threshold", threshold)).eigenvalues
    np.testing.assert_allclose(above, values[:9])
    np.testing.assert_allclose(LatentSemantic(DOCUMENTS, keep=("threshold", 0)).eigenvalues, values)


def test_repeated_and_empty_documents_bring_no_eigenvalue_of_zero():
    space = LatentSemantic([*DOCUMENTS[:5], *DOCUMENTS[:5], ""], keep=("ratio", 1))
    assert len(space.eigenvalues) == 5
    assert space.coverage([*DOCUMENTS[:5], *DOCUMENTS[:5], "w1"])[-1] == 0
    assert np.isfinite(space.documents).all()


def literal_topics(model, text, document):
    """The sum of section 3.1, word by word."""
    vocabulary = model._vectorizer.vocabulary_
    weights = []
    for topic, given in enumerate(model.words_given_topic):
        p = model.topics_given_document[document, topic] * model.document_given_topic[document, topic]
        weights.append(sum(given[vocabulary[word]] * p for word in words(text) if word in vocabulary))
    return np.array(weights) / (sum(weights) or 1)


@pytest.fixture(scope="module")
def topics():
    return TopicModel(DOCUMENTS, topics=3, seed=4)


def test_topic_weights_are_the_sum_over_the_words_of_the_text(topics):
    np.testing.assert_allclose(topics.words_given_topic.sum(axis=1), 1)
    np.testing.assert_allclose(topics.topics_given_document.sum(axis=1), 1)
    np.testing.assert_allclose(topics.document_given_topic.sum(axis=0), 1)
    for given in (DOCUMENTS, HEADLINES, REFERENCES):
        expected = [literal_topics(topics, text, row) for row, text in enumerate(given)]
        np.testing.assert_allclose(topics.vectors(given), expected, atol=1e-12)
    np.testing.assert_allclose(topics.documents, topics.vectors(DOCUMENTS), atol=1e-12)


NAMES = ["pane", "Roma", "roma", "Olio", "OLIO", "mare", "vento"]
SHORT = ["Pane, olio e pane a Roma.", "Il mare, il vento: il mare!", "Nessuna parola nota", ""]
SHORT_HEADLINES = ["Olio a Roma", "Pane e vento", "mare", "mare"]


@pytest.fixture
def vectors():
    made = KeyedVectors(8)
    made.add_vectors(NAMES, np.random.default_rng(1).normal(size=(len(NAMES), 8)).astype(np.float32))
    return made


def mean(vectors, text):
    """The mean in a loop; "olio" has no vector of its own, "Olio" is its first writing."""
    known = [{"olio": "Olio"}.get(word, word) for word in words(text)]
    rows = [vectors[word] for word in known if word in vectors]
    return np.mean(np.float64(rows), axis=0) if rows else np.zeros(8)


def test_a_text_is_the_mean_vector_of_its_words(vectors):
    space = WordEmbeddings(SHORT, vectors)
    np.testing.assert_allclose(space.documents, [mean(vectors, text) for text in SHORT])
    assert space.coverage(SHORT_HEADLINES)[2:].tolist() == [0, 0]
    expected = max(cosine(mean(vectors, "mare"), mean(vectors, text)) for text in ("pane", "vento"))
    assert space.to_references(["mare"], [["pane", "vento"]]) == pytest.approx([expected])


@pytest.mark.parametrize("form", ["text", "binary", "gzip"])
def test_vectors_come_back_from_their_file(vectors, tmp_path, form):
    path = tmp_path / {"text": "v.vec", "binary": "v.bin", "gzip": "v.txt.gz"}[form]
    vectors.save_word2vec_format(str(path), binary=form == "binary")
    loaded = load_vectors(path)
    assert loaded.index_to_key == NAMES
    np.testing.assert_array_equal(loaded.vectors, vectors.vectors)


@pytest.mark.parametrize("name", ["v.kv", "v.vec", "v.bin"])
def test_a_pickle_is_refused_and_not_opened(vectors, tmp_path, name):
    for number, content in enumerate([pickle.dumps(Malicious(tmp_path / "ran")), pickle.dumps(vectors)]):
        path = tmp_path / f"{number}{name}"
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is no word2vec file: give what model\.wv\.save_word2vec_f"):
            load_vectors(path)
    assert not (tmp_path / "ran").exists()


def test_trained_vectors_are_the_same_in_every_process():
    code = (
        "import sys\n"
        "from change_it.hevas.spaces import train_vectors\n"
        "print(hash('pane'), train_vectors(sys.argv[1:], dimensions=8, seed=3).vectors.tobytes().hex())"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    number, there = run_python("-c", code, *DOCUMENTS, env=environment, check=True).stdout.split()
    here, other = (
        train_vectors(DOCUMENTS, dimensions=8, seed=seed).vectors.tobytes().hex() for seed in (3, 4)
    )
    assert int(number) != hash("pane")
    assert there == here != other
