"""Draw the picture that a report begins with: style against acceptability of every system."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, cast

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

#: Characters of a system's name in a chart, at most.
NAME_LENGTH = 16
#: Colour of one's own systems. Each of the three can be read on white.
_OWN_COLOUR = BLUE
#: Colour of the other newspaper's own headlines.
_GOLD_COLOUR = "#8F6400"
#: Colour of the other baselines, and of the best of several clauses.
_BASELINE_COLOUR = "#5A6470"
#: Distances of a label from its point, in points, the nearest first.
_DISTANCES = (6, 9, 16, 26, 40, 60)
#: Sides of its point that a label may stand on: right 1 or left -1, above 1 or below -1.
_SIDES = (
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
)
#: Distance in points above which a line leads from a label to its point.
_NEAR = 9
#: What the corners of the plane mean: words, their place as shares of the axes, and how they are aligned.
_CORNERS = (
    ("unchanged", 0.02, 0.985, "left", "top"),
    ("other style, content accepted", 0.985, 0.985, "right", "top"),
    ("another story", 0.985, 0.015, "right", "bottom"),
)


class _Label(NamedTuple):
    """A text that names a point.

    Attributes:
        text: what is written.
        point: the place of the point on both axes, in their units.
        colour: colour of the text, and of the line that leads to the point.
        is_bold: whether the text is bold, as the names of one's own systems are.
    """

    text: str
    point: tuple[float, float]
    colour: str
    is_bold: bool = False


#: How the words in the corners are written.
_CORNER_STYLE: Any = {"color": _BASELINE_COLOUR, "fontsize": 9.5, "style": "italic", "in_layout": False}


@dataclass(frozen=True)
class Drawing:
    """A chart of a report.

    Attributes:
        name: the name of its file, without ending.
        title: the heading above it.
        description: what it shows, for people who do not see it.
        figure: the chart itself.
    """

    name: str
    title: str
    description: str
    figure: Figure

    @cached_property
    @styled
    def svg(self) -> bytes:
        """Return the chart as SVG without a background."""
        stream = io.BytesIO()
        self.figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
        return stream.getvalue()

    @property
    def address(self) -> str:
        """Return the chart as a data URL, which a page embeds."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


def figure_of(axes: Axes) -> Figure:
    """Return the figure that the axes are on, which is no subfigure in any chart of a report."""
    return cast(Figure, axes.figure)


def plotted_measures(scores: Scores) -> list[str]:
    """Return the measures that the chart of a report shows, its vertical axis last."""
    content = "acceptability" if "acceptability" in scores.known else "compliancy"
    if "style" not in scores.known:
        return [content]
    return ["style", content]


def style_plane(scores: Scores) -> Drawing:
    """Draw style against acceptability, with a cross of 95% intervals for each system.

    Compliancy is in the place of acceptability where that is n/a. Without style there is one axis, with a
    line for each system. Of several runs of a system the mean alone is drawn. The newspapers stand above.
    """
    runs: set[str] = set()
    for row in scores.rows:
        if row.runs > 1:
            runs.update(f"{row.system}.{number + 1}" for number in range(row.runs))
    rows = [scores.row(name) for name in scores.names if name not in runs]
    measures = plotted_measures(scores)
    content = measures[-1]
    newspapers = " and ".join(scores.outlets)
    if len(measures) > 1:
        chart = _two_axes(scores, rows, content, newspapers)
    else:
        chart = _one_axis(rows, content, newspapers)
    described = []
    for row in rows:
        values = ", ".join(figure(row.values[name]) for name in measures)
        described.append(f"{row.system} {values}")
    title = " and ".join(measures)
    description = f"{title} of each system, {newspapers}, with 95% intervals: {'; '.join(described)}"
    return Drawing("plane", title.capitalize(), description, chart)


def _colours(row: ScoreRow) -> tuple[str, str]:
    """Return the colour of a system's point and that of its middle, which is white for baselines."""
    if row.system == GOLD:
        return _GOLD_COLOUR, _GOLD_COLOUR
    if row.system in BUILT_IN:
        return _BASELINE_COLOUR, "white"
    return _OWN_COLOUR, _OWN_COLOUR


def _gaps(row: ScoreRow, measure: str) -> Floats:
    """Return (2, 1) how far the lower and the upper end of an interval are from the value.

    A gap is 0 where there is no interval, or where the end is on the other side of the value.
    """
    value = row.values[measure]
    low, high = row.intervals.get(measure, (value, value))
    below = max(value - low, 0.0)
    above = max(high - value, 0.0)
    return np.array([[below], [above]])


