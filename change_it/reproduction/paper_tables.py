"""Tables that stand in more than one paper: judges, and systems by direction, published beside measured."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import kendalltau

from change_it.corpus.folder import read_outlets
from change_it.errors import InputError
from change_it.io import read_json
from change_it.judges.judge_options import TASKS, Task
from change_it.published_figures import PUBLISHED_JUDGES, PublishedRow
from change_it.reproduction.reproduce_options import ReproduceOptions
from change_it.reproduction.scales import RESAMPLES, JudgeKind
from change_it.stats import AVERAGE, Floats, Ints, drawn_events
from change_it.tables import Column, Row, Table, Value, with_interval

#: Directions of the papers, by our order of the outlets.
DIRECTIONS = ("rep2gio", "gio2rep", "average")
#: Measures of Table 2 of EvalNLGEval 2020, in its order.
PAPER_MEASURES = ("hh", "ah", "main", "compliancy", "bleu", "rougeL")
PUBLISHED, MEASURED, DIFFERENCE = "published", "measured", "difference"


def compared(
    published: str,
    measured: str,
    group: str,
    printed: Mapping[str, float | None],
    values: Mapping[str, Value],
) -> list[Row]:
    """A row published, a row measured, and their difference, by column; the second alone where nothing is published."""
    rows = [Row({"row": f"{measured}, {MEASURED}", **values}, group, strong=True)]
    if printed:
        apart: dict[str, Value] = {
            name: ours - theirs
            for name, theirs in printed.items()
            if theirs is not None and isinstance(ours := values[name], int | float)
        }
        rows.insert(0, Row({"row": f"{published}, {PUBLISHED}", **printed}, group))
        rows.append(Row({"row": f"{measured}, {DIFFERENCE}", **apart}, group))
    return rows


def read_results(path: Path) -> dict[str, Any]:
    """A JSON file that a step wrote."""
    results = read_json(path)
    if results is None:
        raise InputError(f"{path} is gone: run change-it reproduce again, and leave the folder as it is")
    return results


def counts_of(metrics: Mapping[str, Any], test: str) -> list[list[int]]:
    """Counts of a judge on a test set, true by given class, from recall and support."""
    classes = [metrics["results"][test][name] for name in metrics["classes"]]
    first, second = (round(each["recall"] * each["support"]) for each in classes)
    return [[first, classes[0]["support"] - first], [classes[1]["support"] - second, second]]


def bootstrapped(
    cells: ArrayLike, resamples: int, seed: int
) -> dict[str, dict[str, tuple[float, tuple[float, float]]]]:
    """Precision, recall and F1 of the `first` and the `second` class and `mean` F1, each with a 95% interval.

    Drawing counts anew, see `draw_cells`, is a bootstrap over the test examples, or over events.
    """
    drawn = _of_cells(draw_cells(cells, resamples, seed))
    every = np.asarray(cells).reshape(-1, 2, 2).sum(axis=0)
    return {
        name: {
            key: (float(value), tuple(np.quantile(drawn[name][key], [0.025, 0.975]).tolist()))
            for key, value in measures.items()
        }
        for name, measures in _of_cells(every).items()
    }


def draw_cells(cells: ArrayLike, resamples: int, seed: int) -> Ints:
    """Counts drawn anew with replacement, (resamples, 2, 2): of the answers of (2, 2) counts, true by given class, or of the events of (events, 2, 2).

    The same seed draws the same events for all counts of as many.
    """
    counts = np.asarray(cells)
    if counts.ndim == 3:
        return np.tensordot(drawn_events(len(counts), resamples, seed), counts, axes=1)
    flat = counts.ravel()
    drawn = np.random.default_rng(seed).multinomial(flat.sum(), flat / flat.sum(), resamples)
    return drawn.reshape(resamples, 2, 2)


def f1_of(cells: ArrayLike) -> dict[str, Floats]:
    """F1 of the first and the second class and their mean, from (..., 2, 2) counts, true by given class."""
    return {name: measures["f1"] for name, measures in _of_cells(cells).items()}


def balanced_accuracy(cells: ArrayLike) -> Floats:
    """Mean recall of both classes, from (..., 2, 2) counts, true by given class: .5 of any answers that know nothing of the truth."""
    measures = _of_cells(cells)
    return (measures["first"]["recall"] + measures["second"]["recall"]) / 2


def _of_cells(cells: ArrayLike) -> dict[str, dict[str, Floats]]:
    """Precision, recall and F1 from (..., 2, 2) counts, true by given class."""
    counts = np.asarray(cells, np.float64)
    first, missed, false, second = (counts[..., i, j] for i in (0, 1) for j in (0, 1))
    classes = {
        name: {
            "precision": right / np.maximum(right + wrong, 1),
            "recall": right / np.maximum(right + lost, 1),
            "f1": 2 * right / np.maximum(2 * right + lost + wrong, 1),
        }
        for name, right, lost, wrong in (("first", first, missed, false), ("second", second, false, missed))
    }
    return {**classes, "mean": {"f1": (classes["first"]["f1"] + classes["second"]["f1"]) / 2}}


def judges_of(options: ReproduceOptions, kind: JudgeKind) -> dict[Task, dict[str, Any]]:
    """Task to the metrics of the judge that the steps trained."""
    return {task: read_results(options.out / "judges" / kind / task / "metrics.json") for task in TASKS}


def weights_of(options: ReproduceOptions, kind: JudgeKind) -> str:
    """Six digits of the weights of each judge."""
    return "+".join(metrics["weights_hash"][:6] for metrics in judges_of(options, kind).values())


def judges_table(options: ReproduceOptions, kinds: Sequence[JudgeKind], title: str) -> Table:
    """The judges on gold test data (EvalNLGEval 2020, Table 1), the mismatches of HH and AH random."""
    rows = []
    keys = ("precision", "recall", "f1")
    judges = {kind: judges_of(options, kind) for kind in kinds}
    for task in TASKS:
        printed = [row for row in PUBLISHED_JUDGES if row.judge == task]
        for kind in kinds:
            metrics = judges[kind][task]
            test = "gold" if task == "main" else "random"
            scores = bootstrapped(counts_of(metrics, test), RESAMPLES[options.scale], options.seed)
            for which, name, row in zip(("first", "second"), metrics["classes"], printed, strict=True):
                cells: dict[str, Value] = {"class": name, "judge": f"{task}, {kind}"}
                for key in keys:
                    value, ends = scores[which][key]
                    cells |= {f"published_{key}": getattr(row, key), key: value, f"{key}_interval": ends}
                    cells[f"difference_{key}"] = value - getattr(row, key)
                rows.append(Row(cells, task, strong=kind == "papers"))
    columns = [Column("judge", "text"), Column("class", "text")]
    for key in keys:
        columns += [
            Column(f"published_{key}", title=f"{key} {PUBLISHED}"),
            with_interval(key, MEASURED),
            Column(f"difference_{key}", title=DIFFERENCE),
        ]
    return Table(tuple(columns), tuple(rows), title, (outlets_note(options),))


def order_table(
    scores: Mapping[str, Any], published: Sequence[PublishedRow], systems: Mapping[str, str], title: str
) -> Table:
    """The systems from the best average down, published and measured, by each measure; ours to the paper's name."""
    printed = {row.system: row.measures for row in published if row.direction == AVERAGE}
    ours = {ours: theirs for ours, theirs in systems.items() if theirs in printed}
    rows = []
    for measure in PAPER_MEASURES:
        measured = {name: scores["systems"][name][AVERAGE][measure] for name in ours}
        published_values = {name: printed[theirs][measure] for name, theirs in ours.items()}
        tau = float(kendalltau(list(measured.values()), list(published_values.values())).statistic)
        cells: dict[str, Value] = {"measure": measure, "tau": None if np.isnan(tau) else tau}
        for column, values in ((PUBLISHED, published_values), (MEASURED, measured)):
            best_first = sorted(values, key=lambda name, values=values: -values[name])
            cells[column] = " > ".join(ours[name] for name in best_first)
        rows.append(Row(cells))
    columns = (
        *(Column(name, "text") for name in ("measure", PUBLISHED, MEASURED)),
        Column("tau", "correlation", "τ"),
    )
    note = f"τ: Kendall's, of {len(ours)} systems: 1 the same order, -1 the reverse."
    return Table(columns, tuple(rows), title, (note,))


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
    """Systems by direction: a row published, a row measured, and their difference; ours to the paper's name, empty where it has none."""
    first, second = scores["outlets"]
    directions = dict(zip(DIRECTIONS, (f"{first}2{second}", f"{second}2{first}", "average"), strict=True))
    rows: list[Row] = []
    for ours, theirs in systems.items():
        for direction, of_corpus in directions.items():
            score = scores["systems"][ours][of_corpus]
            printed = [
                row.measures for row in published if (row.system, row.direction) == (theirs, direction)
            ]
            cells: dict[str, Value] = {name: score[name] for name in ("n", *PAPER_MEASURES)}
            cells |= {f"{name}_interval": tuple(ends) for name, ends in score["intervals"].items()}
            rows += compared(direction, of_corpus, ours, printed[0] if printed else {}, cells)
    columns = (Column("row", "text", "direction"), *map(with_interval, PAPER_MEASURES), Column("n", "count"))
    return Table(columns, tuple(rows), title, (outlets_note(options),))
