"""Run everything on two newspapers, or on the sample: `change-it quickstart`.

Each step is called as its command would call it.
"""

import sys
import time
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from threading import Thread

import tyro

from change_it.cli import audit, corpus, score, train, transfer
from change_it.cli.audit import AuditOptions
from change_it.cli.corpus import SampleOptions
from change_it.cli.jobs import Call, Job, JobTime
from change_it.cli.progress import SCORE, StepProgress, usual_seconds
from change_it.cli.score import ScoreOptions
from change_it.cli.train import TrainJudgeOptions, line_of, mark_of, processes_of
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
from change_it.scoring.prediction_files import read_prediction_files
from change_it.version import __version__

#: File in the folder of a run: its options, and the seconds of its finished steps.
RECORD = "run.json"
#: File in the folder of a run: all that its steps print.
LOG = "run.log"
#: Recipe of the generator that ships.
RECIPE: RecipeName = "rewrite"
#: The generator that ships. It knows the sample's newspapers, and has read no article of the sample.
SHIPPED = Path(__file__).parents[1] / "data" / "writer"
#: Test headlines of the sample that are rewritten, drawn by the seed.
ITEMS = 300
#: Candidates of each headline that is rewritten. Eight take twice the time.
CANDIDATES = 4
#: Step that aligns the articles, and the folder of the corpus.
CORPUS = "corpus"
#: Step that audits the judges, and the folder of the audit.
AUDIT = "audit"
#: Step that trains the judges of fold 0, which choose.
CHOOSING = "choosing"
#: Step that writes headlines with the generator that ships.
HEADLINES = "headlines"
#: Folder of the judges of fold 1, which score.
JUDGES = "judges"
#: Folder of the judges of fold 0, which choose.
CHOOSERS = "judges-0"
#: Modules that scoring loads, and that take longest.
SCORING_MODULES = (
    "change_it.report.report_files",
    "change_it.scoring.panel",
    "change_it.scoring.scores",
)
#: What is said of an interrupted run.
GOES_ON = "the same command goes on with this step"


@dataclass(kw_only=True)
class QuickstartOptions(ReadingOptions):
    """Run everything: align the articles, train and audit judges, score your systems, write a report.

    Without files it runs on sample data, articles of two invented newspapers, and also writes headlines with
    the generator that ships: one to three minutes on two cores. The same command goes on with an interrupted
    run.

    Examples:
        change-it quickstart
        change-it quickstart post=post.csv herald=herald.csv --out runs/mine
        change-it quickstart post=post.csv herald=herald.csv --out runs/mine
            --predictions mine=mine.csv
    """

    files: tyro.conf.Positional[tuple[str, ...]] = ()
    """The articles, as change-it corpus build takes them: OUTLET=FILE where a file is of one outlet. When not
    given, sample data."""
    strict: float = BuildOptions.strict
    """Cosine above which a pair is strictly aligned. A lower one finds more pairs, fewer of one event."""
    window_days: int = 0
    """Days between the two articles of a pair, at most."""
    predictions: tuple[str, ...] = ()
    """Systems to score as NAME=FILE, CSV with id and headline; they may be added to a finished run. change-it
    corpus items lists what to rewrite."""
    out: Path = Path("runs/quickstart")
    """Folder of the run: corpus, judges, judges-0, audit, report, and what the steps print in run.log. On
    sample data also generators and predictions."""
    articles: int = SIZE
    """Articles of the sample, both newspapers together: at most 12000. Judges of two folds need some 500."""
    seed: int = 1
    """Seed of everything: the same seed gives the same figures."""
    encoder: str = LINEAR
    """What the judges are made from: linear, or the folder or Hub id of a pre-trained encoder."""
    processes: int = 0
    """Steps that run at once, at most; 0 is one for each core, and never more than memory allows. The results
    are the same. With a pre-trained encoder they run one by one."""


