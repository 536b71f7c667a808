"""Whole files and folders: read, written atomically, and tried before work begins."""

import csv
import errno
import json
import os
from pathlib import Path

import pytest

from change_it.cli import exit_on_input_error
from change_it.errors import InputError
from change_it.files import atomic


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", ['{"id": ', "[1]", "[" * 100_000])
def test_a_json_file_of_ours_that_is_broken_or_not_there(tmp_path, content):
    with pytest.raises(InputError, match=r"x\.json is broken: run what writes it again"):
        atomic.read_json(written(tmp_path, "x.json", content.encode()))
    assert atomic.read_json(tmp_path / "none.json") is None


def test_written_files_and_folders_are_there_as_a_whole(tmp_path):
    atomic.write_text(tmp_path / "new/a.txt", "perché \ud800")
    assert (tmp_path / "new/a.txt").read_text(encoding="utf-8") == "perché \\ud800"
    atomic.write_json(tmp_path / "a.json", {"è": [1]})
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"è": [1]}
    for content in ("one", "two"):
        with atomic.replace_folder(tmp_path / "folder", "run.json") as folder:
            (folder / f"{content}.txt").write_text(content)
            atomic.write_json(folder / "run.json", {"settings": {}, "seconds": {}})
    names = sorted(path.name for path in tmp_path.rglob("*"))
    assert names == ["a.json", "a.txt", "folder", "new", "run.json", "two.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failed_block_changes_nothing(tmp_path, error):
    def fail(place, name):
        with place as partial:
            (partial / name).write_text("half")
            raise error

    atomic.write_text(tmp_path / "a.txt", "old")
    atomic.write_json(tmp_path / "folder/run.json", {"settings": 1, "seconds": 1, "files": []})
    with pytest.raises(error):
        fail(atomic.replace_file(tmp_path / "a.txt"), "")
    with pytest.raises(error):
        fail(atomic.replace_folder(tmp_path / "folder", "run.json"), "half.txt")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "folder", "run.json"]


def test_of_a_folder_of_ours_only_the_files_that_its_record_lists_are_replaced(tmp_path):
    out = tmp_path / "folder"

    def write(*names):
        with atomic.replace_folder(out, "metrics.json", work=atomic.WORK, later=["README.md"]) as folder:
            for name in names:
                atomic.write_text(folder / name, "ours")
            atomic.write_json(folder / "metrics.json", {"weights_hash": "a", "model_hash": "b"})

    write("items/a.csv", "items/b.csv")
    for name in ("README.md", "items/mine.csv", "notes.txt", "checkpoints/1", "../.folder.old/precious"):
        atomic.write_text(out / name, "theirs")
    (out / "items/a.csv").chmod(0o600)
    write("items/a.csv")
    present = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert present == [
        ".folder.old/precious",
        *(f"folder/{name}" for name in ("items/a.csv", "items/mine.csv", "metrics.json", "notes.txt")),
    ]
    assert (out / "items/a.csv").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match=r"notes\.txt was not written by this command: move it elsewhere"):
        write("notes.txt")
    assert (out / "notes.txt").read_text() == "theirs"


def test_the_working_folder_those_above_it_and_the_wrong_kind_are_refused(tmp_path, monkeypatch):
    (tmp_path / "a/b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    for name in (".", "..", tmp_path, "/"):
        with pytest.raises(InputError, match="is the working folder or above it"):
            atomic.check_writable(Path(name), record="metrics.json")
    atomic.check_writable(Path("b"), record="metrics.json")
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for path, kind, says in (
        ("file", "folder", "name a folder"),
        ("pipe", "folder", "name a folder"),
        ("a", "csv", "name a file"),
    ):
        with pytest.raises(InputError, match=says):
            atomic.check_writable(tmp_path / path, kind=kind)


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic.replace_folder(tmp_path / "link") as folder:
        (folder / "x").touch()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/x").exists()


def test_formulas_are_quoted_where_strangers_write(tmp_path):
    rows = [["=1+1", "+a", "-b", "@c", "\td", "plain - text", -1.5, 2, "ciao;=1;-2", "a\n＝1", "\n=1"]]
    atomic.write_table(tmp_path / "a.csv", list("abcdefghijk"), rows, quote_formulas=True)
    atomic.write_table(tmp_path / "b.csv", list("abcdefghijk"), rows)
    quoted, plain = (list(csv.reader((tmp_path / name).open(newline="")))[1] for name in ("a.csv", "b.csv"))
    assert quoted[:8] == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "plain - text", "-1.5", "2"]
    assert quoted[8:] == ["ciao;'=1;'-2", "a\n'＝1", "'\n'=1"]
    assert [atomic.with_formula(cell) for cell in quoted] == plain
    assert plain[:2] == ["=1+1", "+a"]


def test_faults_of_the_disk_are_one_sentence_and_leave_nothing(tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", fail)
    assert exit_on_input_error(lambda: atomic.write_text(tmp_path / "a.txt", "text")) == 2
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1990000\n"


def test_a_file_that_git_lfs_has_not_fetched_is_named(tmp_path, monkeypatch, capsys):
    from change_it.cli import main
    from change_it.corpus.reading import sample
    from change_it.text.tagging import PerceptronTagger

    path = written(tmp_path, "sample.parquet", POINTER)
    monkeypatch.setattr(sample, "SAMPLE", path)
    assert main(["quickstart", "--processes", "1", "--out", str(tmp_path / "run")]) == 2
    [*_, sentence] = capsys.readouterr().err.splitlines()
    assert "sample.parquet is only a pointer of git-lfs to the file" in sentence
    with pytest.raises(InputError, match="git lfs pull"):
        PerceptronTagger.load(path, "it")
    atomic.refuse_pointer(written(tmp_path, "whole.parquet", b"PAR1" + POINTER))
