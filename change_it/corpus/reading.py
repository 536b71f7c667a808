"""From files of any of the known kinds to articles of two outlets; what cannot be used is kept with its reason."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, NamedTuple, get_args

from change_it.corpus.article import KNOWN_LABELS, Alignment, Article, Outlets
from change_it.corpus.corpus_options import ReadingOptions
from change_it.corpus.dates import DAY_NUMBER, NO_DAY, both_orders, parse_date
from change_it.errors import InputError
from change_it.io import (
    InputTable,
    Names,
    Record,
    cell_text,
    check_columns,
    length_fault,
    listed,
    parse_columns,
    read_tables,
)
from change_it.text import cleaning

#: Our columns, and what they are called in the input without a column map (`full_text` and `full`: CHANGE-IT on the Hub).
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "headline": ("headline",),
    "article": ("article", "full_text", "full"),
    "label": ("label",),
    "date": ("date",),
    "alignment": ("alignment",),
}
#: When an article can have appeared: since 1900 and by the day after tomorrow (clocks differ).
EARLIEST, TOLERANCE = date(1900, 1, 1), timedelta(days=2)
#: What a table without a column for the label lacks.
OUTLET_ADVICE = ", or give each file its outlet, as in left=a.csv right=b.csv"


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be used."""

    file: str  # as given, or `hf://owner/name/config/split`
    line: int  # from 1; in JSON lists, parquet and data sets the number of the row
    id: str  # given or made
    reason: str  # a short phrase, after a colon the value at fault: `unreadable date: domani`

    @property
    def kind(self) -> str:
        """The reason without the value."""
        return self.reason.partition(":")[0]


@dataclass(slots=True)
class Reading:
    """The content of the input, in its order: `len(articles) + len(rejected) == rows`."""

    articles: list[Article]
    rejected: list[Rejection]
    rows: int
    outlets: Outlets
    # file and line of each article, for rows that later steps reject
    places: list[tuple[str, int]]
    day_first: dict[str, bool] = field(default_factory=dict)  # by file, where its dates decided
    warnings: list[str] = field(default_factory=list)

    @property
    def reasons(self) -> Counter[str]:
        """Number of rejected rows by reason, without the values at fault."""
        return Counter(item.kind for item in self.rejected)


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


class _Cleaned(NamedTuple):
    """A row as far as it can be settled on its own."""

    line: int
    id: str
    article: Article | InputError  # or why there is none
    written: str | None = None  # the article's date, where its order is open


