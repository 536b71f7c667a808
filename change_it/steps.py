"""Commands that are run one after the other, some in a process of their own; a run that was interrupted goes on."""

import hashlib
import json
import os
import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from pkgutil import resolve_name
from threading import Thread
from typing import TYPE_CHECKING, Any

from change_it.tables import console

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


@dataclass(frozen=True)
class Step:
    """One command."""

    name: str  # in plans and records
    command: str  # what runs it, as `module:function`; it is called with the settings
    settings: Any  # the command's options
    makes: Path = Path()  # the file that is there once it is finished; a plan looks for it
    needs: tuple[str, ...] = ()  # names of earlier steps whose results it reads
    inputs: tuple[Path, ...] = ()  # files of the user that it reads
    seconds: float = 0.0  # estimate on two idle cores

    def run(self) -> float:
        """Call the command; the seconds that it took."""
        start = time.perf_counter()
        resolve_name(self.command)(self.settings)
        return round(time.perf_counter() - start, 1)

    def key(self, run: Path) -> str:
        """Digest of what its result depends on, wherever run and corpus are, but for other steps and the corpus."""
        values = {name: value for name, value in asdict(self.settings).items() if name != "corpus"}
        settings = json.dumps(values, default=str, sort_keys=True, ensure_ascii=False).replace(str(run), "\0")
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.inputs]
        return hashlib.sha256("\n".join([self.command, settings, *files]).encode()).hexdigest()


class Run:
    """The steps of a folder: each is recorded once it is finished, and not run again."""

    def __init__(self, out: Path, finished: dict[str, dict[str, Any]]) -> None:
        """Open a folder; `finished` is step to what its record holds, `seconds` among it."""
        self.out, self.finished = out, finished

    def write(self) -> None:
        """Write the record of the finished steps."""
        raise NotImplementedError

    def unfinished(self, steps: Sequence[Step]) -> list[Step]:
        """The steps that must be run."""
        return [step for step in steps if step.name not in self.finished]

    def result(self, step: Step) -> dict[str, Any]:
        """Run a step; its record."""
        return {"seconds": step.run()}

    def run(
        self,
        steps: Sequence[Step],
        *,
        beside: Sequence[Step] = (),
        log: Path = Path(os.devnull),
        numbered: bool = False,
    ) -> None:
        """Run what must be run, and record each step once it is finished.

        The steps `beside` run meanwhile in a process of their own, whose output goes to `log`; a step that needs one of them waits
        for it. Where `numbered`, headings count the steps, and nothing is printed of those that were finished before.
        """
        terminal = console()

        def unfinished(those: Sequence[Step]) -> list[Step]:
            left = self.unfinished(those)
            for step in [] if numbered else those:
                if step not in left:
                    seconds = self.finished[step.name]["seconds"]
                    terminal.print(f"[green]✓[/] {step.name}: finished before ({seconds:.0f} s)")
            return left

        with BackgroundSteps(unfinished(beside), log) as background:
            if background.names:
                names = ", ".join(background.names)
                terminal.print(f"In a process of its own, which writes to {log}: {names}.")
            left = unfinished(steps)

            def note(wait: Sequence[str]) -> None:
                for name, seconds in background.finished(wait):
                    self._record(name, {"seconds": seconds})
                    terminal.print(f"[green]✓[/] {name}: {seconds:.0f} s")

            for number, step in enumerate(left, start=1):
                title = f"{number} of {len(left)}: {step.name}" if numbered else step.name
                terminal.rule(title, align="left", style="dim")
                note(step.needs)
                self._record(step.name, self.result(step))
            note(background.names)

    def _record(self, name: str, result: dict[str, Any]) -> None:
        self.finished[name] = result
        self.write()


class BackgroundSteps:
    """Steps in a process of their own, one after the other, while this process does something else.

    Each process takes half of the threads: networks as small as these gain little from a second one.

    Args:
        steps: what to do; without any there is no process.
        log: what they print goes there.
    """

    def __init__(self, steps: Sequence[Step], log: Path):
        self.names = [step.name for step in steps]
        self._steps, self._log = steps, log

    def __enter__(self) -> "BackgroundSteps":
        if not self._steps:
            return self
        import torch

        self._threads = torch.get_num_threads()
        half = max(1, self._threads // 2)
        torch.set_num_threads(half)
        context = get_context("spawn")
        self._results, sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run_in_background, args=(self._steps, self._log, half, sender)
        )
        self._process.daemon = True  # it ends with this process
        self._process.start()
        sender.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._steps:
            import torch

            self._process.terminate()
            self._process.join()
            torch.set_num_threads(self._threads)

    def finished(self, wait: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Names and seconds of the steps that have ended since it was asked last, after those to `wait` for.

        Raises:
            Exception: what a step has raised.
        """
        while self.names and (set(wait) & set(self.names) or self._results.poll()):
            try:
                result = self._results.recv()
            except EOFError:
                raise RuntimeError(f"the process of the {self.names[0]} has died: see {self._log}") from None
            if isinstance(result, Exception):
                raise result
            yield self.names.pop(0), result


def _run_in_background(steps: Sequence[Step], log: Path, threads: int, sender: "Connection") -> None:
    """Run steps and send the seconds of each, or what it raised; end when the process that asked for them does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the other one ends this one
    Thread(target=_end_with_parent, daemon=True).start()
    import torch

    torch.set_num_threads(threads)
    with log.open("a", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        for step in steps:
            result: float | Exception
            try:
                result = step.run()
            except Exception as error:
                traceback.print_exc()
                result = error
            file.flush()
            sender.send(result)
            if isinstance(result, Exception):
                return


def _end_with_parent() -> None:
    """Wait for the other process to end, however it does."""
    if parent := parent_process():
        parent.join()
        os._exit(1)
