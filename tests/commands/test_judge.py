import json
from functools import partial

import polars as pl
import pytest
from csv_files import write_csv
from rich.console import Console
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


def test_one_headline_gets_six_marks_and_unsupported_numbers_are_named(command, capsys):
    assert command("Crolla il ponte, 40 feriti") == 0
    printed = capsys.readouterr().out
    assert "no: 40" in printed
    first = [line.split()[0] for line in printed.splitlines() if line.strip()]
    assert first[2:10] == ["hh", "ah", "main", "main_normalised", "fluency", "facts", "compliant", "strict"]


def test_what_the_sources_rather_say_is_named(command, capsys, monkeypatch):
    def refused(*_, **__):
        return [Facts(False, (Unsupported("Trillano", 18, 26, "name", "Lunigola"),))]

    monkeypatch.setattr("change_it.scoring.compliancy.check_all_facts", refused)
    wide = partial(Console, width=200)  # no cell goes on in a second line
    monkeypatch.setattr("change_it.commands.judge.console", wide)
    assert command("Crolla il ponte a Trillano") == 0
    assert "no: the sources rather say “Lunigola” than “Trillano”" in capsys.readouterr().out


def test_json_has_texts_marks_and_the_outlet_aimed_at(command, capsys):
    for to in FakeJudges().outlets:
        assert command("Crolla il ponte", "--json", "--to", to) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["to"] == to
        assert set(found["marks"]) == {"hh", "ah", "main", "main_normalised", "fluency", "facts"}
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


@pytest.fixture
def many(tmp_path, monkeypatch, capsys):
    """The command line for a file of headlines: exit code, standard output, standard error."""
    write_stand_ins(tmp_path / "judges")
    monkeypatch.setattr(
        "change_it.judges.judge.Judges.from_pretrained", lambda *_, **__: FakeJudges(digits="abcd")
    )

    def run(rows, *others, header=("headline", "original", "article")):
        write_csv(tmp_path / "new.csv", rows, header)
        given = ["--input", str(tmp_path / "new.csv"), "--judges", str(tmp_path / "judges")]
        code = main(["judge", *given, *map(str, others)])
        return code, *capsys.readouterr()

    return run


def test_a_file_of_headlines_becomes_a_table(many, tmp_path):
    rows = [
        ["Crolla il ponte!", ORIGINAL, ARTICLE],
        ["Piove", ORIGINAL, ARTICLE],
        ["Crolla, 40 feriti", ORIGINAL, ARTICLE],
    ]
    file = tmp_path / "judged.csv"
    code, printed, _ = many(rows, "--out", file)
    assert (code, printed) == (0, f"compliant: 1 of 3, strictly: at most 1; wrote {file}\n")
    table = pl.read_csv(file)
    judges = FakeJudges(digits="abcd")
    expected = judges([row[0] for row in rows], originals=[ORIGINAL] * 3, articles=[ARTICLE] * 3)
    assert table["headline"].to_list() == [row[0] for row in rows]
    assert table["id"].to_list() == [1, 2, 3]
    assert set(table["direction"]) == {"rep2gio"}
    for name in ("hh", "ah", "main", "fluency", "facts"):
        assert table[name].to_list() == [one.marks[name] for one in expected]
    assert table["strict_compliancy"].to_list() == [one.strict for one in expected]


def test_ids_and_outlets_come_from_the_file(many):
    header = ("id", "headline", "source", "article", "target")
    rows = [
        ["a", "Crolla il ponte!", ORIGINAL, ARTICLE, "gio"],
        ["b", "Crolla il ponte!", ORIGINAL, ARTICLE, "rep"],
    ]
    code, printed, _ = many(rows, "--json", header=header)
    assert code == 0
    assert [(row["id"], row["direction"]) for row in json.loads(printed)] == [
        ("a", "rep2gio"),
        ("b", "gio2rep"),
    ]
    code, printed, error = many(rows, "--json", "--to", "gio", header=header)
    assert (code, printed) == (2, "")
    assert "the column to has another outlet than --to gio in line 3: leave out --to" in error
    assert many(rows[:1], "--json", "--to", "gio", header=header)[0] == 0


@pytest.mark.parametrize(
    ("rows", "others", "message"),
    [
        ([["x", "", ARTICLE], ["x", ORIGINAL, ARTICLE]], ["--json"], "new.csv has no original in line 2"),
        ([["x", ORIGINAL, ARTICLE]], [], "give --out FILE, or --json"),
        ([["x", ORIGINAL, ARTICLE]], ["--json", "--original", "y"], "leave out those on the command line"),
    ],
)
def test_a_file_at_fault_is_one_sentence(many, rows, others, message):
    code, printed, error = many(rows, *others)
    assert (code, printed) == (2, "")
    assert message in error
