"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import runpy
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from change_it import InputError
from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions, Steps
from change_it.generators.generator_options import GeneratorOptions

STEPS = [
    "corpus",
    *(f"{task} judge" for task in ("main", "hh", "ah", "fluency")),
    "audit",
    "choosing",
    "writer",
    "headlines",
    "report",
]
#: Its commands: two make the corpus, and four judges choose the floor.
COMMANDS = len(STEPS) + 1 + 3


@pytest.fixture
def called(monkeypatch):
    """Commands and their options in the order in which they were called; one command may be told to fail."""
    found = []
    failing = SimpleNamespace(command="")
    commands = "corpus_sample corpus_build train_judge train_generator transfer audit score"

    def run(command, options):
        if command == failing.command:
            raise InputError("no")
        found.append((command, options))

    for command in commands.split():
        monkeypatch.setattr(f"change_it.commands.{command}.run", partial(run, command))
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: f"result of {name}")
    monkeypatch.setattr(quickstart, "_show", lambda out, terminal: None)
    return found, failing


def test_one_generator_writes_for_both_and_its_headlines_are_scored(called, tmp_path):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, seed=3))
    options = [settings for _, settings in commands]
    by_command = dict(commands)
    assert len(commands) == COMMANDS
    assert {settings.seed for settings in options} == {3}
    learning, transfer, score = (by_command[name] for name in ("train_generator", "transfer", "score"))
    trained = [(each.fold, each.task, str(each.out)) for each in options if hasattr(each, "task")]
    assert sorted(trained) == sorted(
        (fold, task, str(tmp_path / folder / task))
        for fold, folder in (("1", "judges"), ("0", "judges-0"))
        for task in ("main", "hh", "ah", "fluency")
    )
    assert (learning.recipe, learning.to, learning.out) == ("rewrite", None, tmp_path / "generators/rewrite")
    assert transfer.generator == str(tmp_path / "generators")
    assert score.predictions == (f"rewrite={transfer.out}",)
    assert (score.judges, score.floor) == (str(tmp_path / "judges"), str(tmp_path / "judges-0"))
    assert transfer.rerank == score.floor  # what chooses does not score
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == STEPS


def test_an_interrupted_run_goes_on_and_a_finished_one_makes_its_report_anew(called, tmp_path, capsys):
    commands, failing = called
    failing.command = "audit"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == 6  # sample, corpus and four judges
    failing.command = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == COMMANDS
    assert "result of fluency judge (finished before)" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[COMMANDS:]] == ["score"]


@pytest.mark.parametrize(
    ("given", "architecture", "updates"),
    [
        ({}, str(quickstart.SHIPPED), "20"),
        ({"from_scratch": True}, None, "450"),
        ({"full": True}, None, None),
        ({"seed": 3, "articles": 500}, str(quickstart.SHIPPED), "20"),
        ({"writer": "owner/model"}, "owner/model", None),
    ],
)
def test_the_writer_that_ships_is_tuned_unless_another_is_trained(given, architecture, updates):
    training = GeneratorOptions(recipe="rewrite", corpus="", out=None, **QuickstartOptions(**given).training)
    assert (training.architecture, training.given.get("max_steps")) == (architecture, updates)


def test_a_name_on_the_hub_needs_no_owner_and_a_path_must_be_there(tmp_path):
    quickstart.check(
        QuickstartOptions(out=tmp_path, encoder="xlm-roberta-base", writer="google/gemma-3-270m")
    )
    with pytest.raises(InputError, match="nowhere: give the Hub id"):
        quickstart.check(QuickstartOptions(out=tmp_path, encoder="./nowhere"))


def test_pages_state_the_figures_that_were_measured():
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "quickstart.py"))
    assert script["main"](script["Options"](check=True)) == 0


def test_a_step_prints_into_the_log_and_a_line_on_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: "result")
    steps = Steps(QuickstartOptions(out=tmp_path))
    steps.run("audit", (print, "printed"), (print, "and this"))
    assert (tmp_path / "run.log").read_text().splitlines() == ["printed", "and this"]
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("✓ audit         result (")
