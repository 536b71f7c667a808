"""One writer at a time: a second command, thread or machine that wants the same file or folder is refused at once.

The lock of a file or of a folder that is replaced is that of `.NAME.lock` beside it, which goes with the lock; a run's folder
is locked itself, since its parent may be closed to us. The kernel releases the lock of a process that dies, and the next one
takes over its file. Where locks are unknown, on Windows and some network disks, nothing is refused.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, cast

from change_it.errors import InputError

if sys.platform != "win32":
    import fcntl


class _Kept(ExitStack):
    """The locks of a command, by their paths, released when it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: set[Path] = set()


_KEPT: ContextVar[_Kept | None] = ContextVar("kept", default=None)


def flock(descriptor: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file or folder until it is closed; False where somebody else has it and `wait` is not wanted."""
    if sys.platform != "win32":
        try:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            pass
    return True


@contextmanager
def open_locked(path: Path, mode: str) -> Iterator[BinaryIO]:
    """A binary file that no other process reads or writes while the block runs; those that read do not exclude each other."""
    while True:
        with path.open(mode) as opened:
            flock(opened.fileno(), shared=mode == "rb")
            if _has_name(opened.fileno(), path):
                yield cast(BinaryIO, opened)
                return


@contextmanager
def keep_locks() -> Iterator[None]:
    """Keep what `lock` locks locked to the end of the block: of a command."""
    if _KEPT.get() is not None:
        yield
        return
    with _Kept() as kept:
        token = _KEPT.set(kept)
        try:
            yield
        finally:
            _KEPT.reset(token)


def lock(path: Path, *, run: bool, message: str) -> None:
    """Lock a resolved path until the end of `keep_locks`; outside of it see only that nobody else has it."""
    kept = _KEPT.get()
    if kept is None:
        with _hold(path, run=run, message=message):
            return
    if path not in kept.paths:
        kept.enter_context(_hold(path, run=run, message=message))
        kept.paths.add(path)


@contextmanager
def locked(path: Path, *, message: str) -> Iterator[None]:
    """Lock a file or folder, by its resolved path, while it is written; `message` refuses it where somebody else has it."""
    kept = _KEPT.get()
    ours = kept is not None and path in kept.paths
    with nullcontext() if ours else _hold(path, run=False, message=message):
        yield


@contextmanager
def _hold(path: Path, *, run: bool, message: str) -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    folder = path if run else path.parent
    new = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    file = path if run else path.with_name(f".{path.name}.lock")
    descriptor = _open(file, folder, message)
    try:
        yield
    finally:
        with suppress(OSError):
            if not run:
                file.unlink()
            for parent in new:  # made for the lock; nothing came of it where they are empty
                parent.rmdir()
        with suppress(OSError):  # a process that was forked meanwhile has the descriptor too
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _open(file: Path, folder: Path, message: str) -> int:
    """The locked descriptor of a lock file, or of the folder itself."""
    flags = os.O_RDONLY if file == folder else os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    for _ in range(100):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, flags, 0o666)
        except FileNotFoundError:  # the one before removed the folder
            continue
        if not flock(descriptor, wait=False):
            os.close(descriptor)
            raise InputError(message)
        if _has_name(descriptor, file):
            return descriptor
        os.close(descriptor)
    raise InputError(message)


def _has_name(descriptor: int, file: Path) -> bool:
    """Whether an open file still has its name: whoever had the lock before us may have removed or replaced it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    except FileNotFoundError:
        return False
