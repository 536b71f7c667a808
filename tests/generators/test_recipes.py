"""What each generator learns from, as the corpus folder holds it."""

import polars as pl
import pytest

from change_it.corpus.folder import read_table
from change_it.corpus.training_sets import OPENING
from change_it.generators.recipes import load_recipe, source_of
from change_it.text.evidence import unsupported


def load(corpus, recipe, to="faro", **changes):
    return load_recipe(corpus, recipe, to, **{"validation_share": 0.05, "seed": 1, **changes})


def everything(data):
    parts = (data.train, data.validation)
    return {pair for part in parts for pair in zip(part.sources, part.targets, strict=True)}


def test_sum_learns_the_target_outlets_own_articles_outside_a1_and_a2(corpus):
    data = load(corpus, "sum")
    articles = read_table(corpus, "articles", "train")
    weak = articles.filter(pl.col("alignment").is_in(["R", "A3"]))
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
    data = load(corpus, recipe, to)
    pairs = read_table(corpus, "pairs", "train").filter(pl.col("alignment").is_in(groups))
    known = set(pairs.select(f"{columns[0]}_headline", f"{columns[1]}_headline").iter_rows())
    assert everything(data) <= known
    assert len(everything(data)) > 0.8 * len(known)


def test_agnostic_learns_both_outlets_and_has_its_own_validation(corpus):
    data = load(corpus, "agnostic", None)
    articles = read_table(corpus, "articles", "train")
    labels = dict(articles.select("article", "label").iter_rows())
    assert {labels[source] for source in data.train.sources} == {"colle", "faro"}
    given = read_table(corpus, "agnostic", "validation")
    assert data.validation.sources == given["source"].to_list()


def test_rewrite_learns_own_headlines_and_pairs_and_nothing_invented(corpus):
    examples = everything(load(corpus, "rewrite", None))
    articles = read_table(corpus, "articles", "train")
    own = {row["headline"]: row for row in articles.iter_rows(named=True)}
    table = read_table(corpus, "pairs", "train", ["a_headline", "a_article", "b_headline", "alignment"])
    strict, loose = (set(table.filter(alignment=name).drop("alignment").iter_rows()) for name in ("A1", "A3"))
    pairs = strict
    crossed = {
        (source_of("both", headline, article, "faro"), target)
        for headline, article, target in pairs
        if not unsupported(target, (headline, article[:OPENING]))
    }
    assert crossed
    assert len(crossed) < len(pairs)
    assert len(crossed & examples) > 0.8 * len(crossed)
    of_loose = {(source_of("both", headline, article, "faro"), target) for headline, article, target in loose}
    assert of_loose
    assert not of_loose & examples
    seen = 0
    for source, target in examples:
        outlet, given, article = source.split(" | ", 2)
        assert own[target]["label"] == outlet
        assert not unsupported(target, (given, article[:OPENING]))
        if own[target]["article"] == article:
            seen += 1
            assert given == ""
    assert seen > 0.75 * len(articles)


@pytest.mark.parametrize("recipe", ["sum", "s2s2", "agnostic", "rewrite"])
def test_no_source_and_no_headline_is_on_both_sides(corpus, recipe):
    to = None if recipe in ("agnostic", "rewrite") else "colle"
    data = load(corpus, recipe, to, validation_share=0.3)
    assert not set(data.train.sources) & set(data.validation.sources)
    assert not set(data.train.targets) & set(data.validation.targets)
    assert len(data.validation) > 0
