"""Agreement of judges with people who have read headlines and their sources (label files)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from change_it.corpus.test_set import BUILT_IN, GOLD, Item, TestSet
from change_it.errors import InputError
from change_it.files.atomic import with_formula
from change_it.files.rows import Record
from change_it.files.texts import counted, listed
from change_it.judges.spec import JUDGES, MAIN
from change_it.readers.questions import MODEL, answer_number, judges_of, read_sheet
from change_it.render.tables import Column, Row, Table, with_interval
from change_it.scoring.accepted import Accepted, accepted
from change_it.scoring.aspects import probability_columns
from change_it.scoring.overlap import statistics
from change_it.stats import AVERAGE, Bools, EventIds, Floats, Statistics, measure
from change_it.text.folding import composed, fold

if TYPE_CHECKING:  # loads polars and scipy
    from change_it.scoring.panel import Judges

#: The system that is the original headline.
COPY = "copy"
#: What a file of labels must have, of which questions it must have one, and what it may have.
MUST_HAVE = ("id", "headline")
DECIDING = ("supported", "accept")
MAY_HAVE = ("system", "story", "supported", "printable", "accept", "original", "reader")
#: Questions of label files, and what they are called in tables.
ASKED = {"story": "same story", "supported": "supported", "printable": "printable", "accept": "accepted"}
#: Headlines, and the expression that selects them.
PARTS = {
    "without copies": ~pl.col("copy"),
    "written, without copies": pl.col("written") & ~pl.col("copy"),
    "all": pl.lit(True),
}
#: The least number of events of a subset whose figures have intervals.
ENOUGH = 10
#: A reader's row of labels: id, headline, system and reader, and of each of `ASKED` whether they say yes, None where they do not say.
Vote = dict[str, str | bool | None]


def compared_measures() -> dict[str, str]:
    """Return the columns that are compared with readers' answers, and their names: of verdicts, and two that a measure must beat."""
    columns = probability_columns()
    of_judges = {columns.get(name, name): spec.heading for name, spec in JUDGES.items() if name != MAIN}
    aspects = {name: name for name in ("acceptability", "compliancy", "style")}
    return {**of_judges, **aspects, "rougeL_source": "ROUGE-L to the original", "length": "words"}


def intended_measures() -> set[str]:
    """Return the measures that are made for one of the questions."""
    columns = probability_columns()
    judges = [name for question in ASKED for name in judges_of(question)]
    return {"acceptability", *(columns.get(name, name) for name in judges)}


class ReaderLabels(NamedTuple):
    """Readers' labels of n headlines."""

    # (n, ...) id, headline and system; of each of `ASKED` 1 where readers say yes, 0 where not, nan where they did not say: people, or a
    # model where no person has; `people` and `model`: what they and what models say of accept
    table: pl.DataFrame
    hash: str  # SHA-256 of the file; of several that of their hashes


def reader_labels(files: Sequence[Path], test: TestSet) -> ReaderLabels:
    """Read label files, and filled sheets with sources; of several readers of a headline the majority counts, and a tie is no yes.

    A reader has one vote on a headline. Readers are told apart by the column `reader`, and by the names of the files without it.

    Raises:
        InputError: an id, an answer or a headline that is not there, two answers of one reader that differ, or no labels.
    """
    items = {item.id: item for item in test.items}
    votes: dict[tuple[str, str, str], Vote] = {}
    for file in files:
        for line, vote in _read_votes(file, items, test.name):
            key = str(vote["id"]), str(vote["headline"]), str(vote["reader"])
            earlier = votes.setdefault(key, vote)
            for name in ASKED:
                if None not in (earlier[name], vote[name]) and earlier[name] != vote[name]:
                    raise InputError(
                        f"{file}, line {line}: {vote['reader']} answers {name} of {vote['id']} in two ways; keep one, "
                        "or tell readers apart by a column reader"
                    )
                earlier[name] = vote[name] if earlier[name] is None else earlier[name]
    texts = dict.fromkeys(("id", "headline", "system", "reader"), pl.String)
    answered = pl.DataFrame(list(votes.values()), texts | dict.fromkeys(ASKED, pl.Boolean))
    is_model = pl.col("reader").str.starts_with(MODEL)

    def majority(name: str, is_reader: pl.Expr) -> pl.Expr:
        return (pl.col(name).filter(is_reader).mean() > 0.5).cast(pl.Float64)

    table = answered.group_by("id", "headline", maintain_order=True).agg(
        pl.col("system").first(),
        *(pl.coalesce(majority(name, ~is_model), majority(name, is_model)).alias(name) for name in ASKED),
        people=majority("accept", ~is_model),
        model=majority("accept", is_model),
    )
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    several = hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()
    table = table.with_columns(pl.col(pl.Float64).fill_null(np.nan))
    return ReaderLabels(table, hashes[0] if len(hashes) == 1 else several)


