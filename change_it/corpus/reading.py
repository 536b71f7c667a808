"""From files of any of the known kinds to articles of two outlets; what cannot be used is kept with its reason."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from change_it.corpus.article import KNOWN_LABELS, Alignment, Article, Outlets
from change_it.corpus.corpus_options import ReadingOptions
from change_it.corpus.dates import DAY_NUMBER, NO_DAY, both_orders, parse_date
from change_it.corpus.looks import FEW, LEAST, Look, mended
from change_it.errors import InputError
from change_it.io import (
    InputTable,
    Names,
    Record,
    cell_text,
    check_columns,
    is_missing,
    length_fault,
    listed,
    parse_columns,
    read_tables,
    write_table,
)
from change_it.text import cleaning

#: Our columns, and what they are called in the input without a column map (`full_text` and `full`: CHANGE-IT on the Hub).
COLUMNS: dict[str, tuple[str, ...]] = {
    name: (name,) for name in ("id", "headline", "article", "label", "date", "alignment")
}
COLUMNS["article"] += ("full_text", "full")
#: When an article can have appeared: since 1900 and by the day after tomorrow (clocks differ).
EARLIEST, TOLERANCE = date(1900, 1, 1), timedelta(days=2)
UNREADABLE, TOO_OLD = "unreadable date", "date before 1900 or in the future"
#: The columns of CHANGE-IT's files, whose labels have short names.
LAYOUT = frozenset(("id", "headline", "article", "full_text", "full", "label", "alignment"))
#: Rows of a table in which dates are looked for.
LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be used."""

    file: str  # as given, or `hf://owner/name/config/split`
    line: int  # from 1; in JSON lists, parquet and data sets the number of the row
    id: str  # given or made
    reason: str  # a short phrase, after a colon the value at fault: `unreadable date: domani`
    label: str = ""  # of its outlet, as far as it is known

    @property
    def kind(self) -> str:
        """The reason without the value."""
        return self.reason.partition(":")[0]


class RefusedError(InputError):
    """Input of which too little is left, with the rows that were rejected."""

    def __init__(self, message: str, rejected: Sequence[Rejection]) -> None:
        super().__init__(message)
        self.rejected = rejected


@dataclass(slots=True)
class Reading:
    """The content of the input, in its order: `len(articles) + len(rejected) == rows`."""

    articles: list[Article]
    rejected: list[Rejection]
    rows: int
    outlets: Outlets
    places: list[tuple[str, int]]  # file and line of each article, for rows that later steps reject
    day_first: dict[str, bool] = field(default_factory=dict)  # by file, where its dates decided
    looks: list[Look] = field(default_factory=list)  # at what was rejected or not read
    mended: list[Look] = field(default_factory=list)  # what was taken off

    @property
    def reasons(self) -> Counter[str]:
        """Number of rejected rows by kind."""
        return Counter(item.kind for item in self.rejected)

    def refused(self, message: str) -> RefusedError:
        """The error that refuses the input, with the reasons of rejected rows by outlet."""
        counts = Counter(f"{item.kind} of {item.label or 'no outlet'}" for item in self.rejected)
        reasons = f"; rejected are {_counts(counts)}" if counts else ""
        if any(kind == "duplicate id" for kind, _ in self.reasons.most_common(1)):
            reasons += "; leave wrong ids, such as 1.58292E+18, unread by --columns id="
        return RefusedError(message + reasons, self.rejected)


def _counts(counts: Counter[str], most: int = 10) -> str:
    """The most frequent with their numbers."""
    return listed([f"{count:,} {name}" for name, count in counts.most_common()], most)


def read_articles(options: ReadingOptions) -> Reading:
    """Read, check and clean the articles of two outlets.

    A row without an id gets `<file stem>-<row>`. All rows of `OUTLET=FILE` are that outlet's, whatever their label. An id that
    both outlets use becomes `rep-123` and `gio-123`. Without a label column the outlet comes from `repubblica` or
    `ilgiornale` in the name of the file, its folder or Hub config.
    An empty date is None; one that cannot be read, before 1900 or in the future is rejected. Whether the day or the month
    comes first in `06/03/2024` is decided by each file's dates with a field above 12.
    """
    if options.other_outlets and not options.labels:
        raise InputError("--other-outlets requires --labels with two labels, as in --labels Post,Herald")
    reader = _Reader(options, parse_columns(options.columns, COLUMNS))
    tables = read_tables(options.files, reader.columns)
    for table in tables:
        reader.take_table(table)
    return reader.reading(tables, ", ".join(options.files))


