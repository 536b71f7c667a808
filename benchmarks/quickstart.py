"""Measure `change-it quickstart` on this machine, and write its figures where pages state them.

The figures are kept in quickstart.json.

    python benchmarks/quickstart.py
    python benchmarks/quickstart.py --kept
    python benchmarks/quickstart.py --check

`<!-- quickstart: NAME -->` to `<!-- /quickstart -->` on a page is what `sentences` makes of the figures.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from change_it.audit.record import read_audit
from change_it.files.records import to_json
from change_it.render.tables import figure
from change_it.report.record import read_report_record
from change_it.report.report_files import provenance
from change_it.stats import AVERAGE
from tools.memory import Peak

ROOT = Path(__file__).parents[1]
FIGURES = Path(__file__).with_suffix(".json")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: Columns of the tables and their titles; the first three have intervals.
COLUMNS = {name: name for name in ("compliancy", "style", "acceptability", "edited")}
COLUMNS |= {"hh": "HH", "ah": "AH", "main": "main", "fluency": "fluency", "evidence": "evidence"}
#: Rows of the short table, in its order, and what each system is.
SHORT = {
    "rewrite": "the bundled generator",
    "gold": "the other newspaper's own headline",
    "floor": "the article's best clause",
    "copy": "the original headline, unchanged",
}


@dataclass(kw_only=True)
class Options:
    """Run the quickstart, keep its figures and write them into README.md and docs/."""

    out: Path | None = None
    """Folder of the run; a temporary one when not given."""
    kept: bool = False
    """Run nothing; write the figures of quickstart.json into the pages."""
    check: bool = False
    """Run and write nothing; exit with 1 where a page states other figures than quickstart.json."""


def measure(out: Path) -> dict[str, Any]:
    """The figures of a run in a fresh folder."""
    start = time.perf_counter()
    peak = Peak()
    command = [sys.executable, "-m", "change_it.cli", "quickstart", "--out", str(out)]
    with subprocess.Popen(command, stdout=sys.stderr) as run:
        while run.poll() is None:
            peak.look(run.pid)
            time.sleep(0.1)
    if run.returncode:
        raise SystemExit(run.returncode)
    steps = json.loads((out / "run.json").read_text())["seconds"]
    report, audit = read_report_record(out / "report"), read_audit(out / "audit")
    if report is None or audit is None:
        raise SystemExit(f"{out} has no report or no audit: run it again")
    verdicts = [f"{measure}: {verdict.sentence}" for measure, verdict in audit.verdicts.items()]
    return {
        "seconds": round(time.perf_counter() - start),
        "gigabytes": round(peak.bytes / 1e9, 1),
        "steps": steps,
        "audit": "; ".join(verdicts),
        "meaning": report.meaning,
        "systems": {name: to_json(rows[AVERAGE]) for name, rows in report.scores.systems.items()},
        "made": provenance(),
    }


def table(figures: dict[str, Any], columns: tuple[str, ...]) -> str:
    """A table of the systems in Markdown, in the order of the report."""

    def cell(row: dict[str, Any], name: str) -> str:
        ends = row["intervals"].get(name) if name in [*COLUMNS][:3] else None
        return figure(row[name]) + (f" ({'–'.join(map(figure, ends))})" if ends else "")

    rows = [["system", *(COLUMNS[name] for name in columns)], ["---"] * (1 + len(columns))]
    rows += [
        [f"`{name}`", *(cell(row, column) for column in columns)] for name, row in figures["systems"].items()
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def two_decimals(value: float) -> str:
    """Return a figure as the short table has it: .82, −1.00, .00."""
    rounded = round(value, 2)
    sign = "−" if rounded < 0 else ""
    return sign + f"{abs(rounded):.2f}".removeprefix("0")


def short_table(figures: dict[str, Any]) -> str:
    """Write four systems as Markdown: what each is, and four measures with two decimals.

    An interval stands behind its figure in brackets; one that is a single point is left out.
    """
    columns = tuple(COLUMNS)[:4]
    lines = [["system", "what it is", *columns], ["---"] * 6]
    for name, what in SHORT.items():
        row = figures["systems"][name]
        cells = []
        for column in columns:
            cell = two_decimals(row[column])
            low, high = row["intervals"][column]
            if column != "edited" and low < high:
                cell += f" ({two_decimals(low)}–{two_decimals(high)})"
            cells.append(cell)
        lines.append([f"`{name}`", what, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def sentences(figures: dict[str, Any]) -> dict[str, str]:
    """Return what pages state, by name."""
    cost = f"{figures['seconds']} seconds and {figures['gigabytes']} GB"
    return {
        "cost": f"{cost} on {figures['made']['hardware']}",
        "brief cost": cost,
        "audit": figures["audit"],
        "meaning": figures["meaning"],
        "short table": f"\n\n{short_table(figures)}\n\n",
        "table": f"\n\n{table(figures, tuple(COLUMNS))}\n\n",
    }


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a record as this folder's files have it."""
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(options: Options) -> int:
    """Measure and write, or check the pages; 1 where they differ."""
    if not options.check and not options.kept:
        with tempfile.TemporaryDirectory() as temporary:
            figures = measure(options.out or Path(temporary) / "quickstart")
        write_json(FIGURES, figures)
        print("benchmarks/quickstart.json has changed: run benchmarks/tables.py, too", file=sys.stderr)
    words = sentences(json.loads(FIGURES.read_text(encoding="utf-8")))
    marks = re.compile(r"(<!-- quickstart: ([^>]+) -->).*?(<!-- /quickstart -->)", re.DOTALL)
    differ = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        written = marks.sub(lambda at: f"{at[1]}{words[at[2]]}{at[3]}", text)
        differ += written != text
        if not options.check:
            page.write_text(written, encoding="utf-8")
    return int(options.check and differ > 0)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
