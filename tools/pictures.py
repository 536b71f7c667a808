"""Draw the pictures of `docs/images`.

python -m tools.pictures                   # card.png and chart.png, from the figures in benchmarks/
python -m tools.pictures runs/quickstart   # page.png, report.png and read-*.png of that run, too, by chromium

A name of a file or folder of the run is in the pictures: call it in the folder in which the run was made.
"""

import json
import os
import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any

import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from change_it.render.drawing import BLUE, LINE, save, styled
from tools.marks import AUDIT, PAGE, REPORT, TERMINAL, photograph_file, photograph_terminal, take

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs/images"
HARBOR_STREET = ROOT / "benchmarks/harbor_street.json"
QUICKSTART = ROOT / "benchmarks/quickstart.json"
INK, PALE, GROUND = "#1F2328", "#59636E", "#E6E9ED"
GREEN, RED, GOLD = "#00704F", "#C03000", "#8F6400"


@dataclass(frozen=True)
class Rewriting:
    """One row of the card.

    Attributes:
        name: What was done to the original, as harbor_street.json calls it.
        is_right: Whether a reader would print it.
        comment: What a reader says of it.
    """

    name: str
    is_right: bool
    comment: str


REWRITINGS = (
    Rewriting("unchanged", False, "nothing was rewritten"),
    Rewriting("right", True, "the article says so"),
    Rewriting("wrong number", False, "the article says 30"),
    Rewriting("roles swapped", False, "the shops sue the city"),
    Rewriting("words shuffled", False, "no sentence"),
)


def main(run: Path | None = None, /) -> None:
    """Draw the card and the chart; with the folder of a run, also photograph its page and its report."""
    save(draw_card(read(HARBOR_STREET)), IMAGES / "card.png")
    save(draw_chart(read(QUICKSTART)["systems"]), IMAGES / "chart.png")
    if run is not None:
        photograph(run)


