"""Agreement of judges with people who have read headlines and their sources (label files)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.io import Record, counted, listed, with_formula
from change_it.scoring.columns import BUILT_IN, GOLD, LabelFiles
from change_it.scoring.item import Item, TestSet
from change_it.scoring.overlap import statistics
from change_it.stats import AVERAGE, Bools, EventIds, Floats, Statistics, measure
from change_it.tables import Column, Row, Table, with_interval

#: The system that is the original headline.
COPY = "copy"
#: Questions of label files and of the sheets of `change-it annotate`, and what their answers stand for.
ANSWERS: Mapping[str, Mapping[str, bool]] = {
    "supported": {"yes": True, "partly": False, "no": False, "contradicted": False},
    "printable": {"yes": True, "no": False},
    "accept": {"yes": True, "no": False},
    "fluency": {"1": False, "2": False, "3": False, "4": True, "5": True},
}
#: Columns of `judge_items` that are compared with what readers accept, and their names.
MEASURES = {
    "joint": "joint",
    "compliancy": "compliancy",
    "style": "style",
    "p_hh": "HH",
    "p_ah": "AH",
    "p_fluency": "fluency",
    "evidence": "evidence",
    "rougeL_source": "ROUGE-L to the original",
    "length": "words",
}
#: The headlines that an AUC of these is of, and the expression that selects them.
AUC_OF = {
    "auc": pl.lit(True),
    "auc without gold": pl.col("system") != GOLD,
    "auc of written": pl.col("written"),
}
#: The least number of events of a subset whose figures have intervals.
ENOUGH = 10


@dataclass(frozen=True)
class ReaderLabels:
    """Readers' labels of n headlines."""

    items: Sequence[Item]  # with these headlines
    supported: Bools  # (n,) whether readers say that the sources support all of it
    accept: Floats  # (n,) 1 where they would accept it in the place of the original, 0 where not, nan where they did not say
    systems: Sequence[str]  # (n,) who wrote it; empty where the labels do not say
    written: Bools  # (n,) whether it is no built-in system's, such as gold and copy
    hash: str  # SHA-256 of the file; of several that of their hashes

    @property
    def events(self) -> EventIds:
        """(n,) the event of each."""
        return np.array([item.event for item in self.items])


def reader_labels(files: LabelFiles, test: TestSet) -> ReaderLabels:
    """The labels of label files, and of filled sheets with sources; of several readers of a headline the majority counts, and a tie is no yes.

    Raises:
        InputError: an id, an answer or a headline that is not there, or no labels.
    """
    items = {item.id: item for item in test.items}
    rows = []
    for file, every in files:
        records = [record for record in every if record.cells["supported"]]
        if not records:
            raise InputError(f"{file} has no labels: fill in the column supported")
        ids = [_text(record, "id") for record in records]
        if unknown := [id_ for id_ in dict.fromkeys(ids) if id_ not in items]:
            raise InputError(
                f"{file} has {counted(len(unknown), 'id')} not in A2 of {test.name} ({listed(unknown, 3)}): give the corpus that was labelled"
            )
        for id_, record in zip(ids, records, strict=True):
            question = "printable" if "printable" in record.cells else "fluency"
            answers = {"supported": _answer(file, record, "supported")}
            answers["printable"] = _answer(file, record, question)
            answers["accept"] = _answer(file, record, "accept")
            of = {"id": id_, "headline": _headline(file, record, items[id_])}
            rows.append(of | answers | {"system": record.cells.get("system", "")})
    texts, questions = ("id", "headline", "system"), ("supported", "printable", "accept")
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(questions, pl.Boolean)
    by_headline = pl.DataFrame(rows, schema).group_by("id", "headline", maintain_order=True)
    read = by_headline.agg(pl.col("system").first(), pl.col(questions).mean())
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file, _ in files]
    several = hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()
    supported, *asked = (read[name].to_numpy() for name in questions)
    printable, accept = (np.where(np.isnan(each), np.nan, each > 0.5) for each in asked)
    # without that question what they say of both, or of that one alone
    accept = np.where(np.isnan(accept), printable * (supported > 0.5), accept)
    return ReaderLabels(
        items=[replace(items[id_], prediction=text) for id_, text in read.select("id", "headline").rows()],
        supported=supported > 0.5,
        accept=np.where(np.isnan(accept).all(), supported > 0.5, accept),
        systems=read["system"].to_list(),
        written=~read["system"].is_in(BUILT_IN).to_numpy(),
        hash=hashes[0] if len(hashes) == 1 else several,
    )


def _text(record: Record, name: str) -> str:
    """A cell without the apostrophe that sheets have before what a spreadsheet would take for a formula."""
    return with_formula(record.cells.get(name, ""))


def _answer(file: Path, record: Record, question: str) -> bool | None:
    """Whether a reader says yes; None without an answer."""
    given, answers = record.cells.get(question, "").casefold(), ANSWERS[question]
    if given and given not in answers:
        raise InputError(f"{file}, line {record.line}: {question} is {given!r}; write {', '.join(answers)}")
    return answers.get(given)


def _headline(file: Path, record: Record, item: Item) -> str:
    """The headline that was read: the corpus has gold and copies, which have no text in the labels."""
    text = _text(record, "headline") or {GOLD: item.reference, COPY: item.source}.get(
        record.cells.get("system", ""), ""
    )
    if not text:
        raise InputError(
            f"{file}, line {record.line}: there is no headline, and the corpus has none; give one, or the system {GOLD} or {COPY}"
        )
    return text


