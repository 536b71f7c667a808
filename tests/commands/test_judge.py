import json

import pytest
from scoring_fakes import FakeJudges, write_stand_ins

from change_it.cli import main
from change_it.scoring.facts import Facts, Unsupported

ORIGINAL, ARTICLE = "Crolla il ponte a Lunigola", "Il ponte di Lunigola e' crollato lunedi'."


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command line for a headline, with fakes where judges would be loaded."""
    write_stand_ins(tmp_path / "judges")
    (tmp_path / "article.txt").write_text(ARTICLE)
    monkeypatch.setattr("change_it.judges.judge.Judges.from_pretrained", lambda *_, **__: FakeJudges())

    def run(headline, *others, original=ORIGINAL, article=tmp_path / "article.txt"):
        given = ["--original", original, "--article", str(article), "--judges", str(tmp_path / "judges")]
        return main(["judge", headline, *given, *others])

    return run


def test_one_headline_gets_five_marks_and_unsupported_numbers_are_named(command, capsys):
    assert command("Crolla il ponte, 40 feriti") == 0
    printed = capsys.readouterr().out
    assert "no: 40" in printed
    first = [line.split()[0] for line in printed.splitlines() if line.strip()]
    assert first[2:9] == ["hh", "ah", "main", "fluency", "facts", "compliant", "strict"]


def test_what_the_sources_rather_say_is_named(command, capsys, monkeypatch):
    def refused(*_, **__):
        return [Facts(False, (Unsupported("Trillano", 18, 26, "name", "Lunigola"),))]

    monkeypatch.setattr("change_it.scoring.compliancy.check_all_facts", refused)
    monkeypatch.setattr("change_it.tables._PIPE_WIDTH", 200)  # no cell goes on in a second line
    assert command("Crolla il ponte a Trillano") == 0
    assert "no: the sources rather say “Lunigola” than “Trillano”" in capsys.readouterr().out


def test_json_has_texts_marks_and_the_outlet_aimed_at(command, capsys):
    for to in FakeJudges().outlets:
        assert command("Crolla il ponte", "--json", "--to", to) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["to"] == to
        assert set(found["marks"]) == {"hh", "ah", "main", "fluency", "facts"}
        assert found["marks"]["facts"] is True


@pytest.mark.parametrize(
    ("others", "changed", "message"),
    [
        (["--to", "nobody"], {}, "--to nobody is no outlet of these judges"),
        ([], {"original": " "}, "--original has no text"),
        ([], {"article": "missing.txt"}, "missing.txt does not exist"),
    ],
)
def test_bad_input_is_one_sentence(command, capsys, others, changed, message):
    assert command("Crolla il ponte", *others, **changed) == 2
    assert message in capsys.readouterr().err
