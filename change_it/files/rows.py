"""The reader of tables (CSV, JSON and parquet files, packed or not, data sets of the Hub) and of text files; rows are streamed.

A file that is not what its name says is refused with the line at fault; what a row holds is its reader's to judge.
"""

import codecs
import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from io import BufferedReader, TextIOWrapper
from itertools import chain, count, dropwhile
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import unquote

from change_it.errors import InputError
from change_it.files.model_folders import hub_fault
from change_it.files.texts import cell_text, is_missing, length_fault, listed

KINDS = {".csv": "CSV", ".tsv": "CSV", ".jsonl": "JSON", ".ndjson": "JSON", ".json": "JSON", ".parquet": "parquet"}  # fmt: skip
#: Endings of packed files.
PACKED = (".gz", ".bz2", ".zst")
HUB, PAGES = "hf://", "https://huggingface.co/"
#: Characters of a line or a cell, and of a text that is read whole, at most.
LONGEST_LINE, LARGEST = 10_000_000, 500_000_000
#: Rows that are decoded at once: a few bytes of parquet can be a long text in each.
ROWS_A_BATCH = 100
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}
#: What our columns are called elsewhere.
ELSEWHERE = {
    "headline": ("title", "titolo", "name", "head"),
    "article": ("body", "text", "content", "maintext", "testo", "articolo"),
    "label": ("paper", "outlet", "source", "publication", "newspaper", "publisher", "site", "testata"),
}

#: Our columns with the names that each may have in a file.
Names = Mapping[str, Sequence[str]]
#: Columns, the same where they have no other name than their own.
Columns = Sequence[str] | Names
Rows = Iterator[tuple[int, dict[str, Any]]]

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Bytes that are no UTF-8, as `surrogateescape` reads them.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Record(NamedTuple):
    """One row of a table."""

    line: int  # of the file, from 1; in JSON lists, parquet and data sets the number of the row
    cells: dict[str, Any]  # by our names, of the columns that are there; texts from `read_records`
    values: Mapping[str, Any]  # every cell as it is in the file, by the file's names


@dataclass(slots=True)
class InputTable:
    """A file, or one split of a data set."""

    name: str  # the file as given, or `hf://owner/name/config/split`
    stem: str  # start of the ids made for its rows, different for every table of one reading
    outlet: str | None = None  # of rows without one, by the name of a folder, file or config
    label: str = ""  # outlet of all its rows, where the input names one: OUTLET=FILE
    columns: dict[str, None] = field(default_factory=dict)  # in order, as far as rows were read
    rows: Iterator[Record] = field(default_factory=lambda: iter(()))  # to be read once


def read_tables(files: Sequence[str], names: Names | None = None) -> list[InputTable]:
    """Find files and data sets, in the order given and each once; nothing is read before `rows` is used.

    `files` are CSV, TSV, JSON or parquet files, packed ones too, globs of them, or data set ids
    `hf://datasets/owner/name[/config]`, each perhaps as `OUTLET=FILE`. `names` are those that `cells` have.
    """
    if not files:
        raise InputError("no input: name files, a glob, or a data set as hf://datasets/owner/name")
    tables: dict[str, InputTable] = {}
    for spec in files:
        label, name = outlet_and_file(spec)
        for key, table in _tables(name, names or {}):
            table.label = label
            if tables.setdefault(key, table).label != label:
                raise InputError(f"{table.name} is of two outlets: give it once, as OUTLET=FILE")
    _tell_stems_apart(tables)
    return list(tables.values())


def _tell_stems_apart(tables: Mapping[str, InputTable]) -> None:
    """Put as many names of folders before equal stems as tell them apart, whatever the order of the files.

    Ids are made from stems. `tables` are by their whole paths.
    """
    by_stem: dict[str, list[str]] = {}
    for path, table in tables.items():
        by_stem.setdefault(table.stem, []).append(path)
    taken = {stem for stem, paths in by_stem.items() if len(paths) == 1}
    for stem, paths in by_stem.items():
        if len(paths) == 1:
            continue
        parts = [re.split(r"[/\\]+", path.removeprefix(HUB)) for path in paths]
        folders = [several[:-1] for several in parts]
        if len({*map(tuple, folders)}) < len(paths):  # some differ by their endings alone
            folders, stem = parts, ""
        for depth in range(1, max(map(len, folders)) + 1):
            stems = ["-".join([*names[-depth:], *([stem] if stem else [])]) for names in folders]
            if len({*stems}) == len(stems) and taken.isdisjoint(stems):
                break
        taken.update(stems)
        for path, new in zip(paths, stems, strict=True):
            tables[path].stem = new


