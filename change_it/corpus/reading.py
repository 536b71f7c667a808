"""From files of any of the known kinds to articles of two outlets; what cannot be used is kept with its reason."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import NamedTuple, get_args

from change_it.corpus import cleaning
from change_it.corpus.article import KNOWN_LABELS, Alignment, Article, Outlets
from change_it.corpus.corpus_options import ReadingOptions
from change_it.corpus.dates import both_orders, parse_date
from change_it.errors import InputError
from change_it.io import InputRow, InputTable, cell_text, listed, parse_columns, read_tables

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
_MISSING = object()
#: What our columns might be called elsewhere.
_EXAMPLES = {"headline": "title", "article": "body", "label": "paper"}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be used."""

    file: str  # as given, or `hf://owner/name/config/split`
    line: int  # from 1; in JSON lists, parquet and on the Hub the number of the row
    id: str  # given or made
    reason: str  # a short phrase, after a colon the value at fault: `implausible date: 2050-01-01`

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

    @property
    def warnings(self) -> list[str]:
        """One sentence where more than a fifth of the rows are rejected."""
        if len(self.rejected) * 5 <= self.rows:
            return []
        ((reason, count),) = self.reasons.most_common(1)
        first = next(item for item in self.rejected if item.kind == reason)
        return [
            f"{len(self.rejected):,} of {self.rows:,} rows are rejected, {count:,} of them with {reason!r}, the first in "
            f"{first.file}, line {first.line} ({listed([first.reason])})"
        ]

    @property
    def reasons(self) -> Counter[str]:
        """Number of rejected rows by reason, without the values at fault."""
        return Counter(item.kind for item in self.rejected)


def read_articles(options: ReadingOptions) -> Reading:
    """Read, check and clean the articles of two outlets.

    A row without an id gets `<file stem>-<row>`. All rows of `OUTLET=FILE` are that outlet's, whatever their label. An id that
    both outlets use is taken for a shared one, the mark of partners: each article keeps it as `shared_id` and is called
    `rep-123` or `gio-123` itself. Without a label column the outlet comes from `repubblica` or `ilgiornale` in the name of the
    file, its folder or Hub config.
    An empty date is None; one that cannot be read, before 1900 or in the future is rejected. Whether the day or the month
    comes first in `06/03/2024` is decided by each file's dates with a field above 12.
    """
    if options.other_outlets and not options.labels:
        raise InputError("--other-outlets requires --labels with two labels, as in --labels Post,Herald")
    reader = _Reader(
        parse_columns(options.columns, COLUMNS),
        Outlets.parse(options.labels) if options.labels else None,
        options.dayfirst,
        options.other_outlets,
    )
    for table in read_tables(options.files):
        reader.take_table(table)
    return reader.reading(", ".join(options.files))


class _RejectedError(Exception):
    """A row that cannot be used; the message is the reason."""


class _Cleaned(NamedTuple):
    """A row as far as it can be settled on its own."""

    line: int
    id: str
    article: Article | str  # or why there is none
    written: str | None = None  # the article's date, where its order is open


