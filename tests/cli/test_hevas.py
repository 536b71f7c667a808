import errno
import json
import shutil
import sys
from itertools import permutations
from unittest.mock import Mock

import polars as pl
import pytest
from corpus_fakes import a_report
from csv_files import write_csv

from change_it.cli import main
from change_it.files.atomic import write_json
from change_it.files.records import to_json
from change_it.render.tables import figure

METRICS = ["R-SU", "LSA-C", "TM-S", "WE-C", "NR", "Fog"]
EVENTS = ("governo", "squadra", "pane", "neve", "treno", "scuola")
FILES = ["charts", "items", "report.html", "summary.csv", "summary.json"]


@pytest.fixture
def news(tmp_path):
    text = "A Roma il {0} cambia tutto. La gente protesta per il {0} numero {1}. Poi si vota."
    rows = [
        [f"n{at}", f"Il {one} cambia, Roma protesta", text.format(one, at)] for at, one in enumerate(EVENTS)
    ]
    return str(write_csv(tmp_path / "news.csv", rows, ["id", "headline", "article"]))


def test_both_articles_of_a_pair_are_one_event_and_the_language_is_the_corpuss(toy_corpus, tmp_path, capsys):
    english = shutil.copytree(toy_corpus, tmp_path / "corpus")
    write_json(english / "alignment.json", to_json(a_report(language="en")))
    baselines = ["--baselines", "first", "random", "--metrics", "R-1", "--json"]
    assert main(["hevas", "--documents", str(english), *baselines]) == 0
    record = json.loads(capsys.readouterr().out)
    assert "|lang:en|" in record["signature"]
    assert "|events:4|resamples:1000|" in record["signature"]
    assert {(test["documents"], test["events"]) for test in record["comparisons"].values()} == {(8, 4)}


@pytest.mark.parametrize(("language", "lacking"), [("de", "PNR, NR, PR,"), ("tr", "PNR, NR, PR, Fog,")])
def test_what_is_not_known_of_a_language_is_left_out_and_said(language, lacking, tmp_path, capsys):
    rows = [
        [str(at), f"{one} {at}", f"{one} {at} und mehr. Dann {other}."]
        for at, (one, other) in enumerate(permutations(EVENTS[:4], 2))
    ]
    news = write_csv(tmp_path / "news.csv", rows, ["id", "headline", "article"])
    arguments = ["hevas", "--documents", str(news), "--language", language, "--baselines", "first"]
    assert main(arguments) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"left out: {lacking} for which the language {language} is not known" in printed
    assert f"|lang:{language}|stop:none|" in printed
    assert main([*arguments, "--metrics", "NR"]) == 2


def test_without_gensim_the_metrics_of_word_vectors_are_left_out_and_said(news, monkeypatch, capsys):
    for module in ("gensim", "gensim.models"):
        monkeypatch.setitem(sys.modules, module, None)
    arguments = ["hevas", "--documents", news, "--language", "it", "--topics", "2", "--baselines", "first"]
    assert main(arguments) == 0
    left_out = "left out: WE-C, WE-S, which need gensim: pip install '.[hevas]'"
    assert left_out in " ".join(capsys.readouterr().out.split())
    assert main([*arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [left_out]
    metrics = json.loads(printed.out)["metrics"]
    assert {"Fog", "R-1"} <= {*metrics}
    assert not {"WE-C", "WE-S"} & {*metrics}
    assert main([*arguments, "--metrics", "WE-C"]) == 2
    assert "word vectors need gensim: pip install '.[hevas]'" in capsys.readouterr().err


def test_copy_is_the_original_headline_of_a_corpus(toy_corpus, news, tmp_path, undrawn, capsys):
    copied = ["--baselines", "copy", "first", "--metrics", "R-1"]
    assert main(["hevas", "--documents", str(toy_corpus), *copied, "--out", str(tmp_path / "out")]) == 0
    articles = pl.read_parquet(toy_corpus / "articles/test.parquet").select("id", "headline")
    items = pl.read_csv(tmp_path / "out/items/copy.csv", schema_overrides={"id": pl.String})
    assert dict(items.select("id", "headline").iter_rows()) == dict(articles.iter_rows())
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "shares with its document and with the other newspaper's headline, and how easily it reads" in page
    assert main(["hevas", "--documents", news, *copied]) == 2
    assert "--baselines copy requires a corpus folder" in capsys.readouterr().err


def test_metrics_from_the_command_line(news, tmp_path, capsys):
    out = tmp_path / "runs" / "out"
    mine = ["", *(f"Roma, {event} & <proteste>" for event in EVENTS[1:])]
    (tmp_path / "mine.txt").write_text("\n".join(mine) + "\n", encoding="utf-8")
    systems = ["--predictions", f"mine={tmp_path / 'mine.txt'}", "--baselines", "first", "tfidf"]
    options = f"--documents {news} --topics 2 --lsi 3 --resamples 20 --charts bar scatter --out {out}".split()
    assert main(["hevas", *systems, "--metrics", *METRICS, *options]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert sorted(path.name for path in out.iterdir()) == FILES
    table = pl.read_csv(out / "summary.csv")
    assert (table["system"].to_list()[-1], table["empty"].to_list()) == ("mine", [0, 0, 1])
    page = (out / "report.html").read_text(encoding="utf-8")
    outcome = f"{table['system'][0]} has the best average, {figure(table['average'][0])}; "
    for text in ("mine: 1 of 6 headlines are empty", outcome):
        assert text in printed
        assert text in page
    assert table["signature"][0] in printed
    systems = table["system"].to_list()
    assert f"<h1>HEvAS: {', '.join(systems)}</h1>" in page
    assert "It does not see whether a headline tells the story" in page
    for row in table.to_dicts():
        items = pl.read_csv(out / "items" / f"{row['system']}.csv")
        assert items.columns == ["id", "headline", *METRICS]
        assert row["R-SU"] == pytest.approx(items["R-SU"].mean())
    record = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert list(record["systems"]) == table["system"].to_list()
    assert set(record["comparisons"]) == {"average", *METRICS}
    assert sorted(path.name for path in (out / "charts").iterdir()) == ["bar.png", "scatter.png"]


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_figures_are_printed_before_they_are_written(json, news, tmp_path, capsys, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr("change_it.report.hevas_report.write_hevas", Mock(side_effect=full))
    options = [
        *["--baselines", "first", "--metrics", "Fog", "--resamples", "20"],
        "--out",
        str(tmp_path / "out"),
        *json,
    ]
    assert main(["hevas", "--documents", news, *options]) == 2
    printed = capsys.readouterr()
    assert "first" in printed.out
    assert "No space left on device" in printed.err
