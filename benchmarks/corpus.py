"""How long `change-it corpus build` takes and how much memory, by size, as JSON; and how both grow.

    python benchmarks/corpus.py
    python benchmarks/corpus.py --articles 40000 160000 1000000
    python benchmarks/corpus.py --articles 40000 160000 --window-days none

The articles are those of `tools.sample.write`, some 865 characters each. Each build is a process of its own;
writing the sample is not counted. The exponent is that of the seconds of the two largest sizes: 1 is linear.
"""

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro

from tools.sample.write import WriteOptions, run


@dataclass(kw_only=True)
class Options:
    """Build corpora of several sizes."""

    articles: tuple[int, ...] = (40_000, 160_000)
    """Articles of each corpus, rising."""
    window_days: str = "0"
    """As `change-it corpus build --window-days`: a number of days, or none."""
    seed: int = 2
    """Of the samples."""


def build(file: Path, options: Options) -> dict[str, Any]:
    """Seconds by the clock and of the processor, and the most memory, of one build."""
    command = [sys.executable, "-m", "change_it.cli", "corpus", "build", str(file)]
    command += ["--out", str(file.with_suffix("")), "--window-days", options.window_days]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, "the build failed"
    return {
        "seconds": round(time.perf_counter() - start, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "gigabytes": round(used.ru_maxrss / 1e6, 2),
    }


def main(options: Options) -> None:
    results: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        for count in options.articles:
            file = Path(folder, f"{count}.csv")
            run(WriteOptions(out=file, articles=count, seed=options.seed))
            print(f"{count} articles", file=sys.stderr)
            results[f"{count:,}"] = build(file, options)
    report: dict[str, Any] = {"window_days": options.window_days, "articles": results}
    if len(options.articles) > 1:
        small, large = options.articles[-2:]
        longer = results[f"{large:,}"]["seconds"] / results[f"{small:,}"]["seconds"]
        report["exponent"] = round(math.log(longer) / math.log(large / small), 3)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main(tyro.cli(Options))
