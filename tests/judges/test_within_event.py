"""Main within an event: its accuracy by hand, and training sets that are even in each event and week."""

from collections import Counter
from datetime import date

import numpy as np
import polars as pl
import pytest
from judge_data import load, options

from change_it.corpus.folder import read_table
from change_it.corpus.training_sets import matched
from change_it.errors import InputError
from change_it.judges import train, within_event
from change_it.judges.data import Examples
from change_it.judges.judge_options import within_event_table


def test_accuracy_by_hand():
    """Right, wrong, a tie, right: 2.5 of 4; the first two are one event."""
    first, second = np.array([-1.0, 2.0, 0.5, -3.0]), np.array([1.0, 1.0, 0.5, -2.0])
    found = within_event.accuracy(first, second, ["x", "x", "y", "z"])
    assert found["value"] == 2.5 / 4
    assert found["low"] < 2.5 / 4 < found["high"]
    assert within_event.accuracy(second, first, ["x", "x", "y", "z"])["value"] == 1.5 / 4


TABLES = {
    ("pairs", "test"): {"a_headline": ["a1", "a2"], "b_headline": ["b1", "b2"], "event": ["x", "y"]},
    ("articles", "test"): {
        "headline": ["a1", "a2", "b1", "b2"],
        "label": ["rep", "rep", "gio", "gio"],
        "date": [date(2020, 1, 1), None, date(2020, 1, 2), date(2020, 1, 2)],
    },
    ("articles", "other"): {"headline": ["o"] * 100 + ["few"], "label": ["post"] * 100 + ["herald"]},
}


def test_what_main_makes_of_a2_and_of_further_outlets(monkeypatch):
    monkeypatch.setattr(within_event, "read_table", lambda _, *names: pl.DataFrame(TABLES[names[:2]]))
    second = {"a1": 0.4, "b1": 0.4, "a2": 0.7, "b2": 0.9, "o": 0.6, "few": 0.6}
    answers = {name: [1 - share, share] for name, share in second.items()}
    judge = {"judge": lambda texts: np.array([answers[text] for text in texts])}
    found = within_event.measure_main("c", ("rep", "gio"), judge)
    judge = found["within_event"]["systems"]["judge"]
    assert judge["value"] == 0.75  # a tie and one that is right
    assert judge["macro_f1"] == pytest.approx(0.5)  # a2 and b1 are misread
    # the latest tenth begins on the day of b1 and b2, which holds two headlines of B, one misread
    third = pytest.approx((2 / 3 + 0) / 2)
    latest = {"from": "2020-01-02", "n": 2, "macro_f1": third, "macro_f1_elsewhere": third}
    assert found["latest"] == latest
    assert found["further_outlets"] == {"post": {"n": 100, "rep": 0.0, "gio": 1.0}}
    table = within_event_table({"classes": ["rep", "gio"], **found})
    assert [table.rows[0].text(column) for column in table.columns][:2] == ["judge", ".750"]
    assert any("post 1.000" in note for note in table.notes)
    assert within_event_table({"classes": ["rep", "gio"]}) is None


def test_marks_and_capitals_alone_are_read():
    headlines = ["Crolla il ponte!", "Cade il governo!", "CROLLA IL PONTE", "CADE IL GOVERNO"] * 5
    ask = within_event.fit_marks(Examples(headlines, None, np.array([0, 0, 1, 1] * 5)), seed=1)
    assert ask(["Piove in citta!", "PIOVE IN CITTA"]).argmax(axis=1).tolist() == [0, 1]
    assert (ask(["Crolla il ponte!"]) == ask(["Vincer la lotto!"])).all()


def place(row, both):
    return row["event"] if row["event"] in both else row["date"].isocalendar()[:2]


def test_a_matched_training_set_is_even_in_each_event_and_week(corpus):
    articles = read_table(corpus, "articles", "train")
    labels = {}
    for row in articles.iter_rows(named=True):
        labels.setdefault(row["event"], set()).add(row["label"])
    both = {event for event, of in labels.items() if len(of) == 2}
    chosen = matched(articles, "test", seed=1)
    counts = Counter((place(row, both), row["label"]) for row in chosen.iter_rows(named=True))
    places = {where for where, _ in counts}
    outlets = articles["label"].unique().to_list()
    assert both & places
    assert places - both
    assert all(counts[where, outlets[0]] == counts[where, outlets[1]] for where in places)
    # nothing is left that has a counterpart
    every = Counter((place(row, both), row["label"]) for row in articles.iter_rows(named=True))
    fewer = [min(every[where, outlet] for outlet in outlets) for where in {where for where, _ in every}]
    assert chosen.height == 2 * sum(fewer)


def test_main_learns_from_a_matched_set_that_a2_is_no_part_of(corpus):
    data, again, other = (load("main", corpus, match="events", seed=seed) for seed in (1, 1, 2))
    assert data.train.texts == again.train.texts
    assert set(data.train.texts) != set(other.train.texts)
    tested = set(read_table(corpus, "articles", "test")["headline"])
    for part in (data.train, data.validation):
        assert not tested & set(part.texts)
        assert 2 * part.labels.sum() == len(part)
    assert not set(data.train.texts) & set(data.validation.texts)
    assert len(data.train) < len(load("main", corpus).train)


def test_no_other_judge_and_no_other_training_set_is_matched(corpus, tmp_path):
    for changes, says in (({"task": "hh"}, "requires --task main"), ({"train_on": "train_d"}, "--train-on")):
        with pytest.raises(InputError, match=says):
            train.train_judge(options(corpus, tmp_path / "out", match="events", **changes))
