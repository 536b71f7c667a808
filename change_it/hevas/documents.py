"""Read the input of HEvAS: documents with reference headlines, and files of systems' headlines.

The documents of a corpus folder are its test articles (A2) with a partner, and their references are the other
newspaper's headlines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from change_it.errors import InputError
from change_it.files.predictions import Predictions, headlines_of, named_files, text_lines
from change_it.files.rows import Record, cell_named, kind_of, parse_columns, read_records, read_text
from change_it.files.texts import cell_text, join_truncated, pluralise, refuse_lengths
from change_it.text.cleaning import clean, has_markup, remark

#: Our columns, and what they may be called; headlines are also headline1, headline2, ….
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "article": ("article", "full_text", "document"),
    "headline": ("headline", "headlines"),
}
#: The test articles of a corpus folder.
_ARTICLES = Path("articles") / "test.parquet"
#: The pairs of its test articles.
_PAIRS = Path("pairs") / "test.parquet"
#: Its test articles that have no partner, where it has any.
_WITHOUT_PARTNER = Path("test_articles") / "test.parquet"
#: Name of one of several columns of headlines.
_NUMBERED_HEADLINE = re.compile(r"headline_?\d+")
#: A document of a file like XML.
_DOCUMENT = re.compile(r"(?is)<doc(?:ument)?\b.*?</doc(?:ument)?>")
#: What XML puts around a text with marks of its own.
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
#: Elements of a document of a file like XML: the first group is the name of the element, the second its text.
_ID_ELEMENT = re.compile(r"(?is)<(docno|id)\b[^>]*>(.*?)</\1>")
_ARTICLE_ELEMENT = re.compile(r"(?is)<(text|article)\b[^>]*>(.*?)</\1>")
_HEADLINE_ELEMENT = re.compile(r"(?is)<(headline|title)\b[^>]*>(.*?)</\1>")
#: What is done about HTML and invisible characters in texts, for remarks.
_TAKEN_OFF = "are taken off"


@dataclass(frozen=True)
class Documents:
    """Documents with their reference headlines.

    Attributes:
        ids: (n,) distinct; the numbers from 1 where the file has none.
        texts: (n,) the articles, none without words.
        references: (n,) tuples of headlines, each with a headline that has words. None where there are no
            headlines.
        name: the file or folder as it was given.
        events: (n,) event of each; None where they are unknown.
        remarks: sentences on what was strange in the texts, and in the headlines of systems.
        originals: (n,) the articles' own headlines, where the references are another newspaper's; else empty.
        unpaired: ids of articles that were left out, as they have no reference. Systems may have headlines of
            them.

    Raises:
        InputError: no documents, one without words, or without a reference with words, or an id that occurs
            twice.
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
        columns: dict[str, Sequence[object]] = {"ids": self.ids, "documents": self.texts}
        if self.references:
            columns["references"] = self.references
        refuse_lengths(**columns)
        repeated = [id_ for id_, count in Counter(self.ids).items() if count > 1]
        self._refuse("a repeated id", repeated)
        empty = [id_ for id_, text in zip(self.ids, self.texts, strict=True) if not has_words(text)]
        self._refuse("an empty article", empty)
        if self.references:
            without = []
            for id_, headlines in zip(self.ids, self.references, strict=True):
                if not any(map(has_words, headlines)):
                    without.append(id_)
            self._refuse("no reference headline", without)

    def _refuse(self, fault: str, ids: Sequence[str]) -> None:
        """Refuse documents with a fault; nothing happens where there are none."""
        if ids:
            documents = f"{pluralise(len(ids), 'document')} with {fault} ({join_truncated(ids)})"
            raise InputError(f"{self.name}: {documents}: mend or remove the rows")

    def __len__(self) -> int:
        return len(self.texts)

    def only(self, flags: Sequence[bool]) -> "Documents":
        """Return the documents whose flag is true."""
        references = self.references
        if references is not None:
            references = tuple(compress(references, flags))
        events = self.events
        if events is not None:
            events = tuple(compress(events, flags))
        return replace(
            self,
            ids=tuple(compress(self.ids, flags)),
            texts=tuple(compress(self.texts, flags)),
            references=references,
            events=events,
            originals=tuple(compress(self.originals, flags)),
        )


class _Row(NamedTuple):
    """A document as a file has it.

    Attributes:
        id: empty where the file has none.
        article: its text, not yet cleaned.
        headlines: its reference headlines, not yet cleaned.
    """

    id: str
    article: str
    headlines: list[str]


def has_words(text: str) -> bool:
    """Return whether a text has a letter or digit, and so a word."""
    return any(map(str.isalnum, text))


