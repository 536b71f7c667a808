import polars as pl
import pytest
from csv_files import write_csv
from scoring_fakes import FakeJudges, load_fakes, write_stand_ins

from change_it.cli import main

ORIGINAL, ARTICLE = "Crolla il ponte a Lunigola", "Il ponte di Lunigola e' crollato lunedi'."


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


def test_one_headline_gets_marks_and_unsupported_numbers_are_named(command, capsys):
    assert command("Crolla il ponte, 40 feriti") == 0
    printed = capsys.readouterr().out
    assert "no: 40" in printed
    first = [line.split()[0] for line in printed.splitlines() if line.strip()]
    names = ["hh", "ah", "main", "fluency", "evidence", "compliant", "style", "joint"]
    assert [word for word in first if word in names][: len(names)] == names
    assert "joint and fluency are n/a" in printed
    assert "another language" not in printed


def test_a_text_in_another_language_than_the_judges_corpus_is_said_to_be_unreliable(
    command, tmp_path, capsys
):
    (tmp_path / "judges/main/corpus.json").write_text('{"language": "en"}')
    assert command("Crolla il ponte") == 0
    assert "the text is in another language than the judges' corpus" in capsys.readouterr().out


@pytest.fixture
def many(tmp_path, monkeypatch, capsys):
    """The command line for a file of headlines: exit code, standard output, standard error."""
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch, digits="abcd")

    def run(rows, *others, header=("headline", "original", "article")):
        write_csv(tmp_path / "new.csv", rows, header)
        given = ["--input", str(tmp_path / "new.csv"), "--judges", str(tmp_path / "judges")]
        code = main(["judge", *given, *map(str, others)])
        return code, *capsys.readouterr()

    return run


def test_a_file_of_headlines_becomes_a_table(many, tmp_path):
    rows = [[new, ORIGINAL, ARTICLE] for new in ("Ecco: giù il ponte!", "Piove", "Crolla, 40 feriti")]
    file = tmp_path / "judged.csv"
    code, printed, _ = many(rows, "--out", file)
    assert (code, printed) == (0, f"compliant: 1 of 3; joint: .333; wrote {file}\n")
    table = pl.read_csv(file)
    judges = FakeJudges(digits="abcd")
    expected = judges([row[0] for row in rows], originals=[ORIGINAL] * 3, articles=[ARTICLE] * 3)
    assert table["headline"].to_list() == [row[0] for row in rows]
    assert table["id"].to_list() == [1, 2, 3]
    assert set(table["direction"]) == {"rep2gio"}
    for name in ("hh", "ah", "main", "fluency", "evidence"):
        assert table[name].to_list() == [one.marks[name] for one in expected]
    assert table["joint"].to_list() == [one.joint for one in expected]
