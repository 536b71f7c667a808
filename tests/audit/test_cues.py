import pytest
from scoring_fakes import FakeJudges

from change_it.audit.cues import main_cues
from change_it.scoring.item import Item


def items(texts, label):
    other = {"rep": "gio", "gio": "rep"}[label]
    return [Item(f"{label}{n}", label, other, text, f"{text} articolo") for n, text in enumerate(texts)]


@pytest.fixture
def loud():
    """30 headlines each; gio's have an exclamation mark, which the fake main listens to."""
    texts = [f"Il governo numero {n}" for n in range(30)]
    return items(texts, "rep") + items([f"{text}!" for text in texts], "gio")


def test_of_a_headline_of_a_million_letters_the_beginning_is_taken(loud):
    main = FakeJudges().main
    assert [cue.text for cue in main_cues(main, [*loud, *items(["Parola " * 150_000], "rep")])] == ["!"]
    assert len(main.asked) < 1000
    assert max(len(text) for text, _ in main.asked) <= 1000