def outlet_and_file(spec: str) -> tuple[str, str]:
    """The outlet and the file of `OUTLET=FILE`; no outlet where a file is named alone, even one with an equals sign in its path."""
    spec = spec.replace(PAGES, HUB)
    outlet, _, file = spec.partition("=")
    alone = not outlet.strip() or not file or re.search(r"[/\\*?]", outlet) or Path(spec).exists()
    return ("", spec) if alone else (outlet.strip(), file)


def read_records(
    file: Path, *, required: Columns, optional: Columns = (), columns: str | None = None
) -> list[Record]:
    """Read a small table whole, its cells as text.

    `columns` is a map `ours=theirs`, None where the command has no such option. A file of no known ending is CSV. Optional columns
    that the file lacks are not in `cells`, rows without any text are left out, and control characters in cells are spaces.
    """
    defaults = {
        ours: tuple(several[ours]) if isinstance(several, Mapping) else (ours,)
        for several in (required, optional)
        for ours in several
    }
    names = parse_columns(columns or "", defaults)
    tables = [table for _, table in _tables(str(file), names)]
    rows = list(chain.from_iterable(table.rows for table in tables))
    columns_seen = dict.fromkeys(chain.from_iterable(table.columns for table in tables))
    if columns_seen:
        advice = None if columns is None else ""
        check_columns(str(file), columns_seen, names, defaults, needs=required, advice=advice)
    present = dict.fromkeys(ours for row in rows for ours in row.cells)
    records = []
    for row in rows:
        try:
            texts = {ours: cell_text(row.cells.get(ours), ours) for ours in present}
            if fault := length_fault("headline", max(texts.get("headline", "").split("\n"), key=len)):
                raise InputError(fault)
        except InputError as error:
            raise InputError(f"{file}, line {row.line}: {error}") from error
        cells = {ours: _CONTROL.sub(" ", text).strip() for ours, text in texts.items()}
        others = (str(value).strip() for value in row.values.values() if not is_missing(value))
        if len(columns_seen) == 1 or any(cells.values()) or any(others):
            records.append(row._replace(cells=cells))
    if not records:
        raise InputError(f"{file} has no rows: give a header and at least one row below it")
    return records


def parse_columns(spec: str, defaults: Names) -> dict[str, tuple[str, ...]]:
    """Our columns and the names to look for, from a map `ours=theirs,…`; nothing after `=` leaves a column out.

    A comma that no column of ours follows belongs to the name before it.
    """
    mapped: dict[str, tuple[str, ...]] = {}
    next_column = rf",(?=\s*(?:{'|'.join(map(re.escape, defaults))})\s*=)"
    for part in filter(None, (part.strip(" ,") for part in re.split(next_column, spec))):
        ours, equals, theirs = map(str.strip, part.partition("="))
        if ours not in defaults or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(defaults)}")
        mapped[ours] = (*mapped.get(ours, ()), *([theirs] if theirs else []))
    return {ours: tuple(several) for ours, several in defaults.items()} | mapped


def check_columns(
    file: str,
    seen: Iterable[str],
    names: Names,
    defaults: Names,
    needs: Iterable[str],
    advice: str | None = "",
) -> None:
    """Refuse a table with the columns `seen` that lacks some that are read (`needs`) or chosen; `advice` is None without `--columns`."""
    seen = list(seen)
    chosen = {ours for ours in names if names[ours] and tuple(names[ours]) != tuple(defaults[ours])}
    if lacking := [ours for ours in names if ours in chosen.union(needs) - _places(seen, names).keys()]:
        columns = " and no column ".join(" or ".join(names[ours]) or ours for ours in lacking)
        likely = _places(seen, {ours: ELSEWHERE.get(ours, ()) for ours in lacking}) or {lacking[0]: "yours"}
        examples = ",".join(f"{ours}={name}" for ours, name in likely.items())
        mend = "rename yours" if advice is None else f"name yours as in --columns {examples}{advice}"
        inside = (name for ours in lacking for name in names[ours] if name.partition(".")[0] in seen)
        if field_of_record := next(inside, ""):
            record = field_of_record.partition(".")[0]
            mend = f"fields of {record} are no columns; make them so with pandas.json_normalize"
        raise InputError(f"{file} has no column {columns} (its columns are {listed(seen, 20)}): {mend}")


