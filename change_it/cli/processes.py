"""Run jobs in several processes at once.

A job starts as soon as those that it needs are finished and a process is free.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Thread
from typing import Any

from change_it.cli.common import collect_garbage_seldom
from change_it.cli.jobs import Call, Job, JobQueue, JobTime, call_all
from change_it.errors import InputError, add_versions

#: When a job began and ended, in seconds since 1970.
_Times = tuple[float, float]
#: Modules that a server loads once, for all processes that it forks.
PRELOADED = ["change_it.cli.preloaded"]
#: How processes start. Only Linux forks safely a process that has loaded numerical libraries.
START = "forkserver" if sys.platform == "linux" else "spawn"
#: Variables of the processes: numerical libraries use one thread each, and polars gives memory back at once.
VARIABLES = {"OMP_NUM_THREADS": "1", "_RJEM_MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"}
#: Bytes that a process needs, at most, where the corpus is the embedded sample.
MEMORY = 700 * 10**6


def usable_processes(wanted: int) -> int:
    """Return how many processes to use: as many as wanted, or one for each core.

    There are never more than memory allows.

    Raises:
        InputError: a negative number is wanted.
    """
    if wanted < 0:
        raise InputError(f"--processes {wanted} is too few: give 1 or more, or 0 for one for each core")
    from joblib import cpu_count  # knows the limits of containers

    allowed = max(1, available_memory() // MEMORY)
    return min(wanted or cpu_count(), allowed)


def available_memory() -> int:
    """Return the bytes that programs may still take; a very large number where the system does not tell."""
    amounts = [sys.maxsize]
    with suppress(OSError, LookupError, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        values = dict(line.split(":", 1) for line in lines)
        amounts.append(int(values["MemAvailable"].split()[0]) * 1024)
    with suppress(OSError, ValueError):  # "max" is no number
        amounts.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    if len(amounts) == 1 and hasattr(os, "sysconf"):
        with suppress(OSError, ValueError):
            amounts.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(amounts)


def run_jobs(
    jobs: Sequence[Job],
    processes: int,
    log_of: Callable[[str], Path],
    *,
    show: Callable[[Collection[str]], object] = lambda _: None,
) -> Generator[tuple[str, JobTime], None, None]:
    """Run jobs, and yield the name and the time of each when it is finished, in any order.

    Args:
        jobs: The jobs, in an order in which one process may run them.
        processes: Number that run at once, at most. With one all run in this process, in their order.
        log_of: Gives the file of a job by its name. What the job prints is added to that file.
        show: Called with the names of the jobs that run, each time that they change.

    Raises:
        Exception: What the first job in the order that failed has raised. Jobs after it do not start any
            more, and jobs before it are finished first: one process would have raised the same.
    """
    if min(processes, len(jobs)) < 2:
        for job in jobs:
            show([job.name])
            first, last = call_all(job.calls, log_of(job.name))
            yield job.name, JobTime(start=first, end=last, process=0)
        return
    queue = JobQueue(jobs)
    with _Starter() as starter:
        while True:
            while len(starter.running) < processes:
                taken = queue.take()
                if taken is None:
                    break
                starter.start(taken, log_of(taken.name))
            if not starter.running:
                break
            show([started.job.name for started in starter.running.values()])
            for job, number, ended in starter.wait():
                queue.note(job, ended.exception())
                if ended.exception() is None:
                    first, last = ended.result()
                    yield job.name, JobTime(start=first, end=last, process=number)
    if queue.error:
        raise _sentence(queue.error)


@dataclass(frozen=True)
class _Started:
    """A job that runs.

    Attributes:
        job: The job.
        number: Number of its process, 1 to as many as run at once.
        pool: The one process that runs it.
    """

    job: Job
    number: int
    pool: ProcessPoolExecutor


class _Starter:
    """Context that starts jobs. Where it ends by an error, running jobs are interrupted.

    Each job that is forked gets a process of its own, which gives its memory back when the job ends. Where
    processes cannot be forked, each is used again, since loading its modules takes seconds.
    """

    def __init__(self) -> None:
        """Have a server load what forked processes share, while the first job runs."""
        self.context: Any = multiprocessing.get_context(START)
        self.running: dict[Future[_Times], _Started] = {}
        self.idle: list[ProcessPoolExecutor] = []
        if START == "forkserver":
            from multiprocessing import forkserver  # which not every system has

            self.context.set_forkserver_preload(PRELOADED)
            with _environment(), _no_interrupt():
                forkserver.ensure_running()

    def __enter__(self) -> "_Starter":
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if error is not None:
            for child in multiprocessing.active_children():
                if child.pid is not None:
                    with suppress(OSError):  # it has ended
                        os.kill(child.pid, signal.SIGINT)
        for pool in [*self.idle, *(started.pool for started in self.running.values())]:
            pool.shutdown()

    def start(self, job: Job, log: Path) -> None:
        """Start a job, whose lines go to a file."""
        if self.idle:
            pool = self.idle.pop()
        else:
            context = multiprocessing.get_context("spawn") if job.loads_itself else self.context
            pool = ProcessPoolExecutor(1, context, initializer=_begin)
        taken = {started.number for started in self.running.values()}
        # the lowest number that no running process has
        number = min(set(range(1, len(taken) + 2)) - taken)
        with _environment(), _no_interrupt():
            future = pool.submit(_work, job.calls, log)
        self.running[future] = _Started(job=job, number=number, pool=pool)

    def wait(self) -> Iterator[tuple[Job, int, "Future[_Times]"]]:
        """Wait until a job has ended; yield each that has, its number and how it ended."""
        ended, _ = wait(self.running, return_when=FIRST_COMPLETED)
        for future in ended:
            started = self.running.pop(future)
            if START == "spawn" and future.exception() is None:
                self.idle.append(started.pool)
            else:
                # what loads itself takes half a second to end, for which nothing has to wait
                started.pool.shutdown(wait=not started.job.loads_itself)
            yield started.job, started.number, future


@contextmanager
def _environment() -> Iterator[None]:
    """Set the variables of `VARIABLES` for processes that start here, but for those that the user has set."""
    added = VARIABLES.keys() - os.environ.keys()
    os.environ.update({name: VARIABLES[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back.

    This process gets it a moment later. Processes that start here get it once `_begin` lets it through.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Prepare a process that waits for jobs: Ctrl-C does not end it, the end of the command does."""
    collect_garbage_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process at once when the command has been killed: two commands would write to one folder."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _interrupt_once(number: int, frame: object) -> None:
    """Interrupt a job, which then cleans up undisturbed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _work(calls: Sequence[Call], log: Path) -> _Times:
    """Run a job in a process of its own; return when it started and ended."""
    signal.signal(signal.SIGINT, _interrupt_once)
    try:
        return call_all(calls, log)
    except Exception as error:
        if "transformers" in sys.modules and not isinstance(error, InputError):
            add_versions(error)
        if _travels(error):
            raise
        if isinstance(error, InputError):
            raise InputError(str(error)) from error
        raise RuntimeError(f"{type(error).__qualname__}: {error}") from error
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _travels(error: Exception) -> bool:
    """Tell whether an error can be sent to another process."""
    try:
        return type(ForkingPickler.loads(ForkingPickler.dumps(error))) is type(error)
    except Exception:
        return False


def _sentence(error: BaseException) -> BaseException:
    """Return an error, or the sentence about a process that the system has ended."""
    if not isinstance(error, BrokenProcessPool):
        return error
    mend = "where memory is short, call the same command again with --processes 1"
    return InputError(f"a process was ended from outside: {mend}")
