"""Prediction files: CSV with `id, headline, target`, one new headline for every item of the test set.

`change-it transfer` adds `error`, why an item has no headline, and `reranker`, the judges that chose it.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from change_it.errors import InputError
from change_it.io import named_files
from change_it.scoring.item import TestSet
from change_it.scoring.reranker import Reranker, parse_reranker
from change_it.scoring.systems import BUILT_IN, System

COLUMNS = ("id", "headline", "target")
_SHOWN = 10


def read_systems(specs: Sequence[str], test: TestSet) -> list[System]:
    """Read the prediction files of several systems.

    Args:
        specs: `NAME=FILE` each.
        test: the items that every file must cover.

    Returns:
        The systems in the order given.

    Raises:
        InputError: a spec without a name, a name that is taken or unfit for a file name, or a file at fault.
    """
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN)
    return [read_predictions(file, test, name=name) for name, file in named]


def read_predictions(file: Path, test: TestSet, *, name: str = "") -> System:
    """Read one prediction file and check it against the test set.

    Args:
        file: CSV, UTF-8, with the columns id, headline and target, optionally error and reranker (others are
            ignored), in any order of rows.
        test: the items to cover.
        name: of the system; the file's name without its ending when not given.

    Returns:
        The system, headlines in the order of the items with white space at the ends removed; the headline of a
        row with an error is empty, whatever stands there.

    Raises:
        InputError: unreadable file, missing column, malformed line, a reranker that cannot be read or more than
            one, or ids that are missing, extra or duplicate or that aim at the wrong outlet or have an empty
            headline without an error: all of them in one message.
    """
    rows = _read(file)
    counts = Counter(row.id for row in rows)
    wanted = {item.id: item.target for item in test.items}
    problems = {
        "missing": [id_ for id_ in wanted if id_ not in counts],
        "not in the test set": [id_ for id_ in counts if id_ not in wanted],
        "duplicate": [id_ for id_, count in counts.items() if count > 1],
        "with an empty headline": list(
            dict.fromkeys(row.id for row in rows if not row.headline and not row.error and row.id in wanted)
        ),
        "with the wrong target": list(
            dict.fromkeys(row.id for row in rows if row.id in wanted and row.target != wanted[row.id])
        ),
    }
    found = [
        f"{len(ids)} {'id' if len(ids) == 1 else 'ids'} {problem}: {_listed(ids)}"
        for problem, ids in problems.items()
        if ids
    ]
    if found:
        raise InputError(
            f"{file} does not fit the test set ({len(wanted)} ids, targets {' and '.join(test.outlets)}): {'; '.join(found)}"
        )
    headlines = {row.id: "" if row.error else row.headline for row in rows}
    return System(name or file.stem, tuple(headlines[item.id] for item in test.items), _reranker(file, rows))


def _reranker(file: Path, rows: Sequence["_Line"]) -> Reranker | None:
    """The judges that chose the headlines of a file; rows without a headline may name none."""
    named = sorted({row.reranker for row in rows if row.reranker})
    if not named:
        return None
    try:
        rerankers = [parse_reranker(text) for text in named]
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    if len(rerankers) > 1:
        told = " and ".join(reranker.short for reranker in rerankers)
        raise InputError(
            f"{file} was reranked by more than one set of judges ({told}): write it again in one run of change-it transfer"
        )
    return rerankers[0]


def write_predictions(file: Path, test: TestSet, headlines: Iterable[str]) -> None:
    """Write a prediction file.

    Args:
        file: CSV to write.
        test: the items.
        headlines: (n,) new headlines in the order of the items.
    """
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(
            (item.id, headline, item.target) for item, headline in zip(test.items, headlines, strict=True)
        )


class _Line(NamedTuple):
    """One line of a prediction file."""

    id: str
    headline: str
    target: str
    error: str
    reranker: str


def _read(file: Path) -> list[_Line]:
    """The lines of a file; columns that it lacks are empty."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            lacking = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
            if lacking:
                raise InputError(
                    f"{file} lacks the column {', '.join(lacking)}: a prediction file has id,headline,target"
                )
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        f"{file}, line {reader.line_num}: not as many fields as columns; put headlines with commas in quotes"
                    )
                cells = {column: row.get(column, "").strip() for column in _Line._fields}
                rows.append(_Line(**cells | {"headline": " ".join(cells["headline"].split())}))
            return rows
    except OSError as error:
        raise InputError(f"cannot read the predictions {file}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} is not a CSV file in UTF-8: {error}") from error


def _listed(ids: Sequence[str]) -> str:
    """The first ten ids and how many more."""
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