@dataclass
class _Reader:
    """Makes articles of rows; until `reading` knows the outlets they carry the label of the input."""

    columns: dict[str, tuple[str, ...]]
    outlets: Outlets | None
    day_first: bool | None
    others: bool  # whether labels other than the outlets' are kept
    today: date = field(default_factory=date.today)
    articles: list[Article] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    seen_columns: dict[str, None] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)  # outlets that the input names, in order
    label_is_read: bool = False  # whether a table is of no one outlet
    ids: set[tuple[str, str]] = field(default_factory=set)
    texts: set[tuple[str, str]] = field(default_factory=set)
    days_first: dict[str, bool] = field(default_factory=dict)  # by file, where its dates decided

    def take_table(self, table: InputTable) -> None:
        """Take the rows of a table; those from the first date on whose order is open wait for the last."""
        if table.label:
            self.labels[table.label] = None
        elif not table.outlet:
            self.label_is_read = True
        waiting: list[_Cleaned] = []
        for number, row in enumerate(table.rows, start=1):
            cleaned = self._cleaned(table, row, number)
            if waiting or cleaned.written:
                waiting.append(cleaned)
            else:
                self._take(table.name, cleaned, cleaned.article)
        self.seen_columns.update(table.columns)
        if not waiting:
            return
        day_first = _day_first(table.name, waiting)
        if day_first is not None:
            self.days_first[table.name] = day_first
        for cleaned in waiting:
            self._take(table.name, cleaned, self._dated(cleaned, bool(day_first)))

    def _take(self, name: str, row: _Cleaned, article: Article | str) -> None:
        """Keep an article, or a row with its reason."""
        if not isinstance(article, str):
            if (article.label, article.id) in self.ids:
                article = "duplicate id"
            elif (article.label, article.article) in self.texts:
                article = "repeated article"
        if isinstance(article, str):
            self.rejected.append(Rejection(name, row.line, row.id, article))
            return
        self.ids.add((article.label, article.id))
        self.texts.add((article.label, article.article))
        self.articles.append(article)
        self.places.append((name, row.line))

    def _cleaned(self, table: InputTable, row: InputRow, number: int) -> _Cleaned:
        id_ = cleaning.visible(cell_text(self._cell(row.values, "id"))) or f"{table.stem}-{number}"
        try:
            return _Cleaned(row.line, id_, *self._article(table, row, id_))
        except _RejectedError as error:
            return _Cleaned(row.line, id_, str(error))

    def _dated(self, row: _Cleaned, day_first: bool) -> Article | str:
        """The article with its date by the order that its file has; why there is none."""
        if row.written is None or isinstance(row.article, str):
            return row.article
        try:
            return replace(row.article, date=self._possible(both_orders(row.written)[day_first], row.written))
        except KeyError:
            return f"unreadable date: {row.written}"
        except _RejectedError as error:
            return str(error)

    def _article(self, table: InputTable, row: InputRow, id_: str) -> tuple[Article, str | None]:
        label = self._label(table, row.values)
        headline, body = (self._words(row.values, column) for column in ("headline", "article"))
        day = self._date(row.values)
        alignment = cell_text(self._cell(row.values, "alignment")).strip() or None
        if alignment not in (None, *get_args(Alignment)):
            raise _RejectedError(f"unknown alignment: {alignment}")
        written, settled = (day, None) if isinstance(day, str) else (None, day)
        return Article(id_, label, headline, body, settled, alignment), written  # type: ignore[arg-type]  # checked above

    def _label(self, table: InputTable, values: Mapping[str, object]) -> str:
        """Short name where --labels is given, the label of the input otherwise."""
        label = cleaning.clean(table.label) if table.label else self._words(values, "label", table.outlet)
        name = self.outlets.name_of(label) if self.outlets else label
        if name is None and not self.others:
            raise _RejectedError(f"unknown label: {label}")
        return name or label

    def _words(self, values: Mapping[str, object], column: str, otherwise: str | None = None) -> str:
        """The text of a column; `otherwise` where there is no such column."""
        value = self._cell(values, column, _MISSING if otherwise is None else otherwise)
        if value is _MISSING:
            raise _RejectedError(f"missing column {' or '.join(self.columns[column]) or column}")
        text = cleaning.clean(cell_text(value))
        if not text:
            raise _RejectedError(f"empty {column}")
        return text

    def _date(self, values: Mapping[str, object]) -> date | str | None:
        value = self._cell(values, "date")
        try:
            day = parse_date(value, day_first=self.day_first)
        except ValueError as error:
            raise _RejectedError(f"unreadable date: {value}") from error
        return self._possible(day, value) if isinstance(day, date) else day

    def _possible(self, day: date, value: object) -> date:
        if not EARLIEST <= day <= self.today + TOLERANCE:
            raise _RejectedError(f"implausible date: {value}")
        return day

    def _cell(self, values: Mapping[str, object], column: str, default: object = None) -> object:
        return next((values[name] for name in self.columns[column] if name in values), default)

    def reading(self, files: str) -> Reading:
        """Settle outlets and ids; `files` is for messages."""
        rows = len(self.articles) + len(self.rejected)
        if not rows:
            raise InputError(f"{files} holds no rows: give files with articles")
        needs = [] if self.articles else ["headline", "article", *(["label"] if self.label_is_read else [])]
        check_columns(files, self.seen_columns, self.columns, needs=needs)
        if not self.articles:
            counts = Counter(item.reason for item in self.rejected).most_common()
            reasons = listed([f"{count} {reason}" for reason, count in counts])
            raise InputError(
                f"no row of {files} can be used ({reasons}): correct them, or --columns and --labels; --columns date= leaves "
                "dates unread"
            )
        outlets = self.outlets or self._found_outlets()
        labels = {article.label for article in self.articles}
        names = {label: outlets.name_of(label) or label for label in labels}
        for label, name in ((outlets.a_label, outlets.a), (outlets.b_label, outlets.b)):
            if name not in names.values():
                raise InputError(
                    f"no usable row has the label {label!r}: give files of both outlets, or correct --labels"
                )
        articles = _settled(self.articles, names)
        return Reading(articles, self.rejected, rows, outlets, self.places, self.days_first)

    def _found_outlets(self) -> Outlets:
        occurring = {article.label for article in self.articles}
        labels = [label for label in self.labels if label in occurring]
        labels += sorted(occurring - {*labels})
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
    seen: dict[bool, str] = {}
    example = ""
    for row in rows:
        if row.written is None:
            continue
        days, where = both_orders(row.written), f"{row.written} in line {row.line}"
        if len(days) == 1:
            seen.setdefault(min(days), where)
        elif len(set(days.values())) == 2 and not example:
            example = f"{where} is {days[True]} with the day first and {days[False]} with the month first"
    if len(seen) == 2:
        example = f"{seen[True]} has the day first and {seen[False]} the month"
    if example and len(seen) != 1:
        raise InputError(
            f"{name}: {example}: give --dayfirst True or --dayfirst False, or write all dates as 2024-03-06"
        )
    return next(iter(seen), None)


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
            article = replace(article, id=f"{name}{joint}{id_}", shared_id=id_)
        settled.append(replace(article, label=name))
    return settled


def check_columns(
    file: str,
    seen: Mapping[str, None],
    names: Mapping[str, Sequence[str]],
    *,
    needs: Sequence[str],
    without_label: str = "give each file its outlet, as in left=a.csv right=b.csv",
) -> None:
    """Refuse a table with the columns `seen` that lacks some that are read (`needs`) or that `--columns` names, all in one sentence."""
    given = [ours for ours in names if names[ours] != COLUMNS[ours] and names[ours]]
    lacking = [
        ours for ours in dict.fromkeys([*needs, *given]) if not any(name in seen for name in names[ours])
    ]
    if not lacking:
        return
    columns = " and no column ".join(" or ".join(names[ours]) or ours for ours in lacking)
    examples = ",".join(f"{ours}={_EXAMPLES.get(ours, 'yours')}" for ours in lacking)
    otherwise = f", or {without_label}" if "label" in lacking else ""
    raise InputError(
        f"{file} has no column {columns} (its columns are {listed(list(seen), 20)}): name yours as in "
        f"--columns {examples}{otherwise}"
    )
