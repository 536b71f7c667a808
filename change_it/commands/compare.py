"""`change-it compare`: two systems item by item on a terminal, as JSON and as one HTML file."""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.io import Record, check_header, check_writable, listed, read_records, write_text
from change_it.scoring.options import VERDICT_COLUMNS, CompareOptions
from change_it.tables import Column, Marked, Row, Table, console, print_table


def run(options: CompareOptions) -> None:
    """Match the items of two systems, print or write them.

    Raises:
        InputError: a file at fault, not two systems, or no item that both have.
    """
    if options.out:
        check_writable(options.out, kind="file", inputs=options.files)

    files = options.files
    if files[0] == files[1]:
        raise InputError(f"{files[0]} is given twice: give a file of each of two systems")
    for file in files:
        check_header(file, required=VERDICT_COLUMNS)

    from change_it.results.comparison import (  # loads polars
        OTHER,
        chosen,
        counts_table,
        matched,
        read_verdicts,
    )
    from change_it.results.pages import compare_page

    same = files[0].stem == files[1].stem
    tables = read_verdicts({file: str(file) if same else file.stem for file in files}, _read, _refuse)
    if len(tables) > 2:
        raise InputError(f"the files have {len(tables)} systems ({listed(list(tables))}): give one in each")
    first, second = tables
    every = matched(tables, first, second)
    found = chosen(every, options.verdict, options.outcome)
    counts = counts_table(every, first, second)
    if options.out:
        write_text(options.out, compare_page(tables, language=options.report_language))
    if options.json:
        record = {
            "counts": [row.values for row in counts.rows],
            "items": found.drop("passed", f"passed{OTHER}").to_dicts(),
        }
        json.dump(record, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return
    terminal = console()
    print_table(counts, terminal)
    print_table(items_table(found.head(options.items).to_dicts(), first, second), terminal)
    print(f"{min(options.items, len(found)):,} of {len(found):,} headlines shown")
    if options.out:
        print(f"wrote {options.out}")


def items_table(rows: Sequence[dict[str, Any]], first: str, second: str) -> Table:
    """Both headlines of each item, with the judges that refuse them."""
    from change_it.results.comparison import OTHER, unsupported
    from change_it.scoring.compliancy import JUDGES

    def side(row: dict[str, Any], name: str, end: str) -> dict[str, Marked | str]:
        places = tuple((one["start"], one["end"]) for one in unsupported(row[f"unsupported{end}"]))
        failed = [judge for judge in JUDGES if row[judge + end] is False]
        return {name: Marked(row[f"headline{end}"], places), f"{name} fails": " ".join(failed) or "–"}

    columns = [Column("id", "text"), Column("source", "text", "original")]
    columns += [Column(name, "text") for one in (first, second) for name in (one, f"{one} fails")]
    cells = [
        Row(
            {"id": row["id"], "source": row["source"], **side(row, first, ""), **side(row, second, OTHER)},
            row["id"],
        )
        for row in rows
    ]
    return Table(tuple(columns), tuple(cells))


def _read(path: Path, required: Sequence[str], optional: Sequence[str]) -> Sequence[Record]:
    return read_records(path, required=required, optional=optional)


def _refuse(path: Path, faults: Iterable[tuple[str, Sequence[int]]]) -> None:
    found = [f"{what} (lines {listed(list(map(str, lines)))})" for what, lines in faults if lines]
    if found:
        raise InputError(f"{path}: {'; '.join(found)}: mend or remove these lines")