@dataclass(frozen=True)
class Step:
    """A part of the run that gets one line on the screen.

    Attributes:
        name: Beginning of the line.
        jobs: What is done for it, side by side where cores are free.
    """

    name: str
    jobs: tuple[Job, ...]


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The content of `run.json`.

    Attributes:
        settings: Options of the run and the version of the package. A run with others does not go on with it.
        seconds: Name of each finished step to the seconds that it took.
        times: Name of each finished job to when it ran, and where.
        files: Files of the folder that are the run's own: none, since each step records its own.
    """

    settings: JsonObject
    seconds: dict[str, float]
    times: dict[str, JobTime] = field(default_factory=dict)
    files: tuple[str, ...] = ()


class Steps:
    """The steps of a run: each is noted in `run.json` once it is finished, and not run again."""

    def __init__(self, options: QuickstartOptions) -> None:
        """Open the folder of a run, new or begun.

        Raises:
            InputError: it holds a run with other options.
        """
        self.out = options.out
        self.terminal = console(sys.stdout)
        self.settings: JsonObject = {**asdict(options), "files": list(options.files), "version": __version__}
        for name in ("out", "predictions", "processes"):  # a run may be called with others again
            del self.settings[name]
        self.times: dict[str, JobTime] = {}
        self.seconds: dict[str, float] = {}
        earlier = read_record(self.out / RECORD, RunRecord, "choose another --out")
        if earlier:
            self._go_on(earlier)
        self._note()

    def _go_on(self, earlier: RunRecord) -> None:
        """Take over what is finished of an earlier run.

        Raises:
            InputError: that run had other options, and more is finished than its corpus.
        """
        self.times.update(earlier.times)
        self.seconds.update(earlier.seconds)
        changed: list[str] = []
        for name, value in self.settings.items():
            before = earlier.settings.get(name)
            if before != value:
                changed.append(f"{name} {before!r}")
        if changed and {*self.times} <= {CORPUS}:
            self._begin_anew(changed)
        elif changed:
            fault = f"{self.out} holds a run with other options ({', '.join(changed)})"
            raise InputError(f"{fault}: give the same options again, or choose another --out")

    def _begin_anew(self, changed: Sequence[str]) -> None:
        """Forget the corpus of a run in which nothing else is finished, and its log; say so."""
        if self.times or (self.out / LOG).is_file():
            before = f"{self.out} had other options ({', '.join(changed)})"
            print_lines([f"{before} and no judge: the run begins anew."], self.terminal)
        self.times.clear()
        self.seconds.clear()
        (self.out / LOG).unlink(missing_ok=True)

    def run(self, steps: Sequence[Step], processes: int = 1) -> None:
        """Run what is not finished, and print a line with the result of each step.

        What the steps themselves print goes to the log.
        """
        from change_it.cli.processes import run_jobs  # loads pools, which no help needs

        jobs: list[Job] = []
        for step in steps:
            jobs += [job for job in step.jobs if not self._is_finished(job.name)]
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
                    if in_parts and len(unfinished) == 1:
                        Thread(target=load_scoring, daemon=True).start()
                    self._note(steps)
                    print_finished()
        except BaseException as error:
            if waiting:
                self._join_log(waiting[0])
            if isinstance(error, KeyboardInterrupt):
                error.add_note(GOES_ON)
            raise

    def score(self, options: ScoreOptions) -> None:
        """Score the systems, and print the result.

        Unlike other steps this one is called anew in each run, and writes nothing to the log.
        """
        start = time.time()
        try:
            score.run(options)
        except KeyboardInterrupt as error:
            error.add_note(GOES_ON)
            raise
        self.times[SCORE] = JobTime(start=start, end=time.time(), process=0)
        self._note()

    def _is_finished(self, job: str) -> bool:
        """Return whether a job is noted, and what it wrote is there."""
        return job in self.times and record_of(job, self.out).is_file()

    def _part_of(self, job: str) -> Path:
        """Return the file in which the lines of a job wait until those of all before it are in the log."""
        return self.out / f".{LOG}.{job}.partial"

    def _join_log(self, step: Step) -> None:
        """Add what the jobs of a step have printed to the log."""
        for job in step.jobs:
            part = self._part_of(job.name)
            if part.is_file():
                with (self.out / LOG).open("a", encoding="utf-8") as log:
                    log.write(part.read_text(encoding="utf-8"))
                part.unlink()

    def _print(self, step: Step, *, is_new: bool) -> None:
        """Print the line of a finished step, and the warnings about a corpus of one's own."""
        when = f"{self.seconds[step.name]:.0f} s" if is_new else "finished before"
        result = f"{result_of(step.name, self.out)} ({when})"
        first = f"{mark_of_step(step.name, self.out)} {step.name:<13} "
        if sys.stdout.isatty():
            print_wrapped(result, self.terminal, first=first, after=" " * len(first))
        else:
            print_lines([first + result], self.terminal)
        if step.name == CORPUS and self.settings["files"]:
            report = read_report(self.out / CORPUS)
            warnings = report.warnings if report else ()
            for text in warnings:
                print_wrapped(f"{text}.", self.terminal, first="! ", after="  ")
            if warnings:
                log = self.out / LOG
                more = f"its tables, and what more articles would give: {log}"
                print_wrapped(more, self.terminal, first="  ", after="  ")

    def _note(self, steps: Sequence[Step] = ()) -> None:
        """Write the record of the run, with the seconds of those of the steps that are finished.

        Without steps, the seconds that are known stay.
        """
        seconds: dict[str, float] = {}
        for step in steps:
            times = [self.times[job.name] for job in step.jobs if job.name in self.times]
            if len(times) == len(step.jobs):
                seconds[step.name] = round(sum(job.end - job.start for job in times), 1)
        self.seconds = seconds or self.seconds
        record = RunRecord(settings=self.settings, seconds=self.seconds, times=self.times)
        write_json(self.out / RECORD, to_json(record))


