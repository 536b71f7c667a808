import json

import evaluate
import pytest

import change_it
from change_it import InputError
from change_it.text.rouge import headline_rouge

PREDICTIONS = ["Tasse, il governo ci ripensa", "Perché è così", "", "Il governo il governo"]
REFERENCES = [
    ["Il governo rinvia la riforma delle tasse", "Sulle tasse il governo ci ripensa"],
    ["È così perché sì"],
    ["Roma"],
    ["Il voto e il governo"],
]
KEYS = ["rouge1", "rouge2", "rougeL", "rougeSU", "rougeWSU"]


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(change_it.metric_path("headline_rouge"))


def test_means_of_the_scores_of_the_package(metric):
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    expected = headline_rouge(PREDICTIONS, REFERENCES, measures=KEYS)
    assert list(result) == KEYS
    for name in KEYS:
        assert 0 < result[name] == pytest.approx(expected[name].mean())
    assert metric.signature == f"headline_rouge|counts:set|tok:unicode|n:4|v:{change_it.__version__}"
    json.dumps(result)


def test_some_of_the_measures(metric):
    every = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    some = metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeL", "rouge1"])
    assert list(some) == ["rougeL", "rouge1"]
    assert some.items() <= every.items()
    with pytest.raises(InputError, match="rouge_types has 'rougeLsum': choose from rouge1, rouge2, rougeL"):
        metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeLsum"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"use_stemmer": True}, "headline_rouge takes no use_stemmer: choose from predictions"),
        ({"predictions": None}, "headline_rouge needs predictions: give one for every item"),
        ({"predictions": PREDICTIONS[:1]}, "there are 1 predictions, 4 references"),
        ({"predictions": None, "references": None}, "headline_rouge has nothing to score"),
    ],
)
def test_what_cannot_be_scored_is_one_sentence(metric, given, message):
    with pytest.raises(InputError, match=message):
        metric.compute(**{"predictions": PREDICTIONS, "references": REFERENCES} | given)
