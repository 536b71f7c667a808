"""Charts of a report: colours that colour-blind readers tell apart (Okabe and Ito), one shape a direction.

Every function returns a figure narrow enough for a phone, in the ink and style of `hevas.charts`, so that
`hevas.page.inline_svg` embeds it and `hevas.charts.save` writes it.
"""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from change_it.hevas.charts import INK, STYLE, settle
from change_it.report.context import Histogram
from change_it.scoring.score import AVERAGE, Scores

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = ("o", "s", "D", "^")
_STYLE = {**STYLE, "font.size": 11.5}
_WIDTH = 5.2  # inches; 72 points each, about the width of a phone

#: Who failed, for the funnel: label and colour.
_OUTCOMES = (
    ("compliant", "#009E73"),
    ("failed main only", "#E69F00"),
    ("failed HH only", "#0072B2"),
    ("failed AH only", "#56B4E9"),
    ("failed two or three", "#999999"),
)


def compliancy_chart(scores: Scores) -> Figure:
    """Compliancy of every system with its 95% interval, per direction and on average.

    Args:
        scores: the table.

    Returns:
        One row a system, from the top in the order of the table.
    """
    directions = _shown(scores)
    figure, axes = _canvas(len(scores.systems), 0.2 * len(directions) + 0.15)
    for index, direction in enumerate(directions):
        rows = [scores.row(system, direction) for system in scores.systems]
        value = np.array([row.values["compliancy"] for row in rows])
        ends = np.array([row.intervals["compliancy"] for row in rows])
        average = direction == AVERAGE
        axes.errorbar(
            value,
            np.arange(len(rows)) + _offset(index, len(directions)),
            xerr=np.clip(np.abs(ends.T - value), 0, None),
            fmt=_MARKERS[index],
            color=INK if average else _COLOURS[index],
            markersize=6,
            capsize=3,
            label=direction.replace("$", r"\$"),
        )
    return _finished(figure, axes, scores.systems, "compliancy, 95% interval", legend_columns=len(directions))


def judges_chart(scores: Scores) -> Figure:
    """How often each judge is satisfied, averaged over the directions.

    Args:
        scores: the table.

    Returns:
        One row a system with a mark for HH, AH and main.
    """
    figure, axes = _canvas(len(scores.systems), 0.75)
    names = (("hh", "HH, story"), ("ah", "AH, article"), ("main", "main, style"))
    for index, (measure, label) in enumerate(names):
        rows = [scores.row(system) for system in scores.systems]
        value = np.array([row.values[measure] for row in rows])
        ends = np.array([row.intervals[measure] for row in rows])
        axes.errorbar(
            value,
            np.arange(len(rows)) + _offset(index, len(names)),
            xerr=np.clip(np.abs(ends.T - value), 0, None),
            fmt=_MARKERS[index],
            color=_COLOURS[index],
            markersize=6,
            capsize=3,
            label=label,
        )
    return _finished(figure, axes, scores.systems, "share of headlines the judge accepts", legend_columns=3)


def funnel_chart(scores: Scores) -> Figure:
    """Which judge a headline failed at, as shares of all headlines of a system.

    Args:
        scores: the table.

    Returns:
        One stacked bar a system: compliant, failed by one judge only, failed by several.
    """
    figure, axes = _canvas(len(scores.systems), 0.5, extra=0.5)
    left = np.zeros(len(scores.systems))
    shares = np.array([outcomes(scores, system) for system in scores.systems])
    for (label, colour), share in zip(_OUTCOMES, shares.T, strict=True):
        axes.barh(np.arange(len(left)), share, left=left, height=0.62, color=colour, label=label)
        left += share
    return _finished(figure, axes, scores.systems, "share of headlines, by what failed", legend_columns=2)


def outcomes(scores: Scores, system: str) -> list[float]:
    """Shares of the items of a system by outcome.

    Args:
        scores: the table.
        system: name.

    Returns:
        Compliant, failed at main only, at HH only, at AH only, at several; they add up to 1.
    """
    items = scores.items[system]
    passed = items.select("hh", "ah", "main").to_numpy()
    several = (~passed).sum(axis=1) >= 2
    hh, ah, main = (~passed[:, index] & ~several for index in range(3))
    return [float(share.mean()) for share in (passed.all(axis=1), main, hh, ah, several)]


def alignment_chart(known: Histogram) -> Figure:
    """Number of alignments against the threshold, both thresholds marked (LREC 2020, Figure 2).

    Args:
        known: similarities of everything compared and of the pairs of the corpus.

    Returns:
        Two falling lines on a logarithmic axis.
    """
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 3.4), layout="constrained")
        axes = figure.subplots()
        for counts, label, line in (
            (known.compared, "compared", "--"),
            (known.pairs, "pairs of the corpus", "-"),
        ):
            shown = np.flatnonzero(counts)
            if not len(shown):
                continue
            bins = slice(shown[0], shown[-1] + 1)
            above = np.cumsum(np.asarray(counts)[::-1])[::-1]
            axes.plot(known.edges[bins], above[bins], line, color=_COLOURS[0], linewidth=2, label=label)
        for name, value, colour in (
            ("loose", known.loose, _COLOURS[2]),
            ("strict", known.strict, _COLOURS[1]),
        ):
            axes.axvline(value, color=colour, linestyle=":", linewidth=2, label=f"{name} {value:g}")
        axes.set_yscale("log")
        axes.set_xlabel("similarity threshold")
        axes.set_ylabel("pairs above it")
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=11, labelcolor=INK)
        settle(figure)
    return figure


def _shown(scores: Scores) -> list[str]:
    """Directions to draw; the average only where it differs from a direction."""
    return scores.directions if len(scores.directions) > 2 else scores.directions[:1]


def _offset(index: int, count: int) -> float:
    """Vertical place of one of `count` marks inside a system's row."""
    return (index - (count - 1) / 2) * 0.25


def _in_lines(name: str, width: int = 16) -> str:
    """A name in at most two lines, the second one cut where it is too long.

    Example:
        >>> _in_lines("agnostic-it5-small+rerank").splitlines()
        ['agnostic-it5-', 'small+rerank']
    """
    if len(name) <= width:
        return name
    place = max((name.rfind(mark, 0, width) for mark in "-+._"), default=-1) + 1 or width
    rest = name[place:]
    return f"{name[:place]}\n{rest if len(rest) <= width else rest[: width - 1] + '…'}"


def _canvas(systems: int, row: float, extra: float = 0.0) -> tuple[Figure, Axes]:
    """An empty figure with a row of `row` inches for each system."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 0.95 + extra + row * systems), layout="constrained")
        return figure, figure.subplots()


def _finished(
    figure: Figure, axes: Axes, systems: Sequence[str], label: str, *, legend_columns: int
) -> Figure:
    """Axes from 0 to 1, systems from the top, a legend above."""
    with matplotlib.rc_context(_STYLE):
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.set_yticks(range(len(systems)), [_in_lines(name).replace("$", r"\$") for name in systems])
        axes.set_xlabel(label)
        axes.grid(axis="x", color="#888888", alpha=0.3)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        figure.legend(
            loc="outside upper center",
            ncols=legend_columns,
            frameon=False,
            fontsize=11,
            labelcolor=INK,
            handletextpad=0.4,
            columnspacing=1.2,
        )
        settle(figure)
    return figure
