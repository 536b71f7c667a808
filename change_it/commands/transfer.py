"""`change-it transfer`: new headlines for a corpus or a file, chosen by judges if there are any."""

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from change_it.commands.checks import check_files
from change_it.corpus.folder import check_corpus, check_outlet, read_casing, read_language
from change_it.corpus.reading import COLUMNS, check_columns
from change_it.engines import EngineOptions, use_engine
from change_it.errors import InputError
from change_it.generators.card import COMMAND, choose_generators
from change_it.generators.generator_options import EXTRACT, SystemOptions, check_url, read_key
from change_it.io import (
    GENERATOR_CARD,
    HUB,
    SUFFIXES,
    check_model,
    check_writable,
    parse_columns,
    read_input,
    read_tables,
)
from change_it.judges.judge_options import check_judges

if TYPE_CHECKING:  # loads torch
    from rich.console import Console

    from change_it.generators.file_transfer import Setup, Transferred
    from change_it.scoring.item import Item
    from change_it.text.names import Casing

#: Transfers that are printed at the end.
SHOWN = 5


@dataclass(kw_only=True)
class TransferOptions(EngineOptions, SystemOptions):
    """Write new headlines in the other outlet's style; with --rerank, judges choose the best of several candidates.

    A headline on the command line is answered with the new one on standard output. Else all headlines of a corpus or a file are written
    to --out. The file has one row an input row, in order: id, headline, target, error, reranker, generator. A run that was interrupted goes
    on where it stopped when it is called again with the same options; what is finished lies in FILE.partial until then.

    Examples:
        change-it transfer "Crolla il ponte: chiuse le scuole" --article - <<< "Il ponte sulla statale è crollato lunedì. Le scuole restano chiuse."
        change-it transfer "Crolla il ponte: chiuse le scuole" --article article.txt
        change-it transfer --generator runs/mine/generators --recipe sum --corpus runs/mine/corpus --out runs/mine/predictions/sum.csv
        change-it transfer --generator runs/mine/generators/sum-gio --input articles.csv --out new.csv
        change-it transfer --generator owner/model --prompt --shots 3 --corpus runs/mine/corpus --out runs/mine/predictions/asked.csv
        change-it transfer --endpoint http://localhost:8000/v1 --model NAME --corpus runs/mine/corpus --out runs/mine/predictions/served.csv
        change-it transfer --generator owner/model --prompt --corpus runs/mine/corpus --items 100 --out runs/mine/predictions/asked.csv
        change-it transfer --generator extract --corpus runs/mine/corpus --rerank runs/mine/judges-0 --out runs/mine/predictions/extract.csv
    """

    headline: tyro.conf.Positional[str] = ""
    """One original headline to transfer, with its --article; the files are transferred when not given."""
    article: Path | None = None
    """Text file with the headline's article; - reads standard input."""
    out: Path | None = None
    """CSV file to write; it appears, or is replaced, only when the run is finished."""
    input: str | None = None
    """CSV, TSV, JSON lines or parquet file with headline, article and label (the outlet the row comes from); id if there is one."""
    columns: str = ""
    """Column map of --input, ours=theirs: headline=title,article=body."""
    items: int | None = None
    """Headlines of --corpus to transfer, each with an aligned one, of all outlets in turn, drawn by --seed; all when not given. For models that are slow or cost money."""
    json: bool = False
    """Print JSON instead of one headline alone."""


