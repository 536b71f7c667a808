"""Text files, packed ones too: UTF-8, or UTF-16 by its mark."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from itertools import count
from pathlib import Path
from typing import TextIO

from change_it.errors import InputError

#: Characters of a line or a cell, and of a text that is read whole, at most.
LONGEST_LINE, LARGEST = 10_000_000, 500_000_000
#: Byte order marks of UTF-16.
BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Endings of packed files, and what pyarrow calls them.
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def read_input(file: Path) -> str:
    """A text file as `read_text` reads it, or standard input for `-`."""
    return read_whole(sys.stdin, file) if str(file) == "-" else read_text(file)


def read_text(file: Path) -> str:
    """A text file, without a byte order mark."""
    check_file(file)
    with open_text(file) as text:
        return read_whole(text, file)


def read_whole(text: TextIO, file: Path) -> str:
    """The rest of an open text; one that is too long is refused."""
    if len(rest := text.read(LARGEST + 1)) > LARGEST:
        raise InputError(f"{file} has more than {LARGEST:,} characters: give it in parts")
    return rest


def lines_of(text: TextIO, file: Path) -> Iterator[str]:
    """The lines of an open text; one that is too long is refused, or cut where it begins a list of JSON."""
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE and not (number == 1 and line.lstrip().startswith("[")):
            raise InputError(f"{file}, line {number} has more than {LONGEST_LINE:,} characters: break it")
        if not line:
            return
        yield line


def check_file(file: Path) -> None:
    """Refuse a file that is not there."""
    if not file.exists():
        raise InputError(f"{file} does not exist: check the path")


def file_inside(path: Path) -> str:
    """The name of the file that is packed in another; its own where it is not packed."""
    return path.stem if path.suffix.lower() in PACKED else path.name


@contextmanager
def open_text(path: Path) -> Iterator[TextIOWrapper]:
    """A file as text, line ends as they are; what is wrong with its bytes is refused with the line."""
    try:
        with open_bytes(path) as raw:
            start = raw.peek(4)[:4]
            marked = start.startswith(BOMS)
            if b"\0" in start and not marked:
                raise InputError(_not_utf8(path))
            with TextIOWrapper(raw, "utf-16" if marked else "utf-8-sig", newline="") as text:
                yield text
    except UnicodeError as error:
        raise InputError(_not_utf8(path)) from error
    except (OSError, EOFError) as error:
        if path.suffix.lower() not in PACKED or getattr(error, "errno", None):
            raise
        raise InputError(
            f"{path} cannot be unpacked ({error}): pack it again, or give the file itself"
        ) from error


def open_bytes(path: Path) -> BufferedReader:
    """The bytes of a file, unpacked by its ending."""
    packing = PACKED.get(path.suffix.lower())
    if packing is None:
        return path.open("rb")
    import pyarrow as pa

    return BufferedReader(pa.input_stream(str(path), compression=packing))


def _not_utf8(path: Path) -> str:
    """The message on a text in another encoding, a spreadsheet or an archive."""
    with open_bytes(path) as lines:
        start = lines.peek(4)[:4]
        if start.startswith(BOMS):
            return f"{path} is no whole text in UTF-16: save it as UTF-8"
        if start.startswith((b"PK", b"\x1f\x8b")) or b"\0" in start:
            return f"{path} is no text but a spreadsheet, an archive or UTF-16 without a mark: save it as CSV in UTF-8"
        for number, line in enumerate(lines, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{line[error.start]:02x} after {line[: error.start].decode()[-20:]!r}"
                return f"{path}, line {number}: {byte} is not UTF-8: save it as UTF-8, for example with iconv -f CP1252 -t UTF-8"
    return f"{path} is no text in UTF-8"
