import numpy as np
import pytest
from scoring_fakes import FakeJudges, RuleJudge

from change_it.audit.probes import data_cues, main_cues, probe
from change_it.scoring.item import Item


def items(texts, label):
    other = {"rep": "gio", "gio": "rep"}[label]
    return [Item(f"{label}{n}", label, other, text, f"{text} articolo") for n, text in enumerate(texts)]


@pytest.fixture
def loud():
    """30 headlines each; gio's have an exclamation mark, which the fake main listens to."""
    return items([f"Il governo numero {n}" for n in range(30)], "rep") + items(
        [f"Il governo numero {n}!" for n in range(30)], "gio"
    )


def apart(some):
    """Each headline is of an event of its own."""
    return np.arange(len(some))


def by_name(probes):
    return {found.name: found for found in probes}


def test_a_judge_that_listens_to_a_mark_is_lost_without_marks_and_nothing_else(loud):
    found = by_name(probe(FakeJudges().main, loud, apart(loud), "it", resamples=50))
    assert found["as it is"].f1 == found["words in any order"].f1 == found["content words masked"].f1 == 1
    assert found["without marks"].f1 == pytest.approx(1 / 3)
    assert found["as it is"].interval == (1, 1)


def test_a_judge_that_listens_to_function_words_is_lost_without_them():
    rule = RuleJudge("main", lambda text, _: 0.9 if "della" in text.split() else 0.1)
    some = items([f"Crolla muro {n}" for n in range(20)], "rep") + items(
        [f"Il muro della casa {n}" for n in range(20)], "gio"
    )
    found = by_name(probe(rule, some, apart(some), "it", resamples=20))
    assert found["content words masked"].f1 == 1
    assert found["function words masked"].f1 < 0.5


def test_of_a_headline_of_a_million_letters_the_beginning_is_taken(loud):
    main = FakeJudges().main
    assert [cue.text for cue in main_cues(main, [*loud, *items(["Parola " * 150_000], "rep")])] == ["!"]
    assert len(main.asked) < 1000
    assert max(len(text) for text, _ in main.asked) <= 1000


def test_cues_of_the_data_are_what_tells_the_headlines_apart():
    headlines = {
        "rep": [f"Il governo {n} cade" for n in range(40)],
        "gio": [f"Il governo {n} cade!" for n in range(40)],
    }
    assert any("!" in cue.text for cue in data_cues(headlines) if cue.outlet == "gio")
    assert data_cues({name: texts[:3] for name, texts in headlines.items()}) == []
