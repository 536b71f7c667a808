"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import os
import subprocess
import sys
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace

import pytest

from change_it import InputError
from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions, Steps
from change_it.corpus.folder import read_outlets

JUDGES = ["main judge", "hh judge", "ah judge", "fluency judge"]
CHOOSERS = [f"{judge} of fold 0" for judge in JUDGES]
STEPS = ["sample", "corpus", *JUDGES, "audit", "generator", "transfer", *CHOOSERS, "report"]


class InPlace:
    """What stands for the other process: it runs in this one, at once."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, function, *arguments):
        done = Future()
        done.set_result(function(*arguments))
        return done


@pytest.fixture
def called(monkeypatch):
    """Commands and their options in the order in which they were called; one command may be told to fail."""
    found = []
    failing = SimpleNamespace(command="")
    commands = (
        "corpus_sample",
        "corpus_build",
        "train_judge",
        "train_generator",
        "transfer",
        "audit",
        "score",
    )

    def run(command, options):
        if command == failing.command:
            raise InputError("no")
        found.append((command, options))

    for command in commands:
        monkeypatch.setattr(f"change_it.commands.{command}.run", partial(run, command))
    monkeypatch.setattr(quickstart, "ProcessPoolExecutor", InPlace)
    return found, failing


def test_one_generator_writes_for_both_and_its_headlines_are_scored(called, tmp_path, capsys):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, seed=3))
    options = [settings for _, settings in commands]
    assert len(commands) == len(STEPS)
    assert {settings.seed for settings in options} == {3}
    learning, transfer = options[3:5]
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
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == STEPS
    printed = " ".join(capsys.readouterr().out.split())
    assert "Trained here, from scratch: judges and generator." in printed


def test_a_reader_is_trained_where_it_is_asked_for(called, tmp_path):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, reader=True))
    assert "facts" in [getattr(settings, "task", None) for _, settings in commands]
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == [
        *STEPS[:6],
        "facts judge",
        *STEPS[6:],
    ]


def test_an_interrupted_run_goes_on_and_a_finished_one_makes_its_report_anew(called, tmp_path, capsys):
    commands, failing = called
    failing.command = "audit"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS) - 2  # without audit and report
    failing.command = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS)
    assert "fluency judge: finished before" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[len(STEPS) :]] == ["score"]


def test_a_given_writer_is_tuned_before_the_judges_and_goes_on_where_it_was(called, tmp_path, monkeypatch):
    commands, failing = called
    loaded = []
    monkeypatch.setattr("change_it.generators.generator.kind_of", loaded.append)
    (tmp_path / "model").mkdir()
    options = QuickstartOptions(out=tmp_path / "run", writer=str(tmp_path / "model"), writer_minutes=3)
    failing.command = "train_judge"
    with pytest.raises(InputError):
        quickstart.run(options)
    learning = commands[2][1]
    assert (learning.recipe, learning.architecture, learning.lora) == ("rewrite", options.writer, True)
    assert (learning.max_minutes, learning.updates, learning.resume) == (3, None, True)
    failing.command = ""
    quickstart.run(options)
    assert loaded == [options.writer]
    assert len([settings for _, settings in commands if hasattr(settings, "recipe")]) == 2
    with pytest.raises(InputError, match="choose another --out"):
        quickstart.run(QuickstartOptions(out=tmp_path / "run"))


def test_a_run_with_other_options_is_left_alone(called, tmp_path):
    quickstart.run(QuickstartOptions(out=tmp_path))
    with pytest.raises(InputError, match="choose another --out"):
        quickstart.run(QuickstartOptions(out=tmp_path, seed=2))


@pytest.fixture
def without_torch(tmp_path, monkeypatch):
    """A folder of modules for processes that compute nothing: they need no second to load torch."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "torch.py").write_text("get_num_threads, set_num_threads = lambda: 2, lambda number: None\n")
    (folder / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n\n\ndef write(path):\n    time.sleep(0.3)\n    Path(path).write_text('')\n"
    )
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_step_waits_for_the_other_process_and_what_ended_there_is_noted(tmp_path, without_torch):
    import slow

    steps = Steps(QuickstartOptions(out=tmp_path))
    made = tmp_path / "made"
    with steps.background():
        steps.start("ah judge", slow.write, made)
        steps.start("transfer", print, "printed")
        steps.wait("ah judge")
        assert made.exists()
        steps.run("audit", made.read_text, None)
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == [
        "ah judge",
        "audit",
        "transfer",
    ]
    assert (tmp_path / "generator.log").read_text() == "printed\n"


@pytest.mark.usefixtures("without_torch")
def test_what_the_other_process_raises_is_raised_here(tmp_path):
    steps = Steps(QuickstartOptions(out=tmp_path))
    with pytest.raises(InputError, match="corpus"), steps.background():
        steps.start("transfer", read_outlets, str(tmp_path / "corpus"))


@pytest.mark.usefixtures("without_torch")
def test_a_process_that_dies_names_its_log(tmp_path):
    steps = Steps(QuickstartOptions(out=tmp_path))
    with pytest.raises(RuntimeError, match=r"transfer has died: see .*generator\.log"), steps.background():
        steps.start("transfer", os._exit, 1)


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
