"""What HEvAS reads: documents with reference headlines, and files of systems' headlines.

It takes files as people have them; a corpus of `change-it corpus build` is one folder among others, of which the A2
articles are read.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from change_it.errors import InputError
from change_it.io import named_files

#: Our columns, and what they may be called; headlines are also headline1, headline2, ….
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "article": ("article", "full_text", "document"),
    "headline": ("headline", "headlines"),
}
#: The test articles of a corpus folder.
_CORPUS = Path("articles") / "test.parquet"
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
_NUMBERED = re.compile(r"headline_?\d+")
_SHOWN = 10

Table = dict[str, list[Any]]


@dataclass(frozen=True)
class Documents:
    """Documents with their reference headlines.

    Attributes:
        ids: (n,) distinct; the numbers from 1 where the file has none.
        texts: (n,) the articles, none without words.
        references: (n,) tuples of headlines, all with words; None where there are no headlines.
        name: the file or folder as it was given.

    Raises:
        InputError: there are no documents, a document or a reference is without words, a document has no reference, or
            an id stands twice.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    references: tuple[tuple[str, ...], ...] | None
    name: str

    def __post_init__(self) -> None:
        if not self.texts:
            raise InputError(f"{self.name} has no documents: give at least one")
        if len(self.ids) != len(self.texts) or len(self.references or self.ids) != len(self.ids):
            raise InputError(
                f"{self.name} has {len(self.texts)} documents, {len(self.ids)} ids and references for "
                f"{len(self.references or self.ids)}: give one of each"
            )
        counts = Counter(self.ids)
        rows = list(zip(self.ids, self.texts, self.references or [("1",)] * len(self.ids), strict=True))
        faults = {
            "an id that stands twice": [id_ for id_, count in counts.items() if count > 1],
            "an empty article": [id_ for id_, text, _ in rows if not worded(text)],
            "no reference headline": [id_ for id_, _, several in rows if not any(map(worded, several))],
        }
        for fault, found in faults.items():
            if found:
                raise InputError(
                    f"{self.name}: {len(found)} {'document has' if len(found) == 1 else 'documents have'} {fault} "
                    f"({_first(found)}): mend or remove the rows"
                )

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class System:
    """The headlines of a system.

    Attributes:
        name: as it stands in tables.
        headlines: (n,) in the order of the documents; empty where the system has none.
    """

    name: str
    headlines: tuple[str, ...]


def read_documents(source: str, *, columns: str = "") -> Documents:
    """Read documents and their references.

    Args:
        source: CSV, TSV, JSON lines (or one JSON list) or parquet file with the columns of `COLUMNS`; or a corpus
            folder, whose A2 articles are read with their own headlines as references.
        columns: map `ours=theirs`, separated by commas; headline may stand several times.

    Returns:
        The documents in the order of the file. White space in headlines is one space; texts are Unicode NFC.

    Raises:
        InputError: the file cannot be read, a column is missing, there are no documents, a document or all
            references of one are without words, or an id stands twice.
    """
    path = Path(source)
    if path.is_dir():
        path = path / _CORPUS
        if not path.is_file():
            raise InputError(
                f"{source} is no corpus folder, it has no {_CORPUS}: name a file, or build a corpus with change-it corpus build"
            )
    table = _read(path)
    names = _column_map(columns, table, source)
    article = next((name for name in names["article"] if name in table), None)
    if article is None:
        raise InputError(
            f"{source} has no column article (its columns are {', '.join(table)}): name yours as in "
            "--columns article=body,headline=title"
        )
    texts = tuple(unicodedata.normalize("NFC", _text(cell)).strip() for cell in table[article])
    ids = _ids(table, names["id"], len(texts))
    found = [name for name in table if name in names["headline"]]
    references = None
    if found:
        rows = zip(*(table[name] for name in found), strict=True)
        references = tuple(tuple(filter(worded, map(clean_headline, _listed(cells)))) for cells in rows)
    return Documents(ids, texts, references, source)


def read_systems(specs: Sequence[str], documents: Documents, *, taken: Iterable[str] = ()) -> list[System]:
    """Read the headlines of several systems.

    Args:
        specs: `NAME=FILE` each.
        documents: what the headlines are for.
        taken: names that are used already.

    Returns:
        The systems in the order given.

    Raises:
        InputError: a spec without a name, a name that is taken or unfit for a file name, or a file at fault.
    """
    named = named_files(specs, option="--system", example="mine=mine.txt", taken=taken)
    return [System(name, read_headlines(file, documents)) for name, file in named]


