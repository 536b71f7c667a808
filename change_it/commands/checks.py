"""Checks that several commands make before anything large loads."""

from collections.abc import Sequence
from pathlib import Path

from change_it.errors import InputError
from change_it.io import check_file, named_files, read_records
from change_it.scoring.columns import BUILT_IN, LABEL_COLUMNS, PREDICTION_COLUMNS, PREDICTION_EXTRAS


def check_counts(**counts: int | None) -> None:
    """Refuse numbers below 1, by the names of their options; None is a default."""
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count} is too few: give at least 1")


def check_labels(files: Sequence[Path]) -> None:
    """Refuse label files that are not there or lack a column."""
    for file in files:
        read_records(file, required=LABEL_COLUMNS)


def check_predictions(specs: Sequence[str], columns: str = "") -> list[Path]:
    """The prediction files (`NAME=FILE`), refused where one lacks a column or has the name of a built-in system; `columns` is a map `ours=theirs`."""
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN, repeated=True)
    files = [file for _, file in named]
    for file in files:
        if file.suffix.lower() == ".txt":  # a headline a line
            check_file(file)
        else:
            read_records(file, required=PREDICTION_COLUMNS, optional=PREDICTION_EXTRAS, columns=columns)
    return files
