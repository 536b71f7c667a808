"""Sheets for readers, blind, with a key that says what each row is: of headlines (LREC 2020, section 4) and of aligned pairs (section 4.1); and their answers."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

from change_it.corpus.folder import read_table
from change_it.corpus.test_set import GOLD, Item, TestSet
from change_it.errors import InputError
from change_it.files.atomic import with_formula, write_table
from change_it.files.rows import read_records
from change_it.files.texts import counted, listed
from change_it.judges.data import random_split
from change_it.readers.questions import HEADINGS, MODEL, PAIRS, SHEETS, answer_number, read_sheet
from change_it.scoring.systems import PredictionFile, system_of
from change_it.stats import Floats

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
#: Characters of an article that readers see.
OPENING = 300
#: Reader to (n,) answers, from 1; nan where there is none.
Ratings = dict[str, Floats]


def headlines_by_condition(test: TestSet, files: Sequence[PredictionFile]) -> dict[str, list[Item]]:
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
        predicted = aimed.predicted(system_of(system, aimed, needed=()).headlines)
        # the same articles in each condition: those without a partner have no gold
        headlines[name] = [item for item in predicted if item.reference]
    return {name: [item for item in items if item.prediction.strip()] for name, items in headlines.items()}


def in_random_split(test: TestSet, seed: int) -> list[Item]:
    """The test headlines of LREC 2020's random split, of which a person saw 100 (Table 1)."""
    split = random_split(test.name, test.outlets, seed)["test"]
    columns = (split[name] for name in ("id", "label", "headline", "article", "event"))
    return [
        Item(id_, test.outlets[at], test.outlets[at], headline, article, prediction=headline, event=event)
        for id_, at, headline, article, event in zip(*columns, strict=True)
    ]


def draw_headlines(
    test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int
) -> pl.DataFrame:
    """Draw headlines in random order, rows of a key: so many of each condition, half of them of each outlet; an event twice only where there are too few.

    Where a condition aims at one outlet alone, as a system of one direction does, all headlines aim at that one.
    """
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    cells: dict[tuple[str, str], list[Item]] = {}
    aims = {name: {item.target for item in of_condition} for name, of_condition in conditions.items()}
    outlets = [outlet for outlet in test.outlets if all(outlet in of_name for of_name in aims.values())]
    if not outlets:
        aimed_at = listed([f"{name} for {listed(sorted(aims[name])) or 'nobody'}" for name in conditions])
        raise InputError(
            f"no outlet has headlines of all conditions ({aimed_at}): draw sheets of each direction"
        )
    for name, outlet in product(conditions, outlets):
        aimed = [item for item in conditions[name] if item.target == outlet]
        cells[name, outlet] = random.sample(aimed, len(aimed))
    texts, events, rows = set[str](), set[str](), list[tuple[str, ...]]()
    for n, ((name, outlet), waiting) in product(range(items // len(outlets)), cells.items()):
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


def draw_pairs(corpus: str, count: int, seed: int) -> pl.DataFrame:
    """The rows of sheet and key: A1, A2 and A3 pairs in random order, evenly over bands of cosine as far as each has enough."""
    if count < 1:
        raise InputError(f"--pairs {count} is too few: give a number from 1")
    sides = [f"{side}_{column}" for side in "ab" for column in ("id", "headline", "article", "date")]
    columns = ["pair_id", "similarity", "event", *sides]
    splits = (read_table(corpus, "pairs", split, columns) for split in ("train", "test"))
    if not (filled := [pairs for pairs in splits if pairs.height]):
        raise InputError(f"the corpus {corpus} has no pairs: build it with lower thresholds or more articles")
    pairs, random = pl.concat(filled), Random(seed)
    pairs = pairs[random.sample(range(pairs.height), pairs.height)]
    pairs = pairs.with_columns(band=(pl.col("similarity") * 10).cast(pl.Int64).clip(0, 9))
    turn, in_band = pl.int_range(pl.len()).over("band"), pl.len().over("band")
    pairs = pairs.with_columns(turn=turn, band_pairs=in_band)
    drawn = pairs.sort("turn", "band").head(count)
    drawn = drawn[random.sample(range(drawn.height), drawn.height)]
    return drawn.with_columns(
        pl.col("a_article", "b_article").str.replace_all(r"\s+", " ").str.head(OPENING),
        item=pl.Series([item_id(seed, pair) for pair in drawn["pair_id"]]),
        days=(pl.col("a_date") - pl.col("b_date")).dt.total_days().abs(),
    )


def item_id(*content: object) -> str:
    """An id that says nothing; a spreadsheet would read 12345e67 as a number."""
    text = "\n".join(map(str, content))
    return f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_sheets(files: Mapping[str, Path], drawn: pl.DataFrame) -> list[Path]:
    """Write the key and the sheets, which are returned in the order in which they are given out: none says what an earlier one asks."""
    is_of_pairs, written = "pair_id" in drawn.columns, []
    columns, sheets = (PAIR_KEY, {"": PAIRS}) if is_of_pairs else (KEY, SHEETS)
    write_table(files["key"], columns, drawn.select(columns).iter_rows(), quote_formulas=True)
    for name, (shown, asked) in sheets.items():
        rows = drawn.filter(pl.col("first") != "") if name == "preferred" else drawn
        if rows.height:
            header = ["item", *shown, *(HEADINGS[question] for question in asked)]
            cells = rows.select("item", *shown, *(pl.lit("").alias(question) for question in asked))
            write_table(files[name], header, cells.iter_rows(), quote_formulas=True)
            written.append(files[name])
    return written


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
    in_sheets = [name for _, questions in SHEETS.values() for name in questions]
    questions = PAIRS[1] if "pair_id" in key.columns else in_sheets
    rated: dict[str, Ratings] = {name: {} for name in questions}
    for file in files:
        records = read_sheet(file, (*CHECKED, "reader", *questions))
        if unknown := [record.cells["item"] for record in records if record.cells["item"] not in rows]:
            fault = f"{file} has {counted(len(unknown), 'item')} not in the key ({listed(unknown, 3)})"
            raise InputError(f"{fault}: give the key of this sheet")
        asked = [name for name in questions if name in records[0].cells]
        if not any(record.cells[question] for record in records for question in asked):
            raise InputError(f"{file} has no answers: fill in {listed(asked or questions)}")
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
