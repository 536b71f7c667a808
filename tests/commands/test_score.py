"""`change-it score` with files of headlines as people have them."""

import json

import pytest
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
    code, _, error = command(tmp_path / "new.csv", *both, "--shared-items")
    assert code == 2
    assert "no headline in common of gio2rep" in error


def test_a_prediction_file_is_read_once(command, toy_test, tmp_path, monkeypatch):
    read, open_text = [], rows_module.open_text
    monkeypatch.setattr(rows_module, "open_text", lambda path: read.append(path) or open_text(path))
    rows = [f'{item.id},"{item.reference}"' for item in toy_test.items]
    (tmp_path / "new.csv").write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    assert command(tmp_path / "new.csv")[0] == 0
    assert read == [tmp_path / "new.csv"]
