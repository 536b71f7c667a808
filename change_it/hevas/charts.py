"""Charts of metric scores: bars with or without intervals, boxes, scatters with a correlation matrix.

Every function returns a figure at most 1280 pixels wide at the resolution of `save`. Its ink is `INK`, so that a page
can put its own text colour in; systems have the colours that colour-blind readers tell apart (Okabe and Ito), and
always a row with a name as well.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from change_it.errors import InputError
from change_it.hevas.analysis import Comparison
from change_it.stats import Correlations, Floats

INK = "#010203"  #: Colour of lines and letters; stands for the page's text colour in an SVG inside a page.

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#B8A800")
_DIVERGING = LinearSegmentedColormap.from_list("correlation", ("#D55E00", "#FFFFFF", "#0072B2"))
#: Style of the figures, for `matplotlib.rc_context`.
STYLE: Any = {
    "font.size": 9.5,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "svg.hashsalt": "change_it",
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
}
_DPI = 160
_WIDTH = 8.0  # inches
_COLUMNS = 4  # panels side by side
_LETTER = 0.083  # inches of a letter of a system's name, about
_NAME = 20  # letters of a system's name that are shown
_POINTS = 400  # points of a scatter that are shown
_DARK = 0.6  # correlations beyond it are written in white


def bar_chart(
    comparisons: Mapping[str, Comparison],
    *,
    intervals: bool = True,
    lower_is_better: Collection[str] = (),
) -> Figure:
    """Mean of every system, one panel a metric.

    Args:
        comparisons: metric → comparison of the same systems.
        intervals: draw the bootstrap intervals of the means.
        lower_is_better: metrics that get an arrow down.

    Returns:
        Panels in the order given; one bar a system, from the top.

    Raises:
        InputError: there is no metric.
    """
    names = [summary.system for comparison in comparisons.values() for summary in comparison.systems]
    names = list(dict.fromkeys(names))
    levels = {f"{comparison.level:.0%}" for comparison in comparisons.values()}
    what = f"mean with {'/'.join(sorted(levels))} bootstrap interval" if intervals else "mean"
    with _panels(list(comparisons), names, what, lower_is_better) as (figure, panels):
        for axes, comparison in zip(panels, comparisons.values(), strict=True):
            means = np.array([summary.mean for summary in comparison.systems])
            rows = np.arange(len(means))
            axes.barh(rows, means, height=0.68, color=[_colour(row) for row in range(len(means))])
            if intervals:
                ends = np.array([summary.interval for summary in comparison.systems])
                gaps = np.clip(np.abs(ends.T - means), 0, None)
                axes.errorbar(means, rows, xerr=gaps, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2.2)
            axes.axvline(0, color=INK, linewidth=0.8)
    return figure


def box_chart(
    scores: Mapping[str, Floats], systems: Sequence[str], *, lower_is_better: Collection[str] = ()
) -> Figure:
    """Spread of the scores of every system, one panel a metric.

    Args:
        scores: metric → (n, m) scores, one row a document, one column a system.
        systems: m names.
        lower_is_better: metrics that get an arrow down.

    Returns:
        Panels in the order given; one box a system, from the top: quartiles and median, whiskers to the farthest score
        within 1.5 times the height of the box, a diamond at the mean, points beyond.

    Raises:
        InputError: there is no metric.
    """
    what = "quartiles and median; diamond: mean"
    with _panels(list(scores), systems, what, lower_is_better) as (figure, panels):
        for axes, values in zip(panels, scores.values(), strict=True):
            spreads = boxplot_stats(np.asarray(values))
            boxes = axes.bxp(
                spreads,
                positions=range(len(systems)),
                orientation="horizontal",
                widths=0.62,
                patch_artist=True,
                manage_ticks=False,
                showmeans=True,
                showfliers=False,
                boxprops={"edgecolor": INK, "linewidth": 0.8},
                whiskerprops={"color": INK, "linewidth": 0.8},
                capprops={"color": INK, "linewidth": 0.8},
                medianprops={"color": INK, "linewidth": 1.6},
                meanprops={
                    "marker": "D",
                    "markersize": 3.4,
                    "markerfacecolor": "white",
                    "markeredgecolor": "black",
                    "markeredgewidth": 0.7,
                },
            )
            for row, box in enumerate(boxes["boxes"]):
                box.set_facecolor(_colour(row))
            beyond = [np.unique(spread["fliers"]) for spread in spreads]
            rows = np.repeat(np.arange(len(systems)), [len(points) for points in beyond])
            axes.scatter(np.concatenate(beyond), rows, s=5, color="#888888", linewidths=0, rasterized=True)
    return figure


def correlation_chart(
    scores: Mapping[str, Floats],
    found: Correlations,
    *,
    method: Literal["pearson", "spearman"] = "pearson",
) -> Figure:
    """Scatter of every two metrics below the diagonal, their correlation above it.

    Args:
        scores: metric → scores of one shape, as for `stats.correlations`.
        found: their correlations.
        method: which of them to write.

    Returns:
        A square of cells. Scatters run from the smallest to the largest score of either metric; at most 400 points,
        drawn evenly, are shown. Cells of correlations that are not defined hold a dash.

    Raises:
        InputError: there are fewer than two metrics, or scores and correlations are not of the same ones.
    """
    metrics = list(scores)
    if len(metrics) < 2 or tuple(metrics) != found.metrics:
        raise InputError(
            f"The scatter chart needs scores and correlations of the same two metrics or more; "
            f"found {', '.join(metrics) or 'none'} and {', '.join(found.metrics) or 'none'}."
        )
    count = len(metrics)
    matrix = np.array(getattr(found, method), np.float64)
    side = min(0.5 * count + 1.6, _WIDTH)
    with matplotlib.rc_context(STYLE):
        figure = _canvas(side, side + 0.55)
        axes = figure.subplots()
        above = np.triu(np.ones_like(matrix, bool), 1)
        image = axes.imshow(
            np.ma.masked_where(~above | np.isnan(matrix), matrix), cmap=_DIVERGING, vmin=-1, vmax=1
        )
        size = _cell_text(count)
        for i, j in zip(*np.nonzero(above), strict=True):
            value = matrix[i, j]
            undefined = np.isnan(value)
            axes.text(
                j,
                i,
                "–" if undefined else _two_places(value),
                ha="center",
                va="center",
                fontsize=size,
                color=INK if undefined else "#FFFFFF" if abs(value) > _DARK else "#000000",
            )
        _scatter(axes, np.array([_unit(np.ravel(values)) for values in scores.values()]), count)
        labels = [name.replace("$", r"\$") for name in metrics]
        axes.set_xticks(range(count), labels, rotation=90)
        axes.set_yticks(range(count), labels)
        axes.tick_params(length=0, top=False)
        edges = np.arange(count + 1) - 0.5
        axes.hlines(edges, -0.5, count - 0.5, color="#888888", linewidth=0.5, clip_on=False)
        axes.vlines(edges, -0.5, count - 0.5, color="#888888", linewidth=0.5, clip_on=False)
        axes.spines[:].set_visible(False)
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        bar = figure.colorbar(
            image, ax=axes, location="top", shrink=0.7, aspect=45, pad=0.015, ticks=[-1, -0.5, 0, 0.5, 1]
        )
        bar.set_label(f"{method.capitalize()} correlation, n = {found.n:,}")
        bar.outline.set_visible(False)
        settle(figure)
    return figure


def settle(figure: Figure) -> None:
    """Lay a figure out once, so that every file of it looks the same.

    Args:
        figure: complete; its style is the one that holds now.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def save(figure: Figure, path: Path) -> None:
    """Write a figure on a white ground; the same figure gives the same bytes.

    Args:
        figure: from one of the functions above.
        path: file to write, `.png` or `.svg`.

    Raises:
        InputError: the name ends otherwise.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise InputError(f"Charts are written as .png or .svg; {path.name} is neither.")
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with matplotlib.rc_context(STYLE):
            figure.savefig(temporary, format=kind, dpi=_DPI, facecolor="white", metadata=metadata)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _panels(
    metrics: Sequence[str], systems: Sequence[str], what: str, lower: Collection[str]
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure with an empty panel for each metric, systems from the top; finished when the block ends."""
    if not metrics:
        raise InputError("There is nothing to draw: name at least one metric.")
    columns = min(_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    names = [_shortened(name) for name in systems]
    left = _LETTER * max(map(len, names)) + 0.2
    width = min(_WIDTH, left + 2.6 * columns)
    height = rows * (0.2 * len(systems) + 0.62) + 0.4
    with matplotlib.rc_context(STYLE):
        figure = _canvas(width, height)
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel().tolist()
        panels = grid[: len(metrics)]
        for axes in grid[len(metrics) :]:
            axes.set_visible(False)
        yield figure, panels
        panels[0].set_yticks(range(len(systems)), names)
        panels[0].set_ylim(len(systems) - 0.45, -0.55)
        for axes, metric in zip(panels, metrics, strict=True):
            title = metric.replace("$", r"\$") + (" ↓" if metric in lower else "")
            axes.set_title(title, fontsize=10, fontweight="bold", pad=4)
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.grid(axis="x", color="#888888", alpha=0.3)
            axes.set_axisbelow(True)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        arrow = ";  ↓ lower is better" if set(metrics) & set(lower) else ""
        figure.supxlabel(what + arrow, fontsize=9.5)
        settle(figure)


def _canvas(width: float, height: float) -> Figure:
    """An empty figure, inches."""
    layout = ConstrainedLayoutEngine(w_pad=0.07, h_pad=0.05)
    return Figure(figsize=(width, height), dpi=_DPI, layout=layout)


def _scatter(axes: Axes, columns: Floats, count: int) -> None:
    """Points of every two metrics below the diagonal, each in its cell."""
    total = columns.shape[1]
    kept = np.linspace(0, total - 1, min(total, _POINTS)).round().astype(int)
    kept = np.random.default_rng(1).permutation(total)[kept] if total > _POINTS else kept
    i, j = np.tril_indices(count, -1)
    x = columns[:, kept][j] + j[:, None]
    y = i[:, None] - columns[:, kept][i]
    size = max(12 / count, 0.5) * (1.0 if len(kept) > 100 else 3.0)
    axes.scatter(x.ravel(), y.ravel(), s=size, color="#0072B2", alpha=0.45, linewidths=0, rasterized=True)


def _unit(values: Floats) -> Floats:
    """Values from -.42 to .42, inside a cell; constant ones in the middle.

    Example:
        >>> _unit(np.array([1.0, 2.0, 5.0])).tolist(), _unit(np.ones(2)).tolist()
        ([-0.42, -0.21, 0.42], [0.0, 0.0])
    """
    low, spread = values.min(), np.ptp(values)
    return (values - low) / spread * 0.84 - 0.42 if spread > 0 else np.zeros(len(values))


def _cell_text(count: int) -> float:
    """Size of the numbers in a square of `count` cells a side."""
    return min(9.5, 145 / count)


def _two_places(value: float) -> str:
    """A correlation to two places, without the nought.

    Example:
        >>> [_two_places(value) for value in (0.333, -0.5, 1.0, -0.001)]
        ['.33', '−.50', '1.00', '.00']
    """
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1).replace("-", "−")


def _shortened(name: str) -> str:
    """A system's name with its middle left out where it is too long.

    Example:
        >>> _shortened("agnostic-it5-small+rerank")
        'agnostic-i…ll+rerank'
    """
    if len(name) > _NAME:
        name = f"{name[: _NAME // 2]}…{name[-(_NAME // 2 - 1) :]}"
    return name.replace("$", r"\$")


def _colour(row: int) -> str:
    """Colour of a system."""
    return _COLOURS[row % len(_COLOURS)]
