"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import os
import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from pkgutil import resolve_name
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from change_it import __version__
from change_it.audit.options import AuditOptions
from change_it.corpus.options import BuildOptions, SampleOptions
from change_it.errors import InputError
from change_it.generators.options import GeneratorOptions, Recipe, TransferOptions
from change_it.io import check_writable, read_json, write_json
from change_it.io.locks import keep_locks
from change_it.judges.options import JudgeOptions, Task
from change_it.scoring.options import ScoreOptions
from change_it.tables import console

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: What the process that trains the generator prints.
LOG = "generator.log"
#: The steps in the order in which they are noted.
STEPS = (
    "sample",
    "corpus",
    *(f"{task} judge" for task in get_args(Task)),
    "audit",
    "generator",
    "transfer",
    "report",
)
#: How the headlines are written, by one generator for both newspapers, and the updates of its training: some two and a half minutes of one core.
RECIPE: Recipe = "rewrite"
UPDATES = 460
#: A judge stops when its validation stops gaining. AH reads whole articles and is near its best where it starts.
QUICK: dict[Task, dict[str, Any]] = {
    "main": {"early_stopping": 1},
    "hh": {"updates": 120, "evaluation_steps": 40, "early_stopping": 1},
    "ah": {"updates": 40, "evaluation_steps": 40},
    "fluency": {"evaluation_steps": 60, "early_stopping": 2},
}


@dataclass(kw_only=True)
class QuickstartOptions:
    """Sample, corpus, four judges, their audit, a generator for both directions, transfers, report: minutes on two cores.

    A run that was interrupted goes on with the first step that is not finished.

    Examples:
        change-it quickstart
        change-it quickstart --out runs/second --seed 2
    """

    out: Path = Path("runs/quickstart")
    """Folder of the run: sample.csv, corpus, judges, audit, generators, predictions, report."""
    articles: int = 12000
    """Articles of the embedded sample, both newspapers together: at most 12000."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers. The 12000 articles are the same for every seed."""


class Step(NamedTuple):
    """A command that is called with its options."""

    name: str
    command: str  # module:function
    options: Any

    def run(self) -> float:
        """Call it; the seconds that it took."""
        start = time.perf_counter()
        resolve_name(self.command)(self.options)
        return time.perf_counter() - start


@keep_locks()
def run(options: QuickstartOptions) -> None:
    """Run the steps, the generator's in a process of their own beside the judges'; finished ones are kept."""
    started = time.perf_counter()
    check_writable(options.out, kind="run")
    finished = _open_run(options)
    terminal = console()
    terminal.rule("[bold]change_it quickstart")

    def left(steps: Sequence[Step]) -> list[Step]:
        for step in steps:
            if step.name in finished:
                terminal.print(f"[green]✓[/] {step.name}: finished before ({finished[step.name]:.0f} s)")
        return [step for step in steps if step.name not in finished]

    def call(step: Step) -> None:
        terminal.rule(step.name, align="left", style="dim")
        note(step.name, step.run())

    def note(name: str, seconds: float) -> None:
        finished[name] = seconds
        _write_run(options, finished)

    for step in left(_corpus(options)):
        call(step)
    log = options.out / LOG
    with BackgroundSteps(left(_writing(options)), log) as background:
        if background.names:
            terminal.print(
                f"In a process of its own, which writes to {log}: {' and '.join(background.names)}."
            )
        for step in left(_judging(options)):
            call(step)
            for name, seconds in background.finished():
                note(name, seconds)
        for name, seconds in background.finished(wait=True):
            note(name, seconds)
            terminal.print(f"[green]✓[/] {name}: {seconds:.0f} s")
    call(_report(options))
    terminal.rule(f"[bold]done in {time.perf_counter() - started:.0f} s")
    terminal.print(
        "Trained here, from scratch: four judges and the generator. Ready-made: the sample and the part-of-speech tagger."
    )
    page = options.out / "report" / "report.html"
    terminal.print(f"Open [bold]{page}[/] in a browser.", soft_wrap=True)


