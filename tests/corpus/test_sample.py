"""The embedded sample and its parts: whole events, chosen by the seed."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from change_it.cli.corpus import SampleOptions, sample
from change_it.corpus.reading.sample import SAMPLE, is_sample, sample_articles

#: SHA-256 of the CSV that the quickstart's published numbers were measured on.
PUBLISHED = "d60b8fda82099cd2b48117ab3a4b668cac28a0e076ef96eca7047d0d89b7a277"


def test_the_whole_sample_is_the_published_one_for_every_seed(tmp_path: Path):
    out = tmp_path / "sample.csv"
    sample(SampleOptions(out=out, seed=8))
    assert hashlib.sha256(out.read_bytes()).hexdigest() == PUBLISHED


@pytest.mark.parametrize(("articles", "seed"), [(1, 1), (2000, 7)])
def test_a_part_has_the_articles_asked_for_and_no_half_event(articles, seed):
    part = sample_articles(articles, seed)
    assert len({a.id for a in part}) == len(part) == articles
    assert [a.id for a in part] == sorted(a.id for a in part)
    assert part == sample_articles(articles, seed)
    event = dict(pl.read_parquet(SAMPLE).select("id", "event").iter_rows())
    whole = Counter(event.values())
    assert all(count == whole[number] for number, count in Counter(event[a.id] for a in part).items())


def test_a_corpus_says_whether_it_is_of_the_sample(corpus):
    assert json.loads((Path(corpus) / "alignment.json").read_text(encoding="utf-8"))["sample"] is True
    some = sample_articles(20, seed=1)
    assert is_sample([replace(article, label="left") for article in some])
    assert not is_sample([*some, replace(some[0], headline="Un titolo vero")])
