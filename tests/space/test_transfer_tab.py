"""Transfer and judge: what is answered, what is refused, and that nothing a person writes is ever run.

The fake main takes an exclamation mark for gio's. Fluency, where there is one, refuses a repeated word.
"""

import re
from dataclasses import replace

import pytest
from scoring_fakes import AH, FLUENCY, HH, SCALE, FakeJudges

from change_it.audit.record import NO_AUDIT, Summary
from change_it.audit.verdict import MeasureVerdict
from change_it.corpus.test_set import Item
from change_it.errors import InputError
from change_it.generators.networks.headline_pipeline import Candidate
from change_it.generators.transfer import HeadlineSystem
from change_it.judges.reliability import Verdict
from change_it.scoring.aspects import NO_CHECK
from change_it.space import answers as tab
from change_it.space.models import Models

HEADLINE = "Crolla il ponte sulla statale"
ARTICLE = "Il ponte sulla statale crolla ieri. Sciopero generale dei treni."
HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(2)"> {{value}} ${alert(3)} statale'


class Fixed(HeadlineSystem):
    """A system that writes the same headlines for every item.

    Attributes:
        texts: the headlines, the most probable first.
        asked: the items so far.
    """

    def __init__(self, *texts):
        outlets = ("rep", "gio")
        super().__init__("fixed", outlets, targets=outlets, needs=("article",))
        self.texts = texts
        self.asked = []

    def signature(self, target):
        """Return nothing: nobody asks."""

    def write(self, items, search):
        self.asked += items
        return [[Candidate(text, -1.0) for text in self.texts[: search.candidates]] for _ in items]


RANKS = MeasureVerdict("ranks", "can rank systems here", {}, ())
CANNOT = MeasureVerdict(
    "cannot rank", "cannot rank systems here: the article's first words keep .98 of gold", {}, ()
)


def fixed(*texts, judges=None, acceptability=RANKS):
    """Return models with a system that writes these texts, and the system; the judges have no fluency."""
    system = Fixed(*texts)
    audit = Summary((), {"acceptability": acceptability})
    return Models(judges or FakeJudges(), {"fixed": system}, audit=audit), system


def ask(models, headline=HEADLINE, article=ARTICLE, direction="rep2gio", count=5):
    """Press the button of the tab, and return its answer."""
    return tab.transfer(models, headline, article, direction, "fixed", count)


def test_candidates_come_with_verdicts_and_aspects_and_the_best_first():
    accepted, off_topic, copied = "Statale, il ponte è giù!", "Piove", "Il ponte sulla statale"
    models, _ = fixed(off_topic, copied, accepted)

    answer = ask(models)
    html = tab.cards_html(answer)

    assert [one["text"] for one in answer["candidates"]] == [accepted, off_topic, copied]
    best, _, edited = answer["candidates"]
    assert best["marks"] == {"main": True, "hh": True, "ah": True, "fluency": None, "evidence": True}
    assert (best["compliant"], best["style"]) == (True, 1)
    assert (best["acceptability"], best["refused_by"]) == (None, "")
    assert (edited["style"], edited["refused_by"]) == (0, "main; edited: 0 of 4 words new")
    assert "3 different headlines for gio: every judge accepts 1." in html
    assert "the original reads like rep, this one like gio" in html
    assert "style <b>1.000</b>" in html
    assert "acceptability <b>n/a</b>" in html  # a judge is missing
    assert "refused by Newspaper (main); edited: 0 of 4 words new" in html
    assert html.count(NO_CHECK) == 3
    assert re.findall(r'<article class="([^"]*)"', html) == ["ci-card", "ci-card ci-no", "ci-card ci-no"]


@pytest.mark.parametrize(
    ("pairs", "figures"), [(SCALE.pairs, "acceptability times style"), (3, "acceptability")]
)
def test_the_order_names_style_where_there_is_one(pairs, figures):
    models, _ = fixed("Statale, il ponte è giù!", judges=FakeJudges(scale=SCALE._replace(pairs=pairs)))
    assert f"Ordered by {figures}, edits of the original last" in tab.cards_html(ask(models))


