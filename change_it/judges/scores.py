"""Precision, recall and F1 of a judge."""

from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_fscore_support


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of each class (EvalNLGEval 2020, Table 1), and their mean.

    Args:
        labels: (n,) true classes, 0 or 1.
        predicted: (n,) classes.
        classes: names of class 0 and 1.

    Examples:
        >>> scores(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0]), ("rep", "gio"))["gio"]["recall"]
        0.6666666666666666
    """
    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {
        name: dict(zip(("precision", "recall", "f1"), map(float, row[:3]), strict=True))
        | {"support": int(row[3])}
        for name, row in zip(classes, zip(*columns, strict=True), strict=True)
    }
    return {**table, "macro_f1": float(np.mean(columns[2])), "accuracy": float((labels == predicted).mean())}
