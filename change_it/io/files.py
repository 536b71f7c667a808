"""Whole files and folders: read, written, and tried before work begins.

A file that is written is the old one or the new one, never half of it; what a killed run left behind is cleared by the next.
"""

import csv
import ctypes
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

from change_it.errors import InputError
from change_it.io.faults import TableError, file_errors, record_errors
from change_it.io.locks import lock, locked

#: Bytes of a JSON object that this package wrote, at most: to read ten times as many would take all memory.
LARGEST_RECORD = 100_000_000
#: Why a second writer is refused.
BUSY = "another change-it is writing {path}: wait for it, or choose another {option}"
#: First characters by which a spreadsheet takes a cell for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def read_input(file: Path) -> str:
    """A text file as `read_text` reads it, or standard input for `-`."""
    return sys.stdin.read() if str(file) == "-" else read_text(file)


def read_text(file: Path) -> str:
    """A text file in UTF-8, without a byte order mark."""
    if not file.exists():
        raise TableError("missing", file)
    with file_errors(f"cannot read {file}"):
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TableError("encoding", file) from error
    if "\0" in text:
        raise TableError("nulls", file)
    return text


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object that this package wrote, None where there is no such file."""
    if not path.is_file():
        return None
    if path.stat().st_size > LARGEST_RECORD:
        raise InputError(
            f"{path} has more than {LARGEST_RECORD // 1_000_000} MB, which nothing of ours writes: run what writes it again"
        )
    with record_errors(path), file_errors(f"cannot read {path}"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise TypeError
    return record


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8; lone surrogates are written as escapes."""
    with replace_file(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def append(file: BinaryIO, text: bytes) -> None:
    """Write at the end of an open file; the text is on the disk when this returns."""
    file.write(text)
    file.flush()
    os.fsync(file.fileno())


def write_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, quote_formulas: bool = False
) -> None:
    """Write a CSV file; with `quote_formulas` an apostrophe stands before texts that a spreadsheet would take for a formula."""
    with (
        replace_file(path) as partial,
        partial.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(map(without_formula, row) if quote_formulas else row for row in rows)


def without_formula(cell: object) -> object:
    """A cell with an apostrophe before a text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """A place to write a file that replaces `path` when the block ends well, and is gone when it does not."""
    target = path.resolve()
    partial = target.with_name(f".{target.name}.partial")
    with file_errors(f"cannot write {path}"):
        if fault := _no_file(target):
            raise InputError(f"cannot write {path}: it is {fault}; name a file")
        with locked(target, message=BUSY.format(path=path, option="place")):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield partial
                os.replace(partial, target)
            except BaseException:
                _drop(partial)
                raise


@contextmanager
def replace_folder(path: Path, *, ours: Collection[str] | None = None) -> Iterator[Path]:
    """An empty folder that takes the place of `path` as a whole when the block ends well, and is gone when it does not.

    With `ours`, the paths in it that its writer replaces (files, or folders as a whole), other files of the old one stay.
    """
    target = path.resolve()
    partial, old = (target.with_name(f".{target.name}.{end}") for end in ("partial", "old"))
    with (
        file_errors(f"cannot write {path}"),
        locked(target, message=BUSY.format(path=path, option="place")),
    ):
        if old.is_dir() and not target.exists():  # a run was killed between the two renames below
            old.rename(target)
        _drop(old)
        _drop(partial)
        partial.mkdir(parents=True)
        try:
            yield partial
            if ours is not None and target.is_dir():
                _copy_others(target, partial, ours)
            if not (target.exists() and _exchange(partial, target)):
                if target.exists():
                    target.rename(old)
                partial.rename(target)
        except BaseException:
            _drop(partial)
            raise
        _drop(old)
        _drop(partial)  # the old folder, after an exchange


def _copy_others(old: Path, new: Path, ours: Collection[str], below: str = "") -> None:
    for path in old.iterdir():
        name = f"{below}{path.name}"
        if name in ours:
            continue
        folder = path.is_dir() and not path.is_symlink()
        if folder and any(each.startswith(f"{name}/") for each in ours):
            _copy_others(path, new / path.name, ours, f"{name}/")
            continue
        new.mkdir(parents=True, exist_ok=True)
        if folder:
            shutil.copytree(path, new / path.name, symlinks=True)
        else:
            shutil.copy2(path, new / path.name, follow_symlinks=False)


def _exchange(first: Path, second: Path) -> bool:
    """Let two folders change places in one step, so that neither is missing for a moment; False where the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):  # not Linux
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(renameat2(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0)


def _drop(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def check_writable(
    path: Path,
    *,
    kind: Literal["file", "folder", "run"],
    option: str = "--out",
    inputs: Iterable[str | Path | None] = (),
    alone: bool = True,
) -> None:
    """See, before work begins, that a file, a folder that is replaced as a whole, or a run's folder can be written.

    `inputs` may not be overwritten: what is there of them. With `alone` nobody else may be writing it now, nor until the
    command ends.
    """
    with file_errors(f"cannot write {option} {path}"):
        target = path.resolve()
        if kind == "file" and (fault := _no_file(target)):
            raise InputError(f"{option} {path} is {fault}: name a file")
        if kind != "file" and path.exists() and not path.is_dir():
            raise InputError(f"{option} {path} is a file: name a folder")
        near = target if kind == "run" else target.parent
        while not near.exists() and near != near.parent:
            near = near.parent
        if not near.is_dir():
            raise InputError(f"cannot write {option} {path}: {near} is a file; choose another place")
        with tempfile.TemporaryFile(dir=near) as file:
            file.write(b"\0" * 4096)
            file.flush()
        if path.exists():
            for name in inputs:
                if name:
                    _check_input(Path(name), path, option, whole=kind == "file")
        if alone:
            lock(target, run=kind == "run", message=BUSY.format(path=path, option=option))


def _no_file(target: Path) -> str:
    """What a path is that no file can be put at."""
    if target.is_dir():
        return "a folder"
    return "a device or a pipe" if target.exists() and not target.is_file() else ""


def _check_input(given: Path, out: Path, option: str, *, whole: bool) -> None:
    """Refuse an input that is `out` or in it; `whole` is a file, which may not be one of an input's folder either."""
    if not given.exists():
        return
    if any(path.samefile(out) for path in (given.resolve(), *given.resolve().parents)):
        what = "is" if given.samefile(out) else "is in"
        raise InputError(
            f"the input {given} {what} {option} {out}, and no output may overwrite an input: choose another {option}"
        )
    if whole and any(path.samefile(given) for path in out.resolve().parents):
        raise InputError(
            f"{option} {out} is a file of the input {given}, and no output may overwrite an input: choose another {option}"
        )