class _Reader:
    """Makes articles of rows; until `reading` knows the outlets they carry the label of the input."""

    def __init__(self, options: ReadingOptions, columns: Names) -> None:
        self.options, self.columns = options, columns
        self.outlets = Outlets.parse(options.labels) if options.labels else None
        self.latest = date.today() + TOLERANCE
        self.found = Reading([], [], 0, Outlets("", "", "", ""), [])
        self.repaired: Counter[str] = Counter()  # labels of texts that were encoded twice
        self.seen: list[Mapping[str, Any]] = []  # some rows without a date
        self.foreign: list[tuple[int, Any]] = []  # lines and dates of other outlets: they tell the order, too

    def take_table(self, table: InputTable) -> None:
        """Take the rows of a table, whose dates say together whether the day comes first."""
        rows = [(row.line, self._article(table, row, n)) for n, row in enumerate(table.rows, start=1)]
        self.found.rows += len(rows)
        written = [(line, getattr(article, "date", None)) for line, article in rows]
        day_first, self.foreign = _day_first(table.name, written, self.foreign), []
        if day_first is not None:
            self.found.day_first[table.name] = day_first
        for line, article in rows:
            if isinstance(article, Article) and isinstance(article.date, str):
                try:
                    article = replace(article, date=self._day(article.date, bool(day_first)))
                except InputError as error:
                    article = Rejection(table.name, line, article.id, str(error), article.label)
            if isinstance(article, Rejection):
                self.found.rejected.append(article)
            else:
                self.found.articles.append(article)
                self.found.places.append((table.name, line))

    def _article(self, table: InputTable, row: Record, number: int) -> Any:
        """The article of a row, as its date a text where its order is open; or why there is none."""
        id_, label, columns = f"{table.stem}-{number}", "", self.columns
        if number <= LOOKED_AT and columns["date"] and "date" not in row.cells:
            self.seen.append(row.values)
        try:
            id_ = cleaning.visible(cell_text(row.cells.get("id"), "id")) or id_
            label = cleaning.clean(table.label) or (table.outlet if "label" not in row.cells else None) or ""
            label = label or self._words(row, "label")
            label = (self.outlets.name_of(label) if self.outlets else None) or label
            if self.outlets and label not in self.outlets.names and not self.options.other_outlets:
                self.foreign.append((row.line, row.cells.get("date")))
                raise InputError(f"unknown label: {label}")
            headline, body = (self._words(row, column, label) for column in ("headline", "article"))
            day = self._day(row.cells.get("date"), self.options.dayfirst)
            alignment = cell_text(row.cells.get("alignment"), "alignment").strip() or None
            if alignment not in (None, *get_args(Alignment)):
                raise InputError(f"unknown alignment: {alignment}")
            return Article(id_, label, headline, body, day, alignment)  # type: ignore[arg-type]  # checked above
        except InputError as error:
            return Rejection(table.name, row.line, id_, str(error), label)

    def _words(self, row: Record, column: str, label: str = "") -> str:
        """The text of a column."""
        if column not in row.cells:
            raise InputError(f"missing column {' or '.join(self.columns[column]) or column}")
        cell = row.cells[column]
        if column != "article" and isinstance(cell, list) and len(cell) > 1:
            raise InputError(f"{column} is a list of texts: {listed(list(map(str, cell)), 3)}")
        given = cell_text(cell, column)
        if fault := length_fault(column, given):
            raise InputError(fault)
        if self.options.mend and (repaired := cleaning.decoded(given)) != given:
            self.repaired[label] += 1
            given = repaired
        if text := cleaning.clean(given):
            return text
        raise InputError(f"empty {column}")

    def _day(self, value: object, day_first: bool | None) -> Any:
        """The day of a date, which can be one of an article; the date as it is written where its order is open."""
        try:
            day = parse_date(value, day_first=day_first)
        except ValueError as error:
            fault = error if str(error) in (NO_DAY, DAY_NUMBER) else UNREADABLE
            raise InputError(f"{fault}: {value}") from error
        if isinstance(day, date) and not EARLIEST <= day <= self.latest:
            raise InputError(f"{TOO_OLD}: {value}")
        return day

    def reading(self, tables: Sequence[InputTable], files: str) -> Reading:
        """Settle outlets, versions and ids; `files` is for messages."""
        found = self.found
        if not found.rows:
            raise InputError(f"{files} holds no rows: give files with articles")
        by_label = not all(table.label or table.outlet for table in tables)
        needs = [] if found.articles else ["headline", "article", *(["label"] if by_label else [])]
        seen = dict.fromkeys(name for table in tables for name in table.columns)
        date_column = self._date_column()
        advice = f",date={date_column}" if date_column else ""
        advice += ", or give each file its outlet, as in left=a.csv right=b.csv" if by_label else ""
        check_columns(files, seen, self.columns, COLUMNS, needs=needs, advice=advice)
        if not found.articles:
            mend = "correct them, or give --columns, as in headline=headline.main, or --labels"
            if found.reasons.most_common(1)[0][0] in (UNREADABLE, TOO_OLD, NO_DAY, DAY_NUMBER):
                mend = "correct them, or leave the dates unread by --columns date="
            first = {item.kind: item.reason for item in reversed(found.rejected)}
            reasons = _counts(Counter({first[kind]: count for kind, count in found.reasons.items()}))
            raise RefusedError(f"no row of {files} can be used ({reasons}): {mend}", found.rejected)
        labels = {article.label for article in found.articles}
        found.outlets = outlets = self.outlets or self._found_outlets(labels, tables)
        names = {label: outlets.name_of(label) or label for label in labels}
        for label, name in ((outlets.a_label, outlets.a), (outlets.b_label, outlets.b)):
            if name not in names.values():
                mend = "give files of both outlets, or correct --labels"
                raise found.refused(f"no usable row has the label {label!r}: {mend}")
        found.articles = [replace(article, label=names[article.label]) for article in found.articles]
        if self.options.mend:
            found.articles, found.mended = mended(found.articles, outlets.names)
            found.mended += [
                Look("texts were encoded as UTF-8 twice", names[label], count, found.rows, "", "")
                for label, count in self.repaired.items()
                if label in names
            ]
            self._keep("empty article", [bool(a.headline and a.article) for a in found.articles])
        newest = self._best(
            lambda a: a.id, lambda a: (a.date or date.min, len(a.article), a.headline, a.article)
        )
        dated = sorted((a for a in found.articles if a.date), key=lambda a: str(a.date), reverse=True)
        first_day = {(a.label, a.id): a.date for a in dated}  # that of the event
        found.articles = [replace(a, date=first_day.get((a.label, a.id))) for a in found.articles]
        self._keep("duplicate id", newest)
        oldest = self._best(
            lambda a: a.article, lambda a: (-(a.date or date.max).toordinal(), a.headline, a.id)
        )
        self._keep("repeated article", oldest)
        order = {table.name: number for number, table in enumerate(tables)}
        found.rejected.sort(key=lambda item: (order[item.file], item.line))
        found.articles = _settled(found.articles)
        found.looks = _losses(found)
        if date_column:
            advice = f"give --columns date={date_column}, or date= to leave it unread"
            undated = "rows have no date that is read"
            found.looks.append(Look(undated, "", found.rows, found.rows, date_column, advice))
        return found

    def _best(self, key: Callable[[Article], str], rank: Callable[[Article], Any]) -> list[bool]:
        """Whether each article has the highest rank of those of its outlet with the same key."""
        ranked = sorted(enumerate(self.found.articles), key=lambda placed: rank(placed[1]))
        kept = {*{(article.label, key(article)): place for place, article in ranked}.values()}
        return [place in kept for place in range(len(ranked))]

    def _keep(self, reason: str, kept: Sequence[bool]) -> None:
        """Reject the articles that are not kept."""
        found = self.found
        every = list(zip(found.articles, found.places, kept, strict=True))
        found.rejected += [Rejection(*place, a.id, reason, a.label) for a, place, keep in every if not keep]
        found.articles = [article for article, _, keep in every if keep]
        found.places = [place for _, place, keep in every if keep]

    def _found_outlets(self, occurring: Collection[str], tables: Sequence[InputTable]) -> Outlets:
        """The outlets of usable rows: those that the input names in their order, then sorted; CHANGE-IT's have short names."""
        labels = [label for label in dict.fromkeys(table.label for table in tables) if label in occurring]
        labels += sorted({*occurring} - {*labels})
        short: Mapping[str, str] = {}
        if {*labels} == {*KNOWN_LABELS} and all(t.outlet or LAYOUT.issuperset(t.columns) for t in tables):
            short = KNOWN_LABELS
        if len(labels) != 2:
            mend = "give files of two outlets, or choose two labels, as in --labels left,right"
            raise self.found.refused(f"the labels of usable rows are {listed(labels, 5)}: {mend}")
        a, b = short or labels
        return Outlets(short.get(a, a), short.get(b, b), a, b)

    def _date_column(self) -> str:
        """A column that is not read and holds dates; empty without any."""
        read = {name.lower() for several in self.columns.values() for name in several}
        for name in dict.fromkeys(chain.from_iterable(self.seen)):
            values = [row[name] for row in self.seen if not is_missing(row.get(name))]
            texts = all(isinstance(value, str | date) and not str(value).isdecimal() for value in values)
            with suppress(ValueError):
                if texts and name.lower() not in read and any(list(map(parse_date, values))):
                    return name
        return ""


