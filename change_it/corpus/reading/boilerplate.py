"""Learn what the headlines or articles of an outlet share, and take it off.

Such boilerplate says nothing of style or content.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from change_it.corpus.reading.article import Article
from change_it.corpus.reading.bounds import COMMON_SHARE, MIN_REPEATS, REPORT_SHARE
from change_it.text.folding import fold

#: Articles of an outlet whose passages are compared.
SAMPLED_TEXTS = 400
#: Words of the shortest passage.
PASSAGE_WORDS = 6
#: Words of the name of a site, section or agency, at most.
MAX_AFFIX_WORDS = 8
#: The name of a site, section or agency before a headline, with the mark that ends it.
_BEGINS = re.compile(r".* [|•·/~–—-]+|.*[:|)\]]")
#: The name of a site, section or agency behind a headline, with the mark that begins it.
_ENDS = re.compile(r"[|•·/~–—-]+ .*|[(\[][^()\[\]]*[)\]]")
#: Share of an outlet's headlines that must have a shared beginning or end without such a mark.
_UNMARKED_SHARE = 0.5
#: A shared beginning or end must be at least so many times rarer at the other outlet.
_RARER_ELSEWHERE = 10


def find_passages(own: list[Article], opposite: list[Article]) -> list[str]:
    """Return the passages that the articles of an outlet, `own`, share.

    The articles of the other outlet, `opposite`, are not used: every function that learns for a check has
    both.
    """
    return shared_passages([article.article for article in own])


def without_passages(article: Article, passages: list[str]) -> Article:
    """Return an article without some passages, itself where it has none of them."""
    text = _without(article.article, passages)
    if text == article.article:
        return article
    return replace(article, article=text)


def nothing_learnt(own: list[Article], opposite: list[Article]) -> list[str]:
    """Return no shared parts: `without_title` takes each article's own headline off, and needs none."""
    return []


def without_title(article: Article, parts: list[str]) -> Article:
    """Return an article whose text does not begin with its headline, quotation marks and capitals aside."""
    head = article.headline
    text = article.article
    if _begin_otherwise(head, text) or fold(text[: len(head)]).lower() != fold(head).lower():
        return article
    return replace(article, article=text[len(head) :].lstrip(" .,:;|–—-"))


def _begin_otherwise(one: str, other: str) -> bool:
    """Return whether the first letters of two texts differ, accents and capitals aside.

    This is quick, and for most texts it is enough.
    """
    first = fold(one[:1]).lower()
    second = fold(other[:1]).lower()
    return bool(first and second) and first[0] != second[0]


def find_beginnings(own: list[Article], opposite: list[Article]) -> list[str]:
    """Return what an outlet's headlines begin with and the other's do not."""
    return shared_ends([a.headline for a in own], [a.headline for a in opposite], end=False)


def find_endings(own: list[Article], opposite: list[Article]) -> list[str]:
    """Return what an outlet's headlines end with and the other's do not."""
    return shared_ends([a.headline for a in own], [a.headline for a in opposite], end=True)


def without_beginning(article: Article, parts: list[str]) -> Article:
    """Return an article whose headline does not begin with any of some parts."""
    return _with_headline(article, _without_end(article.headline, parts, end=False))


def without_ending(article: Article, parts: list[str]) -> Article:
    """Return an article whose headline does not end with any of some parts."""
    return _with_headline(article, _without_end(article.headline, parts, end=True))


def _with_headline(article: Article, headline: str) -> Article:
    """Return the article under this headline, itself where it has it already."""
    if headline == article.headline:
        return article
    return replace(article, headline=headline)


def shared_ends(headlines: Sequence[str], others: Sequence[str], *, end: bool) -> list[str]:
    """Return what an outlet's headlines begin or end with and the other outlet's do not, the longest first.

    A twentieth of the headlines have it with a mark before or after it, or half of them have it without one.

    Args:
        headlines: headlines of the outlet.
        others: headlines of the other outlet.
        end: whether ends are wanted; else beginnings.
    """
    counts = _end_counts(frozenset(headlines), end=end)
    others_counts = _end_counts(frozenset(others), end=end)
    total = len(set(headlines))
    pattern = _ENDS if end else _BEGINS
    parts = []
    for part, count in counts.items():
        least_share = _UNMARKED_SHARE
        if pattern.fullmatch(part):
            least_share = REPORT_SHARE
        if count < max(MIN_REPEATS, total * least_share):
            continue
        # count / total against others_counts / len(others), without the division
        if _RARER_ELSEWHERE * others_counts[part] * total <= count * len(others):
            parts.append(part)
    return sorted(parts, key=lambda part: (-len(part), part))


# Each outlet is compared with the other one, so the counts of both are needed twice.
@lru_cache(maxsize=4)
def _end_counts(headlines: frozenset[str], *, end: bool) -> Counter[str]:
    """Return how many headlines begin or end with each of their first or last words."""
    counts: Counter[str] = Counter()
    for text in headlines:
        counts.update(_ends(text, end=end))
    return counts


def _ends(text: str, *, end: bool) -> list[str]:
    """Return the beginnings or ends of a headline, from one word to eight, but never the whole headline."""
    words = text.split()
    parts = []
    for count in range(1, min(MAX_AFFIX_WORDS + 1, len(words))):
        outermost = words[-count:] if end else words[:count]
        parts.append(" ".join(outermost))
    return parts


def _without_end(text: str, parts: Sequence[str], *, end: bool) -> str:
    """Return a headline without the parts that it ends with where `end` is true, else that it begins with."""
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
    runs = [word_runs(own_words) for own_words in split_texts]
    counts: Counter[tuple[str, ...]] = Counter()
    for own_runs in runs:
        counts.update(set(own_runs))
    least = max(MIN_REPEATS, COMMON_SHARE * len(drawn))
    if max(counts.values(), default=0) < least:
        return []
    passages: Counter[str] = Counter()
    for own_words, own_runs in zip(split_texts, runs, strict=True):
        texts_with_run = [counts[run] for run in own_runs]
        start = 0
        before = 0
        # the 0 ends a passage at the end of the text
        for place, count in enumerate([*texts_with_run, 0]):
            is_as_frequent = 0.8 * before <= count <= 1.25 * before
            if not is_as_frequent:
                if before >= least:
                    # the last run of the passage begins at `place - 1`
                    passage = own_words[start : place - 1 + PASSAGE_WORDS]
                    passages[" ".join(passage)] += 1
                start = place
            before = count
    # some texts end the same passage elsewhere, so half of them are enough
    return [passage for passage, count in passages.most_common() if count >= least / 2]


def word_runs(text_words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all runs of `PASSAGE_WORDS` neighbouring words, in order."""
    count = max(0, len(text_words) - PASSAGE_WORDS + 1)
    shifted = [text_words[start : start + count] for start in range(PASSAGE_WORDS)]
    return list(zip(*shifted, strict=True))


def _without(text: str, passages: Sequence[str]) -> str:
    """Return a text without some passages."""
    for passage in passages:
        if passage in text:
            text = " ".join(text.replace(passage, " ").split())
    return text
