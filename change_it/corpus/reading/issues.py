"""Find what people's files have and a corpus must not have; each check says what it found in the articles.

A new check is a new entry of `CHECKS`; nothing else names checks. Boilerplate, which the headlines or
articles of an outlet share, says nothing of style or content; `strip_boilerplate` takes it off. Bounds were
set on clean files (the sample, AllSides and single outlets of it, two Arabic outlets) and on spoilt copies.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

import numpy as np

from change_it.corpus.reading.article import Article
from change_it.corpus.reading.boilerplate import (
    find_beginnings,
    find_endings,
    find_passages,
    nothing_learnt,
    without_beginning,
    without_ending,
    without_passages,
    without_title,
    word_runs,
)
from change_it.corpus.reading.bounds import (
    COMMON_SHARE,
    MIN_REPEAT_SHARE,
    MIN_REPEATS,
    MIN_ROWS,
    REPORT_SHARE,
)
from change_it.errors import InputError
from change_it.stats import Ints
from change_it.text.cleaning import encoded_twice, garbled_in
from change_it.text.escapes import erased_in, escape_in
from change_it.text.folding import fold
from change_it.text.tokens import count_unspaced, length, words

#: Characters of an opening by which a story is known.
STORY_PREFIX_CHARS = 100
#: An article with fewer words is a stub.
STUB_WORDS = 20
#: An article so many times as long as the median of its outlet is long.
LONG_TIMES_MEDIAN = 4
#: An article with so many partners of its day holds many stories.
HUB_PARTNERS = 10
#: Headlines in capitals, or with dots at the end, are reported if the other outlet's share of them is at most
#: this part of the outlet's own.
MUCH_FEWER = 0.25
#: One of two articles is a copy if the longer one has this share of the shorter one's runs of `PASSAGE_WORDS`
#: words.
COPIED = 0.5

BEGIN = "headlines begin alike"
END = "headlines end alike"
MARK = "headlines have a mark that the other outlet has not"
CAPITALS = "headlines are in capitals, the other outlet's are not"
CUT = "headlines end with dots, the other outlet's do not"

#: What spreadsheets and scrapers write where there is nothing.
_NOTHING = re.compile(r"#(?:NAME\?|N/A|REF!|VALUE!)|n/?a|nan|none|null|undefined|untitled|\W+", re.IGNORECASE)
#: A day is the only one of an outlet if it is so many times as frequent as the next.
_ONLY_DAY_TIMES = 5
#: Characters of the example in an issue's sentence, at most.
_EXAMPLE_CHARS = 99
#: Texts whose runs of words are kept for the next comparison.
_KEPT_TEXTS = 256
#: Marks that exports put in the place of one another: the pattern of each and that of the other.
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
        """Return one sentence on the issue, without its full stop."""
        sentence = f"{self.count:,} of {self.total:,} {self.name}"
        if self.outlet:
            sentence = f"{self.outlet}: {sentence}"
        if self.example:
            sentence += f", as “{self.example[:_EXAMPLE_CHARS]}”"
        if self.advice:
            sentence += f": {self.advice}"
        return sentence


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
        links: positions in `articles` of both articles of each pair with a cosine above the strict threshold.
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
        return [
            Issue(
                name=name,
                outlet=outlet,
                count=len(texts),
                total=total,
                example=texts[0],
                advice=self.advice,
            )
        ]


@dataclass(frozen=True, kw_only=True)
class Boilerplate(Check):
    """A check of what many texts of an outlet share, which can be taken off.

    Attributes:
        learn: returns the shared parts of an outlet's articles, which are its first argument, the best
            example first; the other outlet's are its second argument.
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
        links: positions in `articles` of both articles of each pair with a cosine above the strict threshold.
        boilerplate_advice: what to do about boilerplate.
    """
    a = _of_outlet(articles, outlets[0])
    b = _of_outlet(articles, outlets[1])
    if min(len(a), len(b)) < MIN_ROWS:
        return []
    stripped_a, boilerplate_of_a = _without_boilerplate(outlets[0], a, b, boilerplate_advice)
    stripped_b, boilerplate_of_b = _without_boilerplate(outlets[1], b, a, boilerplate_advice)
    sides = (
        OutletView(outlets[0], a, stripped_a, stripped_b),
        OutletView(outlets[1], b, stripped_b, stripped_a),
    )
    alone = [check for check in CHECKS.values() if isinstance(check, OutletCheck) and not check.compares]
    compared = [check for check in CHECKS.values() if isinstance(check, OutletCheck) and check.compares]
    issues: list[Issue] = []
    issues += [*boilerplate_of_a, *_issues_of_outlet(sides[0], alone)]
    issues += [*boilerplate_of_b, *_issues_of_outlet(sides[1], alone)]
    for side in sides:
        issues += _issues_of_outlet(side, compared)
    view = CorpusView(articles, outlets, sides, links)
    for check in CHECKS.values():
        if not isinstance(check, CorpusCheck):
            continue
        outlet = ""
        total = len(articles)
        if check.of_first_outlet:
            outlet = outlets[0]
            total = len(a)
        issues += check.issues(outlet, check.find(view), total, other=outlets[1])
    return issues


def _of_outlet(articles: Sequence[Article], outlet: str) -> list[Article]:
    """Return the articles of an outlet, in order."""
    return [article for article in articles if article.label == outlet]


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
    a = _of_outlet(articles, outlets[0])
    b = _of_outlet(articles, outlets[1])
    stripped_a, taken_off_a = _without_boilerplate(outlets[0], a, b)
    stripped_b, taken_off_b = _without_boilerplate(outlets[1], b, a)
    stripped = {outlets[0]: iter(stripped_a), outlets[1]: iter(stripped_b)}
    in_order = []
    for article in articles:
        if article.label in stripped:
            article = next(stripped[article.label])
        in_order.append(article)
    return in_order, taken_off_a + taken_off_b


def tells_outlets(name: str) -> bool:
    """Return whether a judge of style can tell the outlets by an issue of this name, without their style."""
    return name in CHECKS and CHECKS[name].tells_outlets


def _without_boilerplate(
    outlet: str, own: list[Article], opposite: list[Article], advice: str = ""
) -> tuple[list[Article], list[Issue]]:
    """Return the articles of an outlet without what only they share, and the issues of what was taken off.

    All checks learn from the articles as they are. They strip one after the other, each what the earlier ones
    have left.
    """
    if min(len(own), len(opposite)) < MIN_ROWS:
        return own, []
    checks = [check for check in CHECKS.values() if isinstance(check, Boilerplate)]
    learnt = [check.learn(own, opposite) for check in checks]
    stripped = own
    issues: list[Issue] = []
    for check, parts in zip(checks, learnt, strict=True):
        changed = [check.strip(article, parts) for article in stripped]
        headlines = []
        for before, after in zip(stripped, changed, strict=True):
            if before is not after and before != after:
                headlines.append(before.headline)
        for issue in check.issues(outlet, headlines, len(own)):
            example = parts[0] if parts else issue.example
            issues.append(replace(issue, example=example, advice=advice))
            # only what is reported is taken off
            stripped = changed
    return stripped, issues


def _worthless_headlines(side: OutletView) -> list[str]:
    """Return headlines that are none, or stand over many articles: each as often as it stands over one."""
    counts = Counter(article.headline for article in side.articles)
    often = max(MIN_REPEATS, MIN_REPEAT_SHARE * len(side.articles))
    found: list[str] = []
    for headline, count in counts.most_common():
        if count >= often or _NOTHING.fullmatch(headline):
            found += [headline] * count
    return found


def _days(side: OutletView) -> list[str]:
    """Return the days of the articles that have a date."""
    return [str(article.date) for article in side.articles if article.date]


def _one_day(side: OutletView) -> list[str]:
    """Return the most frequent day for each of its articles, if it is five times as frequent as the next."""
    most_frequent = Counter(_days(side)).most_common(2)
    if not most_frequent:
        return []
    day, count = most_frequent[0]
    if len(most_frequent) == 2:
        _, next_count = most_frequent[1]
        if count < _ONLY_DAY_TIMES * next_count:
            return []
    return [day] * count


def _first_of_month(side: OutletView) -> list[str]:
    """Return the days that are the first of a month, unless most of them are one day."""
    days = Counter(_days(side))
    first_days = [day for day in days.elements() if day.endswith("-01")]
    most = max(Counter(first_days).values(), default=0)
    if len(first_days) <= 2 * most:
        return []
    return first_days


def _found_in_texts(find: Callable[[str], str | None]) -> Callable[[OutletView], list[str]]:
    """Make the `find` of a check that looks for something in each headline, and else in the text."""

    def found(side: OutletView) -> list[str]:
        texts = []
        for article in side.articles:
            text = find(article.headline) or find(article.article)
            if text:
                texts.append(text)
        return texts

    return found


def _stubs(side: OutletView) -> list[str]:
    """Return the texts that have few words without boilerplate.

    Only the beginning of a text is read, 20 characters for each of those words.
    """
    stubs = []
    for article in side.stripped:
        beginning = article.article[: 20 * STUB_WORDS]
        if length(beginning) < STUB_WORDS:
            stubs.append(article.article)
    return stubs


def _repeated_openings(side: OutletView) -> list[str]:
    """Return the openings that several articles have."""
    openings = Counter(
        a.article[:STORY_PREFIX_CHARS] for a in side.stripped if len(a.article) >= STORY_PREFIX_CHARS
    )
    return [text for text in openings.elements() if openings[text] > 1]


def _marks(side: OutletView) -> list[str]:
    """Return an outlet's headlines with a mark, like ', if the other outlet writes its twin, like ’."""
    for mark, twin in _TWINS:
        if _writes(side.stripped, mark, twin) and _writes(side.others, twin, mark):
            return _headlines_with(mark, side.stripped)
    return []


def _writes(articles: Sequence[Article], mark: str, twin: str) -> bool:
    """Return whether many headlines have a mark, and few its twin."""
    having_mark = _headlines_with(mark, articles)
    if len(having_mark) < MIN_ROWS:
        return False
    return len(_headlines_with(twin, articles)) <= REPORT_SHARE * len(having_mark)


def _headlines_with(pattern: str, articles: Sequence[Article]) -> list[str]:
    """Return the headlines in which a pattern is found."""
    search = re.compile(pattern).search
    return [article.headline for article in articles if search(article.headline)]


def _where_others_are_not(is_so: Callable[[str], bool]) -> Callable[[OutletView], list[str]]:
    """Make the `find` of a check for headlines that are so, unless the other outlet's are so, too."""

    def found(side: OutletView) -> list[str]:
        own = [article.headline for article in side.stripped if is_so(article.headline)]
        others = sum(is_so(article.headline) for article in side.others)
        others_share = others / len(side.others)
        if others_share > MUCH_FEWER * len(own) / len(side.stripped):
            return []
        return own

    return found


