"""Cells of HEvAS that cannot tell the right article from another are flagged beside the published ones."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from change_it import published
from change_it.reproduction.hevas2019 import DAGGER, auc, means_table
from change_it.tables import to_markdown


def test_auc_is_that_of_scikit_learn():
    random = np.random.default_rng(1)
    right, wrong = random.integers(0, 9, 60) / 9, random.integers(0, 6, 50) / 9
    labels = [1] * 60 + [0] * 50
    assert auc(right, wrong) == pytest.approx(roc_auc_score(labels, np.concatenate([right, wrong])))


def test_a_cell_that_is_blind_is_flagged():
    metrics = ["R-1", "KL-C"]
    results = {
        "means": {system: dict.fromkeys(metrics, 0.3) for system in published.HEVAS_MEANS},
        "intervals": {system: dict.fromkeys(metrics, (0.2, 0.4)) for system in published.HEVAS_MEANS},
        "auc": {system: {"R-1": 0.9, "KL-C": 0.52} for system in published.HEVAS_MEANS},
    }
    table = means_table(results, metrics, "Table 1")
    rows = {row.values["row"]: row for row in table.rows}
    assert rows["first, measured"].marks == {"KL-C": DAGGER}
    assert not rows["first, published"].marks
    assert rows["first, AUC"].values["KL-C"] == 0.52
    assert DAGGER in table.notes[0]
    line = next(line for line in to_markdown(table).splitlines() if "first, measured" in line)
    assert line.split(" | ")[-1] == ".300† |"
    results["auc"] = {system: dict.fromkeys(metrics, 0.6) for system in published.HEVAS_MEANS}
    assert not means_table(results, metrics, "Table 1").notes
