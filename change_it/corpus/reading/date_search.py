"""The dates that stand in one cell: which there are, and which of them is the day of publication."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from change_it.corpus.reading.date_words import FILLING, LINKS, MONTH_NUMBERS, PUBLISHED, UPDATED, fold_date

#: Why a cell is refused.
TWO_DATES, UPDATE_ALONE = "two dates", "date of an update alone"
#: Characters of a cell that can be a date, at most.
LONGEST = 200


def _any_of(words: frozenset[str] | dict[str, int]) -> str:
    """Return the alternatives of a pattern, longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?<![^\W\d_])(?:{_any_of(MONTH_NUMBERS)})(?![^\W\d_])"
_ORDINAL = r"(?:o|er|st|nd|rd|th)?\.?"
_OF = r"(?:[-/.]|,? ?(?:de|del|di|of)? ?)"
_NEXT_DAY = rf"{_ORDINAL}{_OF}{_MONTH}"
_DATE = re.compile(
    rf"(?<!\d)(?P<day>\d\d?){_ORDINAL}{_OF}(?P<month>{_MONTH})\.?"
    rf"(?:{_OF}'?(?P<year>\d{{4}}|\d\d)(?!\d|{_NEXT_DAY}))?"
    rf"|(?<!\d)(?P<year_2>\d{{4}})[-/., ]{{0,2}}(?P<month_2>{_MONTH})\.?[-/ ]?(?P<day_2>\d\d?)(?!\d)"
    rf"|(?P<month_3>{_MONTH})\.?(?P<mark_3>[-/ ]?)(?P<day_3>\d\d?)(?!\d){_ORDINAL}"
    r"(?:(?:,? ?|[-/])(?P<year_3>\d{4})(?!\d)|(?! )(?P=mark_3)(?<=[-/])(?P<short_3>\d\d)(?!\d))?"
    r"|(?<!\d)(?P<year_4>\d{4})(?P<mark_4>[-/.])(?P<month_4>\d\d?)(?P=mark_4)(?P<day_4>\d\d?)(?!\d)"
    r"|(?<!\w)(?P<year_5>(?:19|20)\d\d)(?P<month_5>\d\d)(?P<day_5>\d\d)(?!\w)"
    r"|(?<!\d)(?<!\d[/.])(?P<first>\d\d?)(?P<mark>[/.-])(?P<second>\d\d?)(?P=mark)"
    r"(?P<last>\d{4}|(?<!-)\d\d)(?!\d|[/.-]\d)"
)
#: Times of day with their zones, which are no days.
_TIME = re.compile(
    r"\d\d?(?::\d\d){1,2}(?:[.,]\d+)?\s*(?:[ap]\.?m\b\.?|uhr\b)?\s*"
    r"(?:(?:gmt|utc|z)\b)?\s*(?:[+-]\d\d:?\d\d(?!\d))?"
    r"|\b\d\d?\s*(?:[ap]\.?m\b\.?|uhr\b|h(?:\d\d)?\b|hrs\b)"
    rf"|\b(?:ore|alle|at|um|kl|saat|godz|las|as|ora)\b\.?\s*\d\d?(?:[.:h]\d\d)?(?!\d|[.\s]*{_MONTH})"
    r"|(?<=\d{4}[ ,])\s*\d\d?\.\d\d(?:\.\d\d)?(?!\d)"
)
_LINK = rf"(?:[-/+&;]|\b(?:{_any_of(LINKS)})(?:'|(?![^\W\d_])))"
#: Between the days of a range: joining words, and perhaps the name of a day.
_GAP = rf"(?:[\s.,']*{_LINK})+[\s.,']*(?:[^\W\d_]{{3,}}[.,]?\s+)?"
_DAY_BEFORE = re.compile(rf"(?<![\d.:])(?P<day>\d\d?){_ORDINAL}(?:{_GAP})\Z")
_DAY_AND_COMMA_BEFORE = re.compile(rf"(?<![\d.:])(?P<day>\d\d?){_ORDINAL}\s*,\s*\Z")
_DAY_AFTER = re.compile(rf"\A{_ORDINAL}(?:{_GAP})(?P<day>\d\d?)(?!\d|[.:,/-]\d)")
_DAY_AND_COMMA_AFTER = re.compile(rf"\A{_ORDINAL}\s*,\s*(?P<day>\d\d?){_ORDINAL}(?:,?\s+\d{{4}}|{_GAP}\d)")

#: Year (None where there is none), month and day.
Day = tuple[int | None, int, int]


@dataclass(frozen=True)
class Mention:
    """One date in a cell.

    Attributes:
        start: Offset in the folded cell.
        end: Offset behind it.
        text: The date as `parse_date` reads it: `2024-03-06` where a month has a name, else as it is written.
        days: The day that it is, with the day before the month (True) and the month before the day (False).
        kind: `named`, `year first` or `year last`.
    """

    start: int
    end: int
    text: str
    days: dict[bool, Day]
    kind: str

    @property
    def is_complete(self) -> bool:
        """Return whether it has a year of four digits."""
        return re.search(r"\d{4}", self.text) is not None

    def agrees(self, other: "Mention") -> bool:
        """Return whether both can be one day; one without a year agrees with any year."""
        for order in (True, False):
            (year, *day), (other_year, *other_day) = self.days[order], other.days[order]
            if day == other_day and (year == other_year or None in (year, other_year)):
                return True
        return False


