"""A push changes its own files in a repository, and nothing of others; on the loopback Hub."""

import json

import pytest
from hub_server import TOKEN, serve
from huggingface_hub import HfApi, constants

from change_it.errors import InputError
from change_it.hub import publishing
from change_it.hub.packaging import RECORD
from change_it.hub.publishing import Destination, foresee, publish


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """Provide a Hub that the pushes of this process reach."""
    with serve() as hub:
        monkeypatch.setattr(publishing, "_api", lambda: HfApi(endpoint=hub.url, token=TOKEN))
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # the gate runs offline
        yield hub


def recorded(**files):
    """Files of a push by name, `__` for a dot, with their record."""
    contents = {name.replace("__", "."): text.encode() for name, text in files.items()}
    return contents | {RECORD: json.dumps({"files": sorted(contents)}).encode()}


MODEL = Destination(kind="generator", repo_id="nina/it")
ADAPTERS = recorded(README__md="a", adapter_config__json="{}", adapter_model__safetensors="weights")
MERGED = recorded(README__md="b", config__json="{}", model__safetensors="weights")


def test_the_next_push_removes_what_the_last_one_recorded_and_names_it(hub):
    publish(ADAPTERS, MODEL)
    hub.commits["nina/it"].append(hub.files("nina/it") | {"notes.md": b"", "sub/a.safetensors": b""})
    lines = [
        "adapter_config.json, adapter_model.safetensors:"
        " would be removed, as of the last push and not of this one"
    ]
    lines += ["notes.md, sub/a.safetensors: would be kept, as files of others"]
    assert foresee(MERGED, MODEL) == lines
    _, changes = publish(MERGED, MODEL)
    assert changes.removed == ("adapter_config.json", "adapter_model.safetensors")
    assert hub.files("nina/it") == {**MERGED, "notes.md": b"", "sub/a.safetensors": b""}


@pytest.mark.parametrize(
    ("kind", "place", "others"),
    [
        ("dataset", "datasets/nina/it", {"mine/train.parquet": b"rows", "README.md": b"mine"}),
        (
            "judge",
            "nina/it",
            {"model.safetensors": b"", "sub/adapter_model.safetensors": b"", "train.py": b""},
        ),
        ("space", "spaces/nina/it", {"lib/tool.py": b"", "change_it/mine.py": b"", "README.md": b"mine"}),
    ],
)
def test_files_of_others_are_asked_about_and_stay(hub, kind, place, others):
    hub.put(place, {".gitattributes": b"", **others})
    to = Destination(kind=kind, repo_id="nina/it")
    files = recorded(README__md="ours", app__py="ours")
    for ask in (foresee, publish):
        with pytest.raises(InputError, match="--replace"):
            ask(files, to)
    assert hub.files(place) == {".gitattributes": b"", **others}

    _, changes = publish(files, Destination(kind=kind, repo_id="nina/it", replace=True))
    assert changes.removed == ()
    assert hub.files(place) == {".gitattributes": b"", **others, **files}
    newer = recorded(README__md="ours", app__py="newer")
    publish(newer, to)  # the record is there now
    assert hub.files(place) == {".gitattributes": b"", **others, **newer}


def test_a_file_of_others_is_never_replaced_unasked_also_beside_a_record(hub):
    publish(ADAPTERS, MODEL)
    hub.commits["nina/it"].append(hub.files("nina/it") | {"config.json": b"of somebody"})
    with pytest.raises(InputError, match=r"others with names of this push \(config\.json\)"):
        publish(MERGED, MODEL)


def test_a_broken_record_is_none(hub):
    hub.put("nina/it", ADAPTERS | {RECORD: b"[]"})
    with pytest.raises(InputError, match="--replace"):
        publish(MERGED, MODEL)


def test_branches_messages_and_tags(hub):
    publish(ADAPTERS, Destination(kind="generator", repo_id="nina/it", message="First", tag="v1"))
    first = hub.at("nina/it", "main")[0]
    assert (hub.messages["nina/it"], hub.tags["nina/it"]) == ("First", {"v1": first})
    with pytest.raises(InputError, match="has a tag v1 already"):
        publish(MERGED, Destination(kind="generator", repo_id="nina/it", tag="v1"))
    publish(MERGED, Destination(kind="generator", repo_id="nina/it", revision="merged"))
    assert (hub.files("nina/it"), hub.files("nina/it@merged")) == (ADAPTERS, MERGED)
    commit, _ = publish(MERGED, Destination(kind="generator", repo_id="nina/it", create_pr=True))
    assert commit.pr_url.endswith("/nina/it/discussions/1")
    assert (hub.files("nina/it"), hub.files("nina/it@refs/pr/1")) == (ADAPTERS, MERGED)


def test_a_space_knows_its_variables_new_or_not(hub):
    files = recorded(app__py="")
    for value in ("nina/judges", "nina/better"):
        variables = {"CHANGE_IT_JUDGES": value}
        publish(files, Destination(kind="space", repo_id="nina/it", variables=variables))
        assert hub.variables["spaces/nina/it"] == variables


def test_a_dry_run_says_where_nothing_is_known(hub, monkeypatch):
    assert foresee(MERGED, MODEL) == [
        "The model nina/it would be created, or is hidden from who is not logged in"
    ]
    monkeypatch.setattr(publishing, "_api", lambda: HfApi(endpoint="http://127.0.0.1:9"))
    assert foresee(MERGED, MODEL) == ["The Hub did not say what is in the model nina/it now (ConnectError)"]
