"""What `mkdocs.yml` asks for: benchmarks/README.md as a page, with links that work on GitHub too, and every --help."""

import os
from collections.abc import Mapping
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from change_it.cli import COMMANDS, VARIANTS, Command
from change_it.help import command_help

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
        markdown += "".join(helps("change-it", COMMANDS))
    return markdown.replace("](../benchmarks/README.md", "](benchmarks.md").replace("](../docs/", "](")


def helps(program: str, commands: Mapping[str, Command | dict[str, Command]]) -> list[str]:
    """The help of every command, each below its name."""
    found = []
    for name, entry in commands.items():
        called = f"{program} {name}"
        if isinstance(entry, dict):
            found += helps(called, entry)
        else:
            text = command_help(entry.options, VARIANTS.get(entry.options, dict)())
            found.append(f"\n## {called}\n\n```text\n{text}\n```\n")
    return found
