"""The files of a study: the blinded sheet, the key that says what its headlines are, and the answers of annotators."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import cycle
from pathlib import Path
from random import Random

import polars as pl

from change_it.errors import InputError
from change_it.io import Record, listed, named_files, read_records, write_table
from change_it.scoring.columns import BUILT_IN, GOLD
from change_it.scoring.item import Item, TestSet
from change_it.scoring.systems import built_in_systems, read_predictions

#: The condition of the headlines of any articles, whatever their alignment (LREC 2020, Table 1).
RANDOM_GOLD = "random gold"
#: Conditions of the outlets' own headlines: gold is those of the target outlet about the same events.
GOLDS = (GOLD, RANDOM_GOLD)
CHOICES = ("choice1", "choice2")
#: Questions of an item in the order in which they are asked, and how many values each has, from 1.
QUESTIONS = {"answer": 2, "content": 5, "fluency": 5}
RATINGS = ("content", "fluency")


@dataclass(frozen=True)
class KeyRow:
    """A headline of the sheet and what it is."""

    item: str  # its id in the sheet, which says nothing
    condition: str  # gold, or the name of a system
    outlet: str  # the right answer: the outlet that wrote it, or that the system aimed at
    headline: str
    id: str  # of the original article
    event: str  # of the article; intervals draw events
    label: str  # outlet of the original
    source: str  # the original headline
    article: str
    reference: str  # the target outlet's own headline about the event
    reference_article: str
    choice1: str  # short names of the outlets
    choice2: str

    @property
    def truth(self) -> int:
        """The right answer, 1 or 2."""
        return 1 if self.outlet == self.choice1 else 2

    @property
    def as_item(self) -> Item:
        """The headline as judges are asked about it."""
        original = (self.id, self.label, self.outlet, self.source, self.article)
        return Item(*original, self.reference, self.reference_article, self.headline)


@dataclass(frozen=True)
class SheetRow:
    """A headline as annotators see it."""

    item: str
    headline: str
    choice1: str
    choice2: str
    article: str = ""  # that content is rated by; empty where nothing is rated


@dataclass(frozen=True)
class Annotator:
    """What one annotator answered: item → question → value from 1."""

    name: str
    answers: dict[str, dict[str, int]]

    def value(self, item: str, question: str) -> int | None:
        """The answer to a question; None where there is none."""
        return self.answers.get(item, {}).get(question)


def conditions(
    test: TestSet, specs: Sequence[str], *, random_gold: bool = False, seed: int = 1
) -> dict[str, list[Item]]:
    """Condition to the headlines that it may be asked about: gold, the systems of prediction files, and random gold if wanted.

    A system aims at the other outlet throughout, or at the original's own (LREC 2020, settings 1 and 2).
    """
    headlines = {
        system.name: test.predicted(system.headlines)
        for system in built_in_systems(test, seed=seed)
        if system.name == GOLD
    }
    files: dict[str, list[Path]] = {}
    named = named_files(specs, option="--predictions", example="mine=mine.csv", taken=BUILT_IN, repeated=True)
    for name, file in named:
        files.setdefault(name, []).append(file)
    labels = {item.id: item.label for item in test.items}
    for name, (first, *more) in files.items():
        records = [
            record.cells
            for file in (first, *more)
            if file.suffix.lower() != ".txt"  # a headline a line
            for record in read_records(file, required=("id",), optional=("target",))
        ]
        targets = [
            (row["target"], labels.get(row["id"], row["target"])) for row in records if "target" in row
        ]
        in_newspaper = bool(targets) and all(target == label for target, label in targets)
        aimed = test.in_newspaper if in_newspaper else test
        headlines[name] = aimed.predicted(read_predictions(first, aimed, name=name, more=more).headlines)
    if random_gold:
        headlines[RANDOM_GOLD] = _random_gold(test.name, seed)
    return {name: [item for item in some if item.prediction.strip()] for name, some in headlines.items()}


def _random_gold(corpus: str, seed: int) -> list[Item]:
    """The own headlines of the fifth of all articles that a classifier of the random split with this seed is tested on."""
    from change_it.corpus.folder import read_table
    from change_it.corpus.training_sets import random_split

    columns = ["id", "label", "headline", "article"]
    sides = [read_table(corpus, "articles", side, columns) for side in ("train", "test")]
    _, tested = random_split(pl.concat(side for side in sides if side.height), seed)
    return [
        Item(id_, label, label, headline, article, prediction=headline)
        for id_, label, headline, article in tested.iter_rows()
    ]


def draw(test: TestSet, conditions: Mapping[str, Sequence[Item]], items: int, seed: int) -> list[KeyRow]:
    """Draw the headlines of a sheet, in random order: so many of each condition, half of them of each outlet."""
    if items < 2 or items % 2:
        raise InputError(f"--items {items} cannot be halved between two outlets: give an even number from 2")
    random = Random(seed)
    cells: list[tuple[str, list[Item]]] = []
    for name, predicted in conditions.items():
        for outlet in test.outlets:
            for_outlet = [item for item in predicted if item.target == outlet]
            cells.append((name, random.sample(for_outlet, len(for_outlet))))
    event_of = {item.id: item.id for predicted in conditions.values() for item in predicted} | {
        item.id: f"event {event}" for item, event in zip(test.items, test.events.tolist(), strict=True)
    }
    texts: set[str] = set()
    events: set[str] = set()

    def is_new(item: Item, *, fresh: bool) -> bool:
        known = event_of[item.id] in events
        return item.prediction.casefold() not in texts and not (fresh and known)

    chosen: list[list[Item]] = [[] for _ in cells]
    for fresh in (True, False):  # an event stands twice only where there are too few
        waiting = [iter(drawn) for _, drawn in cells]
        open_ = set(range(len(cells)))
        for at in cycle(range(len(cells))):
            if not open_:
                break
            if at not in open_:
                continue
            item = next((new for new in waiting[at] if is_new(new, fresh=fresh)), None)
            if len(chosen[at]) == items // 2 or item is None:
                open_.discard(at)
                continue
            chosen[at].append(item)
            texts.add(item.prediction.casefold())
            events.add(event_of[item.id])
    rows = []
    for (name, _), several in zip(cells, chosen, strict=True):
        if len(several) < items // 2:
            raise InputError(
                f"{test.name} has only {len(several)} different headlines of {name} for one outlet: give --items {2 * len(several)} or less"
            )
        rows += [_key_row(name, item, event_of[item.id], test.outlets, seed) for item in several]
    return random.sample(rows, len(rows))


def _key_row(condition: str, item: Item, event: str, outlets: tuple[str, str], seed: int) -> KeyRow:
    content = "\n".join([str(seed), condition, item.id, item.prediction])
    return KeyRow(
        item=f"h{hashlib.sha256(content.encode()).hexdigest()[:8]}",  # a spreadsheet reads 12345e67 as a number
        condition=condition,
        outlet=item.target,
        headline=item.prediction,
        id=item.id,
        event=event,
        label=item.label,
        source=item.source,
        article=item.article,
        reference="" if condition == GOLD else item.reference,
        reference_article="" if condition == GOLD else item.reference_article,
        choice1=outlets[0],
        choice2=outlets[1],
    )


def write_key(path: Path, rows: Sequence[KeyRow]) -> None:
    """Write the key; it is for programs, so nothing is quoted for spreadsheets."""
    write_table(path, [field.name for field in fields(KeyRow)], [astuple(row) for row in rows])


def write_sheet(path: Path, rows: Sequence[KeyRow], names: tuple[str, str], *, ratings: bool) -> None:
    """Write what annotators see: with `ratings` the article and two more columns to fill in."""
    header = ["item", "headline", *CHOICES, "answer", *(("article", *RATINGS) if ratings else ())]
    write_table(
        path,
        header,
        ([row.item, row.headline, *names, "", *([row.article, "", ""] if ratings else [])] for row in rows),
        quote_formulas=True,
    )


def read_key(path: Path) -> list[KeyRow]:
    """Read a key."""
    names = [field.name for field in fields(KeyRow)]
    optional = ("event", "reference", "reference_article")
    records = read_records(path, required=[name for name in names if name not in optional], optional=optional)
    rows = [KeyRow(**{name: record.cells.get(name, "") for name in names}) for record in records]
    if len({row.item for row in rows}) < len(rows):
        raise InputError(
            f"{path} has items that occur twice: draw the sheet again with change-it annotate sample"
        )
    if any(row.outlet not in (row.choice1, row.choice2) for row in rows):
        raise InputError(f"{path} has an outlet that is not one of its choices: draw the sheet again")
    return rows


def read_sheet(path: Path) -> tuple[list[SheetRow], list[str]]:
    """The rows of a sheet, and the questions that it asks."""
    records = read_records(
        path, required=("item", "headline", *CHOICES), optional=("answer", "article", "outlet", *RATINGS)
    )
    if "outlet" in records[0].cells:
        raise InputError(f"{path} is a key, which annotators must not see: give the sheet")
    questions = ["answer", *(name for name in RATINGS if name in records[0].cells)]
    names = [field.name for field in fields(SheetRow)]
    rows = [SheetRow(**{name: _unquoted(record.cells.get(name, "")) for name in names}) for record in records]
    if len({row.item for row in rows if row.item.isprintable() and row.item}) < len(rows):
        raise InputError(f"{path} has items without an id, or of one id: give each of them one of its own")
    return rows, questions


def _unquoted(text: str) -> str:
    """A text without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return text[1:] if text.startswith("'") and text[1:2] in ("=", "+", "-", "@") else text


