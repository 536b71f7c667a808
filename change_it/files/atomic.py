"""Files and folders written next to their place and renamed, and tried before work begins; JSON that this package wrote.

What is written is the old or the new one, never half of it. A killed run leaves `.NAME.*.partial` next to it. A folder is
replaced in two steps, the old one to `.NAME.*.old` and the new one to NAME: killed between them, NAME is missing, and the old
one is whole. A folder is ours only where its record says so, and only the files that the record lists are replaced.
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
from change_it.files.texts import listed

#: Places where a spreadsheet, which may part cells at semicolons, begins to read a formula; and those that have our apostrophe.
_FORMULA, _QUOTED = (
    re.compile(rf"^{mark}(?=[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n]){mark}(?=[=+\-@＝＋－＠])")
    for mark in ("", "'")
)
#: The record by which a folder is known as ours, and fields that it has besides `files`, the list of what was written.
OURS = {
    "alignment.json": {"outlets", "thresholds"},
    "audit.json": {"hashes", "signature"},
    "metrics.json": {"weights_hash", "model_hash"},
    "run.json": {"settings", "seconds"},
    "scores.json": {"signature", "systems"},
    "summary.json": {"signature", "systems"},
}
#: The beginning of what stands in a checkout where git-lfs has not fetched the file itself.
_POINTER = b"version https://git-lfs"
#: What a note of an error begins with that names the file which was written.
WRITING = "while writing "
#: Where training works, in the folder of a model.
WORK = "checkpoints"


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object that this package wrote, None where there is no such file."""
    if not path.is_file():
        return None
    with record_errors(path):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise TypeError
    return record


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """One sentence where a JSON object that this package wrote is not as it writes it."""
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
        raise InputError(
            f"{path} is only a pointer of git-lfs to the file: install git-lfs, then run `git lfs pull` or install anew"
        )


def check_part(path: Path) -> None:
    """Refuse a large file of this package that git-lfs did not fetch, or that a Space's copy of the package lacks."""
    refuse_pointer(path)
    if not path.is_file():
        raise InputError(
            f"this copy of the package lacks {path.name}, which a page on the Hub does not need: install the whole package"
        )


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8; lone surrogates are written as escapes."""
    with replace_file(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, quote_formulas: bool = False
) -> None:
    """Write a CSV file; `quote_formulas` puts an apostrophe before texts that a spreadsheet would take for a formula."""
    with (
        replace_file(path) as partial,
        partial.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(map(without_formula, row) if quote_formulas else row for row in rows)


def without_formula(cell: object) -> object:
    """A cell with an apostrophe before what a spreadsheet would take for a formula."""
    return _FORMULA.sub("'", cell) if isinstance(cell, str) else cell


def with_formula(cell: str) -> str:
    """A cell as it was before `without_formula`."""
    return _QUOTED.sub("", cell)


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """A place to write a file that replaces `path` when the block ends well, and is gone when it does not."""
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
    """An empty folder that takes the place of `path` as a whole when the block ends well, and is gone when it does not.

    The files that `record` lists in the old one go, and its folder `work`; all others stay. The new one lists its own, and
    those that are written `later`. Without a record `path` is new or empty.
    """
    target = path.resolve()
    replaced = files_of_ours(target, record) | {work}
    with _beside(target) as partial:
        partial.mkdir()
        yield partial
        if record:
            files = {file.relative_to(partial).as_posix() for file in partial.rglob("*") if file.is_file()}
            content = read_json(partial / record) or {}
            write_json(partial / record, content | {"files": sorted(files.union(later))})

        def leave(folder: str, names: list[str]) -> list[str]:
            """Names of our old files, which are not copied; their modes are."""
            paths = {name: (Path(folder) / name).relative_to(target) for name in names}
            for file in filter(lambda file: (partial / file).is_file(), paths.values()):
                if file.as_posix() not in replaced:
                    raise InputError(f"{target / file} was not written by this command: move it elsewhere")
                shutil.copymode(target / file, partial / file)
            return [name for name, file in paths.items() if file.as_posix() in replaced]

        old = partial.with_suffix(".old")
        if target.exists():
            shutil.copytree(
                target, partial, symlinks=True, ignore=leave, copy_function=_link, dirs_exist_ok=True
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
    """The files that our record in a folder lists; a folder that has none and is not empty is refused."""
    others = {path.name for path in folder.iterdir()} - {WORK} if folder.is_dir() else set()
    if not others:
        return set()
    fields: dict[str, Any] = {}
    with suppress(InputError):  # a broken record is none of this version
        fields = read_json(folder / record) or {} if record else {}
    if record and OURS[record] <= fields.keys() and isinstance(fields.get("files"), list):
        return {*map(str, fields["files"])}
    lacking = f" and no {record} of this version" if record else ""
    raise InputError(
        f"--out {folder} holds other files ({listed(sorted(others), 3)}){lacking}: choose a folder that is new or empty"
    )


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file or folder that is written in whatever is raised: `change-it` says it where the disk is at fault."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{WRITING}{path}")
        raise


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A temporary name next to the target, for what replaces it; what is left of it is dropped."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{token_hex(4)}.partial")
    try:
        with naming(target):
            yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True) if partial.is_dir() else partial.unlink(missing_ok=True)


def check_writable(
    path: Path,
    *,
    kind: Literal["csv", "folder"] = "folder",
    inputs: Iterable[str | Path | None] = (),
    record: str | None = None,
) -> None:
    """Refuse, before work begins, an --out that cannot be written: a file or a folder, either of which is replaced as a whole.

    It may not overwrite `inputs`, of which some need not be there; a folder is new, empty or has our `record`.
    """
    target, is_file = path.resolve(), kind == "csv"
    if is_file and path.suffix.lower() not in ("", ".csv"):
        raise InputError(f"--out {path} is written as CSV: name it {path.stem}.csv")
    try:
        if target.exists() and not (target.is_file() if is_file else target.is_dir()):
            wanted = "file" if is_file else "folder"
            raise InputError(f"--out {path} is no {wanted}: name a {wanted}")
        parent = next((folder for folder in target.parents if folder.exists()), target)
        tempfile.TemporaryFile(dir=parent).close()
    except OSError as error:
        raise InputError(f"cannot write --out {path}: {error.strerror}; choose another place") from error
    if not is_file and Path.cwd().is_relative_to(target):
        raise InputError(f"--out {path} is the working folder or above it: name a folder below it")
    for name in (name for name in inputs if name):
        source = Path(name).resolve()
        inside = source.is_relative_to(target) or (is_file and target.is_relative_to(source))
        if inside and source.exists():
            raise InputError(f"--out {path} would overwrite the input {name}: choose another --out")
    if not is_file:
        files_of_ours(target, record)
