import json
from pathlib import Path

import evaluate
import pytest
import yaml

import change_it
from change_it import InputError


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(change_it.metric_path("compliancy"))


@pytest.fixture
def gold(toy_test):
    return {
        "predictions": [item.reference for item in toy_test.items],
        "sources": [item.source for item in toy_test.items],
        "articles": [item.article for item in toy_test.items],
        "labels": [item.label for item in toy_test.items],
    }


def test_gold_complies_and_copy_does_not(metric, gold, fake_judges):
    result = metric.compute(**gold, judges=fake_judges)
    assert result["compliancy"] == 1.0
    paper = {"compliancy": 1.0, "hh": 1.0, "ah": 1.0, "main": 1.0}
    ours = {"strict_compliancy": None, "fluency": None, "facts": 1.0}
    assert result["rep2gio"] == result["gio2rep"] == paper | ours
    verdicts = dict.fromkeys(("compliancy", "hh", "ah", "main", "facts"), True)
    unknown = {"strict_compliancy": None, "fluency": None}
    assert result["verdicts"][0] == {**verdicts, **unknown, "unsupported": []}
    assert result["intervals"]["average"]["compliancy"] == (1.0, 1.0)
    assert result["signature"].endswith(
        f"|reversal:relative|tok:unicode|n:8|resamples:1000|seed:1|v:{change_it.__version__}"
    )
    copy = metric.compute(**{**gold, "predictions": gold["sources"]}, judges=fake_judges)
    assert (copy["compliancy"], copy["hh"], copy["main"]) == (0.0, 1.0, 0.0)
    json.dumps(copy)


def test_two_identical_calls_give_identical_results(metric, gold, fake_judges):
    mixed = {**gold, "predictions": gold["predictions"][:3] + gold["sources"][3:]}
    first = metric.compute(**mixed, judges=fake_judges)
    assert first == metric.compute(**mixed, judges=fake_judges)
    assert first["compliancy"] == pytest.approx((0.75 + 0) / 2)


def test_add_batch(metric, gold, fake_judges):
    whole = metric.compute(**gold, judges=fake_judges)
    for half in (slice(None, 4), slice(4, None)):
        metric.add_batch(**{name: values[half] for name, values in gold.items()})
    assert metric.compute(judges=fake_judges) == whole


def test_one_direction_is_the_average(metric, gold, fake_judges):
    result = metric.compute(**{name: values[:4] for name, values in gold.items()}, judges=fake_judges)
    assert "gio2rep" not in result
    assert result["rep2gio"]["compliancy"] == result["compliancy"]


def test_the_shared_task_s_labels_are_understood(metric, gold, fake_judges):
    letters = {**gold, "labels": ["R" if label == "rep" else "G" for label in gold["labels"]]}
    assert metric.compute(**letters, judges=fake_judges) == metric.compute(**gold, judges=fake_judges)


def test_bad_input(metric, gold, fake_judges):
    with pytest.raises(InputError, match="'left' is none of the judges' outlets"):
        metric.compute(**{**gold, "labels": ["left"] * 8}, judges=fake_judges)
    with pytest.raises(InputError, match="empty texts in predictions at 2"):
        metric.compute(
            **{**gold, "predictions": [*gold["predictions"][:2], " ", *gold["predictions"][3:]]},
            judges=fake_judges,
        )


def test_features_and_card(metric):
    assert set(metric.features) == {"predictions", "sources", "articles", "labels"}
    card = (Path(change_it.metric_path("compliancy")) / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---")[1])
    assert header["sdk"] == "gradio"
    assert header["app_file"] == "app.py"
