"""`change-it reproduce`: plans and what is kept of them, HEvAS whole, faults; slow: CHANGE-IT and LREC whole."""

import inspect
import json
import re
import signal

import pytest
from csv_files import write_csv
from processes import run_python

from change_it.cli import main
from change_it.commands.reproduce import ReproduceOptions
from change_it.errors import InputError
from change_it.published_figures import CITATIONS, HEVAS_MEANS
from change_it.reproduction import runner
from change_it.reproduction.runner import Run, Step, plan


def tables_of(out, paper):
    return json.loads((out / f"{paper}.json").read_text(encoding="utf-8"))["tables"]


def test_hevas(corpus, tmp_path, capsys):
    out = tmp_path / "hevas"
    arguments = ["reproduce", "hevas2019", "--corpus", corpus, "--out", str(out), "--scale", "smoke"]
    assert main(arguments) == 0
    rows = {row["row"]: row for row in tables_of(out, "hevas2019")["table1"]["rows"]}
    published, measured = rows["first, published"], rows["first, measured"]
    assert published["R-1"] == HEVAS_MEANS["first"]["R-1"]
    assert rows["first, difference"]["R-1"] == pytest.approx(measured["R-1"] - published["R-1"])
    assert measured["R-1_interval_low"] < measured["R-1"] < measured["R-1_interval_high"]
    assert published["JS-C"] is None
    assert rows["first, AUC"]["R-1"] > 0.6
    assert -1 <= rows["τ of the order"]["R-1"] <= 1
    cells = {row["row"]: row for row in tables_of(out, "hevas2019")["table3"]["rows"]}
    assert cells["R-1, published"]["R-SU"] == 0.99
    assert cells["R-1, measured"]["R-SU"] > 0.8
    assert cells["R-SU, measured"]["R-2"] is None  # below the diagonal
    first = (out / "hevas2019.md").read_bytes()
    assert re.search(rb"\|seed:1\|", first)
    (out / "steps.json").unlink()
    capsys.readouterr()
    assert main(arguments) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (out / "hevas2019.md").read_bytes() == first


@pytest.mark.parametrize("paper", CITATIONS)
def test_plans(corpus, tmp_path, capsys, paper):
    arguments = ["reproduce", paper, "--corpus", corpus, "--out", str(tmp_path / "out"), "--plan"]
    for scale in runner.RESAMPLES:
        assert main([*arguments, "--scale", scale]) == 0
    assert len(re.findall(r"To do: (\d+) of \1 steps", capsys.readouterr().out)) == len(runner.RESAMPLES)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("scale", runner.RESAMPLES)
@pytest.mark.parametrize("paper", CITATIONS)
def test_steps_have_options_that_their_commands_know(corpus, tmp_path, paper, scale):
    options = ReproduceOptions(paper=paper, corpus=corpus, out=tmp_path, scale=scale, seed=7)
    steps = plan(options)
    run = Run(options, corpus="")
    for call in map(run.call, steps):
        [given] = call.args or [inspect.signature(call.func).bind(**call.keywords).arguments]
        values = given if isinstance(given, dict) else vars(given)
        assert values.get("seed", 7) == 7
        assert not re.search(r"{\w+}", str(list(values.values())))
    names = [step.out for step in steps]
    assert len(set(names)) == len(names)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Runs steps that write files, by name: the names of those that were called."""
    calls = []

    def write(out, text, fail=False):
        calls.append(out.name)
        if fail:
            raise InterruptedError
        out.write_text(text)

    monkeypatch.setattr(runner, "write", write, raising=False)

    def run(**settings):
        calls.clear()
        steps = [Step(name, "reproduction.runner:write", given) for name, given in settings.items()]
        Run(run.options, corpus="").run(steps)
        return list(calls)

    run.options = ReproduceOptions(paper="hevas2019", corpus="", out=tmp_path / "run")
    return run


def test_what_is_finished_is_kept(small, tmp_path):
    plans = {name: {"text": name} for name in "abc"}
    with pytest.raises(InterruptedError):
        small(**{**plans, "b": {"text": "b", "fail": True}})
    assert small(**plans) == ["b", "c"]
    assert small(**plans) == []
    small.options.out.rename(tmp_path / "moved")
    small.options.out = tmp_path / "moved"
    assert small(**plans) == []
    assert small(**{**plans, "b": {"text": "B"}}) == ["b", "c"]  # c may read b
    assert small(a=plans["a"], d={"text": "d"}) == ["d"]  # another paper
    (tmp_path / "moved" / "a").unlink()
    assert small(**plans) == ["a", "b", "c"]


def test_what_another_paper_left_is_not_taken_for_what_was_read(small):
    one, other, scores = {"text": "1"}, {"text": "2"}, {"text": "scores"}
    small(judge=one, scores=scores)
    small(judge=other, others=scores)
    assert small(judge=other, scores=scores) == ["scores"]


def test_another_run_is_refused(small):
    small()
    small.options.scale = "smoke"
    with pytest.raises(InputError, match="'scale': 'cpu'"):
        small()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda rows: rows[1:], "1 id missing: a0"),
        (lambda rows: [["a0", "", "", "R"], *rows[1:]], "1 id with an empty headline: a0"),
    ],
)
def test_submissions_in_the_tasks_format_are_read_before_anything_is_trained(
    toy_corpus, tmp_path, monkeypatch, spoil, words
):
    monkeypatch.setattr(runner, "read_outlets", lambda _: ("rep", "gio"))
    rows = [[f"{side}{n}", "nuovo", "testo", label] for side, label in ("aR", "bG") for n in range(4)]
    header = ("id", "headline", "article", "label")
    both = {"good": rows, "bad": spoil(rows)}
    files = [write_csv(tmp_path / f"{name}.csv", some, header) for name, some in both.items()]
    options = ReproduceOptions(paper="changeit2020", corpus=str(toy_corpus), out=tmp_path / "out")
    options.submissions = (f"good={files[0]}",)
    steps = plan(options)
    assert steps[-1].settings["predictions"][1:] == [f"good={files[0]}"]
    before = runner.keys_of(steps)[-1]
    write_csv(files[0], [[rows[0][0], "altro", "", "R"], *rows[1:]], header)
    assert runner.keys_of(plan(options))[-1] != before
    options.submissions = (f"bad={files[1]}",)
    with pytest.raises(InputError, match=words):
        plan(options)


#: `change-it` with few updates, in a process that is killed in the middle of the training of a generator, or is not.
FEW = """
import os, signal, sys
from change_it.cli import main
from change_it.reproduction import runner
from change_it.training.trainer import Clock

