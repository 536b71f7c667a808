"""`change-it transfer`: new headlines for one, a file or a corpus, chosen by judges if there are any."""

import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from change_it.commands.checks import check_counts
from change_it.corpus.folder import check_corpus, check_outlet, is_foreign
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, GeneratorInfo, choose_generators
from change_it.generators.generator_options import TransferOptions
from change_it.io import (
    HUB,
    check_columns,
    check_model,
    check_writable,
    kind_of,
    parse_columns,
    read_input,
    read_tables,
)
from change_it.judges.judge_options import check_judges
from change_it.tables import Column, Row, Table, console, print_table

if TYPE_CHECKING:  # loads torch
    from change_it.generators.file_transfer import TransferSetup
    from change_it.scoring.item import Item

#: Transfers that are printed at the end.
SHOWN = 5


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
    names = parse_columns(options.columns, COLUMNS)
    tables = read_tables([str(options.input)], names) if here else []  # nothing is read yet
    _check_fit(options)
    infos: Collection[GeneratorInfo] = ()
    if options.is_prompted:
        if options.to is not None:
            check_outlet(str(options.corpus), options.to)
    elif (folder := Path(options.generator)).is_dir():
        infos = choose_generators(folder, options.recipe, options.to, name=options.generator).values()
    for table in tables:
        if kind_of(Path(table.name)) != "CSV":
            continue
        next(table.rows, None)
        if not table.columns:
            raise InputError(f"{table.name} is empty: give a file with a header and at least one row")
        needs = {text for info in infos for text in info.needs}
        if options.is_prompted or options.rerank:
            needs = {"headline", "article"}
        if not options.to and (options.is_prompted or len(infos) > 1 or any(not info.to for info in infos)):
            needs.add("label")
        advice = ", or give --to" if "label" in needs else ""
        check_columns(table.name, table.columns, names, COLUMNS, needs=needs, advice=advice)


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
        (options.concurrency is not None and not served, "--concurrency requires --endpoint"),
        (options.shots and not asked, "--shots requires --prompt or --endpoint"),
        (options.items and (file or one), "--items requires --corpus"),
        (
            options.candidates and not (options.rerank or options.all_draws),
            "--candidates requires --rerank or --all-draws",
        ),
        (options.support and not options.rerank, "--support requires --rerank"),
        (one and options.all_draws, "--all-draws and a headline exclude each other"),
        (options.shots < 0, f"--shots {options.shots}: give 0 or more"),
    ]  # fmt: skip
    for holds, fault in faults:
        if holds:
            raise InputError(fault)
    counts = ("items", "candidates", "batch_size", "concurrency")
    check_counts(**{name: getattr(options, name) for name in counts})
    if options.endpoint is not None:
        from change_it.networks.server import check_url

        check_url(options.endpoint)
    if options.out:
        inputs = options.input, options.corpus, options.generator, options.rerank
        check_writable(options.out, kind="csv", inputs=inputs)


def run(options: TransferOptions) -> None:
    """Transfer; write the file and print the first headlines, or print the one new headline alone."""
    check(options)
    article = read_input(options.article) if options.article else ""
    if options.article and not article.strip():
        raise InputError(f"{options.article} has no text: give the article of the headline")

    from change_it.generators.file_transfer import corpus_items, file_items, load_setup, transfer_items

    started = time.monotonic()
    setup = load_setup(options)
    if options.headline:
        items = [_one_item(options, setup, article)]
    else:
        items = file_items(options, setup) if options.input else corpus_items(options, setup)
    items = transfer_items(options, setup, items)
    if options.out:
        _show(items, options, setup, time.monotonic() - started)
    if items and all(item.error for item in items):
        error = items[0].error
        if not options.out:
            raise InputError(f"{error}: give a longer article, or another --generator or --model")
        raise InputError(f"no headline was written; {options.out} says why for each: {error}")
    if options.headline:
        _print_one(options, items[0])


def _one_item(options: TransferOptions, setup: "TransferSetup", article: str) -> "Item":
    """The headline of the command line."""
    from change_it.scoring.item import Item
    from change_it.text.cleaning import clean

    article = clean(article)
    if "article" in setup.needs and not article:
        raise InputError("this generator requires --article FILE, or - for standard input")
    targets = setup.system.targets
    if len(targets) > 1:
        raise InputError(f"the outlet to write for is unknown: give --to {' or --to '.join(targets)}")
    return Item("headline", "", targets[0], clean(options.headline), article)


def _print_one(options: TransferOptions, item: "Item") -> None:
    """The new headline; on standard error a warning where the text is in another language than the generator's corpus."""
    text = f"{options.headline}. {item.article}"
    if not options.is_prompted and is_foreign(Path(options.generator), text):
        print("Unreliable: the text is in another language than the generator's corpus.", file=sys.stderr)
    record = {"original": options.headline, "to": item.target, "headline": item.prediction}
    print(json.dumps(record, ensure_ascii=False) if options.json else item.prediction)


def _show(items: Sequence["Item"], options: TransferOptions, setup: "TransferSetup", seconds: float) -> None:
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
        f"{len(good):,} headlines in {seconds:.0f} s"
        + (f"; {sum(reasons.values()):,} rows have an error ({errors})" if errors else ""),
        markup=False,
    )
    warning = "[yellow]![/] "
    if setup.reranker.startswith("fold:all"):
        say(
            f"{warning}the judges that chose train on all folds, so change-it score refuses every judge for this file: "
            "train them with change-it train judge --fold 0"
        )
    if not options.input and len(setup.system.targets) == 1:
        say(f"{warning}only the headlines for {items[0].target}: change-it score wants both directions")
    say(f"[green]✓[/] wrote [bold]{options.out}[/]")