def _ends_with_dots(headline: str) -> bool:
    """Return whether a headline is cut."""
    return headline.endswith(("...", "…"))


def _copies(view: CorpusView) -> list[str]:
    """Return the headlines of A's articles that stand in B, word for word or nearly.

    Of two linked articles one stands in the other if the longer one has half of the shorter one's runs of
    words.
    """
    stripped = _stripped_in_order(view)
    texts_of_b = {article.article for article in view.sides[1].stripped if article.article}
    linked_texts = _linked_texts(view, stripped)
    # all runs of a large corpus are many times its text, and linked articles are near each other in it
    runs_of = lru_cache(maxsize=_KEPT_TEXTS)(_runs)
    copied = []
    for place, article in stripped.items():
        if article.label != view.outlets[0]:
            continue
        text = article.article
        if text in texts_of_b or any(
            _is_copy(runs_of(text), runs_of(linked)) for linked in linked_texts[place]
        ):
            copied.append(view.articles[place].headline)
    return copied


def _linked_texts(view: CorpusView, stripped: Mapping[int, Article]) -> dict[int, list[str]]:
    """Return the texts of B that are linked with each article of A, by the position of A's article."""
    texts: dict[int, list[str]] = {}
    for place, article in stripped.items():
        if article.label == view.outlets[0]:
            texts[place] = []
    first, second = view.links
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        for place, linked in ((one, other), (other, one)):
            if place in texts and linked in stripped and linked not in texts:
                texts[place].append(stripped[linked].article)
    return texts


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return all runs of `PASSAGE_WORDS` neighbouring words of a text, accents and capitals aside."""
    return frozenset(word_runs(words(fold(text))))


def _is_copy(runs: frozenset[tuple[str, ...]], others: frozenset[tuple[str, ...]]) -> bool:
    """Return whether the longer of two texts has half of the shorter one's runs."""
    shorter = min(len(runs), len(others))
    return shorter > 0 and len(runs & others) >= COPIED * shorter


