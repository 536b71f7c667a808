"""Agreement of judges with people who have read headlines and their sources (label files)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.io import Record, counted, listed, with_formula
from change_it.judges.spec import JUDGES
from change_it.progress import Progress
from change_it.questions import MODEL, QUESTIONS
from change_it.scoring.accepted import Accepted, accepted
from change_it.scoring.compliancy import PROBABILITIES
from change_it.scoring.item import BUILT_IN, GOLD, Item, TestSet
from change_it.scoring.overlap import statistics
from change_it.scoring.systems import LabelFiles
from change_it.stats import AVERAGE, Bools, EventIds, Floats, Statistics, measure
from change_it.tables import Column, Row, Table, with_interval
from change_it.text.folding import fold

if TYPE_CHECKING:  # loads torch
    from change_it.scoring.judges import Judges

#: The system that is the original headline.
COPY = "copy"
#: Questions of label files, and what they are called in tables.
ASKED = {"story": "same story", "supported": "supported", "printable": "printable", "accept": "accepted"}
#: Columns that are compared with readers' answers, and their names: of verdicts, and two that a measure must beat.
MEASURES = {
    **{PROBABILITIES.get(name, name): spec.heading for name, spec in JUDGES.items() if name != "main"},
    **{name: name for name in ("acceptability", "compliancy", "style")},
    "rougeL_source": "ROUGE-L to the original",
    "length": "words",
}
#: Measures that are made for a question.
MADE = {
    "acceptability",
    *(PROBABILITIES.get(name, name) for question in ASKED for name in QUESTIONS[question].judges),
}
#: Headlines, and the expression that selects them.
PARTS = {
    "without copies": ~pl.col("copy"),
    "written, without copies": pl.col("written") & ~pl.col("copy"),
    "all": pl.lit(True),
}
#: The least number of events of a subset whose figures have intervals.
ENOUGH = 10


@dataclass(frozen=True)
class ReaderLabels:
    """Readers' labels of n headlines."""

    items: Sequence[Item]  # with these headlines
    # question to (n,) 1 where readers say yes, 0 where not, nan where they did not say: people, or a model where no person has
    answers: Mapping[str, Floats]
    people: Floats  # (n,) of the question accept what people say
    model: Floats  # (n,) and what models say
    systems: Sequence[str]  # (n,) who wrote it; empty where the labels do not say
    hash: str  # SHA-256 of the file; of several that of their hashes


def reader_labels(files: LabelFiles, test: TestSet) -> ReaderLabels:
    """The labels of label files, and of filled sheets with sources; of several readers of a headline the majority counts, and a tie is no yes.

    Raises:
        InputError: an id, an answer or a headline that is not there, or no labels.
    """
    items, rows = {item.id: item for item in test.items}, []
    for file, every in files:
        records = [record for record in every if record.cells["supported"]]
        if not records:
            raise InputError(f"{file} has no labels: fill in the column supported")
        ids = [with_formula(record.cells["id"]) for record in records]
        if unknown := [id_ for id_ in dict.fromkeys(ids) if id_ not in items]:
            raise InputError(
                f"{file} has {counted(len(unknown), 'id')} not in A2 of {test.name} ({listed(unknown, 3)}): give the corpus that was labelled"
            )
        asked = [name for name in ASKED if any(record.cells.get(name) for record in records)]
        for id_, record in zip(ids, records, strict=True):
            row: dict[str, Any] = {name: _answer(file, record, name) for name in ASKED}
            if "accept" not in asked:  # what they support and would print
                said = [row[name] for name in ("supported", "printable") if name in asked]
                row["accept"] = None if None in said else all(said)
            row |= {name: record.cells.get(name, "") for name in ("system", "reader")}
            rows.append(row | {"id": id_, "headline": _headline(file, record, items[id_])})
    texts = dict.fromkeys(("id", "headline", "system", "reader"), pl.String)
    frame = pl.DataFrame(rows, texts | dict.fromkeys(ASKED, pl.Boolean))
    headlines = frame.group_by("id", "headline", maintain_order=True)
    systems, by_model = headlines.agg(pl.col("system").first()), pl.col("reader").str.starts_with(MODEL)

    def majority(readers: pl.Expr) -> dict[str, Floats]:
        shares = headlines.agg(pl.col(name).filter(readers).mean() for name in ASKED)
        columns = {name: shares[name].fill_null(np.nan).to_numpy() for name in ASKED}
        return {name: np.where(np.isnan(share), np.nan, share > 0.5) for name, share in columns.items()}

    people, model = majority(~by_model), majority(by_model)
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file, _ in files]
    several = hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()
    return ReaderLabels(
        items=[replace(items[id_], prediction=text) for id_, text in systems.select("id", "headline").rows()],
        answers={name: np.where(np.isnan(yes), model[name], yes) for name, yes in people.items()},
        people=people["accept"],
        model=model["accept"],
        systems=systems["system"].to_list(),
        hash=hashes[0] if len(hashes) == 1 else several,
    )


