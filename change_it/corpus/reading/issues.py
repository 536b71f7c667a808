"""What people's files have and a corpus must not have: each check reads the articles and says what it found.

A new check is a new entry of `CHECKS`; nothing else names checks. Boilerplate, which the headlines or articles of an outlet
share, says nothing of style or content; `strip_boilerplate` takes it off. Bounds were set on clean files (the sample, AllSides
and single outlets of it, two Arabic outlets) and on spoilt copies.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache

import numpy as np

from change_it.corpus.reading.article import Article
from change_it.errors import InputError
from change_it.stats import Ints
from change_it.text.cleaning import encoded_twice
from change_it.text.escapes import erased_in, escape_in
from change_it.text.folding import fold
from change_it.text.tokens import is_unspaced, length, words

#: Share of an outlet's rows from which most issues are reported; clean files stay below.
REPORT_SHARE = 0.05
#: Share of an outlet's rows from which something is common.
COMMON_SHARE = 0.2
#: Rows of an outlet below which shares say nothing.
MIN_ROWS = 20
#: Articles that share a headline, or stand in both outlets, from which that is no accident.
MIN_REPEATS = 5
#: Share of an outlet's articles that repeats have to reach, too.
MIN_REPEAT_SHARE = 0.01
#: Articles of an outlet whose passages are compared.
SAMPLED_TEXTS = 400
#: Words of the shortest passage.
PASSAGE_WORDS = 6
#: Words of the name of a site, section or agency, at most.
MAX_AFFIX_WORDS = 8
#: Characters of an opening by which a story is known.
STORY_PREFIX_CHARS = 100
#: An article with fewer words is a stub.
STUB_WORDS = 20
#: An article so many times as long as the median of its outlet is long.
LONG_TIMES_MEDIAN = 4
#: An article with so many partners of its day holds many stories.
HUB_PARTNERS = 10
#: Where a fifth of an outlet's headlines are in capitals, or end with dots, the other outlet may have this part of that share.
MUCH_FEWER = 0.25
#: Share of the runs of `PASSAGE_WORDS` words of the shorter of two articles that the longer one has, too, where one is a copy.
COPIED = 0.5

BEGIN = "headlines begin alike"
END = "headlines end alike"
MARK = "headlines have a mark that the other outlet has not"
CAPITALS = "headlines are in capitals, the other outlet's are not"
CUT = "headlines end with dots, the other outlet's do not"

#: What spreadsheets and scrapers write where there is nothing.
_NOTHING = re.compile(r"#(?:NAME\?|N/A|REF!|VALUE!)|n/?a|nan|none|null|undefined|untitled|\W+", re.IGNORECASE)
#: The name of a site, section or agency before a headline, and behind it.
_BEGINS = re.compile(r".* [|•·/~–—-]+|.*[:|)\]]")
_ENDS = re.compile(r"[|•·/~–—-]+ .*|[(\[][^()\[\]]*[)\]]")
#: Marks that exports put in the place of one another.
_TWINS = ((r"\b'\b", r"\b’\b"), (r"\b’\b", r"\b'\b"), ('"', "[“”]"), ("[“”]", '"'))


@dataclass(frozen=True, slots=True)
class Issue:
    """What a check found.

    Attributes:
        name: what the rows have, such as `headlines end alike`.
        outlet: whose rows they are; empty where they are of both.
        count: number of rows that have it.
        total: number of rows that were checked.
        example: text of one of them.
        advice: what to do about it.
    """

    name: str
    outlet: str
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


@dataclass(frozen=True)
class OutletView:
    """The articles of one outlet.

    Attributes:
        name: the outlet.
        articles: its articles as they are.
        stripped: the same without boilerplate.
        others: the other outlet's articles without boilerplate.
    """

    name: str
    articles: list[Article]
    stripped: list[Article]
    others: list[Article]


@dataclass(frozen=True)
class CorpusView:
    """The articles of both outlets.

    Attributes:
        articles: all articles in the order of the corpus.
        outlets: the two outlets.
        sides: the articles of each outlet.
        links: pairs of positions in `articles` whose cosine is above the strict threshold.
    """

    articles: Sequence[Article]
    outlets: tuple[str, str]
    sides: tuple[OutletView, OutletView]
    links: tuple[Ints, Ints]


def from_any(total: int) -> float:
    """Return the bound of an issue that a single row makes."""
    return 0


def from_few(total: int) -> float:
    """Return the bound of an issue that clean files have in fewer rows."""
    return REPORT_SHARE


def from_common(total: int) -> float:
    """Return the bound of an issue that may be meant unless it is common."""
    return COMMON_SHARE


def from_repeats(total: int) -> float:
    """Return the bound of an issue that an accident makes in a few rows."""
    return max(MIN_REPEATS / total, MIN_REPEAT_SHARE)


def from_common_by_chance(total: int) -> float:
    """Return the bound of passages: phrases of a small outlet may be in a fifth of its articles by chance."""
    return COMMON_SHARE + total**-0.5


@dataclass(frozen=True, kw_only=True)
class Check:
    """What there is to know of a check.

    Attributes:
        name: what the rows have, as the sentence says it behind the numbers. `{other}` is the second outlet.
        bound: returns, for the number of rows, the share from which it is reported.
        advice: what to do about it; empty for boilerplate, which `--mend` takes off.
        tells_outlets: whether a judge of style can tell the outlets by it without their style.
    """

    name: str
    bound: Callable[[int], float] = from_any
    advice: str = ""
    tells_outlets: bool = False

    def issues(self, outlet: str, texts: Sequence[str], total: int, *, other: str = "") -> list[Issue]:
        """Return the issue of the texts at fault, unless they are a smaller share than the bound."""
        if not texts or len(texts) < self.bound(total) * total:
            return []
        name = self.name.format(other=other)
        return [Issue(name, outlet, len(texts), total, texts[0], self.advice)]


@dataclass(frozen=True, kw_only=True)
class Boilerplate(Check):
    """A check of what many texts of an outlet share, which can be taken off.

    Attributes:
        learn: returns the shared parts, of the outlet's articles and the other outlet's, the best example first.
        strip: returns an article without the shared parts.
    """

    learn: Callable[[list[Article], list[Article]], list[str]]
    strip: Callable[[Article, list[str]], Article]


@dataclass(frozen=True, kw_only=True)
class OutletCheck(Check):
    """A check of one outlet's articles.

    Attributes:
        find: returns the texts at fault.
        compares: whether it compares with the other outlet; such issues are listed behind the others.
    """

    find: Callable[[OutletView], Sequence[str]]
    compares: bool = False


@dataclass(frozen=True, kw_only=True)
class CorpusCheck(Check):
    """A check of both outlets together.

    Attributes:
        find: returns the texts at fault.
        of_first_outlet: whether they are of the first outlet; else they are of both.
    """

    find: Callable[[CorpusView], Sequence[str]]
    of_first_outlet: bool = False


def find_issues(
    articles: Sequence[Article],
    outlets: tuple[str, str],
    links: tuple[Ints, Ints],
    boilerplate_advice: str = "",
) -> list[Issue]:
    """Return what is wrong with the articles of two outlets; nothing where an outlet has too few.

    Args:
        articles: articles in the order of the corpus.
        outlets: the two outlets.
        links: pairs of positions in `articles` whose cosine is above the strict threshold.
        boilerplate_advice: what to do about boilerplate.
    """
    own = [[article for article in articles if article.label == name] for name in outlets]
    if min(map(len, own)) < MIN_ROWS:
        return []
    first, first_issues = _without_boilerplate(outlets[0], own[0], own[1], boilerplate_advice)
    second, second_issues = _without_boilerplate(outlets[1], own[1], own[0], boilerplate_advice)
    sides = (
        OutletView(outlets[0], own[0], first, second),
        OutletView(outlets[1], own[1], second, first),
    )
    alone = [check for check in CHECKS.values() if isinstance(check, OutletCheck) and not check.compares]
    compared = [check for check in CHECKS.values() if isinstance(check, OutletCheck) and check.compares]
    issues: list[Issue] = []
    for side, boilerplate in zip(sides, (first_issues, second_issues), strict=True):
        issues += boilerplate
        issues += _issues_of_outlet(side, alone)
    for side in sides:
        issues += _issues_of_outlet(side, compared)
    view = CorpusView(articles, outlets, sides, links)
    for check in CHECKS.values():
        if isinstance(check, CorpusCheck):
            outlet = outlets[0] if check.of_first_outlet else ""
            total = len(own[0]) if check.of_first_outlet else len(articles)
            issues += check.issues(outlet, check.find(view), total, other=outlets[1])
    return issues


def _issues_of_outlet(side: OutletView, checks: Sequence[OutletCheck]) -> list[Issue]:
    """Return what some checks find in one outlet's articles."""
    found: list[Issue] = []
    for check in checks:
        found += check.issues(side.name, check.find(side), len(side.articles))
    return found


