"""Answers on the disk: one file an annotator, a row appended for every answer, the last row of an item holds."""

import csv
import io
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path

from change_it.annotation.sheets import QUESTIONS
from change_it.errors import InputError
from change_it.io import file_errors

HEADER = ("item", *QUESTIONS, "time")
_NAME = re.compile(r"\w[\w .+-]{0,39}")


class Answers:
    """The answers to one sheet; safe in many threads, and for several people at once."""

    def __init__(self, folder: Path) -> None:
        with file_errors(f"cannot write {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = threading.RLock()

    def file(self, name: str) -> Path:
        """The file of an annotator; names that differ only in case or space are one person.

        Raises:
            InputError: the name cannot be that of a file.
        """
        name = " ".join(name.split()).casefold()
        if not _NAME.fullmatch(name):
            raise InputError("a name has letters and digits, at most 40: write another")
        return self.folder / f"{name.replace(' ', '-')}.csv"

    def read(self, name: str) -> dict[str, dict[str, int]]:
        """Item → question → value."""
        path = self.file(name)
        with self._lock, file_errors(f"cannot read {path}"):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
        whole = text[: text.rfind("\n") + 1]  # a row that was cut off was never confirmed
        return {
            row["item"]: {question: int(row[question]) for question in QUESTIONS if row[question]}
            for row in csv.DictReader(io.StringIO(whole))
        }

    def add(self, name: str, item: str, question: str, value: int) -> None:
        """Append an answer; it is on the disk when this returns.

        Raises:
            InputError: it cannot be written.
        """
        path = self.file(name)
        with self._lock, file_errors(f"cannot write {path}"):
            values = {**self.read(name).get(item, {}), question: value}
            time = datetime.now(UTC).isoformat(timespec="seconds")
            row = [item, *(values.get(question, "") for question in QUESTIONS), time]
            new = not path.exists()
            with path.open("a+b") as file:
                file.seek(0)
                end = file.read().rfind(b"\n") + 1
                file.truncate(end)
                rows = [] if end else [",".join(HEADER)]
                file.write("\n".join([*rows, ",".join(map(str, row)), ""]).encode())
                file.flush()
                os.fsync(file.fileno())
            if new:
                self._sync_folder()

    def _sync_folder(self) -> None:
        """Make the name of a new file survive a power cut too."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