@styled
def _one_axis(rows: Sequence[ScoreRow], content: str, title: str) -> Figure:
    """Draw one measure with its intervals, a line for each system."""
    axes = narrow(0.34 * len(rows) + 1.1)
    axes.set_title(title, loc="left", pad=8)
    for place, row in enumerate(rows):
        colour, middle = _colours(row)
        axes.errorbar(
            row.values[content],
            place,
            xerr=_gaps(row, content),
            fmt="o",
            color=colour,
            mfc=middle,
        )
    axes.set(xlim=(-0.02, 1.02), ylim=(len(rows) - 0.5, -0.5), xlabel=content)
    axes.set_yticks(range(len(rows)), [_name(row) for row in rows])
    return figure_of(axes)


@styled
def _two_axes(scores: Scores, rows: Sequence[ScoreRow], content: str, title: str) -> Figure:
    """Draw style against another measure.

    Each system is a labelled cross. The curve of `floor` and the corners are drawn too.
    """
    axes = narrow(4.9)
    axes.set_title(title, loc="left", pad=8)
    labels = []
    crosses = []
    for row in rows:
        colour, _ = _colours(row)
        point = (row.values["style"], row.values[content])
        labels.append(_Label(_name(row), point, colour, row.system not in BUILT_IN))
        crosses += _draw_cross(axes, row, content)
    if len(scores.curve) > 1:
        labels += _draw_curve(axes, scores, rows, content)
    for style in (0, 1):
        axes.axvline(style, color=LINE, linewidth=0.9, alpha=0.6, zorder=0)
    styles = np.concatenate(crosses)[:, 0]
    leftmost = min(-1, *styles)
    rightmost = max(1, *styles)
    axes.set(xlim=(leftmost - 0.12, rightmost + 0.25), ylim=(-0.14, 1.13))
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    axes.set(xlabel="style\n−1 the original's · 0 neither's · 1 the other newspaper's", ylabel=content)
    axes.spines["left"].set_visible(True)
    axes.grid(visible=False)
    for words, x, y, side, end in _CORNERS:
        axes.text(x, y, words, transform=axes.transAxes, ha=side, va=end, **_CORNER_STYLE)
    _place_labels(axes, labels, crosses)
    return figure_of(axes)


def _draw_cross(axes: Axes, row: ScoreRow, content: str) -> list[Floats]:
    """Draw a system with both intervals, and return the two ends (2, 2) of each of the two lines."""
    colour, middle = _colours(row)
    x = row.values["style"]
    y = row.values[content]
    across = _gaps(row, "style")
    upright = _gaps(row, content)
    axes.errorbar(
        x,
        y,
        yerr=upright,
        xerr=across,
        fmt="o",
        color=colour,
        mfc=middle,
        ms=6.5,
        elinewidth=1.5,
    )
    left, right = across.ravel()
    down, up = upright.ravel()
    horizontal = np.array([[x - left, y], [x + right, y]])
    vertical = np.array([[x, y - down], [x, y + up]])
    return [horizontal, vertical]


def _draw_curve(axes: Axes, scores: Scores, rows: Sequence[ScoreRow], content: str) -> list[_Label]:
    """Draw the best of 1, 2, 3 … clauses as a line, and return the labels of its points.

    The points with about as many candidates as one's own systems have are marked and labelled, or else the
    second point, so that one sees what the line is. The first point is `clause`, and the last one `floor`:
    they have labels of their own.
    """
    points = {}
    for step in scores.curve:
        points[step.candidates] = (step.values["style"], step.values[content])
    styles, contents = zip(*points.values(), strict=True)
    axes.plot(styles, contents, ".-", color=_BASELINE_COLOUR, linewidth=0.9, ms=5)
    number_of_floor = scores.row(FLOOR).candidates or max(points)
    between = [number for number in list(points)[1:] if number < number_of_floor]
    marked = set()
    for row in rows:
        if row.candidates and row.system not in BUILT_IN:
            marked.add(_nearest(list(points), row.candidates))
    labelled = [number for number in between if number in marked]
    for number in labelled:
        axes.plot(*points[number], "D", color=_BASELINE_COLOUR, ms=5)
    return [
        _Label(f"best of {number} clauses", points[number], _BASELINE_COLOUR)
        for number in labelled or between[:1]
    ]


def _nearest(numbers: Sequence[int], wanted: float) -> int:
    """Return the number that is nearest to the wanted one, the first of two that are equally near."""
    return min(numbers, key=lambda number: abs(number - wanted))


