"""The folder of a report: what may become one, and how a report replaces an earlier one."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from change_it.errors import InputError
from change_it.io import check_writable, replace_folder

#: What `write_report` writes into its folder; the first file marks a folder as ours.
REPORT_FILES = ("systems.csv", "systems.tex", "scores.json", "report.html", "items")
#: What `write_hevas` writes, as above.
HEVAS_FILES = ("summary.csv", "summary.json", "report.html", "items", "charts")
#: What `write_audit` writes, as above.
AUDIT_FILES = ("audit.json", "audit.html")


def check_out(out: Path, files: Sequence[str], *, inputs: Iterable[str | Path | None] = ()) -> None:
    """Refuse, before the work begins, a place that a report cannot be written to, or that holds one of the `inputs`."""
    check_writable(out, kind="folder", inputs=inputs)
    if out.is_dir() and any(out.iterdir()) and not (out / files[0]).is_file():
        raise InputError(f"--out {out} holds other files and no report: choose a folder that is new or empty")


@contextmanager
def replaced_report(out: Path, files: Sequence[str]) -> Iterator[Path]:
    """An empty folder that replaces a report when the block ends well; other files of the old one stay."""
    check_out(out, files)
    with replace_folder(out, ours=files) as folder:
        yield folder
