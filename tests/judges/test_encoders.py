"""Judges from pre-trained encoders: how long they train, what is said of them, and adapters."""

import json

import pytest
import torch
from judge_data import TINY, options
from safetensors.torch import load_file
from saved_judges import a_judges_metrics, build_encoder, save_parts
from transformers import AutoModelForSequenceClassification, BertForSequenceClassification

from change_it.cli import train as train_commands
from change_it.cli.train import line_of
from change_it.errors import InputError
from change_it.judges import train
from change_it.judges.data import load_task
from change_it.judges.judge import Judge
from change_it.judges.linear_training import fit_linear
from change_it.judges.metrics import scores
from change_it.judges.options import settings_of
from change_it.judges.record import BesideLinear
from change_it.judges.spec import JUDGES
from change_it.stats import Score
from change_it.training import updates
from change_it.training.record import TrainingResult

SHORT = TINY | {"max_steps": 6, "eval_steps": 3}


class PlannedError(Exception):
    """Ends a training before its first update."""


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A tiny BERT, untrained."""
    torch.manual_seed(1)
    return str(save_parts(tmp_path_factory.mktemp("encoder"), *build_encoder()))


@pytest.mark.parametrize("task", ["main", "hh", "ah", "fluency"])
def test_a_preset_has_at_least_the_updates_that_an_encoder_needs(
    task, small_corpus, encoder, tmp_path, monkeypatch
):
    planned = {}

    def plan(run, examples, settings, arguments, **more):
        found = updates.plan_updates(run, examples, settings, arguments, **more)
        planned.update(found=found, least=run.min_updates, minutes=run.minutes_on_cpu)
        raise PlannedError

    monkeypatch.setattr("change_it.training.trainer.plan_updates", plan)
    with pytest.raises(PlannedError):
        train.train_judge(options(small_corpus, tmp_path / task, task=task, encoder=encoder, max_tokens=32))
    assert (planned["least"], planned["minutes"]) == (300, 60.0)
    assert planned["found"].updates >= 300
    assert planned["found"].seconds > 0


def test_judges_as_published_train_as_the_papers_say(small_corpus, encoder, tmp_path):
    papers = {
        "main": (256, 6, 32),
        "hh": (128, 2, 64),
        "ah": (8, 6, 512),
    }
    for task, (batch, epochs, tokens) in papers.items():
        settings = settings_of(options("c", tmp_path, task=task, encoder=encoder, as_published=True))
        preset = settings.preset
        assert (preset["per_device_train_batch_size"], preset["num_train_epochs"]) == (batch, epochs)
        assert (preset["learning_rate"], settings.max_tokens) == (1e-5, tokens)
        assert ("early_stopping" in preset) == (task == "hh")
    run = {"epochs": 1.0, "batch_size": 64, "max_tokens": 32}
    metrics = train.train_judge(
        options(small_corpus, tmp_path / "hh", task="hh", encoder=encoder, as_published=True, **run)
    )
    assert metrics.training.planned < 300


def test_a_transformer_is_compared_with_a_linear_judge_on_validation(small_corpus, encoder, tmp_path):
    metrics = train.train_judge(options(small_corpus, tmp_path / "hh", task="hh", encoder=encoder, **SHORT))
    data = load_task("hh", small_corpus)
    assert len(data.validation) <= JUDGES["hh"].validation  # all of them are read
    linear = fit_linear("hh", data.without_validation(), seed=1)
    given = linear.predict_proba(data.validation.texts, data.validation.pairs).argmax(axis=1)
    expected = scores(data.validation.labels, given, ("no_match", "match")).macro_f1
    judge = Judge.from_pretrained(tmp_path / "hh", device="cpu")
    answers = judge.probabilities(data.validation.texts, data.validation.pairs, progress=False)
    own = scores(data.validation.labels, answers.argmax(axis=1), ("no_match", "match")).macro_f1
    assert metrics.validation.linear == pytest.approx(expected)
    assert metrics.validation.judge == pytest.approx(own)
    assert metrics.validation.lead.value == pytest.approx(own - expected)
    assert metrics.validation.is_no_better
    written = json.loads((tmp_path / "hh/metrics.json").read_text(encoding="utf-8"))
    assert written["validation"]["linear"] == metrics.validation.linear


@pytest.mark.parametrize(
    ("low", "training", "says", "says_not"),
    [
        (
            -0.3,
            TrainingResult(updates=2, planned=2),
            "no better than linear on validation (F1 .500, linear .900), 2 of 2 updates, fewer than 300",
            "stopped",
        ),
        (
            0.01,
            TrainingResult(updates=310, planned=620, stopped="early"),
            "F1 better than linear on validation (F1 .500, linear .900), 310 of 620 updates, stopped early",
            "fewer",
        ),
        (
            0.0,
            TrainingResult(updates=310, planned=620, stopped="time"),
            "no better than linear on validation (F1 .500, linear .900), 310 of 620 updates, out of time",
            "fewer",
        ),
    ],
)
def test_the_line_of_a_judge_says_whether_it_is_better_than_linear(low, training, says, says_not):
    lead = Score(0.1, low, 0.2)
    beside = BesideLinear(judge=0.5, linear=0.9, lead=lead)
    line = line_of(a_judges_metrics(validation=beside, training=training))
    assert says in line
    assert says_not not in line


def test_a_judge_that_is_fitted_says_nothing_of_updates():
    assert "updates" not in line_of(a_judges_metrics(training=TrainingResult()))


@pytest.mark.parametrize("task", ["main", "hh"])
def test_adapters_are_merged_into_a_plain_classifier(task, small_corpus, encoder, tmp_path, capsys):
    out = tmp_path / task
    train_commands.judge(
        options(small_corpus, out, task=task, encoder=encoder, lora=True, lora_rank=4, **SHORT)
    )
    assert "adapters merged into the encoder" in capsys.readouterr().out
    assert not list(out.glob("adapter*"))
    model = AutoModelForSequenceClassification.from_pretrained(out)
    assert type(model) is BertForSequenceClassification
    base = load_file(f"{encoder}/model.safetensors")
    new = model.bert.state_dict()
    changed = {name for name in base if not torch.equal(base[name], new[name])}
    adapted = {"attention.self.query.weight", "attention.self.value.weight"}
    expected = {f"encoder.layer.0.{name}" for name in adapted} | {"pooler.dense.weight", "pooler.dense.bias"}
    assert changed == expected
    judge = Judge.from_pretrained(out, device="cpu")
    test = "gold" if task == "main" else "random"
    data = load_task(task, small_corpus).tests[test]
    given = judge.probabilities(data.texts, data.pairs, progress=False).argmax(axis=1)
    metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
    found = scores(data.labels, given, tuple(model.config.id2label.values()))
    assert metrics["results"][test]["macro_f1"] == pytest.approx(found.macro_f1)
    assert metrics["options"]["lora"] is True


def test_a_broken_run_with_adapters_resumes_to_the_same_judge(
    small_corpus, encoder, tmp_path, interrupted_at
):
    given = {"task": "hh", "encoder": encoder, "lora": True, "checkpoint_minutes": 0.0, **SHORT}
    train.train_judge(options(small_corpus, tmp_path / "whole", **given))
    with interrupted_at(4):
        train.train_judge(options(small_corpus, tmp_path / "broken", **given))
    train.train_judge(options(small_corpus, tmp_path / "broken", resume=True, **given))
    weights = {(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "broken")}
    assert len(weights) == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lora": True}, "--lora requires the --encoder of a pre-trained model: linear has no weights"),
        ({"lora": True, "encoder": "bilstm"}, "--lora requires .*: bilstm has no weights"),
        ({"lora": True, "as_published": True}, "--as-published trains the whole encoder"),
        ({"lora_rank": 8, "encoder": "bert-base-cased"}, "--lora-rank requires --lora"),
        ({"lora": True, "lora_alpha": 0, "encoder": "bert-base-cased"}, "--lora-alpha 0 is out of range"),
    ],
)
def test_adapters_that_fit_no_judge_are_refused(given, says, tmp_path):
    with pytest.raises(InputError, match=says):
        settings_of(options("c", tmp_path, **given))


def test_adapters_take_larger_steps(tmp_path):
    encoder = {"encoder": "bert-base-cased"}
    assert settings_of(options("c", tmp_path, **encoder)).preset["learning_rate"] == 5e-5
    assert settings_of(options("c", tmp_path, lora=True, **encoder)).preset["learning_rate"] == 1e-3
