"""The reader of tables: CSV, JSON and parquet files, packed or not, folders of `datasets` and the Hub; rows are streamed.

A file that is not what its name says is refused with the line at fault; what a row holds is its reader's to judge.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from change_it.errors import InputError
from change_it.io.model_folders import hub_fault
from change_it.io.opening import LONGEST_LINE, check_file, file_inside, lines_of, open_text, read_whole
from change_it.io.texts import cell_text, is_missing, length_fault, listed

KINDS = dict.fromkeys((".csv", ".tsv"), "CSV") | dict.fromkeys((".jsonl", ".ndjson", ".json"), "JSON")
KINDS[".parquet"] = "parquet"
HUB, PAGES = "hf://", "https://huggingface.co/"
#: Rows that are decoded at once: a few bytes of parquet can be a long text in each.
ROWS_A_BATCH = 100
#: Parts of file and config names that give the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}
#: Files by which a folder of `save_to_disk` is known.
SAVED = ("state.json", "dataset_dict.json")
#: What cells and metadata of unknown shapes raise.
STRANGE = (ValueError, LookupError, TypeError, AttributeError)
#: What our columns are called elsewhere, the example first.
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
    outlet: str | None = None  # R or G where the file or config is named after one of CHANGE-IT's newspapers
    label: str = ""  # outlet of all its rows, where the input names one: OUTLET=FILE
    columns: dict[str, None] = field(default_factory=dict)  # in order, as far as rows were read
    rows: Iterator[Record] = field(default_factory=lambda: iter(()))  # to be read once


def read_tables(files: Sequence[str], names: Names | None = None) -> list[InputTable]:
    """Find files and data sets, in the order given and each once; nothing is read before `rows` is used.

    `files` are CSV, TSV, JSON or parquet files, packed ones too, globs of them, folders of `save_to_disk`, or data set ids
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
                fault = f"{table.name} is given twice, of other outlets"
                raise InputError(f"{fault}: give it once, as OUTLET=FILE")
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
    spec = re.sub(rf"(\A|=){re.escape(PAGES)}", rf"\1{HUB}", spec)
    outlet, equals, file = spec.partition("=")
    named = equals and outlet.strip() and file and not re.search(r"[/\\*?]", outlet)
    alone = not named or Path(spec).exists() or glob(spec, recursive=True)
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
    tables = [table for _, table in _tables(str(file), names, otherwise="CSV")]
    rows = list(chain.from_iterable(table.rows for table in tables))
    seen = dict.fromkeys(chain.from_iterable(table.columns for table in tables))
    if seen:
        advice = None if columns is None else ""
        check_columns(str(file), seen, names, defaults, needs=required, advice=advice)
    there = dict.fromkeys(ours for row in rows for ours in row.cells)
    records = []
    for row in rows:
        try:
            texts = {ours: cell_text(row.cells.get(ours), ours) for ours in there}
        except InputError as error:
            advice = "" if columns is None else "; --columns headline=headline.main reads a field of it"
            raise InputError(f"{file}, line {row.line}: {error}{advice}") from error
        if fault := length_fault("headline", max(texts.get("headline", "").split("\n"), key=len)):
            raise InputError(f"{file}, line {row.line}: {fault}")
        cells = {ours: _CONTROL.sub(" ", text).strip() for ours, text in texts.items()}
        others = (str(value).strip() for value in row.values.values() if not is_missing(value))
        if len(seen) == 1 or any(cells.values()) or any(others):
            records.append(row._replace(cells=cells))
    if not records:
        raise InputError(f"{file} has no rows: give a header and at least one row below it")
    return records


def parse_columns(spec: str, defaults: Names) -> dict[str, tuple[str, ...]]:
    """Our columns and the names to look for, from a map `ours=theirs,…`; nothing after `=` leaves a column out.

    A comma that no column of ours follows belongs to the name before it.
    """
    given: dict[str, tuple[str, ...]] = {}
    ours_next = rf",(?=\s*(?:{'|'.join(map(re.escape, defaults))})\s*=)"
    for part in filter(None, (part.strip(" ,") for part in re.split(ours_next, spec))):
        ours, equals, theirs = map(str.strip, part.partition("="))
        if ours not in defaults and theirs in defaults:
            raise InputError(f"--columns {part!r} has ours and theirs swapped: write {theirs}={ours}")
        if ours not in defaults or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(defaults)}")
        given[ours] = (*given.get(ours, ()), *([theirs] if theirs else []))
    return {ours: tuple(several) for ours, several in defaults.items()} | given


def check_columns(
    file: str,
    seen: Iterable[str],
    names: Names,
    defaults: Names,
    needs: Iterable[str],
    advice: str | None = "",
) -> None:
    """Refuse a table with the columns `seen` that lacks some that are read (`needs`) or mapped; `advice` is None without `--columns`."""
    seen = list(seen)
    mapped = {ours for ours in names if names[ours] and tuple(names[ours]) != tuple(defaults[ours])}
    if lacking := [ours for ours in names if ours in mapped.union(needs) - _places(seen, names).keys()]:
        columns = " and no column ".join(" or ".join(names[ours]) or ours for ours in lacking)
        guesses = {ours: name for ours in lacking if (name := _guess(ours, seen))}
        examples = ",".join(f"{ours}={name}" for ours, name in (guesses or {lacking[0]: "yours"}).items())
        mend = "rename yours" if advice is None else f"name yours as in --columns {examples}{advice}"
        raise InputError(f"{file} has no column {columns} (its columns are {listed(seen, 20)}): {mend}")


