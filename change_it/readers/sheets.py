"""Blind sheets for readers, the key that says what each row of them is, and the answers that come back.

Sheets are of headlines (LREC 2020, section 4) or of aligned pairs (section 4.1).
"""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.corpus.test_set import GOLD, Item, TestSet
from change_it.errors import InputError
from change_it.files.atomic import with_formula, write_table
from change_it.files.rows import Record, read_records
from change_it.files.texts import join_truncated, pluralise
from change_it.judges.data import random_split
from change_it.readers.questions import (
    HEADINGS,
    MODEL,
    SHEET_OF_PAIRS,
    SHEETS,
    answer_number,
    read_sheet,
)
from change_it.scoring.prediction_files import PredictionFile, system_of
from change_it.stats import Floats

#: Columns of the key of headlines.
#:
#: * `item` is an id in the sheets, which says nothing; `condition` is gold, or the name of a system;
#: * `outlet` is the right answer: the outlet that wrote the headline, or that the system aimed at;
#: * `id`, `event`, `label`, `original` and `article` are those of the original;
#: * `choice1` and `choice2` are the outlets;
#: * `first` and `second` are the headline and the other outlet's own, in random order; empty where there is
#: no other one, or it is the same.
KEY_COLUMNS = (
    "item",
    "condition",
    "outlet",
    "headline",
    "id",
    "event",
    "label",
    "original",
    "article",
    "choice1",
    "choice2",
    "first",
    "second",
)
#: Columns of the key of pairs: `band` is tenths of the cosine, `band_pairs` how many pairs of the corpus are
#: in it.
PAIR_KEY_COLUMNS = (
    "item",
    "pair_id",
    "similarity",
    "band",
    "band_pairs",
    "event",
    "days",
    "a_id",
    "a_date",
    "a_headline",
    "b_id",
    "b_date",
    "b_headline",
)
#: Columns of sheets that have to be those of the key.
CHECKED = ("id", "headline", "original", "first", "second", "a_headline", "b_headline")
#: What stands before a judge's name among readers. A name with neither this nor `MODEL` is a person's.
JUDGE = "judge "
#: What all people together are called among readers.
PEOPLE = "people"
#: Characters of an article that readers see.
SHOWN_CHARACTERS = 300
#: Reader to (n,) answers, from 1; NaN where there is none.
Ratings = dict[str, Floats]


def headlines_by_condition(test: TestSet, files: Sequence[PredictionFile]) -> dict[str, list[Item]]:
    """Return the headlines of each condition: gold, and the systems of prediction files.

    Several files of one name are one system. A system aims at the other outlet throughout, or at the
    original's own (LREC 2020, settings 1 and 2).
    """
    systems: dict[str, PredictionFile] = {}
    for name, file, rows in files:
        if name in systems:
            rows = [*systems[name].rows, *rows]
        systems[name] = PredictionFile(name, file, rows)
    references = [item.reference or None for item in test.items]
    headlines = {GOLD: _written(test.predicted(references))}
    for name, system in systems.items():
        aimed = test
        if _aims_at_own_outlet(system, test):
            aimed = test.in_newspaper
        scored = system_of(system, aimed, needed=())
        # the same articles in each condition: those without a partner have no gold
        with_gold = [item for item in aimed.predicted(scored.headlines) if item.reference]
        headlines[name] = _written(with_gold)
    return headlines


def _written(items: Sequence[Item]) -> list[Item]:
    """Return the items that have a new headline."""
    return [item for item in items if item.prediction.strip()]


def _aims_at_own_outlet(system: PredictionFile, test: TestSet) -> bool:
    """Tell whether all headlines that name a target name the outlet of their original.

    A file in which none names a target aims at the other outlet.
    """
    labels = {item.id: item.label for item in test.items}
    names_target = False
    for row in system.rows:
        if "target" not in row:
            continue
        names_target = True
        is_of_test = row["id"] in labels
        if is_of_test and row["target"] != labels[row["id"]]:
            return False
    return names_target


