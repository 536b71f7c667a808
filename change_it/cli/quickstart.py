"""`change-it quickstart`: the whole way on two newspapers, or on the embedded sample, each step called as its command would be."""

import sys
import time
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import tyro

from change_it.cli import audit, corpus, score, train, transfer
from change_it.cli.audit import AuditOptions
from change_it.cli.corpus import SampleOptions
from change_it.cli.jobs import Call, Job, JobTime
from change_it.cli.progress import StepProgress
from change_it.cli.score import ScoreOptions
from change_it.cli.train import TrainJudgeOptions, line_of, processes_of, weight_of
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
from change_it.render.tables import console, print_lines, print_wrapped
from change_it.scoring.systems import read_prediction_files
from change_it.version import __version__

#: In the folder of a run: its options and the seconds of its finished steps, and all that the steps print.
RECORD, LOG = "run.json", "run.log"
#: The generator of the sample's newspapers that ships; it has read no article of the sample.
RECIPE: RecipeName = "rewrite"
SHIPPED = Path(__file__).parents[1] / "data" / "writer"
#: Test headlines that are rewritten, drawn by the seed, and the candidates of each: eight take twice the time.
ITEMS, CANDIDATES = 300, 4
#: Steps that are no judges; the corpus and the judges lie in folders of these names.
CORPUS = "corpus"
AUDIT = "audit"
CHOOSING = "choosing"
HEADLINES = "headlines"
SCORE = "score"
JUDGES = "judges"
CHOOSERS = "judges-0"
#: What is said of an interrupted run.
GOES_ON = "the same command goes on with this step"


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
    processes: int = 0
    """Steps that run at once, at most; 0 is one for each core, and never more than memory allows. They give the same results. With a pre-trained encoder they run one by one."""