def check(options: TransferOptions) -> None:
    """Refuse, before anything large loads, what is not there, options that do not fit each other, an unknown outlet, and columns that are not there.

    Of generators on the Hub nothing is known, and of tables other than CSV only once they are read.
    """
    if options.corpus:
        check_corpus(options.corpus)
    if options.generator != EXTRACT and options.endpoint is None:
        check_model(options.generator, command=COMMAND)
    if options.rerank:
        check_judges(options.rerank)
    here = options.input and not options.input.startswith(HUB)
    tables = read_tables([str(options.input)]) if here else []  # nothing is read yet
    check_files(options.article)
    _check_fit(options)
    if options.article and str(options.article) != "-" and not read_input(options.article).strip():
        raise InputError(f"{options.article} has no text: give the article of the headline")
    needs, targets = {"article"}, 2
    if options.is_asked:
        needs = {"headline", "article"}
    if options.reads is not None:
        needs, targets = {"headline", "article"} if options.reads == "both" else {options.reads}, 1
    if options.learns or options.reads is not None:
        if options.corpus and options.to is not None:
            check_outlet(str(options.corpus), options.to)
    elif (folder := Path(options.generator)).is_dir():
        cards = choose_generators(folder, options.recipe, options.to, name=options.generator).values()
        needs = {text for card in cards for text in ("headline", "article") if card.reads in (text, "both")}
        targets = sum(1 if card.to else 2 for card in cards)
    else:
        needs = set()
    if options.rerank:
        needs = {"headline", "article"}
    if not tables:
        return
    names = parse_columns(options.columns, COLUMNS)
    if any(SUFFIXES.get(Path(table.name).suffix.lower()) != "CSV" for table in tables):
        return
    for table in tables:
        next(table.rows, None)
    if seen := {name: None for table in tables for name in table.columns}:
        if options.to is None and targets > 1:
            needs = {*needs, "label"}
        check_columns(str(options.input), seen, names, needs=sorted(needs), without_label="give --to")
    else:
        raise InputError(f"{options.input} is empty: give a file with a header and at least one row")


def _check_fit(options: TransferOptions) -> None:
    """Refuse options that do not fit each other."""
    extract = options.generator == EXTRACT
    free = options.learns or options.reads is not None  # of the rule that a corpus or a file is given
    files = {"--input": options.input, "--out": options.out, "--corpus": None if free else options.corpus}
    if options.headline:
        given = [name for name, value in files.items() if value]
        if given := [*given, *(["--engine ray"] if options.engine == "ray" else [])]:
            raise InputError(
                f"a headline on the command line needs no {' and no '.join(given)}: leave it out"
            )
    elif options.article or options.json:
        raise InputError(
            '--article and --json are of one headline: give it first, as in change-it transfer "…" --article FILE'
        )
    elif options.out is None:
        raise InputError("give a headline and its --article, or --out with --corpus or --input")
    if extract and not options.corpus:
        raise InputError("--generator extract learns from a corpus: give --corpus")
    if extract and options.recipe:
        raise InputError("--recipe is for trained generators, extract has none: leave it out")
    _check_asked(options)
    if not free and not options.headline and bool(options.corpus) == bool(options.input):
        raise InputError(
            "give --corpus to transfer its A2 headlines, or --input to transfer a file of your own"
        )
    if options.columns and not options.input:
        raise InputError("--columns is for the file of --input: leave it out")
    if options.items is not None and (options.input or options.headline):
        raise InputError("--items are drawn from --corpus: leave it out")
    if options.items is not None and options.items < 1:
        raise InputError(f"--items {options.items}: give at least 1")
    if options.candidates is not None and not options.rerank:
        raise InputError("--candidates are for judges to choose among: give --rerank, or leave it out")
    if options.objective != "compliancy" and not options.rerank:
        raise InputError("--objective is of judges that choose: give --rerank, or leave it out")
    if options.batch_size is not None and options.batch_size < 1:
        raise InputError(f"--batch-size {options.batch_size}: give at least 1")
    _ = options.decoding  # refuses what cannot be searched for
    options.check_engine()
    if options.out:
        inputs = options.input, options.corpus, options.generator, options.rerank
        check_writable(options.out, kind="file", inputs=inputs)


