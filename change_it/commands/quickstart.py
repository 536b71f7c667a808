"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
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
from change_it.corpus.corpus_options import BuildOptions
from change_it.errors import InputError
from change_it.generators.generator_options import WRITER, GeneratorOptions, Recipe, TransferOptions
from change_it.io import check_model, check_writable, read_json, write_json
from change_it.judges.judge_options import Fold, JudgeOptions, Task
from change_it.tables import console

#: In the folder of a run: its options and the seconds of its finished steps.
RECORD = "run.json"
#: What the process that trains the generator prints, and the judge that it trains before that.
LOG = "generator.log"
#: How the headlines are written, by one generator for both newspapers, and how small it is to learn in a minute and a half of one core: many small updates gain more than few large ones.
RECIPE: Recipe = "rewrite"
WRITES: dict[str, Any] = {
    "cells": 128,
    "source_tokens": 100,
    "batch_size": 16,
    "updates": 450,
    "evaluation_steps": 450,
}
#: How long a pre-trained writer is tuned.
MINUTES = 15.0
#: The judges that score, and those of the other fold, which choose the headlines of the system `floor`.
JUDGES: tuple[Task, ...] = ("main", "hh", "ah", "fluency")
#: Headlines that are printed at the end.
SHOWN = 10


@dataclass(kw_only=True)
class QuickstartOptions:
    """Sample, corpus, four judges and their audit, a generator for both directions, transfers, judges that choose a floor, report: two minutes on two cores.

    A run that was interrupted goes on with the first step that is not finished.

    Examples:
        change-it quickstart
        change-it quickstart --full --out runs/full
        change-it quickstart --encoder xlm-roberta-base --writer google/gemma-3-270m --out runs/tuned
    """

    out: Path = Path("runs/quickstart")
    """Folder of the run: sample.csv, corpus, judges, judges-0, audit, generators, predictions, report."""
    articles: int = 12000
    """Articles of the embedded sample, both newspapers together: at most 12000, and some 500 at least, since judges of two folds learn from them."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers. The 12000 articles are the same for every seed."""
    full: bool = False
    """Train the generator from scratch for as long as its preset says: the documented figures, an hour."""
    encoder: str | None = None
    """A pre-trained encoder that the judges are made from, instead of linear ones: folder or Hub id."""
    support: str | None = None
    """A model that is asked whether the sources support a headline: folder or Hub id of a chat model or an entailment classifier. It reads some thousands of headlines, seconds each on two cores: hours, or minutes on a GPU, and a run that is interrupted goes on."""
    writer: str | None = None
    """A pre-trained model that is tuned instead of a generator from scratch: folder or Hub id of a causal model or an encoder-decoder (extra: lora), for 15 minutes at most; writing its headlines takes longer."""


class Steps:
    """The steps of a run: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        values = {name: value for name, value in asdict(options).items() if name != "out"}
        self.out, self.settings = options.out, {**values, "version": __version__}
        earlier = read_json(options.out / RECORD)
        if earlier is not None and earlier["settings"] != self.settings:
            raise InputError(
                f"{options.out} holds a run with other options ({earlier['settings']}): choose another --out"
            )
        self.seconds: dict[str, float] = {} if earlier is None else earlier["seconds"]
        self._started: dict[str, Future[float]] = {}
        self._terminal = console()

    def run(self, name: str, command: Callable[[Any], None], options: object, *, anew: bool = False) -> None:
        """Run a step in this process; one that was finished before only `anew`."""
        if anew or not self._finished(name):
            self._terminal.rule(name, align="left", style="dim")
            self._note(name, _timed(command, options))
        self.wait()

    @contextmanager
    def background(self) -> Iterator[None]:
        """A process of its own for the steps that are started: it ends with this block and with this process.

        Each process takes half of the threads: networks as small as these gain little from a second one.
        """
        import torch

        threads = torch.get_num_threads()
        half = max(1, threads // 2)
        torch.set_num_threads(half)
        arguments = (self.out / LOG, half)
        try:
            with ProcessPoolExecutor(1, get_context("spawn"), _start_process, arguments) as self._pool:
                try:
                    yield
                    self.wait(*self._started)
                except BaseException:
                    for process in active_children():
                        process.terminate()
                    raise
        finally:
            torch.set_num_threads(threads)

    def start(self, name: str, command: Callable[[Any], None], options: object) -> None:
        """Run a step in the other process, after those that were started before it."""
        if not self._finished(name):
            self._terminal.print(f"In a process of its own, which writes to {self.out / LOG}: {name}.")
            self._started[name] = self._pool.submit(_timed, command, options)

    def wait(self, *names: str) -> None:
        """Wait for steps of the other process; note these and all that have ended, and raise what one has raised."""
        for name, step in list(self._started.items()):
            if name in names or step.done():
                try:
                    self._note(name, self._started.pop(name).result())
                except BrokenProcessPool:
                    raise RuntimeError(f"the process of the {name} has died: see {self.out / LOG}") from None
                self._terminal.print(f"[green]✓[/] {name}: {self.seconds[name]:.0f} s")

    def _finished(self, name: str) -> bool:
        if name in self.seconds:
            self._terminal.print(f"[green]✓[/] {name}: finished before ({self.seconds[name]:.0f} s)")
        return name in self.seconds

    def _note(self, name: str, seconds: float) -> None:
        self.seconds[name] = seconds
        write_json(self.out / RECORD, {"settings": self.settings, "seconds": self.seconds})


def _timed(command: Callable[[Any], None], options: object) -> float:
    """Call a command; the seconds that it took."""
    start = time.perf_counter()
    command(options)
    return round(time.perf_counter() - start, 1)


def _start_process(log: Path, threads: int) -> None:
    """Prepare the other process: print into a log, and end with the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the other one ends this one
    Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr = log.open("a", buffering=1, encoding="utf-8")
    import torch

    torch.set_num_threads(threads)


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def check(options: QuickstartOptions) -> None:
    """Refuse, before anything large loads, a folder that cannot be written and a model that is not there."""
    check_writable(options.out, kind="run", inputs=[options.writer, options.encoder, options.support])
    for model in filter(None, (options.encoder, options.support, options.writer)):
        check_model(model, command="save_pretrained")


