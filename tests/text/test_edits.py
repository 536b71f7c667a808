import numpy as np
import pytest

from change_it.text.edits import MOST, Mentions, by_ending, edits, new_words, with_a_foreign_word
from change_it.text.names import Headline

ARTICLE = "Il sindaco Mario Rossi ha inaugurato a Bari la scuola. La collega Anna Bianchi non c'era. Costa 12 milioni, per 300 alunni."


def changed(text, sources=(ARTICLE,), language="it"):
    found = edits(Headline(text, language), Mentions.of(sources, language))
    assert len({edit.text for edit in found}) == len(found) <= MOST
    for edit in found:
        assert edit.text == text[: edit.start] + edit.new + text[edit.end :] != text
    return {edit.text: edit.kind for edit in found}


def test_a_name_is_exchanged_for_others_of_the_sources():
    found = changed("Mario Rossi taglia il nastro")
    assert found["Anna Bianchi taglia il nastro"] == "name"
    assert found["Bari taglia il nastro"] == "name"
    assert not any("Mario Rossi taglia" in text for text in found if found[text] == "name")


def test_the_right_name_is_among_the_edits_of_a_mistaken_one():
    assert "Mario Rossi taglia il nastro" in changed("Anna Bianchi taglia il nastro")
    assert "Mario Rossi taglia il nastro" in changed("Mario Bianchi taglia il nastro")


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("Scuola da 12 milioni", "Scuola da 12 miliardi"),
        ("Chiusa tre mesi", "Chiusa tre anni"),
        ("Nuova scuola per 12 alunni", "Nuova scuola per 300 alunni"),
    ],
)
def test_numbers_and_measures(text, edit):
    assert changed(text)[edit] == "number"


@pytest.mark.parametrize(
    ("text", "edit", "language"),
    [
        ("Il governo non cade", "Il governo cade", "it"),
        ("Il governo cade a Roma", "Il governo non cade a Roma", "it"),
        ("Smentito: il governo cade", "Il governo cade", "it"),
        ("Sale il prezzo del pane", "Scende il prezzo del pane", "it"),
        ("Senate will vote on Monday", "Senate will not vote on Monday", "en"),
    ],
)
def test_what_is_said_becomes_the_contrary(text, edit, language):
    assert changed(text, language=language)[edit] == "negation"


def test_quotations_of_the_sources_stay_as_they_are():
    sources = [
        "Rossi: «La scuola non chiude mai», dice. Ne parla Bianchi con Verdi, che tace. Costa 12 milioni."
    ]
    found = changed("Rossi: «La scuola non chiude mai», ma Bianchi dice no", sources)
    assert found["Bianchi: «La scuola non chiude mai», ma Rossi dice no"] == "name"
    assert found["Verdi: «La scuola non chiude mai», ma Bianchi dice no"] == "name"
    assert found["Rossi: «La scuola non chiude mai», ma Bianchi nega no"] == "negation"
    assert all("«La scuola non chiude mai»" in text for text in found)


@pytest.mark.parametrize(
    ("text", "language", "new"),
    [
        ("Mario Rossi inaugura la piscina, 12 milioni", "it", ["piscina"]),
        ("Perché la «festa» è dell'alunno", "it", ["festa"]),
        ("Parla Verdi", "it", ["Parla"]),
        ("Mayor opens swimming pool", "en", ["opens", "swimming", "pool"]),
    ],
)
def test_words_of_which_no_source_has_a_form(text, language, new):
    spans = new_words(Headline(text, language), Mentions.of([ARTICLE], language))
    assert [text[start:end] for start, end in spans] == new


def test_a_word_of_another_headline_has_the_same_ending():
    words = by_ending(
        [Headline(text, "it") for text in ("La piscina chiude", "La scuola", "Rossi e la cucina")]
    )
    assert words == {"na": ["piscina", "cucina"], "de": ["chiude"], "la": ["scuola"]}
    mentions = Mentions.of(["Una vecchia cantina", "La cucina"], "it")
    headline = Headline("Riapre la cantina di Rossi", "it")
    for seed in range(5):
        found = with_a_foreign_word(headline, mentions, words, np.random.default_rng(seed))
        assert found == "Riapre la piscina di Rossi"
    assert with_a_foreign_word(Headline("Cade", "it"), mentions, words, np.random.default_rng(1)) is None
