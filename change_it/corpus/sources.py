"""Rows of CSV, TSV, JSON lines and parquet files and of Hub data sets, each with the line that it starts on."""

import codecs
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from change_it.errors import InputError

#: Parts of file and config names that tell the outlet where no column does (CHANGE-IT on the Hub).
OUTLET_NAMES = {"repubblica": "R", "ilgiornale": "G"}
HUB = "hf://"
SUFFIXES = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the input.

    Attributes:
        line: line of the file that it starts on, from 1; in parquet and on the Hub the number of the row.
        values: its cells by column.
        fault: why it cannot be read, or the empty string.
    """

    line: int
    values: Mapping[str, Any]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or one split of one config of a Hub data set.

    Attributes:
        name: the file as given, or `hf://owner/name/config/split`.
        stem: start of the ids made for its rows, different for every source of one reading.
        outlet: R or G where the file or config is named after one of CHANGE-IT's newspapers.
        rows: the rows, to be read once.
    """

    name: str
    stem: str
    outlet: str | None
    rows: Iterator[Row]


def open_sources(files: Sequence[str], encoding: str = "utf-8") -> list[Source]:
    """Find the files and data sets; nothing is read before `rows` is used.

    Args:
        files: paths, globs (`**` included) or data set ids `hf://datasets/owner/name[/config]`.
        encoding: of the text files; a byte order mark is understood.

    Returns:
        The sources in the order given, those of a glob by name, each file once.

    Raises:
        InputError: nothing given, no such file, glob without match, unknown kind of file or encoding, data set
            that does not load.
    """
    try:
        "".encode(encoding)
        encoding = {"utf-8": "utf-8-sig"}.get(codecs.lookup(encoding).name, encoding)
    except LookupError as error:
        raise InputError(
            f"--encoding {encoding!r} is not known: write utf-8, cp1252, latin-1 or utf-16"
        ) from error
    if not files:
        raise InputError("no input: name files, a glob, or a data set as hf://datasets/owner/name")
    found: dict[str, Source] = {}
    for name in files:
        if name.startswith(HUB):
            found |= {source.name: source for source in _hub_sources(name)}
        else:
            for path in _paths(name):
                found.setdefault(str(path.resolve()), _file_source(path, encoding))
    return _distinct(list(found.values()))


def _paths(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{name} is a folder: name its files, for example '{name.rstrip('/')}/*.csv'")
    if path.exists():
        return [path]
    if not has_magic(name):
        raise InputError(f"{name} does not exist: check the path")
    if matches := [Path(match) for match in sorted(glob(name, recursive=True)) if Path(match).is_file()]:
        return matches
    raise InputError(f"no file matches {name!r}: check the glob")


def _file_source(path: Path, encoding: str) -> Source:
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(SUFFIXES)}")
    rows = _parquet(path) if kind == "parquet" else _text(path, kind, encoding)
    return Source(str(path), path.stem, _outlet(path.stem) or _outlet(path.resolve().parent.name), rows)


def _outlet(name: str) -> str | None:
    found = {label for part, label in OUTLET_NAMES.items() if part in name.lower()}
    return found.pop() if len(found) == 1 else None


def _distinct(sources: list[Source]) -> list[Source]:
    """Put folder names, at last numbers, before stems that occur twice: ids made from them must differ."""
    stems: set[str] = set()
    result = []
    for source in sources:
        stem, parent = source.stem, Path(source.name).parent.name
        if stem in stems and parent:
            stem = f"{parent}-{stem}"
        number = 2
        while stem in stems:
            stem, number = f"{source.stem}-{number}", number + 1
        stems.add(stem)
        result.append(Source(source.name, stem, source.outlet, source.rows))
    return result


def _text(path: Path, kind: str, encoding: str) -> Iterator[Row]:
    try:
        with path.open(encoding=encoding, newline="" if kind == "CSV" else "\n") as file:
            yield from _csv(file, path) if kind == "CSV" else _json(file)
    except UnicodeError as error:
        wanted = encoding.removesuffix("-sig")
        raise InputError(
            f"{path} is not {wanted} text: give its encoding, for example --encoding cp1252"
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _csv(file: TextIO, path: Path) -> Iterator[Row]:
    """Rows of a CSV file; a quote that is never closed costs its own line only, not the rest of the file."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    lines: Iterator[str] = file
    top, line = "", 1
    while not top.strip():
        if not (top := next(lines, "")):
            return
        line += 1
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=top.count)
    header = [name.strip() for name in next(csv.reader([top], delimiter=delimiter), [])]
    if repeated := sorted({name for name in header if header.count(name) > 1}):
        raise InputError(f"{path} has two columns {repeated[0]!r}: rename one")
    rest: list[str] = []
    while True:
        taken: list[str] = []
        ended: list[bool] = []

        def feed(
            lines: Iterator[str] = lines, taken: list[str] = taken, ended: list[bool] = ended
        ) -> Iterator[str]:
            for text in lines:
                taken.append(text)
                yield text
            ended.append(True)

        for cells in csv.reader(feed(), delimiter=delimiter):
            if ended:
                yield Row(line, {}, "quote that is never closed")
                rest = taken[1:]
                break
            if cells:
                yield _csv_row(line, header, cells)
            line += len(taken)
            taken.clear()
        else:
            return
        line, lines = line + 1, iter(rest)


def _csv_row(line: int, header: list[str], cells: list[str]) -> Row:
    values = dict(zip(header, cells, strict=False))
    if len(cells) > len(header):
        return Row(line, values, "too many fields")
    return Row(line, values, f"missing column: {header[len(cells)]}" if len(cells) < len(header) else "")


def _json(file: TextIO) -> Iterator[Row]:
    for line, text in enumerate(file, start=1):
        if not text.strip():
            continue
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            yield Row(line, {}, "broken JSON")
            continue
        yield Row(line, values) if isinstance(values, dict) else Row(line, {}, "line is not a JSON object")


def _parquet(path: Path) -> Iterator[Row]:
    try:
        table = pl.read_parquet(path, glob=False)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"{path} is not a parquet file: export it again, or rename it to what it is"
        ) from error
    yield from _table(table)


def _table(table: pl.DataFrame) -> Iterator[Row]:
    for number, values in enumerate(table.iter_rows(named=True), start=1):
        yield Row(number, values)


def _hub_sources(name: str) -> list[Source]:
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
    return [
        Source(f"{HUB}{repository}/{config}/{split}", f"{config}-{split}", _outlet(config), _hub_rows(rows))
        for config, splits in loaded
        for split, rows in splits.items()
    ]


def _hub_rows(dataset: Any) -> Iterator[Row]:
    """Rows of a `datasets.Dataset`, with the names of a ClassLabel instead of its numbers."""
    table = dataset.to_polars()
    for column, feature in dataset.features.items():
        if names := getattr(feature, "names", None):
            table = table.with_columns(pl.col(column).replace_strict(dict(enumerate(names)), default=None))
    yield from _table(table)
