"""Families of damage: each breaks a headline, gives nothing away by case or marks, and depends on its seed alone."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from change_it.text.damage import FAMILIES, damage
from change_it.text.material import Material
from change_it.text.tokens import words

HEADLINES = [
    f"Il sindaco di {city} vuole chiudere la scuola: «Non ci sono soldi per il {thing}»"
    for city in ("Molana", "Bosello", "Vignera", "Belvola", "Fontuno", "Trevate")
    for thing in ("tetto", "nido", "parco", "teatro")
] + [
    "La protesta dei pendolari ferma la scuola per tre ore: «Non ci sono treni». Il sindaco di Roma paga?",
    "Il nido per la protesta di Molana: il sindaco vuole il parco e la scuola per il tetto",
    "La città di Belvola vuole il treno per la protesta dei soldi: chi paga il sindaco?",
]
HEADLINE = HEADLINES[0]
ARTICLE = "Sì. Ieri a Molana la scuola ha chiuso. Il sindaco ne aveva parlato lunedì in consiglio. Ora il te"
TAGS = dict.fromkeys(["il", "la"], "DET") | dict.fromkeys(["di", "per"], "ADP")


@pytest.fixture(scope="module")
def material() -> Material:
    def tag(words):
        return [TAGS.get(word.lower(), "PROPN" if word[0].isupper() else "NOUN") for word in words]

    return Material(
        HEADLINES,
        "it",
        ["Il nidi la scuole il tetti"],
        tag,
        {HEADLINE: ARTICLE},
    )


def broken(name: str, material: Material, headline: str = HEADLINE, seed: int = 1) -> str:
    text = damage(headline, name, np.random.default_rng(seed), material)
    assert text is not None
    return text


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_breaks_the_headline_and_depends_on_the_seed_alone(name, material):
    texts = [damage(HEADLINE, name, np.random.default_rng(seed), material) for seed in range(8)]
    assert any(texts)
    assert HEADLINE not in texts
    assert texts == [damage(HEADLINE, name, np.random.default_rng(seed), material) for seed in range(8)]


@pytest.mark.parametrize("name", ["shuffled", "reversed_words", "moved", "neighbours"])
def test_word_order_keeps_the_words_the_marks_and_the_first_capital(name, material):
    text = broken(name, material)
    assert Counter(words(text)) == Counter(words(HEADLINE))
    assert text[0].isupper()
    assert text.endswith("»")
    assert ": «" in text
    assert " il " in f" {text} "  # the first word has lost its capital


def test_agreement_takes_forms_that_exist(material):
    found = {broken("agreement", material, seed=seed) for seed in range(30)}
    changed = {word for text in found for word in words(text)} - set(words(HEADLINE))
    assert changed
    assert changed <= {"la", "una", "i", "gli", "il", "lo", "nidi", "scuole", "tetti", "è", "vogliono"}


def test_marks_without_their_other_half_are_dropped(material):
    for seed in range(20):
        for name in ("cut_end", "spliced", "looped"):
            text = broken(name, material, seed=seed)
            assert text.count("«") == text.count("»")


def test_a_sentence_is_one_of_the_headlines_own_article_that_is_whole(material):
    found = {broken("sentence", material, seed=seed) for seed in range(40)}
    own = ("Ieri a Molana la scuola ha chiuso", "Il sindaco ne aveva parlato lunedì in consiglio")
    assert found == {*own, *(f"{text}." for text in own)}
    assert damage(HEADLINES[1], "sentence", np.random.default_rng(1), material) is None


def test_splices_meet_where_a_word_must_go_on_or_where_no_text_has_the_two_side_by_side(material):
    known = {pair for text in HEADLINES for pair in pairwise(words(text.lower()))}
    texts = [damage(HEADLINE, "spliced", np.random.default_rng(seed), material) for seed in range(40)]
    texts = [words(text.lower()) for text in texts if text]
    assert len(texts) > 30
    for text in texts:
        own = zip(text, words(HEADLINE.lower()), strict=False)
        count = next(place for place, two in enumerate(own) if len(set(two)) > 1)
        meet = text[count - 1], text[count]
        assert material.dangles(*meet) or meet not in known
