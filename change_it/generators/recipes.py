"""The recipes of generators, one entry each: what is read and learnt, and which network the papers trained.

A new recipe is a new entry of `RECIPES`, with a function that makes its examples of the corpus; nothing else
names recipes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from change_it.generators.examples import (
    ExampleRequest,
    Reads,
    agnostic_examples,
    as_many_own_as_pairs,
    rewriting_examples,
    table_examples,
    training_set_examples,
)

if TYPE_CHECKING:
    import polars as pl

#: Name of the architecture that no paper has.
TRANSFORMER = "transformer"
#: Words of an article that the generators of LREC 2020 read.
LREC_WORDS = 500
#: Cells of every network of LREC 2020.
LREC_CELLS = 256

#: What a recipe needs that learns from articles.
_OUTSIDE_TEST = "articles outside A1 and A2"
#: What a recipe needs that learns from pairs; their names are filled in.
_PAIRS = "{} pairs: build it with lower thresholds or more articles, or take --recipe sum, which needs none"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What there is to know of a recipe.

    Attributes:
        name: what `--recipe`, the folder and the card of a generator call it.
        learns: what it learns, for the help.
        reads: what a generator reads of an item.
        writes_for: `one` outlet, which is named when it is trained; `either`, which each source names; or
            `both` alike, whose headlines are in the style of neither.
        architecture: network that is trained when none is chosen.
        examples: returns the columns `id`, `source` and `target` of the training examples.
        needs: what a corpus must have more of where it has too little to train on; part of a message.
        has_validation: whether `examples` has a validation part of its own; of others a share of the ids is
            held out.
        published: network that the papers trained; None of a recipe that no paper has.
        published_sizes: sizes in which the published network differs from its preset.
        balance: returns, from the examples and a seed, those that a pre-trained model learns from; a new
            network learns from all. None keeps all.
    """

    name: str
    learns: str
    reads: Reads
    writes_for: Literal["one", "either", "both"]
    architecture: str
    examples: Callable[[ExampleRequest], "pl.DataFrame"]
    needs: str = _OUTSIDE_TEST
    has_validation: bool = False
    published: str | None = None
    published_sizes: Mapping[str, int] = field(default_factory=dict)
    balance: Callable[["pl.DataFrame", int], "pl.DataFrame"] | None = None

    @property
    def published_network(self) -> str:
        """Return the network that the papers trained, for the help; empty where there is none.

        Its length is named where that is not the preset's.
        """
        if self.published is None:
            return ""
        words = self.published_sizes.get("source_tokens")
        if words is None:
            return self.published
        return f"{self.published} on the first {words} words"


#: Sizes of the generators of LREC 2020.
_LREC_SIZES = {"source_tokens": LREC_WORDS, "cells": LREC_CELLS}
#: The entries, in the order of lists.
_ENTRIES = (
    Recipe(
        name="sum",
        learns="articles of the target outlet to their headlines",
        reads="article",
        writes_for="one",
        architecture="pn",
        examples=partial(table_examples, config="sum"),
        published="pn",
    ),
    Recipe(
        name="s2s1",
        learns="headlines to the other outlet's (A3 pairs)",
        reads="headline",
        writes_for="one",
        architecture="s2s",
        examples=partial(table_examples, config="s2s1"),
        needs=_PAIRS.format("A3"),
        published="s2s",
    ),
    Recipe(
        name="s2s2",
        learns="headlines to the other outlet's (A1 and A3 pairs)",
        reads="headline",
        writes_for="one",
        architecture="s2s",
        examples=partial(table_examples, config="s2s2"),
        needs=_PAIRS.format("A1 and A3"),
        published="s2s",
    ),
    Recipe(
        name="s2s3",
        learns="headlines to the other outlet's (A1 pairs)",
        reads="headline",
        writes_for="one",
        architecture="s2s",
        examples=partial(table_examples, config="s2s3"),
        needs=_PAIRS.format("A1"),
        published="s2s",
    ),
    Recipe(
        name="agnostic",
        learns="articles of both outlets to their headlines",
        reads="article",
        writes_for="both",
        architecture="pn",
        examples=agnostic_examples,
        has_validation=True,
        published="pnc",
        published_sizes=_LREC_SIZES,
    ),
    Recipe(
        name="rewrite",
        learns="headline and article, one generator that writes for either outlet",
        reads="both",
        writes_for="either",
        architecture=TRANSFORMER,
        examples=rewriting_examples,
        balance=as_many_own_as_pairs,
    ),
    Recipe(
        name="train_d",
        learns="as sum, from train-D of LREC 2020",
        reads="article",
        writes_for="one",
        architecture="pn",
        examples=partial(training_set_examples, config="train_d"),
        has_validation=True,
        published="pnc",
        published_sizes=_LREC_SIZES,
    ),
    Recipe(
        name="train_m",
        learns="as sum, from train-M of LREC 2020",
        reads="article",
        writes_for="one",
        architecture="pn",
        examples=partial(training_set_examples, config="train_m"),
        has_validation=True,
        published="pnc",
        published_sizes=_LREC_SIZES,
    ),
)

#: The recipes by name, in the order of lists.
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ENTRIES}

if TYPE_CHECKING:
    RecipeName = str
else:
    # The choices of `--recipe`.
    RecipeName = Literal[tuple(RECIPES)]
