"""`change-it train judge`; the options of one judge are `judges.judge_options`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from change_it.commands.common import print_lines, print_warnings
from change_it.corpus.folder import check_corpus
from change_it.errors import InputError
from change_it.io import check_writable, is_missing_path, listed
from change_it.judges.judge_options import (
    LINEAR,
    TASKS,
    Fold,
    JudgeOptions,
    Task,
    settings_of,
    table_of,
    within_event_table,
)
from change_it.tables import console, figure, print_table

#: Matches below which HH is said to have learnt from few.
FEW_MATCHES = 200


@dataclass(kw_only=True)
class TrainJudgeOptions(JudgeOptions):
    """Train judges of style (main), content (hh, ah) and fluency, one or all, and test them on A2.

    A linear judge is fitted in seconds. A transformer is compared with a linear judge of the same examples.

    Examples:
        change-it train judge --task main --corpus runs/quickstart/corpus --out runs/mine/judges/main
        change-it train judge --task all --fold both --corpus runs/mine/corpus --out runs/mine/judges
        change-it train judge --task hh --corpus runs/mine/corpus --encoder xlm-roberta-base --out runs/mine/judges/hh
        change-it train judge --task main --corpus runs/mine/corpus --encoder bilstm --train-on train_d --out runs/mine/lrec/main
        accelerate launch -m change_it.judges.train --task ah --encoder xlm-roberta-base --corpus runs/mine/corpus --out runs/mine/judges/ah
    """

    task: Task | Literal["all"]  # type: ignore[assignment]
    """main: which outlet wrote a headline; hh: do two headlines match; ah: do headline and article match; fluency: would a newspaper print it; all: each of them, in OUT/main, OUT/hh, ...."""
    out: Path
    """Folder of the judge, or of all judges. What it holds is replaced only when the run is finished."""
    fold: Fold | Literal["both"] = "all"  # type: ignore[assignment]
    """Train on one fold only; judges that choose candidates and judges that score them take different ones. both, with --task all: fold 1 into OUT and fold 0 into OUT-0."""

    @property
    def judges(self) -> list[JudgeOptions]:
        """The options of each judge."""
        if self.fold == "both" and self.task != "all":
            raise InputError("--fold both requires --task all")
        tasks = get_args(Task) if self.task == "all" else [self.task]
        folds = {"1": self.out, "0": self.out.with_name(f"{self.out.name}-0")}
        outs = folds if self.fold == "both" else {self.fold: self.out}
        return [
            JudgeOptions(
                **asdict(self)
                | {"task": task, "fold": fold, "out": out / task if self.task == "all" else out}
            )
            for fold, out in outs.items()
            for task in tasks
        ]


def run(options: TrainJudgeOptions) -> None:
    """Train judges and print their scores and their baselines'."""
    judges = options.judges
    check_corpus(options.corpus)
    for judge in judges:
        settings_of(judge)
        check_writable(judge.out, kind="run", inputs=judge.inputs, record="metrics.json")
    if is_missing_path(options.encoder):
        raise InputError(
            f"no encoder can be loaded from {options.encoder!r}: give a Hub id, a local folder, or --encoder {LINEAR}"
        )

    from change_it.hub.packaging import write_readme
    from change_it.judges.train import train_judge  # loads torch
    from change_it.training.training_run import process_state

    to = console()
    for judge in judges:
        metrics = train_judge(judge)
        if not process_state().is_main_process:
            continue
        write_readme(judge.out, "judge")
        if len(judges) == 1:
            if within := within_event_table(metrics):
                print_table(within, to)
            print_table(table_of(metrics), to)
        to.print(
            f"[green]✓[/] {judge.task} {line_of(metrics)}: [bold]{judge.out}[/]",
            soft_wrap=True,
            highlight=False,
        )
    if process_state().is_main_process:
        print_warnings(options.corpus, to)
        print_lines(_next(options), to)


def line_of(metrics: Mapping[str, Any]) -> str:
    """The results of a judge in a line, from its `metrics.json`."""
    parts = [f"{name} {figure(result['macro_f1'])}" for name, result in metrics["results"].items()]
    if within := metrics.get("within_event"):
        parts.append(f"within an event {figure(within['systems']['judge']['value'])}")
    if metrics["task"] == "hh" and (matches := metrics["sizes"]["train"] // 2) < FEW_MATCHES:
        parts.append(
            f"learnt from {matches} matches, fewer than {FEW_MATCHES}: take more articles, or build the corpus with a lower --strict"
        )
    return f"F1 {', '.join(parts)}"


def _next(options: TrainJudgeOptions) -> list[str]:
    """What comes after these judges."""
    folder = options.out if options.task == "all" else options.out.parent
    if lacking := [task for task in TASKS if not (folder / task).is_dir()]:
        return [f"Next: {folder} lacks {listed(lacking)}; --task all trains all four."]
    return [f"Next: change-it audit --judges {folder} --corpus {options.corpus}"]
