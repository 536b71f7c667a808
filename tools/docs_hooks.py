"""What `mkdocs.yml` asks for: benchmarks/README.md is a page as it stands, with links that work there and on GitHub."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

BENCHMARKS = Path(__file__).parents[1] / "benchmarks" / "README.md"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page of the benchmarks."""
    files.append(File.generated(config, "benchmarks.md", abs_src_path=str(BENCHMARKS)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links between docs/ and benchmarks/ as links between pages."""
    return markdown.replace("](../benchmarks/README.md", "](benchmarks.md").replace("](../docs/", "](")