def _guess(ours: str, seen: Sequence[str]) -> str | None:
    """The column that is ours by another name, if there is one."""
    there = {name.lower(): name for name in seen}
    return next((there[name] for name in ELSEWHERE.get(ours, ()) if name in there), None)


def kind_of(path: Path) -> str | None:
    """CSV, JSON or parquet by the ending of a file, of what is packed in it; None of any other."""
    return KINDS.get(Path(file_inside(path)).suffix.lower())


def cell_named(values: Mapping[str, Any], name: str) -> Any:
    """The cell of a column or field of a row; None where there is none."""
    path = _places(tuple(values), {name: (name,)}).get(name)
    return _reach(values, path) if path else None


def _places(keys: Sequence[str], names: Names) -> dict[str, tuple[str, ...]]:
    """The path to the cell of each of our columns that is there. Capitals make no difference; `a.b` is the field b of a."""
    there = {key.lower(): key for key in reversed(keys)} | {key: key for key in keys}
    places: dict[str, tuple[str, ...]] = {}
    for ours, several in names.items():
        for name in several:
            first, *fields = [name] if name in there or name.lower() in there else name.split(".")
            if key := there.get(first) or there.get(first.lower()):
                places.setdefault(ours, (key, *fields))
    return places


def _reach(value: Any, path: Sequence[str]) -> Any:
    """The cell at the end of a path; of a list the fields of its items."""
    for key in path:
        if isinstance(value, list):
            value = [_reach(item, [key]) for item in value]
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _records(table: InputTable, rows: Rows, names: Names) -> Iterator[Record]:
    """Rows with their cells by our names."""
    known: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for line, values in rows:
        keys = tuple(values)
        if (places := known.get(keys)) is None:
            table.columns.update(dict.fromkeys(keys))
            places = known[keys] = _places(keys, names)
        yield Record(line, {ours: _reach(values, path) for ours, path in places.items()}, values)


def _tables(name: str, names: Names, otherwise: str | None = None) -> Iterator[tuple[str, InputTable]]:
    """The tables of a file, a glob, a folder or a data set, each with its real path; `otherwise` is the kind of a file of no known ending."""
    if name.startswith(HUB) or any(Path(name, saved).is_file() for saved in SAVED):
        for whole, config, split, data in _data_sets(name):
            table = InputTable(f"{whole}/{split}", f"{config}-{split}", _outlet(config))
            batches = data.with_format("arrow").iter(ROWS_A_BATCH)  # pictures stay as they are
            rows = _readable(table, _arrow_rows(table, data.features.arrow_schema, batches))
            table.rows = _records(table, rows, names)
            yield table.name, table
        return
    for path in _paths(name):
        if (kind := kind_of(path) or otherwise) is None:
            endings = f"{', '.join(KINDS)}, perhaps with .gz, .bz2 or .zst after it"
            raise InputError(f"{path} is of no known kind: export it as a file that ends in {endings}")
        stem = Path(file_inside(path)).stem
        table = InputTable(str(path), stem, _outlet(stem) or _outlet(path.resolve().parent.name))
        parquet = _readable(table, _parquet_rows(table, path))
        table.rows = _records(table, parquet if kind == "parquet" else _text_rows(table, path, kind), names)
        yield str(path.resolve()), table


