"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

from scoring_fakes import FakeJudges

from change_it.audit.record import Summary
from change_it.audit.verdict import MeasureVerdict
from change_it.judges.reliability import Verdict
from change_it.space.answers import about_html
from change_it.space.models import Models, corpus_examples


class System:
    outlets = ("rep", "gio")


def test_verdicts_stand_above_and_each_judge_sees_and_misses():
    shares = {"refuses random wrong stories": (0.882, 0.86, 0.9)}
    found = (Verdict("hh", "care", "no better than <b>tf-idf</b>", shares),)
    cannot = MeasureVerdict(
        "cannot rank", "cannot rank systems here: the <i>first</i> words keep .98 of gold", {}, ()
    )
    audit = Summary(found, {"acceptability": cannot})
    html = about_html(Models(FakeJudges(), {"fixed": System()}, audit=audit))
    assert "rep" in html
    assert "&lt;b&gt;tf-idf" in html
    assert "<strong>" not in html
    assert "<b>Story (HH)</b>: Refuses random wrong stories: .882 (.860–.900), sees." in html
    assert "<b>acceptability</b> no: the &lt;i&gt;first&lt;/i&gt; words keep .98 of gold" in html


def test_judges_without_a_generator_have_a_page_that_scores(app, gradio):
    page = app.build(Models(FakeJudges(), {}))
    assert [block.label for block in page.blocks.values() if isinstance(block, gradio.Tab)] == ["Score"]
    assert {of.api_name for of in page.fns.values() if of.api_visibility == "public"} == {"judge"}


def test_the_page_is_named_after_its_newspapers(app, gradio):
    page = app.build(Models(FakeJudges(("<b>rep", "gio")), {}))
    assert page.title == "Headlines that change their style: <b>rep and gio"
    [heading] = [block.value for block in page.blocks.values() if isinstance(block, gradio.Markdown)]
    assert heading.startswith("# Headlines that change their style: &#60;b&#62;rep and gio\n")


def test_examples_of_a_corpus_are_always_the_same(corpus, tmp_path):
    examples = corpus_examples(corpus)
    assert examples == corpus_examples(corpus)
    assert len({one.direction for one in examples}) == 2
    assert all(one.prediction == one.reference for one in examples)
    assert corpus_examples(str(tmp_path / "none")) == ()


def test_without_its_variable_the_page_says_which(app, monkeypatch):
    monkeypatch.delenv("CHANGE_IT_JUDGES", raising=False)
    [text] = app.build_from_environment().blocks.values()
    assert text.value.startswith("# This page has no models yet")
    assert "CHANGE_IT_JUDGES" in text.value
