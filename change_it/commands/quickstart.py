"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from change_it import __version__
from change_it.commands.audit import AuditOptions
from change_it.commands.corpus_sample import SampleOptions
from change_it.commands.score import ScoreOptions
from change_it.commands.transfer import TransferOptions
from change_it.corpus.corpus_options import BuildOptions
from change_it.errors import InputError
from change_it.generators.generator_options import WRITER, GeneratorOptions, Recipe
from change_it.io import check_model, check_writable, read_json, write_json
from change_it.judges.judge_options import JudgeOptions, Task
from change_it.steps import Run, Step
from change_it.tables import console

#: In the folder of a run: its options and the seconds of its finished steps.
RECORD = "run.json"
#: What the process that trains the generator prints, and the judge that it trains before that.
LOG = "generator.log"
BESIDE: Task = "ah"
REPORT = "report"
#: How the headlines are written, by one generator for both newspapers, and how small it is to learn in a minute and a half of one core: many small updates gain more than few large ones.
RECIPE: Recipe = "rewrite"
WRITES: dict[str, Any] = {
    "cells": 128,
    "source_tokens": 100,
    "batch_size": 16,
    "updates": 640,
    "evaluation_steps": 640,
}
TINY: dict[str, Any] = {"encoder": "scratch", "size": "tiny"}
#: A judge stops when its validation stops gaining; main and AH, which reads whole articles, are near their best where they start.
QUICK: dict[Task, dict[str, Any]] = {
    "main": {"updates": 60, "evaluation_steps": 30, "early_stopping": 1},
    "hh": {"updates": 120, "evaluation_steps": 40, "early_stopping": 1},
    "ah": {"updates": 20, "evaluation_steps": 20},
    "fluency": {"updates": 600, "evaluation_steps": 150},
    "facts": {"batch_size": 16, "updates": 600, "evaluation_steps": 600},
}
#: The steps in the order in which they are noted.
STEPS = (
    "sample",
    "corpus",
    *(f"{task} judge" for task in QUICK),
    "audit",
    "generator",
    "transfer",
    REPORT,
)


@dataclass(kw_only=True)
class QuickstartOptions:
    """Sample, corpus, four judges, their audit, a generator for both directions, transfers, report: minutes on two cores.

    A run that was interrupted goes on with the first step that is not finished.

    Examples:
        change-it quickstart
        change-it quickstart --out runs/second --seed 2
        change-it quickstart --reader --out runs/read
        change-it quickstart --writer google/gemma-3-270m --out runs/tuned
    """

    out: Path = Path("runs/quickstart")
    """Folder of the run: sample.csv, corpus, judges, audit, generators, predictions, report."""
    articles: int = 12000
    """Articles of the embedded sample, both newspapers together: at most 12000."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers. The 12000 articles are the same for every seed."""
    reader: bool = False
    """Train a reader too, the judge of facts, several minutes more; facts are checked by rules alone without it."""
    writer: str | None = None
    """A pre-trained model that is tuned instead of a generator from scratch: folder or Hub id of a causal model or an encoder-decoder (extra: lora)."""
    writer_minutes: float = 15.0
    """Minutes that --writer is tuned for, at most; its headlines take their time beside."""


