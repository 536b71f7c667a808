"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import os
import runpy
import subprocess
import sys
from concurrent.futures import Future
from contextlib import nullcontext
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
    "writer",
    "headlines",
]
STEPS += ["choosing", "report"]
#: Its commands: two make the corpus, and four judges choose the floor.
COMMANDS = len(STEPS) + 1 + 3


class InPlace(nullcontext):
    """What stands for the other process: it runs in this one, at once."""

    def __init__(self, *_):
        super().__init__(self)

    def submit(self, function, *arguments):
        done = Future()
        done.set_result(function(*arguments))
        return done


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
    monkeypatch.setattr(quickstart, "ProcessPoolExecutor", InPlace)
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
    assert sorted(json.loads((tmp_path / "run.json").read_text())["seconds"]) == sorted(STEPS)


def test_a_model_of_support_stands_beside_the_judges_that_score(called, tmp_path):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, support="owner/model"))
    judges = [each for _, each in commands if hasattr(each, "task")]
    [support] = [each for each in judges if each.task == "support"]
    assert (support.encoder, support.out) == ("owner/model", tmp_path / "judges/support")


def test_an_interrupted_run_goes_on_and_a_finished_one_makes_its_report_anew(called, tmp_path, capsys):
    commands, failing = called
    failing.command = "audit"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == COMMANDS - 2  # without audit and report
    failing.command = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == COMMANDS
    assert "result of fluency judge (finished before)" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[COMMANDS:]] == ["score"]


@pytest.mark.parametrize(
    ("given", "architecture", "updates"),
    [
        ({}, str(quickstart.SHIPPED), quickstart.TUNES["updates"]),
        ({"from_scratch": True}, None, quickstart.WRITES["updates"]),
        ({"full": True}, None, None),
        ({"seed": 3}, None, quickstart.WRITES["updates"]),
        ({"articles": 500}, None, quickstart.WRITES["updates"]),
        ({"writer": "owner/model"}, "owner/model", None),
    ],
)
def test_the_writer_that_ships_begins_where_it_has_not_read_the_test_headlines(given, architecture, updates):
    training = GeneratorOptions(recipe="rewrite", corpus="", out=None, **QuickstartOptions(**given).training)
    assert (training.architecture, training.updates) == (architecture, updates)


def test_pages_state_the_figures_that_were_measured():
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "quickstart.py"))
    assert script["main"](script["Options"](check=True)) == 0
    assert len(json.loads(script["FIGURES"].read_text(encoding="utf-8"))["screen"]) <= 30


@pytest.mark.parametrize(("given", "taken"), [(None, "2"), ("1", "1"), ("16", "2"), ("4,2", "2")])
def test_libraries_take_half_of_the_cores_or_fewer(given, taken, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if given:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    with quickstart.half_the_cores():
        assert os.environ["OMP_NUM_THREADS"] == taken
    assert os.environ.get("OMP_NUM_THREADS") == given


def test_steps_of_both_processes_are_noted_and_print_into_one_log(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: "result")
    steps = Steps(QuickstartOptions(out=tmp_path))
    made = tmp_path / "made"
    with steps.beside():
        steps.start("writer", (os.mkdir, made))
        steps.start("headlines", (print, "printed there"))
        steps.run("audit", (print, "printed here"), (print, "and here"))
    steps.run("report", (os.rmdir, made))
    noted = json.loads((tmp_path / "run.json").read_text())["seconds"]
    assert sorted(noted) == ["audit", "headlines", "report", "writer"]
    lines = (tmp_path / "run.log").read_text().splitlines()
    assert sorted(lines) == ["and here", "printed here", "printed there"]
    assert len(capsys.readouterr().out.splitlines()) == len(noted)  # a line a step


@pytest.mark.parametrize("end", ["raise InputError('no')", "os._exit(0)"])
def test_the_other_process_ends_with_this_one(tmp_path, end):
    script = f"""if __name__ == "__main__":
    import os, sys, time
    from pathlib import Path
    from change_it import InputError
    from change_it.commands.quickstart import QuickstartOptions, Steps
    steps = Steps(QuickstartOptions(out=Path(sys.argv[1])))
    with steps.beside():
        steps.start("writer", (print, ""))
        steps.start("headlines", (time.sleep, 600))
        {end}
"""
    (tmp_path / "script.py").write_text(script)
    arguments = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "run")]
    # Its output ends with the last process that writes to it.
    subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
