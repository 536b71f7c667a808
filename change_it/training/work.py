"""The output folder of a training command: unfinished work apart, options that must not change, one step to publish.

Everything unfinished lives in `<out>/checkpoints`: the options, the model before training, the loop's checkpoints.
Only a finished run replaces what `<out>` holds.
"""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from accelerate.utils import set_seed

from change_it import __version__
from change_it.errors import InputError
from change_it.training.loop import process_state

WORK = "checkpoints"
METRICS = "metrics.json"
COMPLETE = "complete"
#: Options that may change when a run is resumed.
FREE = {"resume", "max_minutes", "checkpoint_steps", "tensorboard", "out"}
#: Files of a model; those of an older model must not stay beside a new one.
MODEL_FILES = ("*.safetensors", "*.safetensors.index.json", "*config.json", METRICS)


class RunOptions(Protocol):
    """What is asked here of a command's options, a dataclass."""

    out: Path
    resume: bool


def recorded(options: RunOptions) -> dict[str, Any]:
    """Options as JSON.

    Args:
        options: a dataclass.
    """
    values: dict[str, Any] = asdict(options)  # type: ignore[call-overload]
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def changed(options: RunOptions, record: dict[str, Any]) -> list[str]:
    """What differs between two runs' options, in words; nothing if one can go on where the other stopped.

    Args:
        options: of this run.
        record: `recorded` options of the other.
    """
    return [
        f"{name} was {record.get(name)}, is {value}"
        for name, value in recorded(options).items()
        if name not in FREE and record.get(name) != value
    ]


def open_work(options: RunOptions, what: str) -> None:
    """Begin `<out>/checkpoints`, or check that it is of the run that is resumed.

    Args:
        options: of this run, resolved.
        what: judge or generator, for messages.

    Raises:
        InputError: `out` is a file, its work folder is not ours, or the run to resume had other options.
    """
    work = options.out / WORK
    record = work / "options.json"
    if options.resume and record.exists():
        if told := changed(options, json.loads(record.read_text(encoding="utf-8"))):
            raise InputError(
                f"{options.out} cannot be resumed ({'; '.join(told)}): use the same options or drop --resume"
            )
        return
    if options.out.exists() and not options.out.is_dir():
        raise InputError(f"--out {options.out} is a file: give a folder")
    if work.exists() and not record.exists():
        raise InputError(f"{work} is there and no unfinished {what} of ours: choose another --out")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    replace_text(record, json.dumps(recorded(options), indent=2))


def stage(folder: Path, make: Callable[[Path], None], *, seed: int) -> Path:
    """A folder that is made once, by the main process: a resumed run and every other process read the same one.

    Args:
        folder: inside the work folder.
        make: writes into the folder that it is given.
        seed: set before `make`.

    Returns:
        `folder`.
    """
    if process_state().is_main_process and not (folder / COMPLETE).exists():
        set_seed(seed)
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)
        (folder / COMPLETE).touch()
    process_state().wait_for_everyone()
    return folder


def leave_nothing(work: Path) -> None:
    """Drop the work of a run that could not begin, and the folder that was made for it.

    Args:
        work: `<out>/checkpoints`.
    """
    if process_state().is_main_process:
        shutil.rmtree(work, ignore_errors=True)
        if not any(work.parent.iterdir()):
            work.parent.rmdir()


def finished(options: RunOptions) -> dict[str, Any] | None:
    """Metrics of a finished run with the same options; None if there is none.

    Args:
        options: of this run, resolved.
    """
    path = options.out / METRICS
    if not path.exists():
        return None
    metrics: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return None if changed(options, metrics["options"]) else metrics


def publish(final: Path, out: Path, *, logs: Path | None = None) -> None:
    """Replace the model in `out` by the finished one, its metrics last; drop everything unfinished.

    Args:
        final: folder of the finished model inside the work folder, which is removed.
        out: where it goes.
        logs: TensorBoard logs that replace `<out>/logs`, if they are there.
    """
    names = {path.name for path in final.iterdir()}
    for path in sorted(final.iterdir(), key=lambda path: path.name == METRICS):
        os.replace(path, out / path.name)
    for old in {path for pattern in MODEL_FILES for path in out.glob(pattern)}:
        if old.name not in names:
            old.unlink()
    if logs is not None and logs.exists():
        shutil.rmtree(out / "logs", ignore_errors=True)
        logs.rename(out / "logs")
    shutil.rmtree(final.parent)


def write_metrics(metrics: dict[str, Any], folder: Path) -> None:
    """Write `metrics.json`.

    Args:
        metrics: JSON values.
        folder: where to.
    """
    replace_text(folder / METRICS, json.dumps(metrics, indent=2, ensure_ascii=False) + "\n")


def versions(libraries: tuple[str, ...]) -> dict[str, str]:
    """Versions of this package and of libraries.

    Args:
        libraries: names of installed distributions.
    """
    return {"change-it": __version__} | {library: version(library) for library in libraries}


def replace_text(path: Path, text: str) -> None:
    """Write a text file in one step: it is the old one or the new one, never half of it.

    Args:
        path: the file.
        text: its content.
    """
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
