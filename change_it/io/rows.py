"""Rows of CSV, JSON and parquet files, and of Arrow batches, one after the other."""

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any, TextIO

from change_it.errors import InputError
from change_it.io.csv_rows import LONGEST, TOO_LONG, csv_records, read_lines
from change_it.io.faults import TableError, file_errors

SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".parquet": "parquet",
}
ROWS_A_BATCH = 5_000
DEEPEST = 20
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


def file_rows(table: InputTable, kind: str, encoding: str) -> Iterator[InputRow]:
    """Rows of a file; parquet has an encoding of its own."""
    path = Path(table.name)
    with file_errors(f"cannot read {path}"):
        if kind == "parquet":
            yield from _parquet_rows(table, path)
            return
        check_packed(path)
        try:
            with path.open(encoding=encoding, newline="" if kind == "CSV" else "\n") as file:
                yield from _csv_rows(table, file) if kind == "CSV" else _json_rows(table, file)
        except UnicodeError as error:
            if table.wanted is not None:
                raise TableError("encoding", path) from error
            raise InputError(
                f"{path} is not {encoding.removesuffix('-sig')} text: give its encoding, for example --encoding cp1252"
            ) from error


def check_packed(path: Path) -> None:
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
            yield from arrow_rows(table, file.schema_arrow.names, file.iter_batches(ROWS_A_BATCH))
    except pa.ArrowInvalid as error:
        raise TableError("parquet", path) from error
    except UnicodeDecodeError as error:
        raise TableError("encoding", path) from error


def arrow_rows(
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
