"""What people's files have and a corpus must not have: each look reads the articles of the outlets and says what it saw.

What the headlines or articles of an outlet share says nothing of style or content; `mended` takes it off.
Thresholds were set on clean files (the sample, AllSides and single outlets of it, two Arabic outlets) and on spoilt copies.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from operator import ne
from typing import Any

import numpy as np

from change_it.corpus.article import Article
from change_it.errors import InputError
from change_it.io import counted
from change_it.stats import Ints
from change_it.text.cleaning import encoded_twice
from change_it.text.folding import fold
from change_it.text.tokens import is_unspaced

#: Shares of an outlet's rows: few, more than any look sees of clean files, and many.
FEW, MANY = 0.05, 0.2
#: Rows of an outlet below which shares say nothing.
LEAST = 20
#: A headline over so many articles, and over a hundredth of them, is none; so many articles in both outlets are more than an accident.
OFTEN, HUNDREDTH = 5, 0.01
#: Articles whose passages are compared, and words of the shortest passage.
SAMPLED, PASSAGE = 400, 6
#: Words of a site, section or agency, at most; characters of an opening by which a story is known; words of a stub, fewer.
ENDS, OPENING, STUB = 8, 100, 20
#: An article so many times as long as the median is long; one with so many partners of its day holds many stories.
LONG, HUB = 4, 10
#: Long articles that are aligned so many times as often as all: single stories are aligned half as often, live pages twice.
ALIGNED = 1.5
BEGIN, END, MARK = (
    f"headlines {what}" for what in ("begin alike", "end alike", "have a mark that the other outlet has not")
)
#: Names of looks by which main can tell the outlets without their style.
MARKED = (BEGIN, END, MARK)
MEND = "--mend takes it off"

#: What spreadsheets and scrapers write where there is nothing.
_NOTHING = re.compile(r"#(?:NAME\?|N/A|REF!|VALUE!)|n/?a|nan|none|null|undefined|untitled|\W+", re.IGNORECASE)
#: The name of a site, section or agency before a headline, and behind it.
_BEGINS = re.compile(r".* [|•·/~–—-]+|.*[:|)\]]")
_ENDS = re.compile(r"[|•·/~–—-]+ .*|[(\[][^()\[\]]*[)\]]")
#: Marks that exports put in the place of one another, and those that part a section from a headline.
_TWINS = ((re.compile(r"\b'\b"), re.compile(r"\b’\b")), (re.compile('"'), re.compile("[“”]")))
_PARTS = tuple(map(re.compile, ("[|]", "[•·]", "[►▶■]")))


@dataclass(frozen=True, slots=True)
class Look:
    """What a look saw."""

    name: str  # such as `headlines end alike`
    outlet: str  # empty where it is of both
    count: int
    total: int
    example: str
    advice: str

    @property
    def text(self) -> str:
        """One sentence, without its full stop."""
        of = f"{self.outlet}: " if self.outlet else ""
        example = f", as {self.example[:99]!r}" if self.example else ""
        return f"{of}{self.count:,} of {self.total:,} {self.name}{example}" + (
            f": {self.advice}" if self.advice else ""
        )

    def as_dict(self) -> dict[str, Any]:
        """The look as a JSON object."""
        return asdict(self) | {"text": self.text}


def look(articles: Sequence[Article], outlets: tuple[str, str], links: tuple[Ints, Ints]) -> list[Look]:
    """What is seen in the articles of two outlets; `links` are pairs of positions whose cosine is above the strict threshold."""
    sides = [[article for article in articles if article.label == name] for name in outlets]
    if min(map(len, sides)) < LEAST:
        return []
    found: list[Look | None] = []
    plain = []
    for name, mine, other in zip(outlets, sides, sides[::-1], strict=True):
        cut, shared = _without_shared(name, mine, other)
        plain.append(cut)
        found += [
            *shared,
            *(each(name, mine) for each in (_nothing, _one_day, _first_of_month, _encoded_twice)),
        ]
        found += [_stubs(name, cut), _again(name, cut)]
    for at in (0, 1):
        found.append(_marks(outlets[at], plain[at], plain[1 - at]))
    found += [_in_both(*plain), _days(*sides), _unspaced(articles), _live(articles, outlets, links)]
    return [each for each in found if each]


def mended(articles: Sequence[Article], outlets: tuple[str, str]) -> tuple[list[Article], list[Look]]:
    """The articles without what the texts of their outlet share, in order, and what was taken off; a text of nothing else is empty."""
    sides = [[article for article in articles if article.label == name] for name in outlets]
    if min(map(len, sides)) < LEAST:
        return list(articles), []
    cut: dict[str, Iterator[Article]] = {}
    taken: list[Look] = []
    for name, mine, other in zip(outlets, sides, sides[::-1], strict=True):
        plain, looks = _without_shared(name, mine, other)
        cut[name] = iter(plain)
        taken += (replace(each, advice="") for each in looks)
    return [
        next(cut[article.label], article) if article.label in cut else article for article in articles
    ], taken


def _without_shared(name: str, mine: list[Article], other: list[Article]) -> tuple[list[Article], list[Look]]:
    """The articles of an outlet without what many of them share and the other's do not, and looks at that."""
    passages = shared_passages([article.article for article in mine])
    headlines, theirs = ([article.headline for article in side] for side in (mine, other))
    begins, ends = (shared_ends(headlines, theirs, end=end) for end in (False, True))
    found = []
    for what, shared, changed in (
        ("articles share a passage", passages, lambda a: (a.headline, _without(a.article, passages))),
        ("articles begin with their headline", headlines[:1], lambda a: (a.headline, _without_title(a))),
        (BEGIN, begins, lambda a: (_without_end(a.headline, begins, end=False), a.article)),
        (END, ends, lambda a: (_without_end(a.headline, ends, end=True), a.article)),
    ):
        texts = map(changed, mine)
        cut = [replace(a, headline=head, article=text) for a, (head, text) in zip(mine, texts, strict=True)]
        if (count := sum(map(ne, mine, cut))) >= FEW * len(mine):
            found.append(Look(what, name, count, len(mine), shared[0], MEND))
            mine = cut
    return mine, found


