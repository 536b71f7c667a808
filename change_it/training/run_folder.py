"""Train judges and generators in a folder: begin or resume a run, and put the finished model in its place.

Everything unfinished lives in `<out>/checkpoints`; only a finished run replaces what `<out>` holds.
Where --max-minutes ended it, the checkpoints stay, and --resume goes on.
transformers' Trainer is not loaded.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import asdict
from importlib.metadata import version
from logging import getLogger
from pathlib import Path
from typing import Any

import numpy as np
from accelerate.utils import parse_flag_from_env, set_seed

from change_it.errors import InputError
from change_it.files.atomic import WORK, files_of_ours, read_json, replace_folder, write_json
from change_it.files.records import JsonObject, read_record, to_json
from change_it.files.texts import join_truncated
from change_it.models.pretrained import quiet
from change_it.models.saved import hash_of_model, hash_of_weights
from change_it.progress import bar
from change_it.training.record import (
    BEGUN,
    COMPLETE,
    METRICS,
    BegunRun,
    Seconds,
    TrainingRecord,
    TrainingResult,
)
from change_it.training.run import TokenIds, TrainingRun, process_state
from change_it.training.training_options import TrainingOptions, check_numbers
from change_it.version import __version__

logger = getLogger(__name__)

#: Libraries whose versions are recorded.
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets", "scikit-learn")
#: Settings that may change when a run is resumed; a corpus is known by what is recorded of it.
FREE_SETTINGS = {"resume", "max_minutes", "checkpoint_minutes", "out", "corpus"}
#: Examples that are tokenized at once.
EXAMPLES_AT_ONCE = 2000


def tokenized(encode: Callable[[range], Mapping[str, Any]], n: int) -> TokenIds:
    """Return the n examples of a run, and show how many are tokenized.

    Args:
        encode: returns the columns of the examples with these numbers.
        n: number of examples.
    """
    examples: TokenIds = []
    with bar("tokenizing", n, shown=process_state().is_main_process) as shown:
        for start in range(0, n, EXAMPLES_AT_ONCE):
            columns = encode(range(start, min(start + EXAMPLES_AT_ONCE, n)))
            for row in zip(*columns.values(), strict=True):
                example = {}
                for name, ids in zip(columns, row, strict=True):
                    example[name] = np.asarray(ids, np.int32)
                examples.append(example)
            shown.update(len(examples) - shown.n)
    return examples


def train_in_folder(
    settings: TrainingOptions,
    out: Path,
    what: str,
    prepare: Callable[[Any], TrainingRun],
    *,
    files: Mapping[str, Any],
    fitted: bool = False,
) -> bool:
    """Train a model and put it into `out`, or resume an interrupted run.

    Every process calls it with the same arguments.

    Args:
        settings: the options of the command.
        out: folder of the model.
        what: the model's kind, as in `change-it train <what>`.
        prepare: gets the `RunArguments` and returns the run; where the model is `fitted`, it gets None and
            fits it.
        files: JSON files that are saved with the model, by name.
        fitted: whether the model is fitted without the Trainer.

    Returns:
        True in the main process, whose `out` now has the model and its `metrics.json`; False in others.
    """
    check_numbers(settings)
    _refuse_sharding()
    started = time.monotonic()
    work = out / WORK
    state = process_state()
    options: JsonObject = json.loads(json.dumps({**settings.preset, **asdict(settings)}, default=str))
    arguments = None
    if not fitted:
        # Trainer, PEFT and datasets are loaded here.
        from change_it.training.trainer import train, training_arguments

        arguments = training_arguments(settings, work / what)
        # `accelerate launch` may have set it.
        options["mixed_precision"] = arguments.mixed_precision
    begun = BegunRun(options=options, processes=state.num_processes, files=dict(files))
    if settings.resume and not work.exists() and _is_finished(out, what, begun):
        if state.is_main_process:
            logger.warning("%s is finished: --resume leaves it as it is", out)
        return state.is_main_process
    if state.is_main_process:
        _open(work, what, begun, resume=settings.resume)
        if settings.resume and not any(work.glob(f"*/checkpoint-*/{COMPLETE}")):
            logger.warning("%s has no checkpoint to resume: training begins anew", out)
    state.wait_for_everyone()
    # The weights before training are the same in a resumed run and in every process.
    set_seed(settings.seed)
    result = TrainingResult()
    try:
        with quiet(), redirect_stdout(sys.stderr):
            run = prepare(arguments)
            if run.examples is not None and arguments:
                result = train(run, run.examples, settings, arguments, started=started)
    except BaseException as error:
        _keep_or_remove(out, error)
        raise
    if not state.is_main_process:
        return False
    _save(run, result, begun, out, what, started=started)
    return True


def _refuse_sharding() -> None:
    """Refuse a launch that shards the model, which the main process validates and saves whole."""
    for name in ("FSDP", "DeepSpeed"):
        if parse_flag_from_env(f"ACCELERATE_USE_{name.upper()}"):
            raise InputError(f"{name} shards the model: launch without it (a large model trains with --lora)")


def _keep_or_remove(out: Path, error: BaseException) -> None:
    """Keep the checkpoints of a run that an error ended, and say so; remove a run without any."""
    work = out / WORK
    if any(work.glob("*/checkpoint-*")):
        if isinstance(error, KeyboardInterrupt):
            # The first note is shown; the clock's comes before and says how old the checkpoint is.
            error.add_note("--resume goes on with the newest checkpoint")
    elif process_state().is_main_process:
        shutil.rmtree(work)
        # It may hold an earlier model.
        with suppress(OSError):
            out.rmdir()


def _save(
    run: TrainingRun, result: TrainingResult, begun: BegunRun, out: Path, what: str, *, started: float
) -> None:
    """Save a trained model with its records, and move it into its folder, where files of others stay.

    Args:
        run: the run.
        result: its end.
        begun: what it was begun with.
        out: folder of the model.
        what: the model's kind.
        started: when the command began, in `time.monotonic()`.
    """
    work = out / WORK
    final = work / "final"
    with quiet():
        run.save(final)
    weights_hash = hash_of_weights(final, command=f"change-it train {what}")
    measured = to_json(run.describe(result))
    record = TrainingRecord(
        weights_hash=weights_hash,
        model_hash=hash_of_model(final, weights_hash),
        seconds=Seconds(training=round(result.seconds, 1), all=round(time.monotonic() - started, 1)),
        training=result,
        processes=begun.processes,
        options=begun.options,
        versions=_versions(),
    )
    for name, content in begun.files.items():
        write_json(final / name, content)
    write_json(final / METRICS, {**measured, **to_json(record)})
    logs = work / what / "runs"
    if logs.exists():
        # Where the run was stopped before, they are there.
        shutil.copytree(logs, final / "logs", dirs_exist_ok=True)
    # Where the time is out, the checkpoints stay.
    finished_work = "" if result.stopped == "time" else WORK
    with replace_folder(out, METRICS, work=finished_work, later=["README.md"]) as folder:
        for path in list(final.iterdir()):
            os.replace(path, folder / path.name)


def _versions() -> dict[str, str]:
    """Return the versions of this package and of the libraries that train."""
    versions = {"change-it": __version__}
    for name in LIBRARIES:
        versions[name] = version(name)
    if "peft" in sys.modules:
        versions["peft"] = version("peft")
    return versions


def _is_finished(out: Path, what: str, begun: BegunRun) -> bool:
    """Tell whether a folder holds the finished model of this very run."""
    record = read_record(out / METRICS, TrainingRecord, f"train it again with `change-it train {what}`")
    if record is None:
        return False
    files = {name: read_json(out / name) for name in begun.files}
    return not _changed(begun, BegunRun(options=record.options, processes=record.processes, files={**files}))


def _changed(new: BegunRun, old: BegunRun) -> list[str]:
    """List the options and files in which two runs differ; where there are none, one can resume the other."""
    now = _settings_of(new)
    before = _settings_of(old)
    return sorted(name for name in now.keys() - FREE_SETTINGS if now[name] != before.get(name))


def _settings_of(run: BegunRun) -> JsonObject:
    """Return all that a run was begun with by name."""
    return {"processes": run.processes, **run.options, **run.files}


def _open(work: Path, what: str, new: BegunRun, *, resume: bool) -> None:
    """Begin the work folder, or check that it belongs to the run that is resumed."""
    files_of_ours(work.parent, METRICS)
    begun = read_record(work / BEGUN, BegunRun, f"choose another --out, or remove {work}")
    if work.exists() and begun is None:
        raise InputError(f"{work} exists and is not an unfinished {what}: choose another --out")
    if resume and begun is not None:
        changed = _changed(new, begun)
        if changed:
            raise InputError(
                f"{work} is of an unfinished run with another {join_truncated(changed)}: "
                "use the same options to finish it, or remove that folder to begin again"
            )
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    write_json(work / BEGUN, to_json(new))