def _paths(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{name} is a folder: name its files, for example '{name.rstrip('/')}/*.csv'")
    if path.exists() or not has_magic(name):
        check_file(path)
        return [path]
    matches = [Path(match) for match in sorted(glob(name, recursive=True)) if Path(match).is_file()]
    if not matches:
        raise InputError(f"no file matches {name!r}: check the glob")
    return matches


def _outlet(name: str) -> str | None:
    labels = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return labels.pop() if len(labels) == 1 else None


def _text_rows(table: InputTable, path: Path, kind: str) -> Rows:
    """Rows of CSV, by the delimiter that its header has most often, or of JSON."""
    with open_text(path) as file:
        every = lines_of(file, path)
        lines = ((line, text) for line, text in enumerate(every, start=1) if text.strip())
        line, top = first = next(lines, (0, ""))
        if kind == "JSON" and top:
            yield from _json_rows(path, file, first, lines)
        elif top:
            named = re.fullmatch(r'"?sep=(.)"?\s*', top)
            line, top = next(lines, first) if named else first
            delimiter = named[1] if named else max(",;\t|", key=top.count)
            yield from _csv_rows(table, path, chain([top], every), line, delimiter)


def _csv_rows(table: InputTable, path: Path, lines: Iterable[str], line: int, delimiter: str) -> Rows:
    """Rows of CSV below its header; an empty line is none, but of a single column an empty cell."""
    csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    before = line
    try:
        header = [name.strip() for name in next(reader)]
        if repeated := [name for name, count in Counter(filter(None, header)).items() if count > 1]:
            raise InputError(f"{path} has more than one column {', '.join(repeated)}: keep one of them")
        table.columns.update(dict.fromkeys(header))
        line = before + reader.line_num
        for cells in reader:
            if cells or len(header) == 1:
                cells = cells or [""]
                if len(cells) != len(header):
                    few = f"a cell is missing: write {delimiter!r} before an empty one, too"
                    mend = (
                        few if len(cells) < len(header) else "put texts with commas or line breaks in quotes"
                    )
                    counts = f"{len(cells)} cells and {len(header)} columns"
                    raise InputError(f"{path}, line {line}: {counts}; {mend}")
                yield line, dict(zip(header, cells, strict=True))
            line = before + reader.line_num
    except csv.Error as error:
        mend = "put texts with commas or line breaks in quotes, and double the quotes inside"
        fault = f"{path}, line {line}: a quote is never closed or not doubled ({error})"
        raise InputError(f"{fault}; {mend}") from error


def _json_rows(path: Path, file: TextIO, first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Rows:
    """Rows of JSON: an object a line, or one list of objects."""
    line, text = first
    rows: Iterable[tuple[int, Any]]
    if text.lstrip().startswith("["):
        rows = enumerate(_parsed(path, line, text + read_whole(file, path)), start=1)
    elif text.strip() == "{":
        row = _parsed(path, line, text + read_whole(file, path))
        inside = [name for name, value in row.items() if isinstance(value, list) and len(value) > 1]
        if inside and all(isinstance(item, dict) for item in row[inside[0]]):
            fault = f"{path} is one JSON object, which has its rows under {inside[0]!r}"
            raise InputError(f"{fault}: write that list alone, or an object a line")
        rows = [(line, row)]
    else:
        rows = ((line, _parsed(path, line, text)) for line, text in chain([first], lines))
    for number, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: this is no JSON object; write one a line")
        yield number, row


def _parsed(path: Path, line: int, text: str) -> Any:
    try:
        return json.loads(text.rstrip())
    except (
        ValueError,
        RecursionError,
    ) as error:  # no JSON, a number of thousands of digits, nested too deeply
        line, fault = line + getattr(error, "lineno", 1) - 1, getattr(error, "msg", error)
        raise InputError(f"{path}, line {line}: broken JSON ({fault}); write an object a line") from error


def _parquet_rows(table: InputTable, path: Path) -> Rows:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        yield from _arrow_rows(table, file.schema_arrow, file.iter_batches(ROWS_A_BATCH))


def _readable(table: InputTable, rows: Rows) -> Rows:
    """Rows of Arrow; what it or Python cannot read, such as a date of an unknown time zone, is refused."""
    import pyarrow as pa

    try:
        yield from rows
    except (pa.ArrowException, OverflowError, RecursionError, *STRANGE) as error:
        raise InputError(f"{table.name} cannot be read ({error}): export it again, dates as text") from error


def _arrow_rows(table: InputTable, schema: Any, batches: Iterable[Any]) -> Rows:
    """Rows of Arrow, with the names of a ClassLabel of `datasets` instead of its numbers."""
    table.columns.update(dict.fromkeys(schema.names))
    about = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
    classes = {
        column: dict(enumerate(feature["names"]))
        for column, feature in (about.get("info", {}).get("features") or {}).items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and column in schema.names
    }
    for number, row in enumerate((row for batch in batches for row in batch.to_pylist()), start=1):
        yield number, row | {name: names.get(row[name]) for name, names in classes.items()}


def _data_sets(name: str) -> Iterator[tuple[str, str, str, Any]]:
    """Splits of a folder of `save_to_disk`, or of a data set of the Hub: of the config that the id names, of CHANGE-IT's two, else of the only or default one."""
    from datasets import get_dataset_config_names, load_dataset, load_from_disk

    parts = name.removeprefix(HUB).removeprefix("datasets/").strip("/").split("/")
    repository = "/".join(parts[:2])
    try:
        if not name.startswith(HUB):
            data = load_from_disk(name)
            loaded = {name: data if isinstance(data, dict) else {"rows": data}}
        elif len(parts) not in (2, 3) or not all(parts):
            raise ValueError("write hf://datasets/owner/name or hf://datasets/owner/name/config")
        else:
            configs = parts[2:] or get_dataset_config_names(repository)
            if len(configs) > 1:
                configs = list(filter(_outlet, configs)) or [one for one in configs if one == "default"]
            if not configs:
                raise ValueError(f"it has several configs, name one as in hf://datasets/{repository}/config")
            loaded = {f"{HUB}{repository}/{one}": load_dataset(repository, one) for one in configs}
    except (OSError, ValueError, RuntimeError, LookupError) as error:
        if isinstance(error, OSError) and name.startswith(HUB):
            raise InputError(hub_fault(name, error)) from error
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} does not load: {reason or type(error).__name__}") from error
    for whole, splits in loaded.items():
        yield from ((whole, Path(whole).name, split, rows) for split, rows in splits.items())
