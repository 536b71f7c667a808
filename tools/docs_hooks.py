"""What `mkdocs.yml` asks for: benchmarks/README.md as a page, with links that work on GitHub too, and every --help."""

import os
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import ModuleType

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from change_it.cli import COMMANDS, Group, main

BENCHMARKS = Path(__file__).parents[1] / "benchmarks" / "README.md"
COLUMNS = 78  # of a block of code on the site


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page of the benchmarks."""
    files.append(File.generated(config, "benchmarks.md", abs_src_path=str(BENCHMARKS)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links between docs/ and benchmarks/ as links between pages; the commands below their page."""
    if page.file.src_uri == "commands.md":
        os.environ["COLUMNS"] = str(COLUMNS)
        markdown += "".join(helps(COMMANDS))
    return markdown.replace("](../benchmarks/README.md", "](benchmarks.md").replace("](../docs/", "](")


def helps(commands: Mapping[str, ModuleType | Group], *words: str) -> list[str]:
    """The help of every command, each below its name."""
    found = []
    for name, command in commands.items():
        if isinstance(command, dict):
            found += helps(command, *words, name)
            continue
        with redirect_stdout(StringIO()) as text, suppress(SystemExit):
            main([*words, name, "--help"])
        found.append(f"\n## {' '.join(['change-it', *words, name])}\n\n```text\n{text.getvalue()}```\n")
    return found
