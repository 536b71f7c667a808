"""Files that people upload, every fault one sentence; and files that they download."""

import atexit
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp
from typing import Any

from change_it import io
from change_it.errors import InputError
from change_it.io import SUFFIXES, Record, read_records, read_text
from change_it.results.charts import Drawing, save
from change_it.space.limits import LIMITS, printable
from change_it.translation import Joined, Message

#: Queue of the tabs that work on tables: one at a time, so that the Transfer tab stays quick; the others wait.
TABLES_QUEUE: dict[str, Any] = {"concurrency_id": "tables", "concurrency_limit": 1}

_LISTED = 5


@cache
def own_folder() -> Path:
    """This process's folder of what is uploaded and handed out, which Gradio's components then use; it goes when the process ends."""
    base = Path(os.environ.get("GRADIO_TEMP_DIR") or gettempdir())
    base.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix="change-it-page-", dir=base)).resolve()
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def uploaded(files: Any) -> list[Path]:
    """The uploaded files of a `gr.File`: none, one or many."""
    if not files:
        return []
    return [Path(file) for file in (files if isinstance(files, list) else [files])]


def read_upload(path: Path, required: Sequence[str], optional: Sequence[str] = ()) -> list[Record]:
    """The rows of an uploaded table: CSV, TSV or JSON lines; see `io.read_records`.

    Raises:
        InputError: it is no such table, too large, or has too many rows.
    """
    if SUFFIXES.get(path.suffix.lower()) == "parquet":  # ten megabytes of it can hold gigabytes
        raise InputError(Message("uploads.parquet", file=path.name))
    with _fault_of(path):
        return read_records(path, required=required, optional=optional, max_rows=LIMITS.rows)


def read_lines(path: Path) -> list[str]:
    """The lines of an uploaded text file."""
    with _fault_of(path):
        text = printable(read_text(path).replace("\r\n", "\n"))
    if not text.strip():
        raise InputError(Message("uploads.empty", file=path.name))
    return text.removesuffix("\n").split("\n")


def refuse_lines(path: Path, faults: Iterable[tuple[str, Sequence[int]]]) -> None:
    """Refuse a file whose rows have faults: what is wrong, and the lines where."""
    messages = [
        Message("uploads.fault", fault=fault, lines=listed(list(map(str, lines))))
        for fault, lines in faults
        if lines
    ]
    if messages:
        raise InputError(Message("uploads.lines", file=path.name, faults=Joined(messages, "; ")))


def listed(names: Sequence[str]) -> str:
    """The first few of many names, none of them too long, and how many more there are."""
    more = len(names) - _LISTED
    shown = io.listed(names[:_LISTED])
    return Message("uploads.more", names=shown, count=more) if more > 0 else shown


def downloads(write: Callable[[Path], Sequence[Path]]) -> list[str]:
    """Write files into an empty folder; those that `write` returns are kept where Gradio hands them out and in the end removes them."""
    from gradio.processing_utils import save_file_to_cache
    from gradio.utils import get_upload_folder

    with TemporaryDirectory() as folder:
        return [save_file_to_cache(path, cache_dir=get_upload_folder()) for path in write(Path(folder))]


def write_charts(folder: Path, drawings: Sequence[Drawing]) -> list[Path]:
    """Write charts as PNG; hold `upload_tab.CHARTS_LOCK`."""
    paths = [folder / f"{drawing.name}.png" for drawing in drawings]
    for path, drawing in zip(paths, drawings, strict=True):
        save(drawing.figure, path)
    return paths


@contextmanager
def _fault_of(path: Path) -> Iterator[None]:
    """Refuse a file that is too large, and name one that is at fault as it was uploaded."""
    size = path.stat().st_size if path.is_file() else 0
    if size > LIMITS.bytes:
        megabytes = round(size / 1e6, 1)
        raise InputError(
            Message("uploads.bytes", file=path.name, most=LIMITS.bytes // 1_000_000, found=megabytes)
        )
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from error
