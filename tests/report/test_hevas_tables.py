"""The table of HEvAS's means and ranks."""

import numpy as np

from change_it.hevas.evaluation import Evaluation
from change_it.report.hevas_report import hevas_table


def test_an_average_of_nothing_is_ranked_as_any_other():
    """Two systems have 1 in KL-C, the worst value: their average is 0, and they share the rank below x."""
    values = {"x": np.array([[0.5]]), "y": np.array([[1.0]]), "z": np.array([[1.0]])}
    empty = {name: np.zeros(1, bool) for name in values}
    table = hevas_table(Evaluation(("KL-C",), values, empty, ("1",), ""))
    ranks = {row.values["system"]: (row.values["rank"], row.values["average"]) for row in table.rows}
    assert ranks == {"x": (1, 0.5), "y": (2, 0.0), "z": (2, 0.0)}
