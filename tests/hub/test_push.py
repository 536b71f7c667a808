"""A push is one commit; where the Hub or its user is at fault, one sentence, and the repository is as it was."""

from types import SimpleNamespace

import pytest
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from change_it.cli import main
from change_it.errors import InputError
from change_it.hub import commit

FILES = {"README.md": b"---\nlicense: mit\n---\n", "model.safetensors": b"new"}
#: What is done on the Hub, in turn.
CALLS = ("create_repo", "create_commit")


class FakeApi:
    """An `HfApi` that notes its calls; those in `faults` fail with a status, or with 0 without an answer."""

    def __init__(self):
        self.calls, self.faults, self.private = [], {}, False

    def __getattr__(self, name):
        def call(*values, **given):
            self.calls.append((name, given))
            if (status := self.faults.get(name)) == 0:
                raise HTTPError("lost")
            if status == 400:
                raise ValueError('"license" must be one of\n[mit]')
            if status:
                response = SimpleNamespace(status_code=status, headers={}, request=None)
                raise HfHubHTTPError(f"{status}\nfor that", response=response)
            if name == "repo_info":
                return SimpleNamespace(private=self.private)
            if name == "list_repo_files":
                return ["model-00001-of-00002.safetensors", "model.safetensors", "notes.md"]
            if name == "create_commit":
                self.operations = values[1]
                return SimpleNamespace(pr_url=None, commit_url="https://hf.co/commit/1")
            return None

        return call

    def made(self, name):
        return [given for called, given in self.calls if called == name]


@pytest.fixture
def api(monkeypatch):
    api = FakeApi()
    monkeypatch.setattr(commit, "HfApi", lambda **_: api)
    monkeypatch.setattr(commit.RepoCard, "validate", lambda *_: api.validate())
    return api


def test_one_commit_brings_the_files_and_removes_what_an_earlier_push_left(api, options):
    commit.publish(FILES, options("judge", "none", "nina/x"))
    [made] = api.made("create_commit")
    assert made["repo_type"] == "model"
    added = {
        one.path_in_repo: one.path_or_fileobj for one in api.operations if hasattr(one, "path_or_fileobj")
    }
    assert added == FILES
    assert [one.path_in_repo for one in api.operations[len(FILES) :]] == ["model-00001-of-00002.safetensors"]


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
    [(401, "log in"), (403, "may not write"), (404, "none that"), (503, "503"), (0, "lost")],
)
def test_a_fault_is_one_sentence(api, options, call, status, words):
    api.faults[call] = status
    with pytest.raises(InputError, match=words) as error:
        commit.publish(FILES, options("judge", "none"))
    assert "\n" not in str(error.value)
    assert call == "create_commit" or api.made("create_commit") == []


def test_a_card_that_the_hub_does_not_take_is_refused_before_a_repository_is_made(api, options):
    api.faults["validate"] = 400
    with pytest.raises(
        InputError, match=r'does not take the model me/thing: "license" must be one of \[mit\]'
    ):
        commit.publish(FILES, options("judge", "none"))
    assert [name for name, _ in api.calls] == ["validate"]


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
        (("generator", generator, "nina/x", "--license", "CC BY 4.0"), "as cc-by-4.0"),
        (("metric", "hevas", "nina/x", "--license", "mit"), "not of a metric"),
        (("generator", generator, "nina/x", "--out", tmp_path / "out"), "--dry-run"),
        (("generator", generator, "nina/x", "--dry-run", "--out", tmp_path / "full"), "not empty"),
    ]:
        assert main(["push", *map(str, arguments)]) == 2, arguments
        [sentence] = (line for line in capsys.readouterr().err.splitlines() if line.startswith("change-it: "))
        assert words in sentence
    assert api.calls == []
