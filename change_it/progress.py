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
    common: dict[str, Any] = {"desc": description, "disable": not shown, "leave": False}
    return tqdm(items, total=total, initial=initial, **common, **_place())


def minutes_bar(description: str, total: float, *, initial: float = 0.0, shown: bool = True) -> Any:
    """Return a bar of minutes, which its `update` is called with; what was done in them is its postfix."""
    drawn = "|{bar}| " if sys.stderr.isatty() else " "
    text = "{desc}: {percentage:3.0f}%" + drawn + "{n:.1f} of {total:g} minutes{postfix}"
    common: dict[str, Any] = {"desc": description, "disable": not shown, "leave": False}
    place = _place() | {"ncols": None}  # with 0 tqdm has a format of its own
    return tqdm(total=total, initial=initial, bar_format=text, **common, **place)


def _place() -> dict[str, Any]:
    """Return where and how often a bar is drawn."""
    log = {"file": _Lines(), "mininterval": 10, "delay": 10, "ncols": 0}
    return {} if sys.stderr.isatty() else log


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
