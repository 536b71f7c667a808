"""Days of publication, as the input has them."""

import math
import re
from contextlib import suppress
from datetime import UTC, date, datetime

from dateutil import parser

_YEAR_FIRST = re.compile(r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ]\d.*)?|((?:19|20)\d\d)(\d\d)(\d\d)", re.DOTALL)
_YEAR_LAST = re.compile(r"(\d\d?)([/.-])(\d\d?)\2(\d{4}|(?<!-)\d\d)(?:[ ,].*)?", re.DOTALL)
_EPOCH = re.compile(r"-?\d{9,}(?:\.\d*)?")
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)


def parse_date(value: object, *, day_first: bool | None = None) -> date | str | None:
    """Day of `value`; None where nothing is written, ValueError for what cannot be read.

    Understood are dates and datetimes as objects, ISO 8601 (with any time after it, and `20170615`), RFC 822, `15/6/17`
    and `15-6-2017` in either order, `15.6.2017` with the day first (69-99 are the years 1969-1999), seconds since 1970
    of at least nine digits, and dates with an English month name. A time zone is not applied: the day is the one that
    is written; seconds since 1970 give the day in UTC. Without `day_first`, `15/6/17` comes back as it is written.
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
    if match := _YEAR_FIRST.fullmatch(text):
        return date(*map(int, filter(None, match.groups())))
    if match := _YEAR_LAST.fullmatch(text):
        first, mark, second, year = match.groups()
        if mark != "." and day_first is None:
            return text
        order = "%d %m" if mark == "." or day_first else "%m %d"
        return datetime.strptime(
            f"{first} {second} {year}", f"{order} %{'Y' if len(year) == 4 else 'y'}"
        ).date()
    try:
        if _EPOCH.fullmatch(text):
            return datetime.fromtimestamp(float(text), UTC).date()
        if not re.search(r"[A-Za-z]{3}", text):
            raise ValueError(text)
        days = {parser.parse(text, ignoretz=True, default=default).date() for default in _DEFAULTS}
    except (OverflowError, OSError, TypeError, IndexError) as error:
        raise ValueError(text) from error
    if len(days) > 1:  # dateutil has filled in a day, month or year
        raise ValueError(text)
    return days.pop()


def both_orders(text: str) -> dict[bool, date]:
    """The days that `6/3/24` may be, True where the day comes first."""
    days = {}
    for day_first in (True, False):
        with suppress(ValueError):
            days[day_first] = parse_date(text, day_first=day_first)
    return days  # type: ignore[return-value]  # `text` is not empty
