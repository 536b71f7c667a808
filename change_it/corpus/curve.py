"""Draw the chart of a corpus: how many pairs of articles each threshold would give."""

from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from change_it.corpus.record import CorpusReport
from change_it.render.drawing import BLUE, narrow, save, styled

#: The vertical axis ends at so many times the largest number of pairs.
_ROOM_FOR_LABELS = 4
#: Colours of the thresholds and of their words, which can be read on white.
STRICT_COLOUR = "#00704F"
LOOSE_COLOUR = "#A33C00"
#: Where a label stands beside its point.
OFFSET: Any = {"textcoords": "offset points", "fontsize": "small"}


def draw_curve(record: CorpusReport, path: Path) -> None:
    """Draw `curve_figure` and write it as PNG."""
    save(curve_figure(record), path)


@styled
def curve_figure(record: CorpusReport) -> Figure:
    """Draw the number of pairs against the threshold (LREC 2020, Figure 2), before and after matching.

    The record is the `alignment.json` of a corpus.
    """
    axes = narrow(3.6)
    bins = record.histogram
    thresholds = record.thresholds
    _draw_counts(axes, bins.edges, bins.compared, "all pairs", "--", label_offset=5)
    _draw_counts(axes, bins.edges, bins.pairs, "each article once", "-", label_offset=-16)
    axes.set(yscale="log")
    top = _ROOM_FOR_LABELS * axes.get_ylim()[1]
    _draw_threshold(axes, "strict", thresholds.strict, record.pairs.above_strict, STRICT_COLOUR, top)
    _draw_threshold(axes, "loose", thresholds.loose, record.pairs.above_loose, LOOSE_COLOUR, top)
    axes.set_ylim(top=top)
    axes.set(xlabel="similarity of two articles (cosine)", ylabel="pairs of higher similarity")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.grid(visible=False, axis="x")
    axes.grid(axis="y")
    axes.set_title(f"Pairs of articles: {record.outlets.a} and {record.outlets.b}", loc="left", pad=10)
    return cast(Figure, axes.figure)


def _draw_counts(
    axes: Any, edges: list[float], pairs: list[int], label: str, line: str, *, label_offset: int
) -> None:
    """Draw how many pairs are above each edge, from the first bin with any to the last."""
    counts = np.array(pairs)
    above = counts[::-1].cumsum()[::-1]
    is_shown = (above > 0) & (counts.cumsum() > 0)
    x = np.array(edges)[: len(counts)][is_shown]
    y = above[is_shown]
    axes.plot(x, y, line, color=BLUE, linewidth=2)
    axes.annotate(label, (x[0], y[0]), (4, label_offset), **OFFSET)


def _draw_threshold(axes: Any, name: str, threshold: float, count: int, colour: str, top: float) -> None:
    """Draw a threshold, and say how many pairs are above it."""
    axes.axvline(threshold, color=colour, linestyle=":", linewidth=2)
    text = f"{name} > {threshold:g}:\n{count:,} pairs"
    axes.annotate(text, (threshold, top), (5, -14), color=colour, **OFFSET)
