"""What each generator learns from, as the corpus folder holds it."""

from collections import Counter

import polars as pl
import pytest

from change_it.corpus.folder import read_table
from change_it.generators.data import load_recipe
from change_it.generators.examples import CHARACTERS_IN_SIGHT, source_of
from change_it.text.evidence import unsupported


def everything(data):
    return {*data.train.iter_rows(), *data.validation.iter_rows()}


def assert_learnt(data, known, share=0.05):
    """Check that a share of the known rows is for validation, and that the others share no text with it."""
    known = Counter(known)
    held = Counter(data.validation.iter_rows())
    assert not held - known
    sources, targets = ({*data.validation[column]} for column in ("source", "target"))
    kept = Counter({row: n for row, n in known.items() if row[0] not in sources and row[1] not in targets})
    assert Counter(data.train.iter_rows()) == kept
    assert held.total() == max(1, round(share * known.total()))


def test_sum_learns_the_target_outlets_own_articles_outside_a1_and_a2(corpus):
    data = load_recipe(corpus, "sum", "faro", seed=1)
    rows = read_table(corpus, "sum", "train").filter(direction="colle2faro")
    assert_learnt(data, rows.select("source", "target").iter_rows())
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
    pairs = read_table(corpus, "pairs", "train").filter(pl.col("alignment").is_in(groups))
    known = pairs.select(f"{columns[0]}_headline", f"{columns[1]}_headline").iter_rows()
    assert_learnt(load_recipe(corpus, recipe, to, seed=1), known)


def test_agnostic_learns_all_of_its_config_and_has_the_validation_part_of_the_corpus(corpus):
    data = load_recipe(corpus, "agnostic", None, seed=1)
    train, validation = (
        [*read_table(corpus, "agnostic", side).select("source", "target").iter_rows()]
        for side in ("train", "validation")
    )
    assert [*data.validation.iter_rows()] == validation
    sources, targets = ({row[column] for row in validation} for column in (0, 1))
    apart = [row for row in train if row[0] not in sources and row[1] not in targets]
    assert [*data.train.iter_rows()] == apart


def test_rewrite_learns_own_headlines_and_pairs_and_nothing_invented(corpus):
    data = load_recipe(corpus, "rewrite", None, seed=1)
    examples = everything(data)
    articles = read_table(corpus, "articles", "train")
    own = {row["headline"]: row for row in articles.iter_rows(named=True)}
    table = read_table(corpus, "pairs", "train", ["a_headline", "a_article", "b_headline", "alignment"])
    strict, loose = (
        {
            (source_of("both", headline, article, "faro"), target): (headline, article[:CHARACTERS_IN_SIGHT])
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
        assert not unsupported(target, (headline, article[:CHARACTERS_IN_SIGHT]))
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