read = runner.read_toml

def few(name):
    found = read(name)
    for step in found.get("step", ()):
        for settings in (step.get("smoke", {}), step.get("options", {})):
            if "updates" in settings:
                settings |= dict.fromkeys(("updates", "evaluation_steps"), 8 if "quick" in settings else 3)
    return found

runner.read_toml = few
decide = Clock.on_step_end

def die(pace, args, state, control, **_):
    folder = args.output_dir.rpartition(sys.argv[-1])[2]
    if "sum" in folder and state.global_step == 5 and "cut" in sys.argv[-1]:
        os.kill(os.getpid(), signal.SIGKILL)
    decide(pace, args, state, control)

Clock.on_step_end = die
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow(seconds=45)
def test_all_of_changeit_after_it_was_killed(smaller_corpus, tmp_path):
    """A run that is killed in the middle of a training ends with the tables of one that was not, byte for byte."""
    arguments = ["reproduce", "changeit2020", "--corpus", smaller_corpus, "--scale", "smoke", "--out"]
    assert run_python("-c", FEW, *arguments, str(tmp_path / "whole")).returncode == 0
    assert run_python("-c", FEW, *arguments, str(tmp_path / "cut")).returncode == -signal.SIGKILL
    steps = json.loads((tmp_path / "cut" / "steps.json").read_text(encoding="utf-8"))["finished"]
    assert list(steps) == ["judges/papers/main", "judges/papers/hh", "judges/papers/ah"]
    (tmp_path / "cut").rename(tmp_path / "moved")
    assert run_python("-c", FEW, *arguments, str(tmp_path / "moved")).returncode == 0
    for name in ("changeit2020.md", "changeit2020.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "moved" / name).read_bytes()
    tables = tables_of(tmp_path / "moved", "changeit2020")
    rows = {(row["group"], row["row"]): row for row in tables["table4"]["rows"]}
    assert rows["baseline", "average, published"]["compliancy"] == 0.345
    assert 0 <= rows["baseline", "average, measured"]["compliancy"] <= 1
    [ranked] = [row for row in tables["ranking"]["rows"] if row["rank"]]
    assert ranked["system"] == "baseline"


@pytest.mark.slow(seconds=85)
def test_all_of_lrec(corpus, tmp_path):
    """Every table, from generators and classifiers that are hardly trained."""
    out = tmp_path / "lrec"
    arguments = ["reproduce", "lrec2020", "--corpus", corpus, "--out", str(out), "--scale", "smoke"]
    assert run_python("-c", FEW, *arguments).returncode == 0
    tables = tables_of(out, "lrec2020")
    rows = {(row["group"], row["row"]): row for row in tables["table5"]["rows"]}
    assert rows["train-D", "in-generated by pnc, published"]["mean"] == 0.666
    assert 0 <= rows["train-M", "cross-generated by transformer, measured"]["mean"] <= 1
    for network in ("pnc", "transformer"):
        answers = [row["answer"] for row in tables[f"expectations-{network}"]["rows"] if row["what"] == "all"]
        assert len(answers) == 4
        assert set(answers) <= {"yes", "no", "undecided"}
