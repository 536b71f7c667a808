"""Write a sample of any size and seed, or the parquet file that the package embeds: `python -m tools.sample.write`."""

import random
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import tyro
from rich.progress import track

from change_it.cli import exit_on_input_error
from change_it.corpus.article import Article
from change_it.corpus.sample import COLUMNS, write_csv
from change_it.errors import InputError
from change_it.io import replace_file
from tools.sample.articles import Angle, write_article
from tools.sample.events import Event, Grammar
from tools.sample.headlines import write_headline
from tools.sample.papers import PAPERS, Paper

#: The last day with events; larger samples begin earlier.
LAST_DAY = date(2024, 12, 31)
MAX_ARTICLES = 2_000_000
#: Articles for which the days since 1900 suffice; larger samples have more events a day.
_MOST_SPREAD = 400_000
_EVENTS_A_DAY = 7
_ARTICLES_AN_EVENT = 1.28
_APART = 36
_STRICT = 0.22
_LOOSE = 0.025


@dataclass(kw_only=True)
class WriteOptions:
    """Write the articles of two invented Italian newspapers.

    Examples:
        python -m tools.sample.write --articles 160000 --out sample.csv
        python -m tools.sample.write --out change_it/data/sample.parquet
    """

    out: Path
    """File to write: parquet if it ends so (with a number for each event), otherwise CSV."""
    articles: int = 12_000
    """Number of articles, both newspapers together, 1 to 2,000,000."""
    seed: int = 1
    """Seed: the same number and seed give the same file."""


def sample_articles(articles: int, seed: int) -> Iterator[Article]:
    """Write the sample in order of date, 1 to 2,000,000 articles labelled `colle` and `faro`; the seed decides them."""
    return (article for _, article in _numbered(articles, seed))


def write_parquet(path: Path, articles: int, seed: int) -> None:
    """Write the sample as parquet, with the CSV's columns and `event`; one version of pyarrow gives the same bytes everywhere."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        [*(getattr(article, name) for name in COLUMNS), event] for event, article in _numbered(articles, seed)
    ]
    types = (pa.string(), pa.string(), pa.string(), pa.string(), pa.date32(), pa.int32())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    with replace_file(path) as partial:
        pq.write_table(
            pa.table(columns, names=[*COLUMNS, "event"]),
            partial,
            compression="zstd",
            compression_level=9,
            use_dictionary=False,
            write_statistics=False,
            store_schema=False,
            row_group_size=len(rows),
            data_page_size=1 << 26,
            data_page_version="1.0",
            version="2.6",
        )


def run(options: WriteOptions) -> None:
    """Write the file."""
    if options.out.suffix == ".parquet":
        write_parquet(options.out, options.articles, options.seed)
    else:
        articles = sample_articles(options.articles, options.seed)
        write_csv(track(articles, "writing the sample", total=options.articles), options.out)


def _numbered(articles: int, seed: int) -> Iterator[tuple[int, Article]]:
    """Articles, each after the number of its event."""
    if not 1 <= articles <= MAX_ARTICLES:
        raise InputError(f"--articles {articles} is out of range: give a number from 1 to {MAX_ARTICLES}")
    return islice(_stream(articles, random.Random(seed)), articles)


def _stream(articles: int, rng: random.Random) -> Iterator[tuple[int, Article]]:
    """Events and articles day by day; those of an event may come out up to two days after it."""
    grammar = Grammar.load()
    events = _EVENTS_A_DAY * -(-articles // _MOST_SPREAD)
    days = max(1, round(articles / (events * _ARTICLES_AN_EVENT)))
    first = LAST_DAY - timedelta(days=days)
    waiting: dict[date, list[tuple[int, str, str, str]]] = {}
    recent: deque[str] = deque(maxlen=_APART)
    number = 0
    for offset in range(2 * days + 10):
        today = first + timedelta(days=offset)
        for event in range(events * offset, events * (offset + 1)):
            for day, label, headline, text in _report(grammar, today, rng, recent):
                waiting.setdefault(day, []).append((event, label, headline, text))
        ready = waiting.pop(today, [])
        rng.shuffle(ready)
        for event, label, headline, text in ready:
            number += 1
            yield (
                event,
                Article(id=f"s{number:06d}", label=label, headline=headline, article=text, date=today),
            )


def _report(
    grammar: Grammar, day: date, rng: random.Random, recent: deque[str]
) -> Iterator[tuple[date, str, str, str]]:
    """Draw an event and yield what the papers make of it: publication day, label, headline, article."""
    kind = rng.random()
    if kind >= _STRICT + _LOOSE:
        paper = rng.choice(PAPERS)
        yield _published(
            grammar, _new(grammar, rng, day, paper.topics, recent), paper, rng, followup=rng.random() < 0.12
        )
        return
    event = _new(grammar, rng, day, {}, recent)
    papers = list(PAPERS)
    rng.shuffle(papers)
    yield _published(grammar, event, papers[0], rng, followup=False)
    if kind < _STRICT:
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
    event = grammar.reported(event, rng)
    headline = write_headline(grammar, event, paper, rng, angle=angle)
    article = write_article(grammar, event, paper, headline, rng, angle=angle)
    return day, paper.label, headline.text, article


if __name__ == "__main__":
    sys.exit(exit_on_input_error(lambda: run(tyro.cli(WriteOptions))))
