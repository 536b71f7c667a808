"""Read and write tables."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_csv(path):
    """Return the rows of a file, each a cell by column."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, rows, header, **how):
    """Write a header and rows of cells, and return the path."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, **how).writerows([header, *rows])
    return path


def write_rows(path, rows):
    """Write rows of cells by column, in the form that the name of the file says, and return the path."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    elif path.suffix in (".jsonl", ".ndjson"):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    return path