def test_what_no_judge_refuses_has_no_clean_bill_where_acceptability_cannot_rank():
    models, _ = fixed("Statale, il ponte è giù!", judges=FakeJudges(fluency=True), acceptability=CANNOT)
    html = tab.cards_html(ask(models))
    assert "passes every judge" not in html
    assert "1 different headline for gio: no judge refuses 1." in html
    assert "no judge refuses it, which is no clean bill" in html
    assert "acceptability cannot rank systems here" in html
    html = tab.cards_html(ask(replace(models, audit=NO_AUDIT)))
    assert "these judges have no audit" in html
    weak = Summary((Verdict("main", "distrust"),), {"acceptability": RANKS})
    html = tab.cards_html(ask(replace(models, audit=weak)))
    assert "not shown to work here: Newspaper (main)" in html
    assert "passes every judge" not in html
    assert "passes every judge" in tab.cards_html(ask(fixed("Statale, il ponte è giù!")[0]))


def test_what_has_no_evidence_is_underlined():
    """No text has the number 17; every judge accepts both headlines."""
    models, _ = fixed("Statale, 17 ponti!", "Statale, il ponte è giù!", judges=FakeJudges(fluency=True))

    answer = ask(models)
    html = tab.cards_html(answer)

    accepted = HH.yes * AH.yes * FLUENCY.yes
    assert accepted == pytest.approx(0.336)
    assert [one["acceptability"] for one in answer["candidates"]] == pytest.approx([accepted, 0])
    assert "acceptability <b>.336</b>" in html
    assert "refused by Evidence: 17" in html
    assert "Statale, <u>17</u> ponti!" in html


def test_a_text_in_another_language_has_no_verdicts():
    models, _ = fixed("Statale, 17 ponti!", judges=FakeJudges(fluency=True))
    headline = "The bridge on the road has come down"
    article = "The bridge has come down, and it was in the rain."
    answer = ask(models, headline, article)
    [one] = answer["candidates"]
    known = [*one["marks"].values(), *one["probabilities"].values(), one["style"], one["acceptability"]]
    assert known == [None] * len(known)
    assert (one["compliant"], one["refused_by"], one["unsupported"]) == (None, "", [])
    html = tab.cards_html(answer)
    assert "No verdicts: this text seems to be in another language" in html
    assert not re.findall("[✓✗–]|acceptability|pass every", html)
    assert not ask(replace(models, language="none"), headline, article)["foreign"]


def test_near_copies_of_a_better_candidate_are_hidden_and_counted():
    models, _ = fixed("Il ponte è giù, statale", "Il ponte è giù, statale addio!", "Addio sciopero!")
    html = tab.cards_html(ask(models))
    shown = re.findall("ponte è giù, statale.*<|Addio sciopero!", html)
    assert shown == ["ponte è giù, statale addio!<", "Addio sciopero!"]
    accepted = "2 different headlines for gio: every judge accepts 1"
    assert f"{accepted}. 1 near copy of a better one is hidden." in html


def test_the_page_opens_with_a_headline_that_passes(app):
    models, _ = fixed("Statale, il ponte è giù!")
    passing = Item("", "rep", "gio", HEADLINE, ARTICLE)
    failing = replace(passing, source="Piove", article="Piove.")
    for examples, opened in (((failing, passing), HEADLINE), ((failing,), "Piove"), ((), "")):
        page = app.build(replace(models, examples=examples))
        [original] = [block.value for block in page.blocks.values() if block.elem_id == "headline"]
        assert original == opened


