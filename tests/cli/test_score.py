"""`change-it score` with files of headlines as people have them."""

import base64
import gzip
import json
import re
import shutil
from collections import Counter

import polars as pl
import pytest
from csv_files import read_csv
from scoring_fakes import load_fakes, write_stand_ins

from change_it.cli import main
from change_it.corpus.test_set import read_test_set
from change_it.files import rows as rows_module


@pytest.fixture
def command(tmp_path, toy_corpus, toy_test, monkeypatch, undrawn, capsys):
    """Writes a file of some of the test headlines as `mine` and scores it: exit code, standard output,
    standard error.
    """
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch)

    def run(items, *options, name="mine", text="reference"):
        file = write(tmp_path / f"{name}.csv", items, text)
        common = ["--corpus", str(toy_corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        code = main(["score", *common, "--predictions", f"{name}={file}", *options])
        return code, *capsys.readouterr()

    return run


def write(path, items, text="reference"):
    rows = [f'{item.id},"{getattr(item, text)}"' for item in items]
    path.write_text("\n".join(["id,headline", *rows]), encoding="utf-8")
    return path


def test_all_systems_are_scored_on_shared_items(command, toy_test, tmp_path):
    items = toy_test.items[2:6]
    two = write(tmp_path / "two.csv", items[1:])
    options = [f"two={two}", "--shared-items", "--json"]
    code, printed, error = command(items, *options)
    assert (code, error) == (0, "All systems are scored on 3 of 8 headlines.\n")
    systems = json.loads(printed)["systems"]
    assert {name: system["average"]["n"] for name, system in systems.items()} == dict.fromkeys(systems, 3)
    assert systems["gold"]["average"]["compliancy"] == systems["mine"]["average"]["compliancy"] == 1
    write(two, items[:2])
    code, printed, error = command(items, *options)
    assert (code, error.splitlines()[0]) == (0, "Not scored: gio2rep, of which some file has no headline.")
    assert json.loads(printed)["systems"]["mine"].keys() == {"rep2gio", "average"}


def test_one_direction_is_scored_alone(command, toy_test):
    items = [item for item in toy_test.items if item.direction == "gio2rep"]
    code, printed, _ = command(items, "--json", text="source")
    mine = json.loads(printed)["systems"]["mine"]
    assert (code, mine["average"]["n"], mine["gio2rep"]["compliancy"]) == (0, len(items), 0)
    code, _, error = command(items[1:])
    assert (code, "--shared-items" in error) == (2, True)


def test_a_file_is_read_once_and_the_table_printed_before_a_report_that_cannot_be_written(
    command, toy_test, tmp_path, monkeypatch
):
    def fill(*_, **__):
        raise OSError(28, "No space left on device")

    opened, open_text = [], rows_module._open_text
    monkeypatch.setattr(rows_module, "_open_text", lambda path: opened.append(path) or open_text(path))
    code, printed, _ = command(toy_test.items)
    assert (code, opened) == (0, [tmp_path / "mine.csv"])
    assert printed.startswith("Can these measures rank systems here?\n")
    assert "Report nothing from this table. What would help: an audit" in printed
    assert "Next    change-it audit --judges" in printed
    monkeypatch.setattr("change_it.report.report_files.write_text", fill)
    code, printed, error = command(toy_test.items, "--out", str(tmp_path / "report"))
    assert (code, error.count("\n"), f"{tmp_path / 'report'}: No space" in error) == (2, 1, True)
    assert "random-target" in printed


def test_items_are_what_a_system_rewrites(toy_corpus, toy_test, tmp_path, capsys):
    out = tmp_path / "todo.csv"
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "rep", "--out", str(out)]) == 0
    wanted = [(item.id, item.source, item.article) for item in toy_test.items if item.target == "rep"]
    assert [(row["id"], row["headline"], row["article"]) for row in read_csv(out)] == wanted
    assert f"wrote {len(wanted)} headlines" in capsys.readouterr().out
    assert main(["corpus", "items", "--corpus", str(toy_corpus), "--to", "nobody", "--out", str(out)]) == 2


def test_two_systems_are_compared_and_a_table_is_printed_alone(command, toy_test, tmp_path):
    other = write(tmp_path / "other.csv", toy_test.items, "source")
    code, printed, _ = command(toy_test.items, f"other={other}")
    assert (code, "Differences from mine" in printed, "other − mine" in printed) == (0, True, True)
    command(toy_test.items, f"other={other}", "--out", str(tmp_path / "report"))
    page = (tmp_path / "report" / "report.html").read_text()
    assert "<h3>Differences from mine, 8 headlines of 4 events</h3>" in page
    assert r"\textbf" not in page  # without an audit no measure is known to rank
    code, printed, _ = command(toy_test.items, f"other={other}", "--format", "latex")
    first, *_, end, note, signature = printed.splitlines()
    assert (code, first, end) == (0, r"\begin{tabular}{lrrrrr}", r"\end{tabular}")
    assert "by compliancy and style: these judges have no audit." in note
    assert signature.startswith("% Signature: compliancy|judges:")
    assert r"mine & \textcolor{gray}{1.000 (" in printed
    code, printed, _ = command(toy_test.items, f"other={other}", "--against", "other", "--format", "json")
    [mine] = [row for row in json.loads(printed) if row["system"] == "mine − other"]
    assert (code, mine["compliancy"]) == (0, 1)
    assert (mine["n"], mine["events"], mine["verdict"]) == (8, 4, "compliancy: not known; style: not known")
    assert "|n:8|partners:8|events:4|" in mine["signature"]


