"""The progress bars of long work: drawn on a terminal, a line every ten seconds where there is none."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

Item = TypeVar("Item")
#: True shows a progress bar; a function is called with the number of things done, from 0 to all.
ProgressOption = bool | Callable[[int], object] | None

#: Seconds between two lines where there is no terminal.
EVERY = 10.0


class ProgressBar(Progress):
    """Rich's `Progress`; in a pipe or a file it logs each task's state on standard error."""

    def __init__(self, *columns: str | ProgressColumn, transient: bool = True, shown: bool = True):
        usual = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        super().__init__(*(columns or usual), console=console, transient=transient, disable=not shown)
        self._logged = self._started = time.monotonic()

    def start(self) -> None:
        """Draw the bar, on a terminal alone."""
        if self.console.is_terminal:
            super().start()

    def stop(self) -> None:
        """Draw the bar no longer."""
        if self.console.is_terminal:
            super().stop()

    def update(self, task_id: TaskID, **fields: Any) -> None:
        """Update a task, see `rich.progress.Progress.update`."""
        super().update(task_id, **fields)
        self._log(task_id)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """Advance a task, see `rich.progress.Progress.advance`."""
        super().advance(task_id, advance)
        self._log(task_id)

    def _log(self, task_id: TaskID) -> None:
        now = time.monotonic()
        if self.disable or self.console.is_terminal or now - self._logged < EVERY:
            return
        self._logged = now
        task = self._tasks[task_id]
        total = "" if task.total is None else f" of {task.total:,.0f}"
        self.console.print(
            f"{task.description}: {task.completed:,.0f}{total}, {now - self._started:.0f} s",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


def tracked(items: Sequence[Item], description: str, *, shown: bool = True) -> Iterator[Item]:
    """The items, with a bar that advances with each."""
    with ProgressBar(shown=shown) as bar:
        task = bar.add_task(description, total=len(items))
        for item in items:
            yield item
            bar.advance(task)


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error that shows one piece of work after the other."""
    with ProgressBar(shown=shown) as bar:
        task = bar.add_task("reading", total=None)

        def progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield progress


@contextmanager
def progress_of(option: ProgressOption, description: str, total: int) -> Iterator[Callable[[int], object]]:
    """What to call with the number of things done."""
    if callable(option):
        yield option
    elif option:
        with ProgressBar() as bar:
            task = bar.add_task(description, total=total)
            yield lambda done: bar.update(task, completed=done)
    else:
        yield lambda done: None
