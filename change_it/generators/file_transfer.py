"""From headlines to new ones: what reads, writes and chooses, and how an interrupted run goes on."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from change_it import __version__
from change_it.corpus import cleaning
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.folder import read_casing, read_language
from change_it.corpus.reading import COLUMNS, check_columns
from change_it.errors import InputError
from change_it.generators.endpoint import SENT, Endpoint
from change_it.generators.generator_options import CANDIDATES, SystemOptions
from change_it.generators.headline_transfer import HeadlineSystem, HeadlineTransfer
from change_it.generators.prompt import Prompt
from change_it.generators.prompted import PromptedModel
from change_it.generators.rerank import choose, order
from change_it.generators.search import Search, read_decoding
from change_it.io import append, cell_text, parse_columns, read_tables, write_table, write_text
from change_it.networks.pretrained import map_threads
from change_it.progress import bar
from change_it.scoring.item import Item, directions_in_turn, read_test_set
from change_it.scoring.judges import Judges
from change_it.scoring.signature import ENDPOINT, Reranker, Writer
from change_it.text.stopwords import guess_language

HEADER = ("id", "headline", "target", "error", "reranker", "generator")
#: Where an item has several draws; the last two where judges have ordered them.
DRAWS_HEADER = (*HEADER, "draw", "chosen", "rank")
NOTHING = "nothing was written"
NO_LABEL = "empty label"
#: Options that may differ between a run and the one that goes on with it.
FREE = ("out", "device", "json", "article")
#: What an unfinished file begins with.
KIND = "change-it transfer"


@dataclass(frozen=True)
class TransferSetup:
    """The system that writes headlines, and the judges that choose."""

    system: HeadlineSystem
    targets: tuple[str, ...]
    needs: tuple[str, ...]  # texts of a row that the system or the judges read
    judges: Judges | None  # choose among candidates; None takes the first
    search: Search

    @property
    def reranker(self) -> str:
        """Signature of the judges that choose, or empty."""
        return Reranker.of(self.judges).signature if self.judges else ""

    def writer(self, target: str) -> str:
        """Signature of what writes for an outlet; of a server that of the models that have answered so far."""
        if isinstance(self.system, HeadlineTransfer):
            generator = self.system.generators[target]
            return Writer(generator.weights_hash, generator.info.pretrained).signature
        if isinstance(self.system, Endpoint):
            return Writer(ENDPOINT, "+".join(self.system.names), self.system.prompt.signature).signature
        assert isinstance(self.system, PromptedModel)
        return Writer(self.system.weights_hash, self.system.base, self.system.prompt.signature).signature


def load_setup(options: SystemOptions) -> TransferSetup:
    """The generators or a model that is asked, and the judges that choose."""
    settings: dict[str, Any] = {} if options.endpoint else {"num_beams": options.beams}
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
            system = Endpoint(options.endpoint, str(options.model), prompt)
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
    judges, needs = None, system.needs
    if options.rerank:
        judges, needs = _judges_that_choose(options), ("headline", "article")
        judges.check_outlets(system.outlets, options.corpus or f"behind {options.generator}")
    return TransferSetup(system, (options.to,) if options.to else system.targets, needs, judges, search)


def _judges_that_choose(options: SystemOptions) -> Judges:
    """Those that strict compliancy asks, or the three of compliancy where there is no fluency judge."""
    judges = Judges.from_pretrained(str(options.rerank), **options.judging)
    if judges.fluency is None:
        return Judges(judges.main, judges.hh, judges.ah)
    return judges if judges.casing or not options.corpus else judges.with_casing(read_casing(options.corpus))


def corpus_items(setup: TransferSetup, corpus: str, count: int | None = None, *, seed: int = 1) -> list[Item]:
    """The A2 headlines of a corpus that aim at the targets, all of direction A to B first; or some with a reference, drawn by a seed."""
    test, outlets = read_test_set(corpus), setup.system.outlets
    if set(test.outlets) != set(outlets):
        raise InputError(
            f"the generator is for {' and '.join(outlets)}, the corpus {corpus} has {' and '.join(test.outlets)}: "
            "take a generator that was trained on this corpus"
        )
    items = [item for item in test.items if item.target in setup.targets]
    if count is not None:
        drawn = directions_in_turn([item for item in items if item.reference], seed)[:count]
        ids = {item.id for item in drawn}
        items = [item for item in items if item.id in ids]
    return [_checked(item, setup.needs) for item in items]


def file_items(setup: TransferSetup, file: str, *, columns: str = "", to: str | None = None) -> list[Item]:
    """An item for each row of a file, in order, cleaned as a corpus is; an unusable one has its reason."""
    names, targets = parse_columns(columns, COLUMNS), setup.targets
    only = to or (targets[0] if len(targets) == 1 else None)
    items: list[Item] = []
    seen: dict[str, None] = {}
    for table in read_tables([file]):
        for number, row in enumerate(table.rows, start=1):
            text = {ours: _cell(row.values, names[ours]) for ours in ("id", "headline", "article", "label")}
            label, aim, fault = _aim(text["label"], setup.system.outlets, targets)
            aim, fault = (to, "") if to else (aim, fault)
            id_ = cleaning.visible(text["id"]) or f"{table.stem}-{number}"
            source, article = cleaning.clean(text["headline"]), cleaning.clean(text["article"])
            items.append(Item(id_, label, aim, source, article, error=fault))
        seen.update(table.columns)
    if not items or not seen:
        raise InputError(
            f"{file} holds no rows that can be read: give CSV with a header, or JSON with one object a line"
        )
    needs = [*setup.needs, *([] if only else ["label"])]
    check_columns(file, seen, names, needs=needs, without_label="give --to")
    if only and not to and not any(name in seen for name in names["label"]):
        items = [
            replace(item, target=only, error="" if item.error == NO_LABEL else item.error) for item in items
        ]
    return [_checked(item, setup.needs) for item in items]


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


def transfer_items(
    options: SystemOptions, setup: TransferSetup, items: Sequence[Item], out: Path | None = None
) -> tuple[list[Item], int]:
    """The items with new headlines, and the number of those that an interrupted run had finished.

    They are written chunk after chunk, items of like length in one; what is finished is kept in FILE.partial until all is.
    """
    language = ""
    if setup.judges:  # that facts are checked in
        articles = [item.article for item in items if item.article]
        language = read_language(options.corpus or "") or guess_language(articles)
    unfinished = out and out.with_name(f"{out.name}.partial")
    done = _begin(unfinished, options, setup, items) if unfinished else {}
    headline_is_read = setup.system.needs == ("headline",)
    lengths = [len(item.source if headline_is_read else item.article) for item in items]
    order = sorted(
        (number for number, item in enumerate(items) if not item.error),
        key=lambda number: (items[number].target, -lengths[number]),
    )
    size = options.batch_size or max(1, setup.system.kept_together // setup.search.candidates)
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    missing = [chunk for chunk in chunks if not done.keys() >= set(chunk)]
    before = len(order) - sum(map(len, missing))
    with bar("transferring", len(order), initial=before, shown=out is not None) as done_bar:
        given = ([items[row] for row in chunk] for chunk in missing)
        write = partial(new_headlines, setup, options=options, language=language)
        written = map_threads(write, given, setup.system.batches_at_once(setup.search))
        for chunk, each in zip(missing, written, strict=True):
            finished = {row: _finished(setup, items[row], *of) for row, of in zip(chunk, each, strict=True)}
            if unfinished:
                lines = "".join(json.dumps([row, *kept]) + "\n" for row, kept in finished.items())
                with unfinished.open("ab") as file:
                    append(file, lines.encode())
            done |= finished
            done_bar.update(len(chunk))
    new = [
        replace(
            item,
            prediction=done[row][0][(done[row][1] or [0])[0]],
            error="" if any(done[row][0]) else done[row][2],
        )
        if row in done
        else item
        for row, item in enumerate(items)
    ]
    if out and unfinished:
        if setup.search.all_draws:
            header = DRAWS_HEADER if setup.judges else DRAWS_HEADER[:-2]
            write_table(out, header, _rows_of_draws(setup, new, done))
        else:
            rows = (
                (item.id, item.prediction, item.target, item.error)
                + (("", "") if item.error else (setup.reranker, done[row][3]))
                for row, item in enumerate(new)
            )
            write_table(out, HEADER, rows)
        unfinished.unlink()
    return new, before


#: Headlines of an item, one or all draws, and the draws in the order of judges, best first, if these were asked.
Written = tuple[list[str], list[int]]
#: The same, why there is no headline or why one of the draws is empty, and who wrote it.
Finished = tuple[list[str], list[int], str, str]


def _finished(setup: TransferSetup, item: Item, headlines: list[str], order: list[int]) -> Finished:
    fault = setup.system.faults.get((item.source, item.article, item.target), NOTHING)
    return headlines, order, "" if all(headlines) else fault, setup.writer(item.target)


def _rows_of_draws(
    setup: TransferSetup, items: Sequence[Item], done: Mapping[int, Finished]
) -> Iterator[tuple[object, ...]]:
    """A row for each draw of the items."""
    count = setup.search.candidates
    for number, item in enumerate(items):
        headlines, order, fault, writer = done.get(number, ([""] * count, [], item.error, ""))
        for draw, text in enumerate(headlines):
            signed = (setup.reranker, writer) if text else ("", "")
            row = (item.id, text, item.target, "" if text else fault or NOTHING, *signed, draw)
            rank = order.index(draw) + 1 if order else draw + 1
            yield (*row, str(rank == 1).lower(), rank) if setup.judges else row


def _begin(
    file: Path, options: SystemOptions, setup: TransferSetup, items: Sequence[Item]
) -> dict[int, Finished]:
    """Rows that an interrupted run has finished, by number; a line that was cut off is dropped."""
    texts = "\n".join(map(repr, items)).encode("utf-8", "backslashreplace")
    settings = {name: value for name, value in asdict(options).items() if name not in FREE}
    settings |= {"input": hashlib.sha256(texts).hexdigest(), "version": __version__, "judges": setup.reranker}
    if not isinstance(setup.system, Endpoint):
        settings["generators"] = [setup.writer(target) for target in setup.targets]
    settings = json.loads(json.dumps(settings, default=str))
    lines: list[bytes] = []
    if file.exists():
        lines = file.read_bytes().splitlines(keepends=True)
    lines = [line for line in lines if line.endswith(b"\n")]
    try:
        earlier, *rows = map(json.loads, lines or [json.dumps({KIND: settings}).encode()])
        found = earlier[KIND]
        done = {
            int(row): ([*map(str, texts)], [*map(int, draws)], str(fault), str(writer))
            for row, texts, draws, fault, writer in rows
        }
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file} exists and is not an unfinished transfer: choose another --out") from error
    changed = [
        f"{name} was {found.get(name)}, is {value}"
        for name, value in settings.items()
        if found.get(name) != value
    ]
    if done and changed:
        raise InputError(
            f"{file} is of an unfinished run with other options ({'; '.join(changed)}): "
            "use the same options to finish it, or remove that file to begin again"
        )
    kept = [json.dumps({KIND: settings}).encode() + b"\n", *lines[1:]]
    write_text(file, b"".join(kept).decode())
    return done


def new_headlines(
    setup: TransferSetup, items: Sequence[Item], *, options: SystemOptions, language: str
) -> list[Written]:
    """A new headline for each item, empty where there is no candidate, or all draws; `language` is the facts'."""
    texts_of_items = ((item.source, item.article, item.target) for item in items)
    sources, articles, targets = zip(*texts_of_items, strict=True)
    candidates = setup.system.propose(
        sources,
        articles,
        targets,
        candidates=setup.search.candidates,
        decoding=setup.search.decoding,
        seed=setup.search.seed,
        batch_size=options.batch_size,
        all_draws=options.all_draws,
    )
    count, judges = setup.search.candidates, setup.judges
    if options.all_draws:
        draws = [
            ([" ".join(each.text.split()) for each in drawn] + [""] * count)[:count] for drawn in candidates
        ]
        orders = order(judges, draws, items, language=language) if judges else [()] * len(draws)
        return [(drawn, [*of]) for drawn, of in zip(draws, orders, strict=True)]
    texts = [[candidate.text for candidate in drawn if candidate.text] for drawn in candidates]
    chosen = choose(judges, texts, items, language=language) if judges else [0] * len(texts)
    best = [drawn[at] if drawn else "" for drawn, at in zip(texts, chosen, strict=True)]
    return [([" ".join(text.split())], []) for text in best]
