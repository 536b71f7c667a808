"""Checks that several commands make before anything large loads."""

from collections.abc import Sequence
from pathlib import Path

from change_it.errors import InputError
from change_it.io import check_file, check_header, named_files
from change_it.scoring.columns import BUILT_IN, LABEL_COLUMNS, PREDICTION_COLUMNS, PREDICTION_EXTRAS


def check_files(*files: Path | None) -> None:
    """Refuse missing files; `None` and - (standard input) are allowed."""
    for file in files:
        if file is not None and str(file) != "-":
            check_file(file)


def check_counts(**counts: int | None) -> None:
    """Refuse numbers, by the names of their options, of which at least one is needed; None is a default."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count} is too few: give at least 1")


def check_systems(specs: Sequence[str], *, option: str, example: str, repeated: bool = False) -> list[Path]:
    """The files of systems; refused where one is not written as NAME=FILE or not there."""
    files = [file for _, file in named_files(specs, option=option, example=example, repeated=repeated)]
    check_files(*files)
    return files


def check_labels(files: Sequence[Path]) -> None:
    """Refuse label files that are not there or lack a column."""
    for file in files:
        check_header(file, required=LABEL_COLUMNS)


def check_predictions(specs: Sequence[str], columns: str = "", *, repeated: bool = False) -> None:
    """Refuse prediction files (`NAME=FILE`) that lack a column, and names of built-in systems; `columns` is a map `ours=theirs`."""
    named = named_files(
        specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN, repeated=repeated
    )
    for _, file in named:
        if file.suffix.lower() != ".txt":  # a headline a line
            check_header(file, required=PREDICTION_COLUMNS, optional=PREDICTION_EXTRAS, columns=columns)
