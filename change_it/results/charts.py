"""Every chart: means, spreads and correlations of metrics, compliancy of systems, alignments of a corpus.

A figure is at most 1280 pixels wide; those of compliancy and alignment are about as wide as a phone. Ink is `INK`, so that a
page can put its own text colour in; systems have the colours that colour-blind readers distinguish (Okabe and Ito), and a
row with a name as well.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from change_it.audit.calibration import Reliability
from change_it.audit.probes import Probe
from change_it.errors import InputError
from change_it.hevas.analysis import OVERALL, Analysis, Comparison
from change_it.hevas.evaluation import Evaluation
from change_it.hevas.metric_options import Chart
from change_it.hevas.readability import LOWER_IS_BETTER
from change_it.io import replace_file
from change_it.results.context import Histogram, histogram
from change_it.results.score_tables import heading, metric_heading
from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.scoring.scores import AVERAGE, Scores
from change_it.stats import Correlations, Floats

INK = "#010203"  #: Colour of lines and letters; stands for the page's text colour in an SVG inside a page.
#: Style of the figures, for `matplotlib.rc_context`.
STYLE: Any = {
    "font.size": 9.5,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "svg.hashsalt": "change_it",
    **dict.fromkeys(("figure.autolayout", "figure.constrained_layout.use"), False),  # `settle` lays out
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
}
#: Names of the charts of HEvAS.
HEVAS_CHARTS: tuple[str, ...] = get_args(Chart)
#: Their titles, and what they show in words.
HEVAS_TITLES = {
    "bar": ("Means", "Mean of each metric, one bar a system"),
    "interval": ("Means with intervals", "Mean of each metric with its interval, one bar a system"),
    "box": ("Spread over the documents", "Quartiles of each metric, one box a system"),
    "scatter": ("Metrics against each other", "Scatter and correlation of every two metrics"),
}

_BLUE, _ORANGE, _GREEN, _PINK, _SKY, _RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
_GREY, _OLIVE, _LINE = "#999999", "#B8A800", "#888888"
_SYSTEMS = (_BLUE, _ORANGE, _GREEN, _PINK, _SKY, _RED, _GREY, _OLIVE)
_SERIES = (_BLUE, _RED, _GREEN, _PINK, _ORANGE, _SKY)
_MARKERS = ("o", "s", "D", "^", "v")
_DIVERGING = LinearSegmentedColormap.from_list("correlation", (_RED, "#FFFFFF", _BLUE))
_DPI = 160
_WIDTH = 8.0  # inches
_COLUMNS = 4  # panels side by side
_LETTER = 0.083  # inches of a letter of a system's name, about
_NAME = 20  # letters of a system's name that are shown
_LINE_LETTERS = 16  # letters of a line of a system's name
_POINTS = 400  # points of a scatter that are shown
_DARK = 0.6  # correlations beyond it are written in white
_NARROW_STYLE = {**STYLE, "font.size": 11.5}
_NARROW = 5.2  # inches; 72 points each, about the width of a phone

#: Colours of the funnel: what passes, then the judges that refuse, the last one first.
_OUTCOMES = (_GREEN, _PINK, _ORANGE, _OLIVE, _SKY, _BLUE, _GREY)


@dataclass(frozen=True)
class Drawing:
    """A chart of a report."""

    name: str  # of its files, without ending
    title: str
    description: str  # for readers who do not see it
    figure: Figure


def hevas_drawings(
    evaluation: Evaluation, analysis: Analysis, names: Collection[str] = HEVAS_CHARTS
) -> list[Drawing]:
    """The charts of an evaluation, in the order of `HEVAS_CHARTS`; no scatter of a single metric."""
    scores = {name: evaluation.scores(name) for name in evaluation.metrics}
    spread = {OVERALL: evaluation.overall_items, **scores} if evaluation.averaged else scores
    compared = {name: analysis.comparisons[name] for name in spread}
    drawings = []
    for name in (name for name in HEVAS_CHARTS if name in names):
        if name in ("bar", "interval"):
            figure = bar_chart(compared, intervals=name == "interval")
        elif name == "box":
            figure = box_chart(spread, evaluation.systems)
        elif len(scores) > 1:
            figure = correlation_chart(scores, analysis.correlations)
        else:
            continue
        drawings.append(Drawing(name, *HEVAS_TITLES[name], figure))
    return drawings


def compliancy_drawings(scores: Scores, histogram: Histogram | None = None) -> list[Drawing]:
    """The charts of a scoring run; alignments where the corpus is known."""
    title = "Compliancy" if scores.sorted_by == "compliancy" else "Strict compliancy"
    charts = {
        ("compliancy", title, "Compliancy of each system with intervals"): compliancy_chart(scores),
        ("judges", "What each judge accepts", "Acceptance by HH, AH and main"): judges_chart(scores),
        (
            "funnel",
            "Where headlines fail",
            "Shares of headlines by the first judge that refuses them",
        ): funnel_chart(scores),
    }
    if histogram:
        texts = ("alignment", "Alignments by threshold", "Number of alignments above a threshold")
        charts[texts] = alignment_chart(histogram)
    return [Drawing(*texts, figure) for texts, figure in charts.items()]


def audit_drawings(probes: Sequence[Probe], curves: Sequence[Reliability]) -> list[Drawing]:
    """The charts of an audit; no reliability where the corpus has no examples."""
    listens = "What main listens to", "F1 of main on headlines that lack something"
    drawings = [Drawing("probes", *listens, probes_chart(probes))]
    if curves:
        sure = "Is a judge as often right as it is sure?", "Share of the second class by its probability"
        drawings.append(Drawing("reliability", *sure, reliability_chart(curves)))
    return drawings


def bar_chart(comparisons: Mapping[str, Comparison], *, intervals: bool = True) -> Figure:
    """Mean of every system, one panel a metric."""
    names = list(
        dict.fromkeys(each.system for comparison in comparisons.values() for each in comparison.systems)
    )
    levels = {f"{comparison.level:.0%}" for comparison in comparisons.values()}
    what = f"mean with {'/'.join(sorted(levels))} bootstrap interval" if intervals else "mean"
    with _panels(list(comparisons), names, what) as (figure, panels):
        for axes, comparison in zip(panels, comparisons.values(), strict=True):
            means = np.array([summary.mean for summary in comparison.systems])
            rows = np.arange(len(means))
            axes.barh(rows, means, height=0.68, color=[_colour(row) for row in range(len(means))])
            if intervals:
                ends = np.array([summary.interval for summary in comparison.systems])
                gaps = np.clip(np.abs(ends.T - means), 0, None)
                axes.errorbar(means, rows, xerr=gaps, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2.2)
            axes.axvline(0, color=INK, linewidth=0.8)
            if not means.any():
                axes.set_xlim(0, 1)
    return figure


def box_chart(scores: Mapping[str, Floats], systems: Sequence[str]) -> Figure:
    """Spread of (n, m) scores of every metric, one box a system: whiskers to 1.5 times its height."""
    what = "quartiles and median; diamond: mean"
    thin = {"color": INK, "linewidth": 0.8}
    with _panels(list(scores), systems, what) as (figure, panels):
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
                whiskerprops=thin,
                capprops=thin,
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
            axes.scatter(np.concatenate(beyond), rows, s=5, color=_LINE, linewidths=0, rasterized=True)
    return figure


def correlation_chart(scores: Mapping[str, Floats], correlations: Correlations) -> Figure:
    """Scatter of every two metrics below the diagonal, at most 400 points; Pearson's correlation above it."""
    metrics = list(scores)
    if len(metrics) < 2 or tuple(metrics) != correlations.metrics:
        raise InputError(
            f"The scatter chart needs scores and correlations of the same two metrics or more; "
            f"found {', '.join(metrics) or 'none'} and {', '.join(correlations.metrics) or 'none'}."
        )
    count = len(metrics)
    matrix = np.array(correlations.pearson, np.float64)
    side = min(0.5 * count + 1.6, _WIDTH)
    with matplotlib.rc_context(STYLE):
        figure = _figure(side, side + 0.55)
        axes = figure.subplots()
        above = np.triu(np.ones_like(matrix, bool), 1)
        image = axes.imshow(
            np.ma.masked_where(~above | np.isnan(matrix), matrix), cmap=_DIVERGING, vmin=-1, vmax=1
        )
        size = min(9.5, 145 / count)
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
        axes.hlines(edges, -0.5, count - 0.5, color=_LINE, linewidth=0.5, clip_on=False)
        axes.vlines(edges, -0.5, count - 0.5, color=_LINE, linewidth=0.5, clip_on=False)
        axes.spines[:].set_visible(False)
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        bar = figure.colorbar(
            image, ax=axes, location="top", shrink=0.7, aspect=45, pad=0.015, ticks=[-1, -0.5, 0, 0.5, 1]
        )
        bar.set_label(f"Pearson correlation, n = {correlations.n:,}")
        bar.outline.set_visible(False)
        settle(figure)
    return figure


