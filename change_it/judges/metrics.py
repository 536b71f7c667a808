"""Measure judges: precision, recall and F1; and main on the two headlines of one event, of the same topic."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.judges.linear_training import PredictProba
from change_it.judges.record import ClassScores, Leads, TestScores, WithinEvent, WithinEventShare
from change_it.stats import AVERAGE, Events, Floats, Ints, Score, Statistics, log_odds, measure


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> TestScores:
    """Return precision, recall and F1 of each class, their mean, and accuracy (EvalNLGEval 2020, Table 1).

    Args:
        labels: Classes of n examples, 0 or 1.
        predicted: What was decided of them.
        classes: Names of classes 0 and 1.
    """
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
    """Return the mean F1 of a judge less that of a baseline, with its 95% interval, drawn by event.

    Args:
        labels: Classes of n examples, 0 or 1.
        judge: What the judge decided of them.
        baseline: What the baseline decided.
        events: The event of each.
    """
    statistics = {**_f1_statistics("judge", labels, judge), **_f1_statistics("baseline", labels, baseline)}

    def leads(sums: Statistics) -> dict[str, Floats]:
        return {"lead": _mean_f1(sums, "judge") - _mean_f1(sums, "baseline")}

    return measure(statistics, leads, events=events)[AVERAGE]["lead"]


def _f1_statistics(system: str, labels: Ints, decided: Ints) -> dict[str, Floats]:
    """Return the columns, (n,) each, whose sums `_mean_f1` reads.

    For each class they are its hits, and its sizes: how often it is right plus how often it is decided for.
    F1 is twice the hits over the sizes.
    """
    statistics = {}
    for label in (0, 1):
        is_decided = (decided == label).astype(np.float64)
        is_right = (labels == label).astype(np.float64)
        statistics[f"{system} hits {label}"] = is_decided * is_right
        statistics[f"{system} sizes {label}"] = is_decided + is_right
    return statistics


def _mean_f1(sums: Statistics, system: str) -> Floats:
    """Return the mean F1 of both classes from the sums of a system's columns."""
    first = 2 * sums[f"{system} hits 0"] / np.maximum(sums[f"{system} sizes 0"], 1)
    second = 2 * sums[f"{system} hits 1"] / np.maximum(sums[f"{system} sizes 1"], 1)
    return (first + second) / 2


def accuracy(steps: Floats, events: Events) -> Score:
    """Return the share of pairs that a judge gets right, 0-1, with its 95% interval, drawn by event.

    Args:
        steps: Step of each of n pairs, see `steps_of_pairs`. Above 0 is right, and a tie counts a half.
        events: The event of each pair.
    """
    return _mean((np.sign(steps) + 1) / 2, events, {"mean": "n"})


def lead(judge: Floats, baseline: Floats, events: Events) -> Score:
    """Return the accuracy of a judge less that of a baseline, with its 95% interval.

    Args:
        judge: The judge's steps, (n,), see `accuracy`.
        baseline: The baseline's steps on the same n pairs.
        events: The event of each pair.
    """
    return _mean((np.sign(judge) - np.sign(baseline)) / 2, events, {})


def _mean(values: Floats, events: Events, shares: Mapping[str, str]) -> Score:
    """Return the mean of values (n,) with its 95% interval, for which whole events are drawn.

    Args:
        values: Values to average.
        events: The event of each.
        shares: `{"mean": "n"}` where the values are in 0-1, so that the interval stays there; else empty.
    """
    statistics = {"n": np.ones(len(values)), "sum": values}

    def mean(sums: Statistics) -> dict[str, Floats]:
        return {"mean": sums["sum"] / sums["n"]}

    return measure(statistics, mean, events=events, shares=shares)[AVERAGE]["mean"]


def steps_of_pairs(ask: PredictProba, pairs: pl.DataFrame) -> Floats:
    """Return for each pair the log odds of outlet B of B's headline less those of A's headline, (n,).

    Above 0, the judge assigns the two headlines to the right outlets.

    Args:
        ask: Returns the probabilities of both outlets, (headlines, 2).
        pairs: n pairs with `a_headline` and `b_headline`.
    """
    headlines = [*pairs["a_headline"], *pairs["b_headline"]]
    of_a, of_b = np.split(log_odds(ask(headlines)[:, 1]), 2)
    return np.asarray(of_b - of_a)


def measure_main(corpus: str, systems: Mapping[str, PredictProba]) -> WithinEvent | None:
    """Measure main and its baselines on the pairs of A2.

    Args:
        corpus: Corpus folder, or its id on the Hub.
        systems: Main, the first one, and its baselines by their names.

    Returns:
        None where there are no pairs.
    """
    pairs = read_table(corpus, "pairs", "test", ["a_headline", "b_headline", "event"])
    if pairs.is_empty():
        return None
    events = pairs["event"].to_list()
    steps = {name: steps_of_pairs(ask, pairs) for name, ask in systems.items()}
    main = next(iter(systems))
    measured = {}
    for name, step in steps.items():
        share = accuracy(step, events)
        leads = None
        if name != main:
            leads = Leads(within_event=lead(steps[main], step, events))
        measured[name] = WithinEventShare(value=share.value, low=share.low, high=share.high, lead=leads)
    return WithinEvent(pairs=pairs.height, events=pairs["event"].n_unique(), systems=measured)
