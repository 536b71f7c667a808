"""`change-it train judge` from the corpus folder to a saved judge, its numbers and its failures."""

import json

import pytest
import torch
from processes import run_python
from transformers import AutoTokenizer

from change_it.commands import train_judge
from change_it.errors import InputError
from change_it.judges import baselines, encoders, train
from change_it.judges.data import load_task
from change_it.judges.judge import Judge
from change_it.judges.judge_options import JudgeOptions, as_in_the_papers, preset
from change_it.text.typography import plain
from change_it.training.trainer import TrainingRun


def options(corpus, out, **changes):
    settings = {
        "task": "main",
        "encoder": "scratch",
        "batch_size": 16,
        "epochs": 0.1,
        "early_stopping": 0,
        "max_tokens": 32,
        "learning_rate": 2e-3,
        "checkpoint_steps": 4,
        "evaluation_steps": 8,
    }
    return JudgeOptions(corpus=corpus, out=out, **{**settings, **changes})


@pytest.fixture(scope="module", autouse=True)
def small():
    """Few updates of a narrow encoder, which starts from few pairs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "MIN_UPDATES", 16)
        patch.setitem(encoders.SIZES, "tiny", (1, 32, 2))
        patch.setattr(encoders, "WARM_PAIRS", 200)
        yield


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("judge") / "main"
    train_judge.run(options(corpus, out))
    return out


def test_a_style_judge_learns_and_is_saved_with_its_numbers(trained, corpus):
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["results"]["gold"]["macro_f1"] > 0.6
    assert metrics["baselines"]["character n-grams"]["gold"]["macro_f1"] > 0.6
    assert set(metrics["results"]["gold"]) == {"colle", "faro", "macro_f1", "accuracy"}
    assert set(metrics["results"]["gold"]["faro"]) == {"precision", "recall", "f1", "support"}
    assert metrics["training"]["updates"] == 16
    assert metrics["options"]["learning_rate"] == 2e-3
    assert (metrics["fold"], metrics["task"]) == ("all", "main")
    assert metrics["sizes"]["gold"] == sum(
        metrics["results"]["gold"][name]["support"] for name in ("colle", "faro")
    )
    assert "torch" in metrics["versions"]
    files = {path.name for path in trained.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "metrics.json", "corpus.json"} <= files
    beside = metrics["baselines"]["character n-grams"]["gold"]
    ahead = metrics["results"]["gold"]["macro_f1"] - beside["macro_f1"]
    assert beside["lead"]["value"] == pytest.approx(ahead)
    assert beside["lead"]["low"] < ahead < beside["lead"]["high"]
    assert not [name for name in files if name.endswith((".bin", ".pt")) or name == "checkpoints"]


def test_a_judge_that_is_not_surely_ahead_is_called_no_better(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    beside = metrics["baselines"]["character n-grams"]["gold"]
    said = "on gold the judge is no better than character n-grams"
    for low, expected in ((-0.01, 1), (0.0, 1), (0.001, 0)):
        beside["lead"] = {"value": 0.01, "low": low, "high": 0.02}
        assert sum(said in note for note in train.table_of(metrics).notes) == expected


def test_main_learns_from_each_training_headline_without_typography_too(corpus, tmp_path, monkeypatch):
    class StopError(Exception): ...

    def seen(model, tokenizer, texts, labels, *, held_out, max_tokens):
        known, at = len(texts) - held_out[0], held_out[0]
        assert len(texts) == len(labels) == len(held_out) + 2 * at
        assert list(texts[known:]) == [plain(text) for text in texts[:at]] != list(texts[:at])
        assert labels[known:].tolist() == labels[:at].tolist()
        raise StopError

    monkeypatch.setattr(train, "fit_ngrams", seen)
    with pytest.raises(StopError):
        train_judge.run(options(corpus, tmp_path / "main"))


def test_the_saved_judge_gives_the_reported_verdicts(trained, corpus):
    metrics = json.loads((trained / "metrics.json").read_text())
    judge = Judge.from_pretrained(trained, device="cpu")
    test = load_task("main", corpus, fold="all", negatives="random", validation_share=0.1, seed=1).tests[
        "gold"
    ]
    given = judge.probabilities(test.texts, progress=False).argmax(axis=1)
    assert baselines.scores(test.labels, given, judge.outlets) == metrics["results"]["gold"]
    assert judge.weights_hash == metrics["weights_hash"]


def test_a_broken_run_leaves_the_old_judge_and_resumes_to_the_same_weights(
    trained, corpus, tmp_path, interrupted_at
):
    out = tmp_path / "main"
    out.mkdir()
    (out / "model.safetensors").write_bytes(b"old")
    (out / "metrics.json").write_text("{}", encoding="utf-8")
    with interrupted_at(10):
        train.train_judge(options(corpus, out))
    assert (out / "model.safetensors").read_bytes() == b"old"
    with pytest.raises(InputError, match=r"main/checkpoints is .*seed was 1, is 2.*remove that folder"):
        train.train_judge(options(corpus, out, resume=True, seed=2))
    train.train_judge(options(corpus, out, resume=True))
    assert (out / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()


@pytest.mark.parametrize("task", ["hh", "ah"])
def test_content_judges_are_tested_on_every_kind_of_negatives(corpus, tmp_path, task):
    settings = options(corpus, tmp_path / task, task=task, max_minutes=0.0, fold="0", max_tokens=96)
    metrics = train.train_judge(settings)
    assert list(metrics["results"]) == ["random", "hard", "facts"]
    assert set(metrics["baselines"]) == {"tf-idf cosine"}
    assert all("lead" in row for row in metrics["baselines"]["tf-idf cosine"].values())
    assert metrics["baselines"]["tf-idf cosine"]["random"]["macro_f1"] > 0.7
    assert metrics["training"]["stopped"] == "time"
    assert Judge.from_pretrained(tmp_path / task).fold == "0"


@pytest.fixture
def encoder(tmp_path):
    """A BERT for the papers' judges."""
    plain = {"outlets": ("colle", "faro"), "head": "cross-encoder", "vocabulary_size": 300}
    for part in encoders.build("main", "scratch", ["Il governo è caduto", "Festival aperto"] * 9, **plain):
        part.save_pretrained(tmp_path / "encoder")
    return tmp_path / "encoder"


