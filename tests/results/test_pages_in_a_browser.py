"""Report, audit and HEvAS as a reader opens them: on a desk and a phone, light and dark."""

from functools import partial
from pathlib import Path

import pytest
from pages import beyond, expected, pale
from scoring_fakes import FakeJudges

from change_it.audit.measure import audit, read_corpus
from change_it.audit.verdicts import Summary
from change_it.hevas.metric_options import MetricOptions
from change_it.io import read_json
from change_it.results import hevas_scores as hevas
from change_it.results.audit_tables import write_audit
from change_it.results.charts import compliancy_drawings, hevas_drawings
from change_it.results.pages import compliancy_page, hevas_page
from change_it.results.provenance import made
from change_it.scoring.item import read_test_set
from change_it.scoring.scores import score
from change_it.scoring.systems import built_in_systems

PAGES = ("report", "audit", "hevas")


@pytest.fixture(scope="module")
def folder(shared_folder, corpus):
    """A folder with every page, written once."""
    return shared_folder("pages", partial(write_pages, corpus))


def write_pages(corpus, out):
    judges = FakeJudges(("colle", "faro"), digits="abcd")
    test, info, metrics = read_test_set(corpus), read_json(Path(corpus) / "alignment.json"), MetricOptions()
    systems = built_in_systems(test)
    scores = score(test, judges, systems, resamples=2)
    measured = hevas.measure(hevas.check(test, metrics), systems, scores, options=metrics, resamples=2)
    audited = audit(read_corpus(corpus, "it", casing=None, seed=1), judges, {}, at_most=6, resamples=2)
    summary = Summary(audited.verdicts, audited.together)
    drawings = compliancy_drawings(scores, info)
    evaluated = measured.documents, measured.evaluation, measured.analysis
    charts = hevas_drawings(*evaluated[1:])
    report = compliancy_page(scores, info, [], drawings, measured, summary, made=made())
    for name, page in {"report": report, "hevas": hevas_page(*evaluated, charts)}.items():
        (out / f"{name}.html").write_text(page, encoding="utf-8")
    write_audit(out / "audit", audited)
    (out / "audit" / "audit.html").rename(out / "audit.html")


@pytest.fixture(scope="module")
def windows(browser):
    """Width to a browser that is so wide."""
    found = {width: browser.new_context(viewport={"width": width, "height": 900}) for width in (1280, 390)}
    yield found
    for context in found.values():
        context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_can_be_read(folder, windows, name, width):
    page, wrong = windows[width].new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or wrong.append(request.url))
    page.goto((folder / f"{name}.html").as_uri())
    if name == "report":
        page.locator(".tabulator-row").first.wait_for()
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
