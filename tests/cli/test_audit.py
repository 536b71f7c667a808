import json
from dataclasses import replace

import pytest
from corpus_fakes import articles, write_articles
from scoring_fakes import load_fakes

from change_it.audit import measure
from change_it.cli import audit as audit_command
from change_it.cli import main
from change_it.cli.audit import AuditOptions
from change_it.corpus.folder import read_outlets


@pytest.fixture
def judges(tmp_path, monkeypatch):
    """A folder for judges, fakes where they would be loaded, and four kinds that they are shown beside the
    baselines.
    """
    few = ("capitals", "looped", "number changed", "claim added")
    monkeypatch.setattr(measure, "PERTURBATIONS", {name: measure.PERTURBATIONS[name] for name in few})
    load_fakes(monkeypatch, ("colle", "faro"))
    (tmp_path / "run" / "judges").mkdir(parents=True)
    return tmp_path / "run" / "judges"


def options(judges, corpus, **others):
    return AuditOptions(judges=str(judges), corpus=corpus, items=6, resamples=20, **others)


def test_page_and_figures_lie_beside_the_judges(judges, corpus, capsys):
    audit_command.run(options(judges, corpus))

    out = judges.parent / "audit"
    record = json.loads((out / "audit.json").read_text())
    page = (out / "audit.html").read_text()
    kinds = {kind["name"]: kind for kind in record["kinds"]}
    assert {kind["n"] for kind in kinds.values()} == {6}
    assert kinds["claim added"]["shares"]["compliancy"]["outcome"] in page
    assert set(record["verdicts"]["compliancy"]) >= {"verdict", "sentence", "kinds", "misses"}
    assert record["signature"] in page
    assert "there is none, so that acceptability is n/a" in page
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith("Can these measures rank systems here?")
    assert record["verdicts"]["style"]["sentence"].partition(": ")[2] in printed
    assert "reliable" not in printed + page
    assert record["items"] < 400
    assert f"Each word and mark of {record['items']} headlines is taken out" in page


def test_poisoned_texts_are_only_texts_on_the_page(judges, tmp_path, monkeypatch, capsys):
    bad = "<script>alert(1)</script> \"'><svg/onload=alert(2)> {{ 7*7 }} \u202eb\u2066 \x1b[31m [red]x[/]"
    made = [replace(a, headline=f"{a.headline} {bad}", article=f"{a.article} {bad}") for a in articles()]
    text = write_articles(tmp_path / "news.csv", made).read_text(encoding="utf-8")
    text = text.replace(",R,", ',"<b>a\'",').replace(",G,", ",{{b}}&,")
    (tmp_path / "news.csv").write_text(text, encoding="utf-8")
    corpus = str(tmp_path / "corpus")
    assert main(["corpus", "build", str(tmp_path / "news.csv"), "--out", corpus]) == 0
    load_fakes(monkeypatch, read_outlets(corpus))
    capsys.readouterr()
    audit_command.run(options(judges, corpus))
    page = (judges.parent / "audit" / "audit.html").read_text()
    assert "alert(2)" in page
    assert "{{ 7*7 }}" in page
    assert not [text for text in ("<script", "<svg/", "<b>a", "\u202e", "\u2066", "\x1b") if text in page]
    assert "\x1b[31m" not in capsys.readouterr().out
