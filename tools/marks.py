"""Photograph terminal, report, audit and page of a run, with numbered marks.

docs/reports.md explains the marks.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

#: What a mark is: a circle with a number, at the upper left corner of what it marks.
STYLE = (
    "position:absolute;z-index:99999;width:26px;height:26px;border-radius:50%;background:#C03000;color:#fff;"
    "font:700 15px/26px system-ui,sans-serif;text-align:center;box-shadow:0 0 0 2px #fff;pointer-events:none"
)
#: How the terminal's text looks.
TERMINAL_STYLE = (
    "body{margin:0}"
    "pre{margin:0;padding:16px 16px 16px 0;white-space:pre-wrap;overflow-wrap:anywhere;background:#fff;"
    "font:14px/1.35 'DejaVu Sans Mono',monospace}"
)
#: Puts marks on a page: each is a number, a place from the left and a place from the top.
PLACE = """([marks, style]) => {
  for (const [number, left, top] of marks) {
    const mark = document.createElement("div");
    mark.style.cssText = style + `;left:${left}px;top:${top}px`;
    mark.textContent = number;
    document.body.append(mark);
  }
}"""
#: Pixels from the left end of a mark to that of what it marks.
LEFT = 30
#: The same for a cell of a table: the mark stands on its corner.
LEFT_OF_CELL = 13
#: Pixels from the top of a mark to that of what it marks.
TOP = 3
#: The same for a cell of a table.
TOP_OF_CELL = 13
#: Pixels of a margin that a page gets for its marks.
MARGIN = 16
#: Width of the pictures of pages, and of that of the terminal, in pixels.
WIDTH = 1120
TERMINAL_WIDTH = 760


@dataclass(frozen=True)
class Picture:
    """A picture with marks.

    Attributes:
        name: Its file is `read-NAME.png`.
        marks: What is marked, in the order of the numbers: selectors of Playwright, whose first match counts.
        start: Selector of the first thing that is shown; empty for the top.
        end: Selector of the last thing that is shown; empty for the whole screen.
        width: Width of the picture in pixels.
    """

    name: str
    marks: tuple[str, ...]
    start: str = ""
    end: str = ""
    width: int = WIDTH


TERMINAL = Picture(
    "terminal",
    (
        "text=Can these measures",
        "text=/^ system  /",
        "text=/^ rewrite/",
        "text=/^→/",
        "text=/^  †/",
        "text=/^Examples of/",
        "text=/^Read this first/",
        "text=/^Signature  compliancy/",
    ),
    end="pre",
    width=TERMINAL_WIDTH,
)
REPORT = Picture(
    "report",
    (
        ".answers",
        "figure.card",
        ".together",
        ".answer table",
        "p:has-text('Mind that')",
        "#systems thead th:nth-child(2)",
        "#systems tbody tr:nth-child(1) th",
        "#systems tr:has(th:text-matches('^\\\\s*lead')) td:nth-child(3)",
        "#systems tr:has(th:text-matches('^\\\\s*copy')) td:has(sup)",
        "#systems tr:has(th:text-matches('^\\\\s*clause')) td.grey",
    ),
    end="#systems .wide",
)
AUDIT = Picture(
    "audit",
    (
        "#kinds tr.group",
        "#kinds tbody tr:not(.group) th",
        "#kinds td.is-stops:not(.aside)",
        "#kinds td.is-sees:not(.aside)",
        "#kinds td.is-misses:not(.aside)",
        "#kinds td.is-not-known:not(.aside)",
    ),
    start="#kinds",
    end="#kinds p.note",
)
PAGE = Picture(
    "page",
    (
        "#candidates-found .ci-badge",
        "#candidates-found .ci-headline",
        "#candidates-found .ci-aspects",
        "#candidates-found .ci-verdicts li:nth-child(1)",
        "#candidates-found .ci-verdicts li:nth-child(1) .ci-value",
    ),
)
PICTURES = (TERMINAL, REPORT, AUDIT, PAGE)


def take(tab: "Page", picture: Picture) -> bytes:
    """Mark what a tab shows and photograph it, from the start of the picture to its end."""
    if picture.end:
        tab.evaluate("margin => { document.body.style.paddingLeft = `${margin}px` }", LEFT + MARGIN)
    marks = []
    for number, selector in enumerate(picture.marks, 1):
        x, y, _, _ = box_of(tab, selector)
        is_cell = tab.locator(selector).first.evaluate("element => element.tagName") == "TD"
        left = x - (LEFT_OF_CELL if is_cell else LEFT)
        top = y - (TOP_OF_CELL if is_cell else TOP)
        marks.append([str(number), max(left, 2), max(top, 2)])
    tab.evaluate(PLACE, [marks, STYLE])
    if not picture.end:
        return tab.screenshot()
    first = max(box_of(tab, picture.start)[1] - MARGIN, 0) if picture.start else 0
    _, y, _, height = box_of(tab, picture.end)
    height += y + MARGIN - first
    clip: FloatRect = {"x": 0, "y": first, "width": picture.width, "height": height}
    return tab.screenshot(full_page=True, clip=clip)


def box_of(tab: "Page", selector: str) -> tuple[float, float, float, float]:
    """Return the box of what a selector finds first.

    It has the place from the left, that from the top, the width and the height, in pixels.
    """
    box = tab.locator(selector).first.bounding_box()
    if box is None:
        raise SystemExit(f"the page shows nothing for {selector}")
    return box["x"], box["y"], box["width"], box["height"]


def photograph_file(browser: "Browser", file: Path, picture: Picture) -> bytes:
    """Photograph a page of a run, with its marks."""
    tab = browser.new_page(viewport={"width": picture.width, "height": 1000})
    tab.goto(file.resolve().as_uri())
    return take(tab, picture)


def photograph_terminal(browser: "Browser", run: Path) -> bytes:
    """Photograph what `change-it score` prints of a run in 80 columns, with its marks."""
    command = [sys.executable, "-m", "change_it.cli", "score", "--corpus", str(run / "corpus")]
    command += ["--judges", str(run / "judges"), "--floor", str(run / "judges-0"), "--shared-items"]
    command += ["--predictions", f"rewrite={run / 'predictions/rewrite.csv'}"]
    environment = os.environ | {"COLUMNS": "80"}
    printed = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = "\n".join(f"<span>{escape(line.rstrip())}</span>" for line in printed.splitlines())
    tab = browser.new_page(viewport={"width": TERMINAL_WIDTH, "height": 1000})
    tab.set_content(f"<style>{TERMINAL_STYLE}</style><pre>{lines}</pre>")
    return take(tab, TERMINAL)