def _read_votes(file: Path, items: Mapping[str, Item], corpus: str) -> list[tuple[int, Vote]]:
    """Read the labelled rows of a file with their lines. Where it does not ask accept, that is what readers support, and would print if they were asked."""
    records = read_sheet(file, MAY_HAVE, MUST_HAVE)
    columns = [name for name in DECIDING if name in records[0].cells]
    if not columns:
        raise InputError(f"{file} has no column {' or '.join(DECIDING)}: give what readers answered")
    records = [record for record in records if any(record.cells[name] for name in columns)]
    if not records:
        raise InputError(f"{file} has no labels: fill in the column {' or '.join(columns)}")
    ids = [with_formula(record.cells["id"]) for record in records]
    if unknown := [id_ for id_ in dict.fromkeys(ids) if id_ not in items]:
        raise InputError(
            f"{file} has {counted(len(unknown), 'id')} not in A2 of {corpus} ({listed(unknown, 3)}): give the corpus that was labelled"
        )
    is_asked = {name: any(record.cells.get(name) for record in records) for name in ASKED}
    decisive = [name for name in ("supported", "printable") if is_asked[name]]
    votes: list[tuple[int, Vote]] = []
    for id_, record in zip(ids, records, strict=True):
        vote: Vote = {"id": id_, "headline": _headline(file, record, items[id_])}
        vote |= {"system": record.cells.get("system", ""), "reader": record.cells.get("reader") or file.stem}
        for name in ASKED:
            number = answer_number(file, record, name)
            vote[name] = None if number is None else number == 1
        if not is_asked["accept"]:
            answers = [vote[name] for name in decisive]
            vote["accept"] = None if None in answers else all(answers)
        votes.append((record.line, vote))
    return votes


def shares_accepted(labels: ReaderLabels, items: pl.DataFrame) -> Accepted | None:
    """Estimate the share of a system's headlines that readers accept, see `scoring.accepted`; None where labels are of fewer than two events.

    `items` is a table of `Scores.items`; what predicts is a model's answers, where it has read all, or acceptability. An item that has
    several rows, as those of `clause`, counts as much as the others: labels and predictions are the means of its rows.
    """
    answers = labels.table.select("id", "headline", "people", "model").with_columns(
        pl.col("people", "model").fill_nan(None)
    )
    joined = items.join(answers, on=["id", "headline"], how="left", maintain_order="left")
    is_all_read_by_model = joined["model"].null_count() == 0
    of_items = joined.group_by("id", maintain_order=True).agg(
        pl.col("event").first(), pl.col("people", "model", "acceptability").mean()
    )
    events = of_items["event"].to_numpy()
    people, model = (of_items[name].fill_null(np.nan).to_numpy() for name in ("people", "model"))
    predicted = of_items["acceptability"].fill_null(0).to_numpy()
    read = model
    if np.isfinite(people).any():
        read = people
        predicted = model if is_all_read_by_model else predicted
    if len(np.unique(events[np.isfinite(read)])) < 2:
        return None
    return accepted(read, predicted, events)


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
    return composed(text)


