"""Run the commands of docs/tutorial.md in a fresh folder, and write what they print into the page.

python -m tools.tutorial

`<!-- output: START | END -->` to `<!-- /output -->` is what the block above it printed: from the first line
that begins with START to the last one before a line that begins with END. Without END it goes to the end.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/tutorial.md"
#: A block that runs, or a block of what was printed with its marks.
PARTS = re.compile(
    r"(?ms)^```(?P<language>bash|python)\n(?P<code>.*?)^```"
    r"|^(?P<mark><!-- output: (?P<start>[^|\n]+?)(?: \| (?P<end>[^\n]+?))? -->)\n\n"
    r"```text\n(?P<text>.*?)^```\n\n<!-- /output -->"
)


@dataclass(frozen=True)
class Output:
    """Lines of what a block printed, as the page shows them.

    Attributes:
        start: How the first line begins.
        end: How the line behind the last one begins; empty where all that follows is shown.
        text: The lines on the page.
    """

    start: str
    end: str
    text: str

    def select(self, printed: str) -> str:
        """Return the lines of a printed text that the page shows, without trailing spaces."""
        lines = [line.rstrip() for line in printed.splitlines()]
        first = next((at for at, line in enumerate(lines) if line.startswith(self.start)), None)
        if first is None:
            raise ValueError(f"nothing that was printed begins with {self.start!r}")
        shown = [lines[first]]
        for line in lines[first + 1 :]:
            if self.end and line.startswith(self.end):
                break
            shown.append(line)
        return "\n".join(shown).rstrip() + "\n"


@dataclass(frozen=True)
class Step:
    """A block of the page that runs.

    Attributes:
        language: bash or python.
        code: What runs.
        outputs: What the page shows of its output.
    """

    language: str
    code: str
    outputs: tuple[Output, ...]


def read_steps(page: str) -> list[Step]:
    """Return the blocks of a page that run, in their order."""
    steps: list[Step] = []
    for part in PARTS.finditer(page):
        if part["language"]:
            steps.append(Step(part["language"], part["code"], ()))
            continue
        output = Output(part["start"], part["end"] or "", part["text"])
        last = steps[-1]
        steps[-1] = Step(last.language, last.code, (*last.outputs, output))
    return steps


def without_figures(text: str) -> str:
    """Return a text in which each number is `#`, and an interval one too: another machine may have others.

    Examples:
        >>> without_figures("gold  .46 (.37–.54)   -.73 (-.80 to -.65)")
        'gold # (#) # (#)'
    """
    text = re.sub(r"\([^()]*\d[^()]*\)", "(#)", text)
    text = re.sub(r"[-−]?(?:\d[\d,]*)?\.?\d+", "#", text)
    return " ".join(re.sub(r"─+", "─", text).split())


def run(step: Step, folder: Path) -> str:
    """Run a block in a folder and return what it printed."""
    command = ["bash", "-euo", "pipefail", "-c"] if step.language == "bash" else [sys.executable, "-c"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "80"}
    done = subprocess.run(
        [*command, step.code], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def main() -> None:
    """Run the page's blocks one after the other, and write what they printed into it."""
    page = PAGE.read_text(encoding="utf-8")
    printed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for step in read_steps(page):
            printed.append(run(step, Path(folder)))
    number = -1

    def written(part: re.Match[str]) -> str:
        nonlocal number
        if part["language"]:
            number += 1
            return part[0]
        output = Output(part["start"], part["end"] or "", part["text"])
        return f"{part['mark']}\n\n```text\n{output.select(printed[number])}```\n\n<!-- /output -->"

    PAGE.write_text(PARTS.sub(written, page), encoding="utf-8")


if __name__ == "__main__":
    main()
