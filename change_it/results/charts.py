"""The picture that a report begins with: style and acceptability of every system."""

import base64
import io
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from change_it.drawing import BLUE, LINE, styled
from change_it.results.score_tables import DAGGER
from change_it.scoring.item import BUILT_IN, FLOOR, GOLD
from change_it.scoring.scores import ScoreRow, Scores
from change_it.tables import figure

#: Characters of a system's name in a chart.
NAME_LENGTH = 16
#: Colours of texts and points: yours, gold's, and the baselines'; each can be read on white.
_YOURS, _GOLD, _BASELINE = BLUE, "#8F6400", "#5A6470"


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


@styled
def systems_chart(scores: Scores) -> Drawing:
    """Style, where it is known, and acceptability (compliancy where that is n/a): a line with a 95% interval for each system.

    On the floor's line a diamond is the best of as many clauses as a system had candidates.
    """
    runs = {f"{row.system}.{run + 1}" for row in scores.rows for run in range(row.runs) if row.runs > 1}
    rows = [scores.row(name) for name in scores.names if name not in runs]  # a system's mean, not its runs
    content = "acceptability" if "acceptability" in scores.known else "compliancy"
    measures = [*(["style"] if "style" in scores.known else []), content]
    drawing = Figure((5.2, 0.34 * len(rows) + 0.9), dpi=160)
    panels = drawing.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    numbers = [row.candidates for row in rows if row.candidates and row.system != FLOOR]
    for panel, measure in zip(panels, measures, strict=True):
        for place, row in enumerate(rows):
            value = row.values[measure]
            low, high = row.intervals.get(measure, (value, value))
            colour = _colour(row)
            middle = "white" if colour == _BASELINE else colour  # baselines are open
            gaps = [[max(value - low, 0)], [max(high - value, 0)]]
            panel.errorbar(value, place, xerr=gaps, fmt="o", color=colour, mfc=middle)
            if row.system == FLOOR:
                steps = [_nearest(scores, number)[measure] for number in numbers if scores.curve]
                panel.plot(steps, [place] * len(steps), "D", color=colour, ms=4.5)
        panel.set_xlabel(measure)
        panel.xaxis.set_major_formatter("{x:g}")
    panels[-1].set_xlim(-0.03, 1.03)
    for end in (0, 1)[: 2 * (len(measures) - 1)]:  # of style: neither newspaper's, the other one's
        panels[0].axvline(end, color=LINE, linewidth=0.9, alpha=0.6, zorder=0)
    panels[0].set_yticks(range(len(rows)), [_name(row) for row in rows])
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    for label, row in zip(panels[0].get_yticklabels(), rows, strict=True):
        label.set(color=_colour(row), fontweight="normal" if row.system in BUILT_IN else "bold")
    texts = [f"{row.system} {', '.join(figure(row.values[name]) for name in measures)}" for row in rows]
    title = " and ".join(measures)
    description = f"{title} of each system with 95% intervals: {'; '.join(texts)}"
    return Drawing("systems", title.capitalize(), description, drawing)


def _nearest(scores: Scores, number: float) -> dict[str, Any]:
    """The step of the floor's curve that is nearest to a number of candidates."""
    return min(scores.curve, key=lambda step: abs(step["candidates"] - number))


def _colour(row: ScoreRow) -> str:
    """The colour of a system."""
    return _GOLD if row.system == GOLD else _BASELINE if row.system in BUILT_IN else _YOURS


def _name(row: ScoreRow) -> str:
    """A system's name in a chart, cut where it is long, and of how many its headlines are the best."""
    name, is_floor = row.system, row.system == FLOOR
    name = name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH // 2]}…{name[1 - NAME_LENGTH // 2 :]}"
    name += DAGGER if row.chosen and not is_floor else ""
    best = f"\nbest of {row.candidates:.2g}{' clauses' if is_floor else ''}" if row.candidates else ""
    return f"{name}{best}"
