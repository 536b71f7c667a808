"""Read articles of two outlets from files of any known kind; keep what cannot be used with its reason."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any, get_args

from change_it.corpus.reading.article import KNOWN_LABELS, Alignment, Article, Outlets
from change_it.corpus.reading.bounds import MIN_ROWS, REPORT_SHARE
from change_it.corpus.reading.dates import KNOWN_FAULTS, both_orders, has_foreign_order, parse_date
from change_it.corpus.reading.issues import Issue, strip_boilerplate
from change_it.corpus.reading.options import ReadingOptions
from change_it.errors import InputError
from change_it.files.atomic import write_table
from change_it.files.rows import InputTable, Record, check_columns, parse_columns, read_tables
from change_it.files.texts import cell_text, is_missing, join_truncated, length_fault, pluralise
from change_it.text import cleaning
from change_it.text.escapes import escape_in, unescaped

#: Each of our columns to its names in the input, where no column map is given. `full_text` and `full` are
#: those of CHANGE-IT on the Hub.
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "headline": ("headline",),
    "article": ("article", "full_text", "full"),
    "label": ("label",),
    "date": ("date",),
    "alignment": ("alignment",),
}
#: The first day on which an article can have appeared.
EARLIEST_DAY = date(1900, 1, 1)
#: How long after today an article can appear, for clocks differ.
TOLERANCE = timedelta(days=2)
#: The reason against a date that is none.
UNREADABLE = "unreadable date"
#: The reason against a date on which no article can have appeared.
OUT_OF_RANGE = "date before 1900 or in the future"
#: The columns of CHANGE-IT's files, whose labels have short names.
CHANGE_IT_COLUMNS = frozenset(("id", "headline", "article", "full_text", "full", "label", "alignment"))
#: An outlet with fewer than `MIN_ROWS` articles is too small if the other one has so many times as many.
FAR_MORE = 5
#: Rows of a table in which dates are looked for.
ROWS_WITH_DATES = 50
#: How an address of the Web begins.
_ADDRESS = re.compile(r"https?://\S")


@dataclass(frozen=True, slots=True)
class Repair:
    """A fault that `--mend` repairs in a text.

    Attributes:
        fault: the fault, as the report names it.
        repair: returns a text without it.
        find_rest: returns a place of a text where it is left; empty without any.
    """

    fault: str
    repair: Callable[[str], str]
    find_rest: Callable[[str], str]


#: What `--mend` repairs, in this order.
REPAIRS = (
    Repair("texts had escapes in the place of characters", unescaped, escape_in),
    Repair("texts were encoded as UTF-8 twice", cleaning.decoded, cleaning.garbled_in),
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be used.

    Attributes:
        file: The file as given, or `hf://owner/name/config/split`.
        line: Its line, from 1; in JSON lists, parquet and data sets the number of the row.
        id: Its id, given or made.
        reason: A short phrase, after a colon the value at fault: `unreadable date: domani`.
        label: The label of its outlet, as far as it is known.
    """

    file: str
    line: int
    id: str
    reason: str
    label: str = ""

    @property
    def kind(self) -> str:
        """Return the reason without the value."""
        return self.reason.partition(":")[0]


class RefusedError(InputError):
    """Input of which too little is left, with the rows that were rejected."""

    def __init__(self, message: str, rejected: Sequence[Rejection]) -> None:
        super().__init__(message)
        self.rejected = rejected

    def __reduce__(self) -> tuple[type, tuple[str, Sequence[Rejection]]]:
        """Return the class and the arguments by which another process makes the error again."""
        return type(self), (str(self), self.rejected)


