"""`change-it reproduce` through the command line: HEvAS whole, EvalNLGEval and CHANGE-IT as a plan, and faults; slow: all of it."""

import hashlib
import json
import re
import signal
from pathlib import Path

import pytest

from change_it import __version__
from change_it.cli import main
from change_it.io import write_json
from change_it.published_figures import HEVAS_MEANS
from change_it.reproduction import evalnlgeval2020, scales
from change_it.reproduction.paper_tables import bootstrapped, counts_of
from change_it.reproduction.reproduce_options import ReproduceOptions


def tables_of(out):
    return json.loads((out / "tables.json").read_text(encoding="utf-8"))["tables"]


def outputs(out):
    names = ("report.html", "tables.md", "tables.json")
    found = {name: (out / name).read_bytes() for name in names}
    return found | {path.name: path.read_bytes() for path in (out / "tables").iterdir()}


def test_hevas(corpus, tmp_path, capsys):
    out = tmp_path / "hevas"
    arguments = ["reproduce", "hevas2019", "--corpus", corpus, "--out", str(out), "--scale", "smoke"]
    assert main([*arguments, "--plan"]) == 0
    assert "To do: 1 of 1 steps" in capsys.readouterr().out
    assert not (out / "tables.md").exists()
    assert main(arguments) == 0
    rows = {row["row"]: row for row in tables_of(out)["table1"]["rows"]}
    published, measured = rows["first, published"], rows["first, measured"]
    assert published["R-1"] == HEVAS_MEANS["first"]["R-1"]
    assert rows["first, difference"]["R-1"] == pytest.approx(measured["R-1"] - published["R-1"])
    assert measured["R-1_interval_low"] < measured["R-1"] < measured["R-1_interval_high"]
    assert published["JS-C"] is None
    assert rows["first, AUC"]["R-1"] > 0.6
    assert -1 <= rows["τ of the order"]["R-1"] <= 1
    cells = {row["row"]: row for row in tables_of(out)["table3"]["rows"]}
    assert cells["R-1, published"]["R-SU"] == 0.99
    assert cells["R-1, measured"]["R-SU"] > 0.8
    assert cells["R-SU, measured"]["R-2"] is None  # below the diagonal
    assert re.search(r"\|seed:1\|", (out / "tables.md").read_text(encoding="utf-8"))
    first = outputs(out)
    (out / "steps.json").unlink()
    capsys.readouterr()
    assert main(arguments) == 2
    assert "holds other files" in capsys.readouterr().err
    assert outputs(out) == first