def _without_title(article: Article) -> str:
    """The text of an article without its headline at the beginning, quotation marks and capitals aside."""
    head, text = article.headline, article.article
    if fold(text[: len(head)]).lower() != fold(head).lower():
        return text
    return text[len(head) :].lstrip(" .,:;|–—-")


def shared_ends(headlines: Sequence[str], others: Sequence[str], *, end: bool) -> list[str]:
    """What a twentieth of an outlet's headlines begin or end with and the others do not, after or before a mark; half of them without one."""
    counts, there = (
        Counter(part for text in dict.fromkeys(texts) for part in _ends(text, end=end))
        for texts in (headlines, others)
    )
    total, pattern = len(set(headlines)), _ENDS if end else _BEGINS
    parts = [
        part
        for part, count in counts.items()
        if count >= max(OFTEN, total * (FEW if pattern.fullmatch(part) else 0.5))
        and 10 * there[part] * total <= count * len(others)
    ]
    return sorted(parts, key=lambda part: (-len(part), part))


def _ends(text: str, *, end: bool) -> list[str]:
    """The first or last words of a headline, not all of them."""
    every = text.split()
    numbers = range(1, min(ENDS + 1, len(every)))
    return [" ".join(every[-number:] if end else every[:number]) for number in numbers]


def _without_end(text: str, parts: Sequence[str], *, end: bool) -> str:
    """A headline without the first of some parts that it has at an end, again and again."""
    for part in parts:
        if end and text.endswith(f" {part}"):
            return _without_end(text.removesuffix(part).rstrip(" ,;:|•·/–—-"), parts, end=True) or text
        if not end and text.startswith(f"{part} "):
            return _without_end(text.removeprefix(part).lstrip(" ,;:|•·/–—-"), parts, end=False) or text
    return text


