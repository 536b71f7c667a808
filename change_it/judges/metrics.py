"""Metrics of a judge: precision, recall and F1, lead over another judge on the same examples, agreement with readers."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from change_it.stats import AVERAGE, Bools, EventIds, Floats, Ints, Statistics, measure
from change_it.tables import Column

if TYPE_CHECKING:
    from change_it.judges.support_model import SupportModel  # loads torch
    from change_it.scoring.item import Item  # imports judges

#: Measures of a judge's agreement with readers.
READER_MEASURES = ("auc", "precision", "recall")

#: Columns of tables with these.
FIGURES = tuple(
    column
    for name in READER_MEASURES
    for column in (
        Column(name, title=name.replace("auc", "AUC")),
        Column(f"{name}_interval", "interval", "95%"),
    )
)


def scores(labels: np.ndarray, predicted: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Precision, recall and F1 of classes 0 and 1 (EvalNLGEval 2020, Table 1) by their names, their mean, and accuracy."""
    from sklearn.metrics import precision_recall_fscore_support  # loads pandas

    columns = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)
    table: dict[str, Any] = {
        name: dict(zip(("precision", "recall", "f1"), map(float, row[:3]), strict=True))
        | {"support": int(row[3])}
        for name, row in zip(classes, zip(*columns, strict=True), strict=True)
    }
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

    scored = measure(
        columns, lambda sums: {"lead": mean_f1(sums, "judge") - mean_f1(sums, "baseline")}, events=events
    )
    return scored[AVERAGE]["lead"]._asdict()


def family_of(model: str) -> str:
    """The family of a pre-trained model: the letters that its name begins with, without its owner; case, version and size do not count.

    Examples:
        >>> family_of("Qwen/Qwen2.5-1.5B-Instruct"), family_of("qwen2.5-coder-0.5b-q4_k_m.gguf")
        ('qwen', 'qwen')
    """
    letters = re.match(r"[^\W\d_]*", model.rstrip("/").rpartition("/")[2])
    return letters[0].casefold() if letters else ""


@dataclass(frozen=True)
class ReaderLabels:
    """Readers' labels of n headlines."""

    items: "Sequence[Item]"  # with these headlines
    supported: Bools  # (n,) whether readers say that the sources support all of it
    accept: Floats  # (n,) 1 where they would accept it in the place of the original, 0 where not, nan where they did not say
    systems: Sequence[str]  # (n,) who wrote it; empty where the labels do not say
    bases: Sequence[
        str
    ]  # (n,) the pre-trained model of the writer, none where it has none; empty where unknown
    written: Bools  # (n,) whether it is no built-in system's, such as gold and copy
    language: str
    outlets: tuple[str, str]
    hash: str  # SHA-256 of the file; of several that of their hashes
    left_out: int = 0  # headlines that a model of the judge's own family wrote

    @cached_property
    def events(self) -> EventIds:
        """(n,) the event of each."""
        return np.array([item.event for item in self.items])

    @cached_property
    def reports(self) -> Bools:
        """(n,) whether it is of the half of the events that reports; the other half chooses thresholds."""
        digests = [hashlib.sha256(event.encode()).digest() for event in map(str, self.events)]
        return np.array([digest[0] % 2 == 1 for digest in digests], dtype=bool)

    @property
    def are_known(self) -> Bools:
        """(n,) whether the labels say which pre-trained model wrote it, if any."""
        return np.array([bool(base) for base in self.bases], dtype=bool)

    def without_family(self, model: str) -> "ReaderLabels":
        """Leave out headlines by a base or system of the family of a model: a judge does not read what its own base wrote."""
        family = family_of(model)
        names = zip(self.bases, self.systems, strict=True)
        kept = [n for n, pair in enumerate(names) if not family or family not in map(family_of, pair)]
        return replace(
            self,
            items=[self.items[n] for n in kept],
            supported=self.supported[kept],
            accept=self.accept[kept],
            systems=[self.systems[n] for n in kept],
            bases=[self.bases[n] for n in kept],
            written=self.written[kept],
            left_out=len(self.items) - len(kept),
        )

    def probabilities(self, model: "SupportModel", progress: bool = False) -> Floats:
        """(n,) P(supported) by a model, with the sources that scoring shows it."""
        sources = [(item.source, item.article, item.reference_article) for item in self.items]
        headlines = [item.prediction for item in self.items]
        return model.probabilities(headlines, sources, language=self.language, progress=progress)


def reader_agreement(
    right: Bools, accepted: Bools | None, events: EventIds, p: Floats | None = None, *, resamples: int = 1000
) -> dict[str, Any]:
    """`n`, `events`, how many are `right`, `accepted` and `both`, and precision and recall of verdicts and AUC of probabilities or scores, with intervals over events; None where undefined."""
    columns = {"right": right}
    if accepted is not None:
        columns |= {"accepted": accepted, "both": right & accepted}
    levels = np.unique(p, return_inverse=True)[1] if p is not None else np.zeros(0, np.int64)
    for level in range(levels.max(initial=-1) + 1):
        columns |= {f"right {level}": right & (levels == level), f"wrong {level}": ~right & (levels == level)}

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        found = {}
        if accepted is not None:
            found = {"precision": sums["both"] / sums["accepted"], "recall": sums["both"] / sums["right"]}
        if p is not None:  # roc_auc_score of all resamples: the share of pairs in order, ties by half
            of_right, of_wrong = (
                np.stack([sums[f"{name} {level}"] for level in range(levels.max() + 1)])
                for name in ("right", "wrong")
            )
            in_order = of_right * (of_wrong.cumsum(axis=0) - of_wrong / 2)
            found["auc"] = in_order.sum(axis=0) / (of_right.sum(axis=0) * of_wrong.sum(axis=0))
        # A resample in which a figure is undefined says nothing: it counts as the median.
        return {
            name: values if (gap := np.isnan(values)).all() else np.where(gap, np.nanmedian(values), values)
            for name, values in found.items()
        }

    counts = {name: column.astype(np.float64) for name, column in columns.items()}
    shares = {"precision": "accepted", "recall": "right"} if accepted is not None else {}
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0
        scores = measure(counts, aggregate, events=events, shares=shares, resamples=resamples)[AVERAGE]
    cells: dict[str, Any] = {"n": len(right), "events": len(np.unique(events))}
    cells |= {
        name: int(columns[name].sum()) if name in columns else None for name in ("right", "accepted", "both")
    }
    for name in READER_MEASURES:
        value, low, high = scores.get(name, (np.nan, np.nan, np.nan))
        cells[name] = value if np.isfinite(value) else None
        cells[f"{name}_interval"] = (low, high) if np.isfinite(low + high) else None
    return cells
