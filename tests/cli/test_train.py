"""`change-it train judge`: several judges by one command, and what is said of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from saved_judges import a_judges_metrics

from change_it.cli import main
from change_it.cli import train as command
from change_it.generators.options import GeneratorOptions
from change_it.judges.metrics import scores
from change_it.judges.record import TestScores
from change_it.training.record import TrainingResult

RESULTS = {"random": TestScores(classes={}, macro_f1=0.9, accuracy=0.9)}
METRICS = a_judges_metrics(task="hh", results=RESULTS, sizes={"train": 30})
TASKS = ("main", "hh", "ah", "fluency")


def test_all_judges_of_both_folds_are_trained_by_one_command(corpus, tmp_path, monkeypatch, capsys):
    trained = []

    def train(options):
        trained.append((options.task, options.fold, options.out))
        options.out.mkdir(parents=True)
        return replace(METRICS, task=options.task)

    monkeypatch.setattr("change_it.judges.train.train_judge", train)
    monkeypatch.setattr("change_it.hub.packaging.write_readme", lambda *_: None)
    out = str(tmp_path / "judges")
    assert (
        main(f"train judge --task all --fold both --processes 1 --corpus {corpus} --out {out}".split()) == 0
    )
    folders = (("1", Path(out)), ("0", Path(f"{out}-0")))
    assert trained == [(task, fold, folder / task) for fold, folder in folders for task in TASKS]
    printed = capsys.readouterr().out
    assert printed.count("learnt from 15 matches, fewer than 200") == 2
    assert (
        printed.count("! hh learnt from 15 matches, fewer than 200: take more articles; F1 random .900") == 2
    )
    assert printed.count("✓ ") == 6
    assert f"Next: change-it audit --judges {out} --corpus {corpus}" in printed
    assert main(f"train judge --task hh --fold both --corpus {corpus} --out {out}".split()) == 2
    (tmp_path / "hh").mkdir()
    line = command._next(command.TrainJudgeOptions(task="hh", corpus=corpus, out=tmp_path / "hh"))
    assert "lacks main, ah; --task all trains all four" in line


def test_an_interrupted_fit_leaves_nothing(corpus, tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("change_it.judges.train._prepare", interrupt)
    assert main(f"train judge --task hh --corpus {corpus} --out {tmp_path}/hh".split()) == 130
    assert capsys.readouterr().err.endswith("change-it: interrupted: no result was replaced\n")
    assert not (tmp_path / "hh").exists()


@pytest.mark.parametrize(
    ("answers", "words"),
    [([1, 1, 1, 1], "always answers faro"), ([1, 1, 1, 0], ""), ([0, 0, 1, 1], "")],
)
def test_a_judge_with_one_answer_says_so(answers, words):
    result = scores(np.array([0, 0, 1, 1]), np.array(answers), ("colle", "faro"))
    line = command.line_of(a_judges_metrics(results={"gold": result}))
    assert ("answers" in line, words in line) == (bool(words), True)


FEW = "Warning: 30 of 1,270 updates are too few to write sentences: "
TIMED = "1,000 of 1,270 updates when the minutes were over: --resume with more --max-minutes goes on."


@pytest.mark.parametrize(
    ("stopped", "updates", "architecture", "expected"),
    [
        ("time", 30, None, [f"{FEW}give --resume and more --max-minutes."]),
        ("updates", 30, "pn", [f"{FEW}train with more updates."]),
        ("time", 30, "it5/it5-base", [TIMED.replace("1,000", "30"), "Next: "]),
        ("time", 1000, None, [TIMED, "Next: "]),
        ("early", 1000, None, ["Next: "]),
    ],
)
def test_a_generator_says_how_far_it_came(stopped, updates, architecture, expected):
    options = GeneratorOptions(recipe="rewrite", corpus="c", out=Path("g"), architecture=architecture)
    training = TrainingResult(updates=updates, planned=1270, stopped=stopped, epochs=updates / 127)
    lines = command._how_far(options, training)
    assert len(lines) == len(expected)
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True))


def test_resume_says_that_there_is_no_checkpoint_or_nothing_left(corpus, tmp_path, caplog):
    train = f"train judge --task main --corpus {corpus} --out {tmp_path}/main --resume".split()
    assert main(train) == 0
    assert f"{tmp_path}/main has no checkpoint to resume: training begins anew" in caplog.text
    caplog.clear()
    assert main(train) == 0
    assert f"{tmp_path}/main is finished: --resume leaves it as it is" in caplog.text


def test_an_argument_of_transformers_is_led_to_arg(capsys):
    command = ["train", "judge", "--task", "hh", "--corpus", "c", "--out", "o", "--learning_rate", "1e-4"]
    assert main(command) == 2
    assert "give it as --arg learning_rate=VALUE" in capsys.readouterr().err
    with pytest.raises(SystemExit):  # a name that nobody knows is tyro's to refuse
        main([*command[:-2], "--learnin", "1e-4"])
    assert "--arg" not in capsys.readouterr().err.partition("Unrecognized")[0]
