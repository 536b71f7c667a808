"""What people's files have and a corpus must not have: each look reads the articles of the outlets and says what it saw.

What the headlines or articles of an outlet share says nothing of style or content; `mended` takes it off.
Thresholds were set on clean files (the sample, AllSides and single outlets of it, two Arabic outlets) and on spoilt copies.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from change_it.corpus.reading.article import Article
from change_it.errors import InputError
from change_it.stats import Ints
from change_it.text.cleaning import encoded_twice
from change_it.text.escapes import erased_in, escape_in
from change_it.text.folding import fold
from change_it.text.tokens import is_unspaced, length, words

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
BEGIN, END = "headlines begin alike", "headlines end alike"
MARK = "headlines have a mark that the other outlet has not"
CAPITALS = "headlines are in capitals, the other outlet's are not"
CUT = "headlines end with dots, the other outlet's do not"
#: Names of looks by which main can tell the outlets without their style.
MARKED = (BEGIN, END, MARK, CAPITALS, CUT)
#: A fifth of an outlet's headlines are in capitals or end with dots, and of the other's no more than this part of that share.
MUCH_FEWER = 0.25
#: Share of the runs of `PASSAGE` words of the shorter of two articles that the longer one has, too, where one is a copy.
COPIED = 0.5

#: What spreadsheets and scrapers write where there is nothing.
_NOTHING = re.compile(r"#(?:NAME\?|N/A|REF!|VALUE!)|n/?a|nan|none|null|undefined|untitled|\W+", re.IGNORECASE)
#: The name of a site, section or agency before a headline, and behind it.
_BEGINS = re.compile(r".* [|•·/~–—-]+|.*[:|)\]]")
_ENDS = re.compile(r"[|•·/~–—-]+ .*|[(\[][^()\[\]]*[)\]]")
#: Marks that exports put in the place of one another.
_TWINS = ((r"\b'\b", r"\b’\b"), (r"\b’\b", r"\b'\b"), ('"', "[“”]"), ("[“”]", '"'))


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
        example = f", as “{self.example[:99]}”" if self.example else ""
        advice = f": {self.advice}" if self.advice else ""
        return f"{of}{self.count:,} of {self.total:,} {self.name}{example}{advice}"


def look(
    articles: Sequence[Article], outlets: tuple[str, str], links: tuple[Ints, Ints], advice: str = ""
) -> list[Look]:
    """What is seen in the articles of two outlets; `links` are pairs of positions whose cosine is above the strict threshold, `advice` is on what is shared."""
    sides = [[article for article in articles if article.label == name] for name in outlets]
    if min(map(len, sides)) < LEAST:
        return []
    trimmed_sides: list[list[Article]] = []
    looks: list[Look] = []
    for name, own, opposite in zip(outlets, sides, sides[::-1], strict=True):
        trimmed, shared = _without_shared(name, own, opposite, advice)
        trimmed_sides.append(trimmed)
        looks += shared
        for fault, texts, least, remedy in _of_one(own, trimmed):
            looks += _if_many(fault, name, texts, len(own), remedy, least)
    for own, opposite in (trimmed_sides, trimmed_sides[::-1]):
        looks += _marks(own, opposite) + _capitals_and_dots(own, opposite)
    copies = _copies(articles, trimmed_sides, outlets, links)
    fault = f"articles stand word for word, or nearly, in {outlets[1]}, too"
    least = max(OFTEN / len(trimmed_sides[0]), HUNDREDTH)
    advice = "leave agency texts out, which show no outlet"
    looks += _if_many(fault, outlets[0], copies, len(trimmed_sides[0]), advice, least)
    not_ascii = [a.headline for a in articles if not a.headline.isascii()]
    unspaced = [text for text in not_ascii if 2 * sum(map(is_unspaced, text)) > len(text)]
    advice = "words, lengths and baselines count its letters, and no figure was validated on such a language"
    looks += _if_many("headlines are in a script without spaces", "", unspaced, len(articles), advice, MANY)
    fault = f"articles are {LONG} times as long as others and aligned, or aligned with {HUB} others"
    live, advice = _live(articles, outlets, links), "if they are live pages of many stories, leave them out"
    return looks + _if_many(fault, "", live, len(articles), advice, 0)


def mended(articles: Sequence[Article], outlets: tuple[str, str]) -> tuple[list[Article], list[Look]]:
    """The articles without what the texts of their outlet share, in order, and what was taken off; a text of nothing else is empty."""
    sides = [[article for article in articles if article.label == name] for name in outlets]
    trimmed_sides = [_without_shared(*side) for side in zip(outlets, sides, sides[::-1], strict=True)]
    trimmed = {name: iter(plain) for name, (plain, _) in zip(outlets, trimmed_sides, strict=True)}
    taken_off = [look for _, looks in trimmed_sides for look in looks]
    return [next(trimmed[a.label]) if a.label in trimmed else a for a in articles], taken_off


def _if_many(
    fault: str, outlet: str, texts: Sequence[str], total: int, advice: str, least: float
) -> list[Look]:
    """A look at some texts, unless they are a smaller share."""
    is_enough = texts and len(texts) >= least * total
    return [Look(fault, outlet, len(texts), total, texts[0], advice)] if is_enough else []


def _without_shared(
    name: str, own: list[Article], opposite: list[Article], advice: str = ""
) -> tuple[list[Article], list[Look]]:
    """The articles of an outlet without what many of them share and the other's do not, and looks at that."""
    if min(len(own), len(opposite)) < LEAST:
        return own, []
    passages = shared_passages([article.article for article in own])
    headlines, opposite_headlines = ([article.headline for article in side] for side in (own, opposite))
    begins, ends = (shared_ends(headlines, opposite_headlines, end=end) for end in (False, True))
    looks: list[Look] = []
    many = MANY + len(own) ** -0.5  # phrases of a small outlet may be in a fifth of its articles by chance
    for fault, least, examples, changed in (
        ("articles share a passage", many, passages, lambda a: (a.headline, _without(a.article, passages))),
        ("articles begin with their headline", FEW, [], lambda a: (a.headline, _without_title(a))),
        (BEGIN, FEW, begins, lambda a: (_without_end(a.headline, begins, end=False), a.article)),
        (END, FEW, ends, lambda a: (_without_end(a.headline, ends, end=True), a.article)),
    ):
        texts = map(changed, own)
        trimmed = [
            replace(a, headline=head, article=text) for a, (head, text) in zip(own, texts, strict=True)
        ]
        before = [a.headline for a, b in zip(own, trimmed, strict=True) if a != b]
        if matches := _if_many(fault, name, before, len(own), advice, least):
            looks.append(replace(matches[0], example=[*examples, *before][0]))
            own = trimmed
    return own, looks


