"""Tables in and files out: the one reader and the one atomic writer of the package.

A file that is written is the old one or the new one, never half of it; what a killed run left behind is cleared by the next.
Whatever goes wrong with a file is an `InputError` of one sentence.
"""

import codecs
import csv
import ctypes
import errno
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO

from change_it.csv_rows import LONGEST, TOO_LONG, csv_records, read_lines
from change_it.errors import InputError
from change_it.locks import lock, locked

HUB = "hf://"
SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".parquet": "parquet",
}
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}
ROWS_A_BATCH = 5_000
#: Bytes of a JSON object that this package wrote, at most: to read ten times as many would take all memory.
LARGEST_RECORD = 100_000_000
DEEPEST = 20
#: Why weights in another format are refused.
PICKLE = (
    "has no safetensors, and weights in a pickle such as pytorch_model.bin are not read, since they can run code: save the "
    "model again with save_pretrained"
)
#: Why a second writer is refused.
BUSY = "another change-it is writing {path}: wait for it, or choose another {option}"
#: First characters by which a spreadsheet takes a cell for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: What can be wrong with a small table: a key, and the sentence of the command line.
FAULTS = {
    "missing": "{file} does not exist: check the path",
    "empty": "{file} is empty: give a file with a header and at least one row",
    "no_rows": "{file} has a header and no rows: add at least one",
    "rows": "{file} has more than {most:,} rows: split it into smaller files",
    "encoding": "{file} is not text in UTF-8: save it as UTF-8",
    "nulls": "{file} holds null bytes and so is not text: save it as CSV in UTF-8",
    "columns": "{file} lacks the column {lacking} (it has {found}): the columns are {wanted}",
    "renamed": "{file} has no column {lacking} as --columns wants it (it has {found}): correct the map",
    "double": "{file} has more than one column {columns}: keep one of them",
    "fields": "{file}, line {line}: {found} cells and {wanted} columns; put texts with commas or line breaks in quotes",
    "csv": "{file}, line {line}: a quote is never closed or not doubled; put texts with commas or line breaks in quotes, and "
    "double the quotes inside",
    "long": "{file}, line {line}: more than {most:,} characters in one row; shorten it",
    "json": "{file}, line {line}: {fault}; write one JSON object a line",
    "parquet": "{file} is not a parquet file: export it again, or rename it to what it is",
}

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DELIMITERS = (",", ";", "\t")
_JSON_LIST = re.compile(r"\s*\[\s*(?:[{\]]|$)")
_NAME = re.compile(r"\w[\w.+-]*")
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_BROKEN = object()