@dataclass(slots=True)
class Reading:
    """The content of the input, in its order: `len(articles) + len(rejected) == rows`.

    Attributes:
        articles: The articles that can be used.
        rejected: The rows that cannot be.
        rows: Number of all rows.
        outlets: The two outlets.
        places: File and line of each article, for rows that later steps reject.
        day_first: By file whether the day comes before the month, where its dates decided.
        issues: What is to be said of rows that were rejected or not read.
        mended: What was taken off or repaired.
    """

    articles: list[Article]
    rejected: list[Rejection]
    rows: int
    outlets: Outlets
    places: list[tuple[str, int]]
    day_first: dict[str, bool] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    mended: list[Issue] = field(default_factory=list)

    @property
    def reasons(self) -> Counter[str]:
        """Count the rejected rows by kind."""
        return Counter(item.kind for item in self.rejected)

    def keep(self, reason: str, is_kept: Sequence[bool]) -> None:
        """Reject the articles that are not kept, for this reason; `is_kept` has a value for each article."""
        articles = []
        places = []
        for article, place, kept in zip(self.articles, self.places, is_kept, strict=True):
            if kept:
                articles.append(article)
                places.append(place)
            else:
                file, line = place
                self.rejected.append(Rejection(file, line, article.id, reason, article.label))
        self.articles = articles
        self.places = places

    def refused(self, message: str) -> RefusedError:
        """Return the error that refuses the input, with the reasons of rejected rows.

        The reasons come first where most rows were rejected.
        """
        counts = Counter(f"{item.kind} of {item.label or 'no outlet'}" for item in self.rejected)
        if not counts:
            return RefusedError(message, self.rejected)
        reasons = _counts_text(counts)
        if _most_frequent(self.reasons) == "duplicate id":
            reasons += "; leave wrong ids, such as 1.58292E+18, unread by --columns id="
        if 2 * len(self.rejected) <= self.rows:
            return RefusedError(f"{message}; rejected are {reasons}", self.rejected)
        share = f"{len(self.rejected):,} of {self.rows:,} rows were rejected"
        return RefusedError(f"{share}: {reasons}; of the rest, {message}", self.rejected)

    @property
    def few(self) -> str:
        """Say which outlet has far fewer articles than the other one; empty where none has."""
        counts = Counter(article.label for article in self.articles)
        rare, frequent = sorted(self.outlets.names, key=lambda name: counts[name])
        if counts[rare] >= MIN_ROWS or counts[frequent] < FAR_MORE * counts[rare]:
            return ""
        has = f"{rare} has {pluralise(counts[rare], 'article')}, {frequent} {counts[frequent]:,}"
        return f"{has}: give more of {rare}"


def _counts_text(counts: Counter[str], most: int = 10) -> str:
    """Return counts as text, the highest first: `12 empty article, 3 unreadable date`."""
    parts = [f"{count:,} {name}" for name, count in counts.most_common()]
    return join_truncated(parts, most)


def _most_frequent(counts: Counter[str]) -> str:
    """Return the most frequent of counted names; empty without any."""
    for name, _ in counts.most_common(1):
        return name
    return ""


def read_articles(options: ReadingOptions) -> Reading:
    """Read, check and clean the articles of two outlets.

    A row without an id gets `<file stem>-<row>`. All rows of `OUTLET=FILE` are that outlet's, whatever their
    label. An id that both outlets use becomes `rep-123` and `gio-123`. Without a label column the outlet
    comes from `repubblica` or `ilgiornale` in the name of the file, its folder or Hub config.

    An empty date is None; one that cannot be read, before 1900 or in the future is rejected. Whether the day
    or the month comes first in `06/03/2024` is decided by each file's dates with a field above 12.
    """
    if options.other_outlets and not options.labels:
        raise InputError("--other-outlets requires --labels with two labels, as in --labels Post,Herald")
    reader = _Reader(options)
    tables = read_tables(options.files, reader.columns)
    for table in tables:
        reader.take_table(table)
    reading = reader.reading
    if not reading.rows:
        raise InputError(f"{', '.join(options.files)} holds no rows: give files with articles")
    date_column = reader.unread_dates()
    reader.check(tables, date_column)
    _name_outlets(reading, reader.outlets, tables)
    if options.mend:
        reading.articles, reading.mended = strip_boilerplate(reading.articles, reading.outlets.names)
        reading.mended += reader.repairs(reading.outlets)
        is_whole = [bool(article.headline and article.article) for article in reading.articles]
        reading.keep("empty article", is_whole)
    _drop_repeated(reading)
    order = {table.name: number for number, table in enumerate(tables)}
    reading.rejected.sort(key=lambda item: (order[item.file], item.line))
    reading.articles = _with_own_ids(reading.articles)
    reading.issues = [*_losses(reading), *_without_late_days(reading)]
    if date_column:
        advice = f"give --columns date={date_column}, or date= to leave it unread"
        unread = Issue(
            name="rows have no date that is read",
            outlet="",
            count=reading.rows,
            total=reading.rows,
            example=date_column,
            advice=advice,
        )
        reading.issues.append(unread)
    return reading


