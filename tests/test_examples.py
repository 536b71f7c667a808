"""The scripts of examples/: the commands that they call, what they keep, and their tables."""

import csv
import os
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tyro
from chat_server import serve
from datasets import load_dataset
from processes import run_program
from sklearn.metrics import f1_score

from change_it.cli.main import COMMANDS, TYRO_CONFIG, main, options_of

CHECKOUT = Path(__file__).parents[1]
EXAMPLES = CHECKOUT / "examples"
PAPERS = ("lrec2020", "evalnlgeval2020", "changeit2020", "hevas2019")
#: A `change-it` that does nothing but write down its arguments.
RECORDER = '#!/bin/sh\nprintf "%s\\t" "$@" >>"$CALLED"\necho >>"$CALLED"\n'


def write_program(path, code):
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    path.chmod(0o755)


@pytest.fixture
def called(tmp_path):
    """Run a script on a corpus of colle and faro: its process and the commands that it calls, which are not
    run.
    """
    program, commands = tmp_path / "bin/change-it", tmp_path / "called"
    write_program(program, RECORDER)
    path = f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    def call(script, corpus, **variables):
        commands.write_text("")
        outlets = ["colle", "faro"] if script.stem in PAPERS[:3] else []
        ended = run_program(
            ["bash", script, corpus, tmp_path / "run", *outlets],
            env=os.environ | {"PATH": path, "CALLED": str(commands)} | variables,
        )
        return ended, [line.split("\t")[:-1] for line in commands.read_text().splitlines()]

    return call


SCRIPTS = [*(EXAMPLES / f"{paper}.sh" for paper in PAPERS), EXAMPLES / "finetune_hub_model.sh"]


@pytest.mark.parametrize("script", [*SCRIPTS, CHECKOUT / "tools/publish.sh"], ids=lambda path: path.stem)
def test_commands_of_scripts_have_options_that_they_know(called, script, tmp_path):
    write_program(tmp_path / "bin/python", "#!/bin/sh\n")  # the table of a run without figures
    _, commands = called(script, "corpus", SCALE="full")
    assert commands
    for command in commands:
        words = command[: 2 if COMMANDS[command[0]] else 1]
        options = tyro.cli(options_of(*words), args=command[len(words) :], config=TYRO_CONFIG)
        if script.stem in PAPERS and words[0] == "train" and getattr(options, "encoder", None) != "bilstm":
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
    ("paper", "row", "figure"),
    [
        ("lrec2020", "train-M, agnostic", ".470"),
        ("evalnlgeval2020", "s2s2, average", ".496"),
        ("changeit2020", "baseline, average", ".345"),
        ("hevas2019", "first", ".408"),
    ],
)
def test_a_script_at_a_tiny_size(called, corpus, tmp_path, paper, row, figure):
    """Its commands run; called again it keeps what is there, and prints published and measured figures."""
    script = EXAMPLES / f"{paper}.sh"
    ended, commands = called(script, corpus, UPDATES="1")
    assert ended.returncode != 0  # no table without figures
    assert [main(command) for command in commands] == [0] * len(commands)
    ended, left = called(script, corpus, UPDATES="1")
    assert ended.returncode == 0, ended.stderr
    assert {command[0] for command in left} <= {"score"}
    assert (tmp_path / "run" / f"{paper}.md").read_text(encoding="utf-8") == ended.stdout
    lines = [line for line in ended.stdout.splitlines() if "|" in line]
    rows = {
        name: cells for name, *cells in ([cell.strip() for cell in line.split("|")[1:]] for line in lines)
    }
    assert figure in rows[f"{row}, published"]
    assert rows[f"{row}, measured"][0]


