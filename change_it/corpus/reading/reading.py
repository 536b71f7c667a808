"""From files of any of the known kinds to articles of two outlets; what cannot be used is kept with its reason."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from change_it.corpus.reading.article import KNOWN_LABELS, Alignment, Article, Outlets
from change_it.corpus.reading.dates import KNOWN_FAULTS, both_orders, has_foreign_order, parse_date
from change_it.corpus.reading.issues import MIN_ROWS, REPORT_SHARE, Issue, strip_boilerplate
from change_it.corpus.reading.options import ReadingOptions
from change_it.errors import InputError
from change_it.files.atomic import write_table
from change_it.files.rows import InputTable, Record, check_columns, parse_columns, read_tables
from change_it.files.texts import cell_text, counted, is_missing, length_fault, listed
from change_it.text import cleaning
from change_it.text.escapes import unescaped

#: Our columns, and what they are called in the input without a column map (`full_text` and `full`: CHANGE-IT on the Hub).
COLUMNS: dict[str, tuple[str, ...]] = {
    name: (name,) for name in ("id", "headline", "article", "label", "date", "alignment")
}
COLUMNS["article"] += ("full_text", "full")
#: When an article can have appeared: since 1900 and by the day after tomorrow (clocks differ).
EARLIEST, TOLERANCE = date(1900, 1, 1), timedelta(days=2)
UNREADABLE, TOO_OLD = "unreadable date", "date before 1900 or in the future"
#: What is repaired in each text, by its fault.
REPAIRS: dict[str, Callable[[str], str]] = {
    "texts had escapes in the place of characters": unescaped,
    "texts were encoded as UTF-8 twice": cleaning.decoded,
}
#: The columns of CHANGE-IT's files, whose labels have short names.
LAYOUT = frozenset(("id", "headline", "article", "full_text", "full", "label", "alignment"))
#: An outlet of fewer than `MIN_ROWS` articles is too small where the other one has so many times as many.
FAR_MORE = 5
#: How an address of the Web begins.
_ADDRESS = re.compile(r"https?://\S")
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

    def __reduce__(self) -> tuple[type, tuple[str, Sequence[Rejection]]]:
        """Return how it is made again in another process."""
        return type(self), (str(self), self.rejected)


@dataclass(slots=True)
class Reading:
    """The content of the input, in its order: `len(articles) + len(rejected) == rows`."""

    articles: list[Article]
    rejected: list[Rejection]
    rows: int
    outlets: Outlets
    places: list[tuple[str, int]]  # file and line of each article, for rows that later steps reject
    day_first: dict[str, bool] = field(default_factory=dict)  # by file, where its dates decided
    issues: list[Issue] = field(default_factory=list)  # of what was rejected or not read
    mended: list[Issue] = field(default_factory=list)  # what was taken off

    @property
    def reasons(self) -> Counter[str]:
        """Number of rejected rows by kind."""
        return Counter(item.kind for item in self.rejected)

    def keep(self, reason: str, is_kept: Sequence[bool]) -> None:
        """Reject the articles that are not kept."""
        rows = list(zip(self.articles, self.places, is_kept, strict=True))
        self.rejected += [Rejection(*place, a.id, reason, a.label) for a, place, keep in rows if not keep]
        self.articles = [article for article, _, keep in rows if keep]
        self.places = [place for _, place, keep in rows if keep]

    def refused(self, message: str) -> RefusedError:
        """Return the error that refuses the input, with the reasons of rejected rows: first where most rows are."""
        counts = Counter(f"{item.kind} of {item.label or 'no outlet'}" for item in self.rejected)
        if not counts:
            return RefusedError(message, self.rejected)
        reasons = _counts(counts)
        if any(kind == "duplicate id" for kind, _ in self.reasons.most_common(1)):
            reasons += "; leave wrong ids, such as 1.58292E+18, unread by --columns id="
        if 2 * len(self.rejected) <= self.rows:
            return RefusedError(f"{message}; rejected are {reasons}", self.rejected)
        share = f"{len(self.rejected):,} of {self.rows:,} rows were rejected"
        return RefusedError(f"{share}: {reasons}; of the rest, {message}", self.rejected)

    @property
    def few(self) -> str:
        """Say which outlet has far fewer articles than the other one; empty where none has."""
        counts = Counter(article.label for article in self.articles)
        rare, frequent = sorted(self.outlets.names, key=counts.__getitem__)
        if counts[rare] >= MIN_ROWS or counts[frequent] < FAR_MORE * counts[rare]:
            return ""
        has = f"{rare} has {counted(counts[rare], 'article')}, {frequent} {counts[frequent]:,}"
        return f"{has}: give more of {rare}"


def _counts(counts: Counter[str], most: int = 10) -> str:
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
    reader = _Reader(options)
    tables = read_tables(options.files, reader.columns)
    for table in tables:
        reader.take_table(table)
    if not reader.reading.rows:
        raise InputError(f"{', '.join(options.files)} holds no rows: give files with articles")
    date_column = reader.unread_dates()
    reader.check(tables, date_column)
    reading = reader.reading
    _name_outlets(reading, reader.outlets, tables)
    if options.mend:
        reading.articles, reading.mended = strip_boilerplate(reading.articles, reading.outlets.names)
        for (label, fault), count in (+reader.repaired).items():
            if name := reading.outlets.name_of(label):
                reading.mended.append(Issue(fault, name, count, reader.texts[label], "", ""))
        reading.keep("empty article", [bool(a.headline and a.article) for a in reading.articles])
    _drop_repeated(reading)
    order = {table.name: number for number, table in enumerate(tables)}
    reading.rejected.sort(key=lambda item: (order[item.file], item.line))
    reading.articles = _with_own_ids(reading.articles)
    reading.issues = [*_losses(reading), *_without_late_days(reading)]
    if date_column:
        advice = f"give --columns date={date_column}, or date= to leave it unread"
        unread = Issue("rows have no date that is read", "", reading.rows, reading.rows, date_column, advice)
        reading.issues.append(unread)
    return reading


class _Reader:
    """Makes articles of rows; until the outlets are known they carry the label of the input."""

    def __init__(self, options: ReadingOptions) -> None:
        self.options, self.columns = options, parse_columns(options.columns, COLUMNS)
        self.outlets = Outlets.parse(options.labels) if options.labels else None
        self.latest = date.today() + TOLERANCE
        self.reading = Reading([], [], 0, Outlets("", "", "", ""), [])
        self.repaired: Counter[tuple[str, str]] = Counter()  # labels and faults of texts that were mended
        self.texts: Counter[str] = Counter()  # labels of all texts
        self.undated: list[Mapping[str, Any]] = []  # some rows without a date
        self.addresses: dict[str, set[str]] | None = None  # of columns that have another address in each row

    def take_table(self, table: InputTable) -> None:
        """Take the rows of a table, whose dates say together whether the day comes first."""
        rows: list[tuple[int, Article | Rejection]] = []
        dates: list[tuple[str, dict[bool, date | None]]] = []
        for number, row in enumerate(table.rows, start=1):
            rows.append((row.line, self._article(table, row, number)))
            written = row.cells.get("date")
            if has_foreign_order(written):
                raise InputError(_foreign_order(table.name, f"{written} in line {row.line}"))
            days = both_orders(written)
            if len(days) == 1 or len({*days.values()}) == 2:
                dates.append((f"{written} in line {row.line}", days))
        self.reading.rows += len(rows)
        day_first = self.options.dayfirst
        if day_first is None and dates:
            day_first = self.reading.day_first[table.name] = _day_first(table.name, dates)
        for line, article in rows:
            if isinstance(article, Article):
                try:
                    article = replace(article, date=self._day(article.date, day_first))
                except InputError as error:
                    article = Rejection(table.name, line, article.id, str(error), article.label)
            if isinstance(article, Rejection):
                self.reading.rejected.append(article)
            else:
                self.reading.articles.append(article)
                self.reading.places.append((table.name, line))

    def _article(self, table: InputTable, row: Record, number: int) -> Article | Rejection:
        """The article of a row, its date as it is written; or why there is none."""
        id_, label = f"{table.stem}-{number}", ""
        if "id" not in row.cells:
            self._note_addresses(row.values)
        if number <= LOOKED_AT and self.columns["date"] and "date" not in row.cells:
            self.undated.append(row.values)
        try:
            id_ = cleaning.visible(cell_text(row.cells.get("id"), "id")) or id_
            label = cleaning.clean(table.label) or (table.outlet if "label" not in row.cells else None) or ""
            label = label or self._words(row, "label")
            label = (self.outlets.name_of(label) if self.outlets else None) or label
            if self.outlets and label not in self.outlets.names and not self.options.other_outlets:
                raise InputError(f"unknown label: {label}")
            headline, body = (self._words(row, column, label) for column in ("headline", "article"))
            alignment: Any = cell_text(row.cells.get("alignment"), "alignment").strip() or None
            if alignment not in (None, *get_args(Alignment)):
                raise InputError(f"unknown alignment: {alignment}")
            return Article(id_, label, headline, body, row.cells.get("date"), alignment)
        except InputError as error:
            return Rejection(table.name, row.line, id_, str(error), label)

    def _words(self, row: Record, column: str, label: str = "") -> str:
        if column not in row.cells:
            raise InputError(f"missing column {' or '.join(self.columns[column]) or column}")
        cell = row.cells[column]
        if column != "article" and isinstance(cell, list) and len(cell) > 1:
            raise InputError(f"{column} is a list of texts: {listed(list(map(str, cell)), 3)}")
        text = cell_text(cell, column)
        if fault := length_fault(column, text):
            raise InputError(fault)
        self.texts[label] += 1
        if self.options.mend:
            for fault, repair in REPAIRS.items():
                repaired = repair(text)
                self.repaired[label, fault] += repaired != text
                text = repaired
        if text := cleaning.clean(text):
            return text
        raise InputError(f"empty {column}")

    def _day(self, value: object, day_first: bool | None) -> date | None:
        """The day of a date, which can be one of an article."""
        try:
            day = parse_date(value, day_first=bool(day_first))
        except ValueError as error:
            fault = error if str(error) in KNOWN_FAULTS else UNREADABLE
            raise InputError(f"{fault}: {value}") from error
        if day and not EARLIEST <= day <= self.latest:
            raise InputError(f"{TOO_OLD}: {value}")
        return day

    def check(self, tables: Sequence[InputTable], date_column: str) -> None:
        """Refuse input without the columns that are read, or without a usable row."""
        reading, files = self.reading, ", ".join(self.options.files)
        by_label = not all(table.label or table.outlet for table in tables)
        needs = [] if reading.articles else ["headline", "article", *(["label"] if by_label else [])]
        advice = f",date={date_column}" if date_column else ""
        if self.addresses:
            advice += f",id={next(iter(self.addresses))}"
        advice += ", or give each file its outlet, as in left=a.csv right=b.csv" if by_label else ""
        present = dict.fromkeys(name for table in tables for name in table.columns)
        check_columns(files, present, self.columns, COLUMNS, needs=needs, advice=advice)
        if not reading.articles:
            mend = "correct them, or give --columns, as in headline=title, or --labels"
            if reading.reasons.most_common(1)[0][0] in (UNREADABLE, TOO_OLD, *KNOWN_FAULTS):
                mend = "correct them, or leave the dates unread by --columns date="
            elif " is no text: a dict with the fields " in reading.rejected[0].reason:
                mend = 'write a row an object with to_json(orient="records"), and '
                mend += "fields as columns with pandas.json_normalize"
            first = {item.kind: item.reason for item in reversed(reading.rejected)}
            reasons = _counts(Counter({first[kind]: count for kind, count in reading.reasons.items()}))
            raise RefusedError(f"no row of {files} can be used ({reasons}): {mend}", reading.rejected)

    def _note_addresses(self, values: Mapping[str, Any]) -> None:
        """Keep the columns that have had another address of the Web in each row."""
        if self.addresses is None:
            self.addresses = {name: set() for name in values}
        for name, seen in list(self.addresses.items()):
            value = values.get(name)
            if isinstance(value, str) and _ADDRESS.match(value) and value not in seen:
                seen.add(value)
            else:
                del self.addresses[name]

    def unread_dates(self) -> str:
        """A column that is not read and holds dates; empty without any."""
        read = {name.lower() for several in self.columns.values() for name in several}
        for name in dict.fromkeys(chain.from_iterable(self.undated)):
            values = [row[name] for row in self.undated if not is_missing(row.get(name))]
            texts = all(isinstance(value, str | date) and not str(value).isdecimal() for value in values)
            with suppress(ValueError):
                days = [both_orders(value) or parse_date(value) for value in values if texts]
                if name.lower() not in read and any(days):
                    return name
        return ""


def _name_outlets(reading: Reading, outlets: Outlets | None, tables: Sequence[InputTable]) -> None:
    """Give the articles the short names of their outlets: of those asked for, else those that the input names in their order, then sorted."""
    labels = {article.label for article in reading.articles}
    if outlets is None:
        first = [label for label in dict.fromkeys(table.label for table in tables) if label in labels]
        in_order = first + sorted(labels.difference(first))
        if len(in_order) != 2:
            mend = "give files of two outlets, or choose two labels, as in --labels left,right"
            raise reading.refused(f"the labels of usable rows are {listed(in_order, 5)}: {mend}")
        is_change_it = labels == {*KNOWN_LABELS} and all(
            table.outlet or LAYOUT.issuperset(table.columns) for table in tables
        )
        names = KNOWN_LABELS if is_change_it else {label: label for label in in_order}
        (a_label, a), (b_label, b) = names.items()
        outlets = Outlets(a, b, a_label, b_label)
    for label, name in ((outlets.a_label, outlets.a), (outlets.b_label, outlets.b)):
        if not labels & {label, name}:
            mend = "give files of both outlets, or correct --labels"
            raise reading.refused(f"no usable row has the label {label!r}: {mend}")
    reading.outlets = outlets
    reading.articles = [
        replace(article, label=outlets.name_of(article.label) or article.label)
        for article in reading.articles
    ]


def _drop_repeated(reading: Reading) -> None:
    """Keep of the versions of an id the newest and longest with the first date, and of those of a text the oldest."""

    def is_best(key: Callable[[Article], str], rank: Callable[[Article], Any]) -> list[bool]:
        ranked = sorted(enumerate(reading.articles), key=lambda placed: rank(placed[1]))
        kept = {*{(article.label, key(article)): place for place, article in ranked}.values()}
        return [place in kept for place in range(len(ranked))]

    newest = is_best(lambda a: a.id, lambda a: (a.date or date.min, len(a.article), a.headline, a.article))
    newest_first = sorted((a for a in reading.articles if a.date), key=lambda a: str(a.date), reverse=True)
    first_day = {(a.label, a.id): a.date for a in newest_first}  # that of the event
    reading.articles = [replace(a, date=first_day.get((a.label, a.id))) for a in reading.articles]
    reading.keep("duplicate id", newest)
    oldest = is_best(lambda a: a.article, lambda a: (-(a.date or date.max).toordinal(), a.headline, a.id))
    reading.keep("repeated article", oldest)


def _with_own_ids(articles: list[Article]) -> list[Article]:
    """The articles, with an id of its own where outlets use the same."""
    outlets = Counter(id_ for id_, _ in {(article.id, article.label) for article in articles})
    shared = [id_ for id_, count in outlets.items() if count > 1]
    separator, names = "-", {article.label for article in articles}
    while any(f"{name}{separator}{id_}" in outlets for id_ in shared for name in names):
        separator += "-"
    return [replace(a, id=f"{a.label}{separator}{a.id}") if outlets[a.id] > 1 else a for a in articles]


def _losses(reading: Reading) -> list[Issue]:
    """Return the issues of outlets that lost many rows."""
    issues = []
    for name in reading.outlets.names:
        counts = Counter(row.kind for row in reading.rejected if reading.outlets.name_of(row.label) == name)
        total = counts.total() + sum(article.label == name for article in reading.articles)
        if total >= MIN_ROWS and counts.total() >= REPORT_SHARE * total:
            advice = "see rejected.csv"
            if counts.most_common(1)[0][0] == "duplicate id":
                advice = "of one id the newest row is kept, with the first date; ids such as 1.58292E+18 are left out by --columns id="
            issues.append(
                Issue("rows were rejected", name, counts.total(), total, _counts(counts, 3), advice)
            )
    return issues


def _without_late_days(reading: Reading) -> list[Issue]:
    """Return the issue of dates none of which is after the twelfth of its month: the day may stand where the month is read."""
    days = {article.date for article in reading.articles if article.date}
    if len(days) < MIN_ROWS or any(day.day > 12 for day in days) or len({day.day for day in days}) == 1:
        return []
    example = f"{min(days)} and {max(days)}"
    advice = "if the day stands where the month is read, write all dates as 2024-03-06"
    total = len(reading.articles)
    return [Issue("dates have no day after the twelfth", "", total, total, example, advice)]


def _day_first(name: str, dates: Sequence[tuple[str, dict[bool, date | None]]]) -> bool:
    """Whether the day comes first in the dates of a table that can be read in one order alone; refused where they do not tell."""
    example = {min(days): where for where, days in reversed(dates) if len(days) == 1}
    if len(example) == 1:
        return next(iter(example))
    where, days = dates[0]
    fault = f"{where} is {days[True]} with the day first and {days[False]} with the month first" if not example else f"{example[True]} has the day first and {example[False]} the month"  # fmt: skip
    mend = "give --dayfirst True or --dayfirst False, or write all dates as 2024-03-06"
    raise InputError(f"{name}: {fault}: {mend}")


def _foreign_order(name: str, example: str) -> str:
    """Return why a table is refused that has a date such as `2023-14-01` or `03.15.2024`."""
    fault = f"{example} has the day where the month is read, so other dates of the file would be wrong"
    return f"{name}: {fault}: write all dates as 2024-03-06, or leave them unread by --columns date="


def write_rejected(path: Path, rejected: Iterable[Rejection]) -> None:
    """Write the rows that were rejected as CSV."""
    rows = ([item.file, item.line, item.id, item.reason] for item in rejected)
    write_table(path, ("file", "line", "id", "reason"), rows, quote_formulas=True)
