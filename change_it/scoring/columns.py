"""Names of systems in the files of scores; the columns and the rows of prediction and label files."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from change_it.io import Record, named_files, read_records, text_lines
from change_it.questions import NAMES

#: The system that is the other outlet's own headline, and so its own reference.
GOLD = "gold"
#: Sentences and clauses of the article: those that judges of the other fold choose, and those that chance does.
FLOOR, CLAUSE = "floor", "clause"
#: Trivial baselines that a system must beat, in the order of a table: below the others.
FLOORS = (FLOOR, CLAUSE, "lead", "copy", "random-target")
#: Names that prediction files cannot take.
BUILT_IN = (GOLD, *FLOORS)
#: What a prediction file must have, and what it may have.
PREDICTION_COLUMNS = ("id", "headline")
PREDICTION_EXTRAS = ("target", "error", "reranker")
#: The part of a table that has the systems with headlines that judges chose.
CHOSEN = "chosen by judges"
#: What a file of labels must have, and what it may have.
LABEL_COLUMNS = ("id", "headline", "supported")
LABEL_EXTRAS = ("system", "story", "printable", "accept", "fluency", "original", "reader")
#: Label files and their rows.
LabelFiles = Sequence[tuple[Path, list[Record]]]


class PredictionFile(NamedTuple):
    """A system's headlines as they were read."""

    name: str
    file: Path
    rows: list[dict[str, str]]  # cells by our names; without ids in a text file, which has a headline a line


def read_prediction_files(specs: Sequence[str], columns: str = "") -> list[PredictionFile]:
    """Read prediction files (`NAME=FILE`); one that lacks a column or has the name of a built-in system is refused. `columns` is a map `ours=theirs`."""
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN, repeated=True)
    return [PredictionFile(name, file, _rows(file, columns)) for name, file in named]


def _rows(file: Path, columns: str) -> list[dict[str, str]]:
    if file.suffix.lower() == ".txt":
        return [
            {"headline": line, "error": "" if line.strip() else "empty line"} for line in text_lines(file)
        ]
    records = read_records(file, required=PREDICTION_COLUMNS, optional=PREDICTION_EXTRAS, columns=columns)
    return [record.cells for record in records]


def read_label_files(files: Sequence[Path]) -> LabelFiles:
    """Read label files and filled sheets; one that lacks a column is refused."""
    names = [{name: NAMES.get(name, (name,)) for name in of} for of in (LABEL_COLUMNS, LABEL_EXTRAS)]
    return [(file, read_records(file, required=names[0], optional=names[1])) for file in files]
