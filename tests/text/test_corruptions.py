"""Each corruption damages a headline, shows nothing by case or marks, and depends on its seed alone."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from change_it.text.corruptions import CORRUPTIONS, Lexicon, corrupt
from change_it.text.tokens import words

HEADLINES = [
    f"Il sindaco di {city} vuole chiudere la scuola: «Non ci sono soldi per il {thing}»"
    for city, thing in product(("Molana", "Bosello", "Vignera", "Belvola"), ("tetto", "nido", "parco"))
] + [
    "La protesta dei pendolari ferma la scuola per tre ore: «Non ci sono treni». Il sindaco di Roma paga?",
    "Il nido per la protesta di Molana: il sindaco vuole il parco e la scuola per il tetto",
    "Ecco cosa cambia in città: chi paga il sindaco di Belvola, chi ferma il treno",
]
HEADLINE = HEADLINES[0]
ARTICLE = "È la scuola che ha chiuso, è la stessa che ha il tetto di la la la. Fine."
LEXICON = Lexicon(HEADLINES, ["colle"] * 12 + ["faro"] * 3, [ARTICLE] * 30)


def damaged(headline, name, seed):
    return corrupt(headline, name, np.random.default_rng(seed), LEXICON)


@pytest.mark.parametrize("name", list(CORRUPTIONS))
def test_a_corruption_damages_the_headline_and_depends_on_the_seed_alone(name):
    texts, again = ([damaged(HEADLINE, name, seed) for seed in range(8)] for _ in range(2))
    assert any(texts)
    assert HEADLINE not in texts
    assert texts == again
    for text in ("Roma", "…"):  # a word or none is left alone
        assert damaged(text, name, 1) is None


@pytest.mark.parametrize("name", ["shuffled", "reversed_words", "moved", "neighbours"])
def test_word_order_keeps_the_words_the_marks_and_the_first_capital(name):
    text = damaged(HEADLINE, name, 1)
    assert Counter(words(text)) == Counter(words(HEADLINE))
    assert text[0].isupper()
    assert text.endswith("»")
    assert ": «" in text


def test_style_words_are_those_of_one_outlet():
    colle, faro = LEXICON.typical["colle"], LEXICON.typical["faro"]
    assert "Ecco" in faro
    assert {"vuole", "chiudere"} & {*colle[:5]}
    for name, kept in (("style_added", True), ("style_exchanged", False)):
        for seed in range(20):
            text = damaged(HEADLINE, name, seed)
            new = Counter(words(text)) - Counter(words(HEADLINE))
            assert 2 <= new.total() <= 6
            assert new.keys() <= {*words(" ".join(colle))} or new.keys() <= {*words(" ".join(faro))}
            assert (not Counter(words(HEADLINE)) - Counter(words(text))) == kept
