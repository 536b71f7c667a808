"""`change-it train judge`: several judges by one command, and what is said of them."""

from pathlib import Path

from change_it.cli import main
from change_it.commands import train as command

METRICS = {"task": "hh", "results": {"random": {"macro_f1": 0.9}}, "sizes": {"train": 30}}
TASKS = ("main", "hh", "ah", "fluency")


def test_all_judges_of_both_folds_are_trained_by_one_command(corpus, tmp_path, monkeypatch, capsys):
    trained = []

    def train(options):
        trained.append((options.task, options.fold, options.out))
        options.out.mkdir(parents=True)
        return METRICS | {"task": options.task}

    monkeypatch.setattr("change_it.judges.train.train_judge", train)
    monkeypatch.setattr("change_it.hub.packaging.write_readme", lambda *_: None)
    out = str(tmp_path / "judges")
    assert main(f"train judge --task all --fold both --corpus {corpus} --out {out}".split()) == 0
    folders = (("1", Path(out)), ("0", Path(f"{out}-0")))
    assert trained == [(task, fold, folder / task) for fold, folder in folders for task in TASKS]
    printed = capsys.readouterr().out
    assert printed.count("learnt from 15 matches, fewer than 200") == 2
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
