"""What the tables of several papers have: published beside measured, and counts of a classifier's answers with intervals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from change_it.corpus.folder import read_outlets
from change_it.errors import InputError
from change_it.io import read_json
from change_it.stats import Floats, Ints
from change_it.tables import Row, Table, Value

PUBLISHED, MEASURED, DIFFERENCE = "published", "measured", "difference"
#: The tables of a paper by name, the signatures of their figures, and what the texts of `plans.toml` say of them.
Result = tuple[dict[str, Table], list[str], dict[str, str]]
#: Bootstrap resamples by scale.
RESAMPLES = {"smoke": 200, "cpu": 1000, "full": 1000}


def compared(
    name: str,
    group: str,
    printed: Mapping[str, float | None],
    values: Mapping[str, Value],
    published: str = "",
    marks: Mapping[str, str] | None = None,
) -> list[Row]:
    """A row published (under the paper's name), a row measured, and their difference, by column; the second alone where nothing is published."""
    rows = [Row({"row": f"{name}, {MEASURED}", **values}, group, strong=True, marks=marks or {})]
    if printed:
        apart: dict[str, Value] = {
            key: ours - theirs
            for key, theirs in printed.items()
            if theirs is not None and isinstance(ours := values[key], int | float)
        }
        rows.insert(0, Row({"row": f"{published or name}, {PUBLISHED}", **printed}, group))
        rows.append(Row({"row": f"{name}, {DIFFERENCE}", **apart}, group))
    return rows


def read_results(path: Path) -> dict[str, Any]:
    """A JSON file that a step wrote."""
    if (results := read_json(path)) is None:
        raise InputError(f"{path} is gone: run change-it reproduce again, and leave the folder as it is")
    return results


def outlets_note(corpus: str) -> str:
    """Which outlet stands for which of the papers' newspapers."""
    first, second = read_outlets(corpus)
    return f"{first} stands where the paper has la Repubblica (rep), {second} where it has Il Giornale (gio)."


def counts_of(metrics: Mapping[str, Any], test: str) -> list[list[int]]:
    """Counts of a judge on a test set, true by given class, from recall and support."""
    classes = [metrics["results"][test][name] for name in metrics["classes"]]
    first, second = (round(each["recall"] * each["support"]) for each in classes)
    return [[first, classes[0]["support"] - first], [classes[1]["support"] - second, second]]


def draw_cells(cells: ArrayLike, resamples: int, seed: int) -> Ints:
    """Counts drawn anew with replacement, (resamples, 2, 2): of the answers of (2, 2) counts, true by given class, or of the events of (events, 2, 2).

    The same seed draws the same events for all counts of as many.
    """
    counts, random = np.asarray(cells), np.random.default_rng(seed)
    if counts.ndim == 3:
        drawn = random.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), resamples)
        return np.tensordot(drawn, counts, axes=1)
    flat = counts.ravel()
    drawn = random.multinomial(flat.sum(), flat / flat.sum(), resamples)
    return drawn.reshape(resamples, 2, 2)


def measures_of(cells: ArrayLike) -> dict[str, dict[str, Floats]]:
    """Precision, recall and F1 of the `first` and the `second` class and `mean` F1, from (..., 2, 2) counts, true by given class."""
    counts = np.asarray(cells, np.float64)
    first, missed, false, second = (counts[..., i, j] for i in (0, 1) for j in (0, 1))
    found = {
        name: {
            "precision": right / np.maximum(right + wrong, 1),
            "recall": right / np.maximum(right + lost, 1),
            "f1": 2 * right / np.maximum(2 * right + lost + wrong, 1),
        }
        for name, right, lost, wrong in (("first", first, missed, false), ("second", second, false, missed))
    }
    return {**found, "mean": {"f1": (found["first"]["f1"] + found["second"]["f1"]) / 2}}


def bootstrapped(
    cells: ArrayLike, resamples: int, seed: int
) -> dict[str, dict[str, tuple[float, tuple[float, float]]]]:
    """The measures of counts, as `draw_cells` takes them, each with a 95% interval."""
    drawn = measures_of(draw_cells(cells, resamples, seed))
    every = measures_of(np.asarray(cells).reshape(-1, 2, 2).sum(axis=0))
    return {
        name: {
            key: (float(value), tuple(np.quantile(drawn[name][key], [0.025, 0.975]).tolist()))
            for key, value in measures.items()
        }
        for name, measures in every.items()
    }
