"""One writer at a time: the second is refused in one sentence, at once, and nothing is left beside the result."""

import errno
import fcntl
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from scoring_fakes import write_stand_ins, write_toy_corpus

from change_it import InputError, io
from change_it.cli import main
from change_it.io import locks
from change_it.io.locks import keep_locks


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("replace", [io.replace_file, io.replace_folder])
def test_a_second_writer_is_refused_while_the_first_writes(replace, tmp_path):
    place = tmp_path / "new" / "place"
    with replace(place) as partial:
        with (
            pytest.raises(InputError, match=r"another change-it is writing .*place: wait for it, or choose"),
            replace(place),
        ):
            pass
        with pytest.raises(InputError, match="choose another --out"):
            io.check_writable(place, kind="file" if replace is io.replace_file else "folder")
        partial.touch() if replace is io.replace_file else (partial / "x").touch()
    assert names(tmp_path / "new") == ["place"]


@pytest.mark.parametrize("kind", ["file", "folder", "run"])
def test_a_command_keeps_its_target_until_it_ends(kind, tmp_path):
    place = tmp_path / "new" / "place"

    def check():
        io.check_writable(place, kind=kind)

    with ThreadPoolExecutor(1) as thread:
        with keep_locks(), keep_locks():
            check()
            check()
            with pytest.raises(InputError, match="another change-it"):
                thread.submit(check).result()
            io.check_writable(place, kind=kind, alone=False)
        thread.submit(check).result()
    assert names(tmp_path) == []


def test_threads_write_one_file_after_the_other_or_are_refused(tmp_path):
    begun, end = threading.Event(), threading.Event()

    def first():
        with io.replace_file(tmp_path / "x") as partial:
            partial.write_text("first")
            begun.set()
            end.wait()

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(first)
        begun.wait()
        with pytest.raises(InputError, match="another change-it"):
            io.write_text(tmp_path / "x", "second")
        end.set()
        running.result()
    assert (tmp_path / "x").read_text() == "first"
    io.write_text(tmp_path / "x", "third")
    assert (tmp_path / "x").read_text() == "third"


def test_the_lock_of_a_process_that_died_is_taken_over(tmp_path):
    (tmp_path / ".x.lock").touch()
    io.write_text(tmp_path / "x", "")
    assert names(tmp_path) == ["x"]


def test_a_lock_file_that_is_removed_while_it_is_opened_does_not_count(tmp_path, monkeypatch):
    def release(descriptor, **how):  # what the one before does between our opening and our locking
        monkeypatch.undo()
        (tmp_path / ".x.lock").unlink()
        return locks.flock(descriptor, **how)

    monkeypatch.setattr(locks, "flock", release)
    with io.replace_file(tmp_path / "x") as partial:
        partial.touch()
        with pytest.raises(InputError, match="another change-it"):
            io.write_text(tmp_path / "x", "")
    assert names(tmp_path) == ["x"]


def test_a_folder_that_is_removed_before_its_lock_is_opened_is_made_again(tmp_path, monkeypatch):
    def remove(*arguments):
        monkeypatch.undo()
        (tmp_path / "new").rmdir()
        return os.open(*arguments)

    monkeypatch.setattr(locks.os, "open", remove)
    io.write_text(tmp_path / "new/x", "")
    assert names(tmp_path / "new") == ["x"]


def test_a_disk_without_locks_is_written_all_the_same(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    io.write_text(tmp_path / "x", "text")
    assert names(tmp_path) == ["x"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A corpus, something like judges, and files."""
    folder = tmp_path_factory.mktemp("made")
    write_toy_corpus(folder / "corpus")
    (folder / "corpus/alignment.json").write_text("{}")
    write_stand_ins(folder / "judges")
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("id,headline,target\n")
    return folder


FOLDERS = {
    "corpus build": "a.csv",
    "score": "--corpus corpus --judges judges",
    "audit": "--corpus corpus --judges judges",
    "hevas": "--documents a.csv",
    "push dataset": "corpus me/corpus --dry-run",
}
FILES = {
    "corpus sample": "",
    "transfer": "--generator extract --corpus corpus",
    "annotate sheets": "--corpus corpus",
}
RUNS = {
    "quickstart": "",
    "reproduce lrec2020": "--corpus corpus",
    "train judge": "--task hh --corpus corpus --encoder scratch",
    "train generator": "--recipe rewrite --corpus corpus",
}


@pytest.mark.parametrize("command", [*FOLDERS, *FILES, *RUNS])
def test_every_command_refuses_a_target_that_another_one_writes(command, made, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(made)
    out = tmp_path / "out"
    kind = "folder" if command in FOLDERS else "file" if command in FILES else "run"
    arguments = (FOLDERS | FILES | RUNS)[command].split()

    def refused():
        return main([*command.split(), *arguments, "--out", str(out)]), capsys.readouterr().err

    with ThreadPoolExecutor(1) as thread, keep_locks():
        io.check_writable(out, kind=kind)
        code, said = thread.submit(refused).result()
    assert said == f"change-it: another change-it is writing {out}: wait for it, or choose another --out\n"
    assert code == 2
    assert names(tmp_path) == []


INPUTS = {
    "score": "score --corpus corpus --judges judges --predictions a={in} --out {out}",
    "audit": "audit --corpus {in} --judges judges --out {out}",
    "hevas": "hevas --documents {in} --out {out}",
    "reproduce": "reproduce changeit2020 --corpus corpus --submissions a={in} --out {out}",
    "train judge": "train judge --task hh --corpus {in} --encoder scratch --out {out}",
    "train generator": "train generator --recipe rewrite --corpus {in} --out {out}",
    "push": "push dataset {in} me/corpus --dry-run --out {in}",
    "transfer": "transfer --generator extract --corpus corpus --input {in} --out {in}",
    "transfer into the corpus": "transfer --generator extract --corpus {out} --out {in}",
    "annotate sheets": "annotate sheets --corpus corpus --predictions a={in} --out {in}",
    "the key of annotate sheets": "annotate sheets --corpus corpus --predictions a={out}/a-key.csv --out {out}/a.csv",
}


@pytest.mark.parametrize("command", list(INPUTS))
def test_no_command_overwrites_its_input(command, made, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(made)
    out = tmp_path / "out"
    write_toy_corpus(out)
    for name in ("systems.csv", "audit.json", "summary.csv", "items.csv", "a-key.csv", "alignment.json"):
        (out / name).write_text("id,headline,target\n")
    (out / "alignment.json").write_text("{}")
    file = out / "systems.csv"
    given = out if command in ("audit", "train judge", "train generator", "push") else file
    before = {path: path.read_bytes() for path in out.rglob("*.*")}
    line = INPUTS[command].replace("{in}", str(given)).replace("{out}", str(out))
    assert main(line.split()) == 2
    assert "no output may overwrite an input: choose another --out" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in out.rglob("*.*")} == before
