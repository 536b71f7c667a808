"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import subprocess
import sys

import pytest

from change_it import InputError
from change_it import steps as engine
from change_it.commands import quickstart
from change_it.commands.quickstart import QuickstartOptions
from change_it.steps import BackgroundSteps, Step

JUDGES = ["main judge", "hh judge", "ah judge", "fluency judge"]
STEPS = ["sample", "corpus", *JUDGES, "audit", "generator", "transfer", "report"]


class InPlace(BackgroundSteps):
    """The steps of the other process in this one, at once."""

    def __enter__(self):
        self.seconds = [(step.name, step.run()) for step in self._steps]
        return self

    def __exit__(self, *_):
        pass

    def finished(self, wait):
        while self.seconds:
            yield self.seconds.pop(0)


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
    monkeypatch.setattr(engine, "resolve_name", resolve)
    monkeypatch.setattr(engine, "BackgroundSteps", InPlace)
    return found, resolve


def test_one_generator_writes_for_both_and_its_headlines_are_scored(called, tmp_path, capsys):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, seed=3))
    options = [settings for _, settings in commands]
    assert len(commands) == len(STEPS)
    assert {settings.seed for settings in options} == {3}
    learning, transfer = options[3:5]
    assert [options[place].task for place in (2, 5, 6, 7)] == ["ah", "main", "hh", "fluency"]
    score = options[-1]
    assert (learning.recipe, learning.to, learning.out) == ("rewrite", None, tmp_path / "generators/rewrite")
    assert transfer.generator == str(tmp_path / "generators")
    assert score.predictions == (f"rewrite={transfer.out}",)
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
    commands, resolve = called
    resolve.failing = "change_it.commands.audit"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS) - 2
    resolve.failing = ""
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert len(commands) == len(STEPS)
    assert "fluency judge: finished before" in capsys.readouterr().out
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [command for command, _ in commands[len(STEPS) :]] == ["change_it.commands.score:run"]


def test_a_given_writer_is_tuned_before_the_judges_and_goes_on_where_it_was(called, tmp_path, monkeypatch):
    commands, resolve = called
    loaded = []
    monkeypatch.setattr("change_it.generators.generator.check_writer", loaded.append)
    (tmp_path / "model").mkdir()
    options = QuickstartOptions(out=tmp_path / "run", writer=str(tmp_path / "model"), writer_minutes=3)
    resolve.failing = "change_it.commands.train_judge"
    with pytest.raises(InputError):
        quickstart.run(options)
    learning = commands[2][1]
    assert (learning.recipe, learning.architecture, learning.lora) == ("rewrite", options.writer, True)
    assert (learning.max_minutes, learning.updates, learning.resume) == (3, None, True)
    resolve.failing = ""
    quickstart.run(options)
    assert loaded == [options.writer]
    assert len([settings for _, settings in commands if hasattr(settings, "recipe")]) == 2
    with pytest.raises(InputError, match="choose another --out"):
        quickstart.run(QuickstartOptions(out=tmp_path / "run"))


def test_a_run_with_other_options_is_left_alone(called, tmp_path):
    quickstart.run(QuickstartOptions(out=tmp_path))
    with pytest.raises(InputError, match="choose another --out"):
        quickstart.run(QuickstartOptions(out=tmp_path, seed=2))


@pytest.mark.usefixtures("without_torch")
def test_a_process_of_its_own_sends_seconds_and_prints_into_its_log(tmp_path):
    log = tmp_path / "log"
    with BackgroundSteps(
        [Step("one", "builtins:print", "first"), Step("two", "builtins:print", "second")], log
    ) as background:
        assert [name for name, _ in background.finished(["two"])] == ["one", "two"]
        assert not list(background.finished(["two"]))
    assert log.read_text() == "first\nsecond\n"


@pytest.fixture
def without_torch(tmp_path, monkeypatch):
    """A folder of modules for processes that compute nothing: they need no second to load torch."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "torch.py").write_text("get_num_threads, set_num_threads = lambda: 2, lambda number: None\n")
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_step_waits_for_what_it_needs_of_the_other_process(tmp_path, without_torch):
    (without_torch / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n\n\ndef write(path):\n    time.sleep(0.3)\n    Path(path).write_text('')\n"
    )
    made = tmp_path / "made"

    class Plain(engine.Run):
        def write(self):
            pass

    reading = Step("reading", "pathlib:Path.read_text", made, needs=("writing",))
    beside = [Step("writing", "slow:write", made), Step("other", "builtins:print", "")]
    run = Plain(tmp_path, {})
    run.run([reading], beside=beside, log=tmp_path / "log")
    assert set(run.finished) == {"writing", "reading", "other"}
    assert list(run.finished).index("writing") < list(run.finished).index("reading")


@pytest.mark.usefixtures("without_torch")
def test_what_a_process_of_its_own_raises_is_raised_here(tmp_path):
    missing = str(tmp_path / "corpus")
    steps = [
        Step("one", "builtins:print", "first"),
        Step("two", "change_it.corpus.folder:read_outlets", missing),
    ]
    with pytest.raises(InputError, match="corpus"), BackgroundSteps(steps, tmp_path / "log") as background:
        list(background.finished(["two"]))
    assert "Traceback" in (tmp_path / "log").read_text()


@pytest.mark.usefixtures("without_torch")
def test_a_process_that_dies_names_its_log(tmp_path):
    log = tmp_path / "log"
    with (
        pytest.raises(RuntimeError, match=f"one has died: see {log}"),
        BackgroundSteps([Step("one", "os:_exit", 1)], log) as background,
    ):
        list(background.finished(["one"]))


def test_a_process_of_its_own_ends_with_the_one_that_asked_for_it(tmp_path, without_torch):
    script = """if __name__ == "__main__":
    import os, sys
    from pathlib import Path
    from change_it.steps import BackgroundSteps, Step
    with BackgroundSteps([Step("one", "builtins:print", ""), Step("two", "time:sleep", 600)], Path(sys.argv[1])) as background:
        next(background.finished(["one"]))
        os._exit(0)
"""
    (without_torch / "script.py").write_text(script)  # a program finds modules beside it
    arguments = [sys.executable, str(without_torch / "script.py"), str(tmp_path / "log")]
    # Its output ends with the last process that writes to it.
    subprocess.run(arguments, stdout=subprocess.PIPE, check=True, timeout=120)
