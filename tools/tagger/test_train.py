"""Training of the taggers on small invented treebanks."""

import random

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.text.tagging import PerceptronTagger
from tools.tagger.train import TaggerOptions, as_headline, read_treebank, run, train

SUBJECTS = {"it": ["Rossi", "Bianchi", "Verdi", "Milano"], "en": ["Smith", "Jones", "Boston", "Baker"]}
NOUNS = {"it": ["sindaco", "governo", "premio", "teatro"], "en": ["mayor", "council", "prize", "theatre"]}
VERBS = {"it": ["lascia", "vince", "perde", "apre"], "en": ["leaves", "wins", "loses", "opens"]}


def conllu(language, n=80, seed=3):
    """Write an invented treebank of sentences such as "Rossi lascia il premio del sindaco ."."""
    draw = random.Random(seed)
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
    sentences = read_treebank(treebank("it"), "it")
    joined, parts = sentences[:2]
    assert joined.words[4:6] == ["del", joined.words[5]]
    assert joined.tags[4] == "ADP"
    assert parts.words[4:6] == ["di", "il"]
    assert parts.tags[4:6] == ["ADP", "DET"]
    assert parts.words[6:] == joined.words[5:]
    assert len(sentences) == 2 * len(read_treebank(treebank("en"), "en")) == 160


@pytest.mark.parametrize("language", ["it", "en"])
def test_learns_an_easy_language_whatever_the_typography(treebank, language):
    learnt, held_out = (read_treebank(treebank(language, conllu(language, seed=s)), language) for s in (3, 4))
    tagger = train(learnt, language, epochs=5)
    for case in ("sentence", "lower", "title", "upper"):
        asked = [as_headline(sentence, case, random.Random(1)) for sentence in held_out]
        right = [
            tag == own for words, tags in asked for tag, own in zip(tagger.tag(words), tags, strict=True)
        ]
        assert np.mean(right) > 0.97, case


def test_the_same_seed_gives_the_same_bytes_that_tag_like_the_trained_weights(treebank, tmp_path):
    path = treebank("it")
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(TaggerOptions(treebank=path, language="it", out=tmp_path / f"{name}.npz", epochs=2, seed=seed))
    one, same, other = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert one == same != other
    sentences = read_treebank(path, "it")
    trained, loaded = train(sentences, "it", epochs=2), PerceptronTagger.load(tmp_path / "a.npz", "it")
    assert loaded.closed == trained.closed
    assert np.array_equal(loaded.weights, trained.weights)
    for words, _ in sentences[:20]:
        assert loaded.tag(words) == trained.tag(words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no sentences"),
        ("\t".join(["1", "Roma", "_", "NNP", *"_" * 6]) + "\n\n", "NNP.* is not CoNLL-U with universal tags"),
        (None, "give a CoNLL-U file"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(treebank, tmp_path, text, message):
    path = tmp_path / "no.conllu" if text is None else treebank("it", text)
    with pytest.raises(InputError, match=message):
        run(TaggerOptions(treebank=path, language="it", out=tmp_path / "it.npz"))
    assert not (tmp_path / "it.npz").exists()
