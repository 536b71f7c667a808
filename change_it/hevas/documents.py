"""Input of HEvAS: documents with reference headlines (of a corpus folder the A2 articles), and files of systems' headlines."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from change_it.errors import InputError
from change_it.io import (
    SUFFIXES,
    Predictions,
    cell_text,
    headlines_of,
    listed,
    named_files,
    parse_columns,
    read_records,
    text_lines,
)

#: Our columns, and what they may be called; headlines are also headline1, headline2, ….
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "article": ("article", "full_text", "document"),
    "headline": ("headline", "headlines"),
}
#: The test articles of a corpus folder.
_CORPUS = Path("articles") / "test.parquet"
_NUMBERED = re.compile(r"headline_?\d+")


@dataclass(frozen=True)
class Documents:
    """Documents with their reference headlines.

    Attributes:
        ids: (n,) distinct; the numbers from 1 where the file has none.
        texts: (n,) the articles, none without words.
        references: (n,) tuples of headlines, all with words; None where there are no headlines.
        name: the file or folder as it was given.
        events: (n,) number of the event of each; None where each is of its own.

    Raises:
        InputError: there are no documents, a document or a reference is without words, a document has no reference, or
            an id stands twice.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    references: tuple[tuple[str, ...], ...] | None
    name: str
    events: tuple[int | str, ...] | None = None

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
        for fault, ids in faults.items():
            if ids:
                raise InputError(
                    f"{self.name}: {len(ids)} {'document has' if len(ids) == 1 else 'documents have'} {fault} "
                    f"({listed(ids)}): mend or remove the rows"
                )

    def __len__(self) -> int:
        return len(self.texts)

    def drawn(self, count: int, seed: int) -> "Documents":
        """Some of the documents, in their order."""
        kept = sorted(random.Random(seed).sample(range(len(self)), min(count, len(self))))
        return Documents(
            tuple(self.ids[at] for at in kept),
            tuple(self.texts[at] for at in kept),
            self.references and tuple(self.references[at] for at in kept),
            self.name,
            self.events and tuple(self.events[at] for at in kept),
        )


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
        source: CSV, TSV, JSON lines (or one JSON list) or parquet file with the columns of `COLUMNS`, or a corpus folder, whose A2 articles are read with their own headlines as references.
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
    optional = {name: COLUMNS[name] for name in ("id", "headline")}
    rows = read_records(path, required={"article": COLUMNS["article"]}, optional=optional, columns=columns)
    names = {name.lower() for name in parse_columns(columns, COLUMNS)["headline"]}
    mapped = names != set(COLUMNS["headline"])
    every = dict.fromkeys(name for row in rows for name in row.values)
    headlines = [
        name for name in every if name.lower() in names or (not mapped and _NUMBERED.fullmatch(name.lower()))
    ]
    references = None
    if headlines:
        cells = (_listed(row.values.get(name) for name in headlines) for row in rows)
        references = tuple(tuple(filter(worded, map(clean_headline, several))) for several in cells)
    texts = tuple(unicodedata.normalize("NFC", row.cells["article"]) for row in rows)
    return Documents(_ids([row.cells for row in rows]), texts, references, source)


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
    """One headline for each document, from lines of text or from a table with headline and id."""
    if file.suffix.lower() not in SUFFIXES:
        rows = [{"headline": line} for line in text_lines(file)]
    else:
        records = read_records(file, required=["headline"], optional=["id", "error"])
        rows = [record.cells for record in records]
    headlines = headlines_of(rows, clean_headline)
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            raise InputError(
                f"{file} has {len(headlines)} headlines for {len(documents)} documents of {documents.name}: give one for "
                "each, an empty line where there is none"
            )
        return tuple(headlines)
    predictions = Predictions.match(_ids(rows), headlines, documents.ids)
    if wrong := predictions.problems("not in the documents"):
        raise InputError(f"{file} does not fit the {len(documents)} documents of {documents.name}: {wrong}")
    return tuple(predictions.headlines.values())


def clean_headline(text: str) -> str:
    """A headline as it is measured: Unicode NFC, white space is one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def worded(text: str) -> bool:
    """Whether a text has a letter or digit, and so a word."""
    return any(map(str.isalnum, text))


def _ids(rows: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The ids of the rows; their numbers from 1 where there are none."""
    return tuple(row.get("id") or str(number) for number, row in enumerate(rows, start=1))


def _listed(cells: Iterable[object]) -> list[str]:
    """Headlines of one document: each cell is one, or a list of them."""
    return [cell_text(each) for cell in cells for each in (cell if isinstance(cell, list) else [cell])]
