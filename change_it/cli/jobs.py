"""Describe what several processes may do at once: calls of commands, and what they wait for.

`processes` runs them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: A function, by its name in a module, and its one argument.
Call = tuple[Callable[[Any], object], Any]


@dataclass(frozen=True)
class Job:
    """Work for one process.

    Attributes:
        name: Name by which other jobs need it.
        calls: Functions with their arguments, called one after the other. What they print goes to a log.
        needs: Names of the jobs that are finished before this one starts.
        seconds: About how long it takes.
        loads_itself: Whether its process loads its modules itself, and does not wait for shared ones.
    """

    name: str
    calls: tuple[Call, ...]
    needs: frozenset[str] = frozenset()
    seconds: float = 1.0
    loads_itself: bool = False


@dataclass(frozen=True)
class JobTime:
    """When a job ran, and where.

    Attributes:
        start: Seconds since 1970.
        end: Seconds since 1970.
        process: Number of the process, 1 to as many as run at once; 0 is the command itself.
    """

    start: float
    end: float
    process: int


class JobQueue:
    """Jobs that wait, of which each is taken when it may start.

    Attributes:
        jobs: All jobs, in an order in which one process may run them.
        waiting: Jobs that have not started.
        unfinished: Names of the jobs that have not ended.
        failed: Place among `jobs` of each job that failed, to what it raised.
        seconds_to_end: Seconds from the start of each job, by its name, to the end of the last one that waits
            for it.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        """Take the jobs, in an order in which one process may run them."""
        self.jobs = jobs
        self.waiting = list(jobs)
        self.unfinished = {job.name for job in jobs}
        self.failed: dict[int, BaseException] = {}
        self.seconds_to_end: dict[str, float] = {}
        for job in reversed(jobs):
            later = [self.seconds_to_end[other.name] for other in jobs if job.name in other.needs]
            self.seconds_to_end[job.name] = job.seconds + max(later, default=0)

    @property
    def error(self) -> BaseException | None:
        """Return what the first job in the order that failed has raised."""
        return self.failed[min(self.failed)] if self.failed else None

    def take(self) -> Job | None:
        """Take the job that may start and has most seconds to the end; None where none may start now."""
        # after a failure only jobs before it still start
        allowed = self.jobs[: min(self.failed, default=len(self.jobs))]
        ready = [job for job in self.waiting if job in allowed and job.needs.isdisjoint(self.unfinished)]
        if not ready:
            return None
        chosen = max(ready, key=lambda job: self.seconds_to_end[job.name])
        self.waiting.remove(chosen)
        return chosen

    def note(self, job: Job, error: BaseException | None) -> None:
        """Note that a job has ended, well or by an error."""
        self.unfinished.discard(job.name)
        if error is not None:
            self.failed[self.jobs.index(job)] = error


def in_order(jobs: Sequence[Job], ended: Iterable[tuple[str, JobTime]]) -> Iterator[str]:
    """Yield the names of finished jobs in their order, each as soon as all before it are finished.

    Args:
        jobs: The jobs in their order.
        ended: Name and time of each job when it is finished, in any order.
    """
    waiting = [job.name for job in jobs]
    finished: set[str] = set()
    for name, _ in ended:
        finished.add(name)
        while waiting and waiting[0] in finished:
            yield waiting.pop(0)


def call_all(calls: Sequence[Call], log: Path) -> tuple[float, float]:
    """Call functions, whose output is added to a log; return when they began and ended."""
    began = time.time()
    with log.open("a", buffering=1, encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        for function, argument in calls:
            function(argument)
    return began, time.time()
