"""Input of HEvAS: documents with reference headlines, and files of systems' headlines.

Of a corpus folder the documents are the A2 articles with a partner, and the references are the other newspaper's headlines.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from change_it.errors import InputError
from change_it.io import (
    Predictions,
    cell_named,
    cell_text,
    headlines_of,
    kind_of,
    listed,
    named_files,
    parse_columns,
    read_records,
    text_lines,
)
from change_it.text.cleaning import clean, has_markup, remark

#: Our columns, and what they may be called; headlines are also headline1, headline2, ….
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "article": ("article", "full_text", "document"),
    "headline": ("headline", "headlines"),
}
#: The test articles of a corpus folder, and their pairs.
_ARTICLES, _PAIRS = (Path(table) / "test.parquet" for table in ("articles", "pairs"))
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
        remarks: sentences on what was strange in the texts.
        originals: (n,) the articles' own headlines, where the references are another newspaper's; else empty.
        unpaired: ids of articles that were left out, as they have no reference; systems may have headlines of them.

    Raises:
        InputError: there are no documents, a document or a reference is without words, a document has no reference, or
            an id occurs twice.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    references: tuple[tuple[str, ...], ...] | None
    name: str
    events: tuple[int | str, ...] | None = None
    remarks: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
    unpaired: frozenset[str] = frozenset()

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
            "a repeated id": [id_ for id_, count in counts.items() if count > 1],
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


@dataclass(frozen=True)
class System:
    """The headlines of a system.

    Attributes:
        name: as it appears in tables.
        headlines: (n,) in the order of the documents; empty where the system has none.
        remarks: sentences on what was strange in them.
    """

    name: str
    headlines: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def read_documents(source: str, *, columns: str = "") -> Documents:
    """Read documents and their references, cleaned as `corpus build` does; line ends stay in texts without HTML.

    Args:
        source: a table (see `change_it.io.read_tables`) with the columns of `COLUMNS`, or a corpus folder.
        columns: map `ours=theirs`, separated by commas; headline may be mapped several times.
    """
    path = Path(source)
    if (path / _ARTICLES).is_file():
        return _of_corpus(path)
    optional = {name: COLUMNS[name] for name in ("id", "headline")}
    rows = read_records(path, required={"article": COLUMNS["article"]}, optional=optional, columns=columns)
    names = list(parse_columns(columns, COLUMNS)["headline"])
    if tuple(names) == COLUMNS["headline"]:
        every = dict.fromkeys(name for row in rows for name in row.values)
        names = [name for name in every if name.lower() in names or _NUMBERED.fullmatch(name.lower())]
    texts, references = [row.cells["article"] for row in rows], None
    given = [
        [
            cell_text(one, f"{source}, line {row.line}: headline")
            for name in names
            for one in _several(row.values, name)
        ]
        for row in rows
    ]
    if names:
        references = tuple(tuple(filter(worded, map(clean, several))) for several in given)
    return Documents(
        _ids([row.cells for row in rows]),
        tuple(clean(text) if has_markup(text) else "\n".join(map(clean, text.split("\n"))) for text in texts),
        references,
        source,
        remarks=tuple(remark(source, chain(texts, *given), "are taken off")),
    )


def _of_corpus(folder: Path) -> Documents:
    """The A2 articles that are in pairs, with the headlines of their partners."""
    own = read_documents(str(folder / _ARTICLES))
    partners: dict[str, list[str]] = {}
    for pair in read_records(
        folder / _PAIRS, required=[f"{side}_{part}" for side in "ab" for part in ("id", "headline")]
    ):
        for side, other in ("ab", "ba"):
            partners.setdefault(pair.cells[f"{side}_id"], []).append(clean(pair.cells[f"{other}_headline"]))
    rows = zip(own.ids, own.texts, own.references or (), strict=True)
    paired = [(id_, text, tuple(partners[id_]), one) for id_, text, (one, *_) in rows if id_ in partners]
    if not paired:
        raise InputError(
            f"the corpus {folder} has no A2 pairs: build it with lower thresholds or more articles"
        )
    ids, texts, references, originals = zip(*paired, strict=True)
    left = len(own) - len(ids)
    remarks = (
        *own.remarks,
        *([f"{left} articles of {folder} have no partner and are left out"] if left else []),
    )
    return Documents(
        ids, texts, references, str(folder), None, remarks, originals, frozenset(own.ids).difference(ids)
    )


def read_systems(specs: Sequence[str], documents: Documents, *, taken: Iterable[str] = ()) -> list[System]:
    """Read the headlines of several systems, `NAME=FILE` each; names that are `taken` are refused."""
    named = named_files(specs, option="--system", example="mine=mine.txt", taken=taken)
    return [read_system(name, file, documents) for name, file in named]


def read_system(name: str, file: Path, documents: Documents) -> System:
    """One headline for each document, from lines of text or from a table with headline and id; cleaned as `corpus build` does."""
    if kind_of(file) is None:
        rows = [{"headline": line} for line in text_lines(file)]
    else:
        records = read_records(file, required=["headline"], optional=["id", "error"])
        rows = [record.cells for record in records]
    headlines = headlines_of(rows, str.strip)
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            raise InputError(
                f"{file} has {len(headlines)} headlines for {len(documents)} documents of {documents.name}: give one for "
                "each, an empty line where there is none"
            )
        return _cleaned(name, headlines)
    found = Predictions.match(_ids(rows), headlines, documents.ids)
    predictions = replace(
        found, unknown_ids=[id_ for id_ in found.unknown_ids if id_ not in documents.unpaired]
    )
    if wrong := predictions.problems("not in the documents"):
        raise InputError(f"{file} does not fit the {len(documents)} documents of {documents.name}: {wrong}")
    return _cleaned(name, predictions.headlines.values())


def _cleaned(name: str, headlines: Collection[str]) -> System:
    return System(name, tuple(map(clean, headlines)), tuple(remark(name, headlines, "are taken off")))


def worded(text: str) -> bool:
    """Whether a text has a letter or digit, and so a word."""
    return any(map(str.isalnum, text))


def _ids(rows: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The ids of the rows; their numbers from 1 where there are none."""
    return tuple(row.get("id") or str(number) for number, row in enumerate(rows, start=1))


def _several(values: Mapping[str, object], name: str) -> list[object]:
    """Headlines of one document in a column: the cell is one, or a list of them."""
    cell = cell_named(values, name)
    return cell if isinstance(cell, list) else [cell]
