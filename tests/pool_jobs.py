"""What jobs of tests call: processes find it by its name."""

import multiprocessing
import os
import signal
from pathlib import Path

from change_it.corpus.reading.reading import RefusedError

#: What a server loads once for all processes that run these jobs, and that they all would load else.
PRELOADED = ["pool_jobs", "change_it.cli.quickstart"]


class UnsendableError(Exception):
    """An error that no other process can make again."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def say(text):
    print(text)


def say_process(_):
    print(os.getpid())


def wait_for_other(pipe):
    """Go on when another process meets this one."""
    print("waits")
    Path(pipe).read_text()


def meet_other(pipe):
    Path(pipe).write_text("here")


def refuse(text):
    print("looked")
    raise RefusedError(text, [])


def fail(text):
    raise UnsendableError("no", text)


def be_killed(_):
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt_command(text):
    """Interrupt the command as Ctrl-C does, and say what an interrupted job cleans up."""
    try:
        os.kill(multiprocessing.parent_process().pid, signal.SIGINT)
        signal.pause()
    except KeyboardInterrupt:
        print(f"cleaned up {text}")
        raise


def hold(pipe):
    """Keep a pipe open until this process ends."""
    with open(pipe, "w") as held:
        held.write("begun")
        held.flush()
        signal.pause()


def fake_step(options):
    """Write what a step of the quickstart is known by, and print its folder and task."""
    target = options if isinstance(options, Path) else options.out
    if target is None:  # where an audit is written unless it is told
        target = Path(options.judges).with_name("audit")
    print(f"{type(options).__name__} {getattr(options, 'task', '')} {target.parent.name}")
    if target.suffix:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
        return
    target.mkdir(parents=True, exist_ok=True)
    for name in ("alignment.json", "audit.json", "metrics.json"):
        (target / name).touch()


def accept(_):
    """Find no fault."""


def failing_audit(options):
    print("audit looked")
    raise RefusedError("no audit", [])
