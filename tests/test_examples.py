"""The scripts of examples/: the commands that they call, what they keep, and their tables."""

import os
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tyro
from processes import run_program
from sklearn.metrics import f1_score

from change_it.cli import COMMANDS, TYRO_CONFIG, main, options_of

EXAMPLES = Path(__file__).parents[1] / "examples"
PAPERS = ("lrec2020", "evalnlgeval2020", "changeit2020", "hevas2019")
HUB = "finetune_hub_model"
#: A `change-it` that does nothing but write down its arguments.
RECORDER = '#!/bin/sh\nprintf "%s\\t" "$@" >>"$CALLED"\necho >>"$CALLED"\n'


@pytest.fixture
def called(tmp_path):
    """Run a script on a corpus of colle and faro: its process and the commands that it calls, which are not run."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "change-it").write_text(RECORDER)
    (tmp_path / "bin" / "change-it").chmod(0o755)
    commands, path = (
        tmp_path / "called",
        f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    )

    def call(paper, corpus, **environment):
        commands.write_text("")
        more = ["colle", "faro"] if paper in PAPERS[:3] else []
        ended = run_program(
            ["bash", str(EXAMPLES / f"{paper}.sh"), corpus, str(tmp_path / "run"), *more],
            env={**os.environ, "PATH": path, "CALLED": str(commands), **environment},
        )
        return ended, [line.split("\t")[:-1] for line in commands.read_text().splitlines()]

    return call


@pytest.fixture(scope="module")
def tables():
    """The names of tables.py."""
    return runpy.run_path(str(EXAMPLES / "tables.py"))


@pytest.mark.parametrize("paper", [*PAPERS, HUB])
def test_commands_of_scripts_have_options_that_they_know(called, paper):
    _, commands = called(paper, "corpus", SCALE="full")
    assert commands
    for command in commands:
        words = command[: 2 if COMMANDS[command[0]] else 1]
        options = tyro.cli(options_of(*words), args=command[len(words) :], config=TYRO_CONFIG)
        if paper != HUB and words[0] == "train" and getattr(options, "encoder", None) != "bilstm":
            assert options.as_published


@pytest.mark.slow(seconds=120)
def test_the_notebook_shows_what_it_does(tmp_path, monkeypatch):
    """A cell has outputs of the same kinds: text, tables and two pictures."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    kinds = []
    for run in (False, True):
        notebook = nbformat.read(EXAMPLES / "own_newspapers.ipynb", as_version=4)
        if run:
            where = {"metadata": {"path": str(tmp_path)}}
            nbclient.NotebookClient(notebook, timeout=600, resources=where).execute()
        outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
        kinds.append([{kind for one in cell for kind in one.get("data", {"text"})} for cell in outputs])
    assert kinds[0] == kinds[1]
    assert {"image/png", "image/svg+xml"} <= set().union(*kinds[1])


@pytest.mark.slow(seconds=30)
@pytest.mark.parametrize(
    ("paper", "published"),
    [
        ("lrec2020", ["train-M, agnostic, published", ".470"]),
        ("evalnlgeval2020", ["s2s2, average, published", ".496"]),
        ("changeit2020", ["baseline, average, published", ".345"]),
        ("hevas2019", ["first, published", ".408"]),
    ],
)
def test_a_script_at_a_tiny_size(called, corpus, tmp_path, paper, published):
    """Its commands run; called again it keeps what is there, and prints published and measured figures."""
    ended, commands = called(paper, corpus, UPDATES="1")
    assert ended.returncode != 0  # no table without figures
    assert [main(command) for command in commands] == [0] * len(commands)
    ended, left = called(paper, corpus, UPDATES="1")
    assert ended.returncode == 0, ended.stderr
    assert {command[0] for command in left} <= {"score"}
    assert (tmp_path / "run" / f"{paper}.md").read_text(encoding="utf-8") == ended.stdout
    rows = [
        [cell.strip() for cell in line.split("|")[1:]] for line in ended.stdout.splitlines() if "|" in line
    ]
    [row] = [row for row in rows if row[0] == published[0]]
    assert published[1] in row
    measured = published[0].replace("published", "measured")
    assert any(row[0] == measured and row[1] for row in rows)


