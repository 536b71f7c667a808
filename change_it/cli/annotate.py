"""Write sheets with their key, let models fill them in, and score filled ones: `change-it annotate`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.cli.common import check_counts, print_json, require
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.texts import join_truncated, pluralise
from change_it.readers.questions import QUESTIONS, SHEETS
from change_it.render.tables import console, print_lines, print_table
from change_it.scoring.prediction_files import read_prediction_files
from change_it.training.training_options import Device, Precision

if TYPE_CHECKING:  # loads the Hub's client
    from change_it.models.chat_server import Server

#: Rows without an answer that a message names.
SHOWN_FAULTS = 5


@dataclass(kw_only=True)
class AnnotateSheetsOptions:
    """Draw gold and system headlines for readers, mixed and without their source, as three sheets and a key.

    The first sheet asks which outlet wrote a headline. The second asks which one a reader would print, a
    system's or the other outlet's own. The last shows original and article, and asks whether the headline
    tells the same story, is supported, printable and accepted. Use this order: later sheets reveal the
    answers of earlier ones. Name each copy after its reader.

    Examples:
        change-it annotate sheets --corpus runs/quickstart/corpus --out study/sheet.csv
        change-it annotate sheets --corpus runs/mine/corpus --out study/sheet.csv
            --predictions setting1=rep-of-rep.csv setting1=gio-of-gio.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its test articles are sampled."""
    out: Path
    """The first sheet, a CSV file. Of sheet.csv, sheet-preferred.csv, sheet-sources.csv and the key
    sheet-key.csv are written next to it.
    """
    predictions: tuple[str, ...] = ()
    """Systems as NAME=FILE, as change-it transfer writes them; each is a condition beside gold. A name may
    stand before several files. Headlines aim at the other outlet, or all at the original's own (LREC 2020,
    settings 1 and 2).
    """
    items: int = 200
    """Headlines of each condition, an even number (LREC 2020: 200). Half aim at each outlet, or all at one
    where a system writes for it alone.
    """
    random_split: bool = False
    """Draw also from the test part of main's random split of the same seed (LREC 2020, Table 1: one person,
    --items 100)."""
    seed: int = 1
    """Seed of the draw and of the order."""


def check_new(*files: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse files that cannot be written, and files that exist: people may have answered in them."""
    for file in files:
        check_writable(file, kind="csv", inputs=inputs)
        if file.exists():
            raise InputError(f"{file} exists and may have answers: name another --out, or delete it")


def sheets(options: AnnotateSheetsOptions) -> None:
    """Draw headlines of a corpus and of systems, and write three sheets and their key."""
    check_corpus(options.corpus)
    systems = read_prediction_files(options.predictions)
    files = _sheet_files(options.out)
    check_new(*files.values(), inputs=[options.corpus, *(system.file for system in systems)])

    from change_it.corpus.test_set import read_test_set  # loads polars
    from change_it.readers.sheets import draw_headlines, headlines_by_condition, in_random_split, write_sheets

    test = read_test_set(options.corpus)
    conditions = headlines_by_condition(test, systems)
    if options.random_split:
        conditions["random split"] = in_random_split(test, options.seed)
    rows = draw_headlines(test, conditions, options.items, options.seed)
    sheets_written = ", then ".join(str(file) for file in write_sheets(files, rows))
    print(f"{len(rows)} headlines, {options.items} each of {', '.join(conditions)}: {sheets_written}")
    print(f"The key, which readers must not see: {files['key']}")
    print(f"Next: change-it annotate score FILLED.csv --key {files['key']}")


def _sheet_files(out: Path) -> dict[str, Path]:
    """Return the file of each sheet and of their key, by name.

    The name of the first sheet is empty, and its file is `out`.
    """
    files: dict[str, Path] = {}
    for name in (*SHEETS, "key"):
        files[name] = out.with_name(f"{out.stem}-{name}.csv") if name else out
    return files


@dataclass(kw_only=True)
class AnnotatePairsOptions:
    """Draw aligned pairs for readers, as a sheet and a key, to choose the threshold of the alignment.

    Pairs are drawn evenly over bands of cosine (LREC 2020, section 4.1). The sheet shows both headlines and
    openings, without dates and cosines, and asks: do both report one event, yes or no? Name each copy after
    its reader. Then change-it annotate score prints the share of one event by band.

    Examples:
        change-it annotate pairs --corpus runs/quickstart/corpus --out study/pairs.csv
        change-it annotate pairs --corpus runs/mine/corpus --pairs 120 --out study/pairs.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A1, A2 and A3 pairs are sampled."""
    out: Path
    """The sheet, a CSV file. Of pairs.csv, the key pairs-key.csv is written next to it."""
    pairs: int = 60
    """Number of pairs, or all where the corpus has fewer."""
    seed: int = 1
    """Seed of the draw and of the order."""


def pairs(options: AnnotatePairsOptions) -> None:
    """Draw pairs of a corpus, and write a sheet and its key."""
    check_corpus(options.corpus)
    key = options.out.with_name(f"{options.out.stem}-key.csv")
    check_new(options.out, key, inputs=[options.corpus])

    from change_it.readers.sheets import draw_pairs, write_sheets

    drawn = draw_pairs(options.corpus, options.pairs, options.seed)
    # the empty name is that of the sheet, as in `_sheet_files`
    write_sheets({"": options.out, "key": key}, drawn)
    bands = pluralise(drawn["band"].n_unique(), "band")
    print(f"{pluralise(len(drawn), 'pair')} from {bands} of cosine: {options.out}")
    print(f"Readers answer in the last column: {QUESTIONS['same'].text}")
    print(f"The key, which readers must not see: {key}")
    print(f"Next: change-it annotate score FILLED.csv --key {key}")


