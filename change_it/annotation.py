"""Readers' judgements of headlines: writes sheets with a key, and compares filled ones with the key, each other and the judges (LREC 2020, section 4)."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from math import isfinite
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from change_it import __version__, published_figures
from change_it.errors import InputError
from change_it.io import Record, counted, listed, read_records, with_formula, write_table
from change_it.judges.data import random_split
from change_it.questions import HEADINGS, MODEL, QUESTIONS, SHEETS, read_sheet
from change_it.scoring.item import GOLD, Item, TestSet
from change_it.scoring.systems import PredictionFile, system_of
from change_it.stats import AVERAGE, Aggregate, EventIds, Floats, Score, Statistics, measure
from change_it.tables import Column, Row, Table, Value, records, with_interval

if TYPE_CHECKING:
    from change_it.scoring.judges import Judges

CHOICES = ("choice1", "choice2")
ASKED = tuple(name for _, asked in SHEETS.values() for name in asked)
#: Columns of sheets that have to be those of the key.
CHECKED = ("id", "headline", "original", "first", "second", "a_headline", "b_headline")
#: How judges are called among readers; who is no model either is a person. What all people are.
JUDGE, PEOPLE = "judge ", "people"
#: Reader to item to question to answer.
Answers = Mapping[str, Mapping[str, Mapping[str, int]]]
#: Reader to (n,) answers, from 1; nan where there is none.
Ratings = Mapping[str, Floats]


class KeyRow(NamedTuple):
    """A headline of the sheets and what it is."""

    item: str  # its id in the sheets, which says nothing
    condition: str  # gold, or the name of a system
    outlet: str  # the right answer: the outlet that wrote it, or that the system aimed at
    headline: str
    id: str  # of the original article
    event: str  # of the article; intervals draw events
    label: str  # outlet of the original
    original: str
    article: str
    choice1: str  # short names of the outlets
    choice2: str
    first: str  # the headline and the other outlet's own, in any order; empty where there is none or it is the same
    second: str


def conditions(test: TestSet, files: Sequence[PredictionFile]) -> dict[str, list[Item]]:
    """Condition to its headlines: gold, and the systems of prediction files (several files of one name together).

    A system aims at the other outlet throughout, or at the original's own (LREC 2020, settings 1 and 2).
    """
    labels, several = {item.id: item.label for item in test.items}, dict[str, list[PredictionFile]]()
    for file in files:
        several.setdefault(file.name, []).append(file)
    headlines = {GOLD: test.predicted([item.reference or None for item in test.items])}
    for name, of_name in several.items():
        rows = [row for file in of_name for row in file.rows if "target" in row]
        is_own = rows and all(row["target"] == labels.get(row["id"], row["target"]) for row in rows)
        aimed = test.in_newspaper if is_own else test
        headlines[name] = aimed.predicted(system_of(of_name, aimed, name=name, needed=()).headlines)
    return {name: [item for item in items if item.prediction.strip()] for name, items in headlines.items()}


def in_random_split(test: TestSet, seed: int) -> list[Item]:
    """The test headlines of LREC 2020's random split, of which a person saw 100 (Table 1)."""
    split = random_split(test.name, test.outlets, seed)["test"]
    columns = (split[name] for name in ("id", "label", "headline", "article", "event"))
    return [
        Item(id_, test.outlets[at], test.outlets[at], headline, article, prediction=headline, event=event)
        for id_, at, headline, article, event in zip(*columns, strict=True)
    ]


