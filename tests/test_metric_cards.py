"""The examples on the cards of the metrics, as a reader would run them, and the pages beside them."""

import math
import re
import runpy

import gradio as gr
import pytest
from scoring_fakes import FakeJudges

import change_it

ROOT = change_it.shipped_path("metrics")


@pytest.fixture
def loaded(monkeypatch):
    """The judges that were loaded: fakes of the outlets of the quickstart."""
    folders = []

    def load(folder, **_):
        folders.append(folder)
        return FakeJudges(("colle", "faro"), digits="abcd")

    monkeypatch.setattr("change_it.scoring.judges.Judges.from_pretrained", load)
    return folders


@pytest.mark.parametrize("name", ["compliancy", "hevas", "headline_rouge"])
def test_the_example_on_the_card_runs(name, loaded):
    card = (ROOT / name / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block.replace('"metrics/', f'"{ROOT}/'), names)
    assert loaded == (["runs/quickstart/judges"] if name == "compliancy" else [])
    numbers = [value for value in names["results"].values() if isinstance(value, float)]
    assert numbers
    assert not any(map(math.isnan, numbers))


TEXTS = ("Il governo cade a Roma", "A Roma cade il governo", "Il governo cade a Roma dopo il voto.")


@pytest.mark.parametrize(
    ("name", "values", "shown", "wrong"),
    [
        ("headline_rouge", TEXTS[:2], ["R-1: words of the reference", "1.000"], ["", " "]),
        ("hevas", (*TEXTS, "it"), ["R-1", "1.000"], [*TEXTS, "it", "de"][1:]),
        (
            "compliancy",
            (*TEXTS, "colle", "judges"),
            ["AH: fits the article", "yes"],
            [*TEXTS, "nope", "judges"],
        ),
    ],
)
def test_the_page_of_a_metric_shows_what_it_measures(name, values, shown, wrong, loaded):
    score = runpy.run_path(str(ROOT / name / "app.py"))["demo"].fn
    rows, signature = score(*values)
    assert shown in rows
    assert signature
    with pytest.raises(gr.Error):
        score(*wrong)
