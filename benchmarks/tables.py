"""Write the tables of benchmarks/README.md from benchmarks/results/*.json.

    python benchmarks/tables.py
    python benchmarks/tables.py --check
    python benchmarks/tables.py --keep judges "AllSides: MiniLM" runs/allsides/minilm/ah/metrics.json
    python benchmarks/tables.py --keep main_judge "" main_judge.json

`<!-- table: NAME -->` to `<!-- /table -->` is the table of results/NAME.json: `rows`, name to column to a value or to [counts
of a whole, figures, interval], and their `n`, `seed`, `machine`, `date` and `command`. --keep adds to them what they need of
JSON that `train judge` or a script of this folder, under NAME, has written.
"""

import json
import re
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import tyro

from change_it.results.report_files import made
from change_it.tables import figure

README, RESULTS = Path(__file__).with_name("README.md"), Path(__file__).with_name("results")
#: Row to column to value.
Rows = dict[str, dict[str, Any]]


@dataclass(kw_only=True)
class Options:
    """Write the tables of benchmarks/README.md."""

    check: bool = False
    """Write nothing; exit with 1 where a table differs."""
    keep: tuple[str, str, str] | None = None
    """Results to keep first: name of the table, what they are of, and a JSON file."""


def judge_rows(name: str, metrics: dict[str, Any]) -> Rows:
    """F1 of a linear judge; or of it and of a transformer, whose lead has an interval. The name is CORPUS: ENCODER."""
    rows: Rows = {}
    corpus, _, encoder = name.partition(": ")
    for test, scores in metrics["results"].items():
        if test == "facts":  # no judge is made to see changed facts
            continue
        task = {"hh": "HH", "ah": "AH"}.get(metrics["task"], metrics["task"])
        row = task if test == "gold" else f"{task}, {test}"
        linear = metrics["baselines"].get("linear", {}).get(test)
        cell = [linear["macro_f1"]] if linear else []
        cell += [scores["macro_f1"], *(linear["lead"].values() if linear else ())]
        rows[f"{row}: {encoder}" if encoder else row] = {corpus: cell}
    systems = metrics.get("within_event", {}).get("systems", {})
    if encoder and "linear" in systems:
        linear, accuracy = systems["linear"], systems["judge"]["value"]
        cell = [linear["value"], accuracy, *linear["lead"]["within_event"].values()]
        rows[f"main within an event: {encoder}"] = {corpus: cell}
    return rows


def keep(name: str, subject: str, path: Path) -> None:
    """Add results to those of a table."""
    out, results = RESULTS / f"{name}.json", json.loads(path.read_text(encoding="utf-8"))
    record: dict[str, Any] = {"command": [], "n": "", "seed": 1, "rows": {}}
    if out.exists():
        record = json.loads(out.read_text(encoding="utf-8"))
    if "task" in results:
        rows = judge_rows(subject, results)
    elif name in results:
        rows = results[name]
    else:
        raise SystemExit(f"{path} has nothing under {name}")
    for row, cells in rows.items():
        record["rows"].setdefault(row, {}).update(cells)
    record |= {"machine": made()["hardware"], "date": str(date.today())}
    out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def number(value: float) -> str:
    """A count or a figure."""
    if isinstance(value, int):
        return f"{value:,}"
    return figure(value) if value == 0 or 1e-6 < abs(value) <= 1 else f"{value:.3g}"


def cell(value: Any) -> str:
    """A value, `12 of 20: .600 (.400–.800)`, or several of them."""
    if value is None or isinstance(value, str):
        return value or "–"
    values = value if isinstance(value, list) else [value]
    if any(isinstance(part, list) for part in values):
        return "; ".join(map(cell, values))
    counts = " of ".join(number(part) for part in values if isinstance(part, int))
    figures = [number(part) if part is not None else "–" for part in values if not isinstance(part, int)]
    ends = f" ({'–'.join(figures[-2:])})" if len(figures) > 2 else ""
    return ": ".join(filter(None, (counts, ", ".join(figures[:-2] if ends else figures) + ends)))


def block(name: str) -> str:
    """A table in Markdown, below how its results were got."""
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    rows, commands = record["rows"], "; ".join(f"`{command}`" for command in record["command"])
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [["", *columns], ["---"] * (1 + len(columns))]
    lines += [[row, *(cell(cells.get(column)) for column in columns)] for row, cells in rows.items()]
    about = f"{record['n']}; seed {record['seed']}; {record['machine']}; {record['date']}: {commands}\n\n"
    return about + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(options: Options) -> int:
    """Write or check the tables; 1 where they differ."""
    if options.keep:
        name, subject, file = options.keep
        keep(name, subject, Path(file))
    text = README.read_text(encoding="utf-8")
    marks = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- /table -->)", re.DOTALL)
    written = marks.sub(lambda mark: f"{mark[1]}{block(mark[2])}\n{mark[3]}", text)
    if options.check:
        return int(written != text)
    README.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