def read(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def reasons_against(judged: dict[str, Any]) -> list[str]:
    """Return why a headline is refused, without main where style cannot be measured: there it guesses."""
    reasons = judged["refused_by"].split("; ") if judged["refused_by"] else []
    return [reason for reason in reasons if reason != "main" or judged["style"] is not None]


def empty_canvas(width: int, height: int) -> tuple[Figure, Axes]:
    """Return a figure of so many pixels, and axes that fill it, in pixels from the top left."""
    figure = Figure((width / 100, height / 100), dpi=100)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    return figure, axes


@styled
def draw_card(figures: dict[str, Any]) -> Figure:
    """Draw the original and a row for each rewriting: two bars, and what catches it."""
    height, top = 132, 178
    figure, axes = empty_canvas(1000, top + height * len(REWRITINGS) + 62)
    axes.text(24, 30, "The original headline:", size=15, color=PALE, va="center")
    axes.text(24, 66, figures["original"], size=23, color=INK, weight="bold", va="center")
    for x, title in ((24, "rewritten as"), (470, "style"), (605, "acceptability"), (770, "caught?")):
        axes.text(x, 138, title, size=15, color=PALE, va="center")
    for place, rewriting in enumerate(REWRITINGS):
        _draw_row(axes, top + height * place, rewriting, figures["headlines"][rewriting.name])
    _draw_source(axes, top + height * len(REWRITINGS) + 12, figures)
    return figure


def _draw_row(axes: Axes, y: float, rewriting: Rewriting, judged: dict[str, Any]) -> None:
    """Draw a rewriting whose row begins at y."""
    axes.plot([24, 976], [y - 14, y - 14], color=GROUND, linewidth=1.2)
    axes.text(24, y + 8, rewriting.name, size=14, color=PALE, va="center")
    axes.text(24, y + 26, fill(judged["headline"], 39), size=15.5, color=INK, va="top", linespacing=1.25)
    style, acceptability = judged["style"], judged["acceptability"]
    if style is None:
        axes.text(470, y + 40, "n/a", size=16, color=PALE, va="center")
    else:
        _draw_bar(axes, 470, 60, y + 40, (style + 1) / 2, f"{style:.2f}")
    _draw_bar(axes, 605, 90, y + 40, acceptability, f"{acceptability:.2f}".removeprefix("0"))
    reasons = reasons_against(judged)
    if reasons:
        verdict, colour, detail = "✓ caught", GREEN, "; ".join(reasons)
    elif rewriting.is_right:
        verdict, colour, detail = "✓ passes", GREEN, rewriting.comment
    else:
        verdict, colour, detail = "✗ missed", RED, rewriting.comment
    axes.text(770, y + 22, verdict, size=18, color=colour, weight="bold", va="center")
    axes.text(770, y + 44, fill(detail, 21), size=14, color=INK, va="top", linespacing=1.25)


def _draw_bar(axes: Axes, x: float, width: float, y: float, share: float, label: str) -> None:
    """Draw a bar that is full at a share of 1, with its figure behind it."""
    axes.add_patch(Rectangle((x, y - 11), width, 22, color=GROUND, linewidth=0))
    axes.add_patch(Rectangle((x, y - 11), width * min(max(share, 0), 1), 22, color=BLUE, linewidth=0))
    axes.text(x + width + 8, y, label, size=16, color=INK, va="center")


def _draw_source(axes: Axes, y: float, figures: dict[str, Any]) -> None:
    """Say below the rows who judged, and why style is missing where it is."""
    names = {"cnn": "CNN", "fox": "Fox"}
    newspapers = " and ".join(names.get(name, name) for name in figures["outlets"])
    lines = [f"Judges trained on articles of {newspapers}; the article and all headlines are invented."]
    if figures["style is n/a"]:
        lines.append("Style is n/a: these judges cannot surely tell the two newspapers' headlines apart.")
    axes.text(24, y, "\n".join(lines), size=13.5, color=PALE, va="top", linespacing=1.3)


#: Of each system of the chart what its point is called, where the words stand beside it, and its colour.
POINTS = (
    ("copy", "unchanged original", (10, 0), PALE),
    ("gold", "the other newspaper's own", (-10, 20), GOLD),
    ("rewrite", "your system (here: rewrite)", (-10, 22), BLUE),
    ("floor", "best clause of the article", (14, -22), PALE),
)
#: What the corners of the chart mean: place, words, and how they are aligned.
CORNERS = (
    (-1.2, 1.05, "story kept,\nstyle not changed", "left", "top"),
    (1.2, 1.05, "style changed,\nstory kept", "right", "top"),
    (-1.2, -0.03, "neither", "left", "bottom"),
    (1.2, -0.03, "style changed,\nstory lost", "right", "bottom"),
)


@styled
def draw_chart(systems: dict[str, Any]) -> Figure:
    """Draw the report's chart with four systems, whose points and whose corners are named in words."""
    figure = Figure((8.4, 5.4), dpi=120)
    axes = figure.subplots()
    for mark in (-1, 0, 1):
        axes.axvline(mark, color=LINE, linewidth=0.9, alpha=0.5, zorder=0)
    for name, words, offset, colour in POINTS:
        row = systems[name]
        x, y = row["style"], row["acceptability"]
        x_gaps, y_gaps = interval_gaps(row, "style"), interval_gaps(row, "acceptability")
        axes.errorbar(x, y, xerr=x_gaps, yerr=y_gaps, fmt="o", color=colour, ms=8, elinewidth=1.8)
        axes.annotate(
            words,
            (x, y),
            offset,
            textcoords="offset points",
            size=13,
            color=colour,
            ha="left" if offset[0] > 0 else "right",
            va="center",
            weight="bold" if name == "rewrite" else "normal",
        )
    for at_x, at_y, words, side, end in CORNERS:
        axes.text(at_x, at_y, words, size=12.5, color=INK, style="italic", ha=side, va=end, alpha=0.75)
    axes.set(xlim=(-1.25, 1.25), ylim=(-0.06, 1.08), ylabel="acceptability")
    axes.set_xticks([-1, 0, 1], ["−1\nthe original's", "0\nneither's", "1\nthe other's"])
    axes.set_xlabel("style")
    axes.grid(visible=False)
    axes.spines["left"].set_visible(True)
    return figure


def interval_gaps(row: dict[str, Any], measure: str) -> list[list[float]]:
    """Return how far the two ends of an interval are from its figure, as `errorbar` takes them."""
    low, high = row["intervals"][measure]
    return [[row[measure] - low], [high - row[measure]]]


def photograph(run: Path) -> None:
    """Open the page, the report and the audit of a run in Chromium, and save pictures of them.

    Some of the pictures have numbered marks.
    """
    # The page loads gradio, which the drawings above do without.
    from playwright.sync_api import sync_playwright

    from change_it.space.app import build, launch
    from change_it.space.models import Models

    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    page = build(Models.from_run(run, str(run / "judges")))
    _, address, _ = launch(page, server_name="127.0.0.1", quiet=True, prevent_thread_lock=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=60_000
        )
        tab = browser.new_page(viewport={"width": 1265, "height": 1060})
        tab.goto(address)
        tab.locator("#candidates-found .ci-card").first.wait_for(timeout=60_000)
        tab.wait_for_timeout(1000)  # until fonts and pictures are drawn
        save_photograph(tab.screenshot(), "page")
        save_photograph(take(tab, PAGE), f"read-{PAGE.name}")
        tab = browser.new_page(viewport={"width": 1120, "height": 1000})
        tab.goto((run / "report/report.html").resolve().as_uri())
        save_photograph(tab.locator("figure").first.screenshot(), "report")
        for picture, file in ((REPORT, run / "report/report.html"), (AUDIT, run / "audit/audit.html")):
            save_photograph(photograph_file(browser, file, picture), f"read-{picture.name}")
        save_photograph(photograph_terminal(browser, run), f"read-{TERMINAL.name}")
        browser.close()
    page.close()


def save_photograph(png: bytes, name: str) -> None:
    """Save what a screen showed, in 256 colours."""
    Image.open(BytesIO(png)).quantize(256).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    tyro.cli(main)