def _without_title(article: Article) -> str:
    """The text of an article without its headline at the beginning, quotation marks and capitals aside."""
    head, text = article.headline, article.article
    if fold(text[: len(head)]).lower() != fold(head).lower():
        return text
    return text[len(head) :].lstrip(" .,:;|–—-")


def shared_ends(headlines: Sequence[str], others: Sequence[str], *, end: bool) -> list[str]:
    """What a twentieth of an outlet's headlines begin or end with and the others do not, after or before a mark; half of them without one; the longest first."""
    counts, others_counts = (
        Counter(part for text in {*texts} for part in _ends(text, end=end)) for texts in (headlines, others)
    )
    total, pattern = len({*headlines}), _ENDS if end else _BEGINS
    parts = [
        part
        for part, count in counts.items()
        if count >= max(OFTEN, total * (FEW if pattern.fullmatch(part) else 0.5))
        and 10 * others_counts[part] * total <= count * len(others)
    ]
    return sorted(parts, key=lambda part: (-len(part), part))


def _ends(text: str, *, end: bool) -> list[str]:
    """The first or last words of a headline, not all of them."""
    words = text.split()
    return [" ".join(words[-n:] if end else words[:n]) for n in range(1, min(ENDS + 1, len(words)))]


def _without_end(text: str, parts: Sequence[str], *, end: bool) -> str:
    """A headline without those of some parts that it has at an end."""
    for part in parts:
        if end and text.endswith(f" {part}"):
            text = text.removesuffix(part).rstrip(" ,;:|•·/–—-")
        elif not end and text.startswith(f"{part} "):
            text = text.removeprefix(part).lstrip(" ,;:|•·/–—-")
    return text


