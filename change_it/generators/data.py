"""Training data of each recipe (EvalNLGEval 2020; agnostic: LREC 2020). The test set is not read here."""

from typing import NamedTuple

import numpy as np
import polars as pl

from change_it.corpus.folder import read_outlets, read_table
from change_it.corpus.pairing.groups import rng_for
from change_it.corpus.tasks.judges import OPENING, held_out
from change_it.errors import InputError
from change_it.generators.options import Recipe, source_of
from change_it.text.evidence import unsupported

#: Pairs that a recipe learns from, in the names of the splits.
PAIRS = {"s2s1": "A3", "s2s2": "A1 and A3", "s2s3": "A1"}


class RecipeData(NamedTuple):
    """Everything one generator needs: each `source` and the `target` that it should give."""

    train: pl.DataFrame
    validation: pl.DataFrame  # chooses the weights; no source and no headline is in both
    outlets: tuple[str, str]


def read_rewriting(corpus: str) -> pl.DataFrame:
    """`id, given, article, to, target` for the generator `rewrite`: every article with its own headline, and both directions of A1 (pairs of A3 are two events too often).

    `given` is the original's headline; an own headline has none. Nothing teaches to invent: headlines with names, numbers
    or quotations that the original and the beginning of its article lack are left out.
    """
    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article"])
    parts = [articles.select("id", "article", given=pl.lit(""), target="headline", to="label")]
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article")]
    pairs = read_table(corpus, "pairs", "train", [*sides, "alignment"]).filter(alignment="A1")
    label = dict(articles.select("id", "label").iter_rows())
    for here, there in ("ab", "ba"):
        to = pl.col(f"{there}_id").replace_strict(label, return_dtype=pl.String)
        names = {"id": "id", "article": "article", "given": "headline"}
        columns = {name: f"{here}_{column}" for name, column in names.items()}
        parts.append(pairs.select(**columns, target=f"{there}_headline", to=to))
    rows = pl.concat(parts).filter(
        pl.col(name).str.strip_chars().str.len_chars() > 0 for name in ("article", "target")
    )
    supported = [
        not unsupported(target, (given, article[:OPENING]))
        for article, given, target in rows.select("article", "given", "target").iter_rows()
    ]
    return rows.filter(pl.Series(supported, dtype=pl.Boolean))


def load_recipe(
    corpus: str,
    recipe: Recipe,
    to: str | None,
    *,
    seed: int,
    validation_share: float = 0.05,
    balanced: bool = False,
) -> RecipeData:
    """The examples of one generator, in the order of the corpus; agnostic and those of LREC 2020 have their own validation part.

    `balanced`: rewrite has no more articles with their own headline than pairs, which are what it is used for.
    """
    outlets = read_outlets(corpus)
    both = recipe in ("agnostic", "rewrite")
    if both and to is not None:
        raise InputError(f"--to and --recipe {recipe} exclude each other: it writes for both outlets")
    if not both and to not in outlets:
        fault = f"--to {to} is no outlet of {corpus}" if to else f"--to is missing for {recipe}"
        raise InputError(f"{fault}: give {outlets[0]} or {outlets[1]}")
    if recipe == "agnostic":
        train, validation = (_rows(corpus, recipe, split, "agnostic") for split in ("train", "validation"))
    elif recipe in ("train_d", "train_m"):  # of headlines; a generator reads their articles
        train, validation = (_of_training_set(corpus, recipe, part, to) for part in ("train", "validation"))
    else:
        if recipe == "rewrite":
            examples = read_rewriting(corpus)
            texts = examples.select("given", "article", "to").iter_rows()
            sources = pl.Series([source_of("both", *row) for row in texts], dtype=pl.String)
            rows = examples.with_columns(source=sources, own=pl.col("given") == "")
        else:
            rows = _rows(corpus, recipe, "train", f"{outlets[to == outlets[0]]}2{to}")
        ids = rows["id"].unique(maintain_order=True)
        order = rng_for(seed, "validation of generators").permutation(len(ids))
        held_ids = held_out(ids, validation_share, order)
        validation, train = rows.filter(pl.col("id").is_in(held_ids)), rows
    train = train.join(validation, on="id", how="anti", maintain_order="left")
    for column in ("source", "target"):
        train = train.join(validation, on=column, how="anti", maintain_order="left")
    if recipe == "rewrite" and balanced:
        train, validation = (_balanced(part, seed) for part in (train, validation))
    if train.is_empty() or validation.is_empty():
        needs = "articles outside A1 and A2"
        if recipe in PAIRS:
            needs = f"{PAIRS[recipe]} pairs: build it with lower thresholds or more articles, or take --recipe sum, which needs none"
        raise InputError(f"{corpus} has too little to train {recipe} on; it needs {needs}")
    train, validation = (part.select("source", "target") for part in (train, validation))
    return RecipeData(train, validation, outlets)


def _rows(corpus: str, recipe: Recipe, split: str, direction: str) -> pl.DataFrame:
    """Rows of one direction that have something to read and something to write."""
    rows = read_table(corpus, recipe, split, ["id", "source", "target", "direction"])
    filled = (pl.col(name).str.strip_chars().str.len_chars() > 0 for name in ("source", "target"))
    return rows.filter(pl.col("direction") == direction, *filled)


def _balanced(rows: pl.DataFrame, seed: int) -> pl.DataFrame:
    """All pairs and as many articles with their own headline, drawn by seed; all articles where there is no pair."""
    own = rows.filter("own")
    pairs = len(rows) - len(own)
    drawn = rng_for(seed, "articles beside pairs").permutation(len(own))[: pairs or None]
    return pl.concat([rows.filter(~pl.col("own")), own[np.sort(drawn)]])


def _of_training_set(corpus: str, recipe: Recipe, split: str, to: str | None) -> pl.DataFrame:
    """Articles and headlines of one outlet in a training set of LREC 2020."""
    chosen = read_table(corpus, recipe, split, ["id"])
    articles = read_table(corpus, "articles", "train", ["id", "label", "headline", "article"])
    rows = chosen.join(articles.filter(pl.col("label") == to), on="id", maintain_order="left")
    return rows.select("id", source="article", target="headline")
