"""What every page must hold in a browser: it fits the screen, its texts can be read, and nothing goes wrong."""

from contextlib import contextmanager


def expected(locator):
    from playwright.sync_api import expect

    return expect(locator)


def beyond(page, *, but="script"):
    """What is shown further right than the screen goes, but for what scrolls by itself or what a selector finds; and the page if it scrolls."""
    return page.evaluate(
        """([width, but]) => {
          const scrolls = one => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
          const out = [...document.querySelectorAll("body *")].filter(one =>
            one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().right > width + 1 && !scrolls(one) && !one.matches(but));
          const found = out.map(one => `${one.tagName}#${one.id}.${one.getAttribute("class")} ${one.innerText}`.slice(0, 150));
          return document.documentElement.scrollWidth > width ? ["the page", ...found] : found;
        }""",
        [page.viewport_size["width"], but],
    )


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


@contextmanager
def watched(browser, address, **screen):
    """A page that is opened at an address; an error, a dialog, or a request that fails or goes elsewhere is a failure."""
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
