"""What readers call wrong: one row each at the end of a CSV file."""

import csv
import io
import json
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.io import file_errors, without_formula
from change_it.space.limits import LIMITS

#: The file in the folder that is named.
NAME = "feedback.csv"
COLUMNS = ("time", "from", "to", "original", "article", "headline", "system", "verdicts", "remark", "judges")

_LOCK = threading.Lock()


def can_write(folder: Path | None) -> bool:
    """Whether rows can be written there; the file is not made yet."""
    if folder is None:
        return False
    file = folder / NAME
    return os.access(file if file.exists() else folder, os.W_OK)


def append(folder: Path, answer: Mapping[str, Any], headline: str, remark: str) -> None:
    """Write what a reader calls wrong, in one piece, so that no reader's row stands in another's.

    Args:
        folder: of the file `NAME`, which is made with its header.
        answer: of `transfer_inputs`.
        headline: of one of its candidates.
        remark: what is wrong, in the reader's words; may be empty.

    Raises:
        InputError: the file cannot be written, or is as large as it may get.
    """
    [one] = [one for one in answer["candidates"] if one["headline"] == headline]
    row = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "from": answer["from"],
        "to": answer["to"],
        "original": answer["original"]["headline"],
        "article": answer["asked"][1],
        "headline": headline,
        "system": one["system"],
        "verdicts": json.dumps(one["verdicts"]),
        "remark": remark,
        "judges": answer["signature"],
    }
    file = folder / NAME
    with _LOCK, file_errors(f"cannot write {file}"):
        place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(place).st_size
            if size > LIMITS.bytes:
                raise InputError(f"{file} is full: move it elsewhere")
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerows([] if size else [COLUMNS])
            writer.writerow([without_formula(row[name]) for name in COLUMNS])
            os.write(place, text.getvalue().encode("utf-8", "backslashreplace"))
        finally:
            os.close(place)
