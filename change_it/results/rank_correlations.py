"""Correlations of BLEU, ROUGE-L and the judges over headlines (EvalNLGEval 2020, section 5)."""

import numpy as np
import polars as pl

from change_it.scoring import overlap
from change_it.scoring.columns import BUILT_IN, GOLD
from change_it.scoring.scores import Scores
from change_it.stats import Correlations, Floats, correlations

#: What the judges say of an item: name in tables of correlations to column of `Scores.items`.
JUDGE_COLUMNS = {"P(HH)": "p_hh", "P(AH)": "p_ah", "P(target)": "p_target", "compliant": "compliant"}
#: BLEU and ROUGE-L of an item: name in tables of correlations to measure of `overlap`.
OVERLAPS = {
    "BLEU": "bleu",
    "ROUGE-L": "rougeL",
    "BLEU source": "bleu_source",
    "ROUGE-L source": "rougeL_source",
}
#: The headlines of several systems together.
EVERY = "all of these"
#: Headlines of a system below which nothing is correlated.
FEWEST = 10


def columns_of(items: pl.DataFrame) -> dict[str, Floats]:
    """`JUDGE_COLUMNS` and `OVERLAPS` of the n items of a system, (n,) each."""
    judged = {name: items[column].cast(float).to_numpy() for name, column in JUDGE_COLUMNS.items()}
    texts = (items[name].to_list() for name in ("headline", "gold", "source"))
    measured = overlap.aggregate(overlap.statistics(*texts))
    return judged | {name: measured[measure] for name, measure in OVERLAPS.items()}


def rank_correlations(scores: Scores) -> dict[str, Correlations]:
    """System to the correlations of its headlines that have a reference; those of several systems together come first.

    The systems that need no model are left out where there is any other, gold always.
    """
    systems = [name for name in scores.systems if name not in BUILT_IN]
    systems = systems or [
        name for name in scores.systems if name != GOLD
    ]  # its ROUGE is 1 whatever the judges say
    columns = {}
    for name in systems:
        items = scores.items[name].filter(pl.col("gold") != "", pl.col("headline") != "")
        if items.height >= FEWEST:
            columns[name] = columns_of(items)
    if len(columns) > 1:
        names = [*JUDGE_COLUMNS, *OVERLAPS]
        together = {name: np.concatenate([scores[name] for scores in columns.values()]) for name in names}
        columns = {EVERY: together, **columns}
    return {name: correlations(scores) for name, scores in columns.items()}
