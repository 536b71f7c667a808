"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import runpy
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus_fakes import a_report

from change_it import InputError
from change_it.cli import quickstart
from change_it.cli.processes import Job
from change_it.cli.quickstart import QuickstartOptions, Step, Steps

JUDGES = ("main", "hh", "ah", "fluency")
STEPS = ["corpus", *(f"{task} judge" for task in JUDGES), "audit", "choosing", "headlines"]
OWN = ["corpus.build", *["train.judge_of_run"] * 4, "audit.run", *["train.judge_of_run"] * 4, "score.run"]


@pytest.fixture
def called(monkeypatch):
    """Commands and their options in the order in which one process called them; one command may be told to fail."""
    monkeypatch.setattr(quickstart, "processes_of", lambda *_: 1)
    calls, failing = [], SimpleNamespace(command="")

    def run(command, options):
        if command == failing.command:
            raise InputError("no")
        calls.append((command, options))

    for command in {*OWN, "corpus.sample", "transfer.run"}:
        monkeypatch.setattr(f"change_it.cli.{command}", partial(run, command))
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: f"result of {name}")
    monkeypatch.setattr(quickstart, "record_of", lambda name, out: out / "run.json")  # is always there
    monkeypatch.setattr(
        quickstart, "read_report", lambda corpus: a_report(warnings=["20 test pairs are few"])
    )
    return calls, failing


def test_one_generator_writes_for_both_and_its_headlines_are_scored(called, tmp_path):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path, seed=3, encoder="xlm-roberta-base"))
    assert [name for name, _ in commands] == ["corpus.sample", *OWN[:-1], "transfer.run", "score.run"]
    assert {options.seed for _, options in commands} == {3}
    judges = [options for name, options in commands if name == "train.judge_of_run"]
    trained = [(options.out.parent.name, options.fold, options.encoder, options.task) for options in judges]
    folders = [("judges", "1", "xlm-roberta-base"), ("judges-0", "0", "linear")]
    assert trained == [(*folder, task) for folder in folders for task in JUDGES]
    (_, transfer), (_, score) = commands[-2:]
    assert transfer.generator == str(tmp_path / "generators")
    assert score.predictions == (f"rewrite={transfer.out}",)
    assert (score.judges, score.floor) == (str(tmp_path / "judges"), str(tmp_path / "judges-0"))
    assert transfer.rerank == score.floor  # what chooses does not score
    assert list(json.loads((tmp_path / "run.json").read_text())["seconds"]) == STEPS


def test_own_newspapers_have_no_generator_and_their_systems_may_come_later(called, tmp_path, capsys):
    commands, _ = called
    options = {"files": ("post=post.csv", "herald=herald.csv"), "columns": "headline=title", "out": tmp_path}
    quickstart.run(QuickstartOptions(**options))
    assert [name for name, _ in commands] == OWN
    build, score = commands[0][1], commands[-1][1]
    assert (build.files, build.columns, build.out) == (*list(options.values())[:2], tmp_path / "corpus")
    assert (score.predictions, score.shared_items) == ((), False)
    assert "20 test pairs are few." in capsys.readouterr().out
    (tmp_path / "mine.csv").write_text("id,headline\n1,a b\n")
    commands.clear()
    quickstart.run(QuickstartOptions(**options, predictions=(f"mine={tmp_path / 'mine.csv'}",)))
    [(name, score)] = commands
    assert (name, score.shared_items) == ("score.run", True)
    with pytest.raises(InputError, match=r"other options .*headline=title.*: give the same options again"):
        quickstart.run(QuickstartOptions(**options | {"columns": ""}))
    with pytest.raises(InputError, match="nowhere: give the Hub id"):
        quickstart.run(QuickstartOptions(out=tmp_path, encoder="./nowhere"))


def test_an_interrupted_run_goes_on_and_a_finished_one_makes_its_report_anew(called, tmp_path, capsys):
    commands, failing = called
    failing.command = "audit.run"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    failing.command, before = "", len(commands)
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert commands[before][0] == "audit.run"
    assert "result of fluency judge (finished before)" in capsys.readouterr().out
    commands.clear()
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [name for name, _ in commands] == ["score.run"]


def test_a_step_whose_result_is_gone_runs_again(called, tmp_path, monkeypatch):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path))
    commands.clear()
    gone = {"audit": tmp_path / "audit" / "audit.json"}
    monkeypatch.setattr(quickstart, "record_of", lambda name, out: gone.get(name, out / "run.json"))
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [name for name, _ in commands] == ["audit.run", "score.run"]


def test_a_step_prints_into_the_log_and_a_line_on_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: "result")
    steps = Steps(QuickstartOptions(out=tmp_path))
    steps.run([Step("audit", (Job("audit", ((print, "printed"), (print, "and this"))),))])
    assert (tmp_path / "run.log").read_text().splitlines() == ["printed", "and this"]
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("✓ audit         result (")


def test_pages_state_the_figures_that_were_measured():
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "quickstart.py"))
    assert script["main"](script["Options"](check=True)) == 0


def test_the_record_of_a_run_of_another_version_is_refused(tmp_path):
    (tmp_path / "run.json").write_text('{"settings": {}}')
    fault = r"run\.json is not as .* \(it lacks seconds\): choose another --out"
    with pytest.raises(InputError, match=fault):
        Steps(QuickstartOptions(out=tmp_path))