def strip_boilerplate(
    articles: Sequence[Article], outlets: tuple[str, str]
) -> tuple[list[Article], list[Issue]]:
    """Return the articles without the boilerplate of their outlet, in order, and what was taken off.

    A text of nothing else is empty.
    """
    own = [[article for article in articles if article.label == name] for name in outlets]
    first, taken_off = _without_boilerplate(outlets[0], own[0], own[1])
    second, taken_off_second = _without_boilerplate(outlets[1], own[1], own[0])
    stripped = {outlets[0]: iter(first), outlets[1]: iter(second)}
    in_order = [next(stripped[a.label]) if a.label in stripped else a for a in articles]
    return in_order, taken_off + taken_off_second


def tells_outlets(name: str) -> bool:
    """Return whether a judge of style can tell the outlets by an issue of this name, without their style."""
    return name in CHECKS and CHECKS[name].tells_outlets


def _without_boilerplate(
    outlet: str, own: list[Article], opposite: list[Article], advice: str = ""
) -> tuple[list[Article], list[Issue]]:
    """Return the articles of an outlet without what many of them share and the other's do not, and the issues of that.

    What is shared is learnt of the articles as they are; what one check takes off, the next one does not see.
    """
    if min(len(own), len(opposite)) < MIN_ROWS:
        return own, []
    checks = [check for check in CHECKS.values() if isinstance(check, Boilerplate)]
    learnt = [check.learn(own, opposite) for check in checks]
    stripped = own
    issues: list[Issue] = []
    for check, parts in zip(checks, learnt, strict=True):
        changed = [check.strip(article, parts) for article in stripped]
        pairs = zip(stripped, changed, strict=True)
        headlines = [before.headline for before, after in pairs if before is not after and before != after]
        for issue in check.issues(outlet, headlines, len(own)):
            example = parts[0] if parts else issue.example
            issues.append(replace(issue, example=example, advice=advice))
            stripped = changed
    return stripped, issues


