"""The tables of benchmarks/README.md are those of benchmarks/results/."""

import json
import re
import runpy
from pathlib import Path

import pytest
import tyro

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "tables.py"


@pytest.fixture
def tables(tmp_path):
    """The script, with a README and results of its own."""
    script = runpy.run_path(str(SCRIPT))
    script["main"].__globals__.update(README=tmp_path / "README.md", RESULTS=tmp_path)
    return script


def test_tables_and_results_agree():
    script = runpy.run_path(str(SCRIPT))
    assert script["main"](script["Options"](check=True)) == 0
    names = {path.stem for path in script["RESULTS"].glob("*.json")}
    text = script["README"].read_text(encoding="utf-8")
    assert names == {line.split()[2] for line in text.splitlines() if line.startswith("<!-- table:")}
    for name in names:
        record = json.loads((script["RESULTS"] / f"{name}.json").read_text(encoding="utf-8"))
        assert all(record[key] for key in ("command", "n", "seed", "machine", "date")), name


def test_a_table_is_written_and_checked(tables, tmp_path):
    measured = tmp_path / "measured.json"
    measured.write_text(json.dumps({"speed": {"ours": {"seconds": 7.4, "share": 0.5}}, "n": 3}))
    readme = tmp_path / "README.md"
    readme.write_text("before\n\n<!-- table: speed -->\n<!-- /table -->\n\nafter\n")
    main, options = tables["main"], tables["Options"]
    arguments = ["--keep", "speed", "speed", str(measured)]
    assert main(tyro.cli(options, args=arguments)) == 0
    before, marked, about, table, after = re.fullmatch(
        "(.*)\n\n(.*)\n(.*)\n\n(.*)\n<!-- /table -->\n\n(.*)\n", readme.read_text(), re.DOTALL
    ).groups()
    assert (before, marked, after) == ("before", "<!-- table: speed -->", "after")
    assert about.startswith("; seed 1; ")
    assert table.splitlines() == ["|  | seconds | share |", "| --- | --- | --- |", "| ours | 7.4 | .500 |"]
    assert main(options(check=True)) == 0
    readme.write_text(readme.read_text().replace(".500", ".600"))
    assert main(options(check=True)) == 1
    main(options())
    assert ".500" in readme.read_text()