def load_scoring() -> None:
    """Load what scoring needs: while the last step runs in another process, this one has nothing to do."""
    for name in SCORING_MODULES:
        import_module(name)


def run(options: QuickstartOptions) -> None:
    """Run the steps that are not finished, then score the systems and write the report anew.

    Raises:
        InputError: an option or a file cannot be used.
    """
    started = time.perf_counter()
    encoder = options.encoder
    inputs = [encoder, *(outlet_and_file(file)[1] for file in options.files)]
    read_prediction_files(options.predictions)
    check_writable(options.out, inputs=inputs, record=RECORD)
    if is_missing_path(encoder):
        raise InputError(f"there is no folder {encoder}: give the Hub id or folder of a pre-trained model")
    processes = processes_of(options.processes, encoder)
    steps = Steps(options)
    is_resumed = bool(steps.times)
    steps.run(steps_of(options), processes)
    steps.score(scoring_of(options))
    seconds = time.perf_counter() - started
    print_lines(last_lines(options, seconds, is_resumed=is_resumed), steps.terminal)


def steps_of(options: QuickstartOptions) -> list[Step]:
    """Return the steps of a run in the order in which they are printed, each after those that it needs.

    The judges that score learn from fold 1, those that choose from fold 0. Headlines are written on the
    sample alone: on newspapers of one's own no generator is at hand.
    """
    out = options.out
    judges = []
    choosers = []
    for task in trained_tasks():
        judges.append(_judge_job(options, task, fold="1", folder=out / JUDGES, encoder=options.encoder))
        choosers.append(_judge_job(options, task, fold="0", folder=out / CHOOSERS, encoder=LINEAR))
    auditing = AuditOptions(judges=str(out / JUDGES), corpus=str(out / CORPUS), seed=options.seed)
    judge_names = frozenset(job.name for job in judges)
    audit_job = Job(AUDIT, calls=((audit.run, auditing),), needs=judge_names, seconds=usual_seconds(AUDIT))
    steps = [Step(CORPUS, (_corpus_job(options),))]
    steps += [Step(job.name, (job,)) for job in judges]
    steps += [Step(AUDIT, (audit_job,)), Step(CHOOSING, tuple(choosers))]
    if not options.files:
        chooser_names = frozenset(job.name for job in choosers)
        steps.append(Step(HEADLINES, (_headlines_job(options, chooser_names),)))
    return steps


