"""What a report shows of corpus and judges, read from the JSON files in their folders."""

import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Any

from change_it import __version__
from change_it.audit.verdicts import read_metrics
from change_it.io import read_json
from change_it.judges.judge_options import no_better_than

#: Libraries whose versions a report names.
LIBRARIES = ("torch", "transformers", "numpy", "scikit-learn", "polars")


@dataclass(frozen=True)
class CorpusInfo:
    """The corpus in figures."""

    facts: dict[str, int]  # what, to the number of it
    rejected: dict[str, int]  # reason to the number of rows
    record: Mapping[str, Any]  # its `alignment.json`


@dataclass(frozen=True)
class Quality:
    """A judge or a plain baseline on one test set."""

    task: str
    test: str  # for hh and ah the kind of its mismatches
    name: str  # `judge`, or the baseline's name
    f1: float  # mean of the two classes
    classes: dict[str, tuple[float, float, float]]  # precision, recall, F1
    no_better_than: tuple[str, ...] = ()  # baselines that the judge is not surely ahead of


def corpus_info(corpus: str) -> CorpusInfo | None:
    """The figures in `alignment.json` of a corpus folder; None where there is no such file."""
    record = read_json(Path(corpus) / "alignment.json")
    if record is None:
        return None
    pairs, splits, leaks = record["pairs"], record["splits"], record["leak_check"]["found"]
    facts = {
        "rows read": record["rows"],
        "rows kept": record["kept"],
        "rows rejected": record["rows"] - record["kept"],
        "pairs above the strict threshold": pairs["above_strict"],
        "pairs above the loose threshold": pairs["above_loose"],
        **{f"articles in {name}": sum(by_outlet.values()) for name, by_outlet in splits.items()},
        "leaks found": sum(leaks.values()),
    }
    rejected = dict(sorted(record["rejected"].items(), key=lambda pair: (-pair[1], pair[0])))
    return CorpusInfo(facts, rejected, record)


def judges_info(judges: str | Path) -> list[Quality]:
    """Each judge on each test set, followed by its baselines; nothing where there is no `metrics.json`."""
    return [row for task, record in read_metrics(judges).items() for row in _qualities(task, record)]


def _qualities(task: str, record: Mapping[str, Any]) -> Iterator[Quality]:
    """A judge and its baselines, test set by test set."""
    systems = {"judge": record["results"], **record["baselines"]}
    for test in record["results"]:
        for name, results in systems.items():
            result = results[test]
            measures = itemgetter("precision", "recall", "f1")
            classes = {label: measures(result[label]) for label in record["classes"]}
            unbeaten = no_better_than(record, test) if name == "judge" else ()
            yield Quality(task, test, name, result["macro_f1"], classes, unbeaten)


def made() -> dict[str, str]:
    """When, with which version, on what machine and with which libraries a report is made, for its page and `scores.json`."""
    import torch

    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processor = _processor() or platform.machine()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": " ".join(filter(None, (f"change_it {__version__}", _commit()))),
        "hardware": ", ".join((f"{cores} × {processor}", *gpus)),
        "libraries": ", ".join(
            [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
        ),
    }


def _processor() -> str:
    """The processor's name, empty where the system does not say it."""
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"^model name\s*: (.*)", text, re.MULTILINE):
            return found[1]
    return platform.processor()


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
