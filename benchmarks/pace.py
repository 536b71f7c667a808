"""Measure how long commands take and how much memory, beside an old checkout.

It prints JSON, and can draw a picture of what runs when.

    python benchmarks/pace.py
    python benchmarks/pace.py --old ../old --old-python ../old/.venv/bin/python
    python benchmarks/pace.py --timeline docs/images/timeline.svg
    python benchmarks/pace.py --only score judge --runs 3

Old and new take turns, and each begins every second time. Seconds are the median of all runs by the clock.
Memory is the most that all processes of a command held together in one further run, which is not timed: what
several share is counted once (PSS, Linux alone). `score`, `judge`, `audit` and the judges read a quickstart
that the same code has written. `tables.py --keep pace` takes the result.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from change_it.render.drawing import BLUE, GREEN, GREY, OLIVE, ORANGE, PINK, RED, SKY, styled
from change_it.report.report_files import provenance
from tools.memory import Peak

ROOT = Path(__file__).parents[1]
HEADLINE = "Ponte crollato, scuole chiuse"
ORIGINAL = "Crolla il ponte: chiuse le scuole"
ARTICLE = "Il ponte sul Rio Secco è crollato lunedì. Le scuole di Torrisana restano chiuse fino a giovedì."
#: From the folder of a quickstart and a new folder to the arguments of Python, by the name of what is
#: measured.
Commands = dict[str, Callable[[Path, Path], list[str]]]
#: What reads a finished quickstart.
READERS = ("score", "judge", "audit", "train judge")
#: Seconds between two looks at the memory: of a command that has run for one second, and before.
INTERVAL = 0.1
SHORT = 0.01


@dataclass(kw_only=True)
class Options:
    """Measure commands, and the same commands of an old checkout."""

    old: Path | None = None
    """An old checkout; without it the new code alone is measured."""
    old_python: Path = Path(sys.executable)
    """The Python of the old checkout, with the libraries that it needs."""
    runs: int = 5
    """Runs of each command and checkout."""
    only: tuple[str, ...] = ()
    """Measure these alone, by the names that the table has; `tests` is measured only when it is named."""
    articles: int = 12_000
    """Articles of the quickstart."""
    timeline: Path | None = None
    """Draw the new code's quickstart into this file, as .svg or .png."""


@dataclass(frozen=True)
class Side:
    """One of two checkouts.

    Attributes:
        name: old or new.
        checkout: the folder that holds the package.
        python: the program that runs it.
        quickstart: the folder of a finished quickstart of this code.
    """

    name: str
    checkout: Path
    python: Path
    quickstart: Path


def command_line(*words: str) -> list[str]:
    """Return the arguments of Python for a command of `change-it`."""
    return ["-m", "change_it.cli", *words]


def commands(articles: int) -> Commands:
    """Return what is measured; the first is what the others read."""
    headline = ("judge", HEADLINE, "--original", ORIGINAL, "--article")

    def of_run(command: str, run: Path, *more: str) -> list[str]:
        folders = ("--corpus", str(run / "corpus"), "--judges", str(run / "judges"))
        return command_line(command, *folders, *more)

    def score(run: Path, out: Path) -> list[str]:
        system = f"rewrite={run / 'predictions/rewrite.csv'}"
        return of_run("score", run, "--shared-items", "--predictions", system, "--out", str(out))

    def judges(run: Path, out: Path) -> list[str]:
        both = ("train", "judge", "--task", "all", "--fold", "both")
        return command_line(*both, "--corpus", str(run / "corpus"), "--out", str(out / "judges"))

    def judge(run: Path, out: Path) -> list[str]:
        return command_line(*headline, str(run.parent / "article.txt"), "--judges", str(run / "judges"))

    return {
        "quickstart": lambda run, out: command_line(
            "quickstart", "--articles", str(articles), "--out", str(out)
        ),
        "score": score,
        "judge": judge,
        "audit": lambda run, out: of_run("audit", run, "--out", str(out)),
        "help": lambda run, out: command_line("--help"),
        "import": lambda run, out: ["-c", "import change_it"],
        "train judge": judges,
        "tests": lambda run, out: [
            *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"),
            *("-n", "logical", "--maxprocesses", "4", "--dist", "worksteal"),
        ],
    }


