"""SIGKILL when a file is written, one of those drawn from a seed: what is there is the old or the new state.

python tests/test_killed.py COMMAND FOLDER SEED
"""

import os
import random
import shutil
import signal
import sys
from dataclasses import replace
from functools import wraps
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import pytest
from processes import run_python

MOMENTS = 4
#: The module that does the work, the files by which a state is known (others have times in them), and the
#: command.
COMMANDS = {
    "build": (
        "corpus.build",
        ("articles/train.parquet", "pairs/test.parquet", "README.md", "alignment.json"),
        "corpus build {made}/sample.csv",
    ),
    "judge": (
        "judges.train",
        ("model.safetensors", "config.json"),
        "train judge --task hh --encoder {made}/encoder --arg max_steps=6 --corpus {made}/corpus",
    ),
    "transfer": (
        "generators.batch",
        ("",),
        "transfer --generator {made}/generator --generation do_sample=true --batch-size 16"
        " --corpus {made}/corpus",
    ),
    "score": (
        "report.report_files",
        ("systems.csv", "items/gold.csv"),
        "score --judges {made}/judges --resamples 50 --corpus {made}/corpus",
    ),
}


def state(out, name):
    """Return what somebody would find of the files by which a state is known.

    A folder that is being replaced is `.out.*.old` for a moment, and whole.
    """
    if not out.exists() and (old := list(out.parent.glob(f".{out.name}.*.old"))):
        out = max(old, key=lambda path: path.stat().st_ctime_ns)
    files = [out / file if file else out for file in COMMANDS[name][1]]
    return [file.read_bytes() if file.is_file() else None for file in files]


def names(place):
    """Return what is there but what killed runs had begun or not yet deleted."""
    left = (".partial", ".old")
    return sorted(path.name for path in place.iterdir() if path.suffix not in left or path.name[0] != ".")


def run(command, folder, kill_at, files):
    """Run a command, which counts its `files` and kills itself at one of them."""

    def count(event, details):
        writing = event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir") or (
            event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if writing and str(details[0]).startswith(str(folder)):
            files.value += 1
            if files.value == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    from change_it.cli import main

    sys.addaudithook(count)
    sys.exit(main(command))


def check(name, folder, seed):
    """Kill a command that replaces an older result, again and again; then let it end."""
    # All modules are loaded once, before the processes part.
    import_module("change_it.auto")
    import_module(f"change_it.{COMMANDS[name][0]}")
    if name == "judge":
        from change_it.cli import train

        run_judge = train.judge
        train.judge = wraps(run_judge)(lambda options: run_judge(replace(options, checkpoint_minutes=0.0)))
    rng, place, processes = random.Random(f"{seed} {name}"), folder / name, get_context("fork")
    place.mkdir()
    out = place / ("out.csv" if name == "transfer" else "out")

    def ended(out, seed, *more, kill_at=0):
        """Run the command in a process, and return how it ended.

        That is the exit code (negative: the signal), the state that is left, and the number of files written.
        """
        arguments = COMMANDS[name][2].format(made=folder).split()
        command, files = [*arguments, "--out", str(out), "--seed", str(seed), *more], processes.Value("i")
        process = processes.Process(target=run, args=(command, place, kill_at, files))
        process.start()
        process.join()
        return process.exitcode, state(out, name), files.value

    resumed = ["--resume"] if name == "judge" else []
    code, old, _ = ended(out, 1)
    other_code, new, files = ended(out.with_name(f"whole-{out.name}"), 2)
    assert code == other_code == 0
    assert old != new
    assert None not in [*old, *new]
    beside = names(place)
    for moment in range(MOMENTS):
        kill_at = rng.randint(1, files)
        code, left, _ = ended(out, 2, *(resumed if moment else []), kill_at=kill_at)
        assert code in (0, -signal.SIGKILL)
        assert left in (old, new), f"{name}: moment {moment} of seed {seed}, file {kill_at} of {files}"
    assert ended(out, 2, *resumed)[:2] == (0, new)
    assert names(place) == beside
    assert not (out / "checkpoints").exists()


@pytest.fixture(scope="module")
def made(tmp_path_factory, saved_models, corpus):
    """A corpus, its sample, an encoder, untrained judges and a generator."""
    from saved_judges import build_encoder, save_parts

    folder = shutil.copytree(saved_models, tmp_path_factory.mktemp("killed") / "made")
    save_parts(folder / "encoder", *build_encoder())
    shutil.copytree(corpus, folder / "corpus")
    shutil.copy(Path(corpus).parent / "sample.csv", folder / "sample.csv")
    return folder


@pytest.mark.slow(seconds=15)
@pytest.mark.parametrize("name", list(COMMANDS))
def test_killed_commands_leave_the_old_or_the_new_state(name, made):
    seed = random.randrange(2**32)
    print("seed", seed)
    done = run_python(__file__, name, str(made), str(seed))
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    chosen, folder, seed = sys.argv[1:]
    check(chosen, Path(folder), int(seed))
