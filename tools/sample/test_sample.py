"""The grammar of the sample is deterministic and the source of the embedded file.

What it writes is like real papers in what the alignment reads.
"""

import csv
import re
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from change_it.corpus.pairing.matching import align, day_numbers, one_to_one
from change_it.corpus.pairing.vectors import tfidf
from change_it.corpus.reading.sample import SAMPLE, SIZE
from change_it.errors import InputError
from change_it.text.evidence import unsupported
from change_it.text.stopwords import stop_words
from tools.sample.write import MAX_ARTICLES, WriteOptions, run, sample_articles


def test_another_seed_writes_other_articles_that_support_their_headlines(tmp_path: Path):
    out = tmp_path / "deep" / "sample.csv"
    run(WriteOptions(out=out, articles=300, seed=3))
    rows = list(csv.DictReader(out.open(encoding="utf-8", newline="")))
    assert [path.name for path in out.parent.iterdir()] == ["sample.csv"]
    assert list(rows[0]) == ["id", "headline", "article", "label", "date"]
    assert [row["article"] for row in rows] == [written.article for written in sample_articles(300, seed=3)]
    texts = [text for row in rows for text in (row["headline"], row["article"])]
    assert len({*texts}) == 600
    assert not [
        text for text in texts if re.search(r"[\[\]{}|]|  | [,.:;]|\b(di|a|da|in|su) (il|la|lo) ", text)
    ]
    assert sum(not unsupported(row["headline"], [row["article"]]) for row in rows) > 250


def test_the_embedded_sample_begins_as_the_grammar_writes_it():
    embedded = pq.read_table(SAMPLE, columns=["headline", "article"]).slice(0, 200).to_pylist()
    written = islice(sample_articles(SIZE, seed=1), 200)
    assert embedded == [{"headline": a.headline, "article": a.article} for a in written]


@pytest.fixture(scope="module")
def embedded():
    return pl.read_parquet(SAMPLE).slice(0, 5000)


def test_both_papers_report_an_event_as_many_days_apart_as_real_ones(embedded):
    first = (
        embedded.group_by("event", "label")
        .agg(pl.col("date").min())
        .pivot("label", values="date", index="event")
    )
    apart = first.drop_nulls().select(days=(pl.col("colle") - pl.col("faro")).dt.total_days().abs())["days"]
    shares = [(apart == days).mean() for days in range(4)]
    assert shares == pytest.approx([0.65, 0.25, 0.08, 0.03], abs=0.04)


def test_pairs_days_apart_are_mostly_two_events_as_real_ones_are(embedded):
    """Compare with four pairs of real outlets (`benchmarks/labels/pairs.csv`).

    Of the same day .85 of their pairs are one event, a day apart .45, then .13 and .05.
    """
    days = day_numbers(embedded["date"])
    sides = tuple(np.flatnonzero(embedded["label"] == label) for label in ("colle", "faro"))
    vectors = tfidf(embedded["article"].to_list(), stop_words=stop_words("it"))
    pairs = one_to_one(align(vectors, days, sides, window_days=3, floor=0.185))
    event = embedded["event"].to_numpy()
    one = event[pairs.a_index] == event[pairs.b_index]
    apart, strict = np.abs(days[pairs.a_index] - days[pairs.b_index]), pairs.similarity > 0.5
    shares = [one[strict & (apart == lag)].mean() for lag in range(4)]
    assert shares == pytest.approx([0.93, 0.5, 0.25, 0.12], abs=0.1)
    assert one[~strict].mean() < 0.4 < one[~strict & (apart == 0)].mean()
    assert one[~strict & (apart > 1)].mean() < 0.2


def test_an_event_may_have_more_articles_of_one_paper(embedded):
    twice = embedded.group_by("event", "label").len()["len"] > 1
    assert 0.02 < twice.mean() < 0.08


@pytest.mark.slow
def test_the_embedded_sample_is_rebuilt(tmp_path: Path):
    run(WriteOptions(out=tmp_path / "sample.parquet"))
    assert pq.read_table(tmp_path / "sample.parquet").equals(pq.read_table(SAMPLE))
    if pq.read_metadata(tmp_path / "sample.parquet").created_by == pq.read_metadata(SAMPLE).created_by:
        # Another version of pyarrow, which writes its name, may compress the same rows otherwise.
        assert (tmp_path / "sample.parquet").read_bytes() == SAMPLE.read_bytes()


@pytest.mark.parametrize("count", [0, MAX_ARTICLES + 1])
def test_number_out_of_range(count):
    with pytest.raises(InputError, match="--articles"):
        sample_articles(count, seed=1)
