"""A push is one commit; where the Hub or its user is at fault, one sentence, and the repository is as it was."""

from types import SimpleNamespace

import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from change_it.cli import main
from change_it.errors import InputError
from change_it.hub.packaging import publish

FILES = {"README.md": b"---\nlicense: mit\n---\n", "model.safetensors": b"new"}


def refused(status):
    response = SimpleNamespace(status_code=status, headers={}, request=None)
    return HfHubHTTPError(f"{status}\nfor that", response=response)


@pytest.fixture
def hub(monkeypatch):
    """Calls of the Hub's client that answer at once: `hub(name, fault)` makes one fail."""
    there = {"create_repo": None, "list_repo_files": [], "create_commit": None}
    there["repo_info"] = SimpleNamespace(private=False)
    for name, answer in there.items():
        monkeypatch.setattr(HfApi, name, lambda *_, answer=answer, **__: answer)

    def fails(name, fault):
        def fail(*_, **__):
            raise fault

        monkeypatch.setattr(HfApi, name, fail)

    return fails


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (refused(401), "log in"),
        (refused(403), "may not write"),
        (HTTPError("lost"), "lost"),
        (ValueError('"license" is not\n[mit]'), r'does not take the model me/thing: "license" is'),
    ],
)
def test_a_fault_is_one_sentence(hub, fault, words):
    hub("create_commit", fault)
    with pytest.raises(InputError, match=words) as error:
        publish(FILES, "judge", "me/thing")
    assert "\n" not in str(error.value)


def test_private_is_refused_where_the_repository_is_public(hub):
    hub("create_commit", AssertionError())
    with pytest.raises(InputError, match="exists and is public"):
        publish(FILES, "judge", "me/thing", private=True)


def test_bad_input_is_refused_before_anything_is_sent(run, tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    generator = run / "generators/sum-gio"
    for arguments, words in [
        (("judge", tmp_path / "none", "nina/x"), "there is no folder"),
        (("generator", run / "generators", "nina/x"), "one model a repository"),
        (("generator", generator, "nina/a b"), "nina/a b"),
        (("generator", generator, "nina/x", "--license", "CC BY 4.0"), "as cc-by-4.0"),
        (("metric", "hevas", "nina/x", "--license", "mit"), "not of a metric"),
        (("generator", generator, "nina/x", "--out", tmp_path / "out"), "--dry-run"),
        (("generator", generator, "nina/x", "--dry-run", "--out", tmp_path / "full"), "holds other files"),
    ]:
        assert main(["push", *map(str, arguments)]) == 2, arguments
        [sentence] = (line for line in capsys.readouterr().err.splitlines() if line.startswith("change-it: "))
        assert words in sentence
