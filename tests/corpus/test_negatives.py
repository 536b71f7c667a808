import random

import pytest

from change_it.corpus.tasks.negatives import (
    contradict,
    name_pool,
    negate,
    swap_names,
    swap_numbers,
    swap_roles,
)
from change_it.text.spans import numbers_in


def every(transformation, text, *more):
    """What ten seeds make of a headline."""
    return {transformation(text, random.Random(seed), *more) for seed in range(10)}


@pytest.mark.parametrize(
    "text", ["Crolla il ponte, 43 morti", "Spesi 1,5 milioni nel 2016", "Bill rises by 5%"]
)
def test_a_number_is_swapped_for_another_one_of_the_same_length(text):
    for changed in every(swap_numbers, text):
        old, new = ([each[slice(*span)] for span in numbers_in(each)] for each in (text, changed))
        [(was, is_)] = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
        assert len(was) == len(is_)
        assert is_[0] != "0"
        assert was != "2016" or is_.startswith("20")
        assert changed.replace(is_, was) == text


def test_one_name_is_replaced_by_one_of_the_pool():
    text = "Il premier Conte vola a Washington"
    changed = every(swap_names, text, ["Aldo Moro", "Mosca", "Conte"])
    pairs = ("Aldo Moro", "Washington"), ("Mosca", "Washington"), ("Conte", "Aldo Moro"), ("Conte", "Mosca")
    assert changed == {f"Il premier {one} vola a {other}" for one, other in pairs}
    assert every(swap_names, text, ["Conte"]) == {None}
    assert name_pool([text, "Trump Meets Obama and Clinton", "CROLLA IL PONTE"]) == ["Conte", "Washington"]


def test_roles_are_exchanged_where_only_small_words_stand_between():
    assert every(swap_roles, "Il premier Conte attacca Renzi") == {"Il premier Renzi attacca Conte"}
    assert every(swap_roles, "Why Donald Trump attacks Clinton today") == {
        "Why Clinton attacks Donald Trump today"
    }
    for text in ("Il premier Conte, e Renzi", "Il premier Conte e il Conte", "Trump Meets Obama in Ohio"):
        assert every(swap_roles, text) == {None}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Il governo cade in aula", "it", "Il governo non cade in aula"),
        ("Il premier si dimette", "it", "Il premier non si dimette"),
        ("CROLLA IL PONTE", "it", "NON CROLLA IL PONTE"),
        ("Crolla il ponte", "it", "Non crolla il ponte"),
        ("Il governo non cade", "it", "Il governo cade"),
        ("Non si dimette il premier", "it", "Si dimette il premier"),
        ("Senate will vote", "en", "Senate will not vote"),
        ("Will Senate vote", "en", None),
        ("Senate doesn't vote", "en", "Senate does vote"),
        ("Le gouvernement tombe", "none", None),
    ],
)
def test_negation(text, language, expected):
    assert every(negate, text, language) == {expected}


def test_a_swap_counts_only_where_the_other_text_has_what_was_swapped():
    headline = "Il premier Conte vola a Bari con 12 ministri"

    def changed(other):
        made = {contradict(headline, other, random.Random(seed), ["Torino"], "it") for seed in range(30)}
        return {
            text for text in made if text and "non" not in text.split() and "Bari vola a Conte" not in text
        }

    assert changed("Il governo è in Puglia") == set()
    assert changed("Bari, atteso il capo") == {"Il premier Conte vola a Torino con 12 ministri"}
    assert all(text.startswith("Il premier Conte vola a Bari con ") for text in changed("Sono 12"))
    assert len(changed("Sono 12")) > 3
