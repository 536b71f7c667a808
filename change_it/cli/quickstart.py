"""`change-it quickstart`: the whole way on two newspapers, or on the embedded sample, each step called as its command would be."""

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import tyro

from change_it.cli import audit, corpus, score, train, transfer
from change_it.cli.audit import AuditOptions
from change_it.cli.corpus import SampleOptions
from change_it.cli.score import ScoreOptions
from change_it.cli.train import TrainJudgeOptions, line_of
from change_it.cli.transfer import TransferOptions
from change_it.corpus.folder import REPORT, read_report
from change_it.corpus.reading.options import BuildOptions, ReadingOptions
from change_it.corpus.reading.sample import SIZE
from change_it.errors import InputError
from change_it.files.atomic import check_writable, write_json
from change_it.files.model_folders import is_missing_path
from change_it.files.records import JsonObject, read_record, to_json
from change_it.files.rows import outlet_and_file
from change_it.generators.recipes import RecipeName
from change_it.judges.options import LINEAR, Fold
from change_it.judges.record import read_judge_metrics
from change_it.judges.spec import Task, trained_tasks
from change_it.render.tables import console, print_lines
from change_it.scoring.systems import read_prediction_files
from change_it.version import __version__

#: In the folder of a run: its options and the seconds of its finished steps, and all that the steps print.
RECORD, LOG = "run.json", "run.log"
#: The generator of the sample's newspapers that ships; it has read no article of the sample.
RECIPE: RecipeName = "rewrite"
SHIPPED = Path(__file__).parents[1] / "data" / "writer"
#: Test headlines that are rewritten, drawn by the seed, and the candidates of each: eight take twice the time.
ITEMS, CANDIDATES = 300, 4
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
    """Folder of the run: corpus, judges, judges-0, audit, report, and run.log, what the steps print; of the sample generators and predictions too."""
    articles: int = SIZE
    """Articles of the embedded sample, both newspapers together: at most 12000, and some 500 at least, since judges of two folds learn from them."""
    seed: int = 1
    """Seed of everything: the same number gives the same numbers."""
    encoder: str = LINEAR
    """What the judges are made from: linear, or folder or Hub id of a pre-trained encoder."""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The content of `run.json`.

    Attributes:
        settings: options of the run and the version of the package; a run with others does not go on with it.
        seconds: finished step to the seconds that it took.
        files: files of the folder that are its own: none, since the steps keep the records of theirs.
    """

    settings: JsonObject
    seconds: dict[str, float]
    files: tuple[str, ...] = ()


class Steps:
    """The steps of a run: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        self.out, self.terminal = options.out, console(sys.stdout)
        self.settings: JsonObject = asdict(options) | {"files": list(options.files), "version": __version__}
        del self.settings["out"], self.settings["predictions"]  # a run may be called with others again
        earlier = read_record(self.out / RECORD, RunRecord, "choose another --out")
        self.seconds = dict(earlier.seconds) if earlier else {}
        before = {name: earlier.settings.get(name) if earlier else None for name in self.settings}
        if self.seconds and before != self.settings:
            changed = [f"{name} {was!r}" for name, was in before.items() if was != self.settings[name]]
            fault = f"{self.out} holds a run with other options ({', '.join(changed)})"
            raise InputError(f"{fault}: give the same options again, or choose another --out")
        self._note()

    def run(self, name: str, *calls: Call) -> None:
        """Run a step that is not finished, and print its result in a line; what it prints goes to the log."""
        when = "finished before"
        if name not in self.seconds or not record_of(name, self.out).is_file():
            start = time.perf_counter()
            log = (self.out / LOG).open("a", buffering=1, encoding="utf-8")
            status = self.terminal.status(name) if sys.stdout.isatty() else nullcontext()
            with status, log, redirect_stdout(log), redirect_stderr(log):
                self.call(*calls)
            self.seconds[name] = round(time.perf_counter() - start, 1)
            self._note()
            when = f"{self.seconds[name]:.0f} s"
        line = f"[green]✓[/] {name:<13} {result_of(name, self.out)} [dim]({when})[/]"
        self.terminal.print(line, soft_wrap=True, highlight=False)

    def call(self, *calls: Call) -> None:
        """Call commands; Ctrl-C says that the run goes on here."""
        try:
            for command, options in calls:
                command(options)
        except KeyboardInterrupt as error:
            error.add_note("the same command goes on with this step")
            raise

    def _note(self) -> None:
        """Write the record of the run; its steps keep those of their folders."""
        record = RunRecord(settings=self.settings, seconds=self.seconds)
        write_json(self.out / RECORD, to_json(record))


