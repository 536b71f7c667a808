"""The progress bars of long work, by tqdm: drawn on a terminal, a line every ten seconds where there is none."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

#: True shows a progress bar; a function is called with the number of things done, from 0 to all.
ProgressOption = bool | Callable[[int], object] | None


class _Lines:
    """Standard error that is no terminal: each state of a bar is a line."""

    def write(self, text: str) -> None:
        if state := text.strip():
            sys.stderr.write(state + "\n")

    def flush(self) -> None:
        sys.stderr.flush()


def bar(
    description: str,
    total: int | None = None,
    *,
    items: Iterable[Any] | None = None,
    shown: bool = True,
    initial: int = 0,
) -> Any:
    """A bar on standard error, of items or of what its `update` is called with; it goes when the work is done."""
    log: dict[str, Any] = {"file": _Lines(), "mininterval": 10, "delay": 10, "ncols": 0}
    where = {} if sys.stderr.isatty() else log
    return tqdm(
        items, desc=description, total=total, initial=initial, disable=not shown, leave=False, **where
    )


def note(text: str) -> None:
    """Print a line to standard error, above a bar that is drawn there."""
    tqdm.write(text, file=sys.stderr)


@contextmanager
def progress_of(option: ProgressOption, description: str, total: int) -> Iterator[Callable[[int], object]]:
    """Context with a function to call with the number of things done."""
    if callable(option):
        yield option
        return
    with bar(description, total, shown=bool(option)) as shown_bar:
        yield lambda done: shown_bar.update(done - shown_bar.n)