def in_random_split(test: TestSet, seed: int) -> list[Item]:
    """Return the test headlines of LREC 2020's random split, of which a person saw 100 (Table 1)."""
    items = []
    for row in random_split(test.name, test.outlets, seed)["test"].iter_rows(named=True):
        outlet = test.outlets[row["label"]]
        item = Item(
            id=row["id"],
            label=outlet,
            target=outlet,
            source=row["headline"],
            article=row["article"],
            prediction=row["headline"],
            event=row["event"],
        )
        items.append(item)
    return items


def draw_headlines(
    test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int
) -> pl.DataFrame:
    """Draw headlines in random order: as many of each condition, half of them for each outlet.

    An event is drawn twice only where there are too few. Where a condition aims at one outlet alone, as a
    system of one direction does, all headlines aim at that one.

    Args:
        test: the test set.
        conditions: condition (gold, or the name of a system) to its headlines.
        items: headlines of each condition, an even number.
        seed: seed of the draw.

    Returns:
        Rows of a key, columns `KEY_COLUMNS`.

    Raises:
        InputError: `items` is odd or larger than a condition has, or no outlet has headlines of all
            conditions.
    """
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    outlets = _outlets_of_all(test, conditions)
    shuffled: dict[tuple[str, str], list[Item]] = {}
    for name, outlet in product(conditions, outlets):
        aimed = [item for item in conditions[name] if item.target == outlet]
        shuffled[name, outlet] = random.sample(aimed, len(aimed))
    drawn_texts: set[str] = set()
    drawn_events: set[str] = set()
    rows: list[tuple[str, ...]] = []
    for drawn_before in range(items // len(outlets)):
        for (name, outlet), waiting in shuffled.items():
            item = _first_new(waiting, drawn_texts, drawn_events)
            if item is None:
                few = f"{test.name} has only {drawn_before} different headlines of {name} for {outlet}"
                raise InputError(f"{few}: {_advice_on_items(drawn_before * len(outlets))}")
            drawn_texts.add(item.prediction.casefold())
            drawn_events.add(item.event)
            rows.append(_row_of_key(name, item, test.outlets, random, seed))
    in_random_order = random.sample(rows, len(rows))
    schema = dict.fromkeys(KEY_COLUMNS, pl.String)
    return pl.DataFrame(in_random_order, schema, orient="row")


def _advice_on_items(possible: int) -> str:
    """Return what to do where only so many headlines of each condition are possible; an odd number is not."""
    most = possible - possible % 2
    return f"give --items {most} or less" if most else "build the corpus from more articles"


def _first_new(waiting: Sequence[Item], drawn_texts: set[str], drawn_events: set[str]) -> Item | None:
    """Return the first headline that is not drawn yet, of another event than the drawn ones if it can be."""
    of_drawn_event = None
    for item in waiting:
        if item.prediction.casefold() in drawn_texts:
            continue
        if item.event not in drawn_events:
            return item
        if of_drawn_event is None:
            of_drawn_event = item
    return of_drawn_event


def _outlets_of_all(test: TestSet, conditions: Mapping[str, Sequence[Item]]) -> list[str]:
    """Return the outlets that the headlines of every condition aim at; InputError without any."""
    common = set(test.outlets)
    aims = []
    for name, items in conditions.items():
        targets = {item.target for item in items}
        common &= targets
        aims.append(f"{name} for {join_truncated(sorted(targets)) or 'nobody'}")
    if not common:
        raise InputError(
            f"no outlet has headlines of all conditions ({join_truncated(aims)}): "
            "draw sheets of each direction"
        )
    return [outlet for outlet in test.outlets if outlet in common]


def _row_of_key(
    condition: str, item: Item, outlets: tuple[str, str], random: Random, seed: int
) -> tuple[str, ...]:
    """Return a row of the key; readers choose between headlines only where there are two different ones."""
    first, second = random.sample([item.prediction, item.reference], 2)
    if not item.reference or first.casefold() == second.casefold():
        first = ""
        second = ""
    return (
        item_id(seed, condition, item.id, item.prediction),
        condition,
        item.target,
        item.prediction,
        item.id,
        item.event,
        item.label,
        item.source,
        item.article,
        *outlets,
        first,
        second,
    )


def draw_pairs(corpus: str, count: int, seed: int) -> pl.DataFrame:
    """Draw pairs of A1, A2 and A3 in random order, evenly over bands of cosine as far as each has enough.

    A band is a tenth of the cosine.

    Returns:
        The rows of sheet and key.

    Raises:
        InputError: `count` is below 1, or the corpus has no pairs.
    """
    if count < 1:
        raise InputError(f"--pairs {count} is too few: give a number from 1")
    columns = ["pair_id", "similarity", "event"]
    for side in ("a", "b"):
        columns += [f"{side}_id", f"{side}_headline", f"{side}_article", f"{side}_date"]
    tables = []
    for split in ("train", "test"):
        table = read_table(corpus, "pairs", split, columns)
        if table.height:
            tables.append(table)
    if not tables:
        raise InputError(f"the corpus {corpus} has no pairs: build it with lower thresholds or more articles")
    random = Random(seed)
    pairs = _shuffled(pl.concat(tables), random)
    tenths = (pl.col("similarity") * 10).cast(pl.Int64)
    pairs = pairs.with_columns(band=tenths.clip(0, 9))
    pairs = pairs.with_columns(
        turn=pl.int_range(pl.len()).over("band"),
        band_pairs=pl.len().over("band"),
    )
    # the first pair of each band, then the second of each, and so on
    drawn = _shuffled(pairs.sort("turn", "band").head(count), random)
    articles = pl.col("a_article", "b_article").str.replace_all(r"\s+", " ")
    time_apart = pl.col("a_date") - pl.col("b_date")
    ids = [item_id(seed, pair) for pair in drawn["pair_id"]]
    return drawn.with_columns(
        articles.str.head(SHOWN_CHARACTERS),
        item=pl.Series(ids),
        days=time_apart.dt.total_days().abs(),
    )


def _shuffled(table: pl.DataFrame, random: Random) -> pl.DataFrame:
    """Return the rows of a table in random order."""
    return table[random.sample(range(table.height), table.height)]


def item_id(*content: object) -> str:
    """Return an id from which a reader learns nothing about its content.

    It begins with a letter, since a spreadsheet reads 12345e67 as a number.
    """
    text = "\n".join(map(str, content))
    return f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_sheets(files: Mapping[str, Path], drawn: pl.DataFrame) -> list[Path]:
    """Write the key and the sheets.

    Args:
        files: where each of `SHEETS` is written, and the `key`; the sheet of pairs has the name "".
        drawn: rows of `draw_headlines` or `draw_pairs`.

    Returns:
        The sheets in the order in which they are given out: none says what an earlier one asks.
    """
    columns = KEY_COLUMNS
    sheets = SHEETS
    if "pair_id" in drawn.columns:
        columns = PAIR_KEY_COLUMNS
        sheets = {"": SHEET_OF_PAIRS}
    write_table(files["key"], columns, drawn.select(columns).iter_rows(), quote_formulas=True)
    written = []
    for name, sheet in sheets.items():
        rows = drawn
        if name == "preferred":
            rows = drawn.filter(pl.col("first") != "")
        if not rows.height:
            continue
        questions = [HEADINGS[question] for question in sheet.asked]
        no_answers = [pl.lit("").alias(question) for question in sheet.asked]
        cells = rows.select("item", *sheet.shown, *no_answers)
        header = ["item", *sheet.shown, *questions]
        write_table(files[name], header, cells.iter_rows(), quote_formulas=True)
        written.append(files[name])
    return written


def read_key(path: Path) -> pl.DataFrame:
    """Read a key of headlines or of pairs.

    Raises:
        InputError: the key has an item twice, or an outlet that is no choice.
    """
    first_record = read_records(path, required=("item",), optional=("pair_id",))[0]
    is_of_pairs = "pair_id" in first_record.cells
    columns = PAIR_KEY_COLUMNS if is_of_pairs else KEY_COLUMNS
    rows = []
    for record in read_records(path, required=columns):
        rows.append([with_formula(record.cells[name]) for name in columns])
    key = pl.DataFrame(rows, dict.fromkeys(columns, pl.String), orient="row")
    has_choices = True
    if not is_of_pairs:
        is_first = key["outlet"] == key["choice1"]
        is_second = key["outlet"] == key["choice2"]
        has_choices = (is_first | is_second).all()
    if not has_choices or key["item"].is_duplicated().any():
        raise InputError(f"{path} has items twice, or an outlet that is no choice: draw the sheets again")
    return key


def read_answers(files: Sequence[Path], key: pl.DataFrame) -> dict[str, Ratings]:
    """Read filled sheets.

    Sheets of a model name it in the column `reader`; others are called after their file. Sheets of one name
    are of one reader.

    Returns:
        Each question that is answered to what its readers say of the n items of the key.

    Raises:
        InputError: a sheet has no answers, items that are not in the key or texts that are not the key's, a
            reader's name that is taken, or two answers to one question.
    """
    rows = {row["item"]: row for row in key.iter_rows(named=True)}
    numbers = {item: number for number, item in enumerate(key["item"])}
    sheets = list(SHEETS.values())
    if "pair_id" in key.columns:
        sheets = [SHEET_OF_PAIRS]
    questions: list[str] = []
    for sheet in sheets:
        questions += sheet.asked
    rated: dict[str, Ratings] = {question: {} for question in questions}
    for file in files:
        records = read_sheet(file, (*CHECKED, "reader", *questions))
        asked = _asked(file, records, questions, rows)
        for record in records:
            item = record.cells["item"]
            reader = _reader_of(file, record)
            _check_texts(file, record, rows[item])
            for question in asked:
                outlets = _outlet_numbers(question, rows[item])
                answer = answer_number(file, record, question, outlets)
                if answer is None:
                    continue
                answers = rated[question].setdefault(reader, np.full(len(key), np.nan))
                if np.isfinite(answers[numbers[item]]):
                    fault = f"{file}, line {record.line}: {question} of {item} appears twice"
                    raise InputError(f"{fault}; keep one")
                answers[numbers[item]] = answer
    return {question: readers for question, readers in rated.items() if readers}


def _asked(
    file: Path, records: Sequence[Record], questions: Sequence[str], items: Mapping[str, object]
) -> list[str]:
    """Return the questions of a sheet; InputError where items are not in the key, or nothing is answered."""
    ids = [record.cells["item"] for record in records]
    unknown = [id_ for id_ in ids if id_ not in items]
    if unknown:
        fault = f"{file} has {pluralise(len(unknown), 'item')} not in the key ({join_truncated(unknown, 3)})"
        raise InputError(f"{fault}: give the key of this sheet")
    asked = [name for name in questions if name in records[0].cells]
    for record in records:
        if any(record.cells[question] for question in asked):
            return asked
    raise InputError(f"{file} has no answers: fill in {join_truncated(asked or questions)}")


def _reader_of(file: Path, record: Record) -> str:
    """Return who answered: the model in the column `reader`, or the person whom the file is called after."""
    model = record.cells.get("reader", "")
    if model.startswith(MODEL):
        return model
    reader = file.stem
    if reader == PEOPLE or reader.startswith((MODEL, JUDGE)):
        raise InputError(f"a reader cannot be called {reader}: rename the file")
    return reader


def _check_texts(file: Path, record: Record, row: Mapping[str, Any]) -> None:
    """Refuse a row whose texts are not the key's, but for what a spreadsheet or its apostrophe changes."""
    for name in CHECKED:
        if name not in record.cells or name not in row:
            continue
        if _as_compared(record.cells[name]) != _as_compared(row[name]):
            mend = f"{name} of {row['item']} is not the key's; keep the columns of a sheet together"
            raise InputError(f"{file}, line {record.line}: {mend}")


def _as_compared(text: str) -> str:
    """Return a text without the apostrophe before a formula, with single spaces."""
    return " ".join(with_formula(text).split()).lstrip("'")


def _outlet_numbers(question: str, row: Mapping[str, Any]) -> dict[str, int]:
    """Return the outlets, in small letters, that may be written in the place of the numbers 1 and 2."""
    if question != "answer":
        return {}
    return {row["choice1"].casefold(): 1, row["choice2"].casefold(): 2}
