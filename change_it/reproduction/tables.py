"""Tables that stand in more than one paper: judges, and systems by direction, published beside measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from change_it.corpus.folder import read_outlets
from change_it.errors import InputError
from change_it.io import read_json
from change_it.judges.options import TASKS
from change_it.papers.evalnlgeval2020 import JUDGES, PublishedRow
from change_it.reproduction.options import ReproduceOptions
from change_it.reproduction.scales import RESAMPLES, Kind
from change_it.tables import Column, Row, Table, Value

#: Directions of the papers, by our order of the outlets.
DIRECTIONS = ("rep2gio", "gio2rep", "average")
#: Measures of Table 2 of EvalNLGEval 2020: ours and the paper's name.
MEASURES = {
    "hh": "hh",
    "ah": "ah",
    "main": "main",
    "compliancy": "compliancy",
    "bleu": "bleu",
    "rougeL": "rouge",
}
PUBLISHED, MEASURED, DIFFERENCE = "published", "measured", "difference"

Interval = tuple[float, float]


def read_results(path: Path) -> dict[str, Any]:
    """A JSON file that a step wrote."""
    found = read_json(path)
    if found is None:
        raise InputError(f"{path} is gone: run change-it reproduce again, and leave the folder as it is")
    return found


def classes_of(metrics: Mapping[str, Any], test: str, *, resamples: int, seed: int) -> dict[str, Any]:
    """Precision, recall and F1 of both classes and mean F1 on a test set, each with a 95% interval.

    The four counts are found again from recall and support; drawing them anew is a bootstrap over the test examples.

    Returns:
        Class, or `mean`, to measure to (value, interval).
    """
    result, names = metrics["results"][test], metrics["classes"]
    support = [result[name]["support"] for name in names]
    right = [round(result[name]["recall"] * n) for name, n in zip(names, support, strict=True)]
    cells = [[right[0], support[0] - right[0]], [support[1] - right[1], right[1]]]
    own, bootstrapped = _of_cells(np.array(cells)), _of_cells(draw_cells(cells, resamples, seed))
    found: dict[str, Any] = {}
    for name, measures in own.items():
        ends = {key: np.quantile(bootstrapped[name][key], [0.025, 0.975]).tolist() for key in measures}
        label = {"first": names[0], "second": names[1]}.get(name, name)
        found[label] = {key: (float(value), tuple(ends[key])) for key, value in measures.items()}
    return found


def draw_cells(cells: Any, resamples: int, seed: int) -> Any:
    """Counts of as many answers drawn with replacement: (2, 2) true by given class to (resamples, 2, 2)."""
    flat = np.asarray(cells).ravel()
    drawn = np.random.default_rng(seed).multinomial(flat.sum(), flat / flat.sum(), resamples)
    return drawn.reshape(resamples, 2, 2)


def f1_of(cells: Any) -> dict[str, Any]:
    """F1 of the first and the second class and their mean, from (..., 2, 2) counts, true by given class."""
    return {name: measures["f1"] for name, measures in _of_cells(cells).items()}


def _of_cells(cells: Any) -> dict[str, dict[str, Any]]:
    """Precision, recall and F1 from (..., 2, 2) counts, true by given class."""
    counts = np.asarray(cells, np.float64)
    first, missed, false, second = (counts[..., i, j] for i in (0, 1) for j in (0, 1))
    found = {}
    for name, right, lost, wrong in (("first", first, missed, false), ("second", second, false, missed)):
        found[name] = {
            "precision": right / np.maximum(right + wrong, 1),
            "recall": right / np.maximum(right + lost, 1),
            "f1": 2 * right / np.maximum(2 * right + lost + wrong, 1),
        }
    return {**found, "mean": {"f1": (found["first"]["f1"] + found["second"]["f1"]) / 2}}


@dataclass(frozen=True)
class Judged:
    """Metrics of the judges of a kind."""

    metrics: dict[str, dict[str, Any]]  # by task

    @property
    def signature(self) -> str:
        """Six digits of the weights of each."""
        return "+".join(found["weights_hash"][:6] for found in self.metrics.values())


def judges_of(options: ReproduceOptions, kind: Kind) -> Judged:
    """Judges that the steps trained."""
    return Judged(
        {task: read_results(options.out / "judges" / kind / task / "metrics.json") for task in TASKS}
    )


def judges_table(options: ReproduceOptions, kinds: Sequence[Kind], title: str) -> Table:
    """The judges on gold test data (EvalNLGEval 2020, Table 1), the mismatches of HH and AH random."""
    rows = []
    keys = ("precision", "recall", "f1")
    for task in TASKS:
        printed = [row for row in JUDGES if row.judge == task]
        for kind in kinds:
            metrics = judges_of(options, kind).metrics[task]
            test = "gold" if task == "main" else "random"
            found = classes_of(metrics, test, resamples=RESAMPLES[options.scale], seed=options.seed)
            for name, row in zip(metrics["classes"], printed, strict=True):
                cells: dict[str, Value] = {"class": name, "judge": f"{task}, {kind}"}
                for key in keys:
                    value, ends = found[name][key]
                    cells |= {f"published_{key}": getattr(row, key), key: value, f"{key}_interval": ends}
                    cells[f"difference_{key}"] = value - getattr(row, key)
                rows.append(Row(cells, task, strong=kind == "papers"))
    columns = [Column("judge", "text"), Column("class", "text")]
    for key in keys:
        columns += [
            Column(f"published_{key}", title=f"{key} published"),
            Column(key, title="measured", below=Column(f"{key}_interval", "interval")),
            Column(f"difference_{key}", title=DIFFERENCE),
        ]
    return Table(tuple(columns), tuple(rows), title, (outlets_note(options),))


def outlets_note(options: ReproduceOptions) -> str:
    """Which outlet stands for which of the papers' newspapers."""
    first, second = read_outlets(options.corpus)
    return f"{first} stands where the paper has la Repubblica (rep), {second} where it has Il Giornale (gio)."


