from dataclasses import replace
from inspect import getsource

import pytest

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import CLAIMS, PERTURBATIONS, perturbed
from change_it.corpus import negatives
from change_it.judges.fluency_data import HELD_OUT
from change_it.text.corruptions import CORRUPTIONS
from change_it.text.spans import name_runs


@pytest.fixture(scope="module")
def sample(corpus):
    return read_corpus(corpus)


def made(sample, name, at_most=40):
    items = sample.test.items
    found = perturbed(items, PERTURBATIONS[name], sample, seed=1, at_most=at_most)
    return [(items[place], text) for place, text in found]


#: The changes of facts that HH and AH learn from.
CHANGES = ("swap_numbers", "swap_names", "swap_roles", "negate")


def test_a_kind_is_seen_where_judges_are_trained_on_what_makes_it():
    trained = {*CORRUPTIONS, *CHANGES}.difference(HELD_OUT)
    assert {kind.seen for kind in PERTURBATIONS.values()} - {""} <= trained
    assert all(f"partial({change}, " in getsource(negatives.contradict) for change in CHANGES)
    for kind in PERTURBATIONS.values():  # what calls a function of the training names it
        called = {
            name
            for name in trained
            if f"{name}(" in getsource(kind.make) or f'"{name}"' in getsource(kind.make)
        }
        assert called <= {kind.seen}, kind.name


@pytest.mark.parametrize("name", [name for name in PERTURBATIONS if name != "names_swapped"])
def test_every_kind_makes_headlines_and_the_same_ones_again(sample, name):
    found = made(sample, name)

    assert found
    assert all(text.strip() for _, text in found)
    assert found[:10] == made(sample, name, at_most=10)
    assert all(text not in (item.source, item.reference) for item, text in found)
    assert PERTURBATIONS[name].description.endswith(".")


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("capitals", {"source": "Cade"}, "CADE"),
        ("capitals", {"source": "CADE"}, None),
        ("half_and_half", {"source": "Uno due tre quattro", "reference": "A b c d e"}, "Uno due c d e"),
        ("names_swapped", {"reference": "Ieri Rossi batte Verdi"}, "Ieri Verdi batte Rossi"),
        ("number_mistaken", {"reference": "In 12 a casa", "article": "Sono 12, non 120 o 30."}, "In 30 a casa"),
        ("number_mistaken", {"reference": "In 12 a casa", "article": "Sono 12 di 120."}, None),
        ("name_mistaken", {"reference": "Oggi parla Rossi", "article": "Arriva subito Verdi, parla Verdi con Neri."}, "Oggi parla Verdi"),
        ("name_mistaken", {"reference": "Oggi parla Rossi", "article": "Arriva subito Rossi, parla Rossi con Neri."}, None),
        ("first_sentence", {"article": "Crolla il ponte. Nessun ferito."}, "Crolla il ponte."),
    ],
)  # fmt: skip
def test_what_is_done_to_a_headline(sample, name, texts, expected):
    item = replace(sample.test.items[0], **texts)
    found = perturbed([item], PERTURBATIONS[name], sample, seed=1, at_most=1)
    assert [text for _, text in found] == [expected] * (expected is not None)


def test_names_of_the_original_stand_in_another_headline(sample):
    for item, text in made(sample, "names_spliced_in", at_most=10):
        assert any(item.source[start:end] in text for start, end in name_runs(item.source))


@pytest.mark.parametrize("name", ["style_words_added", "style_words_exchanged"])
def test_style_words_are_those_of_the_outlet_aimed_at(sample, name):
    typical = {outlet: {*words} for outlet, words in sample.lexicon.typical.items()}
    a, b = typical
    for item, text in made(sample, name, at_most=20):
        other = a if item.target == b else b
        new = {*text.split()} - {*item.source.split()}
        assert len(new & typical[item.target]) >= len(new & typical[other])
        assert new & {word for one in typical[item.target] for word in (one, one.capitalize(), one.lower())}


def test_a_claim_of_which_no_text_says_anything_is_added(sample):
    for item, text in made(sample, "claim_added", at_most=10):
        assert text in [claim.format(item.reference.rstrip(" .…?!")) for claim in CLAIMS["it"]]
    item = replace(sample.test.items[0], article=" ".join(CLAIMS["it"]))
    assert perturbed([item], PERTURBATIONS["claim_added"], sample, seed=1, at_most=1) == []
