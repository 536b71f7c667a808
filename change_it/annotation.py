"""Readers' judgements of headlines: writes sheets with a key, and compares filled ones with the key, each other and the judges (LREC 2020, section 4)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import isfinite
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from change_it import __version__, published_figures
from change_it.errors import InputError
from change_it.io import counted, listed, read_records, with_formula, write_table
from change_it.judges.data import random_split
from change_it.questions import HEADINGS, MODEL, QUESTIONS, SHEETS, answer_number, read_sheet
from change_it.scoring.item import GOLD, Item, TestSet
from change_it.scoring.systems import PredictionFile, system_of
from change_it.stats import AVERAGE, Aggregate, EventIds, Floats, Score, Statistics, measure
from change_it.tables import Column, Row, Table, Value, records, with_interval

if TYPE_CHECKING:
    from change_it.scoring.judges import Judges

#: Columns of the key of headlines. `item` is an id in the sheets, which says nothing; `condition` gold, or the name of a system; `outlet` the right answer,
#: the outlet that wrote it, or that the system aimed at; `id`, `event` and `label` those of the original; `choice1` and `choice2` the outlets;
#: `first` and `second` the headline and the other outlet's own, in any order, empty where there is none or it is the same.
KEY = ("item", "condition", "outlet", "headline", "id", "event", "label", "original", "article", "choice1", "choice2", "first", "second")  # fmt: skip
#: And of that of pairs: `band` is tenths of the cosine, `band_pairs` how many pairs of the corpus are in it.
PAIR_KEY = ("item", "pair_id", "similarity", "band", "band_pairs", "event", "days", "a_id", "a_date", "a_headline", "b_id", "b_date", "b_headline")  # fmt: skip
#: Columns of sheets that have to be those of the key.
CHECKED = ("id", "headline", "original", "first", "second", "a_headline", "b_headline")
#: How judges are called among readers; who is no model either is a person. What all people are.
JUDGE, PEOPLE = "judge ", "people"
#: Reader to (n,) answers, from 1; nan where there is none.
Ratings = dict[str, Floats]


def conditions(test: TestSet, files: Sequence[PredictionFile]) -> dict[str, list[Item]]:
    """Condition to its headlines: gold, and the systems of prediction files (several files of one name together).

    A system aims at the other outlet throughout, or at the original's own (LREC 2020, settings 1 and 2).
    """
    labels, systems = {item.id: item.label for item in test.items}, dict[str, PredictionFile]()
    for name, file, rows in files:
        systems[name] = PredictionFile(name, file, [*(systems[name].rows if name in systems else []), *rows])
    headlines = {GOLD: test.predicted([item.reference or None for item in test.items])}
    for name, system in systems.items():
        rows = [row for row in system.rows if "target" in row]
        is_own = rows and all(row["target"] == labels.get(row["id"], row["target"]) for row in rows)
        aimed = test.in_newspaper if is_own else test
        headlines[name] = aimed.predicted(system_of(system, aimed, needed=()).headlines)
    return {name: [item for item in items if item.prediction.strip()] for name, items in headlines.items()}


def in_random_split(test: TestSet, seed: int) -> list[Item]:
    """The test headlines of LREC 2020's random split, of which a person saw 100 (Table 1)."""
    split = random_split(test.name, test.outlets, seed)["test"]
    columns = (split[name] for name in ("id", "label", "headline", "article", "event"))
    return [
        Item(id_, test.outlets[at], test.outlets[at], headline, article, prediction=headline, event=event)
        for id_, at, headline, article, event in zip(*columns, strict=True)
    ]


