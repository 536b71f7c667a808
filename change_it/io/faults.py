"""What can be wrong with a file, each fault an `InputError` of one sentence."""

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from change_it.errors import InputError

#: What can be wrong with a small table: a key, and the sentence of the command line.
FAULTS = {
    "missing": "{file} does not exist: check the path",
    "empty": "{file} is empty: give a file with a header and at least one row",
    "no_rows": "{file} has a header and no rows: add at least one",
    "rows": "{file} has more than {most:,} rows: split it into smaller files",
    "encoding": "{file} is not text in UTF-8: save it as UTF-8",
    "nulls": "{file} holds null bytes and so is not text: save it as CSV in UTF-8",
    "columns": "{file} lacks the column {lacking} (it has {found}): the columns are {wanted}",
    "renamed": "{file} has no column {lacking} as --columns wants it (it has {found}): correct the map",
    "double": "{file} has more than one column {columns}: keep one of them",
    "fields": "{file}, line {line}: {found} cells and {wanted} columns; put texts with commas or line breaks in quotes",
    "csv": "{file}, line {line}: a quote is never closed or not doubled; put texts with commas or line breaks in quotes, and "
    "double the quotes inside",
    "long": "{file}, line {line}: more than {most:,} characters in one row; shorten it",
    "json": "{file}, line {line}: {fault}; write one JSON object a line",
    "packed": "{file} is a spreadsheet or packed, not text: save it as CSV in UTF-8, or unpack it",
    "parquet": "{file} is not a parquet file: export it again, or rename it to what it is",
}
#: Faults of a file or disk that no code can mend, and what the user can do.
_REASONS = {
    errno.ENOSPC: "the disk is full; free some space or choose another place",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another place",
    errno.EFBIG: "the file gets larger than is allowed here; choose another place",
    errno.EACCES: "there is no permission; change its rights or choose another place",
    errno.EPERM: "there is no permission; change its rights or choose another place",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.ENOTDIR: "a part of the path is a file; choose another place",
    errno.EISDIR: "it is a folder; name a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}
_LIBRARIES = ("safetensors", "pyo3_runtime", "polars", "pyarrow")
_OS_ERROR = re.compile(r"\(os error (\d+)\)")


class TableError(InputError):
    """A small table that cannot be used."""

    def __init__(self, key: str, file: Path, **values: object):
        super().__init__(FAULTS[key].format(file=file, **values))
        self.key = key
        self.values: dict[str, object] = {"file": file.name, **values}


@contextmanager
def file_errors(what: str) -> Iterator[None]:
    """Turn whatever goes wrong with a file in the block into one sentence that begins with `what`."""
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # polars' PanicException is no Exception
        library = type(error).__module__.split(".")[0] in _LIBRARIES
        reason = disk_fault(error)
        if not (reason or library or isinstance(error, OSError)):
            raise
        text = getattr(error, "strerror", None) or str(error).strip().partition("\n")[0]
        raise InputError(f"{what}: {reason or text or type(error).__name__}") from error


def disk_fault(error: BaseException) -> str:
    """What a full or closed disk or a wrong path means and how to mend it; empty for every other exception."""
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0, "")
    if "PytorchStreamWriter" in str(error):
        return _REASONS[errno.ENOSPC]
    number = _OS_ERROR.search(str(error))  # of libraries in Rust
    return _REASONS.get(int(number[1]), "") if number else ""


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """One sentence where a JSON object that this package wrote is not as it writes it."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is broken: run what writes it again") from error


def listed(names: Sequence[str], most: int = 10) -> str:
    """The first of many names, each on one line and not too long, and how many more there are."""
    more = len(names) - most
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = ", ".join(line if len(line) <= 80 else line[:79] + "…" for line in lines)
    return shown + (f" and {more} more" if more > 0 else "")
