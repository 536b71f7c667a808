"""Style charts, and write them to files.

The colours are those that colour-blind readers distinguish (Okabe and Ito).
"""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from change_it.files.atomic import replace_file

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
PINK = "#CC79A7"
SKY = "#56B4E9"
RED = "#D55E00"
GREY = "#999999"
OLIVE = "#B8A800"
#: Colour of lines that are no data.
LINE = "#888888"
#: Colours of systems.
SYSTEMS = (BLUE, ORANGE, GREEN, PINK, SKY, RED, GREY, OLIVE)

#: Width of a chart in inches, about that of a phone.
_NARROW_INCHES = 5.2

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
    # A name may hold a dollar.
    "text.parse_math": False,
    # The same chart has the same ids.
    "svg.hashsalt": "change_it",
}
#: Decorates a function that draws, so that its chart has this style.
styled = matplotlib.rc_context(_STYLE)


@styled
def save(figure: Figure, path: Path) -> None:
    """Write a figure on a white background as PNG; the same figure gives the same bytes."""
    with replace_file(path) as partial:
        figure.savefig(partial, format="png", metadata={"Software": None})


def narrow(height: float) -> Axes:
    """Return the axes of an empty figure, about as wide as a phone and so many inches high."""
    return Figure((_NARROW_INCHES, height), dpi=160).subplots()
