"""Write files and folders as a whole, and read the JSON that this package wrote.

They are written next to their place and renamed: what is found there is the old or the new one, never half of
it. A killed run leaves `.NAME.*.partial` next to it.

A folder is replaced in two steps, the old one to `.NAME.*.old` and the new one to NAME: killed between them,
NAME is missing, and the old one is whole. A folder is ours only where its record says so, and only the files
that the record lists are replaced.
"""

import csv
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

from change_it.errors import InputError
from change_it.files.texts import join_truncated


def _formula_after(mark: str) -> re.Pattern[str]:
    """Match a mark where a spreadsheet, which may part cells at semicolons, begins to read a formula."""
    at_start = rf"^{mark}(?=[=+\-@＝＋－＠\t\r\n])"
    in_cell = rf"(?<=[;\t\r\n]){mark}(?=[=+\-@＝＋－＠])"
    return re.compile(f"{at_start}|{in_cell}")


#: The beginnings of formulas; the matches are empty.
_FORMULA = _formula_after("")
#: The apostrophes that we have put before formulas.
_QUOTED = _formula_after("'")
#: Records by which a folder is known as ours, and fields that each has besides `files`, the list of what was
#: written.
OURS = {
    "alignment.json": {"outlets", "thresholds"},
    "audit.json": {"hashes", "signature"},
    "metrics.json": {"weights_hash", "model_hash"},
    "run.json": {"settings", "seconds"},
    "scores.json": {"signature", "systems"},
    "summary.json": {"signature", "systems"},
}
#: How the pointer begins that stands in a checkout where git-lfs has not fetched the file itself.
_POINTER = b"version https://git-lfs"
#: How a note of an error begins that names the file which was written.
WRITING = "while writing "
#: Name of the folder, inside that of a model, in which training works.
WORK = "checkpoints"


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object that this package wrote; None where there is no such file."""
    if not path.is_file():
        return None
    with record_errors(path):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise TypeError
    return record


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Turn what fails while a JSON object of this package is read into one sentence."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is broken: run what writes it again") from error


def refuse_pointer(path: Path) -> None:
    """Refuse a file of which git, without git-lfs, has left a pointer in its place."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        beginning = file.read(len(_POINTER))
    if beginning == _POINTER:
        mend = "install git-lfs, then run `git lfs pull` or install anew"
        raise InputError(f"{path} is only a pointer of git-lfs to the file: {mend}")


def check_part(path: Path) -> None:
    """Refuse a large file of this package that is not there.

    git-lfs has not fetched it, or a Space's copy of the package does not have it.
    """
    refuse_pointer(path)
    if not path.is_file():
        fault = f"this copy of the package lacks {path.name}, which a page on the Hub does not need"
        raise InputError(f"{fault}: install the whole package")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, lone surrogates as escapes."""
    with replace_file(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, quote_formulas: bool = False
) -> None:
    """Write a CSV file.

    Args:
        path: the file.
        header: its columns.
        rows: their cells.
        quote_formulas: puts an apostrophe before texts that a spreadsheet would take for a formula.
    """
    with (
        replace_file(path) as partial,
        partial.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            if quote_formulas:
                writer.writerow([without_formula(cell) for cell in row])
            else:
                writer.writerow(row)


def without_formula(cell: object) -> object:
    """Return a cell with an apostrophe before what a spreadsheet would take for a formula."""
    if isinstance(cell, str):
        return _FORMULA.sub("'", cell)
    return cell


def with_formula(cell: str) -> str:
    """Return a cell as it was before `without_formula`."""
    return _QUOTED.sub("", cell)


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a place to write a file that replaces `path` when the block ends well, and else is removed."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}, which is a folder or a device: name a file")
    with _beside(target) as partial:
        yield partial
        if target.exists():
            shutil.copymode(target, partial)
        os.replace(partial, target)


@contextmanager
def replace_folder(
    path: Path, record: str | None = None, *, work: str = "", later: Sequence[str] = ()
) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `path` as a whole when the block ends well.

    When the block does not end well, the new folder is gone, and the old one is as it was.

    Args:
        path: the folder to replace. Without a record it is new or empty.
        record: name of the JSON file in it that lists what this command wrote there: these files go, all
            others stay. The new record lists the new ones.
        work: a folder inside `path` that is removed as well.
        later: files that are written into `path` afterwards; the new record lists them as well.

    Raises:
        InputError: the folder holds files of others under the same names, or no record of ours.
    """
    target = path.resolve()
    replaced = files_of_ours(target, record) | {work}
    with _beside(target) as partial:
        partial.mkdir()
        yield partial
        if record:
            files = set(later)
            for file in partial.rglob("*"):
                if file.is_file():
                    files.add(file.relative_to(partial).as_posix())
            content = read_json(partial / record) or {}
            write_json(partial / record, {**content, "files": sorted(files)})

        def names_of_ours(folder: str, names: list[str]) -> list[str]:
            """Return the names of our old files in a folder, which are not copied; their modes are."""
            ours = []
            for name in names:
                file = (Path(folder) / name).relative_to(target)
                is_ours = file.as_posix() in replaced
                if (partial / file).is_file():
                    if not is_ours:
                        raise InputError(
                            f"{target / file} was not written by this command: move it elsewhere"
                        )
                    shutil.copymode(target / file, partial / file)
                if is_ours:
                    ours.append(name)
            return ours

        old = partial.with_suffix(".old")
        if target.exists():
            shutil.copytree(
                target,
                partial,
                symlinks=True,
                ignore=names_of_ours,
                copy_function=_link,
                dirs_exist_ok=True,
            )
            os.replace(target, old)
        os.replace(partial, target)
        shutil.rmtree(old, ignore_errors=True)


