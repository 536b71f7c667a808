"""Number of alignments against the threshold (LREC 2020, Figure 2) and example pairs (Table 2)."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from change_it.corpus.alignment import number_above
from change_it.errors import InputError

#: The similarity that LREC 2020's Table 2 starts with; its other two are the thresholds.
NEARLY_EQUAL = 0.96

_EVERY, _KEPT, _MARK = "#0072B2", "#D55E00", "#444444"  # Okabe and Ito: told apart by colour-blind readers


def draw(report: dict[str, Any]) -> Figure:
    """Number of pairs above each threshold, on a log axis, with the strict and the loose threshold marked.

    Args:
        report: content of `alignment.json`: `histogram` (`edges`, `compared`, `pairs`), `thresholds` (`strict`,
            `loose`) and `pairs` (`above_strict`, `above_loose`).

    Returns:
        The figure, 7 × 4.3 inches.
    """
    histogram, thresholds = report["histogram"], report["thresholds"]
    edges = np.array(histogram["edges"])
    kept = _falling(histogram["pairs"])
    kept[: np.flatnonzero(histogram["pairs"])[0]] = np.nan  # pairs were kept from here up
    figure = Figure(figsize=(7, 4.3), layout="constrained")
    axes = figure.add_subplot()
    for numbers, colour, style, label in (
        (_falling(histogram["compared"]), _EVERY, "--", "all pairs compared"),
        (kept, _KEPT, "-", "pairs of the corpus"),
    ):
        if np.isfinite(numbers).any():
            axes.plot(edges[:-1], numbers, style, color=colour, linewidth=2, label=label)
    axes.set_yscale("log")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(bottom=0.8, top=axes.get_ylim()[1] * 3)
    for name, threshold in thresholds.items():
        axes.axvline(threshold, color=_MARK, linewidth=1, linestyle=":")
        axes.annotate(
            f"{name} > {threshold:g}\n{report['pairs'][f'above_{name}']:,} pairs",
            (threshold, 1),
            xycoords=("data", "axes fraction"),
            xytext=(5, -6),
            textcoords="offset points",
            va="top",
            color=_MARK,
            fontsize=9,
        )
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    axes.set_xlabel("threshold (cosine similarity of the articles)")
    axes.set_ylabel("pairs above the threshold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.87))
    outlets = report["outlets"]
    figure.suptitle(f"Alignments of {outlets['a']} and {outlets['b']}", x=0.02, ha="left", fontweight="bold")
    return figure


def examples(pairs: pl.DataFrame, targets: list[float], number: int) -> pl.DataFrame:
    """The pairs whose similarity is nearest to each target, no pair twice.

    Args:
        pairs: columns of the config `pairs`.
        targets: similarities, in the order wanted.
        number: pairs a target.

    Returns:
        The chosen rows with one more column, `near`.
    """
    chosen: list[pl.DataFrame] = []
    for target in targets:
        nearest = pairs.with_columns(near=pl.lit(target)).sort(
            (pl.col("similarity") - target).abs(), "pair_id", maintain_order=True
        )
        chosen.append(nearest.head(number))
        pairs = pairs.join(chosen[-1], on="pair_id", how="anti")
    return pl.concat(chosen)


def _falling(counts: list[int]) -> NDArray[np.float64]:
    """Numbers above each edge; nothing where there is none, since a log axis has no zero."""
    numbers = number_above(np.array(counts)).astype(np.float64)
    numbers[numbers == 0] = np.nan
    return numbers


def read_pairs(corpus: Path, report: dict[str, Any]) -> pl.DataFrame:
    """What is shown of the config `pairs` of a corpus folder.

    Raises:
        InputError: it has none.
    """
    if not any(report["histogram"]["pairs"]) or not any((corpus / "pairs").glob("*.parquet")):
        raise InputError(
            f"{corpus} has no aligned pairs to draw: build it with a wider --window-days or a lower --loose"
        )
    columns = ["pair_id", "similarity", "a_headline", "a_date", "b_headline", "b_date"]
    return pl.scan_parquet(corpus / "pairs" / "*.parquet").select(columns).collect()


def examples_table(pairs: pl.DataFrame, report: dict[str, Any], number: int) -> Table:
    """Example pairs near .96 and the two thresholds, as LREC 2020's Table 2 shows them."""
    thresholds, outlets = report["thresholds"], report["outlets"]
    pairs = examples(pairs, [NEARLY_EQUAL, thresholds["strict"], thresholds["loose"]], number)
    table = Table(
        title="Aligned headlines (similarity of their articles)", title_justify="left", show_lines=True
    )
    table.add_column("near", justify="right")
    table.add_column("similarity", justify="right")
    for name in (outlets["a"], outlets["b"]):
        table.add_column(Text(name), ratio=1, overflow="fold")
    for row in pairs.iter_rows(named=True):
        sides = [
            Text.assemble(
                row[f"{side}_headline"], (f"\n{row[f'{side}_date']}", "dim") if row[f"{side}_date"] else ""
            )
            for side in "ab"
        ]
        table.add_row(f"{row['near']:g}", f"{row['similarity']:.3f}", *sides)
    return table
