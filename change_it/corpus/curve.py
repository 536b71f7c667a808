"""The chart of a corpus: how many pairs of articles each threshold would give."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import StrMethodFormatter

from change_it.corpus.record import CorpusReport
from change_it.render.drawing import BLUE, GREEN, RED, narrow, save, styled

#: Where a label stands beside its point.
OFFSET: Any = {"textcoords": "offset points", "fontsize": "small"}


@styled
def draw_curve(record: CorpusReport, path: Path) -> None:
    """Draw the number of alignments against the threshold (LREC 2020, Figure 2) from the `alignment.json` of a corpus."""
    axes = narrow(3.6)
    bins = record.histogram
    lines = ((bins.compared, "compared", "--", 5), (bins.pairs, "one-to-one", "-", -16))
    for pairs, label, line, offset in lines:
        counts = np.array(pairs)
        edges = np.array(bins.edges)[: len(counts)]
        above = counts[::-1].cumsum()[::-1]
        shown = (above > 0) & (counts.cumsum() > 0)  # from the first bin with any to the last
        axes.plot(edges[shown], above[shown], line, color=BLUE, linewidth=2)
        axes.annotate(label, (edges[shown][0], above[shown][0]), (0, offset), **OFFSET)
    axes.set(yscale="log")
    top = 4 * axes.get_ylim()[1]  # room for labels
    strict = ("strict", GREEN, record.thresholds.strict, record.pairs.above_strict)
    loose = ("loose", RED, record.thresholds.loose, record.pairs.above_loose)
    for name, colour, value, count in (strict, loose):
        axes.axvline(value, color=colour, linestyle=":", linewidth=2)
        axes.annotate(f"{name} > {value:g}:\n{count:,} pairs", (value, top), (5, -14), color=colour, **OFFSET)
    axes.set_ylim(top=top)
    axes.set(xlabel="threshold (cosine similarity of the articles)", ylabel="pairs above it")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.grid(visible=False, axis="x")
    axes.grid(axis="y")
    axes.set_title(f"Alignments of {record.outlets.a} and {record.outlets.b}", loc="left", pad=10)
    save(axes.figure, path)  # type: ignore[arg-type]  # no subfigure