def read_documents(source: str, *, columns: str = "") -> Documents:
    """Read documents and their references, cleaned as `corpus build` does.

    Line ends stay in texts without HTML.

    Args:
        source: a table (see `change_it.files.rows.read_tables`) with the columns of `COLUMNS`, a file like
            XML (`<doc>` with `<docno>` or `<id>`, `<text>` or `<article>`, and `<headline>` or `<title>`), or
            a corpus folder.
        columns: map `ours=theirs`, separated by commas; headline may be mapped several times.
    """
    path = Path(source)
    if (path / _ARTICLES).is_file():
        return _read_corpus(path)
    rows = _rows_like_xml(path)
    has_headlines = True
    if not rows:
        records = read_records(
            path,
            required={"article": COLUMNS["article"]},
            optional={"id": COLUMNS["id"], "headline": COLUMNS["headline"]},
            columns=columns,
        )
        names = _headline_columns(records, columns)
        rows = [_row_of_record(record, names, source) for record in records]
        has_headlines = bool(names)
    ids = [row.id for row in rows]
    articles = [row.article for row in rows]
    texts = [*articles]
    for row in rows:
        texts += row.headlines
    references = None
    if has_headlines:
        references = tuple(_clean_headlines(row.headlines) for row in rows)
    return Documents(
        ids=_numbered(ids),
        texts=tuple(map(_clean_article, articles)),
        references=references,
        name=source,
        remarks=tuple(remark(source, texts, _TAKEN_OFF)),
    )


def _headline_columns(records: Sequence[Record], columns: str) -> list[str]:
    """Return the names of the columns that hold headlines: those that `--columns` maps, or those named so."""
    mapped = parse_columns(columns, COLUMNS)["headline"]
    if mapped != COLUMNS["headline"]:
        return list(mapped)
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record.values))
    found = []
    for name in names:
        if name.lower() in COLUMNS["headline"] or _NUMBERED_HEADLINE.fullmatch(name.lower()):
            found.append(name)
    return found


def _row_of_record(record: Record, headline_columns: Sequence[str], source: str) -> _Row:
    """Return a row of a table as a document; a cell may hold a list of headlines."""
    headlines = []
    for name in headline_columns:
        cell = cell_named(record.values, name)
        several = cell if isinstance(cell, list) else [cell]
        for value in several:
            headlines.append(cell_text(value, f"{source}, line {record.line}: headline"))
    return _Row(id=record.cells.get("id", ""), article=record.cells["article"], headlines=headlines)


def _clean_article(text: str) -> str:
    """Clean an article; its lines stay apart where it has no HTML."""
    if has_markup(text):
        return clean(text)
    return "\n".join(map(clean, text.split("\n")))


def _clean_headlines(headlines: Sequence[str]) -> tuple[str, ...]:
    """Clean reference headlines, and leave out those without words."""
    return tuple(filter(has_words, map(clean, headlines)))


