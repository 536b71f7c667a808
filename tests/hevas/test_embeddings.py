import os
import pickle

import numpy as np
import pytest
from drawn import cosine
from gensim.models import KeyedVectors
from malformed import Malicious
from processes import run_python

from change_it import InputError
from change_it.hevas.spaces import WordEmbeddings, load_vectors, train_vectors
from change_it.text.tokens import words

NAMES = ["pane", "Roma", "roma", "Olio", "OLIO", "mare", "vento"]
DOCUMENTS = ["Pane, olio e pane a Roma.", "Il mare, il vento: il mare!", "Nessuna parola nota", ""]
HEADLINES = ["Olio a Roma", "Pane e vento", "mare", "mare"]


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
    space = WordEmbeddings(DOCUMENTS, vectors)
    np.testing.assert_allclose(space.documents, [mean(vectors, text) for text in DOCUMENTS])
    expected = [cosine(mean(vectors, a), mean(vectors, b)) for a, b in zip(HEADLINES, DOCUMENTS, strict=True)]
    np.testing.assert_allclose(space.coverage(HEADLINES), expected)
    assert expected[2:] == [0, 0]
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


def corpus():
    """Two subjects, whose words keep to themselves."""
    rng = np.random.default_rng(2)
    subjects = [[f"pesce{n}" for n in range(8)], [f"voto{n}" for n in range(8)]]
    return [" ".join(rng.choice(subjects[row % 2], 60)) for row in range(200)]


def test_trained_vectors_are_the_same_in_every_process():
    code = (
        "import sys\n"
        "from change_it.hevas.spaces import train_vectors\n"
        "print(hash('pane'), train_vectors(sys.argv[1:], dimensions=8, seed=3).vectors.tobytes().hex())"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    texts, environment = corpus()[:20], {**os.environ, "PYTHONHASHSEED": seed}
    number, there = run_python("-c", code, *texts, env=environment, check=True).stdout.split()
    here, other = (train_vectors(texts, dimensions=8, seed=seed).vectors.tobytes().hex() for seed in (3, 4))
    assert int(number) != hash("pane")
    assert there == here != other