def agreement(
    labels: ReaderLabels, test: TestSet, judges: "Judges", *, resamples: int = 1000, progress: bool = False
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Agreement of what judges say with the labels as a JSON object, its `measures` of `by_question`; and the labels beside the measures, without texts."""
    by_id, table = {item.id: item for item in test.items}, labels.table
    items = [replace(by_id[id_], prediction=text) for id_, text in table.select("id", "headline").rows()]
    texts, sources = table["headline"].to_list(), [item.source for item in items]
    judged = judges.judge(items, progress=progress).with_columns(
        *table.select("id", "system", *ASKED),
        pl.Series("event", [item.event for item in items]),
        pl.Series("copy", [fold(text) == fold(source) for text, source in zip(texts, sources, strict=True)]),
        pl.Series("rougeL_source", statistics(texts, [""] * len(texts), sources)["rougeL_source"]),
        pl.Series("length", [len(text.split()) for text in texts]),
        written=~table["system"].is_in(BUILT_IN),
    )
    known = [name for name in compared_measures() if not judged[name].is_null().all()]
    measures = by_question(judged, resamples=resamples)
    record = {
        "labels": labels.hash,
        "n": len(items),
        "events": judged["event"].n_unique(),
        "measures": measures,
    }
    return record, judged.select("id", "system", "event", "written", "copy", *ASKED, *known)


def agreement_table(agreement: Mapping[str, Any]) -> Table:
    """A group for each of `PARTS`, a row for each measure, and its AUC for each question."""
    columns = [Column("measure", "text"), *(with_interval(*asked) for asked in ASKED.items())]
    notes = (
        f"{agreement['n']} headlines of {agreement['events']} events: all labels",
        f"AUC for what readers say; a copy is the original again; intervals: 95%, over events, where there are {ENOUGH} or more; "
        "highlighted: measures that are made for a question; ROUGE-L to the original and words are what they must beat",
    )  # fmt: skip
    names, intended = compared_measures(), intended_measures()
    rows = [
        Row(
            row | {"measure": names.get(row["measure"], row["measure"])},
            row["part"],
            highlight=row["measure"] in intended,
        )
        for row in agreement["measures"]
    ]
    return Table([*columns, Column("n", "count")], rows, "What readers say", notes)


def by_question(
    rows: pl.DataFrame, measures: Sequence[str] | None = None, *, resamples: int = 1000
) -> list[dict[str, Any]]:
    """For each of `PARTS` and each measure its AUC for each question, with an interval over events, and the number of headlines.

    Args:
        rows: of each headline the answers (0, 1, nan), `system`, `event`, `written`, `copy` and the measures, 0 and 1 of verdicts,
            null where a measure says nothing.
        measures: columns; None stands for all of `compared_measures`.
        resamples: of the intervals.
    """
    figures = []
    compared = tuple(compared_measures()) if measures is None else measures
    for part, chosen in PARTS.items():
        for column in (name for name in compared if name in rows.columns):
            known = rows.filter(chosen, pl.col(column).is_not_null())
            row: dict[str, Any] = {"part": part, "measure": column, "n": known.height}
            for question in (name for name in ASKED if name in rows.columns):
                answered = known.filter(pl.col(question).is_not_nan())
                if answered.height:
                    is_yes, p = (
                        answered[question].to_numpy() == 1,
                        answered[column].cast(pl.Float64).to_numpy(),
                    )
                    value, ends = auc(is_yes, p, answered["event"].to_numpy(), resamples=resamples)
                    is_enough = answered["event"].n_unique() >= ENOUGH
                    row |= {question: value, f"{question}_interval": ends if is_enough else None}
            figures += [row] if known.height else []
    return figures


def auc(
    right: Bools, p: Floats, events: EventIds, *, resamples: int = 1000
) -> tuple[float | None, tuple[float, float] | None]:
    """The AUC of n probabilities or scores and its interval over events; None where undefined."""

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"auc": auc_of(sums)}

    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0
        scores = measure(auc_counts(right, p), aggregate, events=events, resamples=resamples)
    value, low, high = scores[AVERAGE]["auc"]
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
    right, wrong = np.stack([*sums.values()][::2]), np.stack([*sums.values()][1::2])
    in_order = right * (wrong.cumsum(axis=0) - wrong / 2)  # pairs, ties by half
    values = np.asarray(in_order.sum(axis=0) / (right.sum(axis=0) * wrong.sum(axis=0)))
    is_undefined = np.isnan(values)
    return values if is_undefined.all() else np.where(is_undefined, np.nanmedian(values), values)