def test_ah_as_published_reads_the_article_first_and_no_token_types(corpus, encoder, tmp_path, monkeypatch):
    run = {}
    monkeypatch.setattr(train, "TrainingRun", lambda **given: run.update(given) or TrainingRun(**given))
    settings = {"task": "ah", "encoder": str(encoder), "as_published": True, "max_tokens": 200}
    train.train_judge(options(corpus, tmp_path / "ah", max_minutes=0.0, **settings))
    judge = Judge.from_pretrained(tmp_path / "ah", device="cpu")
    learnt = load_task("ah", corpus, fold="all", negatives="random", validation_share=0.1, seed=1).train
    headline, article = learnt.texts[0], learnt.pairs[0]
    read = {"truncation": True, "max_length": 200, "return_tensors": "pt"}
    expected = AutoTokenizer.from_pretrained(tmp_path / "ah")(article, headline, **read)
    assert "token_type_ids" not in expected
    for batch in (run["collate"]([0]), judge.encode([headline], [article], 200)):
        assert batch["input_ids"].tolist() == expected["input_ids"].tolist()
        assert "token_type_ids" not in batch
    with torch.no_grad():
        right = judge.model(**expected).logits.softmax(-1).numpy()
    given = judge.probabilities([headline], [article], progress=False)
    assert given == pytest.approx(right, abs=1e-6)
    judge.save_pretrained(tmp_path / "again")
    again = Judge.from_pretrained(tmp_path / "again", device="cpu")
    assert (again.probabilities([headline], [article], progress=False) == given).all()


def systems(metrics):
    return [row.values["system"] for row in train.table_of(metrics).rows]


def test_the_published_row_stands_beside_the_papers_kind_alone(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    assert not as_in_the_papers(metrics["options"])  # from scratch
    assert "published" not in systems(metrics)
    assert as_in_the_papers({"head": "cross-encoder", "encoder": "owner/name"})
    assert not as_in_the_papers({"head": "pair", "encoder": "owner/name"})


@pytest.mark.slow
def test_two_processes_train_one_judge(corpus, tmp_path):
    command = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "change_it.judges.train"]
    command += ["--task", "hh", "--corpus", corpus, "--encoder", "scratch", "--out", str(tmp_path / "hh")]
    result = run_python(*command, "--arg", "max_steps=6")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("HH: headline and headline") == 1
    assert Judge.from_pretrained(tmp_path / "hh").task == "hh"


def test_presets_are_the_papers_for_pretrained_encoders(tmp_path):
    paper = preset(JudgeOptions(task="main", corpus="c", out=tmp_path, head="cross-encoder"))
    assert (paper["max_tokens"], paper["batch_size"], paper["epochs"], paper["learning_rate"]) == (
        32,
        256,
        6,
        1e-5,
    )
    beside = preset(JudgeOptions(task="main", corpus="c", out=tmp_path))
    assert (beside["head"], beside["learning_rate"]) == ("ngrams", 5e-5)
    ours, papers = (
        preset(JudgeOptions(task="hh", corpus="c", out=tmp_path, head=head))
        for head in (None, "cross-encoder")
    )
    assert (ours["head"], ours["negatives"]) == ("pair", "mixed")
    assert (papers["head"], papers["negatives"], papers["epochs"]) == ("cross-encoder", "random", 2)
    assert papers["early_stopping"]
    asked = {
        task: preset(JudgeOptions(task=task, corpus="c", out=tmp_path, as_published=True))
        for task in ("main", "hh", "ah")
    }
    assert asked["hh"] == papers
    assert {each["head"] for each in asked.values()} == {"cross-encoder"}
    assert {each["negatives"] for each in asked.values()} == {"random"}
    for changes in (
        {"task": "fluency"},
        {"task": "hh", "head": "pair"},
        {"task": "hh", "encoder": "scratch"},
    ):
        with pytest.raises(InputError, match="--as-published"):
            preset(JudgeOptions(corpus="c", out=tmp_path, as_published=True, **changes))
    tiny, base = (preset(options("c", tmp_path, size=size))["learning_rate"] for size in ("tiny", "base"))
    assert base < tiny
