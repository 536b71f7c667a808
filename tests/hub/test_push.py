"""A push is one commit; where the Hub or its user is at fault, one sentence, and the repository is as it was."""

from types import SimpleNamespace

import pytest
from huggingface_hub import CommitOperationDelete
from huggingface_hub.errors import HfHubHTTPError

from change_it.cli import main
from change_it.errors import InputError
from change_it.hub import commit

FILES = {"README.md": b"---\nlicense: mit\n---\n", "model.safetensors": b"new"}
#: What is done on the Hub, in turn.
CALLS = ("create_repo", "list_repo_files", "create_commit")


class FakeApi:
    """An `HfApi` that notes its calls; those in `faults` fail so often, with a status or without an answer."""

    def __init__(self):
        self.calls, self.faults, self.private = [], {}, False

    def __getattr__(self, name):
        def call(*arguments, **given):
            self.calls.append((name, given))
            status, times = self.faults.get(name, (0, 0))
            if times:
                self.faults[name] = (status, times - 1)
                if not status:
                    raise commit.HTTPError("lost")
                response = SimpleNamespace(status_code=status, headers={}, request=None)
                raise HfHubHTTPError(str(status), response=response)
            if name == "repo_info":
                return SimpleNamespace(private=self.private)
            if name == "list_repo_files":
                return ["notes.md", "model-00001-of-00002.safetensors", "README.md"]
            if name == "create_commit":
                self.operations = arguments[1]
                return SimpleNamespace(pr_url=None, commit_url="https://hf.co/commit/1")
            return None

        return call

    def made(self, name):
        return [given for called, given in self.calls if called == name]


@pytest.fixture
def api(monkeypatch):
    api = FakeApi()
    api.pauses = []
    monkeypatch.setattr(commit, "HfApi", lambda **_: api)
    monkeypatch.setattr(commit.time, "sleep", api.pauses.append)
    return api


def test_one_commit_brings_the_files_and_removes_what_an_earlier_push_left(api, options):
    commit.publish(FILES, options("judge", "none", "nina/x", private=False))
    [made] = api.made("create_commit")
    removed = {one.path_in_repo for one in api.operations if isinstance(one, CommitOperationDelete)}
    assert removed == {"model-00001-of-00002.safetensors"}
    assert {one.path_in_repo for one in api.operations} - removed == set(FILES)
    assert made["repo_type"] == "model"


def test_kinds_and_private_repositories(api, options):
    commit.publish(FILES, options("dataset", "none"))
    commit.publish(FILES, options("metric", "none"))
    assert [one["space_sdk"] for one in api.made("create_repo")] == [None, "gradio"]
    with pytest.raises(InputError, match="exists and is public"):
        commit.publish(FILES, options("judge", "none", private=True))
    assert len(api.made("create_commit")) == 2


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "log in"),
        (403, "may not write"),
        (404, "no model"),
        (503, "busy"),
        (0, "lost"),
    ],
)
def test_a_fault_that_stays_is_one_sentence(api, options, call, status, words):
    api.faults[call] = status, 1000
    with pytest.raises(InputError, match=words):
        commit.publish(FILES, options("judge", "none"))
    assert call == "create_commit" or api.made("create_commit") == []
    tried = commit.TRIES if status in (429, 503, 0) else 1
    assert len(api.made(call)) == tried
    assert api.pauses == [1, 2, 4][: tried - 1]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("status", [429, 500, 0])
def test_a_fault_that_passes_costs_a_pause(api, options, call, status):
    api.faults[call] = status, 2
    commit.publish(FILES, options("judge", "none"))
    assert api.pauses == [1, 2]


def test_bad_input_is_refused_before_anything_is_sent(api, run, tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    generator = run / "generators/sum-gio"
    for arguments, words in [
        (("judge", tmp_path / "none", "nina/x"), "there is no folder"),
        (("judge", generator, "nina/x"), "cannot be loaded as a judge"),
        (("generator", run / "generators", "nina/x"), "one model a repository"),
        (("metric", "nonesuch", "nina/x"), "nonesuch"),
        (("generator", generator, "nina"), "owner/name"),
        (("generator", generator, "nina/a b"), "nina/a b"),
        (("generator", generator, "nina/x", "--out", tmp_path / "out"), "--dry-run"),
        (("generator", generator, "nina/x", "--dry-run", "--out", tmp_path / "full"), "not empty"),
    ]:
        assert main(["push", *map(str, arguments)]) == 2, arguments
        [sentence] = (line for line in capsys.readouterr().err.splitlines() if line.startswith("change-it: "))
        assert words in sentence
    assert api.calls == []
