"""What is added as one entry is everywhere: nothing else is edited."""

import json
import re

import numpy as np
import polars as pl
import pytest
from csv_files import write_csv

from change_it.cli import main
from change_it.hevas.metrics import METRICS, Metric
from change_it.report import hevas_report

#: Events of the documents, each in a headline of its own.
EVENTS = ("governo", "squadra", "pane", "neve", "treno", "scuola")


def type_token_ratio(headlines):
    return np.array([len({*words}) / max(1, len(words)) for words in headlines.words])


@pytest.fixture
def ratio(monkeypatch):
    """Register the type-token ratio for the time of a test, averaged or not."""

    def register(*, averaged):
        metric = Metric(
            name="TTR",
            family="readability",
            range=(0, 1),
            better="more",
            averaged=averaged,
            explanation="Share of different words among a headline's words",
            compute=type_token_ratio,
            languages=lambda language: language == "it",
        )
        monkeypatch.setitem(METRICS, "TTR", metric)

    return register


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Return a function that measures two systems with `change-it hevas` and reads what it wrote and printed."""
    texts = [
        f"A Roma il {one} cambia tutto, tutto. La gente protesta per il {one}. Poi si vota." for one in EVENTS
    ]
    rows = [
        [str(at), f"Il {one} cambia", text] for at, (one, text) in enumerate(zip(EVENTS, texts, strict=True))
    ]
    news = write_csv(tmp_path / "news.csv", rows, ["id", "headline", "article"])
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"{one} {one} cambia\n" for one in EVENTS), encoding="utf-8")
    panels = []
    draw = hevas_report.bar_chart
    monkeypatch.setattr(
        hevas_report, "bar_chart", lambda comparisons: panels.append([*comparisons]) or draw(comparisons)
    )

    def measure(*metrics, language="it"):
        out = tmp_path / "out"
        options = ["--system", f"mine={mine}", "--baselines", "first", "--resamples", "20", "--topics", "2"]
        chosen = ["--metrics", *metrics] if metrics else []
        folder = ["--charts", "interval", "--language", language, "--out", str(out)]
        assert main(["hevas", "--documents", str(news), *options, *chosen, *folder]) == 0
        return {
            "printed": " ".join(capsys.readouterr().out.split()),
            "panels": panels[-1],
            "page": (out / "report.html").read_text(encoding="utf-8"),
            "table": pl.read_csv(out / "summary.csv"),
            "items": pl.read_csv(out / "items/mine.csv"),
            "record": json.loads((out / "summary.json").read_text(encoding="utf-8")),
        }

    return measure


def signature_of(result):
    [signature] = result["table"]["signature"].unique()
    return signature


def test_a_metric_is_an_entry(measured, ratio):
    """In table, page, charts, items and signature; the averages and ranks of the others stay where they were."""
    before = measured()
    ratio(averaged=False)
    after = measured()
    for columns in (before["table"].columns, before["items"].columns):
        assert "TTR" not in columns
    assert after["items"]["TTR"].to_list() == pytest.approx([2 / 3] * len(EVENTS))
    assert "TTR" in after["printed"]
    assert "TTR" in after["panels"]
    assert "TTR" in after["record"]["comparisons"]
    explained = "<dt>TTR</dt><dd>Share of different words among a headline&#39;s words; ours: shown"
    assert explained in after["page"]
    assert after["table"].drop("TTR", "signature").equals(before["table"].drop("signature"))
    assert signature_of(after) == signature_of(before).replace("|metrics:all|", "|metrics:all+TTR|")


def test_an_entry_decides_whether_a_metric_is_averaged(measured, ratio):
    ratio(averaged=True)
    result = measured("TTR", "AWL")
    table = {row["system"]: row for row in result["table"].to_dicts()}
    assert {system: row["TTR rank"] for system, row in table.items()} == {"mine": 2, "first": 1}
    assert "ours: shown" not in result["page"]
    ratio(averaged=False)
    assert "TTR rank" not in measured("TTR", "AWL")["table"].columns


def test_an_entry_says_for_which_languages_it_is(measured, ratio):
    ratio(averaged=False)
    printed = measured(language="de")["printed"]
    left_out = re.search("left out: (.*), for which the language de is not known", printed)
    assert left_out[1].split(", ") == ["PNR", "NR", "PR", "TTR"]
