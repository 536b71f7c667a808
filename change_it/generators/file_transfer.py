"""From headlines to new ones: what reads, writes and chooses, and how an interrupted run goes on."""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from change_it import __version__
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.generators.headline_transfer import HeadlineSystem, Search
from change_it.generators.rerank import order
from change_it.io import append, cell_text, length_fault, parse_columns, read_tables, write_table
from change_it.networks.pretrained import map_threads
from change_it.progress import bar
from change_it.scoring.item import Item, directions_in_turn, read_test_set
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Reranker
from change_it.text import cleaning
from change_it.text.folding import composed

HEADER = ("id", "headline", "target", "error", "reranker", "candidates", "generator")


@dataclass(frozen=True)
class TransferSetup:
    """The system that writes headlines, and the judges that choose."""

    system: HeadlineSystem
    judges: Judges | None  # choose among candidates; None takes the first
    search: Search

    @property
    def reranker(self) -> str:
        """Signature of the judges that choose, or empty."""
        return Reranker.of(self.judges).signature if self.judges else ""


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
    setup: TransferSetup, items: Sequence[Item], out: Path, *, record: Mapping[str, Any]
) -> list[Item]:
    """Write new headlines for the items to a file, and return the items with them.

    They are written in chunks, items of like length in one. Rows are kept in FILE.*.partial until all are there, also where
    another one fails: a call with the same `record` of options goes on with the ids that it lacks.
    """
    system, batch_size = setup.system, record["batch_size"]
    # another file for other options, texts, generators or judges; what a server's model is, is known only later
    own = [] if record["endpoint"] else [system.signature(target) for target in system.targets]
    text = repr(({**record}, own, setup.reranker, __version__, *items)).encode("utf-8", "backslashreplace")
    partial = out.with_name(f"{out.name}.{hashlib.sha256(text).hexdigest()[:8]}.partial")
    done = _finished(partial, items)
    write_table(partial, HEADER, list(done.values()))
    places = [place for place, item in enumerate(items) if not item.error]
    lengths = [len(item.article if "article" in system.needs else item.source) for item in items]
    places.sort(key=lambda place: (items[place].target, -lengths[place]))
    size = batch_size or max(1, system.kept_together // setup.search.candidates)
    chunks = [places[start : start + size] for start in range(0, len(places), size)]
    missing = [chunk for chunk in chunks if not done.keys() >= set(chunk)]
    lock = Lock()
    with bar("transferring", len(places), initial=len(places) - sum(map(len, missing))) as done_bar:

        def finish(chunk: Sequence[int]) -> None:
            rows = new_rows(setup, [items[place] for place in chunk], batch_size)
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(rows)
            with lock, partial.open("ab") as file:
                append(file, text.getvalue().encode("utf-8", "backslashreplace"))
                done.update(zip(chunk, rows, strict=True))
                done_bar.update(len(chunk))

        try:
            list(map_threads(finish, missing, system.batches_at_once(setup.search)))
        except (InputError, TypeError, ValueError) as error:
            setting = (
                "" if isinstance(error, InputError) else f"--generation {' '.join(record['generation'])}: "
            )
            if setting and (done or not record["generation"]):
                raise  # transformers checks some settings when it writes, and nothing else is the user's
            if not done:
                partial.unlink()
            kept = f" ({len(done):,} of {len(places):,} headlines are kept, and the same command goes on with the others)"
            reason = str(error).partition("\n")[0] if setting else str(error)
            raise InputError(f"{setting}{reason}{kept if done else ''}") from error
        except KeyboardInterrupt as error:
            error.add_note(f"the same command goes on from {len(done):,} of {len(places):,} headlines")
            raise
    rows = [done.get(place) or _row(setup, item, "") for place, item in enumerate(items)]
    write_table(out, HEADER, rows)
    partial.unlink()
    return [replace(item, prediction=row[1], error=row[3]) for item, row in zip(items, rows, strict=True)]


def _finished(file: Path, items: Sequence[Item]) -> dict[int, list[str]]:
    """The rows of an unfinished file by the place of their item; without a line that was cut off, and ids that are not unique."""
    text = file.read_bytes().rpartition(b"\n")[0].decode() if file.exists() else ""
    rows = {row[0]: row for row in csv.reader(text.split("\n")[1:])}
    counts = Counter(item.id for item in items)
    return {
        place: rows[item.id] for place, item in enumerate(items) if counts[item.id] == 1 and item.id in rows
    }


def _row(setup: TransferSetup, item: Item, text: str) -> list[str]:
    """The row of an item, with the reason where there is no text."""
    if not text:
        fault = item.error or setup.system.faults.get(item) or "nothing was written"
        return [item.id, "", item.target, fault, "", "", ""]
    offered = str(setup.search.candidates) if setup.judges else ""
    return [item.id, text, item.target, "", setup.reranker, offered, setup.system.signature(item.target)]


def new_rows(setup: TransferSetup, items: Sequence[Item], batch_size: int | None) -> list[list[str]]:
    """The row of each item: a new headline, empty where there is no candidate."""
    candidates = setup.system.propose(items, setup.search, batch_size)
    texts = [[" ".join(composed(candidate.text).split()) for candidate in group] for group in candidates]
    texts = [[*filter(None, group)] for group in texts]
    if setup.judges:
        orders = order(setup.judges, texts, items)
        texts = [[group[place] for place in places] for group, places in zip(texts, orders, strict=True)]
    return [_row(setup, item, group[0] if group else "") for item, group in zip(items, texts, strict=True)]