@dataclass(kw_only=True)
class AnnotateReadOptions:
    """Let a chat model fill in a sheet: it sees what people see.

    Rows without an answer say why in the column error. The same command goes on with an unfinished file, and
    asks for these again. The key of a server is read from CHANGE_IT_API_KEY.

    Examples:
        change-it annotate read study/sheet-sources.csv --endpoint http://localhost:8000/v1
            --out study/model-sources.csv
        change-it annotate read study/pairs.csv --endpoint https://example.org/v1 --model NAME
            --out study/model-pairs.csv
    """

    sheet: tyro.conf.Positional[Path]
    """A sheet of change-it annotate sheets or pairs. The model does not see what is filled in."""
    endpoint: str
    """Address of an OpenAI-compatible server."""
    out: Path
    """The sheet with answers, without articles, a CSV file. Its reader is called model NAME."""
    model: str | None = None
    """The server's name of the model. It may be left out where the server has only one."""
    concurrency: int = 8
    """Requests at a time."""


def read(options: AnnotateReadOptions) -> None:
    """Let a chat model fill in a sheet; say what it costs before, and which rows have no answer after it."""
    check_counts(concurrency=options.concurrency)
    check_writable(options.out, kind="csv", inputs=[options.sheet])

    from change_it.files.growing import only_run
    from change_it.models.chat_server import Server

    server = Server(options.endpoint, options.model or "")
    server.model = server.model or server.only_model()
    with only_run(options.out):
        _read(options, server)


def _read(options: AnnotateReadOptions, server: "Server") -> None:
    """Do what `read` does, once no other command writes the same file.

    Raises:
        InputError: the server answered for no row.
    """
    from change_it.readers.chat_reader import SheetRun

    reading = SheetRun(options.sheet, server, options.out)
    waiting = len(reading.waiting)
    prompt_tokens, answer_tokens = reading.tokens()
    rows = f"{pluralise(waiting, 'row')} of {len(reading.rows):,} for {server.model}"
    print(f"{rows}: about {prompt_tokens:,} tokens to read and {answer_tokens:,} to write")
    faults = reading.fill_in(options.concurrency)
    if not faults:
        print(f"wrote {options.out}")
        return
    examples = join_truncated([f"{item}: {fault}" for item, fault in faults.items()], SHOWN_FAULTS)
    again = f"{pluralise(len(faults), 'row')} without an answer ({examples}): the same command asks again"
    if len(faults) == waiting:
        raise InputError(again)
    print(f"wrote {options.out}; {again}")


@dataclass(kw_only=True)
class AnnotateScoreOptions:
    """Score filled sheets: accuracy, agreement and ratings, with the judges on the same headlines.

    The tables are those of LREC 2020 (Table 4). With a key of pairs they have the share of one event by band
    of cosine and by days apart, the lowest threshold at which .9 of the corpus's pairs are one event, and the
    readers' agreement.

    Examples:
        change-it annotate score study/filled/anna.csv study/filled/ben.csv --key study/pairs-key.csv
        change-it annotate score study/filled/anna.csv study/filled/ben.csv --key study/sheet-key.csv
        change-it annotate score study/filled/*.csv study/rated/*.csv --key study/sheet-key.csv
            --judges runs/mine/judges --json
    """

    sheets: tyro.conf.Positional[tuple[Path, ...]]
    """Filled sheets, named after their annotators. Two of one name are of one person."""
    key: Path
    """The key that change-it annotate sheets or pairs wrote with the sheets."""
    judges: str | None = None
    """Folder or Hub id of judges to compare with."""
    json: bool = False
    """Print JSON instead of tables."""
    seed: int = 1
    """Seed of the intervals."""
    precision: Precision = "float32"
    device: Device = "auto"


def score(options: AnnotateScoreOptions) -> None:
    """Print the tables of filled sheets, or their JSON."""
    for name in ("device", "precision"):
        require(options, name, "judges")

    from change_it.readers import agreement
    from change_it.readers.sheets import read_answers, read_key

    key = read_key(options.key)
    is_of_pairs = "pair_id" in key.columns
    if is_of_pairs and options.judges:
        raise InputError(f"{options.key} is of pairs, of which no judge is asked: leave out --judges")
    answers = read_answers(options.sheets, key)
    judged = {}
    judges_signature = ""
    if options.judges:
        from change_it.scoring.panel import Judges

        judges = Judges.from_pretrained(options.judges, precision=options.precision, device=options.device)
        judged = agreement.judge_decisions(judges, key)
        judges_signature = judges.signature
    if is_of_pairs:
        tables = agreement.pair_tables(key, answers, options.seed)
    else:
        tables = agreement.study_tables(key, answers, judged, options.seed)
    signature = agreement.signature_of(key, answers, options.seed, judges_signature)
    if options.json:
        print_json(agreement.tables_as_json(tables, signature))
        return
    terminal = console()
    for table in tables.values():
        print_table(table.with_groups(), terminal)
    print_lines([signature], terminal)
