import json
import random
import subprocess
import sys

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.hevas.perceptron import CLOSED, TAGS, sentence_case
from change_it.hevas.tagging import languages, load_tagger, tokens
from change_it.hevas.train_tagger import (
    TaggerOptions,
    cross_validate,
    read_conllu,
    read_treebank,
    recase,
    run,
    train,
)

SUBJECTS = {"it": ["Rossi", "Bianchi", "Verdi", "Milano"], "en": ["Smith", "Jones", "Boston", "Baker"]}
#: (articulated preposition or None, article, noun, verb) in the two languages' word order.
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
        rows = [(subject, "PROPN"), (verb, "VERB")]
        if language == "it":
            rows += [
                ("il", "DET"),
                (one, "NOUN"),
                ("di", "ADP"),
                ("il", "DET"),
                (other, "NOUN"),
                (".", "PUNCT"),
            ]
        else:
            rows += [
                ("the", "DET"),
                (one, "NOUN"),
                ("of", "ADP"),
                ("the", "DET"),
                (other, "NOUN"),
                (".", "PUNCT"),
            ]
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


# --- tokens


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("it", "Dell’amore e d'altro", ["Dell’", "amore", "e", "d'", "altro"]),
        ("it", "un po' d'aria negli anni '80: 5%", ["un", "po'", "d'", "aria", "negli", "anni", "'80", ":", "5", "%"]),
        ("it", "'Basta tasse' dice", ["'", "Basta", "tasse", "'", "dice"]),
        ("it", "Nord-ovest: 1.500 euro alle 9:30...", ["Nord-ovest", ":", "1.500", "euro", "alle", "9:30", "..."]),
        ("it", "Perché così? È l'U.E.!", ["Perché", "così", "?", "È", "l'", "U.E.", "!"]),
        ("it", "M5S, il voto #oggi @roma", ["M5S", ",", "il", "voto", "#oggi", "@roma"]),
        ("en", "Don't, can't, won’t", ["Do", "n't", ",", "ca", "n't", ",", "wo", "n’t"]),
        ("en", "They're O'Neill's and the players' 1960s", ["They", "'re", "O'Neill", "'s", "and", "the", "players", "'", "1960s"]),
        ("en", "DON'T CANNOT IT'S", ["DO", "N'T", "CAN", "NOT", "IT", "'S"]),
        ("en", "Mr. Smith, U.S. co-founder: $3bn", ["Mr.", "Smith", ",", "U.S.", "co-founder", ":", "$", "3bn"]),
        ("en", "", []),
    ],
)  # fmt: skip
def test_tokens_are_those_of_the_treebanks(language, text, expected):
    assert tokens(text, language) == expected


@pytest.mark.parametrize("language", ["it", "en", "fr"])
def test_no_letter_of_any_text_is_lost(language):
    draw = random.Random(5)
    alphabet = "abcàéLM'’\"«»-–.,:;!?% \t_@#09/€мир漢\U0001f600"
    for _ in range(500):
        text = "".join(draw.choices(alphabet, k=draw.randint(0, 30)))
        assert "".join(tokens(text, language)) == "".join(text.split())


# --- the package's own taggers


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "it",
            "Il presidente della Repubblica ha parlato a Milano.",
            "DET NOUN ADP PROPN AUX VERB ADP PROPN PUNCT",
        ),
        ("it", "Non lo ha detto il sindaco", "ADV PRON AUX VERB DET NOUN"),
        ("en", "The mayor of London has not said it.", "DET NOUN ADP PROPN AUX PART VERB PRON PUNCT"),
        ("en", "Boston's mayor doesn't know them", "PROPN PART NOUN AUX PART VERB PRON"),
    ],
)
def test_plain_sentences(language, text, expected):
    assert load_tagger(language).tag(tokens(text, language)) == expected.split()


@pytest.mark.parametrize("case", ["lower", "title", "upper"])
@pytest.mark.parametrize(
    ("language", "text", "nouns"),
    [
        ("it", "Il governo di Roma approva la legge sul lavoro delle donne", {"governo", "legge", "lavoro", "donne"}),
        ("en", "The government of China says the people want new schools", {"government", "people", "schools"}),
    ],
)  # fmt: skip
def test_typography_does_not_make_every_word_a_name(language, text, nouns, case):
    words = recase(text.split(), case, random.Random(1))
    tags = load_tagger(language).tag(words)
    assert {word.lower() for word, tag in zip(words, tags, strict=True) if tag == "NOUN"} == nouns
    assert [word.lower() for word, tag in zip(words, tags, strict=True) if tag == "PROPN"] == [
        "roma" if language == "it" else "china"
    ]


