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


def test_a_single_reference_may_stand_without_a_list(metric):
    first = [texts[0] for texts in REFERENCES]
    plain = metric.compute(predictions=PREDICTIONS, references=first)
    assert plain == metric.compute(predictions=PREDICTIONS, references=[[text] for text in first])


def test_some_of_the_measures(metric):
    every = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    some = metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeL", "rouge1"])
    assert list(some) == ["rougeL", "rouge1"]
    assert some.items() <= every.items()
    with pytest.raises(InputError, match="rouge_types has 'rougeLsum': choose from rouge1, rouge2, rougeL"):
        metric.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rougeLsum"])


def test_it_fits_the_habits_of_callers(metric):
    """Percentages as in the examples of transformers, batches, single items, generators, and other modules beside it."""
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {name: round(value * 100, 4) for name, value in result.items()}.keys() == result.keys()
    metric.add_batch(predictions=iter(PREDICTIONS[:2]), references=iter(REFERENCES[:2]))
    metric.add(prediction=None, reference=REFERENCES[2][0])
    metric.add(prediction=PREDICTIONS[3], reference=REFERENCES[3])
    assert metric.compute() == result
    hevas = evaluate.load(change_it.metric_path("hevas"))
    both = evaluate.combine([metric, hevas])
    several = {"predictions": PREDICTIONS, "references": REFERENCES, "documents": PREDICTIONS[:2] * 2}
    with pytest.raises(InputError, match="headline_rouge takes no metrics: choose from predictions"):
        both.compute(**several, metrics=["R-1"])
    single = {"predictions": PREDICTIONS[0], "references": REFERENCES[0], "documents": PREDICTIONS[1]}
    both = evaluate.combine([metric, evaluate.load(change_it.metric_path("headline_rouge"))])
    assert both.compute(**several)["headline_rouge_0_rouge1"] == result["rouge1"]
    both.add(**{f"{name}"[:-1] if name != "documents" else name: text for name, text in single.items()})
    both.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert both.compute()["headline_rouge_1_rouge1"] == result["rouge1"]


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
