"""Train judges and generators and say what came of it: `change-it train`.

Options are in `change_it.judges.options` and `change_it.generators.options`.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro
from tyro.extras import literal_type_from_choices

from change_it.cli.jobs import Job, in_order
from change_it.cli.progress import usual_seconds
from change_it.corpus.folder import check_corpus, check_outlet
from change_it.errors import InputError
from change_it.files.atomic import check_writable
from change_it.files.model_folders import is_missing_path
from change_it.files.texts import join_truncated
from change_it.generators.options import NETWORKS, GeneratorOptions, no_model
from change_it.judges.options import LINEAR, Fold, JudgeOptions, settings_of
from change_it.judges.spec import JUDGES, compliancy_tasks, trained_tasks
from change_it.render.tables import console, figure, print_lines, print_table
from change_it.training.record import MIN_UPDATES

if TYPE_CHECKING:
    from change_it.generators.record import GeneratorMetrics
    from change_it.judges.record import JudgeMetrics, TestScores
    from change_it.training.record import TrainingRecord, TrainingResult

#: Signs without a token that a warning names.
SHOWN_SIGNS = 5


def _task_choices() -> Any:
    """Return the values of --task as a type, which has a judge that is registered later, too."""
    return literal_type_from_choices([*trained_tasks(), "all"])


def _task_help() -> str:
    """Return what each judge decides."""
    judges = "; ".join(f"{task}: {JUDGES[task].wording.decides}" for task in trained_tasks())
    return f"{judges}; all: each of them, in OUT/main, OUT/hh and so on."


@dataclass(kw_only=True)
class TrainJudgeOptions(JudgeOptions):
    """Train judges of style (main), content (hh, ah) and fluency, and test them on the test pairs (A2).

    A linear judge is fitted in seconds. A transformer is compared with a linear judge of the same examples.

    Examples:
        change-it train judge --task main --corpus runs/quickstart/corpus --out runs/mine/judges/main
        change-it train judge --task all --fold both --corpus runs/mine/corpus --out runs/mine/judges
        change-it train judge --task hh --corpus runs/mine/corpus --encoder xlm-roberta-base
            --out runs/mine/judges/hh
        change-it train judge --task main --corpus runs/mine/corpus --encoder bilstm
            --train-on train_d --out runs/mine/lrec/main
        accelerate launch -m change_it.judges.train --task ah --encoder xlm-roberta-base
            --corpus runs/mine/corpus --out runs/mine/judges/ah
    """

    task: Annotated[str, tyro.conf.arg(constructor_factory=_task_choices, help=_task_help())]
    out: Path
    """Folder of the judge, or of all judges. What it holds is replaced only when the run is finished."""
    processes: int = 0
    """Linear judges that are trained at once, at most; 0 is one for each core, and never more than memory
    allows. Others are trained one by one."""
    fold: Fold | Literal["both"] = "all"  # type: ignore[assignment]
    """Half of the training events. Judges that choose candidates and judges that score them need different
    folds. both, with --task all: fold 1 into OUT and fold 0 into OUT-0."""

    @property
    def judges(self) -> list[JudgeOptions]:
        """Return the options of each judge.

        Raises:
            InputError: one judge is to be trained on both folds.
        """
        is_all = self.task == "all"
        if self.fold == "both" and not is_all:
            raise InputError("--fold both requires --task all")
        outs = {self.fold: self.out}
        if self.fold == "both":
            outs = {"1": self.out, "0": self.out.with_name(f"{self.out.name}-0")}
        given = {field.name: getattr(self, field.name) for field in fields(JudgeOptions)}
        judges = []
        for fold, out in outs.items():
            for task in trained_tasks() if is_all else [self.task]:
                own = {"task": task, "fold": fold, "out": out / task if is_all else out}
                judges.append(JudgeOptions(**given | own))
        return judges


def judge(options: TrainJudgeOptions) -> None:
    """Train judges, and print their scores and what comes next."""
    metrics = _train_and_print(options)
    if metrics:
        print_lines([_next(options)], console())


def judge_of_run(options: TrainJudgeOptions) -> None:
    """Train a judge of a run and print its scores.

    Others are trained beside it. Which of them are finished is chance, so nothing is said of what comes next.
    """
    _train_and_print(options)


def _train_and_print(options: TrainJudgeOptions) -> "JudgeMetrics | None":
    """Train judges and print their scores; return the last one's, None where this is not the main process."""
    judges = options.judges
    check_corpus(options.corpus)
    encoder = options.encoder
    for settings in judges:
        encoder = settings_of(settings).encoder
        check_writable(settings.out, inputs=settings.inputs, record="metrics.json")
    if is_missing_path(options.encoder):
        fault = f"no encoder can be loaded from {options.encoder!r}"
        raise InputError(f"{fault}: give a Hub id, a local folder, or --encoder {LINEAR}")
    if options.task == "all" and options.train_on == "main" and not options.as_published:
        from change_it.judges.data import check_enough_pairs  # polars

        check_enough_pairs(options.corpus, [settings.fold for settings in judges])

    from change_it.judges.reliability import results_table, within_event_table

    terminal = console()
    metrics = None
    for settings, metrics in _trained(judges, processes_of(options.processes, encoder)):
        if not metrics:  # not the main process
            continue
        if len(judges) == 1:
            within = within_event_table(metrics.within_event, metrics.style)
            if within:
                print_table(within, terminal)
            print_table(results_table(metrics), terminal)
        line = f"{mark_of(metrics)} {settings.task} {line_of(metrics)}: {settings.out}{_processes(metrics)}"
        print_lines([line], terminal)
    return metrics


