"""`change-it push` where the Hub or its user is at fault: one sentence, and a repository that is as it was."""

import shutil

import pytest
from hub_client import sentence

#: Route to fail, and every answer that becomes a sentence.
ROUTES = {
    "create": ("POST", "/repos/create"),
    "list": ("GET", "/tree/main$"),
    "card": ("POST", "/validate-yaml"),
    "preupload": ("POST", "/preupload/"),
    "batch": ("POST", "/objects/batch"),
    "storage": ("PUT", "/storage/"),
    "commit": ("POST", "/commit/"),
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("status", [401, 403, 404, 429, 503, 0])
def test_a_fault_that_stays_leaves_the_repository_as_it_was(hub, push, run, route, status):
    repo = hub.add("model", "nina/steady")
    before = repo.head
    hub.objects.clear()
    hub.fail(*ROUTES[route], status, times=1000)
    code, out, err, pauses = push("generator", run / "generators/sum-gio", "nina/steady")
    found = code, repo.head is before, out
    if route == "create" and status in (401, 403):
        # Whoever may not make repositories may still write to one that is there.
        assert (code, len(repo.head.history)) == (0, 2)
        return
    assert found == (2, True, "")
    message = sentence(err)
    if route == "card" and status in (429, 503):
        status = 0  # the client does not say which answer it could not read
    assert {401: "log in", 403: "may not write", 404: "no model nina/steady", 0: "lost"}.get(
        status, str(status)
    ) in message
    assert len(hub.asked(*ROUTES[route])) <= 30
    assert (pauses > 0) == (status in (429, 500, 503, 0))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("status", [429, 500, 0])
def test_a_fault_that_passes_costs_a_pause(hub, push, run, route, status):
    hub.repos.pop(("model", "nina/patient"), None)
    hub.objects.clear()
    hub.fail(*ROUTES[route], status, times=2)
    code, out, _, pauses = push("generator", run / "generators/sum-gio", "nina/patient")
    assert (code, len(hub.repo("model", "nina/patient").head.history)) == (0, 2)
    assert pauses > 0
    assert hub.repo("model", "nina/patient").head.oid in out


def test_an_answer_that_is_lost_makes_no_second_commit(hub, push, run):
    repo = hub.add("model", "nina/lost")
    hub.fail("POST", "/commit/", lost=True)
    code, out, _, _ = push("generator", run / "generators/sum-gio", "nina/lost")
    assert (code, len(repo.head.history)) == (0, 2)
    assert repo.head.oid in out


def test_what_an_earlier_push_left_goes_and_nothing_new_is_no_commit(hub, push, run, tmp_path):
    generator = shutil.copytree(run / "generators/sum-gio", tmp_path / "generator")
    shutil.copy(generator / "model.safetensors", generator / "model-00001-of-00001.safetensors")
    assert push("generator", generator, "nina/kept", "--private")[0] == 0
    repo = hub.repo("model", "nina/kept")
    assert repo.private
    first = repo.head
    assert push("generator", generator, "nina/kept", "--private")[0] == 0
    assert repo.head is first  # nothing new, no commit

    (generator / "model-00001-of-00001.safetensors").unlink()
    before = repo.paths("main")
    assert push("generator", generator, "nina/kept")[0] == 0
    assert before - repo.paths("main") == {"model-00001-of-00001.safetensors"}


def test_bad_input_is_refused_before_anything_is_sent(hub, push, run, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    generator = run / "generators/sum-gio"
    for arguments, words in [
        (("judge", tmp_path / "none", "nina/x"), "there is no folder"),
        (("judge", run / "generators/sum-gio", "nina/x"), "cannot be loaded as a judge"),
        (("generator", run / "judges/hh", "nina/x"), "no generator of ours"),
        (("generator", run / "generators", "nina/x"), "one model a repository"),
        (("dataset", run / "judges", "nina/x"), "not a corpus of ours"),
        (("metric", "nonesuch", "nina/x"), "nonesuch"),
        (("generator", generator, "nina"), "owner/name"),
        (("generator", generator, "nina/a b"), "nina/a b"),
        (("generator", generator, "nina/x", "--out", tmp_path / "out"), "--dry-run"),
        (("generator", generator, "nina/x", "--dry-run", "--out", tmp_path / "full"), "not empty"),
    ]:
        code, out, err, _ = push(*arguments)
        assert (code, out) == (2, ""), arguments
        assert words in sentence(err)
    assert not hub.asked("POST", "")
    code, _, err, _ = push("generator", generator, "nina/x", token="")
    assert (code, ("model", "nina/x") in hub.repos) == (2, False)
    assert "hf auth login" in sentence(err)
    code, _, err, _ = push("generator", generator, "somebody/x")
    assert (code, "may not write" in sentence(err)) == (2, True)
    code, _, err, _ = push("generator", generator, "nina/x", "--license", "whatever")
    assert (code, '"license" must be' in sentence(err)) == (2, True)
    assert len(hub.repo("model", "nina/x").head.history) == 1
    hub.add("model", "nina/open")
    code, _, err, _ = push("generator", generator, "nina/open", "--private")
    assert (code, "is public" in sentence(err), len(hub.repo("model", "nina/open").head.history)) == (
        2,
        True,
        1,
    )
