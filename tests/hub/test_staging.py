"""What exactly is pushed: weights untouched, code at the root, nothing of this machine."""

import json
import shutil

import pytest
from tiny_generators import save_generator

from change_it.errors import InputError
from change_it.hub.push import stale, write
from change_it.hub.records import public
from change_it.hub.staging import stage


def content(files, name):
    return files[name] if isinstance(files[name], bytes) else files[name].read_bytes()


def test_a_corpus_goes_with_its_tables_and_without_paths(mine, options):
    files = stage(options("dataset", mine / "corpus"))
    tables = {path.relative_to(mine / "corpus").as_posix() for path in (mine / "corpus").glob("*/*.parquet")}
    assert {name for name in files if name.endswith(".parquet")} == tables
    assert files.keys() - tables == {"README.md", "alignment.json", "alignment-curve.png", "rejected.csv"}
    assert json.loads(files["alignment.json"])["options"]["files"] == ["articles.csv"]
    _, rejected = content(files, "rejected.csv").decode().splitlines()
    assert rejected.startswith("articles.csv,")
    assert not any(str(mine).encode() in content(files, name) for name in files.keys() - tables)


def test_three_judges_share_the_code_at_the_root(mine, options):
    files = stage(options("judge", mine / "judges"))
    assert {name for name in files if "/" not in name} == {"README.md", "encoder.py"}
    for task in ("main", "hh", "ah"):
        assert (
            content(files, f"{task}/model.safetensors")
            == (mine / "judges" / task / "model.safetensors").read_bytes()
        )
        assert json.loads(files[f"{task}/metrics.json"])["options"]["corpus"] == "corpus"
    maps = {task: json.loads(files[f"{task}/config.json"]).get("auto_map") for task in ("main", "hh")}
    classes = {
        "AutoConfig": "PairJudgeConfig",
        "AutoModelForSequenceClassification": "PairJudgeForSequenceClassification",
    }
    assert maps == {"main": None, "hh": {auto: f"encoder.{name}" for auto, name in classes.items()}}


def test_staged_code_needs_nothing_of_ours(mine, options):
    files = stage(options("generator", mine / "generators/sum-gio")) | stage(
        options("judge", mine / "judges/hh")
    )
    code = {name: content(files, name).decode() for name in files if name.endswith(".py")}
    assert code.keys() == {"encoder.py", "pointer_generator.py", "tokenizer.py"}
    assert not [name for name, text in code.items() if "from change_it" in text or "import change_it" in text]


def test_one_generator_a_repository(mine, options, tmp_path):
    files = stage(options("generator", mine / "generators/sum-gio"))
    assert {"generator.json", "tokenizer.json", "model.safetensors", "generation_config.json"} < files.keys()
    assert json.loads(files["tokenizer_config.json"])["auto_map"] == {
        "AutoTokenizer": [None, "tokenizer.HeadlineTokenizer"]
    }
    for to in ("rep", "gio"):
        save_generator(tmp_path / "two" / f"sum-{to}", to=to)
    with pytest.raises(InputError, match=r"2 generators \(sum-gio, sum-rep\)"):
        stage(options("generator", tmp_path / "two"))


def test_adapters_on_a_folder_of_this_machine_stay_here(mine, options, tmp_path):
    folder = shutil.copytree(mine / "generators/sum-gio", tmp_path / "adapters")
    card = json.loads((folder / "generator.json").read_text())
    (folder / "generator.json").write_text(json.dumps(card | {"base": str(tmp_path)}))
    with pytest.raises(InputError, match="change-it merge"):
        stage(options("generator", folder))


def test_metrics_of_other_weights_are_not_published(mine, options, tmp_path):
    judge = shutil.copytree(mine / "judges/hh", tmp_path / "hh")
    shutil.copy(mine / "judges/ah/model.safetensors", judge / "model.safetensors")
    metrics = json.loads((judge / "metrics.json").read_text())
    (judge / "metrics.json").write_text(json.dumps(metrics | {"weights_hash": "0" * 64}))
    with pytest.raises(InputError, match="other weights"):
        stage(options("judge", judge))


def test_a_metric_is_found_by_the_name_of_its_repository(options, monkeypatch):
    monkeypatch.setattr("change_it.hub.staging.wheel", lambda: ("change_it-9-py3-none-any.whl", b"zip"))
    files = stage(options("metric", "hevas", "me/headlines", revision="v2"))
    assert content(files, "headlines.py") == content(files, "hevas.py")
    own, *others = content(files, "requirements.txt").decode().splitlines()
    assert own.startswith("change-it[hevas] @ ")
    assert own.endswith("/spaces/me/headlines/resolve/v2/change_it-9-py3-none-any.whl")
    assert not others
    card = content(files, "README.md").decode()
    assert card.startswith("---\ntitle: HEvAS\n")
    assert f'pip install "{own}"' in card
    assert 'evaluate.load("me/headlines")' in card
    assert not any("__pycache__" in name for name in files)


def test_only_what_an_earlier_push_brought_is_taken_away():
    present = [
        ".gitattributes",
        "notes.md",
        "photo.png",
        "model-1-of-2.safetensors",
        "hh/model.safetensors",
        "a.whl",
    ]
    assert stale(present, {"hh/model.safetensors": b""}, "model") == ["model-1-of-2.safetensors"]
    assert stale(present, {}, "space") == ["a.whl"]
    assert stale(present, {}, "dataset") == []


def test_a_dry_run_s_folder_is_whole_or_not_there(tmp_path):
    files = {"README.md": b"a", "main/train.parquet": b"b", "gone": tmp_path / "none"}
    with pytest.raises(FileNotFoundError):
        write(files, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    del files["gone"]
    write(files, tmp_path / "out")
    assert (tmp_path / "out/main/train.parquet").read_bytes() == b"b"
    assert not (tmp_path / "out.partial").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/home/me/runs/corpus", "corpus"),
        ("~/corpus/", "corpus"),
        (r"C:\runs\corpus", "corpus"),
        ("runs/corpus", "runs/corpus"),
        ("owner/name", "owner/name"),
        ("</s>", "</s>"),
        ("/s", "/s"),
        ("a / b / c", "a / b / c"),
        (["/tmp/x/y", {"key": "/tmp/x/z"}, 1], ["y", {"key": "z"}, 1]),
    ],
)
def test_absolute_paths_become_names(before, after):
    assert public(before) == after
