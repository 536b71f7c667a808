"""Read tables row by row, and text files.

Tables are CSV, JSON and parquet files, packed or not, and data sets of the Hub. A file that is not what its
name says is refused with the line at fault. What a row holds is for its reader to judge.
"""

import codecs
import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from io import BufferedReader, TextIOWrapper
from itertools import chain, count, dropwhile, filterfalse
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import unquote

from change_it.errors import InputError
from change_it.files.model_folders import hub_fault
from change_it.files.texts import cell_text, is_missing, join_truncated, length_fault

#: Kinds of files by their endings.
KINDS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".parquet": "parquet",
}
#: Endings of packed files.
PACKED = (".gz", ".bz2", ".zst")
#: How the name of a data set of the Hub begins.
HUB = "hf://"
#: How the address of its page begins, which is taken for its name.
HUB_PAGES = "https://huggingface.co/"
#: Characters of a line or a cell, at most.
LONGEST_LINE = 10_000_000
#: Characters of a text that is read whole, at most.
LARGEST_TEXT = 500_000_000
#: Rows that are decoded at once: a few bytes of parquet can be a long text in each.
ROWS_A_BATCH = 100
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}
#: Names that our columns often have elsewhere.
ELSEWHERE = {
    "headline": ("title", "titolo", "name", "head"),
    "article": ("body", "text", "content", "maintext", "testo", "articolo"),
    "label": ("paper", "outlet", "source", "publication", "newspaper", "publisher", "site", "testata"),
}

#: Our columns with the names that each may have in a file.
Names = Mapping[str, Sequence[str]]
#: Our columns with such names, or a list of columns that have no other name than their own.
Columns = Sequence[str] | Names
#: The line of each row (the number of the row in JSON lists and parquet), and its cells by the file's names.
Rows = Iterator[tuple[int, dict[str, Any]]]

#: The marks at the beginning of a text in UTF-16.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Bytes that are no UTF-8, as `surrogateescape` reads them.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
#: Control characters, which are no text.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Record(NamedTuple):
    """One row of a table.

    Attributes:
        line: its line in the file, from 1; in JSON lists, parquet and data sets the number of the row.
        cells: its cells by our names, of the columns that are there; `read_records` makes them texts.
        values: every cell as it is in the file, by the file's names.
    """

    line: int
    cells: dict[str, Any]
    values: Mapping[str, Any]


@dataclass(slots=True)
class InputTable:
    """A file, or one split of a data set.

    Attributes:
        name: the file as given, or `hf://owner/name/config/split`.
        stem: how the ids begin that are made for its rows; different for every table of one reading.
        outlet: the outlet of rows without one, by the name of a folder, file or config.
        label: the outlet of all its rows, where the input names one: OUTLET=FILE.
        columns: its columns in their order, as far as rows were read.
        rows: its rows, which can be read once.
    """

    name: str
    stem: str
    outlet: str | None = None
    label: str = ""
    columns: dict[str, None] = field(default_factory=dict)
    rows: Iterator[Record] = field(default_factory=lambda: iter(()))


def read_tables(files: Sequence[str], names: Names | None = None) -> list[InputTable]:
    """Find files and data sets, in the order given and each once; nothing is read before `rows` is used.

    Args:
        files: CSV, TSV, JSON or parquet files, packed ones too, globs of them, or data set ids
            `hf://datasets/owner/name[/config]`, each perhaps as `OUTLET=FILE`.
        names: our columns, by which rows have their cells, with the names that each may have in a file.

    Raises:
        InputError: no file is given, one does not exist, or one is given for two outlets.
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

    The ids of rows without one are made from stems, and must differ.

    Args:
        tables: the tables by their whole paths.
    """
    by_stem: dict[str, list[str]] = {}
    for path, table in tables.items():
        by_stem.setdefault(table.stem, []).append(path)
    taken = {stem for stem, paths in by_stem.items() if len(paths) == 1}
    for stem, paths in by_stem.items():
        if len(paths) == 1:
            continue
        stems = _longer_stems(stem, paths, taken)
        taken.update(stems)
        for path, new in zip(paths, stems, strict=True):
            tables[path].stem = new