def shared_passages(texts: Sequence[str]) -> list[str]:
    """Passages that a fifth of some texts share, the most frequent first; a passage ends where the number of texts that share it changes."""
    drawn = sorted(texts, key=lambda text: (zlib.crc32(text.encode()), text))[:SAMPLED]
    split_texts = [text.split() for text in drawn]
    runs = [list(zip(*(words[place:] for place in range(PASSAGE)), strict=False)) for words in split_texts]
    counts = Counter(run for own_runs in runs for run in set(own_runs))
    least = max(OFTEN, MANY * len(drawn))
    passages: Counter[str] = Counter()
    for own_words, own_runs in zip(split_texts, runs, strict=True):
        start, before = 0, 0
        for place, count in enumerate([*map(counts.__getitem__, own_runs), 0]):
            if not 0.8 * before <= count <= 1.25 * before:
                if before >= least:
                    passages[" ".join(own_words[start : place - 1 + PASSAGE])] += 1
                start = place
            before = count
    return [passage for passage, count in passages.most_common() if count >= least / 2]


def _without(text: str, passages: Sequence[str]) -> str:
    for passage in passages:
        if passage in text:
            text = " ".join(text.replace(passage, " ").split())
    return text


def _of_one(articles: list[Article], trimmed: list[Article]) -> Iterator[tuple[str, list[str], float, str]]:
    """Yield the looks at one outlet: name, texts at fault, their least share, advice; `trimmed` is without what the articles share."""
    counts = Counter(article.headline for article in articles)
    often = max(OFTEN, HUNDREDTH * len(articles))
    worthless = [
        text for text, n in counts.most_common() if n >= often or _NOTHING.fullmatch(text) for _ in range(n)
    ]
    advice = "leave these rows out, or give them their headlines"
    yield "headlines are none, or stand over many articles", worthless, 0, advice

    days = Counter(str(article.date) for article in articles if article.date)
    (day, most), (_, second) = [*days.most_common(2), ("", 0), ("", 0)][:2]
    of_one_day = [day] * most if most >= 5 * second else []
    advice = "if it stands for no date, or is the day of the crawl, leave these dates empty"
    yield "articles are of one day", of_one_day, FEW, advice

    first_days = [day for day in days.elements() if day.endswith("-01")]
    if len(first_days) <= 2 * max(Counter(first_days).values(), default=0):
        first_days = []  # they are of one day
    advice = "if only the month is known, leave these dates empty, or unread by --columns date="
    yield "articles are of the first of a month", first_days, MANY, advice

    garbled = [word for a in articles if (word := encoded_twice(a.headline) or encoded_twice(a.article))]
    yield "articles were encoded as UTF-8 twice", garbled, 0, "--mend repairs them"

    escaped = list(filter(None, (escape_in(a.headline) or escape_in(a.article) for a in articles)))
    yield "articles have escapes in the place of characters", escaped, 0, "--mend repairs them"

    erased = list(filter(None, (erased_in(a.headline) or erased_in(a.article) for a in articles)))
    advice = "letters are lost: export the texts again, as UTF-8"
    least = max(OFTEN / len(articles), HUNDREDTH)
    yield "articles have a question mark in the place of a letter", erased, least, advice

    stubs = [a.article for a in trimmed if length(a.article[: 20 * STUB]) < STUB]
    yield f"articles have less than {STUB} words of their own", stubs, FEW, "leave them out"

    openings = Counter(a.article[:OPENING] for a in trimmed if len(a.article) >= OPENING)
    repeated = [text for text in openings.elements() if openings[text] > 1]
    advice = "if they are versions of one story, give them one id, and the newest is kept"
    yield "articles begin as another one with another id", repeated, FEW, advice


def _marks(own: list[Article], opposite: list[Article]) -> list[Look]:
    """A mark in the place of which the other outlet has another one."""
    for pattern, twin in _TWINS:
        with_mark, with_twin = (
            [[a.headline for a in side if re.search(mark, a.headline)] for mark in marks]
            for side, marks in ((own, (pattern, twin)), (opposite, (twin, pattern)))
        )
        sides = with_mark, with_twin
        if all(len(texts) >= LEAST and len(rest) <= FEW * len(texts) for texts, rest in sides):
            return _if_many(MARK, own[0].label, with_mark[0], len(own), "write it alike in both files", 0)
    return []