class _Reader:
    """Makes articles of rows; until the outlets are known they carry the label of the input.

    Attributes:
        reading: What was read so far.
        repaired: Number of texts that were repaired, by label and fault.
        texts: Number of all texts by label.
        undated: Some rows without a date.
        addresses: The columns that have another address of the Web in each row, with these; None before the
            first row.
    """

    def __init__(self, options: ReadingOptions) -> None:
        self.options = options
        self.columns = parse_columns(options.columns, COLUMNS)
        self.outlets = Outlets.parse(options.labels) if options.labels else None
        self.latest_day = date.today() + TOLERANCE
        # the outlets are known only when all rows are read
        unnamed = Outlets(a="", b="", a_label="", b_label="")
        self.reading = Reading(articles=[], rejected=[], rows=0, outlets=unnamed, places=[])
        self.repaired: Counter[tuple[str, str]] = Counter()
        self.texts: Counter[str] = Counter()
        self.undated: list[Mapping[str, Any]] = []
        self.addresses: dict[str, set[str]] | None = None

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
            is_same_day = len(days) == 2 and days[True] == days[False]
            if days and not is_same_day:
                dates.append((f"{written} in line {row.line}", days))
        self.reading.rows += len(rows)
        day_first = self.options.dayfirst
        if day_first is None and dates:
            day_first = _day_first(table.name, dates)
            self.reading.day_first[table.name] = day_first
        for line, article in rows:
            if isinstance(article, Article):
                article = self._with_day(article, table.name, line, day_first)
            if isinstance(article, Rejection):
                self.reading.rejected.append(article)
            else:
                self.reading.articles.append(article)
                self.reading.places.append((table.name, line))

    def _article(self, table: InputTable, row: Record, number: int) -> Article | Rejection:
        """Return the article of a row, with its date still as it is written, or the rejection of the row."""
        if "id" not in row.cells:
            self._note_addresses(row.values)
        if number <= ROWS_WITH_DATES and self.columns["date"] and "date" not in row.cells:
            self.undated.append(row.values)
        id_ = f"{table.stem}-{number}"
        label = ""
        try:
            id_ = cleaning.visible(cell_text(row.cells.get("id"), "id")) or id_
            label = self._label(table, row)
            is_asked_for = self.outlets is None or label in self.outlets.names
            if not is_asked_for and not self.options.other_outlets:
                raise InputError(f"unknown label: {label}")
            headline = self._words(row, "headline", label)
            body = self._words(row, "article", label)
            alignment: Any = cell_text(row.cells.get("alignment"), "alignment").strip() or None
            if alignment not in (None, *get_args(Alignment)):
                raise InputError(f"unknown alignment: {alignment}")
            return Article(
                id=id_,
                label=label,
                headline=headline,
                article=body,
                date=row.cells.get("date"),
                alignment=alignment,
            )
        except InputError as error:
            return Rejection(file=table.name, line=row.line, id=id_, reason=str(error), label=label)

    def _label(self, table: InputTable, row: Record) -> str:
        """Return the label of a row: its outlet's short name where outlets are asked for by name."""
        label = cleaning.clean(table.label)
        if not label and "label" not in row.cells:
            label = table.outlet or ""
        if not label:
            label = self._words(row, "label")
        if self.outlets is None:
            return label
        return self.outlets.name_of(label) or label

    def _words(self, row: Record, column: str, label: str = "") -> str:
        """Return the cleaned text of a cell, which `--mend` repairs.

        Raises:
            InputError: the column is missing, or the cell is empty, too long or no text.
        """
        if column not in row.cells:
            raise InputError(f"missing column {' or '.join(self.columns[column]) or column}")
        cell = row.cells[column]
        if column != "article" and isinstance(cell, list) and len(cell) > 1:
            texts = [str(item) for item in cell]
            raise InputError(f"{column} is a list of texts: {join_truncated(texts, 3)}")
        text = cell_text(cell, column)
        fault = length_fault(column, text)
        if fault:
            raise InputError(fault)
        self.texts[label] += 1
        text = self._repair(text, label) if self.options.mend else cleaning.clean(text)
        if not text:
            raise InputError(f"empty {column}")
        return text

    def _repair(self, text: str, label: str) -> str:
        """Return the cleaned text after all `REPAIRS`, and count those that changed it and left no rest."""
        repaired, repairs = _repaired(text)
        cleaned = cleaning.clean(repaired)
        # cleaning shows what stood in references of HTML
        repaired, later_repairs = _repaired(cleaned)
        if repaired != cleaned:
            cleaned = cleaning.clean(repaired)
        for each in REPAIRS:
            is_used = each in repairs or each in later_repairs
            if is_used and not each.find_rest(cleaned):
                self.repaired[label, each.fault] += 1
        return cleaned

    def repairs(self, outlets: Outlets) -> list[Issue]:
        """Return what was repaired in the texts of the two outlets."""
        issues = []
        for (label, fault), count in self.repaired.items():
            name = outlets.name_of(label)
            if name and count:
                total = self.texts[label]
                issues.append(Issue(name=fault, outlet=name, count=count, total=total, example="", advice=""))
        return issues

    def _with_day(
        self, article: Article, file: str, line: int, day_first: bool | None
    ) -> Article | Rejection:
        """Return an article with its date read, or why the date cannot be one of an article."""
        written = article.date
        try:
            day = parse_date(written, day_first=bool(day_first))
        except ValueError as error:
            fault = str(error)
            if fault not in KNOWN_FAULTS:
                fault = UNREADABLE
            return Rejection(file, line, article.id, f"{fault}: {written}", article.label)
        if day and not EARLIEST_DAY <= day <= self.latest_day:
            return Rejection(file, line, article.id, f"{OUT_OF_RANGE}: {written}", article.label)
        return replace(article, date=day)

    def check(self, tables: Sequence[InputTable], date_column: str) -> None:
        """Refuse input without the columns that are read, or without a usable row."""
        files = ", ".join(self.options.files)
        has_outlets = all(table.label or table.outlet for table in tables)
        needed: list[str] = []
        if not self.reading.articles:
            needed = ["headline", "article"]
            if not has_outlets:
                needed.append("label")
        advice = ""
        if date_column:
            advice += f",date={date_column}"
        if self.addresses:
            first_column = next(iter(self.addresses))
            advice += f",id={first_column}"
        if not has_outlets:
            advice += ", or give each file its outlet, as in left=a.csv right=b.csv"
        present: dict[str, None] = {}
        for table in tables:
            present.update(table.columns)
        check_columns(files, present, self.columns, COLUMNS, needs=needed, advice=advice)
        if not self.reading.articles:
            raise self._no_row_is_usable(files)

    def _no_row_is_usable(self, files: str) -> RefusedError:
        """Return the error of input all of whose rows were rejected."""
        rejected = self.reading.rejected
        kinds = self.reading.reasons
        mend = "correct them, or give --columns, as in headline=title, or --labels"
        if _most_frequent(kinds) in (UNREADABLE, OUT_OF_RANGE, *KNOWN_FAULTS):
            mend = "correct them, or leave the dates unread by --columns date="
        elif " is no text: a dict with the fields " in rejected[0].reason:
            mend = (
                'write a row an object with to_json(orient="records"), '
                "and fields as columns with pandas.json_normalize"
            )
        first_reasons: dict[str, str] = {}
        for item in rejected:
            first_reasons.setdefault(item.kind, item.reason)
        counts = Counter({first_reasons[kind]: count for kind, count in kinds.items()})
        reasons = _counts_text(counts)
        return RefusedError(f"no row of {files} can be used ({reasons}): {mend}", rejected)

    def _note_addresses(self, values: Mapping[str, Any]) -> None:
        """Keep the columns that have had a different address of the Web in every row so far, such as ids."""
        if self.addresses is None:
            self.addresses = {name: set() for name in values}
        for name, seen in list(self.addresses.items()):
            value = values.get(name)
            if isinstance(value, str) and _ADDRESS.match(value) and value not in seen:
                seen.add(value)
            else:
                del self.addresses[name]

    def unread_dates(self) -> str:
        """Return a column that is not read and holds dates; empty without any."""
        read: set[str] = set()
        for names in self.columns.values():
            read.update(name.lower() for name in names)
        present: dict[str, None] = {}
        for row in self.undated:
            present.update(dict.fromkeys(row))
        for name in present:
            if name.lower() not in read and self._holds_dates(name):
                return name
        return ""

    def _holds_dates(self, column: str) -> bool:
        """Tell whether all cells of a column in the rows without a date are dates; a year alone is none."""
        days = []
        for row in self.undated:
            value = row.get(column)
            if is_missing(value):
                continue
            if not isinstance(value, str | date) or str(value).isdecimal():
                return False
            try:
                days.append(both_orders(value) or parse_date(value))
            except ValueError:
                return False
        # nothing is found where all cells are empty
        return any(days)