def shares_accepted(labels: ReaderLabels, items: pl.DataFrame) -> Accepted | None:
    """The share of a system's headlines that readers accept, see `scoring.accepted`; None where labels are of fewer than two events.

    `items` is a table of `Scores.items`; what predicts is a model's answers, where it has read all, or acceptability.
    """
    keys = [(item.id, item.prediction) for item in labels.items]
    headlines, events = items.select("id", "headline").rows(), items["event"].to_numpy()
    people, model = (
        np.array([said.get(key, np.nan) for key in headlines], np.float64)
        for said in (
            dict(zip(keys, values.tolist(), strict=True)) for values in (labels.people, labels.model)
        )
    )
    read, predicted = model, items["acceptability"].fill_null(0).to_numpy()
    if np.isfinite(people).any():
        read, predicted = people, model if np.isfinite(model).all() else predicted
    return accepted(read, predicted, events) if len(np.unique(events[np.isfinite(read)])) > 1 else None


def _answer(file: Path, record: Record, question: str) -> bool | None:
    """Whether a reader says yes; None without an answer."""
    given, answers = record.cells.get(question, "").casefold(), QUESTIONS[question].answers
    if given and given not in answers:
        raise InputError(f"{file}, line {record.line}: {question} is {given!r}; write {', '.join(answers)}")
    return given == answers[0] if given else None


def _headline(file: Path, record: Record, item: Item) -> str:
    """The headline that was read: the corpus has gold and copies, which have no text in the labels."""
    of_corpus = {GOLD: item.reference, COPY: item.source}
    text = with_formula(record.cells["headline"]) or of_corpus.get(record.cells.get("system", ""), "")
    original = with_formula(record.cells.get("original", ""))
    if original and fold(" ".join(original.split())) != fold(" ".join(item.source.split())):
        mend = f"the original of {item.id} is another one in the corpus; keep the columns of a sheet together"
        raise InputError(f"{file}, line {record.line}: {mend}")
    if not text:
        raise InputError(
            f"{file}, line {record.line}: there is no headline; give one, or the system {GOLD} or {COPY}"
        )
    return text


@dataclass(frozen=True)
class Agreement:
    """Agreement of judges with readers."""

    labels: str  # SHA-256 of the labels
    n: int  # headlines
    events: int  # that they are of; intervals draw events
    measures: Sequence[Mapping[str, Any]]  # of `by_question`
    rows: pl.DataFrame = field(repr=False)  # (n, …) the labels beside the measures, without texts

    @property
    def table(self) -> Table:
        """A group for each of `PARTS`, a row for each measure, and its AUC for each question."""
        columns = [Column("measure", "text"), *(with_interval(*asked) for asked in ASKED.items())]
        notes = (
            f"{self.n} headlines of {self.events} events: all labels",
            f"AUC for what readers say; a copy is the original again; intervals: 95%, over events, where there are {ENOUGH} or more; "
            "highlighted: measures that are made for a question; ROUGE-L to the original and words are what they must beat",
        )  # fmt: skip
        rows = [
            Row(row | {"measure": MEASURES.get(name, name)}, row["part"], highlight=name in MADE)
            for row, name in ((dict(row), row["measure"]) for row in self.measures)
        ]
        return Table([*columns, Column("n", "count")], rows, "What readers say", notes)


