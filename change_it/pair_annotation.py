"""Whether aligned pairs report one event: a blind sheet and its key, and what readers say by cosine and days apart (LREC 2020, section 4.1)."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

from change_it.annotation import PAIR_KEY, Ratings, agreement_table, item_id, score_cells, share, write_sheet
from change_it.corpus.alignment import GOOD
from change_it.corpus.folder import read_table
from change_it.errors import InputError
from change_it.io import write_table
from change_it.questions import PAIRS, QUESTIONS
from change_it.stats import DECIMALS, Floats
from change_it.tables import Column, Row, Table, figure

#: Characters of an article that readers see.
OPENING = 300


def draw_pairs(corpus: str, count: int, seed: int) -> pl.DataFrame:
    """The rows of sheet and key: A1, A2 and A3 pairs in random order, evenly over bands of cosine as far as each has enough."""
    if count < 1:
        raise InputError(f"--pairs {count} is too few: give a number from 1")
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article", "date")]
    columns = ["pair_id", "similarity", "event", *sides]
    splits = (read_table(corpus, "pairs", split, columns) for split in ("train", "test"))
    if not (filled := [pairs for pairs in splits if pairs.height]):
        raise InputError(f"the corpus {corpus} has no pairs: build it with lower thresholds or more articles")
    pairs, random = pl.concat(filled), Random(seed)
    pairs = pairs[random.sample(range(pairs.height), pairs.height)]
    pairs = pairs.with_columns(band=(pl.col("similarity") * 10).cast(pl.Int64).clip(0, 9))
    turn, in_band = pl.int_range(pl.len()).over("band"), pl.len().over("band")
    pairs = pairs.with_columns(turn=turn, band_pairs=in_band)
    drawn = pairs.sort("turn", "band").head(count)
    drawn = drawn[random.sample(range(drawn.height), drawn.height)]
    return drawn.with_columns(
        pl.col("a_article", "b_article").str.replace_all(r"\s+", " ").str.head(OPENING),
        item=pl.Series([item_id(seed, pair) for pair in drawn["pair_id"]]),
        days=(pl.col("a_date") - pl.col("b_date")).dt.total_days().abs(),
    )


def write_pairs(sheet: Path, key: Path, drawn: pl.DataFrame) -> None:
    """Write the sheet, which has neither dates nor cosines, and the key."""
    write_table(key, PAIR_KEY, drawn.select(PAIR_KEY).iter_rows(), quote_formulas=True)
    write_sheet(sheet, drawn, *PAIRS)


def lowest_threshold(similarity: Floats, yes: Floats, weight: Floats) -> float | None:
    """The lowest cosine, cut to three decimals, such that `GOOD` of the pairs from there on are one event; None without any."""
    for cosine in np.unique(np.floor(similarity * 1000) / 1000).tolist():
        above = similarity >= cosine
        if round(yes[above].sum() / weight[above].sum(), DECIMALS) >= GOOD:
            return cosine
    return None


def pair_tables(key: pl.DataFrame, answers: Mapping[str, Ratings], seed: int = 1) -> dict[str, Table]:
    """Share of one event of all pairs, by band, by days apart and above the lowest threshold, and agreement of readers; intervals draw events."""
    try:
        key = key.cast({"similarity": pl.Float64, "band": pl.Int64, "band_pairs": pl.Int64})
    except pl.exceptions.InvalidOperationError as error:
        raise InputError("the key has texts where numbers belong: draw the pairs again") from error
    rated = answers["same"]
    is_read = np.isfinite(np.column_stack([*rated.values()])).any(axis=1)
    rated, key = {name: column[is_read] for name, column in rated.items()}, key.filter(pl.Series(is_read))
    opinions = np.column_stack([*rated.values()])
    similarity, events = key["similarity"].to_numpy(), key["event"].to_numpy()
    weight = key.select(pl.col("band_pairs") / pl.len().over("band")).to_series().to_numpy()
    yes = weight * ((opinions == 1).sum(axis=1) > (opinions == 2).sum(axis=1))
    parts = {"all": np.full(len(key), True)}
    for band in key["band"].unique().sort():
        parts[f"cosine {band / 10} to {(band + 1) / 10}"] = key["band"] == band
    days = key["days"].replace_strict({"": "unknown"} | {n: n for n in "0123"}, default="4 or more")
    if days.n_unique() > 1:
        parts |= {f"days apart: {number}": days == number for number in days.unique().sort()}
    note = f"No threshold keeps {figure(GOOD)} one event."
    if (lowest := lowest_threshold(similarity, yes, weight)) is not None:
        parts[f"threshold {figure(lowest)}"] = similarity >= lowest
        note = f"{figure(lowest)} is the lowest threshold that keeps {figure(GOOD)} one event on these pairs: confirm it on others."
    rows = []
    for name, part in parts.items():
        in_part = np.asarray(part)
        one_event = share(yes[in_part], weight[in_part], events[in_part], seed)
        cells = score_cells({"one_event": one_event})
        rows.append(Row({"pairs": name, "n": int(in_part.sum()), **cells}, name.split()[0]))
    weighted = "One event: most readers say so. Shares are of the corpus: a pair stands for all in its band of cosine."
    figures = Column("one_event", title="one event"), Column("one_event_interval", "interval", "interval")
    shown = (Column("pairs", "text"), Column("n", "count"), *figures)
    shares = Table(shown, rows, f"same: {QUESTIONS['same'].text}", (weighted, note))
    return {"same": shares} | agreement_table({"same": rated}, events, seed)