def _stripped_in_order(view: CorpusView) -> dict[int, Article]:
    """Return the articles of A and B without boilerplate, by their positions in the corpus."""
    stripped = {side.name: iter(side.stripped) for side in view.sides}
    by_place = {}
    for place, article in enumerate(view.articles):
        if article.label in stripped:
            by_place[place] = next(stripped[article.label])
    return by_place


def _in_unspaced_script(view: CorpusView) -> list[str]:
    """Return the headlines of which most letters are of a script without spaces."""
    found = []
    for article in view.articles:
        text = article.headline
        # quick, and true of most headlines
        if text.isascii():
            continue
        if 2 * count_unspaced(text) > len(text):
            found.append(text)
    return found


def _live_pages(view: CorpusView) -> list[str]:
    """Return the headlines of articles that seem to be live pages of many stories.

    Such a page has at least `HUB_PARTNERS` partners of its day. Or it is a long article with a partner of its
    day, if at least a twentieth of all articles with such partners are long. Where articles are about one
    story each, a hundredth is.
    """
    labels = np.array([article.label for article in view.articles])
    days = np.array([_day_number(article) for article in view.articles])
    sizes = np.array([len(article.article) for article in view.articles])
    is_first = labels == view.outlets[0]
    is_second = labels == view.outlets[1]
    a, b = view.links
    is_of_both = (is_first[a] & is_second[b]) | (is_second[a] & is_first[b])
    is_of_one_day = is_of_both & (days[a] == days[b])
    linked = np.concatenate([a[is_of_one_day], b[is_of_one_day]])
    partners = np.bincount(linked, minlength=len(labels))
    # day 0 is that of articles without a date
    is_hub = (partners >= HUB_PARTNERS) & (days > 0)
    long_from = np.full(len(labels), np.inf)
    for is_own in (is_first, is_second):
        long_from[is_own] = LONG_TIMES_MEDIAN * np.median(sizes[is_own])
    is_aligned = partners > 0
    is_long = is_aligned & (sizes > long_from)
    is_page = is_hub
    if is_long.sum() >= max(MIN_REPEATS, REPORT_SHARE * is_aligned.sum()):
        is_page = is_hub | is_long
    return [view.articles[place].headline for place in np.flatnonzero(is_page).tolist()]