def _link(source: str, target: str) -> None:
    """Give a file a second name, or copy it where the disk has no such names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def files_of_ours(folder: Path, record: str | None) -> set[str]:
    """Return the files that our record in a folder lists.

    Raises:
        InputError: the folder is not empty and has no record of this version.
    """
    if not folder.is_dir():
        return set()
    others = {path.name for path in folder.iterdir()} - {WORK}
    if not others:
        return set()
    lacking = ""
    if record:
        fields: dict[str, Any] = {}
        # a broken record is none of this version
        with suppress(InputError):
            fields = read_json(folder / record) or {}
        files = fields.get("files")
        if OURS[record] <= fields.keys() and isinstance(files, list):
            return {str(file) for file in files}
        lacking = f" and no {record} of this version"
    fault = f"--out {folder} holds other files ({join_truncated(sorted(others), 3)}){lacking}"
    raise InputError(f"{fault}: choose a folder that is new or empty")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file or folder that is written in whatever is raised.

    `change-it` says it where the disk is at fault.
    """
    try:
        yield
    except Exception as error:
        error.add_note(f"{WRITING}{path}")
        raise


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary name next to the target, for what will replace it; remove what is left there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{token_hex(4)}.partial")
    try:
        with naming(target):
            yield partial
    finally:
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)


def check_writable(
    path: Path,
    *,
    kind: Literal["csv", "folder"] = "folder",
    inputs: Iterable[str | Path | None] = (),
    record: str | None = None,
) -> None:
    """Refuse, before work begins, an --out that cannot be written.

    Args:
        path: a file or a folder, either of which is replaced as a whole.
        kind: which of them it is.
        inputs: files and folders that may not be overwritten; some need not be there.
        record: name of the JSON file that lists what this command wrote in the folder; None where it must be
            new or empty.

    Raises:
        InputError: `path` has another kind or no place on the disk, overwrites an input, or holds files of
            others.
    """
    target = path.resolve()
    is_file = kind == "csv"
    if is_file and path.suffix.lower() not in ("", ".csv"):
        raise InputError(f"--out {path} is written as CSV: name it {path.stem}.csv")
    try:
        wanted = "file" if is_file else "folder"
        is_wanted = target.is_file() if is_file else target.is_dir()
        if target.exists() and not is_wanted:
            raise InputError(f"--out {path} is no {wanted}: name a {wanted}")
        parent = next((folder for folder in target.parents if folder.exists()), target)
        tempfile.TemporaryFile(dir=parent).close()
    except OSError as error:
        raise InputError(f"cannot write --out {path}: {error.strerror}; choose another place") from error
    if not is_file and Path.cwd().is_relative_to(target):
        raise InputError(f"--out {path} is the working folder or above it: name a folder below it")
    for name in inputs:
        if not name:
            continue
        source = Path(name).resolve()
        would_overwrite = source.is_relative_to(target) or (is_file and target.is_relative_to(source))
        if would_overwrite and source.exists():
            raise InputError(f"--out {path} would overwrite the input {name}: choose another --out")
    if not is_file:
        files_of_ours(target, record)
