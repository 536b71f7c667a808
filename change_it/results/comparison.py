"""Two systems item by item: tables of verdicts in, matched and counted; for `change-it compare`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from change_it.errors import InputError
from change_it.io import Record
from change_it.scoring.columns import VERDICT_COLUMNS
from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.scoring.facts import read_unsupported
from change_it.tables import Column, Marked, Row, Table
from change_it.translation import Message

#: Columns that a table may have besides.
OPTIONAL = ("main_normalised", "fluency", "facts", "unsupported")
#: Whose verdict to look at: the papers' three together, all of them, or one judge's.
VERDICTS = ("compliant", "strict_compliancy", *VERDICT_NAMES)
OTHER = "_other"  #: End of the second system's columns.

_FIRST, _SECOND = pl.col("passed"), pl.col(f"passed{OTHER}")
#: Which items to show, by who failed.
OUTCOMES: dict[str, pl.Expr] = {
    "all": pl.lit(True),
    "any": ~(_FIRST & _SECOND),
    "differ": _FIRST != _SECOND,
    "first": _SECOND & ~_FIRST,
    "second": _FIRST & ~_SECOND,
    "both": ~(_FIRST | _SECOND),
    "none": _FIRST & _SECOND,
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

#: System to its items.
Tables = Mapping[str, pl.DataFrame]
#: Reads the rows of a file that has these columns, and may have those.
Read = Callable[[Path, Sequence[str], Sequence[str]], Sequence[Record]]
#: Refuses a file whose rows have faults: what is wrong in words, and the lines where.
Refuse = Callable[[Path, Iterable[tuple[str, Sequence[int]]]], None]


def read_verdicts(
    files: Mapping[Path, str],
    read: Read,
    refuse: Refuse,
    *,
    longest: int | None = None,
    longest_name: int | None = None,
) -> dict[str, pl.DataFrame]:
    """System to its table of verdicts, with the columns `compliant` and `strict_compliancy`.

    A file has the columns `VERDICT_COLUMNS`; its name stands for the system where it has no column `system`. Cells have at
    most `longest` characters, and `longest_name` of a system's name are kept.
    """
    systems: dict[str, dict[str, dict[str, object]]] = {}
    for path, name in files.items():
        unclear, double, long = [], [], []
        for line, cells, _ in read(path, VERDICT_COLUMNS, [*OPTIONAL, "system"]):
            answers = {judge: cells.get(judge, "").lower() for judge in VERDICT_NAMES}
            verdicts = {judge: _BOOLEANS.get(cell) for judge, cell in answers.items()}
            missing = [judge for judge, verdict in verdicts.items() if verdict is None]
            if any(answers[judge] or judge in VERDICT_COLUMNS for judge in missing):
                unclear.append(line)
                continue
            if longest is not None and max(len(cells[column]) for column in VERDICT_COLUMNS) > longest:
                long.append(line)
            items = systems.setdefault((cells.get("system") or name)[:longest_name], {})
            if cells["id"] in items:
                double.append(line)
            items[cells["id"]] = {
                **{column: cells[column] for column in VERDICT_COLUMNS},
                **verdicts,
                "compliant": all(verdicts[judge] for judge in VERDICT_NAMES[:3]),
                "strict_compliancy": None if None in verdicts.values() else all(verdicts.values()),
                "unsupported": cells.get("unsupported", ""),
            }
        too_long = Message("compare.fault_long", most=longest or 0)
        keys = (Message("compare.fault_verdict"), Message("uploads.fault_double"), too_long)
        refuse(path, zip(keys, (unclear, double, long), strict=True))
    if len(systems) < 2:
        raise InputError(Message("compare.one_system"))
    types = dict.fromkeys(VERDICTS, pl.Boolean)
    return {
        name: pl.DataFrame(list(items.values()), schema_overrides=types) for name, items in systems.items()
    }


def matched(tables: Tables, first: str, second: str) -> pl.DataFrame:
    """The items that two systems have both, in the order of the first; the second system's columns end in `_other`."""
    if first not in tables or second not in tables:
        raise InputError(Message("compare.choose"))
    columns = list(dict.fromkeys([*VERDICT_COLUMNS, *VERDICTS, "unsupported"]))
    left, right = (tables[name].select(columns) for name in (first, second))
    items = left.join(right, on="id", how="left", suffix=OTHER).drop_nulls(f"compliant{OTHER}")
    if not len(items):
        raise InputError(Message("compare.nothing_common", first=first, second=second))
    return items


def chosen(items: pl.DataFrame, verdict: str, outcome: str) -> pl.DataFrame:
    """The items of an outcome: with `any` one or both systems failed by this verdict, with `differ` one of them did."""
    passed = (pl.col(f"{verdict}{end}").alias(f"passed{end}") for end in ("", OTHER))
    return items.with_columns(passed).filter(OUTCOMES[outcome])


def counts_table(items: pl.DataFrame, first: str, second: str) -> Table:
    """How often the systems passed, all judges together and each by itself."""
    titles = {
        "none": Message("compare.both_passed"),
        "second": Message("compare.only", system=first),
        "first": Message("compare.only", system=second),
        "both": Message("compare.neither"),
    }
    columns = [Column(outcome, "count", title) for outcome, title in titles.items()]
    rows = [
        Row(
            {
                "verdict": Message(f"compare.judge_{verdict}"),
                **{outcome: len(chosen(items, verdict, outcome)) for outcome in titles},
            }
        )
        for verdict in VERDICTS
        if not items[verdict].is_null().all()
    ]
    return Table((Column("verdict", "text", Message("compare.verdict")), *columns), tuple(rows))


def marked(item: Mapping[str, Any], end: str = "") -> Marked:
    """The headline of an item, with the places of what is unsupported; `end` that of the columns."""
    words = read_unsupported(item[f"unsupported{end}"])
    return Marked(item[f"headline{end}"], tuple((each["start"], each["end"]) for each in words))
