"""Input of HEvAS: documents with reference headlines, and files of systems' headlines.

Of a corpus folder the documents are the A2 articles with a partner, and the references are the other newspaper's headlines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.files.predictions import Predictions, headlines_of, named_files, text_lines
from change_it.files.rows import cell_named, kind_of, parse_columns, read_records, read_text
from change_it.files.texts import cell_text, counted, listed, refuse_lengths
from change_it.text.cleaning import clean, has_markup, remark

#: Our columns, and what they may be called; headlines are also headline1, headline2, ….
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "article": ("article", "full_text", "document"),
    "headline": ("headline", "headlines"),
}
#: The test articles of a corpus folder, and their pairs.
_ARTICLES, _PAIRS = (Path(table) / "test.parquet" for table in ("articles", "pairs"))
#: Its test articles that have no partner, where it has any.
_WITHOUT_PARTNER = Path("test_articles") / "test.parquet"
_NUMBERED = re.compile(r"headline_?\d+")
#: A document of a file like XML, and its parts: id, article, headlines.
_DOCUMENT = re.compile(r"(?is)<doc(?:ument)?\b.*?</doc(?:ument)?>")
_TAGS = [
    re.compile(rf"(?is)<({tags})\b[^>]*>(.*?)</\1>")
    for tags in ("docno|id", "text|article", "headline|title")
]


@dataclass(frozen=True)
class Documents:
    """Documents with their reference headlines.

    Attributes:
        ids: (n,) distinct; the numbers from 1 where the file has none.
        texts: (n,) the articles, none without words.
        references: (n,) tuples of headlines, all with words; None where there are no headlines.
        name: the file or folder as it was given.
        events: (n,) event of each; None where they are unknown.
        remarks: sentences on what was strange in the texts, and in the headlines of systems.
        originals: (n,) the articles' own headlines, where the references are another newspaper's; else empty.
        unpaired: ids of articles that were left out, as they have no reference; systems may have headlines of them.

    Raises:
        InputError: no documents, one without words, or without a reference with words, or an id that occurs twice.
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
        references = self.references or [("1",)] * len(self.texts)
        refuse_lengths(ids=self.ids, documents=self.texts, references=references)
        rows = list(zip(self.ids, self.texts, references, strict=True))
        faults = {
            "a repeated id": [id_ for id_, count in Counter(self.ids).items() if count > 1],
            "an empty article": [id_ for id_, text, _ in rows if not worded(text)],
            "no reference headline": [id_ for id_, _, several in rows if not any(map(worded, several))],
        }
        for fault, ids in faults.items():
            if ids:
                raise InputError(
                    f"{self.name}: {counted(len(ids), 'document')} with {fault} ({listed(ids)}): mend or remove the rows"
                )

    def __len__(self) -> int:
        return len(self.texts)

    def only(self, flags: Sequence[bool]) -> "Documents":
        """Return the documents whose flag is true."""
        names = ("ids", "texts", "references", "events", "originals")
        parts = {name: getattr(self, name) for name in names}
        fewer: dict[str, Any] = {name: part and tuple(compress(part, flags)) for name, part in parts.items()}
        return replace(self, **fewer)


def worded(text: str) -> bool:
    """Return whether a text has a letter or digit, and so a word."""
    return any(map(str.isalnum, text))


def read_documents(source: str, *, columns: str = "") -> Documents:
    """Read documents and their references, cleaned as `corpus build` does; line ends stay in texts without HTML.

    Args:
        source: a table (see `change_it.files.rows.read_tables`) with the columns of `COLUMNS`, a file like XML (`<doc>` with
            `<docno>` or `<id>`, `<text>` or `<article>`, and `<headline>` or `<title>`), or a corpus folder.
        columns: map `ours=theirs`, separated by commas; headline may be mapped several times.
    """
    path = Path(source)
    if (path / _ARTICLES).is_file():
        return _of_corpus(path)
    rows, has_headlines = _like_xml(path), True
    if not rows:
        optional = {name: COLUMNS[name] for name in ("id", "headline")}
        required = {"article": COLUMNS["article"]}
        records = read_records(path, required=required, optional=optional, columns=columns)
        names = list(parse_columns(columns, COLUMNS)["headline"])
        if tuple(names) == COLUMNS["headline"]:
            every = dict.fromkeys(name for row in records for name in row.values)
            names = [name for name in every if name.lower() in names or _NUMBERED.fullmatch(name.lower())]
        has_headlines = bool(names)
        for row in records:
            cells = (cell_named(row.values, name) for name in names)
            several = chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)
            headlines = [cell_text(cell, f"{source}, line {row.line}: headline") for cell in several]
            rows.append((row.cells.get("id", ""), row.cells["article"], headlines))
    ids, texts, references = zip(*rows, strict=True)
    return Documents(
        _numbered(ids),
        tuple(clean(text) if has_markup(text) else "\n".join(map(clean, text.split("\n"))) for text in texts),
        tuple(tuple(filter(worded, map(clean, several))) for several in references)
        if has_headlines
        else None,
        source,
        remarks=tuple(remark(source, chain(texts, *references), "are taken off")),
    )


