"""Rows of tables: CSV, JSON and parquet files, and data sets of the Hub.

`read_tables` streams them, `read_records` reads a small table whole. A file that is not what its name says is refused with the
line at fault; what a row holds is its reader's to judge.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from change_it.errors import InputError
from change_it.io.files import check_file, not_utf8
from change_it.io.model_folders import hub_fault
from change_it.io.texts import listed

SUFFIXES = (
    dict.fromkeys((".csv", ".tsv"), "CSV")
    | dict.fromkeys((".jsonl", ".ndjson", ".json"), "JSON")
    | {".parquet": "parquet"}
)
HUB = "hf://"
ROWS_A_BATCH = 5_000
#: Characters of a cell of CSV, at most: what takes in a whole file is no cell.
LONGEST = 10_000_000
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}

#: Our columns, each with the names that it may have in a file where that is not its own alone.
Columns = Sequence[str] | Mapping[str, Sequence[str]]

_DELIMITERS = (",", ";", "\t")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NAMED = re.compile(r"(\w[\w.+-]*)=(.+)", re.DOTALL)


class InputRow(NamedTuple):
    """One row as it stands in the input."""

    line: int  # of the file, from 1; in JSON lists, parquet and on the Hub the number of the row
    values: Mapping[str, object]


@dataclass(slots=True)
class InputTable:
    """A file, or one split of one config of a Hub data set."""

    name: str  # the file as given, or `hf://owner/name/config/split`
    stem: str  # start of the ids made for its rows, different for every table of one reading
    outlet: str | None = None  # R or G where the file or config is named after one of CHANGE-IT's newspapers
    label: str = ""  # outlet of all its rows, where the input names one: OUTLET=FILE
    columns: dict[str, None] = field(default_factory=dict)  # in order, as far as rows were read
    rows: Iterator[InputRow] = field(default_factory=lambda: iter(()))  # to be read once


class Record(NamedTuple):
    """One row of a small table."""

    line: int
    cells: dict[str, str]  # text by our column name, without white space at the ends
    values: Mapping[str, object]  # every cell as it stands in the file, by the file's own column names


def read_tables(files: Sequence[str]) -> list[InputTable]:
    """Find files and data sets, in the order given and each once; nothing is read before `rows` is used.

    `files` are CSV (comma, semicolon or tab), TSV, JSON (one object a line, or one list) or parquet files, globs (`**`
    included), or data set ids `hf://datasets/owner/name[/config]`, each perhaps as `OUTLET=FILE`.
    """
    if not files:
        raise InputError("no input: name files, a glob, or a data set as hf://datasets/owner/name")
    tables: dict[str, InputTable] = {}
    for spec in files:
        label, name = outlet_and_file(spec)
        for key, table in _hub_tables(name) if name.startswith(HUB) else map(_file_table, _paths(name)):
            if tables.setdefault(key, replace(table, label=label)).label != label:
                raise InputError(
                    f"{table.name} is given twice, of other outlets: give it once, as OUTLET=FILE"
                )
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


def outlet_and_file(spec: str) -> tuple[str, str]:
    """The outlet and the file of `OUTLET=FILE`; no outlet where a file is named alone, even one with an equals sign in its path."""
    match = _NAMED.fullmatch(spec)
    return (match[1], match[2]) if match and not glob(spec, recursive=True) else ("", spec)


def read_records(
    file: Path, *, required: Columns, optional: Columns = (), columns: str = "", max_rows: int | None = None
) -> list[Record]:
    """Read a small table whole.

    `required` are our columns, or our columns and the names of each in any case; `columns` is a map `ours=theirs`. A file
    of no known ending is read as CSV. Optional columns that the file lacks are not in `cells`, rows without any text
    are left out, and control characters in cells are spaces. A file with more than `max_rows` is refused, and not read on.
    """
    table, theirs, rows = _open_records(file, required, optional, columns)

    def cell(value: object) -> str:
        return _CONTROL.sub(" ", cell_text(value)).strip()

    records = [
        Record(row.line, {ours: cell(row.values.get(name)) for ours, name in theirs.items()}, row.values)
        for row in islice(rows, None if max_rows is None else max_rows + 1)
        if len(table.columns) == 1 or any(map(cell, row.values.values()))
    ]
    if not records:
        raise InputError(f"{file} has a header and no rows: add at least one")
    if max_rows is not None and len(records) > max_rows:
        raise InputError(f"{file} has more than {max_rows:,} rows: split it into smaller files")
    return records


def check_header(file: Path, *, required: Columns, optional: Columns = (), columns: str = "") -> None:
    """Refuse a small table of CSV by its header, as `read_records` does; files of other kinds are not looked into."""
    if SUFFIXES.get(file.suffix.lower(), "CSV") == "CSV":
        _open_records(file, required, optional, columns)


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
    file: Path, required: Columns, optional: Columns, columns: str
) -> tuple[InputTable, dict[str, str], Iterator[InputRow]]:
    """The table, our columns with its names for them, and its rows."""
    accepted = {
        ours: tuple(several[ours]) if isinstance(several, Mapping) else (ours,)
        for several in (required, optional)
        for ours in several
    }
    names = parse_columns(columns, accepted)
    check_file(file)
    table = InputTable(str(file), file.stem)
    kind = SUFFIXES.get(file.suffix.lower(), "CSV")
    rows = _rows(table, kind, {name.lower() for several in names.values() for name in several})
    # The first row of other tables has all columns.
    first = list(islice(rows, None if kind == "JSON" else 1))
    if not table.columns:
        raise InputError(f"{file} is empty: give a file with a header and at least one row")
    theirs = {column.lower(): column for column in reversed(table.columns)}
    names_there = {
        ours: theirs[name.lower()]
        for ours, several in names.items()
        for name in reversed(several)
        if name.lower() in theirs
    }
    has = listed(list(table.columns))
    for ours, several in names.items():
        if several and several != accepted[ours] and ours not in names_there:
            raise InputError(
                f"{file} has no column {several[0]} as --columns wants it (it has {has}): correct the map"
            )
    if lacking := [ours for ours in required if ours not in names_there]:
        raise InputError(
            f"{file} lacks the column {', '.join(lacking)} (it has {has}): the columns are {', '.join(required)}"
        )
    return table, names_there, chain(first, rows)


def _file_table(path: Path) -> tuple[str, InputTable]:
    """A file by its real path."""
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(SUFFIXES)}")
    table = InputTable(str(path), path.stem, _outlet(path.stem) or _outlet(path.resolve().parent.name))
    table.rows = _rows(table, kind)
    return str(path.resolve()), table


def _paths(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{name} is a folder: name its files, for example '{name.rstrip('/')}/*.csv'")
    if path.exists():
        return [path]
    if not has_magic(name):
        check_file(path)
    matches = [Path(match) for match in sorted(glob(name, recursive=True)) if Path(match).is_file()]
    if not matches:
        raise InputError(f"no file matches {name!r}: check the glob")
    return matches


def _outlet(name: str) -> str | None:
    labels = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return labels.pop() if len(labels) == 1 else None


def _rows(table: InputTable, kind: str, wanted: Collection[str] = ()) -> Iterator[InputRow]:
    """Rows of a file; `wanted` are columns in lower case by which the delimiter is found."""
    path = Path(table.name)
    if kind == "parquet":
        yield from _parquet_rows(table, path)
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from (
                _csv_rows(table, path, file, wanted) if kind == "CSV" else _json_rows(table, path, file)
            )
    except UnicodeDecodeError as error:
        raise not_utf8(path) from error


def _csv_rows(table: InputTable, path: Path, file: TextIO, wanted: Collection[str]) -> Iterator[InputRow]:
    """Rows of CSV; an empty line is none, but of a single column an empty cell."""
    first, top = next(((line, text) for line, text in enumerate(file, start=1) if text.strip()), (0, ""))

    def fit(delimiter: str) -> tuple[int, int]:
        """The number of wanted columns that it finds, and of its occurrences."""
        cells = next(csv.reader([top.lower()], delimiter=delimiter), [])
        return len({cell.strip() for cell in cells}.intersection(wanted)), top.count(delimiter)

    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(_DELIMITERS, key=fit)
    csv.field_size_limit(LONGEST)
    reader = csv.reader(chain([top], file), delimiter=delimiter, strict=True)
    line = first
    try:
        header = [name.strip() for name in next(reader, [])]
        if repeated := [name for name, count in Counter(filter(None, header)).items() if count > 1]:
            raise InputError(f"{path} has more than one column {', '.join(repeated)}: keep one of them")
        table.columns.update(dict.fromkeys(header))
        line = first + reader.line_num
        for cells in reader:
            if cells or len(header) == 1:
                cells = cells or [""]
                if len(cells) != len(header):
                    raise InputError(
                        f"{path}, line {line}: {len(cells)} cells and {len(header)} columns; put texts with commas or line "
                        "breaks in quotes"
                    )
                yield InputRow(line, dict(zip(header, cells, strict=True)))
            line = first + reader.line_num
    except csv.Error as error:
        raise InputError(
            f"{path}, line {line}: a quote is never closed or not doubled ({error}); put texts with commas or line breaks in "
            "quotes, and double the quotes inside"
        ) from error


def _json_rows(table: InputTable, path: Path, file: TextIO) -> Iterator[InputRow]:
    """Rows of JSON lines, or of one list of objects."""
    lines = ((line, text) for line, text in enumerate(file, start=1) if text.strip())
    line, text = next(lines, (0, ""))
    items: Iterable[tuple[int, Any]]
    if text.lstrip().startswith("["):
        items = enumerate(_parsed(path, line, text + file.read()), start=1)
    else:
        items = (
            (line, _parsed(path, line, text)) for line, text in chain([(line, text)] if text else [], lines)
        )
    for number, values in items:
        if not isinstance(values, dict):
            raise InputError(f"{path}, line {number}: this is no JSON object; write one a line")
        table.columns.update(dict.fromkeys(values))
        yield InputRow(number, values)


def _parsed(path: Path, line: int, text: str) -> Any:
    try:
        return json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {line + error.lineno - 1}: broken JSON ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}, line {line}: JSON nested too deeply") from error


def _parquet_rows(table: InputTable, path: Path) -> Iterator[InputRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            table.columns.update(dict.fromkeys(file.schema_arrow.names))
            rows = (row for batch in file.iter_batches(ROWS_A_BATCH) for row in batch.to_pylist())
            yield from (InputRow(number, row) for number, row in enumerate(rows, start=1))
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no parquet that can be read ({error}): export it again") from error


def _hub_tables(name: str) -> list[tuple[str, InputTable]]:
    """Splits of a data set by their names: of the config that the id names, of CHANGE-IT's two, else of the only or default one."""
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
    except OSError as error:
        raise InputError(hub_fault(name, error)) from error
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} does not load: {reason or type(error).__name__}") from error
    if not loaded:
        raise InputError(f"{name} has several configs: name one, hf://datasets/{repository}/config")
    tables = []
    for config, splits in loaded:
        for split, rows in splits.items():
            table = InputTable(f"{HUB}{repository}/{config}/{split}", f"{config}-{split}", _outlet(config))
            table.rows = _hub_rows(table, rows)
            tables.append((table.name, table))
    return tables


def _hub_rows(table: InputTable, rows: Any) -> Iterator[InputRow]:
    """Rows of a split, with the names of a ClassLabel instead of its numbers."""
    table.columns.update(dict.fromkeys(rows.column_names))
    classes = {
        column: dict(enumerate(feature.names))
        for column, feature in rows.features.items()
        if getattr(feature, "names", None)
    }
    batches = rows.with_format("arrow").iter(ROWS_A_BATCH)  # pictures stay as they are
    for number, row in enumerate((row for batch in batches for row in batch.to_pylist()), start=1):
        yield InputRow(number, row | {name: names.get(row[name]) for name, names in classes.items()})
