"""Say on a terminal which steps of a run are at work, how long they have taken and about how much is left."""

import time
from collections.abc import Callable, Collection, Mapping

#: Seconds of the jobs of a quickstart on the sample, with linear judges on one core each. They tell how long
#: a job takes beside others; how fast a machine is, and how large the newspapers, the finished jobs tell.
USUAL_SECONDS = {
    "corpus": 9.0,
    "main": 1.5,
    "hh": 1.0,
    "ah": 2.5,
    "fluency": 9.0,
    "audit": 6.5,
    "headlines": 11.0,
    "score": 4.0,
}
#: Seconds of a job of another name.
OTHER_SECONDS = 3.0
#: The step that follows all others, in the process of the command.
SCORE = "score"
#: Seconds from which a duration is said in minutes.
SECONDS_IN_WORDS = 90


def usual_seconds(job: str) -> float:
    """Return how long a job takes on the sample; `hh judge` and `choosing hh` are the job `hh`.

    Examples:
        >>> usual_seconds("hh judge"), usual_seconds("choosing hh"), usual_seconds("else")
        (1.0, 1.0, 3.0)
    """
    name = job.removeprefix("choosing ").removesuffix(" judge")
    return USUAL_SECONDS.get(name, OTHER_SECONDS)


def duration(seconds: float) -> str:
    """Return a number of seconds in words.

    Examples:
        >>> duration(7.4), duration(89), duration(150)
        ('7 s', '89 s', '2 min')
    """
    if seconds < SECONDS_IN_WORDS:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


class StepProgress:
    """Which steps are worked on, for a terminal. rich asks for the line anew whenever it draws it."""

    def __init__(
        self,
        steps: Mapping[str, Collection[str]],
        begun: Collection[str],
        processes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the jobs that a run has to do.

        Args:
            steps: each step to the names of its jobs, in their order.
            begun: the jobs that are not finished yet.
            processes: jobs that run at once, at most.
            clock: returns the seconds of a clock.
        """
        self._steps = steps
        # rich reads these in a thread of its own, so they are replaced and never changed.
        self._unfinished = frozenset(begun)
        self._processes = max(1, min(processes, len(begun)))
        self._clock = clock
        self._start = clock()
        self._started: dict[str, float] = {}
        self._took: dict[str, float] = {}

    def show(self, running: Collection[str]) -> None:
        """Take note of the jobs that run now."""
        now = self._clock()
        self._started = {job: self._started.get(job, now) for job in running}

    def finish(self, job: str, seconds: float) -> None:
        """Take note that a job is finished, and of how long it took."""
        self._unfinished = self._unfinished - {job}
        self._started = {name: start for name, start in self._started.items() if name != job}
        self._took = self._took | {job: seconds}

    @property
    def seconds_left(self) -> float | None:
        """Return about how long the rest takes, scoring among it; None before a job is finished."""
        if not self._took:
            return None
        # how many times as long as usual the finished jobs took
        pace = sum(self._took.values()) / sum(map(usual_seconds, self._took))
        now = self._clock()
        started = self._started
        work = 0.0
        for job in self._unfinished:
            spent = now - started.get(job, now)
            work += max(0.0, pace * usual_seconds(job) - spent)
        return work / self._processes + pace * usual_seconds(SCORE)

    @property
    def line(self) -> str:
        """Return `step 2 of 9: main judge, choosing fluency; 12 s, about 35 s left`."""
        unfinished = [name for name, jobs in self._steps.items() if not self._unfinished.isdisjoint(jobs)]
        all_steps = len(self._steps) + 1
        number = all_steps - len(unfinished)
        names = ", ".join(self._started) or SCORE
        spent = duration(self._clock() - self._start)
        left = self.seconds_left
        rest = f", about {duration(left)} left" if left is not None else ""
        return f"step {number} of {all_steps}: {names}; {spent}{rest}"

    def __rich__(self) -> str:
        """Return the line, without markup."""
        return self.line
