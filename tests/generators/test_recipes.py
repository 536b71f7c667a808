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


def assert_learnt(data, known):
    """Check that each known row is for validation, or is learnt, or has a text of a validation row."""
    known = Counter(known)
    assert not Counter(data.validation.iter_rows()) - known
    sources = set(data.validation["source"])
    targets = set(data.validation["target"])
    learnt = Counter()
    for (source, target), count in known.items():
        if source not in sources and target not in targets:
            learnt[source, target] = count
    assert Counter(data.train.iter_rows()) == learnt


def assert_a_twentieth_is_held_out(data, rows):
    """Check that 5 % of the rows are for validation, at least one."""
    assert len(data.validation) == max(1, round(0.05 * rows))


def test_sum_learns_the_target_outlets_own_articles_outside_a1_and_a2(corpus):
    data = load_recipe(corpus, "sum", "faro", seed=1)
    rows = read_table(corpus, "sum", "train").filter(direction="colle2faro")
    assert_learnt(data, rows.select("source", "target").iter_rows())
    assert_a_twentieth_is_held_out(data, len(rows))
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
    data = load_recipe(corpus, recipe, to, seed=1)
    assert_learnt(data, known)
    assert_a_twentieth_is_held_out(data, len(pairs))


def test_agnostic_learns_all_of_its_config_and_has_the_validation_part_of_the_corpus(corpus):
    data = load_recipe(corpus, "agnostic", None, seed=1)
    validation = read_table(corpus, "agnostic", "validation").select("source", "target")
    train = read_table(corpus, "agnostic", "train").select("source", "target")
    assert data.validation.equals(validation)
    shares_source = pl.col("source").is_in(validation["source"].to_list())
    shares_target = pl.col("target").is_in(validation["target"].to_list())
    assert data.train.equals(train.filter(~shares_source, ~shares_target))


def crossed_examples(corpus, alignment):
    """Return the examples of both directions of the pairs of a part, and the texts each may be made of."""
    table = read_table(corpus, "pairs", "train").filter(alignment=alignment)
    examples = {}
    for row in table.iter_rows(named=True):
        for here, there, outlet in (("a", "b", "faro"), ("b", "a", "colle")):
            headline, article = row[f"{here}_headline"], row[f"{here}_article"]
            example = (source_of("both", headline, article, outlet), row[f"{there}_headline"])
            examples[example] = (headline, article[:CHARACTERS_IN_SIGHT])
    return examples


def test_rewrite_learns_own_headlines_and_pairs_and_nothing_invented(corpus):
    data = load_recipe(corpus, "rewrite", None, seed=1)

    pairs = crossed_examples(corpus, "A1")
    known = [example for example, sources in pairs.items() if not unsupported(example[1], sources)]
    assert 0 < len(known) < len(pairs)
    for row in read_table(corpus, "articles", "train").iter_rows(named=True):
        if not unsupported(row["headline"], (row["article"][:CHARACTERS_IN_SIGHT],)):
            known.append((source_of("both", "", row["article"], row["label"]), row["headline"]))
    assert_learnt(data, known)

    weak_pairs = crossed_examples(corpus, "A3")
    assert weak_pairs
    assert not weak_pairs.keys() & everything(data)


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
