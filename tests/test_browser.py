"""The page in a real browser: Debian's Chromium, driven by Playwright.

Judges decide by rules (see `scoring_fakes.FakeJudges`): main takes an exclamation mark for gio's, HH and AH want a long
word in common, fluency wants no word twice. Every page is checked: an error in the console, a request that fails or goes elsewhere, a dialog or a
script that runs is a failure of its test.
"""

import csv
import re

import pytest
from space_runs import models_of, served, write_csv, write_run

from change_it.space.transfer import examples
from change_it.space.translation import translate
from change_it.translation import load_texts

pytestmark = pytest.mark.slow

HEADLINE = "Crolla il ponte sulla statale"
ARTICLE = "Il ponte sulla statale crolla ieri. Sciopero generale dei treni."
HOSTILE = '<img src=x onerror="window.ran=1"> <b>statale</b> <script>window.ran=1</script>!'
MINUTE = 60_000
HEADER = ["id", "headline", "article", "label", "prediction", "system"]
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


@pytest.fixture(scope="module")
def url(browser, tmp_path_factory):
    """The address of a page that is served."""
    models = models_of(write_run(tmp_path_factory.mktemp("browser") / "run"))
    models.warm_up()
    with served(models, feedback=tmp_path_factory.mktemp("feedback")) as address:
        yield address.rstrip("/")


@pytest.fixture
def opened(browser, url):
    """Opens the page, each time as a new reader; in the end nothing must have gone wrong on any of them."""
    wrong, contexts = [], []

    def open_page(query="", **settings):
        context = browser.new_context(accept_downloads=True, **settings)
        contexts.append(context)
        context.set_default_timeout(MINUTE)
        page = context.new_page()
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
        return address.startswith((url, "data:", "blob:"))

    def given_up(request):
        """Gradio listens for answers as long as it waits for some, and then hangs up itself."""
        return "/queue/data" in request.url and request.failure == "net::ERR_ABORTED"

    yield open_page
    for context in contexts:
        wrong += ["a script ran" for page in context.pages if page.evaluate("window.ran") is not None]
    found = list(wrong)  # what is cut off by closing is nobody's fault
    for context in contexts:
        context.close()
    assert found == []


@pytest.fixture
def page(opened):
    return opened(viewport={"width": 1280, "height": 900})


def expected(locator):
    from playwright.sync_api import expect

    return expect(locator)


def go_to(page, tab, language="it"):
    """Choose a tab, which on a phone may be in the menu of those that do not fit."""
    name = translate(language, f"tabs.{tab}")
    button = page.get_by_role("tab", name=name, exact=True)
    if not button.is_visible():
        page.locator(".overflow-menu > button").click()
        button = page.locator(".overflow-dropdown").get_by_text(name, exact=True)
    button.click()


def transfer(page, own="Statale: crolla il ponte!"):
    """Write a headline, its article and a new one; press the button."""
    page.locator("#headline textarea").fill(HEADLINE)
    page.locator("#article textarea").fill(ARTICLE)
    page.locator("#own textarea").fill(own)
    with asks(page, "transfer"):
        page.locator("#transfer").click()
    card = card_of(page, own)
    expected(card).to_be_visible()
    return card


def card_of(page, headline):
    return page.locator(".ci-card", has=page.locator(".ci-headline", has_text=headline))


