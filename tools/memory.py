"""Measure the memory of a process and of all that it started (Linux alone)."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


class Peak:
    """The most memory that a process and its descendants held in two looks in a row.

    A single look may count memory twice, where a process is forked while it reads one after the other.

    Attributes:
        bytes: What they held in both of two looks, at most.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._last = 0

    def look(self, pid: int) -> None:
        """Look at what a process and its descendants hold now."""
        self.add(memory_of_family(pid))

    def add(self, held: int) -> None:
        """Take what a look has found."""
        self.bytes = max(self.bytes, min(held, self._last))
        self._last = held


def memory_of_family(pid: int) -> int:
    """Return the bytes that a process and its descendants hold in memory, what they share counted once."""
    return sum(map(proportional_size, family(pid)))


def family(pid: int) -> Iterator[int]:
    """Yield a process and all that descend from it."""
    yield pid
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from family(int(child))


def proportional_size(pid: int) -> int:
    """Return the bytes of a process in memory; of what n processes share, an nth."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
