"""All ratios of the benchmarks with what is asked of them, from the JSON that each printed into one folder.

    python benchmarks/table.py runs/bench

A file is called as its script: `generator.json` is what `python benchmarks/generator.py --json` printed. What was not
measured has a dash; the exit code is 1 if a ratio that was measured misses its target.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import tyro


class Target(NamedTuple):
    """A number in a benchmark's output, and its bound."""

    what: str
    script: str
    path: tuple[str, ...]
    least: float | None = None
    most: float | None = None

    @property
    def bound(self) -> str:
        """The bound as it is shown."""
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"

    def met(self, found: float) -> bool:
        """Whether a ratio keeps it."""
        return (self.least is None or found >= self.least) and (self.most is None or found <= self.most)


TARGETS = (
    *(
        Target(f"{name}: step over its unavoidable parts", "generator", ("step_ratios", name), most=1.7)
        for name in ("pnc", "pn", "s2s")
    ),
    *(
        Target(f"{task}: over the pipeline", "judges", (task, "float32", "times_as_fast"), least=2)
        for task in ("main", "hh", "ah", "fluency")
    ),
    *(
        Target(f"{task}: beside one, of idle", "judges", (task, "float32", "of_idle_beside_1"), least=0.5)
        for task in ("main", "hh", "ah", "fluency")
    ),
    Target("ten systems over one", "judges", ("systems", "float32", "times_one"), most=2.5),
    Target("corpus build: exponent", "corpus", ("exponent",), most=1.05),
    Target("alignment over scikit-learn", "alignment", ("times_faster",), least=8.5),
    Target("ROUGE over rouge-score", "hevas", ("rouge1, rouge2, rougeL", "times_faster"), least=1),
    Target("Space: growth of memory", "space", ("mixed", "growth"), most=1.1),
)


@dataclass(kw_only=True)
class Options:
    """Print the table."""

    folder: Annotated[Path, tyro.conf.Positional] = Path("runs/bench")
    """Folder with a JSON file a script."""


def look_up(results: Any, path: tuple[str, ...]) -> float | None:
    """The number at a path of names, None where it is not."""
    for name in path:
        results = results.get(name) if isinstance(results, dict) else None
    return results


def rows_of(folder: Path) -> list[tuple[str, float | None, str, bool | None]]:
    """What, its ratio, its target, whether it is met."""
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    rows = []
    for target in TARGETS:
        ratio = look_up(files.get(target.script, {}), target.path)
        rows.append((target.what, ratio, target.bound, None if ratio is None else target.met(ratio)))
    return rows


def main(options: Options) -> int:
    """Print all rows; 1 if a target is missed."""
    rows = rows_of(options.folder)
    print(f"{'what':40} {'ratio':>8} {'target':>8}  ok")
    for what, ratio, bound, met in rows:
        shown = "-" if ratio is None else f"{ratio:g}"
        print(f"{what:40} {shown:>8} {bound:>8}  {'-' if met is None else 'yes' if met else 'NO'}")
    return int(any(met is False for *_, met in rows))


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Options)))