#: Faults of a file or disk that no code can mend, and what the user can do.
_REASONS = {
    errno.ENOSPC: "the disk is full; free some space or choose another place",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another place",
    errno.EFBIG: "the file gets larger than is allowed here; choose another place",
    errno.EACCES: "there is no permission; change its rights or choose another place",
    errno.EPERM: "there is no permission; change its rights or choose another place",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.ENOTDIR: "a part of the path is a file; choose another place",
    errno.EISDIR: "it is a folder; name a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}
_LIBRARIES = ("safetensors", "pyo3_runtime", "polars", "pyarrow")


class TableError(InputError):
    """A small table that cannot be used."""

    def __init__(self, key: str, file: Path, **values: object):
        super().__init__(FAULTS[key].format(file=file, **values))
        self.key = key
        self.values: dict[str, object] = {"file": file.name, **values}


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the input."""

    line: int  # of the file, from 1; in parquet and on the Hub the number of the row
    values: Mapping[str, object]
    fault: str = ""  # why it cannot be read


@dataclass(slots=True)
class Table:
    """A file, or one split of one config of a Hub data set."""

    name: str  # the file as given, or `hf://owner/name/config/split`
    stem: str  # start of the ids made for its rows, different for every table of one reading
    outlet: str | None  # R or G where the file or config is named after one of CHANGE-IT's newspapers
    columns: dict[str, None] = field(default_factory=dict)  # in order, as far as rows were read
    rows: Iterator[Row] = field(default_factory=lambda: iter(()))  # to be read once


class Record(NamedTuple):
    """One row of a small table."""

    line: int
    cells: dict[str, str]  # text by our column name, without white space at the ends
    values: Mapping[str, object]  # every cell as it stands in the file, by the file's own column names


def read_tables(files: Sequence[str], *, encoding: str = "utf-8") -> list[Table]:
    """Find files and data sets; nothing is read before `rows` is used, and faults of single rows are kept with them.

    `files` are CSV (comma, semicolon or tab), TSV, JSON (one object a line, or one list) or parquet files, globs (`**`
    included), or data set ids `hf://datasets/owner/name[/config]`. The tables come in the order given, each file once.
    """
    try:
        "".encode(encoding)
        encoding = {"utf-8": "utf-8-sig"}.get(codecs.lookup(encoding).name, encoding)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"--encoding {encoding!r} is not known: write utf-8, cp1252, latin-1 or utf-16"
        ) from error
    if not files:
        raise InputError("no input: name files, a glob, or a data set as hf://datasets/owner/name")
    found: dict[str, Table] = {}
    for name in files:
        if name.startswith(HUB):
            found |= {table.name: table for table in _hub_tables(name)}
        else:
            for path in _paths(name):
                found.setdefault(str(path.resolve()), _file_table(path, encoding))
    return _distinct(list(found.values()))


def read_records(
    file: Path,
    *,
    required: Sequence[str] | Mapping[str, Sequence[str]],
    optional: Sequence[str] | Mapping[str, Sequence[str]] = (),
    columns: str = "",
    max_rows: int | None = None,
) -> list[Record]:
    """Read a small table whole, and refuse it at its first fault.

    `required` are our columns, or our columns and the names of each in any case; `columns` is a map `ours=theirs`. A file
    of no known ending is read as CSV. Optional columns that the file lacks are not in `cells`, rows of CSV without any
    text are left out, and control characters in cells are spaces. A file with more than `max_rows` is refused, and not read on.
    """
    found, rows = _open_records(file, required, optional, columns, max_rows)
    read = list(rows)
    if not read:
        raise TableError("no_rows", file)
    if max_rows is not None and len(read) > max_rows:
        raise TableError("rows", file, most=max_rows)
    return [
        Record(
            row.line,
            {
                ours: _CONTROL.sub(" ", cell_text(row.values.get(name))).strip()
                for ours, name in found.items()
            },
            row.values,
        )
        for row in read
    ]


def check_header(file: Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Refuse a small table of CSV by its header, as `read_records` does; files of other kinds are not looked into."""
    if SUFFIXES.get(file.suffix.lower(), "CSV") == "CSV":
        _open_records(file, required, optional, "", 1)


def _open_records(
    file: Path,
    required: Sequence[str] | Mapping[str, Sequence[str]],
    optional: Sequence[str] | Mapping[str, Sequence[str]],
    columns: str,
    max_rows: int | None,
) -> tuple[dict[str, str], Iterator[Row]]:
    """Our columns with the file's names for them, and its rows, at most one more than `max_rows`."""
    accepted = {**_aliases(required), **_aliases(optional)}
    names = parse_columns(columns, accepted)
    wanted = frozenset(name.lower() for several in names.values() for name in several)
    if not file.is_file():
        raise (
            TableError("missing", file)
            if not file.exists()
            else InputError(f"{file} is a folder: name a file")
        )
    table = Table(str(file), file.stem, None)
    kind = SUFFIXES.get(file.suffix.lower(), "CSV")
    table.rows = _parquet(table, file) if kind == "parquet" else _text(table, file, kind, "utf-8-sig", wanted)
    reading = islice(table.rows, None if max_rows is None else max_rows + 1)
    rows = list(
        islice(reading, None if kind == "JSON" else 1)
    )  # the first row of other tables has all columns
    theirs: dict[str, str] = {}
    for column in table.columns:
        theirs.setdefault(column.lower(), column)
    found = {
        ours: theirs[name.lower()]
        for ours, several in names.items()
        for name in reversed(several)
        if name.lower() in theirs
    }
    if not table.columns:
        raise TableError("empty", file)
    has = listed(list(table.columns))
    for ours, several in names.items():
        if several != accepted[ours] and several and ours not in found:
            raise TableError("renamed", file, lacking=several[0], found=has)
    if lacking := [name for name in required if name not in found]:
        raise TableError("columns", file, lacking=", ".join(lacking), wanted=",".join(required), found=has)
    return found, chain(rows, reading)


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


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """One sentence where a JSON object that this package wrote is not as it writes it."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is broken: run what writes it again") from error


def is_hub_id(name: str) -> bool:
    """Whether a name can be a Hub id; a path that exists cannot."""
    return name.count("/") == 1 and not name.startswith((".", "/", "~")) and not Path(name).exists()


def check_model(name: str, *, command: str) -> None:
    """Refuse the name of a model that is neither a folder nor a Hub id; `command` writes such folders."""
    if not Path(name).is_dir() and not is_hub_id(name):
        raise InputError(f"there is no folder {name}: make it with {command}, or give a Hub id")


def is_missing_path(name: str) -> bool:
    """Whether a name can only be a path, of something that is not there; `bert-base-cased` and `owner/name` may be on the Hub."""
    return not Path(name).exists() and (name.startswith((".", "/", "~")) or name.count("/") > 1)


def weight_files(folder: Path, *, command: str) -> list[Path]:
    """The weights of a saved model or adapter, in one file or in shards; `command` writes such folders."""
    files = find_weights(folder)
    if not files:
        if any(folder.glob("*.bin")):
            raise InputError(f"{folder} {PICKLE}")
        raise InputError(f"{folder} holds no model.safetensors: train it with {command} --out {folder}")
    return files


def find_weights(folder: Path) -> list[Path]:
    """The safetensors that transformers or PEFT would load of a folder, and no others; none where there are none."""
    for name in ("model.safetensors", "adapter_model.safetensors"):
        if (folder / name).is_file():
            return [folder / name]
    index = folder / "model.safetensors.index.json"
    if (record := read_json(index)) is None:
        return []
    with record_errors(index):
        shards = [folder / name for name in sorted(set(record["weight_map"].values()))]
    for shard in shards:
        if shard.parent != folder or not shard.is_file():
            raise InputError(
                f"{index} names {shard.name}, which does not lie beside it: copy the whole model again"
            )
    return shards


def cell_text(value: object) -> str:
    """A cell as text: nothing for a missing one, a line for each item of a list."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "\n".join(map(cell_text, value)) if isinstance(value, list) else str(value)


def parse_columns(spec: str, known: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Our columns and the names to look for, from a map `ours=theirs,…`; nothing after `=` leaves a column out."""
    given: dict[str, tuple[str, ...]] = {}
    for part in filter(None, map(str.strip, spec.split(","))):
        ours, equals, theirs = map(str.strip, part.partition("="))
        if ours not in known or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(known)}")
        given[ours] = (*given.get(ours, ()), *([theirs] if theirs else []))
    return {ours: tuple(names) for ours, names in known.items()} | given


def named_files(
    specs: Sequence[str], *, option: str, example: str, taken: Iterable[str] = ()
) -> Iterator[tuple[str, Path]]:
    """Names and files of `NAME=FILE` arguments; names differ in more than case, since each becomes a file's name."""
    used = {name.lower() for name in taken}
    for spec in specs:
        name, equals, file = spec.partition("=")
        if not equals or not file or not _NAME.fullmatch(name):
            raise InputError(
                f"{option} {spec!r} is not NAME=FILE: write {option} {example} (letters, digits, . + - _)"
            )
        if name.lower() in used:
            raise InputError(f"{option} {spec!r}: the name {name} is taken, choose another")
        used.add(name.lower())
        yield name, Path(file)


def listed(names: Sequence[str], most: int = 10) -> str:
    """The first of many names, each on one line and not too long, and how many more there are."""
    more = len(names) - most
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = ", ".join(line if len(line) <= 80 else line[:79] + "…" for line in lines)
    return shown + (f" and {more} more" if more > 0 else "")


def id_faults(problems: Mapping[str, Sequence[str]]) -> str:
    """What is wrong with which ids, as `2 ids missing: a, b; 1 id duplicate: c`; empty where nothing is."""
    return "; ".join(
        f"{len(ids)} {'id' if len(ids) == 1 else 'ids'} {problem}: {listed(ids)}"
        for problem, ids in problems.items()
        if ids
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
    place = path.resolve()
    partial = place.with_name(f".{place.name}.partial")
    with file_errors(f"cannot write {path}"):
        if fault := _no_file(place):
            raise InputError(f"cannot write {path}: it is {fault}; name a file")
        with locked(place, message=BUSY.format(path=path, option="place")):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield partial
                os.replace(partial, place)
            except BaseException:
                _drop(partial)
                raise


@contextmanager
def replace_folder(path: Path, *, ours: Collection[str] | None = None) -> Iterator[Path]:
    """An empty folder that takes the place of `path` as a whole when the block ends well, and is gone when it does not.

    With `ours`, the paths in it that its writer replaces (files, or folders as a whole), other files of the old one stay.
    """
    place = path.resolve()
    partial, old = (place.with_name(f".{place.name}.{end}") for end in ("partial", "old"))
    with (
        file_errors(f"cannot write {path}"),
        locked(place, message=BUSY.format(path=path, option="place")),
    ):
        if old.is_dir() and not place.exists():  # a run was killed between the two renames below
            old.rename(place)
        _drop(old)
        _drop(partial)
        partial.mkdir(parents=True)
        try:
            yield partial
            if ours is not None and place.is_dir():
                _copy_others(place, partial, ours)
            if not (place.exists() and _exchange(partial, place)):
                if place.exists():
                    place.rename(old)
                partial.rename(place)
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
        if folder and any(own.startswith(f"{name}/") for own in ours):
            _copy_others(path, new / path.name, ours, f"{name}/")
            continue
        new.mkdir(parents=True, exist_ok=True)
        if folder:
            shutil.copytree(path, new / path.name, symlinks=True)
        else:
            shutil.copy2(path, new / path.name, follow_symlinks=False)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step, so that neither is missing for a moment; False where the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):  # not Linux
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)


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
        place = path.resolve()
        if kind == "file" and (fault := _no_file(place)):
            raise InputError(f"{option} {path} is {fault}: name a file")
        if kind != "file" and path.exists() and not path.is_dir():
            raise InputError(f"{option} {path} is a file: name a folder")
        near = place if kind == "run" else place.parent
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
            lock(place, run=kind == "run", message=BUSY.format(path=path, option=option))


def _no_file(place: Path) -> str:
    """What a path is that no file can be put at."""
    if place.is_dir():
        return "a folder"
    return "a device or a pipe" if place.exists() and not place.is_file() else ""


def _check_input(given: Path, out: Path, option: str, *, whole: bool) -> None:
    """Refuse an input that is `out` or in it; `whole` is a file, which may not be one of an input's folder either."""
    if not given.exists():
        return
    if any(one.samefile(out) for one in (given.resolve(), *given.resolve().parents)):
        what = "is" if given.samefile(out) else "is in"
        raise InputError(
            f"the input {given} {what} {option} {out}, and no output may overwrite an input: choose another {option}"
        )
    if whole and any(one.samefile(given) for one in out.resolve().parents):
        raise InputError(
            f"{option} {out} is a file of the input {given}, and no output may overwrite an input: choose another {option}"
        )


@contextmanager
def file_errors(what: str) -> Iterator[None]:
    """Turn whatever goes wrong with a file in the block into one sentence that begins with `what`."""
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # polars' PanicException is no Exception
        library = type(error).__module__.split(".")[0] in _LIBRARIES
        reason = disk_fault(error)
        if not (reason or library or isinstance(error, OSError)):
            raise
        text = getattr(error, "strerror", None) or str(error).strip().partition("\n")[0]
        raise InputError(f"{what}: {reason or text or type(error).__name__}") from error


def disk_fault(error: BaseException) -> str:
    """What a full or closed disk or a wrong path means and how to mend it; empty for every other exception."""
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0, "")
    if "PytorchStreamWriter" in str(error):
        return _REASONS[errno.ENOSPC]
    found = _OS_ERROR.search(str(error))  # of libraries in Rust
    return _REASONS.get(int(found[1]), "") if found else ""


