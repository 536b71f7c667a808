"""People's judgements of headlines: writes sheets with a key, and compares filled ones with the key, each other and the judges (LREC 2020, section 4)."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from math import isfinite
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from change_it import __version__, published_figures
from change_it.errors import InputError
from change_it.io import Record, counted, listed, read_records, with_formula, write_table
from change_it.scoring.columns import GOLD, PredictionFile
from change_it.scoring.compliancy import judge_items
from change_it.scoring.floors_and_predictions import system_of
from change_it.scoring.item import Item, TestSet
from change_it.stats import AVERAGE, Floats, Score, Statistics, measure
from change_it.tables import Column, Row, Table, Value, records, with_interval

if TYPE_CHECKING:
    from change_it.scoring.judges import Judges

CHOICES = ("choice1", "choice2")
#: Columns of sheets that have to be those of the key.
HEADLINES = ("headline", "a_headline", "b_headline")
#: Questions and their answers in order: which outlet? the content of the original? fit to print? supported by its sources?
QUESTIONS = {
    "answer": ("1", "2"),
    "content": ("1", "2", "3", "4", "5"),
    "fluency": ("1", "2", "3", "4", "5"),
    "supported": ("yes", "partly", "no", "contradicted"),
}
#: Answers that count as yes, 1; all others are 2, as the second outlet is.
YES = {"answer": ("1",), "content": ("4", "5"), "fluency": ("4", "5"), "supported": ("yes",)}
#: Which question a judge answers.
JUDGES = {"main": "answer", "hh": "content", "ah": "content", "fluency": "fluency", "evidence": "supported"}
#: Raters compared with each annotator: all of them together, and what most of them say; a judge is `judge NAME`.
PEOPLE, MAJORITY = "people", "majority"
#: Annotator to item to question to answer.
Answers = Mapping[str, Mapping[str, Mapping[str, int]]]


@dataclass(frozen=True)
class KeyRow:
    """A headline of the sheets and what it is."""

    item: str  # its id in the sheets, which says nothing
    condition: str  # gold, or the name of a system
    outlet: str  # the right answer: the outlet that wrote it, or that the system aimed at
    headline: str
    id: str  # of the original article
    event: str  # of the article; intervals draw events
    label: str  # outlet of the original
    source: str  # the original headline
    article: str
    choice1: str  # short names of the outlets
    choice2: str


def conditions(test: TestSet, files: Sequence[PredictionFile]) -> dict[str, list[Item]]:
    """Condition to its headlines: gold, and the systems of prediction files (several files of one name together).

    A system aims at the other outlet throughout, or at the original's own (LREC 2020, settings 1 and 2).
    """
    labels = {item.id: item.label for item in test.items}
    headlines = {GOLD: test.predicted([item.reference or None for item in test.items])}
    for name in dict.fromkeys(each.name for each in files):
        of_name = [each for each in files if each.name == name]
        rows = [row for each in of_name for row in each.rows if "target" in row]
        is_own = rows and all(row["target"] == labels.get(row["id"], row["target"]) for row in rows)
        aimed = test.in_newspaper if is_own else test
        headlines[name] = aimed.predicted(system_of(of_name, aimed, name=name).headlines)
    return {name: [item for item in given if item.prediction.strip()] for name, given in headlines.items()}


def draw(test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int) -> list[KeyRow]:
    """Draw headlines in random order: so many of each condition, half of them of each outlet; an event twice only where there are too few."""
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    cells = {
        (name, outlet): random.sample(kept, len(kept))
        for name, outlet in product(conditions, test.outlets)
        for kept in [[item for item in conditions[name] if item.target == outlet]]
    }
    texts: set[str] = set()
    events: set[str] = set()
    rows: list[KeyRow] = []
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
        rows.append(KeyRow(id_, name, item.target, item.prediction, *original, *test.outlets))
    return random.sample(rows, len(rows))


def item_id(*content: object) -> str:
    """An id that says nothing; a spreadsheet would read 12345e67 as a number."""
    text = "\n".join(map(str, content))
    return f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_sheets(sheet: Path, sources: Path, key: Path, rows: Sequence[KeyRow]) -> None:
    """Write the sheet that asks for the outlet, the one that shows sources and asks the other questions, and the key."""
    write_table(key, [field.name for field in fields(KeyRow)], map(astuple, rows), quote_formulas=True)
    blind = ((row.item, row.headline, row.choice1, row.choice2, "") for row in rows)
    write_table(sheet, ["item", "headline", *CHOICES, "answer"], blind, quote_formulas=True)
    header = ["item", "id", "headline", "original", "article", *[*QUESTIONS][1:]]
    seen = ((row.item, row.id, row.headline, row.source, row.article, "", "", "") for row in rows)
    write_table(sources, header, seen, quote_formulas=True)


def read_key(path: Path) -> list[KeyRow]:
    """Read a key."""
    names = [field.name for field in fields(KeyRow)]
    records = read_records(path, required=names)
    rows = [KeyRow(**{name: with_formula(record.cells[name]) for name in names}) for record in records]
    is_choice = all(row.outlet in (row.choice1, row.choice2) for row in rows)
    if not is_choice or len({row.item for row in rows}) < len(rows):
        raise InputError(f"{path} has items twice, or an outlet that is no choice: draw the sheets again")
    return rows


def read_answers(
    files: Sequence[Path],
    key: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Sequence[str]] = QUESTIONS,
) -> Answers:
    """Read filled sheets; each is called after its annotator, and those of one name are of one person."""
    rows = {row["item"]: row for row in key}
    answers: dict[str, dict[str, dict[str, int]]] = {}
    for file in files:
        if file.stem in (PEOPLE, MAJORITY):
            raise InputError(f"an annotator cannot be called {file.stem}: rename the file")
        records = read_records(file, required=("item",), optional=(*CHOICES, *HEADLINES, *questions))
        if unknown := [record.cells["item"] for record in records if record.cells["item"] not in rows]:
            fault = f"{file} has {counted(len(unknown), 'item')} not in the key ({listed(unknown, 3)})"
            raise InputError(f"{fault}: give the key of this sheet")
        if not any(record.cells.get(question) for record in records for question in questions):
            raise InputError(f"{file} has no answers: fill in {listed(list(questions))}")
        for record in records:
            item = record.cells["item"]
            for name in (name for name in HEADLINES if name in record.cells and name in rows[item]):
                if _plain(record.cells[name]) != _plain(rows[item][name]):
                    mend = f"{name} of {item} is not the key's; keep the columns of a sheet together"
                    raise InputError(f"{file}, line {record.line}: {mend}")
            given = answers.setdefault(file.stem, {}).setdefault(item, {})
            for question, value in _values(file, record, rows[item], questions).items():
                if question in given:
                    fault = f"{file}, line {record.line}: {question} of {item} appears twice"
                    raise InputError(f"{fault}; keep one")
                given[question] = value
    return answers


def _plain(text: str) -> str:
    """A headline without what a spreadsheet or its apostrophe changes."""
    return " ".join(text.split()).lstrip("'")


def _values(
    file: Path, record: Record, row: Mapping[str, str], questions: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    """The answers of a row, numbered from 1; an outlet may be given by its number or its name."""
    found = {}
    outlets = [cells.get(choice, "") for cells in (row, record.cells) for choice in CHOICES]
    for question, values in questions.items():
        numbers = {value: n for n, value in enumerate(values, 1)}
        if question == "answer":
            numbers |= {name.casefold(): 1 + n % 2 for n, name in enumerate(outlets) if name}
        if text := record.cells.get(question, "").casefold():
            if text not in numbers:
                wanted = f"{', '.join(numbers)}, or leave it empty"
                raise InputError(f"{file}, line {record.line}: {question} is {text!r}; write {wanted}")
            found[question] = numbers[text]
    return found


def ask(judges: "Judges", key: Sequence[KeyRow]) -> dict[str, list[int | None]]:
    """Judge to (n,) decisions: main's outlet, of the others 1 for yes and 2 for no. Sources are those that annotators see."""
    ours, theirs = f"{key[0].choice1} and {key[0].choice2}", " and ".join(judges.outlets)
    if ours != theirs:
        raise InputError(f"the key has {ours}, the judges {theirs}: give judges of this corpus")
    items = [
        Item(row.id, row.label, row.outlet, row.source, row.article, "", "", row.headline) for row in key
    ]
    judged = judge_items(judges, items)
    of_target = zip(key, judged["p_target"], strict=True)
    p_first = [p if row.outlet == row.choice1 else 1 - p for row, p in of_target]
    decided: dict[str, list[int | None]] = {"main": [1 if p >= 0.5 else 2 for p in p_first]}
    return decided | {name: [{True: 1, False: 2}.get(yes) for yes in judged[name]] for name in [*JUDGES][1:]}


