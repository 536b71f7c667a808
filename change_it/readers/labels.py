"""Compare judges with people who have read headlines and their sources (label files)."""

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
from change_it.files.texts import join_truncated, pluralise
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
#: Columns that a file of labels must have.
MUST_HAVE = ("id", "headline")
#: Questions of which a file of labels must ask one.
DECIDING = ("supported", "accept")
#: Further columns that a file of labels may have.
MAY_HAVE = ("system", "story", "supported", "printable", "accept", "original", "reader")
#: Questions of label files, and what they are called in tables.
ASKED = {"story": "same story", "supported": "supported", "printable": "printable", "accept": "accepted"}
#: Groups of headlines, and the expression that selects each.
HEADLINE_GROUPS = {
    "without copies": ~pl.col("copy"),
    "written, without copies": pl.col("written") & ~pl.col("copy"),
    "all": pl.lit(True),
}
#: Events below which the figures of a group have no intervals.
EVENTS_WITH_INTERVAL = 10
#: A reader's labels of a headline: its id, headline, system and reader, and for each of `ASKED` whether the
#: reader says yes, None where they do not say.
Vote = dict[str, str | bool | None]


def compared_measures() -> dict[str, str]:
    """Return the columns that are compared with readers' answers, and their names in tables.

    They are probabilities of judges, acceptability, compliancy and style, and two measures that any other
    must beat.
    """
    columns = probability_columns()
    measures = {}
    for name, spec in JUDGES.items():
        if name != MAIN:
            measures[columns.get(name, name)] = spec.heading
    for name in ("acceptability", "compliancy", "style"):
        measures[name] = name
    measures["rougeL_source"] = "ROUGE-L to the original"
    measures["length"] = "words"
    return measures


def intended_measures() -> set[str]:
    """Return the measures that are made for one of the questions."""
    columns = probability_columns()
    measures = {"acceptability"}
    for question in ASKED:
        for name in judges_of(question):
            measures.add(columns.get(name, name))
    return measures


class ReaderLabels(NamedTuple):
    """Readers' labels of n headlines.

    Attributes:
        table: a row for each headline: its id, headline and system, and for each of `ASKED` 1 where readers
            say yes, 0 where not, NaN where they did not say. The answers are people's, or a model's where no
            person has answered; `people` and `model` are what they say of `accept`.
        hash: SHA-256 of the file; of several files, that of their hashes.
    """

    table: pl.DataFrame
    hash: str


def reader_labels(files: Sequence[Path], test: TestSet) -> ReaderLabels:
    """Read label files, and filled sheets with sources.

    Of several readers of a headline the majority counts, and a tie is no yes. A reader has one vote on a
    headline. Readers are told apart by the column `reader`; in a file without it they are called after it.

    Raises:
        InputError: the corpus lacks an id, an answer is none of the question's, a headline is missing, one
            reader gives two answers that differ, or there are no labels.
    """
    items = {item.id: item for item in test.items}
    votes: dict[tuple[str, str, str], Vote] = {}
    for file in files:
        for line, vote in _read_votes(file, items, test.name):
            key = (str(vote["id"]), str(vote["headline"]), str(vote["reader"]))
            earlier = votes.setdefault(key, vote)
            _merge_votes(earlier, vote, f"{file}, line {line}")
    return ReaderLabels(_majorities(list(votes.values())), _hash_of(files))


def _hash_of(files: Sequence[Path]) -> str:
    """Return the SHA-256 of a file; of several files, that of their sorted hashes."""
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    if len(hashes) == 1:
        return hashes[0]
    together = "".join(sorted(hashes))
    return hashlib.sha256(together.encode()).hexdigest()


def _merge_votes(earlier: Vote, vote: Vote, place: str) -> None:
    """Add the answers of a vote to an earlier one of the same reader; InputError where they differ."""
    for name in ASKED:
        if earlier[name] is None:
            earlier[name] = vote[name]
        elif vote[name] is not None and vote[name] != earlier[name]:
            raise InputError(
                f"{place}: {vote['reader']} answers {name} of {vote['id']} in two ways; keep one, "
                "or tell readers apart by a column reader"
            )