def asks(page, name):
    """Waits for a request that one component alone sends."""
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
    with open(found.value.path(), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def choose(page, place, name):
    """Choose from a list that unfolds."""
    page.locator(f"{place} input").click()
    page.get_by_role("option", name=name, exact=True).click()
    expected(page.locator(f"{place} input")).to_have_value(name)


def score(page, tmp_path, rows=SCORED):
    go_to(page, "score")
    upload(page, "#score-file", write_csv(tmp_path / "mine.csv", rows, HEADER))
    page.locator("#score").click()
    expected(page.locator("#score-files .file-preview")).to_be_visible()


def test_a_headline_is_transferred_and_judged(page):
    card = transfer(page)
    expected(card.locator(".ci-badge")).to_have_text(f"✓ {translate('it', 'transfer.compliant_yes')}")
    texts = [
        f"{translate('it', f'transfer.{judge}')} {translate('it', f'transfer.{judge}_yes', original='rep', new='gio')}"
        for judge in ("hh", "ah", "main", "fluency", "facts")
    ]
    expected(card.locator(".ci-verdicts li")).to_have_count(5)
    expected(card.locator(".ci-says")).to_have_text(texts)
    expected(card.locator(".ci-mark")).to_have_text(["✓"] * 5)
    expected(card.locator(".ci-value")).to_have_text(["80%", "70%", "74%", "60%"])
    expected(page.locator(".ci-card").first.locator(".ci-badge")).to_contain_text(
        translate("it", "transfer.compliant_yes")
    )
    page.locator("#own textarea").fill("Piove")  # judged as one types
    rainy = card_of(page, "Piove")
    expected(rainy.locator(".ci-mark")).to_have_text([*"✗✗✗✓✓"])
    expected(rainy.locator(".ci-badge")).to_have_text(f"✗ {translate('it', 'transfer.compliant_no')}")
    expected(rainy.locator(".ci-headline mark")).to_have_text("Piove")
    expected(rainy).to_contain_text(translate("it", "transfer.hh_no"))


def test_an_example_is_clicked(page):
    example = examples("it")[1]
    page.locator("#headline textarea").fill("")
    page.get_by_label("gio → rep").check()
    page.locator("#examples button").nth(1).click()
    expected(page.locator("#headline textarea")).to_have_value(example["headline"])
    expected(page.locator("#article textarea")).to_have_value(example["article"])
    expected(page.get_by_label("rep → gio")).to_be_checked()  # it is written like the first outlet
    summary = re.compile(translate("it", "transfer.summary", good=r"\d", all=r"\d", to="gio"))
    expected(page.locator(".ci-summary")).to_have_text(summary)
    expected(page.locator(".ci-card").first.locator(".ci-verdicts li")).to_have_count(5)


def test_html_in_a_headline_is_text(page):
    for place in ("#headline", "#article", "#own"):
        page.locator(f"{place} textarea").fill(HOSTILE)
    own = page.locator(".ci-card", has_text=translate("it", "transfer.by_you"))
    expected(own.locator(".ci-headline")).to_have_text(HOSTILE)
    assert page.locator("#candidates-found").locator("img, script, b:text('statale')").count() == 0


def test_a_table_is_scored_and_downloaded(page, tmp_path):
    score(page, tmp_path)
    cells = page.locator("#score-table").get_by_role("gridcell")
    expected(cells.filter(has_text="mine")).to_have_count(3)
    expected(cells.filter(has_text="other")).to_have_count(3)
    expected(
        page.get_by_role("gridcell", name="0,500–1,000", exact=True)
    ).to_be_visible()  # other, both directions
    expected(page.locator("#score-tests")).to_be_visible()
    assert page.locator("figure.chart svg").count() == 3
    items = {(row["system"], row["id"]): row for row in download(page, "#score-files", "items.csv")}
    assert len(items) == len(SCORED)
    compliant = {key for key, row in items.items() if row["hh"] == row["ah"] == row["main"] == "true"}
    assert compliant == {("mine", "1"), ("mine", "3"), ("other", "2"), ("other", "3")}
    assert items["other", "3"]["headline"] == f"Treni {HOSTILE}"
    assert {row["system"] for row in download(page, "#score-files", "systems.csv")} == {"mine", "other"}


def test_a_broken_table_is_named_in_a_sentence_and_mended(page, tmp_path):
    go_to(page, "score")
    page.locator("#score").click()
    status = page.locator("#score-status")
    expected(status).to_have_text(translate("it", "score.no_file"))
    broken = tmp_path / "broken.csv"
    broken.write_text('id,headline,article,label,prediction\n1,"open,text\n', encoding="utf-8")
    upload(page, "#score-file", broken)
    page.locator("#score").click()
    expected(status).to_have_text(translate("it", "uploads.csv", file="broken.csv", line=2))
    expected(page.locator("#score-table")).to_be_hidden()
    page.locator("#score-file").get_by_role("button", name=translate("it", "gradio.common.clear")).click()
    score(page, tmp_path)
    expected(page.locator("#score-table")).to_be_visible()
    expected(status).not_to_contain_text("broken.csv")


def test_two_systems_are_compared(page, tmp_path):
    go_to(page, "compare")
    shown = page.locator("#compare-items")
    expected(shown).to_have_text(translate("it", "compare.start"))
    score(page, tmp_path)
    go_to(page, "compare")
    pairs = shown.locator(".ci-pair")
    expected(pairs).to_have_count(3)
    expected(page.locator("#compare-first input")).to_have_value("mine")
    expected(page.locator("#compare-second input")).to_have_value("other")
    expected(pairs.filter(has_text="Treni").locator(".ci-headline").last).to_have_text(f"Treni {HOSTILE}")
    choose(page, "#compare-outcome", translate("it", "compare.outcome_first"))
    expected(pairs).to_have_count(1)
    expected(pairs.locator("h3")).to_have_text("Basta tasse!")
    expected(pairs.locator("h4")).to_have_text(["mine", "other"])
    choose(page, "#compare-judge", translate("it", "compare.judge_hh"))
    expected(shown).to_have_text(translate("it", "compare.nothing"))  # it failed by the style alone
    choose(page, "#compare-outcome", translate("it", "compare.outcome_second"))
    expected(pairs.locator("h3")).to_have_text("Crolla il ponte")
    expected(pairs.locator("section").last).to_contain_text(translate("it", "compare.hh_no"))


def test_headlines_are_measured(page, tmp_path):
    go_to(page, "quality")
    upload(
        page,
        "#quality-documents",
        write_csv(tmp_path / "documents.csv", DOCUMENTS, ["id", "article", "headline"]),
    )
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"{row[2]} riapre\n" for row in DOCUMENTS), encoding="utf-8")
    upload(page, "#quality-systems", mine)
    page.get_by_role("button", name=translate("it", "quality.options")).click()
    page.get_by_role("button", name=translate("it", "quality.metrics_none"), exact=True).click()
    expected(page.locator("#quality-metrics input:checked")).to_have_count(0)
    for metric in ("R-1", "AWL"):
        page.locator("#quality-metrics").get_by_label(metric, exact=True).check()
    page.locator("#quality-baselines").get_by_label(translate("it", "quality.baseline_random")).uncheck()
    page.locator("#quality").click()
    expected(page.get_by_role("columnheader", name="mine", exact=True)).to_be_visible()
    expected(page.get_by_role("gridcell", name="R-1", exact=True)).to_be_visible()
    expected(page.locator("#quality-tests")).to_be_visible()
    expected(page.locator(".charts.wide svg")).to_have_count(1)
    items = download(page, "#quality-files", "items.csv")
    assert list(items[0]) == ["system", "id", "headline", "R-1", "AWL"]
    found = [row["headline"] for row in items if row["system"] == "mine"]
    assert found == [f"{row[2]} riapre" for row in DOCUMENTS]


