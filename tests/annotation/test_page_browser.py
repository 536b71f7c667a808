"""Three annotators at once on the page in a real browser, one of whom reloads midway; what they answered is scored."""

import json

import pytest
from csv_files import read_csv
from pages import beyond, expected, pale

from change_it.cli import main

pytestmark = pytest.mark.slow

MINUTE = 60_000


@pytest.fixture
def language():
    return "en"


@pytest.fixture
def served(sheet, language):
    """The address of the page over a sheet with ratings, and where its answers go."""
    from change_it.annotation.answers import Answers
    from change_it.annotation.page import CSS, build
    from change_it.annotation.sheets import read_sheet
    from change_it.space.serving import launch

    rows, questions = read_sheet(sheet)
    answers = Answers(sheet.parent / "answers", [row.item for row in rows])
    page = build(rows, questions, answers, language)
    _, url, _ = launch(page, prevent_thread_lock=True, server_name="127.0.0.1", css=CSS, footer_links=[])
    yield url, sheet.parent / "answers"
    page.close(verbose=False)


class Person:
    """Somebody at the page."""

    def __init__(self, browser, url, name, **screen):
        self.wrong = []
        self.context = browser.new_context(**screen)
        self.context.set_default_timeout(MINUTE)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "response", lambda answer: answer.ok or self.wrong.append(f"{answer.status} {answer.url}")
        )
        self.url, self.name = url, name

    def start(self):
        self.page.goto(self.url)
        self.page.locator("#name input, #name textarea").fill(self.name)
        self.page.locator("#start").click()
        self.page.locator("#headline .ca-headline").wait_for()

    @property
    def step(self):
        return self.page.locator("#headline .ca-headline").get_attribute("data-step")

    @property
    def headline(self):
        return self.page.locator("#headline .ca-headline").inner_text()

    def answer(self, value, *, by_key):
        before = self.step
        if by_key:
            self.page.keyboard.press(str(value))
        else:
            self.page.locator(f"#choice-{value}").click()
        self.page.wait_for_function(
            "before => document.querySelector('.ca-headline').dataset.step !== before", arg=before
        )

    def item(self, rate, *, by_key):
        headline = self.headline
        for value in (2 if "!" in headline else 1, rate, 4):
            self.answer(value, by_key=by_key)


def test_three_annotators(browser, served, sheet, capsys):
    url, answers = served
    phone = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
    anna, ben = Person(browser, url, "Anna"), Person(browser, url, "Ben", **phone)
    carla = Person(browser, url, "Carla")
    people = (anna, ben, carla)
    for person in people:
        person.start()
    width = ben.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1]  # nothing is cut off on a phone
    assert "On the keyboard" in anna.page.locator("#headline").inner_text()
    for n in range(40):
        for person in people:
            if person is carla and n == 7:
                carla.answer(1, by_key=True)  # in the middle of a headline
                step = carla.step
                carla.start()
                assert carla.step == step == str(3 * n + 1)  # the same headline, at the question that is open
                carla.answer(5, by_key=True)
                carla.answer(4, by_key=True)
            else:
                person.item(5 if person is ben else 3, by_key=person is not ben)
        if n == 3:
            assert anna.page.locator("#progress").inner_text().strip() == "4 of 40"
            assert (answers / "anna.csv").read_text(encoding="utf-8").count("\n") == 1 + 3 * 4
    for person in people:
        person.page.get_by_text(f"Thank you, {person.name}").wait_for()
    # one goes back and thinks again
    anna.page.locator("#back").click()
    anna.page.get_by_text("well written").wait_for()
    anna.answer(1, by_key=True)
    anna.page.get_by_text("Thank you, Anna").wait_for()
    for person in people:
        assert person.wrong == []
        person.context.close()

    capsys.readouterr()
    files = [str(answers / f"{name}.csv") for name in ("anna", "ben", "carla")]
    assert main(["annotate", "score", *files, "--key", str(sheet.with_name("sheet-key.csv")), "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    gold = next(row for row in tables["agreement"]["rows"] if row["condition"] == "gold")
    assert (gold["anna"], gold["ben"]) == (1, 1)
    counts = [
        row["n"] for row in tables["classification"]["rows"] if row["rater"] in ("anna", "ben", "carla")
    ]
    assert counts == [20] * 6
    rows = read_csv(answers / "anna.csv")
    assert len(rows) == 40 * 3 + 1
    assert rows[-1]["fluency"] == "1"


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_and_can_be_read(browser, served, language, width):
    from change_it.translation import translate

    person = Person(browser, served[0], "Anna", viewport={"width": width, "height": 844})
    person.start()
    page = person.page
    expected(page.locator("html")).to_have_attribute("lang", language)
    expected(page.locator(".ca-question")).to_contain_text(translate(language, "study.answer"))
    page.add_style_tag(content="* { transition: none !important }")
    person.answer("1", by_key=True)  # the next question shows the article too
    for looks in ("light", "dark"):
        page.evaluate("looks => document.body.classList.toggle('dark', looks === 'dark')", looks)
        assert pale(page) == [], looks
    assert beyond(page) == []
    assert person.wrong == []
    person.context.close()