class BackgroundSteps:
    """Steps in a process of their own, one after the other, while this process does something else.

    Each process takes half of the threads: networks as small as these gain little from a second one.

    Args:
        steps: what to do; without any there is no process.
        log: what they print goes there.
    """

    def __init__(self, steps: Sequence[Step], log: Path):
        self.names = [step.name for step in steps]
        self._steps, self._log = steps, log

    def __enter__(self) -> "BackgroundSteps":
        if not self._steps:
            return self
        import torch

        self._threads = torch.get_num_threads()
        half = max(1, self._threads // 2)
        torch.set_num_threads(half)
        context = get_context("spawn")
        self._results, sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run_in_background, args=(self._steps, self._log, half, sender)
        )
        self._process.daemon = True  # it ends with this process
        self._process.start()
        sender.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._steps:
            import torch

            self._process.terminate()
            self._process.join()
            torch.set_num_threads(self._threads)

    def finished(self, *, wait: bool = False) -> Iterator[tuple[str, float]]:
        """Names and seconds of the steps that have ended since it was asked last; with `wait` of all that are left.

        Raises:
            Exception: what a step has raised.
        """
        while self.names and (wait or self._results.poll()):
            try:
                found = self._results.recv()
            except EOFError:
                raise RuntimeError(f"the process of the {self.names[0]} has died: see {self._log}") from None
            if isinstance(found, Exception):
                raise found
            yield self.names.pop(0), found


def _run_in_background(steps: Sequence[Step], log: Path, threads: int, sender: "Connection") -> None:
    """Run steps and send the seconds of each, or what it raised; end when the process that asked for them does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the other one ends this one
    Thread(target=_end_with_parent, daemon=True).start()
    import torch

    torch.set_num_threads(threads)
    with log.open("a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        for step in steps:
            found: float | Exception
            try:
                found = step.run()
            except Exception as error:
                traceback.print_exc()
                found = error
            file.flush()
            sender.send(found)
            if isinstance(found, Exception):
                return


def _end_with_parent() -> None:
    """Wait for the other process to end, however it does."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _corpus(options: QuickstartOptions) -> list[Step]:
    out, seed = options.out, options.seed
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    build = BuildOptions(files=(str(out / "sample.csv"),), out=out / "corpus", seed=seed)
    return [
        Step("sample", "change_it.corpus.sample:run", sample),
        Step("corpus", "change_it.commands.corpus_build:run_build", build),
    ]


def _judging(options: QuickstartOptions) -> list[Step]:
    out, corpus, seed = options.out, str(options.out / "corpus"), options.seed
    judges = {
        task: JudgeOptions(
            task=task,
            corpus=corpus,
            encoder="scratch",
            size="tiny",
            out=out / "judges" / task,
            seed=seed,
            **QUICK.get(task, {}),
        )
        for task in get_args(Task)
    }
    audit = AuditOptions(corpus=corpus, judges=str(out / "judges"), seed=seed)
    return [
        *(Step(f"{task} judge", "change_it.judges.train:run", own) for task, own in judges.items()),
        Step("audit", "change_it.commands.audit:run", audit),
    ]


def _writing(options: QuickstartOptions) -> list[Step]:
    from change_it.networks.pretrained import native_bf16

    out, corpus, seed = options.out, str(options.out / "corpus"), options.seed
    learning = GeneratorOptions(
        recipe=RECIPE,
        updates=UPDATES,
        evaluation_steps=UPDATES,
        mixed_precision="bf16" if native_bf16() else "no",
        corpus=corpus,
        out=out / "generators" / RECIPE,
        seed=seed,
    )
    transfer = TransferOptions(
        generator=str(out / "generators"), corpus=corpus, out=_predictions(options), seed=seed
    )
    return [
        Step("generator", "change_it.generators.train:run", learning),
        Step("transfer", "change_it.commands.transfer:run", transfer),
    ]


def _report(options: QuickstartOptions) -> Step:
    score = ScoreOptions(
        corpus=str(options.out / "corpus"),
        judges=str(options.out / "judges"),
        predictions=(f"{RECIPE}={_predictions(options)}",),
        out=options.out / "report",
        seed=options.seed,
    )
    return Step("report", "change_it.commands.score:run", score)


def _predictions(options: QuickstartOptions) -> Path:
    return options.out / "predictions" / f"{RECIPE}.csv"


def _settings(options: QuickstartOptions) -> dict[str, Any]:
    return {**{key: value for key, value in asdict(options).items() if key != "out"}, "version": __version__}


def _open_run(options: QuickstartOptions) -> dict[str, float]:
    """Seconds of each finished step of an earlier run with the same options."""
    earlier = read_json(options.out / "run.json")
    if earlier is None:
        return {}
    if earlier["settings"] != _settings(options):
        raise InputError(
            f"{options.out} holds a run with other options ({earlier['settings']}): choose another --out"
        )
    return dict(earlier["seconds"])


def _write_run(options: QuickstartOptions, finished: dict[str, float]) -> None:
    seconds = {name: round(finished[name], 1) for name in STEPS if name in finished}
    write_json(options.out / "run.json", {"settings": _settings(options), "seconds": seconds})