def _day_number(article: Article) -> int:
    """Return the number of the day of an article, 0 without one."""
    if article.date is None:
        return 0
    return article.date.toordinal()


_ENTRIES: tuple[Check, ...] = (
    Boilerplate(
        name="articles share a passage",
        bound=from_common_by_chance,
        learn=find_passages,
        strip=without_passages,
    ),
    Boilerplate(
        name="articles begin with their headline",
        bound=from_few,
        learn=nothing_learnt,
        strip=without_title,
    ),
    Boilerplate(
        name=BEGIN,
        bound=from_few,
        tells_outlets=True,
        learn=find_beginnings,
        strip=without_beginning,
    ),
    Boilerplate(
        name=END,
        bound=from_few,
        tells_outlets=True,
        learn=find_endings,
        strip=without_ending,
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
        name="articles have letters of a wrong encoding that do not decode",
        advice="export the texts again, as UTF-8",
        find=_found_in_texts(garbled_in),
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
        advice="words, lengths and baselines count its letters, "
        "and no figure was validated on such a language",
        find=_in_unspaced_script,
    ),
    CorpusCheck(
        name=f"articles are {LONG_TIMES_MEDIAN} times as long as others and aligned, "
        f"or aligned with {HUB_PARTNERS} others",
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
    """Return the issue of test pairs with one text as both headlines, accents, marks and capitals aside."""
    same = [a for a, b in headlines if words(fold(a)) == words(fold(b))]
    return _SAME_HEADLINES.issues("", same, len(headlines))


def _days_of(articles: Sequence[Article], outlet: str) -> list[date]:
    """Return the days of an outlet's articles, each once, in order."""
    return sorted({a.date for a in articles if a.label == outlet and a.date})


def refuse_apart(articles: Sequence[Article], outlets: tuple[str, str], window: int) -> None:
    """Refuse outlets of which no article is within a window of days of one of the other."""
    first_days = _days_of(articles, outlets[0])
    second_days = _days_of(articles, outlets[1])
    if not first_days or not second_days:
        return
    near: set[date] = set()
    for lag in range(-window, window + 1):
        near.update(day + timedelta(lag) for day in first_days)
    if near.isdisjoint(second_days):
        times = (
            f"{outlets[0]} {first_days[0]} to {first_days[-1]}, "
            f"{outlets[1]} {second_days[0]} to {second_days[-1]}"
        )
        mend = "give articles of the same time, or correct the dates"
        apart = "of the same date" if window == 0 else f"at most {window} days apart"
        raise InputError(f"no two articles of the outlets are {apart} ({times}): {mend}")
