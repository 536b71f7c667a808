"""Tables of CSV that tests read and write."""

import csv
from pathlib import Path


def read_csv(path):
    """The rows, each a cell by column."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, rows, header, **how):
    """A header and rows of cells."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, **how).writerows([header, *rows])
    return path
