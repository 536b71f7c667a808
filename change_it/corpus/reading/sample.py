"""Read the embedded sample: 12,000 articles of two invented Italian newspapers, written by `tools/sample`."""

import csv
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from change_it.corpus.reading.article import Article
from change_it.errors import InputError
from change_it.files.atomic import check_part, refuse_pointer, replace_file

#: The embedded sample: `SAMPLE_COLUMNS` and `event`, a number that articles about one event share.
SAMPLE = Path(__file__).parents[2] / "data" / "sample.parquet"
#: Number of its articles.
SIZE = 12_000
SAMPLE_COLUMNS = ("id", "headline", "article", "label", "date")
#: Labels of its two invented newspapers, La Gazzetta del Colle and Il Faro.
OUTLETS = ("colle", "faro")


def sample_articles(articles: int, seed: int) -> list[Article]:
    """Return a part of the embedded sample, 1 to 12,000 articles in order of date.

    Whole events are taken in their order, beginning with one that the seed chooses, and at the end from the
    first on. An event that no longer fits is passed over.
    """
    if not 1 <= articles <= SIZE:
        raise InputError(
            f"--articles {articles}: give a number from 1 to {SIZE}; "
            "in a checkout tools.sample.write writes more"
        )
    import polars as pl

    check_part(SAMPLE)
    rows = pl.read_parquet(SAMPLE)
    by_event = rows.with_row_index().group_by("event", maintain_order=True).agg("index")
    places_of_events = list(by_event["index"])
    first = random.Random(seed).randrange(len(places_of_events))
    taken: list[int] = []
    for places in places_of_events[first:] + places_of_events[:first]:
        if len(taken) + len(places) <= articles:
            taken.extend(places)
    chosen = rows.select(SAMPLE_COLUMNS)[sorted(taken)]
    return [Article(**row) for row in chosen.iter_rows(named=True)]


def is_sample(articles: Sequence[Article]) -> bool:
    """Return whether the headlines of all articles are in the embedded sample.

    A copy of the package may lack the sample; then the answer is False.
    """
    import polars as pl

    if not SAMPLE.is_file():
        return False
    refuse_pointer(SAMPLE)
    headlines = set(pl.read_parquet(SAMPLE, columns=["headline"])["headline"])
    return all(article.headline in headlines for article in articles)


def is_sample_corpus(outlets: Sequence[str], sample: bool | None = None) -> bool:
    """Return whether a corpus is built of the embedded sample.

    `sample` is what the record of the corpus says. Where it says nothing, the names of the outlets decide.
    """
    if sample is None:
        return set(outlets) == set(OUTLETS)
    return sample


def write_csv(articles: Iterable[Article], out: Path) -> None:
    """Write articles of the sample as a CSV file, with the line ends of RFC 4180."""
    with replace_file(out) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(SAMPLE_COLUMNS)
        for article in articles:
            writer.writerow([getattr(article, name) for name in SAMPLE_COLUMNS])
