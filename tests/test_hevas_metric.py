import json

import evaluate
import pytest

import change_it
from change_it import InputError
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import evaluate as measure
from change_it.hevas.metric_options import MetricOptions
from change_it.hevas.metrics import METRICS, WITH_REFERENCES

PREDICTIONS = ["Tasse, il governo ci ripensa", "Coppa alla squadra di casa", "", "Neve a Torino"]
REFERENCES = [
    ["Il governo rinvia la riforma delle tasse"],
    ["La coppa resta in casa", "Vince la squadra di casa"],
    ["Roma"],
    ["Torino sotto la neve"],
]
ARTICLES = [
    "Il governo ha rinviato la riforma delle tasse. Se ne parla dopo il voto.",
    "La squadra di casa ha vinto la coppa dopo i rigori. Festa in piazza.",
    "A Roma si vota.",
    "Neve su Torino e treni fermi.",
]
INPUT = {"predictions": PREDICTIONS, "references": REFERENCES, "documents": ARTICLES}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(change_it.metric_path("hevas"))


@pytest.fixture(scope="module")
def expected():
    documents = Documents(tuple("abcd"), tuple(ARTICLES), tuple(map(tuple, REFERENCES)), "x")
    options = MetricOptions(topics=2, lsi="2", seed=3)
    return measure(documents, [System("s", tuple(PREDICTIONS))], options=options)


def test_means_of_the_values_of_the_package(metric, expected):
    result = metric.compute(**INPUT, topics=2, lsi="2", seed=3)
    assert list(result) == [*METRICS, "empty"]
    assert {name: result[name] for name in METRICS} == pytest.approx(expected.means["s"])
    assert (result["empty"], metric.signature) == (1, expected.signature)
    json.dumps(result)


def test_without_references_the_metrics_that_need_none(metric, expected):
    given = {"predictions": PREDICTIONS, "documents": ARTICLES, "topics": 2, "lsi": "2", "seed": 3}
    result = metric.compute(**given)
    names = [name for name in METRICS if name not in WITH_REFERENCES]
    assert list(result) == [*names, "empty"]
    for name in ("JS-C", "Fog"):
        assert result[name] == pytest.approx(expected.means["s"][name])
    with pytest.raises(InputError, match="R-1 need"):
        metric.compute(predictions=PREDICTIONS, documents=ARTICLES, metrics=["R-1"])
