"""The steps of the quickstart: their order and options, and what a second run does anew."""

import json
import re
import runpy
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pool_jobs
import pytest
from corpus_fakes import a_report, articles, write_articles
from saved_judges import a_judges_metrics

from change_it import InputError
from change_it.cli import main, processes, quickstart, train
from change_it.cli.jobs import Job
from change_it.cli.quickstart import QuickstartOptions, Step, Steps
from change_it.files.atomic import write_json
from change_it.files.records import to_json

JUDGES = ("main", "hh", "ah", "fluency")
STEPS = ["corpus", *(f"{task} judge" for task in JUDGES), "audit", "choosing", "headlines"]
OWN = ["corpus.build", *["train.judge_of_run"] * 4, "audit.run", *["train.judge_of_run"] * 4, "score.run"]


@pytest.fixture
def called(monkeypatch):
    """Let no command work: return the list of those that one process called, with their options.

    It comes with a record whose `command` a test may set: that one fails. The result and the record of every
    command are taken for written.
    """
    monkeypatch.setattr(quickstart, "processes_of", lambda *_: 1)
    calls = []
    failing = SimpleNamespace(command="")

    def run(command, options):
        if command == failing.command:
            raise InputError("no")
        calls.append((command, options))

    for command in {*OWN, "corpus.sample", "transfer.run"}:
        monkeypatch.setattr(f"change_it.cli.{command}", partial(run, command))
    monkeypatch.setattr(quickstart, "check_pairs", lambda out: None)
    monkeypatch.setattr(quickstart, "mark_of_step", lambda name, out: "✓")
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
    printed = capsys.readouterr().out
    assert "\n! 20 test pairs are few.\n" in printed
    assert "  its tables, and what more articles would give:" in printed
    assert re.search(r"^\d+ s; another machine", printed, re.MULTILINE)
    (tmp_path / "mine.csv").write_text("id,headline\n1,a b\n")
    commands.clear()
    quickstart.run(QuickstartOptions(**options, predictions=(f"mine={tmp_path / 'mine.csv'}",)))
    [(name, score)] = commands
    assert (name, score.shared_items) == ("score.run", True)
    assert re.search(r"^\d+ s in this call; another machine", capsys.readouterr().out, re.MULTILINE)
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


def test_few_pairs_are_refused_before_a_judge_is_trained_and_other_options_may_follow(tmp_path, capsys):
    """Four pairs, of which fold 0 gets none to learn from; the run then begins anew with other options."""
    news = str(write_articles(tmp_path / "news.csv", articles(close=4, loose=6, alone=10)))
    out = tmp_path / "run"
    assert main(["quickstart", news, "--out", str(out), "--processes", "1"]) == 2
    says = capsys.readouterr()
    assert says.out == ""
    assert says.err == (
        "change-it: 2 training pairs and 2 test pairs are too few to train judges "
        "(HH has no training example in fold 0): give, in this order, "
        "archives that cover the same days more densely, more months of articles, --window-days 1, "
        "a lower --strict (docs/newspapers.md, Too few pairs); the table of pairs is in "
        f"{out / 'run.log'}\n"
    )
    assert not (out / "judges").exists()
    log = (out / "run.log").read_text()
    assert "Pairs by days apart" in log
    assert "Next: change-it train judge" not in log
    assert main(["quickstart", news, "--window-days", "1", "--out", str(out), "--processes", "1"]) == 2
    says = capsys.readouterr()
    assert "had other options (window_days 0) and no judge: the run begins anew." in says.out
    assert "more months of articles, a lower --strict (docs" in says.err
    assert "at most 1 day apart" in (out / "run.log").read_text()
    assert "of the same date" not in (out / "run.log").read_text()


def test_a_run_of_which_only_the_corpus_is_finished_may_begin_anew(called, tmp_path, capsys):
    commands, failing = called
    failing.command = "train.judge_of_run"
    with pytest.raises(InputError):
        quickstart.run(QuickstartOptions(out=tmp_path))
    assert [*json.loads((tmp_path / "run.json").read_text())["times"]] == ["corpus"]
    failing.command = ""
    commands.clear()
    quickstart.run(QuickstartOptions(out=tmp_path, seed=2))
    assert commands[1][0] == "corpus.build"
    assert {options.seed for _, options in commands} == {2}
    assert "(seed 1) and no judge: the run begins anew." in capsys.readouterr().out


def test_a_step_whose_result_is_gone_runs_again(called, tmp_path, monkeypatch):
    commands, _ = called
    quickstart.run(QuickstartOptions(out=tmp_path))
    commands.clear()
    gone = {"audit": tmp_path / "audit" / "audit.json"}
    monkeypatch.setattr(quickstart, "record_of", lambda name, out: gone.get(name, out / "run.json"))
    quickstart.run(QuickstartOptions(out=tmp_path))
    assert [name for name, _ in commands] == ["audit.run", "score.run"]


