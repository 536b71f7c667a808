"""The chart of a corpus: how many pairs of articles each threshold would give."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import StrMethodFormatter

from change_it.drawing import BLUE, GREEN, RED, narrow, save, styled, with_legend


@styled
def draw_curve(record: Mapping[str, Any], path: Path) -> None:
    """Draw the number of alignments against the threshold (LREC 2020, Figure 2) from the `alignment.json` of a corpus."""
    axes = narrow(3.6)
    for name, label, line in (("compared", "compared", "--"), ("pairs", "pairs of the corpus", "-")):
        counts = np.array(record["histogram"][name])
        edges = np.array(record["histogram"]["edges"])[: len(counts)]
        above = counts[::-1].cumsum()[::-1]
        shown = (above > 0) & (counts.cumsum() > 0)  # from the first bin with any to the last
        axes.plot(edges[shown], above[shown], line, color=BLUE, linewidth=2, label=label)
    for name, colour in (("loose", GREEN), ("strict", RED)):
        value, count = record["thresholds"][name], record["pairs"][f"above_{name}"]
        label = f"{name} > {value:g}: {count:,} pairs"
        axes.axvline(value, color=colour, linestyle=":", linewidth=2, label=label)
    axes.set(yscale="log", xlabel="threshold (cosine similarity of the articles)", ylabel="pairs above it")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.grid(visible=False, axis="x")
    axes.grid(axis="y")
    axes.set_title(f"Alignments of {record['outlets']['a']} and {record['outlets']['b']}", loc="left", pad=10)
    save(with_legend(axes, 2), path)
