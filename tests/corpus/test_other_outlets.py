"""Two outlets of many: the others teach content and language, never style; no event of theirs is tested."""

import dataclasses
import random

import polars as pl
import pytest
from corpus_fakes import articles, options, reading, words

from change_it.audit.measure import read_corpus
from change_it.corpus.build import build_corpus, write_corpus
from change_it.corpus.folder import CONFIGS
from change_it.corpus.splits import OTHER_OUTLET
from change_it.judges.data import load_fluency


def with_others(made, seed=5):
    """Beside them `post`, which reports all events of `rep` in the same words, and `herald`, which reports
    some of `post`'s.
    """
    rng = random.Random(seed)

    def again(article, label):
        told_words = article.article.split()
        rng.shuffle(told_words)
        text = " ".join([*told_words[:27], *words(rng, 3)])
        number = article.id[len(article.label) :]
        changed = {"id": f"{label}{number}", "headline": f"{label} {text[:30]}", "article": text}
        return dataclasses.replace(article, label=label, **changed)

    post = [again(article, "post") for article in made if article.label == "rep"]
    return [*made, *post, *(again(article, "herald") for article in post[::3])]


@pytest.fixture(scope="module")
def corpus():
    return build_corpus(reading(with_others(articles())), options(labels="rep,gio", other_outlets=True))


def is_other(column):
    return pl.col(column).str.contains("^(post|herald)")


def test_they_are_in_their_own_split_and_in_what_hh_and_ah_learn_from_alone(corpus):
    others = corpus.tables["articles"]["other"]
    assert set(others["label"]) == {"post", "herald"}
    for config, by_side in corpus.tables.items():
        for side, rows in by_side.items():
            named = [name for name in CONFIGS[config] if name.rstrip("12").endswith("headline")]
            is_there = any(rows.filter(is_other(name)).height for name in named)
            assert is_there == (
                side == "other" or (config[:2] in ("hh", "ah") and side in ("train", "validation"))
            ), (config, side)


def test_a_test_event_loses_their_articles(corpus):
    test = corpus.tables["pairs"]["test"]
    assert test.height == 10
    gone = {row.id for row in corpus.rejected if row.reason == OTHER_OUTLET}
    numbers = {id_.removeprefix("rep") for id_ in test["a_id"]}
    assert {f"post{number}" for number in numbers} <= gone
    assert gone.isdisjoint(corpus.tables["articles"]["other"]["id"])
    assert corpus.report.rows == corpus.report.kept + len(corpus.rejected)
    assert corpus.report.leak_check.neighbours.articles == 0


def test_their_pairs_are_strict_of_two_outlets_and_of_one_fold(corpus):
    rows = pl.concat(corpus.tables["articles"][side] for side in ("train", "other"))
    label, fold = (dict(zip(rows["id"], rows[name], strict=True)) for name in ("label", "fold"))
    pairs = corpus.tables["pairs"]["other"]
    assert pairs.height == corpus.report.other_outlets.pairs > 20
    assert pairs["similarity"].min() > 0.5
    members = [*pairs["a_id"], *pairs["b_id"]]
    assert len(set(members)) == len(members)
    for pair in pairs.iter_rows(named=True):
        assert label[pair["a_id"]] != label[pair["b_id"]]
        assert {label[pair["a_id"]], label[pair["b_id"]]} & {"post", "herald"}
        assert fold[pair["a_id"]] == fold[pair["b_id"]] == pair["fold"]


def test_fluency_learns_from_them_and_is_not_measured_on_them(corpus, tmp_path):
    write_corpus(corpus, tmp_path / "corpus")
    data = load_fluency(str(tmp_path / "corpus"), fold="all", validation_share=0.2, seed=1)
    assert any(text.startswith(("post ", "herald ")) for text in data.train.texts)
    validation = zip(data.validation.texts, data.validation.labels, strict=True)
    assert not any(label and text.startswith(("post ", "herald ")) for text, label in validation)


def test_an_audit_counts_their_articles_for_no_test_pair(corpus, tmp_path):
    write_corpus(corpus, tmp_path / "corpus")
    tables = corpus.tables["articles"]
    of_both = tables["train"].height + tables["test"].height
    assert corpus.report.articles_of_both == of_both < corpus.report.kept
    assert read_corpus(str(tmp_path / "corpus")).count == of_both
