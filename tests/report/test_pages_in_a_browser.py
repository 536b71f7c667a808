"""Report, audit, HEvAS and comparison as a reader opens them: in both languages, on a desk and a phone, light and dark."""

import pytest
from pages import beyond, foreign_words, pale
from scoring_fakes import FakeJudges

from change_it.audit.options import AuditOptions
from change_it.audit.perturbations import PERTURBATIONS
from change_it.audit.verdicts import read_summary
from change_it.hevas.options import MetricOptions
from change_it.report import audit_command, compare_command, hevas
from change_it.report.context import corpus_info, made
from change_it.report.files import write_report
from change_it.report.html import word
from change_it.scoring.item import read_test_set
from change_it.scoring.options import CompareOptions
from change_it.scoring.score import score
from change_it.scoring.systems import built_in_systems
from change_it.translation import LANGUAGES

#: Page to its file, and what on it is no text of ours: headlines, cues, topics, what people call things.
PAGES = {
    "report": (
        "report/report.html",
        "#written :is(td, th[scope=row]), .tabulator-row, i[lang], cite, .facts dd",
    ),
    "audit": ("audit/audit.html", "#listens :is(td, th), .example dd, i[lang]"),
    "hevas": ("report/hevas/report.html", ""),
    "compare": ("compare.html", ".tabulator-row"),
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
def folders(tmp_path_factory, corpus):
    """Language to a folder with every page."""
    found = {language: tmp_path_factory.mktemp(language) for language in LANGUAGES}
    judges = FakeJudges(("colle", "faro"), digits="abcd")
    test = read_test_set(corpus)
    systems = built_in_systems(test)
    scores = score(test, judges, systems, resamples=2)
    metrics = MetricOptions()
    measured = hevas.measure(hevas.check(test, metrics), systems, scores, options=metrics, resamples=2)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("change_it.judges.judge.Judges.from_pretrained", lambda *_, **__: judges)
        for language, folder in found.items():
            chosen = {"report_language": language, "corpus": corpus, "judges": str(folder / "judges")}
            (folder / "judges").mkdir()
            audit_command.run(AuditOptions(**chosen, items=6, resamples=2))
            summary = read_summary(judges, folder / "judges")
            about = corpus_info(corpus), []
            write_report(folder / "report", scores, *about, measured, summary, language=language, made=made())
            files = tuple(folder / "report" / "items" / f"{name}.csv" for name in ("copy", "lead"))
            page = folder / "compare.html"
            compare_command.run(CompareOptions(files=files, out=page, report_language=language))
    return found


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
    file, others = PAGES[name]
    page, wrong = windows[width].new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or wrong.append(request.url))
    page.goto((folders[language] / file).as_uri())
    if name in ("report", "compare"):
        page.locator(".tabulator-row").first.wait_for()
    assert page.locator("html").get_attribute("lang") == language
    assert foreign_words(page, language, names=NAMES, but=others) == []
    assert beyond(page, but=".tabulator-header *") == []  # it follows the rows, which scroll
    for looks in ("light", "dark"):
        page.emulate_media(color_scheme=looks)
        assert pale(page) == [], looks
    assert wrong == []
    page.close()


def test_everything_that_the_audit_does_to_a_headline_has_italian_words():
    left = [
        one.description for one in PERTURBATIONS.values() if word("it", one.description) == one.description
    ]
    assert left == []