@dataclass(frozen=True)
class Agreement:
    """Agreement of judges with readers."""

    labels: str  # SHA-256 of the labels
    n: int  # headlines
    events: int  # that they are of; intervals draw events
    measures: Sequence[Mapping[str, Any]]  # of `acceptance`

    @property
    def table(self) -> Table:
        """A row for each measure beside what readers accept."""
        columns = [Column("measure", "text"), Column("n", "count")]
        columns += [with_interval(name, name.replace("auc", "AUC")) for name in AUC_OF]
        columns += [Column(name) for name in ("accepted", "refused")]
        columns += [Column(name, "count") for name in ("in order", "pairs")]
        notes = (
            f"{self.n} headlines of {self.events} events: all labels",
            f"what readers would accept, or, without that question, call supported and would print; intervals: 95%, bootstrap over events, where there are {ENOUGH} or more",
            "accepted, refused: the share that readers accept of what the verdict, or joint above 0, accepts and refuses; in order: of the pairs of systems that readers tell apart those that the mean of the measure puts in the same order",
        )  # fmt: skip
        rows = [Row(row, highlight=row["measure"] == "joint") for row in self.measures]
        return Table(columns, rows, "What readers accept", notes)


def agreement(labels: ReaderLabels, judged: pl.DataFrame, *, resamples: int = 1000) -> Agreement:
    """Agreement of the columns of `judge_items` with the labels."""
    read = judged.with_columns(pl.Series(name, of) for name, of in _beside(labels).items())
    measures = acceptance(read.filter(~pl.col("accept").is_nan()), resamples=resamples)
    return Agreement(labels.hash, len(labels.items), len(np.unique(labels.events)), measures)


def _beside(labels: ReaderLabels) -> dict[str, Any]:
    """What `acceptance` reads besides the columns of `judge_items`."""
    texts = [item.prediction for item in labels.items]
    overlap = statistics(texts, [""] * len(texts), [item.source for item in labels.items])
    return {
        "system": labels.systems,
        "event": labels.events,
        "written": labels.written,
        "accept": labels.accept,
        "rougeL_source": overlap["rougeL_source"],
        "length": [len(text.split()) for text in texts],
    }


def acceptance(
    rows: pl.DataFrame, measures: Mapping[str, str] = MEASURES, *, resamples: int = 1000
) -> list[dict[str, Any]]:
    """Of each measure, by how much it finds what readers accept.

    Args:
        rows: of each headline `accept` (0, 1), `system`, `event`, `written` and the measures, 0 and 1 of verdicts, null where
            a measure says nothing; the verdict of a column `p_x` is `x`.
        measures: columns and what a row is called.
        resamples: of the intervals.

    Returns:
        The AUC of all headlines, without gold, and of written ones, with intervals over events; the shares accepted by readers of
        what the verdict, or joint above 0, accepts and refuses; and how many pairs of systems a measure orders as readers do, of
        those that readers tell apart.
    """
    found = []
    for column, title in measures.items():
        known = rows.filter(pl.col(column).is_not_null()) if column in rows.columns else rows.clear()
        if known.is_empty():
            continue
        row: dict[str, Any] = {"measure": title, "n": known.height}
        for name, chosen in AUC_OF.items():
            if (part := known.filter(chosen)).is_empty():
                continue
            right, p = part["accept"].to_numpy() == 1, part[column].cast(pl.Float64).to_numpy()
            value, ends = auc(right, p, part["event"].to_numpy(), resamples=resamples)
            row |= {name: value, f"{name}_interval": ends if part["event"].n_unique() >= ENOUGH else None}
        verdict = column.removeprefix("p_")
        accepts = known[verdict].cast(pl.Float64) if verdict in known.columns else None
        if accepts is not None and (column == "joint" or accepts.is_in([0.0, 1.0]).all()):
            row |= {"accepted": known.filter(accepts > 0)["accept"].mean()}
            row |= {"refused": known.filter(accepts == 0)["accept"].mean()}
        means = (
            known.group_by("system")
            .agg(pl.col("accept", column).cast(pl.Float64).mean())
            .select("accept", column)
        )
        pairs = [(a, b) for a, b in combinations(means.rows(), 2) if a[0] != b[0]]
        row |= {"in order": sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs), "pairs": len(pairs)}
        found.append(row)
    return found


def auc(
    right: Bools, p: Floats, events: EventIds, *, resamples: int = 1000
) -> tuple[float | None, tuple[float, float] | None]:
    """The AUC of n probabilities or scores and its interval over events; None where undefined."""
    levels = np.unique(p, return_inverse=True)[1]
    counts = {
        f"{name} {level}": (of & (levels == level)).astype(np.float64)
        for level in range(levels.max() + 1)
        for name, of in (("right", right), ("wrong", ~right))
    }

    def aggregate(sums: Statistics) -> dict[str, Floats]:  # roc_auc_score of all resamples
        of_right, of_wrong = (
            np.stack([sums[f"{name} {level}"] for level in range(levels.max() + 1)])
            for name in ("right", "wrong")
        )
        in_order = of_right * (of_wrong.cumsum(axis=0) - of_wrong / 2)  # pairs, ties by half
        values = in_order.sum(axis=0) / (of_right.sum(axis=0) * of_wrong.sum(axis=0))
        # A resample in which it is undefined says nothing: it counts as the median.
        gap = np.isnan(values)
        return {"auc": values if gap.all() else np.where(gap, np.nanmedian(values), values)}

    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0
        value, low, high = measure(counts, aggregate, events=events, resamples=resamples)[AVERAGE]["auc"]
    return value if np.isfinite(value) else None, (low, high) if np.isfinite(low + high) else None
