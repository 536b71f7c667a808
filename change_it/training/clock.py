"""Time of a run with a limit: how much has passed, and how much is left for updates and evaluations."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from accelerate import PartialState
from accelerate.utils import broadcast_object_list

#: Share of --max-minutes that evaluations take, where the first and the last one alone do not take more.
EVALUATING = 0.1


class Clock:
    """Seconds of a run by the clock of the main process, and what --max-minutes allows: the last evaluation has to fit in.

    With it, the learning rate falls with the time where that passes sooner than the updates, and evaluations between the first
    and the last one are left out when they would take more than `EVALUATING` of it.
    """

    def __init__(self, max_minutes: float | None, started: float | None):
        self.limit = math.inf if max_minutes is None else 60 * max_minutes
        self.started = time.monotonic() if started is None else started
        self.begun = self.before = self.preparation = 0.0
        self.seconds = self.evaluating = self.last_evaluation = 0.0

    def begin(self, before: float) -> None:
        """Begin to train, after `before` seconds of training of a run that is resumed."""
        self.begun, self.before, self.seconds = time.monotonic(), before, before
        self.preparation = _of_main_process(self.begun - self.started)

    def read(self) -> float:
        """Seconds of training, the same in all processes."""
        self.seconds = _of_main_process(self.before + time.monotonic() - self.begun)
        return self.seconds

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """Read the clock before and after an evaluation."""
        before = self.read()
        yield
        self.last_evaluation = self.read() - before
        self.evaluating += self.last_evaluation

    @property
    def share(self) -> float:
        """Share of the time that is used up; 0 without a limit."""
        training = self.limit - self.preparation
        return min(1.0, self.seconds / training) if training > 0 else 0.0

    def updates(self, done: int, total: int) -> int:
        """Of all updates those that there is time for, at the pace of those that are done."""
        return min(total, max(done, round(done / self.share))) if self.share else total

    @property
    def is_up(self) -> bool:
        """Whether there is time for no more than an evaluation."""
        return self.preparation + self.seconds + self.last_evaluation > self.limit

    @property
    def allows_evaluation(self) -> bool:
        """Whether one more and the last one keep within their share."""
        return self.evaluating + 2 * self.last_evaluation <= EVALUATING * self.limit


def _of_main_process(number: float) -> float:
    """The number that the main process has."""
    if PartialState().num_processes == 1:
        return number
    return float(broadcast_object_list([number])[0])
