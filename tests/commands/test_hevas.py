import json

import polars as pl
import pytest
from PIL import Image

from change_it.cli import main
from change_it.hevas.metrics import METRICS

EVENTS = ("governo", "squadra", "pane", "neve", "treno", "scuola")
FILES = ["charts", "items", "report.html", "summary.csv", "summary.json"]


@pytest.fixture
def news(tmp_path):
    rows = [
        {
            "id": f"n{at}",
            "headline": f"Il {event} cambia, Roma protesta",
            "article": f"A Roma il {event} cambia tutto. La gente protesta per il {event} numero {at}. Poi si vota.",
        }
        for at, event in enumerate(EVENTS)
    ]
    path = tmp_path / "news.csv"
    pl.DataFrame(rows).write_csv(path)
    (tmp_path / "mine.txt").write_text(
        "\n".join(f"Roma, {event} & <proteste>" if at else "" for at, event in enumerate(EVENTS)) + "\n",
        encoding="utf-8",
    )
    return path


def command(*arguments):
    return main(["hevas", *map(str, arguments)])


def test_both_articles_of_a_pair_are_one_event(toy_corpus, capsys):
    arguments = ["--documents", toy_corpus, "--baselines", "first", "random", "--metrics", "R-1", "--json"]
    assert command(*arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(each["documents"], each["events"]) for each in found["comparisons"].values()} == {(8, 4)}
    assert "|events:4|resamples:1000|" in found["signature"]


def test_all_metrics_from_the_command_line(news, tmp_path, capsys):
    out = tmp_path / "runs" / "out"
    code = command(
        *("--documents", news, "--system", f"mine={tmp_path / 'mine.txt'}", "--baselines", "first", "tfidf"),
        *("--topics", 2, "--lsi", 3, "--resamples", 20, "--out", out),
    )
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert sorted(path.name for path in out.parent.iterdir()) == ["out"]
    assert "mine: 1 of 6 headlines are empty" in printed.out
    table = pl.read_csv(out / "summary.csv")
    assert table["system"].to_list()[-1] == "mine"
    assert sorted(table["average"], reverse=True) == table["average"].to_list()
    assert table["rank"].to_list() == [1, 2, 3]
    assert table["signature"][0] in printed.out
    assert table["empty"].to_list() == [0, 0, 1]
    for system in ("mine", "first", "tfidf"):
        items = pl.read_csv(out / "items" / f"{system}.csv")
        assert items.columns == ["id", "headline", *METRICS]
        assert items["id"].to_list() == [f"n{at}" for at in range(6)]
        row = table.filter(pl.col("system") == system)
        assert row["R-SU"].item() == pytest.approx(items["R-SU"].mean())
    record = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert list(record["systems"]) == table["system"].to_list()
    assert set(record["comparisons"]) == {"average", *METRICS}
    assert len(record["correlations"]["pearson"]) == len(METRICS)
    assert sorted(path.name for path in (out / "charts").iterdir()) == [
        "bar.png", "box.png", "interval.png", "scatter.png",
    ]  # fmt: skip
    for path in (out / "charts").iterdir():
        with Image.open(path) as picture:
            assert picture.width > 400
