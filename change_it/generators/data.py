"""Load the training and validation data of a recipe. The test set is not read here."""

from dataclasses import replace
from typing import NamedTuple

import polars as pl

from change_it.corpus.folder import read_outlets
from change_it.corpus.pairing.groups import rng_for
from change_it.corpus.tasks.judges import held_out
from change_it.errors import InputError
from change_it.generators.examples import ExampleRequest
from change_it.generators.recipes import RECIPES, Recipe, RecipeName


class RecipeData(NamedTuple):
    """Everything that one generator learns from: each `source` and the `target` that it should give.

    Attributes:
        train: training examples.
        validation: examples that choose the weights; no source and no headline is in both.
        outlets: short names of A and B.
    """

    train: pl.DataFrame
    validation: pl.DataFrame
    outlets: tuple[str, str]


def load_recipe(
    corpus: str,
    recipe: RecipeName,
    to: str | None,
    *,
    seed: int,
    validation_share: float = 0.05,
    balanced: bool = False,
) -> RecipeData:
    """Return the examples of one generator, in the order of the corpus.

    Args:
        corpus: corpus folder, or id of such a data set on the Hub.
        recipe: name of an entry of `RECIPES`.
        to: outlet whose headlines are written; None of a generator for both.
        seed: seed of the validation part that is held out, and of `balanced`.
        validation_share: share of the ids that is held out, where the recipe has no validation part of its
            own.
        balanced: whether the entry's `balance` chooses among the examples. For rewrite it keeps as many
            articles with their own headline as there are pairs: to rewrite pairs is what it is used for.

    Raises:
        InputError: an outlet is missing or not asked for, or the corpus has too little to train on.
    """
    entry = RECIPES[recipe]
    outlets = read_outlets(corpus)
    _check_outlet(corpus, entry, to, outlets)
    request = ExampleRequest(corpus, outlets, to)
    train = entry.examples(request)
    if entry.has_validation:
        validation = entry.examples(replace(request, split="validation"))
    else:
        ids = train["id"].unique(maintain_order=True)
        order = rng_for(seed, "validation of generators").permutation(len(ids))
        validation = train.filter(pl.col("id").is_in(held_out(ids, validation_share, order)))
    # training has no id, source or headline that validation has
    for column in ("id", "source", "target"):
        train = train.join(validation, on=column, how="anti", maintain_order="left")
    if balanced and entry.balance is not None:
        train = entry.balance(train, seed)
        validation = entry.balance(validation, seed)
    if train.is_empty() or validation.is_empty():
        raise InputError(f"{corpus} has too little to train {recipe} on; it needs {entry.needs}")
    columns = ["source", "target"]
    return RecipeData(train=train.select(columns), validation=validation.select(columns), outlets=outlets)


def _check_outlet(corpus: str, recipe: Recipe, to: str | None, outlets: tuple[str, str]) -> None:
    """Refuse an outlet that the corpus lacks, one for a recipe that writes for both, and none for others."""
    if recipe.writes_for != "one":
        if to is not None:
            raise InputError(
                f"--to and --recipe {recipe.name} exclude each other: it writes for both outlets"
            )
    elif to not in outlets:
        fault = f"--to {to} is no outlet of {corpus}"
        if not to:
            fault = f"--to is missing for {recipe.name}"
        raise InputError(f"{fault}: give {outlets[0]} or {outlets[1]}")