def _capitals_and_dots(own: list[Article], opposite: list[Article]) -> list[Look]:
    """Return looks at headlines that are in capitals, or cut with dots, where those of the other outlet are not."""
    looks: list[Look] = []
    for fault, is_so, advice in (
        (CAPITALS, str.isupper, "write them alike in both files"),
        (CUT, lambda headline: headline.endswith(("...", "…")), "give whole headlines"),
    ):
        found = [article.headline for article in own if is_so(article.headline)]
        others = sum(is_so(article.headline) for article in opposite)
        if others / len(opposite) <= MUCH_FEWER * len(found) / len(own):
            looks += _if_many(fault, own[0].label, found, len(own), advice, MANY)
    return looks


def _copies(
    articles: Sequence[Article],
    trimmed_sides: Sequence[list[Article]],
    outlets: tuple[str, str],
    links: tuple[Ints, Ints],
) -> list[str]:
    """Return the headlines of A's articles that stand in B: word for word, or, of linked ones, most of the shorter one."""
    sides = {name: iter(side) for name, side in zip(outlets, trimmed_sides, strict=True)}
    trimmed = [next(sides[article.label], None) if article.label in sides else None for article in articles]
    texts_of_b = {article.article for article in trimmed_sides[1] if article.article}
    copied = {
        place
        for place, article in enumerate(trimmed)
        if article and article.label == outlets[0] and article.article in texts_of_b
    }
    runs: dict[int, frozenset[tuple[str, ...]]] = {}
    for place, other in zip(*(side.tolist() for side in links), strict=True):
        first, second = trimmed[place], trimmed[other]
        if not first or not second or first.label == second.label:
            continue
        of_a = place if first.label == outlets[0] else other
        if of_a in copied:
            continue
        for at, article in ((place, first), (other, second)):
            if at not in runs:
                runs[at] = _runs(article.article)
        shorter = min(len(runs[place]), len(runs[other]))
        if shorter and len(runs[place] & runs[other]) >= COPIED * shorter:
            copied.add(of_a)
    return [articles[place].headline for place in sorted(copied)]


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return all runs of `PASSAGE` words of a text."""
    tokens = words(fold(text))
    return frozenset(zip(*(tokens[start:] for start in range(PASSAGE)), strict=False))


def same_headlines(headlines: Sequence[tuple[str, str]]) -> list[Look]:
    """Return a look at the test pairs whose two headlines are one text, accents, marks and capitals aside."""
    same = [a for a, b in headlines if words(fold(a)) == words(fold(b))]
    fault = "test pairs have one text as both headlines"
    advice = "gold copies the original there and shows no style: leave agency texts out"
    return _if_many(fault, "", same, len(headlines), advice, 0)


def _live(articles: Sequence[Article], outlets: tuple[str, str], links: tuple[Ints, Ints]) -> list[str]:
    """Long articles where many of those that are aligned are long, which of single stories a hundredth is, and those aligned with many of their day."""
    side = np.array([outlets.index(a.label) if a.label in outlets else 2 for a in articles])
    days = np.array([a.date.toordinal() if a.date else 0 for a in articles])
    sizes = np.array([len(a.article) for a in articles])
    medians = np.array([np.median(sizes[side == number]) for number in (0, 1)] + [np.inf])
    a, b = links
    across = (side[a] + side[b] == 1) & (days[a] == days[b])
    partners = np.bincount(np.concatenate([a[across], b[across]]), minlength=len(articles))
    pages = (partners > 0) & (sizes > LONG * medians[side])
    pages &= pages.sum() >= max(OFTEN, FEW * (partners > 0).sum())
    pages |= (partners >= HUB) & (days > 0)
    return [articles[number].headline for number in np.flatnonzero(pages).tolist()]


def refuse_apart(articles: Sequence[Article], outlets: tuple[str, str], window: int) -> None:
    """Refuse outlets of which no article is within a window of days of one of the other."""
    days = [sorted({a.date for a in articles if a.label == name and a.date}) for name in outlets]
    near = {day + timedelta(lag) for day in days[0] for lag in range(-window, window + 1)}
    if all(days) and near.isdisjoint(days[1]):
        times = ", ".join(f"{name} {of[0]} to {of[-1]}" for name, of in zip(outlets, days, strict=True))
        mend = "give articles of the same time, or correct the dates"
        apart = "of the same date" if window == 0 else f"at most {window} days apart"
        raise InputError(f"no two articles of the outlets are {apart} ({times}): {mend}")