@pytest.mark.parametrize("paper", ["evalnlgeval2020", "changeit2020", "hevas2019", "lrec2020"])
def test_plans(corpus, tmp_path, capsys, paper):
    arguments = ["reproduce", paper, "--corpus", corpus, "--out", str(tmp_path / "out"), "--plan"]
    for scale in ("smoke", "cpu", "full"):
        assert main([*arguments, "--scale", scale]) == 0
    found = re.findall(r"To do: \d+ of \d+ steps, about (\d+) (\w+)", capsys.readouterr().out)
    seconds = [int(number) * {"s": 1, "min": 60, "h": 3600}[unit] for number, unit in found]
    assert seconds == sorted(seconds)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hevas2019", "--corpus", "./none"], "none"),
        (["hevas2019", "--submissions", "a=b.csv"], "--submissions is for changeit2020"),
        (["lrec2020", "--encoder", "bert"], "--encoder is for evalnlgeval2020 and changeit2020"),
        (["changeit2020", "--reuse", "none"], "--reuse none holds no run"),
        (["changeit2020", "--submissions", "copy=b.csv"], "the name copy is taken"),
        (["changeit2020", "--submissions", "a=none.csv"], "none.csv does not exist"),
    ],
)
def test_bad_input_is_one_sentence(corpus, tmp_path, capsys, arguments, words):
    given = [] if "--corpus" in arguments else ["--corpus", corpus]
    assert main(["reproduce", *arguments, *given, "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert len(message.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_changeit_plans_to_copy_what_evalnlgeval_trained(corpus, tmp_path, capsys):
    """Judges of the papers' kind, the PN of SUM and its headlines: the scores are its own."""
    options = {"corpus": corpus, "scale": "smoke"}
    done = ReproduceOptions(paper="evalnlgeval2020", out=tmp_path / "one", **options)
    steps = evalnlgeval2020.plan(done)
    for step in steps:
        step.makes.parent.mkdir(parents=True, exist_ok=True)
        step.makes.touch()
    digest = hashlib.sha256((Path(corpus) / "README.md").read_bytes()).hexdigest()[:12]
    about = {
        "paper": "evalnlgeval2020",
        "scale": "smoke",
        "seed": 1,
        "corpus": digest,
        "version": __version__,
    }
    finished = {step.name: {"key": step.key(done.out), "seconds": 1} for step in steps}
    write_json(done.out / "steps.json", {"about": about, "finished": finished})
    arguments = ["reproduce", "changeit2020", "--corpus", corpus, "--scale", "smoke", "--plan"]
    arguments += ["--out", str(tmp_path / "two"), "--reuse", str(done.out)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "To do: 1 of 7 steps" in shown
    assert shown.count("to copy") == 6
    assert main([*arguments, "--encoder", "bert-base-cased"]) == 0  # of the judges alone
    assert capsys.readouterr().out.count("to copy") == 3


def test_intervals_of_judges_from_their_counts():
    result = {
        "no": {"precision": 0.75, "recall": 0.9, "f1": 0.818, "support": 10},
        "yes": {"precision": 0.875, "recall": 0.7, "f1": 0.778, "support": 10},
    }
    counts = counts_of({"classes": ["no", "yes"], "results": {"t": result}}, "t")
    assert counts == [[9, 1], [3, 7]]
    found = bootstrapped(counts, 500, 1)
    for place, name in (("first", "no"), ("second", "yes")):
        for key in ("precision", "recall", "f1"):
            value, (low, high) = found[place][key]
            assert value == pytest.approx(result[name][key], abs=5e-4)
            assert low < value < high
    assert found["mean"]["f1"][0] == pytest.approx((0.818 + 0.778) / 2, abs=5e-4)


#: Updates of the judges of the test below, and of its generator.
FEW, SOME = 4, 8
#: `change-it` in a process that is killed in the middle of the training of a generator.
KILLED = f"""
import os, signal, sys
from change_it.cli import main
from change_it.reproduction import scales
from change_it.training.loop import TrainingBar

for settings in scales._SMOKE.values():
    settings |= dict(updates={FEW}, evaluation_steps={FEW // 2})
scales.GENERATOR_UPDATES["smoke"] = {SOME}
shown = TrainingBar.show

def show(bar, state, **note):
    if bar.name.startswith("sum") and state.update == {SOME - 3}:
        os.kill(os.getpid(), signal.SIGKILL)
    shown(bar, state, **note)

TrainingBar.show = show
main(sys.argv[1:])
"""


@pytest.mark.slow(seconds=45)
def test_all_of_changeit_after_it_was_killed(smaller_corpus, tmp_path, forks, monkeypatch):
    """A run that is killed in the middle of a training ends with the tables of one that was not, byte for byte."""
    few = {"updates": FEW, "evaluation_steps": FEW // 2}
    monkeypatch.setattr(scales, "_SMOKE", {task: {**own, **few} for task, own in scales._SMOKE.items()})
    monkeypatch.setitem(scales.GENERATOR_UPDATES, "smoke", SOME)
    arguments = ["reproduce", "changeit2020", "--corpus", smaller_corpus, "--scale", "smoke", "--out"]
    assert main([*arguments, str(tmp_path / "whole")]) == 0
    killed = forks.run(KILLED, *arguments, str(tmp_path / "cut"))
    assert killed.returncode == -signal.SIGKILL
    steps = json.loads((tmp_path / "cut" / "steps.json").read_text(encoding="utf-8"))["finished"]
    assert list(steps) == ["main judge, papers", "hh judge, papers", "ah judge, papers"]
    assert main([*arguments, str(tmp_path / "cut")]) == 0
    whole, cut = outputs(tmp_path / "whole"), outputs(tmp_path / "cut")
    assert whole == cut
    rows = {(row["group"], row["row"]): row for row in tables_of(tmp_path / "cut")["table4"]["rows"]}
    assert rows["baseline", "average, published"]["compliancy"] == 0.345
    assert 0 <= rows["baseline", "average, measured"]["compliancy"] <= 1
    [ranked] = [row for row in tables_of(tmp_path / "cut")["ranking"]["rows"] if row["rank"]]
    assert ranked["system"] == "baseline"


@pytest.mark.slow(seconds=85)
def test_all_of_lrec(corpus, tmp_path, monkeypatch):
    """Every table, from generators and classifiers that are hardly trained."""
    monkeypatch.setitem(scales.GENERATOR_UPDATES, "smoke", 3)
    monkeypatch.setitem(scales.TRANSFORMER_UPDATES, "smoke", 3)
    monkeypatch.setitem(scales.CLASSIFIER_UPDATES, "smoke", 10)
    out = tmp_path / "lrec"
    assert main(["reproduce", "lrec2020", "--corpus", corpus, "--out", str(out), "--scale", "smoke"]) == 0
    tables = tables_of(out)
    rows = {(row["group"], row["row"]): row for row in tables["table5"]["rows"]}
    assert rows["train-D", "in-generated by pnc, published"]["mean"] == 0.666
    assert 0 <= rows["train-M", "cross-generated by transformer, measured"]["mean"] <= 1
    for network in ("pnc", "transformer"):
        answers = [row["answer"] for row in tables[f"expectations-{network}"]["rows"] if row["what"] == "all"]
        assert len(answers) == 4
        assert set(answers) <= {"yes", "no", "undecided"}
    assert (out / "figure2.png").stat().st_size > 1000
