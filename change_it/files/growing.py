"""A CSV file that grows row by row, so that a later run goes on from an interrupted one."""

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

Key = TypeVar("Key")
Part = TypeVar("Part")


def earlier_rows(path: Path) -> list[list[str]]:
    """Return the header and the rows that an interrupted run has written.

    Blank lines and a row that was cut off are left out.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n")
    while end >= 0 and data.count(b'"', 0, end) % 2:  # a line break inside a cell that was cut off
        end = data.rfind(b"\n", 0, end)
    text = data[: end + 1].decode(errors="replace")
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row]


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
        Path(lock.lock_file).unlink(missing_ok=True)  # whoever has opened it meanwhile sees that it is gone
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
    """Write the rows of an earlier run, and then those that `answer` gives for each of the other parts, which join `rows`.

    They are on the disk as soon as they are there. What ends the run before, InputError or Ctrl-C, which waits for the parts in
    the threads of a `pool`, says how many of the `total` are kept; a file without any is deleted. `path` is held by `only_run`.
    """
    lock = Lock()
    write_table(path, header, rows.values())
    with bar(work, total, initial=len(rows)) as done_bar:

        def finish(part: Part) -> None:
            new, text = answer(part), io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(new.values())
            with lock, naming(path), path.open("ab") as file:
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))
                file.flush()
                os.fsync(file.fileno())
                rows.update(new)
                done_bar.update(len(new))

        try:
            with pool or nullcontext():
                list((pool.map if pool else map)(finish, parts))
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
