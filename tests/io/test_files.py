"""Whole files and folders: read, written atomically, and tried before work begins."""

import csv
import errno
import json
import os
from pathlib import Path

import pytest

from change_it import io
from change_it.cli import exit_on_input_error
from change_it.errors import InputError


@pytest.mark.parametrize("content", ['{"id": ', "[1]", "[" * 100_000])
def test_a_json_file_of_ours_that_is_broken_or_not_there(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=r"x\.json is broken: run what writes it again"):
        io.read_json(tmp_path / "x.json")
    assert io.read_json(tmp_path / "none.json") is None


def test_written_files_are_there_as_a_whole(tmp_path):
    io.write_text(tmp_path / "new/a.txt", "perché \ud800")
    assert (tmp_path / "new/a.txt").read_text(encoding="utf-8") == "perché \\ud800"
    io.write_json(tmp_path / "new/a.json", {"è": [1]})
    assert json.loads((tmp_path / "new/a.json").read_text(encoding="utf-8")) == {"è": [1]}
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.json", "a.txt", "new"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failed_block_changes_nothing(tmp_path, error):
    def fail(place, name):
        with place as partial:
            (partial / name).write_text("half")
            raise error

    io.write_text(tmp_path / "a.txt", "old")
    io.write_json(tmp_path / "folder/run.json", {"files": []})
    for place, name in ((io.replace_file(tmp_path / "a.txt"), ""), (io.replace_folder(tmp_path / "folder", "run.json"), "half.txt")):  # fmt: skip
        with pytest.raises(error):
            fail(place, name)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "folder", "run.json"]


def test_of_a_folder_of_ours_only_the_files_that_its_record_lists_are_replaced(tmp_path):
    out = tmp_path / "folder"

    def write(*names):
        with io.replace_folder(out, "metrics.json", work=io.WORK, later=["README.md"]) as folder:
            for name in names:
                io.write_text(folder / name, "ours")
            io.write_json(folder / "metrics.json", {"weights_hash": "a"})

    write("items/a.csv", "items/b.csv")
    for name in ("README.md", "items/mine.csv", "notes.txt", "checkpoints/1", "../.folder.old/precious"):
        io.write_text(out / name, "theirs")
    (out / "items/a.csv").chmod(0o600)
    write("items/a.csv")
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == [".folder.old/precious", *(f"folder/{name}" for name in ("items/a.csv", "items/mine.csv", "metrics.json", "notes.txt"))]  # fmt: skip
    assert (out / "items/a.csv").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match=r"notes\.txt was not written by this command: move it elsewhere"):
        write("notes.txt")
    assert (out / "notes.txt").read_text() == "theirs"


#: An --out below `work/here`, what it is tried as, and what the refusal says.
UNWRITABLE = {
    ".": ({}, "is the working folder or above it"),
    "..": ({}, "is the working folder or above it"),
    "file": ({}, "name a folder"),
    "folder": ({"kind": "csv"}, "name a file"),
    "book.xlsx": ({"kind": "csv"}, r"name it book\.csv"),
    "file/x": ({}, "cannot write --out file/x: .*choose another place"),
    "theirs": ({"record": "metrics.json"}, r"holds other files \(metrics\.json\) and no metrics\.json of this version"),
    "ours": ({"record": "metrics.json", "inputs": [None, "ours/mine.csv"]}, "would overwrite the input"),
    "linked": ({"record": "metrics.json", "inputs": ["link.csv"]}, "would overwrite the input"),
}  # fmt: skip


@pytest.mark.parametrize("out", UNWRITABLE)
def test_what_cannot_or_must_not_be_written_is_refused_before_work_begins(tmp_path, monkeypatch, out):
    (tmp_path / "work/here/folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work/here")
    Path("file").touch()
    io.write_json(Path("theirs/metrics.json"), {"accuracy": 1})
    for name in ("ours", "linked"):
        io.write_json(Path(name) / "metrics.json", {"files": ["metrics.json"]})
        io.write_text(Path(name) / "mine.csv", "mine")
        io.check_writable(Path(name), record="metrics.json", inputs=["folder", f"{name}/none.csv"])
    Path("link.csv").symlink_to(Path("linked/mine.csv"))
    options, says = UNWRITABLE[out]
    with pytest.raises(InputError, match=says):
        io.check_writable(Path(out), **options)


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with io.replace_folder(tmp_path / "link") as folder:
        (folder / "x").touch()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/x").exists()


def test_formulas_are_quoted_where_strangers_write(tmp_path):
    rows = [["=1+1", "+a", "-b", "@c", "\td", "plain - text", -1.5, 2, "ciao;=1;-2", "a\n＝1", "\n=1"]]
    io.write_table(tmp_path / "a.csv", list("abcdefghijk"), rows, quote_formulas=True)
    io.write_table(tmp_path / "b.csv", list("abcdefghijk"), rows)
    quoted, plain = (list(csv.reader((tmp_path / name).open(newline="")))[1] for name in ("a.csv", "b.csv"))
    assert quoted[:8] == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "plain - text", "-1.5", "2"]
    assert quoted[8:] == ["ciao;'=1;'-2", "a\n'＝1", "'\n'=1"]
    assert [io.with_formula(cell) for cell in quoted] == plain


def test_faults_of_the_disk_are_one_sentence_and_leave_nothing(tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", fail)
    assert exit_on_input_error(lambda: io.write_text(tmp_path / "a.txt", "text")) == 2
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