def start(side: Side, arguments: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    """Start Python on the code of a side, which prints nothing here."""
    environment = os.environ | {"PYTHONPATH": str(side.checkout), "HF_HUB_OFFLINE": "1"}
    where = side.checkout if "pytest" in arguments else folder
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([str(side.python), *arguments], env=environment, cwd=where, **quiet)


def end(process: "subprocess.Popen[bytes]", arguments: list[str]) -> None:
    """Wait for a program, and stop where it failed."""
    if process.wait():
        raise SystemExit(f"failed with {process.returncode}: {' '.join(arguments)}")


def measure_seconds(side: Side, arguments: list[str], folder: Path) -> float:
    """Return the seconds of a run by the clock."""
    began = time.perf_counter()
    end(start(side, arguments, folder), arguments)
    return time.perf_counter() - began


def measure_memory(side: Side, arguments: list[str], folder: Path) -> float:
    """Return the gigabytes that all processes of a run held together at their peak."""
    peak = Peak()
    began = time.perf_counter()
    process = start(side, arguments, folder)
    while process.poll() is None:
        peak.look(process.pid)
        time.sleep(SHORT if time.perf_counter() - began < 1 else INTERVAL)
    end(process, arguments)
    return peak.bytes / 1e9


def measure(name: str, build: Callable[[Path, Path], list[str]], sides: list[Side], runs: int) -> Any:
    """Return the row of a command: seconds and gigabytes of each side, and new as a share of old."""
    seconds: dict[str, list[float]] = {side.name: [] for side in sides}
    memory: dict[str, float] = {}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for turn in range(runs + 1):
            for side in sides if turn % 2 else reversed(sides):
                arguments = build(side.quickstart, folder / f"{side.name}-{turn}")
                if turn == 0:  # bytecode and files are in memory afterwards
                    memory[side.name] = measure_memory(side, arguments, folder)
                else:
                    seconds[side.name].append(measure_seconds(side, arguments, folder))
                print(f"{name}, {side.name}, run {turn}", file=sys.stderr)
    middle = {side: statistics.median(values) for side, values in seconds.items()}
    row: dict[str, Any] = {}
    for title, values in (("seconds", middle), ("GB", memory)):
        row |= {f"{side.name}: {title}": round(values[side.name], 2) for side in sides}
        if len(sides) == 2:
            row[f"{title}, new / old"] = round(values["new"] / values["old"], 2)
    return row


#: What is done, by a word of its name, and its colour.
COLOURS = {
    "corpus": GREY,
    "fluency": BLUE,
    "main": SKY,
    "ah": GREEN,
    "hh": OLIVE,
    "audit": ORANGE,
    "headlines": PINK,
    "score": RED,
}
#: Share of the width that has room for a name.
ROOM = 0.07


@styled
def draw_timeline(run: Path) -> Figure:
    """Draw which process did what, when, from the times in the `run.json` of a run.

    Judges that choose are hatched.
    """
    times = json.loads((run / "run.json").read_text(encoding="utf-8"))["times"]
    began = min(job["start"] for job in times.values())
    seconds = max(job["end"] for job in times.values()) - began
    rows = sorted({job["process"] for job in times.values()}, reverse=True)
    figure = Figure((11, 1.9 + 0.5 * len(rows)))
    axes = figure.subplots()
    for name, job in times.items():
        task = next(word for word in name.split() if word in COLOURS)
        row, width = rows.index(job["process"]), job["end"] - job["start"]
        look = {"color": COLOURS[task], "edgecolor": "white", "hatch": "//" if "choosing" in name else ""}
        axes.barh(row, width, left=job["start"] - began, alpha=0.7, **look)
        if width > ROOM * seconds:
            middle = job["start"] - began + width / 2
            axes.text(middle, row, name, ha="center", va="center", size=9)
    axes.legend(
        [Patch(color=colour, alpha=0.7) for colour in COLOURS.values()],
        COLOURS,
        ncols=len(COLOURS),
        loc="upper center",
        bbox_to_anchor=(0.5, 1.25),
        frameon=False,
        fontsize=9,
    )
    axes.set_yticks(range(len(rows)), [f"process {row}" if row else "the command" for row in rows])
    axes.set_xlabel("seconds since the first step began")
    return figure


def main(options: Options) -> None:
    """Measure, and print the rows for `tables.py --keep pace`."""
    available = commands(options.articles)
    names = options.only or tuple(name for name in available if name != "tests")
    unknown = [name for name in names if name not in available]
    if unknown:
        raise SystemExit(f"there is nothing called {unknown[0]}: give some of {', '.join(available)}")
    rows: dict[str, Any] = {}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sides = [Side("new", ROOT, Path(sys.executable), folder / "new")]
        if options.old is not None:
            # a virtual environment is known by the link in it, which is not followed
            python = options.old_python.absolute()
            sides.insert(0, Side("old", options.old.resolve(), python, folder / "old"))
        (folder / "article.txt").write_text(ARTICLE, encoding="utf-8")
        if options.timeline is not None or {*names} & {*READERS}:
            for side in sides:
                measure_seconds(side, available["quickstart"](folder, side.quickstart), folder)
        for name in names:
            rows[name] = measure(name, available[name], sides, options.runs)
        if options.timeline is not None:
            undated = {"Date": None} if options.timeline.suffix == ".svg" else None
            draw_timeline(folder / "new").savefig(options.timeline, metadata=undated)
    print(json.dumps({"pace": rows, "runs": options.runs, "machine": provenance()["hardware"]}, indent=1))


if __name__ == "__main__":
    main(tyro.cli(Options))