def _majorities(votes: Sequence[Vote]) -> pl.DataFrame:
    """Return the table of `ReaderLabels`: the majority of votes on each headline, in order of first vote."""
    texts = dict.fromkeys(("id", "headline", "system", "reader"), pl.String)
    answers = dict.fromkeys(ASKED, pl.Boolean)
    table = pl.DataFrame(votes, {**texts, **answers})
    is_model = pl.col("reader").str.starts_with(MODEL)

    def majority(name: str, is_reader: pl.Expr) -> pl.Expr:
        share_of_yes = pl.col(name).filter(is_reader).mean()
        return (share_of_yes > 0.5).cast(pl.Float64)

    answered = []
    for name in ASKED:
        of_people = majority(name, ~is_model)
        of_models = majority(name, is_model)
        answered.append(pl.coalesce(of_people, of_models).alias(name))
    headlines = table.group_by("id", "headline", maintain_order=True).agg(
        pl.col("system").first(),
        *answered,
        people=majority("accept", ~is_model),
        model=majority("accept", is_model),
    )
    return headlines.with_columns(pl.col(pl.Float64).fill_null(np.nan))


def _labelled_rows(file: Path) -> list[Record]:
    """Return the rows of a file that have an answer; InputError where it asks nothing or has none."""
    records = read_sheet(file, MAY_HAVE, MUST_HAVE)
    columns = [name for name in DECIDING if name in records[0].cells]
    if not columns:
        raise InputError(f"{file} has no column {' or '.join(DECIDING)}: give what readers answered")
    labelled = [record for record in records if any(record.cells[name] for name in columns)]
    if not labelled:
        raise InputError(f"{file} has no labels: fill in the column {' or '.join(columns)}")
    return labelled


def _read_votes(file: Path, items: Mapping[str, Item], corpus: str) -> list[tuple[int, Vote]]:
    """Read the labelled rows of a file with their lines.

    Where the file does not ask `accept`, a reader accepts what they call supported, and printable where that
    is asked.
    """
    records = _labelled_rows(file)
    ids = [with_formula(record.cells["id"]) for record in records]
    unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in items]
    if unknown:
        fault = (
            f"{file} has {pluralise(len(unknown), 'id')} not in A2 of {corpus} ({join_truncated(unknown, 3)})"
        )
        raise InputError(f"{fault}: give the corpus that was labelled")
    asked: set[str] = set()
    for record in records:
        asked.update(name for name in ASKED if record.cells.get(name))
    decisive = [name for name in ("supported", "printable") if name in asked]
    votes: list[tuple[int, Vote]] = []
    for id_, record in zip(ids, records, strict=True):
        vote: Vote = {
            "id": id_,
            "headline": _headline(file, record, items[id_]),
            "system": record.cells.get("system", ""),
            "reader": record.cells.get("reader") or file.stem,
        }
        for name in ASKED:
            number_of_answer = answer_number(file, record, name)
            vote[name] = None
            if number_of_answer is not None:
                vote[name] = number_of_answer == 1
        if "accept" not in asked:
            answers = [vote[name] for name in decisive]
            if None not in answers:
                vote["accept"] = all(answers)
        votes.append((record.line, vote))
    return votes


def shares_accepted(labels: ReaderLabels, items: pl.DataFrame) -> Accepted | None:
    """Estimate the share of a system's headlines that readers accept, with `scoring.accepted`.

    Where a model has read all headlines, its answers predict what people would say; else acceptability does.
    An item that has several rows, as those of `clause`, counts as much as the others: labels and predictions
    are the means of its rows.

    Args:
        labels: readers' labels of some headlines.
        items: a table of `Scores.items`.

    Returns:
        The estimate; None where labels are of fewer than two events.
    """
    answers = labels.table.select("id", "headline", "people", "model")
    answers = answers.with_columns(pl.col("people", "model").fill_nan(None))
    joined = items.join(answers, on=["id", "headline"], how="left", maintain_order="left")
    is_all_read_by_model = joined["model"].null_count() == 0
    of_items = joined.group_by("id", maintain_order=True).agg(
        pl.col("event").first(), pl.col("people", "model", "acceptability").mean()
    )
    events = of_items["event"].to_numpy()
    people = of_items["people"].fill_null(np.nan).to_numpy()
    model = of_items["model"].fill_null(np.nan).to_numpy()
    acceptability = of_items["acceptability"].fill_null(0).to_numpy()
    if np.isfinite(people).any():
        read = people
        predicted = model if is_all_read_by_model else acceptability
    else:
        read = model
        predicted = acceptability
    if len(np.unique(events[np.isfinite(read)])) < 2:
        return None
    return accepted(read, predicted, events)


