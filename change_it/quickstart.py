"""`change-it quickstart`: the whole chain on the embedded sample, each step called as its command would be."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, get_args

from change_it import __version__
from change_it.audit.options import AuditOptions
from change_it.corpus.options import BuildOptions, SampleOptions
from change_it.errors import InputError
from change_it.generators.options import GeneratorOptions, Recipe, TransferOptions
from change_it.io import read_json, write_json
from change_it.judges.options import JudgeOptions, Task
from change_it.scoring.options import ScoreOptions
from change_it.tables import console

#: How the headlines are written, by one generator for both newspapers, and the updates of its training: a minute and a half on two cores.
RECIPE: Recipe = "rewrite"
UPDATES = 340
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


def run(options: QuickstartOptions) -> None:
    """Run the steps one after the other; finished ones are kept."""
    out, seed = options.out, options.seed
    finished = _open_run(options)
    terminal = console()
    terminal.rule("[bold]change_it quickstart")

    def step(name: str, command: str, settings: Any) -> None:
        if name in finished:
            terminal.print(f"[green]✓[/] {name}: finished before ({finished[name]:.0f} s)")
            return
        terminal.rule(name, align="left", style="dim")
        start = time.perf_counter()
        resolve_name(command)(settings)
        finished[name] = time.perf_counter() - start
        _write_run(options, finished)

    step(
        "sample",
        "change_it.corpus.sample:run",
        SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed),
    )
    step(
        "corpus",
        "change_it.corpus.command:run_build",
        BuildOptions(files=(str(out / "sample.csv"),), out=out / "corpus", seed=seed),
    )
    for task in get_args(Task):
        settings = JudgeOptions(
            task=task,
            corpus=str(out / "corpus"),
            encoder="scratch",
            size="tiny",
            out=out / "judges" / task,
            seed=seed,
            **QUICK.get(task, {}),
        )
        step(f"{task} judge", "change_it.judges.train:run", settings)
    audit = AuditOptions(corpus=str(out / "corpus"), judges=str(out / "judges"), seed=seed)
    step("audit", "change_it.report.audit_command:run", audit)
    from change_it.training.models import native_bf16

    learning = GeneratorOptions(
        recipe=RECIPE,
        updates=UPDATES,
        evaluation_steps=UPDATES,
        mixed_precision="bf16" if native_bf16() else "no",
        corpus=str(out / "corpus"),
        out=out / "generators" / RECIPE,
        seed=seed,
    )
    step("generator", "change_it.generators.train:run", learning)
    predictions = out / "predictions" / f"{RECIPE}.csv"
    transfer = TransferOptions(
        generator=str(out / "generators"), corpus=str(out / "corpus"), out=predictions, seed=seed
    )
    step("transfer", "change_it.generators.transfer_command:run", transfer)
    score = ScoreOptions(
        corpus=str(out / "corpus"),
        judges=str(out / "judges"),
        predictions=(f"{RECIPE}={predictions}",),
        out=out / "report",
        seed=seed,
    )
    finished.pop("report", None)
    step("report", "change_it.report.score_command:run", score)
    terminal.rule(f"[bold]done in {sum(finished.values()):.0f} s")
    terminal.print(
        "Trained here, from scratch: four judges and the generator. Ready-made: the sample and the part-of-speech tagger."
    )
    terminal.print(f"Open [bold]{out / 'report' / 'report.html'}[/] in a browser.", soft_wrap=True)


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
    seconds = {name: round(value, 1) for name, value in finished.items()}
    write_json(options.out / "run.json", {"settings": _settings(options), "seconds": seconds})
