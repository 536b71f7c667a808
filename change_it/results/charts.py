"""The charts of HEvAS: means, spreads and scatter of metrics."""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from change_it.drawing import LINE, SYSTEMS, styled
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.results.score_tables import metric_heading
from change_it.stats import Floats

#: Charts by their names on the command line, with their titles and what they show to readers who do not see them.
CHARTS = {
    "bar": ("Means", "Mean of each metric, one bar a system"),
    "interval": ("Means with intervals", "Mean of each metric with its interval, one bar a system"),
    "box": ("Spread over the documents", "Quartiles of each metric, one box a system"),
    "scatter": ("Metrics against each other", "Scatter of every two metrics"),
}
_POINTS = 400  # points of a scatter that are shown
_NAME = 16  # characters of a system's name next to a panel


@dataclass(frozen=True)
class Drawing:
    """A chart of a report."""

    name: str  # of its files, without ending
    title: str
    description: str  # for readers who do not see it
    figure: Figure

    @property
    @styled
    def address(self) -> str:
        """The chart as an address that a page has it at: SVG, black on what is below it."""
        stream = io.BytesIO()
        self.figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
        return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue()).decode()}"


def hevas_drawings(evaluation: Evaluation, analysis: Analysis, charts: Sequence[str]) -> list[Drawing]:
    """The charts of an evaluation, of headlines that have words but for the average; no scatter of a single metric."""
    draw = {
        "bar": lambda: bar_chart(analysis.comparisons, intervals=False),
        "interval": lambda: bar_chart(analysis.comparisons),
        "box": lambda: box_chart(evaluation),
        "scatter": lambda: scatter_chart(
            {name: evaluation.scores(name)[evaluation.written] for name in evaluation.metrics}
        ),
    }
    wanted = [name for name in CHARTS if name in charts and (name != "scatter" or evaluation.metrics[1:])]
    return [Drawing(name, *CHARTS[name], draw[name]()) for name in wanted]


@styled
def bar_chart(comparisons: Mapping[str, Comparison], *, intervals: bool = True) -> Figure:
    """Mean of every system with or without its interval, one panel a metric; hatched where it is of some headlines only."""
    first = next(iter(comparisons.values()))
    what = f"mean with {first.level:.0%} bootstrap interval" if intervals else "mean"
    panels = _panels(list(comparisons), [summary.system for summary in first.systems], what)
    for axes, comparison in zip(panels, comparisons.values(), strict=True):
        means = np.array([summary.mean for summary in comparison.systems])
        ends = np.array([summary.interval for summary in comparison.systems])
        gaps = np.clip(np.abs(ends.T - means), 0, None) if intervals else None
        bar = {"ecolor": "black", "elinewidth": 1.3, "capsize": 2.6}
        bars = axes.barh(range(len(means)), means, 0.68, xerr=gaps, color=SYSTEMS, error_kw=bar)
        for row, summary in enumerate(comparison.systems):
            if summary.empty:
                bars[row].set(hatch="////", alpha=0.5)
                text = f" {summary.empty} of {comparison.documents} empty"
                behind = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
                axes.text(0, row, text, va="center", fontsize="x-small", bbox=behind)
        axes.axvline(0, color="black", linewidth=0.9)
        if not means.any():
            axes.set_xlim(0, 1)
    return panels[0].figure  # type: ignore[return-value]  # no subfigure


@styled
def box_chart(evaluation: Evaluation) -> Figure:
    """Spread of every metric, one box a system: whiskers to 1.5 times its height."""
    systems, written = evaluation.systems, evaluation.written.T
    scores = {OVERALL: list(evaluation.overall_items.T)} if evaluation.averaged else {}
    for name in evaluation.metrics:
        columns = evaluation.scores(name).T
        scores[name] = [column[has_words] for column, has_words in zip(columns, written, strict=True)]
    panels = _panels(list(scores), systems, "quartiles and median; diamond: mean")
    white = {"marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black"}
    for axes, values in zip(panels, scores.values(), strict=True):
        boxes = axes.boxplot(
            values,
            positions=range(len(systems)),
            orientation="horizontal",
            widths=0.62,
            patch_artist=True,
            manage_ticks=False,
            showmeans=True,
            medianprops={"color": "black", "linewidth": 1.8},
            meanprops=white,
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": LINE, "rasterized": True},
        )
        for row, box in enumerate(boxes["boxes"]):
            box.set_facecolor(SYSTEMS[row % len(SYSTEMS)])
    return panels[0].figure  # type: ignore[return-value]  # no subfigure


@styled
def scatter_chart(scores: Mapping[str, Floats]) -> Figure:
    """Scatter of every two metrics, at most 400 points; their correlations are in the table."""
    count = len(scores)
    side = min(0.6 * count + 1.9, 9.6)
    axes = Figure((side, side), dpi=130).subplots()
    # each metric between -.42 and .42, inside its cell
    values = np.array([np.ravel(each) for each in scores.values()])
    values = values[:, np.random.default_rng(1).permutation(values.shape[1])[:_POINTS]]
    low, spread = values.min(axis=1, keepdims=True), np.ptp(values, axis=1, keepdims=True)
    values = np.divide(values - low, spread, out=np.full_like(values, 0.5), where=spread > 0) * 0.84 - 0.42
    rows, columns = np.tril_indices(count, -1)
    x, y = values[columns] + columns[:, None], rows[:, None] - values[rows]
    axes.scatter(x, y, s=max(15 / count, 0.7), color=SYSTEMS[0], alpha=0.45, linewidths=0, rasterized=True)
    axes.set_xticks(range(count - 1), list(scores)[:-1], rotation=90)
    axes.set_yticks(range(1, count), list(scores)[1:])
    axes.set(aspect="equal", xlim=(-0.5, count - 1.5), ylim=(count - 0.5, 0.5))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    return axes.figure  # type: ignore[return-value]  # no subfigure


def _panels(metrics: Sequence[str], systems: Sequence[str], what: str) -> list[Axes]:
    """An empty panel for each metric, two side by side, about as wide as a phone; systems from the top."""
    rows = -(-len(metrics) // 2)
    names = [name if len(name) <= _NAME else f"{name[: _NAME - 6]}…{name[-5:]}" for name in systems]
    figure = Figure((5.2, rows * (0.24 * len(systems) + 0.75) + 0.5), dpi=160)
    panels = figure.subplots(rows, min(2, len(metrics)), sharey=True, squeeze=False).ravel().tolist()
    for axes in panels[len(metrics) :]:
        axes.set_visible(False)
    panels[0].set_yticks(range(len(systems)), names)
    panels[0].set_ylim(len(systems) - 0.45, -0.55)
    for axes, metric in zip(panels, metrics, strict=False):
        axes.set_title(metric_heading(metric), pad=4)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter("{x:g}")
    lower = ";  ↓ lower is better" if LOWER_IS_BETTER.intersection(metrics) else ""
    figure.supxlabel(what + lower, fontsize="medium")
    return panels[: len(metrics)]
