"""`change-it transfer`: new headlines for a corpus or a file, chosen by judges if there are any."""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from change_it.commands.checks import check_counts
from change_it.corpus.folder import check_corpus, check_outlet
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.generators.folder import COMMAND, choose_generators
from change_it.generators.generator_options import TransferOptions
from change_it.io import HUB, check_columns, check_model, check_writable, counted, parse_columns, read_tables
from change_it.judges.judge_options import check_judges
from change_it.tables import Column, Row, Table, console, print_table

if TYPE_CHECKING:  # loads torch
    from change_it.generators.file_transfer import TransferSetup
    from change_it.scoring.item import Item

#: Transfers that are printed at the end, and rows of a table whose columns are looked at.
SHOWN, LOOKED_AT = 5, 1000


def check(options: TransferOptions) -> None:
    """Refuse, before anything large loads, what is not there, and options that require another one."""
    if not (options.corpus or options.input):
        raise InputError("give --corpus to transfer its test headlines, or --input for a file")
    if options.endpoint and not options.corpus:
        raise InputError("--endpoint requires --corpus")
    if options.items and options.input:
        raise InputError("--items requires a --corpus without --input")
    partners = {
        "candidates": ("--rerank", options.rerank),
        "concurrency": ("--endpoint", options.endpoint),
        "shots": ("--endpoint", options.endpoint),
    }
    for name, (partner, given) in partners.items():
        if getattr(options, name) and not given:
            raise InputError(f"--{name} requires {partner}")
    counts = ("items", "candidates", "batch_size", "concurrency")
    check_counts(**{name: getattr(options, name) for name in counts})
    if options.corpus:
        check_corpus(options.corpus)
    if options.rerank:
        check_judges(options.rerank)
    needs, both = {"headline", "article"}, options.to is None
    if options.endpoint:
        if options.to is not None:
            check_outlet(str(options.corpus), options.to)
    else:
        check_model(options.generator, command=COMMAND)
        needs, both = set(), False  # of a Hub id they are not known yet
        if (folder := Path(options.generator)).is_dir():
            infos = choose_generators(folder, options.recipe, options.to, name=options.generator).values()
            needs = {need for info in infos for need in info.needs}
            both = options.to is None and (len(infos) > 1 or any(info.to is None for info in infos))
    if options.input and not options.input.startswith(HUB):
        check_input(options, needs, both=both)
    inputs = options.input, options.corpus, options.generator, options.rerank
    check_writable(options.out, kind="csv", inputs=inputs)


def check_input(options: TransferOptions, needs: Collection[str], *, both: bool) -> None:
    """Refuse a file that has no rows or lacks a column that is read; where headlines are written for `both` outlets, the label is."""
    names, file = parse_columns(options.columns, COLUMNS), str(options.input)
    tables = read_tables([file], names)
    rows = [row for table in tables for row in islice(table.rows, LOOKED_AT)]
    columns = [column for table in tables for column in table.columns]
    if not rows or not columns:
        raise InputError(
            f"{file} holds no rows that can be read: give CSV with a header, or JSON with one object a line"
        )
    advice = ", or give --to" if both else ""
    needed = [*needs, *(["label"] if both else [])]
    check_columns(file, columns, names, COLUMNS, needs=needed, advice=advice)


def run(options: TransferOptions) -> None:
    """Transfer, write the file and print the first headlines."""
    check(options)

    from change_it.generators.file_transfer import corpus_items, file_items, load_setup, transfer_items

    started = time.monotonic()
    setup = load_setup(options)
    if options.input:
        check_input(options, setup.needs, both=len(setup.system.targets) > 1)
    items = file_items(options, setup) if options.input else corpus_items(options, setup)
    items = transfer_items(options, setup, items)
    _show(items, options, setup, time.monotonic() - started)
    if items and all(item.error for item in items):
        raise InputError(f"no headline was written; {options.out} says why for each: {items[0].error}")


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
        f"{counted(len(good), 'headline')} in {seconds:.0f} s"
        + (f"; {counted(sum(reasons.values()), 'row')} with an error ({errors})" if errors else ""),
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