def test_a_wrong_direction_is_flagged_and_has_no_verdict_on_style():
    texts = ("Statale, il ponte è giù!", "Caduto il ponte sulla statale")
    models, system = fixed(*texts, judges=FakeJudges(fluency=True))
    answer = ask(models, headline="Statale: il ponte!")  # gio's already
    for one in answer["candidates"]:
        assert (one["compliant"], one["marks"]["main"], one["marks"]["hh"]) == (None, None, True)
    html = tab.cards_html(answer)
    assert "Wrong direction? Newspaper (main) takes the original for a headline of gio already (.900)" in html
    assert "Choose gio → rep." in html
    assert "passes every judge" not in html
    right = ask(models, headline="Statale: il ponte!", direction="gio2rep")
    assert system.asked[-1].target == "rep"
    assert not right["wrong_direction"]
    assert right["candidates"][0]["compliant"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"headline": " … \n"}, "Write the original headline"),
        ({"article": "\x00\x01"}, "Paste the article"),
        ({"headline": "a" * 301}, "original headline: 301 characters are too many, at most 300 fit"),
        ({"direction": "rep2rep"}, "no such direction: choose one of rep2gio, gio2rep"),
        ({"count": 0}, "from 1 to 8"),
        ({"count": ["3"]}, "from 1 to 8"),
        ({"headline": ["Crolla"]}, "^Write the original headline"),
        ({"article": 7}, "^Paste the article"),
        ({"direction": ["rep2gio"]}, "no such direction"),
    ],
)
def test_what_cannot_be_transferred_is_refused_in_a_sentence(changes, sentence):
    models, system = fixed("Piove")
    with pytest.raises(InputError, match=sentence):
        ask(models, **changes)
    assert system.asked == []


@pytest.mark.parametrize("new", [["Crolla il ponte"], {"text": "Crolla"}, 7, None, ""])
def test_a_headline_that_is_no_text_is_asked_for(new):
    models, _ = fixed("Piove")
    with pytest.raises(InputError, match=r"^Write the new headline that is to be judged"):
        tab.judge(models, new, HEADLINE, ARTICLE, "rep2gio")


@pytest.mark.parametrize("system", [["sum"], {}, None])
def test_a_system_that_is_no_text_is_unknown(system):
    models, _ = fixed("Piove")
    with pytest.raises(InputError, match=r"^There is no such system"):
        tab.transfer(models, HEADLINE, ARTICLE, "rep2gio", system)


def test_html_is_shown_and_never_run():
    models, _ = fixed(HOSTILE, "<b>Piove</b>", "שלום 👩‍👩‍👧 statale!")
    shown = tab.cards_html(ask(models, headline=f"{HOSTILE} \ud800"))
    shown += tab.cards_html(tab.judge(models, "<i>io</i>", HOSTILE, ARTICLE, "rep2gio"))
    tags = set(re.findall(r"</?([a-zA-Z]+\d?)", shown))
    known = {"div", "p", "ol", "li", "article", "header", "span", "h3", "u", "ul", "b"}
    assert tags <= known | {"small", "details", "summary", "code"}
    assert not re.findall(r"<(?:b>P|i>)", shown)
    assert "&lt;" in shown
    assert "👩‍👩‍👧" in shown
    models = Models(FakeJudges(), {HOSTILE: Fixed()})
    refused = tab.cards(models, tab.transfer, HEADLINE, ARTICLE, "rep2gio", HOSTILE)
    assert "finds nothing to write" in refused
    assert "<script" not in refused


def test_the_endpoints_answer(url):
    from gradio_client import Client

    client = Client(url, verbose=False)
    answer = client.predict(HEADLINE, ARTICLE, "rep2gio", "sum", 2, api_name="/transfer")
    assert 1 <= len(answer["candidates"]) <= 2
    by_name = client.predict(headline=HEADLINE, article=ARTICLE, system="other", api_name="/transfer")
    assert by_name["system"] == "other"
    [judged] = client.predict("Che statale! " + HOSTILE, HEADLINE, ARTICLE, api_name="/judge")["candidates"]
    assert (judged["marks"]["main"], judged["text"].endswith(HOSTILE)) == (True, True)
    found = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert set(found) == {"/transfer", "/judge"}
    assert "candidates: 1 to 8" in found["/transfer"]["description"]
