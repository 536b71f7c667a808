"""Write new headlines for a corpus or a file, chosen by judges if there are any: `change-it transfer`."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from change_it.cli.common import check_counts, exclude, require
from change_it.corpus.folder import check_corpus, check_outlet
from change_it.corpus.reading.reading import COLUMNS
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.growing import only_run
from change_it.files.model_folders import check_model
from change_it.files.rows import check_columns, parse_columns, read_tables
from change_it.files.texts import pluralise
from change_it.generators.options import CANDIDATES
from change_it.generators.recipes import RecipeName
from change_it.render.tables import Column, Row, Table, console, print_lines, print_table
from change_it.training.training_options import Device, Precision

if TYPE_CHECKING:  # loads torch
    from change_it.corpus.test_set import Item
    from change_it.generators.batch import TransferSetup

#: Headlines that are printed at the end.
SHOWN = 5
#: Rows of each table that are read before models are loaded.
CHECKED_ROWS = 1000
#: Requests at a time when no number is given.
CONCURRENCY = 8
#: Columns of a file that judges and chat models read.
READ_BY_JUDGES = {"headline", "article"}
#: Column of a file with the outlet that a row is from; without it --to says what to write for.
LABEL = "label"
#: Options that may differ between a run and the one that goes on with it.
FREE = ("out", "device", "concurrency")


@dataclass(kw_only=True)
class TransferOptions:
    """Rewrite headlines in the other newspaper's style, with a generator or a chat model.

    The headlines of --corpus or --input are written to --out, one row each: id, headline, target, error,
    reranker, candidates, generator. With --rerank judges choose the best of several candidates. The same
    command goes on with an interrupted run, from FILE.*.partial.

    Examples:
        change-it transfer --corpus runs/quickstart/corpus --items 20
            --out runs/mine/predictions/rewrite.csv
        change-it transfer --generator runs/mine/generators --recipe sum --corpus runs/mine/corpus
            --out runs/mine/predictions/sum.csv
        change-it transfer --generator runs/mine/generators/sum-gio --input articles.csv --out new.csv
        change-it transfer --generator NAME --endpoint http://localhost:8000/v1
            --corpus runs/mine/corpus --out runs/mine/predictions/prompted.csv
        change-it transfer --generator runs/mine/generators --corpus runs/mine/corpus
            --rerank runs/mine/judges-0 --out runs/mine/predictions/chosen.csv
    """

    out: Path
    """CSV file to write. It appears only when the run is finished."""
    corpus: str | None = None
    """Corpus folder or data set id on the Hub. Its test headlines are rewritten, unless --input is given."""
    input: str | None = None
    """CSV, TSV, JSON lines or parquet file with headline, article, label (the outlet that a row is from) and
    perhaps id."""
    columns: str = ""
    """Columns of --input by our names: headline=title,article=body."""
    items: int | None = None
    """Number of headlines of --corpus to rewrite, drawn by --seed among those with an aligned one. When not
    given, all."""
    generator: str = "runs/quickstart/generators"
    """Folder or Hub id of a generator, or a folder of several (both directions). With --endpoint, the
    server's name of the model.
    """
    recipe: RecipeName | None = None
    """Recipe of the generators, where a folder has several."""
    endpoint: str | None = None
    """Address of an OpenAI-compatible server. Its model --generator is prompted in the language of --corpus,
    without training. The key is read from CHANGE_IT_API_KEY."""
    concurrency: int | None = None
    """Requests at a time to --endpoint. When not given, 8."""
    to: str | None = None
    """Outlet to write for. When not given, the one that a row is not from."""
    rerank: str | None = None
    """Folder or Hub id of the judges that choose: main, hh, ah and fluency. Train them on one fold: only
    judges of the other fold may score what they have chosen.
    """
    candidates: int | None = None
    """Candidates of each headline that --rerank chooses among. When not given, 10."""
    generation: tuple[str, ...] = ()
    """Settings of transformers' GenerationConfig, such as num_beams=1 (greedy; 5 when not given)
    do_sample=true temperature=0.7 max_new_tokens=200 no_repeat_ngram_size=3.
    """
    batch_size: int | None = None
    """Texts that a generator reads at once. When not given, it chooses."""
    seed: int = 1
    """Seed of what a generator draws, and of --items."""
    precision: Precision = "float32"
    device: Device = "auto"


def run(options: TransferOptions) -> None:
    """Rewrite headlines, write them to a file and print some."""
    _check(options)
    with only_run(options.out):  # before models are loaded
        _transfer(options)


def _transfer(options: TransferOptions) -> None:
    """Do what `run` does, once no other command writes the same file.

    Raises:
        InputError: no headline could be written.
    """
    started = time.monotonic()

    from change_it.generators.batch import TransferSettings, corpus_items, file_items, transfer_items

    setup = _setup(options)
    if options.input:
        items = file_items(setup, options.input, columns=options.columns, to=options.to)
    else:
        items = corpus_items(setup, str(options.corpus), options.items)
    settings = TransferSettings(
        options={name: value for name, value in asdict(options).items() if name not in FREE},
        generation=options.generation,
        endpoint=options.endpoint,
    )
    items = transfer_items(setup, items, options.out, settings)
    _show(items, options, setup, time.monotonic() - started)
    if items and all(item.error for item in items):
        raise InputError(f"no headline was written; {options.out} says why for each: {items[0].error}")


def _check(options: TransferOptions) -> None:
    """Refuse what cannot work, before torch is loaded.

    These are options that do not fit each other, files that are not there, and columns that a file lacks.
    """
    _check_fit(options)
    if options.corpus:
        check_corpus(options.corpus)
    needs = _check_endpoint(options) if options.endpoint else _check_generators(options)
    if options.rerank:
        needs |= READ_BY_JUDGES
    if options.input:
        _check_input(options.input, options, needs)
    inputs = options.input, options.corpus, options.generator, options.rerank
    check_writable(options.out, kind="csv", inputs=inputs)


def _check_fit(options: TransferOptions) -> None:
    """Refuse options that do not fit each other, and numbers below 1."""
    if not (options.corpus or options.input):
        raise InputError("give --corpus to transfer its test headlines, or --input for a file")
    if options.items is not None and options.input:
        raise InputError("--items requires a --corpus without --input")
    require(options, "endpoint", "corpus")
    require(options, "concurrency", "endpoint")
    require(options, "candidates", "rerank")
    require(options, "columns", "input")
    if options.endpoint:
        exclude(options, "recipe", "endpoint")
        exclude(options, "batch_size", "endpoint")
        if not options.rerank:  # a server's model runs elsewhere
            exclude(options, "device", "endpoint")
            exclude(options, "precision", "endpoint")
    check_counts(
        items=options.items,
        candidates=options.candidates,
        batch_size=options.batch_size,
        concurrency=options.concurrency,
    )


def _check_endpoint(options: TransferOptions) -> set[str]:
    """Refuse an outlet that the corpus lacks, and return the columns of a file that a chat model needs."""
    if options.to is None:
        return {*READ_BY_JUDGES, LABEL}
    check_outlet(str(options.corpus), options.to)
    return {*READ_BY_JUDGES}


def _check_generators(options: TransferOptions) -> set[str]:
    """Refuse generators that are not there, and return the columns of a file that they need.

    Generators on the Hub are not fetched yet, so no column is known that they need.
    """
    from change_it.generators.folder import COMMAND, choose_generators  # loads huggingface_hub and httpx

    check_model(options.generator, command=COMMAND)
    folder = Path(options.generator)
    if not folder.is_dir():
        return set()
    chosen = choose_generators(folder, options.recipe, options.to, name=options.generator)
    needs: set[str] = set()
    for info in chosen.values():
        needs.update(info.needs)
    writes_for_several = len(chosen) > 1 or any(info.to is None for info in chosen.values())
    if options.to is None and writes_for_several:
        needs.add(LABEL)
    return needs


def _check_input(file: str, options: TransferOptions, needs: set[str]) -> None:
    """Refuse a file without rows, and one that lacks a column."""
    names = parse_columns(options.columns, COLUMNS)
    tables = read_tables([file], names)
    # of some formats the columns are known only once rows are read
    rows = [row for table in tables for row in islice(table.rows, CHECKED_ROWS)]
    if not rows:
        raise InputError(f"{file} holds no rows: give CSV with a header, or JSON with one object a line")
    columns = [column for table in tables for column in table.columns]
    advice = ", or give --to" if LABEL in needs else ""
    check_columns(file, columns, names, COLUMNS, needs=needs, advice=advice)


def _setup(options: TransferOptions) -> "TransferSetup":
    """Return the generators or the model of a server, and the judges that choose."""
    from change_it.generators.batch import TransferSetup
    from change_it.generators.generator import BEAMS
    from change_it.generators.transfer import (
        HeadlineSystem,
        HeadlineTransfer,
        Search,
        read_decoding,
    )
    from change_it.scoring.panel import Judges

    decoding = read_decoding(options.generation, num_beams=None if options.endpoint else BEAMS)
    system: HeadlineSystem
    if options.endpoint:
        from change_it.generators.prompted import PromptedGenerator  # compiles the phrases of chat models
        from change_it.models.chat_server import Server

        server = Server(options.endpoint, options.generator)
        system = PromptedGenerator(str(options.corpus), server, options.concurrency or CONCURRENCY)
    else:
        system = HeadlineTransfer.from_pretrained(
            options.generator,
            recipe=options.recipe,
            to=options.to,
            precision=options.precision,
            device=options.device,
        )
    if options.to:
        system.targets = (options.to,)
    judges = None
    if options.rerank:
        judges = Judges.from_pretrained(options.rerank, precision=options.precision, device=options.device)
        judges.check_outlets(system.outlets, options.corpus or f"behind {options.generator}")
    candidates = (options.candidates or CANDIDATES) if judges else 1
    search = Search(
        decoding=decoding,
        candidates=candidates,
        seed=options.seed,
        batch_size=options.batch_size,
    )
    return TransferSetup(system, judges, search)


def _show(items: Sequence["Item"], options: TransferOptions, setup: "TransferSetup", seconds: float) -> None:
    """Print some headlines, a summary, warnings and the next command."""
    from change_it.corpus.test_set import directions_in_turn  # loads polars
    from change_it.text.cleaning import alike, recurring_opening

    terminal = console()
    written = [item for item in items if not item.error]
    shown = directions_in_turn(written, options.seed)[:SHOWN]
    rows = [Row({"to": item.target, "original": item.source, "transfer": item.prediction}) for item in shown]
    if rows:
        print_table(Table([Column(name, "text") for name in rows[0].values], rows), terminal)
    pairs = [(item.prediction, item.source) for item in written]
    warnings = [*alike(options.out.name, pairs), recurring_opening(pairs)]
    lines = [
        _summary(items, seconds),
        *(f"Warning: {warning}." for warning in warnings if warning),
        f"wrote {options.out}",
    ]
    if setup.reranker.startswith("fold:all"):
        fault = "the judges that chose train on all folds"
        effect = "so change-it score refuses every judge for this file"
        advice = "train them with change-it train judge --task all --fold both"
        lines.append(f"Warning: {fault}, {effect}: {advice}.")
    elif not options.input:
        shared = " --shared-items" if options.items else ""
        predictions = f"--predictions {options.out.stem}={options.out}{shared}"
        lines.append(f"Next: change-it score --corpus {options.corpus} --judges JUDGES {predictions}")
    print_lines(lines, terminal)


def _summary(items: Sequence["Item"], seconds: float) -> str:
    """Return how many headlines were written, and how many rows have an error of which kind."""
    # the kind of an error stands before its colon
    reasons = Counter(item.error.partition(":")[0] for item in items if item.error)
    failed = sum(reasons.values())
    summary = f"{pluralise(len(items) - failed, 'headline')} in {seconds:.0f} s"
    if not failed:
        return summary
    errors = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{summary}; {pluralise(failed, 'row')} with an error ({errors})"