@pytest.fixture
def faked(monkeypatch):
    """Steps that only write what they are known by, in any process; of the run the log and the screen are
    looked at.
    """
    for command in ("corpus.sample", "corpus.build", "train.judge_of_run", "audit.run", "transfer.run"):
        monkeypatch.setattr(f"change_it.cli.{command}", pool_jobs.fake_step)
    monkeypatch.setattr("change_it.cli.score.run", pool_jobs.fake_step)
    monkeypatch.setattr(quickstart, "_save_shipped", pool_jobs.fake_step)
    monkeypatch.setattr(quickstart, "check_pairs", pool_jobs.accept)
    monkeypatch.setattr(quickstart, "mark_of_step", lambda name, out: "✓")
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: f"result of {name}")
    monkeypatch.setattr(quickstart, "processes_of", lambda wanted, encoder: wanted)
    monkeypatch.setattr(processes, "PRELOADED", pool_jobs.PRELOADED)


def files_of(run):
    """The names of all files, and the log."""
    names = sorted(path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file())
    return names, (run / "run.log").read_text()


def test_two_processes_leave_the_same_files_log_and_screen_as_one(faked, tmp_path, capsys):
    seen = []
    for at_once in (1, 2):
        run = tmp_path / str(at_once) / "run"
        quickstart.run(QuickstartOptions(out=run, processes=at_once))
        screen = capsys.readouterr().out.replace(str(run), "RUN")
        seen.append((*files_of(run), re.sub(r"\d+ s", "N s", screen)))
    assert seen[0] == seen[1]
    first = [line.split("  ")[0] for line in seen[1][2].splitlines()[:3]]
    assert first == ["✓ corpus", "✓ main judge", "✓ hh judge"]
    record = json.loads((tmp_path / "2" / "run" / "run.json").read_text())
    assert list(record["seconds"]) == STEPS
    assert {"choosing hh", "score"} < {*record["times"]}


def test_an_error_in_a_process_keeps_what_others_have_finished(faked, tmp_path, monkeypatch, capsys):
    options = QuickstartOptions(out=tmp_path, processes=2)
    monkeypatch.setattr("change_it.cli.audit.run", pool_jobs.failing_audit)
    with pytest.raises(InputError, match="no audit"):
        quickstart.run(options)
    assert "fluency judge" in capsys.readouterr().out
    assert (tmp_path / "run.log").read_text().endswith("audit looked\n")
    monkeypatch.setattr("change_it.cli.audit.run", pool_jobs.fake_step)
    quickstart.run(options)
    screen = capsys.readouterr().out
    assert "result of fluency judge (finished before)" in screen
    assert "result of audit (0 s)" in screen
    assert not [*tmp_path.glob(".run.log*")]
    log = (tmp_path / "run.log").read_text()
    assert log.count("TrainJudgeOptions fluency judges\n") == 1
    assert log.count("TrainJudgeOptions fluency judges-0\n") == 1


def test_a_run_may_go_on_with_another_number_of_processes(faked, tmp_path, capsys):
    quickstart.run(QuickstartOptions(out=tmp_path, processes=2))
    capsys.readouterr()
    quickstart.run(QuickstartOptions(out=tmp_path, processes=1))
    assert capsys.readouterr().out.count("(finished before)") == len(STEPS)


def test_pre_trained_judges_are_trained_one_by_one(monkeypatch):
    monkeypatch.setattr(processes, "usable_processes", lambda wanted: 8)
    assert [train.processes_of(0, encoder) for encoder in ("linear", "xlm-roberta-base")] == [8, 1]
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert train.processes_of(0, "linear") == 1


def test_a_step_prints_into_the_log_and_a_line_on_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quickstart, "result_of", lambda name, out: "result")
    steps = Steps(QuickstartOptions(out=tmp_path))
    steps.run([Step("audit", (Job("audit", ((print, "printed"), (print, "and this"))),))])
    assert (tmp_path / "run.log").read_text().splitlines() == ["printed", "and this"]
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("✓ audit         result (")


def test_the_line_of_a_judge_that_learnt_from_few_matches_has_no_tick(tmp_path):
    few = a_judges_metrics(task="hh", sizes={"train": 4})
    enough = replace(few, sizes={"train": 400})
    for folder, metrics in (("judges/hh", few), ("judges/main", enough), ("judges-0/hh", few)):
        (tmp_path / folder).mkdir(parents=True)
        write_json(tmp_path / folder / "metrics.json", to_json(metrics))
    steps = ("corpus", "main judge", "hh judge", "audit", "choosing")
    assert [quickstart.mark_of_step(step, tmp_path) for step in steps] == ["✓", "✓", "!", "✓", "!"]
    says = "learnt from 2 matches, fewer than 200: take more articles; F1"
    assert quickstart.result_of("hh judge", tmp_path).startswith(says)


def test_pages_state_the_figures_that_were_measured():
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "quickstart.py"))
    assert script["main"](script["Options"](check=True)) == 0


def test_the_record_of_a_run_of_another_version_is_refused(tmp_path):
    (tmp_path / "run.json").write_text('{"settings": {}}')
    fault = r"run\.json is not as .* \(it lacks seconds\): choose another --out"
    with pytest.raises(InputError, match=fault):
        Steps(QuickstartOptions(out=tmp_path))
