"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json

import pytest

from change_it import InputError, quickstart
from change_it.quickstart import QuickstartOptions

JUDGES = ["main judge", "hh judge", "ah judge", "fluency judge"]
STEPS = ["sample", "corpus", *JUDGES, "audit", "generator", "transfer", "report"]


@pytest.fixture
def called(monkeypatch):
    """Commands and their options in the order in which they were called; one command may be told to fail."""
    found = []

    def resolve(command):
        def run(options):
            if resolve.failing and command.startswith(resolve.failing):
                raise InputError("no")
            found.append((command, options))

        return run

    resolve.failing = ""
    monkeypatch.setattr(quickstart, "resolve_name", resolve)
    return found, resolve


def test_one_generator_writes_for_both_and_its_headlines_are_scored(called, tmp_path, capsys):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, seed=3))
    options = [settings for _, settings in commands]
    assert len(commands) == len(STEPS)
    assert {settings.seed for settings in options} == {3}
    assert [settings.task for settings in options[2:6]] == ["main", "hh", "ah", "fluency"]
    learning, transfer, score = options[-3:]
    assert (learning.recipe, learning.to, learning.out) == ("rewrite", None, tmp_path / "generators/rewrite")
    assert transfer.generator == str(tmp_path / "generators")
    assert score.predictions == (f"rewrite={transfer.out}",)
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == STEPS
    printed = " ".join(capsys.readouterr().out.split())
    assert "Trained here, from scratch: four judges and the generator." in printed


def test_an_interrupted_run_goes_on_and_a_finished_one_makes_its_report_anew(called, tmp_path, capsys):
    commands, resolve = called
    resolve.failing = "change_it.report.audit_command"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == 6
    resolve.failing = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS)
    assert "fluency judge: finished before" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[len(STEPS) :]] == ["change_it.report.score_command:run"]


def test_a_run_with_other_options_is_left_alone(called, tmp_path):
    quickstart.run(QuickstartOptions(out=tmp_path))
    with pytest.raises(InputError, match="choose another --out"):
        quickstart.run(QuickstartOptions(out=tmp_path, seed=2))