def coincidences(ratings: Sequence[Sequence[int | None]], values: Sequence[int]) -> dict[str, Floats]:
    """Counts of coincidences of each two values within each of n items, to be summed for `alpha` (Krippendorff 2011)."""
    counts = np.array([[list(item).count(value) for value in values] for item in ratings], np.float64)
    pairs = np.maximum(counts.sum(axis=1) - 1, 1)
    pairs[counts.sum(axis=1) < 2] = np.inf
    return {
        f"{first},{second}": counts[:, i] * (counts[:, j] - (i == j)) / pairs + 0.0
        for (i, first), (j, second) in product(enumerate(values), repeat=2)
    }


def alpha(sums: Statistics, values: Sequence[int], level: Literal["nominal", "ordinal"]) -> Floats:
    """Krippendorff's alpha of summed `coincidences`: 1 for perfect agreement, 0 for that of chance, nan where fewer than two values occur."""
    observed = np.stack([np.stack([sums[f"{row},{column}"] for column in values]) for row in values])
    totals = observed.sum(axis=1)
    places = totals.cumsum(axis=0) - totals / 2 if level == "ordinal" else np.arange(len(values))
    distance = (places[:, None] - places[None]) ** 2
    if level == "nominal":
        distance = np.minimum(distance, 1).reshape(*distance.shape, *[1] * (totals.ndim - 1))
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