def _check_asked(options: TransferOptions) -> None:
    """Refuse options that do not fit a model that is asked, or one that others have fine-tuned."""
    usual = SystemOptions()
    ways = [name for name in ("prompt", "endpoint", "reads") if getattr(options, name) not in (None, False)]
    if options.generator == EXTRACT and ways:
        raise InputError(f"--{ways[0]} is of a model, extract has none: leave it out")
    if len(ways) > 1:
        raise InputError(f"--{ways[0]} and --{ways[1]} exclude each other: leave one out")
    if options.is_asked and not options.corpus:
        raise InputError(f"--{ways[0]} takes the outlets and the language of a corpus: give --corpus")
    if ways and not (options.headline or options.corpus or options.input):
        raise InputError(
            "give --corpus to transfer its A2 headlines, or --input to transfer a file of your own"
        )
    if ways and options.recipe:
        raise InputError(f"--recipe is of generators that change-it trained: leave it out with --{ways[0]}")
    if options.reads is not None and options.to is None:
        raise InputError("--reads needs the outlet that the model writes for: give --to")
    if (options.endpoint is None) != (options.model is None):
        raise InputError("--endpoint and --model belong together: give both or none")
    if options.endpoint is not None:
        check_url(options.endpoint)
        if options.generator != usual.generator:
            raise InputError("--endpoint asks the --model of a server: leave --generator out")
        if options.engine == "ray":
            raise InputError("--endpoint sends requests from this machine alone: leave --engine ray out")
        if options.concurrency < 1 or not 0 < options.timeout < math.inf:
            raise InputError("give a --concurrency of at least 1 and a --timeout of some seconds, above 0")
        read_key()
        if options.price is not None and not all(0 <= each < math.inf for each in options.price):
            raise InputError(
                "--price is of a million tokens read and a million written: give two numbers, 0 or more"
            )
    elif options.price is not None:
        raise InputError("--price is of the tokens of an --endpoint: leave it out")
    if options.answer_tokens is not None and (options.answer_tokens < 1 or not options.is_asked):
        raise InputError("--answer-tokens are of answers, 1 or more: give --prompt or --endpoint with them")
    if options.shots < 0 or (options.shots and not options.is_asked):
        raise InputError("--shots are examples of a prompt, 0 or more: give --prompt or --endpoint with them")


def run(options: TransferOptions) -> None:
    """Transfer, write the file, and print the first headlines; of one headline print the new one alone."""
    check(options)
    if options.headline:
        _run_one(options)
        return
    from change_it.generators.file_transfer import corpus_items, file_items, load_setup, transfer_items
    from change_it.text.stopwords import guess_language

    assert options.out is not None  # check asks for it
    started = time.monotonic()
    with use_engine(options):
        setup = load_setup(options, options.out)
        if options.input:
            items = file_items(setup, options.input, columns=options.columns, to=options.to)
        else:
            items = corpus_items(setup, str(options.corpus), options.items, seed=options.seed)
        if options.objective == "strict":
            articles = [item.article for item in items if item.article]
            setup = replace(setup, language=read_language(options.corpus or "") or guess_language(articles))
        done = transfer_items(options, setup, items, options.out)
    _show(done, options, setup, time.monotonic() - started)
    if done.items and all(item.error for item in done.items):
        raise InputError(f"no headline was written; {options.out} says why for each: {done.items[0].error}")


def _run_one(options: TransferOptions) -> None:
    """Transfer one headline and print it, or JSON."""
    from change_it.corpus.cleaning import clean
    from change_it.generators.file_transfer import NOTHING, load_setup, new_headlines
    from change_it.scoring.item import Item
    from change_it.text.stopwords import guess_language

    article = clean(read_input(options.article)) if options.article else ""
    setup = load_setup(options)
    if "article" in setup.needs and not article:
        raise InputError("what writes here reads articles: give --article FILE, or - for standard input")
    to = setup.targets[0] if len(setup.targets) == 1 else _other_outlet(options, setup)
    language = guess_language([article]) if options.objective == "strict" else ""
    item = Item("headline", "", to, clean(options.headline), article)
    [new] = new_headlines(setup, [item], options=options, language=language)
    if not new:
        fault = next(iter(setup.system.faults.values()), NOTHING)
        other = (
            "ask again, or another --model"
            if options.endpoint
            else "give a longer article, or another --generator"
        )
        raise InputError(f"{fault}: {other}")
    if not options.is_asked and options.reads is None:  # these learnt elsewhere
        text = f"{options.headline}. {article}"
        _warn_of_foreign(text, guess_language([text]), _casing(options, setup))
    record = {"original": options.headline, "to": to, "headline": new}
    print(json.dumps(record, ensure_ascii=False) if options.json else new)


