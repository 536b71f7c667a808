"""What several commands refuse before anything large loads."""

from collections.abc import Sequence
from pathlib import Path

from change_it.io import TableError, check_header, named_files
from change_it.scoring.columns import BUILT_IN, PREDICTION_COLUMNS


def check_files(*files: Path | None) -> None:
    """Refuse files that are not there; - is standard input, None is none."""
    for file in files:
        if file is not None and str(file) != "-" and not file.exists():
            raise TableError("missing", file)


def check_systems(specs: Sequence[str], *, option: str, example: str) -> list[Path]:
    """The files of systems; refused where one is not written as NAME=FILE or not there."""
    files = [file for _, file in named_files(specs, option=option, example=example)]
    check_files(*files)
    return files


def check_predictions(specs: Sequence[str]) -> None:
    """Refuse prediction files (`NAME=FILE`) that lack a column, and names of built-in systems."""
    for _, file in named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN):
        check_header(file, required=PREDICTION_COLUMNS)