def _name(row: ScoreRow) -> str:
    """Return a system's name for a chart, cut where it is long, and how many candidates it chose among."""
    name = row.system
    if len(name) > NAME_LENGTH:
        half = NAME_LENGTH // 2
        name = f"{name[:half]}…{name[1 - half :]}"
    is_floor = row.system == FLOOR
    if row.chosen and not is_floor:
        name += DAGGER
    if row.candidates:
        name += f", best of {row.candidates:.2g}"
        if is_floor:
            name += " clauses"
    return name


def _place_labels(axes: Axes, labels: Sequence[_Label], lines: Sequence[Floats]) -> None:
    """Write each label beside its point, at the nearest free place inside the axes.

    Crosses, points and earlier labels take places. Where none is free, the one with the least overlap is
    taken.

    Args:
        axes: the chart.
        labels: what is written.
        lines: the two ends, (2, 2), of each line of the crosses.
    """
    chart = figure_of(axes)
    # Puts the axes in their place, which the extents below are measured in.
    chart.draw_without_rendering()
    pixels = chart.dpi / 72
    to_pixels = axes.transData.transform
    points = to_pixels([label.point for label in labels])
    boxes = [Bbox(to_pixels(ends)).padded(2 * pixels) for ends in lines]
    boxes += [Bbox([point, point]).padded(4 * pixels) for point in points]
    taken = _extents(boxes)
    inside = _extents([axes.get_window_extent()])
    for label, point in zip(labels, points, strict=True):
        width, height = _text_size(axes, label)
        places = _places_around(point, width, height, pixels)
        outside = width * height - _shared(places, inside)[:, 0]
        covered = _shared(places, taken).sum(axis=1)
        # The first of equal places is the nearest.
        best = int(np.argmin(np.round(outside + covered)))
        taken = np.concatenate([taken, places[best : best + 1]])
        left, low, _, _ = places[best]
        x, y = point
        right_of_point = (left + width / 2 - x) / pixels
        above_point = (low + height / 2 - y) / pixels
        # each distance has a place on every side
        distance = _DISTANCES[best // len(_SIDES)]
        _write_label(axes, label, (right_of_point, above_point), has_line=distance > _NEAR)


def _text_style(label: _Label) -> dict[str, Any]:
    """Return how matplotlib writes a label."""
    style = {"color": label.colour, "fontsize": 10.5, "in_layout": False}
    if label.is_bold:
        style["fontweight"] = "bold"
    return style


def _text_size(axes: Axes, label: _Label) -> tuple[float, float]:
    """Return the width and the height of a label in pixels."""
    text = axes.text(0, 0, label.text, **_text_style(label))
    width, height = text.get_window_extent().size
    text.remove()
    return width, height


def _places_around(point: Floats, width: float, height: float, pixels: float) -> Floats:
    """Return (m, 4) the places beside a point where a label may stand, as `_extents` has them.

    They are in the order of `_DISTANCES`, and for each distance in that of `_SIDES`. `pixels` is how many
    pixels a point of type has.
    """
    steps = [(distance, *side) for distance, side in product(_DISTANCES, _SIDES)]
    distance, right, up = np.array(steps, dtype=float).T
    x, y = point
    left = x + distance * right * pixels + (right - 1) * width / 2
    low = y + distance * up * pixels + (up - 1) * height / 2
    return np.column_stack([left, low, left + width, low + height])


def _write_label(axes: Axes, label: _Label, middle: tuple[float, float], *, has_line: bool) -> None:
    """Write a label whose middle is so many points right of its point and above it."""
    line = None
    if has_line:
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.6, "shrinkA": 0}
    axes.annotate(
        label.text,
        label.point,
        middle,
        textcoords="offset points",
        ha="center",
        va="center",
        arrowprops=line,
        **_text_style(label),
    )


def _extents(boxes: Sequence[Any]) -> Floats:
    """Return (n, 4) the left, lower, right and upper end of boxes."""
    return np.array([[box.xmin, box.ymin, box.xmax, box.ymax] for box in boxes])


def _shared(places: Floats, boxes: Floats) -> Floats:
    """Return (m, n) the area that each of m places shares with each of n boxes."""
    lower = np.maximum(places[:, None, :2], boxes[None, :, :2])
    upper = np.minimum(places[:, None, 2:], boxes[None, :, 2:])
    return np.asarray(np.clip(upper - lower, 0, None).prod(axis=2))