def one_date(cell: str) -> str:
    """Return the text of the only date of a cell, or the cell where it holds none that is found.

    Of a date of publication and one of an update, each with its word, the first is returned. A cell with two
    different dates, with a range, or with the date of an update alone raises ValueError with the reason.

    Examples:
        >>> one_date("Pubblicato il 14 febbraio 2023, aggiornato il 6 marzo 2023")
        '2023-02-14'
    """
    if re.fullmatch(r"\d{4}-\d\d-\d\d|\d+", cell):
        return cell
    text = " ".join(_TIME.sub(" ", fold_date(cell)).split())
    mentions = list(_mentions(text))
    if not mentions:
        return cell
    first = next((mention for mention in mentions if mention.is_complete), mentions[0])
    words = _words_around(text, mentions)
    if _is_range(text, mentions) or not all(map(first.agrees, mentions)):
        if published := _published(mentions, words):
            return published.text
        raise ValueError(TWO_DATES)
    if UPDATED.intersection(words) and not PUBLISHED.intersection(words):
        raise ValueError(UPDATE_ALONE)
    return first.text if first.is_complete else cell


def _mentions(text: str) -> Iterator[Mention]:
    for match in _DATE.finditer(text):
        parts = {name.partition("_")[0]: part for name, part in match.groupdict().items() if part}
        if "first" in parts:
            days = _both_orders(int(parts["first"]), int(parts["second"]), _year(parts["last"]))
            if days:
                yield Mention(*match.span(), match[0], days, "year last")
            continue
        is_named = not parts["month"].isdigit()
        month = MONTH_NUMBERS[parts["month"]] if is_named else int(parts["month"])
        written = parts.get("year") or parts.get("short")
        year, day = _year(written) if written else None, int(parts["day"])
        is_iso = len(written or "") == 4
        date = f"{year:04d}-{month:02d}-{day:02d}" if is_iso and is_named else match[0] if is_iso else ""
        kind = "named" if is_named else "year first"
        yield Mention(*match.span(), date, dict.fromkeys((True, False), (year, month, day)), kind)


def _year(written: str) -> int:
    """Return a year of two digits as dates are read: 69-99 are 1969-1999."""
    year = int(written)
    return year if len(written) == 4 else year + (1900 if year >= 69 else 2000)


def _both_orders(first: int, second: int, year: int) -> dict[bool, Day]:
    """Return the day of two numbers in each order, the same where only one can be; nothing where none can."""
    days: dict[bool, Day] = {True: (year, second, first), False: (year, first, second)}
    possible = {order: day for order, day in days.items() if 1 <= day[1] <= 12 and 1 <= day[2] <= 31}
    only = next(iter(possible.values()), None)
    return {order: possible.get(order, only) for order in days} if only else {}


def _is_range(text: str, mentions: list[Mention]) -> bool:
    """Return whether a date has a second day beside it, as in 6-8 marzo 2024 or March 6 and 8, 2024."""
    ends = [0, *(mention.end for mention in mentions)]
    starts = [*(mention.start for mention in mentions), len(text)]
    for number, mention in enumerate(mentions):
        before = text[ends[number] : mention.start]
        after = text[mention.end : starts[number + 1]]
        found = _DAY_BEFORE.search(before) if mention.kind != "year first" else None
        if mention.kind == "named":
            found = found or _DAY_AND_COMMA_BEFORE.search(before)
        if mention.days[True][0] is None:
            found = found or _DAY_AFTER.search(after) or _DAY_AND_COMMA_AFTER.search(after)
        elif mention.kind == "year first":
            found = found or _DAY_AFTER.search(after)
        if found and 1 <= int(found["day"]) <= 31:
            return True
    return False


def _words_around(text: str, mentions: list[Mention]) -> list[str]:
    """Return the words beside the dates of a cell, an empty one in the place of each date."""
    words: list[str] = []
    ends = [0, *(mention.end for mention in mentions)]
    starts = [*(mention.start for mention in mentions), len(text)]
    for end, start in zip(ends, starts, strict=True):
        words += [word for word in re.findall(r"\w+", text[end:start]) if word not in FILLING]
        words.append("")
    return words[:-1]


def _published(mentions: list[Mention], words: list[str]) -> Mention | None:
    """Return the date of publication of two dates, each of which has its word before it."""
    if len(words) != 4 or words[1] or words[3] or not all(mention.is_complete for mention in mentions):
        return None
    for (own, other), mention in zip([(words[0], words[2]), (words[2], words[0])], mentions, strict=True):
        if own in PUBLISHED and other in UPDATED:
            return mention
    return None
