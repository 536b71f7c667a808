from dataclasses import replace
from inspect import getsource

import pytest

from change_it.audit.measure import read_corpus
from change_it.audit.perturbations import ADDED, INVENTED, JUDGES, PERTURBATIONS, perturbed
from change_it.judges import negatives
from change_it.judges.fluency_data import HELD_OUT
from change_it.text import tokens
from change_it.text.corruptions import CORRUPTIONS
from change_it.text.typography import Typography, plain


@pytest.fixture(scope="module")
def sample(corpus):
    return read_corpus(corpus)


def made(sample, name, at_most=40):
    items = sample.test.items
    found = perturbed(items, PERTURBATIONS[name], sample, seed=1, at_most=at_most)
    return [(items[place], text) for place, text in found]


def test_at_most_24_systems_spread_over_all_criteria_most_of_them_unlike_what_judges_learn_from():
    systems = PERTURBATIONS.values()
    assert len(systems) <= 24
    assert {system.breaks[0] for system in systems} == set(JUDGES)
    assert all(system.description.endswith(".") for system in systems)
    assert 2 * sum(not system.trained for system in systems) >= len(systems)


#: The changes of facts that HH and AH learn from.
CHANGES = ("swap_numbers", "swap_names", "swap_roles", "negate")


def test_what_a_system_names_is_what_a_judge_learns_from():
    """Fluency's corruptions, negatives of HH and AH, main's headlines set alike."""
    learnt = {*CORRUPTIONS, *CHANGES, plain.__name__}.difference(HELD_OUT)
    assert {system.trained for system in PERTURBATIONS.values()} - {""} <= learnt
    assert all(f"partial({change}, " in getsource(negatives.contradict) for change in CHANGES)


@pytest.mark.parametrize("name", [name for name in PERTURBATIONS if name != "roles_swapped"])
def test_every_system_makes_headlines_and_the_same_ones_again(sample, name):
    found = made(sample, name)

    assert found
    assert all(text.strip() for _, text in found)
    assert found[:10] == made(sample, name, at_most=10)
    assert all(text != item.source for item, text in found)
    assert all(text != item.reference for item, text in found)


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("capitals", {"source": "Cade"}, "CADE"),
        ("capitals", {"source": "CADE"}, None),
        ("half_and_half", {"source": "Uno due tre quattro", "reference": "A b c d e"}, "Uno due c d e"),
        ("contrary", {"reference": "Apre la mostra del pane"}, "Chiude la mostra del pane"),
        ("numbers_mistaken", {"reference": "Due feriti", "article": "Due feriti e sette persi."}, "Sette feriti"),
        ("numbers_mistaken", {"reference": "Due feriti", "article": "Due feriti."}, None),
        (
            "speaker_exchanged",
            {"reference": "Velmarco arriva, Belmonti: «Non parto»", "article": "Velmarco. Parla Zanottelli, che resta."},
            "Velmarco arriva, Zanottelli: «Non parto»",
        ),
        ("speaker_exchanged", {"reference": "Belmonti arriva. «Non parto»", "article": "Zanottelli."}, None),
        (
            "name_mistaken",
            {"reference": "Si guarda all'Olvania", "article": "Da Velmarco si va a Trillano e ad Asperia."},
            "Si guarda all'Asperia",
        ),
        ("name_mistaken", {"reference": "Si guarda all'Olvania", "article": "Si va a Trillano."}, None),
        ("misspelt", {"reference": "Crolla il ponte"}, None),
    ],
)  # fmt: skip
def test_what_is_done_to_a_headline(sample, name, texts, expected):
    item = replace(sample.test.items[0], **texts)
    found = perturbed([item], PERTURBATIONS[name], sample, seed=1, at_most=1)
    assert [text for _, text in found] == [expected] * (expected is not None)


def test_every_number_is_changed(sample):
    def values(text):
        return {v for number in sample.read(text).numbers() if number.claimed for v in number.values}

    found = made(sample, "numbers_changed")
    assert all(values(text) and not values(text) & values(item.reference) for item, text in found)


def test_names_of_the_original_stand_in_another_headline(sample):
    for item, text in made(sample, "names_spliced_in", at_most=10):
        original = sample.read(item.source)
        spans = original.full_names(sample.casing)
        assert any(original.words(*span) in text for span in spans)


def test_a_word_of_no_text_takes_the_place_of_another(sample):
    for item, text in made(sample, "word_exchanged", at_most=10):
        old, new = (tokens.words(each) for each in (item.reference, text))
        [(was, is_)] = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
        assert was[-2:] == is_[-2:]
        assert is_ not in tokens.words(f"{item.source} {item.article} {item.reference_article}")


def test_a_claim_of_which_no_text_says_anything_is_added(sample):
    for item, text in made(sample, "claim_added", at_most=10):
        claim = text.removeprefix(item.reference.rstrip(" .…"))
        assert claim in ADDED["it"]
    item = replace(sample.test.items[0], article=" ".join(ADDED["it"]))
    assert perturbed([item], PERTURBATIONS["claim_added"], sample, seed=1, at_most=1) == []


@pytest.mark.parametrize("name", ["quotation_before", "quotation_after"])
def test_a_quotation_is_said_in_no_text(sample, name):
    for item, text in made(sample, name, at_most=10):
        assert item.reference.rstrip(".")[1:] in text
        [quotation] = [words for words in INVENTED["it"] if words in text]
        assert quotation not in f"{item.source} {item.article} {item.reference} {item.reference_article}"


@pytest.mark.parametrize(
    ("setting", "headline", "set_"),
    [
        (Typography(quotes="«»"), 'Il premier: "Basta"', "Il premier: «Basta»"),
        (Typography(dash="–", dots="…", apostrophe="’"), "L'Italia - forse...", "L’Italia – forse…"),
        (Typography(stop=True), "Crolla il ponte", "Crolla il ponte."),
        (Typography(), "Crolla il ponte.", "Crolla il ponte"),
        (Typography(capital=True), "Roma: ecco perché", "Roma: Ecco perché"),
        (Typography(titles=True), "House passes the spending bill", "House Passes the Spending Bill"),
        (Typography(), "House Passes Spending Bill", "House passes spending bill"),
    ],
)
def test_headlines_are_set_like_another_outlet_s(setting, headline, set_):
    assert setting.apply(headline, lambda word: False) == set_


@pytest.mark.parametrize(
    ("headlines", "stop", "capital", "titles"),
    [
        (["Crolla il ponte.", "Crolla il ponte"], False, False, False),
        (["Crolla il ponte.", "Crolla il ponte.", "Crolla il ponte"], True, False, False),
        (["Roma: Ecco", "Crolla il ponte"], False, True, False),
        (["House Passes Spending Bill", "House Passes Spending Bill", "House falls"], False, False, True),
    ],
)
def test_typography_is_that_of_more_than_half(headlines, stop, capital, titles):
    found = Typography.of(headlines)
    assert (found.stop, found.capital, found.titles) == (stop, capital, titles)
    assert (found.quotes, found.dash, found.dots, found.apostrophe) == ('""', "-", "...", "'")
