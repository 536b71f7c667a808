"""End a command as a shell expects it: with an exit code, and one sentence for what the user can mend."""

import errno
import os
import re
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from change_it.errors import InputError, add_versions, escaped
from change_it.files.atomic import WRITING

#: Exit code for bad input, and for a fault of the disk.
BAD_INPUT = 2
#: Exit code after an interruption.
INTERRUPTED = 130
#: Exit code where nobody reads the output.
NOT_READ = 141
#: Errors of a disk that is full, or of a user's share of it.
_FULL = {errno.ENOSPC, errno.EDQUOT}
#: Errors of reading and writing files. Those of connections and processes are none.
_OF_FILES = _FULL | {
    errno.EACCES,
    errno.EBUSY,
    errno.EEXIST,
    errno.EFBIG,
    errno.EIO,
    errno.EISDIR,
    errno.ELOOP,
    errno.EMFILE,
    errno.ENAMETOOLONG,
    errno.ENFILE,
    errno.ENODEV,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENOTEMPTY,
    errno.ENXIO,
    errno.EPERM,
    errno.EROFS,
    errno.ESTALE,
    errno.ETXTBSY,
    errno.EXDEV,
}
#: Number of an error in a message of polars or safetensors, which are written in Rust.
_NUMBER_IN_RUST = re.compile(r"\(os error (\d+)\)")


def exit_on_input_error(call: Callable[[], None]) -> int:
    """Run `call` and return the exit code of the program; faults of the package raise.

    Bad input and faults of the disk become one sentence on standard error, and so does an interruption. tyro
    exits itself where it cannot read an option.
    """
    try:
        try:
            call()
        finally:
            sys.stdout.flush()  # here it is seen whether anybody reads it
        return 0
    except InputError as error:
        return _end(str(error), BAD_INPUT)
    except KeyboardInterrupt as error:
        notes = getattr(error, "__notes__", ["no result was replaced"])
        return _end(f"interrupted: {notes[0]}", INTERRUPTED)
    except BrokenPipeError:
        if not _nobody_reads():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be printed
        return NOT_READ
    except MemoryError:
        return _end("there is not enough memory for this input: give it in parts", BAD_INPUT)
    except Exception as error:
        fault = disk_fault(error)
        if fault:
            return _end(fault, BAD_INPUT)
        if "transformers" in sys.modules:
            add_versions(error)
        raise


def _end(message: str, code: int) -> int:
    """Print why a command ended, and return its exit code."""
    print(escaped(f"change-it: {message}"), file=sys.stderr)
    return code


def _nobody_reads() -> bool:
    """Return whether what read the output, or the messages, has gone.

    Where the system cannot tell, it is taken to have gone.
    """
    if not hasattr(select, "poll"):
        return True
    waiting = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # one that is no file
            waiting.register(stream.fileno(), select.POLLOUT)
    gone = select.POLLERR | select.POLLHUP
    return any(event & gone for _, event in waiting.poll(0))


def disk_fault(error: Exception) -> str:
    """Return a sentence about a fault of reading or writing a file of the user's; empty for any other.

    It is the user's where the error was raised while a file was written, where the system names a file that
    is not the program's own, or where a disk is full.
    """
    number = _error_number(error)
    if number not in _OF_FILES:
        return ""
    is_full = number in _FULL
    name = _file_of(error)
    if not is_full and (not name or _is_ours(name)):
        return ""
    mend = "; free some, and call the same command again" if is_full else ""
    where = f"{name}: " if name else ""
    return f"{where}{os.strerror(number)}{mend}"


def _error_number(error: Exception) -> int:
    """Return the system's number of an error, which libraries hide in their messages, or 0."""
    text = str(error)
    if "PytorchStreamWriter" in text:  # torch does not say why it could not write
        return errno.ENOSPC
    in_rust = _NUMBER_IN_RUST.search(text)
    if in_rust:
        return int(in_rust[1])
    number = getattr(error, "errno", None)
    return number if isinstance(number, int) else 0


def _file_of(error: Exception) -> str:
    """Return the file that was written, or that the system names; empty where none is known."""
    being_written = [note for note in getattr(error, "__notes__", []) if note.startswith(WRITING)]
    if being_written:
        return being_written[-1].removeprefix(WRITING)
    named = getattr(error, "filename", None)
    if isinstance(named, str | bytes | os.PathLike):
        return os.fsdecode(named)
    return ""


def _is_ours(file: str) -> bool:
    """Return whether a file is of the package or of the Python that runs it."""
    path = Path(file).absolute()
    folders = (Path(__file__).parents[1], sys.prefix, sys.base_prefix)
    return any(path.is_relative_to(folder) for folder in folders)
