"""`change-it compare`: two systems item by item on a terminal, as JSON and as one HTML file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from change_it.commands.printing import print_json
from change_it.errors import InputError
from change_it.io import Record, check_header, check_writable, listed, read_records, write_text
from change_it.scoring.columns import VERDICT_COLUMNS
from change_it.tables import Column, Marked, Row, Table, console, print_table


@dataclass(kw_only=True)
class CompareOptions:
    """Two systems item by item: how often each passed and the other did not, and which headlines those are.

    Examples:
        change-it compare runs/quickstart/report/items/rewrite.csv runs/quickstart/report/items/gold.csv
        change-it compare runs/mine/report/items/sum.csv runs/mine/report/items/gold.csv --verdict main --outcome first --out compare.html
    """

    files: tyro.conf.Positional[tuple[Path, Path]]
    """Tables of verdicts, items/<system>.csv of `change-it score --out` or items.csv of the page, one system in each."""
    verdict: Literal[
        "compliant", "strict_compliancy", "hh", "ah", "main", "main_normalised", "fluency", "facts"
    ] = "compliant"
    """Whose verdict to look at: hh, ah and main together (compliant), all six checks (strict_compliancy), or one alone."""
    outcome: Literal["all", "any", "differ", "first", "second", "both", "none"] = "differ"
    """Which headlines to print: those that any, exactly one, only the first, only the second, both or none of the systems failed at."""
    items: int = 10
    """Headlines to print, at most; --out and --json have all."""
    out: Path | None = None
    """HTML file with all headlines of both systems, side by side; nothing is written when not given."""
    report_language: Literal["it", "en"] = "en"
    """Of the HTML file."""
    json: bool = False
    """Print JSON instead of tables."""


def check(options: CompareOptions) -> None:
    """Refuse, before anything large loads, files at fault, and `--out` where nothing can be written."""
    files = options.files
    if options.out:
        check_writable(options.out, kind="file", inputs=files)
    if files[0] == files[1]:
        raise InputError(f"{files[0]} is given twice: give a file of each of two systems")
    for file in files:
        check_header(file, required=VERDICT_COLUMNS)


def run(options: CompareOptions) -> None:
    """Match the items of two systems, print or write them."""
    check(options)

    from change_it.results.comparison import OTHER, chosen, counts_table, matched, read_verdicts  # polars
    from change_it.results.pages import compare_page

    files = options.files
    same = files[0].stem == files[1].stem
    tables = read_verdicts({file: str(file) if same else file.stem for file in files}, _read, _refuse)
    if len(tables) > 2:
        raise InputError(f"the files have {len(tables)} systems ({listed(list(tables))}): give one in each")
    first, second = tables
    every = matched(tables, first, second)
    shown = chosen(every, options.verdict, options.outcome)
    counts = counts_table(every, first, second)
    if options.out:
        write_text(options.out, compare_page(tables, language=options.report_language))
    if options.json:
        items = shown.drop("passed", f"passed{OTHER}").to_dicts()
        print_json({"counts": [row.values for row in counts.rows], "items": items})
        return
    terminal = console()
    print_table(counts, terminal)
    print_table(items_table(shown.head(options.items).to_dicts(), first, second), terminal)
    print(f"{min(options.items, len(shown)):,} of {len(shown):,} headlines shown")
    if options.out:
        print(f"wrote {options.out}")


def items_table(rows: Sequence[dict[str, Any]], first: str, second: str) -> Table:
    """Both headlines of each item, with the judges that refuse them."""
    from change_it.results.comparison import OTHER, marked
    from change_it.scoring.compliancy import VERDICT_NAMES

    def side(row: dict[str, Any], name: str, end: str) -> dict[str, Marked | str]:
        failed = [judge for judge in VERDICT_NAMES if row[judge + end] is False]
        return {name: marked(row, end), f"{name} fails": " ".join(failed) or "–"}

    columns = [Column("id", "text"), Column("source", "text", "original")]
    columns += [Column(name, "text") for system in (first, second) for name in (system, f"{system} fails")]
    cells = ({**row, **side(row, first, ""), **side(row, second, OTHER)} for row in rows)
    return Table(tuple(columns), tuple(Row(values, values["id"]) for values in cells))


def _read(path: Path, required: Sequence[str], optional: Sequence[str]) -> Sequence[Record]:
    return read_records(path, required=required, optional=optional)


def _refuse(path: Path, faults: Iterable[tuple[str, Sequence[int]]]) -> None:
    sentences = [f"{what} (lines {listed(list(map(str, lines)))})" for what, lines in faults if lines]
    if sentences:
        raise InputError(f"{path}: {'; '.join(sentences)}: mend or remove these lines")
