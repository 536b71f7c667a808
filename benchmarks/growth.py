"""Measure how `corpus build` and `score` grow with their input, in one or several checkouts.

It prints JSON for `tables.py --keep growth`.

    python benchmarks/growth.py > growth.json
    python benchmarks/growth.py --checkouts old=../change_it-old new=. --encoder ./minilm > growth.json
    taskset --cpu-list 0 python benchmarks/growth.py > growth_on_one_core.json

`corpus build` aligns articles of `tools.sample.write`. `score` scores headlines of the largest of these
corpora, by linear judges and by judges of the encoder. The judges learn from a corpus of their own, whose
articles another seed drew; that is not counted. Each command is a process of its own, and the checkouts take
turns. The exponent is that of the seconds of the two largest sizes: 1 is linear. Gigabytes are those of the
largest process.
"""

import csv
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro

from tools.sample.write import WriteOptions, run


@dataclass(kw_only=True)
class Options:
    """Build corpora and score headlines of several sizes."""

    checkouts: tuple[str, ...] = ("now=.",)
    """Versions of the package to run, as NAME=FOLDER; all run in this Python."""
    articles: tuple[int, ...] = (10_000, 40_000, 160_000)
    """Articles of each corpus, rising."""
    headlines: tuple[int, ...] = (2_500, 10_000)
    """Headlines of the largest corpus that are scored, rising."""
    learnt: int = 4_000
    """Articles that the judges learn from."""
    encoder: str = ""
    """Folder or Hub id of a pre-trained encoder, for a second kind of judges; none when not given."""
    updates: int = 20
    """Updates of the judges of the encoder: they are to be fast or slow, and not good."""
    seed: int = 2
    """Of the samples; that of the judges' articles is the next one."""


@dataclass(frozen=True)
class Cost:
    """What a command took.

    Attributes:
        seconds: seconds by the clock.
        processor_seconds: seconds of the processor, of all processes together.
        gigabytes: the most memory of one process.
    """

    seconds: float
    processor_seconds: float
    gigabytes: float

    def cells(self, name: str) -> dict[str, float]:
        """Return the cost as cells of a table, in columns that begin with the name of a checkout."""
        return {
            f"{name}: seconds": round(self.seconds, 1),
            f"{name}: of the processor": round(self.processor_seconds, 1),
            f"{name}: GB": round(self.gigabytes, 2),
        }


def call(checkout: Path, *arguments: object) -> Cost:
    """Run `change-it` of a checkout and return what it took; its output is shown where it fails."""
    command = [sys.executable, "-m", "change_it.cli", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    start = time.perf_counter()
    with TemporaryDirectory() as folder, Path(folder, "output").open("w+", encoding="utf-8") as output:
        shown = {"stdout": output, "stderr": subprocess.STDOUT}
        # `-m` looks into the working folder first, the command's own processes into PYTHONPATH.
        with subprocess.Popen(command, cwd=checkout, env=environment, **shown) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode != 0:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read()}")
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6)


def exponent(costs: Mapping[int, Cost]) -> float | None:
    """Return the exponent of the seconds of the two largest sizes, or None of one size."""
    *_, small, large = [0, *costs]
    if not small:
        return None
    longer = costs[large].seconds / costs[small].seconds
    return round(math.log(longer) / math.log(large / small), 2)


def predicted(todo: Path, out: Path, most: int) -> int:
    """Write the first items with an aligned headline as a system's, and return how many they are.

    The words of each headline are in the opposite order.
    """
    with todo.open(encoding="utf-8", newline="") as file:
        # Before November 28, 2026 the file had no other ones.
        rows = [row for row in csv.DictReader(file) if row.get("partner", "yes") == "yes"][:most]
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "headline"])
        for row in rows:
            writer.writerow([row["id"], " ".join(reversed(row["headline"].split()))])
    return len(rows)


def train(checkout: Path, folder: Path, options: Options) -> list[Path]:
    """Build the corpus of the judges and train them.

    There are linear ones, and those of the encoder where one is given.
    """
    corpus = folder / "learnt"
    call(checkout, "corpus", "build", folder.parent / "learnt.csv", "--out", corpus)
    kinds: dict[str, list[object]] = {"linear": []}
    if options.encoder:
        encoder = Path(options.encoder)
        found = encoder.resolve() if encoder.exists() else encoder  # a Hub id
        kinds["encoder"] = ["--encoder", found, "--arg", f"max_steps={options.updates}"]
    for name, more in kinds.items():
        print(f"{checkout}: training {name} judges", file=sys.stderr)
        call(checkout, "train", "judge", "--task", "all", "--corpus", corpus, "--out", folder / name, *more)
    return [folder / name for name in kinds]


class Table:
    """The rows: what each command took at each size, by checkout."""

    def __init__(self, checkouts: Mapping[str, Path]) -> None:
        self.checkouts = checkouts
        self.costs: dict[tuple[str, str], dict[int, Cost]] = {}

    def measure(self, name: str, step: str, size: int, *arguments: object) -> None:
        """Run a command of a checkout, and keep what it took."""
        cost = call(self.checkouts[name], *arguments)
        self.costs.setdefault((step, name), {})[size] = cost
        print(f"{name}: {step} of {size:,}: {cost.seconds:.1f} s", file=sys.stderr)

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the rows, those of a step before its exponent."""
        rows: dict[str, dict[str, Any]] = {}
        for (step, name), by_size in self.costs.items():
            for size, cost in by_size.items():
                rows.setdefault(f"{step}, {size:,}", {}).update(cost.cells(name))
        for (step, name), by_size in self.costs.items():
            rows.setdefault(f"{step}: exponent", {})[f"{name}: seconds"] = exponent(by_size)
        return rows


def measure_builds(table: Table, place: Path, options: Options) -> None:
    """Align the articles of each size."""
    for count in options.articles:
        file = place / f"{count}.csv"
        run(WriteOptions(out=file, articles=count, seed=options.seed))
        for name in table.checkouts:
            table.measure(
                name, "corpus build", count, "corpus", "build", file, "--out", place / name / str(count)
            )


def measure_scores(table: Table, place: Path, options: Options) -> None:
    """Train judges, and score headlines of the largest corpus by each kind of them."""
    run(WriteOptions(out=place / "learnt.csv", articles=options.learnt, seed=options.seed + 1))
    judges = {name: train(checkout, place / name, options) for name, checkout in table.checkouts.items()}
    for name, checkout in table.checkouts.items():
        corpus = place / name / str(options.articles[-1])
        call(checkout, "corpus", "items", "--corpus", corpus, "--out", place / name / "todo.csv")
    for most in options.headlines:
        for name in table.checkouts:
            folder = place / name
            mine = folder / "mine.csv"
            count = predicted(folder / "todo.csv", mine, most)
            corpus = folder / str(options.articles[-1])
            for kind in judges[name]:
                command = ["score", "--corpus", corpus, "--judges", kind, "--predictions", f"mine={mine}"]
                out = ["--shared-items", "--out", folder / f"report-{kind.name}"]
                table.measure(name, f"score, {kind.name} judges", count, *command, *out)


def main(options: Options) -> None:
    """Measure and print."""
    named = (pair.split("=", 1) for pair in options.checkouts)
    checkouts = {name: Path(folder).resolve() for name, folder in named}
    table = Table(checkouts)
    with TemporaryDirectory() as folder:
        for name in checkouts:
            Path(folder, name).mkdir()
        measure_builds(table, Path(folder), options)
        measure_scores(table, Path(folder), options)
    print(json.dumps({"growth": table.rows()}, indent=1))


if __name__ == "__main__":
    main(tyro.cli(Options))
