"""Reads the tables that people upload: capped, checked, and every fault told in one sentence of their language."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from change_it.errors import InputError
from change_it.space.limits import LIMITS

#: Words for a key in the reader's language, see `words.Words.say`.
Say = Callable[..., str]
#: Cells by column, and the line of the file that the row ends at.
Row = tuple[int, dict[str, str]]

_DELIMITERS = (",", ";", "\t")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SHOWN = 5


def check_size(path: Path, say: Say) -> None:
    """Refuse a file that is missing, empty or too large.

    Args:
        path: the file as it was uploaded.
        say: words of the reader's language.

    Raises:
        InputError: it is one of these.
    """
    size = path.stat().st_size if path.is_file() else 0
    if not size:
        raise InputError(say("uploads.empty", file=path.name))
    if size > LIMITS.bytes:
        raise InputError(
            say("uploads.bytes", file=path.name, most=f"{LIMITS.bytes / 1e6:g}", found=f"{size / 1e6:.1f}")
        )


def read_text(path: Path, say: Say) -> str:
    """A text file.

    Args:
        path: the file as it was uploaded.
        say: words of the reader's language.

    Returns:
        Its text, without a byte order mark; control characters are spaces.

    Raises:
        InputError: it is missing, empty, too large or no text in UTF-8.
    """
    check_size(path, say)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(say("uploads.encoding", file=path.name)) from error
    if "\0" in text:
        raise InputError(say("uploads.nulls", file=path.name))
    text = _CONTROL.sub(" ", text)
    if not text.strip():
        raise InputError(say("uploads.empty", file=path.name))
    return text


def read_rows(path: Path, columns: Sequence[str], optional: Sequence[str] = (), *, say: Say) -> list[Row]:
    """The rows of a CSV file.

    Args:
        path: CSV in UTF-8 with a header; comma, semicolon or tab between the cells.
        columns: what it must have, in any order and case.
        optional: what it may have; other columns are ignored.
        say: words of the reader's language.

    Returns:
        Line and cells of each row; white space at the ends of a cell is removed, optional columns that are not there
        are left out. Rows without any text are skipped.

    Raises:
        InputError: no such file, too large, too many rows, a column missing or double, a line that is no CSV.
    """
    text = read_text(path, say)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_delimiter(text, [*columns, *optional]), strict=True
    )
    rows: list[Row] = []
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        wanted = _places(path, header, columns, optional, say)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise InputError(
                    say(
                        "uploads.fields",
                        file=path.name,
                        line=reader.line_num,
                        found=len(cells),
                        wanted=len(header),
                    )
                )
            if len(rows) == LIMITS.rows:
                raise InputError(say("uploads.rows", file=path.name, most=f"{LIMITS.rows:,}"))
            rows.append((reader.line_num, {name: cells[place].strip() for name, place in wanted.items()}))
    except csv.Error as error:
        raise InputError(say("uploads.csv", file=path.name, line=reader.line_num)) from error
    if not rows:
        raise InputError(say("uploads.no_rows", file=path.name))
    return rows


def refuse_lines(path: Path, faults: Iterable[tuple[str, Sequence[int]]], say: Say) -> None:
    """Tell all faults of a file's rows at once.

    Args:
        path: the file as it was uploaded.
        faults: what is wrong, in words, and the lines where.
        say: words of the reader's language.

    Raises:
        InputError: there is any line.
    """
    told = [f"{what} ({listed([str(line) for line in lines], say)})" for what, lines in faults if lines]
    if told:
        raise InputError(say("uploads.lines", file=path.name, faults="; ".join(told)))


def listed(names: Sequence[str], say: Say) -> str:
    """The first few of many names and how many more there are.

    Args:
        names: ids, or numbers of lines.
        say: words of the reader's language.
    """
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" {say('uploads.more', count=more)}" if more > 0 else "")


def _delimiter(text: str, names: Sequence[str]) -> str:
    """What stands between the cells of the header: the one by which most of the names are found."""
    first = text.lstrip().partition("\n")[0].lower()

    def found(delimiter: str) -> int:
        return len({cell.strip().strip('"') for cell in first.split(delimiter)} & set(names))

    return max(_DELIMITERS, key=found)


def _places(
    path: Path, header: Sequence[str], columns: Sequence[str], optional: Sequence[str], say: Say
) -> dict[str, int]:
    """Where each column stands."""
    lacking = [name for name in columns if name not in header]
    if lacking:
        raise InputError(
            say(
                "uploads.columns",
                file=path.name,
                lacking=", ".join(lacking),
                wanted=",".join(columns),
                found=", ".join(cell[:30] for cell in header[:12]),
            )
        )
    double = [name for name in (*columns, *optional) if header.count(name) > 1]
    if double:
        raise InputError(say("uploads.double", file=path.name, columns=", ".join(double)))
    return {name: header.index(name) for name in (*columns, *optional) if name in header}