def _longer_stems(stem: str, paths: Sequence[str], taken: set[str]) -> list[str]:
    """Return stems that tell files of the same stem apart, with the fewest names of folders.

    Args:
        stem: the stem that all files have.
        paths: the whole paths of the files.
        taken: stems of other files, none of which is returned.
    """
    parts = [re.split(r"[/\\]+", path.removeprefix(HUB)) for path in paths]
    names_of_files = [[*names[:-1], stem] for names in parts]
    least_depth = 2
    if len({tuple(names) for names in names_of_files}) < len(paths):
        # Some lie in one folder and differ by what follows their stems: their whole names tell them apart.
        names_of_files = parts
        least_depth = 1
    most_names = max(len(names) for names in names_of_files)
    for depth in range(least_depth, most_names + 1):
        stems = ["-".join(names[-depth:]) for names in names_of_files]
        if len(set(stems)) == len(stems) and taken.isdisjoint(stems):
            break
    return stems


def outlet_and_file(spec: str) -> tuple[str, str]:
    """Return the outlet and the file of `OUTLET=FILE`.

    The outlet is empty where a file is named alone, even one with an equals sign in its path.
    """
    spec = spec.replace(HUB_PAGES, HUB)
    outlet, _, file = spec.partition("=")
    names_both = bool(outlet.strip()) and bool(file)
    is_path = re.search(r"[/\\*?]", outlet) is not None
    if not names_both or is_path or Path(spec).exists():
        return "", spec
    return outlet.strip(), file


def read_records(
    file: Path, *, required: Columns, optional: Columns = (), columns: str | None = None
) -> list[Record]:
    """Read a small table whole, its cells as text.

    A file of no known ending is CSV. Rows without any text are left out, and control characters in cells are
    spaces.

    Args:
        file: the table.
        required: columns that it must have.
        optional: columns that it may have; those that it lacks are not in `cells`.
        columns: a map `ours=theirs`, None where the command has no such option.

    Raises:
        InputError: the file cannot be read, lacks a column or has no rows, or a headline is too long.
    """
    defaults = {**_with_names(required), **_with_names(optional)}
    names = parse_columns(columns or "", defaults)
    tables = [table for _, table in _tables(str(file), names)]
    rows: list[Record] = []
    columns_seen: dict[str, None] = {}
    for table in tables:
        rows += table.rows
        columns_seen.update(table.columns)
    if columns_seen:
        advice = None if columns is None else ""
        check_columns(str(file), columns_seen, names, defaults, needs=required, advice=advice)
    present: dict[str, None] = {}
    for row in rows:
        present.update(dict.fromkeys(row.cells))
    records = []
    for row in rows:
        try:
            cells = _texts_of_cells(row, present)
        except InputError as error:
            raise InputError(f"{file}, line {row.line}: {error}") from error
        has_text = any(cells.values()) or _has_text(row.values.values())
        # in a table of a single column a blank line is an empty cell
        if has_text or len(columns_seen) == 1:
            records.append(row._replace(cells=cells))
    if not records:
        raise InputError(f"{file} has no rows: give a header and at least one row below it")
    return records


def _with_names(columns: Columns) -> dict[str, tuple[str, ...]]:
    """Return columns with the names that each may have in a file."""
    if isinstance(columns, Mapping):
        return {ours: tuple(several) for ours, several in columns.items()}
    return {ours: (ours,) for ours in columns}


def _texts_of_cells(row: Record, columns: Iterable[str]) -> dict[str, str]:
    """Return the cells of a row as text, empty where it lacks a column.

    Raises:
        InputError: a cell is no text, or a headline is too long.
    """
    texts = {ours: cell_text(row.cells.get(ours), ours) for ours in columns}
    # a cell with a list of headlines has one in each line
    headline_lines = texts.get("headline", "").split("\n")
    fault = length_fault("headline", max(headline_lines, key=len))
    if fault:
        raise InputError(fault)
    return {ours: _CONTROL.sub(" ", text).strip() for ours, text in texts.items()}