class _Reader:
    """Makes articles of rows; until `reading` knows the outlets they carry the label of the input."""

    def __init__(self, options: ReadingOptions, columns: Names) -> None:
        self.options, self.columns = options, columns
        self.outlets = Outlets.parse(options.labels) if options.labels else None
        self.latest = date.today() + TOLERANCE
        self.found = Reading([], [], 0, Outlets("", "", "", ""), [])
        self.taken: set[tuple[str, str, str]] = set()  # ids and texts of each label
        self.twice: list[str] = []  # words that were encoded twice, and where

    def take_table(self, table: InputTable) -> None:
        """Take the rows of a table, whose dates say together whether the day comes first."""
        rows = [self._cleaned(table, row, number) for number, row in enumerate(table.rows, start=1)]
        self.found.rows += len(rows)
        day_first = _day_first(table.name, rows)
        if day_first is not None:
            self.found.day_first[table.name] = day_first
        for line, id_, article, written in rows:
            try:
                if isinstance(article, InputError):
                    raise article
                if written:
                    article = replace(article, date=self._day(written, bool(day_first)))
                for kind, text in (("duplicate id", article.id), ("repeated article", article.article)):
                    if (kind, article.label, text) in self.taken:
                        raise InputError(kind)
            except InputError as error:
                self.found.rejected.append(Rejection(table.name, line, id_, str(error)))
                continue
            self.taken.add(("duplicate id", article.label, article.id))
            self.taken.add(("repeated article", article.label, article.article))
            self.found.articles.append(article)
            self.found.places.append((table.name, line))

    def _cleaned(self, table: InputTable, row: Record, number: int) -> _Cleaned:
        id_ = f"{table.stem}-{number}"
        try:
            id_ = cleaning.visible(cell_text(row.cells.get("id"), "id")) or id_
            return _Cleaned(row.line, id_, *self._article(table, row, id_))
        except InputError as error:
            return _Cleaned(row.line, id_, error.with_traceback(None))  # it would keep the row

    def _article(self, table: InputTable, row: Record, id_: str) -> tuple[Article, str | None]:
        label = cleaning.clean(table.label) or (table.outlet if "label" not in row.cells else None)
        label = label or self._words(table, row, "label")
        name = self.outlets.name_of(label) if self.outlets else label
        if name is None and not self.options.other_outlets:
            raise InputError(f"unknown label: {label}")
        headline, body = (self._words(table, row, column) for column in ("headline", "article"))
        written = row.cells.get("date")
        day = self._day(written, self.options.dayfirst)
        alignment = cell_text(row.cells.get("alignment"), "alignment").strip() or None
        if alignment not in (None, *get_args(Alignment)):
            raise InputError(f"unknown alignment: {alignment}")
        settled, still_open = (None, day) if isinstance(day, str) else (day, None)
        return Article(id_, name or label, headline, body, settled, alignment), still_open  # type: ignore[arg-type]  # checked above

    def _words(self, table: InputTable, row: Record, column: str) -> str:
        """The text of a column."""
        if column not in row.cells:
            raise InputError(f"missing column {' or '.join(self.columns[column]) or column}")
        given = cell_text(row.cells[column], column)
        if fault := length_fault(column, given):
            raise InputError(fault)
        if word := cleaning.encoded_twice(given):
            self.twice.append(f"{word!r} in {table.name}, line {row.line}")
        if text := cleaning.clean(given):
            return text
        raise InputError(f"empty {column}")

    def _day(self, value: object, day_first: bool | None) -> Any:
        """The day of a date, which can be one of an article; the date as it is written where its order is open."""
        try:
            day = parse_date(value, day_first=day_first)
        except ValueError as error:
            fault = error if str(error) in (NO_DAY, DAY_NUMBER) else "unreadable date"
            raise InputError(f"{fault}: {value}") from error
        if isinstance(day, date) and not EARLIEST <= day <= self.latest:
            raise InputError(f"date before 1900 or in the future: {value}")
        return day

    def reading(self, tables: Sequence[InputTable], files: str) -> Reading:
        """Settle outlets and ids; `files` is for messages."""
        found = self.found
        if not found.rows:
            raise InputError(f"{files} holds no rows: give files with articles")
        by_label = not all(table.label or table.outlet for table in tables)
        needs = [] if found.articles else ["headline", "article", *(["label"] if by_label else [])]
        seen = dict.fromkeys(name for table in tables for name in table.columns)
        check_columns(
            files, seen, self.columns, COLUMNS, needs=needs, advice=OUTLET_ADVICE if by_label else ""
        )
        if not found.articles:
            first = {item.kind: item.reason for item in reversed(found.rejected)}
            reasons = listed([f"{count} {first[kind]}" for kind, count in found.reasons.most_common()])
            raise InputError(
                f"no row of {files} can be used ({reasons}): correct them, or give --columns, as in "
                "headline=headline.main, or --labels"
            )
        labels = {article.label for article in found.articles}
        found.outlets = outlets = self.outlets or _found_outlets(labels, tables)
        names = {label: outlets.name_of(label) or label for label in labels}
        for label, name in ((outlets.a_label, outlets.a), (outlets.b_label, outlets.b)):
            if name not in names.values():
                raise InputError(
                    f"no usable row has the label {label!r}: give files of both outlets, or correct --labels"
                )
        found.articles = _settled(found.articles, names)
        if self.twice:
            found.warnings.append(
                f"{len(self.twice):,} texts were encoded as UTF-8 twice, as {self.twice[0]}: mend them, for example with "
                "text.encode('cp1252').decode()"
            )
        return found


def _found_outlets(occurring: Collection[str], tables: Iterable[InputTable]) -> Outlets:
    """The outlets of usable rows: those that the input names in their order, then sorted."""
    labels = [label for label in dict.fromkeys(table.label for table in tables) if label in occurring]
    labels += sorted({*occurring} - {*labels})
    if set(labels) == set(KNOWN_LABELS):
        labels = list(KNOWN_LABELS)
    if len(labels) != 2:
        raise InputError(
            f"the labels of usable rows are {listed(labels, 5)}: give files of two outlets, or choose two labels, as in "
            "--labels left,right"
        )
    a, b = labels
    return Outlets(KNOWN_LABELS.get(a, a), KNOWN_LABELS.get(b, b), a, b)


def _day_first(name: str, rows: Iterable[_Cleaned]) -> bool | None:
    """Whether the day comes first in the dates of a table; None where it makes no difference, refused where they do not tell."""
    dates = [(f"{row.written} in line {row.line}", both_orders(row.written)) for row in rows if row.written]
    found = {min(days): where for where, days in reversed(dates) if len(days) == 1}
    unclear = [(where, days) for where, days in dates if len({*days.values()}) == 2]
    if len(found) == 1 or not (found or unclear):
        return next(iter(found), None)
    if found:
        example = f"{found[True]} has the day first and {found[False]} the month"
    else:
        where, days = unclear[0]
        example = f"{where} is {days[True]} with the day first and {days[False]} with the month first"
    raise InputError(
        f"{name}: {example}: give --dayfirst True or --dayfirst False, or write all dates as 2024-03-06"
    )


def _settled(articles: list[Article], names: Mapping[str, str]) -> list[Article]:
    """Give every article its outlet's short name, and an id of its own where both outlets use the same."""
    outlets_of: dict[str, set[str]] = {}
    for article in articles:
        outlets_of.setdefault(article.id, set()).add(article.label)
    shared = {id_ for id_, outlets in outlets_of.items() if len(outlets) > 1}
    joint = "-"
    while any(f"{name}{joint}{id_}" in outlets_of for id_ in shared for name in names.values()):
        joint += "-"
    settled = []
    for article in articles:
        name, id_ = names[article.label], article.id
        if id_ in shared:
            article = replace(article, id=f"{name}{joint}{id_}")
        settled.append(replace(article, label=name))
    return settled