def compliancy_chart(scores: Scores) -> Figure:
    """What the table is sorted by of every system with its 95% interval, per direction and on average; beside strict compliancy the other."""
    # the average only where it differs from a direction
    directions = scores.directions if len(scores.directions) > 2 else scores.directions[:1]
    series = [
        (direction, scores.sorted_by, direction, INK if direction == AVERAGE else _SERIES[index])
        for index, direction in enumerate(directions)
    ]
    if scores.sorted_by == "compliancy":
        return _marks(scores, series, "compliancy, 95% interval")
    series.append(("compliancy, average", "compliancy", AVERAGE, _GREY))
    return _marks(scores, series, "strict compliancy, 95% interval")


def judges_chart(scores: Scores) -> Figure:
    """How often each judge is satisfied, averaged over the directions."""
    names = {"hh": "HH, story", "ah": "AH, article", "main": "main, style"}
    measures = [name for name in (*names, "fluency", "facts") if name in scores.rows[0].values]
    series = [
        (names.get(measure, measure), measure, AVERAGE, _SERIES[index])
        for index, measure in enumerate(measures)
    ]
    return _marks(scores, series, "share of headlines the judge accepts")


def _marks(scores: Scores, series: Sequence[tuple[str, str, str, str]], label: str) -> Figure:
    """Values with intervals, a row a system; each series is its label, measure, direction and colour."""
    figure, axes = _canvas(len(scores.systems), 0.2 * len(series) + 0.15, extra=0.25 * (len(series) > 3))
    for index, (name, measure, direction, colour) in enumerate(series):
        rows = [scores.row(system, direction) for system in scores.systems]
        values = np.array([row.values[measure] for row in rows])
        ends = np.array([row.intervals[measure] for row in rows])
        axes.errorbar(
            values,
            np.arange(len(rows)) + (index - (len(series) - 1) / 2) * min(0.25, 0.8 / len(series)),
            xerr=np.clip(np.abs(ends.T - values), 0, None),
            fmt=_MARKERS[index],
            color=colour,
            markersize=6,
            capsize=3,
            label=name.replace("$", r"\$"),
        )
    return _finished(figure, axes, scores.systems, label, legend_columns=min(3, len(series)))


