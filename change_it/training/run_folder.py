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
from change_it.files.texts import listed
from change_it.models.pretrained import hash_of_model, hash_of_weights, quiet
from change_it.training.run import COMPLETE, TokenIds, TrainingResult, TrainingRun, process_state
from change_it.training.training_options import TrainingOptions, check_numbers
from change_it.version import __version__

logger = getLogger(__name__)

METRICS = "metrics.json"
LIBRARIES = ("torch", "transformers", "tokenizers", "accelerate", "datasets", "scikit-learn")
#: Settings that may change when a run is resumed; a corpus is known by what is recorded of it.
FREE = {"resume", "max_minutes", "checkpoint_minutes", "out", "corpus"}
AT_ONCE = 2000


def tokenized(encode: Callable[[range], Mapping[str, Any]], n: int) -> TokenIds:
    """The examples of a run: `encode` gives the columns of those with these numbers, of n."""
    rows: TokenIds = []
    for start in range(0, n, AT_ONCE):
        columns = encode(range(start, min(start + AT_ONCE, n)))
        ids = zip(*columns.values(), strict=True)
        rows += [{name: np.asarray(row[i], np.int32) for i, name in enumerate(columns)} for row in ids]
    return rows


def train_in_folder(
    settings: TrainingOptions,
    out: Path,
    what: str,
    prepare: Callable[[Any], TrainingRun],
    *,
    files: Mapping[str, Any],
    fitted: bool = False,
) -> dict[str, Any]:
    """Train a model by the command `change-it train <what>` and put it into `out`, or resume an interrupted run; returns `metrics.json`.

    Every process calls it with the same arguments; what it returns is empty in every process but the main one. `prepare` gets the
    `RunArguments`, or fits the model where it is `fitted`. `files` are JSON files that are saved with the model, by name.
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
    record = {"options": options, "processes": state.num_processes, "files": dict(files)}
    if settings.resume and not work.exists() and (metrics := read_json(out / METRICS)):
        beside = {"files": {name: read_json(out / name) for name in files}}
        if not _changed(record, metrics | beside):
            if state.is_main_process:
                logger.warning("%s is finished: --resume leaves it as it is", out)
            return metrics
    if state.is_main_process:
        _open(work, what, record, resume=settings.resume)
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
        return {}
    final = work / "final"
    with quiet():
        run.save(final)
    libraries = [*LIBRARIES, *({"peft"} & sys.modules.keys())]
    weights_hash = hash_of_weights(final, command=f"change-it train {what}")
    metrics = {
        **run.describe(result),
        "weights_hash": weights_hash,
        "model_hash": hash_of_model(final, weights_hash),
        "seconds": {"training": round(result.seconds, 1), "all": round(time.monotonic() - started, 1)},
        "training": asdict(result),
        "processes": state.num_processes,
        "options": options,
        "versions": {"change-it": __version__} | {name: version(name) for name in libraries},
    }
    for name, content in {**files, METRICS: metrics}.items():
        write_json(final / name, content)
    if (logs := work / what / "runs").exists():
        shutil.copytree(logs, final / "logs", dirs_exist_ok=True)  # where it was stopped here they are there
    dropped = "" if result.stopped == "time" else WORK
    with replace_folder(out, METRICS, work=dropped, later=["README.md"]) as folder:  # files of others stay
        for path in list(final.iterdir()):
            os.replace(path, folder / path.name)
    return metrics


def _changed(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """The names of the options and files in which two runs differ; where there are none, one can resume the other."""
    now, before = (run | run.get("options", {}) | run["files"] for run in (new, old))
    names = {"processes", *new["options"], *new["files"]} - FREE
    return sorted(name for name in names if now[name] != before.get(name))


def _open(work: Path, what: str, record: Mapping[str, Any], *, resume: bool) -> None:
    """Begin the work folder, or check that it is of the run that is resumed."""
    files_of_ours(work.parent, METRICS)
    begun = read_json(work / "options.json") or {}
    is_run = record.keys() <= begun.keys()
    if work.exists() and not is_run:
        raise InputError(f"{work} exists and is not an unfinished {what}: choose another --out")
    if resume and is_run:
        if changed := _changed(record, begun):
            raise InputError(
                f"{work} is of an unfinished run with another {listed(changed)}: "
                "use the same options to finish it, or remove that folder to begin again"
            )
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    write_json(work / "options.json", record)