def read_annotators(files: Sequence[Path], key: Sequence[KeyRow]) -> list[Annotator]:
    """Read the answers of annotators and check them against the key."""
    annotators = [read_annotator(file, key) for file in files]
    names = [annotator.name for annotator in annotators]
    if double := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"two files are of the annotator {double[0]}: name each file after its annotator")
    return annotators


def annotator_name(file: Path) -> str:
    """The name of the annotator whose answers the page wrote into a file."""
    return file.stem.removeprefix("=").replace("=", "-")


def read_annotator(file: Path, key: Sequence[KeyRow]) -> Annotator:
    """Read one file: of the page, where the last row of an item holds, or a sheet that was filled in."""
    records = read_records(file, required=("item", "answer"), optional=("time", *CHOICES, *RATINGS))
    rows = {row.item: row for row in key}
    unknown = [record.cells["item"] for record in records if record.cells["item"] not in rows]
    if unknown:
        raise InputError(
            f"{file} has {len(unknown)} items that are not in the key ({listed(unknown, 3)}): give the key of this sheet"
        )
    of_page = "time" in records[0].cells
    answers: dict[str, dict[str, int]] = {}
    for record in records:
        item = record.cells["item"]
        if item in answers and not of_page:
            raise InputError(f"{file}, line {record.line}: the item {item} stands twice; keep one row of it")
        answers[item] = dict(_values(file, record, rows[item]))
    answers = {item: values for item, values in answers.items() if values}
    if not answers:
        raise InputError(f"{file} has no answers: fill in the column answer with 1 or 2")
    return Annotator(annotator_name(file) if of_page else file.stem, answers)


def _values(file: Path, record: Record, row: KeyRow) -> Iterator[tuple[str, int]]:
    """The answers of a row; an outlet may be given by its number or its name."""
    named = {name.casefold(): n for n, name in enumerate((row.choice1, row.choice2), start=1)}
    named |= {
        record.cells[choice].casefold(): n for n, choice in enumerate(CHOICES, 1) if record.cells.get(choice)
    }
    for question, most in QUESTIONS.items():
        text = record.cells.get(question, "")
        if not text:
            continue
        values, wanted = {str(value): value for value in range(1, most + 1)}, f"a number from 1 to {most}"
        if question == "answer":
            values, wanted = values | named, "1, 2 or the name of the outlet"
        if text.casefold() not in values:
            raise InputError(
                f"{file}, line {record.line}: {question} is {text!r}; write {wanted}, or leave it empty"
            )
        yield question, values[text.casefold()]
