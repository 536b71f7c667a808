import os
import pickle

import numpy as np
import pytest
from drawn import cosine, texts
from gensim.models import KeyedVectors
from malformed import Malicious
from processes import run_python
from sklearn.feature_extraction.text import TfidfVectorizer

from change_it import InputError
from change_it.hevas.spaces import LatentSemantic, TopicModel, WordEmbeddings, load_vectors, train_vectors
from change_it.text.tokens import words

DOCUMENTS = texts(40, 1, shortest=20, longest=60)
HEADLINES = [*texts(38, 2), "", "unknown words only"]
REFERENCES = texts(40, 3)


def decomposed():
    """The eigenvalues and the right vectors of the documents, by numpy, and what makes tf-idf of texts."""
    vectorizer = TfidfVectorizer(tokenizer=words, token_pattern=None)
    _, values, right = np.linalg.svd(vectorizer.fit_transform(DOCUMENTS).toarray(), full_matrices=False)
    return values, right, vectorizer


@pytest.mark.parametrize("number", [1, 5, 15])
def test_lsi_is_the_cosine_after_projecting_with_v_over_s(number):
    space = LatentSemantic(DOCUMENTS, keep=("number", number))
    values, right, vectorizer = decomposed()
    documents, headlines, references = (
        vectorizer.transform(several).toarray() @ right[:number].T / values[:number]
        for several in (DOCUMENTS, HEADLINES, REFERENCES)
    )
    coverage = list(map(cosine, headlines, documents))
    np.testing.assert_allclose(space.coverage(HEADLINES), coverage, atol=1e-8)
    similarity = space.to_references(HEADLINES, [[text] for text in REFERENCES])
    np.testing.assert_allclose(similarity, list(map(cosine, headlines, references)), atol=1e-8)
    assert coverage[-2:] == [0, 0]


def test_lsi_filters_by_number_ratio_and_threshold():
    values, *_ = decomposed()
    for name, value, count in (
        ("number", 7, 7),
        ("ratio", 0.3, 6),  # of 18 words
        ("threshold", (values[8] + values[9]) / 2, 9),
        ("threshold", 0, 17),  # "l" and "italia" are one
    ):
        eigenvalues = LatentSemantic(DOCUMENTS, keep=(name, value)).eigenvalues
        np.testing.assert_allclose(eigenvalues, values[:count])


def test_repeated_and_empty_documents_bring_no_eigenvalue_of_zero():
    space = LatentSemantic([*DOCUMENTS[:5], *DOCUMENTS[:5], ""], keep=("ratio", 1))
    assert len(space.eigenvalues) == 5
    assert space.coverage([*DOCUMENTS[:5], *DOCUMENTS[:5], "il"])[-1] == 0
    assert np.isfinite(space.documents).all()


def test_there_are_as_many_topics_as_documents_at_most():
    for topics in (0, len(DOCUMENTS) + 1):
        with pytest.raises(InputError, match=f"choose 1 to {len(DOCUMENTS)} topics"):
            TopicModel(DOCUMENTS, topics=topics)


def test_topic_weights_are_the_sum_over_the_words_of_the_text():
    """The sum of section 3.1, word by word."""
    topics = TopicModel(DOCUMENTS, topics=3, seed=4)
    for shares, axis in (
        (topics.words_given_topic, 1),
        (topics.topics_given_document, 1),
        (topics.document_given_topic, 0),
    ):
        np.testing.assert_allclose(shares.sum(axis=axis), 1)
    vocabulary = topics._vectorizer.vocabulary_
    for several in (DOCUMENTS, HEADLINES, REFERENCES):
        for document, vector in enumerate(topics.vectors(several)):
            weights = np.zeros(3)
            for word in words(several[document]):
                if word in vocabulary:
                    of_word = topics.words_given_topic[:, vocabulary[word]]
                    of_document = topics.topics_given_document[document]
                    weights += of_word * of_document * topics.document_given_topic[document]
            np.testing.assert_allclose(vector, weights / (weights.sum() or 1), atol=1e-12)
    np.testing.assert_allclose(topics.documents, topics.vectors(DOCUMENTS), atol=1e-12)


NAMES = ["pane", "Roma", "roma", "Olio", "OLIO", "mare", "vento"]


@pytest.fixture
def vectors():
    made = KeyedVectors(8)
    made.add_vectors(NAMES, np.random.default_rng(1).normal(size=(len(NAMES), 8)).astype(np.float32))
    return made


def test_a_text_is_the_mean_vector_of_its_words(vectors):
    space = WordEmbeddings(["Pane, olio e pane a Roma.", "Nessuna parola nota", ""], vectors)
    bread, oil, rome, sea, wind = (vectors[word] for word in ("pane", "Olio", "roma", "mare", "vento"))
    # "olio" has no vector of its own, "Olio" is its first writing
    mean = np.mean([bread, oil, bread, rome], axis=0)
    np.testing.assert_allclose(space.documents, [mean, np.zeros(8), np.zeros(8)], rtol=1e-6)
    assert space.coverage(["Olio", "mare", "mare"])[1:].tolist() == [0, 0]
    expected = max(cosine(sea, bread), cosine(sea, wind))
    assert space.to_references(["mare"], [["pane", "vento"]]) == pytest.approx([expected])


@pytest.mark.parametrize("name", ["v.vec", "v.bin", "v.txt.gz"])
def test_vectors_come_back_from_their_file(vectors, tmp_path, name):
    vectors.save_word2vec_format(str(tmp_path / name), binary=name == "v.bin")
    loaded = load_vectors(tmp_path / name)
    assert loaded.index_to_key == NAMES
    np.testing.assert_array_equal(loaded.vectors, vectors.vectors)


@pytest.mark.parametrize("name", ["v.kv", "v.vec", "v.bin"])
def test_a_pickle_is_refused_and_not_opened(vectors, tmp_path, name):
    for content in (pickle.dumps(Malicious(tmp_path / "ran")), pickle.dumps(vectors)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=r"is no word2vec file: give what model\.wv\.save_word2vec_f"):
            load_vectors(tmp_path / name)
    assert not (tmp_path / "ran").exists()


def test_trained_vectors_are_the_same_in_every_process():
    code = (
        "import sys\n"
        "from change_it.hevas.spaces import train_vectors\n"
        "print(hash('pane'), train_vectors(sys.argv[1:], seed=3).vectors.tobytes().hex())"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    number, there = run_python("-c", code, *DOCUMENTS, env=environment, check=True).stdout.split()
    here, other = (train_vectors(DOCUMENTS, seed=seed).vectors.tobytes().hex() for seed in (3, 4))
    assert int(number) != hash("pane")
    assert there == here != other