def _repaired(text: str) -> tuple[str, list[Repair]]:
    """Return a text after all `REPAIRS`, and those that changed it."""
    used = []
    for each in REPAIRS:
        repaired = each.repair(text)
        if repaired != text:
            used.append(each)
        text = repaired
    return text, used


def _name_outlets(reading: Reading, outlets: Outlets | None, tables: Sequence[InputTable]) -> None:
    """Give the articles the short names of their outlets.

    These are the outlets that were asked for. Without any they are those of `OUTLET=FILE` in the input's
    order, then the other labels, sorted.
    """
    labels = {article.label for article in reading.articles}
    if outlets is None:
        outlets = _outlets_found(reading, labels, tables)
    for label, name in ((outlets.a_label, outlets.a), (outlets.b_label, outlets.b)):
        if label not in labels and name not in labels:
            mend = "give files of both outlets, or correct --labels"
            raise reading.refused(f"no usable row has the label {label!r}: {mend}")
    reading.outlets = outlets
    named = []
    for article in reading.articles:
        name = outlets.name_of(article.label) or article.label
        named.append(replace(article, label=name))
    reading.articles = named


def _outlets_found(reading: Reading, labels: set[str], tables: Sequence[InputTable]) -> Outlets:
    """Return the two outlets whose labels the articles have; an error where they are not two."""
    in_order = [label for label in dict.fromkeys(table.label for table in tables) if label in labels]
    in_order += sorted(labels.difference(in_order))
    if len(in_order) != 2:
        mend = "give files of two outlets, or choose two labels, as in --labels left,right"
        raise reading.refused(f"the labels of usable rows are {join_truncated(in_order, 5)}: {mend}")
    if labels == set(KNOWN_LABELS) and all(_is_of_change_it(table) for table in tables):
        (a_label, a), (b_label, b) = KNOWN_LABELS.items()
        return Outlets(a=a, b=b, a_label=a_label, b_label=b_label)
    a, b = in_order
    return Outlets(a=a, b=b, a_label=a, b_label=b)


