"""`change-it transfer`: new headlines for a corpus or a file, chosen by judges if there are any."""

import csv
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from change_it import __version__
from change_it.errors import InputError
from change_it.generators.decoding import Decoding
from change_it.generators.extract import Extract
from change_it.generators.transfer import LARGEST_BATCH, HeadlineTransfer, Proposer
from change_it.judges.judge import Judges
from change_it.rerank.choose import choose
from change_it.rerank.journal import Journal
from change_it.rerank.options import CANDIDATES, EXTRACT, TransferOptions
from change_it.rerank.rows import Row, corpus_rows, file_rows, rows_hash
from change_it.scoring.signature import Reranker

console = Console()

COLUMNS = ("id", "headline", "target", "error", "reranker")
#: Transfers that are printed at the end.
SHOWN = 5
NOTHING = "nothing was written"


@dataclass(frozen=True)
class System:
    """What writes headlines.

    Attributes:
        proposer: offers candidates.
        targets: outlets that it writes for.
        needs: texts of a row that it, or the judges, read.
        hashes: what it is, for a run that is resumed.
        judges: choose among candidates; None takes the first.
        reranker: signature of the judges, or empty.
    """

    proposer: Proposer
    targets: tuple[str, ...]
    needs: tuple[str, ...]
    hashes: dict[str, str]
    judges: Judges | None
    reranker: str


@dataclass(frozen=True)
class Transferred:
    """What became of the rows of one run.

    Attributes:
        rows: n rows, in the order of the input; `error` says why there is no new headline.
        headlines: n new headlines, empty where there is an error.
        before: rows that an interrupted run had finished.
    """

    rows: list[Row]
    headlines: list[str]
    before: int


def run(options: TransferOptions) -> None:
    """Transfer, write the file, and print the first headlines.

    Args:
        options: see `TransferOptions`.

    Raises:
        InputError: options that do not fit each other, a generator, judges, corpus or file at fault, or unfinished
            work of a run with other options.
    """
    _check(options)
    started = time.monotonic()
    system = load_system(options)
    rows = (
        file_rows(
            options.input,
            system.proposer.outlets,
            system.targets,
            columns=options.columns,
            to=options.to,
            needs=system.needs,
        )
        if options.input
        else corpus_rows(str(options.corpus), system.proposer.outlets, system.targets, needs=system.needs)
    )
    done = transfer(options, system, rows)
    _show(done, options, system, time.monotonic() - started)


def load_system(options: TransferOptions) -> System:
    """The generators, or `extract`, and the judges that choose.

    Args:
        options: see `TransferOptions`.

    Raises:
        InputError: they cannot be loaded, do not write for the outlet, or are of different outlets.
    """
    proposer: Proposer
    targets: tuple[str, ...]
    needs: tuple[str, ...]
    if options.generator == EXTRACT:
        proposer = Extract.from_corpus(str(options.corpus))
        if options.to not in (None, *proposer.outlets):
            raise InputError(
                f"--to {options.to} is no outlet of {options.corpus}: give {' or '.join(proposer.outlets)}"
            )
        targets, needs = proposer.outlets, ("headline", "article")
        hashes = {"generator": f"extract from {options.corpus}"}
    else:
        proposer = HeadlineTransfer.from_pretrained(
            options.generator, recipe=options.recipe, to=options.to, device=options.device
        )
        targets, needs = proposer.targets, (proposer.reads,)
        hashes = {f"generator for {to}": one.weights_hash for to, one in proposer.generators.items()}
    judges: Judges | None = None
    if options.rerank:
        judges, needs = Judges.from_pretrained(options.rerank, device=options.device), ("headline", "article")
        judges.check_outlets(proposer.outlets, options.corpus or f"behind {options.generator}")
    if options.to:
        targets = (options.to,)
    return System(proposer, targets, needs, hashes, judges, Reranker.of(judges).signature if judges else "")


