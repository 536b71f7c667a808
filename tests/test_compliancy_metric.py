import json
from dataclasses import replace

import evaluate
import pandas as pd
import polars as pl
import pytest
from datasets import Dataset
from scoring_fakes import FakeJudges

import change_it
from change_it import InputError, Judges, compute_compliancy
from change_it.judges.spec import JUDGES
from change_it.scoring.aspects import compared_aspects, compliancy_measures
from change_it.scoring.baselines import built_in_systems
from change_it.scoring.scores import score


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(change_it.files.shipped.metric_path("compliancy"))


def columns_of(test):
    """Gold headlines, as the metric takes them."""
    names = {"predictions": "reference", "sources": "source", "articles": "article", "labels": "label"}
    return {column: [getattr(item, name) for item in test.items] for column, name in names.items()}


@pytest.fixture
def gold(toy_test):
    return columns_of(toy_test)


def test_gold_complies_and_copy_does_not(metric, gold, fake_judges):
    result = metric.compute(**gold, judges=fake_judges)
    assert result["compliancy"] == 1.0
    paper = {"compliancy": 1.0, "hh": 1.0, "ah": 1.0, "main": 1.0}
    ours = {"style": pytest.approx(1), "evidence": 1.0, "edited": 0.0}
    unknown = dict.fromkeys(("acceptability", "fluency"))
    both = paper | ours
    directions = {f"{way}_{name}": both[name] for way in ("rep2gio", "gio2rep") for name in both}
    assert result == both | directions
    assert metric.verdicts[0] == {**both, **unknown, "refused_by": "", "unsupported": []}
    assert metric.intervals["average"]["compliancy"] == pytest.approx((0.025 ** (1 / 8), 1))
    assert metric.signature.endswith(
        f"|reversal:relative|tok:unicode|n:8|partners:0|events:8|resamples:1000|seed:1|v:{change_it.version.__version__}"
    )
    copy = metric.compute(**{**gold, "predictions": gold["sources"]}, judges=fake_judges)
    assert (copy["compliancy"], copy["hh"], copy["main"], copy["style"], copy["edited"]) == (0, 1, 0, 0, 1)
    assert metric.verdicts[0]["refused_by"] == "main; edited: 0 of 5 words new"
    json.dumps(copy)
    metric.compute(**gold, judges=fake_judges, reversal="target")
    assert "|reversal:target|" in metric.signature


def test_one_signature_is_one_number(metric, toy_test, fake_judges):
    """With the partners' articles the metric gives what `change-it score` prints.

    Without them the signature says so.
    """
    first, *others = toy_test.items
    more = {name: f"{getattr(first, name)} Parla Bianchi" for name in ("reference", "reference_article")}
    first = replace(first, **more)
    test = replace(toy_test, items=(first, *others))
    row = score(test, fake_judges, built_in_systems(test)).row("gold")
    call = {**columns_of(test), "judges": fake_judges}
    result = metric.compute(**call, reference_articles=[item.reference_article for item in test.items])
    assert metric.signature == row.signature
    known = [name for name in compliancy_measures() if name in row.values]
    assert [result[name] for name in known] == [row.values[name] for name in known]
    assert [metric.intervals["average"][name] for name in known] == [
        row.intervals.get(name) for name in known
    ]
    alone = metric.compute(**call)
    assert (result["evidence"], alone["evidence"]) == (1.0, 0.875)
    assert metric.signature == row.signature.replace("|partners:8|events:4|", "|partners:0|events:8|")


def test_tables_classes_one_label_and_a_path_are_understood(metric, gold, fake_judges, monkeypatch, tmp_path):
    monkeypatch.setattr(Judges, "from_pretrained", lambda name, **_: {tmp_path: fake_judges}[name])
    expected = metric.compute(**gold, judges=fake_judges)
    classes = gold | {"labels": [fake_judges.outlets.index(label) for label in gold["labels"]]}
    for table in (gold, pd.DataFrame(classes), pl.DataFrame(gold), Dataset.from_dict(gold)):
        assert metric.compute(**{name: table[name] for name in gold}, judges=tmp_path) == expected
    half = {name: values[:4] for name, values in gold.items()}
    one = metric.compute(**half | {"labels": "rep"}, judges=fake_judges)
    assert one == metric.compute(**half, judges=fake_judges)


