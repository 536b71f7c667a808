"""Test articles without a partner: which they are, and that nothing is learnt from them."""

import dataclasses
import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from corpus_fakes import articles, options, reading, write_articles
from csv_files import read_csv
from datasets import load_dataset

from change_it.cli import main
from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.folder import CONFIGS, describe_corpus
from change_it.corpus.leak_check import leak_check
from change_it.corpus.record import Neighbours
from change_it.corpus.report import summary
from change_it.corpus.splits import CLOSE, split, wanted_alone
from change_it.corpus.test_set import read_test_set


def with_neighbours(made):
    """The articles, each that is of one outlet alone with a second one that shares nine tenths of its words,
    two days later.
    """
    two_days = np.timedelta64(2, "D").astype(object)
    more = []
    for article in made:
        if int(article.id[3:]) >= 90:
            text = article.article.split()
            changed = [*text[:24], *(f"altro{number}" for number in range(6))]
            texts = {"id": f"{article.id}-later", "headline": f"{article.headline} poi"}
            later = article.date + two_days
            more.append(dataclasses.replace(article, **texts, article=" ".join(changed), date=later))
    return [*made, *more]


def usual():
    return articles(close=60, loose=30, alone=40)


@cache
def built(number):
    """Return a corpus of the usual articles, which tests read."""
    return build_corpus(reading(usual()), options(test_articles=number))


def test_they_take_nothing_from_the_pairs_and_are_in_no_set_that_is_learnt_from():
    without, with_ten = built(0), built(10)
    alone = with_ten.tables["test_articles"]["test"]
    assert alone["label"].value_counts(sort=True)["count"].to_list() == [10, 10]
    assert set(alone["alignment"]) == {"R"}
    assert "test_articles" not in without.tables
    for side in ("train", "test"):
        assert with_ten.tables["pairs"][side].equals(without.tables["pairs"][side])
    texts, headlines = set(alone["article"]), set(alone["headline"])
    for config, by_side in with_ten.tables.items():
        for side, rows in by_side.items():
            if (config, side) != ("test_articles", "test"):
                found = {
                    value for column in rows.get_columns() if column.dtype == pl.String for value in column
                }
                assert not found & texts, (config, side)
                assert not found & headlines, (config, side)
    assert with_ten.report.kept == without.report.kept == 260
    assert with_ten.report.test_articles == {"rep": 10, "gio": 10}


def test_what_is_close_to_them_leaves_and_no_event_is_cut():
    corpus = build_corpus(reading(with_neighbours(usual())), options(test_articles=15))
    alone = corpus.tables["test_articles"]["test"]
    left = {row.id for row in corpus.rejected if row.reason == CLOSE}
    learnt = {*corpus.tables["articles"]["train"]["id"]}
    pairs_of_neighbours = [(id_, id_.removesuffix("-later")) for id_ in alone["id"]]
    assert left
    for id_, first in pairs_of_neighbours:
        other = first if id_ != first else f"{first}-later"
        assert other in left or other in set(alone["id"])
        assert other not in learnt
    assert corpus.report.leak_check.neighbours.articles == 0


@pytest.mark.parametrize("column", ["id", "article"])
def test_the_leak_check_finds_one_in_a_training_set(column):
    corpus = built(10)
    alone, tables = corpus.tables["test_articles"]["test"], {**corpus.tables}
    articles_of_train = tables["articles"]["train"]
    changed = articles_of_train.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(alone[column][0])).otherwise(column).alias(column)
    )
    tables["articles"] = tables["articles"] | {"train": changed}
    ids = pl.concat([part["id"] for part in (changed, alone, tables["articles"]["test"])]).unique()
    clusters = pl.DataFrame({"id": ids, "cluster": range(len(ids))})
    with pytest.raises(RuntimeError, match="test material in training sets"):
        leak_check(tables, clusters, Neighbours(articles=0, other_outlet=0))


def test_how_many_when_no_number_is_given():
    labels = np.repeat([0, 1, 2], [5000, 1000, 400])
    tested = np.zeros(len(labels), dtype=bool)
    tested[np.r_[:40, 5000:5290]] = True
    assert wanted_alone(labels, tested, None) == (260, 10)
    assert wanted_alone(labels[4000:], tested[4000:], None) == (100, 10)  # a tenth of A's thousand
    assert wanted_alone(labels, tested, 7) == (7, 7)


