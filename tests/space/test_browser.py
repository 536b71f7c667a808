"""The page in a real browser: Debian's Chromium, driven by Playwright, on a desk's screen and a phone's.

Judges decide by rules (see `scoring_fakes.FakeJudges`): main takes an exclamation mark for gio's, HH and AH
want a long word in common. An error in the console, a request that fails or goes elsewhere, a dialog or a
script that runs is a failure.
"""

import pytest
from pages import beyond, expected, watched

pytestmark = pytest.mark.slow

HEADLINE = "Crolla il ponte sulla statale"
ARTICLE = "Il ponte sulla statale crolla ieri. Sciopero generale dei treni."
OWN = "Statale: che schianto, il ponte!"
HOSTILE = '<img src=x onerror="window.ran=1"> <b>statale</b> <script>window.ran=1</script>!'
SCREENS = {
    "it-IT": {"viewport": {"width": 1280, "height": 900}},
    "en-US": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.mark.parametrize("locale", SCREENS)
def test_headlines_are_transferred_and_scored(url, browser, locale):
    with watched(browser, url, locale=locale, **SCREENS[locale]) as page:
        use(page)


def use(page):
    def fill(**fields):
        for name, value in fields.items():
            page.locator(f"#{name} textarea").fill(value)

    def settle():  # until what was just shown or removed is drawn: no person is faster than that
        for _ in range(6):
            page.evaluate("() => new Promise(requestAnimationFrame)")
        page.wait_for_timeout(300)

    cards = page.locator("#candidates-found .ci-card")
    expected(cards.first).to_be_visible()  # of an example, judged already
    expected(page.locator("#transfer")).to_have_text("Transfer")
    expected(page.get_by_label("Original headline").first).to_be_visible()

    # What is typed is transferred; what says nothing is a sentence.
    fill(headline=HEADLINE, article=ARTICLE)
    expected(page.locator("#candidates-found")).to_contain_text("for gio: every judge accepts")
    fill(headline="")
    expected(page.locator("#candidates-found .ci-notice")).to_contain_text("Write the original headline")
    assert beyond(page) == []

    # One headline of the reader's own, with its marks.
    page.locator("[role=tab][data-tab-id=score]").click()
    settle()
    fill(own=OWN)
    fill(**{"own-original": HEADLINE, "own-article": ARTICLE})
    own = page.locator("#own-found .ci-card")
    expected(own.locator(".ci-headline")).to_have_text(OWN)
    expected(own.locator(".ci-mark")).to_have_text(["✓"] * 5)
    fill(own=HOSTILE)
    expected(own.locator(".ci-headline")).to_have_text(HOSTILE)
    assert own.locator("img, script, b:text('statale')").count() == 0

    assert beyond(page) == []
