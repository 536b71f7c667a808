"""How much is trained at each scale: a few updates, small models from scratch, or what the papers did."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from change_it.commands.score import ScoreOptions
from change_it.commands.transfer import TransferOptions
from change_it.corpus.folder import read_language
from change_it.generators.generator_options import TRANSFORMER, WRITER, GeneratorOptions, Recipe
from change_it.judges.judge_options import (
    BILSTM,
    CROSS_ENCODER,
    SCRATCH,
    TASKS,
    JudgeOptions,
    Task,
    TrainingSet,
)
from change_it.reproduction.reproduce_options import ReproduceOptions, Scale
from change_it.steps import Step

#: The papers' judges are cross-encoders; ours have heads of their own.
JudgeKind = Literal["papers", "ours"]

#: Updates of judges, and what else keeps them short.
_SMOKE: dict[Task, dict[str, Any]] = {
    "main": {"updates": 60, "batch_size": 32, "evaluation_steps": 30},
    "hh": {"updates": 40, "batch_size": 16, "evaluation_steps": 20},
    "ah": {"updates": 12, "batch_size": 8, "evaluation_steps": 6},
}
#: The papers' judges with a pre-trained encoder at `cpu`: larger steps on fewer and shorter examples than theirs.
_PRETRAINED: dict[Task, dict[str, Any]] = {
    "main": {"batch_size": 64, "updates": 150, "learning_rate": 5e-5},
    "hh": {"batch_size": 16, "updates": 180, "learning_rate": 5e-5},
    "ah": {"batch_size": 16, "updates": 120, "learning_rate": 5e-5, "max_tokens": 128},
}
_PRETRAINED_SECONDS: dict[Task, float] = {"main": 150, "hh": 120, "ah": 900}
#: Seconds of a judge and of a generator, by scale; measured on two cores, at full scale from the time of a step.
_JUDGE_SECONDS: dict[Scale, dict[Task, float]] = {
    "smoke": {"main": 15, "hh": 15, "ah": 20},
    "cpu": {"main": 75, "hh": 60, "ah": 300},
    "full": {"main": 12_000, "hh": 1_500, "ah": 400_000},
}
_GENERATOR_SECONDS: dict[Scale, float] = {"smoke": 10, "cpu": 45, "full": 93_000}
_TRANSFORMER_SECONDS: dict[Scale, float] = {"smoke": 40, "cpu": 80, "full": 0}
_WRITER_SECONDS: dict[Scale, float] = {"smoke": 60, "cpu": 900, "full": 20_000}
_TRANSFER_SECONDS: dict[Scale, float] = {"smoke": 2, "cpu": 15, "full": 3_600}
_WRITER_TRANSFER_SECONDS: dict[Scale, float] = {"smoke": 450, "cpu": 450, "full": 10_000}
_BILSTM_SECONDS: dict[Scale, float] = {"smoke": 30, "cpu": 180, "full": 3_000}

#: Updates of the papers' networks: no more than started, and small ones.
GENERATOR_UPDATES = {"smoke": 40, "cpu": 200}
#: Updates of our Transformer, which writes sentences when the papers' networks still write commas.
TRANSFORMER_UPDATES = {"smoke": 100, "cpu": 120}
#: The pre-trained model that is tuned beside them, its updates, and its minutes.
OUR_WRITER = "our-writer"
WRITER_UPDATES, WRITER_MINUTES = 4, 15.0
#: Updates of the classifiers of LREC 2020.
CLASSIFIER_UPDATES = {"smoke": 150}
#: Bootstrap resamples, and trials of tests at least, see `scoring.scores.trials`.
RESAMPLES: dict[Scale, int] = {"smoke": 200, "cpu": 1000, "full": 1000}


def judge_step(options: ReproduceOptions, task: Task, kind: JudgeKind) -> Step:
    """A judge for scoring."""
    settings: dict[str, Any] = {"head": CROSS_ENCODER if kind == "papers" else None}
    seconds = _JUDGE_SECONDS[options.scale][task]
    encoder = options.encoder if kind == "papers" else None
    if encoder or options.scale != "full":
        settings["encoder"] = encoder or SCRATCH
    if options.scale == "smoke":
        settings |= _SMOKE[task]
    elif options.scale == "cpu":
        if encoder:
            settings |= _PRETRAINED[task]
            seconds = _PRETRAINED_SECONDS[task]
        elif task == "ah":
            settings |= {"updates": 60, "evaluation_steps": 60}
    out = options.out / "judges" / kind / task
    return Step(
        name=f"{task} judge, {kind}",
        command="change_it.commands.train_judge:run",
        settings=JudgeOptions(
            task=task, corpus=options.corpus, out=out, seed=options.seed, resume=True, **settings
        ),
        makes=out / "metrics.json",
        seconds=seconds,
    )


def judge_steps(options: ReproduceOptions, kind: JudgeKind) -> list[Step]:
    """Main, HH and AH."""
    return [judge_step(options, task, kind) for task in TASKS]


def classifier_step(options: ReproduceOptions, train_on: TrainingSet) -> Step:
    """The classifier of LREC 2020 on one of its training sets."""
    out = options.out / "classifiers" / train_on
    settings: dict[str, Any] = {}
    if options.scale == "smoke":
        settings = {"updates": CLASSIFIER_UPDATES[options.scale], "evaluation_steps": 30}
    elif options.scale == "cpu":
        settings = {"epochs": 3}
    return Step(
        name=f"classifier of {train_on}",
        command="change_it.commands.train_judge:run",
        settings=JudgeOptions(
            task="main",
            corpus=options.corpus,
            out=out,
            encoder=BILSTM,
            train_on=train_on,
            seed=options.seed,
            resume=True,
            **settings,
        ),
        makes=out / "metrics.json",
        seconds=_BILSTM_SECONDS[options.scale],
    )


def generator_step(
    options: ReproduceOptions, system: str, recipe: Recipe, architecture: str, to: str | None
) -> Step:
    """A generator of a system for one outlet."""
    out = options.out / "generators" / system / (f"{recipe}-{to}" if to else recipe)
    settings: dict[str, Any] = {}
    seconds = (_TRANSFORMER_SECONDS if architecture == TRANSFORMER else _GENERATOR_SECONDS)[options.scale]
    if architecture == TRANSFORMER:
        updates = TRANSFORMER_UPDATES[options.scale]
        settings = {"updates": updates, "evaluation_steps": updates}
    elif options.scale != "full":
        settings = {"quick": True, "updates": GENERATOR_UPDATES[options.scale]}
        if options.scale == "smoke":
            settings["evaluation_steps"] = GENERATOR_UPDATES["smoke"]
    else:
        settings = {"as_published": True}
    return Step(
        name=f"generator {system}{f' to {to}' if to else ''}",
        command="change_it.commands.train_generator:run",
        settings=GeneratorOptions(
            recipe=recipe,
            to=to,
            architecture=architecture,
            corpus=options.corpus,
            out=out,
            seed=options.seed,
            resume=True,
            **settings,
        ),
        makes=out / "metrics.json",
        seconds=seconds,
    )


def writer_steps(options: ReproduceOptions) -> list[Step]:
    """The pre-trained model that is tuned as a system of ours, and its headlines; none where none is given."""
    if options.writer is None:
        return []
    updates = {"updates": WRITER_UPDATES, "evaluation_steps": WRITER_UPDATES}
    of_scale: dict[Scale, dict[str, Any]] = {
        "smoke": updates,
        "cpu": {"max_minutes": WRITER_MINUTES},
        "full": {},
    }
    out = options.out / "generators" / OUR_WRITER / "rewrite"
    trained = Step(
        name=f"generator {OUR_WRITER}, {Path(options.writer).name} tuned",
        command="change_it.commands.train_generator:run",
        settings=GeneratorOptions(
            recipe="rewrite",
            architecture=options.writer,
            corpus=options.corpus,
            out=out,
            language="it" if read_language(options.corpus) in ("it", None) else "en",
            seed=options.seed,
            resume=True,
            **WRITER,
            **of_scale[options.scale],
        ),
        makes=out / "metrics.json",
        seconds=_WRITER_SECONDS[options.scale],
    )
    written = transfer_step(options, OUR_WRITER, (trained.name,))
    return [trained, replace(written, seconds=_WRITER_TRANSFER_SECONDS[options.scale])]


def is_writer(step: Step) -> bool:
    """Whether a step tunes the pre-trained model."""
    return step.makes.parts[-3:-1] == (OUR_WRITER, "rewrite")


def writer_note(options: ReproduceOptions) -> str:
    """What the system is that no paper has; empty without it."""
    if options.writer is None:
        return ""
    return f" {OUR_WRITER} is ours, {Path(options.writer).name} tuned on this corpus: no paper has figures of it."


def transfer_step(options: ReproduceOptions, system: str, needs: tuple[str, ...], **settings: Any) -> Step:
    """The test headlines of a corpus as a system writes them."""
    out = options.out / "predictions" / f"{system}.csv"
    if options.scale != "full":
        settings["beams"] = 1
    return Step(
        name=f"headlines of {system}",
        command="change_it.commands.transfer:run",
        settings=TransferOptions(
            **{
                "generator": str(options.out / "generators" / system),
                "corpus": options.corpus,
                "out": out,
                "device": options.device,
                "seed": options.seed,
                **settings,
            }
        ),
        makes=out,
        needs=needs,
        seconds=_TRANSFER_SECONDS[options.scale],
    )


def score_step(
    options: ReproduceOptions, kind: JudgeKind, systems: dict[str, Path], needs: tuple[str, ...]
) -> Step:
    """All systems judged by judges of a kind."""
    out = options.out / "scores" / kind
    return Step(
        name=f"scores by the judges, {kind}",
        command="change_it.commands.score:run",
        settings=ScoreOptions(
            corpus=options.corpus,
            judges=str(options.out / "judges" / kind),
            predictions=tuple(f"{name}={file}" for name, file in systems.items()),
            out=out,
            resamples=RESAMPLES[options.scale],
            seed=options.seed,
            device=options.device,
        ),
        makes=out / "scores.json",
        needs=needs,
        seconds={"smoke": 30, "cpu": 120, "full": 3_600}[options.scale],
    )
