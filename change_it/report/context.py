"""What a report tells beside the scores: where the corpus comes from and how good the judges are.

Read from the JSON files that `corpus build` and `train judge` leave in their folders; what is not
there (judges on the Hub, a corpus of somebody else) is left out of the report.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS = ("main", "hh", "ah")


@dataclass(frozen=True)
class Histogram:
    """Similarities of compared articles.

    Attributes:
        edges: lower ends of the bins, rising.
        counts: pairs in each bin.
        strict: strict threshold.
        loose: loose threshold.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    strict: float
    loose: float


@dataclass(frozen=True)
class CorpusInfo:
    """The corpus in figures.

    Attributes:
        facts: what to the number of it, in the order to show.
        rejected: reason to the number of rows.
        histogram: similarities, None where unknown.
    """

    facts: dict[str, str]
    rejected: dict[str, int]
    histogram: Histogram | None


@dataclass(frozen=True)
class Quality:
    """A judge or a plain baseline on the gold test set.

    Attributes:
        task: main, hh or ah.
        name: `judge`, or the baseline's name.
        f1: macro-averaged F1 in 0-1; None where unknown.
        classes: class to (precision, recall, F1).
    """

    task: str
    name: str
    f1: float | None
    classes: dict[str, tuple[float, float, float]]


def corpus_info(corpus: str) -> CorpusInfo | None:
    """Read `alignment.json` of a corpus folder.

    Args:
        corpus: folder, or anything else.

    Returns:
        The figures; None where the file is not there.
    """
    record = _record(Path(corpus) / "alignment.json")
    if record is None:
        return None
    rejected = {str(key): int(value) for key, value in dict(record.get("rejected") or {}).items()}
    facts: dict[str, str] = {}
    for key, label in (("rows", "rows read"), ("kept", "rows kept")):
        if key in record:
            facts[label] = f"{record[key]:,}"
    if "rows" in record:
        facts["rows rejected"] = f"{sum(rejected.values()):,}"
    for key, value in dict(record.get("counts") or {}).items():
        if isinstance(value, int):
            facts[key.replace("_", " ")] = f"{value:,}"
    for name in ("strict", "loose"):
        if name in record.get("thresholds", {}):
            facts[f"{name} threshold"] = f"{record['thresholds'][name]:g}"
    histogram = record.get("histogram")
    return CorpusInfo(
        facts=facts,
        rejected=dict(sorted(rejected.items(), key=lambda pair: -pair[1])),
        histogram=Histogram(
            edges=tuple(histogram["edges"][: len(histogram["counts"])]),
            counts=tuple(histogram["counts"]),
            strict=record["thresholds"]["strict"],
            loose=record["thresholds"]["loose"],
        )
        if histogram
        else None,
    )


def judges_info(judges: str) -> list[Quality]:
    """Read `metrics.json` of each judge.

    Args:
        judges: folder with main, hh and ah, or anything else.

    Returns:
        Each judge followed by its baselines; empty where the files are not there.
    """
    return [
        row for task in TASKS for row in _qualities(task, _record(Path(judges) / task / "metrics.json") or {})
    ]


def _qualities(task: str, record: Mapping[str, Any]) -> Iterator[Quality]:
    if "test" in record:
        yield _quality(task, "judge", record["test"])
    for name, result in dict(record.get("baselines") or {}).items():
        yield _quality(task, name, result)


def _quality(task: str, name: str, result: Mapping[str, Any]) -> Quality:
    classes = {
        label: (float(cell["precision"]), float(cell["recall"]), float(cell["f1"]))
        for label, cell in dict(result.get("classes") or {}).items()
    }
    f1 = result.get("f1")
    return Quality(task, name.replace("_", " "), None if f1 is None else float(f1), classes)


def _record(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
