"""Read days of publication, as the input has them."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from dateutil import parser

from change_it.corpus.reading.date_search import LONGEST_DATE, TWO_DATES, UPDATE_ALONE, one_date
from change_it.corpus.reading.date_words import ITALIAN_MONTHS
from change_it.files.texts import is_missing

#: Why a date is refused that is not complete.
NO_DAY = "date without a day, month or year"
#: Why a number is refused that is too small for seconds since 1970.
DAY_NUMBER = "day number of a spreadsheet instead of a date"
#: Reasons for refusing dates that are recognised but cannot be used.
KNOWN_FAULTS = (NO_DAY, DAY_NUMBER, TWO_DATES, UPDATE_ALONE)
#: `2024-03-06`, `2024/3/6` or `20240306`, perhaps with a time of day.
_YEAR_FIRST = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ]\d.*|Z|[+-]\d\d:\d\d)?"
    r"|((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6}|T\d.*)?",
    re.DOTALL,
)
#: `6/3/24`, `6.3.2024` or `6-3-2024`, perhaps with a time of day.
_YEAR_LAST = re.compile(r"(\d\d?)([/.-])(\d\d?)\2(\d{4}|(?<!-)\d\d)(?:[ ,].*)?", re.DOTALL)
#: Seconds since 1970, or milliseconds or smaller parts of a second.
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d*)?")
#: From this number on seconds would be in the year 5138, so the number is of smaller parts of a second.
_MILLISECONDS = 1e11
#: What a cell holds, in small letters, where no date is written.
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
#: Dates from which dateutil takes what a text lacks: a complete text gives the same day with both.
_DEFAULTS = (datetime(2000, 1, 1), datetime(2001, 2, 2))
#: Italian names of days, which say nothing; `mar` is one where a day and a month follow, or a month.
_WEEKDAY = re.compile(
    r"\b(?:(?:lune|marte|mercole|giove|vener)d[iì]|sabato|domenica)\b,?"
    r"|\A(?:lun|mar|mer|gio|ven|sab|dom)\b[.,]* +"
    rf"(?=\d\d?[º°]?\W+[^\W\d_]|(?:{ITALIAN_MONTHS.replace(' ', '|')})\b)",
    re.IGNORECASE,
)


class _Names(parser.parserinfo):
    """English and Italian names of months."""

    JUMP = [*parser.parserinfo.JUMP, "alle", "ore", "º", "°"]  # noqa: RUF012 (the library's form)
    MONTHS = [  # noqa: RUF012
        (*english, *italian.split())
        for english, italian in zip(parser.parserinfo.MONTHS, ITALIAN_MONTHS.split("|"), strict=True)
    ]


_PARSER = parser.parser(_Names())


def parse_date(value: object, *, day_first: bool = False) -> date | None:
    """Return the day of `value`; None where nothing is written.

    These are read:

    * dates as objects, ISO 8601 (`20170615101500` too) and RFC 822;
    * `15/6/17` and `15-6-2017` in either order, `15.6.2017` with the day first (69-99 are 1969-1999);
    * seconds since 1970 of at least nine digits, or milliseconds of twelve (the day in UTC);
    * names of months in English or Italian, in any form;
    * names of months with day and year in German, French, Spanish, Portuguese, Dutch, Swedish, Danish,
      Norwegian, Romanian, Albanian, Polish, Turkish, Russian, Ukrainian, Greek, Arabic and Hindi.

    Words around one date make no difference. Of a date of publication and one of an update the first is
    returned. A time zone is not applied.

    Args:
        value: what a cell holds.
        day_first: whether the day comes first in `15/6/17`.

    Raises:
        ValueError: it cannot be read; the text says what is wrong.
    """
    if is_missing(value):
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = _date_text(value)
    if not text:
        return None
    year_first = _YEAR_FIRST.fullmatch(text)
    if year_first:
        # the groups of the other form are None
        year, month, day = (int(part) for part in year_first.groups() if part)
        return date(year, month, day)
    year_last = _YEAR_LAST.fullmatch(text)
    if year_last:
        return _year_last_date(*year_last.groups(), day_first=day_first)
    if re.fullmatch(r"\d{5}(?:\.\d+)?", text):
        raise ValueError(DAY_NUMBER)
    try:
        if _EPOCH.fullmatch(text):
            return _epoch_date(float(text))
        if re.fullmatch(r"\d{4}(?:[-/.]\d\d?)?|\d\d?[-/.]\d{4}", text):
            raise ValueError(NO_DAY)
        # three letters: without the name of a month there is nothing more to read
        if not re.search(r"[^\W\d_]{3}", text):
            raise ValueError(text)
        days = {_PARSER.parse(text, ignoretz=True, default=default).date() for default in _DEFAULTS}
    except (OverflowError, OSError, TypeError, IndexError) as error:
        raise ValueError(text) from error
    if len(days) > 1:
        # dateutil has filled in a day, month or year
        raise ValueError(NO_DAY)
    return days.pop()


def _year_last_date(first: str, mark: str, second: str, year: str, *, day_first: bool) -> date:
    """Return the date of three numbers with the year last; behind dots the day always comes first."""
    order = "%d %m" if mark == "." or day_first else "%m %d"
    year_format = "%Y" if len(year) == 4 else "%y"
    return datetime.strptime(f"{first} {second} {year}", f"{order} {year_format}").date()


def _epoch_date(seconds: float) -> date:
    """Return the day in UTC of seconds since 1970, or of milliseconds, or of thousandths of them."""
    while abs(seconds) >= _MILLISECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).date()


def both_orders(value: object) -> dict[bool, date | None]:
    """Return the days that a date such as `6/3/24` may be; nothing for a date of another form.

    The key is True for the day that is read with the day first, False for the one with the month first. An
    order that gives no date has no key.
    """
    days: dict[bool, date | None] = {}
    if not isinstance(value, str):
        return days
    with suppress(ValueError):
        if _YEAR_LAST.fullmatch(_date_text(value)):
            for day_first in (True, False):
                with suppress(ValueError):
                    days[day_first] = parse_date(value, day_first=day_first)
    return days


def has_foreign_order(value: object) -> bool:
    """Return whether a date can be read only in an order that is never read: `2023-14-01` or `03.15.2024`.

    Other dates of such a file are read with day and month exchanged, if they are read at all.
    """
    if not isinstance(value, str):
        return False
    try:
        text = _date_text(value)
    except ValueError:
        return False
    year_first = _YEAR_FIRST.fullmatch(text)
    year_last = _YEAR_LAST.fullmatch(text)
    if year_first:
        year, month, day = (int(part) for part in year_first.groups() if part)
    elif year_last and year_last[2] == ".":
        day = int(year_last[1])
        month = int(year_last[3])
        year = int(year_last[4])
    else:
        return False
    return 12 < month <= 31 and 1 <= day <= 12 and year > 0


def _date_text(value: object) -> str:
    """Return the part of a cell that is its date, without names of days; empty where nothing is written."""
    written = str(value).strip()
    if written.lower() in _EMPTY:
        return ""
    if len(written) > LONGEST_DATE:
        raise ValueError(written)
    text = _WEEKDAY.sub("", written).strip()
    if not text:
        # the name of a day alone
        raise ValueError(written)
    return one_date(text)
