"""SIGKILL when a file is written, one of those drawn from a seed: what is there is the old or the new state.

python tests/test_killed.py COMMAND FOLDER SEED
"""

import hashlib
import os
import random
import shutil
import signal
import sys
from dataclasses import replace
from functools import wraps
from pathlib import Path

import pytest
from processes import run_python

MOMENTS = 4
#: The module that does the work, the files by which a state is known (others have times in them), and the command.
COMMANDS = {
    "build": ("corpus.build", ("articles/train.parquet", "pairs/test.parquet", "README.md", "alignment.json"), "corpus build {made}/sample.csv"),
    "judge": ("judges.train", ("model.safetensors", "config.json"), "train judge --task hh --encoder {made}/encoder --arg max_steps=6 --corpus {made}/corpus"),
    "transfer": ("generators.file_transfer", ("",), "transfer --generator {made}/generator --generation do_sample=true --batch-size 16 --corpus {made}/corpus"),
    "score": ("results.report_files", ("systems.csv", "items/gold.csv"), "score --judges {made}/judges --resamples 50 --corpus {made}/corpus"),
}  # fmt: skip


def state(out, name):
    """What a reader would find: nothing, or a digest of the files by which a state is known.

    A folder that is being replaced is `.out.*.old` for a moment, and whole.
    """
    if not out.exists() and (old := list(out.parent.glob(f".{out.name}.*.old"))):
        out = max(old, key=lambda path: path.stat().st_ctime_ns)
    files = [out / file if file else out for file in COMMANDS[name][1]]
    if not any(file.is_file() for file in files):
        return ""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"missing")
    return digest.hexdigest()


def names(place):
    """What is there but what killed runs had begun or not yet deleted."""
    left = (".partial", ".old")
    return sorted(path.name for path in place.iterdir() if path.suffix not in left or path.name[0] != ".")


def start(command, folder, log, *, at=0):
    """Run it in a process of its own, which kills itself at its `at`-th file; the process, and where it says their number."""
    said, says = os.pipe()
    if (child := os.fork()) != 0:
        os.close(says)
        return child, said
    number = 0

    def count(event, details):
        nonlocal number
        writing = event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir") or (
            event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if writing and str(details[0]).startswith(str(folder)):
            number += 1
            if number == at:
                os.kill(os.getpid(), signal.SIGKILL)

    code = 99
    try:
        with log.open("a") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        from change_it.cli import main

        sys.addaudithook(count)
        code = main(command)
        os.write(says, str(number).encode())
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def finish(child, said):
    """Exit code (negative: the signal), and the number of files if it came to an end."""
    with os.fdopen(said, "rb") as pipe:
        number = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(number or 0)


def check(name, folder, seed):
    """Kill a command that replaces an older result, again and again; then let it end."""
    from importlib import import_module

    import change_it.auto  # noqa: F401 (all modules are loaded once, before the processes part)

    import_module(f"change_it.{COMMANDS[name][0]}")
    if name == "judge":
        from change_it.commands import train

        run_judge = train.judge
        train.judge = wraps(run_judge)(lambda options: run_judge(replace(options, checkpoint_minutes=0.0)))
    rng, place, log = random.Random(f"{seed} {name}"), folder / name, folder / f"{name}.log"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    out = place / ("out.csv" if name == "transfer" else "out")

    def command(out, seed, *more):
        given = COMMANDS[name][2].format(made=folder).split()
        return [*given, "--out", str(out), "--seed", str(seed), *more]

    def whole(out, seed, *more):
        code, files = finish(*start(command(out, seed, *more), place, log))
        assert code == 0, log.read_text()[-3000:]
        return state(out, name), files

    resumed = ["--resume"] if name == "judge" else []
    old, _ = whole(out, 1)
    new, files = whole(out.with_name(f"whole-{out.name}"), 2)
    assert old != new
    assert "" not in (old, new)
    beside = names(place)
    found = []
    for moment in range(MOMENTS):
        at = rng.randint(1, files)
        code, _ = finish(*start(command(out, 2, *(resumed if found else [])), place, log, at=at))
        assert code in (0, -signal.SIGKILL), log.read_text()[-3000:]
        found.append(state(out, name))
        assert found[-1] in (old, new), (name, f"moment {moment} of seed {seed}, file {at} of {files}")
    assert whole(out, 2, *resumed)[0] == new
    assert names(place) == beside
    if name == "judge":
        from change_it.training.run_folder import WORK

        assert not (out / WORK).exists()


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