def _other_outlet(options: TransferOptions, setup: "Setup") -> str:
    """The outlet that judges do not take the headline for."""
    from change_it.generators.file_transfer import load_judges
    from change_it.scoring.marks import other_outlets

    beside = _judges_beside(options)
    if setup.judges is None and beside is None:
        raise InputError(f"the outlet to write for is unknown: give --to {' or --to '.join(setup.targets)}")
    judges = setup.judges or load_judges(options, str(beside))
    judges.check_outlets(setup.system.outlets, f"behind {options.model or options.generator}")
    [outlet] = other_outlets(judges, [options.headline])
    return outlet


def _judges_beside(options: TransferOptions) -> Path | None:
    """The judges of the run that the generators are of; of what is made of a corpus, of the run with that."""
    folder = Path(str(options.corpus) if options.learns else options.generator).resolve()
    run = folder.parents[1] if (folder / GENERATOR_CARD).is_file() else folder.parent
    return run / "judges" if (run / "judges").is_dir() else None


def _casing(options: TransferOptions, setup: "Setup") -> "Casing | None":
    """How the corpus behind the generators writes its words, where judges or a corpus tell."""
    from change_it.text.names import Casing

    if setup.judges and setup.judges.casing:
        return setup.judges.casing
    beside = _judges_beside(options)
    casing = Casing.load(beside / "fluency") if beside else None
    return casing or (read_casing(options.corpus) if options.corpus else None)


def _warn_of_foreign(text: str, language: str, casing: "Casing | None") -> None:
    """Say on standard error that a text is far from what the generators learnt from."""
    if casing and casing.is_foreign(text, language):
        share = casing.known_share(text, language)
        print(
            f"Do not rely on this headline: what writes it knows {share:.0%} of the words of headline and article.",
            file=sys.stderr,
        )


def _show(done: "Transferred", options: TransferOptions, setup: "Setup", seconds: float) -> None:
    """The first transfers and a summary."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
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
    if options.endpoint is not None:
        _show_costs(options, setup, console)
    stem = Path(options.input or "").stem
    if made := sum(item.id == f"{stem}-{number}" for number, item in enumerate(done.items, start=1)):
        console.print(
            f"{made:,} ids are made from the name of the file and the number of the row, such as {stem}-1: to bring your own, "
            "name their column as in --columns id=key",
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


def _show_costs(options: TransferOptions, setup: "Setup", console: "Console") -> None:
    """Requests, tokens and, with --price, what they cost, those of an interrupted run among them."""
    from change_it.generators.endpoint import Endpoint

    assert isinstance(setup.system, Endpoint)
    answers = setup.system.answers
    read, written = (sum(getattr(answer, part) for answer in answers) for part in ("read", "written"))
    cost = ""
    if options.price is not None:
        cost = f", cost {(read * options.price[0] + written * options.price[1]) / 1e6:.4f}"
    console.print(
        f"{len(answers):,} answers of {' and '.join(setup.system.names)}: {read:,} tokens read, {written:,} written{cost}",
        soft_wrap=True,
        markup=False,
    )
    if cut := setup.system.cut:
        console.print(
            f"[yellow]![/] {cut:,} answers ended before their headline, as of a model that thinks first: give more --answer-tokens",
            soft_wrap=True,
        )
    if late := setup.system.late:
        console.print(
            f"[yellow]![/] {late:,} had no answer within --timeout {options.timeout:g} s: call the command again, perhaps with "
            "a longer one, and these alone are asked for",
            soft_wrap=True,
        )


def _spread(good: Sequence[int], items: "Sequence[Item]") -> list[int]:
    """Items to show, of each target in alternation."""
    by_target: dict[str, list[int]] = {}
    for number in good:
        by_target.setdefault(items[number].target, []).append(number)
    rounds = zip(*by_target.values(), strict=False)
    return [number for numbers in rounds for number in numbers][:SHOWN]
