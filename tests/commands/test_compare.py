import json
import re

import pytest

from change_it.cli import main
from change_it.results.report_files import write_report
from change_it.scoring.scores import score
from change_it.scoring.systems import ScoredSystem


@pytest.fixture
def tables(tmp_path, toy_test, fake_judges, without_charts):
    """The files of two systems, of which the second one's headlines are hostile, and the scores behind them."""
    hostile = tuple(f"</script><b>{item.source}" for item in toy_test.items)
    gold = tuple(item.reference for item in toy_test.items)
    scores = score(
        toy_test, fake_judges, [ScoredSystem("mine", gold), ScoredSystem("other", hostile)], resamples=2
    )
    write_report(tmp_path / "report", scores, None, [])
    return [str(tmp_path / "report" / "items" / f"{name}.csv") for name in ("mine", "other")], scores


def test_counts_and_headlines_on_the_terminal(tables, capsys):
    files, scores = tables
    assert main(["compare", *files, "--items", "2"]) == 0
    text = capsys.readouterr().out
    passed = {name: items["compliant"] for name, items in scores.items.items()}
    only = (passed["mine"] & ~passed["other"]).sum(), (passed["other"] & ~passed["mine"]).sum()
    line = next(line.split() for line in text.splitlines() if "HH, AH and main together" in line)
    assert (int(line[-3]), int(line[-2])) == only
    assert f"2 of {sum(only)} headlines shown" in text


@pytest.mark.parametrize(("outcome", "count"), [("all", 8), ("both", None)])
def test_json_has_all_headlines_of_an_outcome(tables, capsys, outcome, count):
    files, scores = tables
    assert main(["compare", *files, "--json", "--verdict", "main", "--outcome", outcome]) == 0
    found = json.loads(capsys.readouterr().out)
    failed = sum(
        not one and not other
        for one, other in zip(
            *(scores.items[name].sort("id")["main"] for name in ("mine", "other")), strict=True
        )
    )
    assert len(found["items"]) == (failed if count is None else count)
    assert {row["verdict"] for row in found["counts"]} >= {"HH: the story", "main: the style"}


@pytest.mark.parametrize("language", ["it", "en"])
def test_one_file_has_both_systems_side_by_side(tables, tmp_path, capsys, language):
    files, _ = tables
    assert main(["compare", *files, "--out", str(tmp_path / "c.html"), "--report-language", language]) == 0
    text = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in text
    assert {"it": "Tutti i titoli", "en": "All headlines"}[language] in text
    assert text.count("</script>") == 2
    assert not re.search(r"(src|href)=.https?:", text)


def test_files_of_one_name_are_distinguished(tables, tmp_path, capsys):
    files, _ = tables
    again = tmp_path / "mine.csv"
    again.write_bytes((tmp_path / "report" / "items" / "mine.csv").read_bytes())
    assert main(["compare", files[0], str(again), "--outcome", "all"]) == 0
    assert "8 of 8 headlines shown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("id,direction,source,headline,hh,ah,main\n1,a2b,x,y,true,perhaps,true\n", "(lines 2)"),
        ("id,direction,source,headline,hh,ah,main\n77,a2b,x,y,true,true,true\n", "no"),
        ("id,headline\n1,x\n", "direction"),
    ],
)
def test_bad_files_are_one_sentence(tables, tmp_path, capsys, contents, message):
    files, _ = tables
    (tmp_path / "bad.csv").write_text(contents)
    assert main(["compare", files[0], str(tmp_path / "bad.csv")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert main(["compare", files[0], files[0]]) == 2
