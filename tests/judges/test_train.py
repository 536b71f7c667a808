"""`change-it train judge` from the corpus folder to a saved judge, its numbers and its failures."""

import json

import judge_data
import numpy as np
import pytest
import torch
from judge_data import options
from saved_judges import build_encoder, save_parts
from transformers import AutoTokenizer

from change_it.cli import train as train_commands
from change_it.corpus.folder import describe_corpus, read_table, training_article_hashes
from change_it.errors import InputError
from change_it.files.records import from_json, to_json
from change_it.judges import train
from change_it.judges.data import load_fluency, load_task
from change_it.judges.judge import Judge
from change_it.judges.metrics import scores
from change_it.judges.options import LINEAR, PAPERS, settings_of
from change_it.judges.record import JudgeMetrics
from change_it.judges.reliability import results_table
from change_it.judges.spec import FLUENCY_ACCEPTS
from change_it.stats import log_odds
from change_it.training.run import TrainingRun

TINY = judge_data.TINY | {"max_steps": 16, "eval_steps": 8}
#: F1 of the linear main of the small corpus on gold.
GOLD_F1 = 0.8693
#: Its probabilities of outlet B for the first five headlines.
GOLD_ANSWERS = [0.0031, 0.0042, 0.1562, 0.0058, 0.3223]
BASELINES = ["n-grams", "marks, capitals, length"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A tiny BERT, untrained."""
    return str(save_parts(tmp_path_factory.mktemp("encoder"), *build_encoder()))


@pytest.fixture(scope="module")
def fitted(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("linear") / "main"
    train_commands.judge(options(corpus, out))
    return out


@pytest.fixture(scope="module")
def trained(corpus, encoder, tmp_path_factory):
    out = tmp_path_factory.mktemp("judge") / "main"
    train_commands.judge(options(corpus, out, encoder=encoder, **TINY))
    return out


def metrics_of(folder):
    return json.loads((folder / "metrics.json").read_text())


def test_a_linear_judge_is_saved_with_its_numbers(fitted, corpus):
    metrics = metrics_of(fitted)
    judge = Judge.from_pretrained(fitted, device="cpu")
    assert metrics["results"]["gold"]["macro_f1"] > 0.7
    assert (metrics["fold"], metrics["task"], metrics["training"]["updates"]) == ("all", "main", 0)
    assert metrics["baselines"] == {}
    files = {path.name for path in fitted.iterdir()}
    assert {"config.json", "model.safetensors", "metrics.json", "corpus.json", "README.md"} <= files
    assert not [name for name in files if name.endswith((".bin", ".pt", ".pkl")) or name == "checkpoints"]
    gold = load_task("main", corpus).tests["gold"]
    given = judge.probabilities(gold.texts, progress=False).argmax(axis=1)
    assert to_json(scores(gold.labels, given, judge.outlets)) == metrics["results"]["gold"]
    assert judge.weights_hash == metrics["weights_hash"]
    assert judge.corpus == describe_corpus(corpus, learnt=training_article_hashes(corpus, "all"))
    systems = metrics["within_event"]["systems"]
    assert list(systems) == ["judge", *BASELINES]
    assert metrics["within_event"]["pairs"] == read_table(corpus, "pairs", "test").height
    assert systems["judge"]["value"] > 0.6
    scale = judge.style
    assert json.loads(json.dumps(scale._asdict())) == metrics["style"]
    assert scale.gold > max(scale.clause)
    assert min(scale.evidence - 0.1, scale.accuracy) > 0.7
    assert scale.pairs >= scale.events > 20


def test_main_is_fitted_with_the_settings_that_it_always_had(fitted, corpus):
    judge = Judge.from_pretrained(fitted, device="cpu")
    gold = load_task("main", corpus).tests["gold"]
    answers = judge.probabilities(gold.texts[:5], progress=False)[:, 1]
    assert answers == pytest.approx(GOLD_ANSWERS, abs=1e-3)
    assert metrics_of(fitted)["results"]["gold"]["macro_f1"] == pytest.approx(GOLD_F1, abs=1e-3)


def test_the_scale_of_a_fold_is_of_the_pairs_of_the_other_one(corpus, fitted, tmp_path, monkeypatch):
    monkeypatch.setattr("change_it.judges.style_scale.ENOUGH_PAIRS", 1)  # those of the other fold are enough
    metrics = train.train_judge(options(corpus, tmp_path / "main", fold="0"))
    judge = Judge.from_pretrained(tmp_path / "main", device="cpu")
    pairs = read_table(corpus, "pairs", "train").filter(fold=1, alignment="A1")
    first, second = (log_odds(judge.probabilities(pairs[f"{one}_headline"])[:, 1]) for one in "ab")
    assert metrics.style.pairs == pairs.height < metrics_of(fitted)["style"]["pairs"]
    assert judge.style.gold == pytest.approx(np.median(second - first))
    assert train.train_judge(options(corpus, tmp_path / "random", train_on="random")).style is None
    assert Judge.from_pretrained(tmp_path / "random", device="cpu").style is None


def test_a_transformer_stands_beside_the_linear_judge_of_the_same_examples(trained, fitted):
    metrics = metrics_of(trained)
    alone = metrics_of(fitted)
    assert list(metrics["within_event"]["systems"])[1:] == [LINEAR, *BASELINES]
    assert 0 < metrics["style"]["pairs"] < alone["style"]["pairs"]  # of validation events
    beside = metrics["baselines"][LINEAR]["gold"]
    assert all(beside[name] == alone["results"]["gold"][name] for name in ("colle", "faro", "macro_f1"))
    ahead = metrics["results"]["gold"]["macro_f1"] - beside["macro_f1"]
    assert beside["lead"]["value"] == pytest.approx(ahead)
    assert beside["lead"]["low"] < ahead < beside["lead"]["high"]
    said = "on gold the judge is no better than linear"
    for low, expected in ((-0.01, 1), (0.0, 1), (0.001, 0)):
        beside["lead"] = {"value": 0.01, "low": low, "high": 0.02}
        assert sum(said in note for note in results_table(from_json(JudgeMetrics, metrics)).notes) == expected


def test_a_broken_run_leaves_the_old_judge_and_resumes_to_the_same_weights(
    trained, encoder, corpus, tmp_path, interrupted_at, monkeypatch
):
    out = tmp_path / "main"
    more = {"encoder": encoder, "checkpoint_minutes": 1e-9, **TINY}
    out.mkdir()
    (out / "model.safetensors").write_bytes(b"old")
    record = {"weights_hash": "", "model_hash": "", "files": ["model.safetensors", "metrics.json"]}
    (out / "metrics.json").write_text(json.dumps(record), encoding="utf-8")
    with interrupted_at(10):
        train.train_judge(options(corpus, out, **more))
    assert (out / "model.safetensors").read_bytes() == b"old"
    with pytest.raises(InputError, match=r"main/checkpoints is .* with another seed: .*remove that folder"):
        train.train_judge(options(corpus, out, resume=True, seed=2, **more))
    with monkeypatch.context() as launched:
        launched.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
        with pytest.raises(InputError, match="another mixed_precision"):
            train.train_judge(options(corpus, out, resume=True, **more))
    train.train_judge(options(corpus, out, resume=True, **more))
    assert (out / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_content_judges_are_tested_on_every_kind_of_negatives(corpus, tmp_path, task):
    metrics = train.train_judge(options(corpus, tmp_path / task, task=task, fold="0"))
    near = ["near"] if task == "hh" else []
    assert list(metrics.results) == ["random", "hard", *near, "facts"]
    note = results_table(metrics).notes[1]
    assert note.startswith("hard: of the most similar wrong article below a cosine of .185")
    assert note.endswith("; near: from .185 to .500, two days apart or more") == (task == "hh")
    assert metrics.results["random"].macro_f1 > 0.8
    assert Judge.from_pretrained(tmp_path / task).fold == "0"


@pytest.mark.parametrize("kind", ["linear", "transformer"])
def test_fluency_lets_its_share_of_printed_validation_headlines_through(corpus, encoder, tmp_path, kind):
    short = TINY | {"encoder": encoder, "max_steps": 1, "max_tokens": 300}
    chosen = options(corpus, tmp_path, task="fluency", **(short if kind == "transformer" else {}))
    metrics = train.train_judge(chosen)
    held = load_fluency(corpus, fold="all", seed=1).validation
    printed = [text for text, label in zip(held.texts, held.labels, strict=True) if label]
    given = Judge.from_pretrained(tmp_path, device="cpu").probabilities(printed, progress=False)[:, 1]
    assert (given > 0.5).mean() == pytest.approx(FLUENCY_ACCEPTS, abs=1.5 / len(printed))
    of_linear = metrics.baselines[LINEAR] if kind == "transformer" else metrics.results
    assert min(result.classes["broken"].recall for result in of_linear.values()) > 0.4  # .06 by chance


def test_ah_as_published_reads_the_article_first_and_no_token_types(
    small_corpus, encoder, tmp_path, monkeypatch
):
    run = {}
    monkeypatch.setattr(train, "TrainingRun", lambda **given: run.update(given) or TrainingRun(**given))
    settings = {**TINY, "task": "ah", "encoder": encoder, "as_published": True, "max_tokens": 200}
    train.train_judge(options(small_corpus, tmp_path / "ah", max_minutes=0.0, **settings))
    judge = Judge.from_pretrained(tmp_path / "ah", device="cpu")
    learnt = load_task("ah", small_corpus, as_published=True).train
    headline = learnt.texts[0]
    article = learnt.pairs[0]
    read = {"truncation": True, "max_length": 200, "return_tensors": "pt"}
    expected = AutoTokenizer.from_pretrained(tmp_path / "ah")(article, headline, **read)
    for batch in (run["collate"](run["examples"][:1]), judge.encode([headline], [article], 200), expected):
        assert batch["input_ids"].tolist() == expected["input_ids"].tolist()
        assert "token_type_ids" not in batch
    with torch.no_grad():
        right = judge.model(**expected).logits.softmax(-1).numpy()
    given = judge.probabilities([headline], [article], progress=False)
    assert given == pytest.approx(right, abs=1e-6)


def test_presets(tmp_path):
    def of(**given):
        return settings_of(options("c", tmp_path, **given))

    assert (of().encoder, of().preset) == (LINEAR, {})
    paper = of(as_published=True)
    assert (paper.encoder, paper.max_tokens) == (PAPERS, 32)
    sizes = {"per_device_train_batch_size": 256, "num_train_epochs": 6}
    assert paper.preset == {**sizes, "learning_rate": 1e-5}
    with pytest.raises(InputError, match="--as-published"):
        of(as_published=True, task="fluency")
    with pytest.raises(InputError, match="--max-tokens requires an --encoder"):
        of(max_tokens=64)


@pytest.mark.parametrize(
    "given", [{"epochs": 2.0}, {"batch_size": 8}, {"max_minutes": 1.0}, {"checkpoint_minutes": 1.0}]
)
def test_options_of_a_training_are_refused_for_a_judge_that_is_fitted(given, tmp_path):
    option = next(iter(given)).replace("_", "-")
    with pytest.raises(InputError, match=f"^--{option} requires an --encoder"):
        settings_of(options("c", tmp_path, **given))