def funnel_chart(scores: Scores) -> Figure:
    """Which judge was the first to refuse a headline, as shares of all headlines of a system; what is left passes."""
    figure, axes = _canvas(len(scores.systems), 0.5, extra=0.9)
    left = np.zeros(len(scores.systems))
    shares = [outcomes(scores, system) for system in scores.systems]
    for name, colour in zip(shares[0], _OUTCOMES, strict=False):
        share = np.array([of_system[name] for of_system in shares])
        axes.barh(np.arange(len(left)), share, left=left, height=0.62, color=colour, label=name)
        left += share
    return _finished(
        figure, axes, scores.systems, "share of headlines, by who refuses first", legend_columns=2
    )


def outcomes(scores: Scores, system: str) -> dict[str, float]:
    """Shares of items, adding up to 1: those that all judges accept, then what each is the first to refuse, the last judge first."""
    judges = VERDICT_NAMES if scores.strict_p_values is not None else VERDICT_NAMES[:3]
    left = np.ones(scores.items[system].height, bool)
    refused = {}
    for judge in judges:
        accepted = scores.items[system][judge].to_numpy()
        refused[heading(judge)] = float((left & ~accepted).mean())
        left = left & accepted
    return {"accepted by all": float(left.mean()), **dict(reversed(refused.items()))}


