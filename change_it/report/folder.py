"""The folder of a report: what may become one, and how a report replaces an earlier one."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from change_it.errors import InputError
from change_it.io import check_writable, replace_folder

#: What `write_report` writes into its folder; the first file marks a folder as ours.
REPORT_FILES = ("systems.csv", "scores.json", "report.html", "items", "charts", "hevas")
#: What `write_hevas` writes, as above.
HEVAS_FILES = ("summary.csv", "summary.json", "report.html", "items", "charts")
#: What `write_audit` writes, as above.
AUDIT_FILES = ("audit.json", "audit.html")


def check_out(out: Path, files: Sequence[str]) -> None:
    """Refuse, before the work begins, a place that a report cannot be written to."""
    check_writable(out, kind="folder")
    if out.is_dir() and any(out.iterdir()) and not (out / files[0]).is_file():
        raise InputError(f"--out {out} holds other files and no report: choose a folder that is new or empty")


@contextmanager
def replaced_report(out: Path, files: Sequence[str]) -> Iterator[Path]:
    """An empty folder that replaces a report when the block ends well; other files of the old one stay."""
    check_out(out, files)
    with replace_folder(out) as folder:
        yield folder
        for path in out.iterdir() if out.is_dir() else ():
            if path.name not in files:
                copy = shutil.copytree if path.is_dir() else shutil.copy2
                copy(path, folder / path.name)
