"""Days of publication, as the input has them."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from dateutil import parser

from change_it.corpus.reading.date_search import LONGEST, TWO_DATES, UPDATE_ALONE, one_date
from change_it.corpus.reading.date_words import ITALIAN_MONTHS
from change_it.files.texts import is_missing

#: What is wrong with dates of kinds that are known.
NO_DAY, DAY_NUMBER = "date without a day, month or year", "day number of a spreadsheet instead of a date"
KNOWN_FAULTS = (NO_DAY, DAY_NUMBER, TWO_DATES, UPDATE_ALONE)
_YEAR_FIRST = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ]\d.*|Z|[+-]\d\d:\d\d)?|((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6}|T\d.*)?",
    re.DOTALL,
)
_YEAR_LAST = re.compile(r"(\d\d?)([/.-])(\d\d?)\2(\d{4}|(?<!-)\d\d)(?:[ ,].*)?", re.DOTALL)
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d*)?")
#: From here on a number is of milliseconds, or of thousandths of them.
_MILLISECONDS = 1e11
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)
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
    """Return the day of `value`; None where nothing is written, ValueError with what is wrong where it cannot be read.

    Understood are dates as objects, ISO 8601 (`20170615101500` too), RFC 822, `15/6/17` and `15-6-2017` in either
    order, `15.6.2017` with the day first (69-99 are 1969-1999), seconds since 1970 of at least nine digits or
    milliseconds of twelve (the day in UTC), and names of months in English or Italian in any form. In German, French,
    Spanish, Portuguese, Dutch, Swedish, Danish, Norwegian, Romanian, Albanian, Polish, Turkish, Russian, Ukrainian,
    Greek, Arabic and Hindi the name stands with day and year. Words around one date make no difference; of two dates
    see `one_date`. A time zone is not applied.
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
    if match := _YEAR_FIRST.fullmatch(text):
        return date(*map(int, filter(None, match.groups())))
    if match := _YEAR_LAST.fullmatch(text):
        first, mark, second, year = match.groups()
        order = "%d %m" if mark == "." or day_first else "%m %d"
        return datetime.strptime(
            f"{first} {second} {year}", f"{order} %{'Y' if len(year) == 4 else 'y'}"
        ).date()
    if re.fullmatch(r"\d{5}(?:\.\d+)?", text):
        raise ValueError(DAY_NUMBER)
    try:
        if _EPOCH.fullmatch(text):
            seconds = float(text)
            while abs(seconds) >= _MILLISECONDS:
                seconds /= 1000
            return datetime.fromtimestamp(seconds, UTC).date()
        if re.fullmatch(r"\d{4}(?:[-/.]\d\d?)?|\d\d?[-/.]\d{4}", text):
            raise ValueError(NO_DAY)
        if not re.search(r"[^\W\d_]{3}", text):
            raise ValueError(text)
        days = {_PARSER.parse(text, ignoretz=True, default=default).date() for default in _DEFAULTS}
    except (OverflowError, OSError, TypeError, IndexError) as error:
        raise ValueError(text) from error
    if len(days) > 1:  # dateutil has filled in a day, month or year
        raise ValueError(NO_DAY)
    return days.pop()


def both_orders(value: object) -> dict[bool, date | None]:
    """Return the days that `6/3/24` may be, True where the day comes first; none of other forms."""
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
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = filter(None, match.groups())
    elif (match := _YEAR_LAST.fullmatch(text)) and match[2] == ".":
        day, _, month, year = match.groups()
    else:
        return False
    return int(month) > 12 and 1 <= int(day) <= 12 and int(month) <= 31 and int(year) > 0


def _date_text(value: object) -> str:
    """Return the part of a cell that is its date, without names of days; empty where nothing is written."""
    written = str(value).strip()
    if written.lower() in _EMPTY:
        return ""
    if len(written) > LONGEST:
        raise ValueError(written)
    text = _WEEKDAY.sub("", written).strip()
    if not text:
        raise ValueError(written)  # the name of a day alone
    return one_date(text)