def _passages(own: list[Article], opposite: list[Article]) -> list[str]:
    return shared_passages([article.article for article in own])


def _without_passages(article: Article, passages: list[str]) -> Article:
    text = _without(article.article, passages)
    return article if text == article.article else replace(article, article=text)


def _nothing_learnt(own: list[Article], opposite: list[Article]) -> list[str]:
    """Return no part: each article has its own headline."""
    return []


def _without_title(article: Article, parts: list[str]) -> Article:
    """Return an article without its headline at the beginning of its text, quotation marks and capitals aside."""
    head, text = article.headline, article.article
    if _begin_otherwise(head, text) or fold(text[: len(head)]).lower() != fold(head).lower():
        return article
    return replace(article, article=text[len(head) :].lstrip(" .,:;|–—-"))


def _begin_otherwise(one: str, other: str) -> bool:
    """Return whether the first letters of two texts differ, accents and capitals aside; most texts need no other look."""
    first, second = (fold(text[:1]).lower() for text in (one, other))
    return bool(first and second) and first[0] != second[0]


def _beginnings(own: list[Article], opposite: list[Article]) -> list[str]:
    return shared_ends([a.headline for a in own], [a.headline for a in opposite], end=False)


def _endings(own: list[Article], opposite: list[Article]) -> list[str]:
    return shared_ends([a.headline for a in own], [a.headline for a in opposite], end=True)


def _without_beginning(article: Article, parts: list[str]) -> Article:
    return _with_headline(article, _without_end(article.headline, parts, end=False))


def _without_ending(article: Article, parts: list[str]) -> Article:
    return _with_headline(article, _without_end(article.headline, parts, end=True))


def _with_headline(article: Article, headline: str) -> Article:
    """Return the article under this headline, itself where it has it already."""
    return article if headline == article.headline else replace(article, headline=headline)


def shared_ends(headlines: Sequence[str], others: Sequence[str], *, end: bool) -> list[str]:
    """Return what a twentieth of an outlet's headlines begin or end with and the others do not, after or before a mark; half of them without one; the longest first."""
    counts, others_counts = (_end_counts(frozenset(texts), end=end) for texts in (headlines, others))
    total, pattern = len({*headlines}), _ENDS if end else _BEGINS
    parts = [
        part
        for part, count in counts.items()
        if count >= max(MIN_REPEATS, total * (REPORT_SHARE if pattern.fullmatch(part) else 0.5))
        and 10 * others_counts[part] * total <= count * len(others)
    ]
    return sorted(parts, key=lambda part: (-len(part), part))