def _is_of_change_it(table: InputTable) -> bool:
    """Tell whether a table may be one of CHANGE-IT's, by its name or columns."""
    return bool(table.outlet) or CHANGE_IT_COLUMNS.issuperset(table.columns)


def _drop_repeated(reading: Reading) -> None:
    """Keep one version of each id, and one article of each text, and reject the others.

    Of the versions of an id the newest is kept, and the longest of those of one day. It gets the first date
    of all versions, which is the day of the event. Of articles with the same text the oldest is kept.
    """
    is_newest = _is_best(reading.articles, _outlet_and_id, _newest_and_longest)
    first_days: dict[tuple[str, str], date] = {}
    for article in reading.articles:
        if article.date:
            version = _outlet_and_id(article)
            first_days[version] = min(article.date, first_days.get(version, article.date))
    dated = []
    for article in reading.articles:
        dated.append(replace(article, date=first_days.get(_outlet_and_id(article))))
    reading.articles = dated
    reading.keep("duplicate id", is_newest)
    is_oldest = _is_best(reading.articles, _outlet_and_text, _oldest)
    reading.keep("repeated article", is_oldest)


def _is_best(
    articles: Sequence[Article],
    group_of: Callable[[Article], tuple[str, str]],
    rank_of: Callable[[Article], tuple[Any, ...]],
) -> list[bool]:
    """Tell for each article whether it has the highest rank of its group; the last one among equals has."""
    best: dict[tuple[str, str], int] = {}
    for place, article in enumerate(articles):
        group = group_of(article)
        if group not in best or rank_of(article) >= rank_of(articles[best[group]]):
            best[group] = place
    kept = set(best.values())
    return [place in kept for place in range(len(articles))]


def _outlet_and_id(article: Article) -> tuple[str, str]:
    """Return the group of an article's versions: its outlet and its id."""
    return article.label, article.id


def _outlet_and_text(article: Article) -> tuple[str, str]:
    """Return the group of an article that is printed again: its outlet and its text."""
    return article.label, article.article


