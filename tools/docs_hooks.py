"""What `mkdocs.yml` asks for: benchmarks/README.md as a page, with links that work on GitHub too, and every --help."""

import os
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from change_it.cli import COMMANDS, main

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
        markdown += "".join(helps())
    return markdown.replace("](../benchmarks/README.md", "](benchmarks.md").replace("](../docs/", "](")


def helps() -> Iterator[str]:
    """The help of every command, each below its name."""
    for name, members in COMMANDS.items():
        for words in [[name, member] for member in members] or [[name]]:
            with redirect_stdout(StringIO()) as text, suppress(SystemExit):
                main([*words, "--help"])
            yield f"\n## {' '.join(['change-it', *words])}\n\n```text\n{text.getvalue()}```\n"