def signature_of(events: Sequence[str], answers: Answers, seed: int, judges: str = "") -> str:
    """What the figures depend on: among others the event of each item and the judges' signature."""
    counts = f"annotators:{len(answers)}|items:{len(events)}|events:{len({*events})}"
    asked = f"|judges:{judges}" if judges else ""
    return f"annotation|{counts}{asked}|resamples:1000|seed:{seed}|v:{__version__}"


def record(tables: Mapping[str, Table], signature: str) -> dict[str, Any]:
    """The tables for JSON; an interval is `_low` and `_high`."""
    shown = {}
    for name, table in tables.items():
        header, cells = records(table)
        of_rows = zip(table.rows, cells, strict=True)
        rows = [{"group": row.group, **dict(zip(header, each, strict=True))} for row, each in of_rows]
        shown[name] = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    return {"title": "What people say", "tables": shown, "signatures": [signature]}


@dataclass(frozen=True)
class Study:
    """The answers of annotators and judges on the headlines of a key."""

    key: Sequence[KeyRow]
    answers: Answers
    judged: Mapping[str, Sequence[int | None]]  # of `ask`; empty without judges
    seed: int = 1

    def tables(self) -> dict[str, Table]:
        """A table for each question that was answered."""
        answered = {name for of in self.answers.values() for given in of.values() for name in given}
        return {name: self.table(name) for name in QUESTIONS if name in answered}

    def table(self, question: str) -> Table:
        """Shares in which each rater is right, or says yes, and agrees with most people; alpha of people (LREC 2020, Table 4)."""
        rated = [[of.get(row.item, {}).get(question) for of in self.answers.values()] for row in self.key]
        numbers = {value: n for n, value in enumerate(QUESTIONS[question], 1)}
        given = np.array(rated, np.float64)  # nan where there is no answer
        is_yes = np.isin(given, [numbers[value] for value in YES[question]])
        yes_or_no = np.where(np.isfinite(given), np.where(is_yes, 1.0, 2.0), np.nan)
        lead = (yes_or_no == 1).sum(axis=1) - (yes_or_no == 2).sum(axis=1)
        most = np.select([lead > 0, lead < 0], [1.0, 2.0], np.nan)
        votes = {name: yes_or_no[:, [n]] for n, name in enumerate(self.answers)}
        votes |= {PEOPLE: yes_or_no, MAJORITY: most[:, None]}
        judges = [name for name, of in self.judged.items() if JUDGES[name] == question and any(of)]
        votes |= {f"judge {name}": np.array([self.judged[name]], np.float64).T for name in judges}
        is_outlet, conditions = question == "answer", np.array([row.condition for row in self.key])
        truth = np.array([2.0 if is_outlet and row.outlet == row.choice2 else 1.0 for row in self.key])
        right = "accuracy" if is_outlet else "yes"
        columns = coincidences(rated, [*numbers.values()])
        measured = [f"{name} {kind}" for name, kind in product(votes, (right, "as_most"))]
        for name, (of, other) in zip(measured, product(votes.values(), (truth, most)), strict=True):
            columns[name] = (of == other[:, None]).sum(axis=1).astype(np.float64)
            columns[f"{name} n"] = np.isfinite(of + other[:, None]).sum(axis=1).astype(np.float64)

        def aggregate(sums: Statistics) -> dict[str, Floats]:
            shares = {name: np.asarray(sums[name] / sums[f"{name} n"]) for name in measured}
            agreement = alpha(sums, [*numbers.values()], "nominal" if is_outlet else "ordinal")
            return shares | {f"{PEOPLE} alpha": agreement}

        rows = []
        events = np.array([row.event for row in self.key])
        for condition in sorted({*conditions.tolist()}, key=lambda name: (name != GOLD, name)):
            at = conditions == condition
            of_condition = {name: column[at] for name, column in columns.items()}
            with np.errstate(invalid="ignore"):  # 0 of 0
                scores = measure(of_condition, aggregate, events=events[at], seed=self.seed)[AVERAGE]
            for name in votes:
                cells: dict[str, Value] = {"rater": name, "n": int(of_condition[f"{name} {right} n"].sum())}
                kinds = {kind: f"{name} {kind}" for kind in (right, "as_most", "alpha")}
                cells |= score_cells({kind: scores[of] for kind, of in kinds.items() if of in scores})
                if name == PEOPLE:
                    counts = (f"{value}: {(given[at] == n).sum()}" for value, n in numbers.items())
                    cells["answers"] = ", ".join(counts)
                rows.append(Row(cells, condition, highlight=name == PEOPLE))
        for condition, printed in published_figures.ANNOTATORS.items() if is_outlet else ():
            means = {"accuracy": sum(printed["accuracy"]) / 3, "alpha": printed["alpha"]}
            cells = {"rater": PEOPLE, "n": 3 * published_figures.ANNOTATED, **means}
            rows.append(Row(cells, f"{condition}, published"))
        figures = (with_interval(right), with_interval("as_most", "as most"), with_interval("alpha", "α"))
        note = published_figures.CITATIONS["lrec2020"] if is_outlet else f"yes: {' or '.join(YES[question])}."
        shown = (Column("rater", "text"), Column("n", "count"), *figures, Column("answers", "text"))
        return Table(shown, tuple(rows), f"{question}: people and judges", (note,))