def test_the_language_is_switched(page):
    card = transfer(page)
    for language, name in (("en", "English"), ("it", "Italiano")):
        page.get_by_label(name).check()
        expected(page.locator("#transfer")).to_have_text(translate(language, "transfer.button"))
        expected(page.locator("html")).to_have_attribute("lang", language)
        for tab in ("transfer", "score", "compare", "quality"):
            expected(
                page.get_by_role("tab", name=translate(language, f"tabs.{tab}"), exact=True)
            ).to_be_visible()
        expected(page.get_by_label(translate(language, "transfer.headline"), exact=True)).to_have_value(
            HEADLINE
        )
        expected(card.locator(".ci-badge")).to_have_text(f"✓ {translate(language, 'transfer.compliant_yes')}")
        expected(card).to_contain_text(translate(language, "transfer.hh_yes"))


def test_a_phone_need_not_be_moved_sideways(opened, tmp_path):
    page = opened(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    assert beyond(page) == []
    transfer(page)
    assert beyond(page) == []
    score(page, tmp_path)
    assert beyond(page) == []
    go_to(page, "compare")
    expected(page.locator(".ci-pair")).to_have_count(3)
    assert beyond(page) == []
    go_to(page, "quality")
    page.get_by_role("button", name=translate("it", "quality.options")).click()
    expected(page.locator("#quality-metrics")).to_be_visible()
    assert beyond(page) == []


def beyond(page):
    """What is shown further right than the screen goes, but for what scrolls by itself; and the page if it scrolls."""
    return page.evaluate(
        """width => {
          const scrolls = one => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
          const out = [...document.querySelectorAll("body *")].filter(one =>
            one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().right > width + 1 && !scrolls(one));
          const found = out.map(one => `${one.tagName}#${one.id}.${one.getAttribute("class")} ${one.innerText}`.slice(0, 150));
          return document.documentElement.scrollWidth > width ? ["the page", ...found] : found;
        }""",
        page.viewport_size["width"],
    )


def test_the_keyboard_is_enough(page):
    def tab_to(place):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.locator(f"{place}:focus, {place} :focus").count():
                return
        raise AssertionError(f"40 presses of Tab do not reach {place}")

    tab_to("#headline")
    page.keyboard.type(HEADLINE)
    tab_to("#article")
    page.keyboard.type(ARTICLE)
    tab_to("#own")
    page.keyboard.type("Che statale!")
    own = page.locator(".ci-card", has_text="Che statale!")
    expected(own).to_be_visible()
    tab_to("#transfer")
    assert page.locator("#transfer").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    with asks(page, "transfer"):
        page.keyboard.press("Enter")
    expected(own.locator(".ci-mark")).to_have_text(["✓"] * 5)


@pytest.mark.parametrize("looks", ["light", "dark"])
def test_light_and_dark_can_be_read(opened, looks):
    page = opened(f"?__theme={looks}", viewport={"width": 1280, "height": 900})
    card = transfer(page, own="Statale, piove")
    expected(card.locator(".ci-mark")).to_have_text([*"✓✓✗✓✓"])
    assert page.evaluate("document.body.classList.contains('dark')") == (looks == "dark")
    card.locator("details summary").first.click()
    for tab in ("transfer", "score", "compare", "quality"):
        go_to(page, tab)
        expected(page.get_by_role("tab", name=translate("it", f"tabs.{tab}"))).to_have_attribute(
            "aria-selected", "true"
        )
        assert pale(page) == []


def pale(page):
    """Texts whose colour is nearer to the one behind them than 4.5 to 1, as WCAG 2 measures it (large ones: 3 to 1)."""
    return page.evaluate(
        """() => {
          const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
          const over = layers => {  // the uppermost last
            context.clearRect(0, 0, 1, 1);
            for (const colour of layers) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
            return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255)
              .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
              .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
          };
          const grounds = one => one ? [...grounds(one.parentElement), getComputedStyle(one).backgroundColor] : ["white"];
          const found = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const one = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
            if (!text || one.closest("script, style, svg, [disabled]") || !one.checkVisibility({ visibilityProperty: true })) continue;
            const style = getComputedStyle(one), behind = grounds(one);
            const [light, dark] = [over([...behind, style.color]), over(behind)].sort((a, b) => b - a);
            const contrast = (light + 0.05) / (dark + 0.05), size = parseFloat(style.fontSize);
            if (contrast < (size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5))
              found.push(`${contrast.toFixed(2)} ${one.tagName}.${one.className} ${text}`.slice(0, 120));
          }
          return found;
        }"""
    )


def test_the_page_opens_with_an_example_already_judged(page):
    texts = {page.locator(f"#{name} textarea").input_value() for name in ("headline", "article")}
    assert texts in [{one["headline"], one["article"]} for one in examples("it")]
    expected(page.locator(".ci-jump a")).to_be_hidden()
    expected(page.locator(".ci-card").first.locator(".ci-verdicts li")).to_have_count(5)


def test_no_word_of_the_page_is_in_the_other_language(page, tmp_path):
    score(page, tmp_path)
    go_to(page, "quality")
    page.locator("#quality-example").click()
    expected(page.locator("#quality-files .file-preview")).to_be_visible()
    expected(page.locator(".chart text", has_text="media con intervallo").last).to_be_visible()
    assert foreign_words(page, "it") == []
    page.get_by_label("English").check()
    expected(page.locator(".chart text", has_text="mean with").last).to_be_visible()
    expected(page.get_by_role("tab", name=translate("en", "tabs.score"), exact=True)).to_be_visible()
    go_to(page, "score", "en")
    expected(page.locator(".chart text", has_text="failed main only")).to_be_visible()
    assert foreign_words(page, "en") == []


def foreign_words(page, language):
    """Words on all tabs that only the other language's texts have, but for headlines, file names and what is marked `lang`."""

    def vocabulary(language):
        texts = (re.sub(r"`[^`]*`|<[^>]*>|{[^}]*}", " ", text) for text in load_texts(language).values())
        return {word for text in texts for word in re.findall(r"[^\W\d_]{2,}", text.lower())}

    [other] = {"it", "en"} - {language}
    names = {"su", "mine", "other", "first", "random", "lead", "sum"}
    theirs = vocabulary(other) - vocabulary(language) - names
    found = []
    for tab in ("transfer", "score", "compare", "quality"):
        go_to(page, tab, language)
        texts = page.evaluate(
            """() => {
              document.querySelectorAll("details").forEach(one => { one.open = true; });
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
              while (walker.nextNode()) {
                const { parentElement: one, data } = walker.currentNode;
                const names = "script, style, code, i[lang=en], .ci-headline, .ci-gone, h3, #examples button, #language, .filename";
                if (!one.closest(names) && one.checkVisibility({ visibilityProperty: true })) texts.push(data);
              }
              return texts;
            }"""
        )
        found += [
            (tab, word, text)
            for text in texts
            for word in re.findall(r"[^\W\d_]{2,}", text.lower())
            if word in theirs
        ]
    return found


def test_every_mark_explains_itself_to_mouse_and_finger(opened):
    page = opened(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.locator(".ci-jump a").tap()
    expected(page.locator(".ci-summary, .ci-warning").last).to_be_in_viewport()
    card = transfer(page, own="Piove sulla statale, 17!")
    marks = card.locator(".ci-headline mark")
    for text, why in (("Piove", "new_word"), ("17", "unsupported_word")):
        mark = marks.filter(has_text=text)
        assert mark.evaluate("one => getComputedStyle(one, '::after').content") == "none"
        mark.tap()
        shown = mark.evaluate("one => getComputedStyle(one, '::after').content")
        assert translate("it", f"transfer.{why}") in shown
        assert beyond(page) == []
    verdict = card.locator(".ci-verdicts li").first
    about = verdict.get_by_text(translate("it", "transfer.hh_about"))
    expected(about).to_be_hidden()
    verdict.locator("summary").tap()
    expected(about).to_be_visible()
    assert verdict.locator("summary").get_attribute("title") == translate("it", "transfer.hh_about")
    card.locator(".ci-legend summary").tap()
    expected(card.get_by_text(translate("it", "transfer.Fog_long"))).to_be_visible()


def test_a_wrong_direction_is_flagged(page):
    page.get_by_label("gio → rep").check()
    card = transfer(page)  # written like rep already
    expected(page.locator(".ci-warning")).to_have_text(
        translate("it", "transfer.wrong_direction", a="gio", b="rep", share="80%")
    )
    expected(card.locator(".ci-badge")).to_have_text(f"– {translate('it', 'transfer.compliant_unknown')}")
    expected(card.locator(".ci-mark")).to_have_text([*"✓✓–✓✓"])
    page.get_by_label("rep → gio").check()
    expected(card.locator(".ci-badge")).to_have_text(f"✓ {translate('it', 'transfer.compliant_yes')}")


def test_the_slider_puts_another_candidate_first(page):
    for name, value in (("headline", HEADLINE), ("article", ARTICLE), ("own", "Piove!")):
        page.locator(f"#{name} textarea").fill(value)
    first = page.locator(".ci-card").first.locator(".ci-headline")
    weight = page.locator("#weight input[type=number]")
    weight.fill("1")
    weight.press("Enter")
    expected(first).to_have_text("Piove!")
    weight.fill("0")
    weight.press("Enter")
    expected(first).not_to_have_text("Piove!")


def test_a_link_and_the_history_bring_a_request_back(opened):
    page = opened()
    transfer(page, own="Che statale!")
    visited = page.locator("#history button")
    expected(visited).to_have_text([HEADLINE])
    link = page.locator(".ci-link").get_attribute("href")
    page.locator("#headline textarea").fill("Sciopero dei treni")
    with asks(page, "transfer"):
        page.locator("#transfer").click()
    expected(visited).to_have_text(["Sciopero dei treni", HEADLINE])
    visited.nth(1).click()
    expected(page.locator("#headline textarea")).to_have_value(HEADLINE)
    expected(card_of(page, "Che statale!")).to_be_visible()
    again = opened(link.replace("language=it", "language=en"))
    expected(again.locator("#own textarea")).to_have_value("Che statale!")
    expected(card_of(again, "Che statale!").locator(".ci-mark")).to_have_text(["✓"] * 5)
    expected(again.locator("html")).to_have_attribute("lang", "en")


def test_a_reader_says_that_something_is_wrong(page):
    transfer(page)
    page.get_by_role("button", name=translate("it", "feedback.title")).first.click()
    page.locator("#feedback-remark textarea, #feedback-remark input").fill("non è vero")
    page.locator("#feedback-button").click()
    expected(page.locator("#feedback-status")).to_have_text(translate("it", "feedback.thanks"))
