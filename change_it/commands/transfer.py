"""`change-it transfer`: new headlines for one, a file or a corpus, chosen by judges if there are any."""

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.commands.checks import check_files
from change_it.corpus.folder import check_corpus, check_outlet, read_casing
from change_it.corpus.reading import COLUMNS, check_columns
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators
from change_it.generators.generator_options import SystemOptions
from change_it.io import (
    GENERATOR_FILE,
    HUB,
    SUFFIXES,
    check_model,
    check_writable,
    parse_columns,
    read_input,
    read_tables,
)
from change_it.judges.judge_options import check_judges
from change_it.tables import Column, Row, Table, console, print_table

if TYPE_CHECKING:  # loads torch
    from collections.abc import Sequence

    from change_it.generators.file_transfer import TransferSetup
    from change_it.scoring.item import Item
    from change_it.text.names import Casing

#: Transfers that are printed at the end.
SHOWN = 5


@dataclass(kw_only=True)
class TransferOptions(SystemOptions):
    """Write new headlines in the other outlet's style; with --rerank, judges choose the best of several candidates.

    For a headline on the command line the new one is printed; the headlines of --corpus or --input are written to --out, one row
    each (with --all-draws one a draw): id, headline, target, error, reranker, generator. An interrupted run is resumed by the
    same command; partial output is kept in FILE.partial.

    Examples:
        change-it transfer "Crolla il ponte: chiuse le scuole" --article - <<< "Il ponte sulla statale è crollato lunedì. Le scuole restano chiuse."
        change-it transfer --generator runs/mine/generators --recipe sum --corpus runs/mine/corpus --out runs/mine/predictions/sum.csv
        change-it transfer --generator runs/mine/generators/sum-gio --input articles.csv --out new.csv
        change-it transfer --generator owner/model --prompt --shots 3 --corpus runs/mine/corpus --out runs/mine/predictions/asked.csv
        change-it transfer --endpoint http://localhost:8000/v1 --model NAME --corpus runs/mine/corpus --out runs/mine/predictions/served.csv
        change-it transfer --generator runs/mine/generators --corpus runs/mine/corpus --rerank runs/mine/judges-0 --out runs/mine/predictions/chosen.csv
        change-it transfer --generator runs/mine/generators --corpus runs/mine/corpus --candidates 16 --all-draws --out runs/mine/predictions/drawn.csv
    """

    headline: tyro.conf.Positional[str] = ""
    """One headline to transfer, with its --article."""
    article: Path | None = None
    """Text file with the headline's article; - reads standard input."""
    out: Path | None = None
    """CSV file to write; it appears only when the run is finished."""
    input: str | None = None
    """CSV, TSV, JSON lines or parquet file with headline, article and label (the outlet the row comes from); id if there is one."""
    columns: str = ""
    """Column map of --input, ours=theirs: headline=title,article=body."""
    items: int | None = None
    """Number of headlines of --corpus to transfer, drawn by --seed among those with an aligned one; all when not given."""
    json: bool = False
    """Print JSON instead of one headline alone."""


