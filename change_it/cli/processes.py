"""Jobs in several processes at once: each starts as soon as those that it needs are finished and a process is free."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Thread
from typing import Any

from change_it.cli.jobs import Call, Job, JobTime, call_all
from change_it.errors import InputError, add_versions

#: When a job began and ended, and the number that the system gave the process.
_Times = tuple[float, float, int]
#: Modules that a server loads once, for all processes that it forks.
PRELOADED = ["change_it.cli.preloaded"]
#: How processes start. Only Linux forks safely a process that has loaded numerical libraries.
START = "forkserver" if sys.platform == "linux" else "spawn"
#: Bytes that a process needs, at most, where the corpus is the embedded sample.
MEMORY = 700 * 10**6
#: A function that starts a job, whose lines go to a file.
_Submit = Callable[[Job, Path], "Future[_Times]"]


def usable_processes(wanted: int) -> int:
    """Return how many processes to use: as many as wanted, or one for each core; never more than memory allows."""
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
        jobs: in an order in which one process may run them.
        processes: at once, at most. With one all run here, in their order.
        log_of: from a name to the file to which what the job prints is added.
        show: called with the names of those that run.

    Raises:
        Exception: what the first job in the order that failed has raised. Those after it that have not started do not
            start, those before it are finished first, so that one process would have raised the same.
    """
    if min(processes, len(jobs)) < 2:
        for job in jobs:
            show([job.name])
            first, last = call_all(job.calls, log_of(job.name))
            yield job.name, JobTime(first, last, 0)
        return
    places = {job.name: place for place, job in enumerate(jobs)}
    numbers: dict[int, int] = {}
    failed: dict[int, BaseException] = {}
    with _pools(processes) as submit:
        for job, ended in _ended(jobs, processes, submit, log_of, show, failed):
            error = ended.exception()
            if error is not None:
                failed[places[job.name]] = error
                continue
            first, last, pid = ended.result()
            number = numbers.setdefault(pid, len(numbers) + 1)
            yield job.name, JobTime(first, last, number)
    if failed:
        raise _sentence(failed[min(failed)])


def _ended(
    jobs: Sequence[Job],
    processes: int,
    submit: _Submit,
    log_of: Callable[[str], Path],
    show: Callable[[Collection[str]], object],
    failed: Collection[int],
) -> Iterator[tuple[Job, "Future[_Times]"]]:
    """Start jobs and yield those that have ended, well or not; none starts that comes after one that has `failed`."""
    waiting = dict(enumerate(jobs))
    running: dict[Future[_Times], Job] = {}
    finished: set[str] = set()
    names = {job.name for job in jobs}
    while True:
        last = min(failed, default=len(jobs))
        ready = [place for place, job in waiting.items() if place < last and job.needs & names <= finished]
        ready.sort(key=lambda place: -jobs[place].weight)
        for place in ready[: processes - len(running)]:
            job = waiting.pop(place)
            running[submit(job, log_of(job.name))] = job
        if not running:
            return
        show([job.name for job in running.values()])
        ended, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ended:
            job = running.pop(future)
            finished.add(job.name)
            yield job, future


@contextmanager
def _pools(processes: int) -> Iterator[_Submit]:
    """Context with a function that starts a job. Where it ends by an error, running jobs are interrupted."""
    context: Any = multiprocessing.get_context(START)
    if START == "forkserver":
        from multiprocessing import forkserver  # which not every system has

        context.set_forkserver_preload(PRELOADED)
        with _one_thread_each(), _no_interrupt():
            forkserver.ensure_running()  # and loads while the first job runs

    def submit(job: Job, log: Path) -> "Future[_Times]":
        chosen = pool
        if job.alone:
            chosen = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_begin)
        with _one_thread_each(), _no_interrupt():
            future = chosen.submit(_work, job.calls, log)
        if job.alone:
            chosen.shutdown(wait=False)  # it ends with its job
        return future

    with ProcessPoolExecutor(processes, context, initializer=_begin) as pool:
        try:
            yield submit
        except BaseException:
            for child in multiprocessing.active_children():
                if child.pid is not None:
                    with suppress(OSError):  # it has ended
                        os.kill(child.pid, signal.SIGINT)
            raise


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have numerical libraries of processes that start here use one thread, unless the user says how many."""
    name = "OMP_NUM_THREADS"
    is_given = name in os.environ
    os.environ.setdefault(name, "1")
    try:
        yield
    finally:
        if not is_given:
            os.environ.pop(name, None)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back, from this process for a moment, and from processes that start here until `_begin`."""
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
    """Run a job in a process of a pool; return when it started and ended, and the process."""
    signal.signal(signal.SIGINT, _interrupt_once)
    try:
        return *call_all(calls, log), os.getpid()
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
