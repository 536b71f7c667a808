"""The embedded sample: articles of two invented Italian newspapers, written by the package's own grammar."""

import csv
import os
import random
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice

from rich.console import Console
from rich.progress import track

from change_it.corpus.article import Article
from change_it.corpus.grammar import PAPERS, Event, Grammar, Paper, write_article, write_headline
from change_it.corpus.grammar.writer import Angle
from change_it.corpus.options import SampleOptions
from change_it.errors import InputError

#: The last day with events; larger samples begin earlier.
LAST_DAY = date(2024, 12, 31)
MAX_ARTICLES = 400_000
_EVENTS_A_DAY = 7
_ARTICLES_AN_EVENT = 1.28
_APART = 36
_STRICT = 0.26
_LOOSE = 0.025


def sample_articles(articles: int, seed: int) -> Iterator[Article]:
    """Write the sample, in order of date.

    Args:
        articles: how many, both papers together, 1 to 400,000.
        seed: the same seed and number give the same articles.

    Returns:
        An iterator over articles labelled `colle` and `faro`, with unique ids.

    Raises:
        InputError: `articles` is out of range.

    Example:
        >>> [a.label for a in sample_articles(4, seed=1)] == [a.label for a in sample_articles(4, seed=1)]
        True
    """
    if not 1 <= articles <= MAX_ARTICLES:
        raise InputError(f"--articles {articles} is out of range: give a number from 1 to {MAX_ARTICLES}")
    return islice(_stream(articles, random.Random(seed)), articles)


def run(options: SampleOptions) -> None:
    """Write the sample as CSV: `id, headline, article, label, date`; the file appears only when complete.

    Raises:
        InputError: the number is out of range or the file cannot be written.
    """
    articles = sample_articles(options.articles, options.seed)
    out = options.out
    if out.is_dir():
        raise InputError(f"--out {out} is a folder: name a file such as {out / 'sample.csv'}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"cannot write {out} ({error.strerror}): choose another place with --out") from error
    console = Console()
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("id", "headline", "article", "label", "date"))
            for article in track(articles, "writing the sample", total=options.articles, console=console):
                writer.writerow((article.id, article.headline, article.article, article.label, article.date))
        os.chmod(partial, 0o644)
        os.replace(partial, out)
    except BaseException:
        os.unlink(partial)
        raise
    console.print(f"{options.articles} articles of {' and '.join(paper.name for paper in PAPERS)} → {out}")


def _stream(articles: int, rng: random.Random) -> Iterator[Article]:
    """Articles day by day; those of an event may come out up to two days after it."""
    grammar = Grammar.load()
    days = max(1, round(articles / (_EVENTS_A_DAY * _ARTICLES_AN_EVENT)))
    first = LAST_DAY - timedelta(days=days)
    desk: dict[date, list[tuple[str, str, str]]] = {}
    recent: deque[str] = deque(maxlen=_APART)
    number = 0
    for offset in range(2 * days + 10):
        today = first + timedelta(days=offset)
        for _ in range(_EVENTS_A_DAY):
            for day, label, headline, text in _report(grammar, today, rng, recent):
                desk.setdefault(day, []).append((label, headline, text))
        ready = desk.pop(today, [])
        rng.shuffle(ready)
        for label, headline, text in ready:
            number += 1
            yield Article(id=f"{number:06d}", label=label, headline=headline, article=text, date=today)


def _report(
    grammar: Grammar, day: date, rng: random.Random, recent: deque[str]
) -> Iterator[tuple[date, str, str, str]]:
    """Draw an event and yield what the papers make of it: publication day, label, headline, article."""
    fate = rng.random()
    if fate >= _STRICT + _LOOSE:
        paper = rng.choice(PAPERS)
        yield _published(
            grammar, _new(grammar, rng, day, paper.topics, recent), paper, rng, followup=rng.random() < 0.12
        )
        return
    event = _new(grammar, rng, day, {}, recent)
    papers = list(PAPERS)
    rng.shuffle(papers)
    yield _published(grammar, event, papers[0], rng, followup=False)
    if fate < _STRICT:
        yield _published(grammar, event, papers[1], rng, followup=False)
    else:
        yield _published(grammar, _other_angle(grammar, event, rng), papers[1], rng, followup=True)


def _new(
    grammar: Grammar, rng: random.Random, day: date, weights: dict[str, float], recent: deque[str]
) -> Event:
    """An event of a kind that did not happen lately, as far as a few draws can tell."""
    event = grammar.draw(rng, day, weights)
    for _ in range(8):
        if event.kind.name not in recent:
            break
        event = grammar.draw(rng, day, weights)
    recent.append(event.kind.name)
    return event


def _other_angle(grammar: Grammar, event: Event, rng: random.Random) -> Event:
    """The same event as somebody sees it who asked other people, and later."""
    other = grammar.draw(rng, event.day, {})
    swapped = {name: getattr(other, name) for name in ("area", "street") if rng.random() < 0.6}
    return replace(event, day=event.day + timedelta(days=rng.randint(0, 1)), **swapped)


def _published(
    grammar: Grammar, event: Event, paper: Paper, rng: random.Random, *, followup: bool
) -> tuple[date, str, str, str]:
    """One paper's headline and article, out on the day of the event or up to two days later."""
    angle: Angle = "followup" if followup else "news"
    day = event.day + timedelta(days=rng.choice((0, 0, 0, 1, 1, 2)))
    headline = write_headline(grammar, event, paper, rng, angle=angle)
    return day, paper.label, headline, write_article(grammar, event, paper, rng, angle=angle)
