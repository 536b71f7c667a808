"""What every page must hold in a browser: it fits the screen, and nothing goes wrong."""

from contextlib import contextmanager


def expected(locator):
    from playwright.sync_api import expect

    return expect(locator)


def beyond(page, *, but="script"):
    """Return what is shown beyond the right end of the screen, and the page itself if it scrolls.

    What scrolls by itself, and what the selector `but` finds, may be there.
    """
    return page.evaluate(
        """([width, but]) => {
          const scrollsItself = one => /auto|scroll/.test(getComputedStyle(one).overflowX);
          const scrolls = one => one && (scrollsItself(one) || scrolls(one.parentElement));
          const isBeyond = one => one.getBoundingClientRect().right > width + 1;
          const out = [...document.querySelectorAll("body *")].filter(one =>
            one.checkVisibility({ visibilityProperty: true })
            && isBeyond(one) && !scrolls(one) && !one.matches(but));
          const name = one => `${one.tagName}#${one.id}.${one.getAttribute("class")} ${one.innerText}`;
          const found = out.map(one => name(one).slice(0, 150));
          return document.documentElement.scrollWidth > width ? ["the page", ...found] : found;
        }""",
        [page.viewport_size["width"], but],
    )


@contextmanager
def watched(browser, address, **screen):
    """Open an address, and provide the page.

    An error, a dialog, or a request that fails or goes elsewhere fails the test.
    """
    context = browser.new_context(**screen)
    page, wrong = context.new_page(), []
    page.set_default_timeout(60_000)
    page.on("console", lambda message: message.type == "error" and wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
    page.on("response", lambda answer: answer.ok or wrong.append(f"{answer.status}: {answer.url}"))
    page.on("request", lambda one: one.url.startswith((address, "data:", "blob:")) or wrong.append(one.url))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(address)
    yield page
    assert page.evaluate("window.ran") is None
    context.close()
    assert wrong == []
