"""The picture that a report begins with: style against acceptability of every system."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from change_it.corpus.test_set import BUILT_IN, FLOOR, GOLD
from change_it.render.drawing import BLUE, LINE, narrow, styled
from change_it.render.tables import figure
from change_it.report.score_tables import DAGGER
from change_it.scoring.scores import ScoreRow, Scores
from change_it.stats import Floats

#: Characters of a system's name in a chart.
NAME_LENGTH = 16
#: Colours of texts and points: yours, gold's, and the baselines'; each can be read on white.
_YOURS, _GOLD, _BASELINE = BLUE, "#8F6400", "#5A6470"
#: Where a label may stand: how far from its point, in points, and to which sides of it.
_FAR = (6, 9, 16, 26, 40, 60)
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))


class _Label(NamedTuple):
    text: str
    at: tuple[float, float]
    colour: str
    bold: bool = False


@dataclass(frozen=True)
class Drawing:
    """A chart of a report."""

    name: str  # of its files, without ending
    title: str
    description: str  # for readers who do not see it
    figure: Figure

    @property
    @styled
    def svg(self) -> bytes:
        """The chart as SVG, black on what is below it."""
        stream = io.BytesIO()
        self.figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
        return stream.getvalue()

    @property
    def address(self) -> str:
        """The chart as an address that a page has it at."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


def plotted_measures(scores: Scores) -> list[str]:
    """Return the measures that the chart of a report shows, its vertical axis last."""
    content = "acceptability" if "acceptability" in scores.known else "compliancy"
    return ["style", content] if "style" in scores.known else [content]


def plane(scores: Scores) -> Drawing:
    """Style against acceptability (compliancy where that is n/a), a cross of intervals for each system; without style one axis and a line for each."""
    axes = plotted_measures(scores)
    content = axes[-1]
    runs = {f"{row.system}.{run + 1}" for row in scores.rows for run in range(row.runs) if row.runs > 1}
    rows = [scores.row(name) for name in scores.names if name not in runs]  # the mean of several runs alone
    values = [f"{row.system} {', '.join(figure(row.values[name]) for name in axes)}" for row in rows]
    title = " and ".join(axes)
    drawing = _style_plane(scores, rows, content) if len(axes) > 1 else _one_axis(rows, content)
    description = f"{title} of each system with 95% intervals: {'; '.join(values)}"
    return Drawing("plane", title.capitalize(), description, drawing)


def _look(row: ScoreRow) -> tuple[str, str]:
    """Colour of a system, and of the middle of its point: baselines are open."""
    colour = _GOLD if row.system == GOLD else _BASELINE if row.system in BUILT_IN else _YOURS
    return colour, "white" if colour == _BASELINE else colour


def _gaps(row: ScoreRow, measure: str) -> Floats:
    """(2, 1) how far the ends of an interval are from its value."""
    ends = np.array(row.intervals.get(measure, (row.values[measure],) * 2))
    return np.abs(np.clip(ends - row.values[measure], [-np.inf, 0], [0, np.inf]))[:, None]


@styled
def _one_axis(rows: Sequence[ScoreRow], content: str) -> Figure:
    axes = narrow(0.34 * len(rows) + 0.8)
    for at, row in enumerate(rows):
        colour, middle = _look(row)
        axes.errorbar(row.values[content], at, xerr=_gaps(row, content), fmt="o", color=colour, mfc=middle)
    axes.set(xlim=(-0.02, 1.02), ylim=(len(rows) - 0.5, -0.5), xlabel=content)
    axes.set_yticks(range(len(rows)), [_name(row) for row in rows])
    return axes.figure  # type: ignore[return-value]  # no subfigure


