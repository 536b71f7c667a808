"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
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
from change_it.tables import Column, Row, Table, console, figure, print_table

#: In the folder of a run: its options and the seconds of its finished steps; what the steps print, here and in the other process.
RECORD, LOG, GENERATOR_LOG = "run.json", "run.log", "generator.log"
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
#: Headlines that are printed at the end, of those that pass and of the others, and the joint score from which one passes.
SHOWN, PASSES = 2, 0.5
#: Verdicts that a headline can fail by, and what is said of it then.
REASONS = {
    "hh": "tells another story than the original",
    "ah": "does not fit the article",
    "fluency": "is unlike printed headlines",
    "evidence": "has a number, name or quotation that no source has",
}


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
    verbose: bool = False
    """Print everything that the steps print, which is in run.log and generator.log otherwise."""
    writer: str | None = None
    """A pre-trained model that is tuned instead of a generator from scratch: folder or Hub id of a causal model or an encoder-decoder (extra: lora), for 15 minutes at most; writing its headlines takes longer."""


class Steps:
    """The steps of a run: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        values = {name: value for name, value in asdict(options).items() if name not in ("out", "verbose")}
        self.out, self.settings = options.out, {**values, "version": __version__}
        earlier = read_json(options.out / RECORD)
        if earlier is not None and earlier["settings"] != self.settings:
            raise InputError(
                f"{options.out} holds a run with other options ({earlier['settings']}): choose another --out"
            )
        self.seconds: dict[str, float] = {} if earlier is None else earlier["seconds"]
        self._started: dict[str, Future[float]] = {}
        self._terminal, self._verbose = console(sys.stdout), options.verbose

    def run(self, name: str, command: Callable[[Any], None], options: object, *, anew: bool = False) -> None:
        """Run a step in this process, and say in a line what came out; one that was finished before only `anew`."""
        if anew or not self._finished(name):
            with nullcontext() if self._verbose else self._logged(name):
                seconds = _timed(command, options)
            self._note(name, seconds)
        self.wait()

    @contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        """What is printed goes to the log, and the terminal shows the name of the step."""
        self.out.mkdir(parents=True, exist_ok=True)
        with (
            self._terminal.status(name),
            (self.out / LOG).open("a", buffering=1, encoding="utf-8") as log,
            redirect_stdout(log),
            redirect_stderr(log),
        ):
            yield

    @contextmanager
    def background(self) -> Iterator[None]:
        """A process of its own for the steps that are started: it ends with this block and with this process.

        Each process takes half of the threads: networks as small as these gain little from a second one.
        """
        import torch

        threads = torch.get_num_threads()
        half = max(1, threads // 2)
        torch.set_num_threads(half)
        arguments = (self.out / GENERATOR_LOG, half)
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
            self._started[name] = self._pool.submit(_timed, command, options)

    def wait(self, *names: str) -> None:
        """Wait for steps of the other process; note these and all that have ended, and raise what one has raised."""
        for name, step in list(self._started.items()):
            if name in names or step.done():
                with self._terminal.status(name):
                    try:
                        seconds = step.result()
                    except BrokenProcessPool:
                        log = self.out / GENERATOR_LOG
                        raise RuntimeError(f"the process of the {name} has died: see {log}") from None
                del self._started[name]
                self._note(name, seconds)

    def _finished(self, name: str) -> bool:
        if name in self.seconds:
            self._say(name, "finished before")
        return name in self.seconds

    def _note(self, name: str, seconds: float) -> None:
        self.seconds[name] = seconds
        write_json(self.out / RECORD, {"settings": self.settings, "seconds": self.seconds})
        self._say(name, f"{seconds:.0f} s")

    def _say(self, name: str, when: str) -> None:
        line = f"[green]✓[/] {name:<23} {result_of(name, self.out)} [dim]({when})[/]"
        self._terminal.print(line, soft_wrap=True, highlight=False)


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
    models = list(filter(None, (options.encoder, options.support, options.writer)))
    check_writable(options.out, kind="run", inputs=models)
    for model in models:
        check_model(model, command="save_pretrained")


def run(options: QuickstartOptions) -> None:
    """Run the steps, a judge's and the generator's in processes of their own; finished ones are kept."""
    started = time.perf_counter()
    check(options)
    out, seed = options.out, options.seed
    corpus, judges, choosers = (str(out / name) for name in ("corpus", "judges", "judges-0"))
    predictions = out / "predictions" / f"{RECIPE}.csv"

    def judge(task: Task, fold: Fold, **more: Any) -> JudgeOptions:
        folder = Path(judges if fold == "1" else choosers)
        return JudgeOptions(task=task, out=folder / task, corpus=corpus, fold=fold, seed=seed, **more)

    training: dict[str, Any] = {} if options.full else WRITES
    if options.writer:
        training = {**WRITER, "architecture": options.writer, "max_minutes": MINUTES, "resume": True}
    generator = GeneratorOptions(
        recipe=RECIPE, **training, corpus=corpus, out=out / "generators" / RECIPE, seed=seed
    )
    steps, terminal, sample = Steps(options), console(), out / "sample.csv"
    articles = SampleOptions(out=sample, articles=options.articles, seed=seed)
    steps.run("sample", corpus_sample.run, articles)
    build = BuildOptions(files=(str(sample),), out=Path(corpus), seed=seed)
    steps.run("corpus", corpus_build.run, build)
    if options.writer:  # large enough for all threads
        steps.run("generator", train_generator.run, generator)
    with steps.background():
        if not options.writer:
            steps.start("generator", train_generator.run, generator)
        generators = str(out / "generators")
        transfers = TransferOptions(generator=generators, corpus=corpus, out=predictions, seed=seed)
        steps.start("transfer", transfer.run, transfers)
        for task in JUDGES:
            steps.run(f"{task} judge", train_judge.run, judge(task, "1", encoder=options.encoder))
        if options.support:
            steps.run("support judge", train_judge.run, judge("support", "1", encoder=options.support))
        for task in JUDGES:
            steps.run(f"{task} judge of fold 0", train_judge.run, judge(task, "0"))
        steps.run("audit", audit.run, AuditOptions(corpus=corpus, judges=judges, seed=seed))
    system, report = f"{RECIPE}={predictions}", out / "report"
    scored = ScoreOptions(
        corpus=corpus, judges=judges, predictions=(system,), floor=choosers, out=report, seed=seed
    )
    steps.run("report", score.run, scored, anew=True)
    _show(out, terminal)
    terminal.print(
        f"\nDone in {time.perf_counter() - started:.0f} s. Next: open [bold]{report / 'report.html'}[/]; [bold]change-it demo[/] "
        "for the page; your own newspapers: a CSV file with the columns label, headline, article and date, then "
        "[bold]change-it corpus build news.csv --out runs/mine/corpus[/] (docs/newspapers.md).",
        soft_wrap=True,
        highlight=False,
    )


def result_of(name: str, out: Path) -> str:
    """What a finished step came to, in a line, from what it wrote."""

    def read(*parts: str) -> Any:
        return read_json(out.joinpath(*parts))

    if name == "corpus":
        report = read("corpus", "alignment.json")
        pairs = report["pairs"]["kept"]
        return f"{report['kept']:,} articles, {pairs['A1']:,} pairs for training, {pairs['A2']:,} for tests"
    if name == "generator":
        history = read("generators", RECIPE, "metrics.json")["training"]["history"]
        losses = [each["loss"] for each in history if "loss" in each]
        return f"training loss {losses[-1]:.2f}"
    if name == "transfer":
        return f"{pl.read_csv(out / 'predictions' / f'{RECIPE}.csv').height:,} headlines"
    if name == "audit":
        counts = read("audit", "audit.json")["together"]
        return f"of deliberately wrong headlines {counts['stopped']} kinds are stopped, {counts['through']} let through, of {counts['few']} there are too few"
    if name == "report":
        return str(out / "report" / "report.html")
    if "judge" not in name or "support" in name:
        return ""
    metrics = read("judges-0" if name.endswith("0") else "judges", name.split()[0], "metrics.json")
    parts = [f"{of} {figure(found['macro_f1'])}" for of, found in metrics["results"].items()]
    if within := metrics.get("within_event"):
        parts.append(f"within an event {figure(within['systems']['judge']['value'])}")
    return f"F1 {', '.join(parts)}"


def _show(out: Path, terminal: Any) -> None:
    """Print what the first figure says, a short table, and headlines that pass and that do not."""
    scores: Any = read_json(out / "report" / "scores.json")
    terminal.print(f"\n{scores['meaning']}", soft_wrap=True, highlight=False)
    averages = {name: of["average"] for name, of in scores["systems"].items()}
    known = [name for name in ("compliancy", "style", "fluency", "joint") if name in averages[RECIPE]]
    rows = [Row({"system": name, **of}, highlight=name == RECIPE) for name, of in averages.items()]
    print_table(Table([Column("system", "text"), *map(Column, known)], rows), terminal)
    items = pl.read_csv(out / "report" / "items" / f"{RECIPE}.csv").sample(fraction=1, shuffle=True, seed=1)
    scored = items.with_columns(
        pl.col("joint" if "joint" in known else "compliancy").cast(float).fill_null(0).alias("score")
    )
    for mark, some in (("[green]✓[/]", pl.col("score") >= PASSES), ("[red]✗[/]", pl.col("score") == 0)):
        for row in scored.filter(some).head(SHOWN).iter_rows(named=True):
            failed = [reason for name, reason in REASONS.items() if row.get(name) is False]
            why = f"joint {figure(row['score'])}" if row["score"] else [*failed, "keeps the style"][0]
            terminal.print(
                f"  {escape(row['source'])}\n{mark} {escape(row['headline'])}  [dim]{why}[/]",
                soft_wrap=True,
                highlight=False,
            )
