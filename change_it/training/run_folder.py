"""A training command from its settings to the finished model in its folder, for judges and generators.

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
from change_it.io import WORK, files_of_ours, read_json, replace_folder, write_json
from change_it.networks.pretrained import hash_of_model, hash_of_weights, quiet
from change_it.training.training_options import TrainingOptions
from change_it.training.training_run import TrainingResult, TrainingRun, check_launch, process_state

METRICS = "metrics.json"
#: Settings that may change when a run is resumed.
FREE = {"resume", "max_minutes", "checkpoint_minutes", "out", "corpus"}


def train_in_folder(
    settings: TrainingOptions,
    out: Path,
    what: str,
    prepare: Callable[[], TrainingRun],
    *,
    libraries: Sequence[str],
    files: Mapping[str, Any],
    fitted: bool = False,
) -> dict[str, Any]:
    """Train a model by the command `change-it train <what>` and put it into `out`, or resume an interrupted run; returns `metrics.json`.

    Every process calls it with the same arguments; what it returns is empty in every process but the main one. The versions
    of `libraries` are recorded, and `files` are JSON files that are saved with the model, by name. `fitted`: `prepare` fits it.
    """
    check_launch()
    started = time.monotonic()
    work = out / WORK
    if not fitted:
        from change_it.training.trainer import train, training_arguments  # loads Trainer, PEFT and datasets

        arguments = training_arguments(settings, work / what)
    state = process_state()
    record = {"options": _recorded(settings), "files": dict(files)}
    if settings.resume and not work.exists() and (finished := _finished(record, out)):
        return finished
    if state.is_main_process:
        _open(settings, work, what, record)
    state.wait_for_everyone()
    set_seed(settings.seed)  # the weights before training are the same in a resumed run and every process
    with quiet():
        run = prepare()
    result = TrainingResult(0, 0.0, 0.0, "updates", None, 0, [])
    if run.examples is not None:
        with quiet(), redirect_stdout(sys.stderr):
            result = train(run, run.examples, settings, arguments, started=started)
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
        "processes": state.num_processes,
        "options": record["options"],
        "versions": {"change-it": __version__} | {library: version(library) for library in libraries},
    }
    for name, content in record["files"].items():
        write_json(final / name, content)
    write_json(final / METRICS, metrics)
    publish(final, out, logs=work / what / "runs")
    return metrics


def _recorded(settings: TrainingOptions) -> dict[str, Any]:
    return dict(json.loads(json.dumps(settings.preset | asdict(settings), default=str)))


def _changed(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """The differences between two runs, in words; empty if one can resume the other. A corpus is the same wherever it lies."""

    def spelled(value: Any) -> Any:  # a local folder by its full path
        return str(Path(value).resolve()) if isinstance(value, str) and Path(value).is_dir() else value

    new, old = now["options"], before["options"]
    names = [name for name in new if name not in FREE and spelled(new[name]) != spelled(old.get(name))]
    files = [name for name in now["files"] if before["files"].get(name) != now["files"][name]]
    changed = [f"{name} was {old.get(name)}, is {new[name]}" for name in names]
    return changed + [f"{name} was of another corpus" for name in files]


def _open(settings: TrainingOptions, work: Path, what: str, record: Mapping[str, Any]) -> None:
    """Begin the work folder, or check that it is of the run that is resumed."""
    files_of_ours(work.parent, METRICS)
    begun = read_json(work / "options.json")
    begun = begun if begun and record.keys() <= begun.keys() else None
    if settings.resume and begun is not None:
        if changed := _changed(record, begun):
            raise InputError(
                f"{work} is of an unfinished run with other options ({'; '.join(changed)}): "
                "use the same options to finish it, or remove that folder to begin again"
            )
        return
    if work.exists() and begun is None:
        raise InputError(f"{work} exists and is not an unfinished {what}: choose another --out")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    write_json(work / "options.json", record)


def _finished(record: Mapping[str, Any], out: Path) -> dict[str, Any] | None:
    """Metrics of a finished run with the same settings; None if there is none."""
    if (metrics := read_json(out / METRICS)) is None:
        return None
    files = {name: read_json(out / name) for name in record["files"]}
    return None if _changed(record, {"options": metrics["options"], "files": files}) else metrics


def publish(final: Path, out: Path, *, logs: Path | None = None) -> None:
    """Replace the model in `out` as a whole by the finished one; drop everything unfinished, keep files of others."""
    if logs is not None and logs.exists():
        shutil.copytree(logs, final / "logs", dirs_exist_ok=True)  # where it was stopped here they are there
    with replace_folder(out, METRICS, work=WORK, later=["README.md"]) as folder:
        for path in list(final.iterdir()):
            os.replace(path, folder / path.name)
