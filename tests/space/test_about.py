"""What the page says above its tabs: the outlets that the models know, and how far to rely on each judge."""

import json
import re
from html import unescape

import pytest
from scoring_fakes import FakeJudges

from change_it.audit.verdicts import Verdict, hashes
from change_it.results.pages import reasons
from change_it.space.app import about_html
from change_it.space.models import Models


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
    verdicts = (Verdict("hh", "care", "F1 .863 where <b>tf-idf</b> has .848"),)
    html = about_html(Models(FakeJudges(), {"extract": Extract()}, verdicts=verdicts), language)
    assert words in html
    assert "rep" in html
    assert "&lt;b&gt;tf-idf" in html
    assert "<strong>" not in html


def test_reasons_are_in_the_language_of_the_page():
    text = (
        "F1 .875 where character n-grams have .859; F1 .882 on hard mismatches where tf-idf cosine has .844; "
        "F1 .9, beside no baseline; F1 .822 instead of .875 once the typography is normalised; refuses what it should; "
        "lets through what it should refuse: random ending .440, half and half .407 and 4 more; "
        "accepts .920 of the newspapers' own headlines; there is none: nothing asks whether it is a headline at all"
    )
    assert re.sub(r"</?i[^>]*>", "", unescape(reasons("en", text))) == text
    assert reasons("it", text).split("; ")[:2] == [
        "F1 0,875 dove gli n-grammi di caratteri hanno 0,859",
        "F1 0,882 su coppie sbagliate difficili, dove il coseno tf-idf ha 0,844",
    ]
    assert not set(text.split("; ")) & set(unescape(reasons("it", text)).split("; "))
    assert '<i lang="en">random ending 0,440, half and half 0,407</i> e altri 4' in reasons("it", text)
    assert reasons("it", "<b>new</b>") == "&lt;b&gt;new&lt;/b&gt;"


def test_models_of_the_sample_say_so(corpus_run):
    models = Models.from_run(corpus_run)
    assert models.sample
    assert "invented" in about_html(models, "en")
    file = corpus_run / "corpus" / "alignment.json"
    write(file, json.loads(file.read_text(encoding="utf-8")) | {"sample": False})
    assert not Models.from_run(corpus_run).sample


def test_verdicts_are_those_of_the_audit_of_these_judges(corpus_run):
    for task, found in (("main", (0.9, 0.95)), ("hh", (0.9, 0.89)), ("ah", (0.9, 0.6))):
        write(corpus_run / "judges" / task / "metrics.json", metrics(*found))
    models = Models.from_run(corpus_run)
    levels = {"main": "distrust", "hh": "care", "ah": "rely", "fluency": "distrust"}
    assert {verdict.judge: verdict.level for verdict in models.verdicts} == levels
    audited = {"judge": "hh", "level": "distrust", "text": "lets through copy", "words": "do not rely on it"}
    record = {"hashes": hashes(models.judges), "verdicts": [audited], "systems": []}
    write(corpus_run / "audit" / "audit.json", record)
    assert Models.from_run(corpus_run).verdicts == (Verdict("hh", "distrust", "lets through copy"),)
    write(corpus_run / "audit" / "audit.json", record | {"hashes": {"main": "others"}})
    assert Models.from_run(corpus_run).verdicts == models.verdicts
    assert "missing" in about_html(models, "en")
