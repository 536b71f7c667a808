"""What each generator learns from, as the corpus folder holds it."""

import polars as pl
import pytest

from change_it.corpus.folder import read_table
from change_it.corpus.tasks.judges import OPENING
from change_it.generators.data import load_recipe
from change_it.generators.options import source_of
from change_it.text.evidence import unsupported


def everything(data):
    return {*data.train.iter_rows(), *data.validation.iter_rows()}


def test_sum_learns_the_target_outlets_own_articles_outside_a1_and_a2(corpus):
    data = load_recipe(corpus, "sum", "faro", seed=1)
    weak = read_table(corpus, "articles", "train").filter(pl.col("alignment").is_in(["R", "A3"]))
    own = weak.filter(pl.col("label") == "faro")
    assert everything(data) <= set(own.select("article", "headline").iter_rows())
    even = weak.group_by("fold", "label").len().group_by("fold").agg(pl.min("len"))["len"].sum()
    assert len(everything(data)) == even  # as many as of the other outlet
    assert data.outlets == ("colle", "faro")


@pytest.mark.parametrize(
    ("recipe", "groups", "to", "columns"),
    [
        ("s2s1", ["A3"], "faro", "ab"),
        ("s2s2", ["A1", "A3"], "colle", "ba"),
        ("s2s3", ["A1"], "faro", "ab"),
    ],
)
def test_s2s_learns_the_aligned_headlines_in_one_direction(corpus, recipe, groups, to, columns):
    learnt = everything(load_recipe(corpus, recipe, to, seed=1))
    pairs = read_table(corpus, "pairs", "train").filter(pl.col("alignment").is_in(groups))
    known = set(pairs.select(f"{columns[0]}_headline", f"{columns[1]}_headline").iter_rows())
    assert learnt <= known
    assert len(learnt) > 0.8 * len(known)


def test_rewrite_learns_own_headlines_and_pairs_and_nothing_invented(corpus):
    examples = everything(load_recipe(corpus, "rewrite", None, seed=1))
    articles = read_table(corpus, "articles", "train")
    own = {row["headline"]: row for row in articles.iter_rows(named=True)}
    table = read_table(corpus, "pairs", "train", ["a_headline", "a_article", "b_headline", "alignment"])
    strict, loose = (
        {
            (source_of("both", headline, article, "faro"), target): (headline, article[:OPENING])
            for headline, article, target, _ in table.filter(alignment=name).iter_rows()
        }
        for name in ("A1", "A3")
    )
    crossed = {pair for pair, sources in strict.items() if not unsupported(pair[1], sources)}
    assert 0 < len(crossed) < len(strict)
    assert len(crossed & examples) > 0.8 * len(crossed)
    assert loose
    assert not loose.keys() & examples
    alone = 0
    for source, target in examples:
        outlet, headline, article = source.split(" | ", 2)
        assert own[target]["label"] == outlet
        assert not unsupported(target, (headline, article[:OPENING]))
        if own[target]["article"] == article:
            alone += 1
            assert headline == ""
    assert alone > 0.75 * len(articles)


@pytest.mark.parametrize("recipe", ["sum", "s2s2", "agnostic", "rewrite"])
def test_no_source_and_no_headline_is_on_both_sides(corpus, recipe):
    to = None if recipe in ("agnostic", "rewrite") else "colle"
    data = load_recipe(corpus, recipe, to, validation_share=0.3, seed=1)
    assert not set(data.train["source"]) & set(data.validation["source"])
    assert not set(data.train["target"]) & set(data.validation["target"])
    assert len(data.validation) > 0
    if recipe == "agnostic":  # of both outlets, with a validation part of its own
        labels = dict(read_table(corpus, "articles", "train").select("article", "label").iter_rows())
        assert {labels[source] for source in data.train["source"]} == {"colle", "faro"}
        assert data.validation["source"].equals(read_table(corpus, "agnostic", "validation")["source"])
