"""Write new headlines for a test set or a file, and go on with an interrupted run."""

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
from change_it.files.rows import Record, parse_columns, read_tables
from change_it.files.texts import cell_text, length_fault
from change_it.generators.networks.headline_pipeline import Candidate
from change_it.generators.transfer import HeadlineSystem, Search
from change_it.models.pretrained import thread_pool
from change_it.scoring.choosing import order
from change_it.scoring.panel import Judges
from change_it.scoring.signature import Reranker
from change_it.text import cleaning
from change_it.text.folding import composed
from change_it.version import __version__

#: Columns of a prediction file.
HEADER = ("id", "headline", "target", "error", "reranker", "candidates", "generator")
#: Columns of an unfinished file: `row` is the position of the item.
PARTIAL_HEADER = ("row", *HEADER)


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
        """Return the signature of the judges that choose; empty without any."""
        if self.judges is None:
            return ""
        return Reranker.from_judges(self.judges).signature


def corpus_items(setup: TransferSetup, corpus: str, count: int | None = None) -> list[Item]:
    """Return the headlines of the test set that aim at the system's targets, all of direction A to B first.

    Args:
        setup: what writes and chooses.
        corpus: corpus folder, or id of such a data set on the Hub.
        count: number of headlines with a reference, drawn by the seed; None is all headlines.

    Raises:
        InputError: the corpus has other outlets than the system, or the judges have learnt from its test set.
    """
    test = read_test_set(corpus)
    outlets = setup.system.outlets
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
        drawn = directions_in_turn(with_reference, setup.search.seed)[:count]
        ids = {item.id for item in drawn}
        items = [item for item in items if item.id in ids]
    return [_checked(item, setup) for item in items]


def file_items(setup: TransferSetup, file: str, *, columns: str = "", to: str | None = None) -> list[Item]:
    """Return an item for each row of a file, in order, cleaned as a corpus is.

    Where an item is unusable, its error says why.

    Args:
        setup: what writes and chooses.
        file: a table, as for `change-it corpus build`.
        columns: a map `ours=theirs`.
        to: the outlet aimed at, where the system writes for it alone; without it the other one than the
            label's.
    """
    names = parse_columns(columns, COLUMNS)
    items: list[Item] = []
    for table in read_tables([file], names):
        for number, row in enumerate(table.rows, start=1):
            item = _row_item(row, list(names), setup.system, name=f"{table.stem}-{number}", to=to)
            items.append(_checked(item, setup))
    return items


def _row_item(
    row: Record, names: Sequence[str], system: HeadlineSystem, *, name: str, to: str | None
) -> Item:
    """Return the item of a row, with the reason where its cells cannot be read or no generator writes for it.

    Args:
        row: the row.
        names: columns that are read.
        system: what writes.
        name: id of the item where the row has none.
        to: the outlet aimed at, where the system writes for it alone; None takes the other one than the
            label's.
    """
    fault = ""
    label = ""
    headline = ""
    article = ""
    try:
        cells = {column: cell_text(row.cells.get(column), column) for column in names}
    except InputError as error:
        fault = str(error)
    else:
        name = cleaning.visible(cells["id"]) or name
        label = cleaning.clean(cells["label"])
        headline = cleaning.clean(cells["headline"])
        article = cleaning.clean(cells["article"])
    if label not in system.outlets:
        label = KNOWN_LABELS.get(label, label)
    has_one_target = len(system.targets) == 1 and "label" not in row.cells
    target = ""
    target_fault = ""
    if to or has_one_target:
        target = system.targets[0]
    elif label in system.outlets:
        target = system.outlets[1 - system.outlets.index(label)]
        if target not in system.targets:
            target_fault = f"no generator for {target}"
    else:
        target_fault = f"unknown label: {label}" if label else "empty label"
    return Item(
        id=name,
        label=label,
        target=target,
        source=headline,
        article=article,
        error=fault or target_fault,
    )


def _checked(item: Item, setup: TransferSetup) -> Item:
    """Return the item, with an error where a text that system or judges read is empty, or one is too long."""
    if item.error:
        return item
    texts = {"headline": item.source, "article": item.article}
    needed = texts if setup.judges else setup.system.needs
    empty = [name for name in needed if not texts[name]]
    if empty:
        return replace(item, error=f"empty {' and '.join(empty)}")
    faults = [length_fault(name, text) for name, text in texts.items()]
    return replace(item, error="".join(faults))


def transfer_items(
    setup: TransferSetup, items: Sequence[Item], out: Path, settings: TransferSettings
) -> list[Item]:
    """Write new headlines for the items to a file, and return the items with them.

    They are kept in FILE.*.partial until all are there. A call with the same options writes only what this
    file lacks.

    Args:
        setup: what writes and chooses.
        items: in the order of the file's rows; those with an error have no headline.
        out: the file, which `only_run` holds.
        settings: what the transfer was asked for.

    Raises:
        InputError: the partial file was changed, or a setting of the search is refused by transformers.
    """
    run = _TransferRun(setup, items, out, settings)
    run.write_missing()
    written = run.all_rows()
    write_table(out, HEADER, written)
    run.partial.unlink(missing_ok=True)
    finished = []
    for item, row in zip(items, written, strict=True):
        cells = dict(zip(HEADER, row, strict=True))
        finished.append(replace(item, prediction=cells["headline"], error=cells["error"]))
    return finished


