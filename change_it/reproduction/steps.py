"""A plan of steps that are kept: a step whose settings and inputs are as they were is not run again."""

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from change_it import __version__
from change_it.errors import InputError
from change_it.io import file_errors, read_json, write_json
from change_it.tables import Column, Row, Table, console

#: In the folder of a run: the finished steps.
RECORD = "steps.json"


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        name: in plans and records.
        command: what runs it, as `module:function`; it is called with the settings.
        settings: a dataclass of options, with the file or folder of its result as `out`.
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

    def key(self, run: Path) -> str:
        """Digest of what its result depends on, wherever run and corpus are, but for other steps and the corpus."""
        values = {name: value for name, value in asdict(self.settings).items() if name != "corpus"}
        settings = json.dumps(values, default=str, sort_keys=True, ensure_ascii=False).replace(str(run), "\0")
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.inputs]
        return hashlib.sha256("\n".join([self.command, settings, *files]).encode()).hexdigest()


class Run:
    """The finished steps of a folder, and those of another one that may be copied."""

    def __init__(self, out: Path, about: dict[str, Any], *, reuse: Path | None = None) -> None:
        """Open a folder.

        Args:
            out: of the run.
            about: what all its steps depend on; the paper does not matter for `reuse`.
            reuse: folder of another run.

        Raises:
            InputError: one of them holds a run about something else.
        """
        self.out, self.other = out, reuse
        self.about = {**about, "version": __version__}
        record = read_json(out / RECORD)
        if record is not None and (changed := self._changed(record)):
            raise InputError(f"{out} holds another run ({changed}): choose another --out")
        if record is None and out.is_dir() and any(out.iterdir()):
            raise InputError(
                f"--out {out} holds other files and no run: choose a folder that is new or empty"
            )
        self.finished: dict[str, dict[str, Any]] = {} if record is None else record["finished"]
        self.others: dict[str, dict[str, Any]] = {}
        if reuse is not None:
            found = read_json(reuse / RECORD)
            if found is None:
                raise InputError(f"--reuse {reuse} holds no run: give a folder of change-it reproduce")
            if changed := self._changed(found, but="paper"):
                raise InputError(f"--reuse {reuse} holds another run ({changed}): leave it out")
            self.others = found["finished"]

    def _changed(self, record: dict[str, Any], *, but: str = "") -> str:
        """What a recorded run is about and this one is not, in words."""
        return "; ".join(
            f"{name} was {record['about'].get(name)}, is {value}"
            for name, value in self.about.items()
            if name != but and record["about"].get(name) != value
        )

    def open_steps(self, steps: Sequence[Step]) -> list[Step]:
        """Those that must be run: not finished with these settings, or reading the result of one that must be run."""
        found: list[Step] = []
        names: set[str] = set()
        for step in steps:
            known = self.finished.get(step.name)
            fresh = known is not None and known["key"] == step.key(self.out) and step.makes.exists()
            if not fresh or names & set(step.needs):
                found.append(step)
                names.add(step.name)
        return found

    def copied(self, left: Sequence[Step]) -> dict[str, Path]:
        """Names of those whose result the other run has, and so the results of all that they read, and where it is."""
        found: dict[str, Path] = {}
        for step in left:
            known = self.others.get(step.name)
            if self.other is None or known is None or not set(step.needs) <= found.keys():
                continue
            made = self.other / step.makes.relative_to(self.out)
            if known["key"] == step.key(self.out) and made.exists():
                found[step.name] = self.other / step.settings.out.relative_to(self.out)
        return found

    def run(self, steps: Sequence[Step]) -> None:
        """Copy or run what must be run, and record each step once it is finished."""
        left = self.open_steps(steps)
        copied = self.copied(left)
        stale = {step.name for step in left}
        self.finished = {name: known for name, known in self.finished.items() if name not in stale}
        self._write()
        terminal = console()
        for number, step in enumerate(left, start=1):
            terminal.rule(f"{number} of {len(left)}: {step.name}", align="left", style="dim")
            if step.name in copied:
                _copy(copied[step.name], step.settings.out)
                self.finished[step.name] = self.others[step.name]
            else:
                start = time.perf_counter()
                resolve_name(step.command)(step.settings)
                seconds = round(time.perf_counter() - start, 1)
                self.finished[step.name] = {"key": step.key(self.out), "seconds": seconds}
            self._write()

    def table(self, steps: Sequence[Step]) -> Table:
        """The plan, with the time that finished steps took and an estimate of the others'."""
        unfinished = self.open_steps(steps)
        copied = self.copied(unfinished)
        left = {step.name: step.seconds for step in unfinished if step.name not in copied}
        known = {**self.finished, **{name: self.others[name] for name in copied}}
        rows = []
        for step in steps:
            state = "to do" if step.name in left else "to copy" if step.name in copied else "finished"
            seconds = left[step.name] if step.name in left else known[step.name]["seconds"]
            rows.append(Row({"step": step.name, "state": state, "time": duration(seconds)}))
        columns = (Column("step", "text"), Column("state", "text"), Column("time", "text"))
        total = duration(sum(left.values()))
        note = f"To do: {len(left)} of {len(steps)} steps, about {total} on two idle cores."
        return Table(columns, tuple(rows), "Plan", (note,))

    def _write(self) -> None:
        write_json(self.out / RECORD, {"about": self.about, "finished": self.finished})


def _copy(there: Path, here: Path) -> None:
    """Copy the result of a step, a file or a folder."""
    with file_errors(f"cannot copy {there} to {here}"):
        if there.is_dir():
            shutil.copytree(there, here, dirs_exist_ok=True)
        else:
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(there, here)


def duration(seconds: float) -> str:
    """Seconds as people say them.

    Examples:
        >>> duration(42), duration(300), duration(100_000)
        ('42 s', '5 min', '28 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
