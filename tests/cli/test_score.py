"""`change-it score` with files of headlines as people have them."""

import json

import pytest
from csv_files import read_csv
from scoring_fakes import load_fakes, write_stand_ins

from change_it.cli import main
from change_it.files import rows as rows_module


@pytest.fixture
def command(tmp_path, toy_corpus, toy_test, monkeypatch, capsys):
    """Writes a file of some of the test headlines as `mine` and scores it: exit code, standard output, standard error."""
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch)

    def run(items, *options, name="mine", text="reference"):
        file = write(tmp_path / f"{name}.csv", items, text)
        common = ["--corpus", str(toy_corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        code = main(["score", *common, "--predictions", f"{name}={file}", *options])
        return code, *capsys.readouterr()

    return run


def write(path, items, text="reference"):
    rows = [f'{item.id},"{getattr(item, text)}"' for item in items]
    path.write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    return path


def test_all_systems_are_scored_on_shared_items(command, toy_test, tmp_path):
    items = toy_test.items[2:6]
    two = write(tmp_path / "two.csv", items[1:])
    options = [f"two={two}", "--shared-items", "--json"]
    code, printed, error = command(items, *options)
    assert (code, error) == (0, "All systems are scored on 3 of 8 headlines.\n")
    systems = json.loads(printed)["systems"]
    assert {name: system["average"]["n"] for name, system in systems.items()} == dict.fromkeys(systems, 3)
    assert systems["gold"]["average"]["compliancy"] == systems["mine"]["average"]["compliancy"] == 1
    write(two, items[:2])
    code, printed, error = command(items, *options)
    assert (code, error.splitlines()[0]) == (0, "Not scored: gio2rep, of which some file has no headline.")
    assert json.loads(printed)["systems"]["mine"].keys() == {"rep2gio", "average"}


def test_one_direction_is_scored_alone(command, toy_test):
    items = [item for item in toy_test.items if item.direction == "gio2rep"]
    code, printed, _ = command(items, "--json", text="source")
    mine = json.loads(printed)["systems"]["mine"]
    assert (code, mine["average"]["n"], mine["gio2rep"]["compliancy"]) == (0, len(items), 0)
    code, _, error = command(items[1:])
    assert (code, "--shared-items" in error) == (2, True)


def test_a_file_is_read_once_and_the_table_printed_before_a_report_that_cannot_be_written(
    command, toy_test, tmp_path, monkeypatch
):
    def fill(*_, **__):
        raise OSError(28, "No space left on device")

    opened, open_text = [], rows_module._open_text
    monkeypatch.setattr(rows_module, "_open_text", lambda path: opened.append(path) or open_text(path))
    code, printed, _ = command(toy_test.items)
    assert (code, opened) == (0, [tmp_path / "mine.csv"])
    assert printed.startswith("Can these measures rank systems here?\n")
    assert "Report nothing from this table. What would help: an audit" in printed
    assert "Next    change-it audit --judges" in printed
    monkeypatch.setattr("change_it.report.report_files.write_text", fill)
    code, printed, error = command(toy_test.items, "--out", str(tmp_path / "report"))
    assert (code, error.count("\n"), f"{tmp_path / 'report'}: No space" in error) == (2, 1, True)
    assert "random-target" in printed


def test_items_are_what_a_system_rewrites(toy_corpus, toy_test, tmp_path, capsys):
    out = tmp_path / "todo.csv"
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "rep", "--out", str(out)]) == 0
    wanted = [(item.id, item.source, item.article) for item in toy_test.items if item.target == "rep"]
    assert [(row["id"], row["headline"], row["article"]) for row in read_csv(out)] == wanted
    assert f"wrote {len(wanted)} headlines" in capsys.readouterr().out
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "nobody", "--out", str(out)]) == 2
