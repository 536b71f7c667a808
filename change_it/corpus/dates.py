"""Days of publication, in the spellings that news archives and feeds use."""

import math
import re
import warnings
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate

from dateutil import parser

EARLIEST = date(1900, 1, 1)
TOLERANCE = timedelta(days=2)

_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]\d.*)?", re.DOTALL)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)")
_US = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)(?:[ ,].*)?", re.DOTALL)
_EPOCH = re.compile(r"-?\d{9,}(?:\.\d*)?")
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)


def parse_date(value: object) -> date | None:
    """Day of `value`; None where nothing is written.

    Understood are dates and datetimes as objects, ISO 8601 (with any time after it, and `20170615`), RFC 822,
    the US order `6/15/17` (69-99 are the years 1969-1999), seconds since 1970 of at least nine digits, and
    dates with an English month name. A time zone is not applied: the day is the one that is written; seconds
    since 1970 give the day in UTC.

    Args:
        value: a cell of the input.

    Raises:
        ValueError: no such spelling, or a day that no calendar has.

    Example:
        >>> for text in ("2017-06-15T23:10:00+02:00", "Thu, 15 Jun 2017 08:00:00 GMT", "6/15/17", "1497484800"):
        ...     print(parse_date(text))
        2017-06-15
        2017-06-15
        2017-06-15
        2017-06-15
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
    if found := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        year, month, day = map(int, found.groups())
        return date(year, month, day)
    if found := _US.fullmatch(text):
        month, day = int(found[1]), int(found[2])
        year = (
            int(found[3]) if len(found[3]) == 4 else int(found[3]) + (1900 if int(found[3]) >= 69 else 2000)
        )
        return date(year, month, day)
    if _EPOCH.fullmatch(text):
        return _after_1970(float(text))
    return _spelled_out(text)


def plausible(day: date, today: date) -> bool:
    """Whether an article can have appeared on `day`: since 1900 and, clocks being what they are, by the day after tomorrow.

    Args:
        day: the date that was read.
        today: the present day.
    """
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            first, second = (
                parser.parse(text, ignoretz=True, default=default).date() for default in _DEFAULTS
            )
        except (OverflowError, TypeError, IndexError) as error:
            raise ValueError(text) from error
    if first != second:
        raise ValueError(text)
    return first
