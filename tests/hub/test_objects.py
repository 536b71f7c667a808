"""Loaded judges and generators do what objects of the ecosystem do.

They take revisions, are saved and pushed, and have types and devices by its names.
"""

import inspect
import json
import os
from importlib import import_module

import numpy as np
import pytest
import torch
from hub_server import serve
from processes import run_python
from tiny_generators import save_generator
from transformers import GenerationConfig, pipeline

from change_it import HeadlineTransfer, InputError, Judges
from change_it.judges.judge import Judge

HEADLINE, ARTICLE = "Il ponte crolla sulla statale", "Il ponte crolla sulla statale ieri a Bari."

#: Pushes objects twice to one repository, and opens the first of the two by its commit.
REVISIONS = """
import json, sys
from change_it import HeadlineTransfer, InputError, Judges
from change_it.judges.judge import Judge
judges, generator, cache = json.loads(sys.argv[1])
first = Judge.from_pretrained(f"{judges}/hh", device="cpu").push_to_hub("nina/judge", tag="v1")
second = Judge.from_pretrained(f"{judges}/ah", device="cpu").push_to_hub("nina/judge")
Judges.from_pretrained(judges, device="cpu").push_to_hub("nina/judges", private=True, commit_message="Four")
HeadlineTransfer.from_pretrained(generator, device="cpu").push_to_hub("nina/writer")
commit = first.rpartition("/")[2]
where = {"device_map": "cpu", "cache_dir": cache, "token": "hf_secret"}
old, tagged = (Judge.from_pretrained("nina/judge", revision=name, **where) for name in (commit, "v1"))
new = Judge.from_pretrained("nina/judge", device_map="cpu", local_files_only=False)
part = Judge.from_pretrained("nina/judges", subfolder="ah", device_map="cpu")
kept = Judge.from_pretrained("nina/judge", revision=commit, cache_dir=cache, local_files_only=True)
again = HeadlineTransfer.from_pretrained("nina/writer", device_map="cpu")
refused = []
for revision in ("v9", None):
    try:
        Judge.from_pretrained("nina/judge", revision=revision, cache_dir=cache, local_files_only=not revision)
    except InputError as error:
        refused.append(str(error))
answer = {
    "tasks": [judge.task for judge in (old, tagged, new, part, kept)],
    "commits": [old.commit == commit, new.commit == second.rpartition("/")[2]],
    "signature": Judges.from_pretrained("nina/judges", device_map="cpu").signature,
    "written": again("Il ponte crolla", article=sys.argv[2]),
    "refused": len(refused),
}
print(json.dumps(answer))
"""


@pytest.mark.slow(seconds=30)
def test_objects_are_pushed_and_opened_by_their_commit(run, tmp_path):
    judges, generator = run / "judges", run / "generators/sum-gio"
    with serve() as hub:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        variables = inherited | hub.environment(tmp_path / "home")
        given = json.dumps([str(judges), str(generator), str(tmp_path / "cache")])
        done = run_python(
            "-c", REVISIONS.replace("hf_secret", variables["HF_TOKEN"]), given, ARTICLE, env=variables
        )
        assert done.returncode == 0, done.stderr
        assert "nina/judges" in hub.private
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["tasks"] == ["hh", "hh", "ah", "ah", "hh"]
    assert answer["commits"] == [True, True]
    assert answer["signature"] == Judges.from_pretrained(judges, device="cpu").signature
    transfer = HeadlineTransfer.from_pretrained(generator, device="cpu")
    assert answer["written"] == transfer("Il ponte crolla", article=ARTICLE)
    assert answer["refused"] == 2


def test_saved_objects_are_those_that_were_loaded(run, files_of, tmp_path):
    """Check that figures and hashes go along: the saved folder can be pushed."""
    judges = Judges.from_pretrained(run / "judges", device="cpu")
    judges.save_pretrained(tmp_path / "judges")
    assert Judges.from_pretrained(tmp_path / "judges", device="cpu").signature == judges.signature
    assert files_of("judge", tmp_path / "judges").keys() == files_of("judge", run / "judges").keys()
    judges.hh.save_pretrained(tmp_path / "hh")
    for path in (run / "judges/hh").iterdir():
        assert (tmp_path / "hh" / path.name).read_bytes() == path.read_bytes()
    transfer = HeadlineTransfer.from_pretrained(run / "generators", device="cpu")
    transfer.save_pretrained(tmp_path / "both")
    again = HeadlineTransfer.from_pretrained(tmp_path / "both", device="cpu")
    for outlet in ("rep", "gio"):
        assert again(HEADLINE, article=ARTICLE, to=outlet) == transfer(HEADLINE, article=ARTICLE, to=outlet)
    with pytest.raises(InputError, match=r"generators for rep and gio, .* load one with to='rep'"):
        transfer.push_to_hub("me/both")
    with pytest.raises(InputError, match="nobody is no name of a repository"):
        judges.push_to_hub("nobody")
    with pytest.raises(InputError, match="new or empty"):
        judges.save_pretrained(tmp_path / "judges")