def check(options: TransferOptions) -> None:
    """Refuse, before anything large loads, what is not there, options of which one would be passed over, and columns that are not there.

    Of generators on the Hub nothing is known, and of tables other than CSV only once they are read.
    """
    if options.corpus:
        check_corpus(options.corpus)
    if options.endpoint is None:
        check_model(options.generator, command=COMMAND)
    if options.rerank:
        check_judges(options.rerank)
    here = options.input and not options.input.startswith(HUB)
    tables = read_tables([str(options.input)]) if here else []  # nothing is read yet
    check_files(options.article)
    _check_fit(options)
    if options.article and str(options.article) != "-" and not read_input(options.article).strip():
        raise InputError(f"{options.article} has no text: give the article of the headline")
    needs, targets = {"headline", "article"}, 2
    if options.is_prompted:
        if options.to is not None:
            check_outlet(str(options.corpus), options.to)
    elif (folder := Path(options.generator)).is_dir():
        infos = choose_generators(folder, options.recipe, options.to, name=options.generator).values()
        needs = {text for info in infos for text in ("headline", "article") if info.reads in (text, "both")}
        targets = sum(1 if info.to else 2 for info in infos)
    else:
        needs = set()
    if options.rerank:
        needs = {"headline", "article"}
    if not tables:
        return
    names = parse_columns(options.columns, COLUMNS)
    if any(SUFFIXES.get(Path(table.name).suffix.lower()) != "CSV" for table in tables):
        return
    for table in tables:
        next(table.rows, None)
    if seen := {name: None for table in tables for name in table.columns}:
        if options.to is None and targets > 1:
            needs = {*needs, "label"}
        check_columns(str(options.input), seen, names, needs=sorted(needs), without_label="give --to")
    else:
        raise InputError(f"{options.input} is empty: give a file with a header and at least one row")


def _check_fit(options: TransferOptions) -> None:
    """Refuse combinations of options of which one would be ignored."""
    one, asked, served = bool(options.headline), options.is_prompted, options.endpoint is not None
    corpus, file, out = options.corpus, options.input, options.out
    faults = [
        (one and (out or file), "a headline and --out or --input exclude each other"),
        (not one and (options.article or options.json), "--article and --json require a headline"),
        (not one and not out, "give a headline and its --article, or --out with --corpus or --input"),
        (not one and not (corpus or file), "give --corpus to transfer its A2 headlines, or --input for a file"),
        (corpus and file and not asked, "--corpus and --input exclude each other"),
        (options.prompt and served, "--prompt and --endpoint exclude each other"),
        (asked and not corpus, "--prompt and --endpoint require --corpus"),
        (served != bool(options.model), "--endpoint and --model require each other"),
        (options.shots and not asked, "--shots requires --prompt or --endpoint"),
        (options.items and (file or one), "--items requires --corpus"),
        (
            options.candidates and not (options.rerank or options.all_draws),
            "--candidates requires --rerank or --all-draws",
        ),
        (options.facts and not options.rerank, "--facts requires --rerank"),
        (one and options.all_draws, "--all-draws and a headline exclude each other"),
    ]  # fmt: skip
    for holds, fault in faults:
        if holds:
            raise InputError(fault)
    for name in ("items", "candidates", "batch_size"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} {value}: give at least 1")
    if options.shots < 0:
        raise InputError(f"--shots {options.shots}: give 0 or more")
    if options.endpoint is not None:
        from change_it.networks.server import check_url

        check_url(options.endpoint)
    if options.out:
        inputs = options.input, options.corpus, options.generator, options.rerank
        check_writable(options.out, kind="file", inputs=inputs)


def run(options: TransferOptions) -> None:
    """Transfer; write the file and print the first headlines, or print the one new headline alone."""
    check(options)

    from change_it.generators.file_transfer import corpus_items, file_items, load_setup, transfer_items

    started = time.monotonic()
    setup = load_setup(options)
    if options.headline:
        items = [_one_item(options, setup)]
    elif options.input:
        items = file_items(setup, options.input, columns=options.columns, to=options.to)
    else:
        items = corpus_items(setup, str(options.corpus), options.items, seed=options.seed)
    items, before = transfer_items(options, setup, items, options.out)
    if options.out:
        _show(items, before, options, setup, time.monotonic() - started)
    if items and all(item.error for item in items):
        error = items[0].error
        if not options.out:
            raise InputError(f"{error}: give a longer article, or another --generator or --model")
        raise InputError(f"no headline was written; {options.out} says why for each: {error}")
    if options.headline:
        _print_one(options, setup, items[0])


