"""Rows of tables: CSV, JSON and parquet files, and data sets of the Hub.

`read_tables` streams them, and rows that cannot be read are kept with their reasons; `read_records` reads a small table whole,
and refuses it at its first fault.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from change_it.errors import InputError
from change_it.io.faults import TableError, file_errors, listed
from change_it.io.model_folders import hub_fault
from change_it.io.rows import (
    ROWS_A_BATCH,
    SUFFIXES,
    InputRow,
    InputTable,
    arrow_rows,
    check_packed,
    file_rows,
)

HUB = "hf://"
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}

#: Our columns, each with the names that it may have in a file where that is not its own alone.
Columns = Sequence[str] | Mapping[str, Sequence[str]]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NAMED = re.compile(r"(\w[\w.+-]*)=(.+)", re.DOTALL)


class Record(NamedTuple):
    """One row of a small table."""

    line: int
    cells: dict[str, str]  # text by our column name, without white space at the ends
    values: Mapping[str, object]  # every cell as it stands in the file, by the file's own column names


def read_tables(files: Sequence[str], *, encoding: str = "utf-8") -> list[InputTable]:
    """Find files and data sets; nothing is read before `rows` is used, and faults of single rows are kept with them.

    `files` are CSV (comma, semicolon or tab), TSV, JSON (one object a line, or one list) or parquet files, globs (`**`
    included), or data set ids `hf://datasets/owner/name[/config]`, each perhaps as `OUTLET=FILE`. The tables come in the order
    given, each file once.
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
    tables: dict[str, InputTable] = {}
    for spec in files:
        label, name = outlet_and_file(spec)
        if name.startswith(HUB):
            for table in _hub_tables(name):
                _add(tables, table.name, replace(table, label=label))
            continue
        for path in _paths(name):
            kind = SUFFIXES.get(path.suffix.lower())
            if kind is None:
                check_packed(path)
                raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(SUFFIXES)}")
            table = InputTable(
                str(path), path.stem, _outlet(path.stem) or _outlet(path.resolve().parent.name)
            )
            table.label = label
            table.rows = file_rows(table, kind, encoding)
            _add(tables, str(path.resolve()), table)
    # Ids are made from stems: those that occur twice get the folder's name before them, at last numbers behind.
    stems: set[str] = set()
    for table in tables.values():
        given, parent, number = table.stem, Path(table.name).parent.name, 2
        if table.stem in stems and parent:
            table.stem = f"{parent}-{given}"
        while table.stem in stems:
            table.stem, number = f"{given}-{number}", number + 1
        stems.add(table.stem)
    return list(tables.values())


def _add(tables: dict[str, InputTable], key: str, table: InputTable) -> None:
    """Add a table once; refused where it is given again, of another outlet."""
    if tables.setdefault(key, table).label != table.label:
        raise InputError(f"{table.name} is given twice, of other outlets: give it once, as OUTLET=FILE")


def outlet_and_file(spec: str) -> tuple[str, str]:
    """The outlet and the file of `OUTLET=FILE`; no outlet where a file is named alone, even one with an equals sign in its path.

    Examples:
        >>> outlet_and_file("colle=news/colle.csv"), outlet_and_file("news.csv")
        (('colle', 'news/colle.csv'), ('', 'news.csv'))
    """
    match = _NAMED.fullmatch(spec)
    return (match[1], match[2]) if match and not glob(spec, recursive=True) else ("", spec)


def read_records(
    file: Path, *, required: Columns, optional: Columns = (), columns: str = "", max_rows: int | None = None
) -> list[Record]:
    """Read a small table whole, and refuse it at its first fault.

    `required` are our columns, or our columns and the names of each in any case; `columns` is a map `ours=theirs`. A file
    of no known ending is read as CSV. Optional columns that the file lacks are not in `cells`, rows of CSV without any
    text are left out, and control characters in cells are spaces. A file with more than `max_rows` is refused, and not read on.
    """
    theirs, rows = _open_records(file, required, optional, columns, max_rows)

    def cell(value: object) -> str:
        return _CONTROL.sub(" ", cell_text(value)).strip()

    records = [
        Record(row.line, {ours: cell(row.values.get(name)) for ours, name in theirs.items()}, row.values)
        for row in rows
    ]
    if not records:
        raise TableError("no_rows", file)
    if max_rows is not None and len(records) > max_rows:
        raise TableError("rows", file, most=max_rows)
    return records


