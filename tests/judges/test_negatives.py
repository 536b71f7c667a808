import random

import pytest

from change_it.judges.negatives import contradict, negate, swap_names, swap_numbers, swap_roles
from change_it.scoring.facts import FactChecker
from change_it.text.names import Headline


def every(transformation, text, language, *more):
    """What ten seeds make of a headline."""
    headline = Headline(text, language)
    return {transformation(headline, random.Random(seed), *more) for seed in range(10)}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Crolla il ponte, 43 morti", "it"),
        ("TRE ARRESTI", "it"),
        ("È la terza vittoria", "it"),
        ("Spesi 1,5 milioni di euro", "it"),
        ("Bill rises by 5%", "en"),
        ("The Fifth Debate in 2016", "en"),
    ],
)
def test_a_swapped_number_is_no_longer_supported(text, language):
    for changed in every(swap_numbers, text, language):
        checker = FactChecker(language)
        found = checker.check(changed, source=text, article="")
        assert [each.kind for each in found.unsupported] == ["number"]
        assert checker.check(text, source=changed, article="").unsupported


def test_one_name_is_replaced_by_one_of_the_pool():
    text = "Il premier Conte vola a Washington"
    changed = every(swap_names, text, "it", ["Aldo Moro", "Mosca", "Conte"])
    pairs = ("Aldo Moro", "Washington"), ("Mosca", "Washington"), ("Conte", "Aldo Moro"), ("Conte", "Mosca")
    assert changed == {f"Il premier {one} vola a {other}" for one, other in pairs}


def test_roles_are_exchanged():
    assert every(swap_roles, "Il premier Conte attacca Renzi", "it") == {"Il premier Renzi attacca Conte"}
    assert every(swap_roles, "Donald Trump attacks Clinton", "en") == {"Clinton attacks Donald Trump"}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Il governo cade in aula", "it", "Il governo non cade in aula"),
        ("Il premier si dimette", "it", "Il premier non si dimette"),
        ("Il governo non cade", "it", "Il governo cade"),
        ("Non si dimette il premier", "it", "Si dimette il premier"),
        ("Senate will vote", "en", "Senate will not vote"),
        ("Trump attacks Clinton", "en", "Trump does not attack Clinton"),
        ("Senate doesn't vote", "en", "Senate does vote"),
    ],
)
def test_negation(text, language, expected):
    assert every(negate, text, language) == {expected}


def test_a_swap_counts_only_where_the_other_text_has_what_was_swapped():
    headline = Headline("Conte vola a Bari con 12 ministri", "it")

    def changed(other):
        made = {contradict(headline, other, random.Random(seed), ["Torino"]) for seed in range(30)}
        return {text for text in made if text and "non" not in text.lower().split()}

    assert changed("Il governo è in Puglia") == set()
    assert changed("Bari, atteso il premier") == {"Conte vola a Torino con 12 ministri"}
    assert all(text.startswith("Conte vola a Bari con ") for text in changed("Sono 12"))
    assert len(changed("Sono 12")) > 3