def test_few_shot_asks_with_the_nearest_training_pairs(corpus, tmp_path, monkeypatch):
    """Three pairs of A1 stand before each headline, its own direction's, the nearest first; the answers are a
    file of predictions.
    """
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    todo, out = tmp_path / "todo.csv", tmp_path / "mine.csv"
    assert main(["corpus", "items", "--corpus", corpus, "--out", str(todo)]) == 0
    rows = list(csv.DictReader(todo.open(encoding="utf-8")))
    rows = [rows[0], rows[-1]]  # one of each direction
    assert len({row["direction"] for row in rows}) == 2
    with serve() as server:
        server.reply = lambda prompt, number: f" Titolo {number}\n"
        monkeypatch.setattr(sys, "argv", ["few_shot.py", corpus, str(todo), str(out), server.url, "tiny"])
        write_rows(todo, rows)
        runpy.run_path(str(EXAMPLES / "few_shot.py"), run_name="__main__")
    answers = list(csv.DictReader(out.open(encoding="utf-8")))
    assert answers == [{"id": row["id"], "headline": f"Titolo {n}"} for n, row in enumerate(rows, start=1)]
    training = load_dataset(corpus, "pairs", split="train").filter(lambda pair: pair["alignment"] == "A1")
    columns = [training["a_headline"][:], training["b_headline"][:]]
    for row, request, (own, other) in zip(rows, server.requests, (columns, columns[::-1]), strict=True):
        prompt = request["messages"][0]["content"]
        shown = re.findall(r"(?m)^Headline: (.*)$", prompt)
        assert shown[-1] == row["headline"]
        assert len(shown) == 4
        pairs = dict(zip(own, other, strict=True))
        assert all(f"Headline: {text}\n{row['to']}: {pairs[text]}\n" in prompt for text in shown[:-1])
    copy = runpy.run_path(str(EXAMPLES / "few_shot.py"))["prompt_for"]
    item = rows[0] | {"headline": columns[0][5]}
    assert f"\n\nHeadline: {columns[0][5]}\n{item['to']}: {columns[1][5]}\n" in copy(item, *columns)


def write_rows(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def tables():
    """The names of tables.py."""
    return runpy.run_path(str(EXAMPLES / "tables.py"))


def test_an_answer_of_several_questions(tables):
    """An interval just below 0 is no of one question, and of eight no more than chance has in store."""
    answer = tables["answer"]
    above, below, around = (np.linspace(low, low + 0.1, 1001) for low in (0.01, -0.2, -0.05))
    assert [answer(each) for each in (above, below, around)] == ["yes", "no", "undecided"]
    assert [answer(above, *rest) for rest in ([above], [around], [below, around])] == [
        "yes",
        "undecided",
        "no",
    ]
    just_below = np.append(np.full(980, -0.1), np.full(20, 0.1))
    assert [answer(*[just_below] * questions) for questions in (1, 8)] == ["no", "undecided"]


def test_examples_show_the_headlines_of_all_systems_of_an_article_together(tables):
    rows = pd.DataFrame({"id": list("abcabc"), "by": [*"DDDMMM"], "article": ["colle", "faro", "faro"] * 2})
    rows = rows.assign(headline=rows["by"] + rows["id"], machine="faro")
    headlines = [row.values["headline"] for row in tables["examples"](rows, "article").rows]
    assert headlines[:2] == ["Da", "Ma"]
    assert sorted([headlines[2:4], headlines[4:]]) == [["Db", "Mb"], ["Dc", "Mc"]]


def answers_of(test, f1, n=3000):
    """Answers with the same share of right ones for both outlets, those of the first events."""
    truth, event = np.repeat([0, 1], n), np.tile(np.arange(n), 2)
    answer = np.where(event < round(f1 * n), truth, 1 - truth)
    return pd.DataFrame({"test": test, "event": event, "label": truth, "answer": answer})


def test_the_papers_own_figures_confirm_its_expectations(tables):
    """Symmetric counts with the published averages, and so many headlines that nothing is undecided."""
    kinds = ("validation gold", "test gold", "in-generated", "cross-generated")
    names = [f"train-{of}, {kind}" for of in "DM" for kind in kinds]
    published = {name: tables["printed"](name, tables["F1"])["mean"] for name in names}

    def expected(shares):
        rows = tables["expectations"](pd.concat(answers_of(*each) for each in shares.items())).rows
        return {row.values["row"].partition(":")[0]: row.values for row in rows}

    rows = expected(published)
    assert [rows[name]["answer"] for name in ("E1", "E3", "E4")] == ["yes"] * 3
    assert rows["2-1"]["value"] == pytest.approx(0.672 - 0.666, abs=1e-3)
    assert rows["M-D"]["value"] == pytest.approx(0.776 - 0.729, abs=1e-3)
    assert expected(published | {"train-D, in-generated": 0.45})["E1"]["answer"] == "no"


def test_measures_are_f1_and_balanced_accuracy(tables):
    truth, answer = np.array([0] * 10 + [1] * 10), np.array([0] * 9 + [1] + [0] * 3 + [1] * 7)
    rows = pd.DataFrame({"test": "t", "event": np.arange(20), "label": truth, "answer": answer})
    [found] = tables["measured"](rows, ["t"])
    assert found[:2, 0] == pytest.approx(f1_score(truth, answer, average=None))
    assert found[2:, 0] == pytest.approx([f1_score(truth, answer, average="macro"), 0.8])
    assert np.quantile(found[2, 1:], 0.025) < found[2, 0] < np.quantile(found[2, 1:], 0.975)
