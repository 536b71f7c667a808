from collections import Counter

import pytest

from change_it.text.names import Casing, Headline

CASING = Casing.from_texts(
    [
        "Il sindaco di Roma incontra il signor Rossi, poi Rossi torna a Roma. La casa di Rossi è a Roma.",
        "Il presidente parla di Milano e poi va a Milano, come Milano vuole. I fiori del governo sono rossi.",
        "In aula Donata Tromba parla; vota Donata Tromba; poi Donata Tromba tace, e Ivana Tromba vota.",
    ],
    ["crolla il ponte sulla tangenziale"],
)


def names(text, language="it", casing=None):
    headline = Headline(text, language)
    return [headline.pieces[index].text for index in headline.names(casing)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Il premier vola a Washington", ["Washington"]),
        ("D'Alema sfida l'Inter e il Pd", ["Alema", "Inter", "Pd"]),
        ("Sale la tensione sul Mes: «Vogliamo risposte»", ["Mes"]),
    ],
)
def test_capitals_inside_an_italian_sentence_are_names(text, expected):
    assert names(text) == expected


def test_the_first_word_is_a_name_only_with_more_evidence_than_its_capital():
    assert names("Fiori per il governo", casing=CASING) == []
    assert names("Crolla tutto: Fiori ovunque", casing=CASING) == []
    assert names("Roma nel caos", casing=CASING) == ["Roma"]
    assert names("Mario Draghi lascia") == ["Mario", "Draghi"]


def test_names_and_numbers_are_masked_where_they_stand():
    text = "Roma, l'Inter vola: «Due fiori» e 3.500 tifosi, uno ferito"
    assert Headline(text, "it").masked(CASING) == "_, l'_ vola: «_ fiori» e _ tifosi, uno ferito"
    assert Headline("Donata Tromba incontra Rossi a Roma", "it").masked(CASING) == "_ incontra _ a _"
    assert Headline("", "it").masked(CASING) == ""


@pytest.mark.parametrize("text", ["il sindaco parla di roma", "IL SINDACO PARLA DI ROMA"])
def test_the_corpus_knows_names_without_or_among_capitals(text):
    assert [name.lower() for name in names(text, casing=CASING)] == ["roma"]


@pytest.mark.parametrize(
    ("text", "lower", "upper", "is_name"),
    [
        # In lower case: nearly always a capital, three times at least; half the time where nothing has a capital.
        ("Ecco la zorla", 1, 19, True),
        ("Ecco la zorla", 1, 18, False),
        ("Ecco la zorla", 0, 3, True),
        ("Ecco la zorla", 0, 2, False),
        ("ecco la zorla", 3, 3, True),
        ("ecco la zorla", 4, 3, False),
        ("ecco la zorla", 0, 2, False),
        # With a capital inside a sentence: one time in ten; elsewhere four in five, or half where the tagger allows it.
        ("Ecco la Zorla", 9, 1, True),
        ("Ecco la Zorla", 10, 1, False),
        ("Zorla ecco la", 3, 3, True),
        ("Zorla ecco la", 4, 3, False),
        ("ECCO LA ZORLA", 3, 3, True),
        ("ECCO LA ZORLA", 4, 3, False),
    ],
)
def test_the_corpus_decides_by_the_share_of_capitals(text, lower, upper, is_name):
    casing = Casing(Counter(zorla=lower), Counter(zorla=upper))
    headline = Headline(text, "xx")
    assert headline.is_name(headline.keys.index("zorla"), casing) == is_name


@pytest.mark.parametrize(
    ("lower", "upper", "firsts", "is_first_name"),
    [
        (1, 9, {"donata": 3, "ivana": 2}, True),
        (1, 9, {"donata": 3, "ivana": 3}, False),
        (1, 9, {"donata": 2}, False),
        (1, 9, {"ivana": 3}, False),
        (2, 9, {"donata": 3, "ivana": 2}, False),
        (0, 0, {"donata": 3, "ivana": 2}, False),
    ],
)
def test_a_first_name_is_that_of_most_bearers(lower, upper, firsts, is_first_name):
    casing = Casing(Counter(tromba=lower), Counter(tromba=upper), {"tromba": Counter(firsts)})
    assert casing.is_first_name("donata", "tromba") == is_first_name
    assert not casing.is_first_name("donata", "rossi")


def test_casing_is_saved_and_loaded(tmp_path):
    CASING.save(tmp_path)
    assert Casing.load(tmp_path) == CASING
    assert CASING.full["tromba"] == {"donata": 3, "ivana": 1}
    assert Casing.load(tmp_path / "nowhere") is None


def test_a_text_is_foreign_below_a_share_of_known_words():
    letters = "abcdefghijklmnopqrstuvwxy"
    casing = Casing(Counter({letter * 5: 1 for letter in letters[:23]}))
    text = " ".join(letter * 5 for letter in letters)
    assert casing.known_share(text, "xx") == 0.92
    assert not casing.is_foreign(text, "xx")
    assert casing.is_foreign(text + " zzzzz", "xx")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Parla il dott. Rossi", "it", ["Rossi"]),
        ("Il 51ENNE Rossi", "it", ["Rossi"]),
        ("Canta I'LL SEE", "xx", ["SEE"]),
        ("Ecco la «é»", "it", []),
        ("Ecco la 漢字", "it", ["漢字"]),
        ("Ecco la 漢字", "xx", []),
        ("Vince Rossi Bianchi Verdi Neri", "it", ["Rossi", "Bianchi", "Verdi", "Neri"]),
    ],
)
def test_names_by_their_writing(text, language, expected):
    assert names(text, language) == expected
