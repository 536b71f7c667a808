"""Write the tables of benchmarks/README.md from benchmarks/results/*.json.

    python benchmarks/tables.py
    python benchmarks/tables.py --check
    python benchmarks/tables.py --keep pairs "Vox, Washington Times" runs/vox/report/scores.json
    python benchmarks/tables.py --keep within "Vox, Washington Times/--mask names" runs/vox/names-*/metrics.json

`<!-- table: FILE/TABLE -->` to `<!-- /table -->` is a table of a file of results, `<!-- table: FILE -->` its command, n, seed,
machine and date. A file has `tables`: name to row to column to a value, or to [counts of a whole, figures, interval].
--keep adds to them what they need of JSON that `score`, `audit`, `train judge` or a script of this folder has written.
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
from change_it.tables import figure

README, RESULTS = Path(__file__).with_name("README.md"), Path(__file__).with_name("results")
#: Table to row to column to value.
Tables = dict[str, dict[str, dict[str, Any]]]
MEASURES = {"hh": "HH", "ah": "AH", "main": "main", "main_normalised": "main normalised"}
MEASURES |= {"fluency": "fluency", "facts": "facts"}
KINDS = (
    "gold, name mistaken, negated, contrary, speaker exchanged, claim added, numbers mistaken, word exchanged"
)


@dataclass(kw_only=True)
class Options:
    """Write the tables of benchmarks/README.md."""

    check: bool = False
    """Write nothing; exit with 1 where a table differs."""
    keep: tuple[str, str, tuple[Path, ...]] | None = None
    """Results to keep first: the file of results, what they are of, and JSON files, of several seeds."""


def of_report(name: str, report: dict[str, Any]) -> Tables:
    """Systems of `score`."""
    rows = {}
    for system in ("gold", "floor", "lead"):
        row = report["systems"][system]["average"]
        row |= {f"{name} ends": ends for name, ends in row["intervals"].items()}
        first = {"n": row["n"], "events": row["events"]}
        first["strict ≤"] = [row["strict_compliancy"], *row["strict_compliancy ends"]]
        first["compliancy"] = [row["compliancy"], *row["compliancy ends"]]
        rows[f"{name}: `{system}`"] = first | {title: row[measure] for measure, title in MEASURES.items()}
    return {"systems": rows}


def of_audit(name: str, audit: dict[str, Any]) -> Tables:
    """Agreement with readers, and what facts accepts, of `audit`."""
    systems = {row["system"]: row["values"]["facts"] for row in audit["systems"]}
    kinds = {kind: systems[kind] for kind in KINDS.split(", ")}
    tables: Tables = {"kinds": {name: {"n": audit["at_most"]} | kinds}, "auc": {}, "accepted": {}}
    for row in (audit.get("agreement") or {"rows": []})["rows"]:
        if row["judge"] == "facts (asked)":
            auc = [row["right"], row["n"], row["auc"], *(row["auc_interval"] or ())]
            tables["auc"][row["subset"]] = {name: auc}
        elif row["subset"] in ("written", "gold"):
            share = [row["both"], row["accepted"], row["precision"], *(row["precision_interval"] or ())]
            tables["accepted"].setdefault(row["judge"], {})[f"{name}, {row['subset']}"] = share
    return tables


def of_metrics(name: str, seeds: Sequence[dict[str, Any]]) -> Tables:
    """F1 and within-event accuracy of main, means of the seeds with the outermost ends of their intervals."""
    pair, way = name.split("/")
    rows = {}
    for system, row in (("judge", way), ("marks and capitals", "marks, capitals, length alone")):
        of = [seed["within_event"]["systems"][system] for seed in seeds]
        means = (sum(each[name] for each in of) / len(of) for name in ("macro_f1", "value"))
        rows[row] = {pair: [*means, min(each["low"] for each in of), max(each["high"] for each in of)]}
    return {"main": rows if way == "plain" else {way: rows[way]}}


def keep(file: str, of: str, paths: Sequence[Path]) -> None:
    """Add results to a file of results."""
    out, found = RESULTS / f"{file}.json", [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    record = {"command": [], "n": "", "seed": 1}
    if out.exists():
        record = json.loads(out.read_text(encoding="utf-8"))
    if "within_event" in found[0]:
        tables = of_metrics(of, found)
    elif "judges" in found[0]:
        tables = (of_audit if "verdicts" in found[0] else of_report)(of, found[0])
    else:
        tables = {name: table for name, table in found[0].items() if _is_table(table)}
    for name, rows in tables.items():
        for row, cells in rows.items():
            record.setdefault("tables", {}).setdefault(name, {}).setdefault(row, {}).update(cells)
    record |= {"machine": made()["hardware"], "date": str(date.today())}
    out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(row, dict) for row in value.values())


def number(value: float) -> str:
    """A count or a figure."""
    if isinstance(value, int):
        return f"{value:,}"
    return figure(value) if value == 0 or 0.0005 < abs(value) <= 1 else f"{value:.3g}"


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
    """A table in Markdown, or how the results were got."""
    file, _, table = name.partition("/")
    record = json.loads((RESULTS / f"{file}.json").read_text(encoding="utf-8"))
    if not table:
        about = f"# {record['n']}; seed {record['seed']}; {record['machine']}; {record['date']}"
        return "\n".join(["```sh", *record["command"], about, "```"])
    rows = record["tables"][table]
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [["", *columns], ["---"] * (1 + len(columns))]
    lines += [[name, *(cell(row.get(column)) for column in columns)] for name, row in rows.items()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(options: Options) -> int:
    """Write or check the tables; 1 where they differ."""
    if options.keep:
        keep(*options.keep)
    text = README.read_text(encoding="utf-8")
    marks = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- /table -->)", re.DOTALL)
    written = marks.sub(lambda at: f"{at[1]}\n{block(at[2])}\n\n{at[3]}", text)
    if options.check:
        return int(written != text)
    README.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