def kind_of(path: Path) -> str | None:
    """CSV, JSON or parquet by the ending of a file, of what is packed in it; None of any other."""
    return KINDS.get(Path(_unpacked_name(path)).suffix.lower())


def cell_named(values: Mapping[str, Any], name: str) -> Any:
    """The cell of a column of a row, in any capitals; None where there is none."""
    return values.get(_places(tuple(values), {name: (name,)}).get(name, ""))


def read_input(file: Path) -> str:
    """A text file as `read_text` reads it, or standard input for `-`."""
    return _rest(sys.stdin, file) if str(file) == "-" else read_text(file)


def read_text(file: Path) -> str:
    """A text file, without a byte order mark."""
    check_file(file)
    with _open_text(file) as text:
        return _rest(text, file)


def check_file(file: Path) -> None:
    """Refuse a file that is not there."""
    if not file.exists():
        raise InputError(f"{file} does not exist: check the path")


def _places(columns: Sequence[str], names: Names) -> dict[str, str]:
    """The column of a file that is ours, as it is written there; capitals make no difference."""
    by_name = {name.lower(): name for name in reversed(columns)} | {name: name for name in columns}
    places: dict[str, str] = {}
    for ours, alternatives in names.items():
        for name in alternatives:
            if column := by_name.get(name) or by_name.get(name.lower()):
                places.setdefault(ours, column)
    return places


def _records(table: InputTable, rows: Rows, names: Names) -> Iterator[Record]:
    places_by_columns: dict[tuple[str, ...], dict[str, str]] = {}
    for line, values in rows:
        columns = tuple(values)
        if columns not in places_by_columns:
            table.columns.update(dict.fromkeys(columns))
            places_by_columns[columns] = _places(columns, names)
            if names and not places_by_columns[columns]:
                _refuse_rows_inside(table.name, values, names)
        yield Record(line, {ours: values[name] for ours, name in places_by_columns[columns].items()}, values)


def _refuse_rows_inside(file: str, values: Mapping[str, Any], names: Names) -> None:
    """Refuse an object that is no row but holds all of them, as pandas and many servers write JSON."""
    if {"columns", "index", "data"} == values.keys():
        mend = 'write it with DataFrame.to_json(orient="records")'
        raise InputError(f'{file} is written by pandas with orient="split": {mend}')
    known = {ours: (*several, *ELSEWHERE.get(ours, ())) for ours, several in names.items()}
    for name, value in values.items():
        rows = value if isinstance(value, list) else []
        if rows and isinstance(rows[0], Mapping) and _places(tuple(rows[0]), known):
            mend = f"write that list alone, as jq .{name} does"
            raise InputError(f"{file} holds its rows in the field {name}: {mend}")


def _tables(name: str, names: Names) -> Iterator[tuple[str, InputTable]]:
    """The tables of a file, a glob or a data set, each with its real path; a file of no known ending is CSV."""
    if name.startswith(HUB):
        for whole, split, data in _data_sets(name):
            config = Path(whole).name
            table = InputTable(f"{whole}/{split}", f"{config}-{split}", _outlet(config))
            batches = data.with_format("arrow").iter(ROWS_A_BATCH)  # pictures stay as they are
            rows = _arrow_rows(
                table, lambda data=data, batches=batches: (data.features.arrow_schema, batches)
            )
            table.rows = _records(table, rows, names)
            yield table.name, table
        return
    files = [] if Path(name).exists() else sorted(glob(name, recursive=True))
    for path in map(Path, files or [name]):
        check_file(path)
        if path.is_dir():
            mend = f"name its files, as in '{_files_in(path)}', and write one of save_to_disk with to_parquet"
            raise InputError(f"{path} is a folder: {mend}")
        kind, stem = kind_of(path) or "CSV", Path(_unpacked_name(path)).stem
        outlet = (
            _partition(path, names.get("label", ())) or _outlet(stem) or _outlet(path.resolve().parent.name)
        )
        table = InputTable(str(path), stem, outlet)
        rows = _parquet_rows(table, path) if kind == "parquet" else _text_rows(table, path, kind)
        table.rows = _records(table, rows, names)
        yield str(path.resolve()), table


