"""Where the Hub or its user is at fault a push is one sentence, and the repository is as it was."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from change_it.cli import main
from change_it.errors import InputError
from change_it.hub.publishing import Destination, publish

TO = Destination(kind="judge", repo_id="me/thing")


@pytest.fixture
def hub(monkeypatch):
    """Provide a Hub with a public repository, which fails at the commit: `hub(fault)`."""

    def commit(fault):
        def create_commit(*_, **__):
            raise fault

        monkeypatch.setattr(HfApi, "create_commit", create_commit)

    monkeypatch.setattr(HfApi, "create_repo", lambda *_, **__: None)
    monkeypatch.setattr(HfApi, "list_repo_files", lambda *_, **__: [])
    monkeypatch.setattr(HfApi, "repo_info", lambda *_, **__: SimpleNamespace(private=False, sha="a" * 40))
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    return commit


def refused(status):
    response = SimpleNamespace(status_code=status, headers={}, request=None)
    return HfHubHTTPError(f"{status}\nfor hf_secret", response=response)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (refused(403), r"as it was: 403 for \*\*\*; log in with `hf auth login`"),
        (refused(500), r"500 for \*\*\*$"),
        (HTTPError("no answer"), r"holds all of this push or nothing: try again \(no answer\)"),
        (RuntimeError("hf_xet"), r"or nothing: try again \(hf_xet\)"),
        (ValueError('"license" is not\n[mit]'), r'the model me/thing, .* "license" is not \[mit\]'),
    ],
)
def test_a_fault_is_one_sentence(hub, fault, words):
    hub(fault)
    with pytest.raises(InputError, match=words):
        publish({"README.md": b""}, TO)


def test_private_is_refused_where_the_repository_is_public(hub):
    hub(AssertionError())
    with pytest.raises(InputError, match="exists and is public"):
        publish({"README.md": b""}, replace(TO, private=True))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("judge {run}/none nina/x", "there is no folder"),
        ("generator {run}/generators nina/x", "one model a repository"),
        ("generator {run}/generators/sum-gio a", "give owner/name"),
        ("generator {run}/generators/sum-gio nina/th..ing --dry-run", "give owner/name"),
        ("metric hevas nina/x --license mit", "not of a metric"),
        ("judge {run}/judges nina/x --variables A=b", "not of a judge"),
        ("metric compliancy nina/x --variables CHANGE_IT_JUDGES", "give NAME=VALUE"),
        ("metric compliancy nina/x --variables CHANGE_IT_JUDGES=", "give NAME=VALUE"),
        ("generator {run}/generators/sum-gio nina/x --create-pr --tag v1", "leave --tag"),
        ("generator {run}/generators/sum-gio nina/x --create-pr --revision new", "and --revision out"),
        ("metric .. nina/x", "the package ships no metrics/.."),
        ("generator {run}/generators/sum-gio nina/x --out {run}/new", "--dry-run"),
        ("generator {run}/generators/sum-gio nina/x --dry-run --out {run}/corpus", "holds other files"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(run, arguments, words, capsys):
    assert main(["push", *arguments.format(run=run).split()]) == 2
    [*_, sentence] = capsys.readouterr().err.splitlines()
    assert words in sentence


def test_texts_of_publishers_are_private_or_have_a_licence(run, tmp_path, capsys):
    corpus = shutil.copytree(run / "corpus", tmp_path / "corpus")
    card = corpus / "README.md"
    card.write_text(card.read_text().replace("license: cc-by-nc-sa-4.0\n", "license: unknown\n"))
    push = ["push", "dataset", str(corpus), "nina/x", "--dry-run", "--out", str(tmp_path / "out")]
    assert main(push) == 2
    assert "belong to their publishers" in capsys.readouterr().err
    for ways in (["--private"], ["--license", "cc-by-4.0"]):
        assert main([*push, *ways]) == 0
        shutil.rmtree(tmp_path / "out")