def shared_passages(texts: Sequence[str]) -> list[str]:
    """Passages that a fifth of some texts share, the most frequent first; a passage ends where the number of texts that share it changes."""
    drawn = sorted(texts, key=lambda text: (zlib.crc32(text.encode()), text))[:SAMPLED]
    pieces = [text.split() for text in drawn]
    runs = [list(zip(*(words[at:] for at in range(PASSAGE)), strict=False)) for words in pieces]
    counts = Counter(run for several in runs for run in set(several))
    least = max(OFTEN, MANY * len(drawn))
    found: Counter[str] = Counter()
    for words, several in zip(pieces, runs, strict=True):
        start, before = 0, 0
        for at, count in enumerate([*map(counts.__getitem__, several), 0]):
            goes_on = before >= least and 0.8 * before <= count <= 1.25 * before
            if before >= least and not goes_on:
                found[" ".join(words[start : at - 1 + PASSAGE])] += 1
            if not goes_on:
                start = at
            before = count
    return [passage for passage, count in found.most_common() if count >= least / 2]


def _without(text: str, passages: Sequence[str]) -> str:
    """A text without some passages."""
    for passage in passages:
        if passage in text:
            text = " ".join(text.replace(passage, " ").split())
    return text


def _nothing(name: str, mine: list[Article]) -> Look | None:
    """Headlines such as `#NAME?`, and those that many articles have."""
    counts = Counter(article.headline for article in mine)
    least = max(OFTEN, HUNDREDTH * len(mine))
    bad = {text: count for text, count in counts.items() if count >= least or _NOTHING.fullmatch(text)}
    if not bad:
        return None
    example = max(bad, key=lambda text: (bad[text], text))
    advice = "leave these rows out, or give them their headlines"
    return Look(
        "headlines stand over many articles or are none", name, sum(bad.values()), len(mine), example, advice
    )


def _one_day(name: str, mine: list[Article]) -> Look | None:
    """A day that has far more articles than any other."""
    (day, count), (_, next_count) = [
        *Counter(a.date for a in mine if a.date).most_common(2),
        (None, 0),
        (None, 0),
    ][:2]
    if count < max(LEAST, FEW * len(mine), 5 * next_count):
        return None
    advice = "if it stands for no date or is the day of the crawl, leave such dates empty, or unread by --columns date="
    return Look("articles are of one day", name, count, len(mine), str(day), advice)


def _first_of_month(name: str, mine: list[Article]) -> Look | None:
    """Dates of which only the month is known."""
    days = [article.date for article in mine if article.date]
    first = [day for day in days if day.day == 1]
    if len({*first}) < 3 or len(first) < MANY * len(days):
        return None
    advice = "if only the month is known, leave these dates empty, or unread by --columns date="
    return Look("articles are of the first of a month", name, len(first), len(mine), str(first[0]), advice)


def _encoded_twice(name: str, mine: list[Article]) -> Look | None:
    """Texts with words like `perchÃ©`."""
    found = [word for a in mine if (word := encoded_twice(a.headline) or encoded_twice(a.article))]
    return (
        Look(
            "articles were encoded as UTF-8 twice",
            name,
            len(found),
            len(mine),
            found[0],
            "--mend repairs them",
        )
        if found
        else None
    )


def _stubs(name: str, mine: list[Article]) -> Look | None:
    """Articles of a few words, without what is shared."""
    found = [
        a.article
        for a in mine
        if len(a.article.split(maxsplit=STUB)) < STUB and not is_unspaced(a.article[:1])
    ]
    if len(found) < FEW * len(mine):
        return None
    return Look(
        f"articles have fewer than {STUB} words of their own",
        name,
        len(found),
        len(mine),
        found[0],
        "leave them out",
    )


def _again(name: str, mine: list[Article]) -> Look | None:
    """Articles that open as another one of the outlet."""
    counts = Counter(article.article[:OPENING] for article in mine if len(article.article) >= OPENING)
    found = [text for text, count in counts.items() if count > 1]
    if (count := sum(counts[text] for text in found)) < FEW * len(mine):
        return None
    advice = "if they are versions of one story, give them one id, and the newest is kept"
    return Look("articles begin as another one with another id", name, count, len(mine), found[0], advice)


