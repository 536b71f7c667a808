"""A run of training, for judges and generators: what a command describes, and how the finished model gets into its folder.

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
from change_it.files.texts import listed
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

LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets", "scikit-learn")
#: Settings that may change when a run is resumed; a corpus is known by what is recorded of it.
FREE = {"resume", "max_minutes", "checkpoint_minutes", "out", "corpus"}
AT_ONCE = 2000


def tokenized(encode: Callable[[range], Mapping[str, Any]], n: int) -> TokenIds:
    """Return the examples of a run, and show how many are tokenized.

    `encode` gives the columns of those with these numbers, of n.
    """
    rows: TokenIds = []
    with bar("tokenizing", n, shown=process_state().is_main_process) as shown:
        for start in range(0, n, AT_ONCE):
            columns = encode(range(start, min(start + AT_ONCE, n)))
            ids = zip(*columns.values(), strict=True)
            rows += [{name: np.asarray(row[i], np.int32) for i, name in enumerate(columns)} for row in ids]
            shown.update(len(rows) - shown.n)
    return rows


def train_in_folder(
    settings: TrainingOptions,
    out: Path,
    what: str,
    prepare: Callable[[Any], TrainingRun],
    *,
    files: Mapping[str, Any],
    fitted: bool = False,
) -> bool:
    """Train a model by the command `change-it train <what>` and put it into `out`, or resume an interrupted run.

    Every process calls it with the same arguments, and the main one alone returns True: the model and its `metrics.json`
    are in `out`. `prepare` gets the `RunArguments`, or fits the model where it is `fitted`. `files` are JSON files that are
    saved with the model, by name.
    """
    check_numbers(settings)
    for name in ("FSDP", "DeepSpeed"):  # the main process validates and saves the model whole
        if parse_flag_from_env(f"ACCELERATE_USE_{name.upper()}"):
            raise InputError(f"{name} shards the model: launch without it (a large model trains with --lora)")
    started, work, state = time.monotonic(), out / WORK, process_state()
    options, arguments = json.loads(json.dumps(settings.preset | asdict(settings), default=str)), None
    if not fitted:
        from change_it.training.trainer import train, training_arguments  # loads Trainer, PEFT and datasets

        arguments = training_arguments(settings, work / what)
        options["mixed_precision"] = arguments.mixed_precision  # `accelerate launch` may have set it
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
    set_seed(settings.seed)  # the weights before training are the same in a resumed run and every process
    result = TrainingResult()
    try:
        with quiet(), redirect_stdout(sys.stderr):
            run = prepare(arguments)
            if run.examples is not None and arguments:
                result = train(run, run.examples, settings, arguments, started=started)
    except BaseException as error:
        if any(work.glob("*/checkpoint-*")):
            if isinstance(
                error, KeyboardInterrupt
            ):  # the first note is shown; the clock's says how old it is
                error.add_note("--resume goes on with the newest checkpoint")
        elif state.is_main_process:
            shutil.rmtree(work)
            with suppress(OSError):  # it holds an earlier model
                out.rmdir()
        raise
    if not state.is_main_process:
        return False
    final = work / "final"
    with quiet():
        run.save(final)
    libraries = [*LIBRARIES, *({"peft"} & sys.modules.keys())]
    weights_hash = hash_of_weights(final, command=f"change-it train {what}")
    measured = to_json(run.describe(result))
    record = TrainingRecord(
        weights_hash=weights_hash,
        model_hash=hash_of_model(final, weights_hash),
        seconds=Seconds(training=round(result.seconds, 1), all=round(time.monotonic() - started, 1)),
        training=result,
        processes=state.num_processes,
        options=options,
        versions={"change-it": __version__} | {name: version(name) for name in libraries},
    )
    metrics = measured | to_json(record)
    for name, content in {**files, METRICS: metrics}.items():
        write_json(final / name, content)
    if (logs := work / what / "runs").exists():
        shutil.copytree(logs, final / "logs", dirs_exist_ok=True)  # where it was stopped here they are there
    dropped = "" if result.stopped == "time" else WORK
    with replace_folder(out, METRICS, work=dropped, later=["README.md"]) as folder:  # files of others stay
        for path in list(final.iterdir()):
            os.replace(path, folder / path.name)
    return True


def _is_finished(out: Path, what: str, begun: BegunRun) -> bool:
    """Tell whether a folder holds the finished model of this very run."""
    record = read_record(out / METRICS, TrainingRecord, f"train it again with `change-it train {what}`")
    if record is None:
        return False
    files = {name: read_json(out / name) for name in begun.files}
    return not _changed(begun, BegunRun(options=record.options, processes=record.processes, files={**files}))


def _changed(new: BegunRun, old: BegunRun) -> list[str]:
    """List the options and files in which two runs differ; where there are none, one can resume the other."""
    now, before = _settings_of(new), _settings_of(old)
    return sorted(name for name in now.keys() - FREE if now[name] != before.get(name))


def _settings_of(run: BegunRun) -> JsonObject:
    """Return all that a run was begun with by name."""
    return {"processes": run.processes, **run.options, **run.files}


def _open(work: Path, what: str, new: BegunRun, *, resume: bool) -> None:
    """Begin the work folder, or check that it is of the run that is resumed."""
    files_of_ours(work.parent, METRICS)
    begun = read_record(work / BEGUN, BegunRun, f"choose another --out, or remove {work}")
    if work.exists() and begun is None:
        raise InputError(f"{work} exists and is not an unfinished {what}: choose another --out")
    if resume and begun is not None:
        if changed := _changed(new, begun):
            raise InputError(
                f"{work} is of an unfinished run with another {listed(changed)}: "
                "use the same options to finish it, or remove that folder to begin again"
            )
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    write_json(work / BEGUN, to_json(new))
