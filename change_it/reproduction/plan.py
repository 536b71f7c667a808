"""A plan of steps that are kept: a step whose settings and inputs are as they were is not run again."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from change_it import __version__
from change_it.errors import InputError
from change_it.io import read_json, write_json
from change_it.steps import Run, Step
from change_it.tables import Column, Row, Table

#: In the folder of a run: the finished steps.
RECORD = "steps.json"


class PlannedRun(Run):
    """The finished steps of a folder, and those of another one that may be copied."""

    def __init__(self, out: Path, about: Mapping[str, object], *, reuse: Path | None = None) -> None:
        """Open a folder: `about` is what all its steps depend on, of which the paper does not matter for the run `reuse`."""
        self.about = {**about, "version": __version__}
        record = read_json(out / RECORD)
        if record is not None and (changed := self._changed(record)):
            raise InputError(f"{out} holds another run ({changed}): choose another --out")
        if record is None and out.is_dir() and any(out.iterdir()):
            raise InputError(
                f"--out {out} holds other files and no run: choose a folder that is new or empty"
            )
        super().__init__(out, {} if record is None else record["finished"])
        self.other, self.others = reuse or out, {}
        self.copies: dict[str, Path] = {}
        if reuse is not None:
            other = read_json(reuse / RECORD)
            if other is None:
                raise InputError(f"--reuse {reuse} holds no run: give a folder of change-it reproduce")
            if changed := self._changed(other, but="paper"):
                raise InputError(f"--reuse {reuse} holds another run ({changed}): leave it out")
            self.others = other["finished"]

    def _changed(self, record: dict[str, Any], *, but: str = "") -> str:
        """What a recorded run is about and this one is not, in words."""
        return "; ".join(
            f"{name} was {record['about'].get(name)}, is {value}"
            for name, value in self.about.items()
            if name != but and record["about"].get(name) != value
        )

    def unfinished(self, steps: Sequence[Step]) -> list[Step]:
        """The steps that must be run: not finished with these settings, or reading the result of one that must be run."""
        left: dict[str, Step] = {}
        for step in steps:
            if not self._is_recorded(step, self.finished, self.out) or left.keys() & set(step.needs):
                left[step.name] = step
        return list(left.values())

    def _is_recorded(self, step: Step, record: dict[str, dict[str, Any]], run: Path) -> bool:
        """Whether a run has finished a step with these settings, and its result is still there."""
        finished = record.get(step.name)
        return (
            finished is not None
            and finished["key"] == step.key(self.out)
            and (run / step.makes.relative_to(self.out)).exists()
        )

    def copied(self, left: Sequence[Step]) -> dict[str, Path]:
        """Names of those whose result the other run has, and so the results of all that they read, and where it is."""
        folders: dict[str, Path] = {}
        for step in left:
            if set(step.needs) <= folders.keys() and self._is_recorded(step, self.others, self.other):
                folders[step.name] = self.other / step.settings.out.relative_to(self.out)
        return folders

    def run_plan(self, steps: Sequence[Step]) -> None:
        """Copy or run what must be run, and record each step once it is finished."""
        left = self.unfinished(steps)
        self.copies = self.copied(left)
        for step in left:
            self.finished.pop(step.name, None)
        self.write()
        self.run(steps, numbered=True)

    def result(self, step: Step) -> dict[str, Any]:
        """Copy the result of a step, or run it; its record."""
        if step.name in self.copies:
            _copy(self.copies[step.name], step.settings.out)
            return self.others[step.name]
        result = super().result(step)
        return {"key": step.key(self.out), **result}

    def write(self) -> None:
        """Write the record of the finished steps."""
        write_json(self.out / RECORD, {"about": self.about, "finished": self.finished})

    def table(self, steps: Sequence[Step]) -> Table:
        """The plan, with the time that finished steps took and an estimate of the others'."""
        unfinished = self.unfinished(steps)
        copied = self.copied(unfinished)
        left = {step.name: step.seconds for step in unfinished if step.name not in copied}
        records = {**self.finished, **{name: self.others[name] for name in copied}}
        rows = []
        for step in steps:
            state = "to do" if step.name in left else "to copy" if step.name in copied else "finished"
            seconds = left[step.name] if step.name in left else records[step.name]["seconds"]
            rows.append(Row({"step": step.name, "state": state, "time": duration(seconds)}))
        columns = (Column("step", "text"), Column("state", "text"), Column("time", "text"))
        total = duration(sum(left.values()))
        note = f"To do: {len(left)} of {len(steps)} steps, about {total} on two idle cores."
        return Table(columns, tuple(rows), "Plan", (note,))


def _copy(there: Path, here: Path) -> None:
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
