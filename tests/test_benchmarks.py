"""The tables of benchmarks/README.md are those of benchmarks/results/."""

import json
import runpy
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "tables.py"


def test_tables_and_results_agree():
    script = runpy.run_path(str(SCRIPT))
    assert script["main"](script["Options"](check=True)) == 0
    names = {path.stem for path in script["RESULTS"].glob("*.json")}
    text = script["README"].read_text(encoding="utf-8")
    assert names == {line.split()[2] for line in text.splitlines() if line.startswith("<!-- table:")}
    for name in names:
        record = json.loads((script["RESULTS"] / f"{name}.json").read_text(encoding="utf-8"))
        assert all(record[key] for key in ("command", "n", "seed", "machine", "date")), name
