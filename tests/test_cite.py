"""What to cite: the file at the root, the command, and the lines on pages say the same."""

import re
from pathlib import Path

import yaml

from change_it import __version__
from change_it.cli import main
from change_it.published_figures import CITATIONS, PAPERS

RECORD = yaml.safe_load((Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_file_at_the_root_has_the_papers():
    assert RECORD["version"] == __version__
    found = [
        (
            tuple(f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]),
            *(paper[name] for name in ("title", "collection-title", "year", "pages")),
            *(paper.get(name, "") for name in ("doi", "url")),
        )
        for paper in RECORD["references"]
    ]
    papers = PAPERS.values()
    assert found == [(p.authors, p.title, p.book, p.year, p.pages, p.doi, p.url) for p in papers]


def test_the_command_prints_bibtex(capsys):
    assert main(["cite"]) == 0
    printed = capsys.readouterr().out
    assert f"title = {{{RECORD['title']}}}" in printed
    keys = re.findall(r"^@\w+\{([\w-]+),$", printed, re.MULTILINE)
    assert keys == ["change_it", *(paper.key for paper in PAPERS.values())]
    assert "  pages = {38--43}," in printed
    assert "  doi = {10.4000/books.aaccademia.7250}" in printed
    assert printed.count("{") == printed.count("}")


def test_a_citation_is_one_line():
    assert CITATIONS["hevas2019"] == (
        "Litvak, Vanetik, Eretz Kdosha (2019): HEvAS: Headline Evaluation and Analysis System. MultiLing 2019 workshop."
    )
