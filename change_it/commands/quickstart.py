"""`change-it quickstart`: the whole way on two newspapers, or on the embedded sample, each step called as its command would be."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from shutil import copytree
from typing import Any

import tyro

from change_it import __version__
from change_it.commands import audit, corpus, score, train, transfer
from change_it.commands.audit import AuditOptions
from change_it.commands.common import print_lines
from change_it.commands.corpus import SampleOptions
from change_it.commands.score import ScoreOptions
from change_it.commands.train import TrainJudgeOptions, line_of
from change_it.commands.transfer import TransferOptions
from change_it.corpus.corpus_options import BuildOptions, ReadingOptions
from change_it.corpus.folder import read_report
from change_it.corpus.sample import SIZE
from change_it.errors import InputError
from change_it.generators.generator_options import WRITER, GeneratorOptions, Recipe
from change_it.io import (
    check_writable,
    files_of_ours,
    is_missing_path,
    outlet_and_file,
    read_json,
    write_json,
)
from change_it.judges.judge_options import LINEAR, Fold
from change_it.judges.spec import TRAINED, Task
from change_it.scoring.systems import read_prediction_files
from change_it.tables import console

#: In the folder of a run: its options and the seconds of its finished steps, and all that the steps print.
RECORD, LOG = "run.json", "run.log"
#: The generator of the sample's newspapers that ships; it has read no article of the sample.
RECIPE: Recipe = "rewrite"
SHIPPED = Path(__file__).parents[1] / "data" / "writer"
#: Test headlines that are rewritten, drawn by the seed, and the candidates of each, among which judges choose as they choose the floor:
#: eight take twice the time.
ITEMS, CANDIDATES = 300, 4
#: How long a pre-trained model is tuned.
MINUTES = 15.0
#: Options that a run may be called with again.
FREE = ("out", "verbose", "predictions")
#: A command and its options.
Call = tuple[Callable[[Any], None], Any]


@dataclass(kw_only=True)
class QuickstartOptions(ReadingOptions):
    """The whole way on two newspapers of your own, or on the sample: corpus, judges of both folds, audit, floor and a report, with your systems.

    The sample, two invented newspapers, also gets headlines of the generator that ships: one to three minutes on two cores. A
    run that was interrupted goes on with the first step that is not finished.

    Examples:
        change-it quickstart
        change-it quickstart post=post.csv herald=herald.csv --out runs/mine
        change-it quickstart post=post.csv herald=herald.csv --out runs/mine --predictions mine=mine.csv
        change-it quickstart --encoder xlm-roberta-base --writer google/gemma-3-270m --out runs/tuned
    """

    files: tyro.conf.Positional[tuple[str, ...]] = ()
    """The articles, as `change-it corpus build` takes them: OUTLET=FILE where a file is of one outlet. The embedded sample when not given."""
    strict: float = BuildOptions.strict
    """Cosine above which a pair is strictly aligned: a lower one finds more pairs, fewer of which are one event."""
    window_days: int = 0
    """Days between the two articles of a pair, at most."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE, CSV with id and headline; they may be added to a finished run. `change-it corpus items` lists what to rewrite."""
    out: Path = Path("runs/quickstart")
    """Folder of the run: corpus, judges, judges-0, audit, report; of the sample and of --writer generators and predictions too."""
    articles: int = SIZE
    """Articles of the embedded sample, both newspapers together: at most 12000, and some 500 at least, since judges of two folds learn from them."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers."""
    encoder: str | None = None
    """A pre-trained encoder that the judges are made from, instead of linear ones: folder or Hub id."""
    verbose: bool = False
    """Print what the steps print, which is in run.log otherwise."""
    writer: str | None = None
    """A pre-trained model that is tuned to write headlines: folder or Hub id of a causal model or an encoder-decoder (extra: lora), for 15 minutes at most; writing its headlines takes longer."""


