"""The tables of the papers from figures that are given: counts, orders, ranks, flags."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from change_it.published_figures import HEVAS_MEANS
from change_it.reproduction.hevas2019 import DAGGER, auc, means_table
from change_it.reproduction.paper_tables import bootstrapped, counts_of, draw_cells, measures_of
from change_it.reproduction.systems import COMPARED, PAPER_MEASURES, order_table, ranking, ranks
from change_it.tables import to_markdown


def test_intervals_of_judges_from_their_counts():
    result = {
        "no": {"precision": 0.75, "recall": 0.9, "f1": 0.818, "support": 10},
        "yes": {"precision": 0.875, "recall": 0.7, "f1": 0.778, "support": 10},
    }
    counts = counts_of({"classes": ["no", "yes"], "results": {"t": result}}, "t")
    assert counts == [[9, 1], [3, 7]]
    found = bootstrapped(counts, 500, 1)
    for place, name in (("first", "no"), ("second", "yes")):
        for key in ("precision", "recall", "f1"):
            value, (low, high) = found[place][key]
            assert value == pytest.approx(result[name][key], abs=5e-4)
            assert low < value < high
    assert found["mean"]["f1"][0] == pytest.approx((0.818 + 0.778) / 2, abs=5e-4)
    assert draw_cells(counts, 5, 1).sum(axis=(1, 2)).tolist() == [20] * 5
    drawn = measures_of(draw_cells(counts, 2000, 1))["mean"]["f1"]
    assert drawn.mean() == pytest.approx((0.818 + 0.778) / 2, abs=0.02)


def scores(values):
    return {
        "systems": {name: {"average": dict.fromkeys(PAPER_MEASURES, value)} for name, value in values.items()}
    }


def test_the_order_of_the_systems_stands_beside_the_papers():
    measured = scores({"sum": 0.2, "s2s1": 0.3, "s2s2": 0.5, "s2s3": 0.4, "sum-pnc": 0.9})
    rows = {row.values["measure"]: row.values for row in order_table(measured, COMPARED, "Order").rows}
    assert rows["compliancy"]["published"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["measured"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["tau"] == pytest.approx(1)
    assert rows["ah"]["published"].startswith("SUM > ")
    assert rows["ah"]["tau"] < 0
    every = scores(dict.fromkeys(COMPARED, 0.5))
    assert order_table(every, COMPARED, "Order").rows[0].values["tau"] is None


def test_systems_that_do_not_differ_share_a_rank():
    p = {("a", "b"): 0.2, ("a", "c"): 0.04, ("b", "c"): 0.9, ("c", "d"): 0.06, ("b", "d"): 0.01}
    assert ranks({"d": 0.1, "c": 0.2, "b": 0.3, "a": 0.4}, p) == {"a": 1, "b": 1, "c": 3, "d": 3}
    assert ranks({"a": 0.4}, {}) == {"a": 1}


def test_the_ranking_leaves_out_what_needs_no_model():
    def rows(compliancy):
        measures = dict.fromkeys(("hh", "ah", "main"), 0.5) | {"compliancy": compliancy}
        return {"average": {**measures, "intervals": {key: [0.1, 0.9] for key in measures}}}

    averages = {"gold": 0.9, "one": 0.6, "copy": 0.5, "baseline": 0.4, "two": 0.3}
    found = {
        "systems": {name: rows(value) for name, value in averages.items()},
        "p_values": {
            "one": {"baseline": 0.02, "two": 0.01},
            "baseline": {"one": 0.02, "two": 0.03},
            "two": {"one": 0.01, "baseline": 0.03},
        },
    }
    ranked = {row.values["system"]: row.values["rank"] for row in ranking(found).rows}
    # Holm: .01 * 3, .02 * 2, .03
    assert ranked == {"one": 1, "baseline": 2, "two": 3, "gold": None, "copy": None}


def test_auc_is_that_of_scikit_learn():
    random = np.random.default_rng(1)
    right, wrong = random.integers(0, 9, 60) / 9, random.integers(0, 6, 50) / 9
    labels = [1] * 60 + [0] * 50
    assert auc(right, wrong) == pytest.approx(roc_auc_score(labels, np.concatenate([right, wrong])))


def test_a_cell_of_hevas_that_is_blind_is_flagged():
    metrics = ["R-1", "KL-C"]
    results = {
        "means": {system: dict.fromkeys(metrics, 0.3) for system in HEVAS_MEANS},
        "intervals": {system: dict.fromkeys(metrics, (0.2, 0.4)) for system in HEVAS_MEANS},
        "auc": {system: {"R-1": 0.9, "KL-C": 0.52} for system in HEVAS_MEANS},
    }
    table = means_table(results, metrics, "Table 1")
    rows = {row.values["row"]: row for row in table.rows}
    assert rows["first, measured"].marks == {"KL-C": DAGGER}
    assert not rows["first, published"].marks
    assert rows["first, AUC"].values["KL-C"] == 0.52
    assert DAGGER in table.notes[0]
    line = next(line for line in to_markdown(table).splitlines() if "first, measured" in line)
    assert line.split()[-3:] == [".300†", "(.200–.400)", "|"]
    results["auc"] = {system: dict.fromkeys(metrics, 0.6) for system in HEVAS_MEANS}
    assert not means_table(results, metrics, "Table 1").notes
