"""Wall time, peak memory of the larger of its two processes, and quality of `change-it quickstart` on this machine, as JSON.

python benchmarks/quickstart.py --seed 1
"""

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro


@dataclass(kw_only=True)
class Options:
    """Run the quickstart once in a folder of its own and read what it wrote."""

    out: Path | None = None
    """Folder of the run; a temporary one when not given."""
    seed: int = 1
    """Seed of the run."""


def main(options: Options) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        out = options.out or Path(temporary) / "quickstart"
        start = time.perf_counter()
        arguments = ["quickstart", "--out", str(out), "--seed", str(options.seed)]
        subprocess.run([sys.executable, "-m", "change_it.cli", *arguments], check=True, stdout=sys.stderr)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        judges = {
            task: json.loads((out / "judges" / task / "metrics.json").read_text())
            for task in ("main", "hh", "ah")
        }
        with (out / "report" / "systems.csv").open(encoding="utf-8", newline="") as file:
            systems = list(csv.DictReader(file))
        steps = json.loads((out / "run.json").read_text())["seconds"]
    print(
        json.dumps(
            {
                "seconds": round(seconds, 1),
                "peak_gib": round(peak, 2),
                "steps": steps,
                "judges": judges,
                "systems": systems,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main(tyro.cli(Options))
