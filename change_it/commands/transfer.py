"""`change-it transfer`: new headlines for a corpus or a file, chosen by judges if there are any."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from change_it import __version__
from change_it.corpus import cleaning
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.folder import read_casing, read_language
from change_it.corpus.reading import COLUMNS
from change_it.engines import map_threads, use_engine, workers
from change_it.errors import InputError
from change_it.generators.decoding import Decoding
from change_it.generators.extract import Extract
from change_it.generators.journal import Journal
from change_it.generators.options import EXTRACT, TransferOptions
from change_it.generators.rerank import choose, other_outlet
from change_it.generators.transfer import LARGEST_BATCH, HeadlineTransfer, Proposer
from change_it.generators.transfer_check import check, check_columns, decoding_of
from change_it.io import (
    cell_text,
    parse_columns,
    read_input,
    read_tables,
    write_table,
)
from change_it.io.locks import keep_locks
from change_it.judges.judge import Judges
from change_it.progress import ProgressBar
from change_it.scoring.item import Item, read_test_set
from change_it.scoring.signature import Reranker
from change_it.text.stopwords import guess_language

console = Console()

HEADER = ("id", "headline", "target", "error", "reranker")
#: Transfers that are printed at the end.
SHOWN = 5
NOTHING = "nothing was written"
NO_LABEL = "empty label"


@dataclass(frozen=True)
class Setup:
    """What writes headlines, and who chooses."""

    system: Proposer
    targets: tuple[str, ...]
    needs: tuple[str, ...]  # texts of a row that the system or the judges read
    digests: dict[str, str]  # of what decides the candidates, for a run that is resumed
    judges: Judges | None  # choose among candidates; None takes the first
    reranker: str  # signature of the judges, or empty
    language: str = ""  # that facts are checked in; empty where they are not


@dataclass(frozen=True)
class Transferred:
    """What became of the items of one run: in the order of the input, and how many an interrupted run had finished."""

    items: list[Item]
    before: int


@keep_locks()
def run(options: TransferOptions) -> None:
    """Transfer, write the file, and print the first headlines; of one headline print the new one alone."""
    check(options)
    if options.headline:
        _run_one(options)
        return
    started = time.monotonic()
    with use_engine(options):
        setup = load_setup(options)
        system, needs = setup.system, setup.needs
        if options.input:
            items = file_items(
                options.input,
                system.outlets,
                setup.targets,
                columns=options.columns,
                to=options.to,
                needs=needs,
            )
        else:
            items = corpus_items(str(options.corpus), system.outlets, setup.targets, needs=needs)
        if options.objective == "strict":
            articles = [item.article for item in items if item.article]
            setup = replace(setup, language=read_language(options.corpus or "") or guess_language(articles))
        done = transfer(options, setup, items)
    _show(done, options, setup, time.monotonic() - started)


def _run_one(options: TransferOptions) -> None:
    """Transfer one headline and print it, or JSON."""
    article = cleaning.clean(read_input(options.article)) if options.article else ""
    setup = load_setup(options)
    if "article" in setup.needs and not article:
        raise InputError("what writes here reads articles: give --article FILE, or - for standard input")
    to = setup.targets[0] if len(setup.targets) == 1 else _other_outlet(options, setup)
    language = guess_language([article]) if options.objective == "strict" else ""
    item = Item("headline", "", to, cleaning.clean(options.headline), article)
    [new] = _headlines(setup, [item], decoding=decoding_of(options), options=options, language=language)
    if not new:
        raise InputError(f"{NOTHING}: give a longer article, or another --generator")
    record = {"original": options.headline, "to": to, "headline": new}
    print(json.dumps(record, ensure_ascii=False) if options.json else new)


def _other_outlet(options: TransferOptions, setup: Setup) -> str:
    """The outlet that judges do not take the headline for."""
    beside = Path(options.generator).parent / "judges"
    if setup.judges is None and not beside.is_dir():
        raise InputError(f"the outlet to write for is unknown: give --to {' or --to '.join(setup.targets)}")
    judges = setup.judges or _load_judges(options, str(beside))
    judges.check_outlets(setup.system.outlets, f"behind {options.generator}")
    return other_outlet(judges, options.headline)


def load_setup(options: TransferOptions) -> Setup:
    """The generators, or `extract`, and the judges that choose."""
    system: Proposer
    if options.generator == EXTRACT:
        system = Extract.from_corpus(str(options.corpus))
        if options.to not in (None, *system.outlets):
            raise InputError(
                f"--to {options.to} is no outlet of {options.corpus}: give {' or '.join(system.outlets)}"
            )
        digests = {"training headlines": system.digest}
    else:
        system = HeadlineTransfer.from_pretrained(
            options.generator, recipe=options.recipe, to=options.to, device=options.device
        )
        digests = {f"generator for {to}": one.weights_hash for to, one in system.generators.items()}
    judges, needs = None, system.needs
    if options.rerank:
        judges, needs = _judges_that_choose(options), ("headline", "article")
        judges.check_outlets(system.outlets, options.corpus or f"behind {options.generator}")
    targets = (options.to,) if options.to else system.targets
    return Setup(system, targets, needs, digests, judges, Reranker.of(judges).signature if judges else "")


def _judges_that_choose(options: TransferOptions) -> Judges:
    """The judges of the objective, no others."""
    judges = _load_judges(options, str(options.rerank))
    if options.objective == "compliancy":
        return Judges(judges.main, judges.hh, judges.ah)
    if judges.fluency is None:
        raise InputError(
            f"--objective strict needs a fluency judge in {options.rerank}: train one with "
            f"change-it train judge --task fluency --fold {judges.fold}"
        )
    return judges if judges.casing or not options.corpus else judges.with_casing(read_casing(options.corpus))


def _load_judges(options: TransferOptions, folder: str) -> Judges:
    return Judges.from_pretrained(folder, precision=options.precision, device=options.device)


def corpus_items(
    corpus: str, outlets: tuple[str, str], targets: Sequence[str], *, needs: Sequence[str] = ()
) -> list[Item]:
    """The A2 headlines of a corpus that aim at `targets`, all of direction A to B first."""
    test = read_test_set(corpus)
    if set(test.outlets) != set(outlets):
        raise InputError(
            f"the generator is for {' and '.join(outlets)}, the corpus {corpus} has {' and '.join(test.outlets)}: "
            "take a generator that was trained on this corpus"
        )
    return [_checked(item, needs) for item in test.items if item.target in targets]


def file_items(
    file: str,
    outlets: tuple[str, str],
    targets: Sequence[str],
    *,
    columns: str = "",
    to: str | None = None,
    needs: Sequence[str] = (),
) -> list[Item]:
    """An item for each row of a file, in order, cleaned as a corpus is; an unusable one has its reason."""
    names = parse_columns(columns, COLUMNS)
    only = to or (targets[0] if len(targets) == 1 else None)
    items: list[Item] = []
    seen: dict[str, None] = {}
    for table in read_tables([file]):
        for number, row in enumerate(table.rows, start=1):
            text = {ours: _cell(row.values, names[ours]) for ours in ("id", "headline", "article", "label")}
            label, aim, fault = _aim(text["label"], outlets, targets)
            if to:
                aim, fault = to, ""
            id_ = cleaning.visible(text["id"]) or f"{table.stem}-{number}"
            source, article = cleaning.clean(text["headline"]), cleaning.clean(text["article"])
            items.append(Item(id_, label, aim, source, article, error=row.fault or fault))
        seen.update(table.columns)
    if not items or not seen:
        raise InputError(
            f"{file} holds no rows that can be read: give CSV with a header, or JSON with one object a line"
        )
    check_columns(file, seen, names, needs=needs, label_is_read=not only)
    if only and not to and not any(name in seen for name in names["label"]):
        items = [
            replace(item, target=only, error="" if item.error == NO_LABEL else item.error) for item in items
        ]
    return [_checked(item, needs) for item in items]


def _cell(values: Mapping[str, object], names: Sequence[str]) -> str:
    """The text of the first of these columns that is there."""
    return cell_text(next((values[name] for name in names if name in values), None))


def _aim(label: str, outlets: tuple[str, str], targets: Sequence[str]) -> tuple[str, str, str]:
    """The outlet that a row comes from, the one that it is rewritten for, and why it is not."""
    label = cleaning.clean(label)
    name = label if label in outlets else KNOWN_LABELS.get(label, "")
    if name not in outlets:
        return "", "", f"unknown label: {label}" if label else NO_LABEL
    target = outlets[1 - outlets.index(name)]
    return name, target, "" if target in targets else f"no generator for {target}"


def _checked(item: Item, needs: Sequence[str]) -> Item:
    """The item, with an error for a text that is needed and empty."""
    texts = {"headline": item.source, "article": item.article}
    empty = [name for name in needs if not texts[name]]
    return replace(item, error=f"empty {' and '.join(empty)}") if empty and not item.error else item


def transfer(options: TransferOptions, setup: Setup, items: Sequence[Item]) -> Transferred:
    """Write the file, chunk after chunk; items of like length share a chunk."""
    decoding = decoding_of(options)
    journal = _open(options, setup, items, decoding)
    headline_is_read = setup.system.needs == ("headline",)
    lengths = [len(item.source if headline_is_read else item.article) for item in items]
    order = sorted(
        (number for number, item in enumerate(items) if not item.error),
        key=lambda number: (items[number].target, -lengths[number]),
    )
    size = options.batch_size or LARGEST_BATCH
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    before = sum(map(len, journal.chunks.values()))
    with ProgressBar() as bar:
        task = bar.add_task("transferring", total=len(order), completed=before)
        missing = [number for number in range(len(chunks)) if number not in journal.chunks]
        write = partial(_headlines, decoding=decoding, options=options, language=setup.language)
        given = (([items[row] for row in chunks[number]],) for number in missing)
        team = workers(partial(load_setup, _anywhere(options)))
        written = (
            team.map_ordered(write, given)
            if team
            else map_threads(partial(write, setup), given, setup.system.batches_at_once(decoding))
        )
        for number, headlines in zip(missing, written, strict=True):
            journal.add(number, headlines)
            bar.advance(task, len(chunks[number]))
    done = list(items)
    for number, chunk in enumerate(chunks):
        for row, headline in zip(chunk, journal.chunks[number], strict=True):
            done[row] = replace(items[row], prediction=headline, error="" if headline else NOTHING)
    rows = (
        (item.id, item.prediction, item.target, item.error, "" if item.error else setup.reranker)
        for item in done
    )
    assert options.out is not None  # check asks for it
    write_table(options.out, HEADER, rows)
    journal.remove()
    return Transferred(done, before)


def _anywhere(options: TransferOptions) -> TransferOptions:
    """The options with whole paths: a worker's folder may be another one."""
    whole = replace(options)
    for name in ("generator", "rerank", "corpus"):
        path = getattr(options, name)
        if path and path != EXTRACT and Path(path).exists():
            setattr(whole, name, str(Path(path).resolve()))
    return whole