def _has_text(values: Iterable[Any]) -> bool:
    """Tell whether any cell of a row is more than blanks."""
    return any(str(value).strip() for value in values if not is_missing(value))


def parse_columns(spec: str, defaults: Names) -> dict[str, tuple[str, ...]]:
    """Return our columns and the names to look for, from a map `ours=theirs,…`.

    Nothing after `=` leaves a column out. A comma that no column of ours follows belongs to the name before
    it. A column that is mapped twice may have either name.

    Args:
        spec: the map, as it is given to `--columns`.
        defaults: our columns, and the names of those that are not mapped.

    Raises:
        InputError: a part of the map is not `ours=theirs`.
    """
    mapped: dict[str, list[str]] = {}
    any_column = "|".join(re.escape(ours) for ours in defaults)
    for untrimmed in re.split(rf",(?=\s*(?:{any_column})\s*=)", spec):
        part = untrimmed.strip(" ,")
        if not part:
            continue
        ours, equals, theirs = part.partition("=")
        ours = ours.strip()
        theirs = theirs.strip()
        if ours not in defaults or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(defaults)}")
        names = mapped.setdefault(ours, [])
        if theirs:
            names.append(theirs)
    return {ours: tuple(mapped.get(ours, several)) for ours, several in defaults.items()}


def check_columns(
    file: str,
    seen: Iterable[str],
    names: Names,
    defaults: Names,
    needs: Iterable[str],
    advice: str | None = "",
) -> None:
    """Refuse a table that lacks a column which is needed or chosen.

    Args:
        file: the table's name.
        seen: the columns that it has.
        names: our columns with the names that were looked for.
        defaults: our columns with the names without `--columns`; a column whose names differ was chosen.
        needs: our columns that must be there.
        advice: what follows the advice to give `--columns`; None where the command has no such option.

    Raises:
        InputError: a column is lacking; the message says what to do.
    """
    seen = list(seen)
    wanted = set(needs)
    for ours, alternatives in names.items():
        is_chosen = tuple(alternatives) != tuple(defaults[ours])
        if alternatives and is_chosen:
            wanted.add(ours)
    found = _found_columns(seen, names)
    lacking = [ours for ours in names if ours in wanted and ours not in found]
    if not lacking:
        return
    names_of_lacking: list[str] = []
    for ours in lacking:
        names_of_lacking += names[ours]
    record = _record_with_field(seen, names_of_lacking)
    if record:
        mend = f"fields of {record} are no columns; make them so with pandas.json_normalize"
    elif advice is None:
        mend = "rename yours"
    else:
        likely = _found_columns(seen, {ours: ELSEWHERE.get(ours, ()) for ours in lacking})
        likely = likely or {lacking[0]: "yours"}
        examples = ",".join(f"{ours}={name}" for ours, name in likely.items())
        mend = f"name yours as in --columns {examples}{advice}"
    wanted_names = [" or ".join(names[ours]) or ours for ours in lacking]
    columns = " and no column ".join(wanted_names)
    raise InputError(f"{file} has no column {columns} (its columns are {join_truncated(seen, 20)}): {mend}")


def _record_with_field(columns: Sequence[str], names: Iterable[str]) -> str:
    """Return the column that holds records, where a name such as `meta.title` means a field of them."""
    for name in names:
        record = name.partition(".")[0]
        if record in columns:
            return record
    return ""


def kind_of(path: Path) -> str | None:
    """Return CSV, JSON or parquet by the ending of a file, or of what is packed in it; None for others."""
    return KINDS.get(Path(_unpacked_name(path)).suffix.lower())


def cell_named(values: Mapping[str, Any], name: str) -> Any:
    """Return the cell of a column of a row, in any capitals; None where there is none."""
    found = _found_columns(tuple(values), {name: (name,)})
    if name not in found:
        return None
    return values[found[name]]