def _files_in(folder: Path) -> str:
    """Return a glob of the files of a folder, or of the folders in it, with the ending of the first."""
    files = sorted(path for path in folder.rglob("*") if kind_of(path))
    ending, depth = (
        ("csv", 1)
        if not files
        else (files[0].name.partition(".")[2], len(files[0].relative_to(folder).parts))
    )
    return f"{folder}/{'*/' * (depth - 1)}*.{ending}"


def _partition(path: Path, columns: Sequence[str]) -> str | None:
    """Return the outlet that a folder of the path names as Hive does, `label=colle`."""
    for folder in path.resolve().parent.parts:
        column, equals, value = folder.partition("=")
        if equals and column.lower() in map(str.lower, columns):
            return unquote(value) or None
    return None


def _unpacked_name(path: Path) -> str:
    return path.stem if path.suffix.lower() in PACKED else path.name


def _outlet(name: str) -> str | None:
    labels = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return labels.pop() if len(labels) == 1 else None


@contextmanager
def _open_text(path: Path) -> Iterator[TextIOWrapper]:
    """A file as text, UTF-8 or UTF-16 by its mark, unpacked by its ending, line ends as they are."""
    packed = path.suffix.lower() in PACKED
    try:
        with _open_packed(path) if packed else path.open("rb") as raw:
            first_block = raw.peek(512)[:512]
            start, is_utf16 = first_block[:4], first_block.startswith(_UTF16)
            if first_block[257:262] == b"ustar":
                raise InputError(
                    f"{path} is a tar archive: unpack it with tar -xf {path}, and give the files in it"
                )
            if start.startswith((b"PK\3\4", b"\x1f\x8b")) or (b"\0" in start and not is_utf16):
                raise InputError(f"{path} is no text but a spreadsheet, an archive or UTF-16 without a mark: save it as CSV in UTF-8")  # fmt: skip
            encoding, errors = ("utf-16", "strict") if is_utf16 else ("utf-8-sig", "surrogateescape")
            with TextIOWrapper(raw, encoding, errors, newline="") as text:
                yield text
    except UnicodeError as error:
        raise InputError(f"{path} is no whole text in UTF-16: save it as UTF-8") from error
    except (OSError, EOFError) as error:
        if not packed or getattr(error, "errno", None):
            raise
        raise InputError(
            f"{path} cannot be unpacked ({error}): pack it again, or give it unpacked"
        ) from error


def _open_packed(path: Path) -> BufferedReader:
    import pyarrow as pa  # a plain file is refused without it

    return BufferedReader(pa.input_stream(str(path)))


def _rest(text: TextIO, file: Path, line: int = 1) -> str:
    """The rest of an open text; one that is too long is refused."""
    if len(rest := text.read(LARGEST + 1)) > LARGEST:
        raise InputError(f"{file} has more than {LARGEST:,} characters: give it in parts")
    return _refuse_bytes(rest, file, line)


def _lines(text: TextIO, file: Path) -> Iterator[tuple[int, str]]:
    """The lines of an open text with their numbers; one that is too long is refused, or cut where it begins a list of JSON."""
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE and not (number == 1 and line.lstrip().startswith("[")):
            raise InputError(f"{file}, line {number} has more than {LONGEST_LINE:,} characters: break it")
        if not line:
            return
        yield number, _refuse_bytes(line, file, number)


def _refuse_bytes(text: str, file: Path, line: int) -> str:
    """The text, refused with the line where it has bytes that are not UTF-8."""
    if wrong := _NOT_UTF8.search(text):
        before = text[: wrong.start()]
        byte = f"the byte 0x{ord(wrong[0]) - 0xDC00:02x} after {before[-20:]!r} is not UTF-8"
        mend = "save it as UTF-8, for example with iconv -f CP1252 -t UTF-8"
        raise InputError(f"{file}, line {line + before.count(chr(10))}: {byte}: {mend}")
    return text


def _text_rows(table: InputTable, path: Path, kind: str) -> Rows:
    """Rows of CSV, by the delimiter that its header has most often, or of JSON."""
    with _open_text(path) as file:
        lines = dropwhile(lambda line: not line[1].strip(), _lines(file, path))
        first = next(lines, None)
        if kind == "JSON" and first:
            yield from _json_rows(path, file, first, (line for line in lines if line[1].strip()))
        elif first:
            if named := re.fullmatch(r'"?sep=(.)"?\s*', first[1]):
                first = next((line for line in lines if line[1].strip()), first)
            delimiter = named[1] if named else max(",;\t|", key=first[1].count)
            yield from _csv_rows(table, path, chain([first], lines), first[0], delimiter)