@lru_cache(maxsize=4)  # each outlet is held against the other one
def _end_counts(headlines: frozenset[str], *, end: bool) -> Counter[str]:
    """Return how many headlines begin or end with each of their first or last words."""
    return Counter(part for text in headlines for part in _ends(text, end=end))


def _ends(text: str, *, end: bool) -> list[str]:
    """Return the first or last words of a headline, not all of them."""
    words = text.split()
    return [
        " ".join(words[-n:] if end else words[:n]) for n in range(1, min(MAX_AFFIX_WORDS + 1, len(words)))
    ]


def _without_end(text: str, parts: Sequence[str], *, end: bool) -> str:
    """Return a headline without those of some parts that it has at an end."""
    for part in parts:
        if end and text.endswith(f" {part}"):
            text = text.removesuffix(part).rstrip(" ,;:|•·/–—-")
        elif not end and text.startswith(f"{part} "):
            text = text.removeprefix(part).lstrip(" ,;:|•·/–—-")
    return text


def shared_passages(texts: Sequence[str]) -> list[str]:
    """Return passages that a fifth of some texts share, the most frequent first.

    A passage ends where the number of texts that share it changes.
    """
    drawn = sorted(texts, key=lambda text: (zlib.crc32(text.encode()), text))[:SAMPLED_TEXTS]
    split_texts = [text.split() for text in drawn]
    runs = [
        list(zip(*(words[place:] for place in range(PASSAGE_WORDS)), strict=False)) for words in split_texts
    ]
    counts = Counter(run for own_runs in runs for run in set(own_runs))
    least = max(MIN_REPEATS, COMMON_SHARE * len(drawn))
    passages: Counter[str] = Counter()
    for own_words, own_runs in zip(split_texts, runs, strict=True):
        start, before = 0, 0
        for place, count in enumerate([*map(counts.__getitem__, own_runs), 0]):
            if not 0.8 * before <= count <= 1.25 * before:
                if before >= least:
                    passages[" ".join(own_words[start : place - 1 + PASSAGE_WORDS])] += 1
                start = place
            before = count
    return [passage for passage, count in passages.most_common() if count >= least / 2]


def _without(text: str, passages: Sequence[str]) -> str:
    for passage in passages:
        if passage in text:
            text = " ".join(text.replace(passage, " ").split())
    return text


def _worthless_headlines(side: OutletView) -> list[str]:
    """Return headlines that are none, or stand over many articles, the most frequent first."""
    counts = Counter(article.headline for article in side.articles)
    often = max(MIN_REPEATS, MIN_REPEAT_SHARE * len(side.articles))
    found: list[str] = []
    for headline, count in counts.most_common():
        if count >= often or _NOTHING.fullmatch(headline):
            found += [headline] * count
    return found


def _days(side: OutletView) -> list[str]:
    return [str(article.date) for article in side.articles if article.date]


def _one_day(side: OutletView) -> list[str]:
    """Return the most frequent day for each article that is of it, where it is five times as frequent as the next."""
    (day, most), (_, second) = [*Counter(_days(side)).most_common(2), ("", 0), ("", 0)][:2]
    return [day] * most if most >= 5 * second else []


def _first_of_month(side: OutletView) -> list[str]:
    """Return the days that are the first of a month, unless most of them are one day."""
    days = Counter(_days(side))
    first_days = [day for day in days.elements() if day.endswith("-01")]
    most = max(Counter(first_days).values(), default=0)
    return first_days if len(first_days) > 2 * most else []


def _found_in_texts(find: Callable[[str], str | None]) -> Callable[[OutletView], list[str]]:
    """Return a function that returns what `find` finds in the headline, or else in the text, of each article."""

    def found(side: OutletView) -> list[str]:
        first = (find(a.headline) or find(a.article) for a in side.articles)
        return [text for text in first if text]

    return found


def _stubs(side: OutletView) -> list[str]:
    """Return the texts that have few words without boilerplate; it reads no more of a text than could be such."""
    return [a.article for a in side.stripped if length(a.article[: 20 * STUB_WORDS]) < STUB_WORDS]


def _repeated_openings(side: OutletView) -> list[str]:
    """Return the openings that several articles have."""
    openings = Counter(
        a.article[:STORY_PREFIX_CHARS] for a in side.stripped if len(a.article) >= STORY_PREFIX_CHARS
    )
    return [text for text in openings.elements() if openings[text] > 1]


