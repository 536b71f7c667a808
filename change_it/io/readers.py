"""Rows of tables: CSV, JSON and parquet files, and data sets of the Hub.

`read_tables` streams them, and rows that cannot be read are kept with their reasons; `read_records` reads a small table whole,
and refuses it at its first fault.
"""

import codecs
import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from change_it.errors import InputError
from change_it.io.csv_rows import LONGEST, TOO_LONG, csv_records, read_lines
from change_it.io.faults import TableError, file_errors, listed
from change_it.io.model_folders import hub_fault

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
DEEPEST = 20

#: Our columns, each with the names that it may have in a file where that is not its own alone.
Columns = Sequence[str] | Mapping[str, Sequence[str]]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DELIMITERS = (",", ";", "\t")
_JSON_LIST = re.compile(r"\s*\[\s*(?:[{\]]|$)")
_PACKED = (
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zX",
)  # zip (xlsx, ods), xls, gzip, bzip2, xz
_BLANKS = re.compile(r"\s*")
_NAMED = re.compile(r"(\w[\w.+-]*)=(.+)", re.DOTALL)
_BROKEN = object()


@dataclass(frozen=True, slots=True)
class InputRow:
    """One row as it stands in the input."""

    line: int  # of the file, from 1; in parquet and on the Hub the number of the row
    values: Mapping[str, object]
    fault: str = ""  # why it cannot be read


@dataclass(slots=True)
class InputTable:
    """A file, or one split of one config of a Hub data set."""

    name: str  # the file as given, or `hf://owner/name/config/split`
    stem: str  # start of the ids made for its rows, different for every table of one reading
    outlet: str | None = None  # R or G where the file or config is named after one of CHANGE-IT's newspapers
    label: str = ""  # outlet of all its rows, where the input names one: OUTLET=FILE
    wanted: Collection[str] | None = None  # columns in lower case of a table whose first fault is raised
    columns: dict[str, None] = field(default_factory=dict)  # in order, as far as rows were read
    rows: Iterator[InputRow] = field(default_factory=lambda: iter(()))  # to be read once

    def reject(
        self, line: int, reason: str, key: str, values: Mapping[str, object] = {}, **more: object
    ) -> InputRow:
        """A row that cannot be read; where faults are raised, that of `key` in `FAULTS`."""
        if self.wanted is not None:
            raise TableError(key, Path(self.name), line=line, **more)
        return InputRow(line, values, reason)


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
                _check_packed(path)
                raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(SUFFIXES)}")
            table = InputTable(
                str(path), path.stem, _outlet(path.stem) or _outlet(path.resolve().parent.name)
            )
            table.label = label
            table.rows = _file_rows(table, kind, encoding)
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
    rows = islice(_file_rows(table, kind, "utf-8-sig"), None if max_rows is None else max_rows + 1)
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


def _file_rows(table: InputTable, kind: str, encoding: str) -> Iterator[InputRow]:
    """Rows of a file; parquet has an encoding of its own."""
    path = Path(table.name)
    with file_errors(f"cannot read {path}"):
        if kind == "parquet":
            yield from _parquet_rows(table, path)
            return
        _check_packed(path)
        try:
            with path.open(encoding=encoding, newline="" if kind == "CSV" else "\n") as file:
                yield from _csv_rows(table, file) if kind == "CSV" else _json_rows(table, file)
        except UnicodeError as error:
            if table.wanted is not None:
                raise TableError("encoding", path) from error
            raise InputError(
                f"{path} is not {encoding.removesuffix('-sig')} text: give its encoding, for example --encoding cp1252"
            ) from error


def _check_packed(path: Path) -> None:
    """Refuse a spreadsheet or an archive, whatever it is called."""
    with path.open("rb") as file:
        if file.read(4).startswith(_PACKED):
            raise TableError("packed", path)


def _csv_rows(table: InputTable, file: TextIO) -> Iterator[InputRow]:
    """Rows of CSV; where faults are raised, those without text are left out, but a line of a single column is a cell."""
    path, strict, wanted = Path(table.name), table.wanted is not None, set(table.wanted or ())
    lines = read_lines(file)
    first, top = next(((line, text) for line, text in enumerate(lines, start=2) if text.strip()), (0, ""))
    if not top:
        return

    def fit(delimiter: str) -> tuple[int, int]:
        """How many of the columns wanted are found by it, and how often it occurs."""
        cells = next(csv.reader([top.lower()], delimiter=delimiter), [])
        return len({cell.strip() for cell in cells} & wanted), top.count(delimiter)

    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(_DELIMITERS, key=fit)
    header = [name.strip() for name in next(csv.reader([top], delimiter=delimiter), [])]
    counts = Counter(name.lower() if strict else name for name in header)
    repeated = [name for name, count in counts.items() if count > 1 and (not strict or name in wanted)]
    if repeated:
        raise TableError("double", path, columns=", ".join(sorted(repeated)))
    table.columns.update(dict.fromkeys(header))
    width = len(header)
    records = csv_records(lines, delimiter=delimiter, width=width, line=first, strict=strict)
    for line, cells, fault in records:
        if fault:
            yield table.reject(line, fault, "long" if fault == TOO_LONG else "csv", most=LONGEST)
            continue
        if strict:
            cells = (cells or [""]) if width == 1 else cells if any(map(str.strip, cells)) else []
        if not cells:
            continue
        values = dict(zip(header, cells, strict=False))
        if len(cells) != width:
            reason = "too many fields" if len(cells) > width else f"missing column: {header[len(cells)]}"
            yield table.reject(line, reason, "fields", values, found=len(cells), wanted=width)
            continue
        if strict and any("\0" in cell for cell in cells):
            raise TableError("nulls", path)
        yield InputRow(line, values)


