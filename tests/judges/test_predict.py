"""Verdicts: input order whatever the batches, the plain transformers path, and clear refusals."""

import json
import shutil

import numpy as np
import pytest
import torch

from change_it.errors import InputError
from change_it.judges.options import JudgeOptions
from change_it.judges.predict import Judge, Judges
from change_it.judges.train import train_judge

HEADLINES = [
    "Il governo cade: «Ora si vota»",
    "Ecco chi paga",
    "Sì",
    "Derby sospeso per la pioggia, tifosi in strada fino a notte",
]
ARTICLES = [
    "Il governo è caduto ieri sera. " * 80,
    "Paga chi lavora.",
    "No.",
    "Il derby è stato sospeso per la pioggia. " * 9,
]


@pytest.fixture(scope="session")
def panel(corpus, tmp_path_factory):
    """Three judges, hardly trained: what they say does not matter here."""
    folder = tmp_path_factory.mktemp("panel")
    for task in ("main", "hh", "ah"):
        train_judge(
            JudgeOptions(
                task=task,
                corpus=corpus,
                encoder="scratch",
                out=folder / task,
                max_tokens=64,
                batch_size=8,
                epochs=0.01,
                max_minutes=0.0,
                checkpoint_steps=0,
            )
        )
    return folder


def test_order_and_batches_do_not_matter(panel):
    judge = Judge.from_pretrained(panel / "ah", device="cpu")
    together = judge.probabilities(HEADLINES, ARTICLES, progress=False)
    assert together.shape == (4, 2)
    assert together.dtype == np.float64
    assert together.sum(axis=1) == pytest.approx(np.ones(4))
    alone = [
        judge.probabilities([a], [b], progress=False)[0] for a, b in zip(HEADLINES, ARTICLES, strict=True)
    ]
    assert together == pytest.approx(np.array(alone), abs=1e-5)
    back = judge.probabilities(HEADLINES[::-1], ARTICLES[::-1], batch_size=2, progress=False)
    assert back[::-1] == pytest.approx(together, abs=1e-5)
    assert np.array_equal(together, judge.probabilities(HEADLINES, ARTICLES, progress=False))


@pytest.mark.parametrize("task", ["main", "hh", "ah"])
def test_the_plain_transformers_path_gives_the_same_verdicts(panel, task):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    import change_it.auto  # noqa: F401

    judge = Judge.from_pretrained(panel / task, device="cpu")
    pairs = {"main": None, "hh": HEADLINES[::-1], "ah": ARTICLES}[task]
    model = AutoModelForSequenceClassification.from_pretrained(panel / task).eval()
    tokenizer = AutoTokenizer.from_pretrained(panel / task)
    length = model.config.change_it["max_tokens"]
    batch = tokenizer(HEADLINES, pairs, truncation=True, max_length=length, padding=True, return_tensors="pt")
    with torch.no_grad():
        plain = model(**batch).logits.softmax(-1)
    assert judge.probabilities(HEADLINES, pairs, progress=False) == pytest.approx(plain.numpy(), abs=1e-5)
    assert list(model.config.id2label.values()) == (
        list(judge.outlets) if task == "main" else ["no_match", "match"]
    )


def test_what_a_judge_knows_of_itself(panel):
    judges = Judges.from_pretrained(panel, device="cpu")
    assert judges.outlets == ("colle", "faro")
    assert (judges.hh.task, judges.hh.fold, judges.hh.max_tokens) == ("hh", "all", 64)
    hashes = [
        json.loads((panel / task / "metrics.json").read_text())["weights_hash"]
        for task in ("main", "hh", "ah")
    ]
    assert judges.signature == "+".join(digits[:6] for digits in hashes) + "|fold:all"
    assert not judges.main.model.training


def test_no_texts_and_wrong_calls(panel):
    judge = Judge.from_pretrained(panel / "hh", device="cpu")
    assert judge.probabilities([], [], progress=False).shape == (0, 2)
    with pytest.raises(ValueError, match="pairs of texts"):
        judge.probabilities(HEADLINES)
    with pytest.raises(ValueError, match="give one for each text"):
        judge.probabilities(HEADLINES, HEADLINES[:2])


def test_bad_input(panel, tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        Judges.from_pretrained(tmp_path / "none")
    with pytest.raises(InputError, match="lacks the judge main and hh and ah"):
        Judges.from_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"no model\.safetensors"):
        Judge.from_pretrained(tmp_path)
    with pytest.raises(InputError, match="no device 'tpu9'"):
        Judge.from_pretrained(panel / "main", device="tpu9")
    shutil.copytree(panel, tmp_path / "mixed")
    config = tmp_path / "mixed/ah/config.json"
    settings = json.loads(config.read_text())
    settings["change_it"]["fold"] = "1"
    config.write_text(json.dumps(settings))
    with pytest.raises(InputError, match="different folds"):
        Judges.from_pretrained(tmp_path / "mixed")
    settings.pop("change_it")
    config.write_text(json.dumps(settings))
    with pytest.raises(InputError, match="not one of our judges"):
        Judge.from_pretrained(tmp_path / "mixed/ah")
    shutil.rmtree(tmp_path / "mixed/ah")
    shutil.copytree(panel / "hh", tmp_path / "mixed/ah")
    with pytest.raises(InputError, match="holds a judge for hh"):
        Judges.from_pretrained(tmp_path / "mixed")
