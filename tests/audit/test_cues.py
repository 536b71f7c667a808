"""The words and marks that main listens to."""

import pytest
from scoring_fakes import FakeJudges

from change_it.audit.measure import main_cues
from change_it.corpus.test_set import Item


@pytest.fixture
def items():
    """Thirty headlines of each outlet, which differ by the exclamation mark of gio's alone."""
    made = []
    for number in range(30):
        text = f"Il governo numero {number}"
        made.append(Item(f"rep{number}", "rep", "gio", text, f"{text} articolo"))
        made.append(Item(f"gio{number}", "gio", "rep", f"{text}!", f"{text} articolo"))
    return made


def test_the_mark_that_main_listens_to_is_found(items):
    """The fake main takes an exclamation mark for gio's."""
    [cue] = main_cues(FakeJudges().main, items)
    assert (cue["text"], cue["outlet"], cue["n"]) == ("!", "gio", 30)


def test_of_a_headline_of_a_million_letters_the_beginning_is_asked(items):
    long = Item("long", "rep", "gio", "Parola " * 150_000, "Parola")
    main = FakeJudges().main

    [cue] = main_cues(main, [*items, long])

    assert cue["text"] == "!"
    assert len(main.asked) < 1000
    assert max(len(text) for text, _ in main.asked) <= 1000