def processes_of(wanted: int, encoder: str) -> int:
    """Return how many judges are trained at once.

    It is one where each takes all cores, and where a launcher has started several processes.
    """
    from change_it.cli.processes import usable_processes

    usable = usable_processes(wanted)
    is_launched = os.environ.get("WORLD_SIZE", "1") != "1"
    if encoder != LINEAR or is_launched:
        return 1
    return usable


def _trained(
    judges: Sequence[JudgeOptions], processes: int
) -> Iterator[tuple[JudgeOptions, "JudgeMetrics | None"]]:
    """Train judges and yield each, in their order, as soon as those before it are finished, too."""
    if min(processes, len(judges)) == 1:
        for settings in judges:
            yield settings, _train(settings)
        return

    from change_it.cli.processes import run_jobs
    from change_it.judges.record import read_judge_metrics

    by_name = {str(settings.out): settings for settings in judges}
    jobs = []
    for name, settings in by_name.items():
        jobs.append(Job(name, calls=((_train, settings),), seconds=usual_seconds(settings.task)))
    with TemporaryDirectory() as folder:
        logs = {job.name: Path(folder) / f"{place}.log" for place, job in enumerate(jobs)}
        try:
            for name in in_order(jobs, run_jobs(jobs, processes, logs.__getitem__)):
                _print_log(logs[name])
                yield by_name[name], read_judge_metrics(by_name[name].out)
        except BaseException:
            for log in logs.values():
                _print_log(log)
            raise


def _print_log(log: Path) -> None:
    """Print what a job has printed to standard error, once."""
    if log.is_file():
        sys.stderr.write(log.read_text(encoding="utf-8"))
        log.unlink()


def _train(settings: JudgeOptions) -> "JudgeMetrics | None":
    """Train a judge and write its card; None where this is not the main process."""
    from change_it.hub.packaging import write_readme
    from change_it.judges.train import train_judge  # loads torch

    metrics = train_judge(settings)
    if metrics:
        write_readme(settings.out, "judge")
    return metrics


def _processes(metrics: "TrainingRecord") -> str:
    """Say how many processes trained, and in which precision.

    A launcher may have started fewer processes than it was asked for.
    """
    mixed = metrics.options.get("mixed_precision", "no")
    precision = "" if mixed == "no" else f", mixed precision: {mixed}"
    return f" (processes: {metrics.processes}{precision})"


def line_of(metrics: "JudgeMetrics") -> str:
    """Return the results of a judge in a line, from its `metrics.json`.

    First comes whether it has learnt from little. Then come its F1 on each test, the share of events in which
    it tells two headlines apart, whether it always answers the same, how it does beside a linear judge, and
    its updates.
    """
    from change_it.judges.record import learnt_from_few

    parts = [f"{name} {figure(result.macro_f1)}" for name, result in metrics.results.items()]
    if metrics.within_event:
        parts.append(f"within an event {figure(metrics.within_event.systems['judge'].value)}")
    single = _only_answer(metrics.results)
    if single:
        parts.append(f"always answers {single}, which decides nothing")
    beside = metrics.validation
    if beside:
        comparison = "no better" if beside.is_no_better else "better"
        f1 = f"F1 {figure(beside.judge)}, linear {figure(beside.linear)}"
        parts.append(f"{comparison} than linear on validation ({f1})")
    parts += _updates(metrics.training)
    if metrics.options.get("lora"):
        parts.append("adapters merged into the encoder")
    line = f"F1 {', '.join(parts)}"
    if metrics.few_matches is None:
        return line
    return f"{learnt_from_few(metrics.task, metrics.few_matches)}: take more articles; {line}"


