"""What to cite: the file at the root and the lines on pages say the same."""

from pathlib import Path

import yaml

from change_it import __version__
from change_it.published_figures import CITATIONS

RECORD = yaml.safe_load((Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_file_at_the_root_has_the_papers_of_the_pages():
    assert RECORD["version"] == __version__
    papers = [
        f"{', '.join(author['family-names'] for author in paper['authors'])} ({paper['year']}): {paper['title']}."
        for paper in RECORD["references"]
    ]
    assert [line[: len(paper)] for line, paper in zip(CITATIONS.values(), papers, strict=True)] == papers