def _corpus_job(options: QuickstartOptions) -> Job:
    """Return the job that builds the corpus, and before it writes the sample where there are no files."""
    sample = SampleOptions(out=options.out / "sample.csv", articles=options.articles, seed=options.seed)
    reading = {field.name: getattr(options, field.name) for field in fields(ReadingOptions)}
    reading["files"] = options.files or (str(sample.out),)
    build = BuildOptions(
        **reading,
        window_days=options.window_days,
        strict=options.strict,
        out=options.out / CORPUS,
        seed=options.seed,
    )
    calls: list[Call] = []
    if not options.files:
        calls.append((corpus.sample, sample))
    calls += [(corpus.build, build), (check_pairs, options.out)]
    return Job(CORPUS, calls=tuple(calls), loads_itself=True)


def check_pairs(out: Path) -> None:
    """Refuse the corpus of a run on which the judges of both folds cannot be trained.

    Raises:
        InputError: it has too few pairs. What `corpus build` said of them is in the log of the run.
    """
    from change_it.judges.data import check_enough_pairs  # polars, which no help needs

    try:
        check_enough_pairs(str(out / CORPUS), ("0", "1"))
    except InputError as error:
        raise InputError(f"{error}; the table of pairs is in {out / LOG}") from None


def _headlines_job(options: QuickstartOptions, choosers: frozenset[str]) -> Job:
    """Return the job that writes headlines of the sample; `choosers` are the jobs that it needs."""
    out = options.out
    generator = out / "generators" / RECIPE
    transferring = TransferOptions(
        out=record_of(HEADLINES, out),
        generator=str(generator.parent),
        items=ITEMS,
        rerank=str(out / CHOOSERS),
        candidates=CANDIDATES,
        generation=(f"num_beams={CANDIDATES}",),
        corpus=str(out / CORPUS),
        seed=options.seed,
    )
    calls = ((_save_shipped, generator), (transfer.run, transferring))
    return Job(HEADLINES, calls=calls, needs=choosers, seconds=usual_seconds(HEADLINES))


def _judge_job(options: QuickstartOptions, task: Task, *, fold: Fold, folder: Path, encoder: str) -> Job:
    """Return the job that trains a judge on a fold, in a folder of its own in `folder`."""
    training = TrainJudgeOptions(
        task=task,
        encoder=encoder,
        fold=fold,
        out=folder / task,
        corpus=str(options.out / CORPUS),
        seed=options.seed,
    )
    name = f"{task} judge" if folder.name == JUDGES else f"{CHOOSING} {task}"
    return Job(
        name,
        calls=((train.judge_of_run, training),),
        needs=frozenset({CORPUS}),
        seconds=usual_seconds(task),
    )


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


def last_lines(options: QuickstartOptions, seconds: float, *, is_resumed: bool) -> list[str]:
    """Return what can be done next, and how long this call took; a resumed run took longer than that."""
    lines = []
    if not options.files:
        lines += [
            "        change-it demo                  rewrite and judge single headlines",
            "        change-it quickstart a=a.csv b=b.csv --out runs/mine    your newspapers",
        ]
    took = f"{seconds:.0f} s in this call" if is_resumed else f"{seconds:.0f} s"
    lines.append(f"{took}; another machine's figures may differ by .02; all steps: {options.out / LOG}")
    return lines


def _save_shipped(folder: Path) -> None:
    """Copy the generator that ships, and put the code files beside it that a trained generator has."""
    from change_it.generators.generator import copy_generator  # torch, which no other module here needs

    copy_generator(SHIPPED, folder)


def record_of(name: str, out: Path) -> Path:
    """Return a file that a step or job has written once it is finished; without it, it runs again."""
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


def mark_of_step(name: str, out: Path) -> str:
    """Return how the line of a finished step begins: with `!` where a judge of it learnt from few matches."""
    if name in (CORPUS, AUDIT, HEADLINES):
        return "✓"
    folders = [record_of(name, out).parent]
    if name == CHOOSING:
        folders = [out / CHOOSERS / task for task in trained_tasks()]
    marks = {mark_of(read_judge_metrics(folder)) for folder in folders}
    return "!" if "!" in marks else "✓"


def result_of(name: str, out: Path) -> str:
    """Return what a finished step came to, in a line, from the files that it wrote."""
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