def draw(test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int) -> pl.DataFrame:
    """Draw headlines in random order, rows of a key: so many of each condition, half of them of each outlet; an event twice only where there are too few."""
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    cells: dict[tuple[str, str], list[Item]] = {}
    for name, outlet in product(conditions, test.outlets):
        aimed = [item for item in conditions[name] if item.target == outlet]
        cells[name, outlet] = random.sample(aimed, len(aimed))
    texts, events, rows = set[str](), set[str](), list[tuple[str, ...]]()
    for n, ((name, outlet), waiting) in product(range(items // 2), cells.items()):
        new = [item for item in waiting if item.prediction.casefold() not in texts]
        if not new:
            few = f"{test.name} has only {n} different headlines of {name} for {outlet}"
            raise InputError(f"{few}: give a smaller --items")
        item = next((item for item in new if item.event not in events), new[0])
        texts.add(item.prediction.casefold())
        events.add(item.event)
        two = random.sample([item.prediction, item.reference], 2)
        is_asked = item.reference and two[0].casefold() != two[1].casefold()
        shown = (*test.outlets, *(two if is_asked else ("", "")))
        id_ = item_id(seed, name, item.id, item.prediction)
        original = (item.id, item.event, item.label, item.source, item.article)
        rows.append((id_, name, item.target, item.prediction, *original, *shown))
    return pl.DataFrame(random.sample(rows, len(rows)), dict.fromkeys(KEY, pl.String), orient="row")


def item_id(*content: object) -> str:
    """An id that says nothing; a spreadsheet would read 12345e67 as a number."""
    text = "\n".join(map(str, content))
    return f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_sheets(files: Mapping[str, Path], key: pl.DataFrame) -> list[Path]:
    """Write the key and the sheets, which are returned in the order in which they are given out: none says what an earlier one asks."""
    write_table(files["key"], KEY, key.iter_rows(), quote_formulas=True)
    written = []
    for name, (shown, asked) in SHEETS.items():
        rows = key.filter(pl.col("first") != "") if name == "preferred" else key
        if rows.height:
            write_sheet(files[name], rows, shown, asked)
            written.append(files[name])
    return written


def write_sheet(file: Path, key: pl.DataFrame, shown: Sequence[str], asked: Sequence[str]) -> None:
    """Write a sheet: what it shows of the rows of a key, and a column for each question."""
    header = ["item", *shown, *(HEADINGS[question] for question in asked)]
    cells = key.select("item", *shown, *(pl.lit("").alias(question) for question in asked))
    write_table(file, header, cells.iter_rows(), quote_formulas=True)


def read_key(path: Path) -> pl.DataFrame:
    """Read a key of headlines or of pairs."""
    is_of_pairs = "pair_id" in read_records(path, required=("item",), optional=("pair_id",))[0].cells
    columns = PAIR_KEY if is_of_pairs else KEY
    records = read_records(path, required=columns)
    rows = [[with_formula(record.cells[name]) for name in columns] for record in records]
    key = pl.DataFrame(rows, dict.fromkeys(columns, pl.String), orient="row")
    is_choice = is_of_pairs or ((key["outlet"] == key["choice1"]) | (key["outlet"] == key["choice2"])).all()
    if not is_choice or key["item"].is_duplicated().any():
        raise InputError(f"{path} has items twice, or an outlet that is no choice: draw the sheets again")
    return key


def read_answers(files: Sequence[Path], key: pl.DataFrame) -> dict[str, Ratings]:
    """Read filled sheets: of each question that is answered what its readers say of the n items of the key.

    Sheets of a model name it in the column `reader`, others are called after their reader, and those of one name are of one.
    """
    rows = {row["item"]: (place, row) for place, row in enumerate(key.iter_rows(named=True))}
    rated: dict[str, Ratings] = {name: {} for name in QUESTIONS}
    for file in files:
        records = read_sheet(file, (*CHECKED, "reader", *QUESTIONS))
        if unknown := [record.cells["item"] for record in records if record.cells["item"] not in rows]:
            fault = f"{file} has {counted(len(unknown), 'item')} not in the key ({listed(unknown, 3)})"
            raise InputError(f"{fault}: give the key of this sheet")
        asked = [name for name in QUESTIONS if name in records[0].cells]
        if not any(record.cells[question] for record in records for question in asked):
            raise InputError(f"{file} has no answers: fill in {listed(asked)}")
        for record in records:
            item, model = record.cells["item"], record.cells.get("reader", "")
            reader, (place, row) = model if model.startswith(MODEL) else file.stem, rows[item]
            if reader == PEOPLE or (reader.startswith((MODEL, JUDGE)) and reader != model):
                raise InputError(f"a reader cannot be called {reader}: rename the file")
            for name in (name for name in CHECKED if name in record.cells and name in row):
                texts = record.cells[name], row[name]
                # without what a spreadsheet or its apostrophe changes
                if len({" ".join(with_formula(text).split()).lstrip("'") for text in texts}) > 1:
                    mend = f"{name} of {item} is not the key's; keep the columns of a sheet together"
                    raise InputError(f"{file}, line {record.line}: {mend}")
            for question in asked:
                choices = ("choice1", "choice2") if question == "answer" else ()
                outlets = {row[choice].casefold(): number for number, choice in enumerate(choices, 1)}
                if (number := answer_number(file, record, question, outlets)) is None:
                    continue
                answers = rated[question].setdefault(reader, np.full(len(key), np.nan))
                if np.isfinite(answers[place]):
                    fault = f"{file}, line {record.line}: {question} of {item} appears twice"
                    raise InputError(f"{fault}; keep one")
                answers[place] = number
    return {question: readers for question, readers in rated.items() if readers}


def ask(judges: "Judges", key: pl.DataFrame) -> Ratings:
    """Judge to (n,) decisions: main's outlet, of the others 1 for yes and 2 for no. Sources are those that readers see."""
    outlets, learnt = " and ".join(key.row(0)[-4:-2]), " and ".join(judges.outlets)
    if outlets != learnt:
        raise InputError(f"the key has {outlets}, the judges {learnt}: give judges of this corpus")
    columns = ("id", "label", "outlet", "original", "article", "headline")
    rows = key.select(columns).iter_rows()
    judged = judges.judge([replace(Item(*texts), prediction=new) for *texts, new in rows])
    p_target, at_second = judged["p_target"].to_numpy(), (key["outlet"] != key["choice1"]).to_numpy()
    p_first = np.where(at_second, 1 - p_target, p_target)
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


def mean_f1(answers: Floats, truth: Floats, events: EventIds, seed: int) -> Score:
    """The mean F1 of both outlets (LREC 2020, Tables 1 and 5) of (n, readers) answers, 1 or 2, and the (n,) right ones."""
    columns: dict[str, Floats] = {}
    for value in (1, 2):
        chosen, true = answers == value, (truth[:, None] == value) & np.isfinite(answers)
        columns[f"right {value}"] = (chosen & true).sum(axis=1).astype(np.float64)
        columns[f"all {value}"] = (chosen.sum(axis=1) + true.sum(axis=1)).astype(np.float64)

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
            answers = np.column_stack([values[name] for name in pair])
            is_rated = np.isfinite(answers).all(axis=1)
            are_judges = [name.startswith(JUDGE) for name in pair]
            if is_rated.any() and not all(are_judges):
                answers = np.minimum(answers, 2) if any(are_judges) else answers
                cells: dict[str, Value] = {"readers": ", ".join(pair), "n": int(is_rated.sum())}
                rows.append(Row(cells | agreement(answers[is_rated], events[is_rated], seed), question))
    figures = (with_interval("agreement"), with_interval("alpha", "α"))
    shown = (Column("readers", "text"), Column("n", "count"), *figures)
    note = f"Who is no {MODEL.strip()} and no {JUDGE.strip()} is a person."
    return {"agreement": Table(shown, rows, "Agreement of each two readers", (note,))} if rows else {}


def signature_of(key: pl.DataFrame, rated: Mapping[str, Ratings], seed: int, judges: str = "") -> str:
    """What the figures depend on, among others the signature of the judges."""
    readers = {reader for ratings in rated.values() for reader in ratings}
    counts = f"readers:{len(readers)}|items:{len(key)}|events:{key['event'].n_unique()}"
    asked = f"|judges:{judges}" if judges else ""
    return f"annotation|{counts}{asked}|resamples:1000|seed:{seed}|v:{__version__}"


def record(tables: Mapping[str, Table], signature: str) -> dict[str, Any]:
    """The tables for JSON; an interval is `_low` and `_high`."""
    shown = {}
    for name, table in tables.items():
        header, cells = records(table)
        groups = (row.group for row in table.rows)
        rows = [
            {"group": group, **dict(zip(header, row, strict=True))}
            for group, row in zip(groups, cells, strict=True)
        ]
        shown[name] = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    return {"title": "What readers say", "tables": shown, "signatures": [signature]}


def study_tables(
    key: pl.DataFrame, rated: Mapping[str, Ratings], judged: Ratings, seed: int = 1
) -> dict[str, Table]:
    """A table for each question that was answered, and the agreement of readers; `judged` is of `ask`, empty without judges."""
    everyone = {}
    for question, ratings in rated.items():
        asked = (judge for judge in QUESTIONS[question].judges if judge in judged)
        decisions = {f"{JUDGE}{judge}": judged[judge] for judge in asked if np.isfinite(judged[judge]).any()}
        everyone[question] = ratings | decisions
    tables = {question: _shares(question, key, ratings, seed) for question, ratings in everyone.items()}
    return tables | agreement_table(everyone, key["event"].to_numpy(), seed)


def _shares(question: str, key: pl.DataFrame, rated: Ratings, seed: int) -> Table:
    """Shares in which each reader is right, prefers the new headline or says yes; alpha of people (LREC 2020, Table 4)."""
    titles = {"answer": "accuracy", "preferred": "new preferred"}
    seconds = {"answer": ("outlet", "choice2"), "preferred": ("headline", "second")}
    truth, events = np.ones(len(key)), key["event"].to_numpy()
    if question in seconds:
        wanted, second = seconds[question]
        truth += (key[wanted] == key[second]).to_numpy()
    people = [name for name in rated if not name.startswith((MODEL, JUDGE))]
    votes = {name: column[:, None] for name, column in rated.items()}
    if len(people) > 1:
        votes[PEOPLE] = np.column_stack([rated[name] for name in people])
    rows, conditions = [], key["condition"].to_numpy()
    for condition in sorted({*conditions}, key=lambda name: (name != GOLD, name)):
        is_here = conditions == condition
        true, of_events = truth[is_here], events[is_here]
        for name, ratings in votes.items():
            answers = ratings[is_here]
            counts = np.isfinite(answers).sum(axis=1).astype(np.float64)
            if not counts.any():
                continue
            right = (answers == true[:, None]).sum(axis=1).astype(np.float64)
            cells: dict[str, Value] = {"reader": name, "n": int(counts.sum())}
            cells |= score_cells({"share": share(right, counts, of_events, seed)})
            if question == "answer":
                cells |= score_cells({"f1": mean_f1(answers, true, of_events, seed)})
            if name == PEOPLE:
                cells |= agreement(answers, of_events, seed)
            values = enumerate(QUESTIONS[question].answers, 1)
            if not name.startswith(JUDGE):
                cells["answers"] = ", ".join(f"{value}: {(answers == n).sum()}" for n, value in values)
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
