"""Main within an event: its accuracy and lead by hand, and its scale of style."""

import re

import numpy as np
import polars as pl
import pytest
from scoring_fakes import SCALE

from change_it.judges import metrics as within_event
from change_it.judges import style_scale
from change_it.judges.data import Examples
from change_it.judges.linear_training import fit_baselines
from change_it.judges.options import MARKS, NGRAMS
from change_it.judges.reliability import within_event_table


def test_accuracy_and_lead_by_hand():
    """Right, wrong, a tie, right: 2.5 of 4; the first two are one event."""
    steps = np.array([2.0, -1.0, 0.0, 1.0])
    events = ["x", "x", "y", "z"]
    right = within_event.accuracy(steps, events)
    assert right.low < right.value == 2.5 / 4 < right.high
    assert within_event.accuracy(-steps, events).value == 1.5 / 4
    judge = np.array([1.0, 1.0, -1.0, 1.0])
    baseline = np.array([1.0, -1.0, -1.0, 0.0])
    ahead = within_event.lead(judge, baseline, events)
    assert ahead.low <= ahead.value == (0 + 1 + 0 + 0.5) / 4 <= ahead.high


def test_main_and_its_baselines_on_a2_and_one_that_is_ahead(monkeypatch):
    """Main tells nothing apart, n-grams are always wrong, and marks always right."""
    pairs = {"a_headline": ["a1", "a2"], "b_headline": ["b1", "b2"], "event": ["x", "y"]}
    monkeypatch.setattr(within_event, "read_table", lambda *_: pl.DataFrame(pairs))

    def says(step):
        second = {"a": 0.5 - step, "b": 0.5 + step}
        return lambda texts: np.array([[1 - second[text[0]], second[text[0]]] for text in texts])

    systems = {"judge": says(0), NGRAMS: says(-0.1), MARKS: says(0.1)}
    scale = SCALE._replace(gold=2.5, clause=(0.5, -0.5), accuracy=0.75, pairs=8, events=7)
    table = within_event_table(within_event.measure_main("c", systems), scale)
    assert [row.values["value"] for row in table.rows] == [0.5, 0, 1]
    assert [row.values.get("lead") for row in table.rows] == [None, (0.5, 0.5), (-0.5, -0.5)]
    assert table.notes[0] == f"{MARKS} is better than this judge within an event: do not score style with it"
    steps = "is 2.50 to the other newspaper's headline and 0.50 and -0.50 to clauses"
    assert any(steps in note for note in table.notes)
    assert within_event_table(None) is None


def ask(texts):
    """Probability of B of a text: the number in it over 10."""
    second = np.array([int(re.search(r"\d", text)[0]) / 10 for text in texts])
    return np.stack([1 - second, second], axis=1)


@pytest.fixture
def tables(monkeypatch):
    """Six pairs, five of them strict, and two baselines.

    N-grams are as good as `ask`, and marks say nothing. `ask` gives a clause of A's articles .3, and one of
    B's .7.
    """
    headlines = [f"{outlet}{number}" for number in range(1, 7) for outlet in "ab"]
    events = [str(number) for number in range(1, 7) for _ in "ab"]
    aligned = {"a_headline": headlines[::2], "b_headline": [*headlines[1:-1:2], "b3"], "event": events[::2]}
    aligned |= {"a_article": ["Parole 3 di testo"] * 6, "b_article": ["Parole 7 di testo"] * 6}
    found = {
        "articles": {"headline": headlines, "event": events, "label": ["rep", "gio"] * 6},
        "pairs": aligned | {"alignment": ["A3"] + ["A1"] * 5},
    }
    monkeypatch.setattr(style_scale, "read_table", lambda _, config, *__: pl.DataFrame(found[config]))
    even = {NGRAMS: ask, MARKS: lambda texts: np.full((len(texts), 2), 0.5)}
    monkeypatch.setattr(style_scale, "fit_baselines", lambda *_, **__: even)
    return found


def scale(learnt, refit=None):
    return style_scale.style_scale("c", ("rep", "gio"), ask, learnt, refit=refit)


def test_the_scale_of_style_by_hand(tables):
    found = scale(Examples(["a1", "b2"], None, np.array([0, 1])))  # events 1 and 2 were learnt
    assert (found.pairs, found.events) == (4, 4)
    odds = {p: np.log(p / (10 - p)) for p in range(1, 10)}
    assert found.gold == 0  # steps of 0, and of event 6 a negative one
    assert found.accuracy == 1.5 / 4
    of_a = [odds[3] - odds[a] for a in (3, 4, 5, 6)]
    of_b = [odds[b] - odds[7] for b in (3, 4, 5, 3)]
    assert found.clause == pytest.approx((sorted(of_a)[1], sorted(of_b)[1]))  # the lower one of the middle
    for low, clause, high in zip(found.low, found.clause, found.high, strict=True):
        assert low <= found.gold - clause <= high
    assert found.leads[NGRAMS] == (0, 0)
    assert found.leads[MARKS][0] < -1 / 8 < found.leads[MARKS][1]  # it is behind in one of four by a half
    assert found.evidence == 0  # no text has "a3"


def test_the_scale_is_of_strict_pairs_of_events_that_were_not_learnt(tables, monkeypatch):
    headlines = tables["articles"]["headline"]
    seen = []

    def refit(examples):
        seen.append(set(examples.texts))
        return ask

    every = Examples(headlines, None, np.arange(12) % 2)
    assert scale(every, refit).pairs == 5
    assert len(seen) == style_scale.REFITTED_PARTS
    assert all(("a" + text[1:] in texts) == ("b" + text[1:] in texts) for texts in seen for text in headlines)
    assert sum(len(headlines) - len(texts) for texts in seen) == 10  # each strict pair was held out once
    half = Examples(headlines[:6], None, np.arange(6) % 2)
    seen.clear()
    assert scale(half, refit).pairs == 5  # those of the other half, and own ones
    assert len(seen) == 2
    monkeypatch.setattr(style_scale, "ENOUGH_PAIRS", 3)
    seen.clear()
    assert scale(half, refit).pairs == 3  # enough of the other half
    assert not seen
    assert scale(every).pairs == 0


def test_marks_and_capitals_alone_are_read():
    headlines = ["Crolla il ponte!", "Cade il governo!", "CROLLA IL PONTE", "CADE IL GOVERNO"] * 5
    ask = fit_baselines(Examples(headlines, None, np.array([0, 0, 1, 1] * 5)), seed=1)[MARKS]
    assert ask(["Piove in citta!", "PIOVE IN CITTA"]).argmax(axis=1).tolist() == [0, 1]
    assert (ask(["Crolla il ponte!"]) == ask(["Vincer la lotto!"])).all()
