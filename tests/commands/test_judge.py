import pytest
from scoring_fakes import FakeJudges, write_stand_ins

from change_it.cli import main

ORIGINAL, ARTICLE = "Crolla il ponte a Lunigola", "Il ponte di Lunigola e' crollato lunedi'."


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command line for a headline, with fakes where judges would be loaded."""
    write_stand_ins(tmp_path / "judges")
    (tmp_path / "article.txt").write_text(ARTICLE)
    monkeypatch.setattr("change_it.scoring.judges.Judges.from_pretrained", lambda *_, **__: FakeJudges())

    def run(headline, *others, original=ORIGINAL, article=tmp_path / "article.txt"):
        given = ["--original", original, "--article", str(article), "--judges", str(tmp_path / "judges")]
        return main(["judge", headline, *given, *others])

    return run


def test_one_headline_gets_six_marks_and_unsupported_numbers_are_named(command, capsys):
    assert command("Crolla il ponte, 40 feriti") == 0
    printed = capsys.readouterr().out
    assert "no: 40" in printed
    first = [line.split()[0] for line in printed.splitlines() if line.strip()]
    assert first[2:10] == ["hh", "ah", "main", "main_normalised", "fluency", "facts", "compliant", "strict"]


def test_a_server_of_facts_needs_the_name_of_its_model(command, capsys):
    with pytest.raises(SystemExit):
        command("Crolla il ponte", "--facts-endpoint", "http://localhost:8000/v1")
    assert "--facts-endpoint requires --facts" in capsys.readouterr().err
