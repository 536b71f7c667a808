"""Make a small corpus of invented words: events told by both outlets, closely or loosely, or by one."""

import random
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import numpy as np
from csv_files import write_csv

from change_it.corpus.reading.article import Article, Outlets
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.reading.reading import Reading
from change_it.corpus.record import (
    BuiltWith,
    CorpusReport,
    EventCounts,
    Histogram,
    LeakCheck,
    Neighbours,
    OtherOutlets,
    PairCounts,
    ReportedIssue,
    Thresholds,
)

OUTLETS = Outlets("rep", "gio", "R", "G")


def words(rng, count):
    """Draw words of three syllables."""
    return [
        "".join(rng.choice("bcdfglmnprstvz") + rng.choice("aeiou") for _ in range(3)) for _ in range(count)
    ]


def articles(close=20, loose=12, alone=15, seed=0):
    """Return the articles of events, in random order.

    Args:
        close: events whose two articles have a cosine well above .5.
        loose: events whose two articles have a cosine from .185 to .5.
        alone: events of each outlet that the other one does not report.
        seed: of the words and the order.
    """
    return list(_articles(close, loose, alone, seed))


@cache
def _articles(close, loose, alone, seed):
    rng, common, made = random.Random(seed), shared_words(seed), []

    def add(label, number, text):
        day = date(2019, 1, 1) + timedelta(days=number % 30)
        headline = f"{text[0]} {text[1]} {text[2]} {label} {number}"
        made.append(Article(f"{label}{number}", label, headline, " ".join(text), day))

    for number in range(close + loose + 2 * alone):
        topic = words(rng, 30)
        if number >= close + loose:
            add(OUTLETS.names[number % 2], number, [*topic[:12], *rng.sample(common, 18)])
            continue
        share = 26 if number < close else 10
        shared = rng.sample(topic, share)
        for label in OUTLETS.names:
            add(label, number, [*shared, *rng.sample(common, 30 - share)])
    rng.shuffle(made)
    return tuple(made)


def shared_words(seed):
    """Return words that every text may use."""
    return words(random.Random(1000 + seed), 400)


def random_texts(number, seed=0):
    """Draw texts of up to 60 words, few of them frequent."""
    random = np.random.default_rng(seed)
    lexicon = [f"w{k}" for k in range(200)]
    weights = 1 / np.arange(1, 201)
    p = weights / weights.sum()
    return [" ".join(random.choice(lexicon, size=random.integers(0, 60), p=p)) for _ in range(number)]


def reading(made=None, **changes):
    """Return articles as they are read from a file, one a line; `changes` are those of `articles`."""
    made = articles(**changes) if made is None else made
    return Reading(made, [], len(made), OUTLETS, [("fake.csv", line) for line in range(2, len(made) + 2)])


def options(out="unused", **changes):
    """Return the options of a build that keeps all articles for training."""
    common = {"files": ("fake.csv",), "language": "it", "out": Path(out), "test_articles": 0}
    return BuildOptions(**common | changes)


def write_articles(path, made, days="%Y-%m-%d"):
    short = {"rep": "R", "gio": "G"}
    rows = [[a.id, a.headline, a.article, short[a.label], a.date and a.date.strftime(days)] for a in made]
    return write_csv(path, rows, ["id", "headline", "article", "label", "date"])


def a_report(outlets=OUTLETS, language="it", **changes):
    """Return what `alignment.json` says of a corpus of four articles, with `changes` of its fields."""
    events = EventCounts(
        largest_pairs=1, largest=2, largest_days=1, test_pairs=1, test_events=1, effective=1.0
    )
    fields = {
        "version": "0.1.0",
        "outlets": outlets,
        "sample": False,
        "options": BuiltWith.from_options(options(language=language)),
        "day_first": {},
        "rows": 4,
        "kept": 4,
        "rejected": {},
        "thresholds": Thresholds(strict=0.5, loose=0.185),
        "pairs": PairCounts(above_strict=2, above_loose=2, kept={"A1": 1, "A2": 1, "A3": 0}, dropped=0),
        "days_apart": [],
        "lowest_strict": None,
        "events": events,
        "other_outlets": OtherOutlets(),
        "histogram": Histogram(edges=[0.05, 0.055, 0.06], compared=[1, 1], pairs=[1, 1]),
        "splits": {name: dict.fromkeys(outlets.names, 1) for name in ("A1", "A2")},
        "test_articles": {},
        "rows_by_config": {"articles": {"train": 2, "test": 2}},
        "leak_check": LeakCheck(
            test_articles=2,
            rows={"articles": 2},
            found={"ids": 0},
            neighbours=Neighbours(articles=0, other_outlet=0),
        ),
        "notes": [],
        "loose_one_event": None,
        "warnings": [],
        "looks": [],
        "mended": [],
    }
    return CorpusReport(**fields | changes)


def an_issue(name, outlet):
    """Return an issue of an outlet's articles, as `alignment.json` has it."""
    return ReportedIssue(
        name=name, outlet=outlet, count=5, total=20, example="x", advice="", text=f"{outlet}: {name}"
    )
