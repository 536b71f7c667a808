"""The examples on the cards of the metrics, as a reader would run them."""

import math
import re

import pytest
from scoring_fakes import FakeJudges

import change_it


@pytest.mark.parametrize("name", ["compliancy", "hevas", "headline_rouge"])
def test_the_example_on_the_card_runs(name, monkeypatch):
    loaded = []

    def load(folder, **_):
        loaded.append(folder)
        return FakeJudges(("colle", "faro"))  # the outlets of the quickstart

    monkeypatch.setattr("change_it.scoring.judges.Judges.from_pretrained", load)
    root = change_it.shipped_path("metrics")
    card = (root / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block.replace('"metrics/', f'"{root}/'), names)
    assert loaded == (["runs/quickstart/judges"] if name == "compliancy" else [])
    numbers = [value for value in names["results"].values() if isinstance(value, float)]
    assert numbers
    assert not any(map(math.isnan, numbers))
