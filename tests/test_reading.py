"""The pages that teach explain numbered pictures, count questions, and cite papers as CITATION.cff does."""

import re
from pathlib import Path

import pytest
import yaml

from change_it.version import __version__
from tools.marks import PICTURES
from tools.readability import measure

CHECKOUT = Path(__file__).parents[1]
DOCS = CHECKOUT / "docs"
PAGES = ("cite", "faq", "index", "judges", "limits", "readers", "reports", "tutorial")


def read(page):
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_mark_of_a_picture_is_explained_below_it(picture):
    path = f"images/read-{picture.name}.png"
    assert (DOCS / path).exists()
    _, _, below = read("reports").partition(f"]({path})\n\n")
    numbers = re.match(r"(?:\d+\. .+\n(?: {3}.+\n)*)+", below)
    assert numbers
    explained = [int(number) for number in re.findall(r"(?m)^(\d+)\. ", numbers[0])]
    assert explained == list(range(1, len(picture.marks) + 1))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_first_what_one_can_do_after_it_then_shows_a_command_or_a_picture(page):
    title, about, first = read(page).split("\n\n")[:3]
    assert title.startswith("# ")
    assert about.startswith("After this page you ")
    assert first.startswith(("```", "!["))
    assert measure(read(page)).share_of_long_sentences <= 0.05


def test_there_are_thirteen_questions():
    titles = re.findall(r"(?m)^## (.+)$", read("faq"))
    assert len(titles) == 13
    assert all(title.endswith("?") for title in titles)


def entries():
    """Return the BibTeX entries of the page as field to value, by key."""
    found = {}
    for key, body in re.findall(r"(?ms)^@\w+\{([\w-]+),\n(.*?)^\}", read("cite")):
        fields = dict(re.findall(r"(?m)^  (\w+) = \{(.+)\},?$", body))
        found[key] = {name: value.replace("\\_", "_") for name, value in fields.items()}
    return found


def test_the_papers_are_cited_as_the_citation_file_has_them():
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    papers = {entry["title"]: entry for entry in entries().values()}
    assert papers.pop(citation["title"])["version"] == citation["version"] == __version__
    assert {*papers} == {paper["title"] for paper in citation["references"]}
    for paper in citation["references"]:
        entry = papers[paper["title"]]
        names = [f"{author['family-names']}, {author['given-names']}" for author in paper["authors"]]
        assert entry["author"].split(" and ") == names
        assert entry["booktitle"] == paper["collection-title"]
        assert (entry["year"], entry["pages"].replace("--", "-")) == (str(paper["year"]), paper["pages"])
        assert (entry.get("url"), entry.get("doi")) == (paper.get("url"), paper.get("doi"))
