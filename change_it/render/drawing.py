"""How charts look, and how they become files; the colours are those that colour-blind readers distinguish (Okabe and Ito)."""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from change_it.files.atomic import replace_file

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
GREY, OLIVE, LINE = "#999999", "#B8A800", "#888888"
#: Colours of systems.
SYSTEMS = (BLUE, ORANGE, GREEN, PINK, SKY, RED, GREY, OLIVE)

_STYLE: Any = {
    "font.size": 11.5,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": LINE,
    "grid.alpha": 0.3,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "text.parse_math": False,  # a name may hold a dollar
    "svg.hashsalt": "change_it",  # the same chart has the same ids
}
styled = matplotlib.rc_context(_STYLE)


@styled
def save(figure: Figure, path: Path) -> None:
    """Write a figure on a white background as PNG; the same figure gives the same bytes."""
    with replace_file(path) as partial:
        figure.savefig(partial, format="png", metadata={"Software": None})


def narrow(height: float) -> Axes:
    """The axes of an empty figure, about as wide as a phone."""
    return Figure((5.2, height), dpi=160).subplots()