class Steps:
    """The steps of a run in order: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        self.out, kept = options.out, asdict(options) | {"files": list(options.files), "version": __version__}
        self.settings = {name: value for name, value in kept.items() if name not in FREE}
        files_of_ours(options.out, RECORD)
        earlier = read_json(options.out / RECORD) or {}
        self.seconds: dict[str, float] = earlier.get("seconds", {})
        before = earlier.get("settings", {})
        changed = [name for name in self.settings if self.settings[name] != before.get(name)]
        if changed and self.seconds:
            was = ", ".join(f"{name} {before.get(name)!r}" for name in changed)
            raise InputError(f"{options.out} holds a run with other options ({was}): choose another --out")
        self.terminal, self.verbose = console(sys.stdout), options.verbose
        self._note()

    def run(self, name: str, *calls: Call) -> None:
        """Run a step, and print its result in a line; one that was finished before is not run again. The report is made anew and shown."""
        finished, is_report = name in self.seconds, name == "report"
        if is_report or not finished:
            start = time.perf_counter()
            with nullcontext() if self.verbose or is_report else self._logged(name):
                for command, options in calls:
                    command(options)
            self.seconds[name] = round(time.perf_counter() - start, 1)
            self._note()
        if not is_report:
            when = "finished before" if finished else f"{self.seconds[name]:.0f} s"
            line = f"[green]✓[/] {name:<13} {result_of(name, self.out)} [dim]({when})[/]"
            self.terminal.print(line, soft_wrap=True, highlight=False)

    def _note(self) -> None:
        """Write the record of the run; its steps keep those of their folders."""
        write_json(self.out / RECORD, {"settings": self.settings, "seconds": self.seconds, "files": []})

    @contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        """What is printed goes to the log, and the terminal shows the name of the step."""
        log = (self.out / LOG).open("a", buffering=1, encoding="utf-8")
        with self.terminal.status(name), log, redirect_stdout(log), redirect_stderr(log):
            yield


def run(options: QuickstartOptions) -> None:
    """Run the steps in order; finished ones are kept."""
    started = time.perf_counter()
    models = list(filter(None, (options.encoder, options.writer)))
    read = [outlet_and_file(file)[1] for file in options.files]
    read_prediction_files(options.predictions)
    check_writable(options.out, kind="run", inputs=[*models, *read], record=RECORD)
    if missing := next(filter(is_missing_path, models), ""):
        raise InputError(f"there is no folder {missing}: give the Hub id or folder of a pre-trained model")

    out, seed, steps = options.out, options.seed, Steps(options)
    built, judges, choosers = (str(out / name) for name in ("corpus", "judges", "judges-0"))
    same: dict[str, Any] = {"corpus": built, "seed": seed}
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    reading = {field.name: getattr(options, field.name) for field in fields(ReadingOptions)}
    reading |= {"files": options.files or (str(sample.out),), "window_days": options.window_days}
    build = BuildOptions(**reading, out=Path(built), strict=options.strict, seed=seed)
    steps.run("corpus", *([] if options.files else [(corpus.sample, sample)]), (corpus.build, build))
    if options.files:
        print_lines(corpus.few_pairs(read_report(Path(built))), steps.terminal)

    def judge(task: Task, fold: Fold, folder: str, encoder: str) -> Call:
        where = Path(folder) / task
        return train.judge, TrainJudgeOptions(task=task, encoder=encoder, fold=fold, out=where, **same)

    for task in TRAINED:
        steps.run(f"{task} judge", judge(task, "1", judges, options.encoder or LINEAR))
    steps.run("audit", (audit.run, AuditOptions(judges=judges, **same)))
    steps.run("choosing", *(judge(task, "0", choosers, LINEAR) for task in TRAINED))
    systems = options.predictions
    if options.writer or not options.files:
        generators, written = out / "generators", out / "predictions" / f"{RECIPE}.csv"
        writes: Call = (lambda folder: copytree(SHIPPED, folder, dirs_exist_ok=True), generators / RECIPE)
        if options.writer:
            tuned: dict[str, Any] = {**WRITER, "architecture": options.writer, "max_minutes": MINUTES, **same}
            tuned |= {"recipe": RECIPE, "out": generators / RECIPE, "resume": True}
            writes = train.generator, GeneratorOptions(**tuned)
        how: dict[str, Any] = {"rerank": choosers, "generation": (f"num_beams={CANDIDATES}",), **same}
        how |= {"items": ITEMS, "candidates": CANDIDATES}
        steps.run("writer", writes)
        steps.run("headlines", (transfer.run, TransferOptions(generator=str(generators), out=written, **how)))
        systems = (f"{RECIPE}={written}", *systems)
    scored: dict[str, Any] = {"predictions": systems, "shared_items": bool(systems), **same}
    report = ScoreOptions(judges=judges, floor=choosers, out=out / "report", **scored)
    steps.run("report", (score.run, report))
    last = f"{time.perf_counter() - started:.0f} s; another machine's figures may differ by .02."
    own = " change-it demo is the page; your own newspapers: change-it quickstart a=a.csv b=b.csv --out runs/mine"
    print_lines([last + ("" if options.files else own)], steps.terminal)


def result_of(name: str, out: Path) -> str:
    """What a finished step came to, in a line, from what it wrote."""

    def read(*parts: str) -> Any:
        return read_json(out.joinpath(*parts))

    if name == "corpus":
        report = read("corpus", "alignment.json")
        pairs = report["pairs"]["kept"]
        return f"{report['kept']:,} articles, {pairs['A1']:,} pairs for training, {pairs['A2']:,} for tests"
    if name == "writer":
        if (metrics := read("generators", RECIPE, "metrics.json")) is None:
            return "the one that ships, which has read no article of the sample"
        training = metrics["training"]
        losses = [each["validation loss"] for each in training["history"] if "validation loss" in each]
        return f"validation loss {min(losses):.3f} after {training['updates']:,} updates"
    if name == "headlines":
        return f"in {out / 'predictions' / f'{RECIPE}.csv'}"
    if name == "choosing":
        return "judges of the other half of the events, which choose among candidates and clauses"
    if name == "audit":
        return str(read("audit", "audit.json")["together"].partition(" Worst")[0])
    return line_of(read("judges", name.split()[0], "metrics.json"))
