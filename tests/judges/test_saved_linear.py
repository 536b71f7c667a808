"""Linear judges that are opened without transformers answer as its model does; broken ones are refused."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from saved_judges import save_judges
from transformers import AutoModelForSequenceClassification

from change_it import InputError
from change_it.judges.judge import Judge
from change_it.judges.registration import register_judges
from change_it.judges.saved_linear import SavedLinearJudge

HEADLINES = ["Crolla il ponte: «Due morti»", "ECCO perché cade", "Derby sospeso, 3 feriti", "Non cade più"]
ARTICLES = ["Il ponte è crollato, due morti.", "Il governo cade.", "Il derby è sospeso: 3 feriti.", "Cade."]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_judges(tmp_path_factory.mktemp("linear"), [*HEADLINES, *ARTICLES] * 5, ("colle", "faro"))


@pytest.mark.parametrize(("task", "pairs"), [("main", None), ("hh", HEADLINES[::-1]), ("ah", ARTICLES)])
def test_every_answer_is_that_of_the_model_of_transformers(saved, task, pairs):
    register_judges()
    model = AutoModelForSequenceClassification.from_pretrained(saved / task)
    judge = Judge.from_pretrained(saved / task)
    assert isinstance(judge.model, SavedLinearJudge)
    answers = judge.probabilities(HEADLINES, pairs, progress=False)
    assert len(np.unique(answers[:, 1])) > 1
    assert (answers == model.predict_proba(HEADLINES, pairs)).all()
    for name, array in judge.model.arrays.items():
        assert array.dtype == model.get_buffer(name).numpy().dtype


def test_a_changed_judge_is_saved_as_it_is_now(saved, tmp_path):
    judge = Judge.from_pretrained(saved / "main")
    judge.model.arrays["weight"] *= 2
    judge.model.constant = 1.5
    judge.save_pretrained(tmp_path / "changed")
    again = Judge.from_pretrained(tmp_path / "changed")
    answers = again.probabilities(HEADLINES, progress=False)
    assert (answers == judge.probabilities(HEADLINES, progress=False)).all()
    assert (answers != Judge.from_pretrained(saved / "main").probabilities(HEADLINES, progress=False)).any()


def _without_weight(tensors):
    del tensors["weight"]


def _with_another(tensors):
    tensors["more"] = np.zeros(1, np.float32)


def _shorter(tensors):
    tensors["idf"] = tensors["idf"][1:]


def _with_nan(tensors):
    tensors["weight"][0] = np.nan


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_without_weight, r"do not fit its config\.json \(weight\)"),
        (_with_another, r"do not fit its config\.json \(more\)"),
        (_shorter, r"do not fit its config\.json \(idf\)"),
        (_with_nan, r"not finite numbers \(weight\)"),
    ],
)
def test_damaged_weights_are_refused(saved, tmp_path, damage, says):
    Judge.from_pretrained(saved / "main").save_pretrained(tmp_path / "main")
    file = tmp_path / "main/model.safetensors"
    tensors = load_file(file)
    damage(tensors)
    save_file(tensors, file)
    with pytest.raises(InputError, match=says):
        Judge.from_pretrained(tmp_path / "main")


def test_a_broken_file_a_strange_configuration_and_no_such_device_are_one_sentence(saved, tmp_path):
    with pytest.raises(InputError, match="no device 'tpu9'"):
        Judge.from_pretrained(saved / "main", device="tpu9")
    Judge.from_pretrained(saved / "main").save_pretrained(tmp_path / "main")
    config = tmp_path / "main/config.json"
    text = config.read_text(encoding="utf-8")
    for change, says in (
        ({"judges": "nothing"}, "cannot be loaded as a judge"),
        ({"change_it": None}, "no judge"),
    ):
        config.write_text(json.dumps(json.loads(text) | change), encoding="utf-8")
        with pytest.raises(InputError, match=says):
            Judge.from_pretrained(tmp_path / "main")
    config.write_text(text, encoding="utf-8")
    (tmp_path / "main/model.safetensors").write_bytes(b"{}")
    with pytest.raises(InputError, match="cannot be loaded as a judge"):
        Judge.from_pretrained(tmp_path / "main")


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_weights_in_half_precision_answer_as_in_transformers(saved, tmp_path, kind):
    register_judges()
    model = AutoModelForSequenceClassification.from_pretrained(saved / "main").to(kind)
    model.save_pretrained(tmp_path)
    expected = AutoModelForSequenceClassification.from_pretrained(tmp_path, dtype=torch.float32)
    judge = Judge.from_pretrained(tmp_path)
    assert {array.dtype for array in judge.model.arrays.values()} == {np.dtype(np.float32)}
    answers = judge.probabilities(HEADLINES, progress=False)
    assert (answers == expected.predict_proba(HEADLINES)).all()