def _marks(side: OutletView) -> list[str]:
    """Return the headlines with a mark in the place of which the other outlet has another one."""
    for pattern, twin in _TWINS:
        own = [a.headline for a in side.stripped if re.search(pattern, a.headline)]
        own_twins = [a.headline for a in side.stripped if re.search(twin, a.headline)]
        others = [a.headline for a in side.others if re.search(twin, a.headline)]
        other_twins = [a.headline for a in side.others if re.search(pattern, a.headline)]
        if _is_rule(own, own_twins) and _is_rule(others, other_twins):
            return own
    return []


def _is_rule(texts: Sequence[str], exceptions: Sequence[str]) -> bool:
    return len(texts) >= MIN_ROWS and len(exceptions) <= REPORT_SHARE * len(texts)


def _where_others_are_not(is_so: Callable[[str], bool]) -> Callable[[OutletView], list[str]]:
    """Return a function that returns the headlines that are so, unless the other outlet's are so, too."""

    def found(side: OutletView) -> list[str]:
        own = [a.headline for a in side.stripped if is_so(a.headline)]
        others = sum(is_so(a.headline) for a in side.others)
        is_alike = others / len(side.others) > MUCH_FEWER * len(own) / len(side.stripped)
        return [] if is_alike else own

    return found


def _ends_with_dots(headline: str) -> bool:
    return headline.endswith(("...", "…"))


def _copies(view: CorpusView) -> list[str]:
    """Return the headlines of A's articles that stand in B: word for word, or, of linked ones, most of the shorter one."""
    articles, outlets = view.articles, view.outlets
    stripped = {side.name: iter(side.stripped) for side in view.sides}
    trimmed = [next(stripped[a.label], None) if a.label in stripped else None for a in articles]
    texts_of_b = {article.article for article in view.sides[1].stripped if article.article}
    copied = {
        place
        for place, article in enumerate(trimmed)
        if article and article.label == outlets[0] and article.article in texts_of_b
    }
    runs: dict[int, frozenset[tuple[str, ...]]] = {}
    for place, other in zip(*(places.tolist() for places in view.links), strict=True):
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
    """Return all runs of `PASSAGE_WORDS` words of a text."""
    tokens = words(fold(text))
    return frozenset(zip(*(tokens[start:] for start in range(PASSAGE_WORDS)), strict=False))


def _in_unspaced_script(view: CorpusView) -> list[str]:
    """Return the headlines of which most letters are of a script without spaces."""
    not_ascii = [a.headline for a in view.articles if not a.headline.isascii()]
    return [text for text in not_ascii if 2 * sum(map(is_unspaced, text)) > len(text)]


def _live_pages(view: CorpusView) -> list[str]:
    """Return the headlines of articles that seem to hold many stories.

    They are long and aligned, where many of the aligned ones are long: of single stories a hundredth is. Or they are
    aligned with many of their day.
    """
    labels = np.array([article.label for article in view.articles])
    days = np.array([a.date.toordinal() if a.date else 0 for a in view.articles])
    sizes = np.array([len(a.article) for a in view.articles])
    is_first, is_second = (labels == outlet for outlet in view.outlets)
    long = np.full(len(labels), np.inf)
    for is_own in (is_first, is_second):
        long[is_own] = LONG_TIMES_MEDIAN * np.median(sizes[is_own])
    a, b = view.links
    across = (is_first[a] & is_second[b]) | (is_second[a] & is_first[b])
    of_one_day = across & (days[a] == days[b])
    partners = np.bincount(np.concatenate([a[of_one_day], b[of_one_day]]), minlength=len(labels))
    is_aligned = partners > 0
    is_long_page = is_aligned & (sizes > long)
    if is_long_page.sum() < max(MIN_REPEATS, REPORT_SHARE * is_aligned.sum()):
        is_long_page[:] = False
    is_hub = (partners >= HUB_PARTNERS) & (days > 0)
    return [view.articles[place].headline for place in np.flatnonzero(is_long_page | is_hub).tolist()]


