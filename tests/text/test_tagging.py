import random

import pytest

from change_it.text.tagging import CLOSED, TAGS, load_tagger, tokens


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "it",
            "Dell’amore e un po' d'aria negli anni '80: 5%",
            "Dell’ amore e un po' d' aria negli anni '80 : 5 %",
        ),
        (
            "it",
            "Nord-ovest: 1.500 euro alle 9:30... È l'U.E.!",
            "Nord-ovest : 1.500 euro alle 9:30 ... È l' U.E. !",
        ),
        ("en", "Don't, can't, won’t", "Do n't , ca n't , wo n’t"),
        ("en", "They're O'Neill's and the players' 1960s", "They 're O'Neill 's and the players ' 1960s"),
        ("en", "Mr. Smith, U.S. co-founder: $3bn", "Mr. Smith , U.S. co-founder : $ 3bn"),
    ],
)
def test_tokens_are_those_of_the_treebanks(language, text, expected):
    assert tokens(text, language) == expected.split()


@pytest.mark.parametrize("language", ["it", "en", "fr"])
def test_no_letter_of_any_text_is_lost(language):
    draw = random.Random(5)
    alphabet = "abcàéLM'’\"«»-–.,:;!?% \t_@#09/€мир漢\U0001f600"
    for _ in range(500):
        text = "".join(draw.choices(alphabet, k=draw.randint(0, 30)))
        assert "".join(tokens(text, language)) == "".join(text.split())


@pytest.mark.parametrize(
    ("language", "text", "nouns"),
    [
        (
            "it",
            "Il governo di Roma approva la legge sul lavoro delle donne",
            {"governo", "legge", "lavoro", "donne"},
        ),
        (
            "en",
            "The government of China says the people want new schools",
            {"government", "people", "schools"},
        ),
    ],
)
def test_typography_does_not_make_every_word_a_name(language, text, nouns):
    for case in (str.lower, str.upper, lambda word: word[0].upper() + word[1:]):
        words = [case(word) for word in text.split()]
        tagged = list(zip(map(str.lower, words), load_tagger(language).tag(words), strict=True))
        assert {word for word, tag in tagged if tag == "NOUN"} == nouns
        assert [word for word, tag in tagged if tag == "PROPN"] == ["roma" if language == "it" else "china"]


@pytest.mark.parametrize("language", ["it", "en"])
def test_any_words_get_as_many_tags_and_unknown_ones_no_function_word_tag(language):
    tagger, draw = load_tagger(language), random.Random(7)
    for count in range(60):
        words = ["".join(draw.choices("qwzxyk漢", k=draw.randint(4, 9))) for _ in range(count % 9)]
        tags = tagger.tag(words)
        assert len(tags) == len(words)
        assert {*tags} <= {*TAGS} - {*CLOSED}
    assert {*tagger.tag(["", "►", "†"])[1:]} <= {"PUNCT", "SYM"}
