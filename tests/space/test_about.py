"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

import json
from dataclasses import asdict

import pytest
from scoring_fakes import FakeJudges

from change_it import InputError
from change_it.audit.verdicts import Share, Summary, Together, Verdict, hashes
from change_it.space import models
from change_it.space.models import Models
from change_it.space.parts import render


class System:
    outlets = ("rep", "gio")


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def metrics(*shares):
    """What training writes of a judge that accepts and refuses these shares of 200."""
    cells = {
        name: {"recall": share, "support": 200}
        for name, share in zip(("no_match", "match"), shares, strict=True)
    }
    return {"classes": [], "results": {"hard": cells | {"macro_f1": 0.9}}, "baselines": {}}


def about(models):
    return render("about.html.jinja", models=models)


def test_outlets_and_verdicts_are_named():
    found = (Verdict("hh", "care", "no better than <b>tf-idf</b>"),)
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
    for task, shares in (("hh", (0.9, 0.7)), ("ah", (0.9, 0.95))):
        write(corpus_run / "judges" / task / "metrics.json", metrics(*shares))
    loaded = Models.from_run(corpus_run)
    levels = {"main": "distrust", "hh": "care", "ah": "rely", "fluency": "distrust"}
    assert {verdict.judge: verdict.level for verdict in loaded.audit.verdicts} == levels
    verdict = Verdict(
        "main", "rely", "n-grams is ahead of it", (Share("says whose is whose", 0.9, 0.8, 0.95),)
    )
    found = Together(3, 1, 0, (("half and half", 0.9),))
    record = {"hashes": hashes(loaded.judges), "verdicts": [asdict(verdict) | {"words": verdict.words}]}
    write(corpus_run / "audit" / "audit.json", record | {"together": found.as_dict()})
    assert Models.from_run(corpus_run).audit == Summary((verdict,), found)
    write(corpus_run / "audit" / "audit.json", record | {"hashes": {"main": "others"}})
    assert Models.from_run(corpus_run).audit == loaded.audit
    write(corpus_run / "audit" / "audit.json", record)  # of an earlier version
    with pytest.raises(InputError, match="run what writes it again"):
        Models.from_run(corpus_run)
    assert "missing" in about(loaded)
