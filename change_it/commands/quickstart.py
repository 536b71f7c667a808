"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from change_it import __version__
from change_it.commands import (
    audit,
    corpus_build,
    corpus_sample,
    score,
    train_generator,
    train_judge,
    transfer,
)
from change_it.commands.audit import AuditOptions
from change_it.commands.corpus_sample import SampleOptions
from change_it.commands.score import ScoreOptions
from change_it.commands.train_judge import TrainJudgeOptions, line_of
from change_it.commands.transfer import TransferOptions
from change_it.corpus.corpus_options import BuildOptions
from change_it.corpus.sample import SIZE
from change_it.errors import InputError
from change_it.generators.generator_options import WRITER, GeneratorOptions, Recipe
from change_it.io import check_writable, files_of_ours, is_missing_path, read_json, write_json
from change_it.judges.judge_options import LINEAR, Fold, Task
from change_it.scoring.compliancy import reasons
from change_it.tables import Column, Row, Table, console, figure, print_table

#: In the folder of a run: its options and the seconds of its finished steps, and all that the steps print.
RECORD, LOG = "run.json", "run.log"
#: The writer that ships, a generator for both newspapers; it has read no article of the sample.
RECIPE: Recipe = "rewrite"
SHIPPED = Path(__file__).parents[1] / "data" / "writer"
#: How it is tuned, and how a generator is trained from scratch in a minute and a half: many small updates gain more than few large ones.
_BATCHES = {"source_tokens": 120, "target_tokens": 44, "batch_size": 16}
_TUNED = ("learning_rate=2e-4", "max_steps=20", "eval_steps=20")
TUNES: dict[str, Any] = {**_BATCHES, "architecture": str(SHIPPED), "arg": _TUNED}
_WRITTEN = ("max_steps=450", "eval_steps=450")
WRITES: dict[str, Any] = {**_BATCHES, "cells": 128, "source_tokens": 100, "arg": _WRITTEN}
#: Test headlines that are rewritten, drawn by the seed, and the candidates of each, among which judges choose as they choose the floor:
#: eight take twice the time.
ITEMS, CANDIDATES = 300, 4
#: How long a pre-trained model is tuned.
MINUTES = 15.0
#: The judges that score, and those of the other fold, which choose the headlines of the system `floor`.
JUDGES: tuple[Task, ...] = ("main", "hh", "ah", "fluency")
#: Headlines that are printed at the end, of those that pass and of those that a judge refuses.
SHOWN = 2
#: The systems of the short table.
SYSTEMS = (RECIPE, "floor", "gold", "lead", "copy")
#: Verdicts that a headline can fail by, and what is said of it then.
REASONS = {
    "hh": "tells another story than the original",
    "ah": "does not fit the article",
    "fluency": "is unlike printed headlines",
    "evidence": "has a number, name or quotation that no source has",
    "main": "keeps the original's style",
    "edited": "is the original with a few words changed",
}
#: A command and its options.
Call = tuple[Callable[[Any], None], Any]


@dataclass(kw_only=True)
class QuickstartOptions:
    """Corpus of the sample, judges and their audit, the writer that ships, tuned, its headlines, judges that choose a floor, and a report: one to three minutes on two cores.

    A run that was interrupted goes on with the first step that is not finished.

    Examples:
        change-it quickstart
        change-it quickstart --full --out runs/full
        change-it quickstart --encoder xlm-roberta-base --writer google/gemma-3-270m --out runs/tuned
    """

    out: Path = Path("runs/quickstart")
    """Folder of the run: sample.csv, corpus, judges, judges-0, audit, generators, predictions, report."""
    articles: int = SIZE
    """Articles of the embedded sample, both newspapers together: at most 12000, and some 500 at least, since judges of two folds learn from them."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers."""
    from_scratch: bool = False
    """Train the generator from scratch for a minute and a half, and do not begin with the one that ships."""
    full: bool = False
    """Train the generator from scratch for as long as its preset says, half an hour to an hour."""
    encoder: str | None = None
    """A pre-trained encoder that the judges are made from, instead of linear ones: folder or Hub id."""
    verbose: bool = False
    """Print what the steps print, which is in run.log otherwise."""
    writer: str | None = None
    """A pre-trained model that is tuned instead of the writer that ships: folder or Hub id of a causal model or an encoder-decoder (extra: lora), for 15 minutes at most; writing its headlines takes longer."""

    @property
    def training(self) -> dict[str, Any]:
        """How the generator is trained."""
        if self.writer:
            return {**WRITER, "architecture": self.writer, "max_minutes": MINUTES, "resume": True}
        if self.full:
            return {}
        return WRITES if self.from_scratch else TUNES