def _numbered(ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids; an empty one becomes the number of its place, from 1."""
    return tuple(id_ or str(number) for number, id_ in enumerate(ids, start=1))


def _rows_like_xml(path: Path) -> list[_Row]:
    """Return the documents of a file like XML; none of another file."""
    if not path.is_file() or kind_of(path):
        return []
    rows = []
    for document in _DOCUMENT.findall(_CDATA.sub("", read_text(path))):
        id_ = "".join(_elements(_ID_ELEMENT, document)).strip()
        article = "\n".join(_elements(_ARTICLE_ELEMENT, document))
        rows.append(_Row(id=id_, article=article, headlines=_elements(_HEADLINE_ELEMENT, document)))
    return rows


def _elements(element: re.Pattern[str], document: str) -> list[str]:
    """Return the texts of the elements of one kind, in the order of the document."""
    return [text for _, text in element.findall(document)]


def _ids_without_partner(folder: Path) -> set[str]:
    """Return the ids of the test articles that a corpus folder has beside those of its pairs."""
    file = folder / _WITHOUT_PARTNER
    if not file.is_file():
        return set()
    return {record.cells["id"] for record in read_records(file, required=["id"])}


def _partners_headlines(folder: Path) -> dict[str, list[str]]:
    """Return the headlines of the partners of each test article in a pair, cleaned, by the article's id."""
    headlines: dict[str, list[str]] = {}
    required = ["a_id", "a_headline", "b_id", "b_headline"]
    for pair in read_records(folder / _PAIRS, required=required):
        cells = pair.cells
        headlines.setdefault(cells["a_id"], []).append(clean(cells["b_headline"]))
        headlines.setdefault(cells["b_id"], []).append(clean(cells["a_headline"]))
    return headlines


def _read_corpus(folder: Path) -> Documents:
    """Read the test articles (A2) that are in pairs, with the headlines of their partners."""
    every = read_documents(str(folder / _ARTICLES))
    partners = _partners_headlines(folder)
    is_paired = [id_ in partners for id_ in every.ids]
    if not any(is_paired):
        raise InputError(
            f"the corpus {folder} has no A2 pairs: build it with lower thresholds or more articles"
        )
    events = [row.values.get("event") for row in read_records(folder / _ARTICLES, required=["id"])]
    known_events = tuple(event for event in events if event is not None)
    has_all_events = len(known_events) == len(events)
    own_headlines = tuple(headlines[0] for headlines in every.references or ())
    paired = replace(
        every,
        events=known_events if has_all_events else None,
        originals=own_headlines,
        name=str(folder),
    ).only(is_paired)
    remarks = every.remarks
    left_out = len(every) - len(paired)
    if left_out:
        remarks = (*remarks, f"{left_out} articles of {folder} have no partner and are left out")
    unpaired = set(every.ids) - set(paired.ids)
    references = [tuple(partners[id_]) for id_ in paired.ids]
    # test articles that are kept without a partner stand in a table of their own
    return replace(
        paired,
        references=tuple(references),
        remarks=remarks,
        unpaired=frozenset(unpaired | _ids_without_partner(folder)),
    )


def read_systems(
    specs: Sequence[str], documents: Documents, *, taken: Iterable[str] = (), shared_items: bool = False
) -> tuple[Documents, dict[str, list[str]]]:
    """Read the headlines of several systems, `NAME=FILE` each; names that are `taken` are refused.

    Returns:
        The documents, and the headlines of each system. With `shared_items` they are only of the documents
        that have a row in every file.
    """
    files = named_files(specs, option="--predictions", example="mine=mine.txt", taken=taken)
    headlines = {name: read_headlines(file, documents, shared_items=shared_items) for name, file in files}
    shared = set(documents.ids)
    for by_id in headlines.values():
        shared.intersection_update(by_id)
    is_shared = [id_ in shared for id_ in documents.ids]
    if not any(is_shared):
        raise InputError(
            "the files of --predictions have no document in common: give files of the same headlines"
        )
    documents = documents.only(is_shared)
    remarks = list(documents.remarks)
    systems = {}
    for name, by_id in headlines.items():
        texts = [by_id[id_] for id_ in documents.ids]
        remarks += remark(name, texts, _TAKEN_OFF)
        systems[name] = [clean(text) for text in texts]
    return replace(documents, remarks=tuple(remarks)), systems


def read_headlines(file: Path, documents: Documents, *, shared_items: bool = False) -> dict[str, str]:
    """Read the headlines of a system, and return them by the ids of their documents.

    Args:
        file: lines of text, a file like XML, or a table with headline and perhaps id.
        documents: the documents that the headlines are for.
        shared_items: whether the file may lack headlines of some documents.
    """
    rows = _headline_rows(file)
    headlines = headlines_of(rows, str.strip)
    if "id" not in rows[0]:
        if len(headlines) != len(documents):
            raise InputError(
                f"{file} has {len(headlines)} headlines for {len(documents)} documents of {documents.name}: "
                "give one for each, an empty line where there is none"
            )
        return dict(zip(documents.ids, headlines, strict=True))
    ids = _numbered([row.get("id", "") for row in rows])
    match = Predictions.match(ids, headlines, documents.ids)
    unknown_ids = [id_ for id_ in match.unknown_ids if id_ not in documents.unpaired]
    match = replace(match, unknown_ids=unknown_ids)
    if shared_items:
        match = replace(match, missing=[])
    problems = match.problems("not in the documents")
    if problems:
        if match.missing and match.headlines:
            problems += "; --shared-items measures all systems on what every file has"
        raise InputError(
            f"{file} does not fit the {len(documents)} documents of {documents.name}: {problems}"
        )
    return match.headlines


def _headline_rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file with the column headline, and id and error where the file has them."""
    documents = _rows_like_xml(file)
    if documents:
        return [_headline_row(document) for document in documents]
    if kind_of(file) is None:
        return [{"headline": line} for line in text_lines(file)]
    return [row.cells for row in read_records(file, required=["headline"], optional=["id", "error"])]


def _headline_row(document: _Row) -> dict[str, str]:
    """Return a document of a file like XML as a row of headlines."""
    row = {"headline": " ".join(document.headlines)}
    if document.id:
        row["id"] = document.id
    return row
