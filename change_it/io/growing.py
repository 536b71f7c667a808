"""A CSV file that grows row by row, so that a later run goes on from an interrupted one."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import TypeVar

from change_it.errors import InputError
from change_it.io.files import write_table
from change_it.progress import bar

Key = TypeVar("Key")
Part = TypeVar("Part")


def earlier_rows(path: Path) -> list[list[str]]:
    """The header and the rows that an interrupted run has written; a line that was cut off is left out."""
    text = path.read_bytes().rpartition(b"\n")[0].decode(errors="replace") if path.exists() else ""
    return [*csv.reader(text.split("\n"))] if text else []


def write_growing(
    path: Path,
    header: Sequence[str],
    rows: dict[Key, list[str]],
    parts: Iterable[Part],
    answer: Callable[[Part], dict[Key, list[str]]],
    *,
    pool: Executor | None,
    total: int,
    work: str,
) -> None:
    """Write the rows of an earlier run, and then those that `answer` gives for each of the other parts, which join `rows`.

    They are on the disk as soon as they are there. What ends the run before, InputError or Ctrl-C, which waits for the parts in
    the threads of a `pool`, says how many of the `total` are kept; a file without any is deleted.
    """
    lock = Lock()
    write_table(path, header, rows.values())
    with bar(work, total, initial=len(rows)) as done_bar:

        def finish(part: Part) -> None:
            new, text = answer(part), io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(new.values())
            with lock, path.open("ab") as file:
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))
                file.flush()
                os.fsync(file.fileno())
                rows.update(new)
                done_bar.update(len(new))

        try:
            with pool or nullcontext():
                list((pool.map if pool else map)(finish, parts))
        except (InputError, KeyboardInterrupt) as error:
            kept = f"{len(rows):,} of {total:,} rows are kept, and the same command goes on with the others"
            if not rows:
                path.unlink()
            elif isinstance(error, InputError):
                raise InputError(f"{error} ({kept})") from error
            else:
                error.add_note(kept)
            raise