def _numbered(ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids, and the numbers from 1 where there are none."""
    return tuple(id_ or str(number) for number, id_ in enumerate(ids, start=1))


def _like_xml(path: Path) -> list[tuple[str, str, list[str]]]:
    """Return id, article and headlines of each document of a file like XML; none of another file."""
    if not path.is_file() or kind_of(path):
        return []
    documents = _DOCUMENT.findall(re.sub(r"<!\[CDATA\[|\]\]>", "", read_text(path)))
    parts = [[[part for _, part in tag.findall(text)] for tag in _TAGS] for text in documents]
    return [("".join(ids).strip(), "\n".join(texts), headlines) for ids, texts, headlines in parts]


def _ids_without_partner(folder: Path) -> set[str]:
    """Return the ids of the test articles that a corpus folder has beside those of its pairs."""
    file = folder / _WITHOUT_PARTNER
    if not file.is_file():
        return set()
    return {record.cells["id"] for record in read_records(file, required=["id"])}


def _of_corpus(folder: Path) -> Documents:
    """Read the A2 articles that are in pairs, with the headlines of their partners."""
    own = read_documents(str(folder / _ARTICLES))
    partners: dict[str, list[str]] = {}
    required = [f"{side}_{part}" for side in "ab" for part in ("id", "headline")]
    for pair in read_records(folder / _PAIRS, required=required):
        for side, other in ("ab", "ba"):
            partners.setdefault(pair.cells[f"{side}_id"], []).append(clean(pair.cells[f"{other}_headline"]))
    if not partners.keys() & {*own.ids}:
        raise InputError(
            f"the corpus {folder} has no A2 pairs: build it with lower thresholds or more articles"
        )
    events: Any = [row.values.get("event") for row in read_records(folder / _ARTICLES, required=["id"])]
    paired = replace(
        own,
        events=None if None in events else tuple(events),
        originals=tuple(first for first, *_ in own.references or ()),
        name=str(folder),
    ).only([id_ in partners for id_ in own.ids])
    left = len(own) - len(paired)
    return replace(
        paired,
        references=tuple(tuple(partners[id_]) for id_ in paired.ids),
        remarks=own.remarks + (f"{left} articles of {folder} have no partner and are left out",) * bool(left),
        unpaired=frozenset(own.ids).difference(paired.ids).union(_ids_without_partner(folder)),
    )


def read_systems(
    specs: Sequence[str], documents: Documents, *, taken: Iterable[str] = (), shared_items: bool = False
) -> tuple[Documents, dict[str, list[str]]]:
    """Read the headlines of several systems, `NAME=FILE` each; names that are `taken` are refused.

    Returns:
        The documents, with `shared_items` those that every file has a row of, and the headlines of each system.
    """
    named = named_files(specs, option="--predictions", example="mine=mine.txt", taken=taken)
    headlines = {name: read_headlines(file, documents, shared_items=shared_items) for name, file in named}
    flags = [all(id_ in by_id for by_id in headlines.values()) for id_ in documents.ids]
    if not any(flags):
        raise InputError(
            "the files of --predictions have no document in common: give files of the same headlines"
        )
    documents = documents.only(flags)
    systems = {name: [by_id[id_] for id_ in documents.ids] for name, by_id in headlines.items()}
    remarks = chain(*(remark(name, texts, "are taken off") for name, texts in systems.items()))
    cleaned = {name: list(map(clean, texts)) for name, texts in systems.items()}
    return replace(documents, remarks=(*documents.remarks, *remarks)), cleaned


def read_headlines(file: Path, documents: Documents, *, shared_items: bool = False) -> dict[str, str]:
    """Map the ids of documents to headlines, from lines of text, a file like XML or a table with headline and perhaps id; of all documents unless only `shared_items` are needed."""
    if marked := _like_xml(file):
        rows = [({"id": id_} if id_ else {}) | {"headline": " ".join(texts)} for id_, _, texts in marked]
    elif kind_of(file) is None:
        rows = [{"headline": line} for line in text_lines(file)]
    else:
        rows = [row.cells for row in read_records(file, required=["headline"], optional=["id", "error"])]
    headlines = headlines_of(rows, str.strip)
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            raise InputError(
                f"{file} has {len(headlines)} headlines for {len(documents)} documents of {documents.name}: give one for "
                "each, an empty line where there is none"
            )
        return dict(zip(documents.ids, headlines, strict=True))
    match = Predictions.match(_numbered([row.get("id", "") for row in rows]), headlines, documents.ids)
    unknown = [id_ for id_ in match.unknown_ids if id_ not in documents.unpaired]
    match = replace(match, unknown_ids=unknown, missing=[] if shared_items else match.missing)
    if wrong := match.problems("not in the documents"):
        if match.missing and match.headlines:
            wrong += "; --shared-items measures all systems on what every file has"
        raise InputError(f"{file} does not fit the {len(documents)} documents of {documents.name}: {wrong}")
    return match.headlines
