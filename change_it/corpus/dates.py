"""Days of publication, as the input has them."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from change_it.io.texts import is_missing
from change_it.text.folding import fold

#: What is wrong with dates of kinds that are known.
NO_DAY, DAY_NUMBER = "date without a day, month or year", "day number of a spreadsheet instead of a date"
_YEAR_FIRST = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ,].*|Z|[+-]\d\d:\d\d)?|((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6}|T\d.*)?",
    re.DOTALL,
)
_YEAR_LAST = re.compile(r"(\d\d?)([/.-])(\d\d?)\2(\d{4}|(?<!-)\d\d)(?:[ ,].*)?", re.DOTALL)
_NO_DAY = re.compile(r"\d{4}(?:[-/.]\d\d?)?|\d\d?[-/.]\d{4}")
_EPOCH = re.compile(r"-?\d{9,19}(?:\.\d*)?")
#: From here on a number is of milliseconds, or of thousandths of them.
_MILLISECONDS = 1e11
#: Characters in which the name of a month is looked for.
LONGEST = 200
_EMPTY = frozenset({"", "nan", "nat", "none", "null"})
#: A day of the week before digits, which says nothing.
_WEEKDAY = re.compile(r"\A[^\W\d_]{1,20}[.,]*\s+(?=\d+[-/.]\d)")
#: Names of the months, in each line all twelve.
MONTHS = """january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
jan feb mar apr may jun jul aug sept oct nov dec
gen feb mar apr mag giu lug ago sett ott nov dic
januar februar märz april mai juni juli august september oktober november dezember
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
    fold(name).lower(): month for line in MONTHS.splitlines() for month, name in enumerate(line.split(), 1)
}
_MONTH = rf"(?<![^\W\d_])(?P<month>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?![^\W\d_])"
_DAY = r"(?<![\d:])(?P<day>\d\d?)(?:st|nd|rd|th|er|o|°)?(?![\d:])"
_GAP = r"[\W_]{0,3}(?:de |del |of )?"
#: 6 March 2024; Mar 06 08:00:00 2024; 2024 March 6.
_NAMED = [
    re.compile(rf"{_DAY}{_GAP}{_MONTH}{_GAP}(?:[\d:]+:\d\d )?(?P<year>\d{{4}}|\d\d)(?![\d:])"),
    re.compile(rf"{_MONTH}{_GAP}{_DAY}(?:.*?[^\d+])?(?P<year>[12]\d{{3}})(?!\d)"),
    re.compile(rf"(?<!\d)(?P<year>\d{{4}}){_GAP}{_MONTH}{_GAP}{_DAY}"),
]


def parse_date(value: object, *, day_first: bool = False) -> date | None:
    """Day of `value`; None where nothing is written, ValueError with what is wrong where it cannot be read.

    Understood are dates as objects, ISO 8601 (`20170615101500` too), `15/6/17` and `15-6-2017` in either order, `15.6.2017` with
    the day first (69-99 are 1969-1999), seconds since 1970 of at least nine digits or milliseconds of twelve (the day in UTC), and
    a day, a year and the name of a month, as in RFC 822, in the languages of `MONTHS`. A time zone is not applied.
    """
    if is_missing(value):
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = _WEEKDAY.sub("", str(value).strip())
    if text.lower() in _EMPTY:
        return None
    if match := _YEAR_FIRST.fullmatch(text):
        return date(*map(int, filter(None, match.groups())))
    if match := _YEAR_LAST.fullmatch(text):
        first, mark, second, year = match.groups()
        day, month = (first, second) if mark == "." or day_first else (second, first)
        return _date(year, int(month), day)
    if re.fullmatch(r"\d{5}(?:\.\d+)?", text):
        raise ValueError(DAY_NUMBER)
    if _EPOCH.fullmatch(text):
        seconds = float(text)
        while abs(seconds) >= _MILLISECONDS:
            seconds /= 1000
        with suppress(OverflowError, OSError):
            return datetime.fromtimestamp(seconds, UTC).date()
    folded = fold(text[:LONGEST]).lower()
    if named := next(filter(None, (pattern.search(folded) for pattern in _NAMED)), None):
        return _date(named["year"], _NUMBERS[named["month"]], named["day"])
    raise ValueError(NO_DAY if _NO_DAY.fullmatch(text) or re.search(_MONTH, folded) else text)


def _date(year: str, month: int, day: str) -> date:
    """A date, whose year may have two digits."""
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= 69 else 2000
    return date(number, month, int(day))


def both_orders(value: object) -> dict[bool, date | None]:
    """The days that `6/3/24` may be, True where the day comes first; none of a date that is written in another way."""
    days = {}
    if isinstance(value, str) and _YEAR_LAST.fullmatch(_WEEKDAY.sub("", value.strip())):
        for day_first in (True, False):
            with suppress(ValueError):
                days[day_first] = parse_date(value, day_first=day_first)
    return days
