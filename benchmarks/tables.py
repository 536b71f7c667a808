"""Write the tables of benchmarks/README.md from benchmarks/results/*.json.

    python benchmarks/tables.py
    python benchmarks/tables.py --check
    python benchmarks/tables.py --keep writers "AllSides, 0.5B" runs/allsides/report/scores.json
    python benchmarks/tables.py --keep judges "AllSides: MiniLM" runs/allsides/minilm/ah/metrics.json
    python benchmarks/tables.py --keep main_judge "" main_judge.json

`<!-- table: NAME -->` to `<!-- /table -->` is the table of results/NAME.json: `rows`, name to column to a value or to [counts
of a whole, figures, interval], and their `n`, `seed`, `machine`, `date` and `command`. --keep adds to them what they need of
JSON that `score`, `train judge` or a script of this folder, under NAME, has written. `<!-- counted: NAME -->`
to `<!-- /counted -->` is what `counted` makes of the results.
"""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import tyro

from change_it.results.provenance import made
from change_it.scoring.columns import FLOORS, GOLD
from change_it.tables import figure

README, RESULTS = Path(__file__).with_name("README.md"), Path(__file__).with_name("results")
#: Row to column to value.
Rows = dict[str, dict[str, Any]]
#: Systems that stand next to others.
FRAMES = ("gold", "floor", "lead")
#: Begins the names of columns of gaps over their standard errors.
Z = "z of gold − floor: "


@dataclass(kw_only=True)
class Options:
    """Write the tables of benchmarks/README.md."""

    check: bool = False
    """Write nothing; exit with 1 where a table differs."""
    keep: tuple[str, ...] = ()
    """Results to keep first: name of the table, what they are of, and JSON files, of several seeds."""


def interval(row: dict[str, Any], measure: str) -> list[float]:
    """A share and the ends of its interval."""
    return [row[measure], *row["intervals"][measure]]


def of_judge(name: str, metrics: dict[str, Any]) -> Rows:
    """F1 of a linear judge; or of it and of a transformer, whose lead has an interval. The name is CORPUS: ENCODER."""
    rows: Rows = {}
    corpus, _, encoder = name.partition(": ")
    for test, scores in metrics["results"].items():
        task = {"hh": "HH", "ah": "AH"}.get(metrics["task"], metrics["task"])
        row = {"gold": task, "facts": f"{task}, changed facts"}.get(test, f"{task}, {test}")
        linear = metrics["baselines"].get("linear", {}).get(test)
        both = (
            [linear["macro_f1"], scores["macro_f1"], *linear["lead"].values()]
            if linear
            else [scores["macro_f1"]]
        )
        rows[f"{row}: {encoder}" if encoder else row] = {corpus: both}
    systems = metrics.get("within_event", {}).get("systems", {})
    if encoder and "linear" in systems:
        linear, found = systems["linear"], systems["judge"]["value"]
        cell = [linear["value"], found, *linear["lead"]["within_event"].values()]
        rows[f"main within an event: {encoder}"] = {corpus: cell}
    return rows


def of_writer(name: str, report: dict[str, Any]) -> Rows:
    """A writer, whose name comes first among the systems of a report that are no other's; and what judges chose of its candidates."""
    rows = {system: row["average"] for system, row in report["systems"].items()}
    writer, *chosen = (system for system in rows if system not in (GOLD, *FLOORS))
    joint = [interval(rows[system], "joint") for system in (writer, *chosen)]
    others = [figure(rows[system]["joint"]) for system in FRAMES if system in rows]
    return {
        name: {
            "n, events": f"{rows[writer]['n']}, {rows[writer]['events']}",
            "single draw": joint[0],
            "best, chosen by fold 0": joint[1] if chosen else None,
            "gold, floor, lead": ", ".join(others),
        }
    }


#: What else keeps the report of `score` in a table.
REPORTS = {"writers": of_writer}


def keep(name: str, of: str, paths: Sequence[Path]) -> None:
    """Add results to those of a table."""
    out, found = RESULTS / f"{name}.json", [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    record: dict[str, Any] = {"command": [], "n": "", "seed": 1, "rows": {}}
    if out.exists():
        record = json.loads(out.read_text(encoding="utf-8"))
    if "task" in found[0]:
        rows = of_judge(of, found[0])
    elif "judges" in found[0]:
        if name not in REPORTS:
            raise SystemExit(f"no table {name} is made of a report: give one of {', '.join(REPORTS)}")
        rows = REPORTS[name](of, found[0])
    elif name in found[0]:
        rows = found[0][name]
    else:
        raise SystemExit(f"{paths[0]} has nothing under {name}")
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
    """A value, or `12 of 20: .600 (.400–.800)`."""
    if value is None or isinstance(value, str):
        return value or "–"
    values = value if isinstance(value, list) else [value]
    counts = " of ".join(number(each) for each in values if isinstance(each, int))
    figures = [number(each) if each is not None else "–" for each in values if not isinstance(each, int)]
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


def rows_of(name: str) -> Rows:
    """The rows of a table."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"])


def counted() -> dict[str, str]:
    """What the page says of several cells, by name."""
    strict = {}
    for writer, cells in rows_of("writers").items():
        read = cells["right, partly, wrong"].partition("; ")[2]
        if read:
            strict[writer] = int(read.split(", ")[0]), int(cells["read"].split("; ")[1])
    right, n = map(sum, zip(*strict.values(), strict=True))
    found = {"strict": f"{right} of the {n}"}
    found["strict, tuned"] = "{} of the {}".format(*strict["AllSides, 0.5B, tuned"])
    gaps = {
        name: {row.partition(":")[0]: cells for row, cells in rows_of(name).items() if row.endswith("`gold`")}
        for name in ("joint", "outlets")
    }
    for score in ("joint", "strict v5"):
        of = {row: float(cells[f"{Z}{score}"]) for row, cells in gaps["joint"].items() if row != "sample"}
        found[f"z, {score}"] = f"{min(of.values())} to {max(of.values())}"
    found["z, every pair"] = "; ".join(
        f"{cells[f'{Z}joint']} ({row})" for row, cells in gaps["outlets"].items()
    )
    for score in ("joint", "compliancy"):
        ordered = [cell for name, cell in rows_of("readers")[score].items() if name.endswith("in order")]
        found[f"order, {score}"] = f"{' and '.join(str(right) for right, _ in ordered)} of {ordered[0][1]}"
    leads = [cell[2:] for row in rows_of("judges").values() for name, cell in row.items() if name != "sample"]
    leads = [lead for lead in leads if lead]
    ahead, behind = (sum(sign * lead[end] > 0 for lead in leads) for sign, end in ((1, 1), (-1, 2)))
    return found | {"encoder": f"in {ahead} of {len(leads)} cells and is behind in {behind}"}


def main(options: Options) -> int:
    """Write or check the tables; 1 where they differ."""
    if options.keep:
        name, of, *files = options.keep
        keep(name, of, [Path(file) for file in files])
    text = README.read_text(encoding="utf-8")
    marks = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- /table -->)", re.DOTALL)
    written = marks.sub(lambda at: f"{at[1]}{block(at[2])}\n{at[3]}", text)
    if "<!-- counted:" in written:
        sentences = re.compile(r"(<!-- counted: ([^>]+) -->)[^<]*(<!-- /counted -->)")
        words = counted()
        written = sentences.sub(lambda at: f"{at[1]}{words[at[2]]}{at[3]}", written)
    if options.check:
        return int(written != text)
    README.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
