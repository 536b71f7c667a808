"""`change-it score` with files of headlines as people have them."""

import json

import pytest
from scoring_fakes import FakeJudges, write_stand_ins

from change_it.cli import main


@pytest.fixture
def command(tmp_path, toy_corpus, monkeypatch, capsys):
    """Scores a file: exit code, standard output, standard error."""
    write_stand_ins(tmp_path / "judges")
    monkeypatch.setattr("change_it.judges.judge.Judges.from_pretrained", lambda *_, **__: FakeJudges())

    def run(file, *others):
        given = ["--corpus", str(toy_corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        code = main(["score", *given, "--predictions", f"mine={file}", *others])
        return code, *capsys.readouterr()

    return run


def test_a_file_that_lacks_headlines_is_scored_on_those_that_it_has(command, toy_test, tmp_path):
    rows = [f"{item.id},{item.reference}" for item in toy_test.items[3:]]
    (tmp_path / "new.csv").write_text("\n".join(["key,output", *rows]), encoding="utf-8")
    columns = ["--columns", "id=key,headline=output"]
    code, _, error = command(tmp_path / "new.csv", *columns)
    assert code == 2
    assert "3 ids missing: a0, a1, a2; --allow-missing leaves out what is missing" in error
    code, printed, error = command(tmp_path / "new.csv", *columns, "--allow-missing", "--json")
    assert code == 0
    assert "mine is scored on 5 of 8 headlines of the test set: its file has no others.\n" in error
    mine = json.loads(printed)["systems"]["mine"]
    assert [mine[direction]["n"] for direction in ("rep2gio", "gio2rep", "average")] == [1, 4, 5]
    assert mine["average"]["compliancy"] == 1


def test_all_systems_are_scored_on_shared_items(command, toy_test, tmp_path):
    rows = [f"{item.id},{item.reference}" for item in toy_test.items[2:6]]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    (tmp_path / "two.csv").write_text("\n".join(["id,headline", *rows[1:]]), encoding="utf-8")
    both = ["--predictions", f"mine={tmp_path / 'new.csv'}", f"two={tmp_path / 'two.csv'}"]
    code, printed, error = command(tmp_path / "new.csv", *both, "--shared-items", "--json")
    assert (code, error) == (0, "All systems are scored on 3 of 8 headlines.\n")
    systems = json.loads(printed)["systems"]
    assert {name: system["average"]["n"] for name, system in systems.items()} == dict.fromkeys(systems, 3)
    assert systems["gold"]["average"]["compliancy"] == systems["mine"]["average"]["compliancy"] == 1
    (tmp_path / "two.csv").write_text("\n".join(["id,headline", *rows[:2]]), encoding="utf-8")
    code, _, error = command(tmp_path / "new.csv", *both, "--shared-items")
    assert code == 2
    assert "no headline in common of gio2rep" in error


def test_hevas_of_a_file_that_lacks_headlines_is_refused(command, toy_test, tmp_path, monkeypatch):
    monkeypatch.setattr("change_it.results.hevas_scores.check", lambda *_: None)
    rows = [f"{item.id},{item.reference}" for item in toy_test.items[3:]]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    code, _, error = command(tmp_path / "new.csv", "--allow-missing", "--hevas")
    assert code == 2
    assert "mine has 5 of 8 headlines of the test set" in error


@pytest.mark.usefixtures("without_charts")
def test_a_text_file_has_a_headline_a_line(command, toy_test, tmp_path):
    lines = "\n".join(item.reference for item in toy_test.items)
    (tmp_path / "new.txt").write_text(lines, encoding="utf-8")
    code, printed, _ = command(tmp_path / "new.txt", "--json", "--out", str(tmp_path / "report"))
    assert code == 0
    assert json.loads(printed)["systems"]["mine"]["average"]["compliancy"] == 1