def _headline(file: Path, record: Record, item: Item) -> str:
    """Return the headline that was read; a file may leave that of gold or of a copy to the corpus."""
    text = with_formula(record.cells["headline"])
    system = record.cells.get("system", "")
    if not text and system == GOLD:
        text = item.reference
    if not text and system == COPY:
        text = item.source
    original = with_formula(record.cells.get("original", ""))
    if original and _as_compared(original) != _as_compared(item.source):
        mend = f"the original of {item.id} is another one in the corpus; keep the columns of a sheet together"
        raise InputError(f"{file}, line {record.line}: {mend}")
    if not text:
        raise InputError(
            f"{file}, line {record.line}: there is no headline; give one, or the system {GOLD} or {COPY}"
        )
    return composed(text)


def _as_compared(text: str) -> str:
    """Return a folded text with single spaces."""
    return fold(" ".join(text.split()))


def agreement(
    labels: ReaderLabels, test: TestSet, judges: "Judges", *, resamples: int = 1000, progress: bool = False
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Compare what judges say with the labels.

    Returns:
        The agreement as a JSON object, its `measures` those of `by_question`; and the labels beside the
        measures, without texts.
    """
    by_id = {item.id: item for item in test.items}
    table = labels.table
    texts = table["headline"].to_list()
    items = []
    for id_, text in zip(table["id"], texts, strict=True):
        items.append(replace(by_id[id_], prediction=text))
    sources = [item.source for item in items]
    is_copy = [fold(text) == fold(source) for text, source in zip(texts, sources, strict=True)]
    no_references = [""] * len(texts)
    judged = judges.judge(items, progress=progress).with_columns(
        *table.select("id", "system", *ASKED),
        pl.Series("event", [item.event for item in items]),
        pl.Series("copy", is_copy),
        pl.Series("rougeL_source", statistics(texts, no_references, sources)["rougeL_source"]),
        pl.Series("length", [len(text.split()) for text in texts]),
        written=~table["system"].is_in(BUILT_IN),
    )
    known = [name for name in compared_measures() if not judged[name].is_null().all()]
    record = {
        "labels": labels.hash,
        "n": len(items),
        "events": judged["event"].n_unique(),
        "measures": by_question(judged, resamples=resamples),
    }
    return record, judged.select("id", "system", "event", "written", "copy", *ASKED, *known)


def agreement_table(agreement: Mapping[str, Any]) -> Table:
    """Show the AUC of each measure, a row, for each question; a group for each of `HEADLINE_GROUPS`."""
    columns = [Column("measure", format="text")]
    for question, title in ASKED.items():
        columns.append(with_interval(question, title))
    columns.append(Column("n", format="count"))
    names = compared_measures()
    intended = intended_measures()
    rows = []
    for figures in agreement["measures"]:
        measure_name = figures["measure"]
        cells = {**figures, "measure": names.get(measure_name, measure_name)}
        rows.append(Row(cells, figures["part"], highlight=measure_name in intended))
    notes = (
        f"{agreement['n']} headlines of {agreement['events']} events: all labels",
        "AUC for what readers say; a copy is the original again; "
        f"intervals: 95%, over events, where there are {EVENTS_WITH_INTERVAL} or more; "
        "highlighted: measures that are made for a question; "
        "ROUGE-L to the original and words are what they must beat",
    )
    return Table(columns, rows, "What readers say", notes)


def by_question(
    rows: pl.DataFrame, measures: Sequence[str] | None = None, *, resamples: int = 1000
) -> list[dict[str, Any]]:
    """Return the AUC of each measure for each question in each of `HEADLINE_GROUPS`, with its interval.

    Args:
        rows: a row for each headline, with the answers (0, 1, NaN), `system`, `event`, `written`, `copy` and
            the measures. A verdict is 0 or 1; a measure that says nothing is null.
        measures: columns; None stands for all of `compared_measures`.
        resamples: bootstrap resamples of the intervals.

    Returns:
        Rows of `part`, `measure`, the number of headlines `n`, and for each question that anybody answered
        its AUC and, as `{question}_interval`, both ends, None with fewer than `EVENTS_WITH_INTERVAL` events.
    """
    compared = tuple(compared_measures()) if measures is None else measures
    figures = []
    for part, chosen in HEADLINE_GROUPS.items():
        for column in compared:
            if column not in rows.columns:
                continue
            known = rows.filter(chosen, pl.col(column).is_not_null())
            if not known.height:
                continue
            row: dict[str, Any] = {"part": part, "measure": column, "n": known.height}
            row.update(_auc_by_question(known, column, resamples))
            figures.append(row)
    return figures


def _auc_by_question(rows: pl.DataFrame, column: str, resamples: int) -> dict[str, Any]:
    """Return the AUC of a measure for each question that was answered, and the intervals."""
    figures: dict[str, Any] = {}
    for question in ASKED:
        if question not in rows.columns:
            continue
        answered = rows.filter(pl.col(question).is_not_nan())
        if not answered.height:
            continue
        is_yes = answered[question].to_numpy() == 1
        scores = answered[column].cast(pl.Float64).to_numpy()
        value, ends = auc(is_yes, scores, answered["event"].to_numpy(), resamples=resamples)
        has_enough_events = answered["event"].n_unique() >= EVENTS_WITH_INTERVAL
        figures[question] = value
        figures[f"{question}_interval"] = ends if has_enough_events else None
    return figures


def auc(
    right: Bools, p: Floats, events: EventIds, *, resamples: int = 1000
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the AUC of scores and its interval over events; each is None where it is undefined.

    Args:
        right: (n,) whether an item is right, as where readers say yes to it.
        p: (n,) its probability or score.
        events: (n,) its event.
        resamples: number of bootstrap resamples of the interval.
    """

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"auc": auc_of(sums)}

    counts = auc_counts(right, p)
    # 0 of 0 is undefined and no warning
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = measure(counts, aggregate, events=events, resamples=resamples)
    score = scores[AVERAGE]["auc"]
    value = score.value if np.isfinite(score.value) else None
    interval = score.interval if np.isfinite(score.interval).all() else None
    return value, interval


