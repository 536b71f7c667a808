import pytest

from change_it.published_figures import PUBLISHED_SYSTEMS
from change_it.reproduction.evalnlgeval2020 import COMPARED
from change_it.reproduction.paper_tables import PAPER_MEASURES, order_table


def scores(values):
    return {
        "systems": {name: {"average": dict.fromkeys(PAPER_MEASURES, value)} for name, value in values.items()}
    }


def test_the_order_of_the_systems_stands_beside_the_papers():
    measured = scores({"sum": 0.2, "s2s1": 0.3, "s2s2": 0.5, "s2s3": 0.4, "sum-pnc": 0.9})
    rows = {
        row.values["measure"]: row.values
        for row in order_table(measured, PUBLISHED_SYSTEMS, COMPARED, "Order").rows
    }
    assert rows["compliancy"]["published"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["measured"] == "S2S2 > S2S3 > S2S1 > SUM"
    assert rows["compliancy"]["tau"] == pytest.approx(1)
    assert rows["ah"]["published"].startswith("SUM > ")
    assert rows["ah"]["tau"] < 0
    every = scores(dict.fromkeys(COMPARED, 0.5))
    assert order_table(every, PUBLISHED_SYSTEMS, COMPARED, "Order").rows[0].values["tau"] is None
