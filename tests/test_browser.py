"""The page in a real browser: Debian's Chromium, driven by Playwright, in both languages, as wide as a desk's screen and a phone's.

Judges decide by rules (see `scoring_fakes.FakeJudges`): main takes an exclamation mark for gio's, HH and AH want a long
word in common, fluency wants no word twice. Every page is checked: an error in the console, a request that fails or goes elsewhere, a dialog or a
script that runs is a failure of its test.
"""

import re
from contextlib import ExitStack
from functools import partial
from threading import Event
from time import sleep
from urllib.parse import parse_qs, urlsplit

import pytest
from csv_files import read_csv, write_csv
from pages import beyond, expected, foreign_words, pale
from space_runs import models_in, served, write_run

from change_it.scoring.compliancy import VERDICT_NAMES
from change_it.space import transfer_tab
from change_it.space.examples import examples
from change_it.space.transfer_tab import transfer_inputs
from change_it.translation import LANGUAGES, number, translate

pytestmark = pytest.mark.slow

#: Headline and article of each language's models; new headlines and what a right one drops.
TEXTS = {
    "it": {
        "headline": "Crolla il ponte sulla statale",
        "article": "Il ponte sulla statale crolla ieri. Sciopero generale dei treni.",
        "own": "Statale: crolla il ponte!",
        "dropped": "sulla",
        "rainy": "Piove",
        "new": ("Piove sulla statale, 17!", "Piove", "17"),
        "other": "Sciopero dei treni",
        "far": "Gara di nuoto: vince la squadra ospite, tifosi in festa fino all'alba.",
    },
    "en": {
        "headline": "Bridge on the highway falls",
        "article": "The bridge on the highway falls on Tuesday. A strike stops every train.",
        "own": "Highway: the bridge falls!",
        "dropped": "on",
        "rainy": "Raining",
        "new": ("Raining on the highway, 17!", "Raining", "17"),
        "other": "Strike of the trains",
        "far": "Swimmers win their final race: supporters celebrate until sunrise.",
    },
}
HOSTILE = '<img src=x onerror="window.ran=1"> <b>statale</b> <script>window.ran=1</script>!'
MINUTE = 60_000
HEADER = ["id", "source", "article", "label", "headline", "system"]
# Item, prediction of each system; by the rules mine is right about 1 and 3, other about 2 and 3.
SCORED = [
    ["1", "Crolla il ponte", "Il ponte crolla di notte.", "rep", "Ponte giù: crolla!", "mine"],
    ["2", "Basta tasse!", "Una legge sulle tasse.", "gio", "Basta tasse!", "mine"],
    ["3", "Treni fermi", "Sciopero dei treni oggi.", "rep", "Treni, che sciopero!", "mine"],
    ["1", "Crolla il ponte", "Il ponte crolla di notte.", "rep", "Piove!", "other"],
    ["2", "Basta tasse!", "Una legge sulle tasse.", "gio", "Restano le tasse", "other"],
    ["3", "Treni fermi", "Sciopero dei treni oggi.", "rep", f"Treni {HOSTILE}", "other"],
]
DOCUMENTS = [
    [
        f"d{n}",
        f"{who} riapre lunedì dopo i lavori. Il comune ha speso {n} milioni. I cittadini aspettano.",
        who,
    ]
    for n, who in enumerate(("Il ponte", "La scuola", "Il treno", "La squadra", "Il festival", "L'ospedale"))
]
DESK, PHONE = 1280, 390
SCREENS = {
    DESK: {"viewport": {"width": DESK, "height": 900}},
    PHONE: {"viewport": {"width": PHONE, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.fixture(scope="module")
def spaces(tmp_path_factory):
    """Language to the address of a page over models of that language."""
    run = write_run(tmp_path_factory.mktemp("browser") / "run")
    with ExitStack() as stack:
        found = {}
        for language in LANGUAGES:
            texts = [TEXTS[language][name] for name in ("headline", "article", "rainy", "own", "other")]
            texts += [cell for row in SCORED for cell in (row[1], row[2], row[4])]
            models = models_in(language, run, texts)
            models.warm_up()
            found[language] = stack.enter_context(served(models, language)).rstrip("/")
        yield found


@pytest.fixture(scope="module")
def contexts(browser):
    """Width to a browser that is so wide; its pages share what they have fetched."""
    found = {
        width: browser.new_context(accept_downloads=True, **settings) for width, settings in SCREENS.items()
    }
    yield found
    for context in found.values():
        context.close()


@pytest.fixture
def opened(spaces, contexts):
    """Opens the page, each time as a new visit; in the end nothing must have gone wrong on any of them."""
    wrong, pages = [], []

    def open_page(language="it", width=DESK, query=""):
        url = spaces[language]
        page = contexts[width].new_page()
        pages.append(page)
        page.set_default_timeout(MINUTE)
        page.on(
            "console", lambda message: message.type == "error" and wrong.append(f"console: {message.text}")
        )
        page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        page.on("requestfailed", lambda request: given_up(request) or wrong.append(f"failed: {request.url}"))
        page.on("response", lambda answer: answer.ok or wrong.append(f"{answer.status}: {answer.url}"))
        page.on("request", lambda request: ours(request.url) or wrong.append(f"elsewhere: {request.url}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(f"{url}/{query}")
        expected(page.locator("#candidates-found .ci-card").first).to_be_visible()
        return page

    def ours(address):
        return address.startswith((*spaces.values(), "data:", "blob:"))

    def given_up(request):
        """Gradio listens for answers as long as it waits for some, and then hangs up itself."""
        return "/queue/data" in request.url and request.failure == "net::ERR_ABORTED"

    yield open_page
    wrong += ["a script ran" for page in pages if page.evaluate("window.ran") is not None]
    found = list(wrong)  # what is cut off by closing is nobody's fault
    for page in pages:
        page.close()
    assert found == []


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(params=SCREENS)
def width(request):
    return request.param


@pytest.fixture
def page(opened, language, width):
    """The page in a language, over models of it, at a width."""
    return opened(language, width)


@pytest.fixture
def own(language):
    """Texts for the models, and the page's own texts."""
    return TEXTS[language]


@pytest.fixture
def text(language):
    return partial(translate, language)


def go_to(page, tab, text):
    """Choose a tab, which on a phone may be in the menu of those that do not fit."""
    name = text(f"tabs.{tab}")
    expected(page.locator(f"button:text-is({name!r})").first).to_be_attached()
    button = page.get_by_role("tab", name=name, exact=True)
    if not button.is_visible():
        page.locator(".overflow-menu > button").click()
        # The page may make room for the tab in this moment.
        inside = page.locator(".overflow-dropdown").get_by_text(name, exact=True)
        button = inside.or_(button).filter(visible=True).first
    button.click()


def transfer(page, texts, own=None):
    """Write a headline, its article and a new one; press the button."""
    own = own or texts["own"]
    for name, value in (("headline", texts["headline"]), ("article", texts["article"]), ("own", own)):
        page.locator(f"#{name} textarea").fill(value)
    page.locator("#transfer").click()
    card = card_of(page, own)
    expected(card).to_be_visible()
    return card


def card_of(page, headline):
    return page.locator(".ci-card", has=page.locator(".ci-headline", has_text=headline))


def asks(page, name):
    """Waits for a request that one component sends; while an earlier one is at work, what follows is sent in its name."""
    number = page.evaluate(
        "name => gradio_config.components.find(one => one.props.elem_id === name).id", name
    )
    return page.expect_request(
        lambda request: "/queue/join" in request.url and request.post_data_json["trigger_id"] == number
    )


def upload(page, place, *paths):
    page.locator(f"{place} input[type=file]").set_input_files(paths)
    expected(page.locator(f"{place} .file-preview tr")).to_have_count(len(paths))


def download(page, place, name):
    """The rows of a file that is offered."""
    link = page.locator(f"{place} a[download={name!r}]")
    with page.expect_download() as found:
        link.click()
    assert found.value.suggested_filename == name
    return read_csv(found.value.path())


def choose(page, place, name):
    """Choose from a list that unfolds."""
    page.locator(f"{place} input").click()
    page.get_by_role("option", name=name, exact=True).click()
    expected(page.locator(f"{place} input")).to_have_value(name)


def score(page, tmp_path, text):
    go_to(page, "score", text)
    upload(page, "#score-file", write_csv(tmp_path / "mine.csv", SCORED, HEADER))
    page.locator("#score").click()
    expected(page.locator("#score-files .file-preview")).to_be_visible()


def test_the_page_opens_with_an_example_already_judged(page, language, width, text):
    shown = {page.locator(f"#{name} textarea").input_value() for name in ("headline", "article")}
    assert shown in [{one["headline"], one["article"]} for one in examples(language)]
    if language == "it":  # models of invented newspapers
        assert_invented(page, text)
    else:
        expected(page.locator("#about")).to_contain_text(text("page.outlets", a="rep", b="gio"))
        expected(page.locator("#about .ci-warning")).to_have_count(0)
    expected(page.locator(".ci-jump a")).to_be_visible(visible=width == PHONE)
    expected(page.locator(".ci-card").first.locator(".ci-verdicts li")).to_have_count(len(VERDICT_NAMES))
    assert beyond(page) == []


def assert_invented(page, text):
    notice = page.locator("#about .ci-warning")
    expected(notice).to_have_text(f"{text('page.sample_title')} {text('page.sample')}")
    expected(notice).to_be_in_viewport()


def test_a_headline_is_transferred_and_judged(page, language, own, text):
    card = transfer(page, own)
    expected(card.locator(".ci-badge")).to_have_text(f"✓ {text('transfer.compliant_yes')}")
    says = [
        f"{text(f'transfer.{judge}')} {text(f'transfer.{judge}_yes', original='rep', new='gio')}"
        for judge in VERDICT_NAMES
    ]
    expected(card.locator(".ci-verdicts li")).to_have_count(len(VERDICT_NAMES))
    expected(card.locator(".ci-says")).to_have_text([re.compile(f"^{re.escape(one)}") for one in says])
    expected(card.locator(".ci-mark")).to_have_text(["✓"] * len(VERDICT_NAMES))
    expected(card.locator(".ci-headline mark")).to_have_text([":", "!"])
    expected(card.locator(".ci-gone del")).to_have_text(own["dropped"])
    expected(card.locator(".ci-gone")).to_contain_text(text("transfer.gone"))
    expected(card.locator(".ci-value")).to_have_text(["80%", "70%", "74%", "60%"])
    expected(page.locator(".ci-card").first.locator(".ci-badge")).to_contain_text(
        text("transfer.compliant_yes")
    )
    page.locator("#own textarea").fill(own["rainy"])  # judged as one types
    rainy = card_of(page, own["rainy"])
    expected(rainy.locator(".ci-mark")).to_have_text([*"✗✗✗✗✓✓"])
    expected(rainy.locator(".ci-badge")).to_have_text(f"✗ {text('transfer.compliant_no')}")
    expected(rainy.locator(".ci-headline mark")).to_have_text(own["rainy"])
    expected(rainy).to_contain_text(text("transfer.hh_no"))
    assert beyond(page) == []


def test_a_long_piece_that_is_left_out_goes_on_in_the_next_line(opened):
    page, texts = opened("it", PHONE), TEXTS["it"]
    headline = f"{texts['headline']}, {texts['other'].lower()} e poi {texts['far'].lower()}"
    card = transfer(page, texts | {"headline": headline}, texts["rainy"])
    expected(card.locator(".ci-gone del")).to_have_text(headline)
    assert beyond(page) == []


def test_an_example_is_clicked(page, language, text):
    place, example = next((at, one) for at, one in enumerate(examples(language)) if one["outlet"] == 0)
    page.locator("#headline textarea").fill("")
    page.get_by_label("gio → rep").check()
    page.locator("#examples button").nth(place).click()
    expected(page.locator("#headline textarea")).to_have_value(example["headline"])
    expected(page.locator("#article textarea")).to_have_value(example["article"])
    expected(page.get_by_label("rep → gio")).to_be_checked()  # it is written like the first outlet
    summary = re.compile(text("transfer.summary", good=r"\d", all=r"\d", to="gio"))
    expected(page.locator(".ci-summary")).to_have_text(summary)
    expected(page.locator(".ci-card").first.locator(".ci-verdicts li")).to_have_count(len(VERDICT_NAMES))


def test_every_mark_explains_itself_to_mouse_and_finger(page, width, own, text):
    point = "tap" if width == PHONE else "hover"
    if width == PHONE:
        page.locator(".ci-jump a").tap()
        expected(page.locator(".ci-summary, .ci-warning").last).to_be_in_viewport()
    headline, *marked = own["new"]
    card = transfer(page, own, headline)
    marks = card.locator(".ci-headline mark")
    expected(marks).to_have_text([marked[0], ",", "17", "!"])
    for shown, why in zip(marked, ("new_word", "unsupported_word"), strict=True):
        mark = marks.filter(has_text=shown)
        page.mouse.move(0, 0)
        assert mark.evaluate("one => getComputedStyle(one, '::after').content") == "none"
        getattr(mark, point)()
        assert text(f"transfer.{why}") in mark.evaluate("one => getComputedStyle(one, '::after').content")
        assert beyond(page) == []
    verdict = card.locator(".ci-verdicts li").first
    about = verdict.get_by_text(text("transfer.hh_about"))
    expected(about).to_be_hidden()
    (verdict.locator("summary").tap if width == PHONE else verdict.locator("summary").click)()
    expected(about).to_be_visible()
    assert verdict.locator("summary").get_attribute("title") == text("transfer.hh_about")
    card.locator(".ci-legend summary").click()
    expected(card.get_by_text(text("transfer.Fog_long"))).to_be_visible()


def test_a_wrong_direction_is_flagged(page, own, text):
    page.get_by_label("gio → rep").check()
    card = transfer(page, own)  # written like rep already
    expected(page.locator(".ci-answer .ci-warning")).to_have_text(
        text("transfer.wrong_direction", a="gio", b="rep", share="80%")
    )
    expected(card.locator(".ci-badge")).to_have_text(f"– {text('transfer.compliant_unknown')}")
    expected(card.locator(".ci-mark")).to_have_text([*"✓✓––✓✓"])
    page.get_by_label("rep → gio").check()
    expected(card.locator(".ci-badge")).to_have_text(f"✓ {text('transfer.compliant_yes')}")


def test_a_text_far_from_the_models_is_named(page, own, text):
    transfer(page, own)
    expected(page.locator(".ci-answer .ci-warning")).to_have_count(0)
    page.locator("#article textarea").fill(own["far"])
    before, after = text("transfer.foreign", known="|").split("|")
    expected(page.locator(".ci-answer .ci-warning")).to_have_text(
        re.compile(rf"^{re.escape(before)}\d+%{re.escape(after)}$")
    )


def test_the_slider_asks_again(page, own):
    transfer(page, own)
    weight = page.locator("#weight input[type=number]")
    for value in ("1", "0"):
        weight.fill(value)
        weight.press("Enter")
        expected(page.locator(".ci-link")).to_have_attribute("href", re.compile(rf"[?&]style={value}(&|$)"))


def test_a_link_brings_a_request_back(opened, page, language, width, own):
    transfer(page, own)
    link = page.locator(".ci-link").get_attribute("href")
    [other] = {*LANGUAGES} - {language}
    again = opened(language, width, link.replace(f"language={language}", f"language={other}"))
    expected(again.locator("#own textarea")).to_have_value(own["own"])
    expected(card_of(again, own["own"]).locator(".ci-mark")).to_have_text(["✓"] * len(VERDICT_NAMES))
    expected(again.locator("html")).to_have_attribute("lang", other)


def test_an_answer_to_an_older_request_never_replaces_a_newer_one(opened, monkeypatch):
    page, texts, answered, late = opened(), TEXTS["it"], Event(), Event()

    def slow_without_own(models, asked, language):
        found = transfer_inputs(models, asked, language)
        if asked[-1]:
            answered.set()
        else:
            answered.wait(2)
            sleep(0.5)
            late.set()
        return found

    monkeypatch.setattr(transfer_tab, "transfer_inputs", slow_without_own)
    page.evaluate("""() => {
      window.links = [];
      const note = () => links.push(document.querySelector("#candidates-found .ci-link")?.href);
      new MutationObserver(note).observe(document.getElementById("candidates-found"), { childList: true, subtree: true });
    }""")
    transfer(page, texts)
    assert late.wait(10)
    transfer(page, texts, "Il ponte!")  # now all others are answered
    own = [bool(parse_qs(urlsplit(link).query).get("own")) for link in page.evaluate("links") if link]
    assert own[-1]
    assert own == sorted(own)


def test_a_table_is_scored_and_downloaded(page, tmp_path, language, text):
    score(page, tmp_path, text)
    rows = page.locator("#score-table").get_by_role("rowheader")
    expected(rows.filter(has_text="mine")).to_have_count(3)
    expected(rows.filter(has_text="other")).to_have_count(3)
    interval = page.locator("#score-table").get_by_text(number(language, ".500–1.000"), exact=True)
    expected(interval.first).to_be_visible()  # other, both directions
    expected(page.locator("#score-tests")).to_be_visible()
    assert page.locator("figure.chart svg").count() == 3
    items = {(row["system"], row["id"]): row for row in download(page, "#score-files", "items.csv")}
    assert len(items) == len(SCORED)
    compliant = {key for key, row in items.items() if row["hh"] == row["ah"] == row["main"] == "true"}
    assert compliant == {("mine", "1"), ("mine", "3"), ("other", "2"), ("other", "3")}
    assert items["other", "3"]["headline"] == f"Treni {HOSTILE}"
    assert {row["system"] for row in download(page, "#score-files", "systems.csv")} == {"mine", "other"}
    assert beyond(page) == []


def test_headlines_are_measured(page, tmp_path, text):
    go_to(page, "quality", text)
    documents = write_csv(tmp_path / "documents.csv", DOCUMENTS, ["id", "article", "headline"])
    upload(page, "#quality-documents", documents)
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"{row[2]} riapre\n" for row in DOCUMENTS), encoding="utf-8")
    upload(page, "#quality-systems", mine)
    assert page.locator("[aria-label^='common.']").count() == 0  # Gradio has keys without a text
    page.get_by_role("button", name=text("quality.options")).click()
    page.get_by_role("button", name=text("quality.metrics_none"), exact=True).click()
    expected(page.locator("#quality-metrics input:checked")).to_have_count(0)
    assert beyond(page) == []
    for metric in ("R-1", "AWL"):
        page.locator("#quality-metrics").get_by_label(metric, exact=True).check()
    page.locator("#quality-baselines").get_by_label(text("quality.baseline_random")).uncheck()
    page.locator("#quality").click()
    means = page.locator("#quality-means")
    expected(means.get_by_role("rowheader", name="mine", exact=True)).to_be_visible()
    expected(means.get_by_role("columnheader", name="R-1", exact=True)).to_be_visible()
    expected(page.locator("#quality-tests")).to_be_visible()
    expected(page.locator(".charts.wide svg")).to_have_count(1)
    items = download(page, "#quality-files", "items.csv")
    assert list(items[0]) == ["system", "id", "headline", "R-1", "AWL"]
    found = [row["headline"] for row in items if row["system"] == "mine"]
    assert found == [f"{row[2]} riapre" for row in DOCUMENTS]


def test_light_and_dark_can_be_read(page, own, text):
    card = transfer(page, own, own["own"].replace("!", ""))
    expected(card.locator(".ci-mark")).to_have_text([*"✓✓✗✗✓✓"])
    card.locator("details summary").first.click()
    page.add_style_tag(content="* { transition: none !important }")
    for looks in ("light", "dark"):
        page.evaluate("looks => document.body.classList.toggle('dark', looks === 'dark')", looks)
        for tab in ("transfer", "score", "quality"):
            go_to(page, tab, text)
            assert pale(page) == [], (looks, tab)


def test_a_link_chooses_the_dark_page(opened):
    page = opened(query="?__theme=dark")
    assert page.evaluate("document.body.classList.contains('dark')")


@pytest.mark.parametrize(("first", "width"), [("it", DESK), ("en", PHONE)])
def test_no_word_of_the_page_is_in_the_other_language(opened, tmp_path, first, width):
    page = opened(first, width)
    [second] = {*LANGUAGES} - {first}
    axis = {"it": "media con intervallo", "en": "mean with"}
    text = partial(translate, first)
    score(page, tmp_path, text)
    go_to(page, "quality", text)
    page.locator("#quality-example").click()
    expected(page.locator("#quality-files .file-preview")).to_be_visible()
    for language in (first, second):
        text = partial(translate, language)
        page.get_by_label(LANGUAGES[language]).check()
        expected(page.locator(".chart text", has_text=axis[language]).last).to_be_attached()
        expected(page.locator("#score")).to_have_text(text("score.button"))
        for tab in ("transfer", "score", "quality"):
            go_to(page, tab, text)
            assert foreign_words(page, language, names=NAMES, but=NO_TEXTS) == []


#: Names of systems, some of which are words.
NAMES = {"su", "mine", "other", "first", "random", "lead", "sum"}
#: Headlines, and what names languages and files.
NO_TEXTS = ".ci-headline, .ci-gone, .ci-pair h3, #examples button, #language, .filename"


@pytest.mark.parametrize("width", SCREENS)
def test_the_language_is_switched(opened, width):
    page, own = opened("it", width), TEXTS["it"]
    card = transfer(page, own)
    for language in ("en", "it"):
        text = partial(translate, language)
        page.get_by_label(LANGUAGES[language]).check()
        expected(page.locator("#transfer")).to_have_text(text("transfer.button"))
        expected(page.locator("html")).to_have_attribute("lang", language)
        page.evaluate("scrollTo(0, 0)")  # from the candidates, which a press brings into view
        assert_invented(page, text)
        for tab in ("score", "quality", "transfer"):
            go_to(page, tab, text)
        field = page.get_by_label(text("transfer.headline"), exact=True)
        expected(field).to_have_value(own["headline"])
        expected(card.locator(".ci-badge")).to_have_text(f"✓ {text('transfer.compliant_yes')}")
        expected(card).to_contain_text(text("transfer.hh_yes"))


def test_html_in_a_headline_is_text(opened):
    page = opened()
    for place in ("#headline", "#article", "#own"):
        page.locator(f"{place} textarea").fill(HOSTILE)
    own = page.locator(".ci-card", has_text=translate("it", "transfer.by_you"))
    expected(own.locator(".ci-headline")).to_have_text(HOSTILE)
    assert page.locator("#candidates-found").locator("img, script, b:text('statale')").count() == 0


def test_a_broken_table_is_named_in_a_sentence_and_mended(opened, tmp_path):
    page, text = opened(), partial(translate, "it")
    go_to(page, "score", text)
    page.locator("#score").click()
    status = page.locator("#score-status")
    expected(status).to_have_text(text("score.no_file"))
    broken = tmp_path / "broken.csv"
    broken.write_text('id,source,article,label,headline\n1,"open,text\n', encoding="utf-8")
    upload(page, "#score-file", broken)
    page.locator("#score").click()
    expected(status).to_have_text(text("uploads.csv", file="broken.csv", line=2))
    expected(page.locator("#score-table")).to_be_hidden()
    page.locator("#score-file").get_by_role("button", name=text("gradio.common.clear")).click()
    score(page, tmp_path, text)
    expected(page.locator("#score-table")).to_be_visible()
    expected(status).not_to_contain_text("broken.csv")


def test_the_keyboard_is_enough(opened):
    page, texts = opened(), TEXTS["it"]

    def tab_to(place):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.locator(f"{place}:focus, {place} :focus").count():
                return
        raise AssertionError(f"40 presses of Tab do not reach {place}")

    for name in ("headline", "article", "own"):
        tab_to(f"#{name}")
        page.keyboard.type(texts[name])
    own = card_of(page, texts["own"])
    expected(own).to_be_visible()
    tab_to("#transfer")
    assert page.locator("#transfer").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    with asks(page, "transfer"):
        page.keyboard.press("Enter")
    expected(own.locator(".ci-mark")).to_have_text(["✓"] * len(VERDICT_NAMES))
