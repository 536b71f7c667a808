"""Training of the taggers on small invented treebanks."""

import json
import random
import subprocess
import sys

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.text.tagging import PerceptronTagger
from tools.tagger.train import (
    TaggerOptions,
    cross_validate,
    read_conllu,
    read_treebank,
    run,
    save,
    train,
)

SUBJECTS = {"it": ["Rossi", "Bianchi", "Verdi", "Milano"], "en": ["Smith", "Jones", "Boston", "Baker"]}
NOUNS = {"it": ["sindaco", "governo", "premio", "teatro"], "en": ["mayor", "council", "prize", "theatre"]}
VERBS = {"it": ["lascia", "vince", "perde", "apre"], "en": ["leaves", "wins", "loses", "opens"]}


def conllu(language, n=80):
    """An invented treebank of sentences such as "Rossi lascia il premio del sindaco ."."""
    draw = random.Random(3)
    lines = []
    for number in range(n):
        subject, verb = draw.choice(SUBJECTS[language]), draw.choice(VERBS[language])
        one, other = draw.sample(NOUNS[language], 2)
        lines.append(f"# sent_id = {number}")
        article, of = ("il", "di") if language == "it" else ("the", "of")
        rows = [(subject, "PROPN"), (verb, "VERB"), (article, "DET"), (one, "NOUN")]
        rows += [(of, "ADP"), (article, "DET"), (other, "NOUN"), (".", "PUNCT")]
        for i, (word, tag) in enumerate(rows, start=1):
            if language == "it" and i == 5:
                lines.append("\t".join(["5-6", "del", *"_" * 8]))
            lines.append("\t".join([str(i), word, "_", tag, *"_" * 6]))
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def treebank(tmp_path):
    def write(language="it", text=None):
        path = tmp_path / f"{language}.conllu"
        path.write_text(conllu(language) if text is None else text, encoding="utf-8")
        return path

    return write


def test_tokens_of_several_words_stay_one_with_the_first_tag(treebank):
    path = treebank("it")
    joined, parts = read_conllu(path, joined=True)[0], read_conllu(path, joined=False)[0]
    assert joined.words[4] == "del"
    assert joined.tags[4] == "ADP"
    assert parts.words[4:6] == ["di", "il"]
    assert parts.tags[4:6] == ["ADP", "DET"]
    assert len(parts.words) == len(joined.words) + 1
    assert [len(versions) for versions in read_treebank(path, "it")] == [2] * 80
    assert [len(versions) for versions in read_treebank(treebank("en"), "en")] == [1] * 80


@pytest.mark.parametrize("language", ["it", "en"])
def test_learns_an_easy_language_whatever_the_typography(treebank, language):
    scores = cross_validate(read_treebank(treebank(language), language), language, folds=4, epochs=5)
    assert set(scores) == {"text", "words", "sentence", "lower", "title", "upper"}
    assert all(each["accuracy"] > 0.97 for each in scores.values()), scores
    assert scores["text"]["f1_PROPN"] == 1
    assert scores["text"]["f1_PRON"] == 0  # there is none


def test_cross_validation_does_not_see_what_it_tags(treebank):
    """Tags that follow no rule cannot be foretold; a tagger that has seen the sentences would know some."""
    draw = random.Random(11)
    lines = []
    for _ in range(120):
        word = "".join(draw.choices("bcdfgaeiou", k=8))
        lines += ["\t".join(["1", word, "_", draw.choice(["NOUN", "VERB"]), *"_" * 6]), ""]
    sentences = read_treebank(treebank("en", "\n".join(lines)), "en")
    held_out = cross_validate(sentences, "en", folds=5, epochs=8)["text"]["accuracy"]
    seen = train([versions[0] for versions in sentences], "en", epochs=8)
    known = np.mean([seen.tag(words) == tags for ((words, tags),) in sentences])
    assert known > 0.95
    assert held_out < 0.7


def test_the_same_seed_gives_the_same_bytes(treebank, tmp_path):
    path = treebank("it")
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(TaggerOptions(treebank=path, language="it", out=tmp_path / f"{name}.npz", epochs=2, seed=seed))
    one, same, other = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert one == same != other


def test_saved_weights_tag_like_the_trained_ones(treebank, tmp_path):
    sentences = [versions[0] for versions in read_treebank(treebank("it"), "it")]
    trained = train(sentences, "it", epochs=2)
    save(trained, tmp_path / "it.npz")
    loaded = PerceptronTagger.load(tmp_path / "it.npz", "it")
    assert loaded.closed == trained.closed
    assert np.array_equal(loaded.weights, trained.weights)
    assert [path.name for path in tmp_path.glob("*.npz")] == ["it.npz"]
    for words, _ in sentences[:20]:
        assert loaded.tag(words) == trained.tag(words)


def test_cross_validation_prints_json(treebank, capsys):
    run(TaggerOptions(treebank=treebank("en"), language="en", folds=2, epochs=2))
    record = json.loads(capsys.readouterr().out)
    assert record["sentences"] == 80
    assert set(record["text"]) == {"accuracy", "f1_PROPN", "f1_NOUN", "f1_PRON"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, {}, "nothing to do"),
        (None, {"folds": 1}, "--folds 1"),
        (None, {"folds": 81}, "--folds 81"),
        ("", {"folds": 2}, "has no sentences"),
        ("1\tRoma\n\n", {"folds": 2}, "line 1: not CoNLL-U"),
        ("\t".join(["1", "Roma", "_", "NNP", *"_" * 6]) + "\n\n", {"folds": 2}, "'NNP' is no universal tag"),
    ],
)
def test_bad_input_is_one_sentence(treebank, text, options, message):
    with pytest.raises(InputError, match=message):
        run(TaggerOptions(treebank=treebank("it", text), language="it", **options))


def test_a_missing_file_ends_with_code_2_and_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "tools.tagger.train", str(tmp_path / "no.conllu")]
    done = subprocess.run(
        [*command, "--language", "it", "--out", str(tmp_path / "it.npz")], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("change-it: ")
    assert "give a CoNLL-U file" in done.stderr
    assert list(tmp_path.iterdir()) == []
