"""Verdicts: input order whatever the batches, and clear refusals."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from os import sched_yield

import numpy as np
import pytest
from malformed import edit
from saved_judges import save_judges
from scoring_fakes import RuleJudge
from transformers import PreTrainedTokenizerBase

from change_it.errors import InputError
from change_it.judges import judge as judge_module
from change_it.judges.judge import Judge
from change_it.scoring.panel import Judges

LONG = "Derby sospeso per la pioggia, tifosi in strada fino a notte"
HEADLINES = ["Il governo cade: «Ora si vota»", "Ecco chi paga", "Sì", LONG]
ARTICLES = ["Il governo è caduto ieri sera. " * 80, "Paga chi lavora.", "No.", "Il derby è sospeso. " * 9]


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Three judges, untrained: what they say does not matter here."""
    texts = [*HEADLINES, *ARTICLES]
    return save_judges(tmp_path_factory.mktemp("judges"), texts, ("colle", "faro"), transformer=True)


def test_order_and_batches_do_not_matter(trained, monkeypatch):
    judge = Judge.from_pretrained(trained / "ah", device="cpu")
    together = judge.probabilities(HEADLINES, ARTICLES, progress=False)
    assert (together.shape, together.dtype) == ((4, 2), np.float64)
    assert together.sum(axis=1) == pytest.approx(np.ones(4))
    pairs = zip(HEADLINES, ARTICLES, strict=True)
    alone = [judge.probabilities([a], [b], progress=False)[0] for a, b in pairs]
    assert together == pytest.approx(np.array(alone), abs=1e-5)
    assert np.array_equal(together, judge.probabilities(HEADLINES, ARTICLES, progress=False))
    monkeypatch.setattr(judge_module, "LARGEST_BATCH", 2)
    back = judge.probabilities(HEADLINES[::-1], ARTICLES[::-1], progress=False)
    assert back[::-1] == pytest.approx(together, abs=1e-5)
    with pytest.raises(ValueError, match="requires a second text for each"):
        judge.probabilities(HEADLINES, ARTICLES[1:])


def test_bf16_keeps_nearly_all_verdicts_and_the_signature_says_it(trained):
    exact, judges = (
        Judges.from_pretrained(trained, precision=name, device="cpu") for name in ("float32", "bf16")
    )
    assert judges.signature == exact.signature + "|precision:bf16"
    assert Judges(exact.by_task | {"hh": judges.hh}).signature == judges.signature
    for task, pairs in (("main", None), ("hh", HEADLINES[::-1]), ("ah", ARTICLES)):
        given, expected = (of.by_task[task].probabilities(HEADLINES, pairs) for of in (judges, exact))
        assert given == pytest.approx(expected, abs=0.02)
        assert (given != expected).any()


def test_bad_input(trained, tmp_path):
    def refused(load, folder, says, **options):
        with pytest.raises(InputError, match=says):
            load.from_pretrained(folder, **options)

    refused(Judges, tmp_path / "none", "there is no folder")
    refused(Judges, tmp_path, "lacks the judge main and hh and ah: train them")
    refused(Judges, trained / "main", f"it is one judge, give all of them: {trained}")
    refused(Judge, tmp_path, r"no model\.safetensors")
    refused(Judges, None, "judges require hh, ah: give", main=trained / "main")
    refused(Judge, trained / "main", "no device 'tpu9'", device="tpu9")
    refused(Judge, trained / "main", "choose float32 or bf16", precision="int4")
    mixed = shutil.copytree(trained, tmp_path / "mixed")
    edit(mixed / "ah/config.json", lambda record: record["change_it"].update(fold="1"))
    refused(Judges, mixed, "differ in outlets or fold")
    edit(mixed / "ah/config.json", lambda record: record.pop("change_it"))
    refused(Judge, mixed / "ah", "is a model but no judge")
    shutil.rmtree(mixed / "ah")
    shutil.copytree(trained / "hh", mixed / "ah")
    refused(Judges, mixed, "the judge for ah is one for hh")


def test_each_judge_can_come_from_a_place_of_its_own(trained, tmp_path):
    place = shutil.copytree(trained / "hh", tmp_path / "my-hh")
    edit(place / "config.json", lambda record: record["change_it"].update(max_tokens=40))
    mixed = Judges.from_pretrained(trained, hh=place, device="cpu")
    assert (mixed.hh.max_tokens, mixed.ah.max_tokens) == (40, 48)


def test_repeats_are_read_once(monkeypatch):
    monkeypatch.setattr(judge_module, "LARGEST_BATCH", 2)
    judge = RuleJudge("hh", lambda one, other: len(one + other) / 100)
    reports = []
    texts = ["aa", "b", "aa", "dddd"]
    pairs = ["c", "cc", "c", "c"]
    answers = judge.probabilities(texts, pairs, progress=reports.append)
    assert answers[:, 1].tolist() == [0.03, 0.03, 0.03, 0.05]
    assert judge.asked == [("dddd", "c"), ("aa", "c"), ("b", "cc")]  # the longest first
    assert reports == [0, 3, 4]


def test_only_one_thread_at_a_time_uses_the_tokenizer(trained, monkeypatch):
    judge = Judge.from_pretrained(trained / "main", device="cpu")
    expected = judge.probabilities(HEADLINES, progress=False)
    inside = []
    usual = PreTrainedTokenizerBase.__call__

    def encode_alone(*arguments, **options):
        assert not inside
        inside.append(1)
        sched_yield()
        inside.pop()
        return usual(*arguments, **options)

    monkeypatch.setattr(PreTrainedTokenizerBase, "__call__", encode_alone)
    monkeypatch.setattr(judge_module, "LARGEST_BATCH", 1)
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(judge.probabilities, HEADLINES, progress=False) for _ in range(16)]
        assert all(call.result() == pytest.approx(expected) for call in calls)