@pytest.mark.parametrize("language", ["it", "en"])
def test_any_words_get_as_many_tags_and_unknown_ones_no_function_word_tag(language):
    tagger = load_tagger(language)
    draw = random.Random(7)
    for _ in range(200):
        words = ["".join(draw.choices("qwzxyk漢", k=draw.randint(4, 9))) for _ in range(draw.randint(1, 8))]
        tags = tagger.tag(words)
        assert len(tags) == len(words)
        assert not set(tags) & set(CLOSED)
        assert set(tags) <= set(TAGS)
    assert tagger.tag([]) == []
    assert tagger.tag(["", "►", "†"])[1:] in (
        ["PUNCT", "PUNCT"],
        ["SYM", "SYM"],
        ["PUNCT", "SYM"],
        ["SYM", "PUNCT"],
    )


def test_the_weights_are_small_and_their_licence_is_told():
    from change_it.hevas.tagging import WEIGHTS

    assert languages() == ["en", "it"]
    for language in languages():
        assert (WEIGHTS / f"{language}.npz").stat().st_size < 2_000_000


def test_unknown_language_names_those_that_exist():
    with pytest.raises(InputError, match=r"'fr'.*en, it.*spacy:"):
        load_tagger("fr")


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("roma vince ancora", "lower"),
        ("2016: …", "lower"),
        ("ROMA VINCE 3 A 1", "upper"),
        ("ROMA", "sentence"),
        ("Roma vince, Milano perde", "sentence"),
        ("Sindaco Lascia Il Comune Di Roma", "title"),
    ],
)
def test_case_of_a_sentence(text, case):
    assert sentence_case(text.split(), "it") == case


# --- spaCy


def test_a_spacy_pipeline_that_is_not_there_is_an_input_error():
    with pytest.raises(InputError, match=r"spaCy"):
        load_tagger("spacy:xx_no_such_pipeline")


def test_spacy_missing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(InputError, match="pip install spacy"):
        load_tagger("spacy:missing_without_spacy")


def test_a_spacy_pipeline_keeps_the_words(tmp_path):
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    pipeline = spacy.blank("it")
    pipeline.add_pipe("morphologizer")
    words, tags = ["l'", "Italia", "vince"], ["DET", "PROPN", "VERB"]
    doc = spacy.tokens.Doc(pipeline.vocab, words=words)
    examples = [Example.from_dict(doc, {"words": words, "pos": tags})]
    optimizer = pipeline.initialize(lambda: examples)
    for _ in range(60):
        pipeline.update(examples, sgd=optimizer)
    pipeline.to_disk(tmp_path / "tagger")
    assert load_tagger(f"spacy:{tmp_path / 'tagger'}").tag(words) == tags
    spacy.blank("it").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="no part-of-speech tagger"):
        load_tagger(f"spacy:{tmp_path / 'blank'}")


# --- training


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
    from change_it.hevas.perceptron import PerceptronTagger

    sentences = [versions[0] for versions in read_treebank(treebank("it"), "it")]
    trained = train(sentences, "it", epochs=2)
    trained.save(tmp_path / "it.npz")
    loaded = PerceptronTagger.load(tmp_path / "it.npz", "it")
    assert loaded.closed == trained.closed
    assert np.array_equal(loaded.weights, trained.weights)
    assert [path.name for path in tmp_path.glob("*.npz")] == ["it.npz"]
    for words, _ in sentences[:20]:
        assert loaded.tag(words) == trained.tag(words)


def test_cross_validation_prints_json(treebank, capsys):
    run(TaggerOptions(treebank=treebank("en"), language="en", folds=2, epochs=2))
    told = json.loads(capsys.readouterr().out)
    assert told["sentences"] == 80
    assert set(told["text"]) == {"accuracy", "f1_PROPN", "f1_NOUN", "f1_PRON"}


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
    command = [sys.executable, "-m", "change_it.hevas.train_tagger", str(tmp_path / "no.conllu")]
    done = subprocess.run(
        [*command, "--language", "it", "--out", str(tmp_path / "it.npz")], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("change-it: ")
    assert "give a CoNLL-U file" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_needs_neither_torch_nor_spacy():
    code = (
        "import sys; import change_it.hevas.readability as r; r.readability(['Roma vince'], 'it'); "
        "assert not {'torch', 'spacy', 'transformers'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