def auc_counts(right: Bools, p: Floats) -> dict[str, Floats]:
    """Return statistics of n items, whose sums `auc_of` needs.

    Each different score is a level, and level 0 is the lowest. The columns `right 0`, `wrong 0`, `right 1`
    and so on are 1 for the items of that level that are right, or wrong.
    """
    levels = np.unique(p, return_inverse=True)[1]
    counts = {}
    for level in range(levels.max() + 1):
        is_at_level = levels == level
        counts[f"right {level}"] = (right & is_at_level).astype(np.float64)
        counts[f"wrong {level}"] = (~right & is_at_level).astype(np.float64)
    return counts


def auc_of(sums: Statistics) -> Floats:
    """Return the AUC (scikit-learn's `roc_auc_score`) of summed `auc_counts`.

    A resample in which it is undefined says nothing and counts as the median. The AUC has the shape of the
    sums.
    """
    # `right` and `wrong` of each level
    levels = len(sums) // 2
    right = np.stack([sums[f"right {level}"] for level in range(levels)])
    wrong = np.stack([sums[f"wrong {level}"] for level in range(levels)])
    # wrong items below each level; a tie is half a pair
    wrong_below = wrong.cumsum(axis=0) - wrong / 2
    pairs_in_order = (right * wrong_below).sum(axis=0)
    all_pairs = right.sum(axis=0) * wrong.sum(axis=0)
    values = np.asarray(pairs_in_order / all_pairs)
    is_undefined = np.isnan(values)
    if is_undefined.all():
        return values
    return np.where(is_undefined, np.nanmedian(values), values)