@dataclass(frozen=True)
class Step:
    """What gets one line on the screen.

    Attributes:
        name: how the line begins.
        jobs: what is done for it.
    """

    name: str
    jobs: tuple[Job, ...]


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The content of `run.json`.

    Attributes:
        settings: options of the run and the version of the package; a run with others does not go on with it.
        seconds: finished step to the seconds that it took.
        times: finished job to when it ran, and where. A step has one job, or several beside each other.
        files: files of the folder that are its own: none, since the steps keep the records of theirs.
    """

    settings: JsonObject
    seconds: dict[str, float]
    times: dict[str, JobTime] = field(default_factory=dict)
    files: tuple[str, ...] = ()


class Steps:
    """The steps of a run: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open a folder; InputError where it holds a run with other options."""
        self.out, self.terminal = options.out, console(sys.stdout)
        self.settings: JsonObject = asdict(options) | {"files": list(options.files), "version": __version__}
        for name in ("out", "predictions", "processes"):  # a run may be called with others again
            del self.settings[name]
        earlier = read_record(self.out / RECORD, RunRecord, "choose another --out")
        self.times = dict(earlier.times) if earlier else {}
        self.seconds = dict(earlier.seconds) if earlier else {}
        before = {name: earlier.settings.get(name) if earlier else None for name in self.settings}
        if self.times and before != self.settings:
            changed = [f"{name} {was!r}" for name, was in before.items() if was != self.settings[name]]
            fault = f"{self.out} holds a run with other options ({', '.join(changed)})"
            raise InputError(f"{fault}: give the same options again, or choose another --out")
        self._note()

    def run(self, steps: Sequence[Step], processes: int = 1) -> None:
        """Run what is not finished, and print the result of each step in a line; what it prints goes to the log."""
        from change_it.cli.processes import run_jobs  # loads pools, which no help needs

        jobs = [job for step in steps for job in step.jobs if not self._is_finished(job.name)]
        begun = frozenset(job.name for job in jobs)
        unfinished = set(begun)
        waiting = list(steps)
        in_parts = min(processes, len(jobs)) > 1
        jobs_by_step = {step.name: [job.name for job in step.jobs] for step in steps}
        progress = StepProgress(jobs_by_step, begun, processes)
        status = self.terminal.status(progress) if sys.stdout.isatty() else None

        def print_finished() -> None:
            while waiting and unfinished.isdisjoint(job.name for job in waiting[0].jobs):
                step = waiting.pop(0)
                self._join_log(step)
                self._print(step, is_new=not begun.isdisjoint(job.name for job in step.jobs))

        log_of = self._part_of if in_parts else lambda _: self.out / LOG
        try:
            with (
                status or nullcontext(),
                closing(run_jobs(jobs, processes, log_of, show=progress.show)) as ended,
            ):
                print_finished()
                for name, times in ended:
                    self.times[name] = times
                    unfinished.remove(name)
                    progress.finish(name, times.end - times.start)
                    self._note(steps)
                    print_finished()
        except BaseException as error:
            if waiting:
                self._join_log(waiting[0])
            if isinstance(error, KeyboardInterrupt):
                error.add_note(GOES_ON)
            raise

    def score(self, options: ScoreOptions) -> None:
        """Score the systems, on the screen and not in the log, and anew in each run."""
        start = time.time()
        try:
            score.run(options)
        except KeyboardInterrupt as error:
            error.add_note(GOES_ON)
            raise
        self.times[SCORE] = JobTime(start, time.time(), 0)
        self._note()

    def _is_finished(self, job: str) -> bool:
        """Return whether a job is noted, and what it wrote is there."""
        return job in self.times and record_of(job, self.out).is_file()

    def _part_of(self, job: str) -> Path:
        """Return the file in which the lines of a job wait until those of all before it are in the log."""
        return self.out / f".{LOG}.{job}.partial"

    def _join_log(self, step: Step) -> None:
        """Add what the jobs of a step have printed to the log."""
        for part in (self._part_of(job.name) for job in step.jobs):
            if part.is_file():
                with (self.out / LOG).open("a", encoding="utf-8") as log:
                    log.write(part.read_text(encoding="utf-8"))
                part.unlink()

    def _print(self, step: Step, *, is_new: bool) -> None:
        """Print the line of a finished step, and the warnings about a corpus of one's own."""
        when = f"{self.seconds[step.name]:.0f} s" if is_new else "finished before"
        result = f"{result_of(step.name, self.out)} ({when})"
        first = f"✓ {step.name:<13} "
        if sys.stdout.isatty():
            print_wrapped(result, self.terminal, first=first, after=" " * len(first))
        else:
            print_lines([first + result], self.terminal)
        if step.name == CORPUS and self.settings["files"]:
            report = read_report(self.out / CORPUS)
            for text in report.warnings if report else ():
                print_wrapped(f"{text}.", self.terminal, after="  ")

    def _note(self, steps: Sequence[Step] = ()) -> None:
        """Write the record of the run; its steps keep those of their folders."""
        seconds: dict[str, float] = {}
        for step in steps:
            times = [self.times[job.name] for job in step.jobs if job.name in self.times]
            if len(times) == len(step.jobs):
                seconds[step.name] = round(sum(job.end - job.start for job in times), 1)
        self.seconds = seconds or self.seconds
        record = RunRecord(settings=self.settings, seconds=self.seconds, times=self.times)
        write_json(self.out / RECORD, to_json(record))


def run(options: QuickstartOptions) -> None:
    """Run the steps and the report anew; finished steps are kept."""
    started, encoder = time.perf_counter(), options.encoder
    inputs = [encoder, *(outlet_and_file(file)[1] for file in options.files)]
    read_prediction_files(options.predictions)
    check_writable(options.out, inputs=inputs, record=RECORD)
    if is_missing_path(encoder):
        raise InputError(f"there is no folder {encoder}: give the Hub id or folder of a pre-trained model")
    processes = processes_of(options.processes, encoder)
    steps = Steps(options)
    steps.run(steps_of(options), processes)
    steps.score(scoring_of(options))
    print_lines(last_lines(options, time.perf_counter() - started), steps.terminal)