def read_input(file: Path) -> str:
    """Read a text file as `read_text` does, or standard input for `-`."""
    if str(file) == "-":
        return _rest(sys.stdin, file)
    return read_text(file)


def read_text(file: Path) -> str:
    """Read a text file, without a byte order mark."""
    check_file(file)
    with _open_text(file) as text:
        return _rest(text, file)


def check_file(file: Path) -> None:
    """Refuse a file that is not there."""
    if not file.exists():
        raise InputError(f"{file} does not exist: check the path")


def _found_columns(columns: Sequence[str], names: Names) -> dict[str, str]:
    """Return, for each of our columns that a file has, its name there; capitals make no difference.

    Where a column of ours may have several names, the first that the file has counts. Where columns of the
    file differ only by capitals, the one that is written in the same way counts, or else the first.
    """
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(column.lower(), column)
    for column in columns:
        by_name[column] = column
    found: dict[str, str] = {}
    for ours, alternatives in names.items():
        for name in alternatives:
            column = by_name.get(name) or by_name.get(name.lower()) or ""
            if column:
                found[ours] = column
                break
    return found


def _records(table: InputTable, rows: Rows, names: Names) -> Iterator[Record]:
    """Yield the rows of a table with the cells of our columns; the table learns its columns meanwhile."""
    found_by_columns: dict[tuple[str, ...], dict[str, str]] = {}
    for line, values in rows:
        columns = tuple(values)
        if columns not in found_by_columns:
            table.columns.update(dict.fromkeys(columns))
            found_by_columns[columns] = _found_columns(columns, names)
            if names and not found_by_columns[columns]:
                _refuse_rows_inside(table.name, values, names)
        cells = {ours: values[name] for ours, name in found_by_columns[columns].items()}
        yield Record(line, cells, values)


def _refuse_rows_inside(file: str, values: Mapping[str, Any], names: Names) -> None:
    """Refuse an object that is no row but holds all of them, as pandas and many servers write JSON."""
    if {"columns", "index", "data"} == values.keys():
        mend = 'write it with DataFrame.to_json(orient="records")'
        raise InputError(f'{file} is written by pandas with orient="split": {mend}')
    known = {ours: (*several, *ELSEWHERE.get(ours, ())) for ours, several in names.items()}
    for name, value in values.items():
        if not isinstance(value, list) or not value or not isinstance(value[0], Mapping):
            continue
        if _found_columns(tuple(value[0]), known):
            mend = f"write that list alone, as jq .{name} does"
            raise InputError(f"{file} holds its rows in the field {name}: {mend}")


def _tables(name: str, names: Names) -> Iterator[tuple[str, InputTable]]:
    """Yield the tables of a file, a glob or a data set, each with its real path."""
    if name.startswith(HUB):
        for data_set, split, data in _data_sets(name):
            table = _table_of_split(data_set, split, data, names)
            yield table.name, table
        return
    files: list[str] = []
    if not Path(name).exists():
        files = sorted(glob(name, recursive=True))
    for file in files or [name]:
        path = Path(file)
        check_file(path)
        if path.is_dir():
            mend = f"name its files, as in '{_files_in(path)}', and write one of save_to_disk with to_parquet"
            raise InputError(f"{path} is a folder: {mend}")
        yield str(path.resolve()), _table_of_file(path, names)


def _table_of_split(data_set: str, split: str, data: Any, names: Names) -> InputTable:
    """Return one split of a data set of the Hub as a table."""
    config = Path(data_set).name
    table = InputTable(name=f"{data_set}/{split}", stem=f"{config}-{split}", outlet=_outlet(config))

    def opened() -> tuple[Any, Iterable[Any]]:
        # As Arrow, pictures and sounds stay as they are and are not decoded.
        return data.features.arrow_schema, data.with_format("arrow").iter(ROWS_A_BATCH)

    table.rows = _records(table, _arrow_rows(table, opened), names)
    return table