def _one_item(options: TransferOptions, setup: "TransferSetup") -> "Item":
    """The headline of the command line."""
    from change_it.corpus.cleaning import clean
    from change_it.scoring.item import Item

    article = clean(read_input(options.article)) if options.article else ""
    if "article" in setup.needs and not article:
        raise InputError("this generator requires --article FILE, or - for standard input")
    to = setup.targets[0] if len(setup.targets) == 1 else _other_outlet(options, setup)
    return Item("headline", "", to, clean(options.headline), article)


def _print_one(options: TransferOptions, setup: "TransferSetup", item: "Item") -> None:
    """The new headline; on standard error a warning where the text is far from what a generator trained here has learnt."""
    from change_it.text.stopwords import guess_language

    text = f"{options.headline}. {item.article}"
    language = guess_language([text])
    casing = None if options.is_prompted else _casing(options, setup)
    if casing and casing.is_foreign(text, language):
        share = casing.known_share(text, language)
        print(
            f"Unreliable: the text is out of the generator's domain (it knows {share:.0%} of its words).",
            file=sys.stderr,
        )
    record = {"original": options.headline, "to": item.target, "headline": item.prediction}
    print(json.dumps(record, ensure_ascii=False) if options.json else item.prediction)


def _other_outlet(options: TransferOptions, setup: "TransferSetup") -> str:
    """The outlet that main does not assign the headline to."""
    from change_it.scoring.judges import Judges

    folder = _judges_of_run(options)
    if setup.judges is None and folder is None:
        raise InputError(f"the outlet to write for is unknown: give --to {' or --to '.join(setup.targets)}")
    judges = setup.judges or Judges.from_pretrained(str(folder), device=options.device)
    judges.check_outlets(setup.system.outlets, f"behind {options.model or options.generator}")
    [outlet] = judges.opposite_outlets([options.headline])
    return outlet


def _judges_of_run(options: TransferOptions) -> Path | None:
    """The judges of the run that the generators are of; of what is made of a corpus, of the run with that."""
    folder = Path(str(options.corpus) if options.is_prompted else options.generator).resolve()
    run = folder.parents[1] if (folder / GENERATOR_FILE).is_file() else folder.parent
    return run / "judges" if (run / "judges").is_dir() else None


def _casing(options: TransferOptions, setup: "TransferSetup") -> "Casing | None":
    """Casing statistics of the generators' corpus, from its judges or the corpus; None without either."""
    from change_it.text.names import Casing

    if setup.judges and setup.judges.casing:
        return setup.judges.casing
    folder = _judges_of_run(options)
    casing = Casing.load(folder / "fluency") if folder else None
    return casing or (read_casing(options.corpus) if options.corpus else None)


def _show(
    items: "Sequence[Item]", before: int, options: TransferOptions, setup: "TransferSetup", seconds: float
) -> None:
    """Some transfers and a summary."""
    from change_it.scoring.item import directions_in_turn  # loads polars

    terminal = console()
    good = [item for item in items if not item.error]
    shown = directions_in_turn(good, options.seed)[:SHOWN]
    rows = [Row({"to": item.target, "original": item.source, "transfer": item.prediction}) for item in shown]
    if rows:
        print_table(Table([Column(name, "text") for name in rows[0].values], rows), terminal)
    reasons = Counter(item.error.partition(":")[0] for item in items if item.error)
    errors = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    say = partial(terminal.print, soft_wrap=True)
    say(
        f"{len(good):,} headlines"
        + (f", {before:,} of them by an interrupted run," if before else "")
        + f" in {seconds:.0f} s"
        + (f"; {sum(reasons.values()):,} rows have an error ({errors})" if errors else ""),
        markup=False,
    )
    warning = "[yellow]![/] "
    if setup.reranker.startswith("fold:all"):
        say(
            f"{warning}the judges that chose train on all folds, so change-it score refuses every judge for this file: "
            "train them with change-it train judge --fold 0"
        )
    if not options.input and len(setup.targets) == 1:
        say(f"{warning}only the headlines for {setup.targets[0]}: change-it score wants both directions")
    say(f"[green]✓[/] wrote [bold]{options.out}[/]")
