"""Metrics of a judge: precision, recall and F1, and lead over another judge on the same examples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from change_it.stats import AVERAGE, Floats, Ints, Statistics, measure


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of classes 0 and 1 (EvalNLGEval 2020, Table 1) by their names, their mean, and accuracy."""
    from sklearn.metrics import precision_recall_fscore_support  # loads pandas

    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {}
    for name, *figures, support in zip(classes, *columns, strict=True):
        table[name] = dict(zip(("precision", "recall", "f1"), map(float, figures), strict=True))
        table[name]["support"] = int(support)
    return {**table, "macro_f1": float(np.mean(columns[2])), "accuracy": float((labels == predicted).mean())}


def f1_lead(labels: Ints, judge: Ints, baseline: Ints, events: Sequence[str]) -> dict[str, float]:
    """Mean F1 of a judge less that of a baseline on the same (n,) examples: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    columns: dict[str, Floats] = {}
    for name, given in (("judge", judge), ("baseline", baseline)):
        for label in (0, 1):
            columns[f"{name} hits {label}"] = ((given == label) & (labels == label)).astype(np.float64)
            columns[f"{name} sizes {label}"] = (given == label) + (labels == label).astype(np.float64)

    def mean_f1(sums: Statistics, name: str) -> Floats:
        f1 = [2 * sums[f"{name} hits {i}"] / np.maximum(sums[f"{name} sizes {i}"], 1) for i in (0, 1)]
        return (f1[0] + f1[1]) / 2

    def leads(sums: Statistics) -> dict[str, Floats]:
        return {"lead": mean_f1(sums, "judge") - mean_f1(sums, "baseline")}

    return measure(columns, leads, events=events)[AVERAGE]["lead"]._asdict()