def probes_chart(probes: Sequence[Probe]) -> Figure:
    """F1 of main on headlines that lack something, with 95% intervals, a row each; the first probe is also a line."""
    figure, axes = _canvas(len(probes), 0.42)
    values, rows = np.array([probe.f1 for probe in probes]), np.arange(len(probes))
    ends = np.clip(np.abs(np.array([probe.interval for probe in probes]).T - values), 0, None)
    axes.axvline(probes[0].f1, color=_LINE, linestyle=":", linewidth=1.5)
    axes.errorbar(values, rows, xerr=ends, fmt="o", color=_BLUE, markersize=6, capsize=3, label="main")
    return _finished(figure, axes, [probe.name for probe in probes], "F1, 95% interval", legend_columns=1)


def reliability_chart(curves: Sequence[Reliability]) -> Figure:
    """Share of the second class against its probability (a reliability diagram), a line for each judge; on the diagonal a judge is as often right as it is sure."""
    with matplotlib.rc_context(_NARROW_STYLE):
        figure = _figure(_NARROW, 4.4)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=_LINE, linestyle=":", linewidth=1.5)
        for curve, colour, marker in zip(curves, _SERIES, _MARKERS, strict=False):
            axes.plot(
                curve.probability, curve.share, color=colour, marker=marker, linewidth=1.2, label=curve.judge
            )
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("probability of the second class")
        axes.set_ylabel("share of the second class")
        _grid(axes, "both")
        _legend(figure, len(curves))
        settle(figure)
    return figure


def alignment_chart(histogram: Histogram, *, title: str = "", wide: bool = False) -> Figure:
    """Number of alignments against the threshold (LREC 2020, Figure 2)."""
    with matplotlib.rc_context(_NARROW_STYLE):
        figure = _figure(7, 4.3) if wide else _figure(_NARROW, 3.4)
        axes = figure.subplots()
        lines = ((histogram.compared, "compared", "--"), (histogram.pairs, "pairs of the corpus", "-"))
        for counts, label, line in lines:
            shown = np.flatnonzero(counts)
            if not len(shown):
                continue
            bins = slice(shown[0], shown[-1] + 1)
            above = np.cumsum(np.asarray(counts)[::-1])[::-1]
            axes.plot(histogram.edges[bins], above[bins], line, color=_BLUE, linewidth=2, label=label)
        for name, value, colour in (("loose", histogram.loose, _GREEN), ("strict", histogram.strict, _RED)):
            count = histogram.above.get(name)
            label = f"{name} > {value:g}" + (f": {count:,} pairs" if count is not None else "")
            axes.axvline(value, color=colour, linestyle=":", linewidth=2, label=label)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
        axes.set_xlabel("threshold (cosine similarity of the articles)")
        axes.set_ylabel("pairs above it")
        _grid(axes, "y")
        _legend(figure, 2)
        if title:
            axes.set_title(title, loc="left", fontweight="bold", fontsize=11.5, pad=10)
        settle(figure)
    return figure


def draw_curve(record: Mapping[str, Any], path: Path) -> None:
    """Draw the curve of a corpus from its `alignment.json`."""
    title = f"Alignments of {record['outlets']['a']} and {record['outlets']['b']}"
    save(alignment_chart(histogram(record), title=title, wide=True), path)


def settle(figure: Figure) -> None:
    """Lay a figure out once, so that every file of it looks the same and is drawn once."""
    if engine := figure.get_layout_engine():
        for _ in range(2):  # the second pass knows the labels of the axes
            engine.execute(figure)
    figure.set_layout_engine(None)


