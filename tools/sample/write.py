"""Write a sample of any size and seed, or the parquet file that the package embeds.

python -m tools.sample.write --articles 160000 --out sample.csv
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count, islice
from pathlib import Path

import tyro
from rich.progress import track

from change_it.cli import exit_on_input_error
from change_it.corpus.reading.article import Article
from change_it.corpus.reading.sample import SAMPLE_COLUMNS, write_csv
from change_it.errors import InputError
from change_it.files.atomic import replace_file
from tools.sample.articles import write_article
from tools.sample.events import Event, Grammar
from tools.sample.headlines import write_headline
from tools.sample.papers import PAPERS, Paper

#: The last day with events; larger samples begin earlier.
LAST_DAY = date(2024, 12, 31)
MAX_ARTICLES = 2_000_000
#: Articles for which the days since 1900 suffice; larger samples have more stories a day.
_MOST_SPREAD = 400_000
_STORIES_A_DAY = 4
_ARTICLES_A_STORY = 2.4
#: Share of the events that both papers report.
_BOTH = 0.25
#: Share of the events that come out the day after.
_OVERNIGHT = 0.15
#: Share of the reports after which the paper writes about the event once more.
_TWICE = 0.05
#: Per cent of the events that the second paper reports 0, 1, 2 and 3 days later than the first: those of 300
#: pairs of real articles that people aligned.
_LATER = (65, 25, 8, 3)
#: Share of the stories with another event of the kind on the same day.
_ANOTHER = 0.1
#: Share of the stories that go on after each of their events.
_GOES_ON = 0.45
#: Per cent of these that go on 0, 1, 2 and 3 days later.
_NEXT = (3, 45, 32, 20)


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
    """Write the sample in order of date, 1 to 2,000,000 articles labelled `colle` and `faro`.

    The seed decides them.
    """
    return (article for _, article in _numbered(articles, seed))


def write_parquet(path: Path, articles: int, seed: int) -> None:
    """Write the sample as parquet, with the CSV's columns and `event`.

    One version of pyarrow gives the same bytes everywhere.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        [*(getattr(article, name) for name in SAMPLE_COLUMNS), event]
        for event, article in _numbered(articles, seed)
    ]
    types = (pa.string(), pa.string(), pa.string(), pa.string(), pa.date32(), pa.int32())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    with replace_file(path) as partial:
        pq.write_table(
            pa.table(columns, names=[*SAMPLE_COLUMNS, "event"]),
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
    """Return the articles, each after the number of its event."""
    if not 1 <= articles <= MAX_ARTICLES:
        raise InputError(f"--articles {articles} is out of range: give a number from 1 to {MAX_ARTICLES}")
    return islice(_stream(articles, random.Random(seed)), articles)


def _stream(articles: int, rng: random.Random) -> Iterator[tuple[int, Article]]:
    """Yield the articles day by day; those of a story may come out days after it began."""
    grammar = Grammar.load()
    stories = _STORIES_A_DAY * -(-articles // _MOST_SPREAD)
    days = max(1, round(articles / (stories * _ARTICLES_A_STORY)))
    first = LAST_DAY - timedelta(days=days)
    waiting: dict[date, list[tuple[int, str, str, str]]] = {}
    numbers, written = count(), count(1)
    for offset in range(2 * days + 10):
        today = first + timedelta(days=offset)
        for _ in range(stories):
            for event, papers in _story(grammar, today, rng):
                number = next(numbers)
                for day, label, headline, text in _reports(grammar, event, papers, rng):
                    waiting.setdefault(day, []).append((number, label, headline, text))
        ready = waiting.pop(today, [])
        rng.shuffle(ready)
        for number, label, headline, text in ready:
            name = f"s{next(written):06d}"
            yield number, Article(id=name, label=label, headline=headline, article=text, date=today)


def _story(grammar: Grammar, day: date, rng: random.Random) -> Iterator[tuple[Event, list[Paper]]]:
    """Yield an event, and perhaps what follows on it, each with the papers that report it."""
    papers = _papers(rng, rng.choice(PAPERS))
    event = grammar.draw(rng, day, papers[0].topics if len(papers) == 1 else {})
    yield event, papers
    if rng.random() < _ANOTHER:
        yield grammar.another(event, rng), _papers(rng, papers[-1])
    for kind in grammar.following(event, rng):
        if rng.random() >= _GOES_ON:
            break
        day += timedelta(days=rng.choices(range(len(_NEXT)), _NEXT)[0])
        papers = _papers(rng, papers[0])
        yield grammar.follow(event, kind, day, rng), papers


def _papers(rng: random.Random, last: Paper) -> list[Paper]:
    """Draw both papers, or the one that was not the last to bring the story."""
    papers = [paper for paper in PAPERS if paper != last]
    return rng.sample(PAPERS, 2) if rng.random() < _BOTH else papers


def _reports(
    grammar: Grammar, event: Event, papers: list[Paper], rng: random.Random
) -> Iterator[tuple[date, str, str, str]]:
    """Yield what papers make of an event: day, label, headline and article; some write twice."""
    day, late = event.today + timedelta(days=rng.random() < _OVERNIGHT), 0
    for paper in papers:
        for again in range(1 + (rng.random() < _TWICE)):
            heard = grammar.reported(event, rng)
            headline = write_headline(grammar, heard, paper, rng)
            article = write_article(grammar, heard, paper, headline, rng, late=late + again > 0)
            yield day + timedelta(days=late + again), paper.label, headline.text, article
        late = rng.choices(range(len(_LATER)), _LATER)[0]


if __name__ == "__main__":
    sys.exit(exit_on_input_error(lambda: run(tyro.cli(WriteOptions))))