def steps_of(options: QuickstartOptions) -> list[Step]:
    """Return the steps of a run, in the order of their lines, each after those that it needs."""
    out, seed = options.out, options.seed
    built = out / CORPUS
    sample = SampleOptions(out=out / "sample.csv", articles=options.articles, seed=seed)
    reading = {field.name: getattr(options, field.name) for field in fields(ReadingOptions)}
    reading |= {"files": options.files or (str(sample.out),), "window_days": options.window_days}
    build = BuildOptions(**reading, out=built, strict=options.strict, seed=seed)
    calls: list[Call] = [(corpus.build, build)]
    if not options.files:
        calls.insert(0, (corpus.sample, sample))
    judges = [_judge(options, task, "1", out / JUDGES, options.encoder) for task in trained_tasks()]
    choosers = [_judge(options, task, "0", out / CHOOSERS, LINEAR) for task in trained_tasks()]
    auditing = AuditOptions(judges=str(out / JUDGES), corpus=str(built), seed=seed)
    audit_job = Job(AUDIT, ((audit.run, auditing),), needs=frozenset(job.name for job in judges), weight=6)
    steps = [
        Step(CORPUS, (Job(CORPUS, tuple(calls), alone=True),)),
        *(Step(job.name, (job,)) for job in judges),
        Step(AUDIT, (audit_job,)),
        Step(CHOOSING, tuple(choosers)),
    ]
    if options.files:
        return steps
    generator = out / "generators" / RECIPE
    transferring = TransferOptions(
        out=record_of(HEADLINES, out),
        generator=str(generator.parent),
        items=ITEMS,
        rerank=str(out / CHOOSERS),
        candidates=CANDIDATES,
        generation=(f"num_beams={CANDIDATES}",),
        corpus=str(built),
        seed=seed,
    )
    writing = ((_save_shipped, generator), (transfer.run, transferring))
    headlines = Job(HEADLINES, writing, needs=frozenset(job.name for job in choosers), weight=6)
    return [*steps, Step(HEADLINES, (headlines,))]


def _judge(options: QuickstartOptions, task: Task, fold: Fold, folder: Path, encoder: str) -> Job:
    """Return the training of a judge."""
    training = TrainJudgeOptions(
        task=task,
        encoder=encoder,
        fold=fold,
        out=folder / task,
        corpus=str(options.out / CORPUS),
        seed=options.seed,
    )
    name = f"{task} judge" if folder.name == JUDGES else f"{CHOOSING} {task}"
    calls = ((train.judge_of_run, training),)
    return Job(name, calls, needs=frozenset({CORPUS}), weight=weight_of(task, fold))


def scoring_of(options: QuickstartOptions) -> ScoreOptions:
    """Return how the systems of a run are scored: those of the user, and the generator's of the sample."""
    out = options.out
    systems = options.predictions
    if not options.files:
        systems = (f"{RECIPE}={record_of(HEADLINES, out)}", *systems)
    return ScoreOptions(
        corpus=str(out / CORPUS),
        judges=str(out / JUDGES),
        floor=str(out / CHOOSERS),
        predictions=systems,
        shared_items=bool(systems),
        out=out / "report",
        seed=options.seed,
    )


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
    """Return a file that a finished step or job has written; without it that runs again."""
    records = {
        CORPUS: out / CORPUS / REPORT,
        AUDIT: out / AUDIT / "audit.json",
        CHOOSING: out / CHOOSERS / trained_tasks()[-1] / "metrics.json",
        HEADLINES: out / "predictions" / f"{RECIPE}.csv",
    }
    if name in records:
        return records[name]
    if name.startswith(CHOOSING):
        return out / CHOOSERS / name.removeprefix(f"{CHOOSING} ") / "metrics.json"
    return out / JUDGES / name.removesuffix(" judge") / "metrics.json"


def result_of(name: str, out: Path) -> str:
    """What a finished step came to, in a line, from what it wrote."""
    if name == CHOOSING:
        return "a second set of judges, to choose among candidates and clauses"
    file = record_of(name, out)
    if name == HEADLINES:
        return f"in {file}"
    if name == CORPUS:
        report = read_report(file.parent)
        if report is None:
            return ""
        pairs = report.pairs.kept
        return f"{report.kept:,} articles, {pairs['A1']:,} pairs for training, {pairs['A2']:,} for tests"
    if name == AUDIT:
        from change_it.audit.record import read_audit  # loads scipy

        audit = read_audit(file.parent)
        verdicts = audit.verdicts if audit else {}
        return ", ".join(f"{measure} {verdict.verdict}" for measure, verdict in verdicts.items())
    metrics = read_judge_metrics(file.parent)
    return line_of(metrics) if metrics else ""
