"""From headlines to new ones: what reads, writes and chooses, and how an interrupted run goes on."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from change_it import __version__
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.folder import read_language
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.generators.endpoint import SENT, Endpoint
from change_it.generators.generator_options import CANDIDATES, TransferOptions
from change_it.generators.headline_transfer import HeadlineSystem, HeadlineTransfer
from change_it.generators.prompt import Prompt
from change_it.generators.prompted import PromptedModel
from change_it.generators.rerank import choose, order
from change_it.generators.search import BEAMS, Search, read_decoding
from change_it.io import append, cell_text, check_columns, parse_columns, read_tables, write_table, write_text
from change_it.networks.pretrained import map_threads
from change_it.networks.server import CONCURRENCY
from change_it.progress import bar
from change_it.scoring.item import Item, directions_in_turn, read_test_set
from change_it.scoring.judges import Judges
from change_it.scoring.signature import Reranker
from change_it.text import cleaning
from change_it.text.folding import composed
from change_it.text.stopwords import guess_language

HEADER = ("id", "headline", "target", "error", "reranker", "generator")
NOTHING = "nothing was written"
#: Options that may differ between a run and the one that goes on with it.
FREE = ("out", "device", "json", "article", "concurrency")
#: What an unfinished file begins with.
KIND = "change-it transfer"


class Finished(NamedTuple):
    """What is written for an item."""

    headlines: Sequence[str]  # one, or all draws
    order: Sequence[int]  # the draws in the order of judges, best first, if these were asked
    fault: str  # why there is no headline, or why one of the draws is empty
    writer: str  # its signature


@dataclass(frozen=True)
class TransferSetup:
    """The system that writes headlines, and the judges that choose."""

    system: HeadlineSystem
    judges: Judges | None  # choose among candidates; None takes the first
    search: Search

    @property
    def needs(self) -> tuple[str, ...]:
        """Texts of a row that the system or the judges read."""
        return ("headline", "article") if self.judges else self.system.needs

    @property
    def reranker(self) -> str:
        """Signature of the judges that choose, or empty."""
        return Reranker.of(self.judges).signature if self.judges else ""


def load_setup(options: TransferOptions) -> TransferSetup:
    """The generators or a model that is asked, and the judges that choose."""
    settings: dict[str, Any] = {} if options.endpoint else {"num_beams": BEAMS}
    settings |= {"do_sample": True} if options.all_draws else {}
    search = Search(
        read_decoding(options.generation, **settings),
        (options.candidates or CANDIDATES) if options.rerank or options.all_draws else 1,
        options.seed,
        options.all_draws,
    )
    if options.all_draws and not search.is_drawn:
        raise InputError("--all-draws and --generation do_sample=false exclude each other")
    system: HeadlineSystem
    if options.is_prompted:
        prompt = Prompt.of_corpus(str(options.corpus), shots=options.shots)
        if options.endpoint is not None:
            if unknown := search.settings.keys() - SENT:
                raise InputError(
                    f"--generation {min(unknown)}: a server takes {', '.join(sorted(SENT))} alone"
                )
            system = Endpoint(
                options.endpoint, str(options.model), prompt, options.concurrency or CONCURRENCY
            )
        else:
            system = PromptedModel.from_pretrained(
                options.generator,
                prompt,
                max_new_tokens=search.decoding.max_new_tokens,
                precision=options.precision,
                device=options.device,
            )
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
        judges = Judges.from_pretrained(str(options.rerank), **options.judging)
        judges.check_outlets(system.outlets, options.corpus or f"behind {options.generator}")
    return TransferSetup(system, judges, search)


def corpus_items(options: TransferOptions, setup: TransferSetup) -> list[Item]:
    """The A2 headlines of the corpus that aim at the targets, all of direction A to B first; or some with a reference, drawn by the seed."""
    test, outlets = read_test_set(str(options.corpus)), setup.system.outlets
    if set(test.outlets) != set(outlets):
        raise InputError(
            f"the generator is for {' and '.join(outlets)}, the corpus {options.corpus} has "
            f"{' and '.join(test.outlets)}: take a generator that was trained on this corpus"
        )
    if setup.judges:
        setup.judges.check_corpus(test)
    items = [item for item in test.items if item.target in setup.system.targets]
    if options.items is not None:
        with_reference = [item for item in items if item.reference]
        drawn = directions_in_turn(with_reference, options.seed)[: options.items]
        ids = {item.id for item in drawn}
        items = [item for item in items if item.id in ids]
    return [_checked(item, setup.needs) for item in items]


def file_items(options: TransferOptions, setup: TransferSetup) -> list[Item]:
    """An item for each row of the file, in order, cleaned as a corpus is; an unusable one has its reason."""
    file, names = str(options.input), parse_columns(options.columns, COLUMNS)
    outlets, targets = setup.system.outlets, setup.system.targets
    items: list[Item] = []
    seen: dict[str, None] = {}
    for table in read_tables([file], names):
        for number, row in enumerate(table.rows, start=1):
            label, target, fault, id_, headline, article = "", "", "", f"{table.stem}-{number}", "", ""
            try:
                cells = {ours: cell_text(row.cells.get(ours), ours) for ours in names}
                id_ = cleaning.visible(cells["id"]) or id_
                label, headline, article = (
                    cleaning.clean(cells[ours]) for ours in ("label", "headline", "article")
                )
            except InputError as error:
                fault = str(error)
            label = label if label in outlets else KNOWN_LABELS.get(label, label)
            if options.to or (len(targets) == 1 and "label" not in row.cells):
                target = targets[0]
            elif label in outlets:
                target = outlets[1 - outlets.index(label)]
                fault = fault or ("" if target in targets else f"no generator for {target}")
            else:
                fault = fault or (f"unknown label: {label}" if label else "empty label")
            items.append(Item(id_, label, target, headline, article, error=fault))
        seen.update(table.columns)
    if not items or not seen:
        raise InputError(
            f"{file} holds no rows that can be read: give CSV with a header, or JSON with one object a line"
        )
    needs = [*setup.needs, *([] if len(targets) == 1 else ["label"])]
    check_columns(
        file, seen, names, COLUMNS, needs=needs, advice=", or give --to" if "label" in needs else ""
    )
    return [_checked(item, setup.needs) for item in items]


def _checked(item: Item, needs: Sequence[str]) -> Item:
    """The item, with an error for a text that is needed and empty."""
    texts = {"headline": item.source, "article": item.article}
    empty = [name for name in needs if not texts[name]]
    return replace(item, error=f"empty {' and '.join(empty)}") if empty and not item.error else item


def transfer_items(options: TransferOptions, setup: TransferSetup, items: Sequence[Item]) -> list[Item]:
    """The items with new headlines.

    They are written in chunks, items of like length in one; what is finished is kept in FILE.partial until all is, also where
    another one fails.
    """
    language = ""
    if setup.judges:  # that a model of support is prompted in
        articles = [item.article for item in items if item.article]
        language = read_language(options.corpus or "") or guess_language(articles)
    out = options.out
    unfinished = out and out.with_name(f"{out.name}.partial")
    done = _begin(unfinished, options, setup, items) if unfinished else {}
    headline_is_read = setup.system.needs == ("headline",)
    lengths = [len(item.source if headline_is_read else item.article) for item in items]
    rows = sorted(
        (row for row, item in enumerate(items) if not item.error),
        key=lambda row: (items[row].target, -lengths[row]),
    )
    size = options.batch_size or max(1, setup.system.kept_together // setup.search.candidates)
    chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
    missing = [chunk for chunk in chunks if not done.keys() >= set(chunk)]
    before = len(rows) - sum(map(len, missing))  # by an interrupted run
    lock = Lock()
    with bar("transferring", len(rows), initial=before, shown=out is not None) as done_bar:

        def finish(chunk: Sequence[int]) -> None:
            given = [items[row] for row in chunk]
            written = new_headlines(setup, given, options=options, language=language)
            finished = dict(zip(chunk, written, strict=True))
            lines = "".join(f"{json.dumps([row, *each])}\n" for row, each in finished.items())
            with lock:
                if unfinished:
                    with unfinished.open("ab") as file:
                        append(file, lines.encode())
                done.update(finished)
                done_bar.update(len(chunk))

        try:
            list(map_threads(finish, missing, setup.system.batches_at_once(setup.search)))
        except InputError as error:
            kept = f"{len(done):,} of {len(rows):,} headlines are kept, and the same command goes on with the others"
            raise InputError(f"{error} ({kept})" if done and unfinished else str(error)) from error
    if out and unfinished:
        draws = ["draw", *(["chosen", "rank"] if setup.judges else [])] if setup.search.all_draws else []
        write_table(out, [*HEADER, *draws], _rows(setup, items, done))
        unfinished.unlink()
    return [_transferred(item, done.get(row)) for row, item in enumerate(items)]


def _transferred(item: Item, finished: Finished | None) -> Item:
    """The item with its headline: of draws the one that judges put first, or the first that is not empty."""
    if finished is None:
        return item
    places = finished.order or range(len(finished.headlines))
    text = next((finished.headlines[at] for at in places if finished.headlines[at]), "")
    return replace(item, prediction=text, error="" if text else finished.fault)


def _rows(
    setup: TransferSetup, items: Sequence[Item], done: Mapping[int, Finished]
) -> Iterator[tuple[object, ...]]:
    """A row for each item, or for each of its draws."""
    all_draws = setup.search.all_draws
    nothing = [""] * (setup.search.candidates if all_draws else 1)
    for number, item in enumerate(items):
        headlines, order, fault, writer = done.get(number, Finished(nothing, (), item.error, ""))
        for draw, text in enumerate(headlines):
            signed = (setup.reranker, writer) if text else ("", "")
            row = (item.id, text, item.target, "" if text else fault or NOTHING, *signed)
            rank = order.index(draw) + 1 if order else draw + 1
            ranked = (str(rank == 1).lower(), rank) if setup.judges else ()
            yield (*row, draw, *ranked) if all_draws else row


def _begin(
    file: Path, options: TransferOptions, setup: TransferSetup, items: Sequence[Item]
) -> dict[int, Finished]:
    """Rows that an interrupted run has finished, by number; a line that was cut off is dropped."""
    texts = "\n".join(map(repr, items)).encode("utf-8", "backslashreplace")
    given: dict[str, Any] = {name: value for name, value in asdict(options).items() if name not in FREE}
    given |= {"input": hashlib.sha256(texts).hexdigest(), "version": __version__, "judges": setup.reranker}
    if setup.system.models:
        given["generators"] = [setup.system.writer(target).signature for target in setup.system.targets]
    settings = {name: str(value) for name, value in given.items()}
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    lines = [line for line in lines if line.endswith(b"\n")]
    header = json.dumps({KIND: settings}).encode() + b"\n"
    try:
        earlier, *rows = map(json.loads, lines or [header])
        found = earlier[KIND]
        done = {
            int(row): Finished([*map(str, texts)], [*map(int, order)], str(fault), str(writer))
            for row, texts, order, fault, writer in rows
        }
        changed = [
            f"{name} was {found.get(name)}, is {value}"
            for name, value in settings.items()
            if found.get(name) != value
        ]
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InputError(f"{file} exists and is not an unfinished transfer: choose another --out") from error
    if done and changed:
        raise InputError(
            f"{file} is of an unfinished run with other options ({'; '.join(changed)}): "
            "use the same options to finish it, or remove that file to begin again"
        )
    write_text(file, b"".join([header, *lines[1:]]).decode())
    return done


def new_headlines(
    setup: TransferSetup, items: Sequence[Item], *, options: TransferOptions, language: str
) -> list[Finished]:
    """A new headline for each item, empty where there is no candidate, or all draws; `language` is that of a model of support."""
    candidates = setup.system.propose(items, setup.search, options.batch_size)
    texts = [[" ".join(composed(each.text).split()) for each in of_item] for of_item in candidates]
    judges = setup.judges
    orders: list[tuple[int, ...]] = [()] * len(items)
    if setup.search.all_draws:
        count = setup.search.candidates
        texts = [(drawn + [""] * count)[:count] for drawn in texts]
        orders = order(judges, texts, items, language=language) if judges else orders
    else:
        texts = [[text for text in offered if text] for offered in texts]
        chosen = choose(judges, texts, items, language=language) if judges else [0] * len(texts)
        texts = [[offered[at]] if offered else [""] for offered, at in zip(texts, chosen, strict=True)]
    return [
        Finished(
            of_item,
            of_judges,
            "" if all(of_item) else setup.system.faults.get(item, NOTHING),
            setup.system.writer(item.target).signature,
        )
        for item, of_item, of_judges in zip(items, texts, orders, strict=True)
    ]
