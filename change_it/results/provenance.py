"""Date, version and libraries of a report."""

import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from change_it import __version__

#: Libraries whose versions a report names.
LIBRARIES = ("torch", "transformers", "numpy", "scikit-learn", "polars")


def made() -> dict[str, str]:
    """Date, version and libraries of a report, for its page and `scores.json`."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": " ".join(filter(None, (f"change_it {__version__}", _commit()))),
        "libraries": ", ".join(
            [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
        ),
    }


def _commit() -> str:
    """The commit of a checkout that the package runs from, empty for an installed one."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
