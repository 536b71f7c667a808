"""Find the dates that stand in one cell, and tell which of them is the day of publication."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from change_it.corpus.reading.date_words import FILLING, LINKS, MONTH_NUMBERS, PUBLISHED, UPDATED, fold_date

#: Why a cell with several days is refused.
TWO_DATES = "two dates"
#: Why a cell without a date of publication is refused.
UPDATE_ALONE = "date of an update alone"
#: Characters of a cell that can be a date, at most.
LONGEST_DATE = 200


def _any_of(words: frozenset[str] | dict[str, int]) -> str:
    """Return a pattern of any of some words, longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?<![^\W\d_])(?:{_any_of(MONTH_NUMBERS)})(?![^\W\d_])"
#: What may follow the number of a day, as in 1o, 1er, 2nd or 3.
_ORDINAL = r"(?:o|er|st|nd|rd|th)?\.?"
#: What may stand between day, month and year.
_OF = r"(?:[-/.]|,? ?(?:de|del|di|of)? ?)"
#: The day and month of a further date, whose day must not be read as the year of this one.
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
        start: offset in the folded cell.
        end: offset behind it.
        text: the date as `parse_date` reads it: `2024-03-06` where a month has a name, else as it is written.
            It is empty where a date with a named month has no year of four digits.
        days: the day that it is, with the day before the month (True) and the month before the day (False).
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
            year, month, day = self.days[order]
            other_year, other_month, other_day = other.days[order]
            is_same_year = year == other_year or year is None or other_year is None
            if is_same_year and (month, day) == (other_month, other_day):
                return True
        return False


def one_date(cell: str) -> str:
    """Return the text of the only date of a cell, or the cell where it holds none that is found.

    Of a date of publication and one of an update, each with its word, the first is returned.

    Raises:
        ValueError: the cell has two different dates, a range, or the date of an update alone.

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
        published = _published(mentions, words)
        if published is None:
            raise ValueError(TWO_DATES)
        return published.text
    if UPDATED.intersection(words) and not PUBLISHED.intersection(words):
        raise ValueError(UPDATE_ALONE)
    if not first.is_complete:
        return cell
    return first.text


def _mentions(text: str) -> Iterator[Mention]:
    """Yield the dates of a folded cell in their order."""
    for match in _DATE.finditer(text):
        # the alternatives of the pattern have the same groups with other numbers, as `year_2`
        parts = {name.partition("_")[0]: part for name, part in match.groupdict().items() if part}
        if "first" in parts:
            days = _both_orders(int(parts["first"]), int(parts["second"]), _year(parts["last"]))
            if days:
                yield Mention(match.start(), match.end(), match[0], days, "year last")
        else:
            yield _mention_with_known_order(match, parts)


def _mention_with_known_order(match: re.Match[str], parts: dict[str, str]) -> Mention:
    """Return a date whose month has a name, or whose year comes first."""
    day = int(parts["day"])
    written_year = parts.get("year") or parts.get("short") or ""
    year = _year(written_year) if written_year else None
    if parts["month"].isdigit():
        kind = "year first"
        month = int(parts["month"])
        text = match[0]
    else:
        kind = "named"
        month = MONTH_NUMBERS[parts["month"]]
        text = f"{year or 0:04d}-{month:02d}-{day:02d}"
    if len(written_year) != 4:
        text = ""
    days: dict[bool, Day] = {True: (year, month, day), False: (year, month, day)}
    return Mention(match.start(), match.end(), text, days, kind)


def _year(written: str) -> int:
    """Return a year of two digits as dates are read: 69-99 are 1969-1999."""
    year = int(written)
    if len(written) == 4:
        return year
    century = 1900 if year >= 69 else 2000
    return century + year


def _both_orders(first: int, second: int, year: int) -> dict[bool, Day]:
    """Return the day of two numbers in each order, the same where only one can be; nothing where none can."""
    days: dict[bool, Day] = {True: (year, second, first), False: (year, first, second)}
    possible = {}
    for day_first, (_, month, day) in days.items():
        if 1 <= month <= 12 and 1 <= day <= 31:
            possible[day_first] = days[day_first]
    if not possible:
        return {}
    only = next(iter(possible.values()))
    return {day_first: possible.get(day_first, only) for day_first in days}


def _is_range(text: str, mentions: list[Mention]) -> bool:
    """Return whether a date has a second day beside it, as in 6-8 marzo 2024 or March 6 and 8, 2024."""
    end_before = 0
    for number, mention in enumerate(mentions):
        following = mentions[number + 1 :]
        start_after = following[0].start if following else len(text)
        before = text[end_before : mention.start]
        after = text[mention.end : start_after]
        found = _second_day(mention, before, after)
        if found and 1 <= int(found["day"]) <= 31:
            return True
        end_before = mention.end
    return False


def _second_day(mention: Mention, before: str, after: str) -> re.Match[str] | None:
    """Return the number beside a date that may be a second day of it, as in "3 and 4 May".

    Args:
        mention: the date.
        before: the text between it and the date before it.
        after: the text between it and the date behind it.
    """
    patterns_before = []
    patterns_after = []
    if mention.kind != "year first":
        patterns_before.append(_DAY_BEFORE)
    if mention.kind == "named":
        patterns_before.append(_DAY_AND_COMMA_BEFORE)
    # both orders of day and month have the same year
    year, _, _ = mention.days[True]
    if year is None:
        patterns_after += [_DAY_AFTER, _DAY_AND_COMMA_AFTER]
    elif mention.kind == "year first":
        patterns_after.append(_DAY_AFTER)
    for pattern in patterns_before:
        found = pattern.search(before)
        if found:
            return found
    for pattern in patterns_after:
        found = pattern.search(after)
        if found:
            return found
    return None


def _words_around(text: str, mentions: list[Mention]) -> list[str]:
    """Return the words beside the dates of a cell, an empty one in the place of each date."""
    words: list[str] = []
    end = 0
    for mention in mentions:
        words += _telling_words(text[end : mention.start])
        words.append("")
        end = mention.end
    return words + _telling_words(text[end:])


def _telling_words(text: str) -> list[str]:
    """Return the words of a text, without those that say nothing of its date."""
    return [word for word in re.findall(r"\w+", text) if word not in FILLING]


def _published(mentions: list[Mention], words: list[str]) -> Mention | None:
    """Return the date of publication of two dates, each of which has its word before it."""
    if len(mentions) != 2:
        return None
    first, second = mentions
    if not first.is_complete or not second.is_complete:
        return None
    if len(words) != 4 or words[1] or words[3]:
        return None
    # a word, the empty one in the place of the first date, a word, the empty one of the second date
    first_word, _, second_word, _ = words
    if first_word in PUBLISHED and second_word in UPDATED:
        return first
    if second_word in PUBLISHED and first_word in UPDATED:
        return second
    return None
