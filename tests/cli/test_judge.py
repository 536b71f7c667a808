import re

import pytest
from scoring_fakes import FakeJudges, load_fakes, write_stand_ins

from change_it.audit.record import Summary
from change_it.cli import main
from change_it.corpus.record import TrainedOn
from change_it.judges.reliability import Verdict
from change_it.scoring.aspects import NO_CHECK, compliancy_measures, judge_headings
from change_it.scoring.panel import Judges
from change_it.space.answers import judge
from change_it.space.models import Models

ORIGINAL, ARTICLE = "Crolla il ponte a Lunigola", "Il ponte di Lunigola e' crollato lunedi'."

ITALIAN = "Il ponte di Lunigola è crollato lunedì, e la strada per il mare è chiusa."


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command line for a headline, with fakes where judges would be loaded."""
    write_stand_ins(tmp_path / "judges")
    (tmp_path / "article.txt").write_text(ARTICLE)
    load_fakes(monkeypatch)

    def run(headline, *others, original=ORIGINAL, article=tmp_path / "article.txt"):
        given = ["--original", original, "--article", str(article), "--judges", str(tmp_path / "judges")]
        return main(["judge", headline, *given, *others])

    return run


def test_one_headline_gets_marks_and_unsupported_numbers_are_named(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # no row is broken
    assert command("Crolla il ponte, 40 feriti") == 0
    printed = capsys.readouterr().out
    names = [*judge_headings().values(), *compliancy_measures()[:4]]
    first = re.findall(rf"^ *({'|'.join(map(re.escape, names))}) ", printed, re.MULTILINE)
    assert first[: len(names)] == names
    assert "refused by main; evidence: 40" in " ".join(printed.split())
    assert "acceptability and fluency are n/a" in printed
    assert NO_CHECK in " ".join(printed.split())
    assert "another language" not in printed
    assert "Can these measures rank systems here?" in printed


def test_what_no_judge_refuses_has_no_clean_bill_without_an_audit(command, capsys):
    assert command("Lunigola, ponte crollato!") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "no judge refuses it, which is no clean bill: these judges have no audit" in printed
    assert "passes every judge" not in printed


@pytest.mark.parametrize("headline", ["Crolla il ponte, 40 feriti", "Lunigola, ponte crollato!"])
def test_judges_that_are_not_shown_to_work_are_named_whether_they_refuse_or_not(
    command, capsys, monkeypatch, headline
):
    """Evidence is a rule: that its test is of few pairs does not take back that it found no 40."""
    weak = Summary((Verdict("main", "distrust"), Verdict("hh", "care"), Verdict("evidence", "distrust")))
    monkeypatch.setattr("change_it.audit.record.read_summary", lambda *_: weak)
    assert command(headline) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("not shown to work here: Newspaper (main) no judge reads") == 1
    assert "of no use here" not in printed


@pytest.mark.parametrize(
    ("article", "language", "is_foreign"),
    [
        (ITALIAN, "en", True),
        (ITALIAN, "it", False),
        ("Ponte statale crollato: quattro feriti, strada chiusa.", "it", False),
        ("De burgemeester van de stad zei dat de brug er niet komt. " * 6, "it", True),
        (ITALIAN, None, False),
    ],
)
def test_terminal_and_page_agree_on_what_is_in_another_language(
    command, tmp_path, capsys, monkeypatch, article, language, is_foreign
):
    judges = FakeJudges()
    judges.main.corpus = TrainedOn(language=language)
    monkeypatch.setattr(Judges, "from_pretrained", lambda *_, **__: judges)
    (tmp_path / "article.txt").write_text(article)
    assert command("Crolla ponte statale: quattro feriti", original="Crolla ponte statale") == 0
    assert (
        "the text is in another language than the judges' corpus" in capsys.readouterr().out
    ) is is_foreign
    models = Models(judges, {}, language or "none")
    answer = judge(models, "Crolla ponte statale: quattro feriti", "Crolla ponte statale", article, "rep2gio")
    assert answer["foreign"] is is_foreign
