import pytest

from change_it.hevas.names import Casing, Headline, inflections

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
        ("Arriva l'M5S al G20", ["M5S", "G20"]),
    ],
)
def test_capitals_inside_an_italian_sentence_are_names(text, expected):
    assert names(text) == expected


def test_the_first_word_is_a_name_only_with_more_evidence_than_its_capital():
    assert names("Fiori per il governo", casing=CASING) == []
    assert names("Crolla tutto: Fiori ovunque", casing=CASING) == []
    assert names("Roma nel caos", casing=CASING) == ["Roma"]
    assert names("Mario Draghi lascia") == ["Mario", "Draghi"]


@pytest.mark.parametrize("text", ["il sindaco parla di roma", "IL SINDACO PARLA DI ROMA"])
def test_the_corpus_knows_names_without_or_among_capitals(text):
    assert [name.lower() for name in names(text, casing=CASING)] == ["roma"]


def test_title_case_needs_more_than_a_capital():
    casing = Casing.from_texts(
        ["The mayor smirks when the party crumbles as Trump meets Trump and sees Trump."]
    )
    assert names("Trump Smirks When Party Crumbles", "en", casing) == ["Trump"]


def test_words_in_small_letters_that_only_headlines_have_are_no_names():
    assert names("crolla la tangenziale", casing=CASING) == []


def test_an_address_has_no_names():
    assert names("Ecco la prova: http://Example.com/Roma", casing=CASING) == []


def test_first_names_of_a_surname():
    assert CASING.is_first_name("donata", "tromba")
    assert not CASING.is_first_name("ivana", "tromba")


def test_a_language_without_a_tagger_has_the_capitals_inside_a_sentence():
    assert names("Gestern sprach Merkel in Berlin", "xx") == ["Merkel", "Berlin"]


def test_share_of_capitals_and_other_forms():
    casing = Casing.from_texts(["Il sindaco di Roma parla, Roma tace.", "Tutti a roma"])
    assert [casing.share(word) for word in ("roma", "sindaco", "zagarolo")] == [2 / 3, 0, None]
    assert inflections("smirks", "en") & {"smirk", "smirking", "smirks"} == {"smirk", "smirking"}


def test_a_text_of_other_words_is_foreign():
    casing = Casing.from_texts(["Il ponte sulla statale crolla ieri, fermi i treni."])
    assert casing.known_share("Ieri il ponte crolla a Roma", "it") == 1
    assert casing.known_share("Il ponte balla", "it") == 0.5
    assert not casing.is_foreign("Crolla il ponte", "it")
    assert casing.is_foreign("Il ponte balla", "it")
    assert casing.known_share("Roma 2021", "it") == 1
