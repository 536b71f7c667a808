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
    assert list(result) == [*KEYS, "signature"]
    for name in KEYS:
        assert 0 < result[name] == pytest.approx(expected[name].mean())
    assert result["signature"] == f"headline_rouge|counts:set|tok:unicode|n:4|v:{change_it.__version__}"
    json.dumps(result)


def test_hand_computed_values(metric):
    result = metric.compute(predictions=["a x c"], references=[["a b c"]])
    assert [result[name] for name in KEYS] == pytest.approx([2 / 3, 0, 2 / 3, 1 / 2, 2.5 / 5.5])


def test_a_single_reference_may_stand_without_a_list(metric):
    first = [texts[0] for texts in REFERENCES]
    plain = metric.compute(predictions=PREDICTIONS, references=first)
    assert plain == metric.compute(predictions=PREDICTIONS, references=[[text] for text in first])


def test_some_of_the_measures(metric):
    every = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    some = metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeL", "rouge1"])
    assert list(some) == ["rougeL", "rouge1", "signature"]
    assert some.items() <= every.items()
    with pytest.raises(InputError, match="rouge_types has 'rougeLsum': choose from rouge1, rouge2, rougeL"):
        metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeLsum"])
