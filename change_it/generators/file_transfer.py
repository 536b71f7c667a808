"""From the headlines of a corpus or a file to a file of new ones: what reads, writes and chooses, and how an interrupted run goes on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from change_it import __version__
from change_it.corpus import cleaning
from change_it.corpus.article import KNOWN_LABELS
from change_it.corpus.folder import read_casing, read_outlets
from change_it.corpus.reading import COLUMNS, check_columns
from change_it.engines import map_threads, workers
from change_it.errors import InputError
from change_it.generators.endpoint import Endpoint
from change_it.generators.extract import Extract
from change_it.generators.generator import load_published
from change_it.generators.generator_options import EXTRACT, SystemOptions
from change_it.generators.headline_transfer import HeadlineTransfer, Proposer
from change_it.generators.journal import Chunks
from change_it.generators.prompt import Prompt
from change_it.generators.prompted import Prompted
from change_it.generators.rerank import choose
from change_it.io import cell_text, parse_columns, read_tables, write_table
from change_it.judges.judge import Judges
from change_it.progress import ProgressBar
from change_it.scoring.item import Item, directions_in_turn, read_test_set
from change_it.scoring.signature import ENDPOINT, Reranker, Writer, joined, parse_reranker

HEADER = ("id", "headline", "target", "error", "reranker", "generator")
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
    reranker: str  # signature of the judges that choose, or chose what its generators learnt from; or empty
    writers: Mapping[str, str] = field(default_factory=dict)  # target to the signature of its generator
    language: str = ""  # that facts are checked in; empty where they are not


@dataclass(frozen=True)
class Transferred:
    """What became of the items of one run: in the order of the input, and how many an interrupted run had finished."""

    items: list[Item]
    before: int


def _trained(options: SystemOptions) -> HeadlineTransfer:
    """The generators, or the one of a published model that has no files of ours."""
    if options.reads is None:
        return HeadlineTransfer.from_pretrained(
            options.generator,
            recipe=options.recipe,
            to=options.to,
            precision=options.precision,
            device=options.device,
        )
    to = str(options.to)
    outlets = read_outlets(options.corpus) if options.corpus else ("", to)
    generator = load_published(
        options.generator, reads=options.reads, to=to, outlets=outlets, device=options.device
    )
    return HeadlineTransfer([generator])


def load_setup(options: SystemOptions, out: Path | None = None) -> Setup:
    """The generators, `extract` or a model that is asked, and the judges that choose; an unfinished run's answers lie beside `out`."""
    system: Proposer
    writers: dict[str, str] = {}
    if options.is_asked:
        corpus = str(options.corpus)
        prompt = Prompt.of_corpus(corpus, shots=options.shots, choice=options.shots_by, seed=options.seed)
        if options.endpoint is not None:
            system = Endpoint(
                options.endpoint,
                str(options.model),
                prompt,
                concurrency=options.concurrency,
                timeout=options.timeout,
                answer_tokens=options.answer_tokens,
                journal=out and out.with_name(f"{out.name}.answers.partial"),
            )
            digests = {"endpoint": f"{options.endpoint} {options.model}"}
        else:
            system = Prompted.from_pretrained(
                options.generator,
                prompt,
                answer_tokens=options.answer_tokens,
                precision=options.precision,
                device=options.device,
            )
            digests = {"model": system.weights_hash, "answer": f"{system.format.max_target_tokens} tokens"}
            writer = Writer(system.weights_hash, system.base, prompt.signature)
            writers = dict.fromkeys(prompt.outlets, writer.signature)
        digests["prompt"] = prompt.digest
    elif options.generator == EXTRACT:
        system = Extract.from_corpus(str(options.corpus))
        if options.to not in (None, *system.outlets):
            raise InputError(
                f"--to {options.to} is no outlet of {options.corpus}: give {' or '.join(system.outlets)}"
            )
        digests = {"training headlines": system.digest}
    else:
        system = _trained(options)
        reads = f"reads:{options.reads}" if options.reads else ""
        digests = {
            f"generator for {to}": generator.weights_hash for to, generator in system.generators.items()
        }
        writers = {
            to: Writer(generator.weights_hash, generator.card.pretrained, reads).signature
            for to, generator in system.generators.items()
        }
    judges, needs = None, system.needs
    if options.rerank:
        judges, needs = _judges_that_choose(options), ("headline", "article")
        judges.check_outlets(system.outlets, options.corpus or f"behind {options.generator}")
    targets = (options.to,) if options.to else system.targets
    chosen_by = [Reranker.of(judges)] if judges else []
    if isinstance(system, HeadlineTransfer):
        cards = [generator.card for generator in system.generators.values()]
        chosen_by += [parse_reranker(card.filter_by) for card in cards if card.filter_by]
    try:
        reranker = joined(chosen_by).signature if chosen_by else ""
    except ValueError:
        raise InputError(
            f"what {options.generator} learnt from and --rerank are of different judges: choose with those of --filter-by, "
            "or leave out --rerank"
        ) from None
    return Setup(system, targets, needs, digests, judges, reranker, writers)


