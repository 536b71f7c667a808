"""A plan of steps that are kept: a step whose settings and inputs are as they were is not run again."""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from change_it import __version__
from change_it.errors import InputError
from change_it.io import read_json, write_json
from change_it.tables import Column, Row, Table, console

#: In the folder of a run: the finished steps.
RECORD = "steps.json"


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        name: in plans and records.
        command: what runs it, as `module:function`; it is called with the settings.
        settings: a dataclass of options.
        makes: the file that is there once it is finished.
        needs: names of earlier steps whose results it reads.
        inputs: files of the user that it reads.
        seconds: estimate on two idle cores.
    """

    name: str
    command: str
    settings: Any
    makes: Path
    needs: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()
    seconds: float = 0.0

    @property
    def key(self) -> str:
        """Digest of what its result depends on, but for other steps."""
        settings = json.dumps(asdict(self.settings), default=str, sort_keys=True)
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.inputs]
        return hashlib.sha256("\n".join([self.command, settings, *files]).encode()).hexdigest()


class Run:
    """The finished steps of a folder."""

    def __init__(self, out: Path, about: dict[str, Any]) -> None:
        """Open a folder.

        Raises:
            InputError: it holds a run about something else.
        """
        self.out = out
        self.about = {**about, "version": __version__}
        record = read_json(out / RECORD)
        if record is not None and record["about"] != self.about:
            changed = [
                f"{name} was {record['about'].get(name)}, is {value}"
                for name, value in self.about.items()
                if record["about"].get(name) != value
            ]
            raise InputError(f"{out} holds another run ({'; '.join(changed)}): choose another --out")
        if record is None and out.is_dir() and any(out.iterdir()):
            raise InputError(
                f"--out {out} holds other files and no run: choose a folder that is new or empty"
            )
        self.finished: dict[str, dict[str, Any]] = {} if record is None else record["finished"]

    def open_steps(self, steps: Sequence[Step]) -> list[Step]:
        """Those that must be run: not finished with these settings, or reading the result of one that must be run."""
        found: list[Step] = []
        names: set[str] = set()
        for step in steps:
            known = self.finished.get(step.name)
            fresh = known is not None and known["key"] == step.key and step.makes.exists()
            if not fresh or names & set(step.needs):
                found.append(step)
                names.add(step.name)
        return found

    def run(self, steps: Sequence[Step]) -> None:
        """Run what must be run, and record each step once it is finished."""
        left = self.open_steps(steps)
        stale = {step.name for step in left}
        self.finished = {name: known for name, known in self.finished.items() if name not in stale}
        self._write()
        terminal = console()
        for number, step in enumerate(left, start=1):
            terminal.rule(f"{number} of {len(left)}: {step.name}", align="left", style="dim")
            start = time.perf_counter()
            resolve_name(step.command)(step.settings)
            seconds = round(time.perf_counter() - start, 1)
            self.finished[step.name] = {"key": step.key, "seconds": seconds}
            self._write()

    def table(self, steps: Sequence[Step]) -> Table:
        """The plan, with the time that finished steps took and an estimate of the others'."""
        left = {step.name for step in self.open_steps(steps)}
        rows = []
        for step in steps:
            done = step.name not in left
            seconds = self.finished[step.name]["seconds"] if done else step.seconds
            rows.append(
                Row({"step": step.name, "state": "finished" if done else "to do", "time": duration(seconds)})
            )
        total = sum(step.seconds for step in steps if step.name in left)
        columns = (Column("step", "text"), Column("state", "text"), Column("time", "text"))
        note = f"To do: {len(left)} of {len(steps)} steps, about {duration(total)} on two idle cores."
        return Table(columns, tuple(rows), "Plan", (note,))

    def _write(self) -> None:
        write_json(self.out / RECORD, {"about": self.about, "finished": self.finished})


def duration(seconds: float) -> str:
    """Seconds as people say them.

    Example:
        >>> duration(42), duration(300), duration(100_000)
        ('42 s', '5 min', '28 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
