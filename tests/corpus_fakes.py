"""A small corpus of invented words: events reported by both outlets (closely or loosely) and by one alone."""

import random
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from csv_files import write_csv

from change_it.corpus.reading.article import Article, Outlets
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.reading.reading import Reading

OUTLETS = Outlets("rep", "gio", "R", "G")


def words(rng, count):
    return [
        "".join(rng.choice("bcdfglmnprstvz") + rng.choice("aeiou") for _ in range(3)) for _ in range(count)
    ]


def articles(close=20, loose=12, alone=15, seed=0):
    """`close` events at a cosine well above .5, `loose` ones between .185 and .5, `alone` ones of each outlet."""
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
    return made


def shared_words(seed):
    """Words that every text may use."""
    return words(random.Random(1000 + seed), 400)


def random_texts(number, seed=0):
    """Texts of up to 60 words, few of them frequent."""
    random = np.random.default_rng(seed)
    lexicon = [f"w{k}" for k in range(200)]
    weights = 1 / np.arange(1, 201)
    p = weights / weights.sum()
    return [" ".join(random.choice(lexicon, size=random.integers(0, 60), p=p)) for _ in range(number)]


def reading(made=None, **changes):
    made = articles(**changes) if made is None else made
    return Reading(made, [], len(made), OUTLETS, [("fake.csv", line) for line in range(2, len(made) + 2)])


def options(out="unused", **changes):
    common = {"files": ("fake.csv",), "language": "it", "out": Path(out), "test_articles": 0}
    return BuildOptions(**common | changes)


def write_articles(path, made, days="%Y-%m-%d"):
    short = {"rep": "R", "gio": "G"}
    rows = [[a.id, a.headline, a.article, short[a.label], a.date and a.date.strftime(days)] for a in made]
    return write_csv(path, rows, ["id", "headline", "article", "label", "date"])