def _newest_and_longest(article: Article) -> tuple[date, int, str, str]:
    """Return a rank that is the higher, the newer an article is, and then the longer."""
    return article.date or date.min, len(article.article), article.headline, article.article


def _oldest(article: Article) -> tuple[int, str, str]:
    """Return a rank that is the higher, the older an article is; one without a date counts as the newest."""
    day = article.date or date.max
    return -day.toordinal(), article.headline, article.id


def _with_own_ids(articles: list[Article]) -> list[Article]:
    """Return the articles; an id that several outlets use gets the name of the outlet before it."""
    ids_with_outlets = {(article.id, article.label) for article in articles}
    outlets_of_id = Counter(id_ for id_, _ in ids_with_outlets)
    shared = [id_ for id_, count in outlets_of_id.items() if count > 1]
    labels = {article.label for article in articles}
    separator = "-"
    # no new id may be that of another article
    while any(f"{label}{separator}{id_}" in outlets_of_id for label, id_ in product(labels, shared)):
        separator += "-"
    with_own = []
    for article in articles:
        if outlets_of_id[article.id] > 1:
            article = replace(article, id=f"{article.label}{separator}{article.id}")
        with_own.append(article)
    return with_own


def _losses(reading: Reading) -> list[Issue]:
    """Return the issues of outlets that lost many rows."""
    issues = []
    for name in reading.outlets.names:
        kinds = Counter(row.kind for row in reading.rejected if reading.outlets.name_of(row.label) == name)
        rejected = kinds.total()
        total = rejected + sum(article.label == name for article in reading.articles)
        if total < MIN_ROWS or rejected < REPORT_SHARE * total:
            continue
        advice = "see rejected.csv"
        if _most_frequent(kinds) == "duplicate id":
            advice = (
                "of one id the newest row is kept, with the first date; "
                "ids such as 1.58292E+18 are left out by --columns id="
            )
        reasons = _counts_text(kinds, 3)
        issue = Issue(
            name="rows were rejected",
            outlet=name,
            count=rejected,
            total=total,
            example=reasons,
            advice=advice,
        )
        issues.append(issue)
    return issues


def _without_late_days(reading: Reading) -> list[Issue]:
    """Return the issue of dates none of which is after the twelfth of its month.

    The day may stand where the month is read.
    """
    dates = {article.date for article in reading.articles if article.date}
    days_of_month = {day.day for day in dates}
    if len(dates) < MIN_ROWS or max(days_of_month) > 12 or len(days_of_month) == 1:
        return []
    example = f"{min(dates)} and {max(dates)}"
    advice = "if the day stands where the month is read, write all dates as 2024-03-06"
    total = len(reading.articles)
    name = "dates have no day after the twelfth"
    return [Issue(name=name, outlet="", count=total, total=total, example=example, advice=advice)]


def _day_first(name: str, dates: Sequence[tuple[str, dict[bool, date | None]]]) -> bool:
    """Tell whether the day comes first in a table, by its dates that can be read in one order alone.

    Args:
        name: the table, for the message.
        dates: where each date stands, for the message, and the days that it may be, from `both_orders`.

    Raises:
        InputError: no date tells, or they differ.
    """
    places: dict[bool, str] = {}
    for place, days in dates:
        if len(days) == 1:
            (is_day_first,) = days
            places.setdefault(is_day_first, place)
    if len(places) == 1:
        (is_day_first,) = places
        return is_day_first
    if places:
        fault = f"{places[True]} has the day first and {places[False]} the month"
    else:
        place, days = dates[0]
        fault = f"{place} is {days[True]} with the day first and {days[False]} with the month first"
    mend = "give --dayfirst True or --dayfirst False, or write all dates as 2024-03-06"
    raise InputError(f"{name}: {fault}: {mend}")


def _foreign_order(name: str, example: str) -> str:
    """Return the message that refuses a table with a date such as `2023-14-01` or `03.15.2024`."""
    fault = f"{example} has the day where the month is read, so other dates of the file would be wrong"
    return f"{name}: {fault}: write all dates as 2024-03-06, or leave them unread by --columns date="


def write_rejected(path: Path, rejected: Iterable[Rejection]) -> None:
    """Write the rejected rows as a CSV file."""
    rows = ([item.file, item.line, item.id, item.reason] for item in rejected)
    write_table(path, ("file", "line", "id", "reason"), rows, quote_formulas=True)