def _judges_that_choose(options: SystemOptions) -> Judges:
    """The judges of the objective, no others."""
    judges = load_judges(options, str(options.rerank))
    if options.objective == "compliancy":
        return Judges(judges.main, judges.hh, judges.ah)
    if judges.fluency is None:
        raise InputError(
            f"--objective strict needs a fluency judge in {options.rerank}: train one with "
            f"change-it train judge --task fluency --fold {judges.fold}"
        )
    return judges if judges.casing or not options.corpus else judges.with_casing(read_casing(options.corpus))


def load_judges(options: SystemOptions, folder: str) -> Judges:
    """The judges of a folder."""
    return Judges.from_pretrained(folder, precision=options.precision, device=options.device)


def corpus_items(setup: Setup, corpus: str, count: int | None = None, *, seed: int = 1) -> list[Item]:
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


def file_items(setup: Setup, file: str, *, columns: str = "", to: str | None = None) -> list[Item]:
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


def transfer_items(options: SystemOptions, setup: Setup, items: Sequence[Item], out: Path) -> Transferred:
    """Write the file of new headlines, chunk after chunk; items of like length share a chunk."""
    journal = _open(options, setup, items, out)
    endpoint = setup.system if isinstance(setup.system, Endpoint) else None
    if endpoint:  # it keeps its answers itself, and why there is none
        journal.entries.clear()
    headline_is_read = setup.system.needs == ("headline",)
    lengths = [len(item.source if headline_is_read else item.article) for item in items]
    order = sorted(
        (number for number, item in enumerate(items) if not item.error),
        key=lambda number: (items[number].target, -lengths[number]),
    )
    size = options.batch_size or setup.system.kept_together(options.decoding)
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    before = sum(map(len, journal.entries.values()))
    with ProgressBar() as bar:
        task = bar.add_task("transferring", total=len(order), completed=before)
        missing = [number for number in range(len(chunks)) if number not in journal.entries]
        write = partial(new_headlines, options=options, language=setup.language)
        given = (([items[row] for row in chunks[number]],) for number in missing)
        team = workers(partial(load_setup, _anywhere(options)))
        written = (
            team.map_ordered(write, given)
            if team
            else map_threads(partial(write, setup), given, setup.system.batches_at_once(options.decoding))
        )
        for number, headlines in zip(missing, written, strict=True):
            journal.add(number, headlines)
            bar.advance(task, len(chunks[number]))
    done = list(items)
    for number, chunk in enumerate(chunks):
        for row, headline in zip(chunk, journal.entries[number], strict=True):
            item = items[row]
            fault = setup.system.faults.get((item.source, item.article, item.target), NOTHING)
            done[row] = replace(item, prediction=headline, error="" if headline else fault)
    writers = setup.writers
    if endpoint:
        writer = Writer(ENDPOINT, "+".join(endpoint.names), endpoint.prompt.signature)
        writers = dict.fromkeys(endpoint.targets, writer.signature)
    rows = (
        (
            item.id,
            item.prediction,
            item.target,
            item.error,
            setup.reranker,
            writers.get(item.target, ""),
        )
        for item in done
    )
    write_table(out, HEADER, ((*row[:4], "", "") if row[3] else row for row in rows))
    journal.remove()
    if endpoint:
        endpoint.finish()
    return Transferred(done, before)


def _anywhere(options: SystemOptions) -> SystemOptions:
    """The options with whole paths: a worker's folder may be another one."""
    whole = replace(options)
    for name in ("generator", "rerank", "corpus"):
        path = getattr(options, name)
        if path and path != EXTRACT and Path(path).exists():
            setattr(whole, name, str(Path(path).resolve()))
    return whole


def new_headlines(setup: Setup, items: Sequence[Item], *, options: SystemOptions, language: str) -> list[str]:
    """A new headline for each item, empty where there is no candidate; `language` is the facts'."""
    texts_of_items = ((item.source, item.article, item.target) for item in items)
    sources, articles, targets = zip(*texts_of_items, strict=True)
    candidates = setup.system.propose(sources, articles, targets, options.decoding, options.batch_size)
    texts = [[candidate.text for candidate in some if candidate.text] for some in candidates]
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


def _open(options: SystemOptions, setup: Setup, items: Sequence[Item], out: Path) -> Chunks:
    """The finished part of a run with the same headlines as this one, or a new journal."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(astuple(item)).encode() + b"\n")
    settings: dict[str, object] = {
        **asdict(options.decoding),
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
    return Chunks(out.with_name(f"{out.name}.partial"), settings)