def _table_of_file(path: Path, names: Names) -> InputTable:
    """Return a file as a table; a file of no known ending is read as CSV."""
    kind = kind_of(path) or "CSV"
    stem = Path(_unpacked_name(path)).stem
    folder = path.resolve().parent
    outlet = _partition(folder, names.get("label", ())) or _outlet(stem) or _outlet(folder.name)
    table = InputTable(name=str(path), stem=stem, outlet=outlet)
    is_parquet = kind == "parquet"
    rows = _parquet_rows(table, path) if is_parquet else _text_rows(table, path, kind)
    table.rows = _records(table, rows, names)
    return table


def _files_in(folder: Path) -> str:
    """Return a glob of the files of a folder, or of the folders in it, with the ending of the first."""
    files = sorted(path for path in folder.rglob("*") if kind_of(path))
    if not files:
        return f"{folder}/*.csv"
    ending = files[0].name.partition(".")[2]
    folders_above = len(files[0].relative_to(folder).parts) - 1
    return f"{folder}/{'*/' * folders_above}*.{ending}"


def _partition(folder: Path, columns: Sequence[str]) -> str | None:
    """Return the outlet that a folder, or one above it, names as Hive does, `label=colle`."""
    names = {column.lower() for column in columns}
    for part in folder.parts:
        column, equals, value = part.partition("=")
        if equals and column.lower() in names:
            return unquote(value) or None
    return None


def _unpacked_name(path: Path) -> str:
    """Return the name of a file, or of what is in it where the file is packed."""
    return path.stem if path.suffix.lower() in PACKED else path.name


def _outlet(name: str) -> str | None:
    """Return the outlet of CHANGE-IT that a name of a file, folder or config has; None for none or both."""
    labels = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    if len(labels) != 1:
        return None
    return labels.pop()


@contextmanager
def _open_text(path: Path) -> Iterator[TextIOWrapper]:
    """Open a file as text, UTF-8 or UTF-16 by its mark, unpacked by its ending, line ends as they are.

    Bytes that are no UTF-8 become surrogates, which `_refuse_bytes` finds.

    Raises:
        InputError: the file is an archive or no text, or cannot be unpacked.
    """
    is_packed = path.suffix.lower() in PACKED
    try:
        with _open_packed(path) if is_packed else path.open("rb") as raw:
            first_block = raw.peek(512)[:512]
            _refuse_archive(path, first_block)
            if first_block.startswith(_UTF16):
                text = TextIOWrapper(raw, "utf-16", "strict", newline="")
            else:
                text = TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="")
            with text:
                yield text
    except UnicodeError as error:
        raise InputError(f"{path} is no whole text in UTF-16: save it as UTF-8") from error
    except (OSError, EOFError) as error:
        is_fault_of_disk = getattr(error, "errno", None)
        if not is_packed or is_fault_of_disk:
            raise
        raise InputError(
            f"{path} cannot be unpacked ({error}): pack it again, or give it unpacked"
        ) from error


def _refuse_archive(path: Path, first_block: bytes) -> None:
    """Refuse a file that begins like a tar or zip archive, a packed file, or text that is not UTF-8."""
    # where tar writes its mark
    if first_block[257:262] == b"ustar":
        raise InputError(f"{path} is a tar archive: unpack it with tar -xf {path}, and give the files in it")
    start = first_block[:4]
    # zip (spreadsheets, too) and gzip
    is_archive = start.startswith((b"PK\3\4", b"\x1f\x8b"))
    if is_archive or (b"\0" in start and not start.startswith(_UTF16)):
        kinds = "a spreadsheet, an archive or UTF-16 without a mark"
        raise InputError(f"{path} is no text but {kinds}: save it as CSV in UTF-8")


def _open_packed(path: Path) -> BufferedReader:
    """Open a packed file, unpacked; pyarrow is loaded for it alone."""
    import pyarrow as pa

    return BufferedReader(pa.input_stream(str(path)))


