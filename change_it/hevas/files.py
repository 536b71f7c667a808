"""What an evaluation leaves on the disk: tables, charts and a page, moved into place when all of them are written."""

import csv
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from change_it.errors import InputError
from change_it.hevas import charts, page
from change_it.hevas.analysis import OVERALL, Analysis
from change_it.hevas.documents import Documents, System
from change_it.hevas.evaluation import Evaluation

_FOLDERS = ("items", "charts")
#: The file that tells a folder of ours from others.
_SUMMARY = "summary.csv"


def write_files(
    out: Path,
    documents: Documents,
    systems: Sequence[System],
    evaluation: Evaluation,
    analysis: Analysis,
    *,
    drawings: Sequence[str] = page.DRAWINGS,
) -> None:
    """Write `report.html`, `summary.csv`, `summary.json`, `items/<system>.csv` and `charts/*.png` and `*.svg`.

    Args:
        out: folder; made if it is not there. Files of the same names are replaced, those of an earlier evaluation removed.
        documents: n documents.
        systems: their headlines.
        evaluation: the values.
        analysis: the statistics.
        drawings: of `page.DRAWINGS`.

    Raises:
        InputError: the folder cannot be written.
    """
    figures = page.draw(evaluation, analysis, drawings)
    with _published(out) as folder:
        for name in _FOLDERS:
            (folder / name).mkdir()
        for system in systems:
            _write_csv(folder / "items" / f"{system.name}.csv", _items(documents, system, evaluation))
        _write_csv(folder / _SUMMARY, summary(evaluation))
        told = json.dumps(as_dict(evaluation, analysis), indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "summary.json").write_text(told + "\n", encoding="utf-8")
        for drawing in figures:
            for kind in ("png", "svg"):
                charts.save(drawing.figure, folder / "charts" / f"{drawing.name}.{kind}")
        html = page.render(documents, evaluation, analysis, figures)
        (folder / "report.html").write_text(html, encoding="utf-8")


def summary(evaluation: Evaluation) -> list[list[Any]]:
    """The table of systems, the best first.

    Args:
        evaluation: the values.

    Returns:
        A header and a row a system: rank, system, n, empty headlines, average, then mean and rank of each metric (KL has
        no rank), signature.
    """
    means, ranks, overall = evaluation.means, evaluation.ranks, evaluation.overall
    header = ["rank", "system", "n", "empty", OVERALL]
    for metric in evaluation.metrics:
        header += [metric, f"{metric} rank"] if metric in evaluation.averaged else [metric]
    rows: list[list[Any]] = [[*header, "signature"]]
    for system in evaluation.ranking:
        place = 1 + sum(overall[other] > overall[system] for other in overall) if overall else ""
        row = [
            place,
            system,
            len(evaluation.ids),
            evaluation.empty_headlines[system],
            overall.get(system, ""),
        ]
        for metric in evaluation.metrics:
            row += [
                means[system][metric],
                *([ranks[system][metric]] if metric in evaluation.averaged else []),
            ]
        rows.append([*row, evaluation.signature])
    return rows


def as_dict(evaluation: Evaluation, analysis: Analysis) -> dict[str, Any]:
    """Everything but the values of single documents, ready for JSON.

    Args:
        evaluation: the values.
        analysis: the statistics.

    Returns:
        `signature`, `n`, `metrics`, `systems` (the best first: average, empty headlines, means, ranks), `comparisons`,
        `correlations`.
    """
    means, ranks = evaluation.means, evaluation.ranks
    return {
        "signature": evaluation.signature,
        "n": len(evaluation.ids),
        "metrics": list(evaluation.metrics),
        "systems": {
            system: {
                OVERALL: evaluation.overall.get(system),
                "empty": evaluation.empty_headlines[system],
                "means": means[system],
                "ranks": ranks[system],
            }
            for system in evaluation.ranking
        },
        **analysis.as_dict(),
    }


def _items(documents: Documents, system: System, evaluation: Evaluation) -> list[list[Any]]:
    """One row a document: id, headline, the metrics."""
    rows = zip(documents.ids, system.headlines, evaluation.values[system.name].tolist(), strict=True)
    return [
        ["id", "headline", *evaluation.metrics],
        *([id_, headline, *values] for id_, headline, values in rows),
    ]


def _write_csv(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


@contextmanager
def _published(out: Path) -> Iterator[Path]:
    """An empty folder beside `out`; its files are moved there when the block ends well, and are gone when it does not."""
    check_writable(out)
    folder = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except OSError as error:
            raise InputError(f"cannot write to {out}: {error.strerror}; choose another --out") from error
        yield folder
        if (out / _SUMMARY).is_file():
            for name in _FOLDERS:
                shutil.rmtree(out / name, ignore_errors=True)
        if not out.exists():
            folder.rename(out)
            return
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            place = out / path.relative_to(folder)
            place.parent.mkdir(exist_ok=True)
            path.replace(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_writable(out: Path) -> None:
    """Refuse a place that no folder can be at, before the work begins.

    Args:
        out: the folder to be.

    Raises:
        InputError: it is a file, or lies below one.
    """
    at = out
    while not at.exists() and at != at.parent:
        at = at.parent
    if not at.is_dir():
        raise InputError(f"cannot write to {out}: {at} is a file; choose another --out")
    if not os.access(at, os.W_OK):
        raise InputError(f"cannot write to {out}: no permission in {at}; choose another --out")
