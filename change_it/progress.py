"""Draw the progress bars of long work, by tqdm.

A bar is drawn on a terminal. Where there is none, its state is a line every ten seconds.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from tqdm import tqdm

#: True shows a progress bar; a function is called with the number of things done, from 0 to all.
ProgressOption = bool | Callable[[int], object] | None

#: Seconds between two lines of a bar where there is no terminal, and before the first.
_SECONDS_A_LINE = 10


class _LinesToStandardError:
    """A file for tqdm that writes each state of a bar as a line to standard error."""

    def write(self, text: str) -> None:
        """Write a state of a bar; what only moves the cursor is left out."""
        state = text.strip()
        if state:
            sys.stderr.write(state + "\n")

    def flush(self) -> None:
        """Flush standard error."""
        sys.stderr.flush()


def bar(
    description: str,
    total: int | None = None,
    *,
    items: Iterable[Any] | None = None,
    shown: bool = True,
    initial: int = 0,
) -> Any:
    """Return a bar of tqdm on standard error, which goes when the work is done.

    Args:
        description: what stands before the bar.
        total: number of things to do; None takes that of `items`.
        items: what to iterate over; None where `update` is called with the number of things done.
        shown: whether it is drawn.
        initial: number of things that were done before.
    """
    return tqdm(
        items, desc=description, total=total, initial=initial, disable=not shown, leave=False, **_place()
    )


def minutes_bar(description: str, total: float, *, initial: float = 0.0, shown: bool = True) -> Any:
    """Return a bar of minutes, which its `update` is called with; what was done in them is its postfix."""
    drawn = "|{bar}| " if sys.stderr.isatty() else " "
    text = "{desc}: {percentage:3.0f}%" + drawn + "{n:.1f} of {total:g} minutes{postfix}"
    place = _place()
    place["ncols"] = None  # with 0 tqdm has a format of its own
    return tqdm(
        desc=description,
        total=total,
        initial=initial,
        bar_format=text,
        disable=not shown,
        leave=False,
        **place,
    )


def _place() -> dict[str, Any]:
    """Return where and how often a bar is drawn, as arguments of tqdm."""
    if sys.stderr.isatty():
        return {}
    return {
        "file": _LinesToStandardError(),
        "mininterval": _SECONDS_A_LINE,
        "delay": _SECONDS_A_LINE,
        "ncols": 0,
    }


def note(text: str) -> None:
    """Print a sentence to standard error, above a bar that is drawn there.

    On a terminal it is broken between words; elsewhere it stays on one line.
    """
    lines = [text]
    if sys.stderr.isatty():
        width = get_terminal_size().columns
        lines = wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    for line in lines:
        tqdm.write(line, file=sys.stderr)


@contextmanager
def progress_of(option: ProgressOption, description: str, total: int) -> Iterator[Callable[[int], object]]:
    """Provide a function to call with the number of things done, while a bar is shown if one is wanted."""
    if callable(option):
        yield option
        return
    with bar(description, total, shown=bool(option)) as shown_bar:
        yield lambda done: shown_bar.update(done - shown_bar.n)