def run(options: QuickstartOptions) -> None:
    """Run the steps in order and the report anew; finished steps are kept."""
    started, encoder = time.perf_counter(), options.encoder
    inputs = [encoder, *(outlet_and_file(file)[1] for file in options.files)]
    read_prediction_files(options.predictions)
    check_writable(options.out, inputs=inputs, record=RECORD)
    if is_missing_path(encoder):
        raise InputError(f"there is no folder {encoder}: give the Hub id or folder of a pre-trained model")
    out, steps = options.out, Steps(options)
    built, judges, choosers = (str(out / name) for name in ("corpus", "judges", "judges-0"))
    seed = options.seed
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    reading = {field.name: getattr(options, field.name) for field in fields(ReadingOptions)}
    reading |= {"files": options.files or (str(sample.out),), "window_days": options.window_days}
    build = BuildOptions(**reading, out=Path(built), strict=options.strict, seed=seed)
    steps.run("corpus", *([] if options.files else [(corpus.sample, sample)]), (corpus.build, build))
    if options.files:
        report = read_report(built)
        print_lines([f"{text}." for text in (report.warnings if report else ())], steps.terminal)

    def judge(task: Task, fold: Fold, folder: str, encoder: str) -> Call:
        judging = TrainJudgeOptions(
            task=task, encoder=encoder, fold=fold, out=Path(folder) / task, corpus=built, seed=seed
        )
        return train.judge, judging

    for task in trained_tasks():
        steps.run(f"{task} judge", judge(task, "1", judges, encoder))
    steps.run("audit", (audit.run, AuditOptions(judges=judges, corpus=built, seed=seed)))
    steps.run("choosing", *(judge(task, "0", choosers, LINEAR) for task in trained_tasks()))
    systems = options.predictions
    if not options.files:
        generator, written = out / "generators" / RECIPE, out / "predictions" / f"{RECIPE}.csv"
        transferring = TransferOptions(
            out=written,
            generator=str(generator.parent),
            items=ITEMS,
            rerank=choosers,
            candidates=CANDIDATES,
            generation=(f"num_beams={CANDIDATES}",),
            corpus=built,
            seed=seed,
        )
        steps.run("headlines", (_save_shipped, generator), (transfer.run, transferring))
        systems = (f"{RECIPE}={written}", *systems)
    scoring = ScoreOptions(
        corpus=built,
        judges=judges,
        floor=choosers,
        predictions=systems,
        shared_items=bool(systems),
        out=out / "report",
        seed=seed,
    )
    steps.call((score.run, scoring))
    print_lines(last_lines(options, time.perf_counter() - started), steps.terminal)


def last_lines(options: QuickstartOptions, seconds: float) -> list[str]:
    """Return what can be done next, and how long it took."""
    lines = []
    if not options.files:
        lines += [
            "        change-it demo                  rewrite and judge single headlines",
            "        change-it quickstart a=a.csv b=b.csv --out runs/mine    your newspapers",
        ]
    return [
        *lines,
        f"{seconds:.0f} s; another machine's figures may differ by .02; all steps: {options.out / LOG}",
    ]


def _save_shipped(folder: Path) -> None:
    """Save the generator that ships, which has no code beside it, as a trained one is saved."""
    from change_it.generators.generator import copy_generator  # torch, which no other module here needs

    copy_generator(SHIPPED, folder)


def record_of(name: str, out: Path) -> Path:
    """Return a file that a finished step has written; without it the step runs again."""
    records = {
        "corpus": out / "corpus" / REPORT,
        "audit": out / "audit" / "audit.json",
        "choosing": out / "judges-0" / trained_tasks()[-1] / "metrics.json",
        "headlines": out / "predictions" / f"{RECIPE}.csv",
    }
    if name in records:
        return records[name]
    return out / "judges" / name.removesuffix(" judge") / "metrics.json"


def result_of(name: str, out: Path) -> str:
    """What a finished step came to, in a line, from what it wrote."""
    from change_it.audit.record import read_audit  # loads scipy

    if name == "choosing":
        return "a second set of judges, to choose among candidates and clauses"
    file = record_of(name, out)
    if name == "headlines":
        return f"in {file}"
    if name == "corpus":
        report = read_report(file.parent)
        if report is None:
            return ""
        pairs = report.pairs.kept
        return f"{report.kept:,} articles, {pairs['A1']:,} pairs for training, {pairs['A2']:,} for tests"
    if name == "audit":
        audit = read_audit(file.parent)
        verdicts = audit.verdicts if audit else {}
        return ", ".join(f"{measure} {verdict.verdict}" for measure, verdict in verdicts.items())
    metrics = read_judge_metrics(file.parent)
    return line_of(metrics) if metrics else ""
