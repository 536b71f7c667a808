"""Corruptions: each breaks a headline, gives nothing away by case or marks, and depends on its seed alone."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from change_it.text.corruptions import CORRUPTIONS, corrupt
from change_it.text.lexicon import Lexicon
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
def lexicon() -> Lexicon:
    def tag(words):
        return [TAGS.get(word.lower(), "PROPN" if word[0].isupper() else "NOUN") for word in words]

    return Lexicon(HEADLINES, "it", ["Il nidi la scuole il tetti"], tag, {HEADLINE: ARTICLE})


def broken(name: str, lexicon: Lexicon, headline: str = HEADLINE, seed: int = 1) -> str:
    text = corrupt(headline, name, np.random.default_rng(seed), lexicon)
    assert text is not None
    return text


@pytest.mark.parametrize("name", list(CORRUPTIONS))
def test_a_corruption_breaks_the_headline_and_depends_on_the_seed_alone(name, lexicon):
    texts = [corrupt(HEADLINE, name, np.random.default_rng(seed), lexicon) for seed in range(8)]
    assert any(texts)
    assert HEADLINE not in texts
    assert texts == [corrupt(HEADLINE, name, np.random.default_rng(seed), lexicon) for seed in range(8)]


@pytest.mark.parametrize("name", ["shuffled", "reversed_words", "moved", "neighbours"])
def test_word_order_keeps_the_words_the_marks_and_the_first_capital(name, lexicon):
    text = broken(name, lexicon)
    assert Counter(words(text)) == Counter(words(HEADLINE))
    assert text[0].isupper()
    assert text.endswith("»")
    assert ": «" in text
    assert " il " in f" {text} "  # the first word has lost its capital


def test_agreement_takes_forms_that_exist(lexicon):
    found = {broken("agreement", lexicon, seed=seed) for seed in range(30)}
    changed = {word for text in found for word in words(text)} - set(words(HEADLINE))
    assert changed
    assert changed <= {"la", "una", "i", "gli", "il", "lo", "nidi", "scuole", "tetti", "è", "vogliono"}


def test_marks_without_their_other_half_are_dropped(lexicon):
    for seed in range(20):
        for name in ("cut_end", "spliced", "looped"):
            text = broken(name, lexicon, seed=seed)
            assert text.count("«") == text.count("»")


def test_a_sentence_is_one_of_the_headlines_own_article_that_is_whole(lexicon):
    found = {broken("sentence", lexicon, seed=seed) for seed in range(40)}
    own = ("Ieri a Molana la scuola ha chiuso", "Il sindaco ne aveva parlato lunedì in consiglio")
    assert found == {*own, *(f"{text}." for text in own)}
    assert corrupt(HEADLINES[1], "sentence", np.random.default_rng(1), lexicon) is None


def test_splices_meet_where_a_word_must_go_on_or_where_no_text_has_the_two_side_by_side(lexicon):
    known = {pair for text in HEADLINES for pair in pairwise(words(text.lower()))}
    texts = [corrupt(HEADLINE, "spliced", np.random.default_rng(seed), lexicon) for seed in range(40)]
    texts = [words(text.lower()) for text in texts if text]
    assert len(texts) > 30
    for text in texts:
        own = zip(text, words(HEADLINE.lower()), strict=False)
        count = next(place for place, two in enumerate(own) if len(set(two)) > 1)
        meet = text[count - 1], text[count]
        assert lexicon.dangles(*meet) or meet not in known