def systems_table(
    options: ReproduceOptions,
    scores: Mapping[str, Any],
    published: Sequence[PublishedRow],
    systems: Mapping[str, str],
    title: str,
) -> Table:
    """Systems by direction: a row published, a row measured, and their difference.

    Args:
        options: of the run.
        scores: what `scores.json` holds.
        published: the paper's rows.
        systems: ours to the paper's name, empty where the paper has none.
        title: of the table.
    """
    first, second = scores["outlets"]
    directions = dict(zip(DIRECTIONS, (f"{first}2{second}", f"{second}2{first}", "average"), strict=True))
    rows = []
    for ours, theirs in systems.items():
        for direction, own in directions.items():
            found = scores["systems"][ours][own]
            printed = next(
                (row for row in published if (row.system, row.direction) == (theirs, direction)), None
            )
            known = {name: getattr(printed, paper) for name, paper in MEASURES.items()} if printed else {}
            if printed:
                rows.append(Row({"row": f"{direction}, {PUBLISHED}", **known}, ours))
            cells: dict[str, Value] = {"row": f"{own}, {MEASURED}", "n": found["n"]}
            for name in MEASURES:
                cells[name] = found[name]
                if name in found["intervals"]:
                    cells[f"{name}_interval"] = tuple(found["intervals"][name])
            rows.append(Row(cells, ours, strong=True))
            if printed:
                apart: dict[str, Value] = {
                    name: found[name] - value
                    for name, value in known.items()
                    if value is not None and found[name] is not None
                }
                rows.append(Row({"row": f"{own}, {DIFFERENCE}", **apart}, ours))
    columns = [
        Column("row", "text", title="direction"),
        *(Column(name, below=Column(f"{name}_interval", "interval")) for name in MEASURES),
        Column("n", "count"),
    ]
    return Table(tuple(columns), tuple(rows), title, (outlets_note(options),))