def _marks(name: str, mine: list[Article], other: list[Article]) -> Look | None:
    """A mark for which the other outlet has another one, or that parts a section from a headline."""
    headlines, theirs = ([article.headline for article in side] for side in (mine, other))

    def having(mark: re.Pattern[str], texts: list[str]) -> list[str]:
        return list(filter(mark.search, texts))

    for mark, twin in (*_TWINS, *(pair[::-1] for pair in _TWINS)):
        found, instead = having(mark, headlines), having(twin, theirs)
        alone = len(having(twin, headlines)) <= FEW * len(found) and len(having(mark, theirs)) <= FEW * len(
            instead
        )
        if min(len(found), len(instead)) >= LEAST and alone:
            return Look(MARK, name, len(found), len(mine), found[0], "write this mark alike in both files")
    for mark in _PARTS:
        found = having(mark, headlines)
        if len(found) >= max(OFTEN, FEW * len(mine)) and 10 * len(having(mark, theirs)) * len(mine) <= len(
            found
        ) * len(other):
            return Look(MARK, name, len(found), len(mine), found[0], "take off what is no headline")
    return None


def _in_both(mine: list[Article], other: list[Article]) -> Look | None:
    """Articles that both outlets have, word for word."""
    texts = {article.article for article in other}
    found = [article for article in mine if article.article in texts]
    if len(found) < max(OFTEN, HUNDREDTH * min(len(mine), len(other))):
        return None
    advice = "an agency's texts say nothing of either outlet, and AH and evidence see one article twice"
    return Look(
        f"articles of {mine[0].label} stand in {other[0].label}, too, word for word",
        "",
        len(found),
        len(mine),
        found[0].headline,
        advice,
    )


def _days(mine: list[Article], other: list[Article]) -> Look | None:
    """Outlets that have no day in common."""
    days, others = ({a.date for a in side if a.date} for side in (mine, other))
    if not days or not others or days & others:
        return None
    advice = "give articles of the same time"
    return Look(
        f"days of {mine[0].label} are days of {other[0].label}",
        "",
        0,
        len(days),
        _times(days, others),
        advice,
    )


def refuse_apart(articles: Sequence[Article], outlets: tuple[str, str], window: int) -> None:
    """Refuse outlets of which no article is within a window of days of one of the other."""
    days, others = (
        np.unique([a.date.toordinal() for a in articles if a.label == name and a.date]) for name in outlets
    )
    if len(days) and len(others) and np.abs(days[:, None] - others).min() > window:
        a, b = ({date.fromordinal(day) for day in side.tolist()} for side in (days, others))
        raise InputError(
            f"no article of {outlets[0]} is within {counted(window, 'day')} of one of {outlets[1]} ({_times(a, b)}): give articles of "
            "the same time, or correct the dates"
        )


def _times(*sides: set[date]) -> str:
    """The first and last day of each outlet."""
    return ", ".join(f"{min(days)} to {max(days)}" for days in sides)


def _unspaced(articles: Sequence[Article]) -> Look | None:
    """Headlines in a script without spaces."""
    found = [a.headline for a in articles if 2 * sum(map(is_unspaced, a.headline)) > len(a.headline)]
    if len(found) < MANY * len(articles):
        return None
    advice = "words, lengths and baselines count letters, and no figure was validated on such a language"
    return Look("headlines are in a script without spaces", "", len(found), len(articles), found[0], advice)


def _live(articles: Sequence[Article], outlets: tuple[str, str], links: tuple[Ints, Ints]) -> Look | None:
    """Long articles that are aligned as often as others, which single stories are not, and those aligned with very many of their day."""
    side = np.array([outlets.index(a.label) if a.label in outlets else 2 for a in articles])
    days = np.array([a.date.toordinal() if a.date else 0 for a in articles])
    lengths = np.array([len(a.article) for a in articles])
    medians = np.array([np.median(lengths[side == at]) for at in (0, 1)] + [np.inf])
    a, b = links
    across = (side[a] + side[b] == 1) & (days[a] == days[b])
    partners = np.bincount(np.concatenate([a[across], b[across]]), minlength=len(articles))
    long, aligned = lengths > LONG * medians[side], partners > 0
    pages = long & aligned
    if pages.sum() < OFTEN or pages.sum() * (side < 2).sum() < ALIGNED * aligned.sum() * long.sum():
        pages &= False
    pages |= (partners >= HUB) & (days > 0)
    if not pages.any():
        return None
    advice = "if they are live pages of many stories, leave them out"
    example = articles[int(np.flatnonzero(pages)[0])].headline
    return Look(
        f"articles are very long, or aligned with {HUB} and more",
        "",
        int(pages.sum()),
        int((side < 2).sum()),
        example,
        advice,
    )