def _drop(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _aliases(columns: Sequence[str] | Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    if isinstance(columns, Mapping):
        return {ours: tuple(names) for ours, names in columns.items()}
    return {ours: (ours,) for ours in columns}


def _paths(name: str) -> list[Path]:
    path = Path(name)
    with file_errors(f"cannot read {name}"):
        if path.is_dir():
            raise InputError(f"{name} is a folder: name its files, for example '{name.rstrip('/')}/*.csv'")
        if path.exists():
            return [path]
        if not has_magic(name):
            raise InputError(f"{name} does not exist: check the path")
        matches = [Path(match) for match in sorted(glob(name, recursive=True)) if Path(match).is_file()]
    if not matches:
        raise InputError(f"no file matches {name!r}: check the glob")
    return matches


def _file_table(path: Path, encoding: str) -> Table:
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(SUFFIXES)}")
    table = Table(str(path), path.stem, _outlet(path.stem) or _outlet(path.resolve().parent.name))
    table.rows = _parquet(table, path) if kind == "parquet" else _text(table, path, kind, encoding)
    return table


def _outlet(name: str) -> str | None:
    found = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return found.pop() if len(found) == 1 else None


def _distinct(tables: list[Table]) -> list[Table]:
    """Put folder names, at last numbers, before stems that occur twice: ids made from them must differ."""
    stems: set[str] = set()
    for table in tables:
        given, parent = table.stem, Path(table.name).parent.name
        if table.stem in stems and parent:
            table.stem = f"{parent}-{given}"
        number = 2
        while table.stem in stems:
            table.stem, number = f"{given}-{number}", number + 1
        stems.add(table.stem)
    return tables


def _text(
    table: Table, path: Path, kind: str, encoding: str, wanted: Collection[str] | None = None
) -> Iterator[Row]:
    """Rows of a text file; with the names of the columns `wanted` its first fault is raised."""
    with file_errors(f"cannot read {path}"):
        try:
            with path.open(encoding=encoding, newline="" if kind == "CSV" else "\n") as file:
                yield from (
                    _csv(table, path, file, wanted)
                    if kind == "CSV"
                    else _json(table, path, file, strict=wanted is not None)
                )
        except UnicodeError as error:
            if wanted is not None:
                raise TableError("encoding", path) from error
            raise InputError(
                f"{path} is not {encoding.removesuffix('-sig')} text: give its encoding, for example --encoding cp1252"
            ) from error


def _csv(table: Table, path: Path, file: TextIO, wanted: Collection[str] | None) -> Iterator[Row]:
    """Rows of a CSV file."""
    strict = wanted is not None
    lines = read_lines(file)
    top, line = "", 1
    while not top.strip():
        if not (top := next(lines, "")):
            return
        line += 1
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(top, wanted or ())
    header = [name.strip() for name in next(csv.reader([top], delimiter=delimiter), [])]
    counts = Counter(name.lower() if strict else name for name in header)
    repeated = [name for name, count in counts.items() if count > 1 and (wanted is None or name in wanted)]
    if repeated:
        raise TableError("double", path, columns=", ".join(sorted(repeated)))
    table.columns.update(dict.fromkeys(header))
    records = csv_records(lines, delimiter=delimiter, width=len(header), line=line, strict=strict)
    for line, cells, fault in records:
        if fault and strict:
            raise TableError("long" if fault == TOO_LONG else "csv", path, line=line, most=LONGEST)
        if fault:
            yield Row(line, {}, fault)
        elif row := _csv_row(path, line, header, cells, strict):
            yield row


def _delimiter(top: str, wanted: Collection[str]) -> str:
    """What stands between the cells of the header: most of the columns wanted are found by it, or it occurs most."""

    def found(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([top.lower()], delimiter=delimiter), [])
        return len({cell.strip() for cell in cells} & set(wanted)), top.count(delimiter)

    return max(_DELIMITERS, key=found)


def _csv_row(path: Path, line: int, header: list[str], cells: list[str], strict: bool) -> Row | None:
    """A row; None for an empty line, which in a strict table of one column is an empty cell."""
    if strict:
        if len(header) == 1:
            cells = cells or [""]
        elif not any(map(str.strip, cells)):
            return None
        if len(cells) != len(header):
            raise TableError("fields", path, line=line, found=len(cells), wanted=len(header))
        if any("\0" in cell for cell in cells):
            raise TableError("nulls", path)
    elif not cells:
        return None
    values = dict(zip(header, cells, strict=False))
    if len(cells) > len(header):
        return Row(line, values, "too many fields")
    return Row(line, values, f"missing column: {header[len(cells)]}" if len(cells) < len(header) else "")


def _json(table: Table, path: Path, file: TextIO, *, strict: bool) -> Iterator[Row]:
    """Rows of JSON lines, or of one list of objects."""
    lines = enumerate(file, start=1)
    first = next((item for item in lines if item[1].strip()), None)
    if first is None:
        return
    whole = _JSON_LIST.match(first[1])
    found = _list_items(first[0], first[1] + file.read()) if whole else _line_items(chain([first], lines))
    for line, values in found:
        fault = ""
        if values is _BROKEN:
            fault = "broken JSON"
        elif not isinstance(values, dict):
            fault = f"{'item' if whole else 'line'} is not a JSON object"
        elif _deep(values):
            fault = "JSON nested too deeply"
        if fault and strict:
            raise TableError("json", path, line=line, fault=fault)
        if fault:
            yield Row(line, {}, fault)
            continue
        table.columns.update(dict.fromkeys(values))
        yield Row(line, values)


def _line_items(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    for line, text in lines:
        if text.strip():
            try:
                yield line, json.loads(text)
            except (ValueError, RecursionError):
                yield line, _BROKEN


def _list_items(line: int, text: str) -> Iterator[tuple[int, Any]]:
    """The items of a JSON list with the line that each starts on; what follows the first broken one is one broken item."""
    decoder = json.JSONDecoder()
    place = text.index("[") + 1
    while True:
        start = _past_blanks(text, place)
        line += text.count("\n", place, start)
        if text.startswith("]", start):
            if text[start + 1 :].strip():
                yield line, _BROKEN
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            yield line, _BROKEN
            return
        yield line, value
        line += text.count("\n", start, end)
        place = _past_blanks(text, end)
        line += text.count("\n", end, place)
        if text.startswith(",", place):
            place += 1
        elif not text.startswith("]", place):
            yield line, _BROKEN
            return


def _past_blanks(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place


def _deep(values: dict[str, Any]) -> bool:
    """Whether lists and objects are nested in each other beyond reason."""
    level: list[Any] = [values]
    for _ in range(DEEPEST):
        level = [
            value
            for item in level
            for value in (item.values() if isinstance(item, dict) else item)
            if isinstance(value, dict | list)
        ]
        if not level:
            return False
    return True


def _parquet(table: Table, path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with file_errors(f"cannot read {path}"):
        try:
            with pq.ParquetFile(path) as file:
                yield from _arrow_rows(table, file.schema_arrow.names, file.iter_batches(ROWS_A_BATCH))
        except pa.ArrowInvalid as error:
            raise TableError("parquet", path) from error
        except UnicodeDecodeError as error:
            raise TableError("encoding", path) from error


def _arrow_rows(
    table: Table,
    columns: Sequence[str],
    batches: Iterable[Any],
    classes: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Row]:
    """Rows of Arrow batches, with the names of a ClassLabel instead of its numbers."""
    table.columns.update(dict.fromkeys(columns))
    number = 0
    for batch in batches:
        by_column = [_arrow_cells(column) for column in batch.columns]
        for place, name in enumerate(columns):
            if names := (classes or {}).get(name):
                by_column[place] = [
                    names[cell] if cell is not None and 0 <= cell < len(names) else None
                    for cell in by_column[place]
                ]
        for cells in zip(*by_column, strict=True):
            number += 1
            yield Row(number, dict(zip(columns, cells, strict=True)))


def _arrow_cells(column: Any) -> list[Any]:
    """The cells of an array as Python values; a time that Python has none for is the name of its type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):  # several times as fast as `to_pylist`
        return list(column.to_numpy(zero_copy_only=False).tolist())
    try:
        if pa.types.is_timestamp(kind) and kind.unit == "ns":  # whose values need pandas
            column = pc.cast(column, pa.timestamp("us", kind.tz), safe=False)
        return list(column.to_pylist())
    except (ValueError, OverflowError, LookupError, pa.ArrowException):
        if not pa.types.is_temporal(kind):
            raise
    return [_time(cell) for cell in column]


def _time(cell: Any) -> Any:
    import pyarrow as pa

    try:
        return cell.as_py()
    except (ValueError, OverflowError, LookupError, pa.ArrowException):
        return f"<{cell.type}>"


def _hub_tables(name: str) -> list[Table]:
    """Splits of a data set: of the config that the id names, of CHANGE-IT's two, else of the only or default one."""
    parts = name.removeprefix(HUB).removeprefix("datasets/").strip("/").split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise InputError(
            f"{name} is no data set id: write hf://datasets/owner/name or hf://datasets/owner/name/config"
        )
    from datasets import get_dataset_config_names, load_dataset

    repository = "/".join(parts[:2])
    try:
        configs = parts[2:] or get_dataset_config_names(repository)
        if len(configs) > 1:
            configs = [config for config in configs if _outlet(config)] or [
                c for c in configs if c == "default"
            ]
        loaded = [(config, load_dataset(repository, config)) for config in configs]
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} does not load: {reason or type(error).__name__}") from error
    if not loaded:
        raise InputError(f"{name} has several configs: name one, hf://datasets/{repository}/config")
    tables = []
    for config, splits in loaded:
        for split, rows in splits.items():
            table = Table(f"{HUB}{repository}/{config}/{split}", f"{config}-{split}", _outlet(config))
            classes = {
                column: feature.names
                for column, feature in rows.features.items()
                if hasattr(feature, "names")
            }
            batches = rows.with_format("arrow").iter(batch_size=ROWS_A_BATCH)
            table.rows = _arrow_rows(table, rows.column_names, batches, classes)
            tables.append(table)
    return tables