def test_an_answer_of_several_questions(tables):
    """An interval just below 0 is no of one question, and of eight no more than chance has in store."""
    answer = tables["answer"]
    above, below, around = (np.linspace(low, low + 0.1, 1001) for low in (0.01, -0.2, -0.05))
    assert [answer(each) for each in (above, below, around)] == ["yes", "no", "undecided"]
    assert answer(above, above) == "yes"
    assert answer(above, around) == "undecided"
    assert answer(above, below, around) == "no"
    just_below = np.append(np.full(980, -0.1), np.full(20, 0.1))
    assert answer(just_below) == "no"
    assert answer(*[just_below] * 8) == "undecided"


def test_overlap_is_correlated_with_the_judges_headline_by_headline(tables):
    """Headlines that share more and more words with gold, one an event."""
    words = [f"w{n}" for n in range(10)]
    rows = pd.DataFrame(
        {"headline": [" ".join(words[: 1 + n % 10]) for n in range(60)], "gold": " ".join(words)}
    )
    rows["event"], rows["source"] = range(60), "x"
    shared = np.tile(np.arange(10), 6)
    rows["p_hh"], rows["p_ah"], rows["p_target"] = 0.5 + shared / 50, 0.9 - shared**2 / 900, 0.5
    found = {row.values["row"]: row.values for row in tables["correlations"]({"one": rows, "two": rows}).rows}
    assert list(found) == [
        f"{of}, {key}" for of in ("one", "two", "all systems") for key in ("bleu", "rougeL")
    ]
    assert (found["one, rougeL"]["hh"], found["one, rougeL"]["ah"]) == pytest.approx((1, -1))
    assert found["one, rougeL"]["main"] is None  # all alike
    assert (found["one, bleu"]["n"], found["all systems, bleu"]["n"]) == (60, 120)


def test_examples_show_the_headlines_of_all_systems_of_an_article_together(tables):
    rows = pd.DataFrame(
        {"id": list("abcabc"), "by": ["D"] * 3 + ["M"] * 3, "article": ["colle", "faro", "faro"] * 2}
    )
    rows["headline"], rows["machine"] = rows["by"] + rows["id"], "faro"
    shown = [row.values["headline"] for row in tables["examples"](rows, "article").rows]
    assert shown[:2] == ["Da", "Ma"]
    assert {*map(tuple, (shown[2:4], shown[4:]))} == {("Db", "Mb"), ("Dc", "Mc")}


def answers_of(test, f1, n=3000):
    """Answers with the same share of right ones for both outlets, those of the first events."""
    truth, event = np.repeat([0, 1], n), np.tile(np.arange(n), 2)
    given = np.where(event < round(f1 * n), truth, 1 - truth)
    return pd.DataFrame({"test": test, "event": event, "label": truth, "answer": given})


def test_the_papers_own_figures_confirm_its_expectations(tables):
    """Symmetric counts with the published averages, and so many headlines that nothing is undecided."""
    names = [
        f"{name}, {kind}" for kind in ("validation gold", "test gold") for name in ("train-D", "train-M")
    ]
    names += [
        name.replace("test gold", f"{kind}-generated") for kind in ("in", "cross") for name in names[2:]
    ]
    printed = {name: tables["printed"](name, tables["F1"])["mean"] for name in names}

    def expected(**changed):
        shares = printed | {"train-D, in-generated": changed.get("first", printed["train-D, in-generated"])}
        rows = tables["expectations"](pd.concat(answers_of(*each) for each in shares.items())).rows
        return {row.values["row"][:3].strip(":"): row.values for row in rows}

    found = expected()
    assert [found[name]["answer"] for name in ("E1", "E3", "E4")] == ["yes"] * 3
    assert found["2-1"]["value"] == pytest.approx(0.672 - 0.666, abs=1e-3)
    assert found["M-D"]["value"] == pytest.approx(0.776 - 0.729, abs=1e-3)
    assert expected(first=0.45)["E1"]["answer"] == "no"


def test_measures_are_f1_and_balanced_accuracy(tables):
    truth, given = np.array([0] * 10 + [1] * 10), np.array([0] * 9 + [1] + [0] * 3 + [1] * 7)
    rows = pd.DataFrame({"test": "t", "event": np.arange(20), "label": truth, "answer": given})
    [found] = tables["measured"](rows, ["t"])
    assert found[:2, 0] == pytest.approx(f1_score(truth, given, average=None))
    assert found[2:, 0] == pytest.approx([f1_score(truth, given, average="macro"), 0.8])
    assert found[2, 1:].mean() == pytest.approx(found[2, 0], abs=0.02)
    assert np.quantile(found[2, 1:], 0.025) < found[2, 0] < np.quantile(found[2, 1:], 0.975)
