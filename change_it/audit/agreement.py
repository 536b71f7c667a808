"""Agreement of judges with people who have read headlines and their sources (label files)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from change_it.errors import InputError
from change_it.io import Record, counted, listed, with_formula
from change_it.questions import MODEL, QUESTIONS
from change_it.scoring.accepted import Accepted, accepted, labels_and_predictions
from change_it.scoring.columns import BUILT_IN, GOLD, LabelFiles
from change_it.scoring.compliancy import JUDGE_NAMES
from change_it.scoring.item import Item, TestSet
from change_it.scoring.overlap import statistics
from change_it.stats import AVERAGE, Bools, EventIds, Floats, Statistics, measure
from change_it.tables import Column, Row, Table, with_interval
from change_it.text.folding import fold

#: The system that is the original headline.
COPY = "copy"
#: Questions of label files to what they are called in tables, each with the measures that are made for it.
ASKED = {
    "story": ("same story", ("p_hh",)),
    "supported": ("supported", ("p_ah", "evidence")),
    "printable": ("printable", ("p_fluency",)),
    "accept": ("accepted", ("acceptability",)),
}
#: Columns that are compared with readers' answers, and their names: of verdicts, and two that a measure must beat.
MEASURES = {
    "p_hh": JUDGE_NAMES["hh"],
    "p_ah": JUDGE_NAMES["ah"],
    "p_fluency": JUDGE_NAMES["fluency"],
    "evidence": JUDGE_NAMES["evidence"],
    "acceptability": "acceptability",
    "compliancy": "compliancy",
    "style": "style",
    "rougeL_source": "ROUGE-L to the original",
    "length": "words",
}
#: Headlines, and the expression that selects them.
PARTS = {
    "without copies": ~pl.col("copy"),
    "written, without copies": pl.col("written") & ~pl.col("copy"),
    "all": pl.lit(True),
}
#: The least number of events of a subset whose figures have intervals, and of systems whose order is compared.
ENOUGH, SYSTEMS = 10, 12


@dataclass(frozen=True)
class ReaderLabels:
    """Readers' labels of n headlines."""

    items: Sequence[Item]  # with these headlines
    # question to (n,) 1 where readers say yes, 0 where not, nan where they did not say: people, and a model where no person has answered
    answers: Mapping[str, Floats]
    people: Floats  # (n,) of the question accept what people say
    model: Floats  # (n,) and what models say
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
        asked = [name for name in ASKED if any(record.cells.get(name) for record in records)]
        for id_, record in zip(ids, records, strict=True):
            given = {name: _answer(file, record, name) for name in ASKED}
            if "accept" not in asked:  # what they support and would print
                said = [given[name] for name in ("supported", "printable") if name in asked]
                given["accept"] = None if None in said else all(said)
            about = {"id": id_, "headline": _headline(file, record, items[id_])}
            about |= {name: record.cells.get(name, "") for name in ("system", "reader")}
            rows.append(about | given)
    schema = dict.fromkeys(("id", "headline", "system", "reader"), pl.String) | dict.fromkeys(
        ASKED, pl.Boolean
    )
    by_model = pl.col("reader").str.starts_with(MODEL)
    sides = {"people": ~by_model, "model": by_model}
    by_headline = pl.DataFrame(rows, schema).group_by("id", "headline", maintain_order=True)
    read = by_headline.agg(
        pl.col("system").first(),
        *(
            pl.col(name).filter(of).mean().alias(f"{name} {side}")
            for name in ASKED
            for side, of in sides.items()
        ),
    )
    found = {
        column: np.where(np.isnan(shares), np.nan, shares > 0.5)
        for column in read.columns[3:]
        for shares in [read[column].fill_null(np.nan).to_numpy()]
    }
    answers = {
        name: np.where(np.isnan(found[f"{name} people"]), found[f"{name} model"], found[f"{name} people"])
        for name in ASKED
    }
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file, _ in files]
    several = hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()
    return ReaderLabels(
        items=[replace(items[id_], prediction=text) for id_, text in read.select("id", "headline").rows()],
        answers=answers,
        people=found["accept people"],
        model=found["accept model"],
        systems=read["system"].to_list(),
        written=~read["system"].is_in(BUILT_IN).to_numpy(),
        hash=hashes[0] if len(hashes) == 1 else several,
    )


def shares_accepted(labels: ReaderLabels, items: pl.DataFrame) -> Accepted | None:
    """The share of a system's headlines that readers accept, see `scoring.accepted`; None where labels are of fewer than two events.

    `items` is a table of `Scores.items`; what predicts is a model's answers, where it has read all, or acceptability.
    """
    keys = [(item.id, item.prediction) for item in labels.items]
    sides = [dict(zip(keys, of.tolist(), strict=True)) for of in (labels.people, labels.model)]
    named = list(zip(items["id"], items["headline"], strict=True))
    people, model = (np.array([of.get(key, np.nan) for key in named], np.float64) for of in sides)
    events, judged = items["event"].to_numpy(), items["acceptability"].fill_null(0).to_numpy()
    read, predicted = labels_and_predictions(people, model, judged)
    return accepted(read, predicted, events) if len(np.unique(events[np.isfinite(read)])) > 1 else None


