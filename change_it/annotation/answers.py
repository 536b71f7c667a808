"""Answers on the disk: one file an annotator, a row appended for every answer, the last row of an item holds.

Files stay in memory and are read on from where reading stopped.
"""

import csv
import os
import re
import threading
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import BinaryIO, cast

from change_it.annotation.sheets import QUESTIONS, annotator_name
from change_it.errors import InputError
from change_it.io import append

HEADER = ("item", *QUESTIONS, "time")
_NAME = re.compile(r"\w[\w .+'-]{0,39}")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ", "'"))
#: Names that Windows keeps for devices, whatever stands after a dot.
_DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³]) *(\..*)?")
#: A last row that lacks nothing but its line break.
_WHOLE = re.compile(rb".*,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00\r?")
#: What is left of a row that was cut off.
_BEGUN = re.compile(rb'("[^"]*"?|[^,"]*)(,[1-5]?){0,3}(,[\dT:+-]*)?')
_VALUES = {question: {str(n): n for n in range(1, most + 1)} for question, most in QUESTIONS.items()}


class Answers:
    """The answers to one sheet, in a folder of their own; safe in many threads, and for several people at once."""

    def __init__(self, folder: Path, items: Collection[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._items = frozenset(items)
        self._files: dict[Path, _File] = {}
        for path in sorted(folder.glob("*.csv")):
            self._check(path)

    def file(self, name: str) -> Path:
        """The file of an annotator; names that differ only in case, white space or the form of an apostrophe are one person.

        The name is that of the file, but for `=`: it stands for a hyphen, and before the names of Windows's devices.
        """
        name = unicodedata.normalize("NFC", name).casefold().translate(_APOSTROPHES)
        name = unicodedata.normalize("NFC", " ".join(name.split()))
        letters = "".join(sign for sign in name if not unicodedata.category(sign).startswith("M"))
        if not _NAME.fullmatch(letters) or letters[0] != name[0] or len(name) > 80:
            raise InputError("a name has letters and digits, at most 40: write another")
        device = "=" if _DEVICE.fullmatch(name) else ""
        return self.folder / f"{device}{name.replace('-', '=')}.csv"

    def read(self, name: str) -> dict[str, dict[str, int]]:
        """Item to question to value."""
        path = self.file(name)
        if not path.is_file():
            return {}
        with self._opened(path, "rb") as (_, state):
            return dict(state.answers)

    def add(self, name: str, item: str, question: str, value: int) -> None:
        """Append an answer; it is on the disk when this returns, and nothing is written where the file has a damaged line."""
        path = self.file(name)
        new = not path.exists()
        with self._opened(path, "a+b") as (file, state):
            values = {**state.answers.get(item, {}), question: value}
            time = datetime.now(UTC).isoformat(timespec="seconds")
            row = [item, *(values.get(each, "") for each in QUESTIONS), time]
            text = StringIO()
            csv.writer(text, lineterminator="\n").writerows([row] if state.end else [HEADER, row])
            if state.cut_off:  # a row that was never confirmed
                file.truncate(state.end)
            gap = b"\n" if state.end and not state.last.endswith(b"\n") else b""
            append(file, gap + text.getvalue().encode())
            state.follow(file)
        if new:
            self._sync_folder()

    def _check(self, path: Path) -> None:
        """Refuse a file that no annotator's answers may be added to."""
        name = annotator_name(path)
        names = [name.replace("-", " "), name]  # earlier versions wrote a hyphen for both
        try:
            files = list(dict.fromkeys(self.file(each).name for each in names))
        except InputError as error:
            raise InputError(f"{path} is no file of answers: move it elsewhere") from error
        if path.name not in files[-1:]:
            raise InputError(
                f"{path} is not named as answers are: rename it to {' or '.join(map(repr, files))}, after its annotator"
            )
        self.read(name)

    @contextmanager
    def _opened(self, path: Path, mode: str) -> Iterator[tuple[BinaryIO, "_File"]]:
        """An annotator's file, locked for this thread, and what it holds."""
        state = self._files.setdefault(path, _File(path, self._items))
        with state.lock, path.open(mode) as opened:
            file = cast(BinaryIO, opened)
            state.follow(file)
            yield file, state

    def _sync_folder(self) -> None:
        """Make the name of a new file survive a power cut too."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@dataclass
class _File:
    """What was read of an annotator's file."""

    path: Path
    items: frozenset[str]
    lock: threading.Lock = field(default_factory=threading.Lock)
    inode: tuple[int, int] = (0, 0)  # with its device: another one after the file was replaced
    end: int = 0  # of the last whole row, in bytes
    last: bytes = b""  # that row
    lines: int = 0
    cut_off: bool = False  # a last row follows that was not written whole
    answers: dict[str, dict[str, int]] = field(default_factory=dict)

    def follow(self, file: BinaryIO) -> None:
        """Read what was appended since the last time; all of a file that somebody else has rewritten."""
        status = os.fstat(file.fileno())
        inode = (status.st_dev, status.st_ino)
        file.seek(self.end - len(self.last))
        if inode != self.inode or file.read(len(self.last)) != self.last:
            self.inode, self.end, self.last, self.lines, self.answers = inode, 0, b"", 0, {}
            file.seek(0)
        self.cut_off = False
        for line in file:
            if not line.endswith(b"\n") and not _WHOLE.fullmatch(line) and self._begins_row(line):
                self.cut_off = True
                return
            if fault := self._fault(line):
                raise InputError(
                    f"{self.path}, line {self.lines + 1}: {fault}; correct the line, or move the file elsewhere"
                )
            self.end, self.last = self.end + len(line), line
            self.lines += line.endswith(b"\n")

    def _begins_row(self, line: bytes) -> bool:
        """Whether a last line is what is left of writing a row, after a power cut perhaps zeros."""
        begun = line.rstrip(b"\0")
        return bool(_BEGUN.fullmatch(begun)) if self.end else ",".join(HEADER).encode().startswith(begun)

    def _fault(self, line: bytes) -> str:
        """Take the answers of a row, or say why they cannot be taken."""
        try:
            cells = next(csv.reader([line.decode("utf-8" if self.end else "utf-8-sig")], strict=True), [])
        except UnicodeDecodeError:
            return "this is not UTF-8"
        except csv.Error:
            return "this is not CSV"
        if not self.end:
            return "" if tuple(cells) == HEADER else f"the header is not {','.join(HEADER)}"
        if not cells:
            return ""
        if len(cells) != len(HEADER):
            return f"{len(cells)} cells and {len(HEADER)} columns"
        if cells[0] not in self.items:
            return f"the item {cells[0]!r} is not in this sheet"
        texts = dict(zip(QUESTIONS, cells[1:-1], strict=True))
        for question, text in texts.items():
            if text and text not in _VALUES[question]:
                return f"{question} is {text!r}, not a number from 1 to {QUESTIONS[question]}"
        self.answers[cells[0]] = {name: _VALUES[name][text] for name, text in texts.items() if text}
        return ""
