"""`change-it score` with files of headlines as people have them."""

import json

import pytest
from csv_files import read_csv
from scoring_fakes import load_fakes, write_stand_ins

from change_it.cli import main
from change_it.io import rows as rows_module


@pytest.fixture
def command(tmp_path, toy_corpus, monkeypatch, capsys):
    """Scores a file: exit code, standard output, standard error."""
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch)

    def run(file, *others):
        given = ["--corpus", str(toy_corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        code = main(["score", *given, "--predictions", f"mine={file}", *others])
        return code, *capsys.readouterr()

    return run


def test_all_systems_are_scored_on_shared_items(command, toy_test, tmp_path):
    rows = [f'{item.id},"{item.reference}"' for item in toy_test.items[2:6]]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    (tmp_path / "two.csv").write_text("\n".join(["id,headline", *rows[1:]]), encoding="utf-8")
    both = ["--predictions", f"mine={tmp_path / 'new.csv'}", f"two={tmp_path / 'two.csv'}"]
    code, printed, error = command(tmp_path / "new.csv", *both, "--shared-items", "--json")
    assert (code, error) == (0, "All systems are scored on 3 of 8 headlines.\n")
    systems = json.loads(printed)["systems"]
    assert {name: system["average"]["n"] for name, system in systems.items()} == dict.fromkeys(systems, 3)
    assert systems["gold"]["average"]["compliancy"] == systems["mine"]["average"]["compliancy"] == 1
    (tmp_path / "two.csv").write_text("\n".join(["id,headline", *rows[:2]]), encoding="utf-8")
    code, printed, error = command(tmp_path / "new.csv", *both, "--shared-items", "--json")
    assert (code, error.splitlines()[0]) == (0, "Not scored: gio2rep, of which some file has no headline.")
    assert json.loads(printed)["systems"]["mine"].keys() == {"rep2gio", "average"}


def test_one_direction_is_scored_alone(command, toy_test, tmp_path):
    rows = [f'{item.id},"{item.source}"' for item in toy_test.items if item.direction == "gio2rep"]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    code, printed, _ = command(tmp_path / "new.csv", "--json")
    mine = json.loads(printed)["systems"]["mine"]
    assert (code, mine["average"]["n"], mine["gio2rep"]["compliancy"]) == (0, len(rows), 0)
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows[1:]]), encoding="utf-8")
    code, _, error = command(tmp_path / "new.csv")
    assert (code, "--shared-items" in error) == (2, True)


def test_a_prediction_file_is_read_once_and_what_comes_next_is_said(command, toy_test, tmp_path, monkeypatch):
    read, open_text = [], rows_module._open_text
    monkeypatch.setattr(rows_module, "_open_text", lambda path: read.append(path) or open_text(path))
    rows = [f'{item.id},"{item.reference}"' for item in toy_test.items]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    code, printed, _ = command(tmp_path / "new.csv")
    assert (code, read) == (0, [tmp_path / "new.csv"])
    assert "Next: these judges have no audit: change-it audit --judges" in printed


def test_the_table_is_printed_before_a_report_that_cannot_be_written(
    command, toy_test, tmp_path, monkeypatch
):
    def fill(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("change_it.io.files.write_text", fill)
    monkeypatch.setattr("change_it.results.report_files.write_text", fill)
    rows = [f'{item.id},"{item.reference}"' for item in toy_test.items]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    code, printed, error = command(tmp_path / "new.csv", "--out", str(tmp_path / "report"))
    assert (code, error.count("\n"), f"{tmp_path / 'report'}: No space" in error) == (2, 1, True)
    assert "random-target" in printed


def test_items_are_what_a_system_rewrites(toy_corpus, toy_test, tmp_path, capsys):
    out = tmp_path / "todo.csv"
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "rep", "--out", str(out)]) == 0
    wanted = [item for item in toy_test.items if item.target == "rep"]
    assert [(row["id"], row["headline"], row["article"]) for row in read_csv(out)] == [
        (item.id, item.source, item.article) for item in wanted
    ]
    assert f"wrote {len(wanted)} headlines" in capsys.readouterr().out
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "nobody", "--out", str(out)]) == 2
