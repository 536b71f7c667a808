"""Whole files and folders: read, written atomically, and tried before work begins."""

import csv
import errno
import json
import os

import pytest

from change_it import io
from change_it.cli import exit_on_input_error
from change_it.errors import InputError


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", ['{"id": ', "[1]", "[" * 100_000])
def test_a_json_file_of_ours_that_is_broken_or_not_there(tmp_path, content):
    with pytest.raises(InputError, match=r"x\.json is broken: run what writes it again"):
        io.read_json(written(tmp_path, "x.json", content.encode()))
    assert io.read_json(tmp_path / "none.json") is None


def test_written_files_and_folders_are_there_as_a_whole(tmp_path):
    io.write_text(tmp_path / "new/a.txt", "perché \ud800")
    assert (tmp_path / "new/a.txt").read_text(encoding="utf-8") == "perché \\ud800"
    io.write_json(tmp_path / "a.json", {"è": [1]})
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"è": [1]}
    for content in ("one", "two"):
        with io.replace_folder(tmp_path / "folder") as folder:
            (folder / f"{content}.txt").write_text(content)
    names = sorted(path.name for path in tmp_path.rglob("*"))
    assert names == ["a.json", "a.txt", "folder", "new", "two.txt"]


def test_a_failed_block_changes_nothing(tmp_path):
    io.write_text(tmp_path / "a.txt", "old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/kept.txt").write_text("old")

    def fail_in_a_file():
        with io.replace_file(tmp_path / "a.txt") as partial:
            partial.write_text("half")
            raise RuntimeError("mine")

    def stop_in_a_folder():
        with io.replace_folder(tmp_path / "folder") as partial:
            (partial / "half.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(RuntimeError, match="mine"):
        fail_in_a_file()
    with pytest.raises(KeyboardInterrupt):
        stop_in_a_folder()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "folder", "kept.txt"]


def test_a_folder_keeps_what_is_not_its_writer_s(tmp_path):
    for name in ("folder/ours/a.txt", "folder/ours/theirs.txt", "folder/all/b.txt", "folder/notes.txt"):
        io.write_text(tmp_path / name, "old")
    with io.replace_folder(tmp_path / "folder", ours=["ours/a.txt", "all"]) as folder:
        (folder / "new.txt").touch()
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.txt"))
    assert files == ["folder/new.txt", "folder/notes.txt", "folder/ours/theirs.txt"]


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with io.replace_folder(tmp_path / "link") as folder:
        (folder / "x").touch()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/x").exists()


def test_formulas_are_quoted_where_strangers_write(tmp_path):
    rows = [["=1+1", "+a", "-b", "@c", "\td", "plain - text", -1.5, 2]]
    io.write_table(tmp_path / "a.csv", list("abcdefgh"), rows, quote_formulas=True)
    io.write_table(tmp_path / "b.csv", list("abcdefgh"), rows)
    quoted, plain = (list(csv.reader((tmp_path / name).open(newline="")))[1] for name in ("a.csv", "b.csv"))
    assert quoted == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "plain - text", "-1.5", "2"]
    assert plain[:2] == ["=1+1", "+a"]


def test_faults_of_the_disk_are_one_sentence_and_leave_nothing(tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", fail)
    assert exit_on_input_error(lambda: io.write_text(tmp_path / "a.txt", "text")) == 2
    assert capsys.readouterr().err == f"change-it: {os.strerror(errno.ENOSPC)}\n"
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_known_as_libraries_say_it(capsys):
    def fail():
        raise RuntimeError("No space left on device (os error 28)")

    assert exit_on_input_error(fail) == 2
    assert capsys.readouterr().err == f"change-it: {os.strerror(errno.ENOSPC)}\n"


def test_a_place_is_tried_before_work_begins(tmp_path):
    (tmp_path / "file").touch()
    io.check_writable(tmp_path / "new/deep/out", kind="folder")
    io.check_writable(tmp_path / "new/out.csv", kind="csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
    for path, kind, words in [
        (tmp_path / "file", "folder", "name a folder"),
        (tmp_path, "csv", "name a file"),
        (tmp_path / "file/out", "run", "Not a directory"),
        (tmp_path / ("x" * 300) / "out", "folder", "too long"),
    ]:
        with pytest.raises(InputError, match=words):
            io.check_writable(path, kind=kind)