def _headlines(
    setup: Setup, items: Sequence[Item], *, decoding: Decoding, options: TransferOptions, language: str
) -> list[str]:
    """A new headline for each item, empty where there is no candidate; `language` is the facts'."""
    sources, articles, targets = zip(
        *((item.source, item.article, item.target) for item in items), strict=True
    )
    found = setup.system.propose(sources, articles, targets, decoding, options.batch_size)
    texts = [[candidate.text for candidate in some if candidate.text] for some in found]
    chosen = np.zeros(len(texts), dtype=np.int64)
    if setup.judges is not None:
        aims = [setup.judges.outlets.index(target) for target in targets]
        chosen = choose(
            setup.judges,
            texts,
            sources,
            articles,
            aims,
            reversal=options.reversal,
            objective=options.objective,
            language=language,
        )
    return [" ".join(some[best].split()) if some else "" for some, best in zip(texts, chosen, strict=True)]


def _open(options: TransferOptions, setup: Setup, items: Sequence[Item], decoding: Decoding) -> Journal:
    """The finished part of a run with the same headlines as this one, or a new journal."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(astuple(item)).encode() + b"\n")
    settings: dict[str, object] = {
        **asdict(decoding),
        **setup.digests,
        "reranker": setup.reranker,
        "reversal": options.reversal,
        "objective": options.objective,
        "language": setup.language,
        "precision": options.precision,
        "batch size": options.batch_size,
        "input": digest.hexdigest(),
        "version": __version__,
    }
    assert options.out is not None  # check asks for it
    return Journal(options.out.with_name(f"{options.out.name}.partial"), settings)


def _show(done: Transferred, options: TransferOptions, setup: Setup, seconds: float) -> None:
    """The first transfers and a summary."""
    good = [number for number, item in enumerate(done.items) if not item.error]
    if good:
        table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1))
        for name in ("to", "original", "transfer"):
            table.add_column(name, overflow="fold")
        for number in _spread(good, done.items):
            item = done.items[number]
            table.add_row(Text(item.target), Text(item.source), Text(item.prediction, style="bold"))
        console.print(table)
    reasons = Counter(item.error.partition(":")[0] for item in done.items if item.error)
    errors = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    console.print(
        f"{len(good):,} headlines"
        + (f", {done.before:,} of them by an interrupted run," if done.before else "")
        + f" in {seconds:.0f} s"
        + (f"; {sum(reasons.values()):,} rows have an error ({errors})" if errors else ""),
        soft_wrap=True,
        markup=False,
    )
    if setup.reranker.startswith("fold:all"):
        console.print(
            "[yellow]![/] the judges that chose train on all folds, so change-it score refuses every judge for this file: "
            "train them with change-it train judge --fold 0",
            soft_wrap=True,
        )
    if not options.input and len(setup.targets) == 1:
        console.print(
            f"[yellow]![/] only the headlines for {setup.targets[0]}: change-it score wants both directions",
            soft_wrap=True,
        )
    console.print(f"[green]✓[/] wrote [bold]{options.out}[/]", soft_wrap=True)


def _spread(good: Sequence[int], items: Sequence[Item]) -> list[int]:
    """Items to show, of each target in alternation."""
    queues: dict[str, list[int]] = {}
    for number in good:
        queues.setdefault(items[number].target, []).append(number)
    alternating = [
        number for some in zip(*(queue[:SHOWN] for queue in queues.values()), strict=False) for number in some
    ]
    return (alternating or list(good))[:SHOWN]
