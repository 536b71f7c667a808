"""From headlines to new ones: what reads, writes and chooses, and how an interrupted run goes on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from change_it.corpus.reading.article import KNOWN_LABELS
from change_it.corpus.reading.reading import COLUMNS
from change_it.corpus.test_set import Item, directions_in_turn, read_test_set
from change_it.errors import InputError
from change_it.files.atomic import write_table
from change_it.files.growing import earlier_rows, write_growing
from change_it.files.records import JsonObject
from change_it.files.rows import parse_columns, read_tables
from change_it.files.texts import cell_text, length_fault
from change_it.generators.transfer import HeadlineSystem, Search
from change_it.models.pretrained import thread_pool
from change_it.scoring.choosing import order
from change_it.scoring.panel import Judges
from change_it.scoring.signature import Reranker
from change_it.text import cleaning
from change_it.text.folding import composed
from change_it.version import __version__

HEADER = ("id", "headline", "target", "error", "reranker", "candidates", "generator")


@dataclass(frozen=True, kw_only=True)
class TransferSettings:
    """What a transfer into a file was asked for.

    Attributes:
        options: all options that decide what is written, by name; a run goes on only where they are the same.
        generation: settings of transformers that were given, as NAME=VALUE; a message names them.
        endpoint: address of the server that writes; None where generators do.
    """

    options: JsonObject
    generation: tuple[str, ...] = ()
    endpoint: str | None = None


@dataclass(frozen=True)
class TransferSetup:
    """The system that writes headlines, and the judges that choose.

    Attributes:
        system: the system.
        judges: they choose among candidates; None takes the first.
        search: how the system writes.
    """

    system: HeadlineSystem
    judges: Judges | None
    search: Search

    @property
    def reranker(self) -> str:
        """Signature of the judges that choose, or empty."""
        return Reranker.from_judges(self.judges).signature if self.judges else ""


def corpus_items(setup: TransferSetup, corpus: str, count: int | None = None) -> list[Item]:
    """The headlines of the test set that aim at the targets, all of direction A to B first; or `count` with a reference, drawn by the seed."""
    test, outlets = read_test_set(corpus), setup.system.outlets
    if set(test.outlets) != set(outlets):
        raise InputError(
            f"the generator is for {' and '.join(outlets)}, the corpus {corpus} has "
            f"{' and '.join(test.outlets)}: take a generator that was trained on this corpus"
        )
    if setup.judges:
        setup.judges.check_corpus(test)
    items = [item for item in test.items if item.target in setup.system.targets]
    if count is not None:
        with_reference = [item for item in items if item.reference]
        ids = {item.id for item in directions_in_turn(with_reference, setup.search.seed)[:count]}
        items = [item for item in items if item.id in ids]
    return [_checked(item, setup) for item in items]


def file_items(setup: TransferSetup, file: str, *, columns: str = "", to: str | None = None) -> list[Item]:
    """An item for each row of the file, in order, cleaned as a corpus is; an unusable one has its reason."""
    names = parse_columns(columns, COLUMNS)
    outlets, targets = setup.system.outlets, setup.system.targets
    items: list[Item] = []
    for table in read_tables([file], names):
        for number, row in enumerate(table.rows, start=1):
            id_, label, headline, article, target, fault = f"{table.stem}-{number}", "", "", "", "", ""
            try:
                cells = {name: cell_text(row.cells.get(name), name) for name in names}
                id_ = cleaning.visible(cells["id"]) or id_
                label, headline, article = (
                    cleaning.clean(cells[name]) for name in ("label", "headline", "article")
                )
            except InputError as error:
                fault = str(error)
            label = label if label in outlets else KNOWN_LABELS.get(label, label)
            if to or (len(targets) == 1 and "label" not in row.cells):
                target = targets[0]
            elif label in outlets:
                target = outlets[1 - outlets.index(label)]
                fault = fault or ("" if target in targets else f"no generator for {target}")
            else:
                fault = fault or (f"unknown label: {label}" if label else "empty label")
            items.append(Item(id_, label, target, headline, article, error=fault))
    return [_checked(item, setup) for item in items]


def _checked(item: Item, setup: TransferSetup) -> Item:
    """The item, with an error for a text that system or judges read and that is empty, or for one too long."""
    texts = {"headline": item.source, "article": item.article}
    empty = [name for name in (texts if setup.judges else setup.system.needs) if not texts[name]]
    fault = f"empty {' and '.join(empty)}" if empty else "".join(map(length_fault, texts, texts.values()))
    return replace(item, error=item.error or fault)


def transfer_items(
    setup: TransferSetup, items: Sequence[Item], out: Path, settings: TransferSettings
) -> list[Item]:
    """Write new headlines for the items to a file, and return the items with them.

    They are kept in FILE.*.partial until all are there: a call with the same options goes on with those that it lacks.
    `out` is held by `only_run`.
    """
    system, search = setup.system, setup.search
    # another file for other options, texts, generators or judges; what a server's model is, is known only later
    signatures = [] if settings.endpoint else [system.signature(target) for target in system.targets]
    run = repr((settings.options, signatures, setup.reranker, __version__, *items))
    digest = hashlib.sha256(run.encode("utf-8", "backslashreplace")).hexdigest()
    partial = out.with_name(f"{out.name}.{digest[:8]}.partial")
    rows = _finished(partial, len(items))
    places = [place for place, item in enumerate(items) if not item.error]
    batches = system.batches([items[place] for place in places], search)
    batches = [[places[row] for row in batch] for batch in batches]

    def answer(batch: Sequence[int]) -> dict[int, list[str]]:
        part = [items[place] for place in batch]
        try:
            offered = system.write(part, search)
        except (TypeError, ValueError) as error:
            given = settings.generation
            # transformers checks some settings only when it writes
            if isinstance(error, InputError) or rows or not given or not writes_by_default(setup, part):
                raise
            reason = str(error).partition("\n")[0]
            raise InputError(f"--generation {' '.join(given)}: {reason}") from error
        texts = [[" ".join(composed(candidate.text).split()) for candidate in group] for group in offered]
        texts = [[*filter(None, group)] for group in texts]
        if setup.judges:
            orders = order(setup.judges, texts, part)
            texts = [[group[rank] for rank in ranks] for group, ranks in zip(texts, orders, strict=True)]
        new = zip(batch, part, texts, strict=True)
        return {place: [str(place), *_row(setup, item, *group[:1])] for place, item, group in new}

    missing = [batch for batch in batches if not rows.keys() >= set(batch)]
    threads, work = system.batches_at_once(search), "transferring"
    pool = thread_pool(threads) if threads > 1 else None
    write_growing(partial, ("row", *HEADER), rows, missing, answer, pool=pool, total=len(places), work=work)
    written = [
        rows[place][1:] if place in rows else _row(setup, item, "") for place, item in enumerate(items)
    ]
    write_table(out, HEADER, written)
    partial.unlink(missing_ok=True)
    return [replace(item, prediction=row[1], error=row[3]) for item, row in zip(items, written, strict=True)]


def writes_by_default(setup: TransferSetup, items: Sequence[Item]) -> bool:
    """Tell whether the system writes without the user's settings: then one of them is at fault."""
    try:
        setup.system.write(items, Search(seed=setup.search.seed))
    except Exception:
        return False
    return True


def _finished(partial: Path, count: int) -> dict[int, list[str]]:
    """Return the rows of an earlier run by the places of their items; a file that is not as it writes it is refused."""
    header, *rows = earlier_rows(partial) or [["row", *HEADER]]
    places = {str(place) for place in range(count)}
    is_ours = header == ["row", *HEADER] and all(len(row) == len(header) and row[0] in places for row in rows)
    if not is_ours:
        raise InputError(f"{partial} was changed: delete it, and the same command begins anew")
    return {int(row[0]): row for row in rows}


def _row(setup: TransferSetup, item: Item, text: str = "") -> list[str]:
    """The row of an item, with the reason where there is no text."""
    if not text:
        fault = item.error or setup.system.faults.get(item) or "nothing was written"
        return [item.id, "", item.target, fault, "", "", ""]
    offered = str(setup.search.candidates) if setup.judges else ""
    return [item.id, text, item.target, "", setup.reranker, offered, setup.system.signature(item.target)]
