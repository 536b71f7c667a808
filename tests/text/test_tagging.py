import random
import sys

import numpy as np
import pytest

from change_it.errors import InputError
from change_it.text.tagging import (
    CLOSED,
    TAGS,
    PerceptronTagger,
    forms,
    languages,
    load_tagger,
    sentence_case,
    tag_features,
    tokens,
    word_features,
)

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


@pytest.mark.parametrize("case", [str.lower, str.upper, lambda word: word[0].upper() + word[1:]])
@pytest.mark.parametrize(
    ("language", "text", "nouns"),
    [
        ("it", "Il governo di Roma approva la legge sul lavoro delle donne", {"governo", "legge", "lavoro", "donne"}),
        ("en", "The government of China says the people want new schools", {"government", "people", "schools"}),
    ],
)  # fmt: skip
def test_typography_does_not_make_every_word_a_name(language, text, nouns, case):
    words = [case(word) for word in text.split()]
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


def test_the_weights_are_small_and_their_licence_is_named():
    from change_it.text.tagging import WEIGHTS

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


@pytest.mark.parametrize(
    ("content", "case"),
    [
        ("Roma Vince Oggi", "title"),
        ("Roma Vince", "sentence"),
        ("Roma Ama Due Re", "sentence"),  # words of three letters do not count
        (" ".join(["Roma"] * 9 + ["vince"]), "title"),
        (" ".join(["Roma"] * 8 + ["vince"] * 2), "sentence"),
        ("ROMA VINCE", "upper"),
        ("ROMA VINCE oggi", "sentence"),
    ],
)
def test_a_title_has_three_capitals_and_nine_in_ten(content, case):
    assert sentence_case(content.split(), "it") == case


def test_forms_have_one_kind_of_quotes_and_digits():
    assert forms(["«", "Nel", "1962", "»"]) == ['"', "nel", "0000", '"']


# --- features: their names are those in the files of weights


def test_features_of_a_word_and_its_neighbours():
    rows = word_features(["Dal", "1998", "Roma-Lazio", ":", "vincono"], "it")
    assert rows[2] == [
        *("b", "wroma-lazio", "1o", "2io", "3zio", "4azio", "5lazio", "pr", "qro", "rrom", "ssX-0", "SsX-io"),
        *("zsX- s0", "ysX- sPo", "l0000", "mdal", "n:", "ovincono", "L000", "N:", "M: io"),
        *("k0000 roma-lazio", "jroma-lazio :"),
    ]
    assert [row[10] for row in rows] == ["ssXx1", "ss00", "ssX-0", "ssPo0", "ssx1"]
    assert [row[14:18] for row in (rows[0], rows[-1])] == [
        ["l<s1>", "m<s2>", "n0000", "oroma-lazio"],
        ["l:", "mroma-lazio", "n</s1>", "o</s2>"],
    ]
    assert [rows[0][12], rows[-1][13]] == ["zsXx <s>", "ysx </s>"]
    assert tag_features("vincono", "oggi", "NOUN", "DET") == (
        "tNOUN",
        "uNOUN DET",
        "vNOUN vincono",
        "TNOUN ono",
        "xNOUN oggi",
    )


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        *(
            ("roma", "x"),
            ("dell'", "x"),
            ("È", "X"),
            ("L'", "X"),
            ("ROMA", "XX"),
            ("DELL’", "XX"),
            ("Roma", "Xx"),
        ),
        *(("iPhone", "xX"), ("McCain", "xX"), ("2016", "0"), ("9:30", "0"), ("M5S", "0a"), ("80s", "0a")),
        *(
            ("co-founder", "x-"),
            ("Nord-ovest", "X-"),
            ("U.S.", "X."),
            ("p.m.", "x."),
            ("«", "Pi"),
            ("€", "Sc"),
            ("", "none"),
        ),
    ],
)
def test_shapes_of_words(word, shape):
    assert word_features([word], "it")[0][10][2:-1] == shape


@pytest.mark.parametrize(
    ("word", "order", "expected"),
    [
        ("codesto", "DET PRON VERB", "PRON"),  # in the treebank
        ("il", "DET PRON VERB", "DET"),  # a stop word
        ("il", "PUNCT PRON VERB", "VERB"),
        ("zorla", "DET PRON SYM VERB", "SYM"),
        ("zorla", "NOUN DET", "NOUN"),
        ("…", "DET NOUN PUNCT SYM", "PUNCT"),
        ("…", "DET NOUN SYM PUNCT", "SYM"),
        ("§", "DET NOUN PUNCT SYM", "NOUN"),  # in the treebank
    ],
)
def test_a_word_gets_the_first_tag_that_it_may_have(word, order, expected):
    scores = {tag: len(TAGS) - place for place, tag in enumerate(order.split())}
    weights = np.array([[scores.get(tag, 0) for tag in TAGS]], np.int32)
    tagger = PerceptronTagger("it", {"b": 0}, weights, ["codesto PRON", "§ NOUN"])
    assert tagger.tag([word]) == [expected]


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
