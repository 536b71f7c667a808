"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

import json

import pytest
from scoring_fakes import FakeJudges

from change_it.audit.verdicts import AUDIT_MEASURES, JointPassRate, Result, Summary, Verdict, hashes
from change_it.space import models
from change_it.space.models import Models
from change_it.space.parts import render


class System:
    outlets = ("rep", "gio")


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def metrics(judge, baseline):
    """What training writes of a judge with one test set."""
    hard, beside = ({"hard": {"macro_f1": f1}} for f1 in (judge, baseline))
    return {"classes": [], "results": hard, "baselines": {"tf-idf cosine": beside}}


def about(models):
    return render("about.html.jinja", models=models)


def test_outlets_and_verdicts_are_named():
    found = (Verdict("hh", "care", ("F1 .863 where <b>tf-idf</b> has .848",)),)
    html = about(Models(FakeJudges(), {"fixed": System()}, audit=Summary(found)))
    assert "with care" in html
    assert "rep" in html
    assert "&lt;b&gt;tf-idf" in html
    assert "<strong>" not in html


@pytest.fixture
def without_examples(monkeypatch):
    """Models that look for no examples in their corpus, which stand elsewhere on the page."""
    monkeypatch.setattr(models, "corpus_examples", lambda *_: ())


@pytest.mark.usefixtures("without_examples")
def test_verdicts_are_those_of_the_audit_of_these_judges(corpus_run):
    for task, found in (("main", (0.9, 0.95)), ("hh", (0.9, 0.89)), ("ah", (0.9, 0.6))):
        write(corpus_run / "judges" / task / "metrics.json", metrics(*found))
    loaded = Models.from_run(corpus_run)
    levels = {"main": "distrust", "hh": "care", "ah": "rely", "fluency": "distrust", "facts": "care"}
    assert {verdict.judge: verdict.level for verdict in loaded.audit.verdicts} == levels
    values = dict.fromkeys(AUDIT_MEASURES) | {"main": 0.9, "passed": 0.9}
    fields = ("typography", ("style",), True, "", 20, values, {}, 20, 0.9, 0.98)
    system = Result(*fields, ("main",), ("main",), ())
    record = {"hashes": hashes(loaded.judges), "systems": [system.as_dict()]}
    write(corpus_run / "audit" / "audit.json", record)
    audit = Models.from_run(corpus_run).audit
    assert audit.together == JointPassRate((1, 0), (0, 0), (("typography", 0.9),), None)
    main = audit.verdicts[0]
    assert (main.judge, main.level) == ("main", "distrust")
    assert main.text.endswith("lets through what it should refuse: typography .900")
    write(corpus_run / "audit" / "audit.json", record | {"hashes": {"main": "others"}})
    assert Models.from_run(corpus_run).audit == loaded.audit
    assert "missing" in about(loaded)