def test_none_with_sizes_or_the_splits_of_the_input():
    with_sizes = options(test_articles=None, sizes="A1=20,A2=20,A3=20")
    assert "test_articles" not in build_corpus(reading(usual()), with_sizes).tables
    split_by_input = [dataclasses.replace(a, alignment="A2" if int(a.id[3:]) < 30 else "A1") for a in usual()]
    assert "test_articles" not in build_corpus(reading(split_by_input), options(test_articles=None)).tables


def test_no_article_close_to_a_pair_is_drawn():
    """Article 61 is close to the A1 or A3 article 0, 62 to nothing; both have no partner."""
    rows = np.arange(60)
    labels = np.r_[np.zeros(63), np.ones(60)].astype(np.int64)
    pairs = rows, rows + 63, np.repeat([0.8, 0.3], 30)
    close = np.array([61]), np.array([40])
    chosen = {"strict": 0.5, "loose": 0.185, "seed": 1, "close": close, "test_articles": 5}
    result = split(np.arange(123), pairs, labels, **chosen)
    assert np.flatnonzero(result.alone).tolist() == [60, 62]
    assert result.alignment[61] == "R"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("alone") / "corpus"
    write_corpus(built(10), where)
    return where


def test_the_config_loads_and_is_on_the_card(folder, tmp_path):
    rows = load_dataset(str(folder), "test_articles", split="test", cache_dir=str(tmp_path))
    assert len(rows) == 20
    assert list(rows.features) == list(CONFIGS["test_articles"]) == list(CONFIGS["articles"])
    assert "| `test_articles` | " in (folder / "README.md").read_text()
    report = json.loads((folder / "alignment.json").read_text())
    assert report["rows_by_config"]["test_articles"] == {"test": 20}


def test_they_are_items_without_a_reference_and_part_of_the_digest(folder, tmp_path):
    test = read_test_set(str(folder))
    alone = pl.read_parquet(folder / "test_articles" / "test.parquet")
    without_reference = [item for item in test.items if not item.reference]
    assert {item.id for item in without_reference} == {*alone["id"]}
    assert len(test.items) == 62 + 20
    write_corpus(built(0), tmp_path / "corpus")
    assert describe_corpus(str(folder)).digest == test.digest
    assert describe_corpus(str(tmp_path / "corpus")).digest != test.digest
    assert not {*alone["headline"]} & {text for texts in test.training_headlines.values() for text in texts}


def test_they_are_listed_among_what_systems_rewrite(folder, tmp_path, capsys):
    out = tmp_path / "todo.csv"
    assert main(["corpus", "items", "--corpus", str(folder), "--out", str(out)]) == 0
    assert [row["partner"] for row in read_csv(out)].count("no") == 20
    assert "20 of them have no aligned one" in capsys.readouterr().out


@pytest.mark.parametrize(("number", "fault"), [("-1", "give 0 or more"), ("5", "leave one of them out")])
def test_a_number_that_cannot_be(number, fault, tmp_path, capsys):
    made = [dataclasses.replace(a, alignment="A2") for a in articles()]
    write_articles(tmp_path / "news.csv", made)
    rows = read_csv(tmp_path / "news.csv")
    lines = ["id,headline,article,label,date,alignment"]
    lines += [
        ",".join([*(row[name] for name in ("id", "headline", "article", "label", "date")), "A2"])
        for row in rows
    ]
    (tmp_path / "news.csv").write_text("\n".join(lines))
    command = [
        "corpus",
        "build",
        str(tmp_path / "news.csv"),
        "--language",
        "it",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*command, "--test-articles", number]) == 2
    assert fault in capsys.readouterr().err


def test_how_sure_figures_are_and_of_how_many_articles_they_would_be_surer():
    """31 test pairs of 250 articles: 354 more pairs, so eleven times as many articles; 51 events with the 20
    others.
    """
    notes = summary(built(10).report)[-1].notes
    said = "\n".join(notes)
    assert "Test articles without a partner: 10 of rep and 10 of gio; they compare systems" in said
    assert (
        "On all test articles a share near .5 is known to about ± 0.14, of sampling alone: what judges"
        in said
    )
    assert "On the test pairs a share near .5 is known to about ± 0.18, of sampling alone" in said
    assert (
        "For ± .05 it would need about 3,000 more articles at this corpus's rate of pairs "
        "(far fewer of a denser archive of the same days)."
    ) in said