def read_headlines(file: Path, documents: Documents) -> tuple[str, ...]:
    """Read one headline for each document.

    Args:
        file: text with one headline a line, in the documents' order (an empty line is an empty headline); or CSV, TSV,
            JSON lines or parquet with the columns headline and id, in any order (without id: in the documents' order).
            The headline of a row with an `error` is empty, whatever stands there.
        documents: what the headlines are for.

    Returns:
        (n,) headlines in the order of the documents.

    Raises:
        InputError: the file cannot be read, lacks the column headline, has another number of headlines than there are
            documents, or ids that are missing, extra or duplicate.
    """
    if file.suffix.lower() not in _TABLES:
        lines = _read_text(file).removesuffix("\n").split("\n")
        return _as_many([clean_headline(line) for line in lines], documents, file)
    table = _read(file)
    if "headline" not in table:
        raise InputError(
            f"{file} has no column headline (its columns are {', '.join(table)}): write id,headline, or a .txt file "
            "with one headline a line"
        )
    errors = table.get("error", [None] * len(table["headline"]))
    headlines = [
        "" if _text(error).strip() else clean_headline(_text(cell))
        for cell, error in zip(table["headline"], errors, strict=True)
    ]
    if "id" not in table:
        return _as_many(headlines, documents, file)
    ids = _ids(table, ("id",), len(headlines))
    counts, wanted = Counter(ids), set(documents.ids)
    problems = {
        "missing": [id_ for id_ in documents.ids if id_ not in counts],
        "not in the documents": [id_ for id_ in counts if id_ not in wanted],
        "duplicate": [id_ for id_, count in counts.items() if count > 1],
    }
    told = [
        f"{len(found)} {'id' if len(found) == 1 else 'ids'} {problem}: {_first(found)}"
        for problem, found in problems.items()
        if found
    ]
    if told:
        raise InputError(
            f"{file} does not fit the {len(documents)} documents of {documents.name}: {'; '.join(told)}"
        )
    by_id = dict(zip(ids, headlines, strict=True))
    return tuple(by_id[id_] for id_ in documents.ids)


def clean_headline(text: str) -> str:
    """A headline as it is measured: Unicode NFC, white space is one space.

    Args:
        text: a line or cell.

    Example:
        >>> clean_headline(" Il  governo cade ")
        'Il governo cade'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def worded(text: str) -> bool:
    """Whether a text has a letter or digit, and so a word.

    Args:
        text: any text.
    """
    return any(map(str.isalnum, text))


def _as_many(headlines: Sequence[str], documents: Documents, file: Path) -> tuple[str, ...]:
    """The headlines, if there are as many as documents."""
    if len(headlines) != len(documents):
        raise InputError(
            f"{file} has {len(headlines)} headlines for {len(documents)} documents of {documents.name}: give one for each, "
            "an empty line where there is none"
        )
    return tuple(headlines)


def _column_map(spec: str, table: Table, source: str) -> dict[str, tuple[str, ...]]:
    """Names of our columns in the table."""
    names = COLUMNS | {"headline": (*COLUMNS["headline"], *filter(_NUMBERED.fullmatch, table))}
    given: dict[str, tuple[str, ...]] = {}
    for part in filter(None, map(str.strip, spec.split(","))):
        ours, equals, theirs = map(str.strip, part.partition("="))
        if ours not in COLUMNS or not equals:
            raise InputError(f"--columns {part!r} is not ours=theirs: ours is one of {', '.join(COLUMNS)}")
        if theirs and theirs not in table:
            raise InputError(
                f"{source} has no column {theirs!r} as --columns wants it (its columns are {', '.join(table)})"
            )
        given[ours] = (*given.get(ours, ()), *([theirs] if theirs else []))
    return names | given


def _ids(table: Mapping[str, list[Any]], names: Sequence[str], count: int) -> tuple[str, ...]:
    """The ids of the rows; their numbers from 1 where there are none."""
    column = next((table[name] for name in names if name in table), None)
    return tuple(
        (_text(cell).strip() if column is not None else "") or str(number)
        for number, cell in enumerate(column if column is not None else [""] * count, start=1)
    )


def _read(path: Path) -> Table:
    """A file as columns."""
    suffix = path.suffix.lower()
    if suffix not in _TABLES:
        raise InputError(f"{path} is of no known kind: rename it to end in {', '.join(_TABLES)}")
    if not path.is_file():
        raise InputError(f"{path} does not exist: check the path")
    if suffix == ".parquet":
        try:
            return pl.read_parquet(path).to_dict(as_series=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{path} is not a parquet file: {_line(error)}") from error
    if suffix in (".csv", ".tsv"):
        try:
            separator = "\t" if suffix == ".tsv" else ","
            return pl.read_csv(path, infer_schema=False, separator=separator).to_dict(as_series=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(
                f"{path} is not a {suffix[1:].upper()} file in UTF-8 with a header ({_line(error)}): put texts with commas or line breaks in quotes"
            ) from error
    return _json_table(path)


def _json_table(path: Path) -> Table:
    """JSON lines, or one list of objects."""
    text = _read_text(path)
    rows: list[Any] = []
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise InputError(
            f"{path} is not JSON with one object a line ({error}): write one object a line"
        ) from error
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path} holds something else than objects: write one object a line")
    return {
        name: [row.get(name) for row in rows] for name in dict.fromkeys(key for row in rows for key in row)
    }


def _read_text(path: Path) -> str:
    """A text file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text in UTF-8: convert it") from error


def _text(cell: Any) -> str:
    """A cell as text: nothing for a missing one, a line for each item of a list."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "\n".join(map(_text, cell)) if isinstance(cell, list) else str(cell)


def _listed(cells: Iterable[Any]) -> list[str]:
    """Headlines of one document: each cell is one, or a list of them."""
    return [_text(each) for cell in cells for each in (cell if isinstance(cell, list) else [cell])]


def _first(ids: Sequence[str]) -> str:
    """The first ten ids and how many more."""
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _line(error: Exception) -> str:
    """The first line of a message."""
    return str(error).partition("\n")[0].rstrip(".:")