def agreement(
    labels: ReaderLabels, judges: "Judges", *, resamples: int = 1000, progress: Progress = False
) -> Agreement:
    """Agreement of what judges say with the labels."""
    texts, sources = [item.prediction for item in labels.items], [item.source for item in labels.items]
    read = judges.judge(labels.items, progress=progress).with_columns(
        pl.Series("id", [item.id for item in labels.items]),
        pl.Series("system", labels.systems),
        pl.Series("event", [item.event for item in labels.items]),
        pl.Series("written", [name not in BUILT_IN for name in labels.systems]),
        pl.Series("copy", [fold(text) == fold(source) for text, source in zip(texts, sources, strict=True)]),
        pl.Series("rougeL_source", statistics(texts, [""] * len(texts), sources)["rougeL_source"]),
        pl.Series("length", [len(text.split()) for text in texts]),
        *(pl.Series(name, values) for name, values in labels.answers.items()),
    )
    first = ["id", "system", "event", "written", "copy", *labels.answers]
    rows = read.select(*first, *(name for name in MEASURES if not read[name].is_null().all()))
    measures = by_question(read, resamples=resamples)
    return Agreement(labels.hash, len(labels.items), read["event"].n_unique(), measures, rows)


def by_question(
    rows: pl.DataFrame, measures: Sequence[str] = tuple(MEASURES), *, resamples: int = 1000
) -> list[dict[str, Any]]:
    """For each of `PARTS` and each measure its AUC for each question, with an interval over events, and the number of headlines.

    Args:
        rows: of each headline the answers (0, 1, nan), `system`, `event`, `written`, `copy` and the measures, 0 and 1 of verdicts,
            null where a measure says nothing.
        measures: columns.
        resamples: of the intervals.
    """
    figures = []
    for part, chosen in PARTS.items():
        for column in (name for name in measures if name in rows.columns):
            known = rows.filter(chosen, pl.col(column).is_not_null())
            row: dict[str, Any] = {"part": part, "measure": column, "n": known.height}
            for question in (name for name in ASKED if name in rows.columns):
                said = known.filter(pl.col(question).is_not_nan())
                if said.height:
                    right, p = said[question].to_numpy() == 1, said[column].cast(pl.Float64).to_numpy()
                    value, ends = auc(right, p, said["event"].to_numpy(), resamples=resamples)
                    enough = said["event"].n_unique() >= ENOUGH
                    row |= {question: value, f"{question}_interval": ends if enough else None}
            figures += [row] if known.height else []
    return figures


def auc(
    right: Bools, p: Floats, events: EventIds, *, resamples: int = 1000
) -> tuple[float | None, tuple[float, float] | None]:
    """The AUC of n probabilities or scores and its interval over events; None where undefined."""

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"auc": auc_of(sums)}

    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0
        found = measure(auc_counts(right, p), aggregate, events=events, resamples=resamples)
    value, low, high = found[AVERAGE]["auc"]
    return value if np.isfinite(value) else None, (low, high) if np.isfinite(low + high) else None


def auc_counts(right: Bools, p: Floats) -> dict[str, Floats]:
    """Statistics of n items, to be summed for `auc_of`: at each level of the scores what is right and what is wrong."""
    levels = np.unique(p, return_inverse=True)[1]
    return {
        f"{name} {level}": (column & (levels == level)).astype(np.float64)
        for level in range(levels.max() + 1)
        for name, column in (("right", right), ("wrong", ~right))
    }


def auc_of(sums: Statistics) -> Floats:
    """The AUC (roc_auc_score) of summed `auc_counts`; a resample in which it is undefined says nothing and counts as the median."""
    of_right, of_wrong = np.stack([*sums.values()][::2]), np.stack([*sums.values()][1::2])
    in_order = of_right * (of_wrong.cumsum(axis=0) - of_wrong / 2)  # pairs, ties by half
    values = np.asarray(in_order.sum(axis=0) / (of_right.sum(axis=0) * of_wrong.sum(axis=0)))
    gap = np.isnan(values)
    return values if gap.all() else np.where(gap, np.nanmedian(values), values)
