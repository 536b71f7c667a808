"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

import json
import re
from html import unescape

import pytest
from scoring_fakes import FakeJudges
from space_runs import verdicts

from change_it.audit.verdicts import AUDIT_MEASURES, Result, Summary, Together, Verdict, hashes
from change_it.results.pages import reasons
from change_it.space import models
from change_it.space.app import about_html
from change_it.space.models import Models
from change_it.tables import Figure
from change_it.translation import Message, Word


class Extract:
    outlets = ("rep", "gio")


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def metrics(judge, baseline):
    """What training writes of a judge with one test set."""
    return {
        "classes": [],
        "results": {"hard": {"macro_f1": judge}},
        "baselines": {"tf-idf cosine": {"hard": {"macro_f1": baseline}}},
    }


@pytest.mark.parametrize(("language", "words"), [("it", "con cautela"), ("en", "with care")])
def test_outlets_and_verdicts_are_named(language, words):
    values = {"value": Figure(0.863), "baseline": Word("<b>tf-idf</b>"), "other": Figure(0.848)}
    found = (Verdict("hh", "care", (Message("verdict.has", **values),)),)
    html = about_html(Models(FakeJudges(), {"extract": Extract()}, audit=Summary(found)), language)
    assert words in html
    assert "rep" in html
    assert "&lt;b&gt;tf-idf" in html
    assert "<strong>" not in html


def test_reasons_are_in_the_language_of_the_page():
    found = [reason for verdict in verdicts() for reason in verdict.reasons]
    found += [
        Message("verdict.on_alone", value=Figure(0.9), test=Word("changed facts")),
        Message("verdict.none"),
    ]
    assert re.sub(r"</?i[^>]*>", "", unescape(reasons("en", found))) == "; ".join(found)
    italian = [unescape(reasons("it", [reason])) for reason in found]
    assert not {text.casefold() for text in italian} & {text.casefold() for text in found}
    assert italian[0] == "F1 0,875 dove gli n-grammi di caratteri hanno 0,859"
    assert italian[2] == "F1 0,882 su coppie sbagliate difficili, dove il coseno tf-idf ha 0,844"
    assert italian[4].endswith("un nome per un altro 0,993, negato 0,889, nomi innestati 0,495 e altri 4")
    assert "&lt;b&gt;" in reasons("it", [Message("verdict.alone", value="<b>")])


@pytest.fixture
def without_examples(monkeypatch):
    """Models that look for no examples in their corpus, which stand elsewhere on the page."""
    monkeypatch.setattr(models, "corpus_examples", lambda *_: ())


@pytest.mark.usefixtures("without_examples")
def test_models_of_the_sample_say_so(corpus_run):
    loaded = Models.from_run(corpus_run)
    assert loaded.sample
    assert "invented" in about_html(loaded, "en")
    file = corpus_run / "corpus" / "alignment.json"
    write(file, json.loads(file.read_text(encoding="utf-8")) | {"sample": False})
    assert not Models.from_run(corpus_run).sample


@pytest.mark.usefixtures("without_examples")
def test_verdicts_are_those_of_the_audit_of_these_judges(corpus_run):
    for task, found in (("main", (0.9, 0.95)), ("hh", (0.9, 0.89)), ("ah", (0.9, 0.6))):
        write(corpus_run / "judges" / task / "metrics.json", metrics(*found))
    loaded = Models.from_run(corpus_run)
    levels = {"main": "distrust", "hh": "care", "ah": "rely", "fluency": "distrust", "facts": "care"}
    assert {verdict.judge: verdict.level for verdict in loaded.audit.verdicts} == levels
    values = dict.fromkeys(AUDIT_MEASURES) | {"main": 0.9, "passed": 0.9}
    about = ("typography", ("style",), True, "", 20, values, {}, 20, 0.9, 0.98)
    system = Result(*about, ("main",), ("main",), ())
    record = {"hashes": hashes(loaded.judges), "systems": [system.as_dict()], "probes": []}
    write(corpus_run / "audit" / "audit.json", record)
    audit = Models.from_run(corpus_run).audit
    assert audit.together == Together((1, 0), (0, 0), (("typography", 0.9),), None)
    main = audit.verdicts[0]
    assert (main.judge, main.level) == ("main", "distrust")
    assert main.text.endswith("lets through what it should refuse: typography .900")
    write(corpus_run / "audit" / "audit.json", record | {"hashes": {"main": "others"}})
    assert Models.from_run(corpus_run).audit == loaded.audit
    assert "missing" in about_html(loaded, "en")
