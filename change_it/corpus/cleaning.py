"""Cells of the input: text without markup and control characters, typography levelled, days of publication."""

import html
import math
import re
import unicodedata
import warnings
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate
from itertools import count

from change_it.errors import InputError

EARLIEST = date(1900, 1, 1)
TOLERANCE = timedelta(days=2)
#: Markup inside escaped markup is taken off this many times.
LAYERS = 20

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"<!--|<(?:script|style)\b|</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_PLAIN_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?/?>")
_CLOSING = {
    "<!--": re.compile("-->"),
    "<script": re.compile(r"</script\s*>", re.IGNORECASE),
    "<style": re.compile(r"</style\s*>", re.IGNORECASE),
}
_INLINE = re.compile(r"(?i:a|abbr|b|cite|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|u|wbr)")
_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff]"
)
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("“”„‟«»″〝〞＂", '"')
    | dict.fromkeys("‘’‚‛‹›′`´", "'")
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"…": "..."}
)

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


def clean(text: str) -> str:
    """HTML entities and tags, control and invisible characters off; Unicode NFC; white space to single spaces.

    Control characters 128-159 are read as Windows-1252, which is what they are in newspapers' archives.
    Inline tags vanish, other tags become a space. Cleaning a clean text changes nothing.
    """
    for layer in count():
        before = text
        text = _CONTROL.sub(_uncontrolled, text)
        if layer == LAYERS:
            text = text.replace("&", " ").replace("<", " ")
        if "<" in text:
            text = _without_tags(text)
        if "&" in text:
            text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
        text = " ".join(unicodedata.normalize("NFC", text).split())
        if text == before or not ("&" in before or "<" in before):
            break
    return text


def visible(text: str) -> str:
    """Control and invisible characters and outer space off, nothing else: for ids."""
    return _CONTROL.sub("", text).strip()


def normalise_typography(text: str) -> str:
    """Straight quotes, plain hyphens, three full stops, lower case: what a paper's typesetting gives away."""
    text = re.sub(r"([«‹„“]) | (?=[»›])", r"\1", text)
    return text.translate(_TYPOGRAPHY).replace("''", '"').lower()


def parse_date(value: object, *, day_first: bool | None = None, form: str = "") -> date | OpenDate | None:
    """Day of `value`; None where nothing is written, ValueError for what cannot be read.

    Understood are dates and datetimes as objects, ISO 8601 (with any time after it, and `20170615`), RFC 822, `15/6/17`
    and `15-6-2017` in either order, `15.6.2017` with the day first (69-99 are the years 1969-1999), seconds since 1970
    of at least nine digits, and dates with an English month name. A time zone is not applied: the day is the one that
    is written; seconds since 1970 give the day in UTC. Without `day_first`, `15/6/17` is an `OpenDate`. With `form`, all
    dates that are text are of that form of `strptime`.
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
    if form:
        return datetime.strptime(text, form).date()
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


def check_form(form: str) -> None:
    """Refuse a form of dates that does not give back the day that it writes."""
    day = datetime(2017, 6, 15, tzinfo=UTC)
    try:
        if datetime.strptime(day.strftime(form), form).date() == day.date():
            return
    except (ValueError, re.error):
        pass
    raise InputError(
        f"--date-format {form!r} does not give a day: write it as for Python's strptime, %d/%m/%Y or %m/%d/%y"
    )


def plausible(day: date, today: date) -> bool:
    """Whether an article can have appeared on `day`: since 1900 and by the day after tomorrow (clocks differ)."""
    return EARLIEST <= day <= today + TOLERANCE


def _uncontrolled(match: re.Match[str]) -> str:
    """Nothing for a control character, the Windows-1252 character for those from 128 to 159."""
    return match[0].encode("latin-1").decode("cp1252", "ignore") if "\x80" <= match[0] <= "\x9f" else ""


def _without_tags(text: str) -> str:
    """Comments, scripts, styles and tags off, in linear time: what is never closed is looked for once."""
    parts: list[str] = []
    start, unclosed = 0, set()
    while opening := _TAG.search(text, start):
        end, gap = opening.end(), " "
        kind = opening[0].lower()
        if kind in _CLOSING and kind not in unclosed and (closing := _CLOSING[kind].search(text, end)):
            end = closing.end()
        else:
            unclosed.add(kind)
            if tag := _PLAIN_TAG.match(text, opening.start()):
                end = tag.end()
                gap = "" if _INLINE.fullmatch(tag[1]) else " "
            else:
                gap = opening[0]
        parts += (text[start : opening.start()], gap)
        start = end
    return "".join([*parts, text[start:]])


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