class _TransferRun:
    """A transfer into a file, which an interrupted run left unfinished or which begins now.

    Attributes:
        setup: what writes and chooses.
        items: what is written for; an item is known by its position.
        settings: what the transfer was asked for.
        partial: the unfinished file.
        rows: its rows by the positions of their items.
    """

    def __init__(self, setup: TransferSetup, items: Sequence[Item], out: Path, settings: TransferSettings):
        self.setup = setup
        self.items = items
        self.settings = settings
        self.partial = out.with_name(f"{out.name}.{self._fingerprint()[:8]}.partial")
        self.rows = _read_partial(self.partial, len(items))

    def _fingerprint(self) -> str:
        """Return a digest that differs for other options, texts, generators and judges.

        The model of a server is not in it, since it is known only later.
        """
        signatures: list[str] = []
        if not self.settings.endpoint:
            signatures = [self.setup.system.signature(target) for target in self.setup.system.targets]
        run = repr((self.settings.options, signatures, self.setup.reranker, __version__, *self.items))
        return hashlib.sha256(run.encode("utf-8", "backslashreplace")).hexdigest()

    def write_missing(self) -> None:
        """Write the rows of the items that have no error and no row yet."""
        system = self.setup.system
        usable = [place for place, item in enumerate(self.items) if not item.error]
        missing = []
        for batch in system.batches([self.items[place] for place in usable], self.setup.search):
            places = [usable[position] for position in batch]
            if not self.rows.keys() >= set(places):
                missing.append(places)
        threads = system.batches_at_once(self.setup.search)
        pool = thread_pool(threads) if threads > 1 else None
        write_growing(
            self.partial,
            PARTIAL_HEADER,
            self.rows,
            missing,
            self._answer,
            pool=pool,
            total=len(usable),
            work="transferring",
        )

    def all_rows(self) -> list[list[str]]:
        """Return the row of each item for the finished file, with the reason where it has no headline."""
        written = []
        for place, item in enumerate(self.items):
            if place in self.rows:
                # without the position
                written.append(self.rows[place][1:])
            else:
                written.append(self._row(item, ""))
        return written

    def _answer(self, places: Sequence[int]) -> dict[int, list[str]]:
        """Write headlines for a batch, and return the rows by the positions of its items.

        Judges choose the best candidate where there are judges; else it is the system's first one.
        """
        items = [self.items[place] for place in places]
        candidates = []
        for offered in self._offer(items):
            texts = [" ".join(composed(candidate.text).split()) for candidate in offered]
            candidates.append([text for text in texts if text])
        if self.setup.judges:
            orders = order(self.setup.judges, candidates, items)
        else:
            orders = [tuple(range(len(texts))) for texts in candidates]
        rows = {}
        for place, item, texts, ranked in zip(places, items, candidates, orders, strict=True):
            best = texts[ranked[0]] if ranked else ""
            rows[place] = [str(place), *self._row(item, best)]
        return rows

    def _offer(self, items: Sequence[Item]) -> list[list[Candidate]]:
        """Return the candidates of a batch.

        Raises:
            InputError: transformers refuses a setting that was given. Some it checks only when it writes.
        """
        try:
            return self.setup.system.write(items, self.setup.search)
        except (TypeError, ValueError) as error:
            given = self.settings.generation
            # where rows are there, the settings have worked before
            if isinstance(error, InputError) or self.rows or not given:
                raise
            if not writes_by_default(self.setup, items):
                raise
            reason = str(error).partition("\n")[0]
            raise InputError(f"--generation {' '.join(given)}: {reason}") from error

    def _row(self, item: Item, text: str) -> list[str]:
        """Return the row of an item, with the reason where there is no text."""
        setup = self.setup
        if not text:
            fault = item.error or setup.system.faults.get(item) or "nothing was written"
            return [item.id, "", item.target, fault, "", "", ""]
        candidates = str(setup.search.candidates) if setup.judges else ""
        generator = setup.system.signature(item.target)
        return [item.id, text, item.target, "", setup.reranker, candidates, generator]


def writes_by_default(setup: TransferSetup, items: Sequence[Item]) -> bool:
    """Tell whether the system writes without the user's settings: then one of them is at fault."""
    try:
        setup.system.write(items, Search(seed=setup.search.seed))
    except Exception:
        return False
    return True


def _read_partial(partial: Path, count: int) -> dict[int, list[str]]:
    """Return the rows of an earlier run by the positions of their items; none where there is no such file.

    Raises:
        InputError: the file is not as a run writes it.
    """
    earlier = earlier_rows(partial)
    if not earlier:
        return {}
    header, *rows = earlier
    places = {str(place) for place in range(count)}
    are_ours = all(len(row) == len(header) and row[0] in places for row in rows)
    if tuple(header) != PARTIAL_HEADER or not are_ours:
        raise InputError(f"{partial} was changed: delete it, and the same command begins anew")
    return {int(row[0]): row for row in rows}