def save(figure: Figure, path: Path) -> None:
    """Write a figure on a white background as PNG; the same figure gives the same bytes."""
    with replace_file(path) as partial, matplotlib.rc_context(STYLE):
        figure.savefig(partial, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})


@contextmanager
def _panels(metrics: Sequence[str], systems: Sequence[str], what: str) -> Iterator[tuple[Figure, list[Axes]]]:
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
        figure = _figure(width, height)
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel().tolist()
        panels = grid[: len(metrics)]
        for axes in grid[len(metrics) :]:
            axes.set_visible(False)
        yield figure, panels
        panels[0].set_yticks(range(len(systems)), names)
        panels[0].set_ylim(len(systems) - 0.45, -0.55)
        for axes, metric in zip(panels, metrics, strict=True):
            title = metric_heading(metric).replace("$", r"\$")
            axes.set_title(title, fontsize=10, fontweight="bold", pad=4)
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
            axes.xaxis.set_major_formatter("{x:g}")
            _lighten(axes)
        if LOWER_IS_BETTER.intersection(metrics):
            what = f"{what};  ↓ lower is better"
        figure.supxlabel(what, fontsize=9.5)
        settle(figure)


def _grid(axes: Axes, axis: Literal["x", "y", "both"]) -> None:
    """A light grid, and no frame but the axes below and on the left."""
    axes.grid(axis=axis, color=_LINE, alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _lighten(axes: Axes) -> None:
    """A light grid, and no frame but the axis below."""
    _grid(axes, "x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _legend(figure: Figure, columns: int, **options: float) -> None:
    figure.legend(
        loc="outside upper center", ncols=columns, frameon=False, fontsize=11, labelcolor=INK, **options
    )


def _figure(width: float, height: float) -> Figure:
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
    axes.scatter(x.ravel(), y.ravel(), s=size, color=_BLUE, alpha=0.45, linewidths=0, rasterized=True)


def _unit(values: Floats) -> Floats:
    """Values from -.42 to .42, inside a cell; constant ones in the middle."""
    low, spread = values.min(), np.ptp(values)
    return (values - low) / spread * 0.84 - 0.42 if spread > 0 else np.zeros(len(values))


def _two_places(value: float) -> str:
    """A correlation to two places, without the nought."""
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1).replace("-", "−")


def _shortened(name: str) -> str:
    """A system's name with its middle left out where it is too long."""
    if len(name) > _NAME:
        name = f"{name[: _NAME // 2]}…{name[-(_NAME // 2 - 1) :]}"
    return name.replace("$", r"\$")


def _colour(row: int) -> str:
    return _SYSTEMS[row % len(_SYSTEMS)]


def _in_lines(name: str) -> str:
    """A name in at most two lines, the second one cut where it is too long."""
    if len(name) <= _LINE_LETTERS:
        return name
    end = max(name.rfind(mark, 0, _LINE_LETTERS) for mark in "-+._ ") + 1 or _LINE_LETTERS
    rest = name[end:]
    return f"{name[:end]}\n{rest if len(rest) <= _LINE_LETTERS else rest[: _LINE_LETTERS - 1] + '…'}"


def _canvas(systems: int, row: float, extra: float = 0.0) -> tuple[Figure, Axes]:
    """An empty figure with a row of `row` inches for each system."""
    with matplotlib.rc_context(_NARROW_STYLE):
        figure = _figure(_NARROW, 0.95 + extra + row * systems)
        return figure, figure.subplots()


def _finished(
    figure: Figure, axes: Axes, systems: Sequence[str], label: str, *, legend_columns: int
) -> Figure:
    """Axes from 0 to 1, systems from the top, a legend above."""
    with matplotlib.rc_context(_NARROW_STYLE):
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.set_yticks(range(len(systems)), [_in_lines(name).replace("$", r"\$") for name in systems])
        axes.set_xlabel(label)
        _lighten(axes)
        _legend(figure, legend_columns, handletextpad=0.4, columnspacing=1.2)
        settle(figure)
    return figure