@pytest.mark.parametrize("with_report", [False, True])
def test_the_signature_is_one_of_the_last_lines(command, toy_test, tmp_path, with_report):
    options = ["--out", str(tmp_path / "report")] if with_report else []
    _, printed, _ = command(toy_test.items, *options)
    beginnings = [line.split(" ")[0] for line in printed.splitlines()]
    assert beginnings[-3:] == ["Signature", "Report", "Next"] if with_report else ["Signature", "Next"]
    [line] = [line for line in printed.splitlines() if line.startswith("Signature  compliancy|")]
    assert "|n:8|" in line
    if with_report:
        record = json.loads((tmp_path / "report" / "scores.json").read_text())
        assert line == f"Signature  {record['signature']}"


def test_what_cannot_be_compared_is_refused_before_judges_are_loaded(command, toy_test):
    code, printed, error = command(toy_test.items, "--against", "floor")  # without --floor
    assert (code, printed) == (2, "")
    assert "--against floor is no system of the table: give one of mine, clause, gold" in error
    assert command(toy_test.items, "--json", "--format", "csv")[0] == 2


def test_a_text_file_is_told_where_the_ids_are(command, toy_test, tmp_path):
    for lines in ("One headline\nAnother one\n", "One headline, with a comma\nAnother one\n"):
        file = tmp_path / "lines.txt"
        file.write_text(lines)
        code, _, error = command(toy_test.items, f"lines={file}")
        assert (code, "have no ids of the originals: change-it corpus items" in error) == (2, True)
    write(file, toy_test.items)  # with a header it is as good as a CSV
    assert command(toy_test.items, f"lines={file}")[0] == 0


@pytest.fixture
def with_more_articles(toy_corpus, toy_test, tmp_path, monkeypatch, undrawn, capsys):
    """Scores a file of all items of a corpus with test articles without a partner, or of the pairs alone."""
    corpus = tmp_path / "more"
    shutil.copytree(toy_corpus, corpus)
    (corpus / "test_articles").mkdir()
    articles = pl.read_parquet(corpus / "articles" / "test.parquet")
    alone = articles.with_columns(
        pl.col("id") + "x", pl.col("event") + "x", pl.lit("Altro").alias("headline")
    )
    alone.write_parquet(corpus / "test_articles" / "test.parquet")
    write_stand_ins(tmp_path / "judges")
    load_fakes(monkeypatch)

    def run(every_item, *options):
        items = read_test_set(str(corpus)).items if every_item else toy_test.items
        file = write(tmp_path / "mine.csv", items, "source")
        common = ["--corpus", str(corpus), "--judges", str(tmp_path / "judges"), "--resamples", "5"]
        code = main(["score", *common, "--predictions", f"mine={file}", *options])
        return code, *capsys.readouterr()

    return run


def test_articles_without_a_partner_have_a_table_of_their_own(with_more_articles, tmp_path):
    code, printed, _ = with_more_articles(True, "--json")
    record = json.loads(printed)
    assert code == 0
    assert {name: rows["average"]["n"] for name, rows in record["systems"].items()} == dict.fromkeys(
        record["systems"], 8
    )
    of_all = record["all_articles"]["systems"]
    assert {rows["average"]["n"] for rows in of_all.values()} == {16}
    assert (record["systems"].keys() - of_all.keys(), of_all.keys() - record["systems"].keys()) == (
        {"gold"},
        set(),
    )
    report = tmp_path / "report"
    code, printed, error = with_more_articles(True, "--out", str(report), "--against", "gold")
    assert (code, "not scored" in error) == (0, False)
    assert printed.index("Results: 8 headlines") < printed.index(
        "All test articles, without gold: 16 headlines"
    )
    assert "Differences from gold, 8 headlines" in printed
    signatures = [line for line in printed.splitlines() if line.startswith("Signature  ")]
    assert ["|n:8|" in line for line in signatures] == [True, False]
    assert ["|n:16|" in line for line in signatures] == [False, True]
    page = (report / "report.html").read_text()
    assert "<h3>All test articles</h3>" in page
    for signature in signatures:
        text = signature.removeprefix("Signature  ")
        assert page.count(f"Signature: <code>{text}</code>") == 1  # beside its table
        assert page.count(f"<p><code>{text}</code></p>") == 1  # at the end
    assert "Quote it with any number of this page" not in page
    few = "With so few events no p can be below about"
    assert f"Test articles with a partner: 8 headlines of 4 events, 1,500 trials. {few} 1." in page
    assert f"All test articles: 16 headlines of 8 events, 1,000 trials. {few} .08." in page
    of_all = read_csv(report / "all-articles.csv")
    assert {row["verdict"] for row in of_all} == {"compliancy: not known; style: not known"}
    assert "Of your systems all 16 headlines are here, 8 of them without a headline" in page
    packed = re.search('id="items-data">([^<]+)<', page)[1]
    listed = Counter(row["system"] for row in json.loads(gzip.decompress(base64.b64decode(packed)))["rows"])
    assert (listed["mine"], listed["gold"], listed["lead"]) == (16, 8, 8)
    assert [path.name for path in (report / "all-articles").iterdir()] == ["mine.csv"]
    assert len(read_csv(report / "all-articles" / "mine.csv")) == 16
    assert len(read_csv(report / "items" / "mine.csv")) == 8
    assert {row["n"] for row in read_csv(report / "all-articles.csv") if row["direction"] == "average"} == {
        "16"
    }
    assert "Differences from lead, 16 headlines" in with_more_articles(True, "--against", "lead")[1]


def test_a_file_of_the_pairs_alone_has_one_table_and_is_told_of_the_rest(with_more_articles):
    code, printed, error = with_more_articles(False, "--json")
    assert (code, "all_articles" in json.loads(printed)) == (0, False)
    assert "8 test articles without a partner are not scored: change-it corpus items" in error
