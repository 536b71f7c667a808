"""Days of publication, as the input has them."""

import math
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate

EARLIEST = date(1900, 1, 1)
TOLERANCE = timedelta(days=2)

_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]\d.*)?", re.DOTALL)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)")
_TIME = r"(?:[ ,].*)?"
_OPEN = re.compile(
    rf"(\d{{1,2}})/(\d{{1,2}})/(\d{{4}}|\d\d){_TIME}|(\d{{1,2}})-(\d{{1,2}})-(\d{{4}}){_TIME}", re.DOTALL
)
_DOTTED = re.compile(rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}}|\d\d){_TIME}", re.DOTALL)
_EPOCH = re.compile(r"-?\d{9,}(?:\.\d*)?")
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)


@dataclass(frozen=True, slots=True)
class OpenDate:
    """A date as `06/03/2024` or `6-3-2024`, of which one field is the day and the other the month."""

    text: str
    first: int
    second: int
    year: int

    def day(self, day_first: bool) -> date:
        """The day by one of the orders; ValueError where there is none."""
        month, day = (self.second, self.first) if day_first else (self.first, self.second)
        return date(self.year, month, day)

    def days(self) -> dict[bool, date]:
        """The day by each order in which this is a date, True where the day comes first."""
        days = {}
        for day_first in (True, False):
            with suppress(ValueError):
                days[day_first] = self.day(day_first)
        return days


def parse_date(value: object, *, day_first: bool | None = None) -> date | OpenDate | None:
    """Day of `value`; None where nothing is written, ValueError for what cannot be read.

    Understood are dates and datetimes as objects, ISO 8601 (with any time after it, and `20170615`), RFC 822, `15/6/17`
    and `15-6-2017` in either order, `15.6.2017` with the day first (69-99 are the years 1969-1999), seconds since 1970
    of at least nine digits, and dates with an English month name. A time zone is not applied: the day is the one that
    is written; seconds since 1970 give the day in UTC. Without `day_first`, `15/6/17` is an `OpenDate`.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value).strip()
    if text.lower() in _EMPTY:
        return None
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        year, month, day = map(int, match.groups())
        return date(year, month, day)
    if match := _OPEN.fullmatch(text) or _DOTTED.fullmatch(text):
        *fields, digits = filter(None, match.groups())
        year = int(digits)
        if len(digits) == 2:
            year += 1900 if year >= 69 else 2000
        written = OpenDate(text, int(fields[0]), int(fields[1]), year)
        order = True if match.re is _DOTTED else day_first
        return written if order is None else written.day(order)
    if _EPOCH.fullmatch(text):
        return _after_1970(float(text))
    return _spelled_out(text)


def plausible(day: date, today: date) -> bool:
    """Whether an article can have appeared on `day`: since 1900 and by the day after tomorrow (clocks differ)."""
    return EARLIEST <= day <= today + TOLERANCE


def _after_1970(seconds: float) -> date:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).date()
    except OverflowError as error:
        raise ValueError(f"{seconds} seconds") from error


def _spelled_out(text: str) -> date:
    """RFC 822, else whatever dateutil reads without filling in a day, month or year of its own."""
    if not re.search(r"[A-Za-z]{3}", text):
        raise ValueError(text)
    if fields := parsedate(text):
        return date(*fields[:3])
    from dateutil import parser

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            days = {parser.parse(text, ignoretz=True, default=default).date() for default in _DEFAULTS}
        except (OverflowError, TypeError, IndexError) as error:
            raise ValueError(text) from error
    if len(days) > 1:
        raise ValueError(text)
    return days.pop()
