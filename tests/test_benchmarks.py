"""The tables of benchmarks/README.md are those of benchmarks/results/."""

import json
import runpy
from pathlib import Path


def test_tables_and_results_agree():
    script = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks/tables.py"))
    assert script["main"](script["Options"](check=True)) == 0
    text = script["README"].read_text(encoding="utf-8")
    tables = {line.split()[2] for line in text.splitlines() if line.startswith("<!-- table:")}
    records = {path.stem: json.loads(path.read_text("utf-8")) for path in script["RESULTS"].glob("*.json")}
    assert tables == records.keys()
    for record in records.values():
        assert all(map(record.get, ("command", "n", "seed", "machine", "date")))
