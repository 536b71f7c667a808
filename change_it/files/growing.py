"""Write a CSV file row by row, so that a later run goes on from an interrupted one."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import TypeVar

from filelock import FileLock, Timeout

from change_it.errors import InputError
from change_it.files.atomic import naming, write_table
from change_it.progress import bar

#: What tells one row from the others.
Key = TypeVar("Key")
#: What is answered at once: one row or a batch of them.
Part = TypeVar("Part")


def earlier_rows(path: Path) -> list[list[str]]:
    """Return the header and the rows that an interrupted run has written.

    Blank lines and a row that was cut off are left out.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n")
    # an odd number of quotes before a line break: it stands inside a cell, in a row that was cut off
    while end >= 0 and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end)
    whole_rows = data[: end + 1].decode(errors="replace")
    reader = csv.reader(io.StringIO(whole_rows, newline=""))
    return [row for row in reader if row]


@contextmanager
def only_run(path: Path) -> Iterator[None]:
    """Hold a file for one run; refuse a second one, of this machine, that would write it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(
            f"another run writes {path}: wait until it has ended, or give another --out"
        ) from error
    try:
        yield
    finally:
        # whoever has opened the lock file meanwhile sees that it is gone
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


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
    """Write the rows of an earlier run, and then those of the other parts as they are answered.

    Each row is on the disk as soon as it is answered. An InputError or Ctrl-C that ends the run says how many
    rows are kept; a file without any is deleted. Ctrl-C waits for the parts in the threads of the pool.

    Args:
        path: the file, which `only_run` holds.
        header: its columns.
        rows: the rows of an earlier run by their keys; new ones are added to it.
        parts: what is still to be answered.
        answer: returns the rows of a part by their keys.
        pool: threads that answer parts; None answers one after another.
        total: number of rows in the end.
        work: what the progress bar is called.
    """
    lock = Lock()
    write_table(path, header, rows.values())
    with bar(work, total, initial=len(rows)) as done_bar:

        def finish(part: Part) -> None:
            new = answer(part)
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(new.values())
            with lock, naming(path), path.open("ab") as file:
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))
                file.flush()
                os.fsync(file.fileno())
                rows.update(new)
                done_bar.update(len(new))

        try:
            with pool or nullcontext():
                finished = pool.map(finish, parts) if pool else map(finish, parts)
                for _ in finished:
                    pass
        except BaseException as error:
            if not rows:
                path.unlink(missing_ok=True)
                raise
            kept = f"{len(rows):,} of {total:,} rows are kept, and the same command goes on with the others"
            if isinstance(error, InputError):
                raise InputError(f"{error} ({kept})") from error
            if isinstance(error, KeyboardInterrupt):
                error.add_note(kept)
            raise