def test_batches_and_generators_carry_all_that_compute_takes(metric, toy_test, fake_judges):
    gold = columns_of(toy_test) | {
        "reference_articles": [item.reference_article for item in toy_test.items],
        "events": [number // 2 for number in range(8)],
    }
    result = metric.compute(**gold, judges=fake_judges)
    report = metric.signature, metric.intervals, metric.verdicts
    metric.add_batch(**{name: iter(values[:6]) for name, values in gold.items()})
    for row, end in ((6, "s"), (7, "")):  # singular, plural
        one = {name: values[row] for name, values in gold.items()}
        metric.add(**{name.removesuffix(end): value for name, value in one.items()})
    assert metric.compute(judges=fake_judges) == result
    assert (metric.signature, metric.intervals, metric.verdicts) == report
    given = {name: iter(values) for name, values in gold.items()}
    assert compute_compliancy(**given, judges=fake_judges)["signature"] == metric.signature
    half = {name: iter(values[:4]) for name, values in gold.items()} | {"labels": "rep"}
    assert compute_compliancy(**half, judges=fake_judges)["compliancy"] == 1
    with pytest.raises(InputError, match="compliancy takes no tokenizer: choose from predictions, sources"):
        metric.compute(**gold, judges=fake_judges, tokenizer=str.split)
    rouge = evaluate.load(change_it.files.shipped.metric_path("headline_rouge"))
    both = evaluate.combine([metric, rouge]).compute(
        **gold, references=gold["predictions"], judges=fake_judges
    )
    assert both == result | dict.fromkeys(("rouge1", "rouge2", "rougeL", "rougeSU", "rougeWSU"), 1.0)


def test_judges_named_at_loading_are_loaded_once_for_all_calls(gold, monkeypatch):
    loads = []

    def load(name, **how):
        loads.append((name, how))
        return FakeJudges()

    monkeypatch.setattr(Judges, "from_pretrained", load)
    path = change_it.files.shipped.metric_path("compliancy")
    metric = evaluate.load(path, "runs/x/judges")
    first, second = metric.compute(**gold), metric.compute(**gold)
    assert first == second == metric.compute(**gold, judges="runs/x/judges")
    assert loads == [("runs/x/judges", {"precision": "float32", "device": "auto"})]
    metric.compute(**gold, judges="other/judges")
    assert [name for name, _ in loads] == ["runs/x/judges", "other/judges"]
    with pytest.raises(InputError, match="there are no judges: give judges="):
        evaluate.load(path).compute(**gold)
    with pytest.raises(InputError, match="this module has no runs/x/judges"):
        evaluate.load(change_it.files.shipped.metric_path("headline_rouge"), "runs/x/judges")


def test_verdicts_stand_in_the_result_where_they_are_asked_for(metric, gold, fake_judges):
    plain = metric.compute(**gold, judges=fake_judges)
    result = metric.compute(**gold, judges=fake_judges, per_item=True)
    verdicts = result.pop("verdicts")
    assert result == plain
    assert verdicts == metric.verdicts
    assert [verdict["compliancy"] for verdict in verdicts] == [True] * 8
    combined = evaluate.combine([metric]).compute(**gold, judges=fake_judges, per_item=True)
    assert combined["verdicts"] == verdicts


def test_a_missing_prediction_is_refused_and_an_empty_one_passes_nothing(metric, gold, fake_judges):
    lacking = gold | {"predictions": [*gold["predictions"][:7], None]}
    for compute in (metric.compute, compute_compliancy):
        with pytest.raises(InputError, match="predictions has no text at 7: leave the item out"):
            compute(**lacking, judges=fake_judges)
    empty = gold | {"predictions": [*gold["predictions"][:7], ""]}
    assert metric.compute(**empty, judges=fake_judges)["compliancy"] == pytest.approx(7 / 8)


def test_judges_mark_headlines_when_they_are_called(gold):
    judges = FakeJudges(fluency=True)
    texts = {"originals": gold["sources"], "articles": gold["articles"]}
    found = judges(["Giu\u0300 il\u200b ponte di Bari!", *gold["predictions"][1:]], **texts)
    gold["predictions"][0] = found[0].text
    verdicts = compute_compliancy(**gold, judges=judges)["verdicts"]
    for one, row in zip(found, verdicts, strict=True):
        assert one.marks == {name: row[name] for name in JUDGES}
        assert (one.compliant, one.style, one.acceptability) == tuple(
            row[name] for name in compared_aspects()
        )
        assert [part.text for part in one.unsupported] == row["unsupported"]
    assert [found[0].text[part.start : part.end] for part in found[0].unsupported] == ["Bari"]
    probabilities = {"hh": 0.8, "ah": 0.7, "main": 0.9, "source": 0.2, "fluency": 0.6}
    assert found[0].probabilities == pytest.approx(probabilities)
    half = {name: values[:4] for name, values in texts.items()}
    assert judges(pd.Series(gold["predictions"][:4]), **half, to="gio") == found[:4]
    assert judges([], originals=[], articles=[]) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"originals": ["x"]}, "there are 8 headlines, 1 originals, 8 articles"),
        ({"headlines": "Crolla il ponte"}, "headlines is one text"),
        ({"to": "left"}, "to: 'left' is no outlet: give rep or gio"),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(gold, change, message):
    texts = {"headlines": gold["predictions"], "originals": gold["sources"], "articles": gold["articles"]}
    with pytest.raises(InputError, match=message):
        FakeJudges()(**texts | change)