def write_rejected(path: Path, rejected: Iterable[Rejection]) -> None:
    """Write the rows that were rejected as CSV."""
    rows = ([item.file, item.line, item.id, item.reason] for item in rejected)
    write_table(path, ("file", "line", "id", "reason"), rows, quote_formulas=True)


def _losses(found: Reading) -> list[Look]:
    """Looks at the outlets that lost many rows."""
    looks = []
    for name in found.outlets.names:
        counts = Counter(row.kind for row in found.rejected if found.outlets.name_of(row.label) == name)
        total = counts.total() + sum(article.label == name for article in found.articles)
        if total >= LEAST and counts.total() >= FEW * total:
            advice = "of one id the newest row is kept, with the first date; ids such as 1.58292E+18 are left out by --columns id="
            advice = advice if counts.most_common(1)[0][0] == "duplicate id" else "see rejected.csv"
            looks.append(Look("rows were rejected", name, counts.total(), total, _counts(counts, 3), advice))
    return looks


def _day_first(
    name: str, written: Iterable[tuple[int, Any]], foreign: Iterable[tuple[int, Any]]
) -> bool | None:
    """Whether the day comes first in the dates of a table, by those of other outlets where its own leave it open; None where it makes no difference, refused where they do not tell."""

    def orders(lines: Iterable[tuple[int, Any]]) -> list[tuple[str, dict[bool, Any]]]:
        return [(f"{day} in line {line}", both_orders(day)) for line, day in lines if isinstance(day, str)]

    dates = orders(written)
    found = {min(days): where for where, days in reversed(dates) if len(days) == 1}
    unclear = [(where, days) for where, days in dates if len({*days.values()}) == 2]
    if unclear and not found:
        others = {min(days): where for where, days in orders(foreign) if len(days) == 1}
        found = others if len(others) == 1 else {}
    if len(found) == 1 or not (found or unclear):
        return next(iter(found), None)
    if found:
        example = f"{found[True]} has the day first and {found[False]} the month"
    else:
        where, days = unclear[0]
        example = f"{where} is {days[True]} with the day first and {days[False]} with the month first"
    mend = "give --dayfirst True or --dayfirst False, or write all dates as 2024-03-06"
    raise InputError(f"{name}: {example}: {mend}")


def _settled(articles: list[Article]) -> list[Article]:
    """Give the articles an id of its own where outlets use the same."""
    outlets = Counter(id_ for id_, _ in {(article.id, article.label) for article in articles})
    shared = [id_ for id_, count in outlets.items() if count > 1]
    separator, names = "-", {article.label for article in articles}
    while any(f"{name}{separator}{id_}" in outlets for id_ in shared for name in names):
        separator += "-"
    return [replace(a, id=f"{a.label}{separator}{a.id}") if outlets[a.id] > 1 else a for a in articles]