def check_header(file: Path, *, required: Columns, optional: Columns = (), columns: str = "") -> None:
    """Refuse a small table of CSV by its header, as `read_records` does; files of other kinds are not looked into."""
    if SUFFIXES.get(file.suffix.lower(), "CSV") == "CSV":
        _open_records(file, required, optional, columns, 1)


def parse_columns(spec: str, columns: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Our columns and the names to look for, from a map `ours=theirs,…`; nothing after `=` leaves a column out."""
    given: dict[str, tuple[str, ...]] = {}
    for part in filter(None, map(str.strip, spec.split(","))):
        ours, equals, theirs = map(str.strip, part.partition("="))
        if ours not in columns or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(columns)}")
        given[ours] = (*given.get(ours, ()), *([theirs] if theirs else []))
    return {ours: tuple(names) for ours, names in columns.items()} | given


def cell_text(value: object) -> str:
    """A cell as text: nothing for a missing one, a line for each item of a list."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "\n".join(map(cell_text, value)) if isinstance(value, list) else str(value)


def _open_records(
    file: Path, required: Columns, optional: Columns, columns: str, max_rows: int | None
) -> tuple[dict[str, str], Iterator[InputRow]]:
    """Our columns with the file's names for them, and its rows, at most one more than `max_rows`."""
    accepted = {
        ours: tuple(several[ours]) if isinstance(several, Mapping) else (ours,)
        for several in (required, optional)
        for ours in several
    }
    names = parse_columns(columns, accepted)
    if not file.exists():
        raise TableError("missing", file)
    if not file.is_file():
        raise InputError(f"{file} is a folder: name a file")
    wanted = frozenset(name.lower() for several in names.values() for name in several)
    table = InputTable(str(file), file.stem, wanted=wanted)
    kind = SUFFIXES.get(file.suffix.lower(), "CSV")
    rows = islice(file_rows(table, kind, "utf-8-sig"), None if max_rows is None else max_rows + 1)
    # The first row of other tables has all columns.
    first = list(islice(rows, None if kind == "JSON" else 1))
    theirs = {column.lower(): column for column in reversed(table.columns)}
    names_there = {
        ours: theirs[name.lower()]
        for ours, several in names.items()
        for name in reversed(several)
        if name.lower() in theirs
    }
    if not table.columns:
        raise TableError("empty", file)
    has = listed(list(table.columns))
    for ours, several in names.items():
        if several != accepted[ours] and several and ours not in names_there:
            raise TableError("renamed", file, lacking=several[0], found=has)
    if lacking := [name for name in required if name not in names_there]:
        raise TableError("columns", file, lacking=", ".join(lacking), wanted=",".join(required), found=has)
    return names_there, chain(first, rows)


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


def _outlet(name: str) -> str | None:
    labels = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return labels.pop() if len(labels) == 1 else None


def _hub_tables(name: str) -> list[InputTable]:
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
        if isinstance(error, OSError):
            raise InputError(hub_fault(name, error)) from error
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} does not load: {reason or type(error).__name__}") from error
    if not loaded:
        raise InputError(f"{name} has several configs: name one, hf://datasets/{repository}/config")
    tables = []
    for config, splits in loaded:
        for split, rows in splits.items():
            table = InputTable(f"{HUB}{repository}/{config}/{split}", f"{config}-{split}", _outlet(config))
            classes = {
                column: dict(enumerate(feature.names))
                for column, feature in rows.features.items()
                if getattr(feature, "names", None)
            }
            batches = rows.with_format("arrow").iter(batch_size=ROWS_A_BATCH)
            table.rows = arrow_rows(table, rows.column_names, batches, classes)
            tables.append(table)
    return tables
