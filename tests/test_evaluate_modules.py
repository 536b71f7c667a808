"""The `evaluate` modules `hevas` and `headline_rouge`: means of what the package measures; and every card and
page.
"""

import json
import math
import re
import runpy
from pathlib import Path

import evaluate
import pytest
from scoring_fakes import FakeJudges

import change_it
from change_it import InputError
from change_it.hevas.documents import Documents
from change_it.hevas.evaluation import evaluate as measure
from change_it.hevas.measuring import MetricOptions
from change_it.hevas.metrics import METRICS
from change_it.text.rouge import headline_rouge

ROOT = change_it.files.shipped.shipped_path("metrics")
PREDICTIONS = ["Tasse, il governo ci ripensa", "Coppa alla squadra di casa", "", "Neve a Torino"]
REFERENCES = [
    ["Il governo rinvia la riforma delle tasse", "Sulle tasse il governo ci ripensa"],
    ["Vince la squadra di casa"],
    ["Roma"],
    ["Torino sotto la neve"],
]
ARTICLES = [
    "Il governo ha rinviato la riforma delle tasse. Se ne parla dopo il voto.",
    "La squadra di casa ha vinto la coppa dopo i rigori. Festa in piazza.",
    "A Roma si vota.",
    "Neve su Torino e treni fermi.",
]
ROUGES = ["rouge1", "rouge2", "rougeL", "rougeSU", "rougeWSU"]
HEVAS = {"topics": 2, "lsi": "2", "seed": 3}


@pytest.fixture(scope="module")
def rouge():
    return evaluate.load(change_it.files.shipped.metric_path("headline_rouge"))


@pytest.fixture(scope="module")
def hevas():
    return evaluate.load(change_it.files.shipped.metric_path("hevas"))


def test_rouge_is_the_mean_of_the_scores_of_the_package(rouge):
    result = rouge.compute(predictions=PREDICTIONS, references=REFERENCES)
    expected = headline_rouge(PREDICTIONS, REFERENCES, measures=ROUGES)
    assert result == {name: pytest.approx(expected[name].mean()) for name in ROUGES}
    assert rouge.signature == f"headline_rouge|counts:set|tok:unicode|n:4|v:{change_it.version.__version__}"
    json.dumps(result)
    some = rouge.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeL", "rouge1"])
    assert list(some) == ["rougeL", "rouge1"]
    assert some.items() <= result.items()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"use_stemmer": True}, "headline_rouge takes no use_stemmer: choose from predictions"),
        ({"predictions": None}, "headline_rouge needs predictions: give one for every item"),
        ({"predictions": PREDICTIONS[:1]}, "there are 1 predictions, 4 references"),
        ({"predictions": None, "references": None}, "headline_rouge has nothing to score"),
        ({"rouge_types": ["rougeLsum"]}, "rouge_types has 'rougeLsum': choose from rouge1"),
    ],
)
def test_what_cannot_be_scored_is_one_sentence(rouge, given, message):
    with pytest.raises(InputError, match=message):
        rouge.compute(**{"predictions": PREDICTIONS, "references": REFERENCES} | given)


def test_hevas_has_the_means_of_the_package_and_without_references_what_needs_none(hevas):
    documents = Documents(tuple("abcd"), tuple(ARTICLES), tuple(map(tuple, REFERENCES)), "x")
    expected = measure(documents, {"s": PREDICTIONS}, options=MetricOptions(**HEVAS))
    given = {"predictions": PREDICTIONS, "documents": ARTICLES}
    result = hevas.compute(**given, references=REFERENCES, **HEVAS)
    assert list(result) == [*METRICS, "empty"]
    assert {name: result[name] for name in METRICS} == pytest.approx(expected.means["s"])
    assert (result["empty"], hevas.signature) == (1, expected.signature)
    json.dumps(result)
    alone = hevas.compute(**given, **HEVAS)
    without = {name for name, metric in METRICS.items() if metric.needs_references}
    assert alone == {name: result[name] for name in result if name not in without}
    with pytest.raises(InputError, match="R-1 need"):
        hevas.compute(**given, metrics=["R-1"])


def test_items_that_are_refused_leave_no_file_and_no_lock(hevas):
    with pytest.raises(InputError, match="R-1 need"):
        hevas.compute(predictions=PREDICTIONS, documents=ARTICLES, metrics=["R-1"])
    [file] = hevas.file_paths
    [lock] = hevas.filelocks
    assert (Path(file).exists(), lock.is_locked) == (False, False)
    given = {"predictions": PREDICTIONS, "documents": ARTICLES, "metrics": ["AWL"]}
    assert list(hevas.compute(**given)) == ["AWL", "empty"]


@pytest.fixture
def loaded(monkeypatch):
    """The judges that were loaded: fakes of the outlets of the quickstart."""
    folders = []

    def load(folder, **_):
        folders.append(folder)
        return FakeJudges(("colle", "faro"), fluency=True)

    monkeypatch.setattr("change_it.scoring.panel.Judges.from_pretrained", load)
    return folders


@pytest.mark.parametrize("name", ["compliancy", "hevas", "headline_rouge"])
def test_the_example_on_the_card_runs(name, loaded):
    card = (ROOT / name / "README.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", card, re.DOTALL):
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
        ("compliancy", (*TEXTS, "colle"), ["AH: fits the article", "yes"], [*TEXTS, "nope"]),
    ],
)
def test_the_page_of_a_metric_shows_what_it_measures(name, values, shown, wrong, loaded, gradio, monkeypatch):
    monkeypatch.setenv("CHANGE_IT_JUDGES", "nina/judges")
    score = runpy.run_path(str(ROOT / name / "app.py"))["demo"].fn
    rows, signature = score(*values)
    assert shown in rows
    assert signature
    with pytest.raises(gradio.Error):
        score(*wrong)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("headline_rouge", ["headline", "references"]),
        ("hevas", ["headline", "references", "document", "language"]),
        ("compliancy", ["source", "headline", "article", "outlet"]),
    ],
)
def test_a_page_asks_by_names_and_lets_no_visitor_choose_judges(name, asked, loaded, monkeypatch):
    monkeypatch.setenv("CHANGE_IT_JUDGES", "nina/judges")
    page = runpy.run_path(str(ROOT / name / "app.py"))["demo"]
    [endpoint] = page.get_api_info()["named_endpoints"].values()
    assert [parameter["parameter_name"] for parameter in endpoint["parameters"]] == asked
    if name == "compliancy":
        assert endpoint["parameters"][-1]["type"]["enum"] == ["colle", "faro"]
        assert loaded == ["nina/judges"]


def test_the_page_of_compliancy_says_that_it_has_no_judges(loaded, gradio, monkeypatch):
    monkeypatch.delenv("CHANGE_IT_JUDGES", raising=False)
    score = runpy.run_path(str(ROOT / "compliancy/app.py"))["demo"].fn
    with pytest.raises(gradio.Error, match="set its variable CHANGE_IT_JUDGES"):
        score(*TEXTS, "colle")
    assert loaded == []
