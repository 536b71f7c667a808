"""Metrics of judges: precision, recall and F1; and of main, where topic does not help: the two headlines of one event, and the scale of style."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.linear_training import Ask
from change_it.judges.record import ClassScores, Leads, TestScores, WithinEvent, WithinEventShare
from change_it.stats import AVERAGE, Events, Floats, Ints, Score, Statistics, log_odds, measure


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> TestScores:
    """Precision, recall and F1 of classes 0 and 1 (EvalNLGEval 2020, Table 1) by their names, their mean, and accuracy."""
    from sklearn.metrics import precision_recall_fscore_support  # loads pandas

    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    figures = {}
    for name, precision, recall, f1, support in zip(classes, *columns, strict=True):
        figures[name] = ClassScores(
            precision=float(precision), recall=float(recall), f1=float(f1), support=int(support)
        )
    return TestScores(
        classes=figures,
        macro_f1=float(np.mean(columns[2])),
        accuracy=float((labels == predicted).mean()),
    )


def f1_lead(labels: Ints, judge: Ints, baseline: Ints, events: Sequence[str]) -> Score:
    """Mean F1 of a judge less that of a baseline on the same (n,) examples: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    columns: dict[str, Floats] = {}
    for name, decided in (("judge", judge), ("baseline", baseline)):
        for label in (0, 1):
            columns[f"{name} hits {label}"] = ((decided == label) & (labels == label)).astype(np.float64)
            columns[f"{name} sizes {label}"] = (decided == label) + (labels == label).astype(np.float64)

    def mean_f1(sums: Statistics, name: str) -> Floats:
        f1 = [2 * sums[f"{name} hits {i}"] / np.maximum(sums[f"{name} sizes {i}"], 1) for i in (0, 1)]
        return (f1[0] + f1[1]) / 2

    def leads(sums: Statistics) -> dict[str, Floats]:
        return {"lead": mean_f1(sums, "judge") - mean_f1(sums, "baseline")}

    return measure(columns, leads, events=events)[AVERAGE]["lead"]


def accuracy(steps: Floats, events: Events) -> Score:
    """Share of n pairs, 0-1, whose step (n,), the log odds of outlet B of B's headline less those of A's, is above 0; a tie counts a half: `value`, and `low` and `high` of its 95% interval, drawn by event."""
    return _mean((np.sign(steps) + 1) / 2, events, {"mean": "n"})


def lead(judge: Floats, baseline: Floats, events: Events) -> Score:
    """Accuracy of a judge less that of a baseline on the same n pairs, of their steps (n,), like `accuracy`."""
    return _mean((np.sign(judge) - np.sign(baseline)) / 2, events, {})


def _mean(values: Floats, events: Events, shares: Mapping[str, str]) -> Score:
    columns = {"n": np.ones(len(values)), "sum": values}
    means = measure(columns, lambda sums: {"mean": sums["sum"] / sums["n"]}, events=events, shares=shares)
    return means[AVERAGE]["mean"]


def _steps(ask: Ask, pairs: pl.DataFrame) -> Floats:
    """The log odds of outlet B of B's headline less those of A's, (n,)."""
    first, second = np.split(log_odds(ask([*pairs["a_headline"], *pairs["b_headline"]])[:, 1]), 2)
    return np.asarray(second - first)


def measure_main(corpus: str, systems: Mapping[str, Ask]) -> WithinEvent | None:
    """Measure main and its baselines on the pairs of A2, by their names, the judge first; None where there are no pairs."""
    pairs = read_table(corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    if pairs.is_empty():
        return None
    steps, events = {name: _steps(ask, pairs) for name, ask in systems.items()}, pairs["event"].to_list()
    judge = next(iter(steps))
    measured = {}
    for name, step in steps.items():
        leads = None if name == judge else Leads(within_event=lead(steps[judge], step, events))
        measured[name] = WithinEventShare(**accuracy(step, events)._asdict(), lead=leads)
    return WithinEvent(pairs=pairs.height, events=pairs["event"].n_unique(), systems=measured)
