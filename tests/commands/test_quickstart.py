"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import subprocess
import sys
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace

import pytest

from change_it import InputError
from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions, Steps

JUDGES = ["main judge", "hh judge", "ah judge", "fluency judge"]
CHOOSERS = [f"{judge} of fold 0" for judge in JUDGES]
STEPS = ["sample", "corpus", *JUDGES, "audit", "generator", "transfer", *CHOOSERS, "report"]


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
    assert len(commands) == len(STEPS)
    assert {settings.seed for settings in options} == {3}
    learning, transfer = options[2:4]
    trained = [(each.fold, each.task, str(each.out)) for each in options if hasattr(each, "task")]
    assert sorted(trained) == sorted(
        (fold, task, str(tmp_path / folder / task))
        for fold, folder in (("1", "judges"), ("0", "judges-0"))
        for task in ("main", "hh", "ah", "fluency")
    )
    score = options[-1]
    assert (learning.recipe, learning.to, learning.out) == ("rewrite", None, tmp_path / "generators/rewrite")
    assert transfer.generator == str(tmp_path / "generators")
    assert score.predictions == (f"rewrite={transfer.out}",)
    assert (score.judges, score.floor) == (str(tmp_path / "judges"), str(tmp_path / "judges-0"))
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
    assert len(commands) == len(STEPS) - 2  # without audit and report
    failing.command = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS)
    assert "result of fluency judge (finished before)" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[len(STEPS) :]] == ["score"]


@pytest.fixture
def without_torch(tmp_path, monkeypatch):
    """A folder of modules for processes that compute nothing: they need no second to load torch."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "torch.py").write_text("get_num_threads, set_num_threads = lambda: 2, lambda number: None\n")
    code = "import time\ndef write(path):\n    time.sleep(0.3)\n    path.write_text('')\n"
    (folder / "slow.py").write_text(code)
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_step_waits_for_the_other_process_and_what_ended_there_is_noted(
    tmp_path, without_torch, monkeypatch, capsys
):
    import slow

    monkeypatch.setattr(quickstart, "result_of", lambda name, out: "result")
    steps = Steps(QuickstartOptions(out=tmp_path))
    made = tmp_path / "made"
    with steps.background():
        steps.start("ah judge", slow.write, made)
        steps.start("transfer", print, "printed")
        steps.wait("ah judge")
        assert made.exists()
        steps.run("audit", made.read_text, None)
        steps.run("report", print, "a long table")
    noted = json.loads((tmp_path / "run.json").read_text())["seconds"]
    assert sorted(noted) == ["ah judge", "audit", "report", "transfer"]
    assert (tmp_path / "generator.log").read_text() == "printed\n"
    assert (tmp_path / "run.log").read_text() == "a long table\n"
    assert len(capsys.readouterr().out.splitlines()) == len(noted)  # a line a step


@pytest.mark.parametrize("end", ["raise InputError('no')", "os._exit(0)"])
def test_the_other_process_ends_with_this_one(tmp_path, without_torch, end):
    script = f"""if __name__ == "__main__":
    import os, sys, time
    from pathlib import Path
    from change_it import InputError
    from change_it.commands.quickstart import QuickstartOptions, Steps
    steps = Steps(QuickstartOptions(out=Path(sys.argv[1])))
    with steps.background():
        steps.start("ah judge", print, "")
        steps.start("generator", time.sleep, 600)
        steps.wait("ah judge")
        {end}
"""
    (without_torch / "script.py").write_text(script)  # a program finds modules beside it
    arguments = [sys.executable, str(without_torch / "script.py"), str(tmp_path / "run")]
    # Its output ends with the last process that writes to it.
    subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
