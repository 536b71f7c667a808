"""LREC 2020: its sets for classifiers and generators."""

import polars as pl
import pytest

from change_it.corpus.folder import read_table
from change_it.generators.data import load_recipe
from change_it.judges.data import load_task


@pytest.mark.parametrize("recipe", ["train_d", "train_m"])
def test_generators_learn_the_articles_of_the_training_sets(corpus, recipe):
    data = load_recipe(corpus, recipe, "faro", validation_share=0.05, seed=1)
    articles = read_table(corpus, "articles", "train")
    for part, split in ((data.train, "train"), (data.validation, "validation")):
        chosen = read_table(corpus, recipe, split, ["id"])
        own = articles.join(chosen, on="id", how="semi").filter(pl.col("label") == "faro")
        pairs = set(part.iter_rows())
        assert pairs <= set(own.select("article", "headline").iter_rows())
        assert len(pairs) > 0.9 * own.height


def test_the_random_split_is_four_fifths_of_as_many_articles_of_each_outlet(corpus):
    data = load_task("main", corpus, train_on="random")
    parts = (data.train, data.validation, data.tests["gold"])
    labels = pl.concat(read_table(corpus, "articles", side, ["label", "fold"]) for side in ("train", "test"))
    assert data.train.pairs is None
    fewest = labels.group_by("fold", "label").len().group_by("fold").agg(pl.min("len"))["len"].sum()
    assert fewest < labels.height / 2  # the outlets differ
    assert sum(part.labels.sum() for part in parts) == fewest
    count = 2 * fewest
    test = round(0.2 * count)
    assert [len(part) for part in parts] == [
        count - test - round(0.1 * (count - test)),
        round(0.1 * (count - test)),
        test,
    ]
    aligned = read_table(corpus, "articles", "test", ["headline"])["headline"].to_list()
    assert set(data.train.texts) & set(aligned)  # alignment plays no part