class Steps:
    """The steps of a run in order: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        values = {name: value for name, value in asdict(options).items() if name not in ("out", "verbose")}
        self.out, self.settings = options.out, {**values, "version": __version__}
        files_of_ours(options.out, RECORD)
        earlier = read_json(options.out / RECORD)
        if earlier is not None and earlier["settings"] != self.settings:
            raise InputError(
                f"{options.out} holds a run with other options ({earlier['settings']}): choose another --out"
            )
        self.seconds: dict[str, float] = {} if earlier is None else earlier["seconds"]
        self.terminal, self.verbose = console(sys.stdout), options.verbose
        self._note()

    def run(self, name: str, *calls: Call, anew: bool = False) -> None:
        """Run a step, and print its result in a line; a step that was finished before runs only `anew`."""
        finished = name in self.seconds
        if anew or not finished:
            start = time.perf_counter()
            with nullcontext() if self.verbose else self._logged(name):
                for command, options in calls:
                    command(options)
            self.seconds[name] = round(time.perf_counter() - start, 1)
            self._note()
        if result := result_of(name, self.out):
            when = "finished before" if finished else f"{self.seconds[name]:.0f} s"
            line = f"[green]✓[/] {name:<13} {result} [dim]({when})[/]"
            self.terminal.print(line, soft_wrap=True, highlight=False)

    def _note(self) -> None:
        """Write the record of the run; its steps keep those of their folders."""
        write_json(self.out / RECORD, {"settings": self.settings, "seconds": self.seconds, "files": []})

    @contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        """What is printed goes to the log, and the terminal shows the name of the step."""
        self.out.mkdir(parents=True, exist_ok=True)
        with (
            self.terminal.status(name),
            (self.out / LOG).open("a", buffering=1, encoding="utf-8") as log,
            redirect_stdout(log),
            redirect_stderr(log),
        ):
            yield


def check(options: QuickstartOptions) -> None:
    """Refuse, before anything large loads, a folder that cannot be written and a model that is not there."""
    models = list(filter(None, (options.encoder, options.writer)))
    check_writable(options.out, kind="run", inputs=models, record=RECORD)
    for model in models:
        if is_missing_path(model):
            raise InputError(
                f"there is no folder {model}: give the Hub id or the folder of a pre-trained model"
            )


def run(options: QuickstartOptions) -> None:
    """Run the steps in order; finished ones are kept."""
    started = time.perf_counter()
    check(options)
    out, seed = options.out, options.seed
    corpus, judges, choosers = (str(out / name) for name in ("corpus", "judges", "judges-0"))
    predictions = out / "predictions" / f"{RECIPE}.csv"

    def judge(task: Task, fold: Fold, folder: str, encoder: str | None) -> Call:
        where = Path(folder) / task
        return train_judge.run, TrainJudgeOptions(
            task=task, out=where, corpus=corpus, fold=fold, seed=seed, encoder=encoder or LINEAR
        )

    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    build = BuildOptions(files=(str(sample.out),), out=Path(corpus), seed=seed)
    writes = GeneratorOptions(
        recipe=RECIPE, **options.training, corpus=corpus, out=out / "generators" / RECIPE, seed=seed
    )
    transfers = TransferOptions(
        generator=str(out / "generators"),
        corpus=corpus,
        out=predictions,
        seed=seed,
        items=ITEMS,
        rerank=choosers,
        candidates=CANDIDATES,
        generation=(f"num_beams={CANDIDATES}",),
    )
    scores = ScoreOptions(
        corpus=corpus,
        judges=judges,
        predictions=(f"{RECIPE}={predictions}",),
        floor=choosers,
        shared_items=True,
        out=out / "report",
        seed=seed,
    )
    steps = Steps(options)
    steps.run("corpus", (corpus_sample.run, sample), (corpus_build.run, build))
    for task in JUDGES:
        steps.run(f"{task} judge", judge(task, "1", judges, options.encoder))
    steps.run("audit", (audit.run, AuditOptions(corpus=corpus, judges=judges, seed=seed)))
    steps.run("choosing", *(judge(task, "0", choosers, None) for task in JUDGES))
    steps.run("writer", (train_generator.run, writes))
    steps.run("headlines", (transfer.run, transfers))
    steps.run("report", (score.run, scores), anew=True)
    _show(out, steps.terminal)
    steps.terminal.print(
        f"\n{time.perf_counter() - started:.0f} s; another machine's figures may differ by .02. Next: open [bold]{out / 'report' / 'report.html'}[/]; "
        "[bold]change-it demo[/] for the page; your own newspapers: docs/newspapers.md.",
        soft_wrap=True,
        highlight=False,
    )


def result_of(name: str, out: Path) -> str:
    """What a finished step came to, in a line, from what it wrote."""
    import polars as pl

    def read(*parts: str) -> Any:
        return read_json(out.joinpath(*parts))

    if name == "corpus":
        report = read("corpus", "alignment.json")
        pairs = report["pairs"]["kept"]
        return f"{report['kept']:,} articles, {pairs['A1']:,} pairs for training, {pairs['A2']:,} for tests"
    if name == "writer":
        training = read("generators", RECIPE, "metrics.json")["training"]
        losses = [each["validation loss"] for each in training["history"] if "validation loss" in each]
        return f"validation loss {min(losses):.3f} after {training['updates']:,} updates"
    if name == "headlines":
        return f"{pl.read_csv(out / 'predictions' / f'{RECIPE}.csv').height:,} new headlines"
    if name == "choosing":
        return "judges of the other half of the events, which choose among candidates and clauses"
    if name == "audit":
        return str(read("audit", "audit.json")["together"]["text"].partition(" Worst")[0])
    if name == "report":  # what is printed below
        return ""
    return line_of(read("judges", name.split()[0], "metrics.json"))


def _show(out: Path, terminal: Any) -> None:
    """Print what the first figure says, a short table, and headlines that pass and that do not."""
    import polars as pl  # its threads are counted when it is loaded

    scores: Any = read_json(out / "report" / "scores.json")
    terminal.print(f"\n{scores['meaning']}", soft_wrap=True, highlight=False)
    averages = {name: of["average"] for name, of in scores["systems"].items()}
    known = [name for name in ("compliancy", "style", "acceptability", "edited") if name in averages[RECIPE]]
    rows = [
        Row({"system": name, **averages[name]}, highlight=name == RECIPE)
        for name in SYSTEMS
        if name in averages
    ]
    print_table(Table([Column("system", "text"), *map(Column, known)], rows), terminal)
    items = pl.read_csv(out / "report" / "items" / f"{RECIPE}.csv").sample(fraction=1, shuffle=True, seed=1)
    named = [(row, reasons(row["refused_by"] or "")) for row in items.iter_rows(named=True)]
    for mark, shown in (
        (
            "[green]✓[/]",
            [(row, f"acceptability {figure(row['acceptability'])}") for row, refused in named if not refused],
        ),
        ("[red]✗[/]", [(row, REASONS[of[0]]) for row, of in named if of and of[0] in REASONS]),
    ):
        for row, why in shown[:SHOWN]:
            line = f"  {escape(row['source'])}\n{mark} {escape(row['headline'])}  [dim]{why}[/]"
            terminal.print(line, soft_wrap=True, highlight=False)