def mark_of(metrics: "JudgeMetrics | None") -> str:
    """Return how the line of a judge begins: with `!` where it learnt from few matches."""
    return "!" if metrics and metrics.few_matches is not None else "✓"


def _updates(training: "TrainingResult") -> list[str]:
    """Say how many updates a judge had, why no more, and whether they are few.

    Nothing is said of a judge that was fitted.
    """
    if not training.planned:
        return []
    ends = {"early": ", stopped early", "time": ", out of time"}
    end = ends.get(training.stopped, "")
    remarks = [f"{training.updates:,} of {training.planned:,} updates{end}"]
    if training.updates < MIN_UPDATES:
        remarks.append(f"fewer than {MIN_UPDATES}: too few to learn much")
    return remarks


def _only_answer(results: Mapping[str, "TestScores"]) -> str:
    """Return the class that a judge gave every test headline; empty where it gave several.

    Such a judge has recalled all headlines of this class, and none of another one.
    """
    recalls: dict[str, set[float]] = {}
    for result in results.values():
        for name, scores in result.classes.items():
            recalls.setdefault(name, set()).add(scores.recall)
    always = [name for name, values in recalls.items() if values == {1.0}]
    never = [name for name, values in recalls.items() if values == {0.0}]
    has_others = len(always) + len(never) < len(recalls)
    if len(always) != 1 or not never or has_others:
        return ""
    return always[0]


def _next(options: TrainJudgeOptions) -> str:
    """Return the next step after these judges: to train those that are lacking, or the audit."""
    folder = options.out if options.task == "all" else options.out.parent
    lacking = [task for task in compliancy_tasks() if not (folder / task).is_dir()]
    if lacking:
        return f"Next: {folder} lacks {join_truncated(lacking)}; --task all trains all four."
    return f"Next: change-it audit --judges {folder} --corpus {options.corpus}"


def _how_far(options: GeneratorOptions, training: "TrainingResult") -> list[str]:
    """Say how far a generator came, and what comes next: more training, or writing."""
    out_of_time = training.stopped == "time"
    begins_at_nothing = options.architecture is None or options.architecture in NETWORKS
    is_short = training.epochs < 1 or training.updates < MIN_UPDATES
    done = f"{training.updates:,} of {training.planned:,} updates"
    more = "give --resume and more --max-minutes" if out_of_time else "train with more updates"
    if begins_at_nothing and is_short:
        return [f"Warning: {done} are too few to write sentences: {more}."]
    lines = [f"Next: change-it transfer --generator {options.out} --corpus {options.corpus} --out new.csv"]
    if out_of_time:
        lines.insert(0, f"{done} when the minutes were over: --resume with more --max-minutes goes on.")
    return lines


def generator(options: GeneratorOptions) -> None:
    """Train a generator and say what came of it."""
    check_corpus(options.corpus)
    check_writable(options.out, inputs=options.inputs, record="metrics.json")
    if options.architecture is not None and is_missing_path(options.architecture):
        raise InputError(no_model(options.architecture))
    if options.to is not None:
        check_outlet(options.corpus, options.to)

    from change_it.generators.train import train_generator
    from change_it.hub.packaging import write_readme

    metrics = train_generator(options)
    if not metrics:  # not the main process
        return
    write_readme(options.out, "generator")
    lines = [_training_line(metrics)]
    signs = [f"{sign} (in {count:,})" for sign, count in metrics.unknown_signs.items()]
    if signs:
        named = join_truncated(signs, SHOWN_SIGNS)
        lines.append(
            f"Warning: the tokenizer has no token for signs of headlines, {named}: they cannot be written;"
            " take another --architecture."
        )
    lines.append(f"✓ generator in {options.out}{_processes(metrics)}")
    lines += _how_far(options, metrics.training)
    print_lines(lines, console())


def _training_line(metrics: "GeneratorMetrics") -> str:
    """Return what a generator was trained on, for how long, and with which loss."""
    sizes = metrics.sizes
    training = metrics.training
    parts = [
        f"{sizes.train:,} training and {sizes.validation:,} validation examples, "
        f"{sizes.trained:,} of {sizes.parameters:,} parameters trained",
        f"{training.updates:,} updates ({training.epochs:.1f} epochs, stopped: {training.stopped}) "
        f"in {metrics.seconds.training:.0f} s",
        f"validation loss {metrics.validation_loss:.3f} a token (update {training.best_update:,})",
        f"weights {metrics.weights_hash[:6]}",
    ]
    return "; ".join(parts)