def _json_rows(table: InputTable, file: TextIO) -> Iterator[InputRow]:
    """Rows of JSON lines, or of one list of objects."""
    lines = ((line, text) for line, text in enumerate(file, start=1) if text.strip())
    first = next(lines, None)
    if first is None:
        return
    whole = _JSON_LIST.match(first[1])
    items = _list_items(first[0], first[1] + file.read()) if whole else _line_items(chain([first], lines))
    for line, values in items:
        if values is _BROKEN:
            fault = "broken JSON"
        elif not isinstance(values, dict):
            fault = f"{'item' if whole else 'line'} is not a JSON object"
        else:
            fault = "JSON nested too deeply" if _deep(values) else ""
        if fault:
            yield table.reject(line, fault, "json", fault=fault)
            continue
        table.columns.update(dict.fromkeys(values))
        yield InputRow(line, values)


def _line_items(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    for line, text in lines:
        try:
            yield line, json.loads(text)
        except (ValueError, RecursionError):
            yield line, _BROKEN


def _list_items(line: int, text: str) -> Iterator[tuple[int, Any]]:
    """The items of a JSON list with the line that each starts on; what follows the first broken one is one broken item."""
    decoder = json.JSONDecoder()

    def past_blanks(start: int) -> int:
        """The next character that is not blank, with the line that it is on."""
        nonlocal line
        blanks = _BLANKS.match(text, start)
        assert blanks
        line += text.count("\n", start, blanks.end())
        return blanks.end()

    at = past_blanks(text.index("[") + 1)
    while not text.startswith("]", at):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield line, _BROKEN
            return
        yield line, value
        line += text.count("\n", at, end)
        at = past_blanks(end)
        if text.startswith(",", at):
            at = past_blanks(at + 1)
        elif not text.startswith("]", at):
            yield line, _BROKEN
            return
    if text[at + 1 :].strip():
        yield line, _BROKEN


def _deep(value: Any, levels: int = DEEPEST) -> bool:
    """Whether lists and objects are nested in each other beyond reason."""
    items = value.values() if isinstance(value, dict) else value
    return not levels or any(_deep(item, levels - 1) for item in items if isinstance(item, dict | list))


def _parquet_rows(table: InputTable, path: Path) -> Iterator[InputRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            yield from _arrow_rows(table, file.schema_arrow.names, file.iter_batches(ROWS_A_BATCH))
    except pa.ArrowInvalid as error:
        raise TableError("parquet", path) from error
    except UnicodeDecodeError as error:
        raise TableError("encoding", path) from error


def _arrow_rows(
    table: InputTable,
    columns: Sequence[str],
    batches: Iterable[Any],
    classes: Mapping[str, Mapping[int, str]] = {},
) -> Iterator[InputRow]:
    """Rows of Arrow batches, with the names of a ClassLabel instead of its numbers."""
    table.columns.update(dict.fromkeys(columns))
    numbers = count(1)
    for batch in batches:
        by_column = [
            list(map(classes[name].get, _arrow_cells(column))) if name in classes else _arrow_cells(column)
            for name, column in zip(columns, batch.columns, strict=True)
        ]
        for cells in zip(*by_column, strict=True):
            yield InputRow(next(numbers), dict(zip(columns, cells, strict=True)))


def _arrow_cells(column: Any) -> list[Any]:
    """The cells of an array as Python values; a time that Python has none for is the name of its type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):  # several times as fast as `to_pylist`
        return list(column.to_numpy(zero_copy_only=False).tolist())
    faults = (ValueError, OverflowError, LookupError, pa.ArrowException)
    try:
        if pa.types.is_timestamp(kind) and kind.unit == "ns":  # whose values need pandas
            column = pc.cast(column, pa.timestamp("us", kind.tz), safe=False)
        return list(column.to_pylist())
    except faults:
        if not pa.types.is_temporal(kind):
            raise

    def time(cell: Any) -> Any:
        try:
            return cell.as_py()
        except faults:
            return f"<{cell.type}>"

    return [time(cell) for cell in column]


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
            table.rows = _arrow_rows(table, rows.column_names, batches, classes)
            tables.append(table)
    return tables