def _rest(text: TextIO, file: Path, line: int = 1) -> str:
    """Return the rest of an open text.

    Args:
        text: the text, read up to the beginning of a line.
        file: its file, for messages.
        line: number of that line, for messages.

    Raises:
        InputError: the rest is too long, or has bytes that are no UTF-8.
    """
    rest = text.read(LARGEST_TEXT + 1)
    if len(rest) > LARGEST_TEXT:
        raise InputError(f"{file} has more than {LARGEST_TEXT:,} characters: give it in parts")
    return _refuse_bytes(rest, file, line)


def _lines(text: TextIO, file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of an open text with their numbers.

    A line that is too long is refused. A first one that begins a list of JSON is cut: `_json_rows` reads the
    rest.
    """
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        begins_list = number == 1 and line.lstrip().startswith("[")
        if len(line) > LONGEST_LINE and not begins_list:
            raise InputError(f"{file}, line {number} has more than {LONGEST_LINE:,} characters: break it")
        if not line:
            return
        yield number, _refuse_bytes(line, file, number)


def _refuse_bytes(text: str, file: Path, line: int) -> str:
    """Return a text that begins in a line of a file; InputError where it has bytes that are not UTF-8."""
    wrong = _NOT_UTF8.search(text)
    if wrong is None:
        return text
    before = text[: wrong.start()]
    line_at_fault = line + before.count("\n")
    # `surrogateescape` adds this number to a byte
    byte = ord(wrong[0]) - 0xDC00
    fault = f"the byte 0x{byte:02x} after {before[-20:]!r} is not UTF-8"
    mend = "save it as UTF-8, for example with iconv -f CP1252 -t UTF-8"
    raise InputError(f"{file}, line {line_at_fault}: {fault}: {mend}")


def _text_rows(table: InputTable, path: Path, kind: str) -> Rows:
    """Yield the rows of CSV or JSON, from the first line that is not empty."""
    with _open_text(path) as file:
        lines = dropwhile(_is_empty, _lines(file, path))
        first = next(lines, None)
        if first is None:
            return
        if kind == "JSON":
            yield from _json_rows(path, file, first, filterfalse(_is_empty, lines))
            return
        # Excel writes the delimiter above the header; without that it is the one that the header has most
        # often.
        named = re.fullmatch(r'"?sep=(.)"?\s*', first[1])
        if named:
            delimiter = named[1]
            first = next(filterfalse(_is_empty, lines), first)
        else:
            delimiter = max(",;\t|", key=first[1].count)
        number_of_header, _ = first
        yield from _csv_rows(table, path, chain([first], lines), number_of_header, delimiter)


def _is_empty(line: tuple[int, str]) -> bool:
    """Tell whether a line with its number is blank."""
    return not line[1].strip()


def _csv_rows(
    table: InputTable, path: Path, lines: Iterable[tuple[int, str]], first: int, delimiter: str
) -> Rows:
    """Yield the rows of CSV below its header in the line `first`.

    An empty line is no row, but in a table of a single column an empty cell.
    """
    csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
    quote = "put texts with commas or line breaks in quotes, and double the quotes inside"
    line = first
    try:
        header = [name.strip() for name in next(reader)]
        _refuse_repeated(path, header)
        table.columns.update(dict.fromkeys(header))
        # where the next row begins
        line = first + reader.line_num
        for cells in reader:
            if not cells and len(header) == 1:
                cells = [""]
            if cells and len(cells) != len(header):
                counts = f"{len(cells)} cells and {len(header)} columns"
                mend = quote
                if len(cells) < len(header):
                    mend = f"write empty cells, too, or {quote}"
                raise InputError(f"{path}, line {line}: {counts}; {mend}")
            if cells:
                yield line, dict(zip(header, cells, strict=True))
            line = first + reader.line_num
    except csv.Error as error:
        fault = f"{path}, line {line}: a quote is never closed or not doubled ({error})"
        raise InputError(f"{fault}; {quote}") from error


def _refuse_repeated(path: Path, header: Sequence[str]) -> None:
    """Refuse columns of one name; columns without a name may be several."""
    times = Counter(name for name in header if name)
    repeated = [name for name, number in times.items() if number > 1]
    if repeated:
        raise InputError(f"{path} has more than one column {', '.join(repeated)}: keep one of them")


def _json_rows(path: Path, file: TextIO, first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Rows:
    """Yield the rows of JSON: an object a line, one list of objects, or one object over several lines.

    Args:
        path: the file, for messages.
        file: the open file, behind the first line.
        first: number and text of its first line.
        lines: numbers and texts of the other lines.
    """
    line, text = first
    rows: Iterable[tuple[int, Any]]
    if text.lstrip().startswith("[") or text.strip() == "{":
        rest = _rest(file, path, line + text.count("\n"))
        whole = _parsed(path, line, text + rest)
        if not isinstance(whole, list):
            whole = [whole]
        rows = enumerate(whole, start=1)
    else:
        rows = ((number, _parsed(path, number, text)) for number, text in chain([first], lines))
    for number, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: this is no JSON object; write one a line")
        yield number, row


def _parsed(path: Path, line: int, text: str) -> Any:
    """Return the value of JSON that begins in a line of a file."""
    try:
        return json.loads(text.rstrip())
    except (ValueError, RecursionError) as error:
        # ValueError alone is raised by a number of thousands of digits, RecursionError by one list in another
        line_at_fault = line + getattr(error, "lineno", 1) - 1
        fault = getattr(error, "msg", error)
        raise InputError(
            f"{path}, line {line_at_fault}: broken JSON ({fault}); write an object a line"
        ) from error


def _parquet_rows(table: InputTable, path: Path) -> Rows:
    """Yield the rows of a parquet file."""
    import pyarrow.parquet as pq

    def opened() -> tuple[Any, Iterable[Any]]:
        file = pq.ParquetFile(path)
        return file.schema_arrow, file.iter_batches(ROWS_A_BATCH)

    return _arrow_rows(table, opened)


def _arrow_rows(table: InputTable, opened: Callable[[], tuple[Any, Iterable[Any]]]) -> Rows:
    """Yield rows of Arrow, with the names of a ClassLabel of `datasets` in the place of its numbers.

    Args:
        table: the table, which is told its columns.
        opened: returns the schema and the batches of rows.

    Raises:
        InputError: something in the file cannot be read.
    """
    import pyarrow as pa

    # what pyarrow raises for a broken file, and for values that Python cannot hold
    faults = (
        pa.ArrowException,
        OverflowError,
        RecursionError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    )
    try:
        schema, batches = opened()
        table.columns.update(dict.fromkeys(schema.names))
        class_names = _class_names(schema)
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                for column, names in class_names.items():
                    row[column] = names.get(row[column])
                yield number, row
    except faults as error:
        raise InputError(f"{table.name} cannot be read ({error}): export it again, dates as text") from error


def _class_names(schema: Any) -> dict[str, dict[int, str]]:
    """Return the names of the classes of each ClassLabel of an Arrow schema that `datasets` has written."""
    metadata = schema.metadata or {}
    described = json.loads(metadata.get(b"huggingface", b"{}"))
    features = described.get("info", {}).get("features") or {}
    class_names = {}
    for column, feature in features.items():
        is_class = isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        if is_class and column in schema.names:
            class_names[column] = dict(enumerate(feature["names"]))
    return class_names


def _data_sets(name: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the name of a data set of the Hub with its config, the name of each split, and its rows.

    The splits are of the config that the id names. Without one they are of CHANGE-IT's two configs, or of the
    only one.

    Raises:
        InputError: the data set cannot be loaded, or has several configs and none is named.
    """
    from datasets import get_dataset_config_names, load_dataset

    parts = name.removeprefix(HUB).removeprefix("datasets/").strip("/").split("/")
    repository = "/".join(parts[:2])
    try:
        configs = parts[2:3] or get_dataset_config_names(repository)
        if len(configs) > 1:
            configs = [config for config in configs if _outlet(config)]
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
