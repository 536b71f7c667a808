"""Cells of HEvAS that cannot tell the right article from another are flagged beside the published ones."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from change_it import published_figures
from change_it.reproduction import hevas2019
from change_it.reproduction.hevas2019 import DAGGER, Measuring, auc, means_table
from change_it.results.document import Document, Section, as_json
from change_it.scoring.item import read_test_set
from change_it.tables import to_markdown


def test_auc_is_that_of_scikit_learn():
    random = np.random.default_rng(1)
    right, wrong = random.integers(0, 9, 60) / 9, random.integers(0, 6, 50) / 9
    labels = [1] * 60 + [0] * 50
    assert auc(right, wrong) == pytest.approx(roc_auc_score(labels, np.concatenate([right, wrong])))


def test_a_cell_that_is_blind_is_flagged():
    metrics = ["R-1", "KL-C"]
    results = {
        "means": {system: dict.fromkeys(metrics, 0.3) for system in published_figures.HEVAS_MEANS},
        "intervals": {system: dict.fromkeys(metrics, (0.2, 0.4)) for system in published_figures.HEVAS_MEANS},
        "auc": {system: {"R-1": 0.9, "KL-C": 0.52} for system in published_figures.HEVAS_MEANS},
    }
    table = means_table(results, metrics, "Table 1")
    rows = {row.values["row"]: row for row in table.rows}
    assert rows["first, measured"].marks == {"KL-C": DAGGER}
    assert not rows["first, published"].marks
    assert rows["first, AUC"].values["KL-C"] == 0.52
    assert DAGGER in table.notes[0]
    line = next(line for line in to_markdown(table).splitlines() if "first, measured" in line)
    assert line.split(" | ")[-1] == ".300† |"
    results["auc"] = {system: dict.fromkeys(metrics, 0.6) for system in published_figures.HEVAS_MEANS}
    assert not means_table(results, metrics, "Table 1").notes


def test_the_flag_is_in_json():
    results = {
        "means": {system: {"KL-C": 0.3} for system in published_figures.HEVAS_MEANS},
        "intervals": {system: {"KL-C": (0.2, 0.4)} for system in published_figures.HEVAS_MEANS},
        "auc": {system: {"KL-C": 0.52} for system in published_figures.HEVAS_MEANS},
    }
    section = Section("table1", means_table(results, ["KL-C"], "Table 1"))
    found = as_json(Document("", "", [section], []))["tables"]["table1"]
    flagged = [row["row"] for row in found["rows"] if row.get("marks") == {"KL-C": DAGGER}]
    assert flagged == [f"{system}, measured" for system in published_figures.HEVAS_MEANS]
    assert DAGGER in found["notes"][0]


def test_both_articles_of_a_pair_are_drawn_together(corpus, tmp_path, monkeypatch):
    measured = []

    def evaluate(documents, *_, **__):
        measured.append(documents)
        raise InterruptedError

    monkeypatch.setattr(hevas2019, "evaluate", evaluate)
    with pytest.raises(InterruptedError):
        hevas2019.measure(Measuring(corpus, tmp_path / "measured.json", 1_000_000, 1))
    test = read_test_set(corpus)
    event_of = dict(zip((item.id for item in test.items), test.events.tolist(), strict=True))
    ids, events = measured[0].ids, measured[0].events
    assert len(set(events)) < len(ids)
    assert len(set(zip(events, (event_of[id_] for id_ in ids), strict=True))) == len(set(events))
    assert len(set(events)) == len({event_of[id_] for id_ in ids})