def _csv_rows(
    table: InputTable, path: Path, lines: Iterable[tuple[int, str]], first: int, delimiter: str
) -> Rows:
    """Rows of CSV below its header in the line `first`; an empty line is none, but of a single column an empty cell."""
    csv.field_size_limit(LONGEST_LINE)
    reader, line = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True), first
    quote = "put texts with commas or line breaks in quotes, and double the quotes inside"
    try:
        header = [name.strip() for name in next(reader)]
        if repeated := [name for name, number in Counter(filter(None, header)).items() if number > 1]:
            raise InputError(f"{path} has more than one column {', '.join(repeated)}: keep one of them")
        table.columns.update(dict.fromkeys(header))
        line = first + reader.line_num  # where the next row begins
        for cells in reader:
            if cells or len(header) == 1:
                cells = cells or [""]
                if len(cells) != len(header):
                    counts = f"{len(cells)} cells and {len(header)} columns"
                    mend = quote if len(cells) > len(header) else f"write empty cells, too, or {quote}"
                    raise InputError(f"{path}, line {line}: {counts}; {mend}")
                yield line, dict(zip(header, cells, strict=True))
            line = first + reader.line_num
    except csv.Error as error:
        fault = f"{path}, line {line}: a quote is never closed or not doubled ({error})"
        raise InputError(f"{fault}; {quote}") from error


def _json_rows(path: Path, file: TextIO, first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Rows:
    """Rows of JSON: an object a line, or one list of objects."""
    line, text = first
    rows: Iterable[tuple[int, Any]]
    if text.lstrip().startswith("[") or text.strip() == "{":
        whole = _parsed(path, line, text + _rest(file, path, line + text.count("\n")))
        rows = enumerate(whole if isinstance(whole, list) else [whole], start=1)
    else:
        rows = ((number, _parsed(path, number, text)) for number, text in chain([first], lines))
    for number, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: this is no JSON object; write one a line")
        yield number, row


def _parsed(path: Path, line: int, text: str) -> Any:
    try:
        return json.loads(text.rstrip())
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, nested too deeply
        line, fault = line + getattr(error, "lineno", 1) - 1, getattr(error, "msg", error)
        raise InputError(f"{path}, line {line}: broken JSON ({fault}); write an object a line") from error


def _parquet_rows(table: InputTable, path: Path) -> Rows:
    import pyarrow.parquet as pq

    def opened() -> tuple[Any, Iterable[Any]]:
        file = pq.ParquetFile(path)
        return file.schema_arrow, file.iter_batches(ROWS_A_BATCH)

    return _arrow_rows(table, opened)


def _arrow_rows(table: InputTable, opened: Any) -> Rows:
    """Rows of Arrow, with the names of a ClassLabel of `datasets` instead of its numbers; what cannot be read is refused."""
    import pyarrow as pa

    try:
        schema, batches = opened()
        table.columns.update(dict.fromkeys(schema.names))
        described = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        classes = {
            column: dict(enumerate(feature["names"]))
            for column, feature in (described.get("info", {}).get("features") or {}).items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and column in schema.names
        }
        for number, row in enumerate((row for batch in batches for row in batch.to_pylist()), start=1):
            yield number, row | {name: names.get(row[name]) for name, names in classes.items()}
    except (pa.ArrowException, OverflowError, RecursionError, ValueError, LookupError, TypeError, AttributeError) as error:  # fmt: skip
        raise InputError(f"{table.name} cannot be read ({error}): export it again, dates as text") from error


def _data_sets(name: str) -> Iterator[tuple[str, str, Any]]:
    """The splits of a data set of the Hub with its name and theirs: of the config that the id names, of CHANGE-IT's two, else of the only one."""
    from datasets import get_dataset_config_names, load_dataset

    parts = name.removeprefix(HUB).removeprefix("datasets/").strip("/").split("/")
    repository = "/".join(parts[:2])
    try:
        configs = parts[2:3] or get_dataset_config_names(repository)
        configs = list(filter(_outlet, configs)) if len(configs) > 1 else configs
        if not configs:
            raise ValueError(f"it has several configs, name one as in hf://datasets/{repository}/config")
        for config in configs:
            for split, rows in load_dataset(repository, config).items():
                yield f"{HUB}{repository}/{config}", split, rows
    except OSError as error:
        raise InputError(hub_fault(name, error)) from error
    except (ValueError, RuntimeError, LookupError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} does not load: {reason or type(error).__name__}") from error