def _text(record: Record, name: str) -> str:
    """A cell without the apostrophe that sheets have before what a spreadsheet would take for a formula."""
    return with_formula(record.cells.get(name, ""))


def _answer(file: Path, record: Record, question: str) -> bool | None:
    """Whether a reader says yes; None without an answer."""
    given, answers = record.cells.get(question, "").casefold(), QUESTIONS[question].answers
    if given and given not in answers:
        raise InputError(f"{file}, line {record.line}: {question} is {given!r}; write {', '.join(answers)}")
    return given == answers[0] if given else None


def _headline(file: Path, record: Record, item: Item) -> str:
    """The headline that was read: the corpus has gold and copies, which have no text in the labels."""
    text = _text(record, "headline") or {GOLD: item.reference, COPY: item.source}.get(
        record.cells.get("system", ""), ""
    )
    original = _text(record, "original")
    if original and fold(" ".join(original.split())) != fold(" ".join(item.source.split())):
        mend = f"the original of {item.id} is another one in the corpus; keep the columns of a sheet together"
        raise InputError(f"{file}, line {record.line}: {mend}")
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
    measures: Sequence[Mapping[str, Any]]  # of `by_question`
    rows: pl.DataFrame = field(repr=False)  # (n, …) the labels beside the measures, without texts

    @property
    def table(self) -> Table:
        """A group for each of `PARTS`, a row for each measure, and its AUC for each question."""
        columns = [
            Column("measure", "text"),
            *(with_interval(name, title) for name, (title, _) in ASKED.items()),
        ]
        columns += [Column("n", "count"), Column("order", "text", "systems in order")]
        notes = (
            f"{self.n} headlines of {self.events} events: all labels",
            f"AUC for what readers say; a copy is the original again; intervals: 95%, bootstrap over events, where there are {ENOUGH} or more; "
            "highlighted: measures that are made for a question; ROUGE-L to the original and words are what they must beat",
            f"systems in order: pairs of systems that the measure orders as readers accept them, from {SYSTEMS} systems up",
        )  # fmt: skip
        judged = {name for _, of in ASKED.values() for name in of}
        rows = [
            Row(
                {**row, "measure": MEASURES.get(row["measure"], row["measure"])},
                row["part"],
                highlight=row["measure"] in judged,
            )
            for row in self.measures
        ]
        return Table(columns, rows, "What readers say", notes)


def agreement(labels: ReaderLabels, judged: pl.DataFrame, *, resamples: int = 1000) -> Agreement:
    """Agreement of the columns of verdicts with the labels."""
    read = judged.with_columns(pl.Series(name, of) for name, of in measured(labels).items())
    found = by_question(read, resamples=resamples)
    first = ["id", "system", "event", "written", "copy", *labels.answers]
    rows = read.select(*first, *(name for name in MEASURES if not read[name].is_null().all()))
    return Agreement(labels.hash, len(labels.items), read["event"].n_unique(), found, rows)


def measured(labels: ReaderLabels) -> dict[str, Any]:
    """What `by_question` reads besides the columns of verdicts."""
    texts, sources = [item.prediction for item in labels.items], [item.source for item in labels.items]
    overlap = statistics(texts, [""] * len(texts), sources)
    return {
        "id": [item.id for item in labels.items],
        "system": labels.systems,
        "event": labels.events,
        "written": labels.written,
        **labels.answers,
        "copy": [fold(text) == fold(source) for text, source in zip(texts, sources, strict=True)],
        "rougeL_source": overlap["rougeL_source"],
        "length": [len(text.split()) for text in texts],
    }


def by_question(
    rows: pl.DataFrame, measures: Sequence[str] = tuple(MEASURES), *, resamples: int = 1000
) -> list[dict[str, Any]]:
    """How well each measure tells what readers say yes to, question by question.

    Args:
        rows: of each headline the answers (0, 1, nan), `system`, `event`, `written`, `copy` and the measures, 0 and 1 of verdicts,
            null where a measure says nothing.
        measures: columns.
        resamples: of the intervals.

    Returns:
        For each of `PARTS` and each measure its AUC for each question, with an interval over events, the number of headlines, and,
        from `SYSTEMS` systems up, how many pairs of systems it orders as readers accept them, of those that they tell apart.
    """
    found = []
    for part, chosen in PARTS.items():
        for column in (name for name in measures if name in rows.columns):
            known = rows.filter(chosen, pl.col(column).is_not_null())
            row: dict[str, Any] = {"part": part, "measure": column, "n": known.height}
            for question in (name for name in ASKED if name in rows.columns):
                said = known.filter(pl.col(question).is_not_nan())
                if said.is_empty():
                    continue
                right, p = said[question].to_numpy() == 1, said[column].cast(pl.Float64).to_numpy()
                value, ends = auc(right, p, said["event"].to_numpy(), resamples=resamples)
                row |= {
                    question: value,
                    f"{question}_interval": ends if said["event"].n_unique() >= ENOUGH else None,
                }
            if known["system"].n_unique() >= SYSTEMS:
                means = known.group_by("system").agg(pl.col("accept", column).cast(pl.Float64).mean())
                pairs = [
                    (a, b) for a, b in combinations(means.select("accept", column).rows(), 2) if a[0] != b[0]
                ]
                row["order"] = f"{sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs)} of {len(pairs)}"
            if known.height:
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
