"""Date, version, machine and libraries of a report."""

import os
import platform
import re
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from change_it import __version__

#: Libraries whose versions a report names.
LIBRARIES = ("torch", "transformers", "numpy", "scikit-learn", "polars")


def made() -> dict[str, str]:
    """Date, version, machine and libraries of a report, for its page and `scores.json`."""
    import torch

    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processor, commit, root = platform.processor() or platform.machine(), "", Path(__file__).parents[2]
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"^model name\s*: (.*)", text, re.MULTILINE):
            processor = found[1]
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
        with suppress(OSError, subprocess.SubprocessError):
            commit = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    libraries = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": f"change_it {__version__} {commit}".strip(),
        "hardware": ", ".join((f"{cores} × {processor}", *gpus)),
        "libraries": ", ".join(libraries),
    }
