"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

from scoring_fakes import FakeJudges

from change_it.audit.verdicts import Summary, Verdict
from change_it.space.models import Models
from change_it.space.parts import render


class System:
    outlets = ("rep", "gio")


def about(models):
    return render("about.html.jinja", models=models)


def test_outlets_and_verdicts_are_named():
    found = (Verdict("hh", "care", "no better than <b>tf-idf</b>"),)
    html = about(Models(FakeJudges(), {"fixed": System()}, audit=Summary(found)))
    assert "with care" in html
    assert "rep" in html
    assert "&lt;b&gt;tf-idf" in html
    assert "<strong>" not in html