class QuickstartRun(Run):
    """The steps of the quickstart, recorded in `run.json` with the options of the run."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        values = {name: value for name, value in asdict(options).items() if name not in _free(options)}
        self.settings = {**values, "version": __version__}
        earlier = read_json(options.out / RECORD)
        if earlier is not None and earlier["settings"] != self.settings:
            raise InputError(
                f"{options.out} holds a run with other options ({earlier['settings']}): choose another --out"
            )
        seconds = {} if earlier is None else earlier["seconds"]
        super().__init__(options.out, {name: {"seconds": value} for name, value in seconds.items()})

    def write(self) -> None:
        """Write the seconds of the finished steps, in the order of `STEPS`."""
        seconds = {name: self.finished[name]["seconds"] for name in STEPS if name in self.finished}
        write_json(self.out / RECORD, {"settings": self.settings, "seconds": seconds})


def _free(options: QuickstartOptions) -> tuple[str, ...]:
    """What may differ between a run and the one that goes on with it."""
    return ("out", *(() if options.writer else ("writer", "writer_minutes")))


def check(options: QuickstartOptions) -> None:
    """Refuse, before anything large loads, a folder that cannot be written and a model that is not there."""
    check_writable(options.out, kind="run", inputs=[options.writer])
    if options.writer:
        check_model(options.writer, command="save_pretrained")
        if not options.writer_minutes > 0:
            raise InputError(f"--writer-minutes {options.writer_minutes}: give a number above 0")
    elif options.writer_minutes != QuickstartOptions.writer_minutes:
        raise InputError(
            "--writer-minutes is of a pre-trained model that is tuned: give --writer, or leave it out"
        )


def run(options: QuickstartOptions) -> None:
    """Run the steps, a judge's and the generator's in a process of their own beside the others; finished ones are kept."""
    started = time.perf_counter()
    check(options)
    steps = QuickstartRun(options)
    terminal = console()
    writing = _writing(options)
    if options.writer and steps.unfinished(writing[:1]):
        from change_it.generators.generator import check_writer

        check_writer(options.writer)
    terminal.rule("[bold]change_it quickstart")
    steps.run(_corpus(options))
    if options.writer:  # large enough for all threads
        steps.run([writing.pop(0)])
    training = _training(options)
    judge = training.pop(BESIDE)
    foreground = [*training.values(), _audit(options, needs=judge.name)]
    steps.run(foreground, beside=[judge, *writing], log=options.out / LOG)
    steps.finished.pop(REPORT, None)  # it is always made anew
    steps.run([_report(options)])
    terminal.rule(f"[bold]done in {time.perf_counter() - started:.0f} s")
    trained, given = "judges and generator", "the sample and the part-of-speech tagger"
    if options.writer:
        trained, given = "judges", f"the sample, the part-of-speech tagger and {options.writer}, tuned here"
    terminal.print(f"Trained here, from scratch: {trained}. Ready-made: {given}.", soft_wrap=True)
    page = options.out / "report" / "report.html"
    terminal.print(f"Open [bold]{page}[/] in a browser.", soft_wrap=True)


def _corpus(options: QuickstartOptions) -> list[Step]:
    out, seed = options.out, options.seed
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    build = BuildOptions(files=(str(out / "sample.csv"),), out=out / "corpus", seed=seed)
    return [
        Step("sample", "change_it.commands.corpus_sample:run", sample),
        Step("corpus", "change_it.commands.corpus_build:run", build),
    ]


def _training(options: QuickstartOptions) -> dict[Task, Step]:
    """The trainings of the judges."""
    return {
        task: Step(
            f"{task} judge",
            "change_it.commands.train_judge:run",
            JudgeOptions(
                task=task,
                out=options.out / "judges" / task,
                corpus=str(options.out / "corpus"),
                seed=options.seed,
                **TINY,
                **of_task,
            ),
        )
        for task, of_task in QUICK.items()
        if task != "facts" or options.reader
    }


def _audit(options: QuickstartOptions, needs: str) -> Step:
    judged = AuditOptions(
        corpus=str(options.out / "corpus"),
        judges=str(options.out / "judges"),
        items=100,
        seed=options.seed,
    )
    return Step("audit", "change_it.commands.audit:run", judged, needs=(needs,))


def _writing(options: QuickstartOptions) -> list[Step]:
    out, corpus, seed = options.out, str(options.out / "corpus"), options.seed
    training = WRITES
    if options.writer:
        training = {
            **WRITER,
            "architecture": options.writer,
            "max_minutes": options.writer_minutes,
            "resume": True,
        }
    learning = GeneratorOptions(
        recipe=RECIPE,
        **training,
        corpus=corpus,
        out=out / "generators" / RECIPE,
        seed=seed,
    )
    transfer = TransferOptions(
        generator=str(out / "generators"), corpus=corpus, out=_predictions(options), seed=seed
    )
    return [
        Step("generator", "change_it.commands.train_generator:run", learning),
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
    return Step(REPORT, "change_it.commands.score:run", score)


def _predictions(options: QuickstartOptions) -> Path:
    return options.out / "predictions" / f"{RECIPE}.csv"
