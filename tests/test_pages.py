"""Pages: links that lead somewhere, short sentences, and words that the glossary has."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from scoring_fakes import SCALE, FakeJudges

from change_it.scoring.settings import ScoreSettings
from change_it.scoring.signature import Basis, signature
from tools import site_links
from tools.readability import measure

CHECKOUT = Path(__file__).parent.parent
#: Every page, as it lies in the repository; docs/benchmarks.md and docs/results are links.
EVERY_PAGE = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    *sorted(page for page in (CHECKOUT / "docs").glob("*.md") if not page.is_symlink()),
    CHECKOUT / "benchmarks/README.md",
    *sorted((CHECKOUT / "benchmarks/results").glob("*.md")),
]


def anchors_of(page: Path) -> list[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    titles = re.findall(r"(?m)^#+ (.+)$", text)
    return [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page):
    """Links of a page as it lies in the repository; `mkdocs build --strict` checks those of the site."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors_of(target), link


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_at_most_one_sentence_of_twenty_is_long(page):
    assert measure(page.read_text(encoding="utf-8")).share_of_long_sentences <= 0.05


def test_pages_of_the_benchmarks_have_the_sites_links_on_the_site():
    def on_the_site(name, text):
        return site_links.on_page_markdown(text, page=SimpleNamespace(file=SimpleNamespace(src_uri=name)))

    assert on_the_site("benchmarks.md", "[a](../docs/hevas.md#b)") == "[a](hevas.md#b)"
    assert on_the_site("results/pace.md", "[a](../../docs/hevas.md)") == "[a](../hevas.md)"
    assert on_the_site("results/pace.md", "[a](../README.md#b)") == "[a](../benchmarks.md#b)"
    assert on_the_site("hevas.md", "[a](../docs/hevas.md)") == "[a](../docs/hevas.md)"


def test_every_part_of_a_signature_is_in_the_glossary():
    basis = Basis(n=1, events=1, partners=1, runs=2, candidates=4.0, reranker="1a2b3c,fold:0")
    judges = FakeJudges(fluency=True, scale=SCALE._replace(pairs=1))  # too few for a style
    line = signature(judges, ScoreSettings(), basis, trained="1a2b3c4d")
    parts = {part.partition(":")[0] for part in line.split("|")[1:]}
    assert {"judges", "trained", "reranker", "fluency", "style", "n", "v"} <= parts
    glossary = (CHECKOUT / "docs/glossary.md").read_text(encoding="utf-8")
    assert [part for part in sorted(parts) if f"`{part}:" not in glossary] == []
