"""Records of a CSV file; a quote that is never closed costs its own line, not the rows after it."""

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, TextIO

#: Characters of a record, line breaks included; a longer one is a fault.
LONGEST = 10_000_000
NEVER_CLOSED = "quote that is never closed"
TOO_LONG = f"more than {LONGEST:,} characters"

#: Cells of several lines in a row.
_MOST = 50
#: Lines of a cell of several lines, and their share that are rows on their own, from which it is not believed.
_MANY, _ALMOST_ALL = 5, 0.9
_CLOSING = re.compile('(?<!")(?:"")*"(?!")')


class CsvRecord(NamedTuple):
    """A record, or why it cannot be read."""

    line: int  # of the file, from 1
    cells: list[str]
    fault: str = ""


def read_lines(file: TextIO) -> Iterator[str]:
    """The lines of a file, longer ones cut after `LONGEST` characters."""
    parts = iter(partial(file.readline, LONGEST), "")
    for text in parts:
        yield text
        while len(text) == LONGEST and text[-1] not in "\r\n":
            text = next(parts, "")


def csv_records(
    lines: Iterator[str], *, delimiter: str, width: int, line: int, strict: bool
) -> Iterator[CsvRecord]:
    """The records of a table with `width` cells a row, in linear time and bounded memory; with `strict`, the first quote at fault ends them."""
    csv.field_size_limit(3 * LONGEST)
    most = min(width, _MOST)
    again: deque[str] = deque()  # lines that a quote had taken in
    taken: list[str] = []  # lines of this record
    stopped = ""  # why it has no more
    closing = 0  # which of them closes the quote that the first leaves open

    def feed() -> Iterator[str]:
        nonlocal stopped, closing
        size = quoted = 0
        for text in chain(_emptied(again), lines):
            if not taken:
                size = quoted = closing = 0
            elif '"' in text and '"' in text.replace('""', ""):
                closing = closing or len(taken)
                quoted += 1
            if size >= LONGEST or quoted > most:
                again.appendleft(text)
                stopped = TOO_LONG if size >= LONGEST else NEVER_CLOSED
                return
            size += len(text)
            taken.append(text)
            yield text
        stopped = NEVER_CLOSED

    while True:
        stopped = ""
        try:
            for cells in csv.reader(feed(), delimiter=delimiter, strict=strict):
                fault = TOO_LONG if len(taken[0]) >= LONGEST else stopped
                sound = not stopped and len(cells) == width
                swallowed = len(taken) > 1 and _takes_in_rows(taken, closing, delimiter, width, sound=sound)
                if swallowed:
                    fault = NEVER_CLOSED
                    again.extendleft(reversed(taken[1:]))
                    del taken[1:]
                yield CsvRecord(line, cells, fault)
                line += len(taken)
                taken.clear()
                if stopped or swallowed:
                    break
            else:
                return
        except csv.Error:
            yield CsvRecord(line, [], stopped or NEVER_CLOSED)
            return


def _emptied(lines: deque[str]) -> Iterator[str]:
    while lines:
        yield lines.popleft()


def _takes_in_rows(lines: Sequence[str], closing: int, delimiter: str, width: int, *, sound: bool) -> bool:
    """Whether the quote that the first line of a record leaves open was never closed.

    The lines up to the one that closes it are asked whether each is a row on its own. Half of them are enough where the
    record is no good row: it is not `sound`, or the quote that closes stands where one opens, or not at the end of a cell.
    A good row is one of several lines unless it is long and almost all its lines are rows, the first and last too.
    """
    last = closing or len(lines) - 1
    least = 0.5 * last
    if sound and _ends_a_cell(lines[last], delimiter):
        both = last >= _MANY and all(_is_row(text, delimiter, width) for text in (lines[0], lines[last]))
        if width == 1 or not both:
            return False
        least = _ALMOST_ALL * last
    return sum(_is_row(text, delimiter, width) for text in islice(lines, 1, last + 1)) >= least


def _ends_a_cell(text: str, delimiter: str) -> bool:
    """Whether the first quote that is not doubled stands where a quoted cell ends and none begins."""
    quote = _CLOSING.search(text)
    assert quote
    after = text[quote.end() : quote.end() + 1]
    return after in (delimiter, "\r", "\n", "") and not text[: quote.start()].endswith(delimiter)


def _is_row(text: str, delimiter: str, width: int) -> bool:
    """Whether a line on its own has the cells of a row, or may have them with lines that follow."""
    text = text.rstrip("\r\n")
    if '"' not in text:
        return bool(text) and text.count(delimiter) + 1 == width
    cells = next(csv.reader([f"{text}\n"], delimiter=delimiter))
    return len(cells) <= width if cells[-1].endswith("\n") else len(cells) == width
