"""A training command from its settings to the finished model in its folder, for judges and generators alike.

Everything unfinished lives in `<out>/checkpoints`; only a finished run replaces what `<out>` holds.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from accelerate.utils import set_seed

from change_it import __version__
from change_it.errors import InputError
from change_it.io import check_writable, listed, read_json, replace_folder, write_json
from change_it.networks.pretrained import ANSWERING, hash_of_model, hash_of_weights, quiet
from change_it.training.trainer import (
    COMPLETE,
    TrainingRun,
    check_launch,
    process_state,
    train,
    training_arguments,
)
from change_it.training.training_options import TrainingSettings

WORK = "checkpoints"
METRICS = "metrics.json"
#: Settings that may change when a run is resumed.
FREE = {"resume", "max_minutes", "checkpoint_steps", "out"}
#: Files of a model; those of an older model must not stay with a new one.
MODEL_FILES = ("*.safetensors", "*.safetensors.index.json", "*config.json", METRICS, *ANSWERING)


def train_in_folder(
    settings: TrainingSettings,
    out: Path,
    what: str,
    prepare: Callable[[Path], TrainingRun],
    *,
    libraries: Sequence[str],
    files: Mapping[str, object],
) -> dict[str, Any]:
    """Train a model by the command `change-it train <what>` and put it into `out`, or resume an interrupted run; returns `metrics.json`.

    Every process calls it with the same arguments; what it returns is empty in every process but the main one. The versions
    of `libraries` are recorded, and `files` are JSON files that are saved with the model, by name.
    """
    check_launch()
    check_writable(out, kind="run")
    work = out / WORK
    arguments = training_arguments(settings, work / what)
    state = process_state()
    if settings.resume and not work.exists() and (finished := _finished(settings, out)):
        return finished
    begun = not work.exists()
    if state.is_main_process:
        _open(settings, work, what)
    state.wait_for_everyone()
    started = time.monotonic()
    try:
        with quiet():
            run = prepare(work)
    except InputError:
        if begun or not settings.resume:  # what was there to resume stays
            _leave_nothing(work)
        raise
    with quiet(), redirect_stdout(sys.stderr):
        result = train(run, settings, arguments, started=started)
    if not state.is_main_process:
        return {}
    final = work / "final"
    with quiet():
        run.save(final)
    weights_hash = hash_of_weights(final, command=f"change-it train {what}")
    metrics = {
        **run.describe(result),
        "weights_hash": weights_hash,
        "model_hash": hash_of_model(final, weights_hash),
        "seconds": {"training": round(result.seconds, 1), "all": round(time.monotonic() - started, 1)},
        "training": asdict(result),
        "options": _recorded(settings),
        "versions": {"change-it": __version__} | {library: version(library) for library in libraries},
    }
    for name, content in files.items():
        write_json(final / name, content)
    write_json(final / METRICS, metrics)
    publish(final, out, logs=work / what / "runs")
    return metrics


def _recorded(settings: TrainingSettings) -> dict[str, Any]:
    return dict(json.loads(json.dumps(asdict(settings), default=str)))


def _changed(settings: TrainingSettings, record: Mapping[str, Any]) -> list[str]:
    """The differences between two runs, in words; empty if one can resume the other."""
    now = {name: value for name, value in _recorded(settings).items() if name not in FREE}
    return [f"{name} was {record.get(name)}, is {now[name]}" for name in now if record.get(name) != now[name]]


def _open(settings: TrainingSettings, work: Path, what: str) -> None:
    """Begin the work folder, or check that it is of the run that is resumed."""
    if not work.exists() and not (work.parent / METRICS).exists():
        others = {path.name for pattern in (*MODEL_FILES, "logs") for path in work.parent.glob(pattern)}
        if others:
            raise InputError(
                f"--out {work.parent} holds files of something else ({listed(sorted(others))}): choose another folder"
            )
    record = work / "options.json"
    if settings.resume and (options := read_json(record)) is not None:
        if changed := _changed(settings, options):
            raise InputError(
                f"{work} is of an unfinished run with other options ({'; '.join(changed)}): "
                "use the same options to finish it, or remove that folder to begin again"
            )
        return
    if work.exists() and not record.exists():
        raise InputError(f"{work} exists and is not an unfinished {what}: choose another --out")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    write_json(record, _recorded(settings))


def stage(folder: Path, make: Callable[[Path], None], *, seed: int) -> Path:
    """A folder that is made once, by the main process: a resumed run and every other process read the same one."""
    if process_state().is_main_process and not (folder / COMPLETE).exists():
        set_seed(seed)
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)
        (folder / COMPLETE).touch()
    process_state().wait_for_everyone()
    return folder


def stage_pretrained(folder: Path, make: Callable[[], tuple[Any, Any]], *, seed: int) -> Path:
    """A `stage` with a model and its tokenizer."""

    def save(folder: Path) -> None:
        for each in make():
            each.save_pretrained(folder)

    return stage(folder, save, seed=seed)


def _leave_nothing(work: Path) -> None:
    """Drop the work of a run that could not begin."""
    if process_state().is_main_process:
        shutil.rmtree(work, ignore_errors=True)
        if not any(work.parent.iterdir()):
            work.parent.rmdir()


def _finished(settings: TrainingSettings, out: Path) -> dict[str, Any] | None:
    """Metrics of a finished run with the same settings; None if there is none."""
    metrics = read_json(out / METRICS)
    return None if metrics is None or _changed(settings, metrics["options"]) else metrics


def publish(final: Path, out: Path, *, logs: Path | None = None) -> None:
    """Replace the model in `out` as a whole by the finished one; drop everything unfinished, keep files of others."""
    if logs is not None and logs.exists():
        shutil.copytree(
            logs, final / "logs", dirs_exist_ok=True
        )  # those of before too, where it was stopped here
    ours = {WORK, *(path.name for path in final.iterdir())}
    ours |= {path.name for pattern in MODEL_FILES for path in out.glob(pattern)}
    if (out / METRICS).exists():  # it is of the model that is replaced
        ours.add("README.md")
    with replace_folder(out, ours=ours) as folder:
        for path in list(final.iterdir()):
            os.replace(path, folder / path.name)