def draw(test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int) -> list[KeyRow]:
    """Draw headlines in random order: so many of each condition, half of them of each outlet; an event twice only where there are too few."""
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    cells: dict[tuple[str, str], list[Item]] = {}
    for name, outlet in product(conditions, test.outlets):
        aimed = [item for item in conditions[name] if item.target == outlet]
        cells[name, outlet] = random.sample(aimed, len(aimed))
    texts, events, rows = set[str](), set[str](), list[KeyRow]()
    for n, ((name, outlet), waiting) in product(range(items // 2), cells.items()):
        new = [item for item in waiting if item.prediction.casefold() not in texts]
        if not new:
            few = f"{test.name} has only {n} different headlines of {name} for {outlet}"
            raise InputError(f"{few}: give a smaller --items")
        item = next((item for item in new if item.event not in events), new[0])
        texts.add(item.prediction.casefold())
        events.add(item.event)
        id_ = item_id(seed, name, item.id, item.prediction)
        original = (item.id, item.event, item.label, item.source, item.article)
        two = random.sample([item.prediction, item.reference], 2)
        is_asked = item.reference and two[0].casefold() != two[1].casefold()
        shown = (*test.outlets, *(two if is_asked else ("", "")))
        rows.append(KeyRow(id_, name, item.target, item.prediction, *original, *shown))
    return random.sample(rows, len(rows))


def item_id(*content: object) -> str:
    """An id that says nothing; a spreadsheet would read 12345e67 as a number."""
    text = "\n".join(map(str, content))
    return f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_sheets(files: Mapping[str, Path], rows: Sequence[KeyRow]) -> list[Path]:
    """Write the key and the sheets, which are returned in the order in which they are given out: none says what an earlier one asks."""
    write_table(files["key"], KeyRow._fields, rows, quote_formulas=True)
    written = []
    for name, (shown, asked) in SHEETS.items():
        if asked_of := [row for row in rows if row.first or name != "preferred"]:
            written.append(files[name])
            header = ["item", *shown, *(HEADINGS[question] for question in asked)]
            empty = [""] * len(asked)
            cells = ([*(getattr(row, column) for column in ("item", *shown)), *empty] for row in asked_of)
            write_table(files[name], header, cells, quote_formulas=True)
    return written


def read_key(path: Path) -> list[KeyRow]:
    """Read a key."""
    records = read_records(path, required=KeyRow._fields)
    rows = [KeyRow(*(with_formula(record.cells[name]) for name in KeyRow._fields)) for record in records]
    is_choice = all(row.outlet in (row.choice1, row.choice2) for row in rows)
    if not is_choice or len({row.item for row in rows}) < len(rows):
        raise InputError(f"{path} has items twice, or an outlet that is no choice: draw the sheets again")
    return rows


def read_answers(
    files: Sequence[Path], key: Iterable[Mapping[str, Any]], questions: Sequence[str] = ASKED
) -> Answers:
    """Read filled sheets; those of a model name it in the column `reader`, others are called after their reader, and those of one name are of one."""
    rows = {row["item"]: row for row in key}
    answers: dict[str, dict[str, dict[str, int]]] = {}
    for file in files:
        records = read_sheet(file, (*CHOICES, *CHECKED, "reader", *questions))
        if unknown := [record.cells["item"] for record in records if record.cells["item"] not in rows]:
            fault = f"{file} has {counted(len(unknown), 'item')} not in the key ({listed(unknown, 3)})"
            raise InputError(f"{fault}: give the key of this sheet")
        if not any(record.cells.get(question) for record in records for question in questions):
            raise InputError(f"{file} has no answers: fill in {listed(list(questions))}")
        for record in records:
            item, model = record.cells["item"], record.cells.get("reader", "")
            reader = model if model.startswith(MODEL) else file.stem
            if reader == PEOPLE or (reader.startswith((MODEL, JUDGE)) and reader != model):
                raise InputError(f"a reader cannot be called {reader}: rename the file")
            for name in (name for name in CHECKED if name in record.cells and name in rows[item]):
                texts = record.cells[name], rows[item][name]
                # without what a spreadsheet or its apostrophe changes
                if len({" ".join(with_formula(text).split()).lstrip("'") for text in texts}) > 1:
                    mend = f"{name} of {item} is not the key's; keep the columns of a sheet together"
                    raise InputError(f"{file}, line {record.line}: {mend}")
            said = answers.setdefault(reader, {}).setdefault(item, {})
            values = _values(file, record, rows[item], questions)
            if twice := said.keys() & values.keys():
                fault = f"{file}, line {record.line}: {listed(sorted(twice))} of {item} appears twice"
                raise InputError(f"{fault}; keep one")
            said |= values
    return answers


def _values(file: Path, record: Record, row: Mapping[str, str], questions: Sequence[str]) -> dict[str, int]:
    """The answers of a row, numbered from 1; an outlet may be given by its number or its name."""
    values = {}
    outlets = [cells.get(choice, "") for cells in (row, record.cells) for choice in CHOICES]
    for question in questions:
        numbers = {value: n for n, value in enumerate(QUESTIONS[question].answers, 1)}
        if question == "answer":
            numbers |= {name.casefold(): 1 + n % 2 for n, name in enumerate(outlets) if name}
        if text := record.cells.get(question, "").casefold():
            if text not in numbers:
                wanted = f"{', '.join(numbers)}, or leave it empty"
                raise InputError(f"{file}, line {record.line}: {question} is {text!r}; write {wanted}")
            values[question] = numbers[text]
    return values


def ratings(answers: Answers, items: Sequence[str], question: str) -> dict[str, Floats]:
    """What each reader who answers a question says of n items."""
    asked = {
        reader: np.array([said.get(item, {}).get(question, np.nan) for item in items], np.float64)
        for reader, said in answers.items()
    }
    return {reader: values for reader, values in asked.items() if np.isfinite(values).any()}


def ask(judges: "Judges", key: Sequence[KeyRow]) -> dict[str, Floats]:
    """Judge to (n,) decisions: main's outlet, of the others 1 for yes and 2 for no. Sources are those that readers see."""
    outlets, learnt = f"{key[0].choice1} and {key[0].choice2}", " and ".join(judges.outlets)
    if outlets != learnt:
        raise InputError(f"the key has {outlets}, the judges {learnt}: give judges of this corpus")
    texts = ((row.id, row.label, row.outlet, row.original, row.article, "", "", row.headline) for row in key)
    judged = judges.judge([Item(*of_row) for of_row in texts])
    at_second = np.array([row.outlet != row.choice1 for row in key])
    p_first = np.where(at_second, 1 - judged["p_target"].to_numpy(), judged["p_target"].to_numpy())
    decisions = {"main": np.where(p_first >= 0.5, 1.0, 2.0)}
    for name in (name for question in QUESTIONS.values() for name in question.judges if name != "main"):
        decisions[name] = np.array([{True: 1, False: 2}.get(yes, np.nan) for yes in judged[name]])
    return decisions


def coincidences(ratings: Floats, values: Sequence[int]) -> dict[str, Floats]:
    """Counts of coincidences of each two values within each of n items (n, readers), to be summed for `alpha` (Krippendorff 2011)."""
    counts = np.stack([(ratings == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    pairs = np.maximum(counts.sum(axis=1) - 1, 1)
    pairs[counts.sum(axis=1) < 2] = np.inf
    return {
        f"{first},{second}": counts[:, i] * (counts[:, j] - (i == j)) / pairs + 0.0
        for (i, first), (j, second) in product(enumerate(values), repeat=2)
    }


def alpha(sums: Statistics, values: Sequence[int]) -> Floats:
    """Krippendorff's alpha of summed `coincidences` of ordered values: 1 for perfect agreement, 0 for that of chance, nan where fewer than two occur."""
    observed = np.stack([np.stack([sums[f"{row},{column}"] for column in values]) for row in values])
    totals = observed.sum(axis=1)
    places = totals.cumsum(axis=0) - totals / 2
    distance = (places[:, None] - places[None]) ** 2
    disagreement = (observed * distance).sum(axis=(0, 1))
    expected = (totals[:, None] * totals[None] * distance).sum(axis=(0, 1))
    expected = np.where(expected > 0, expected, np.nan)
    return np.asarray(1 - (totals.sum(axis=0) - 1) * disagreement / expected)


def score_cells(scores: Mapping[str, Score]) -> dict[str, Value]:
    """The cells of scores and their intervals, None where they are undefined."""
    cells: dict[str, Value] = {}
    for name, (value, low, high) in scores.items():
        cells[name] = value if isfinite(value) else None
        cells[f"{name}_interval"] = (low, high) if isfinite(low + high) else None
    return cells


def share(hits: Floats, counts: Floats, events: EventIds, seed: int) -> Score:
    """The share of n hits in (n,) numbers of answers, or their weights; intervals draw events."""
    columns, shares = {"hits": hits, "n": counts}, {"share": "n"}
    return _measured(columns, lambda sums: {"share": sums["hits"] / sums["n"]}, events, seed, shares)["share"]


def mean_f1(said: Floats, truth: Floats, events: EventIds, seed: int) -> Score:
    """The mean F1 of both outlets (LREC 2020, Tables 1 and 5) of (n, readers) answers, 1 or 2, and the (n,) right ones."""
    columns: dict[str, Floats] = {}
    for value in (1, 2):
        given, true = said == value, (truth[:, None] == value) & np.isfinite(said)
        columns[f"right {value}"] = (given & true).sum(axis=1).astype(np.float64)
        columns[f"all {value}"] = (given.sum(axis=1) + true.sum(axis=1)).astype(np.float64)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        return {"f1": np.asarray(sum(sums[f"right {value}"] / sums[f"all {value}"] for value in (1, 2)))}

    return _measured(columns, aggregate, events, seed)["f1"]


def agreement(rated: Floats, events: EventIds, seed: int) -> dict[str, Value]:
    """The share of pairs of (n, readers) answers that are alike, and alpha."""
    values = range(1, int(np.nanmax(rated, initial=1)) + 1)

    def aggregate(sums: Statistics) -> dict[str, Floats]:
        alike = sum(sums[f"{value},{value}"] for value in values)
        return {"agreement": np.asarray(alike / sum(sums.values())), "alpha": alpha(sums, values)}

    return score_cells(_measured(coincidences(rated, values), aggregate, events, seed))


def _measured(
    columns: Statistics,
    aggregate: Aggregate,
    events: EventIds,
    seed: int,
    shares: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    with np.errstate(invalid="ignore"):  # 0 of 0
        return measure(columns, aggregate, events=events, shares=shares, seed=seed)[AVERAGE]


def agreement_table(rated: Mapping[str, Ratings], events: EventIds, seed: int) -> dict[str, Table]:
    """How far each two readers of n items agree on each question, and readers with judges on yes or not; none of one reader."""
    rows = []
    for question, values in rated.items():
        for pair in combinations(values, 2):
            both = np.column_stack([values[name] for name in pair])
            at = np.isfinite(both).all(axis=1)
            judges = [name.startswith(JUDGE) for name in pair]
            if at.any() and not all(judges):
                both = np.minimum(both, 2) if any(judges) else both
                cells: dict[str, Value] = {"readers": ", ".join(pair), "n": int(at.sum())}
                rows.append(Row(cells | agreement(both[at], events[at], seed), question))
    figures = (with_interval("agreement"), with_interval("alpha", "α"))
    shown = (Column("readers", "text"), Column("n", "count"), *figures)
    note = f"Who is no {MODEL.strip()} and no {JUDGE.strip()} is a person."
    return {"agreement": Table(shown, rows, "Agreement of each two readers", (note,))} if rows else {}


def signature_of(events: Sequence[str], answers: Answers, seed: int, judges: str = "") -> str:
    """What the figures depend on: among others the event of each item and the judges' signature."""
    asked = f"{len({*events})}|judges:{judges}" if judges else len({*events})
    counts = f"readers:{len(answers)}|items:{len(events)}|events:{asked}"
    return f"annotation|{counts}|resamples:1000|seed:{seed}|v:{__version__}"


def record(tables: Mapping[str, Table], signature: str) -> dict[str, Any]:
    """The tables for JSON; an interval is `_low` and `_high`."""
    shown = {}
    for name, table in tables.items():
        header, cells = records(table)
        both = zip(table.rows, cells, strict=True)
        rows = [{"group": row.group, **dict(zip(header, cells, strict=True))} for row, cells in both]
        shown[name] = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    return {"title": "What readers say", "tables": shown, "signatures": [signature]}


def study_tables(key: Sequence[KeyRow], answers: Answers, judged: Ratings, seed: int = 1) -> dict[str, Table]:
    """A table for each question that was answered, and the agreement of readers; `judged` is of `ask`, empty without judges."""
    events, items = np.array([row.event for row in key]), [row.item for row in key]
    rated = {name: values for name in ASKED if (values := ratings(answers, items, name))}
    for name, values in rated.items():
        asked = (judge for judge in QUESTIONS[name].judges if judge in judged)
        values |= {f"{JUDGE}{judge}": judged[judge] for judge in asked if np.isfinite(judged[judge]).any()}
    tables = {name: _shares(name, key, values, events, seed) for name, values in rated.items()}
    return tables | agreement_table(rated, events, seed)


def _shares(question: str, key: Sequence[KeyRow], rated: Ratings, events: EventIds, seed: int) -> Table:
    """Shares in which each reader is right, prefers the new headline or says yes; alpha of people (LREC 2020, Table 4)."""
    titles = {"answer": "accuracy", "preferred": "new preferred"}
    seconds = [{"answer": row.outlet == row.choice2, "preferred": row.headline == row.second} for row in key]
    truth = np.array([1.0 + column.get(question, False) for column in seconds])
    people = [name for name in rated if not name.startswith((MODEL, JUDGE))]
    votes = {name: column[:, None] for name, column in rated.items()}
    if len(people) > 1:
        votes[PEOPLE] = np.column_stack([rated[name] for name in people])
    rows, conditions = [], np.array([row.condition for row in key])
    for condition in sorted({*conditions.tolist()}, key=lambda name: (name != GOLD, name)):
        at = conditions == condition
        for name, given in votes.items():
            said, number = given[at], np.isfinite(given[at]).sum(axis=1).astype(np.float64)
            if not number.any():
                continue
            right = (said == truth[at, None]).sum(axis=1).astype(np.float64)
            cells: dict[str, Value] = {"reader": name, "n": int(number.sum())}
            cells |= score_cells({"share": share(right, number, events[at], seed)})
            if question == "answer":
                cells |= score_cells({"f1": mean_f1(said, truth[at], events[at], seed)})
            if name == PEOPLE:
                cells |= agreement(said, events[at], seed)
            values = enumerate(QUESTIONS[question].answers, 1)
            if not name.startswith(JUDGE):
                cells["answers"] = ", ".join(f"{value}: {(said == n).sum()}" for n, value in values)
            rows.append(Row(cells, condition, highlight=name == PEOPLE))
    notes = [QUESTIONS[question].text]
    if question == "answer":
        notes.append(published_figures.CITATIONS["lrec2020"])
        for condition, printed in published_figures.ANNOTATORS.items():
            reader = PEOPLE if "alpha" in printed else "a person"
            rows.append(Row({"reader": reader, **printed}, f"{condition}, published"))
    figures = [with_interval("share", titles.get(question, "yes")), with_interval("alpha", "α")]
    if question == "answer":
        figures.insert(1, with_interval("f1", "mean F1"))
    shown = (Column("reader", "text"), Column("n", "count"), *figures, Column("answers", "text"))
    return Table(shown, rows, f"{question}: readers and judges", notes)