@styled
def _style_plane(scores: Scores, rows: Sequence[ScoreRow], content: str) -> Figure:
    axes = narrow(4.6)
    labels, crosses = [], []
    for row in rows:
        (colour, middle), (x, y) = _look(row), (row.values["style"], row.values[content])
        gaps = _gaps(row, "style"), _gaps(row, content)
        axes.errorbar(x, y, *gaps[::-1], fmt="o", color=colour, mfc=middle, ms=6.5, elinewidth=1.5)
        labels.append(_Label(_name(row), (x, y), colour, row.system not in BUILT_IN))
        (left, right), (down, up) = (gap.ravel() for gap in gaps)
        crosses += [np.array([[x - left, y], [x + right, y]]), np.array([[x, y - down], [x, y + up]])]
    if len(scores.curve) > 1:
        steps = [(step.candidates, (step.values["style"], step.values[content])) for step in scores.curve]
        axes.plot(*zip(*(at for _, at in steps), strict=True), ".-", color=_BASELINE, linewidth=0.9, ms=5)
        numbers = [row.candidates for row in rows if row.candidates and row.system not in BUILT_IN]
        marked = {min((step for step, _ in steps), key=lambda step: abs(step - n)) for n in numbers}
        end = scores.row(FLOOR).candidates or steps[-1][0]  # the floor itself, which has its own label
        for number, at in (step for step in steps[1:] if step[0] < end):
            if number in marked:
                axes.plot(*at, "D", color=_BASELINE, ms=5)
            labels.append(_Label(f"best of {number}" if number in marked else f"{number}", at, _BASELINE))
    for x in (0, 1):
        axes.axvline(x, color=LINE, linewidth=0.9, alpha=0.6, zorder=0)
    ends = np.concatenate(crosses)
    axes.set(xlim=(min(-1, *ends[:, 0]) - 0.12, max(1, *ends[:, 0]) + 0.25), ylim=(-0.06, 1.03))
    axes.set(xlabel="style\n−1 the original's · 0 neither's · 1 the other newspaper's", ylabel=content)
    axes.spines["left"].set_visible(True)
    axes.grid(visible=False)
    _place(axes, labels, crosses)
    return axes.figure  # type: ignore[return-value]  # no subfigure


def _name(row: ScoreRow) -> str:
    """A system's name in a chart, cut where it is long, and of how many its headlines are the best."""
    name, is_floor = row.system, row.system == FLOOR
    name = name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH // 2]}…{name[1 - NAME_LENGTH // 2 :]}"
    name += DAGGER if row.chosen and not is_floor else ""
    best = f", best of {row.candidates:.2g}{' clauses' if is_floor else ''}" if row.candidates else ""
    return f"{name}{best}"


def _place(axes: Axes, labels: Sequence[_Label], crosses: Sequence[Floats]) -> None:
    """Write each label at the nearest place beside its point that is inside the axes and on no other label, point or cross; one that is far away with a line."""
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]  # puts the axes in their place
    point = axes.figure.dpi / 72
    inside = _extents([axes.get_window_extent()])
    boxes = [Bbox(axes.transData.transform(ends)).padded(2 * point) for ends in crosses]
    at_points = axes.transData.transform([label.at for label in labels])
    boxes += [Bbox([at, at]).padded(4 * point) for at in at_points]
    taken = _extents(boxes)
    steps = [(far, right, up) for far, (right, up) in product(_FAR, _SIDES)]
    far, right, up = np.array(steps, dtype=float).T
    for label, (x, y) in zip(labels, at_points, strict=True):
        style: dict[str, Any] = {"color": label.colour, "fontsize": 10.5, "in_layout": False}
        style |= {"fontweight": "bold"} if label.bold else {}
        size = axes.text(0, 0, label.text, **style)
        width, height = size.get_window_extent().size
        size.remove()
        left = x + far * right * point + (right - 1) * width / 2
        low = y + far * up * point + (up - 1) * height / 2
        places = np.column_stack([left, low, left + width, low + height])
        outside = width * height - _shared(places, inside)[:, 0]
        wrong = np.round(outside + _shared(places, taken).sum(axis=1))
        best = int(np.argmin(wrong))  # the nearest of those that are equal
        taken = np.concatenate([taken, places[best : best + 1]])
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.6, "shrinkA": 0}
        middle = (left[best] + width / 2 - x) / point, (low[best] + height / 2 - y) / point
        style |= {"ha": "center", "va": "center", "arrowprops": line if far[best] > _FAR[1] else None}
        axes.annotate(label.text, label.at, middle, textcoords="offset points", **style)


def _extents(boxes: Sequence[Any]) -> Floats:
    """Return (n, 4) the left, lower, right and upper end of boxes."""
    return np.array([[box.xmin, box.ymin, box.xmax, box.ymax] for box in boxes])


def _shared(places: Floats, boxes: Floats) -> Floats:
    """Return (m, n) the area that each of m places shares with each of n boxes."""
    lower = np.maximum(places[:, None, :2], boxes[None, :, :2])
    upper = np.minimum(places[:, None, 2:], boxes[None, :, 2:])
    return np.asarray(np.clip(upper - lower, 0, None).prod(axis=2))