def test_a_judge_that_was_changed_is_not_pushed_with_figures_of_before(run, tmp_path):
    judge = Judge.from_pretrained(run / "judges/hh", device="cpu")
    judge.model.arrays["idf"] += 1
    judge.save_pretrained(tmp_path / "changed")
    assert not (tmp_path / "changed/metrics.json").exists()
    with pytest.raises(InputError):
        judge.push_to_hub("me/changed")


@pytest.mark.parametrize(
    ("given", "precision"),
    [
        ({"dtype": "bfloat16"}, "bf16"),
        ({"dtype": torch.bfloat16, "device_map": "cpu"}, "bf16"),
        ({"dtype": "auto", "device_map": {"": torch.device("cpu")}}, "float32"),
        ({"precision": "bf16", "device": "cpu"}, "bf16"),
    ],
)
def test_types_and_devices_have_the_names_of_transformers(run, given, precision):
    assert Judge.from_pretrained(run / "judges/main", **given).precision == precision
    judges = Judges.from_pretrained(run / "judges", **given)
    assert {judge.precision for judge in judges.by_task.values()} == {precision}
    assert judges.to("cpu") is judges
    transfer = HeadlineTransfer.from_pretrained(run / "generators", to="gio", **given)
    assert transfer.to("cpu") is transfer


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"dtype": "float16"},
            "dtype float16 is none that these models compute in: choose float32 or bfloat16",
        ),
        ({"dtype": "float32", "precision": "bf16"}, "dtype float32 and precision bf16 are both given"),
        ({"device": "cpu", "device_map": "cpu"}, "device and device_map are both given"),
        ({"device_map": {"a": 0, "b": 1}}, "spreads one model over several devices"),
        ({"device_map": "abacus"}, "this machine has no device 'abacus'"),
        ({"revision": "v1"}, "is a folder here, which has no revision v1"),
        ({"subfolder": "../hh"}, r"subfolder \.\./hh leads out of the repository"),
        ({"subfolder": "hhh"}, "has no folder hhh"),
    ],
)
@pytest.mark.parametrize("kind", [Judge, Judges, HeadlineTransfer])
def test_what_a_model_cannot_be_loaded_with_is_said(run, kind, given, says):
    folder = {Judge: "judges/hh", Judges: "judges", HeadlineTransfer: "generators"}[kind]
    with pytest.raises(InputError, match=says):
        kind.from_pretrained(run / folder, **given)


def test_an_unknown_keyword_is_named_before_anything_loads(tmp_path):
    for kind in (Judge, HeadlineTransfer):
        with pytest.raises(TypeError, match="revison"):
            kind.from_pretrained(tmp_path / "none", revison="main")
    with pytest.raises(InputError, match="there is no judge revison"):
        Judges.from_pretrained(tmp_path / "none", revison="main")
    with pytest.raises(InputError, match="revision and subfolder are of all judges together"):
        Judges.from_pretrained(main="me/main", hh="me/hh", ah="me/ah", revision="main")
    names = {"revision", "token", "cache_dir", "local_files_only", "subfolder", "dtype", "device_map"}
    for kind in (Judge, Judges, HeadlineTransfer):
        assert names < inspect.signature(kind.from_pretrained).parameters.keys()


def test_one_text_is_one_question(run):
    judges = Judges.from_pretrained(run / "judges", device="cpu")
    one = judges.main.probabilities("ciao", progress=False)
    assert one.shape == (1, 2)
    np.testing.assert_array_equal(one, judges.main.probabilities(["ciao"], progress=False))
    assert judges.hh.probabilities("ciao", HEADLINE, progress=False).shape == (1, 2)
    with pytest.raises(InputError, match="both be one text"):
        judges.hh.probabilities("ciao", ["ciao"] * 4)


def test_as_many_headlines_as_are_asked_for(tmp_path):
    transfer = HeadlineTransfer.from_pretrained(save_generator(tmp_path / "sum"), device_map="cpu")
    asked = GenerationConfig(num_beams=4, num_return_sequences=3)
    three = transfer(HEADLINE, article=ARTICLE, decoding=asked)
    assert len({*three}) == 3
    assert three[0] == transfer(HEADLINE, article=ARTICLE, decoding=GenerationConfig(num_beams=4))
    assert transfer([HEADLINE], article=[ARTICLE], decoding=asked) == [three]


def test_the_pipeline_takes_what_text_generation_takes_and_refuses_chats(tmp_path):
    import_module("change_it.auto")
    write = pipeline("headline-generation", model=str(save_generator(tmp_path / "sum")))
    assert write(ARTICLE, return_full_text=False) == write(ARTICLE)
    assert len(write(ARTICLE, num_return_sequences=3)) == 3
    with pytest.raises(ValueError, match="a headline stands alone"):
        write(ARTICLE, return_full_text=True)
    with pytest.raises(ValueError, match="reads texts, not chat messages"):
        write([{"role": "user", "content": ARTICLE}])