_ENTRIES: tuple[Check, ...] = (
    Boilerplate(
        name="articles share a passage",
        bound=from_common_by_chance,
        learn=_passages,
        strip=_without_passages,
    ),
    Boilerplate(
        name="articles begin with their headline",
        bound=from_few,
        learn=_nothing_learnt,
        strip=_without_title,
    ),
    Boilerplate(
        name=BEGIN,
        bound=from_few,
        tells_outlets=True,
        learn=_beginnings,
        strip=_without_beginning,
    ),
    Boilerplate(
        name=END,
        bound=from_few,
        tells_outlets=True,
        learn=_endings,
        strip=_without_ending,
    ),
    OutletCheck(
        name="headlines are none, or stand over many articles",
        advice="leave these rows out, or give them their headlines",
        find=_worthless_headlines,
    ),
    OutletCheck(
        name="articles are of one day",
        bound=from_few,
        advice="if it stands for no date, or is the day of the crawl, leave these dates empty",
        find=_one_day,
    ),
    OutletCheck(
        name="articles are of the first of a month",
        bound=from_common,
        advice="if only the month is known, leave these dates empty, or unread by --columns date=",
        find=_first_of_month,
    ),
    OutletCheck(
        name="articles were encoded as UTF-8 twice",
        advice="--mend repairs them",
        find=_found_in_texts(encoded_twice),
    ),
    OutletCheck(
        name="articles have escapes in the place of characters",
        advice="--mend repairs them",
        find=_found_in_texts(escape_in),
    ),
    OutletCheck(
        name="articles have a question mark in the place of a letter",
        bound=from_repeats,
        advice="letters are lost: export the texts again, as UTF-8",
        find=_found_in_texts(erased_in),
    ),
    OutletCheck(
        name=f"articles have less than {STUB_WORDS} words of their own",
        bound=from_few,
        advice="leave them out",
        find=_stubs,
    ),
    OutletCheck(
        name="articles begin as another one with another id",
        bound=from_few,
        advice="if they are versions of one story, give them one id, and the newest is kept",
        find=_repeated_openings,
    ),
    OutletCheck(
        name=MARK,
        advice="write it alike in both files",
        tells_outlets=True,
        find=_marks,
        compares=True,
    ),
    OutletCheck(
        name=CAPITALS,
        bound=from_common,
        advice="write them alike in both files",
        tells_outlets=True,
        find=_where_others_are_not(str.isupper),
        compares=True,
    ),
    OutletCheck(
        name=CUT,
        bound=from_common,
        advice="give whole headlines",
        tells_outlets=True,
        find=_where_others_are_not(_ends_with_dots),
        compares=True,
    ),
    CorpusCheck(
        name="articles stand word for word, or nearly, in {other}, too",
        bound=from_repeats,
        advice="leave agency texts out, which show no outlet",
        find=_copies,
        of_first_outlet=True,
    ),
    CorpusCheck(
        name="headlines are in a script without spaces",
        bound=from_common,
        advice="words, lengths and baselines count its letters, and no figure was validated on such a language",
        find=_in_unspaced_script,
    ),
    CorpusCheck(
        name=f"articles are {LONG_TIMES_MEDIAN} times as long as others and aligned, or aligned with {HUB_PARTNERS} others",
        advice="if they are live pages of many stories, leave them out",
        find=_live_pages,
    ),
)

#: The checks by name, in the order in which issues are listed.
CHECKS: dict[str, Check] = {check.name: check for check in _ENTRIES}
#: The check of test pairs, which exist only when the corpus is split.
_SAME_HEADLINES = Check(
    name="test pairs have one text as both headlines",
    advice="gold copies the original there and shows no style: leave agency texts out",
)


def same_headlines(headlines: Sequence[tuple[str, str]]) -> list[Issue]:
    """Return the issue of the test pairs whose two headlines are one text, accents, marks and capitals aside."""
    same = [a for a, b in headlines if words(fold(a)) == words(fold(b))]
    return _SAME_HEADLINES.issues("", same, len(headlines))


def refuse_apart(articles: Sequence[Article], outlets: tuple[str, str], window: int) -> None:
    """Refuse outlets of which no article is within a window of days of one of the other."""
    days = [sorted({a.date for a in articles if a.label == name and a.date}) for name in outlets]
    near = {day + timedelta(lag) for day in days[0] for lag in range(-window, window + 1)}
    if all(days) and near.isdisjoint(days[1]):
        times = ", ".join(f"{name} {of[0]} to {of[-1]}" for name, of in zip(outlets, days, strict=True))
        mend = "give articles of the same time, or correct the dates"
        apart = "of the same date" if window == 0 else f"at most {window} days apart"
        raise InputError(f"no two articles of the outlets are {apart} ({times}): {mend}")
