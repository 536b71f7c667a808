"""What several scripts compute alike, of tables with a row for each judged headline: its scores, direction and event; and labelled pairs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from change_it.stats import AVERAGE, Floats, Score, Statistics, measure

#: Whether two readers say that a pair reports one event.
PAIRS = Path(__file__).with_name("labels") / "pairs.csv"


def read_pairs(corpus: str) -> pl.DataFrame:
    """The labelled pairs of a corpus; `one_event` where both readers say yes."""
    both = (pl.col("same1") == "yes") & (pl.col("same2") == "yes")
    return pl.read_csv(PAIRS).filter(corpus=corpus).with_columns(one_event=both)


def means(rows: pl.DataFrame, scores: Sequence[str]) -> dict[str, Score]:
    """Mean of each score that all rows have, averaged over the directions, with its interval over events."""
    known = [name for name in scores if name in rows.columns and not rows[name].has_nulls()]
    columns = {name: rows[name].to_numpy() for name in known} | {"n": np.ones(rows.height)}
    shares = dict.fromkeys(known, "n")

    def of(sums: Statistics) -> dict[str, Floats]:
        return {name: sums[name] / sums["n"] for name in known}

    return measure(columns, of, rows["direction"].to_list(), rows["event"].to_list(), shares=shares)[AVERAGE]


def relative(rows: pl.DataFrame, gold: pl.DataFrame) -> Score:
    """Joint of the rows over gold's on the same items, with its interval over events."""
    both = rows.join(gold, on="id", suffix="_gold")
    columns = {name: both[name].fill_null(0).to_numpy() for name in ("joint", "joint_gold")}

    def ratio(sums: Statistics) -> dict[str, Floats]:
        return {"joint": sums["joint"] / np.maximum(sums["joint_gold"], 1e-9)}

    return measure(columns, ratio, None, both["event"].to_list())[AVERAGE]["joint"]


def gap_z(items: pl.DataFrame, score: str) -> float | None:
    """Mean by event of what gold's score is above the floor's, over its standard error; None where it is not defined."""
    both = items.filter(system="gold").join(items.filter(system="floor"), on="id", suffix="_floor")
    by_event = both.group_by("event").agg((pl.col(score) - pl.col(f"{score}_floor")).mean())
    gaps = by_event[score].drop_nulls().to_numpy()
    if len(gaps) < 2 or not gaps.std():
        return None
    return float(gaps.mean() / (gaps.std(ddof=1) / len(gaps) ** 0.5))