def run(options: QuickstartOptions) -> None:
    """Run the steps, a judge's and the generator's in processes of their own; finished ones are kept."""
    started = time.perf_counter()
    check(options)
    out, seed = options.out, options.seed
    corpus, judges, choosers = str(out / "corpus"), out / "judges", out / "judges-0"
    predictions = out / "predictions" / f"{RECIPE}.csv"

    def judge(task: Task, fold: Fold, **more: Any) -> JudgeOptions:
        folder = judges if fold == "1" else choosers
        return JudgeOptions(task=task, out=folder / task, corpus=corpus, fold=fold, seed=seed, **more)

    training: dict[str, Any] = {} if options.full else WRITES
    if options.writer:
        training = {**WRITER, "architecture": options.writer, "max_minutes": MINUTES, "resume": True}
    generator = GeneratorOptions(
        recipe=RECIPE, **training, corpus=corpus, out=out / "generators" / RECIPE, seed=seed
    )
    steps, terminal = Steps(options), console()
    terminal.rule("[bold]change_it quickstart")
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    steps.run("sample", corpus_sample.run, sample)
    build = BuildOptions(files=(str(sample.out),), out=Path(corpus), seed=seed)
    steps.run("corpus", corpus_build.run, build)
    if options.writer:  # large enough for all threads
        steps.run("generator", train_generator.run, generator)
    with steps.background():
        if not options.writer:
            steps.start("generator", train_generator.run, generator)
        transfers = TransferOptions(
            generator=str(out / "generators"), corpus=corpus, out=predictions, seed=seed
        )
        steps.start("transfer", transfer.run, transfers)
        for task in JUDGES:
            steps.run(f"{task} judge", train_judge.run, judge(task, "1", encoder=options.encoder))
        if options.support:
            steps.run("support judge", train_judge.run, judge("support", "1", encoder=options.support))
        for task in JUDGES:
            steps.run(f"{task} judge of fold 0", train_judge.run, judge(task, "0"))
        audited = AuditOptions(corpus=corpus, judges=str(judges), seed=seed)
        steps.run("audit", audit.run, audited)
    scored = ScoreOptions(
        corpus=corpus,
        judges=str(judges),
        predictions=(f"{RECIPE}={predictions}",),
        floor=str(choosers),
        out=out / "report",
        seed=seed,
    )
    steps.run("report", score.run, scored, anew=True)

    terminal.rule(f"[bold]done in {time.perf_counter() - started:.0f} s")
    if (items := out / "report" / "items" / f"{RECIPE}.csv").exists():
        _show(items, terminal)
    page = out / "report" / "report.html"
    terminal.print(f"Open [bold]{page}[/] in a browser.", soft_wrap=True)
    terminal.print(
        "With your own newspapers: a CSV file with the columns label, headline, article and date, then "
        "[bold]change-it corpus build news.csv --out runs/mine/corpus[/] and the same commands (docs/newspapers.md).",
        soft_wrap=True,
    )


def _show(items: Path, terminal: Any) -> None:
    """Print some new headlines, each below the one that it rewrites."""
    rows = pl.read_csv(items).sample(fraction=1, shuffle=True, seed=1).head(SHOWN)
    for row in rows.iter_rows(named=True):
        joint = "n/a" if row["joint"] is None else f"{row['joint']:.2f}"
        texts = f"\n  {escape(row['source'])}\n  → {escape(row['headline'])}"
        terminal.print(f"{texts}  [dim]joint {joint}[/]", soft_wrap=True)
    terminal.print()
