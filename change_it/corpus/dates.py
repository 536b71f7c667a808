"""Days of publication, as the input has them."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from dateutil import parser

from change_it.io.texts import is_missing
from change_it.text.folding import fold

#: What is wrong with dates of kinds that are known.
NO_DAY, DAY_NUMBER = "date without a day, month or year", "day number of a spreadsheet instead of a date"
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
#: Italian names and their short forms; `mar` is March.
_MONTHS = (
    "gen gennaio|feb febbraio|mar marzo|apr aprile|mag maggio|giu giugno|"
    "lug luglio|ago agosto|set sett settembre|ott ottobre|nov novembre|dic dicembre"
)
#: Italian names of days, which say nothing; `mar` is one where a day and a month follow.
_WEEKDAY = re.compile(
    r"\b(?:(?:lune|marte|mercole|giove|vener)d[iì]|sabato|domenica)\b,?|\A(?:lun|mar|mer|gio|ven|sab|dom)\b[.,]* +(?=\d\d?\W+[^\W\d_])",
    re.IGNORECASE,
)


class _Names(parser.parserinfo):
    """English and Italian names of months."""

    JUMP = [*parser.parserinfo.JUMP, "alle", "ore", "º", "°"]  # noqa: RUF012 (the library's form)
    MONTHS = [  # noqa: RUF012
        (*english, *italian.split())
        for english, italian in zip(parser.parserinfo.MONTHS, _MONTHS.split("|"), strict=True)
    ]


_PARSER = parser.parser(_Names())
#: Names of months in dates that this parser cannot read, as 6. März 2020, 6 de marzo de 2020 or ٦ مارس ٢٠٢٠.
_FURTHER = """januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november desember
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"""
_NUMBERS = {
    fold(name).lower(): month for line in _FURTHER.splitlines() for month, name in enumerate(line.split(), 1)
}
_NAMED = re.compile(
    rf"(?<!\d)(\d\d?)(?:\.|º|°|er\b)?\s*(?:de )?({'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b[.,]?\s*(?:de )?(\d{{4}})(?!\d)"
)


def parse_date(value: object, *, day_first: bool = False) -> date | None:
    """Day of `value`; None where nothing is written, ValueError with what is wrong where it cannot be read.

    Understood are dates as objects, ISO 8601 (`20170615101500` too), RFC 822, `15/6/17` and `15-6-2017` in either order,
    `15.6.2017` with the day first (69-99 are 1969-1999), seconds since 1970 of at least nine digits
    or milliseconds of twelve (the day in UTC), English or Italian month names in any form, and a day, month and year in this order with
    the name of the month in German, French, Spanish, Portuguese, Dutch, Swedish, Danish, Norwegian, Romanian, Albanian, Polish, Turkish,
    Russian, Ukrainian, Greek, Arabic or Hindi. A time zone is not applied.
    """
    if is_missing(value):
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = _WEEKDAY.sub("", str(value)).strip()
    if text.lower() in _EMPTY:
        return None
    if match := _YEAR_FIRST.fullmatch(text):
        return date(*map(int, filter(None, match.groups())))
    if match := _YEAR_LAST.fullmatch(text):
        first, mark, second, year = match.groups()
        order = "%d %m" if mark == "." or day_first else "%m %d"
        return datetime.strptime(
            f"{first} {second} {year}", f"{order} %{'Y' if len(year) == 4 else 'y'}"
        ).date()
    if named := _NAMED.search(fold(text).lower()):
        day, month, year = named.groups()
        return date(int(year), _NUMBERS[month], int(day))
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
    """The days that `6/3/24` may be, True where the day comes first; none of a date that is written in another way."""
    days = {}
    if isinstance(value, str) and _YEAR_LAST.fullmatch(_WEEKDAY.sub("", value).strip()):
        for day_first in (True, False):
            with suppress(ValueError):
                days[day_first] = parse_date(value, day_first=day_first)
    return days