def transfer(options: TransferOptions, system: System, rows: Sequence[Row]) -> Transferred:
    """Write the file, chunk after chunk; rows of like length share a chunk.

    Args:
        options: how candidates are searched for, and where the file is.
        system: what writes.
        rows: n rows.

    Returns:
        The rows and their headlines, in order.

    Raises:
        InputError: the file cannot be written, or there is unfinished work of a run with other options.
    """
    decoding = _decoding(options)
    journal = _open(options, system, rows, decoding)
    reads = system.proposer.reads if isinstance(system.proposer, HeadlineTransfer) else "article"
    order = sorted(
        (number for number, row in enumerate(rows) if not row.error),
        key=lambda number: (rows[number].target, -len(getattr(rows[number], reads))),
    )
    size = options.batch_size or LARGEST_BATCH
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    before = sum(len(journal.chunks[number]) for number in journal.chunks)
    columns = (
        TextColumn("transferring"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(order), completed=before)
        for number, chunk in enumerate(chunks):
            if number not in journal.chunks:
                journal.add(number, _headlines(system, [rows[row] for row in chunk], decoding, options))
                bar.advance(task, len(chunk))
    headlines = [""] * len(rows)
    for number, chunk in enumerate(chunks):
        for row, headline in zip(chunk, journal.chunks[number], strict=True):
            headlines[row] = headline
    told = [
        Row(row.id, row.headline, row.article, row.target, row.error or ("" if headline else NOTHING))
        for row, headline in zip(rows, headlines, strict=True)
    ]
    _write(options.out, told, headlines, system.reranker)
    journal.path.unlink()
    return Transferred(told, headlines, before)


def _headlines(
    system: System, rows: Sequence[Row], decoding: Decoding, options: TransferOptions
) -> list[str]:
    """A new headline for each row, empty where there is no candidate."""
    sources, articles, targets = zip(*((row.headline, row.article, row.target) for row in rows), strict=True)
    found = system.proposer.propose(sources, articles, targets, decoding, options.batch_size)
    texts = [[candidate.text for candidate in some if candidate.text] for some in found]
    chosen = np.zeros(len(texts), dtype=np.int64)
    if system.judges is not None:
        aims = [system.judges.outlets.index(target) for target in targets]
        chosen = choose(system.judges, texts, sources, articles, aims, reversal=options.reversal).index
    return [" ".join(some[best].split()) if some else "" for some, best in zip(texts, chosen, strict=True)]


def _check(options: TransferOptions) -> None:
    """Refuse options that do not fit each other, before anything is loaded."""
    extract = options.generator == EXTRACT
    if extract and not options.corpus:
        raise InputError("--generator extract learns from a corpus: give --corpus")
    if extract and options.recipe:
        raise InputError("--recipe is for trained generators, extract has none: leave it out")
    if not extract and bool(options.corpus) == bool(options.input):
        raise InputError(
            "give --corpus to transfer its A2 headlines, or --input to transfer a file of your own"
        )
    if options.columns and not options.input:
        raise InputError("--columns is for the file of --input: leave it out")
    if options.candidates is not None and not options.rerank:
        raise InputError("--candidates are for judges to choose among: give --rerank, or leave it out")
    if options.batch_size is not None and options.batch_size < 1:
        raise InputError(f"--batch-size {options.batch_size}: give at least 1")
    _decoding(options)
    if options.out.is_dir():
        raise InputError(f"--out {options.out} is a folder: name a file such as {options.out / 'new.csv'}")


def _decoding(options: TransferOptions) -> Decoding:
    candidates = options.candidates if options.candidates is not None else CANDIDATES
    return Decoding(
        candidates=candidates if options.rerank else 1,
        beams=options.beams,
        sample=options.sample,
        temperature=options.temperature,
        top_p=options.top_p,
        seed=options.seed,
    )


def _open(options: TransferOptions, system: System, rows: Sequence[Row], decoding: Decoding) -> Journal:
    """The finished part of a run with the same headlines as this one, or a new journal."""
    run: dict[str, Any] = {
        **asdict(decoding),
        **system.hashes,
        "reranker": system.reranker,
        "reversal": options.reversal,
        "batch size": options.batch_size,
        "input": rows_hash(rows),
        "version": __version__,
    }
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        return Journal(options.out.with_name(f"{options.out.name}.partial"), run)
    except OSError as error:
        raise InputError(
            f"cannot write {options.out} ({error.strerror}): choose another place with --out"
        ) from error


def _write(out: Path, rows: Sequence[Row], headlines: Sequence[str], reranker: str) -> None:
    """The finished file, in one step."""
    temporary = out.with_name(f".{out.name}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(
            (row.id, headline, row.target, row.error, "" if row.error else reranker)
            for row, headline in zip(rows, headlines, strict=True)
        )
    os.replace(temporary, out)


def _show(done: Transferred, options: TransferOptions, system: System, seconds: float) -> None:
    """The first transfers and a summary."""
    good = [number for number, row in enumerate(done.rows) if not row.error]
    if good:
        table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1))
        for name in ("to", "original", "transfer"):
            table.add_column(name, overflow="fold")
        for number in _spread(good, done.rows):
            row = done.rows[number]
            table.add_row(Text(row.target), Text(row.headline), Text(done.headlines[number], style="bold"))
        console.print(table)
    reasons = Counter(row.error.partition(":")[0] for row in done.rows if row.error)
    errors = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    console.print(
        f"{len(good):,} headlines"
        + (f", {done.before:,} of them by an interrupted run," if done.before else "")
        + f" in {seconds:.0f} s"
        + (f"; {sum(reasons.values()):,} rows have an error ({errors})" if errors else ""),
        soft_wrap=True,
        markup=False,
    )
    if system.reranker.startswith("fold:all"):
        console.print(
            "[yellow]![/] the judges that chose train on all folds, so change-it score refuses every judge for this file: "
            "train them with change-it train judge --fold 0",
            soft_wrap=True,
        )
    if not options.input and len(system.targets) == 1:
        console.print(
            f"[yellow]![/] only the headlines for {system.targets[0]}: change-it score wants both directions",
            soft_wrap=True,
        )
    console.print(f"[green]✓[/] wrote [bold]{options.out}[/]", soft_wrap=True)


def _spread(good: Sequence[int], rows: Sequence[Row]) -> list[int]:
    """Rows to show, of each target in turn."""
    queues: dict[str, list[int]] = {}
    for number in good:
        queues.setdefault(rows[number].target, []).append(number)
    turns = [
        number for some in zip(*(queue[:SHOWN] for queue in queues.values()), strict=False) for number in some
    ]
    return (turns or list(good))[:SHOWN]
