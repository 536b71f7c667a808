"""Report, audit, HEvAS and comparison as a reader opens them: in both languages, on a desk and a phone, light and dark."""

from functools import partial

import pytest
from pages import beyond, expected, foreign_words, pale
from scoring_fakes import FakeJudges

from change_it.audit.measure import audit, read_corpus
from change_it.audit.perturbations import PERTURBATIONS
from change_it.audit.verdicts import Summary
from change_it.hevas.metric_options import MetricOptions
from change_it.results import hevas_scores as hevas
from change_it.results.audit_tables import write_audit
from change_it.results.charts import compliancy_drawings, hevas_drawings
from change_it.results.context import corpus_info, made
from change_it.results.pages import compliancy_page, hevas_page
from change_it.scoring.item import read_test_set
from change_it.scoring.scores import score
from change_it.scoring.systems import built_in_systems
from change_it.translation import LANGUAGES, localized

#: Page to what on it is no text of ours: headlines, cues, topics, what people call things.
PAGES = {
    "report": "#written :is(td, th[scope=row]), .tabulator-row, cite, .facts dd",
    "audit": "#listens :is(td, th), .example dd",
    "hevas": "",
}
#: Parts of the names of systems and judges.
NAMES = {part for one in PERTURBATIONS.values() for part in one.name.split()}
NAMES |= {
    "gold",
    "copy",
    "lead",
    "random",
    "target",
    "sum",
    "strict",
    "main",
    "fluency",
    "facts",
    "source",
    "hard",
    "match",
}


@pytest.fixture(scope="module")
def folders(shared_folder, corpus):
    """Language to a folder with every page, written once."""
    pages = shared_folder("pages", partial(write_pages, corpus))
    return {language: pages / language for language in LANGUAGES}


def write_pages(corpus, out):
    judges = FakeJudges(("colle", "faro"), digits="abcd")
    test, info, metrics = read_test_set(corpus), corpus_info(corpus), MetricOptions()
    systems = built_in_systems(test)
    scores = score(test, judges, systems, resamples=2)
    measured = hevas.measure(hevas.check(test, metrics), systems, scores, options=metrics, resamples=2)
    audited = audit(read_corpus(corpus, "it", casing=None, seed=1), judges, {}, at_most=6, resamples=2)
    summary = Summary(audited.verdicts, audited.together)
    drawings = compliancy_drawings(scores, info.histogram)
    evaluated = measured.documents, measured.evaluation, measured.analysis
    charts = hevas_drawings(*evaluated[1:])
    for language in LANGUAGES:
        folder = out / language
        folder.mkdir()
        chosen = {"language": language}
        report = compliancy_page(scores, info, [], drawings, measured, summary, made=made(), **chosen)
        pages = {
            "report": report,
            "hevas": hevas_page(*evaluated, charts, **chosen),
        }
        for name, page in pages.items():
            (folder / f"{name}.html").write_text(page, encoding="utf-8")
        write_audit(folder / "audit", audited, **chosen)
        (folder / "audit" / "audit.html").rename(folder / "audit.html")


@pytest.fixture(scope="module")
def windows(browser):
    """Width to a browser that is so wide."""
    found = {width: browser.new_context(viewport={"width": width, "height": 900}) for width in (1280, 390)}
    yield found
    for context in found.values():
        context.close()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_can_be_read_and_is_in_one_language(folders, windows, name, width, language):
    page, wrong = windows[width].new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or wrong.append(request.url))
    page.goto((folders[language] / f"{name}.html").as_uri())
    if name == "report":
        page.locator(".tabulator-row").first.wait_for()
    assert page.locator("html").get_attribute("lang") == language
    assert foreign_words(page, language, names=NAMES, but=PAGES[name]) == []
    assert beyond(page, but=".tabulator-header *") == []  # it follows the rows, which scroll
    for looks in ("light", "dark"):
        page.emulate_media(color_scheme=looks)
        assert pale(page) == [], looks
    if name in ("report", "audit"):
        page.locator("#systems .about").first.click()
        expected(page.locator("[popover]:popover-open")).to_be_visible()
        assert beyond(page, but=".tabulator-header *") == []
    if name == "report" and width == 390:  # the marks of a headline are in sight
        mark = page.locator(".item-side small").first.bounding_box()
        assert mark["x"] + mark["width"] <= width
    assert wrong == []
    page.close()


def test_everything_that_the_audit_does_to_a_headline_has_italian_words():
    texts = [text for one in PERTURBATIONS.values() for text in (one.name, one.description)]
    assert [text for text in texts if localized("it", text) == text] == []
